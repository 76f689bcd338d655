//! Graphs: a program as boxes and wires.   [004 Fig. 2 to 5, 8, 9, 11, 12; C. Elliott, Compiling to Categories, 2017, §7]
//!
//! A morphism of this category draws: it takes wires, adds boxes to a sheet, and gives wires. The same operation on the
//! same wires is drawn once, so the picture shows the sharing in the program.
//!
//! ```text
//!   g ∘ f: first f, then g      f △ g: both on the same wires      ex: the wires of a part      K c: a box without inputs
//! ```
//!
//! A loop is a frame: a box that contains the body. Wires enter and leave it through ends, which are the index, the
//! state, or an element.

mod dot;
mod layout;
mod node;
mod sheet;
mod svg;

pub use layout::{Area, Bend, Layout};
pub use node::{Frame, Graph, Kind, Node, Purpose, Role};
pub use sheet::{Sheet, Wire};

use riesz_category::category::{Cartesian, Category};
use riesz_category::closure::Closure;
use riesz_category::combinator::{Combinators, Constant, Operation};
use riesz_category::interpret::{Form, Interpreted, Later, Programs, Table, interpret};
use riesz_core::order::Orders;
use riesz_core::term::OnMaps;
use riesz_core::{FunctionId, Size, Type};
use riesz_linear::Space;
use riesz_syntax::Span;
use std::cell::Cell;

/// The category of drawings.
pub struct Graphs;

/// The picture to draw of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// `x ↦ f x`
    Value,
    /// `x ↦ (f x, D f x)`, where the derivative is a box from tangents to tangents.   [004 Fig. 4, 5]
    Derivative,
    /// `x ↦ (f x, (D f x)ᵀ)`, where the adjoint is a box from cotangents to cotangents.   [004 Fig. 8, 9]
    Adjoint,
    /// `x ↦ (f x, ∇f x)`   [004 Fig. 11, 12]
    Gradient,
}

/// Where wires enter and leave a function.
#[derive(Clone, Debug)]
pub struct Ends {
    /// The names and types of its parameters.
    pub parameters: Vec<(String, Type)>,
    /// Which of them vary, in a derivative.
    pub active: Vec<bool>,
    /// The type of its value.
    pub result: Type,
}

/// Draws combinators: those of a function, or those that compute what is wanted of it. With a derivative as a box, they
/// take the parameters that do not vary, then the point, which is the others.
pub fn draw(combinators: &Combinators, ends: &Ends, of: Of) -> Graph {
    let Ends { parameters, active, result } = ends;
    let sheet = Sheet::new();
    let names = |(name, _): &(_, _)| ToString::to_string(name);
    let context = Names {
        definitions: combinators.definitions.iter().map(|definition| definition.name.to_string()).collect(),
        globals: combinators.globals.iter().map(names).collect(),
        inline: of != Of::Value,
    };
    let read = interpret::<Graphs>(combinators, &context);
    let Some(main) = read.main() else { return sheet.graph.take() };
    let input = |(name, ty): &(String, Type)| Wire::Node(sheet.end(name, Vec::new(), Purpose::Input, Some(ty.clone())));
    let inputs: Vec<Wire> = parameters.iter().map(input).collect();
    let varying: Vec<&(String, Type)> =
        parameters.iter().zip(active).filter(|(_, active)| **active).map(|(parameter, _)| parameter).collect();
    let is_boxed = matches!(of, Of::Derivative | Of::Adjoint);
    let argument = match is_boxed {
        false => inputs,
        true => {
            let part = |wanted: bool| inputs.iter().zip(active).filter(move |(_, active)| **active == wanted);
            let point = Wire::together(part(true).map(|(input, _)| input.clone()).collect());
            part(false).map(|(input, _)| input.clone()).chain([point]).collect()
        }
    };
    let found = main.on(&sheet, Wire::together(argument));
    let value = if of == Of::Value { found.clone() } else { sheet.part(&found, 0) };
    let mut outputs = Vec::new();
    name_outputs(&value, Some(result), None, &mut outputs);
    // From a vector of the parameters that vary, by name, or to one.
    let by_parameter = |sheet: &Sheet, vector: &Wire, outputs: &mut Vec<(String, usize)>| {
        for (at, (name, _)) in varying.iter().enumerate() {
            let part = if varying.len() == 1 { vector.clone() } else { sheet.part(vector, at) };
            name_outputs(&part, None, Some(&format!("∂{name}")), outputs);
        }
    };
    if of == Of::Gradient {
        by_parameter(&sheet, &sheet.part(&found, 1), &mut outputs);
    }
    if is_boxed {
        let inside = sheet.inside(if of == Of::Adjoint { "adjoint" } else { "derivative" }, Role::Derivative);
        let given = |name: &str, ty: Option<Type>| inside.end(name, Vec::new(), Purpose::Input, ty);
        let direction = match of {
            Of::Adjoint => cotangents(&value, result, &mut outputs.iter(), &given),
            _ => Wire::together(
                varying.iter().map(|(name, ty)| Wire::Node(given(&format!("d{name}"), Some(ty.tangent())))).collect(),
            ),
        };
        let mut results = Vec::new();
        if let Some(image) = inside.apply_map(&read, &sheet.part(&found, 1), direction, of == Of::Adjoint) {
            match of {
                Of::Adjoint => by_parameter(&inside, &image, &mut results),
                _ => name_outputs(&image, Some(result), None, &mut results),
            }
        }
        for (name, node) in results {
            let name = if of == Of::Adjoint { name } else { format!("d{name}") };
            inside.end(&name, vec![node], Purpose::Output, None);
        }
    }
    // Outputs come last, so that they stand in order.
    for (name, node) in outputs {
        sheet.end(&name, vec![node], Purpose::Output, None);
    }
    let graph = sheet.graph.take();
    graph.without_dead_ends()
}

