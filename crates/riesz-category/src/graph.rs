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

mod derivative;
mod dot;
mod layout;
mod node;
mod svg;

pub use layout::{Area, Bend, Layout};
pub use node::{Frame, Graph, Kind, Node, Purpose};

use crate::category::{Cartesian, Category};
use crate::closure::Closure;
use crate::combinator::{Combinators, Constant, Operation};
use crate::interpret::{Form, Later, Programs, Table, interpret};
use riesz_core::order::Orders;
use riesz_core::term::OnMaps;
use riesz_core::{FunctionId, Size, Type};
use riesz_linear::Space;
use riesz_syntax::Span;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The category of drawings.
pub struct Graphs;

/// What to draw of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// What it computes.
    Value,
    /// That and its derivative, a box from tangents to tangents.
    Derivative,
    /// That and the adjoint of its derivative, a box from cotangents to cotangents.
    Adjoint,
}

/// What wires carry.
#[derive(Clone, Debug)]
pub enum Wire {
    /// The output of a node.
    Node(usize),
    /// The wires of a tuple.
    Parts(Vec<Wire>),
}

/// Draws a function whose parameters have these names and types, and whose result has this type.
pub fn draw(combinators: &Combinators, parameters: &[(String, Type)], result: &Type, of: Of) -> Graph {
    let context = combinators.definitions.iter().map(|definition| definition.name.to_string()).collect();
    let sheet = Sheet::new();
    let names = Names { definitions: context, inline: of != Of::Value, globals: global_names(combinators) };
    let read = interpret::<Graphs>(combinators, &names);
    let input = |(name, ty): &(String, Type)| sheet.end(name, Vec::new(), Purpose::Input, Some(ty.clone()));
    let inputs: Vec<usize> = parameters.iter().map(input).collect();
    let argument = match inputs[..] {
        [single] => Wire::Node(single),
        _ => Wire::Parts(inputs.iter().copied().map(Wire::Node).collect()),
    };
    if let Some(main) = read.main() {
        let found = main.on(&sheet, argument);
        let mut outputs = Vec::new();
        name_outputs(&found, Some(result), "out", &mut outputs);
        if of != Of::Value {
            derivative::draw(&mut sheet.graph.borrow_mut(), &inputs, &outputs, of);
        }
        // Outputs come last, so that they stand in order.
        for (name, node) in outputs {
            sheet.end(&name, vec![node], Purpose::Output, None);
        }
    }
    let graph = sheet.graph.take();
    graph.without_dead_ends()
}

/// The outputs with their names: those of the fields of a record, the numbers of the parts of a tuple.
fn name_outputs(wire: &Wire, ty: Option<&Type>, name: &str, outputs: &mut Vec<(String, usize)>) {
    match wire {
        Wire::Node(node) => outputs.push((name.to_string(), *node)),
        Wire::Parts(parts) => {
            for (at, part) in parts.iter().enumerate() {
                let (part_name, part_ty) = match ty {
                    Some(ty) => (node::field(ty, at), ty.components().and_then(|parts| parts.get(at).cloned())),
                    None => (at.to_string(), None),
                };
                let named = matches!(ty, Some(Type::Record(_))) && name == "out";
                let full = if named { part_name } else { format!("{name} {part_name}") };
                name_outputs(part, part_ty.as_ref(), &full, outputs);
            }
        }
    }
}

fn global_names(combinators: &Combinators) -> Vec<String> {
    combinators.globals.iter().map(|(name, _)| name.to_string()).collect()
}

/// How to call what is called.
#[derive(Default)]
pub struct Names {
    definitions: Vec<String>,
    globals: Vec<String>,
    /// Whether calls are drawn as what they call.
    inline: bool,
}

/// Where to draw.
#[derive(Clone)]
pub struct Sheet {
    graph: Rc<RefCell<Graph>>,
    frame: Option<usize>,
}

/// What draws, given wires.
#[derive(Clone)]
pub struct Drawing(Closure<(Sheet, Wire), Wire>);

impl Wire {
    /// The nodes whose outputs it carries, in order.
    pub fn nodes(&self) -> Vec<usize> {
        match self {
            Wire::Node(node) => vec![*node],
            Wire::Parts(parts) => parts.iter().flat_map(Wire::nodes).collect(),
        }
    }

