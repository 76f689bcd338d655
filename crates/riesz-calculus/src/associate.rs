//! The order in which the factors of a matrix are multiplied.   [004 §11]
//!
//! ```text
//! matrix (g ∘ f) = matrix g · matrix f
//! ```
//!
//! A pass for each row or each column of `g ∘ f` is one extreme: with `d₀` columns, `dₘ` rows and `W` operations for one pass
//! it takes `min(d₀, dₘ) · W`. If the space between `g` and `f` has `d` numbers, both matrices together take at most `d · W`,
//! and their product takes `d₀ · d · dₘ`. So a matrix is split where the space is narrowest: behind a composition, and inside a
//! function behind a value that alone carries the derivative. Nothing narrower is left on either side, so that one place is
//! enough up to a constant factor; more are found when the sides are written out, where sizes are known. Sizes that are known
//! only when the program runs are compared then.

use crate::active::active;
use crate::compile::{Calculus, Compiler, Problem, has_holes, with_sizes};
use crate::jacobian::numbers_in;
use crate::map::{Form, KnownMap};
use crate::specialise::specialise;
use riesz_core::build::write_size;
use riesz_core::free::Free;
use riesz_core::renumber::renumber;
use riesz_core::size;
use riesz_core::term::{Atom, Binding, Body, Comparison, Function, FunctionId, Iteration, Op, Var, VarInfo};
use riesz_core::{Size, Type};
use riesz_optimise::optimise;
use riesz_primitive::{array, scalar};
use riesz_syntax::Span;

/// How a matrix is made of the passes over a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Associate {
    /// By structure, by the product of two matrices, or by passes, whichever takes fewest operations.
    #[default]
    Cheapest,
    /// One pass forward for each column.
    Forward,
    /// One pass backward for each row.
    Reverse,
}

/// A place where a chain of maps may be split, and how many numbers the space there has.
struct Cut {
    place: Cutting,
    size: Size,
}

#[derive(Clone, Copy)]
enum Cutting {
    /// Behind so many factors from the left.
    Between(usize),
    /// Inside of a factor, behind a binding of its function.
    Inside(usize, usize),
}

/// How many places with sizes that are not known are compared when the program runs.
const MOST: usize = 2;

