//! The interface between a caller and a function: borrowed numbers for its arguments and its result.
//!
//! ```text
//! leaves (R)         = [number]
//! leaves ([m][n]R)   = [array of two axes]
//! leaves (A, B)      = leaves A ++ leaves B                 of a record, in the order in which its fields are declared
//! leaves ([n](A, B)) = leaves ([n]A) ++ leaves ([n]B)
//! ```
//!
//! An [`Interface`] is made once for a function. It records the leaves of the parameters and of the result, the axis
//! that determines each size, and the words that native code takes; a call then only reads and writes slices.

mod borrowed;
mod misfit;

pub use borrowed::{Argument, Output};
pub(crate) use borrowed::{Borrowed, ResultBuffer};
pub use misfit::Misfit;

use riesz_core::GlobalId;
use riesz_core::evaluate::Value;
use riesz_core::size::{Atom, Size};
use riesz_core::term::Var;
use riesz_core::types::Type;
use riesz_program::layout::{Passing, kind_of};
use riesz_program::program::Kind;

/// A leaf of a parameter or of the result: a number, or an array of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The path to the leaf, as a user would write it: `x`, `model.weights`, `pair.0`.
    pub path: String,
    /// Its type, as a user would write it, such as `[n]R`.
    pub ty: String,
    /// How many axes it has; none for a number.
    pub rank: usize,
    pub(crate) kind: Kind,
    /// The sizes of its axes.
    sizes: Vec<Size>,
}

/// A word that native code takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {
    /// A size, by its position.
    Size(usize),
    /// A number, by its leaf.
    Number(usize),
    /// How long an axis of a leaf is.
    Length(usize, usize),
    /// Two words: where the elements of a leaf are, and how many.
    Elements(usize),
}

/// How a size follows from the arguments: `(length − offset) / factor` of an axis of a leaf.
#[derive(Clone, Debug)]
struct Solved {
    leaf: usize,
    axis: usize,
    offset: i64,
    factor: i64,
}

/// How borrowed numbers stand for the arguments and the result of a function.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The types of the parameters, sizes first.
    parameters: Vec<Type>,
    result: Type,
    arguments: Vec<Leaf>,
    results: Vec<Leaf>,
    sizes: Vec<Solved>,
    /// `Int` parameters: their variables and their leaves.
    integers: Vec<(u32, usize)>,
    /// The axes whose lengths have to be what their types say.
    checked: Vec<(usize, usize, Size)>,
    pub(crate) words: Vec<Word>,
    /// For each leaf of the result, which word of native code it is, or which two.
    pub(crate) places: Vec<usize>,
}

impl Interface {
    /// The interface of a function: the names and types of its parameters, the first of which are sizes, and the type
    /// of its result.
    /// `global` is the value of a global. An error says what has no leaves.
    pub fn new(
        names: &[String],
        sizes: usize,
        parameters: &[Type],
        result: &Type,
        global: &dyn Fn(GlobalId) -> Option<Value<f64>>,
    ) -> Result<Interface, String> {
        let name = |atom: Atom| match atom {
            Atom::Var(var) => names.get(var.0 as usize).cloned().unwrap_or_else(|| "_".into()),
            _ => "_".into(),
        };
        let known = |ty: &Type| {
            ty.map_sizes(&mut |size| {
                size.replace(&mut |atom| match atom {
                    Atom::Global(id) => global(id).map_or(Size::Hole, |value| Size::Constant(value.int())),
                    atom => Size::Atom(atom),
                })
            })
        };
        let (mut arguments, mut integers, mut words) = (Vec::new(), Vec::new(), Vec::new());
        words.extend((0..sizes).map(Word::Size));
        let mut leaf = 0;
        for (at, (path, ty)) in names.iter().zip(parameters).enumerate().skip(sizes) {
            if *ty == Type::Int {
                integers.push((at as u32, arguments.len()));
            }
            if ty.any(&mut |part| matches!(part, Type::Array(_, element) if count(element) == 0)) {
                return Err(format!("`{path}` is an array of values without numbers, so its size cannot be passed"));
            }
            leaves(path, &known(ty), &mut Vec::new(), &name, &mut arguments)?;
            words_of(ty, 0, leaf, &mut words);
            leaf += count(ty);
        }
        let mut results = Vec::new();
        leaves("", &known(result), &mut Vec::new(), &name, &mut results)?;
        let mut places = vec![0; results.len()];
        places_of(result, false, 0, &mut 0, &mut places);
        let solved = names.iter().take(sizes).enumerate().map(|(at, size)| {
            solved(Var(at as u32), &arguments)
                .ok_or_else(|| format!("the size `{size}` does not follow from the sizes of the passed arrays"))
        });
        let sizes = solved.collect::<Result<Vec<Solved>, String>>()?;
        let mut checked = Vec::new();
        for (leaf, Leaf { sizes, .. }) in arguments.iter().enumerate() {
            let axes = sizes.iter().enumerate().filter(|(_, size)| **size != Size::Hole);
            checked.extend(axes.map(|(axis, size)| (leaf, axis, size.clone())));
        }
        let (parameters, result) = (parameters.to_vec(), result.clone());
        Ok(Interface { parameters, result, arguments, results, sizes, integers, checked, words, places })
    }

