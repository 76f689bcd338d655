//! Functions of arrays that are linear in an argument, as the forms of linear maps that they are.

use super::symbolic::{Symbolic, rank};
use super::term::{Expr, Form, Kind, Operation, Relation, Term, Unitary, extra};
use riesz_core::Type;
use riesz_linear::Language;
use riesz_primitive::array;

/// Functions that are products with a vector or with the inverse of a matrix.
pub(crate) fn is_product(primitive: &'static riesz_primitive::Primitive) -> bool {
    [&array::DOT, &array::EXACT_DOT, &array::OUTER, &array::EXACT_SOLVE].iter().any(|own| std::ptr::eq(*own, primitive))
}

/// The adjoint of a product with a vector, or with the inverse of a matrix.
pub(crate) fn transposed(operation: Operation, arguments: &[Option<Expr>]) -> Option<Kind> {
    let is = |primitive: &'static riesz_primitive::Primitive| std::ptr::eq(operation.0, primitive);
    let (dot, outer) = (Operation(&array::EXACT_DOT), Operation(&array::OUTER));
    Some(match arguments {
        [Some(a), None] if is(&array::EXACT_SOLVE) => {
            Kind::Function(operation, vec![Some(Symbolic::transpose(a)), None])
        }
        [_, _] if is(&array::DOT) || is(&array::EXACT_DOT) => Kind::Function(outer, arguments.to_vec()),
        [_, _] if is(&array::OUTER) => Kind::Function(dot, arguments.to_vec()),
        _ => return None,
    })
}

/// A function of an argument that is absent, as the form that it is.
pub(crate) fn function(operation: Operation, arguments: Vec<Option<Expr>>, from: &Type, to: &Type) -> Term {
    let primitive = operation.0;
    let is = |own: &[&'static riesz_primitive::Primitive]| own.iter().any(|own| std::ptr::eq(*own, primitive));
    let relation = |relation: Relation| Form::Reduce { relation, element: Type::unit() };
    let alone = arguments.iter().filter(|argument| argument.is_none()).count() == 1;
    let form = match &arguments[..] {
        [a, b] if is(&[&array::DOT, &array::EXACT_DOT]) && rank(from) == rank(to) => {
            let side = if b.is_none() { riesz_linear::Side::Left } else { riesz_linear::Side::Right };
            match a.clone().or(b.clone()) {
                Some(matrix) => Form::Contract(riesz_linear::Contraction { side, matrix, over: Type::unit() }),
                None => return extra(from, to, Kind::Function(operation, arguments), Vec::new()),
            }
        }
        [Some(count), None] if is(&[&array::REPLICATE]) => relation(Relation::Replicate(count.clone())),
        _ if arguments.iter().all(Option::is_none)
            && is(&[&array::TRANSPOSE, &array::REVERSE, &array::FLATTEN, &array::ZIP, &array::UNZIP]) =>
        {
            Form::Unitary(Unitary { operation, inverse: false })
        }
        _ if alone && matches!(primitive.array(), Some(array::Array::Reindex(_))) => {
            relation(Relation::Function(operation, arguments))
        }
        _ => return extra(from, to, Kind::Function(operation, arguments), Vec::new()),
    };
    Term::new(from.clone(), to.clone(), form)
}