/// The cotangent of a value: an end for each of its outputs that varies, which has the output's name.
fn cotangents<'n>(
    value: &Wire,
    ty: &Type,
    names: &mut impl Iterator<Item = &'n (String, usize)>,
    end: &dyn Fn(&str, Option<Type>) -> usize,
) -> Wire {
    match value {
        Wire::Node(_) => match names.next() {
            Some((name, _)) if ty.varies() => Wire::Node(end(&format!("∂{name}"), Some(ty.tangent()))),
            _ => Wire::Parts(Vec::new()),
        },
        Wire::Parts(parts) => {
            let types = ty.components().unwrap_or_default();
            Wire::Parts(parts.iter().zip(&types).map(|(part, ty)| cotangents(part, ty, names, end)).collect())
        }
    }
}

/// The name of an output that is the whole result.
const WHOLE: &str = "out";

/// The outputs with their names: those of the fields of a record, the numbers of the parts of a tuple, after the name of the
/// whole if it has one of its own.
fn name_outputs(wire: &Wire, ty: Option<&Type>, whole: Option<&str>, outputs: &mut Vec<(String, usize)>) {
    match wire {
        Wire::Node(node) => outputs.push((whole.unwrap_or(WHOLE).to_string(), *node)),
        Wire::Parts(parts) => {
            for (at, part) in parts.iter().enumerate() {
                let (name, part_ty) = match ty {
                    Some(ty) => (node::field(ty, at), ty.components().and_then(|parts| parts.get(at).cloned())),
                    None => (at.to_string(), None),
                };
                let full = match (whole, ty) {
                    (None, Some(Type::Record(_))) => name,
                    _ => format!("{} {name}", whole.unwrap_or(WHOLE)),
                };
                name_outputs(part, part_ty.as_ref(), Some(&full), outputs);
            }
        }
    }
}

/// How to call what is called.
#[derive(Default)]
pub struct Names {
    definitions: Vec<String>,
    globals: Vec<String>,
    /// Whether calls are drawn as what they call.
    inline: bool,
}

/// A function that draws, given wires.
#[derive(Clone)]
pub struct Drawing(Closure<(Sheet, Wire), Wire>);

impl Drawing {
    fn new(draw: impl Fn(&Sheet, Wire) -> Wire + 'static) -> Drawing {
        Drawing(Closure::new(move |(sheet, wire)| draw(&sheet, wire)))
    }

    /// Draws on a sheet of its own, from inputs of the form of a space.
    pub fn alone(&self, from: &Space) -> Graph {
        fn inputs(sheet: &Sheet, space: &Space) -> Wire {
            match space {
                Space::Real => Wire::Node(sheet.end("in", Vec::new(), Purpose::Input, Some(Type::Real))),
                space => Wire::Parts(space.parts().map(|part| inputs(sheet, part)).collect()),
            }
        }
        let sheet = Sheet::new();
        let argument = inputs(&sheet, from);
        for node in self.on(&sheet, argument).nodes() {
            sheet.end(WHOLE, vec![node], Purpose::Output, None);
        }
        sheet.graph.take()
    }

    fn on(&self, sheet: &Sheet, wire: Wire) -> Wire {
        self.0.call((sheet.clone(), wire))
    }
}

impl Category for Graphs {
    type Object = Space;
    type Morphism = Drawing;

    fn identity(_: &Space) -> Drawing {
        Drawing::new(|_, wire| wire)
    }

    fn compose(_: &Space, path: Vec<Drawing>) -> Drawing {
        Drawing::new(move |sheet, wire| path.iter().fold(wire, |wire, f| f.on(sheet, wire)))
    }

    fn after(g: Drawing, f: Drawing) -> Drawing {
        Self::compose(&Space::product([]), vec![f, g])
    }
}

