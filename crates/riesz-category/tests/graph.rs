//! Graphs agree with the figures of [004].

mod support;

use riesz_category::compile::compile;
use riesz_category::graph::{Area, Drawing, Graph, Graphs, Layout, Names, Node, Of, draw};
use riesz_category::interpret::interpret;
use riesz_category::law::{cartesian_laws, category_laws};
use riesz_core::Type;
use riesz_linear::Space;
use support::{check, named};

const TEXT: &str = "fun mag_sqr(a: R, b: R): R = a * a + b * b\n\
                    fun cos_sin_prod(x: R, y: R): (R, R) = let z = x * y in (cos(z), sin(z))\n\
                    fun cos_xpy(x: R, y: R, z: R): R = cos(x + y * z)\n\
                    fun walk(v: [n]R): R = loop s = 0.0 for x in v do if s > 1.0 then s * x else s + x\n\
                    fun mean(x: {weight: R, values: [n]R}): R = x.weight * sum(sin(v)^2 | v in x.values)";

fn drawn(name: &str, of: Of) -> Graph {
    let checker = check(TEXT);
    let id = named(&checker, name);
    let function = checker.program.function(id);
    let parameters: Vec<(String, Type)> = function.vars[..function.parameters]
        .iter()
        .map(|var| (var.name.as_ref().map_or("_".to_string(), |name| name.to_string()), var.ty.clone()))
        .collect();
    draw(&compile(&checker.program, id).unwrap(), &parameters, &function.result, of)
}

/// How many nodes of each label there are, ends apart, in a frame or outside of all.
fn labels(graph: &Graph, framed: bool) -> Vec<String> {
    let nodes = graph.nodes.iter().filter(|node| !node.end && node.frame.is_some() == framed);
    let mut found: Vec<String> = nodes.map(|node| node.label.clone()).collect();
    found.sort();
    found
}

/// [004 Fig. 2, 3]
#[test]
fn values() {
    assert_eq!(labels(&drawn("mag_sqr", Of::Value), false), ["+", "×", "×"]);
    assert_eq!(labels(&drawn("cos_sin_prod", Of::Value), false), ["cos", "sin", "×"]);
}

/// [004 Fig. 4, 5]: work is shared between a function and its derivative.
#[test]
fn derivatives() {
    let mag_sqr = drawn("mag_sqr", Of::Derivative);
    assert_eq!(labels(&mag_sqr, false), ["+", "×", "×"]);
    assert_eq!(labels(&mag_sqr, true), ["+", "+", "+", "×", "×"]);
    let cos_sin = drawn("cos_sin_prod", Of::Derivative);
    assert_eq!(labels(&cos_sin, false), ["cos", "sin", "×", "−"], "the derivative has no sines of its own");
    assert_eq!(labels(&cos_sin, true), ["+", "×", "×", "×", "×"]);
}

/// [004 Fig. 8, 9, 11, 12]
#[test]
fn adjoints() {
    assert_eq!(labels(&drawn("mag_sqr", Of::Adjoint), true), ["+", "+", "×", "×"]);
    let cos_sin = drawn("cos_sin_prod", Of::Adjoint);
    assert_eq!(labels(&cos_sin, true), ["+", "×", "×", "×", "×"]);
    // λ((x, y), z) → cos (x + y · z): −sin times the cotangent, then times y and z.
    assert_eq!(labels(&drawn("cos_xpy", Of::Adjoint), true), ["×", "×", "×"]);
}

#[test]
fn what_repeats_stands_in_a_frame() {
    let graph = drawn("walk", Of::Value);
    let titles: Vec<&str> = graph.frames.iter().map(|frame| frame.title.as_str()).collect();
    assert_eq!(titles, ["loop", "then", "else"]);
    assert_eq!(graph.frames[1].parent, Some(0));
}

#[test]
fn pictures_hold_every_node() {
    for name in ["mag_sqr", "cos_sin_prod", "cos_xpy", "walk", "mean"] {
        for of in [Of::Value, Of::Derivative, Of::Adjoint] {
            let graph = drawn(name, of);
            let svg = graph.svg();
            let frames = Layout::new(&graph).frames.iter().flatten().count();
            assert_eq!(svg.matches("<rect x=").count(), graph.nodes.len() + frames);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            let wires: usize = graph.nodes.iter().map(|node| node.inputs.len()).sum();
            assert_eq!(graph.dot().matches("->").count(), wires);
        }
    }
}

