//! Calls with borrowed numbers: slices in, the caller's buffers out, and no allocations except those of the code.

use crate::code::{Code, Function, Stop};
use crate::interface::{Argument, Borrowed, Interface, Leaf, Misfit, Output, ResultBuffer, Word};
use crate::marshal::{Arguments, Words, number, slice};
use riesz_core::GlobalId;
use riesz_core::evaluate::{Limits, Value};
use riesz_program::Precision;
use riesz_program::Signature;

/// Why a call wrote nothing, or not all.
#[derive(Clone, Debug)]
pub enum Refused {
    /// The arguments or the buffers do not fit the function.
    Misfit(Misfit),
    /// The run stopped.
    Stop(Stop),
}

impl From<Misfit> for Refused {
    fn from(misfit: Misfit) -> Refused {
        Refused::Misfit(misfit)
    }
}

/// The number of words and sizes of a call that need no memory of their own.
const FEW: usize = 32;

/// A function of a library that is ready to be called: what it takes and gives, and the globals that it needs.
#[derive(Debug)]
pub struct Call {
    function: Function,
    interface: Interface,
    /// The globals, behind the arguments.
    globals: Words,
}

impl Call {
    /// The parameters and the result of the function.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }
}

impl Code {
    /// Makes a function ready to be called, from any thread: the names of its parameters, sizes first, of which there are
    /// `sizes`, and the values of globals. An error says why it cannot be called so.
    pub fn ready_to_call(
        &self,
        function: &Function,
        names: &[String],
        sizes: usize,
        global: &dyn Fn(GlobalId) -> Option<Value<f64>>,
    ) -> Result<Call, String> {
        let Signature { parameters, result, globals, .. } = &function.signature;
        let interface = Interface::new(names, sizes, parameters, result, global)?;
        let values: Option<Vec<Value<f64>>> = globals.iter().map(|(id, _)| global(*id)).collect();
        let values = values.ok_or("the value of a top-level `let` that it needs is not known")?;
        let globals = Arguments::copied(values.iter().zip(globals.iter().map(|(_, ty)| ty)), self.precision);
        Ok(Call { function: function.clone(), interface, globals })
    }

    /// Calls a function of this library with borrowed arguments, and writes its result to buffers.
    pub fn call_with(
        &self,
        Call { function, interface, globals }: &Call,
        arguments: &[Argument],
        outputs: &mut [Output],
        limits: &Limits,
    ) -> Result<(), Refused> {
        interface.fit_outputs(outputs)?;
        self.with_words(interface, globals, arguments, |words| {
            let mut write = |results: &[u64]| self.write(interface, results, outputs);
            self.exactly(function, words, limits, &mut write).map_err(Refused::Stop)?.map_err(Refused::Misfit)
        })
    }

    /// The result of a function of this library for borrowed arguments, as a value.
    pub fn value_with(
        &self,
        Call { function, interface, globals }: &Call,
        arguments: &[Argument],
        limits: &Limits,
    ) -> Result<Value<f64>, Refused> {
        self.with_words(interface, globals, arguments, |words| {
            self.value_of(function, words, limits).map_err(Refused::Stop)
        })
    }

    /// Calls a function of this library with borrowed arguments, and drops its result: for clocks.
    pub fn run_with(
        &self,
        Call { function, interface, globals }: &Call,
        arguments: &[Argument],
        limits: &Limits,
    ) -> Result<(), Refused> {
        self.with_words(interface, globals, arguments, |words| {
            self.exactly(function, words, limits, |_| ()).map_err(Refused::Stop)
        })
    }

    /// The most bytes that the buffers of a call take at one time.
    pub fn bytes_with(
        &self,
        Call { function, interface, globals }: &Call,
        arguments: &[Argument],
        limits: &Limits,
    ) -> Result<u64, Refused> {
        self.with_words(interface, globals, arguments, |words| {
            self.bytes_of(function, words, limits).map_err(Refused::Stop)
        })
    }

