//! Arrays and sums as a whole: `[cᵢ · dxᵢ | i < n] = diagonal c ∘ x`, `[cᵢ · dx | i < n] = c ⊗ x`,
//! `Σᵢ cᵢ · dxᵢ = ⟨c, x⟩`.   [003 §8]

use super::array::numbers;
use super::{Frame, Stop, Terms};
use riesz_core::evaluate::Value;
use riesz_core::term::{Atom, Body, Iteration, Op, Var};
use riesz_linear::{LinearMap, Relation, Space};
use riesz_primitive::scalar;
use rustc_hash::FxHashMap;

/// `Σ coefficient · (variable, or an element of it)`
type Combination = Vec<(Var, Option<usize>, f64)>;

impl<'p> Terms<'p, '_> {
    pub(super) fn build(&mut self, frame: &mut Frame<'p>, iteration: &'p Iteration) -> Result<LinearMap, Stop> {
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

    pub(super) fn sum(&mut self, frame: &mut Frame<'p>, iteration: &'p Iteration) -> Result<LinearMap, Stop> {
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
    pub(super) fn combinations(
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

    pub(super) fn combination(
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
pub(super) fn uses(op: &Op, test: &dyn Fn(Var) -> bool) -> bool {
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