    fn part(&self, at: usize) -> Wire {
        match self {
            Wire::Parts(parts) => parts.get(at).cloned().unwrap_or(Wire::Parts(Vec::new())),
            wire => wire.clone(),
        }
    }

    fn count(&self) -> usize {
        match self {
            Wire::Node(_) => 1,
            Wire::Parts(parts) => parts.len(),
        }
    }

    /// The same wires from other nodes.
    fn map(&self, change: &mut dyn FnMut(usize) -> usize) -> Wire {
        match self {
            Wire::Node(node) => Wire::Node(change(*node)),
            Wire::Parts(parts) => Wire::Parts(parts.iter().map(|part| part.map(change)).collect()),
        }
    }
}

impl Sheet {
    fn new() -> Sheet {
        Sheet { graph: Rc::new(RefCell::new(Graph::default())), frame: None }
    }

    fn node(&self, label: &str, inputs: Vec<usize>, kind: Kind, ty: Option<Type>) -> usize {
        self.graph.borrow_mut().node(label, inputs, self.frame, kind, ty)
    }

    fn end(&self, label: &str, inputs: Vec<usize>, purpose: Purpose, ty: Option<Type>) -> usize {
        self.graph.borrow_mut().end(label, inputs, self.frame, purpose, ty)
    }

    fn ty(&self, node: usize) -> Option<Type> {
        self.graph.borrow().nodes[node].ty.clone()
    }

    /// A frame inside of this one.
    fn inside(&self, title: &str) -> Sheet {
        let frame = self.graph.borrow_mut().frame(title, self.frame, false);
        Sheet { graph: self.graph.clone(), frame: Some(frame) }
    }

    /// A wire as the output of one node, which puts the parts together if need be.
    fn bundle(&self, wire: &Wire) -> usize {
        match wire {
            Wire::Node(node) => *node,
            Wire::Parts(parts) => {
                let inputs: Vec<usize> = parts.iter().map(|part| self.bundle(part)).collect();
                let types: Option<Vec<Type>> = inputs.iter().map(|input| self.ty(*input)).collect();
                self.node("tuple", inputs, Kind::Tuple, types.map(|types| Type::Tuple(types.into())))
            }
        }
    }

    /// A part of what a wire carries.
    fn part(&self, wire: &Wire, at: usize) -> Wire {
        match wire {
            Wire::Parts(_) => wire.part(at),
            Wire::Node(node) => {
                let ty = self.ty(*node);
                let label = ty.as_ref().map_or_else(|| at.to_string(), |ty| node::field(ty, at));
                let part = ty.and_then(|ty| ty.components()?.get(at).cloned());
                Wire::Node(self.node(&format!(".{label}"), vec![*node], Kind::Project(at), part))
            }
        }
    }

    /// A wire in the shape of another.
    fn shaped(&self, like: &Wire, wire: &Wire) -> Wire {
        match like {
            Wire::Node(_) => Wire::Node(self.bundle(wire)),
            Wire::Parts(parts) => {
                let part = |(at, like): (usize, &Wire)| self.shaped(like, &self.part(wire, at));
                Wire::Parts(parts.iter().enumerate().map(part).collect())
            }
        }
    }

    /// Two wires in one shape: that of both where they have the same, or single ones.
    fn zip(&self, a: &Wire, b: &Wire, join: &mut dyn FnMut(usize, usize) -> usize) -> Wire {
        match (a, b) {
            (Wire::Parts(left), Wire::Parts(right)) if left.len() == right.len() => {
                Wire::Parts(left.iter().zip(right).map(|(a, b)| self.zip(a, b, join)).collect())
            }
            (Wire::Parts(left), Wire::Node(_)) if !left.is_empty() => {
                let right = Wire::Parts((0..left.len()).map(|at| self.part(b, at)).collect());
                self.zip(a, &right, join)
            }
            (Wire::Node(_), Wire::Parts(right)) if !right.is_empty() => {
                let left = Wire::Parts((0..right.len()).map(|at| self.part(a, at)).collect());
                self.zip(&left, b, join)
            }
            (a, b) => Wire::Node(join(self.bundle(a), self.bundle(b))),
        }
    }
}

impl Drawing {
    fn new(draw: impl Fn(&Sheet, Wire) -> Wire + 'static) -> Drawing {
        Drawing(Closure::new(move |(sheet, wire)| draw(&sheet, wire)))
    }