    /// Arguments as the words that code takes.
    fn with_words<T>(
        &self,
        interface: &Interface,
        globals: &Words,
        arguments: &[Argument],
        work: impl FnOnce(&[u64]) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        let (mut few_sizes, mut many_sizes) = ([0i64; FEW], Vec::new());
        let sizes = room(&mut few_sizes, &mut many_sizes, interface.sizes());
        interface.fit(arguments, sizes)?;
        // Each step gives two words at most.
        let most = 2 * interface.words.len() + globals.words.len();
        let (mut few, mut many) = ([0u64; FEW], Vec::new());
        let mut pushed = Pushed { words: room(&mut few, &mut many, most), count: 0 };
        let mut singles: Vec<Vec<f32>> = Vec::new();
        for word in &interface.words {
            match *word {
                Word::Size(size) => pushed.push(sizes[size] as u64),
                Word::Length(leaf, axis) => pushed.push(arguments[leaf].axis(axis) as u64),
                Word::Number(leaf) | Word::Elements(leaf) => match (arguments[leaf].elements, self.precision) {
                    (Borrowed::Real(number), Precision::Double) => pushed.push(number.to_bits()),
                    (Borrowed::Real(number), Precision::Single) => pushed.push(u64::from((number as f32).to_bits())),
                    (Borrowed::Int(number), _) => pushed.push(number as u64),
                    (Borrowed::Bool(truth), _) => pushed.push(u64::from(truth)),
                    (Borrowed::Reals(elements), Precision::Double) => pushed.elements(elements),
                    (Borrowed::Reals(elements), Precision::Single) => {
                        singles.push(elements.iter().map(|number| *number as f32).collect());
                        singles.last().into_iter().for_each(|elements| pushed.elements(elements));
                    }
                    (Borrowed::Ints(elements), _) => pushed.elements(elements),
                    (Borrowed::Bools(elements), _) => pushed.elements(elements),
                },
            }
        }
        globals.words.iter().for_each(|word| pushed.push(*word));
        work(&pushed.words[..pushed.count])
    }

    /// Copies the words of a result, and the elements that they point to, to buffers.
    fn write(&self, interface: &Interface, results: &[u64], outputs: &mut [Output]) -> Result<(), Misfit> {
        let leaves = interface.results().iter().zip(&interface.places).zip(outputs);
        for (at, ((Leaf { rank, .. }, &word), output)) in leaves.enumerate() {
            let given = output.len();
            let needed = if *rank == 0 { 1 } else { results[word + 1] as usize };
            if needed != given {
                return Err(Misfit::OutputLength { at, needed, given });
            }
            let first = results[word];
            // The words are those of a result of the function, whose buffers are there until all is written.
            match (&mut output.0, *rank, self.precision) {
                (ResultBuffer::Reals(to), 0, precision) => to[0] = number(first, precision),
                (ResultBuffer::Ints(to), 0, _) => to[0] = first as i64,
                (ResultBuffer::Bools(to), 0, _) => to[0] = first != 0,
                (ResultBuffer::Reals(to), _, Precision::Double) => {
                    to.copy_from_slice(unsafe { slice(first, 0, needed) })
                }
                (ResultBuffer::Reals(to), _, Precision::Single) => {
                    let from = unsafe { slice::<f32>(first, 0, needed) };
                    to.iter_mut().zip(from).for_each(|(to, from)| *to = f64::from(*from));
                }
                (ResultBuffer::Ints(to), ..) => to.copy_from_slice(unsafe { slice(first, 0, needed) }),
                (ResultBuffer::Bools(to), ..) => to.copy_from_slice(unsafe { slice(first, 0, needed) }),
            }
        }
        Ok(())
    }
}

/// Words, and how many have been pushed.
struct Pushed<'r> {
    words: &'r mut [u64],
    count: usize,
}

impl Pushed<'_> {
    fn push(&mut self, word: u64) {
        self.words[self.count] = word;
        self.count += 1;
    }

    fn elements<T>(&mut self, elements: &[T]) {
        self.push(elements.as_ptr() as u64);
        self.push(elements.len() as u64);
    }
}

/// Room for a number of words: in the frame of the call where they are few.
fn room<'r, T: Copy + Default>(few: &'r mut [T; FEW], many: &'r mut Vec<T>, count: usize) -> &'r mut [T] {
    match few.get_mut(..count) {
        Some(few) => few,
        None => {
            many.resize(count, T::default());
            many
        }
    }
}
