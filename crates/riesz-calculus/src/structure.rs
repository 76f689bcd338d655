//! The structure of a derivative: a linear map as a term of [`riesz_linear`], not as a matrix.
//!
//! The linear program is run with linear maps in the place of tangents: `dy = c · dx` gives `scale c ∘ x`. Arrays that are
//! built and sums are treated as a whole: `[cᵢ · dxᵢ | i < n]` is `diagonal c ∘ x`, `[cᵢ · dx | i < n]` is `c ⊗ x`,
//! `Σᵢ cᵢ · dxᵢ` is `⟨c, x⟩`, so that the derivative of `b * sin(dot(a, x))` is `cos(…) · (b ⊗ a)`, in O(m + n).   [003 §8]

use riesz_core::evaluate::{Fault, Machine, Map, Value};
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, Iteration, Op, Program, Reduction, Turn, Var};
use riesz_linear::{LinearMap, Matrix, Relation, Space, Vector};
use riesz_primitive::scalar;
use rustc_hash::FxHashMap;

/// The map as a term, simplified: as the linear program makes it or by the entries of its matrix, whichever is applied
/// with less work; none where there is no term for what the program does, and no small matrix.
pub fn structure<'p>(
    program: &'p Program,
    machine: &mut Machine<'p, f64>,
    map: &Map<f64>,
) -> Result<Option<LinearMap>, Fault> {
    let mut terms = Terms { program, machine };
    match terms.map(map) {
        Ok(term) => {
            let term = term.simplify();
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

/// The map from the entries of its matrix that are not structurally zero.
fn from_entries(machine: &mut Machine<f64>, map: &Map<f64>) -> Result<Option<LinearMap>, Fault> {
    let (domain, codomain) = machine.spaces(map)?;
    let (domain, codomain) = (space(&domain), space(&codomain));
    let mut rows = vec![Vec::new(); codomain.dimension()];
    for (row, column, value) in machine.entries(map)? {
        rows[row].push((column, value));
    }
    Ok(by_rows(&codomain, &domain, &mut rows.iter()).ok().map(|map| map.simplify()))
}

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
}

/// The variables of a function while its linear program is run.
struct Frame<'p> {
    function: &'p Function,
    domain: Space,
    values: Vec<Value<f64>>,
    linear: FxHashMap<Var, LinearMap>,
}

/// `Σ coefficient · (variable, or an element of it)`
type Combination = Vec<(Var, Option<usize>, f64)>;

impl<'p> Terms<'p, '_> {
    fn map(&mut self, map: &Map<f64>) -> Result<LinearMap, Stop> {
        Ok(match map {
            Map::Functions { forward, captured, .. } => {
                // The point comes last among what a derivative captures: its space is the domain.
                let domain = captured.last().map(space).ok_or(Stop::NoTerm)?;
                let mut arguments: Vec<Argument> = captured.iter().cloned().map(Argument::Value).collect();
                arguments.push(Argument::Linear(LinearMap::identity(domain.clone())));
                self.call(*forward, arguments, &domain)?
            }
            Map::Table(table) => {
                let domain = space(&table.domain);
                by_rows(&space(&table.codomain), &domain, &mut table.rows.iter())?
            }
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
            Ok(self.operand(frame, body.result))
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

    /// An operand as a map; a value that is no map is zero.
    fn operand(&self, frame: &Frame, atom: Atom) -> LinearMap {
        match atom {
            Atom::Var(var) => match frame.linear.get(&var) {
                Some(map) => map.clone(),
                None => LinearMap::zero(frame.domain.clone(), space(&frame.values[var.0 as usize])),
            },
            Atom::Real(_) => LinearMap::zero(frame.domain.clone(), Space::Real),
            Atom::Int(_) | Atom::Bool(_) => LinearMap::zero(frame.domain.clone(), Space::product([])),
        }
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
        let maps = |terms: &Self, atoms: &[Atom]| -> Vec<LinearMap> {
            atoms.iter().map(|atom| terms.operand(frame, *atom)).collect()
        };
        Ok(match &binding.op {
            Op::Copy(a) => self.operand(frame, *a),
            Op::Plus(a, b) => self.operand(frame, *a).plus(&self.operand(frame, *b))?,
            Op::Scalar(primitive, arguments) => match arguments[..] {
                [a, b] if std::ptr::eq(*primitive, &scalar::ADD) => {
                    self.operand(frame, a).plus(&self.operand(frame, b))?
                }
                [a, b] if std::ptr::eq(*primitive, &scalar::SUB) => {
                    self.operand(frame, a).plus(&self.operand(frame, b).times(-1.0))?
                }
                [a] if std::ptr::eq(*primitive, &scalar::NEG) => self.operand(frame, a).times(-1.0),
                [a, b] if std::ptr::eq(*primitive, &scalar::EXACT_MUL) => {
                    let (coefficient, tangent) = if self.is_linear(frame, a) { (b, a) } else { (a, b) };
                    self.operand(frame, tangent).times(self.value(frame, coefficient).real())
                }
                _ => return Err(Stop::NoTerm),
            },
            Op::Index(array, index) => {
                let array = self.operand(frame, *array);
                let at = usize::try_from(self.value(frame, *index).int()).map_err(|_| Stop::NoTerm)?;
                LinearMap::project(at, array.codomain().clone())?.after(&array)?
            }
            Op::Project(tuple, at) => {
                let tuple = self.operand(frame, *tuple);
                LinearMap::project(*at, tuple.codomain().clone())?.after(&tuple)?
            }
            Op::Tuple(parts) if parts.is_empty() => LinearMap::zero(frame.domain.clone(), Space::product([])),
            Op::Tuple(parts) => LinearMap::fork(maps(self, parts))?,
            Op::Array(elements) if elements.is_empty() => return Err(Stop::NoTerm),
            Op::Array(elements) => LinearMap::fork_array(maps(self, elements))?,
            Op::Build(iteration) => self.build(frame, iteration)?,
            Op::Reduce(Reduction::Sum, iteration) => self.sum(frame, iteration)?,
            Op::If { condition, yes, no } => {
                let body = if self.value(frame, *condition).bool() { yes } else { no };
                self.body(frame, body)?
            }
            Op::Loop(Turn { state, start, count, index, body }) => {
                let mut map = self.operand(frame, *start);
                for at in 0..self.value(frame, *count).int() {
                    frame.values[index.0 as usize] = Value::Int(at);
                    frame.linear.insert(*state, map);
                    map = self.body(frame, body)?;
                }
                map
            }
            Op::Scan(Turn { state, start, count, index, body }) => {
                let mut map = self.operand(frame, *start);
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
                        true => Argument::Linear(self.operand(frame, *atom)),
                        false => Argument::Value(self.value(frame, *atom)),
                    })
                    .collect();
                self.call(*function, arguments, &frame.domain.clone())?
            }
            Op::ArrayFunction(primitive, arguments) => self.array_function(frame, primitive.name, arguments)?,
            _ => return Err(Stop::NoTerm),
        })
    }

    fn array_function(&mut self, frame: &Frame, name: &str, arguments: &[Atom]) -> Result<LinearMap, Stop> {
        let first = arguments[0];
        let integer =
            |terms: &Self, atom: Atom| usize::try_from(terms.value(frame, atom).int()).map_err(|_| Stop::NoTerm);
        let related = |relation: Relation, map: LinearMap| -> Result<LinearMap, Stop> {
            let Space::Array(_, element) = map.codomain() else { return Err(Stop::NoTerm) };
            Ok(LinearMap::reduce(relation, (**element).clone()).after(&map)?)
        };
        let size = |map: &LinearMap| match map.codomain() {
            Space::Array(size, _) => Ok(*size),
            _ => Err(Stop::NoTerm),
        };
        match name {
            "reverse" => {
                let map = self.operand(frame, first);
                related(Relation::reverse(size(&map)?), map)
            }
            "slice" => {
                let map = self.operand(frame, first);
                let (from, to) = (integer(self, arguments[1])?, integer(self, arguments[2])?);
                related(Relation::slice(from, to, size(&map)?)?, map)
            }
            "gather" => {
                let map = self.operand(frame, first);
                let indices: Vec<usize> =
                    self.value(frame, arguments[1]).elements().map(|at| at.int() as usize).collect();
                related(Relation::gather(indices, size(&map)?)?, map)
            }
            "scatter_add" => {
                let map = self.operand(frame, arguments[2]);
                let indices: Vec<usize> =
                    self.value(frame, arguments[1]).elements().map(|at| at.int() as usize).collect();
                related(Relation::scatter(indices, integer(self, first)?)?, map)
            }
            "exact dot" => {
                let (a, b) = (first, arguments[1]);
                match (self.is_linear(frame, a), self.is_linear(frame, b)) {
                    (false, true) => {
                        let map = self.operand(frame, b);
                        match (self.value(frame, a), map.codomain().clone()) {
                            (Value::Reals(v), Space::Array(_, element)) if *element == Space::Real => {
                                Ok(LinearMap::row(vector(&v)?).after(&map)?)
                            }
                            (Value::Values(rows), Space::Array(columns, element)) => {
                                let matrix = matrix(&rows, columns)?;
                                Ok(LinearMap::left(matrix, (*element).clone()).after(&map)?)
                            }
                            _ => Err(Stop::NoTerm),
                        }
                    }
                    (true, false) => {
                        let map = self.operand(frame, a);
                        match (self.value(frame, b), map.codomain().clone()) {
                            (Value::Reals(v), Space::Array(_, element)) if *element == Space::Real => {
                                Ok(LinearMap::row(vector(&v)?).after(&map)?)
                            }
                            (Value::Values(rows), Space::Array(size, element)) if *element == Space::Real => {
                                let columns = rows.first().map_or(0, Value::len);
                                let transposed = matrix(&rows, columns)?.transpose();
                                debug_assert_eq!(transposed.columns(), size);
                                Ok(LinearMap::left(transposed, Space::Real).after(&map)?)
                            }
                            _ => Err(Stop::NoTerm),
                        }
                    }
                    _ => Err(Stop::NoTerm),
                }
            }
            _ => Err(Stop::NoTerm),
        }
    }

    // ---- arrays and sums as a whole ----

    fn build(&mut self, frame: &mut Frame<'p>, iteration: &'p Iteration) -> Result<LinearMap, Stop> {
        let count = usize::try_from(self.value(frame, iteration.count).int()).map_err(|_| Stop::NoTerm)?;
        if let Some(rows) = self.combinations(frame, iteration, count)?
            && let Some(map) = layered(frame, &rows)?
        {
            return Ok(map);
        }
        let mut elements = Vec::with_capacity(count);
        for at in 0..count {
            frame.values[iteration.index.0 as usize] = Value::Int(at as i64);
            elements.push(self.body(frame, &iteration.body)?);
        }
        if elements.is_empty() {
            return Err(Stop::NoTerm);
        }
        Ok(LinearMap::fork_array(elements)?)
    }

    fn sum(&mut self, frame: &mut Frame<'p>, iteration: &'p Iteration) -> Result<LinearMap, Stop> {
        let count = usize::try_from(self.value(frame, iteration.count).int()).map_err(|_| Stop::NoTerm)?;
        if let Some(rows) = self.combinations(frame, iteration, count)? {
            return combined(frame, rows.into_iter().flatten());
        }
        let mut terms = Vec::with_capacity(count);
        for at in 0..count {
            frame.values[iteration.index.0 as usize] = Value::Int(at as i64);
            terms.push(self.body(frame, &iteration.body)?);
        }
        if terms.is_empty() {
            return Err(Stop::NoTerm);
        }
        Ok(LinearMap::add(terms)?)
    }

    /// What each turn of a body gives, as a combination of linear variables around it; none where the body does more
    /// than combine numbers.
    fn combinations(
        &mut self,
        frame: &mut Frame<'p>,
        iteration: &'p Iteration,
        count: usize,
    ) -> Result<Option<Vec<Combination>>, Stop> {
        let mut rows = Vec::with_capacity(count);
        for at in 0..count {
            frame.values[iteration.index.0 as usize] = Value::Int(at as i64);
            match self.combination(frame, &iteration.body, &mut FxHashMap::default())? {
                Some(row) => rows.push(row),
                None => return Ok(None),
            }
        }
        Ok(Some(rows))
    }

    fn combination(
        &mut self,
        frame: &mut Frame<'p>,
        body: &'p Body,
        inner: &mut FxHashMap<Var, Combination>,
    ) -> Result<Option<Combination>, Stop> {
        for binding in &body.bindings {
            if !uses(&binding.op, &|var| frame.linear.contains_key(&var) || inner.contains_key(&var)) {
                self.machine.bind(frame.function, &mut frame.values, binding)?;
                continue;
            }
            let known = |atom: Atom| -> Option<Combination> {
                match atom {
                    Atom::Var(var) => match (inner.get(&var), frame.linear.get(&var)) {
                        (Some(combination), _) => Some(combination.clone()),
                        (None, Some(map)) if *map.codomain() == Space::Real => Some(vec![(var, None, 1.0)]),
                        (None, Some(_)) => None,
                        (None, None) => Some(Vec::new()),
                    },
                    _ => Some(Vec::new()),
                }
            };
            let linear = |atom: Atom| matches!(atom, Atom::Var(var) if frame.linear.contains_key(&var) || inner.contains_key(&var));
            let scaled = |combination: Combination, factor: f64| -> Combination {
                combination.into_iter().map(|(var, at, c)| (var, at, exact(factor, c))).collect()
            };
            let result = match &binding.op {
                Op::Copy(a) => known(*a),
                Op::Index(Atom::Var(array), index) => match frame.linear.get(array) {
                    Some(map) if matches!(map.codomain(), Space::Array(_, element) if **element == Space::Real) => {
                        let at = usize::try_from(self.value(frame, *index).int()).map_err(|_| Stop::NoTerm)?;
                        Some(vec![(*array, Some(at), 1.0)])
                    }
                    _ => None,
                },
                Op::Plus(a, b) => known(*a).zip(known(*b)).map(|(a, b)| [a, b].concat()),
                Op::Scalar(primitive, arguments) => match arguments[..] {
                    [a, b] if std::ptr::eq(*primitive, &scalar::ADD) => {
                        known(a).zip(known(b)).map(|(a, b)| [a, b].concat())
                    }
                    [a, b] if std::ptr::eq(*primitive, &scalar::SUB) => {
                        known(a).zip(known(b)).map(|(a, b)| [a, scaled(b, -1.0)].concat())
                    }
                    [a] if std::ptr::eq(*primitive, &scalar::NEG) => known(a).map(|a| scaled(a, -1.0)),
                    [a, b] if std::ptr::eq(*primitive, &scalar::EXACT_MUL) => {
                        let (coefficient, tangent) = if linear(a) { (b, a) } else { (a, b) };
                        let factor = self.value(frame, coefficient).real();
                        known(tangent).map(|tangent| scaled(tangent, factor))
                    }
                    _ => None,
                },
                Op::If { condition, yes, no } => {
                    let body = if self.value(frame, *condition).bool() { yes } else { no };
                    self.combination(frame, body, inner)?
                }
                _ => None,
            };
            match result {
                Some(combination) => inner.insert(binding.var, combination),
                None => return Ok(None),
            };
        }
        Ok(match body.result {
            Atom::Var(var) => match (inner.get(&var), frame.linear.get(&var)) {
                (Some(combination), _) => Some(combination.clone()),
                (None, Some(map)) if *map.codomain() == Space::Real => Some(vec![(var, None, 1.0)]),
                (None, Some(_)) => None,
                (None, None) => matches!(frame.values[var.0 as usize], Value::Real(_)).then(Vec::new),
            },
            Atom::Real(_) => Some(Vec::new()),
            _ => None,
        })
    }
}

/// An argument of a linear function.
enum Argument {
    Value(Value<f64>),
    Linear(LinearMap),
}

/// An array whose elements all combine as many things of the same kinds, as a sum of whole maps.
fn layered(frame: &Frame, rows: &[Combination]) -> Result<Option<LinearMap>, Stop> {
    let Some(first) = rows.first() else { return Ok(None) };
    let alike = |row: &Combination| {
        row.len() == first.len() && row.iter().zip(first).all(|(a, b)| a.0 == b.0 && a.1.is_some() == b.1.is_some())
    };
    if first.is_empty() || !rows.iter().all(alike) {
        return Ok(None);
    }
    let mut layers = Vec::with_capacity(first.len());
    for (at, (var, element, _)) in first.iter().enumerate() {
        let coefficients: Vec<f64> = rows.iter().map(|row| row[at].2).collect();
        let of = frame.linear[var].clone();
        layers.push(match element {
            None => LinearMap::column(numbers(coefficients)?).after(&of)?,
            Some(_) => {
                let indices: Vec<usize> = rows.iter().map(|row| row[at].1.unwrap_or(0)).collect();
                let Space::Array(size, _) = of.codomain().clone() else { return Ok(None) };
                let gathered = match indices.len() == size && indices.iter().enumerate().all(|(i, j)| i == *j) {
                    true => of,
                    false => LinearMap::reduce(Relation::gather(indices, size)?, Space::Real).after(&of)?,
                };
                match coefficients.iter().all(|c| *c == 1.0) {
                    true => gathered,
                    false => LinearMap::diagonal(numbers(coefficients)?).after(&gathered)?,
                }
            }
        });
    }
    Ok(Some(if layers.len() == 1 { layers.remove(0) } else { LinearMap::add(layers)? }))
}

/// A sum of combinations: a covector for each array, a number for each number.
fn combined(frame: &Frame, terms: impl Iterator<Item = (Var, Option<usize>, f64)>) -> Result<LinearMap, Stop> {
    let mut order = Vec::new();
    let mut covectors: FxHashMap<Var, Vec<f64>> = FxHashMap::default();
    for (var, element, coefficient) in terms {
        let covector = covectors.entry(var).or_insert_with(|| {
            order.push(var);
            let size = match frame.linear[&var].codomain() {
                Space::Array(size, _) => *size,
                _ => 1,
            };
            vec![0.0; size]
        });
        covector[element.unwrap_or(0)] += coefficient;
    }
    let mut maps = Vec::with_capacity(order.len());
    for var in order {
        let of = &frame.linear[&var];
        let covector = covectors.remove(&var).unwrap_or_default();
        maps.push(match of.codomain() {
            Space::Array(..) => LinearMap::row(numbers(covector)?).after(of)?,
            _ => of.times(covector[0]),
        });
    }
    match maps.len() {
        0 => Ok(LinearMap::zero(frame.domain.clone(), Space::Real)),
        1 => Ok(maps.remove(0)),
        _ => Ok(LinearMap::add(maps)?),
    }
}

/// Whether an operation uses a variable of some kind, in its bodies too.
fn uses(op: &Op, test: &dyn Fn(Var) -> bool) -> bool {
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

/// The product in which zero times anything is zero.
fn exact(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// The tangent space at a value.
fn space(value: &Value<f64>) -> Space {
    match value {
        Value::Real(_) => Space::Real,
        Value::Tuple(parts) => Space::product(parts.iter().map(space)),
        Value::Reals(elements) => Space::reals(elements.len()),
        Value::Ints(elements) => Space::array(elements.len(), Space::product([])),
        Value::Values(elements) => Space::array(elements.len(), elements.first().map_or(Space::Real, space)),
        _ => Space::product([]),
    }
}

/// The map whose rows are given, into a space: a diagonal, a matrix, or row by row.
fn by_rows<'r>(codomain: &Space, domain: &Space, given: &mut dyn Iterator<Item = &'r Row>) -> Result<LinearMap, Stop> {
    let several = |spaces: &mut dyn Iterator<Item = &Space>, given: &mut dyn Iterator<Item = &'r Row>| {
        spaces.map(|space| by_rows(space, domain, given)).collect::<Result<Vec<LinearMap>, Stop>>()
    };
    let columns = domain.dimension();
    Ok(match codomain {
        Space::Real => {
            let entries = given.next().ok_or(Stop::NoTerm)?;
            let mut row = vec![0.0; columns];
            entries.iter().for_each(|(column, entry)| row[*column] = *entry);
            match domain {
                Space::Real => LinearMap::scale(row[0], Space::Real),
                _ => LinearMap::row(Vector::new(domain.clone(), row)?),
            }
        }
        Space::Array(0, _) => LinearMap::zero(domain.clone(), codomain.clone()),
        Space::Array(count, element) if **element == Space::Real && *domain == Space::reals(columns) => {
            let rows: Vec<&Row> = given.take(*count).collect();
            if *count == columns && rows.iter().enumerate().all(|(at, row)| row.iter().all(|(column, _)| *column == at))
            {
                let entries = rows.iter().map(|row| row.first().map_or(0.0, |(_, entry)| *entry));
                return Ok(LinearMap::diagonal(Vector::of_reals(entries.collect::<Vec<f64>>())));
            }
            if count.saturating_mul(columns) > MOST_ENTRIES {
                return Err(Stop::NoTerm);
            }
            let mut entries = vec![0.0; count * columns];
            for (at, row) in rows.into_iter().enumerate() {
                row.iter().for_each(|(column, entry)| entries[at * columns + column] = *entry);
            }
            LinearMap::left(Matrix::new(*count, columns, entries)?, Space::Real)
        }
        _ if codomain.dimension().saturating_mul(columns) > MOST_ENTRIES => return Err(Stop::NoTerm),
        Space::Array(count, element) => {
            LinearMap::fork_array(several(&mut std::iter::repeat_n(&**element, *count), given)?)?
        }
        Space::Product(parts) if parts.is_empty() => LinearMap::zero(domain.clone(), codomain.clone()),
        Space::Product(parts) => LinearMap::fork(several(&mut parts.iter(), given)?)?,
    })
}

/// The entries of a row that are not structurally zero, by columns.
type Row = Vec<(usize, f64)>;

fn vector(values: &[f64]) -> Result<Vector, Stop> {
    numbers(values.to_vec())
}

fn numbers(values: Vec<f64>) -> Result<Vector, Stop> {
    let space = Space::reals(values.len());
    Ok(Vector::new(space, values)?)
}

fn matrix(rows: &[Value<f64>], columns: usize) -> Result<Matrix, Stop> {
    let values: Vec<f64> = rows.iter().flat_map(|row| row.elements().map(|x| x.real()).collect::<Vec<_>>()).collect();
    Ok(Matrix::new(rows.len(), columns, values)?)
}
