//! Properties of an expression that the formatter needs: how tightly it binds, and whether it may stay on the line.

use super::Formatter;
use crate::tree::{BinaryOperator, ExprId, ExprKind};

impl<'a> Formatter<'a> {
    pub(super) fn kind(&self, id: ExprId) -> &'a ExprKind {
        &self.tree.expr(id).kind
    }

    pub(super) fn operator(&self, id: ExprId) -> Option<BinaryOperator> {
        match self.kind(id) {
            ExprKind::Binary { operator, .. } => Some(*operator),
            _ => None,
        }
    }

    pub(super) fn is_let_lines(&self, id: ExprId) -> bool {
        self.newlines_count && matches!(self.kind(id), ExprKind::Let { .. })
    }

    /// Whether it reads well to begin it on a line and to break it inside its brackets.
    pub(super) fn hugs(&self, id: ExprId) -> bool {
        match self.kind(id) {
            ExprKind::Call { function: of, .. } | ExprKind::Index { array: of, .. } => self.is_word(*of),
            ExprKind::Lambda { .. } => true,
            ExprKind::Loop { body, .. } => self.is_block(*body),
            _ => self.is_bracket(id),
        }
    }

    pub(super) fn is_block(&self, id: ExprId) -> bool {
        matches!(self.kind(id), ExprKind::Block(_))
    }

    /// The same after `->`.
    pub(super) fn hugs_arrow(&self, id: ExprId) -> bool {
        matches!(self.kind(id), ExprKind::Block(_) | ExprKind::Record(_) | ExprKind::Lambda { .. })
    }

    pub(super) fn is_bracket(&self, id: ExprId) -> bool {
        match self.kind(id) {
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => !parts.is_empty(),
            ExprKind::Comprehension { .. } | ExprKind::Record(_) | ExprKind::Block(_) => true,
            _ => false,
        }
    }

    /// A name, a number, or a field of a name.
    pub(super) fn is_word(&self, id: ExprId) -> bool {
        match self.kind(id) {
            ExprKind::Name(_) | ExprKind::Bool(_) => true,
            ExprKind::Field { of, .. } => matches!(self.kind(*of), ExprKind::Name(_)),
            _ => self.is_number(id),
        }
    }

    pub(super) fn is_number(&self, id: ExprId) -> bool {
        match self.kind(id) {
            ExprKind::Integer(_) | ExprKind::Real(_) => true,
            ExprKind::Unary { operand, .. } => {
                matches!(self.kind(*operand), ExprKind::Integer(_) | ExprKind::Real(_))
            }
            _ => false,
        }
    }
}

pub(super) const COMPARISON: u8 = 2;

/// Operators of one level form chains; comparisons are alone at theirs.
pub(super) fn level(operator: BinaryOperator) -> u8 {
    match operator {
        BinaryOperator::Or => 0,
        BinaryOperator::And => 1,
        BinaryOperator::Equal
        | BinaryOperator::NotEqual
        | BinaryOperator::Less
        | BinaryOperator::LessEqual
        | BinaryOperator::Greater
        | BinaryOperator::GreaterEqual => COMPARISON,
        BinaryOperator::Add | BinaryOperator::Subtract => 3,
        BinaryOperator::Multiply | BinaryOperator::Divide => 4,
        BinaryOperator::Power => 5,
    }
}
