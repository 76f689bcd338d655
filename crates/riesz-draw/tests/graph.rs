//! Graphs agree with the figures of [004].

use riesz_category::compile::compile;
use riesz_category::interpret::interpret;
use riesz_category::law::{cartesian_laws, category_laws};
use riesz_core::Type;
use riesz_draw::{Drawing, Ends, Graph, Graphs, Layout, Names, Of, draw};
use riesz_linear::Space;
use riesz_test::program::{checked as check, named};

const TEXT: &str = "fun mag_sqr(a: R, b: R): R = a * a + b * b\n\
                    fun cos_sin_prod(x: R, y: R): (R, R) = let z = x * y in (cos(z), sin(z))\n\
                    fun cos_xpy(x: R, y: R, z: R): R = cos(x + y * z)\n\
                    fun walk(v: [n]R): R = loop s = 0.0 for x in v do if s > 1.0 then s * x else s + x\n\
                    fun mean(x: {weight: R, values: [n]R}): R = x.weight * sum(sin(v)^2 | v in x.values)";

fn drawn(name: &str) -> Graph {
    let checker = check(TEXT);
    let id = named(&checker, name);
    let function = checker.program.function(id);
    let parameters: Vec<(String, Type)> = function.vars[..function.parameters]
        .iter()
        .map(|var| (var.name.as_ref().map_or("_".to_string(), |name| name.to_string()), var.ty.clone()))
        .collect();
    let ends = Ends { active: vec![false; parameters.len()], parameters, result: function.result.clone() };
    draw(&compile(&checker.program, id).unwrap(), &ends, Of::Value)
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
    assert_eq!(labels(&drawn("mag_sqr"), false), ["+", "×", "×"]);
    assert_eq!(labels(&drawn("cos_sin_prod"), false), ["cos", "sin", "×"]);
}

#[test]
fn what_repeats_stands_in_a_frame() {
    let graph = drawn("walk");
    let titles: Vec<&str> = graph.frames.iter().map(|frame| frame.title.as_str()).collect();
    assert_eq!(titles, ["loop", "then", "else"]);
    assert_eq!(graph.frames[1].parent, Some(0));
}

#[test]
fn pictures_hold_every_node() {
    for name in ["mag_sqr", "cos_sin_prod", "cos_xpy", "walk", "mean"] {
        let graph = drawn(name);
        let svg = graph.svg();
        let frames = Layout::new(&graph).frames.iter().flatten().count();
        assert_eq!(svg.matches("<rect x=").count(), graph.nodes.len() + frames);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let wires: usize = graph.nodes.iter().map(|node| node.inputs.len()).sum();
        assert_eq!(graph.dot().matches("->").count(), wires);
    }
}

#[test]
fn parts_of_records_have_their_names() {
    let graph = drawn("mean");
    let has = |label: &str| graph.nodes.iter().any(|node| node.label == label);
    assert!(has(".weight") && has(".values"), "{:?}", labels(&graph, false));
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
