//! Equality of trees apart from places: formatting must preserve it.

use crate::Tree;
use crate::tree::{
    Argument, ExprId, ExprKind, Generator, Ident, Item, ItemKind, LoopHead, Parameter, Pattern, PatternKind, Rule,
    Size, SizeKind, Type, TypeKind,
};

/// Whether two trees differ in nothing but where things stand.
pub fn same(a: &Tree, b: &Tree) -> bool {
    let mut comparison = Comparison { a, b, pending: Vec::new() };
    a.items.len() == b.items.len()
        && a.items.iter().zip(&b.items).all(|(a, b)| comparison.items(a, b))
        && comparison.settle()
}

struct Comparison<'t> {
    a: &'t Tree,
    b: &'t Tree,
    /// Expressions still to be compared; a list, because they may nest as deep as the file is long.
    pending: Vec<(ExprId, ExprId)>,
}

impl Comparison<'_> {
    fn settle(mut self) -> bool {
        while let Some((a, b)) = self.pending.pop() {
            let (a, b) = (&self.a.expr(a).kind, &self.b.expr(b).kind);
            if !self.exprs(a, b) {
                return false;
            }
        }
        true
    }

    fn items(&mut self, a: &Item, b: &Item) -> bool {
        use ItemKind::*;
        match (&a.kind, &b.kind) {
            (
                Fun { name, parameters, result, body, rule },
                Fun { name: name_b, parameters: parameters_b, result: result_b, body: body_b, rule: rule_b },
            ) => {
                self.later(*body, *body_b)
                    && self.rules(rule.as_ref(), rule_b.as_ref())
                    && name.name == name_b.name
                    && all(parameters, parameters_b, same_parameter)
                    && optional(result, result_b, same_type)
            }
            (Let { name, annotation, value }, Let { name: name_b, annotation: annotation_b, value: value_b }) => {
                self.later(*value, *value_b)
                    && name.name == name_b.name
                    && optional(annotation, annotation_b, same_type)
            }
            (Type { name, sizes, body }, Type { name: name_b, sizes: sizes_b, body: body_b }) => {
                name.name == name_b.name && all(sizes, sizes_b, same_name) && same_type(body, body_b)
            }
            (Check { label, condition }, Check { label: label_b, condition: condition_b }) => {
                self.later(*condition, *condition_b) && optional(label, label_b, same_name)
            }
            (Import { path }, Import { path: path_b }) => path.name == path_b.name,
            _ => false,
        }
    }

    fn rules(&mut self, a: Option<&Rule>, b: Option<&Rule>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => a.kind == b.kind && self.later(a.expr, b.expr),
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    fn exprs(&mut self, a: &ExprKind, b: &ExprKind) -> bool {
        use ExprKind::*;
        match (a, b) {
            (Integer(a), Integer(b)) => a.value == b.value && a.real.to_bits() == b.real.to_bits(),
            (Real(a), Real(b)) => a.to_bits() == b.to_bits(),
            (Bool(a), Bool(b)) => a == b,
            (Name(a), Name(b)) => a == b,
            (Paren(a), Paren(b)) | (Block(a), Block(b)) => self.later(*a, *b),
            (Tuple(a), Tuple(b)) | (Array(a), Array(b)) => self.all_later(a, b),
            (Comprehension { body, generators }, Comprehension { body: body_b, generators: generators_b }) => {
                self.later(*body, *body_b) && self.generators(generators, generators_b)
            }
            (Record(a), Record(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0.name == b.0.name && self.later(a.1, b.1))
            }
            (Let { bindings, body }, Let { bindings: bindings_b, body: body_b }) => {
                self.later(*body, *body_b)
                    && all(bindings, bindings_b, |a, b| {
                        self.later(a.value, b.value)
                            && same_pattern(&a.pattern, &b.pattern)
                            && optional(&a.annotation, &b.annotation, same_type)
                    })
            }
            (Lambda { parameters, body }, Lambda { parameters: parameters_b, body: body_b }) => {
                self.later(*body, *body_b) && all(parameters, parameters_b, same_pattern)
            }
            (If { condition, yes, no }, If { condition: condition_b, yes: yes_b, no: no_b }) => {
                self.later(*condition, *condition_b) && self.later(*yes, *yes_b) && self.later(*no, *no_b)
            }
            (
                Loop { pattern, start, head, body },
                Loop { pattern: pattern_b, start: start_b, head: head_b, body: body_b },
            ) => {
                same_pattern(pattern, pattern_b)
                    && self.later(*start, *start_b)
                    && self.later(*body, *body_b)
                    && self.head(head, head_b)
            }
            (Unary { operator, operand }, Unary { operator: operator_b, operand: operand_b }) => {
                operator == operator_b && self.later(*operand, *operand_b)
            }
            (
                Binary { operator, left, right, .. },
                Binary { operator: operator_b, left: left_b, right: right_b, .. },
            ) => operator == operator_b && self.later(*left, *left_b) && self.later(*right, *right_b),
            (
                Approximately { left, right, tolerance },
                Approximately { left: left_b, right: right_b, tolerance: tolerance_b },
            ) => {
                self.later(*left, *left_b)
                    && self.later(*right, *right_b)
                    && optional(tolerance, tolerance_b, |a, b| self.later(*a, *b))
            }
            (
                Call { function, arguments, generators },
                Call { function: function_b, arguments: arguments_b, generators: generators_b },
            ) => {
                self.later(*function, *function_b)
                    && all(arguments, arguments_b, |a, b| match (a, b) {
                        (Argument::Value(a), Argument::Value(b)) => self.later(*a, *b),
                        (Argument::Hole(_), Argument::Hole(_)) => true,
                        _ => false,
                    })
                    && self.generators(generators, generators_b)
            }
            (Index { array, indices }, Index { array: array_b, indices: indices_b }) => {
                self.later(*array, *array_b) && self.all_later(indices, indices_b)
            }
            (Field { of, field, .. }, Field { of: of_b, field: field_b, .. }) => {
                field == field_b && self.later(*of, *of_b)
            }
            (Error, Error) => true,
            _ => false,
        }
    }

    fn head(&mut self, a: &LoopHead, b: &LoopHead) -> bool {
        match (a, b) {
            (LoopHead::For(a), LoopHead::For(b)) => self.generator(a, b),
            (LoopHead::While(a), LoopHead::While(b)) => self.later(*a, *b),
            _ => false,
        }
    }

    fn generators(&mut self, a: &[Generator], b: &[Generator]) -> bool {
        all(a, b, |a, b| self.generator(a, b))
    }

    fn generator(&mut self, a: &Generator, b: &Generator) -> bool {
        match (a, b) {
            (Generator::Below { index, bound }, Generator::Below { index: index_b, bound: bound_b }) => {
                index.name == index_b.name && self.later(*bound, *bound_b)
            }
            (Generator::Each { pattern, array }, Generator::Each { pattern: pattern_b, array: array_b }) => {
                same_pattern(pattern, pattern_b) && self.later(*array, *array_b)
            }
            _ => false,
        }
    }

    fn later(&mut self, a: ExprId, b: ExprId) -> bool {
        self.pending.push((a, b));
        true
    }

    fn all_later(&mut self, a: &[ExprId], b: &[ExprId]) -> bool {
        all(a, b, |a, b| self.later(*a, *b))
    }
}

