//! Random points of a function: first sizes, then arguments of the resulting types.

use super::probe::{Parameter, Probe};
use super::random::Random;
use crate::{Type, Value};
use riesz_core::size::Atom;
use riesz_core::{GlobalId, Size, Var};
use std::collections::HashMap;

/// The most numbers a point may have.
const LARGEST: usize = 20_000;
/// The largest size that is taken from the types of the program.
const LARGEST_CONSTANT: i64 = 64;

/// Where real numbers are drawn from. Many functions have a domain: positive numbers, probabilities, matrices that can
/// be factorised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// -1.5 to 1.5
    Line,
    /// 0.2 to 1.7
    Positive,
    /// 0.05 to 0.95
    Unit,
    /// Positive, and square matrices are symmetric and positive definite.
    Definite,
    /// 1 to 4
    Large,
}

/// The domains, in the order they are tried.
pub const DOMAINS: [Domain; 5] = [Domain::Line, Domain::Positive, Domain::Definite, Domain::Unit, Domain::Large];

/// A point: what the function captures, and what it varies with.
#[derive(Clone, Debug)]
pub struct Point {
    /// The sizes, and the arguments that do not vary.
    pub captured: Vec<Value>,
    /// The argument that varies; a tuple of several.
    pub argument: Value,
    /// The numbers of the argument, in order.
    pub numbers: Vec<f64>,
}

/// Draws points of a function.
pub struct Sampler<'a> {
    probe: &'a Probe,
    /// Sizes that the program speaks of, above those that are tried anyway.
    constants: Vec<i64>,
}

impl<'a> Sampler<'a> {
    /// For the points of a function.
    pub fn new(probe: &'a Probe) -> Sampler<'a> {
        let mut constants = Vec::new();
        for function in probe.program.reachable(&[probe.value]).functions {
            for var in &probe.program.function(function).vars {
                constants.extend(var.ty.sizes().into_iter().filter_map(|size| match size {
                    Size::Constant(constant) if (5..=LARGEST_CONSTANT).contains(&constant) => Some(constant),
                    _ => None,
                }));
            }
        }
        constants.sort_unstable();
        constants.dedup();
        Sampler { probe, constants }
    }

    /// A point with sizes of its own; none where they do not fit, such as `n - 2` for an `n` of 1.
    pub fn point(&self, domain: Domain, random: &mut Random) -> Option<Point> {
        let mut integers = HashMap::new();
        for parameter in &self.probe.parameters {
            if parameter.ty == Type::Int {
                integers.insert(parameter.var, self.integer(parameter, random));
            }
        }
        let mut draw = Draw { probe: self.probe, integers, domain, random, left: LARGEST };
        let (mut captured, mut varying) = (Vec::new(), Vec::new());
        for parameter in &self.probe.parameters {
            let value = match draw.integers.get(&parameter.var) {
                Some(&integer) => Value::Int(integer),
                None => draw.value(&parameter.ty)?,
            };
            if parameter.varies { varying.push(value) } else { captured.push(value) }
        }
        let argument = if varying.len() == 1 { varying.remove(0) } else { Value::Tuple(varying.into()) };
        Some(Point::new(captured, argument))
    }

    /// The same sizes and integers with other real numbers.
    pub fn again(&self, point: &Point, random: &mut Random) -> Point {
        let argument = point.argument.map_reals(&mut |&number| number * random.between(0.6, 1.1));
        Point::new(point.captured.clone(), argument)
    }

    fn integer(&self, parameter: &Parameter, random: &mut Random) -> i64 {
        match (parameter.is_size, &self.constants[..]) {
            // Most are indices or counts of something small.
            (false, _) if random.below(8) == 0 => random.below(20) as i64,
            (false, _) => random.below(5) as i64,
            (true, [_, ..]) if random.below(4) == 0 => *random.one_of(&self.constants),
            (true, _) => 1 + random.below(4) as i64,
        }
    }
}

impl Point {
    fn new(captured: Vec<Value>, argument: Value) -> Point {
        let mut numbers = Vec::new();
        argument.visit_reals(&mut |number| numbers.push(*number));
        Point { captured, argument, numbers }
    }
}

/// Draws the values of one point.
struct Draw<'a> {
    probe: &'a Probe,
    integers: HashMap<Var, i64>,
    domain: Domain,
    random: &'a mut Random,
    /// How many numbers it may still take.
    left: usize,
}

impl Draw<'_> {
    fn value(&mut self, ty: &Type) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        Some(match ty {
            Type::Real => Value::Real(self.real()),
            Type::Int if self.random.below(8) == 0 => Value::Int(self.random.below(20) as i64),
            Type::Int => Value::Int(self.random.below(3) as i64),
            Type::Bool => Value::Bool(self.random.below(2) == 1),
            Type::Array(size, element) => {
                let size = self.size(size)?;
                if let (Domain::Definite, Type::Array(columns, inner)) = (self.domain, &**element)
                    && **inner == Type::Real
                    && self.size(columns)? == size
                {
                    return self.definite(size);
                }
                let elements: Option<Vec<Value>> = (0..size).map(|_| self.value(element)).collect();
                Value::array(element, elements?)
            }
            Type::Tuple(_) | Type::Record(_) => {
                let parts: Option<Vec<Value>> = ty.components()?.iter().map(|part| self.value(part)).collect();
                Value::Tuple(parts?.into())
            }
            _ => return None,
        })
    }

    fn real(&mut self) -> f64 {
        match self.domain {
            Domain::Line => self.random.between(-1.5, 1.5),
            Domain::Positive | Domain::Definite => self.random.between(0.2, 1.7),
            Domain::Unit => self.random.between(0.05, 0.95),
            Domain::Large => self.random.between(1.0, 4.0),
        }
    }

    fn size(&self, size: &Size) -> Option<usize> {
        let value = size.evaluate(&mut |atom| match atom {
            Atom::Var(var) => self.integers.get(&var).copied(),
            Atom::Global(GlobalId(at)) => match self.probe.globals.get(at as usize) {
                Some(Some(Value::Int(value))) => Some(*value),
                _ => None,
            },
            Atom::Parameter(_) | Atom::Unknown(_) => None,
        })?;
        usize::try_from(value).ok().filter(|&size| size <= self.left)
    }

    /// A symmetric matrix whose diagonal outweighs the rest.
    fn definite(&mut self, size: usize) -> Option<Value> {
        self.left = self.left.checked_sub(size * size)?;
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(size);
        for row in 0..size {
            let mut numbers = self.random.vector(size);
            for (column, above) in rows.iter().enumerate() {
                numbers[column] = above[row];
            }
            numbers[row] = size as f64 + self.random.between(0.2, 1.2);
            rows.push(numbers);
        }
        Some(Value::values(rows.into_iter().map(Value::reals).collect()))
    }
}
