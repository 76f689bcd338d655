//! `[dot(a, f(i)) | i < n] = dot([f(i) | i < n], transpose(a))`: products of one matrix with a vector of each iteration are
//! one product of matrices.
//!
//! ```text
//! for i < n: x = f(i)                    xs = [f(i) | i < n]
//!            y = dot(a, x)      is       ys = dot(xs, transpose(a))
//!            g(i, x, y)                  for i < n: g(i, xs[i], ys[i])
//! ```
//!
//! Likewise `[solve(a, f(i)) | i < n]` is the transpose of `solve(a, transpose([f(i) | i < n]))`, which factors `a` once, and
//! `[[dot(u, f(j)) | j < m] | ..]` has the product of a matrix with `u`, if the vectors `f(j)` are the same in all
//! iterations of the outer loop. A product of matrices uses each element that it reads many times. The vectors must not depend on the state of the
//! loop, so the iterations of any loop are split in two where they are independent of each other up to the product. The
//! second loop reads what it needs of the first from arrays, unless it costs one operation at most. Each sum has its terms
//! in the order that it had. Products in branches come out of them first (`lift`).

use crate::cost::{Safety, is_pure};
use crate::each::Writer;
use crate::length::Lengths;
use crate::lift::Lift;
use crate::rename::{Renaming, names};
use crate::separate::{cost, needs, slice};
use riesz_core::Size;
use riesz_core::build::{size_of, type_of};
use riesz_core::free::Free;
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, OnMaps, Op, Var, VarInfo};
use riesz_core::types::Type;
use riesz_primitive::Primitive;
use riesz_primitive::array::{DOT, EXACT_DOT, EXACT_SOLVE, SOLVE};
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// The least number of elements of a matrix for which its products become one: lanes multiply by smaller ones as fast.
const LEAST: i64 = 128;
/// The most numbers that an array of vectors may have.
const MOST: i64 = 1 << 22;

/// Makes one product of those with the same matrix.
pub(crate) fn batch(function: &mut Function) {
    batch_from(function, LEAST);
}

/// The same for matrices with at least `least` elements.
pub fn batch_from(function: &mut Function, least: i64) {
    let lengths = Lengths::of(&function.body);
    let lengths_of = Safety::lengths_of(&function.vars[..function.parameters]);
    let (around, indices) = (Vec::new(), Vec::new());
    Batching { vars: &mut function.vars, least, around, indices, lengths, lengths_of }.body(&mut function.body);
}

struct Batching<'v> {
    vars: &'v mut Vec<VarInfo>,
    least: i64,
    /// The loops around, innermost last: the variables that an iteration binds.
    around: Vec<FxHashSet<Var>>,
    /// Their indices and counts.
    indices: Vec<(Var, Atom)>,
    lengths: Lengths,
    /// The sizes of parameters.
    lengths_of: FxHashSet<Var>,
}

/// A product in the body of a loop that can be done for all iterations.
struct Product {
    /// Its position in the body.
    at: usize,
    primitive: &'static Primitive,
    /// The matrix, or the vector that is the same in all iterations.
    matrix: Atom,
    /// Whether it is a matrix that is the first factor.
    left: bool,
    vector: Var,
    /// For each binding, the positions of those that it needs.
    needs: Vec<Vec<usize>>,
    /// The positions of the vector and of all that it needs, in order.
    before: Vec<usize>,
    /// The positions among them whose values are stored in arrays, because the rest of the body reads them.
    stored: Vec<usize>,
}