fn same_name(a: &Ident, b: &Ident) -> bool {
    a.name == b.name
}

fn same_parameter(a: &Parameter, b: &Parameter) -> bool {
    same_pattern(&a.pattern, &b.pattern) && same_type(&a.ty, &b.ty)
}

fn same_pattern(a: &Pattern, b: &Pattern) -> bool {
    match (&a.kind, &b.kind) {
        (PatternKind::Name(a), PatternKind::Name(b)) => a == b,
        (PatternKind::Wildcard, PatternKind::Wildcard) | (PatternKind::Error, PatternKind::Error) => true,
        (PatternKind::Tuple(a), PatternKind::Tuple(b)) => all(a, b, same_pattern),
        _ => false,
    }
}

fn same_type(a: &Type, b: &Type) -> bool {
    match (&a.kind, &b.kind) {
        (TypeKind::Name(a, sizes), TypeKind::Name(b, sizes_b)) => a == b && all(sizes, sizes_b, same_size),
        (TypeKind::Tuple(a), TypeKind::Tuple(b)) => all(a, b, same_type),
        (TypeKind::Array(size, element), TypeKind::Array(size_b, element_b)) => {
            same_size(size, size_b) && same_type(element, element_b)
        }
        (TypeKind::Record(a), TypeKind::Record(b)) => {
            all(a, b, |(name, ty), (name_b, ty_b)| same_name(name, name_b) && same_type(ty, ty_b))
        }
        (TypeKind::Function(from, to), TypeKind::Function(from_b, to_b))
        | (TypeKind::Linear(from, to), TypeKind::Linear(from_b, to_b)) => {
            same_type(from, from_b) && same_type(to, to_b)
        }
        (TypeKind::Error, TypeKind::Error) => true,
        _ => false,
    }
}

fn same_size(a: &Size, b: &Size) -> bool {
    match (&a.kind, &b.kind) {
        (SizeKind::Name(a), SizeKind::Name(b)) => a == b,
        (SizeKind::Integer(a), SizeKind::Integer(b)) => a == b,
        (SizeKind::Hole, SizeKind::Hole) | (SizeKind::Error, SizeKind::Error) => true,
        (SizeKind::Binary(operator, left, right), SizeKind::Binary(operator_b, left_b, right_b)) => {
            operator == operator_b && same_size(left, left_b) && same_size(right, right_b)
        }
        _ => false,
    }
}

fn all<T>(a: &[T], b: &[T], mut same: impl FnMut(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

fn optional<T>(a: &Option<T>, b: &Option<T>, same: impl FnOnce(&T, &T) -> bool) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        (None, None) => true,
        _ => false,
    }
}
