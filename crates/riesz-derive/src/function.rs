//! Functions of arrays that are linear in an argument, as the forms of linear maps that they are.

use super::symbolic::{Symbolic, rank};
use super::term::{Expr, Form, Kind, Operation, Relation, Term, Unitary, extra};
use riesz_core::Type;
use riesz_linear::Language;
use riesz_primitive::{Primitive, array};

/// Functions that are products with a vector or with the inverse of a matrix.
pub(crate) fn is_product(primitive: &'static Primitive) -> bool {
    [&array::DOT, &array::OUTER, &array::SOLVE].contains(&primitive)
}

/// The adjoint of a product with a vector, or with the inverse of a matrix.
pub(crate) fn transposed(operation: Operation, arguments: &[Option<Expr>]) -> Option<Kind> {
    let row = operation.primitive();
    Some(match arguments {
        [Some(a), None] if *row == array::SOLVE => Kind::Function(operation, vec![Some(Symbolic::transpose(a)), None]),
        [_, _] if *row == array::DOT => Kind::Function(Operation::new(&array::OUTER), arguments.to_vec()),
        [_, _] if *row == array::OUTER => Kind::Function(Operation::new(&array::DOT), arguments.to_vec()),
        _ => return None,
    })
}

/// Functions that put all numbers of their arguments in another shape or order.
static UNITARY: [&Primitive; 5] = [&array::TRANSPOSE, &array::REVERSE, &array::FLATTEN, &array::ZIP, &array::UNZIP];

/// A function of an argument that is absent, as the form that it is.
pub(crate) fn function(operation: Operation, arguments: Vec<Option<Expr>>, from: &Type, to: &Type) -> Term {
    let primitive = operation.primitive();
    let relation = |relation: Relation| Form::Reduce { relation, element: Type::unit() };
    let alone = arguments.iter().filter(|argument| argument.is_none()).count() == 1;
    let form = match &arguments[..] {
        [a, b] if *primitive == array::DOT && rank(from) == rank(to) => {
            let side = if b.is_none() { riesz_linear::Side::Left } else { riesz_linear::Side::Right };
            match a.clone().or(b.clone()) {
                Some(matrix) => Form::Contract(riesz_linear::Contraction { side, matrix, over: Type::unit() }),
                None => return extra(from, to, Kind::Function(operation, arguments), Vec::new()),
            }
        }
        [Some(count), None] if *primitive == array::REPLICATE => relation(Relation::Replicate(count.clone())),
        _ if arguments.iter().all(Option::is_none) && UNITARY.contains(&primitive) => {
            Form::Unitary(Unitary { operation, inverse: false })
        }
        _ if alone && matches!(primitive.array(), Some(array::Array::Reindex(_))) => {
            relation(Relation::Function(operation, arguments))
        }
        _ => return extra(from, to, Kind::Function(operation, arguments), Vec::new()),
    };
    Term::new(from.clone(), to.clone(), form)
}
