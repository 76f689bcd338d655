//! What an item needs: the other items that its text names.

use super::{Checker, Found, ItemId};
use riesz_syntax::Tree;
use riesz_syntax::tree::{
    Argument, ExprId, ExprKind, Generator, ItemKind, Name, Size, SizeKind, Turns, Type, TypeKind,
};

impl Checker {
    /// The items that an item names, counted from `first`; older ones are ready anyway. A local name that hides an
    /// item's counts too, which does no harm.
    pub(super) fn needs(&self, item: ItemId, first: usize) -> Vec<usize> {
        let entry = &self.items[item.0 as usize];
        let tree = self.tree(entry.unit);
        let mut names = Vec::new();
        match &tree.items[entry.at].kind {
            ItemKind::Fun { result, body, .. } => {
                names.extend(result.as_ref().map(size_names).unwrap_or_default());
                expr_names(&tree, *body, &mut names);
            }
            ItemKind::Let { annotation, value, .. } => {
                names.extend(annotation.as_ref().map(size_names).unwrap_or_default());
                expr_names(&tree, *value, &mut names);
            }
            _ => {}
        }
        let mut needs: Vec<usize> = (names.iter())
            .filter_map(|name| match self.find(entry.unit, name)? {
                Found::Item(item) => (item.0 as usize).checked_sub(first),
                _ => None,
            })
            .collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    }
}

/// The names in an expression.
fn expr_names(tree: &Tree, root: ExprId, names: &mut Vec<Name>) {
    let mut work = vec![root];
    while let Some(id) = work.pop() {
        let expr = tree.expr(id);
        match &expr.kind {
            ExprKind::Name(name) => names.push(name.clone()),
            ExprKind::Integer(_) | ExprKind::Real(_) | ExprKind::Bool(_) | ExprKind::Error => {}
            ExprKind::Paren(inner) | ExprKind::Block(inner) => work.push(*inner),
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => work.extend(parts),
            ExprKind::Comprehension { body, generators } => {
                work.push(*body);
                work.extend(generators.iter().map(source));
            }
            ExprKind::Record(fields) => work.extend(fields.iter().map(|(_, value)| *value)),
            ExprKind::Let { bindings, body } => {
                work.push(*body);
                for binding in bindings {
                    work.push(binding.value);
                    names.extend(binding.annotation.as_ref().map(size_names).unwrap_or_default());
                }
            }
            ExprKind::Lambda { body, .. } => work.push(*body),
            ExprKind::If { condition, yes, no } => work.extend([condition, yes, no]),
            ExprKind::Loop { start, turns, body, .. } => {
                work.extend([*start, *body]);
                work.push(match turns {
                    Turns::For(generator) => source(generator),
                    Turns::While(condition) => *condition,
                });
            }
            ExprKind::Unary { operand, .. } => work.push(*operand),
            ExprKind::Binary { left, right, .. } => work.extend([left, right]),
            ExprKind::Approximately { left, right, tolerance } => {
                work.extend([left, right]);
                work.extend(tolerance);
            }
            ExprKind::Call { function, arguments, generators } => {
                work.push(*function);
                work.extend(arguments.iter().filter_map(|argument| match argument {
                    Argument::Value(value) => Some(*value),
                    Argument::Hole(_) => None,
                }));
                work.extend(generators.iter().map(source));
            }
            ExprKind::Index { array, indices } => {
                work.push(*array);
                work.extend(indices);
            }
            ExprKind::Field { of, .. } => work.push(*of),
        }
    }
}

fn source(generator: &Generator) -> ExprId {
    match generator {
        Generator::Below { bound, .. } => *bound,
        Generator::Each { array, .. } => *array,
    }
}

/// The names of sizes in a written type.
pub(super) fn size_names(ty: &Type) -> Vec<Name> {
    fn in_size(size: &Size, names: &mut Vec<Name>) {
        match &size.kind {
            SizeKind::Name(name) => names.push(name.clone()),
            SizeKind::Binary(_, left, right) => {
                in_size(left, names);
                in_size(right, names);
            }
            _ => {}
        }
    }
    fn in_type(ty: &Type, names: &mut Vec<Name>) {
        match &ty.kind {
            TypeKind::Name(_, sizes) => sizes.iter().for_each(|size| in_size(size, names)),
            TypeKind::Array(size, element) => {
                in_size(size, names);
                in_type(element, names);
            }
            TypeKind::Tuple(parts) => parts.iter().for_each(|part| in_type(part, names)),
            TypeKind::Record(fields) => fields.iter().for_each(|(_, ty)| in_type(ty, names)),
            TypeKind::Function(from, to) | TypeKind::Linear(from, to) => {
                in_type(from, names);
                in_type(to, names);
            }
            TypeKind::Error => {}
        }
    }
    let mut names = Vec::new();
    in_type(ty, &mut names);
    names
}