impl Cartesian for Graphs {
    fn product(parts: Vec<Space>) -> Space {
        Space::product(parts)
    }

    fn power(n: usize, a: &Space) -> Space {
        riesz_category::category::power(n, a)
    }

    fn cross(maps: Vec<Drawing>) -> Drawing {
        let parts = maps.into_iter().enumerate().map(|(at, f)| Self::after(f, Self::path(&[at])));
        Self::tuple(parts.collect())
    }

    fn project(index: usize, _: &Space) -> Drawing {
        Self::path(&[index])
    }

    fn duplicate(n: usize, _: &Space) -> Drawing {
        Drawing::new(move |_, wire| Wire::Parts(vec![wire; n]))
    }

    fn each(maps: Vec<Drawing>) -> Drawing {
        Self::cross(maps)
    }

    fn replicate(n: usize, a: &Space) -> Drawing {
        Self::duplicate(n, a)
    }
}

impl Programs for Graphs {
    type Context = Names;

    fn tuple(parts: Vec<Drawing>) -> Drawing {
        Drawing::new(move |sheet, wire| Wire::Parts(parts.iter().map(|part| part.on(sheet, wire.clone())).collect()))
    }

    fn sequence(path: Vec<Drawing>) -> Drawing {
        Self::compose(&Space::product([]), path)
    }

    fn path(indices: &[usize]) -> Drawing {
        let indices = indices.to_vec();
        Drawing::new(move |sheet, wire| indices.iter().fold(wire, |wire, index| sheet.part(&wire, *index)))
    }

    fn constant(constant: Constant) -> Drawing {
        let (label, ty) = match constant {
            Constant::Real(value) => (riesz_core::evaluate::show_real(value), Type::Real),
            Constant::Int(value) => (value.to_string(), Type::Int),
            Constant::Bool(value) => (value.to_string(), Type::Bool),
        };
        Drawing::new(move |sheet, _| {
            Wire::Node(sheet.node(&label, Vec::new(), Kind::Constant(constant), Some(ty.clone())))
        })
    }

    fn operation(_: &Names, operation: &Operation) -> Drawing {
        let operation = operation.clone();
        Drawing::new(move |sheet, wire| {
            let operands: Vec<usize> = match (&wire, operation.arity()) {
                (Wire::Parts(parts), arity) if arity != 1 => parts.iter().map(|part| sheet.bundle(part)).collect(),
                (wire, _) => vec![sheet.bundle(wire)],
            };
            Wire::Node(sheet.operation(&operation, operands))
        })
    }

    fn conditional(yes: Drawing, no: Drawing) -> Drawing {
        Drawing::new(move |sheet, wire| {
            let (condition, around) = (sheet.bundle(&wire.part(0)), wire.part(1));
            let [yes, no] = [("then", &yes), ("else", &no)]
                .map(|(title, branch)| branch.on(&sheet.inside(title, Role::Branch), around.clone()));
            sheet.zip(&yes, &no, &mut |yes, no| {
                let ty = sheet.ty(yes).or_else(|| sheet.ty(no));
                sheet.node("if", vec![condition, yes, no], Kind::If, ty)
            })
        })
    }

