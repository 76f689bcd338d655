//! The structure of a derivative: a linear map as a term of [`riesz_linear`], not as a matrix.
//!
//! The linear program runs with linear maps in place of tangents: `dy = c · dx` gives `scale c ∘ x`. Arrays, sums and
//! scans are treated as a whole (`block`): `[cᵢ · dx | i < n]` is `c ⊗ x` and `Σᵢ cᵢ · dxᵢ` is `⟨c, x⟩`, so that the
//! derivative of `b * sin(dot(a, x))` is `cos(…) · (b ⊗ a)`, in O(m + n).   [003 §8]

mod array;
mod block;
mod entries;

use entries::{from_entries, ordered, space};
use riesz_core::evaluate::{Fault, Machine, Map, Value};
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, Op, Program, Recurrence, Reduction, Var};
use riesz_linear::{LinearMap, Space};
use riesz_primitive::scalar;
use rustc_hash::FxHashMap;

/// The map as a term, simplified: as the linear program makes it or by the entries of its matrix, whichever is applied
/// with less work; none where there is no term for what the program does, and no small matrix.
pub fn structure<'p>(
    program: &'p Program,
    machine: &mut Machine<'p, f64>,
    map: &Map<f64>,
) -> Result<Option<LinearMap>, Fault> {
    // A term that was made as one is shown as it was made, unless it is to be simple.
    let (whole, reversed) = match map {
        Map::Adjoint(map) => (&**map, true),
        map => (map, false),
    };
    if let Map::Term(term) = whole {
        let form = if term.form.is(&term.made) { term.form.clone() } else { term.form.legible() };
        return Ok(Some(if reversed { form.adjoint() } else { form }));
    }
    let mut terms = Terms { program, machine, room: 0 };
    match terms.map(map) {
        Ok(term) => {
            let term = term.legible();
            let entries = term.rows().saturating_mul(term.columns());
            let dear = entries <= MOST_ENTRIES && term.cost().work() > 2 * entries as u64;
            let plain = if dear { from_entries(machine, map)? } else { None };
            Ok(Some(plain.filter(|plain| plain.cost().work() < term.cost().work()).unwrap_or(term)))
        }
        Err(Stop::NoTerm) => from_entries(machine, map),
        Err(Stop::Fault(fault)) => Err(fault),
    }
}

/// How many entries of a matrix are put into a term.
const MOST_ENTRIES: usize = 1 << 20;

/// Why there is no term.
enum Stop {
    NoTerm,
    Fault(Fault),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<riesz_linear::SpaceError> for Stop {
    fn from(_: riesz_linear::SpaceError) -> Stop {
        Stop::NoTerm
    }
}

struct Terms<'p, 'm> {
    program: &'p Program,
    machine: &'m mut Machine<'p, f64>,
    /// How many more numbers may be combined one by one.
    room: usize,
}

/// The variables of a function while its linear program is run.
struct Frame<'p> {
    function: &'p Function,
    domain: Space,
    values: Vec<Value<f64>>,
    linear: FxHashMap<Var, LinearMap>,
}

