//! Items: the definitions, checks and imports of a file.

use super::hint::foreign_keyword;
use super::ty::is_type_name;
use super::{Context, Parser};
use crate::Diagnostic;
use crate::token::{Gap, TokenKind};
use crate::tree::{
    ExprId, ExprKind, Ident, Item, ItemKind, Parameter, Pattern, PatternKind, Rule, RuleKind, Type, TypeKind,
};

impl Parser<'_> {
    /// `program := { item }`
    pub(super) fn program(&mut self) {
        while !self.at(TokenKind::End) {
            let start = self.current().start;
            let position = self.position;
            self.context = Context { newlines_count: true, statement: start };
            if let Some(kind) = self.item() {
                self.tree.items.push(Item { kind, span: self.span_from(start) });
            }
            if !self.recovering && !self.at_item() {
                self.report_no_item(false);
            }
            if self.recovering && self.position == position {
                self.position += 1;
            }
            self.recover_at_item();
        }
    }

    /// The whole text as one expression; `None` where it is empty.
    pub(super) fn whole_expression(&mut self) -> Option<ExprId> {
        if self.at(TokenKind::End) {
            self.fail_expecting("an expression");
            return None;
        }
        if self.kind().begins_item() {
            let diagnostic = self.no_expression().help("definitions, checks and imports stand in a file");
            self.fail(diagnostic);
        }
        self.context.statement = self.current().start;
        let expr = self.statements();
        if !self.recovering {
            self.expect_end("the expression");
        }
        Some(expr)
    }

    fn at_item(&self) -> bool {
        self.at(TokenKind::End) || self.at(TokenKind::Let) || self.kind().begins_item()
    }

    fn item(&mut self) -> Option<ItemKind> {
        match self.kind() {
            TokenKind::Fun => self.fun(),
            TokenKind::Let => self.let_item(),
            TokenKind::Type => self.type_item(),
            TokenKind::Check => self.check(),
            TokenKind::Import => self.import(),
            _ => {
                self.report_no_item(true);
                None
            }
        }
    }

    /// `"fun" name "(" [ params ] ")" [ ":" type ] "=" expr [ ( "derivative" | "implicit" ) expr ]`
    fn fun(&mut self) -> Option<ItemKind> {
        self.bump();
        let name = self.ident("the name of the function")?;
        if !self.at(TokenKind::LeftParen) {
            let diagnostic = match self.kind() {
                TokenKind::Name | TokenKind::Underscore | TokenKind::Equals => {
                    let message = format!("expected `(` and the parameters of `{}`", name.name);
                    Diagnostic::error("missing-parameters", self.here(), message)
                        .here("expected `(`")
                        .help(format!("write `fun {}(x: R) = ...`; a value without parameters is a `let`", name.name))
                }
                _ => self.unexpected("`(` and the parameters of the function"),
            };
            self.fail(diagnostic);
            return None;
        }
        let (parameters, result) = self.signature();
        self.definition("the body of the function");
        let body = self.statements();
        let rule = self.rule();
        Some(ItemKind::Fun { name, parameters, result, body, rule })
    }

    /// `[ ( "derivative" | "implicit" ) expr ]`: an item begins with a keyword, so that a name can stand here as a word.
    fn rule(&mut self) -> Option<Rule> {
        if self.recovering || !self.at(TokenKind::Name) {
            return None;
        }
        let text = self.text_of(self.current());
        let (_, kind) = RuleKind::ALL.into_iter().find(|(word, _)| *word == text)?;
        let token = self.bump();
        let word = self.span_of(token);
        Some(Rule { kind, expr: self.statements(), word })
    }

    /// `"(" [ params ] ")" [ ":" type ]`
    pub(super) fn signature(&mut self) -> (Vec<Parameter>, Option<Type>) {
        let mut parameters = Vec::new();
        self.typing += 1;
        if self.at(TokenKind::LeftParen) {
            let empty = self.next().kind == TokenKind::RightParen;
            self.bracketed(false, |parser| {
                if !empty {
                    parser.comma_separated(|parser| parameters.push(parser.parameter()));
                }
            });
        } else {
            self.fail_expecting("`(` and parameters");
        }
        let result = match self.kind() {
            TokenKind::Colon => {
                self.bump();
                Some(self.ty())
            }
            TokenKind::Arrow => {
                let span = self.here();
                let diagnostic = Diagnostic::error("result-type-arrow", span, "the type of the result follows `:`");
                self.complain(diagnostic.suggest(span, "write", ":"));
                self.bump();
                Some(self.ty())
            }
            _ => None,
        };
        self.typing -= 1;
        (parameters, result)
    }

    /// `pattern ":" type`
    fn parameter(&mut self) -> Parameter {
        let pattern = self.pattern();
        if self.eat(TokenKind::Colon) {
            return Parameter { pattern, ty: self.ty() };
        }
        let span = pattern.span;
        if matches!(self.kind(), TokenKind::Comma | TokenKind::RightParen) {
            let diagnostic = Diagnostic::error("missing-parameter-type", span, "parameters of a `fun` need types");
            let example = match &pattern.kind {
                PatternKind::Name(name) => format!("write `{name}: R`"),
                _ => "write `x: R`".to_string(),
            };
            self.complain(diagnostic.help(example));
        } else {
            self.fail_expecting("`:` and the type of the parameter");
        }
        Parameter { pattern, ty: Type { kind: TypeKind::Error, span } }
    }

    /// The `=` of a definition.
    pub(super) fn definition(&mut self, of: &str) {
        if self.at(TokenKind::Equal) {
            let span = self.here();
            let diagnostic = Diagnostic::error("unexpected-token", span, "a definition is written with `=`");
            self.complain(diagnostic.suggest(span, "write", "="));
            self.bump();
        } else {
            self.expect(TokenKind::Equals, &format!("and {of}"));
        }
    }

    /// `"let" name [ ":" type ] "=" expr`
    fn let_item(&mut self) -> Option<ItemKind> {
        let start = self.bump().start;
        self.reject_rec(start, true);
        let pattern = self.pattern();
        let name = self.item_name(pattern);
        let annotation = self.annotation();
        self.definition("the value of the `let`");
        let value = self.statements();
        if self.at(TokenKind::In) {
            let diagnostic = Diagnostic::error("unexpected-token", self.here(), "a `let` of a file has no `in`");
            self.fail(diagnostic.help("its name is known in the whole file"));
        }
        Some(ItemKind::Let { name: name?, annotation, value })
    }

    fn item_name(&mut self, pattern: Pattern) -> Option<Ident> {
        match pattern.kind {
            PatternKind::Name(name) => Some(Ident { name, span: pattern.span }),
            PatternKind::Error => None,
            PatternKind::Wildcard | PatternKind::Tuple(_) => {
                let message = "a `let` of a file binds one name";
                let diagnostic = Diagnostic::error("pattern-in-item", pattern.span, message);
                self.complain(diagnostic.help("name the whole, and use its fields: `t.0`, `t.1`"));
                None
            }
        }
    }

    /// `[ ":" type ]`
    pub(super) fn annotation(&mut self) -> Option<Type> {
        self.eat(TokenKind::Colon).then(|| self.ty())
    }

    /// `"type" Name [ "[" name { "," name } "]" ] "=" type`
    fn type_item(&mut self) -> Option<ItemKind> {
        self.bump();
        let name = self.ident("the name of the type")?;
        if !is_type_name(&name.name) {
            let message = "the name of a type begins with a capital letter";
            let diagnostic = Diagnostic::error("type-name-case", name.span, message);
            let mut letters = name.name.chars();
            let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
            self.complain(match is_type_name(&capital) {
                true => diagnostic.suggest(name.span, "write", capital),
                false => diagnostic,
            });
        }
        let mut sizes = Vec::new();
        if self.at(TokenKind::LeftBracket) {
            self.bracketed(false, |parser| {
                parser.comma_separated(|parser| sizes.extend(parser.ident("the name of a size")));
            });
        }
        self.definition("what the type stands for");
        let body = self.ty();
        Some(ItemKind::Type { name, sizes, body })
    }

    /// `"check" [ string ] expr`
    fn check(&mut self) -> Option<ItemKind> {
        self.bump();
        let label = self.string();
        let condition = self.expression();
        Some(ItemKind::Check { label, condition })
    }

    /// `"import" string`
    fn import(&mut self) -> Option<ItemKind> {
        self.bump();
        match self.string() {
            Some(path) => Some(ItemKind::Import { path }),
            None => {
                let diagnostic = self.unexpected("the name of a file in quotes");
                self.fail(diagnostic.help("write `import \"file.rz\"`"));
                None
            }
        }
    }

    /// A string, without its quotes; the span covers them.
    fn string(&mut self) -> Option<Ident> {
        if !self.at(TokenKind::String) {
            return None;
        }
        let token = self.bump();
        let text = self.text_of(token);
        let content = text.strip_prefix('"').unwrap_or(text);
        let content = content.strip_suffix('"').unwrap_or_else(|| {
            self.recovering = true;
            content
        });
        Some(Ident { name: content.into(), span: self.span_of(token) })
    }

    /// Reports what stands where an item should begin, or after one.
    fn report_no_item(&mut self, at_start: bool) {
        let token = self.current();
        if !at_start && token.gap == Gap::None && !token.kind.closes() {
            return self.fail_expecting("an operator or the end of the line");
        }
        let here = self.here();
        let operator = matches!(token.kind, TokenKind::Minus | TokenKind::LeftParen | TokenKind::LeftBracket);
        if !at_start && operator {
            let diagnostic = self.operator_on_next_line(token);
            return self.fail(diagnostic);
        }
        let message = format!("expected an item, found {}", self.found(token));
        let diagnostic = Diagnostic::error("expected-item", here, message).here("expected an item");
        let text = self.text_of(token);
        let diagnostic = match token.kind {
            TokenKind::Name if foreign_keyword(text).is_some() && self.next().gap == Gap::None => {
                let message = format!("`{text}` is not a keyword of Riesz");
                let diagnostic = Diagnostic::error("foreign-keyword", here, message);
                let keyword = match text {
                    "def" | "fn" | "func" | "function" | "define" => "fun",
                    "var" | "val" | "const" => "let",
                    "struct" | "data" | "record" | "typedef" => "type",
                    "assert" | "test" => "check",
                    "use" | "include" | "from" | "require" => "import",
                    _ => "",
                };
                match (keyword, foreign_keyword(text)) {
                    ("", Some(advice)) => diagnostic.help(advice),
                    _ => diagnostic.suggest(here, "write", keyword),
                }
            }
            TokenKind::Name if self.next().kind == TokenKind::Equals => {
                diagnostic.suggest(crate::Span { end: here.start, ..here }, "to name a value, write", "let ")
            }
            kind if kind.begins_expression() => {
                diagnostic.help("to evaluate an expression, use `riesz eval FILE EXPR`; to test one, write `check`")
            }
            kind if kind.closes() => self.closes_nothing(),
            _ => diagnostic.help("a file holds `fun`, `let`, `type`, `check` and `import`"),
        };
        self.fail(diagnostic);
    }

    /// An expression where the parser could read none.
    pub(super) fn error_expr(&mut self, start: u32) -> ExprId {
        let span = self.span_from(start);
        self.tree.add(ExprKind::Error, span)
    }
}
