//! Graphs as pictures.

use super::layout::{Area, Bend, Layout};
use super::{Graph, Role};
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
            let Some(area) = area else { continue };
            let fill = if matches!(frame.role, Role::Derivative) { "#eef3fb" } else { "#f5f5f2" };
            rectangle(&mut svg, area, fill, "#a3abb8");
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#5a6474\" font-size=\"12\">{}</text>",
                area.x + 10.0,
                area.y + 16.0,
                escaped(&frame.title)
            );
        }
        for wire in &layout.wires {
            let mut way = String::new();
            wire.iter().for_each(|bend| piece(&mut way, bend));
            let _ = writeln!(svg, "<path d=\"{way}\" fill=\"none\" stroke=\"#30343c\" stroke-width=\"1.2\"/>");
        }
        for (node, area) in self.nodes.iter().zip(&layout.nodes) {
            let (fill, stroke) = if node.end { ("#e8f0e4", "#6b8f5a") } else { ("white", "#30343c") };
            rectangle(&mut svg, area, fill, stroke);
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                area.x + area.width / 2.0,
                area.y + area.height / 2.0 + 5.0,
                escaped(&node.label)
            );
        }
        svg + "</svg>\n"
    }
}

/// A piece of a wire as a path.
fn piece(way: &mut String, Bend { from, between, to }: &Bend) {
    let middle = (between.0 + between.1) / 2.0;
    let _ = write!(
        way,
        "M {:.1} {:.1} H {:.1} C {middle:.1} {:.1}, {middle:.1} {:.1}, {:.1} {:.1} H {:.1} ",
        from.0, from.1, between.0, from.1, to.1, between.1, to.1, to.0
    );
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