impl<'p> Terms<'p, '_> {
    fn map(&mut self, map: &Map<f64>) -> Result<LinearMap, Stop> {
        Ok(match map {
            Map::Functions { forward, captured, .. } => {
                // The point comes last among what a derivative captures: its space is the domain.
                let domain = captured.last().and_then(space).ok_or(Stop::NoTerm)?;
                let mut arguments: Vec<Argument> = captured.iter().cloned().map(Argument::Value).collect();
                arguments.push(Argument::Linear(LinearMap::identity(domain.clone())));
                self.call(*forward, arguments, &domain)?
            }
            Map::Table(table) => {
                let domain = space(&table.domain).ok_or(Stop::NoTerm)?;
                let codomain = space(&table.codomain).ok_or(Stop::NoTerm)?;
                LinearMap::of_entries(&domain, &codomain, &ordered(&table.rows))?
            }
            Map::Term(term) => term.form.clone(),
            Map::Adjoint(map) => self.map(map)?.adjoint(),
            Map::Compose(after, before) => {
                let before = self.map(before)?;
                self.map(after)?.after(&before)?
            }
            Map::Add(left, right) => {
                let left = self.map(left)?;
                left.plus(&self.map(right)?)?
            }
            Map::Scale(factor, map) => self.map(map)?.times(*factor),
        })
    }

    fn call(&mut self, id: FunctionId, arguments: Vec<Argument>, domain: &Space) -> Result<LinearMap, Stop> {
        let function = self.program.function(id);
        let mut frame = Frame {
            function,
            domain: domain.clone(),
            values: vec![Value::Int(0); function.vars.len()],
            linear: FxHashMap::default(),
        };
        for (at, argument) in arguments.into_iter().enumerate() {
            match argument {
                Argument::Value(value) => frame.values[at] = value,
                Argument::Linear(map) => {
                    frame.linear.insert(Var(at as u32), map);
                }
            }
        }
        self.body(&mut frame, &function.body)
    }

    fn body(&mut self, frame: &mut Frame<'p>, body: &'p Body) -> Result<LinearMap, Stop> {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            for binding in &body.bindings {
                self.binding(frame, binding)?;
            }
            self.operand(frame, body.result)
        })
    }

    fn binding(&mut self, frame: &mut Frame<'p>, binding: &'p Binding) -> Result<(), Stop> {
        if !uses(&binding.op, &|var| frame.linear.contains_key(&var)) {
            self.machine.bind(frame.function, &mut frame.values, binding)?;
            return Ok(());
        }
        let map = self.operation(frame, binding)?;
        frame.linear.insert(binding.var, map);
        Ok(())
    }

    /// An operand as a map; a value that does not vary is zero.
    fn operand(&self, frame: &Frame, atom: Atom) -> Result<LinearMap, Stop> {
        let codomain = match atom {
            Atom::Var(var) => match frame.linear.get(&var) {
                Some(map) => return Ok(map.clone()),
                None => space(&frame.values[var.0 as usize]).ok_or(Stop::NoTerm)?,
            },
            Atom::Real(_) => Space::Real,
            Atom::Int(_) | Atom::Bool(_) => Space::product([]),
        };
        Ok(LinearMap::zero(frame.domain.clone(), codomain))
    }

    fn value(&self, frame: &Frame, atom: Atom) -> Value<f64> {
        match atom {
            Atom::Var(var) => frame.values[var.0 as usize].clone(),
            Atom::Real(value) => Value::Real(value),
            Atom::Int(value) => Value::Int(value),
            Atom::Bool(value) => Value::Bool(value),
        }
    }

    fn is_linear(&self, frame: &Frame, atom: Atom) -> bool {
        matches!(atom, Atom::Var(var) if frame.linear.contains_key(&var))
    }

    fn operation(&mut self, frame: &mut Frame<'p>, binding: &'p Binding) -> Result<LinearMap, Stop> {
        let maps = |terms: &Self, atoms: &[Atom]| -> Result<Vec<LinearMap>, Stop> {
            atoms.iter().map(|atom| terms.operand(frame, *atom)).collect()
        };
        Ok(match &binding.op {
            Op::Copy(a) => self.operand(frame, *a)?,
            Op::Plus(a, b) => self.operand(frame, *a)?.plus(&self.operand(frame, *b)?)?,
            Op::Scalar(primitive, arguments) => match arguments[..] {
                [a, b] if std::ptr::eq(*primitive, &scalar::ADD) => {
                    self.operand(frame, a)?.plus(&self.operand(frame, b)?)?
                }
                [a, b] if std::ptr::eq(*primitive, &scalar::SUB) => {
                    self.operand(frame, a)?.plus(&self.operand(frame, b)?.times(-1.0))?
                }
                [a] if std::ptr::eq(*primitive, &scalar::NEG) => self.operand(frame, a)?.times(-1.0),
                [a, b] if std::ptr::eq(*primitive, &scalar::EXACT_MUL) => {
                    let (coefficient, tangent) = if self.is_linear(frame, a) { (b, a) } else { (a, b) };
                    self.operand(frame, tangent)?.times(self.value(frame, coefficient).real())
                }
                _ => return Err(Stop::NoTerm),
            },
            Op::Index(array, index) => {
                let array = self.operand(frame, *array)?;
                let at = usize::try_from(self.value(frame, *index).int()).map_err(|_| Stop::NoTerm)?;
                LinearMap::project(at, array.codomain().clone())?.after(&array)?
            }
            Op::Project(tuple, at) => {
                let tuple = self.operand(frame, *tuple)?;
                LinearMap::project(*at, tuple.codomain().clone())?.after(&tuple)?
            }
            Op::Tuple(parts) if parts.is_empty() => LinearMap::zero(frame.domain.clone(), Space::product([])),
            Op::Tuple(parts) => LinearMap::fork(maps(self, parts)?)?,
            Op::Array(elements) if elements.is_empty() => return Err(Stop::NoTerm),
            Op::Array(elements) => LinearMap::fork_array(maps(self, elements)?)?,
            Op::Build(iteration) => self.build(frame, iteration)?,
            Op::Reduce(Reduction::Sum, iteration) => self.sum(frame, iteration)?,
            Op::If { condition, yes, no } => {
                let body = if self.value(frame, *condition).bool() { yes } else { no };
                self.body(frame, body)?
            }
            Op::Loop(recurrence) => {
                if let Some(map) = self.accumulation(frame, recurrence, false)? {
                    return Ok(map);
                }
                if let Some(map) = self.recurrence(frame, recurrence)? {
                    return Ok(map);
                }
                let Recurrence { state, start, count, index, body } = recurrence;
                let mut map = self.operand(frame, *start)?;
                for at in 0..self.value(frame, *count).int() {
                    frame.values[index.0 as usize] = Value::Int(at);
                    frame.linear.insert(*state, map);
                    map = self.body(frame, body)?;
                }
                map
            }
            Op::Scan(recurrence) => {
                if let Some(map) = self.accumulation(frame, recurrence, true)? {
                    return Ok(map);
                }
                let Recurrence { state, start, count, index, body } = recurrence;
                let mut map = self.operand(frame, *start)?;
                let mut states = Vec::new();
                for at in 0..self.value(frame, *count).int() {
                    frame.values[index.0 as usize] = Value::Int(at);
                    frame.linear.insert(*state, map);
                    map = self.body(frame, body)?;
                    states.push(map.clone());
                }
                match states.is_empty() {
                    true => return Err(Stop::NoTerm),
                    false => LinearMap::fork_array(states)?,
                }
            }
            Op::Call(function, arguments) => {
                let arguments = arguments
                    .iter()
                    .map(|atom| match self.is_linear(frame, *atom) {
                        true => Ok(Argument::Linear(self.operand(frame, *atom)?)),
                        false => Ok(Argument::Value(self.value(frame, *atom))),
                    })
                    .collect::<Result<_, Stop>>()?;
                self.call(*function, arguments, &frame.domain.clone())?
            }
            Op::Apply(map, argument) if !self.is_linear(frame, *map) => {
                let Value::Map(map) = self.value(frame, *map) else { return Err(Stop::NoTerm) };
                let argument = self.operand(frame, *argument)?;
                self.map(&map)?.after(&argument)?
            }
            Op::ArrayFunction(primitive, arguments) => self.array_function(frame, primitive, arguments)?,
            _ => return Err(Stop::NoTerm),
        })
    }
}

/// An argument of a linear function.
enum Argument {
    Value(Value<f64>),
    Linear(LinearMap),
}

/// Whether an operation uses a variable of some kind, in its bodies too.
pub(crate) fn uses(op: &Op, test: &dyn Fn(Var) -> bool) -> bool {
    let mut found = false;
    let mut look = |atom: &Atom| found |= matches!(atom, Atom::Var(var) if test(*var));
    op.visit_atoms(&mut look);
    op.visit_bodies(&mut |body| {
        if let Atom::Var(var) = body.result {
            found |= test(var);
        }
        found |= body.bindings.iter().any(|binding| uses(&binding.op, test));
    });
    found
}