    /// The leaves of the parameters, in the order in which they are passed.
    pub fn arguments(&self) -> &[Leaf] {
        &self.arguments
    }

    /// The leaves of the result, in the order of the buffers for them.
    pub fn results(&self) -> &[Leaf] {
        &self.results
    }

    /// Looks whether arguments fit, and finds the sizes that they have; returns how many it has written.
    pub(crate) fn fit(&self, arguments: &[Argument], sizes: &mut [i64]) -> Result<(), Misfit> {
        if arguments.len() != self.arguments.len() {
            return Err(Misfit::Arguments { expected: self.arguments.len(), given: arguments.len() });
        }
        for (at, (argument, leaf)) in arguments.iter().zip(&self.arguments).enumerate() {
            if argument.kind() != leaf.kind || argument.rank() != leaf.rank || !argument.is_whole() {
                return Err(self.unlike(at, argument));
            }
        }
        for (solved, size) in self.sizes.iter().zip(sizes.iter_mut()) {
            let length = arguments[solved.leaf].axis(solved.axis) as i64 - solved.offset;
            if length % solved.factor != 0 || length / solved.factor < 0 {
                return Err(self.wrong_length(solved.leaf, solved.axis, &arguments[solved.leaf]));
            }
            *size = length / solved.factor;
        }
        let sizes = &*sizes;
        let mut value = |atom: Atom| match atom {
            Atom::Var(var) if (var.0 as usize) < self.sizes.len() => sizes.get(var.0 as usize).copied(),
            Atom::Var(var) => self.integers.iter().find(|(integer, _)| *integer == var.0).and_then(|(_, leaf)| {
                match arguments[*leaf].elements {
                    Borrowed::Int(number) => Some(number),
                    _ => None,
                }
            }),
            _ => None,
        };
        for (leaf, axis, size) in &self.checked {
            let expected = match size {
                Size::Constant(constant) => Some(*constant),
                size => size.evaluate(&mut value),
            };
            if expected != Some(arguments[*leaf].axis(*axis) as i64) {
                return Err(self.wrong_length(*leaf, *axis, &arguments[*leaf]));
            }
        }
        Ok(())
    }

    #[cold]
    fn unlike(&self, at: usize, argument: &Argument) -> Misfit {
        let leaf = &self.arguments[at];
        let kind = match argument.kind() {
            Kind::Real => "R",
            Kind::Int => "Int",
            Kind::Bool => "Bool",
        };
        let given = match argument.rank() {
            0 => kind.to_string(),
            rank => format!("{}{kind}", "[_]".repeat(rank)),
        };
        let problem = match argument.is_whole() {
            true => format!("`{}` is of type {}, and {given} is passed", leaf.path, leaf.ty),
            false => {
                format!("the shape of `{}` is not that of the {} elements", leaf.path, argument.len().unwrap_or(1))
            }
        };
        Misfit::Argument { at, problem }
    }

    #[cold]
    fn wrong_length(&self, at: usize, axis: usize, argument: &Argument) -> Misfit {
        let Leaf { path, ty, .. } = &self.arguments[at];
        let length = argument.axis(axis);
        let problem = match argument.rank() {
            1 => format!("`{path}` is of type {ty}, and an array of {length} elements does not fit the others"),
            _ => format!("`{path}` is of type {ty}, and {length} elements along axis {axis} do not fit the others"),
        };
        Misfit::Argument { at, problem }
    }

    /// How many sizes the function takes.
    pub(crate) fn sizes(&self) -> usize {
        self.sizes.len()
    }