    fn repeat(_: &Names, form: Form, parts: Vec<Drawing>, _: Span) -> Drawing {
        Drawing::new(move |sheet, wire| {
            let title = match &form {
                Form::Build(_) | Form::Builds(_) => "array",
                Form::Reduce(reduction, _) => reduction.name(),
                Form::Loop | Form::Trace(_) => "loop",
                Form::Scan(_) => "scan",
                Form::While | Form::TraceWhile(_) => "while",
            };
            let inside = sheet.inside(title, Role::Repeats(form.clone()));
            let index =
                |count: &Wire| Wire::Node(inside.end("i", vec![sheet.bundle(count)], Purpose::Index, Some(Type::Int)));
            let state = |start: &Wire| {
                let mut numbers = 0..;
                start.map(&mut |node| {
                    let purpose = Purpose::State(numbers.next().unwrap_or_default());
                    inside.end("state", vec![node], purpose, sheet.ty(node))
                })
            };
            let leave = |label: &str, wire: &Wire, purpose: fn(usize) -> Purpose, array: bool| {
                let mut numbers = 0..;
                wire.map(&mut |node| {
                    let ty = inside.ty(node);
                    let ty = if array { ty.map(|ty| Type::array(Size::Hole, ty)) } else { ty };
                    inside.end(label, vec![node], purpose(numbers.next().unwrap_or_default()), ty)
                })
            };
            match &form {
                Form::Build(_) | Form::Builds(_) | Form::Reduce(..) => {
                    // The body is given its environment and the index.
                    let body = parts[0].on(&inside, Wire::Parts(vec![wire.part(1), index(&wire.part(0))]));
                    match &form {
                        Form::Builds(_) => leave("element", &body, |_| Purpose::Element, true),
                        Form::Build(_) => {
                            leave("element", &Wire::Node(inside.bundle(&body)), |_| Purpose::Element, true)
                        }
                        _ => leave("term", &body, |_| Purpose::Term, false),
                    }
                }
                Form::Loop | Form::Scan(_) | Form::Trace(_) => {
                    let start = match &form {
                        Form::Scan(_) => Wire::Node(sheet.bundle(&wire.part(0))),
                        _ => wire.part(0),
                    };
                    let states = state(&start);
                    let argument = Wire::Parts(vec![states.clone(), index(&wire.part(1)), wire.part(2)]);
                    let body = parts[0].on(&inside, argument);
                    match &form {
                        Form::Trace(_) => Wire::Parts(traced(&inside, &states, &body, &leave)),
                        Form::Scan(_) => leave("next", &inside.shaped(&states, &body), Purpose::Each, true),
                        _ => leave("next", &inside.shaped(&states, &body), Purpose::Next, false),
                    }
                }
                Form::While | Form::TraceWhile(_) => {
                    let states = state(&wire.part(0));
                    let argument = Wire::Parts(vec![states.clone(), wire.part(1)]);
                    let condition = parts[0].on(&inside, argument.clone());
                    let condition = leave("while", &condition, |_| Purpose::Condition, false);
                    let body = parts[1].on(&inside, argument);
                    match &form {
                        Form::While => leave("next", &inside.shaped(&states, &body), Purpose::Next, false),
                        _ => {
                            let mut all = traced(&inside, &states, &body, &leave);
                            all.insert(1, leave("count", &condition, |_| Purpose::Count, false));
                            Wire::Parts(all)
                        }
                    }
                }
            }
        })
    }

    fn call(names: &Names, definition: Later<Drawing>, _: Span) -> Drawing {
        let label = names.definitions.get(definition.number()).cloned().unwrap_or_default();
        let (inline, depth) = (names.inline, Cell::new(0));
        Drawing::new(move |sheet, wire| match definition.get() {
            // What calls itself has no end.
            Some(body) if inline && depth.get() < 1 => {
                depth.set(depth.get() + 1);
                let result = body.on(sheet, wire);
                depth.set(depth.get() - 1);
                result
            }
            _ => Wire::Node(sheet.node(&label, wire.nodes(), Kind::Other, None)),
        })
    }

    fn closure(_: FunctionId) -> Drawing {
        Drawing::new(|sheet, wire| Wire::Node(sheet.node("function", wire.nodes(), Kind::Other, None)))
    }

    fn apply(_: &Names, _: Table<Drawing>, _: Span) -> Drawing {
        Drawing::new(|sheet, wire| Wire::Node(sheet.node("apply", wire.nodes(), Kind::Other, None)))
    }

    fn map(forward: FunctionId, reverse: FunctionId) -> Drawing {
        Drawing::new(move |sheet, wire| {
            let captured = match &wire {
                Wire::Parts(parts) => parts.iter().map(|part| sheet.bundle(part)).collect(),
                Wire::Node(node) => vec![*node],
            };
            Wire::Node(sheet.node("linear map", captured, Kind::Map(forward, reverse), None))
        })
    }

    fn on_maps(_: &Names, _: Table<Drawing>, operation: OnMaps, _: &Orders, _: Span) -> Drawing {
        Drawing::new(move |sheet, wire| Wire::Node(sheet.node(operation.name(), wire.nodes(), Kind::Other, None)))
    }

    fn taylor(_: &Names, _: Type, _: Span) -> Drawing {
        Drawing::new(|sheet, wire| Wire::Node(sheet.node("taylor", wire.nodes(), Kind::Other, None)))
    }

    fn global(names: &Names, number: usize) -> Drawing {
        let label = names.globals.get(number).cloned().unwrap_or_default();
        Drawing::new(move |sheet, _| Wire::Node(sheet.node(&label, Vec::new(), Kind::Other, None)))
    }
}

/// Leads a wire out of a frame: its label, the wire, what each part of it is for, and whether it becomes an array.
type Leave<'l> = dyn Fn(&str, &Wire, fn(usize) -> Purpose, bool) -> Wire + 'l;

/// The results of a loop that records values: the last state, and an array for each value.
fn traced(inside: &Sheet, states: &Wire, body: &Wire, leave: &Leave) -> Vec<Wire> {
    let next = inside.shaped(states, &body.part(0));
    let kept = (1..body.count()).map(|at| leave("kept", &body.part(at), |_| Purpose::Element, true));
    [leave("next", &next, Purpose::Next, false)].into_iter().chain(kept).collect()
}
