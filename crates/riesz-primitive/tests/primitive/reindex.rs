//! Functions that move elements: their index functions stay in range, their form tells what they are, and the adjoints
//! that rows state are the converse relations.

use std::convert::Infallible;

use riesz_primitive::array::{Adjoint, Array, Backward, Bounds, Direction, Indexing, Indices, Reindex};
use riesz_primitive::{Primitive, table};

/// An argument, as far as an index function sees it.
#[derive(Clone, Debug)]
enum Argument {
    Array(i64),
    Integer(i64),
    Integers(Vec<i64>),
}

struct Sample<'a>(&'a [Argument]);

impl Indexing for Sample<'_> {
    type Value = i64;
    type Error = Infallible;

    fn constant(&mut self, value: i64) -> i64 {
        value
    }

    fn length(&mut self, argument: usize) -> Result<i64, Infallible> {
        Ok(match &self.0[argument] {
            Argument::Array(length) => *length,
            Argument::Integers(integers) => integers.len() as i64,
            Argument::Integer(_) => panic!("an integer has no length"),
        })
    }

    fn integer(&mut self, argument: usize) -> Result<i64, Infallible> {
        match &self.0[argument] {
            Argument::Integer(value) => Ok(*value),
            other => panic!("{other:?} is no integer"),
        }
    }

    fn element(&mut self, argument: usize, at: i64) -> Result<i64, Infallible> {
        match &self.0[argument] {
            Argument::Integers(integers) => Ok(integers[at as usize]),
            other => panic!("{other:?} has no elements"),
        }
    }

    fn apply(&mut self, primitive: &'static Primitive, a: i64, b: i64) -> Result<i64, Infallible> {
        Ok(integer(primitive, &[a, b]))
    }
}

fn integer(primitive: &'static Primitive, arguments: &[i64]) -> i64 {
    let function = primitive.scalar().and_then(|row| row.integer).expect("a function of integers");
    (function.value)(arguments).unwrap_or_else(|| panic!("{primitive:?} is defined on {arguments:?}"))
}

fn rows() -> impl Iterator<Item = (&'static Primitive, &'static Reindex)> {
    table().iter().filter_map(|row| match row.array() {
        Some(Array::Reindex(reindex)) => Some((*row, reindex)),
        _ => None,
    })
}

/// Arguments of the types of a signature, for every array of up to four elements and a range of integers.
fn samples(row: &Primitive) -> Vec<Vec<Argument>> {
    let text = row.signatures[0].trim_start_matches('(').split("): ").next().expect("parameters");
    let types: Vec<&str> = text.split(", ").map(|parameter| parameter.split(": ").nth(1).expect("a type")).collect();
    let mut samples = vec![Vec::new()];
    for ty in types {
        let choices: Vec<Argument> = match ty {
            "Int" => (-6..7).chain([i64::MIN, i64::MAX]).map(Argument::Integer).collect(),
            "[k]Int" => [vec![], vec![0], vec![1, 1], vec![2, 0, 1], vec![3, 2, 0, 0]].map(Argument::Integers).into(),
            _ => (0..5).map(Argument::Array).collect(),
        };
        let extend = |sample: Vec<Argument>| {
            choices.iter().map(move |choice| sample.iter().cloned().chain([choice.clone()]).collect()).collect()
        };
        samples = samples.into_iter().flat_map(|sample| -> Vec<Vec<Argument>> { extend(sample) }).collect();
    }
    samples
}

/// Whether the language would go on with these arguments: ranges and indices that are checked hold, and sizes agree.
fn is_valid(reindex: &Reindex, arguments: &[Argument]) -> bool {
    let mut sample = Sample(arguments);
    let Ok(length) = sample.length(reindex.array);
    if let Bounds::Range(from, to) = reindex.bounds {
        let (Ok(from), Ok(to)) = (sample.integer(from), sample.integer(to));
        return 0 <= from && from <= to && to <= length;
    }
    let scattered =
        |argument: &Argument| matches!(argument, Argument::Integers(indices) if indices.len() as i64 != length);
    if reindex.direction == Direction::Scatter && arguments.iter().any(scattered) {
        return false;
    }
    let (Ok(range), Ok(indices)) = (reindex.range(&mut sample), reindex.indices(&mut sample));
    (0..100).contains(&range) && (reindex.bounds != Bounds::Each || indices.outside(range as usize).is_none())
}