    /// Looks whether there is a buffer of the right kind for each leaf of the result.
    pub(crate) fn fit_outputs(&self, outputs: &[Output]) -> Result<(), Misfit> {
        if outputs.len() != self.results.len() {
            return Err(Misfit::Outputs { expected: self.results.len(), given: outputs.len() });
        }
        for (at, (output, leaf)) in outputs.iter().zip(&self.results).enumerate() {
            if output.kind() != leaf.kind {
                return Err(Misfit::OutputKind { at, expected: leaf.ty.clone() });
            }
        }
        Ok(())
    }

    /// Arguments as values of the interpreter, sizes first.
    pub fn values(&self, arguments: &[Argument]) -> Result<Vec<Value<f64>>, Misfit> {
        let mut sizes = vec![0; self.sizes.len()];
        self.fit(arguments, &mut sizes)?;
        let mut values: Vec<Value<f64>> = sizes.into_iter().map(Value::Int).collect();
        let mut leaf = 0;
        for ty in &self.parameters[self.sizes.len()..] {
            values.push(value(ty, arguments, leaf, 0, 0));
            leaf += count(ty);
        }
        Ok(values)
    }

    /// Writes a value of the interpreter to buffers.
    pub fn write(&self, value: &Value<f64>, outputs: &mut [Output]) -> Result<(), Misfit> {
        self.fit_outputs(outputs)?;
        let mut written = vec![0; outputs.len()];
        write(value, &self.result, 0, outputs, &mut written);
        for (at, (needed, output)) in written.into_iter().zip(outputs).enumerate() {
            if needed != output.len() {
                return Err(Misfit::OutputLength { at, needed, given: output.len() });
            }
        }
        Ok(())
    }
}

/// Collects the leaves of a type; the sizes are those of the arrays around it.
fn leaves(
    path: &str,
    ty: &Type,
    sizes: &mut Vec<Size>,
    name: &dyn Fn(Atom) -> String,
    found: &mut Vec<Leaf>,
) -> Result<(), String> {
    let inside = |part: &str| if path.is_empty() { part.to_string() } else { format!("{path}.{part}") };
    match ty {
        Type::Array(size, element) => {
            sizes.push(size.clone());
            leaves(path, element, sizes, name, found)?;
            sizes.pop();
            Ok(())
        }
        Type::Tuple(parts) => {
            let mut parts = parts.iter().enumerate();
            parts.try_for_each(|(at, part)| leaves(&inside(&at.to_string()), part, sizes, name, found))
        }
        Type::Record(record) => {
            let mut declared = record.shown.iter().map(|at| &record.fields[*at as usize]);
            declared.try_for_each(|(field, part)| leaves(&inside(field), part, sizes, name, found))
        }
        _ => {
            let kind = kind_of(ty).filter(|_| *ty != Type::Kept);
            let kind = kind.ok_or_else(|| match path {
                "" => "the result holds a function or a linear map".to_string(),
                path => format!("`{path}` holds a function or a linear map"),
            })?;
            let array = sizes.iter().rev().fold(ty.clone(), |ty, size| Type::array(size.clone(), ty));
            let ty = array.show(name, &|_| "_".into());
            found.push(Leaf { path: path.to_string(), ty, rank: sizes.len(), kind, sizes: sizes.clone() });
            Ok(())
        }
    }
}

/// How many leaves a type has.
fn count(ty: &Type) -> usize {
    match ty {
        Type::Array(_, element) => count(element),
        Type::Tuple(_) | Type::Record(_) => ty.components().unwrap_or_default().iter().map(count).sum(),
        _ => 1,
    }
}

/// The components of a tuple or a record in the order of their values, each with the first of its leaves.
fn parts_of(ty: &Type, leaf: usize) -> impl Iterator<Item = (Type, usize)> {
    let parts = ty.components().unwrap_or_default();
    let declared: Vec<usize> = match ty {
        Type::Record(record) => record.shown.iter().map(|at| *at as usize).collect(),
        _ => (0..parts.len()).collect(),
    };
    let (mut next, mut leaves) = (leaf, vec![leaf; parts.len()]);
    for at in declared {
        leaves[at] = next;
        next += count(&parts[at]);
    }
    parts.into_iter().zip(leaves)
}

/// How a size follows from the leaves: from an axis that is as long as it, or else from one that is a multiple of it and a
/// constant.
fn solved(var: Var, leaves: &[Leaf]) -> Option<Solved> {
    let axes = leaves.iter().enumerate().flat_map(|(leaf, of)| {
        of.sizes.iter().enumerate().filter_map(move |(axis, size)| {
            let (mut factor, mut offset) = (0, 0);
            for monomial in size.monomials() {
                match monomial.factors() {
                    [] => offset = monomial.coefficient(),
                    [Atom::Var(only)] if *only == var => factor = monomial.coefficient(),
                    _ => return None,
                }
            }
            (factor != 0).then_some(Solved { leaf, axis, offset, factor })
        })
    });
    axes.min_by_key(|solved| (solved.factor != 1 || solved.offset != 0, solved.leaf, solved.axis))
}

