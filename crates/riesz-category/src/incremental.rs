//! Incremental evaluation: `newtype a ⇝ b = a → b × (Δa → Δb)`, with memory.   [C. Elliott, Compiling to Categories, 2017]
//!
//! A function gives its value, and an update for changes of its argument. A change says which parts are new; values
//! that no change reaches are not computed again, and an operation whose result stays the same passes no change on. The
//! work of an update is therefore that of the operations between the change and the result, which
//! [`Context::evaluated`] counts.
//!
//! ```text
//!   Δ(g ∘ f) = Δg ∘ Δf      Δ(f △ g) = Δf △ Δg      Δ ex = ex      Δ (K c) = nothing
//! ```

mod repeat;

use crate::category::{Cartesian, Category};
use crate::closure::Closure;
use crate::combinator::{Combinators, Constant, Operation};
use crate::derivative::{Context, component};
use crate::interpret::{Form, Interpreted, Later, Programs, Table, interpret};
use riesz_core::evaluate::{Fault, Map, Value};
use riesz_core::order::Orders;
use riesz_core::term::{OnMaps, Op};
use riesz_core::{FunctionId, Type};
use riesz_linear::Space;
use riesz_syntax::{Diagnostic, Span};
use std::rc::Rc;

/// The category of functions that can be told of changes.
pub struct Incremental;

/// The change of a value.
#[derive(Clone, Debug)]
pub enum Change {
    /// Nothing.
    Same,
    /// Some parts of a tuple or elements of an array, each at most once.
    At(Vec<(usize, Change)>),
    /// Everything: the value is this now.
    New(Value<f64>),
}

/// A function from the change of the argument to the change of the result.
type Update = Box<dyn FnMut(&Change) -> Result<Change, Fault>>;

type Started = Result<(Value<f64>, Update), Fault>;

/// A function that can be started at an argument.
#[derive(Clone)]
pub struct Responsive(Closure<Value<f64>, Started>);

/// A program that has been evaluated, and waits for changes.
pub struct Running {
    /// Its value.
    pub value: Value<f64>,
    context: Rc<Context>,
    update: Update,
    /// The definitions to which later calls refer.
    _definitions: Option<Interpreted<Responsive>>,
}

impl Running {
    /// Evaluates the first of some combinators at an argument: one as it is, several as their tuple.
    ///
    /// # Errors
    /// The fault with which the program has no value.
    pub fn new(combinators: &Combinators, context: &Rc<Context>, argument: Value<f64>) -> Result<Running, Fault> {
        let read = interpret::<Incremental>(combinators, context);
        let Some(function) = read.main() else {
            return Err(Box::new(Diagnostic::placeless("no-combinator", "there are no combinators to evaluate")));
        };
        let running = function.running(context, argument)?;
        Ok(Running { _definitions: Some(read), ..running })
    }

    /// Tells of a change of the argument, and says how many operations were evaluated again.
    ///
    /// # Errors
    /// Where there is no value any more.
    pub fn change(&mut self, change: &Change) -> Result<u64, Fault> {
        let before = self.context.evaluated();
        let change = (self.update)(change)?;
        self.value = change.apply(&self.value);
        Ok(self.context.evaluated() - before)
    }
}

impl Change {
    fn is_same(&self) -> bool {
        match self {
            Change::Same => true,
            Change::At(parts) => parts.iter().all(|(_, change)| change.is_same()),
            Change::New(_) => false,
        }
    }

    /// The change of a part.
    pub fn part(&self, index: usize) -> Change {
        match self {
            Change::Same => Change::Same,
            Change::At(parts) => {
                parts.iter().find(|(at, _)| *at == index).map_or(Change::Same, |(_, change)| change.clone())
            }
            Change::New(value) => Change::New(component(value, index)),
        }
    }

    /// The value after the change.
    pub fn apply(&self, before: &Value<f64>) -> Value<f64> {
        match self {
            Change::Same => before.clone(),
            Change::New(value) => value.clone(),
            Change::At(parts) => {
                let with = |mut values: Vec<Value<f64>>| {
                    for (at, change) in parts {
                        if let Some(slot) = values.get_mut(*at) {
                            *slot = change.apply(slot);
                        }
                    }
                    values
                };
                match before {
                    Value::Tuple(values) => Value::Tuple(with(values.to_vec()).into()),
                    Value::Reals(_) => {
                        Value::reals(with(before.elements().collect()).iter().map(Value::real).collect())
                    }
                    Value::Ints(_) => Value::ints(with(before.elements().collect()).iter().map(Value::int).collect()),
                    Value::Values(values) => Value::values(with(values.to_vec())),
                    other => other.clone(),
                }
            }
        }
    }

    /// Changes of parts, as a change of the whole.
    fn of_parts(parts: impl IntoIterator<Item = Change>) -> Change {
        let changed: Vec<(usize, Change)> =
            parts.into_iter().enumerate().filter(|(_, change)| !change.is_same()).collect();
        if changed.is_empty() { Change::Same } else { Change::At(changed) }
    }
}

