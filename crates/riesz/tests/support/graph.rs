//! Evaluation of graphs, node by node. A frame that repeats is run as often as its count or its condition says; nothing
//! but the graph is looked at.

use riesz::graph::{Graph, Kind, Node, Purpose, Role};
use riesz_category::combinator::{Constant, Operation};
use riesz_category::interpret::Form;
use riesz_core::evaluate::{Limits, Value};
use riesz_core::term::{Atom, Binding, Body, Iteration, Op, Reduction, Var};
use riesz_core::{Size, Type};
use riesz_syntax::{FileId, Span};
use std::cell::RefCell;
use std::collections::HashMap;

/// The values of the outputs of a graph, in order: those of the function, then those of a box.
pub fn evaluate(graph: &Graph, input: &mut dyn FnMut(&Node) -> Value<f64>) -> Vec<Value<f64>> {
    let sheet = Scope { frame: None, known: RefCell::default(), outer: None };
    let ends = |purpose: Purpose| {
        let is = move |node: &Node| matches!(node.kind, Kind::End(found) if found == purpose);
        graph.nodes.iter().enumerate().filter(move |(_, node)| is(node))
    };
    for (at, node) in ends(Purpose::Input) {
        let value = input(node);
        sheet.known.borrow_mut().insert(at, value);
    }
    let mut outputs: Vec<(usize, &Node)> = ends(Purpose::Output).collect();
    outputs.sort_by_key(|(_, node)| node.frame.is_some());
    outputs.into_iter().map(|(at, _)| value(graph, at, &sheet)).collect()
}

/// All numbers in some values.
pub fn numbers(values: &[Value<f64>]) -> Vec<f64> {
    let number = |value: &Value<f64>| match value {
        Value::Real(number) => vec![*number],
        Value::Int(number) => vec![*number as f64],
        Value::Tuple(parts) => numbers(parts),
        array => numbers(&array.elements().collect::<Vec<_>>()),
    };
    values.iter().flat_map(number).collect()
}

/// What is known in one iteration of a frame that repeats, or outside of all.
struct Scope<'o> {
    frame: Option<usize>,
    known: RefCell<HashMap<usize, Value<f64>>>,
    outer: Option<&'o Scope<'o>>,
}

/// The frame that repeats a node.
fn home(graph: &Graph, node: &Node) -> Option<usize> {
    let leaves = matches!(
        node.kind,
        Kind::End(Purpose::Next(_) | Purpose::Each(_) | Purpose::Element | Purpose::Term | Purpose::Count)
    );
    let mut frame = match node.frame {
        Some(frame) if leaves => graph.frames[frame].parent,
        frame => frame,
    };
    while let Some(at) = frame
        && !matches!(graph.frames[at].role, Role::Repeats(_))
    {
        frame = graph.frames[at].parent;
    }
    frame
}

fn value(graph: &Graph, at: usize, scope: &Scope) -> Value<f64> {
    let node = &graph.nodes[at];
    if scope.frame != home(graph, node) {
        return value(graph, at, scope.outer.expect("a wire enters a frame from outside"));
    }
    if let Some(known) = scope.known.borrow().get(&at) {
        return known.clone();
    }
    let input = |at: usize| value(graph, node.inputs[at], scope);
    let inputs = || (0..node.inputs.len()).map(input);
    let found = match &node.kind {
        Kind::Constant(Constant::Real(number)) => Value::Real(*number),
        Kind::Constant(Constant::Int(number)) => Value::Int(*number),
        Kind::Constant(Constant::Bool(truth)) => Value::Bool(*truth),
        Kind::Operation(operation) => {
            operation.evaluate(&inputs().collect::<Vec<_>>(), &Limits::default()).unwrap_or_else(|it| panic!("{it:?}"))
        }
        Kind::Project(part) => input(0).parts()[*part].clone(),
        Kind::Tuple => Value::Tuple(inputs().collect()),
        Kind::If => input(if input(0).bool() { 1 } else { 2 }),
        Kind::End(Purpose::Output | Purpose::Condition) => input(0),
        Kind::End(_) => {
            run(graph, node.frame.expect("wires leave a frame"), scope);
            scope.known.borrow()[&at].clone()
        }
        Kind::Map(..) | Kind::Other => panic!("`{}` cannot be evaluated", node.label),
    };
    scope.known.borrow_mut().insert(at, found.clone());
    found
}

