//! Plots: lines on logarithmic axes, each with its label at its end.
//!
//! `y = c · xˢ` is a straight line of slope `s`.

use std::fmt::Write;

/// Lines over logarithmic axes.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The title.
    pub title: String,
    /// The label of the horizontal axis.
    pub across: String,
    /// The label of the vertical axis.
    pub up: String,
    /// The lines.
    pub lines: Vec<Line>,
    /// The note under the plot.
    pub note: Option<String>,
}

/// A line of a plot.
#[derive(Clone, Debug)]
pub struct Line {
    /// The label at its end.
    pub label: String,
    /// Its points, which are positive, from left to right.
    pub points: Vec<(f64, f64)>,
    /// Whether it would go on, which an open end shows.
    pub stopped: bool,
}

/// Where the axes are.
const LEFT: f64 = 72.0;
const TOP: f64 = 48.0;
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 400.0;
/// The distance between lines of text, and how wide a letter is at most, on average over a label.
const TEXT: f64 = 16.0;
const LETTER: f64 = 7.2;
/// How far labels stand from the axes.
const LABELS: f64 = 34.0;

/// Colours that are told apart by everybody, after M. Okabe and K. Ito.
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a06a00", "#56b4e9", "#000000", "#7a7a7a"];
/// How lines are dashed when the colours are used up.
const DASHES: [&str; 3] = ["", " stroke-dasharray=\"7 3\"", " stroke-dasharray=\"2 3\""];

impl Plot {
    /// The plot as a picture in SVG.
    pub fn svg(&self) -> String {
        let values = |pick: fn(&(f64, f64)) -> f64| self.lines.iter().flat_map(|line| &line.points).map(pick);
        let (x, y) = (Axis::over(values(|point| point.0)), Axis::over(values(|point| point.1)));
        let place = |point: &(f64, f64)| (LEFT + WIDTH * x.at(point.0), TOP + HEIGHT * (1.0 - y.at(point.1)));
        let longest = self.lines.iter().map(|line| line.label.chars().count()).max().unwrap_or(0);
        let (right, bottom) = (LEFT + WIDTH, TOP + HEIGHT);
        let (width, height) = (right + LABELS + longest as f64 * LETTER + 8.0, bottom + 64.0);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#30343c\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        text(&mut svg, (LEFT, 26.0), " font-size=\"15\"", &self.title);
        for tick in x.ticks() {
            let (at, _) = place(&(tick, 1.0));
            let _ = writeln!(svg, "<path d=\"M {at:.1} {TOP} V {bottom}\" stroke=\"#e3e6ea\"/>");
            text(&mut svg, (at, bottom + 18.0), " text-anchor=\"middle\"", &number(tick));
        }
        for tick in y.ticks() {
            let (_, at) = place(&(1.0, tick));
            let _ = writeln!(svg, "<path d=\"M {LEFT} {at:.1} H {right}\" stroke=\"#e3e6ea\"/>");
            text(&mut svg, (LEFT - 8.0, at + 4.0), " text-anchor=\"end\"", &number(tick));
        }
        text(&mut svg, (LEFT + WIDTH / 2.0, bottom + 38.0), " text-anchor=\"middle\"", &self.across);
        let middle = TOP + HEIGHT / 2.0;
        let turned = format!(" text-anchor=\"middle\" transform=\"rotate(-90 20 {middle})\"");
        text(&mut svg, (20.0, middle), &turned, &self.up);
        if let Some(note) = &self.note {
            text(&mut svg, (LEFT, bottom + 56.0), " fill=\"#6a7280\"", note);
        }
        let ends: Vec<(f64, f64)> =
            self.lines.iter().map(|line| line.points.last().map_or((LEFT, TOP), place)).collect();
        let labels = spread(&ends.iter().map(|end| end.1).collect::<Vec<f64>>());
        for (end, label) in ends.iter().zip(&labels) {
            let _ = writeln!(
                svg,
                "<path class=\"leader\" d=\"M {:.1} {:.1} L {right} {label:.1} h {:.1}\" fill=\"none\" stroke=\"#c3c8d0\" \
                 stroke-width=\"0.8\"/>",
                end.0,
                end.1,
                LABELS - 6.0
            );
        }
        for (at, line) in self.lines.iter().enumerate() {
            let (colour, dash) = (COLOURS[at % COLOURS.len()], DASHES[at / COLOURS.len() % DASHES.len()]);
            let corners: Vec<String> = line.points.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"{dash}/>",
                corners.join(" ")
            );
            for (index, (x, y)) in line.points.iter().map(place).enumerate() {
                let open = line.stopped && index + 1 == line.points.len();
                let (radius, fill) = if open { (4.0, "white") } else { (2.4, colour) };
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{colour}\"/>"
                );
            }
            text(
                &mut svg,
                (right + LABELS, labels[at] + 4.0),
                &format!(" class=\"label\" fill=\"{colour}\""),
                &line.label,
            );
        }
        svg + "</svg>\n"
    }
}

