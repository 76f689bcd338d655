//! The figure as a picture: operations against nodes and against variables, on logarithmic axes.

use std::fmt::Write;

use super::fit::{Curves, NODES_FOR_VARIABLES, VARIABLES};

const COLOURS: [&str; 6] = ["#7b3294", "#d7191c", "#e08214", "#1a9850", "#2b83ba", "#1f1f1f"];
/// The size of the field that curves are drawn in.
const FIELD: (f64, f64) = (370.0, 300.0);

/// A field with decades on both axes.
struct Panel {
    /// Where its lower left corner is.
    corner: (f64, f64),
    title: String,
    axis: &'static str,
    /// The decades it shows: powers of ten, from and to.
    x: (i32, i32),
    y: (i32, i32),
}

/// The picture.
pub fn svg(curves: &[Curves]) -> String {
    let panels = [
        Panel {
            corner: (60.0, 340.0),
            title: format!("V = {VARIABLES} variables"),
            axis: "N, nodes",
            x: (2, 5),
            y: (2, 9),
        },
        Panel {
            corner: (530.0, 340.0),
            title: format!("N = {NODES_FOR_VARIABLES} nodes"),
            axis: "V, variables",
            x: (0, 7),
            y: (4, 9),
        },
    ];
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 920 490\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"920\" height=\"490\" fill=\"white\"/>\n",
    );
    for panel in &panels {
        out += &panel.axes();
    }
    for (Curves { by_nodes, by_variables, .. }, colour) in curves.iter().zip(COLOURS) {
        out += &panels[0].line(by_nodes, colour);
        out += &panels[1].line(by_variables, colour);
    }
    for (at, (curve, colour)) in curves.iter().zip(COLOURS).enumerate() {
        let (x, y) = (60.0 + 420.0 * (at / 3) as f64, 410.0 + 24.0 * (at % 3) as f64);
        let row = curve.row;
        let variables = curve.variables_exponent().map_or(String::new(), |k| format!(", V^{k:.2}"));
        let text = format!(
            "{} {}: {}; counted N^{:.2}{variables}",
            row.mode,
            row.gradient,
            row.complexity,
            curve.nodes_exponent()
        );
        let _ = writeln!(
            out,
            "<path d=\"M{x} {y}h22\" stroke=\"{colour}\" stroke-width=\"2\"/><text x=\"{}\" y=\"{}\">{text}</text>",
            x + 30.0,
            y + 4.0
        );
    }
    out + "</svg>\n"
}

impl Panel {
    /// Where a point is.
    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let part = |value: f64, (from, to): (i32, i32)| (value.log10() - f64::from(from)) / f64::from(to - from);
        (self.corner.0 + FIELD.0 * part(x, self.x), self.corner.1 - FIELD.1 * part(y, self.y))
    }

    fn axes(&self) -> String {
        let mut out = String::new();
        let (left, bottom) = self.corner;
        let (right, top) = (left + FIELD.0, bottom - FIELD.1);
        for decade in self.x.0..=self.x.1 {
            let (x, _) = self.place(10f64.powi(decade), 1.0);
            let _ = writeln!(out, "<path d=\"M{x:.1} {bottom}V{top}\" stroke=\"#e0e0e0\"/>");
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                bottom + 18.0,
                power(decade)
            );
        }
        for decade in self.y.0..=self.y.1 {
            let (_, y) = self.place(1.0, 10f64.powi(decade));
            let _ = writeln!(out, "<path d=\"M{left} {y:.1}H{right}\" stroke=\"#e0e0e0\"/>");
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 8.0,
                y + 4.0,
                power(decade)
            );
        }
        let middle = left + FIELD.0 / 2.0;
        let _ =
            writeln!(out, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>", bottom + 38.0, self.axis);
        let title = format!("operations, {}", self.title);
        let _ = writeln!(out, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{title}</text>", top - 12.0);
        out
    }

    fn line(&self, points: &[(usize, u64)], colour: &str) -> String {
        let places: Vec<String> = points
            .iter()
            .map(|(x, y)| self.place(*x as f64, *y as f64))
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        if places.is_empty() {
            return String::new();
        }
        let dots: String = places
            .iter()
            .filter_map(|place| place.split_once(','))
            .map(|(x, y)| format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{colour}\"/>"))
            .collect();
        format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>{dots}\n",
            places.join(" ")
        )
    }
}

/// `10ᵏ`
fn power(decade: i32) -> String {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let exponent: String = decade.to_string().chars().filter_map(|c| digits.get(c.to_digit(10)? as usize)).collect();
    format!("10{exponent}")
}