impl Batching<'_> {
    fn body(&mut self, body: &mut Body) {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let bindings = std::mem::take(&mut body.bindings);
            for Binding { var, mut op, span } in bindings {
                let bound = op.iterations().and_then(|_| body_of(&op)).map(|body| bound(&op, body));
                let (depth, indices) = (self.around.len(), self.indices.len());
                self.around.extend(bound);
                self.indices.extend(op.iterations());
                op.visit_bodies_mut(&mut |body| self.body(body));
                self.around.truncate(depth);
                while let Some(product) =
                    self.product(&op).or_else(|| self.product_of_branch(&mut op, &mut body.bindings))
                {
                    self.apart(&mut op, product, span, &mut body.bindings);
                }
                self.indices.truncate(indices);
                body.bindings.push(Binding { var, op, span });
            }
        });
    }

    /// The first product of a loop that does not need the loop.
    fn product(&self, op: &Op) -> Option<Product> {
        let (_, Atom::Int(count)) = op.iterations()? else { return None };
        let body = body_of(op)?;
        let is_product = |binding: &Binding| matches!(&binding.op, Op::ArrayFunction(primitive, _) if is_dot(primitive) || is_solve(primitive));
        if !body.bindings.iter().any(is_product) {
            return None;
        }
        let positions: FxHashMap<Var, usize> =
            body.bindings.iter().enumerate().map(|(at, binding)| (binding.var, at)).collect();
        let needs = needs(body, &positions, self.vars);
        let bound = bound(op, body);
        let is_bound = |atom: &Atom| matches!(atom, Atom::Var(var) if bound.contains(var));
        body.bindings
            .iter()
            .enumerate()
            .find_map(|(at, binding)| {
                let Op::ArrayFunction(primitive, operands) = &binding.op else { return None };
                let [a, b] = operands[..] else { return None };
                let (matrix, vector, left) = match (is_bound(&a), is_bound(&b)) {
                    (false, true) => (a, b, true),
                    (true, false) => (b, a, false),
                    _ => return None,
                };
                let Atom::Var(vector) = vector else { return None };
                let ty = type_of(matrix, self.vars);
                let (rows, columns, left) = match (matrix_sizes(&ty), ty) {
                    (Some((rows, columns)), _) => (rows, columns, left),
                    (None, Type::Array(Size::Constant(length), number))
                        if *number == Type::Real && self.is_around(matrix) =>
                    {
                        (count, length, false)
                    }
                    _ => return None,
                };
                let longest = rows.max(columns);
                let solves = is_solve(primitive) && is_bound(&b) && rows == columns;
                if !(solves || is_dot(primitive) && rows.checked_mul(columns)? >= self.least)
                    || !matches!(&self.vars[vector.0 as usize].ty, Type::Array(_, element) if **element == Type::Real)
                    || count < 2
                    || count.checked_mul(longest)? > MOST
                {
                    return None;
                }
                let before = slice(&[*positions.get(&vector)?], &needs);
                let stored = self.stored(body, at, vector, &before, &needs);
                let product = Product { at, primitive, matrix, left, vector, needs: Vec::new(), before, stored };
                (self.is_independent(op, body, &product)
                    && product.stored.iter().all(|at| self.fits(body, *at, count, &bound)))
                .then_some(product)
            })
            .map(|product| Product { needs, ..product })
    }

    /// The first product of a branch in a loop that does not need the loop. It comes out of the branch, and what comes out
    /// of the loop too is written before it.
    fn product_of_branch(&mut self, op: &mut Op, out: &mut Vec<Binding>) -> Option<Product> {
        let (_, Atom::Int(2..)) = op.iterations()? else { return None };
        let body = body_of(op)?;
        let (lengths, lengths_of) = (&self.lengths, self.lengths_of.clone());
        let lifts = Lift::all(body, &Safety { vars: self.vars, lengths, lengths_of, around: self.indices.clone() });
        let bound = (!lifts.is_empty()).then(|| bound(op, body))?;
        for lift in lifts {
            let mut lifted = op.clone();
            let before = lift.apply(body_of_mut(&mut lifted)?, &bound);
            // The loop around binds what has come out of this one and needs it.
            let mut added = Vec::new();
            if let Some(around) = self.around.last_mut() {
                for Binding { var, op, .. } in &before {
                    let mut varies = false;
                    op.visit_atoms(&mut |atom| varies |= matches!(atom, Atom::Var(var) if around.contains(var)));
                    if varies && around.insert(*var) {
                        added.push(*var);
                    }
                }
            }
            if let Some(product) = self.product(&lifted) {
                out.extend(before);
                *op = lifted;
                return Some(product);
            }
            if let Some(around) = self.around.last_mut() {
                around.retain(|var| !added.contains(var));
            }
        }
        None
    }

    /// The positions of what the rest of a body reads of the first part: it computes again what costs next to nothing.
    fn stored(&self, body: &Body, at: usize, vector: Var, before: &[usize], needs: &[Vec<usize>]) -> Vec<usize> {
        let mut needed = vec![false; body.bindings.len()];
        let rest = (0..body.bindings.len()).filter(|other| *other != at && before.binary_search(other).is_err());
        rest.flat_map(|other| &needs[other]).for_each(|other| needed[*other] = true);
        for (at, binding) in body.bindings.iter().enumerate() {
            needed[at] |= Atom::Var(binding.var) == body.result;
        }
        let mut stored = Vec::new();
        for &at in before.iter().rev() {
            let Binding { var, op, .. } = &body.bindings[at];
            if *var == vector {
                stored.push(at);
            } else if needed[at] && cost(op) <= 1 {
                needs[at].iter().for_each(|other| needed[*other] = true);
            } else if needed[at] {
                stored.push(at);
            }
        }
        stored
    }

    /// Whether the innermost loop around binds an operand in each iteration.
    fn is_around(&self, atom: Atom) -> bool {
        matches!((atom, self.around.last()), (Atom::Var(var), Some(around)) if around.contains(&var))
    }

    /// Whether the first part of a body neither reads the state of the loop nor adds to anything outside.
    fn is_independent(&self, op: &Op, body: &Body, product: &Product) -> bool {
        let bindings: Vec<Binding> = product.before.iter().map(|at| body.bindings[*at].clone()).collect();
        let free = Free::of(&bindings, &[], self.vars).found;
        // A vector times the vectors of the iterations: these are to be the same whenever the loop runs.
        let vectors = matrix_sizes(&type_of(product.matrix, self.vars)).is_none();
        if vectors && self.around.last().is_some_and(|around| free.iter().any(|var| around.contains(var))) {
            return false;
        }
        let state = match op {
            Op::Loop(next) | Op::Scan(next) | Op::Trace(next) => Some(next.state),
            _ => None,
        };
        state.is_none_or(|state| !free.contains(&state))
            && is_pure(&Body { bindings, result: Atom::Var(product.vector) }, self.vars)
    }

    /// Whether the values of all iterations are an array of moderate size.
    fn fits(&self, body: &Body, at: usize, count: i64, bound: &FxHashSet<Var>) -> bool {
        let ty = &self.vars[body.bindings[at].var.0 as usize].ty;
        let fits = numbers(ty).and_then(|numbers| numbers.checked_mul(count)).is_some_and(|numbers| numbers <= MOST);
        fits && !names(ty, &|var| bound.contains(&var))
    }

    /// Splits a loop at a product: writes all that is done before it, and leaves the rest.
    fn apart(&mut self, op: &mut Op, product: Product, span: Span, out: &mut Vec<Binding>) {
        let Some((index, count)) = op.iterations() else { return };
        let Some(body) = body_of_mut(op) else { return };
        let types: Vec<Type> =
            product.stored.iter().map(|at| self.vars[body.bindings[*at].var.0 as usize].ty.clone()).collect();
        let arrays = self.arrays(body, &product, &types, (index, count), span, out);
        let mut writer = Writer { vars: self.vars, span };
        let vectors = (product.stored.iter().zip(&arrays))
            .find_map(|(at, array)| (body.bindings[*at].var == product.vector).then_some(*array));
        let Some(vectors) = vectors else { return };
        let results = &body.bindings[product.at];
        let products = if is_solve(product.primitive) {
            let columns = writer.transposed(vectors, out);
            let ty = type_of(columns, writer.vars);
            let solved = writer.bind(Op::ArrayFunction(product.primitive, vec![product.matrix, columns]), ty, out);
            writer.transposed(solved, out)
        } else {
            let matrix = if product.left { writer.transposed(product.matrix, out) } else { product.matrix };
            let ty = Type::array(size_of(count), writer.vars[results.var.0 as usize].ty.clone());
            writer.bind(Op::ArrayFunction(product.primitive, vec![vectors, matrix]), ty, out)
        };
        // The rest reads what has been stored, and no longer needs what only led to it.
        body.bindings[product.at].op = Op::Index(products, Atom::Var(index));
        for (at, array) in product.stored.iter().zip(arrays) {
            body.bindings[*at].op = Op::Index(array, Atom::Var(index));
        }
    }

    /// The arrays of the stored values of all iterations.
    fn arrays(
        &mut self,
        body: &Body,
        product: &Product,
        types: &[Type],
        (index, count): (Var, Atom),
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Vec<Atom> {
        // An array that is read element by element is there already.
        if let [at] = product.stored[..]
            && let Op::Index(array @ Atom::Var(source), Atom::Var(own)) = body.bindings[at].op
            && own == index
            && !body.bindings.iter().any(|binding| binding.var == source)
            && matches!(&self.vars[source.0 as usize].ty, Type::Array(size, _) if *size == size_of(count))
        {
            return vec![array];
        }
        let mut parts: Vec<Atom> = product.stored.iter().map(|at| Atom::Var(body.bindings[*at].var)).collect();
        let wanted = slice(&product.stored, &product.needs);
        let bindings = wanted.into_iter().map(|at| body.bindings[at].clone()).collect();
        let mut first = Body { bindings, result: parts[0] };
        let mut renaming = Renaming::default();
        let mut writer = Writer { vars: self.vars, span };
        let fresh = writer.var(Type::Int);
        renaming.insert(index, Atom::Var(fresh));
        renaming.freshen(&mut first, None, writer.vars);
        parts.iter_mut().for_each(|part| *part = renaming.atom(*part));
        let array = |ty: &Type| Type::array(size_of(count), ty.clone());
        if let [ty] = types {
            return vec![writer.bind(Op::Build(Iteration { count, index: fresh, body: first }), array(ty), out)];
        }
        let ty = Type::Tuple(parts.iter().map(|part| type_of(*part, writer.vars)).collect());
        first.result = writer.bind(Op::Tuple(parts), ty, &mut first.bindings);
        let all = Type::Tuple(types.iter().map(array).collect());
        let all = writer.bind(Op::Builds(Iteration { count, index: fresh, body: first }), all, out);
        (types.iter().enumerate()).map(|(at, ty)| writer.bind(Op::Project(all, at), array(ty), out)).collect()
    }
}