impl Responsive {
    fn new(start: impl Fn(Value<f64>) -> Started + 'static) -> Responsive {
        Responsive(Closure::new(start))
    }

    /// Starts it at an argument, in a context that counts what is done.
    ///
    /// # Errors
    /// The fault with which the program has no value there.
    pub fn running(&self, context: &Rc<Context>, argument: Value<f64>) -> Result<Running, Fault> {
        let (value, update) = self.start(argument)?;
        Ok(Running { value, context: context.clone(), update, _definitions: None })
    }

    fn start(&self, argument: Value<f64>) -> Started {
        self.0.call(argument)
    }

    /// One whose changes are found by looking at the value of its argument alone.
    fn direct(
        value: impl Fn(&Value<f64>) -> Value<f64> + 'static,
        change: impl Fn(&Change) -> Change + 'static,
    ) -> Self {
        let change = Rc::new(change);
        Responsive::new(move |argument| {
            let change = change.clone();
            Ok((value(&argument), Box::new(move |of: &Change| Ok(change(of)))))
        })
    }

    /// One that restarts at every change.
    fn anew(&self) -> Responsive {
        let inner = self.clone();
        Responsive::new(move |mut argument| {
            let inner = inner.clone();
            let (value, _) = inner.start(argument.clone())?;
            let update = move |change: &Change| {
                if change.is_same() {
                    return Ok(Change::Same);
                }
                argument = change.apply(&argument);
                Ok(Change::New(inner.start(argument.clone())?.0))
            };
            Ok((value, Box::new(update)))
        })
    }
}

impl Category for Incremental {
    type Object = Space;
    type Morphism = Responsive;

    fn identity(_: &Space) -> Responsive {
        Responsive::direct(Value::clone, Change::clone)
    }

    fn compose(_: &Space, path: Vec<Responsive>) -> Responsive {
        Responsive::new(move |mut value| {
            let mut updates = Vec::with_capacity(path.len());
            for f in &path {
                let (next, update) = f.start(value)?;
                value = next;
                updates.push(update);
            }
            let update = move |change: &Change| {
                let mut change = change.clone();
                for update in &mut updates {
                    if change.is_same() {
                        return Ok(Change::Same);
                    }
                    change = update(&change)?;
                }
                Ok(change)
            };
            Ok((value, Box::new(update)))
        })
    }

    fn after(g: Responsive, f: Responsive) -> Responsive {
        Self::compose(&Space::product([]), vec![f, g])
    }
}

impl Cartesian for Incremental {
    fn product(parts: Vec<Space>) -> Space {
        Space::product(parts)
    }

    fn power(n: usize, a: &Space) -> Space {
        crate::category::power(n, a)
    }

    fn cross(maps: Vec<Responsive>) -> Responsive {
        let parts = maps.into_iter().enumerate().map(|(at, f)| Self::after(f, Self::path(&[at])));
        Self::tuple(parts.collect())
    }

    fn project(index: usize, _: &Space) -> Responsive {
        Self::path(&[index])
    }

    fn duplicate(n: usize, a: &Space) -> Responsive {
        Self::tuple(vec![Self::identity(a); n])
    }

    fn each(maps: Vec<Responsive>) -> Responsive {
        Self::after(as_array(), Self::cross(maps))
    }

    fn replicate(n: usize, a: &Space) -> Responsive {
        Self::after(as_array(), Self::duplicate(n, a))
    }

    fn fork(_: &Space, maps: Vec<Responsive>) -> Responsive {
        Self::tuple(maps)
    }
}

/// A tuple of values that are alike, as an array.
fn as_array() -> Responsive {
    Responsive::direct(
        |tuple| crate::derivative::array(tuple.parts().to_vec()),
        |change| match change {
            Change::New(tuple) => Change::New(crate::derivative::array(tuple.parts().to_vec())),
            change => change.clone(),
        },
    )
}

impl Programs for Incremental {
    type Context = Rc<Context>;

    fn tuple(parts: Vec<Responsive>) -> Responsive {
        Responsive::new(move |argument| {
            let started = parts.iter().map(|f| f.start(argument.clone())).collect::<Result<Vec<_>, Fault>>()?;
            let (values, mut updates): (Vec<_>, Vec<_>) = started.into_iter().unzip();
            let update = move |change: &Change| {
                let changes = updates.iter_mut().map(|update| update(change)).collect::<Result<Vec<_>, Fault>>()?;
                Ok(Change::of_parts(changes))
            };
            Ok((Value::Tuple(values.into()), Box::new(update)))
        })
    }

    fn sequence(path: Vec<Responsive>) -> Responsive {
        Self::compose(&Space::product([]), path)
    }

    fn path(indices: &[usize]) -> Responsive {
        let (path, same_path) = (indices.to_vec(), indices.to_vec());
        Responsive::direct(
            move |value| path.iter().fold(value.clone(), |value, index| component(&value, *index)),
            move |change| same_path.iter().fold(change.clone(), |change, index| change.part(*index)),
        )
    }

    fn constant(constant: Constant) -> Responsive {
        let value = match constant {
            Constant::Real(value) => Value::Real(value),
            Constant::Int(value) => Value::Int(value),
            Constant::Bool(value) => Value::Bool(value),
        };
        Responsive::direct(move |_| value.clone(), |_| Change::Same)
    }