/// The pairs of an element of the argument and an element of the result.
fn pairs(reindex: &Reindex, arguments: &[Argument]) -> Vec<(i64, i64)> {
    let Ok(indices) = reindex.indices(&mut Sample(arguments));
    let pairs = indices.iter().zip(0..).map(|(index, at)| match reindex.direction {
        Direction::Gather => (index, at),
        Direction::Scatter => (at, index),
    });
    let mut pairs: Vec<(i64, i64)> = pairs.collect();
    pairs.sort_unstable();
    pairs
}

fn term(adjoint: &Adjoint, arguments: &[Argument], cotangent: i64) -> Argument {
    match adjoint {
        Adjoint::Cotangent => Argument::Array(cotangent),
        Adjoint::Argument(at) => arguments[*at].clone(),
        Adjoint::LowerTriangle(_) => panic!("a triangle moves no elements"),
        Adjoint::Apply(primitive, terms) => {
            let terms = terms.iter().map(|adjoint| match term(adjoint, arguments, cotangent) {
                Argument::Integer(value) => value,
                other => panic!("{primitive:?} of {other:?}"),
            });
            Argument::Integer(integer(primitive, &terms.collect::<Vec<_>>()))
        }
    }
}

#[test]
fn index_functions_stay_in_range() {
    for (row, reindex) in rows() {
        let mut tried = 0;
        for arguments in samples(row).iter().filter(|arguments| is_valid(reindex, arguments)) {
            let mut sample = Sample(arguments);
            let (Ok(range), Ok(indices)) = (reindex.range(&mut sample), reindex.indices(&mut sample));
            assert_eq!(indices.outside(range as usize), None, "{row:?} {arguments:?}");
            // A line has the values of the function.
            if let Indices::Line { .. } = indices {
                for (at, index) in indices.iter().enumerate() {
                    assert_eq!(reindex.index.evaluate(at as i64, &mut sample), Ok(index), "{row:?} {arguments:?}");
                }
            }
            tried += 1;
        }
        assert!(tried > 4, "{row:?} was tried on {tried} samples");
    }
}

/// `red_R* = red_Rᵀ`   [003 Thm 6.5]
#[test]
fn adjoints_are_converse_relations() {
    for (row, reindex) in rows() {
        for arguments in samples(row).iter().filter(|arguments| is_valid(reindex, arguments)) {
            let mut sample = Sample(arguments);
            let Ok(count) = reindex.count(&mut sample);
            let mut back = match &reindex.adjoint {
                Backward::Parts => continue,
                Backward::Inverse(inverse) => {
                    let Ok(length) = sample.length(reindex.array);
                    let from = |at: i64| (inverse.evaluate(at, &mut Sample(arguments)).expect("an index"), at);
                    (0..length).map(from).collect()
                }
                Backward::Term(Adjoint::Apply(back, terms)) => {
                    let Some(Array::Reindex(back)) = back.array() else { panic!("{row:?}: {back:?} moves nothing") };
                    let given: Vec<Argument> = terms.iter().map(|adjoint| term(adjoint, arguments, count)).collect();
                    pairs(back, &given)
                }
                Backward::Term(other) => panic!("{row:?}: {other:?} moves nothing"),
            };
            let mut converse: Vec<(i64, i64)> = pairs(reindex, arguments).into_iter().map(|(x, y)| (y, x)).collect();
            back.sort_unstable();
            converse.sort_unstable();
            assert_eq!(back, converse, "{row:?} {arguments:?}");
        }
    }
}