impl Compiler<'_> {
    /// The matrix of a map between arrays of numbers as the product of two matrices, where that may be cheaper; whether it
    /// is bound.
    pub(crate) fn by_factors(
        &mut self,
        var: Var,
        map: &KnownMap,
        splits: usize,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<bool, Problem> {
        let is_array =
            |ty: &Type| matches!(ty, Type::Array(size, element) if **element == Type::Real && *size != Size::Hole);
        if splits == 0 || !is_array(&map.from) || !is_array(&map.to) || has_holes(&map.from) || has_holes(&map.to) {
            return Ok(false);
        }
        let mut factors = factors(map);
        for factor in &mut factors {
            self.see_inside(factor, span, out)?;
        }
        let (Some(columns), Some(rows)) = (numbers_in(&map.from), numbers_in(&map.to)) else { return Ok(false) };
        let Some(work) = self.work(&factors) else { return Ok(false) };
        let cuts = self.cuts(&factors, [&columns, &rows])?;
        let costs = Costs { columns, rows, work };
        let ty = self.vars[var.0 as usize].ty.clone();
        let matrix = match &cuts[..] {
            [] => return Ok(false),
            [cut] => self.split_if_cheaper(map, &factors, cut, &costs, splits, &ty, span, out)?,
            [first, second, ..] => {
                let sizes = [&first.size, &second.size].map(|size| write_size(size, &mut self.vars, out, span));
                let op = Op::Compare(Comparison::LessEqual, sizes[0], sizes[1]);
                let condition = self.bind(op, Type::Bool, out, span);
                let side = |compiler: &mut Self, cut: &Cut| -> Result<Option<Body>, Problem> {
                    let mut bindings = Vec::new();
                    let result =
                        compiler.split_if_cheaper(map, &factors, cut, &costs, splits, &ty, span, &mut bindings);
                    Ok(result?.map(|result| Body { bindings, result }))
                };
                match (side(self, first)?, side(self, second)?) {
                    (Some(yes), Some(no)) => Some(self.bind(Op::If { condition, yes, no }, ty, out, span)),
                    _ => None,
                }
            }
        };
        let Some(matrix) = matrix else { return Ok(false) };
        out.push(Binding { var, op: Op::Copy(matrix), span });
        Ok(true)
    }

    /// Puts the functions that are called in the function of a derivative in place of their calls.
    fn see_inside(&mut self, map: &mut KnownMap, span: Span, out: &mut Vec<Binding>) -> Result<(), Problem> {
        let Form::Derivative { function, .. } = &mut map.form else { return Ok(()) };
        let Some((id, captured)) = self.closure(*function) else { return Ok(()) };
        let inlined = self.calculus.inlined(id)?;
        if inlined != id {
            let ty = self.atom_type(*function);
            let closure = self.var(ty);
            out.push(Binding { var: closure, op: Op::Closure(inlined, captured.clone()), span });
            self.closures.insert(closure, (inlined, captured));
            *function = Atom::Var(closure);
        }
        Ok(())
    }

    /// Splits a matrix at a place if that takes fewer operations than passes do; none where it is known not to.
    #[expect(clippy::too_many_arguments, reason = "what is split, where, at which cost, and where it is written")]
    fn split_if_cheaper(
        &mut self,
        map: &KnownMap,
        factors: &[KnownMap],
        cut: &Cut,
        costs: &Costs,
        splits: usize,
        ty: &Type,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<Option<Atom>, Problem> {
        match costs.known(&cut.size) {
            Some(false) => return Ok(None),
            Some(true) => return Ok(Some(self.split(factors, cut, splits, ty, span, out)?)),
            None => {}
        }
        let condition = self.is_cheaper(&cut.size, costs, span, out);
        let mut bindings = Vec::new();
        // sizes that are compared when the program runs are compared once
        let result = self.split(factors, cut, 1, ty, span, &mut bindings)?;
        let yes = Body { bindings, result };
        let mut bindings = Vec::new();
        let whole = self.var(ty.clone());
        self.by_passes(whole, map, span, &mut bindings)?;
        let no = Body { bindings, result: Atom::Var(whole) };
        Ok(Some(self.bind(Op::If { condition, yes, no }, ty.clone(), out, span)))
    }

    /// The product of the matrices on both sides of a place.
    fn split(
        &mut self,
        factors: &[KnownMap],
        cut: &Cut,
        splits: usize,
        ty: &Type,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<Atom, Problem> {
        let (outer, inner) = match cut.place {
            Cutting::Between(at) => (factors[..at].to_vec(), factors[at..].to_vec()),
            Cutting::Inside(at, behind) => {
                let [g, f] = self.split_function(&factors[at], behind, span, out);
                let outer = factors[..at].iter().cloned().chain([g]).collect();
                (outer, [f].into_iter().chain(factors[at + 1..].iter().cloned()).collect())
            }
        };
        let mut matrix = |map: KnownMap| -> Result<Atom, Problem> {
            let rows = |entry: &Type| {
                map.to.rebuild(&mut Clone::clone, &mut |part| (*part == Type::Real).then(|| entry.clone()))
            };
            let bound = self.var(rows(&map.from));
            self.matrix_with(bound, &map, splits - 1, span, out)?;
            Ok(Atom::Var(bound))
        };
        let (left, right) = (matrix(composed(outer))?, matrix(composed(inner))?);
        if !matches!(self.atom_type(left), Type::Array(_, element) if *element == Type::Real) {
            return Ok(self.bind(Op::ArrayFunction(&array::EXACT_DOT, vec![left, right]), ty.clone(), out, span));
        }
        // a column times a row
        let (Type::Array(size, row), right_type) = (ty.clone(), self.atom_type(right)) else {
            unreachable!("the matrix of a map between arrays is an array")
        };
        let count = write_size(&size, &mut self.vars, out, span);
        let inner_count = match &right_type {
            Type::Array(size, _) => write_size(size, &mut self.vars, out, span),
            _ => Atom::Int(0),
        };
        let (i, j) = (self.var(Type::Int), self.var(Type::Int));
        let (mut around, mut bindings) = (Vec::new(), Vec::new());
        let k = self.bind(Op::Index(left, Atom::Var(i)), Type::Real, &mut around, span);
        let number = self.bind(Op::Index(right, Atom::Var(j)), Type::Real, &mut bindings, span);
        let result = self.bind(Op::Scalar(&scalar::EXACT_MUL, vec![k, number]), Type::Real, &mut bindings, span);
        let each = Iteration { count: inner_count, index: j, body: Body { bindings, result } };
        let result = self.bind(Op::Build(each), (*row).clone(), &mut around, span);
        let each = Iteration { count, index: i, body: Body { bindings: around, result } };
        Ok(self.bind(Op::Build(each), ty.clone(), out, span))
    }

    /// The derivative of a function as the composition of two, of what its bindings do behind a place and of what they do up
    /// to it.
    fn split_function(&mut self, map: &KnownMap, behind: usize, span: Span, out: &mut Vec<Binding>) -> [KnownMap; 2] {
        let Form::Derivative { function: named, point, adjoint } = &map.form else {
            unreachable!("a derivative is split")
        };
        let Some((id, captured)) = self.closure(*named) else { unreachable!("its function is known") };
        let function = self.calculus.program.function(id).clone();
        let Function { vars, parameters, body, .. } = &function;
        let (before, after) = body.bindings.split_at(behind + 1);
        let cut = before[behind].var;
        let ty = |var: Var| vars[var.0 as usize].ty.clone();
        let mut kept = passed_on(&function, behind);
        kept.sort_by_key(|var| (ty(*var) != Type::Int, *var));
        let info = |var: Var| vars[var.0 as usize].clone();
        let name = |part: &str| format!("{} {part}", function.name).into();
        let all: Vec<Var> = (0..*parameters as u32).map(Var).collect();

        let first = Body { bindings: before.to_vec(), result: Atom::Var(cut) };
        let first = renumber(name("begins"), &all, first, &settled(&function, &ty(cut)), function.span, &info);
        let results: Vec<Var> = [cut].into_iter().chain(kept.iter().copied()).collect();
        let mut both = vars.clone();
        both.push(VarInfo {
            name: None,
            ty: Type::Tuple(results.iter().map(|var| settled(&function, &ty(*var))).collect()),
        });
        let tuple = Var(vars.len() as u32);
        let mut bindings = before.to_vec();
        let op = Op::Tuple(results.iter().map(|var| Atom::Var(*var)).collect());
        bindings.push(Binding { var: tuple, op, span: function.span });
        let value = Body { bindings, result: Atom::Var(tuple) };
        let value_type = both[vars.len()].ty.clone();
        let value =
            renumber(name("value"), &all, value, &value_type, function.span, &|var| both[var.0 as usize].clone());
        let rest: Vec<Var> = all[..parameters - 1].iter().copied().chain(kept.iter().copied()).chain([cut]).collect();
        let second = Body { bindings: after.to_vec(), result: body.result };
        let second = renumber(name("ends"), &rest, second, &function.result, function.span, &info);
        let [first, value, second] = [first, value, second].map(|function| self.calculus.add(function));

        let arguments: Vec<Atom> = captured.iter().copied().chain([*point]).collect();
        let here = |ty: &Type, known: &[Atom]| with_sizes(ty, |var| known.get(var.0 as usize).copied());
        let called = self.calculus.program.function(value).result.clone();
        let all = self.bind(Op::Call(value, arguments.clone()), here(&called, &arguments), out, span);
        let mut parts = Vec::new();
        for (at, part) in called.components().unwrap_or_default().iter().enumerate() {
            parts.push(self.bind(Op::Project(all, at), here(part, &arguments), out, span));
        }
        let between = self.atom_type(parts[0]);
        let mut closure = |compiler: &mut Self, id, captured: Vec<Atom>, point: Atom| {
            let called = compiler.calculus.program.function(id);
            let arguments: Vec<Atom> = captured.iter().copied().chain([point]).collect();
            let result = here(&called.result, &arguments);
            let ty = Type::function(compiler.atom_type(point), result);
            let bound = compiler.bind(Op::Closure(id, captured.clone()), ty, out, span);
            if let Atom::Var(var) = bound {
                compiler.closures.insert(var, (id, captured));
            }
            bound
        };
        let rest: Vec<Atom> = captured.iter().chain(&parts[1..]).copied().collect();
        let f = closure(self, first, captured, *point);
        let g = closure(self, second, rest, parts[0]);
        let derivative = |function: Atom, point: Atom| Form::Derivative { function, point, adjoint: *adjoint };
        let (domain, codomain) = if *adjoint { (&map.to, &map.from) } else { (&map.from, &map.to) };
        let turned =
            |from: &Type, to: &Type| if *adjoint { (to.clone(), from.clone()) } else { (from.clone(), to.clone()) };
        let ((f_from, f_to), (g_from, g_to)) = (turned(domain, &between), turned(&between, codomain));
        let f = KnownMap { from: f_from, to: f_to, form: derivative(f, *point) };
        let g = KnownMap { from: g_from, to: g_to, form: derivative(g, parts[0]) };
        if *adjoint { [f, g] } else { [g, f] }
    }

    /// The narrowest places of a chain: those with fewer numbers than there are rows and columns, as far as is known.
    fn cuts(&mut self, factors: &[KnownMap], ends: [&Size; 2]) -> Result<Vec<Cut>, Problem> {
        let mut found: Vec<Cut> = Vec::new();
        let mut see = |place: Cutting, size: Option<Size>| {
            let Some(size) = size else { return };
            let as_wide = |other: &Size| matches!(size.sub(other), Some(Size::Constant(more)) if more >= 0);
            if ends.iter().any(|end| as_wide(end)) || found.iter().any(|cut| as_wide(&cut.size)) {
                return;
            }
            let narrower = |cut: &Cut| matches!(size.sub(&cut.size), Some(Size::Constant(..0)));
            found.retain(|cut| !narrower(cut));
            found.push(Cut { place, size });
        };
        for (at, factor) in factors.iter().enumerate() {
            if at > 0 && is_vector(&factors[at - 1].from) {
                see(Cutting::Between(at), numbers_in(&factors[at - 1].from));
            }
            for (behind, size) in self.inner_cuts(factor)? {
                see(Cutting::Inside(at, behind), Some(size));
            }
        }
        found.truncate(MOST);
        Ok(found)
    }

    /// The bindings of the function of a derivative behind which one value alone carries the derivative, with how many numbers
    /// it has.
    fn inner_cuts(&mut self, map: &KnownMap) -> Result<Vec<(usize, Size)>, Problem> {
        let Form::Derivative { function, point, .. } = &map.form else { return Ok(Vec::new()) };
        let Some((id, captured)) = self.closure(*function) else { return Ok(Vec::new()) };
        let function = self.calculus.program.function(id).clone();
        let mask: Vec<bool> = (0..function.parameters).map(|at| at + 1 == function.parameters).collect();
        let activity = active(&function, &mask);
        let arguments: Vec<Atom> = captured.iter().copied().chain([*point]).collect();
        let mut found = Vec::new();
        for behind in 0..function.body.bindings.len() {
            let cut = function.body.bindings[behind].var;
            let ty = &settled(&function, &function.vars[cut.0 as usize].ty);
            if !activity.active.contains(&cut) || !is_vector(ty) || function.body.result == Atom::Var(cut) {
                continue;
            }
            let plain = |var: &Var| {
                let ty = &function.vars[var.0 as usize].ty;
                let is_value =
                    !ty.holds_maps() && !matches!(ty, Type::Function(_) | Type::Accumulator(_) | Type::Linear(_));
                is_value && !activity.active.contains(var) && !activity.carriers.contains(var)
            };
            let point = Var(function.parameters as u32 - 1);
            let kept = passed_on(&function, behind);
            if kept.iter().all(plain) && !kept.contains(&point) {
                let size = numbers_in(&with_sizes(ty, |var| arguments.get(var.0 as usize).copied()));
                found.extend(size.map(|size| (behind, size)));
            }
        }
        Ok(found)
    }

    /// How many operations one pass over all factors takes, about.
    fn work(&mut self, factors: &[KnownMap]) -> Option<Size> {
        factors.iter().try_fold(Size::Constant(0), |total, factor| {
            let dense = || numbers_in(&factor.from)?.mul(&numbers_in(&factor.to)?);
            let own = match &factor.form {
                Form::Derivative { function, point, .. } => self.closure(*function).and_then(|(id, captured)| {
                    let function = self.calculus.program.function(id);
                    let arguments: Vec<Atom> = captured.into_iter().chain([*point]).collect();
                    let size = |ty: &Type| {
                        numbers_in(&with_sizes(&settled(function, ty), |var| arguments.get(var.0 as usize).copied()))
                    };
                    work_in(function, &size)
                }),
                _ => None,
            };
            total.add(&own.or_else(dense)?)
        })
    }

    /// `d · (W + d₀ · dₘ) < min(d₀, dₘ) · W`, when the program runs. Real numbers do not overflow.
    fn is_cheaper(&mut self, size: &Size, costs: &Costs, span: Span, out: &mut Vec<Binding>) -> Atom {
        let [d, columns, rows, work] = [size, &costs.columns, &costs.rows, &costs.work].map(|size| {
            let int = write_size(size, &mut self.vars, out, span);
            self.bind(Op::ToReal(int), Type::Real, out, span)
        });
        let mut apply = |row, a: Atom, b: Atom| self.bind(Op::Scalar(row, vec![a, b]), Type::Real, out, span);
        let area = apply(&scalar::MUL, columns, rows);
        let split = apply(&scalar::ADD, work, area);
        let split = apply(&scalar::MUL, d, split);
        let fewest = apply(&scalar::MIN, columns, rows);
        let whole = apply(&scalar::MUL, fewest, work);
        self.bind(Op::Compare(Comparison::Less, split, whole), Type::Bool, out, span)
    }
}

impl Calculus {
    /// A function with those that it calls in place of their calls.
    pub(crate) fn inlined(&mut self, id: FunctionId) -> Result<FunctionId, Problem> {
        if let Some(known) = self.inlined.get(&id) {
            return Ok(*known);
        }
        specialise(self, id);
        self.compile_body(id)?;
        // The calls show once the program is optimised, and nothing else needs that yet.
        let mut program = self.program.clone();
        optimise(&mut program, &[id]);
        let own = program.functions.len() == self.program.functions.len();
        let inlined = if own { self.add(program.function(id).clone()) } else { id };
        self.inlined.extend([(id, inlined), (inlined, inlined)]);
        Ok(inlined)
    }
}

/// The numbers from which the costs of a matrix follow.
struct Costs {
    columns: Size,
    rows: Size,
    work: Size,
}

impl Costs {
    /// Whether a split at a space of a size is cheaper, where that is known.
    fn known(&self, size: &Size) -> Option<bool> {
        let number = |size: &Size| if let Size::Constant(number) = size { Some(*number as f64) } else { None };
        let (d, columns, rows) = (number(size)?, number(&self.columns)?, number(&self.rows)?);
        let work = number(&self.work)?;
        Some(d * (work + columns * rows) < columns.min(rows) * work)
    }
}

fn is_vector(ty: &Type) -> bool {
    *ty == Type::Real || matches!(ty, Type::Array(_, element) if **element == Type::Real)
}

/// A type in a function, with what its sizes are in terms of parameters and globals.
fn settled(function: &Function, ty: &Type) -> Type {
    fn of(function: &Function, var: Var, depth: usize) -> Option<Size> {
        let atom = |atom: &Atom| match atom {
            Atom::Var(var) => of(function, *var, depth + 1),
            Atom::Int(value) => Some(Size::Constant(*value)),
            _ => None,
        };
        if (var.0 as usize) < function.parameters {
            return Some(Size::var(var));
        }
        let binding = function.body.bindings.iter().find(|binding| binding.var == var).filter(|_| depth < 10)?;
        match &binding.op {
            Op::Global(global) => Some(Size::Atom(size::Atom::Global(*global))),
            Op::Copy(source) => atom(source),
            Op::Scalar(row, operands) if **row == scalar::ADD => atom(&operands[0])?.add(&atom(&operands[1])?),
            Op::Scalar(row, operands) if **row == scalar::SUB => atom(&operands[0])?.sub(&atom(&operands[1])?),
            Op::Scalar(row, operands) if **row == scalar::MUL => atom(&operands[0])?.mul(&atom(&operands[1])?),
            _ => None,
        }
    }
    ty.map_sizes(&mut |size| {
        size.replace(&mut |atom| match atom {
            size::Atom::Var(var) => of(function, var, 0).unwrap_or(Size::Hole),
            atom => Size::Atom(atom),
        })
    })
}

/// The variables that are bound up to a binding, but for itself, and used behind it; and the point, if that is.
fn passed_on(function: &Function, behind: usize) -> Vec<Var> {
    let Function { vars, parameters, body, .. } = function;
    let (before, after) = body.bindings.split_at(behind + 1);
    let mut found = Free::of(after, &[body.result], vars).found;
    found.retain(|var| *var != before[behind].var && var.0 as usize + 1 >= *parameters);
    found
}

/// The factors of a composition, the last applied first.
fn factors(map: &KnownMap) -> Vec<KnownMap> {
    match &map.form {
        Form::Compose(after, before) => [factors(after), factors(before)].concat(),
        _ => vec![map.clone()],
    }
}

/// The composition of some maps, the last applied first.
fn composed(maps: Vec<KnownMap>) -> KnownMap {
    let mut maps = maps.into_iter();
    let first = maps.next().unwrap_or_else(|| unreachable!("both sides of a place have factors"));
    maps.fold(first, |after, before| {
        let (from, to) = (before.from.clone(), after.to.clone());
        KnownMap { from, to, form: Form::Compose(Box::new(after), Box::new(before)) }
    })
}

/// About how many operations the bindings of a function take: a product takes as many as its matrix has numbers, anything else
/// as many as its value.
fn work_in(function: &Function, size: &dyn Fn(&Type) -> Option<Size>) -> Option<Size> {
    let ty = |atom: &Atom| if let Atom::Var(var) = atom { Some(&function.vars[var.0 as usize].ty) } else { None };
    let mut total = Size::Constant(1);
    for Binding { var, op, .. } in &function.body.bindings {
        let widest = match op {
            Op::ArrayFunction(row, operands) if **row == array::DOT => {
                let wide = |ty: &&Type| matches!(ty, Type::Array(_, element) if matches!(**element, Type::Array(..)));
                operands.iter().filter_map(ty).find(wide)
            }
            _ => None,
        };
        let own = widest.unwrap_or(&function.vars[var.0 as usize].ty);
        if let Some(own) = size(own) {
            total = total.add(&own)?;
        }
    }
    Some(total)
}