/// The variables that an iteration of a loop binds.
fn bound(op: &Op, body: &Body) -> FxHashSet<Var> {
    let mut bound: FxHashSet<Var> = body.bindings.iter().map(|binding| binding.var).collect();
    op.visit_bound(&mut |var| {
        bound.insert(*var);
    });
    bound
}

/// Whether a function is the product of matrices and vectors.
pub(crate) fn is_dot(primitive: &'static Primitive) -> bool {
    primitive == &DOT || primitive == &EXACT_DOT
}

fn is_solve(primitive: &'static Primitive) -> bool {
    primitive == &SOLVE || primitive == &EXACT_SOLVE
}

/// The numbers of rows and columns of a matrix, where they are known.
fn matrix_sizes(ty: &Type) -> Option<(i64, i64)> {
    match ty {
        Type::Array(Size::Constant(rows), row) => match &**row {
            Type::Array(Size::Constant(columns), number) if **number == Type::Real => Some((*rows, *columns)),
            _ => None,
        },
        _ => None,
    }
}

/// How many numbers a value has, where it is made of numbers and that is known.
fn numbers(ty: &Type) -> Option<i64> {
    match ty {
        Type::Real | Type::Int | Type::Bool => Some(1),
        Type::Array(Size::Constant(size), element) => numbers(element)?.checked_mul(*size),
        Type::Tuple(_) | Type::Record(_) => {
            ty.components()?.iter().try_fold(0_i64, |sum, part| sum.checked_add(numbers(part)?))
        }
        _ => None,
    }
}

/// Whether a body takes the matrix of a linear map.
pub(crate) fn has_matrices(body: &Body) -> bool {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        body.bindings.iter().any(|binding| {
            let mut found =
                matches!(&binding.op, Op::OnMaps(operation, _) if matches!(operation, OnMaps::Matrix | OnMaps::Coo | OnMaps::System | OnMaps::Factors | OnMaps::Entries));
            binding.op.visit_bodies(&mut |body| found |= has_matrices(body));
            found
        })
    })
}

/// The body of a loop.
fn body_of(op: &Op) -> Option<&Body> {
    let mut found = None;
    op.visit_bodies(&mut |body| found = Some(body));
    found
}

fn body_of_mut(op: &mut Op) -> Option<&mut Body> {
    let mut found = None;
    op.visit_bodies_mut(&mut |body| found = Some(body));
    found
}
