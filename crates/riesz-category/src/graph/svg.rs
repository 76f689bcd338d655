//! Graphs as pictures.

use super::Graph;
use super::layout::{Area, Layout};
use std::fmt::Write;

impl Graph {
    /// The graph as a picture in SVG.
    pub fn svg(&self) -> String {
        let layout = Layout::new(self);
        let (width, height) = layout.size;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"14\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        for (frame, area) in self.frames.iter().zip(&layout.frames) {
            rectangle(&mut svg, area, "#f4f6fa", "#8a94a6");
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#5a6474\" font-size=\"12\">{}</text>",
                area.x + 10.0,
                area.y + 18.0,
                escaped(&frame.title)
            );
        }
        for (node, area) in self.nodes.iter().zip(&layout.nodes) {
            let count = node.inputs.len() as f64;
            for (at, input) in node.inputs.iter().enumerate() {
                let from = &layout.nodes[*input];
                let (x, y) = (from.x + from.width, from.y + from.height / 2.0);
                let (to_x, to_y) = (area.x, area.y + area.height * (at as f64 + 1.0) / (count + 1.0));
                let bend = ((to_x - x).abs() / 2.0).max(20.0);
                let _ = writeln!(
                    svg,
                    "<path d=\"M {x:.1} {y:.1} C {:.1} {y:.1}, {:.1} {to_y:.1}, {to_x:.1} {to_y:.1}\" \
                     fill=\"none\" stroke=\"#30343c\" stroke-width=\"1.2\"/>",
                    x + bend,
                    to_x - bend
                );
            }
        }
        for (node, area) in self.nodes.iter().zip(&layout.nodes) {
            let (fill, stroke) = if node.end { ("#e8f0e4", "#6b8f5a") } else { ("white", "#30343c") };
            rectangle(&mut svg, area, fill, stroke);
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" dominant-baseline=\"central\">{}</text>",
                area.x + area.width / 2.0,
                area.y + area.height / 2.0,
                escaped(&node.label)
            );
        }
        svg + "</svg>\n"
    }
}

fn rectangle(svg: &mut String, area: &Area, fill: &str, stroke: &str) {
    let Area { x, y, width, height } = area;
    let _ = writeln!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\" fill=\"{fill}\" stroke=\"{stroke}\"/>"
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