    fn operation(context: &Rc<Context>, operation: &Operation) -> Responsive {
        let (context, operation) = (context.clone(), Rc::new(operation.clone()));
        Responsive::new(move |mut argument| {
            let (context, operation) = (context.clone(), operation.clone());
            let mut result = context.evaluate(&operation, &argument)?;
            let first = result.clone();
            let update = move |change: &Change| {
                if change.is_same() {
                    return Ok(Change::Same);
                }
                let old = std::mem::replace(&mut argument, Value::Zero);
                argument = change.apply(&old);
                // An element that is read elsewhere than where an array has changed is what it was.
                if let Op::Index(..) = operation.op()
                    && change.part(1).is_same()
                    && usize::try_from(component(&argument, 1).int()).is_ok_and(|at| change.part(0).part(at).is_same())
                {
                    return Ok(Change::Same);
                }
                let before = std::mem::replace(&mut result, Value::Zero);
                result = context.evaluate(&operation, &argument)?;
                Ok(if before.same(&result) { Change::Same } else { Change::New(result.clone()) })
            };
            Ok((first, Box::new(update)))
        })
    }

    fn conditional(yes: Responsive, no: Responsive) -> Responsive {
        Responsive::new(move |mut argument| {
            let branches = [no.clone(), yes.clone()];
            let mut taken = component(&argument, 0).bool();
            let (value, mut inner) = branches[usize::from(taken)].start(component(&argument, 1))?;
            let update = move |change: &Change| {
                argument = change.apply(&argument);
                let now = component(&argument, 0).bool();
                if now == taken {
                    return inner(&change.part(1));
                }
                taken = now;
                let (value, update) = branches[usize::from(taken)].start(component(&argument, 1))?;
                inner = update;
                Ok(Change::New(value))
            };
            Ok((value, Box::new(update)))
        })
    }

    fn repeat(context: &Rc<Context>, form: Form, parts: Vec<Responsive>, span: Span) -> Responsive {
        repeat::repeat(context, form, parts, span)
    }

    fn call(context: &Rc<Context>, definition: Later<Responsive>, span: Span) -> Responsive {
        let context = context.clone();
        Responsive::new(move |argument| {
            context.deeper(span, || match definition.get() {
                Some(body) => body.start(argument),
                None => Err(lost(span)),
            })
        })
    }

    fn closure(function: FunctionId) -> Responsive {
        made(move |captured| {
            Value::Closure(Rc::new(riesz_core::evaluate::Closure::new(function, captured.parts().to_vec())))
        })
    }

    fn map(forward: FunctionId, reverse: FunctionId) -> Responsive {
        made(move |captured| {
            Value::Map(Map::Functions { forward, reverse, captured: captured.parts().to_vec() }.share())
        })
    }

    fn on_maps(_: &Rc<Context>, _: Table<Responsive>, _: OnMaps, _: &Orders, span: Span) -> Responsive {
        Responsive::new(move |_| Err(lost(span)))
    }

    fn taylor(context: &Rc<Context>, element: Type, span: Span) -> Responsive {
        let context = context.clone();
        let all = Responsive::new(move |operands| {
            let value = context.series(&operands, &element, span)?;
            Ok((value, Box::new(|_: &Change| Ok(Change::Same))))
        });
        all.anew()
    }

    fn apply(context: &Rc<Context>, definitions: Table<Responsive>, span: Span) -> Responsive {
        let context = context.clone();
        let apply = Responsive::new(move |argument| {
            let Value::Closure(closure) = component(&argument, 0) else { return Err(lost(span)) };
            let body = definitions.find(closure.function).ok_or_else(|| lost(span))?;
            let mut arguments = closure.captured().to_vec();
            arguments.push(component(&argument, 1));
            let argument = if arguments.len() == 1 { arguments.remove(0) } else { Value::Tuple(arguments.into()) };
            context.deeper(span, || body.start(argument))
        });
        apply.anew()
    }

    fn global(context: &Rc<Context>, number: usize) -> Responsive {
        let value = context.globals.get(number).cloned().unwrap_or(Value::Zero);
        Responsive::direct(move |_| value.clone(), |_| Change::Same)
    }
}

/// A value made of captured values, and made again if one of them changes.
fn made(make: impl Fn(&Value<f64>) -> Value<f64> + 'static) -> Responsive {
    let make = Rc::new(make);
    Responsive::new(move |mut captured| {
        let (value, make) = (make(&captured), make.clone());
        let update = move |change: &Change| {
            captured = change.apply(&captured);
            Ok(if change.is_same() { Change::Same } else { Change::New(make(&captured)) })
        };
        Ok((value, Box::new(update)))
    })
}

fn lost(span: Span) -> Fault {
    let message = "a function is called that is not among the combinators, or a linear map used as a value";
    Box::new(
        Diagnostic::error("no-combinator", span, message)
            .help("incremental evaluation needs known functions, and derivatives that are applied where they are made"),
    )
}
