//! Graphs: a program as boxes and wires.   [004 Fig. 2 to 5, 8, 9, 11, 12; C. Elliott, Compiling to Categories, 2017, §7]
//!
//! A morphism of this category draws: given wires it adds boxes to a sheet and gives wires. The same operation on the same
//! wires is drawn once, so what a program shares is seen to be shared.
//!
//! ```text
//!   g ∘ f: first f, then g      f △ g: both on the same wires      ex: the wires of a part      K c: a box without inputs
//! ```

mod derivative;
mod dot;
mod layout;
mod svg;

use crate::category::{Cartesian, Category};
use crate::closure::Closure;
use crate::combinator::{Combinators, Constant, Operation};
use crate::interpret::{Form, Later, Programs, Table, interpret};
use riesz_core::FunctionId;
use riesz_core::term::Op;
use riesz_linear::Space;
use riesz_primitive::Primitive;
use riesz_syntax::{Diagnostic, Span};
use std::cell::RefCell;
use std::collections::HashMap;
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

/// Boxes and wires. The inputs of a node are nodes; each has one output.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The nodes, each after those it is wired to.
    pub nodes: Vec<Node>,
    /// The frames around nodes, each after the one around it.
    pub frames: Vec<Frame>,
    known: HashMap<(String, Vec<usize>, Option<usize>), usize>,
}

/// A node of a graph.
#[derive(Clone, Debug)]
pub struct Node {
    /// What is written in it.
    pub label: String,
    /// The nodes it is wired to, in order.
    pub inputs: Vec<usize>,
    /// The frame that it stands in.
    pub frame: Option<usize>,
    /// What it does to numbers, if that is all it does.
    row: Option<&'static Primitive>,
    /// Whether it is where wires enter or leave.
    pub end: bool,
}

/// A frame around nodes: the body of a loop, a derivative.
#[derive(Clone, Debug)]
pub struct Frame {
    /// What is written over it.
    pub title: String,
    /// The frame around it.
    pub parent: Option<usize>,
}

/// What wires carry.
#[derive(Clone, Debug)]
pub enum Wire {
    /// The output of a node.
    Node(usize),
    /// The wires of a tuple.
    Parts(Vec<Wire>),
}

/// Draws a function of so many parameters.
///
/// # Errors
/// Where a derivative is wanted of something other than a function of numbers.
pub fn draw(combinators: &Combinators, parameters: &[String], of: Of) -> Result<Graph, Box<Diagnostic>> {
    let context = combinators.definitions.iter().map(|definition| definition.name.to_string()).collect();
    let sheet = Sheet { graph: Rc::new(RefCell::new(Graph::default())), frame: None };
    let read = interpret::<Graphs>(combinators, &Names { definitions: context, inline: of != Of::Value });
    let inputs: Vec<Wire> = parameters.iter().map(|name| Wire::Node(sheet.end(name, Vec::new()))).collect();
    let argument = match <[Wire; 1]>::try_from(inputs.clone()) {
        Ok([single]) => single,
        Err(several) => Wire::Parts(several),
    };
    if let Some(main) = read.main() {
        let result = main.0.call((sheet.clone(), argument));
        let outputs = result.nodes();
        for (at, node) in outputs.iter().enumerate() {
            let name = if outputs.len() == 1 { "out".to_string() } else { format!("out {at}") };
            sheet.end(&name, vec![*node]);
        }
        if of != Of::Value {
            let inputs: Vec<usize> = inputs.iter().flat_map(Wire::nodes).collect();
            derivative::draw(&mut sheet.graph.borrow_mut(), &inputs, &outputs, of)?;
        }
    }
    let graph = sheet.graph.borrow().clone();
    Ok(graph)
}

/// How to call what is called.
#[derive(Default)]
pub struct Names {
    definitions: Vec<String>,
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
}

impl Graph {
    /// A node in a frame; one that is there already is used again.
    fn node(
        &mut self,
        label: &str,
        inputs: Vec<usize>,
        frame: Option<usize>,
        row: Option<&'static Primitive>,
    ) -> usize {
        let key = (label.to_string(), inputs.clone(), frame);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        self.nodes.push(Node { label: label.to_string(), inputs, frame, row, end: false });
        self.known.insert(key, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn end(&mut self, label: &str, inputs: Vec<usize>, frame: Option<usize>) -> usize {
        self.nodes.push(Node { label: label.to_string(), inputs, frame, row: None, end: true });
        self.nodes.len() - 1
    }

    fn frame(&mut self, title: &str, parent: Option<usize>) -> usize {
        self.frames.push(Frame { title: title.to_string(), parent });
        self.frames.len() - 1
    }
}

impl Sheet {
    fn node(&self, label: &str, inputs: Vec<usize>, row: Option<&'static Primitive>) -> usize {
        self.graph.borrow_mut().node(label, inputs, self.frame, row)
    }

    fn end(&self, label: &str, inputs: Vec<usize>) -> usize {
        self.graph.borrow_mut().end(label, inputs, self.frame)
    }

    /// A frame inside of this one.
    fn inside(&self, title: &str) -> Sheet {
        let frame = self.graph.borrow_mut().frame(title, self.frame);
        Sheet { graph: self.graph.clone(), frame: Some(frame) }
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
                Space::Real => Wire::Node(sheet.end("in", Vec::new())),
                space => Wire::Parts(space.parts().map(|part| inputs(sheet, part)).collect()),
            }
        }
        let sheet = Sheet { graph: Rc::new(RefCell::new(Graph::default())), frame: None };
        let argument = inputs(&sheet, from);
        for node in self.on(&sheet, argument).nodes() {
            sheet.end("out", vec![node]);
        }
        let graph = sheet.graph.borrow().clone();
        graph
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
        Drawing::new(move |sheet, wire| {
            indices.iter().fold(wire, |wire, index| match wire {
                Wire::Parts(parts) => parts.get(*index).cloned().unwrap_or(Wire::Parts(Vec::new())),
                Wire::Node(node) => Wire::Node(sheet.node(&format!(".{index}"), vec![node], None)),
            })
        })
    }