/// Runs a frame, and makes known what leaves it.
fn run(graph: &Graph, frame: usize, outer: &Scope) {
    let own = || graph.nodes.iter().enumerate().filter(|(_, node)| node.frame == Some(frame));
    let ends: Vec<(usize, Purpose, usize)> = own()
        .filter_map(|(at, node)| match node.kind {
            Kind::End(purpose) => Some((at, purpose, node.inputs[0])),
            _ => None,
        })
        .collect();
    let Role::Repeats(form) = &graph.frames[frame].role else { panic!("a wire leaves a branch") };
    let (mut states, mut columns) = (HashMap::new(), HashMap::<usize, Vec<Value<f64>>>::new());
    let mut count = i64::MAX;
    for (_, purpose, from) in &ends {
        match purpose {
            Purpose::State(number) => {
                states.insert(*number, value(graph, *from, outer));
            }
            Purpose::Index => count = value(graph, *from, outer).int(),
            _ => {}
        }
    }
    let mut turns = 0;
    while turns < count {
        let scope = Scope { frame: Some(frame), known: RefCell::default(), outer: Some(outer) };
        for (at, purpose, _) in &ends {
            let entering = match purpose {
                Purpose::State(number) => states[number].clone(),
                Purpose::Index => Value::Int(turns),
                _ => continue,
            };
            scope.known.borrow_mut().insert(*at, entering);
        }
        let goes_on = |(at, purpose, _): &_| *purpose != Purpose::Condition || value(graph, *at, &scope).bool();
        if !ends.iter().all(goes_on) {
            break;
        }
        for (at, purpose, from) in &ends {
            let given = match purpose {
                Purpose::Element | Purpose::Term | Purpose::Next(_) | Purpose::Each(_) => value(graph, *from, &scope),
                _ => continue,
            };
            columns.entry(*at).or_default().push(given.clone());
            if let Purpose::Next(number) | Purpose::Each(number) = purpose {
                states.insert(*number, given);
            }
        }
        turns += 1;
    }
    for (at, purpose, _) in &ends {
        let column = || columns.get(at).cloned().unwrap_or_default();
        let leaving = match purpose {
            Purpose::Next(number) => states[number].clone(),
            Purpose::Each(_) | Purpose::Element => array(column()),
            Purpose::Term => reduced(form, column()),
            Purpose::Count => Value::Int(turns),
            _ => continue,
        };
        outer.known.borrow_mut().insert(*at, leaving);
    }
}

fn array(values: Vec<Value<f64>>) -> Value<f64> {
    let element = match values.first() {
        Some(Value::Real(_)) => Type::Real,
        Some(Value::Int(_)) => Type::Int,
        _ => Type::unit(),
    };
    Value::array(&element, values)
}

/// What a reduction makes of its terms.
fn reduced(form: &Form, terms: Vec<Value<f64>>) -> Value<f64> {
    let Form::Reduce(reduction, ty) = form else { panic!("terms of no reduction") };
    let reduction: Reduction = *reduction;
    let [number, array_of_terms, index, element] = [0, 1, 2, 3].map(Var);
    let span = Span { file: FileId(0), start: 0, end: 0 };
    let read = Op::Index(Atom::Var(array_of_terms), Atom::Var(index));
    let body = Body { bindings: vec![Binding { var: element, op: read, span }], result: Atom::Var(element) };
    let op = Op::Reduce(reduction, Iteration { count: Atom::Var(number), index, body });
    let operands = [Value::Int(terms.len() as i64), array(terms), Value::Int(0), Value::Int(0)];
    let operation = Operation::new(op, 4, ty.map_sizes(&mut |_| Size::Hole), span);
    operation.evaluate(&operands, &Limits::default()).unwrap_or_else(|problem| panic!("{problem:?}"))
}