#[test]
fn parts_of_records_have_their_names() {
    let graph = drawn("mean", Of::Adjoint);
    let has = |label: &str| graph.nodes.iter().any(|node| node.label == label);
    assert!(has(".weight") && has(".values") && has(".weightᵀ"), "{:?}", labels(&graph, false));
}

/// The ends of an adjoint have the names and the order of the function's.
#[test]
fn ends_are_named_and_in_order() {
    let graph = drawn("cos_sin_prod", Of::Adjoint);
    let layout = Layout::new(&graph);
    let ends = |frame: Option<usize>, input: bool| {
        let wanted = |(node, _): &(&Node, &Area)| node.end && node.frame == frame && node.inputs.is_empty() == input;
        let mut found: Vec<(&Node, &Area)> = graph.nodes.iter().zip(&layout.nodes).filter(wanted).collect();
        found.sort_by(|a, b| a.1.y.total_cmp(&b.1.y));
        found.into_iter().map(|(node, _)| node.label.as_str()).collect::<Vec<&str>>()
    };
    assert_eq!(ends(None, true), ["x", "y"]);
    assert_eq!(ends(None, false), ["out 0", "out 1"]);
    assert_eq!(ends(Some(0), true), ["∂out 0", "∂out 1"]);
    assert_eq!(ends(Some(0), false), ["∂x", "∂y"]);
}

/// A loop is differentiated by a loop, and goes back in another; a sum goes back in a sum of its own.
#[test]
fn derivatives_of_what_repeats_repeat() {
    let titles = |name: &str, of: Of| {
        let graph = drawn(name, of);
        let inside =
            graph.frames.iter().filter(|frame| frame.parent.is_some_and(|parent| graph.frames[parent].derived));
        inside.map(|frame| frame.title.clone()).collect::<Vec<String>>()
    };
    assert_eq!(titles("walk", Of::Derivative), ["loop"]);
    assert_eq!(titles("walk", Of::Adjoint), ["loop, backwards"]);
    assert_eq!(titles("mean", Of::Derivative), ["sum"]);
    assert_eq!(titles("mean", Of::Adjoint), ["sum"]);
}

#[test]
fn laws_hold_for_graphs() {
    let read = |text: &str| {
        let combinators = format!("f#0 = {text}").parse().unwrap();
        interpret::<Graphs>(&combinators, &Names::default()).main().unwrap()
    };
    let same = |from: &Space, f: &Drawing, g: &Drawing| {
        let ends = |f: &Drawing| reachable(&f.alone(from));
        ends(f) == ends(g)
    };
    let pair = Space::product([Space::Real, Space::Real]);
    let (f, q) = (read("(*) ∘ ⟨sin ∘ π0, π1⟩"), read("(+)"));
    let (g, h) = (read("exp"), read("⟨cos, (*) ∘ ⟨id, id⟩⟩"));
    category_laws::<Graphs>(&same, (&pair, &Space::Real), (&f, &g, &h)).unwrap();
    cartesian_laws::<Graphs>(&same, (&pair, &Space::Real, &Space::Real), (&f, &q), (&f, &q)).unwrap();
}

/// What the outputs show, written out: boxes that lead nowhere are not seen.
fn reachable(graph: &Graph) -> Vec<String> {
    fn show(graph: &Graph, at: usize) -> String {
        let node = &graph.nodes[at];
        let inputs: Vec<String> = node.inputs.iter().map(|input| show(graph, *input)).collect();
        let place = if node.end && inputs.is_empty() { at.to_string() } else { String::new() };
        format!("{}{place}({})", node.label, inputs.join(", "))
    }
    let outputs = (0..graph.nodes.len()).filter(|at| graph.nodes[*at].end && !graph.nodes[*at].inputs.is_empty());
    outputs.map(|at| show(graph, at)).collect()
}
