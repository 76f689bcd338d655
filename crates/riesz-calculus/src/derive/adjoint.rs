//! The adjoint of a symbolic linear map, by the laws that say what it is.   [002 Fig. 5; 003 Thm 6.5]

use super::term::{Expr, Form, Item, Operation, Term};
use riesz_core::term::Atom;
use riesz_core::{Size, Type};
use riesz_linear::law::{Law, law};
use riesz_primitive::array;

/// How large a map may become when the derivatives that it binds are written out.
const LONGEST: usize = 2000;

/// The adjoint, and the laws that were used, each once, in the order of their first use.
pub(crate) fn adjoint(term: &Term) -> (Term, Vec<&'static Law>) {
    let mut laws = Vec::new();
    let term = transposed(open(term.clone()), &mut laws);
    (term, laws)
}

fn transposed(term: Term, laws: &mut Vec<&'static Law>) -> Term {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        let whole = term.clone();
        let Term { from, to, form } = term;
        let mut by = |name: &'static str| {
            debug_assert!(law(name).is_some(), "there is no law `{name}`");
            if let Some(law) = law(name).filter(|law| !laws.iter().any(|known| known.name == law.name)) {
                laws.push(law);
            }
        };
        let all = |maps: Vec<Term>, laws: &mut Vec<&'static Law>| -> Vec<Term> {
            maps.into_iter().map(|map| transposed(map, laws)).collect()
        };
        let form = match form {
            Form::Zero => {
                by("transpose of zero");
                Form::Zero
            }
            Form::Identity => {
                by("transpose of the identity");
                Form::Identity
            }
            Form::Scale(k) => {
                by("transpose of scale");
                Form::Scale(k)
            }
            Form::Diagonal(d) => {
                by("adjoint of diagonal");
                Form::Diagonal(d)
            }
            Form::RankOne { coefficient, left, right } => {
                by("adjoint of rank-one");
                Form::RankOne { coefficient, left: right, right: left }
            }
            Form::Sum => {
                by("adjoint of relational reduction");
                match &from {
                    Type::Array(Size::Constant(n), _) => replicate(Expr::Atom(Atom::Int(*n))),
                    Type::Array(Size::Atom(riesz_core::size::Atom::Var(n)), _) => replicate(Expr::var(*n)),
                    _ => Form::Transposed(Box::new(whole)),
                }
            }
            Form::Function(operation, arguments) => match (operation.name(), &arguments[..]) {
                ("dot" | "solve", [Some(a), None]) => {
                    by("adjoint of contraction on the left");
                    Form::Function(operation, vec![Some(flipped(a)), None])
                }
                ("dot", [None, Some(b)]) if super::build::rank(&from) > 1 || super::build::rank(&to) > 0 => {
                    by("adjoint of contraction on the right");
                    match super::build::rank(&from) > 1 && super::build::rank(&to) == 1 {
                        // x ↦ x b for a matrix x and a vector b
                        true => Form::Function(Operation(&array::OUTER), vec![None, Some(b.clone())]),
                        false => Form::Function(operation, vec![None, Some(flipped(b))]),
                    }
                }
                ("transpose" | "reverse", [None]) => {
                    by("adjoint of a unitary map");
                    Form::Function(operation, arguments)
                }
                (name, _) => {
                    by(match name {
                        "flatten" | "zip" | "unzip" => "adjoint of a unitary map",
                        _ => "adjoint of relational reduction",
                    });
                    Form::Transposed(Box::new(whole))
                }
            },
            Form::Element(at) => {
                by("adjoint of inject");
                Form::InjectElement(at)
            }
            Form::InjectElement(at) => {
                by("adjoint of inject");
                Form::Element(at)
            }
            Form::Component(at, label) => {
                by("adjoint of inject");
                Form::InjectComponent(at, label)
            }
            Form::InjectComponent(at, label) => {
                by("adjoint of inject");
                Form::Component(at, label)
            }
            Form::Compose(mut maps) => {
                by("transpose of compose");
                maps.reverse();
                Form::Compose(all(maps, laws))
            }
            Form::Add(maps) => {
                by("transpose of add");
                Form::Add(all(maps, laws))
            }
            Form::Fork(maps) => {
                by("transpose of fork");
                Form::Join(all(maps, laws))
            }
            Form::Join(maps) => {
                by("transpose of join");
                Form::Fork(all(maps, laws))
            }
            Form::ForkArray(maps) => {
                by("transpose of fork to an array");
                Form::JoinArray(all(maps, laws))
            }
            Form::JoinArray(maps) => {
                by("transpose of join from an array");
                Form::ForkArray(all(maps, laws))
            }
            Form::Build { index, count, parts: false, body } => {
                by("transpose of build");
                Form::Gather { index, count, body: Box::new(transposed(*body, laws)) }
            }
            Form::Gather { index, count, body } => {
                by("transpose of transposed build");
                Form::Build { index, count, parts: false, body: Box::new(transposed(*body, laws)) }
            }
            Form::Total { index, count, body } => {
                by("transpose of add");
                Form::Total { index, count, body: Box::new(transposed(*body, laws)) }
            }
            Form::If { condition, yes, no } => {
                let yes = Box::new(transposed(*yes, laws));
                Form::If { condition, yes, no: Box::new(transposed(*no, laws)) }
            }
            Form::Loop { .. } => {
                // The turns of a recurrence are a chain.
                by("transpose of compose");
                Form::Transposed(Box::new(whole))
            }
            Form::Build { .. } | Form::Let(..) | Form::Derivative(_) | Form::Call { .. } => {
                Form::Transposed(Box::new(whole))
            }
            Form::Transposed(map) => {
                by("transpose of the transpose");
                return *map;
            }
        };
        Term::new(to, from, form)
    })
}

/// A map without names for the derivatives that it binds, where that does not make it long.
fn open(term: Term) -> Term {
    let term = term.map_children(&mut open);
    match term.form {
        Form::Let(items, result) if items.iter().all(|item| matches!(item, Item::Map(..))) => {
            let mut written = (*result).clone();
            for item in items.iter().rev() {
                if let Item::Map(var, map) = item {
                    written = written.substitute(*var, map);
                }
                if written.weight() > LONGEST {
                    return Term::new(term.from, term.to, Form::Let(items, result));
                }
            }
            written
        }
        form => Term::new(term.from, term.to, form),
    }
}

fn replicate(count: Expr) -> Form {
    Form::Function(Operation(&array::REPLICATE), vec![Some(count), None])
}

/// `aᵀ`
fn flipped(matrix: &Expr) -> Expr {
    Expr::function(&array::TRANSPOSE, vec![matrix.clone()])
}
