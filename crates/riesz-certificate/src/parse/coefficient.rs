//! Spaces and coefficients.

use super::Parser;
use crate::term::{Expr, Operator, Space};

impl Parser {
    pub(super) fn space(&mut self) -> Result<Space, String> {
        self.inside(|parser| {
            if parser.accept("[") {
                let mut size = String::new();
                while !parser.accept("]") {
                    let token = parser.tokens.get(parser.at).ok_or("a size does not end")?;
                    size += if token.apart { " " } else { "" };
                    size += &token.text;
                    parser.at += 1;
                }
                return Ok(Space::Array(size, Box::new(parser.space()?)));
            }
            if parser.accept("(") {
                let part = |parser: &mut Parser| {
                    let label = if parser.peek(1) == ":" { Some(parser.name()?) } else { None };
                    parser.at += usize::from(label.is_some());
                    Ok((label, parser.space()?))
                };
                return Ok(Space::Product(parser.separated(")", part)?));
            }
            match parser.name()?.as_str() {
                "R" => Ok(Space::Real),
                "other" => Ok(Space::Other),
                name => Err(format!("`{name}` is no space")),
            }
        })
    }

    pub(super) fn expr(&mut self) -> Result<Expr, String> {
        self.inside(|parser| {
            if parser.accept("if") {
                let condition = parser.expr()?;
                parser.expect("then")?;
                let yes = parser.expr()?;
                parser.expect("else")?;
                return Ok(Expr::Apply(Operator::If, vec![condition, yes, parser.expr()?]));
            }
            if parser.accept("not") {
                return Ok(Expr::Apply(Operator::Not, vec![parser.infix(1)?]));
            }
            parser.infix(0)
        })
    }

    pub(super) fn infix(&mut self, level: usize) -> Result<Expr, String> {
        const SIGNS: [&[&str]; 3] = [&["==", "!=", "<=", ">=", "<", ">"], &["+", "-"], &["*", "/"]];
        let Some(signs) = SIGNS.get(level) else { return self.negative() };
        let mut left = self.infix(level + 1)?;
        while let Some(sign) = signs.iter().find(|sign| self.peek(0) == **sign) {
            self.at += 1;
            let right = self.infix(level + 1)?;
            left = Expr::infix(sign, left, right);
        }
        Ok(left)
    }

    fn negative(&mut self) -> Result<Expr, String> {
        if self.accept("-") {
            let inner = self.inside(Parser::negative)?;
            return Ok(Expr::Apply(Operator::Negative, vec![inner]));
        }
        let base = self.atom()?;
        if self.accept("^") {
            let power = self.inside(Parser::negative)?;
            return Ok(Expr::infix("^", base, power));
        }
        Ok(base)
    }

    /// A coefficient that needs no brackets, with its postfixes.
    pub(super) fn atom(&mut self) -> Result<Expr, String> {
        let mut found = self.inside(Parser::primary)?;
        loop {
            let apart = self.tokens.get(self.at).is_none_or(|token| token.apart);
            let next_apart = self.tokens.get(self.at + 1).is_none_or(|token| token.apart);
            if !apart && self.accept("[") {
                let index = self.expr()?;
                self.expect("]")?;
                found = Expr::Apply(Operator::Index, vec![found, index]);
            } else if !apart && !next_apart && self.accept(".") {
                let part = self.peek(0).to_string();
                self.at += 1;
                found = Expr::Apply(Operator::Part(part), vec![found]);
            } else {
                return Ok(found);
            }
        }
    }

    fn primary(&mut self) -> Result<Expr, String> {
        let token = self.peek(0).to_string();
        if token.starts_with(|letter: char| letter.is_ascii_digit()) {
            self.at += 1;
            return token.parse().map(Expr::Number).map_err(|_| format!("`{token}` is no number"));
        }
        if self.accept("(") {
            let mut parts = self.separated(")", Parser::expr)?;
            return Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Apply(Operator::Tuple, parts) });
        }
        if self.accept("[") {
            if self.accept("]") {
                return Ok(Expr::Apply(Operator::Array, Vec::new()));
            }
            let first = self.expr()?;
            if self.accept("|") {
                let each = self.each(first)?;
                self.expect("]")?;
                return Ok(each);
            }
            let mut elements = vec![first];
            if !self.accept("]") {
                self.expect(",")?;
                elements.extend(self.separated("]", Parser::expr)?);
            }
            return Ok(Expr::Apply(Operator::Array, elements));
        }
        if token == "_" {
            return Err("`_` is no coefficient".into());
        }
        let name = self.function()?;
        let apart = self.tokens.get(self.at).is_none_or(|token| token.apart);
        if apart || !self.accept("(") {
            return Ok(Expr::Var(name));
        }
        if self.accept(")") {
            return Ok(Expr::call(&name, Vec::new()));
        }
        let first = self.expr()?;
        if self.accept("|") {
            let each = self.each(first)?;
            self.expect(")")?;
            return Ok(Expr::Apply(Operator::Reduce(name), vec![each]));
        }
        let mut arguments = vec![first];
        if !self.accept(")") {
            self.expect(",")?;
            arguments.extend(self.separated(")", Parser::expr)?);
        }
        Ok(Expr::call(&name, arguments))
    }

    /// `i < n` after `e |`
    fn each(&mut self, element: Expr) -> Result<Expr, String> {
        let (index, count) = self.range()?;
        Ok(Expr::each(&index, &count, element))
    }

    pub(super) fn range(&mut self) -> Result<(String, Expr), String> {
        let index = self.name()?;
        self.expect("<")?;
        Ok((index, self.infix(1)?))
    }
}
