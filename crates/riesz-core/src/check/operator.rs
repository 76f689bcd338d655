//! Operators between expressions, and the operands of equations.

use super::arithmetic::{Typed, is_number};
use super::draft::Draft;
use crate::term::{Atom, Comparison, Op};
use crate::types::Type;
use riesz_syntax::tree::{BinaryOperator, ExprId, ExprKind, Integer};
use riesz_syntax::{Diagnostic, Span};

/// How close `~=` is, unless `within` says otherwise.
pub(super) const TOLERANCE: f64 = 1e-9;

impl Draft<'_> {
    /// A chain of operators, which may be as long as the file, from the left.
    pub(super) fn binary(&mut self, id: ExprId, hint: Option<&Type>) -> Typed {
        let tree = self.tree();
        let mut chain = Vec::new();
        let mut leftmost = id;
        while let ExprKind::Binary { left, .. } = &tree.expr(leftmost).kind {
            chain.push(leftmost);
            leftmost = *left;
        }
        let arithmetic = |operator: &BinaryOperator| {
            use BinaryOperator::*;
            matches!(operator, Add | Subtract | Multiply | Divide | Power)
        };
        // A hint of R makes literals real from the start.
        let hint = hint.map(|hint| self.resolve(hint)).filter(|hint| *hint == Type::Real);
        let inner_hint = |operator: &BinaryOperator| if arithmetic(operator) { hint.as_ref() } else { None };
        let ExprKind::Binary { operator: first, .. } = &tree.expr(chain[chain.len() - 1]).kind else {
            return (Atom::Int(0), Type::Error);
        };
        let first_hint = if chain.len() == 1 && *first == BinaryOperator::Power { None } else { inner_hint(first) };
        let mut value = self.expr(leftmost, first_hint);
        for &link in chain.iter().rev() {
            let ExprKind::Binary { operator, left, right, .. } = &tree.expr(link).kind else { continue };
            let span = tree.expr(link).span;
            value = match operator {
                BinaryOperator::And | BinaryOperator::Or => {
                    let left_span = tree.expr(*left).span;
                    let condition = self.flow(value.0, &value.1, &Type::Bool, left_span);
                    let rest = |draft: &mut Self| (draft.expr_of(*right, &Type::Bool), Type::Bool);
                    if *operator == BinaryOperator::And {
                        self.conditional(condition, rest, |_| (Atom::Bool(false), Type::Bool), (span, span), span)
                    } else {
                        self.conditional(condition, |_| (Atom::Bool(true), Type::Bool), rest, (span, span), span)
                    }
                }
                BinaryOperator::Equal | BinaryOperator::NotEqual => {
                    let right = self.expr(*right, None);
                    let sign = if *operator == BinaryOperator::Equal { "==" } else { "!=" };
                    let same = match self.compared_values(value, right, sign, span) {
                        Some((left, right, _)) => self.bind(Op::Same(left, right), Type::Bool, span),
                        None => Atom::Int(0),
                    };
                    match operator {
                        BinaryOperator::Equal => (same, Type::Bool),
                        _ => (self.bind(Op::Not(same), Type::Bool, span), Type::Bool),
                    }
                }
                BinaryOperator::Less => self.comparison(Comparison::Less, value, *right, span),
                BinaryOperator::LessEqual => self.comparison(Comparison::LessEqual, value, *right, span),
                BinaryOperator::Greater => self.comparison(Comparison::Greater, value, *right, span),
                BinaryOperator::GreaterEqual => self.comparison(Comparison::GreaterEqual, value, *right, span),
                _ => {
                    let power = *operator == BinaryOperator::Power;
                    let literal = power && is_integer_literal(&tree, *right);
                    let right = self.expr(*right, if power { None } else { inner_hint(operator) });
                    self.arithmetic(*operator, value, right, literal, span)
                }
            };
        }
        value
    }

    pub(super) fn comparison(&mut self, comparison: Comparison, left: Typed, right: ExprId, span: Span) -> Typed {
        let right = self.expr(right, None);
        self.compare(comparison, left, right, span)
    }

    /// Both sides of an equation, at one type.
    pub fn compared(&mut self, left: ExprId, right: ExprId, sign: &str, span: Span) -> Option<(Atom, Atom, Type)> {
        let left = self.expr(left, None);
        let hint = Some(left.1.clone()).filter(|ty| !is_number(ty));
        let right = self.expr(right, hint.as_ref());
        self.compared_values(left, right, sign, span)
    }

    pub(super) fn compared_values(
        &mut self,
        left: Typed,
        right: Typed,
        sign: &str,
        span: Span,
    ) -> Option<(Atom, Atom, Type)> {
        let joined = match self.join(&left.1, &right.1, span) {
            Ok(joined) => joined,
            Err(mismatch) => {
                let diagnostic = self.differ(mismatch, &left.1, &right.1, sign, span);
                self.report(diagnostic);
                return None;
            }
        };
        let resolved = self.resolve_deep(&joined);
        if resolved == Type::Error {
            return None;
        }
        let nearly = sign == "~=";
        if resolved.any(&mut |part| matches!(part, Type::Function(_))) || resolved.holds_maps() && !nearly {
            let shown = self.show(&resolved);
            let (what, help) = match resolved.any(&mut |part| matches!(part, Type::Function(_))) {
                false => ("linear maps", "`~=` compares them, entry by entry"),
                true => ("functions", "compare their values at a point"),
            };
            self.report(
                Diagnostic::error("not-comparable", span, format!("`{sign}` does not compare {what}"))
                    .here(format!("both sides are {shown}"))
                    .help(help),
            );
            return None;
        }
        let (left, right) = (self.flow(left.0, &left.1, &joined, span), self.flow(right.0, &right.1, &joined, span));
        if !resolved.holds_maps() {
            return Some((left, right, joined));
        }
        // Maps are compared entry by entry.
        let (left, matrices) = self.with_matrices((left, joined.clone()), span);
        let (right, _) = self.with_matrices((right, joined), span);
        Some((left, right, matrices))
    }

    /// The condition of a `check`, and both sides if it is an equation, to show when it fails.
    pub fn condition(&mut self, id: ExprId) -> (Atom, Option<(Atom, Atom, Type)>) {
        let tree = self.tree();
        let span = tree.expr(id).span;
        match &tree.expr(id).kind {
            ExprKind::Paren(inner) => self.condition(*inner),
            ExprKind::Binary { operator: BinaryOperator::Equal, left, right, .. } => {
                let sides = self.compared(*left, *right, "==", span);
                let holds = match &sides {
                    Some((left, right, _)) => self.bind(Op::Same(*left, *right), Type::Bool, span),
                    None => Atom::Bool(false),
                };
                (holds, sides)
            }
            ExprKind::Approximately { left, right, tolerance } => {
                let sides = self.compared(*left, *right, "~=", span);
                let tolerance = match tolerance {
                    Some(tolerance) => self.expr_of(*tolerance, &Type::Real),
                    None => Atom::Real(TOLERANCE),
                };
                let holds = match &sides {
                    Some((left, right, _)) => self.bind(Op::Near(*left, *right, tolerance), Type::Bool, span),
                    None => Atom::Bool(false),
                };
                (holds, sides)
            }
            _ => (self.expr_of(id, &Type::Bool), None),
        }
    }
}

fn is_integer_literal(tree: &riesz_syntax::Tree, id: ExprId) -> bool {
    match &tree.expr(id).kind {
        ExprKind::Integer(Integer { value: Some(value), .. }) => i64::try_from(*value).is_ok(),
        ExprKind::Paren(inner) => is_integer_literal(tree, *inner),
        _ => false,
    }
}