    /// What it draws on a sheet of its own, from inputs as a space has them.
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
            sheet.end("out", vec![node], Purpose::Output, None);
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
        crate::category::power(n, a)
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
        Drawing::new(move |sheet, _| Wire::Node(sheet.node(&label, Vec::new(), Kind::Constant, Some(ty.clone()))))
    }

    fn operation(_: &Names, operation: &Operation) -> Drawing {
        let operation = operation.clone();
        Drawing::new(move |sheet, wire| {
            let operands: Vec<usize> = match (&wire, operation.arity()) {
                (Wire::Parts(parts), arity) if arity != 1 => parts.iter().map(|part| sheet.bundle(part)).collect(),
                (wire, _) => vec![sheet.bundle(wire)],
            };
            let types: Vec<Option<Type>> = operands.iter().map(|operand| sheet.ty(*operand)).collect();
            let (label, kind, ty) = node::drawn(&operation, &types);
            Wire::Node(sheet.node(&label, operands, kind, ty))
        })
    }

    fn conditional(yes: Drawing, no: Drawing) -> Drawing {
        Drawing::new(move |sheet, wire| {
            let (condition, around) = (sheet.bundle(&wire.part(0)), wire.part(1));
            let [yes, no] =
                [("then", &yes), ("else", &no)].map(|(title, branch)| branch.on(&sheet.inside(title), around.clone()));
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
            let inside = sheet.inside(title);
            let index =
                |count: &Wire| Wire::Node(inside.end("i", vec![sheet.bundle(count)], Purpose::Index, Some(Type::Int)));
            let state =
                |start: &Wire| start.map(&mut |node| inside.end("state", vec![node], Purpose::State, sheet.ty(node)));
            let leave = |label: &str, wire: &Wire, purpose: Purpose, array: bool| {
                wire.map(&mut |node| {
                    let ty = inside.ty(node);
                    let ty = if array { ty.map(|ty| Type::array(Size::Hole, ty)) } else { ty };
                    inside.end(label, vec![node], purpose, ty)
                })
            };
            match &form {
                Form::Build(_) | Form::Builds(_) | Form::Reduce(..) => {
                    // The body is given its environment and the index.
                    let body = parts[0].on(&inside, Wire::Parts(vec![wire.part(1), index(&wire.part(0))]));
                    match &form {
                        Form::Builds(_) => leave("element", &body, Purpose::Element, true),
                        Form::Build(_) => leave("element", &Wire::Node(inside.bundle(&body)), Purpose::Element, true),
                        _ => leave("term", &body, Purpose::Term, false),
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
                    let condition = leave("while", &condition, Purpose::Condition, false);
                    let body = parts[1].on(&inside, argument);
                    match &form {
                        Form::While => leave("next", &inside.shaped(&states, &body), Purpose::Next, false),
                        _ => {
                            let mut all = traced(&inside, &states, &body, &leave);
                            all.insert(1, leave("turns", &condition, Purpose::Condition, false));
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

    fn map(_: FunctionId, _: FunctionId) -> Drawing {
        Drawing::new(|sheet, wire| Wire::Node(sheet.node("linear map", wire.nodes(), Kind::Other, None)))
    }

    fn on_maps(_: &Names, _: Table<Drawing>, operation: OnMaps, _: &Orders, _: Span) -> Drawing {
        Drawing::new(move |sheet, wire| Wire::Node(sheet.node(operation.name(), wire.nodes(), Kind::Other, None)))
    }

    fn taylor(_: &Names, _: Type, _: Span) -> Drawing {
        Drawing::new(|sheet, wire| Wire::Node(sheet.node("taylor", wire.nodes(), Kind::Other, None)))
    }

    fn global(names: &Names, number: usize) -> Drawing {
        let label = names.globals.get(number).cloned().unwrap_or_default();
        Drawing::new(move |sheet, _| Wire::Node(sheet.node(&label, Vec::new(), Kind::Constant, None)))
    }
}

/// What a loop that keeps things gives: the last state, and an array for each thing.
fn traced(inside: &Sheet, states: &Wire, body: &Wire, leave: &dyn Fn(&str, &Wire, Purpose, bool) -> Wire) -> Vec<Wire> {
    let next = inside.shaped(states, &body.part(0));
    let kept = (1..body.count()).map(|at| leave("kept", &body.part(at), Purpose::Element, true));
    [leave("next", &next, Purpose::Next, false)].into_iter().chain(kept).collect()
}