    fn constant(constant: Constant) -> Drawing {
        let label = match constant {
            Constant::Real(value) => riesz_core::evaluate::show_real(value),
            Constant::Int(value) => value.to_string(),
            Constant::Bool(value) => value.to_string(),
        };
        Drawing::new(move |sheet, _| Wire::Node(sheet.node(&label, Vec::new(), None)))
    }

    fn operation(_: &Names, operation: &Operation) -> Drawing {
        let row = match operation.op() {
            Op::Scalar(primitive, _) => Some(*primitive),
            _ => None,
        };
        let label = row.map_or_else(|| name(&operation.to_string()), |row| sign(row.name).to_string());
        Drawing::new(move |sheet, wire| Wire::Node(sheet.node(&label, wire.nodes(), row)))
    }

    fn conditional(yes: Drawing, no: Drawing) -> Drawing {
        Drawing::new(move |sheet, wire| {
            let (condition, around) = match wire {
                Wire::Parts(parts) if parts.len() == 2 => (parts[0].clone(), parts[1].clone()),
                wire => (wire.clone(), wire),
            };
            let mut inputs = condition.nodes();
            for (title, branch) in [("then", &yes), ("else", &no)] {
                inputs.extend(branch.on(&sheet.inside(title), around.clone()).nodes());
            }
            Wire::Node(sheet.node("if", inputs, None))
        })
    }

    fn repeat(_: &Names, form: Form, parts: Vec<Drawing>, _: Span) -> Drawing {
        let (label, counted) = match &form {
            Form::Build(_) | Form::Builds(_) => ("array", false),
            Form::Reduce(reduction, _) => (crate::combinator::reduction_name(*reduction), false),
            Form::Loop | Form::Trace(_) => ("loop", true),
            Form::Scan(_) => ("scan", true),
            Form::While | Form::TraceWhile(_) => ("while", true),
        };
        Drawing::new(move |sheet, wire| {
            let given = |at: usize| match &wire {
                Wire::Parts(parts) => parts.get(at).cloned().unwrap_or(Wire::Parts(Vec::new())),
                wire => wire.clone(),
            };
            let inside = sheet.inside(label);
            let index = || Wire::Node(inside.end("i", Vec::new()));
            // What the body is given: its environment and the index, or the state, the index and the environment.
            let (argument, outside) = match (counted, &form) {
                (false, _) => (Wire::Parts(vec![given(1), index()]), given(0)),
                (true, Form::While | Form::TraceWhile(_)) => {
                    (Wire::Parts(vec![Wire::Node(inside.end("state", Vec::new())), given(1)]), given(0))
                }
                (true, _) => {
                    let state = Wire::Node(inside.end("state", Vec::new()));
                    (Wire::Parts(vec![state, index(), given(2)]), Wire::Parts(vec![given(0), given(1)]))
                }
            };
            let mut inputs = outside.nodes();
            for part in &parts {
                inputs.extend(part.on(&inside, argument.clone()).nodes());
            }
            Wire::Node(sheet.node(label, inputs, None))
        })
    }

    fn call(names: &Names, definition: Later<Drawing>, _: Span) -> Drawing {
        let label = names.definitions.get(definition.number()).cloned().unwrap_or_default();
        let (inline, depth) = (names.inline, std::cell::Cell::new(0));
        Drawing::new(move |sheet, wire| match definition.get() {
            // What calls itself has no end.
            Some(body) if inline && depth.get() < 8 => {
                depth.set(depth.get() + 1);
                let result = body.on(sheet, wire);
                depth.set(depth.get() - 1);
                result
            }
            _ => Wire::Node(sheet.node(&label, wire.nodes(), None)),
        })
    }

    fn closure(_: FunctionId) -> Drawing {
        Drawing::new(|sheet, wire| Wire::Node(sheet.node("function", wire.nodes(), None)))
    }

    fn apply(_: &Names, _: Table<Drawing>, _: Span) -> Drawing {
        Drawing::new(|sheet, wire| Wire::Node(sheet.node("apply", wire.nodes(), None)))
    }

    fn global(_: &Names, number: usize) -> Drawing {
        Drawing::new(move |sheet, _| Wire::Node(sheet.node(&format!("let {number}"), Vec::new(), None)))
    }
}

/// The sign of a function of numbers, as one would draw it.
fn sign(name: &'static str) -> &'static str {
    match name {
        "*" | "exact *" => "×",
        "-" | "unary -" => "−",
        "/" => "÷",
        "integer ^" => "^",
        name => name,
    }
}

/// The name of an operation without its types.
fn name(text: &str) -> String {
    let bare = text.trim_start_matches('(').trim_end_matches(')');
    bare.split(['/', '{']).next().filter(|name| !name.is_empty()).unwrap_or(bare).to_string()
}
