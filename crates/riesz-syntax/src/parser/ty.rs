//! Types and sizes.

use super::Parser;
use crate::Diagnostic;
use crate::token::{Gap, TokenKind};
use crate::tree::{BinaryOperator, Ident, Size, SizeKind, Type, TypeKind};

impl Parser<'_> {
    /// `type := atype [ "->" type | "-o" type ]`
    pub(super) fn ty(&mut self) -> Type {
        let start = self.current().start;
        self.typing += 1;
        let parsed = self.nested_owned(|parser| {
            let left = parser.atomic_type();
            let function: fn(Box<Type>, Box<Type>) -> TypeKind = match parser.kind() {
                TokenKind::Arrow => TypeKind::Function,
                TokenKind::Minus if parser.at_lollipop() && !parser.ends_here() => TypeKind::Linear,
                _ => return left,
            };
            parser.bump();
            if parser.tokens[parser.position - 1].kind == TokenKind::Minus {
                parser.bump();
            }
            let right = parser.ty();
            Type { kind: function(Box::new(left), Box::new(right)), span: parser.span_from(start) }
        });
        self.typing -= 1;
        parsed.unwrap_or(Type { kind: TypeKind::Error, span: self.span_from(start) })
    }

    /// Whether `-` and `o` stand here without a gap.
    fn at_lollipop(&self) -> bool {
        let (minus, name) = (self.current(), self.next());
        minus.kind == TokenKind::Minus && minus.end == name.start && self.text_of(name) == "o"
    }

    fn atomic_type(&mut self) -> Type {
        let start = self.current().start;
        let kind = match self.kind() {
            _ if self.recovering => TypeKind::Error,
            TokenKind::Name => self.named_type(),
            TokenKind::LeftParen => self.tuple_type(),
            TokenKind::LeftBracket => self.array_type(),
            TokenKind::LeftBrace => self.record_type(),
            TokenKind::Underscore => {
                let diagnostic = Diagnostic::error("unexpected-token", self.here(), "`_` is a size, not a type");
                self.fail(diagnostic.help("a `let` without a type has it inferred; a parameter of any type is `x: t`"));
                TypeKind::Error
            }
            _ => {
                self.fail_expecting("a type");
                TypeKind::Error
            }
        };
        Type { kind, span: self.span_from(start) }
    }

    /// `name | Name [ "[" size { "," size } "]" ]`
    fn named_type(&mut self) -> TypeKind {
        let token = self.bump();
        let name = self.name_of(token);
        if !self.at(TokenKind::LeftBracket) || self.current().gap != Gap::None {
            return TypeKind::Name(name, Vec::new());
        }
        let sizes = self.sizes();
        let span = self.span_of(token).to(self.span_from(token.start));
        if matches!(&*name, "R" | "Int" | "Bool") || !is_type_name(&name) {
            let brackets = &self.text[token.end as usize..span.end as usize];
            let message = format!("`{name}` takes no sizes");
            let diagnostic = Diagnostic::error("array-type-order", span, message);
            self.complain(diagnostic.suggest(span, "an array's type is written", format!("{brackets}{name}")));
        }
        TypeKind::Name(name, sizes)
    }

    fn tuple_type(&mut self) -> TypeKind {
        let mut types = Vec::new();
        let empty = self.next().kind == TokenKind::RightParen;
        self.bracketed(false, |parser| {
            if !empty {
                parser.comma_separated(|parser| types.push(parser.ty()));
            }
        });
        match <[Type; 1]>::try_from(types) {
            Ok([ty]) => ty.kind,
            Err(types) => TypeKind::Tuple(types),
        }
    }

    /// `"[" size { "," size } "]" atype`
    fn array_type(&mut self) -> TypeKind {
        let sizes = self.sizes();
        let depth = self.depth;
        let owned = self.owned_depth;
        self.depth += sizes.len().saturating_sub(1);
        self.owned_depth += sizes.len().saturating_sub(1);
        let start = self.current().start;
        let element = self.nested_owned(Parser::atomic_type);
        self.depth = depth;
        self.owned_depth = owned;
        let Some(mut ty) = element else {
            return TypeKind::Error;
        };
        if self.current().start == start {
            return TypeKind::Error;
        }
        let end = self.end_of_previous();
        for size in sizes.into_iter().rev() {
            let span = crate::Span { end, ..size.span };
            ty = Type { kind: TypeKind::Array(size, Box::new(ty)), span };
        }
        ty.kind
    }

    /// `"{" name ":" type { "," name ":" type } "}"`
    fn record_type(&mut self) -> TypeKind {
        let start = self.current().start;
        let mut fields: Vec<(Ident, Type)> = Vec::new();
        if self.list(TokenKind::RightBrace, |parser| fields.extend(parser.field_type())) {
            let span = self.span_from(start);
            let diagnostic = Diagnostic::error("empty-braces", span, "a record has at least one field");
            self.complain(diagnostic.suggest(span, "the empty tuple is written", "()"));
            return TypeKind::Error;
        }
        TypeKind::Record(fields)
    }

    fn field_type(&mut self) -> Option<(Ident, Type)> {
        let name = self.ident("the name of a field")?;
        if self.at(TokenKind::Equals) {
            let span = self.here();
            let diagnostic = Diagnostic::error("unexpected-token", span, "the type of a field follows `:`");
            self.complain(diagnostic.suggest(span, "write", ":"));
            self.bump();
        } else {
            self.expect(TokenKind::Colon, "and the type of the field");
        }
        Some((name, self.ty()))
    }

    /// Reads a list in brackets, and says whether it is empty.
    fn list(&mut self, closing: TokenKind, item: impl FnMut(&mut Self)) -> bool {
        let empty = self.next().kind == closing;
        self.bracketed(false, |parser| {
            if !empty {
                parser.comma_separated(item);
            }
        });
        empty
    }

    fn sizes(&mut self) -> Vec<Size> {
        let mut sizes = Vec::new();
        let start = self.current().start;
        if self.list(TokenKind::RightBracket, |parser| sizes.push(parser.size())) {
            let span = self.span_from(start);
            let diagnostic = Diagnostic::error("missing-size", span, "the type of an array states its size");
            self.complain(diagnostic.suggest(span, "a size to be inferred is written", "[_]"));
        }
        sizes
    }

    /// `size := name | integer | "_" | size ( "+" | "-" | "*" ) size`
    fn size(&mut self) -> Size {
        let depth = (self.depth, self.owned_depth);
        let mut left = self.size_product();
        loop {
            let operator = match self.kind() {
                TokenKind::Plus => BinaryOperator::Add,
                TokenKind::Minus => BinaryOperator::Subtract,
                _ => break,
            };
            self.bump();
            let right = self.size_product();
            match self.size_operation(operator, left, right) {
                Ok(size) => left = size,
                Err(size) => {
                    left = size;
                    break;
                }
            }
        }
        (self.depth, self.owned_depth) = depth;
        left
    }

    fn size_product(&mut self) -> Size {
        let depth = (self.depth, self.owned_depth);
        let mut left = self.atomic_size();
        while self.at(TokenKind::Star) {
            self.bump();
            let right = self.atomic_size();
            match self.size_operation(BinaryOperator::Multiply, left, right) {
                Ok(size) => left = size,
                Err(size) => {
                    left = size;
                    break;
                }
            }
        }
        (self.depth, self.owned_depth) = depth;
        left
    }

    /// One more link of a chain, which is one more level of nesting, since sizes own their parts.
    fn size_operation(&mut self, operator: BinaryOperator, left: Size, right: Size) -> Result<Size, Size> {
        let span = left.span.to(right.span);
        if self.nested_owned(|_| ()).is_none() {
            return Err(Size { kind: SizeKind::Error, span });
        }
        self.depth += 1;
        self.owned_depth += 1;
        Ok(Size { kind: SizeKind::Binary(operator, Box::new(left), Box::new(right)), span })
    }

    fn atomic_size(&mut self) -> Size {
        let token = self.current();
        let span = self.here();
        let kind = match token.kind {
            _ if self.recovering => SizeKind::Error,
            TokenKind::Name => {
                self.bump();
                if self.current().kind == TokenKind::LeftParen && self.current().gap == Gap::None {
                    let message = "sizes are sums and products of names and integers";
                    let diagnostic = Diagnostic::error("malformed-size", span, message).here("a function is called");
                    self.fail(diagnostic.help("a size that is computed otherwise is written `_`: `[_]R`"));
                    SizeKind::Error
                } else {
                    SizeKind::Name(self.name_of(token))
                }
            }
            TokenKind::Underscore => {
                self.bump();
                SizeKind::Hole
            }
            TokenKind::Integer => {
                let value = crate::lexer::integer_value(self.text_of(token)).value;
                match value.and_then(|value| i64::try_from(value).ok()) {
                    Some(value) => {
                        self.bump();
                        SizeKind::Integer(value)
                    }
                    None => {
                        let message = "this size does not fit 64 bits";
                        self.complain(Diagnostic::error("number-too-large", span, message));
                        self.bump();
                        SizeKind::Error
                    }
                }
            }
            TokenKind::LeftParen => {
                let diagnostic = Diagnostic::error("malformed-size", span, "sizes have no parentheses");
                self.fail(diagnostic.help("multiply it out: `[a * c + b * c]R`"));
                SizeKind::Error
            }
            _ => {
                self.fail_expecting("a size: a name, an integer or `_`");
                SizeKind::Error
            }
        };
        Size { kind, span }
    }
}

/// Whether a name in a type is that of a type; otherwise it is a variable.
pub(super) fn is_type_name(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}
