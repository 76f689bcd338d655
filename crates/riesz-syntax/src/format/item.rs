//! Items.

use super::Formatter;
use crate::token::{Gap, TokenKind};
use crate::tree::{ExprId, ExprKind, ItemKind, Rule};

impl Formatter<'_> {
    pub(super) fn program(&mut self) {
        let tree = self.tree;
        for item in &tree.items {
            self.next_statement();
            match &item.kind {
                ItemKind::Fun { body, rule, .. } => self.fun(*body, rule.as_ref()),
                ItemKind::Let { value, .. } => self.let_item(*value),
                ItemKind::Type { .. } => self.type_item(),
                ItemKind::Check { label, condition } => self.check(label.is_some(), *condition),
                ItemKind::Import { .. } => {
                    self.token_space();
                    self.token();
                }
            }
        }
        self.next_statement();
    }

    fn fun(&mut self, body: ExprId, rule: Option<&Rule>) {
        self.token_space();
        self.token();
        self.begin();
        self.parameters();
        self.typed_until(TokenKind::Equals);
        self.end();
        self.write(" ");
        let new_line = self.tokens[self.position + 1].gap == Gap::Newline;
        self.value(body, new_line);
        if let Some(rule) = rule {
            self.indent();
            self.hard_line();
            self.value(rule.expr, false);
            self.dedent();
        }
    }

    fn let_item(&mut self, value: ExprId) {
        self.token_space();
        self.typed_until(TokenKind::Equals);
        self.write(" ");
        self.value(value, false);
    }

    fn type_item(&mut self) {
        self.token_space();
        self.typed_until(TokenKind::Equals);
        self.write(" ");
        self.token_space();
        let end = self.end_of_type();
        self.typed_tokens(end, false);
    }

    fn check(&mut self, labelled: bool, condition: ExprId) {
        self.token();
        let statements = matches!(self.tree.expr(condition).kind, ExprKind::Let { .. });
        if labelled {
            self.write(" ");
            self.token();
        }
        if labelled || statements {
            self.begin();
            self.below(condition);
            self.end();
        } else {
            self.write(" ");
            self.expr(condition);
        }
    }

    /// The token after the type that ends the current item.
    fn end_of_type(&self) -> usize {
        let mut depth = 0usize;
        for (position, token) in self.tokens.iter().enumerate().skip(self.position) {
            if token.kind.closing().is_some() {
                depth += 1;
            } else if token.kind.closes() {
                depth = depth.saturating_sub(1);
            } else if depth == 0 && (token.kind.begins_item() || matches!(token.kind, TokenKind::Let | TokenKind::End))
            {
                return position;
            }
        }
        self.tokens.len() - 1
    }
}