/// The words for an argument of a type, from its leaves.
fn words_of(ty: &Type, axis: usize, leaf: usize, words: &mut Vec<Word>) {
    match ty {
        Type::Array(size, element) => {
            if Passing::Argument.with_length(size) {
                words.push(Word::Length(leaf, axis));
            }
            words_of(element, axis + 1, leaf, words);
        }
        Type::Tuple(_) | Type::Record(_) => {
            parts_of(ty, leaf).for_each(|(part, leaf)| words_of(&part, axis, leaf, words));
        }
        _ => words.push(if axis == 0 { Word::Number(leaf) } else { Word::Elements(leaf) }),
    }
}

/// Where the leaves of a result of a type are among its words, in which every array has its length.
fn places_of(ty: &Type, inside: bool, leaf: usize, word: &mut usize, places: &mut [usize]) {
    match ty {
        Type::Array(_, element) => {
            *word += 1;
            places_of(element, true, leaf, word, places);
        }
        Type::Tuple(_) | Type::Record(_) => {
            parts_of(ty, leaf).for_each(|(part, leaf)| places_of(&part, inside, leaf, word, places));
        }
        _ => {
            places[leaf] = *word;
            *word += if inside { 2 } else { 1 };
        }
    }
}

/// The value of a type from its leaves, at a position among the elements of the arrays around it.
fn value(ty: &Type, arguments: &[Argument], leaf: usize, axis: usize, at: usize) -> Value<f64> {
    match ty {
        Type::Array(_, element) => {
            let len = arguments[leaf].axis(axis);
            match (&**element, arguments[leaf].elements) {
                (Type::Real, Borrowed::Reals(elements)) => Value::reals(elements[at * len..][..len].to_vec()),
                (Type::Int, Borrowed::Ints(elements)) => Value::ints(elements[at * len..][..len].to_vec()),
                _ => {
                    let elements = (at * len..(at + 1) * len).map(|at| value(element, arguments, leaf, axis + 1, at));
                    Value::array(element, elements.collect())
                }
            }
        }
        Type::Tuple(_) | Type::Record(_) => {
            Value::Tuple(parts_of(ty, leaf).map(|(part, leaf)| value(&part, arguments, leaf, axis, at)).collect())
        }
        _ => match arguments[leaf].elements {
            Borrowed::Real(number) => Value::Real(number),
            Borrowed::Int(number) => Value::Int(number),
            Borrowed::Bool(truth) => Value::Bool(truth),
            Borrowed::Reals(elements) => Value::Real(elements[at]),
            Borrowed::Ints(elements) => Value::Int(elements[at]),
            Borrowed::Bools(elements) => Value::Bool(elements[at]),
        },
    }
}

/// Writes a value behind what has been written to its leaves, as far as there is room, and counts.
fn write(from: &Value<f64>, ty: &Type, leaf: usize, outputs: &mut [Output], written: &mut [usize]) {
    fn put<T>(to: &mut [T], at: usize, element: T) {
        if let Some(place) = to.get_mut(at) {
            *place = element;
        }
    }
    match ty {
        Type::Array(_, element) if count(element) == 0 => {}
        Type::Array(_, element) => match (from, &mut outputs[leaf].0) {
            (Value::Reals(elements), ResultBuffer::Reals(to)) if **element == Type::Real => {
                let start = written[leaf];
                if let Some(to) = to.get_mut(start..start + elements.len()) {
                    to.copy_from_slice(elements);
                }
                written[leaf] += elements.len();
            }
            _ => from.elements().for_each(|part| write(&part, element, leaf, outputs, written)),
        },
        Type::Tuple(_) | Type::Record(_) => {
            for (part, (ty, leaf)) in from.parts().iter().zip(parts_of(ty, leaf)) {
                write(part, &ty, leaf, outputs, written);
            }
        }
        _ => {
            let at = written[leaf];
            match &mut outputs[leaf].0 {
                ResultBuffer::Reals(to) => put(to, at, from.real()),
                ResultBuffer::Ints(to) => put(to, at, from.int()),
                ResultBuffer::Bools(to) => put(to, at, from.bool()),
            }
            written[leaf] += 1;
        }
    }
}
