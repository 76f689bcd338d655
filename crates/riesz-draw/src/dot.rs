//! Graphs in the language of Graphviz.

use super::Graph;
use std::fmt::Write;

impl Graph {
    /// The graph as text for `dot`.
    pub fn dot(&self) -> String {
        let mut text = String::from("digraph {\n  rankdir = LR\n  node [shape = box, style = rounded]\n");
        self.write_frame(None, 1, &mut text);
        for (at, node) in self.nodes.iter().enumerate() {
            for input in &node.inputs {
                let _ = writeln!(text, "  n{input} -> n{at}");
            }
        }
        text + "}\n"
    }

    fn write_frame(&self, frame: Option<usize>, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        for (at, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.frame == frame) {
            let shape = if node.end { ", shape = plain" } else { "" };
            let _ = writeln!(text, "{indent}n{at} [label = {:?}{shape}]", node.label);
        }
        for (at, inner) in self.frames.iter().enumerate().filter(|(_, inner)| inner.parent == frame) {
            let _ = writeln!(text, "{indent}subgraph cluster{at} {{\n{indent}  label = {:?}", inner.title);
            self.write_frame(Some(at), depth + 1, text);
            let _ = writeln!(text, "{indent}}}");
        }
    }
}