/// A logarithmic axis, from the logarithm of its least value to that of its greatest.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// Over values, with a little room.
    fn over(values: impl Iterator<Item = f64>) -> Axis {
        let logarithms = values.map(|value| value.max(1.0).log10());
        let (low, high) = logarithms.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if low > high {
            return Axis { low: 0.0, high: 1.0 };
        }
        let room = ((high - low) * 0.04).max(0.05);
        Axis { low: low - room, high: high + room }
    }

    /// Where a value stands, from 0 to 1.
    fn at(&self, value: f64) -> f64 {
        (value.max(1.0).log10() - self.low) / (self.high - self.low)
    }

    /// Powers of ten; where there are too few, others between them.
    fn ticks(&self) -> Vec<f64> {
        let decades = self.low.floor() as i32..=self.high.ceil() as i32;
        let multiples: &[f64] = if self.high - self.low < 2.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let all = decades.flat_map(|power| multiples.iter().map(move |multiple| multiple * 10f64.powi(power)));
        let inside: Vec<f64> = all.filter(|tick| (self.low..=self.high).contains(&tick.log10())).collect();
        let apart = inside.len().div_ceil(9).max(1);
        inside.into_iter().step_by(apart).collect()
    }
}

/// Heights for labels, as near to the wished ones as they can be without touching each other.
fn spread(wished: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wished.len()).collect();
    order.sort_by(|a, b| wished[*a].total_cmp(&wished[*b]));
    // Groups of labels that touch: where the first stands, and how many there are.
    let mut groups: Vec<(f64, Vec<usize>)> = Vec::new();
    for at in order {
        let mut group = (wished[at], vec![at]);
        while let Some((top, members)) = groups.pop_if(|(top, members)| *top + members.len() as f64 * TEXT > group.0) {
            let (before, count) = (members.len() as f64, group.1.len() as f64);
            // The middle of both, each wish being met as well as the others.
            let joined = (top * before + (group.0 - before * TEXT) * count) / (before + count);
            let lowest = TOP + HEIGHT - (before + count - 1.0) * TEXT;
            group = (joined.min(lowest).max(TOP), members.into_iter().chain(group.1).collect());
        }
        groups.push(group);
    }
    let mut heights = vec![0.0; wished.len()];
    for (top, members) in groups {
        members.iter().enumerate().for_each(|(place, at)| heights[*at] = top + place as f64 * TEXT);
    }
    heights
}

/// A number as ticks show it.
fn number(value: f64) -> String {
    let power = value.log10().round();
    if value < 1e4 || (value / 10f64.powf(power) - 1.0).abs() > 1e-9 {
        return if value < 1e6 { format!("{value:.0}") } else { format!("{value:e}") };
    }
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = format!("{power:.0}");
    let raised = digits.chars().filter_map(|digit| digit.to_digit(10)).map(|digit| RAISED[digit as usize]);
    ['1', '0'].into_iter().chain(raised).collect()
}

fn text(svg: &mut String, (x, y): (f64, f64), attributes: &str, text: &str) {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\"{attributes}>{escaped}</text>");
}
