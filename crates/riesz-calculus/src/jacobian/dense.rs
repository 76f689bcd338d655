//! The dense matrix: zeros, to which the entries are added.

use super::graph::Hop;
use super::known::Known;
use super::rows::{Entry, Gather, Level, Row};
use super::walk::Walk;
use riesz_core::term::{Atom, Body, Comparison, Iteration, Op, Place};
use riesz_core::types::Type;

/// The matrix of a derivative, or of its adjoint.
pub(super) fn matrix<'a>(
    walk: &mut Walk<'a>,
    result: &Known<'a>,
    codomain: &Type,
    ty: &Type,
    adjoint: bool,
) -> Option<Op> {
    let accumulator = walk.bind(Op::Accumulator, Type::Accumulator(ty.clone().into()));
    walk.rows(result, codomain, &mut Matrix { accumulator, adjoint })?;
    Some(Op::Read(accumulator))
}

struct Matrix {
    accumulator: Atom,
    adjoint: bool,
}

impl<'a> Gather<'a> for Matrix {
    type Inside = ();

    fn inside(&mut self, walk: &mut Walk<'a>, rows: Vec<Row>) -> Option<()> {
        for row in &rows {
            for Entry { path, conditional, partial } in &row.entries {
                let hops = if self.adjoint { path.iter().chain(&row.path) } else { row.path.iter().chain(path) };
                let place = hops.map(|hop| match hop {
                    Hop::Component(at) => Place::Component(*at),
                    Hop::Element { index, .. } => Place::Element(*index),
                });
                let add = Op::AddTo(self.accumulator, place.collect(), *partial);
                if !conditional {
                    walk.bind(add, Type::unit());
                    continue;
                }
                let Some(Hop::Element { index, .. }) = path.iter().find(|hop| matches!(hop, Hop::Element { .. }))
                else {
                    return None;
                };
                let condition = walk.bind(Op::Compare(Comparison::LessEqual, Atom::Int(0), *index), Type::Bool);
                walk.open();
                let result = walk.bind(add, Type::unit());
                let yes = Body { bindings: walk.close(), result };
                walk.open();
                let result = walk.bind(Op::Tuple(Vec::new()), Type::unit());
                let no = Body { bindings: walk.close(), result };
                walk.bind(Op::If { condition, yes, no }, Type::unit());
            }
        }
        Some(())
    }

    fn outside(&mut self, walk: &mut Walk<'a>, (): (), levels: Vec<Level>) -> Option<()> {
        let mut inner = None;
        for Level { index, count, mut bindings } in levels {
            walk.open();
            bindings.extend(inner.take());
            let result = walk.bind(Op::Tuple(Vec::new()), Type::unit());
            bindings.extend(walk.close());
            let op = Op::For(Iteration { count, index, body: Body { bindings, result } });
            walk.open();
            walk.bind(op, Type::unit());
            inner = walk.close().pop();
        }
        if let Some(outermost) = inner {
            walk.bind(outermost.op, Type::unit());
        }
        Some(())
    }
}
