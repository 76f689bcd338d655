//! The growth of the cost of derivatives with a size, and its plot.

use riesz::modes::{Grow, Growth, Measuring, Mode};
use riesz::plot::{Line, Plot};
use riesz::via::REPRESENTATIONS;
use riesz::{NoFiles, Session};
use std::time::Duration;

const TEXT: &str = "fun chain(x: [n]R): R = sum((x[i + 1] - x[i]^2)^2 | i < n - 1)";

fn growth(to: u32, longest: Duration) -> Growth {
    let mut session = Session::default();
    session.load_text("chain.rz", TEXT, &NoFiles).unwrap();
    let grow = Grow { name: "n".into(), from: 10, to, longest };
    session
        .growth("chain", "[1.0 + i / n | i < n]", Vec::new(), &grow, Measuring::default())
        .unwrap_or_else(|problems| panic!("{}", session.render(&problems, false)))
}

#[test]
fn sizes_are_multiples_of_each_other() {
    let sizes = |from, to| Grow { name: "n".into(), from, to, longest: Duration::MAX }.sizes();
    assert_eq!(sizes(10, 10_000), [10, 32, 100, 316, 1000, 3162, 10_000]);
    assert_eq!(sizes(1, 10), [1, 3, 10]);
    assert_eq!(sizes(7, 7), [7]);
    assert_eq!(sizes(2, 3), [2, 3]);
}

/// A gradient carried forward takes a multiple of `n²` operations, everything else a multiple of `n`; sparse gradients lie
/// between, as adding two copies their entries.
#[test]
fn slopes_are_those_of_the_papers() {
    let growth = growth(100, Duration::from_secs(60));
    assert!(growth.agree());
    assert_eq!(growth.rows.len(), REPRESENTATIONS.len());
    for row in &growth.rows {
        assert_eq!(row.samples.len(), 3, "{:?}: {:?}", row.representation, row.stopped);
        let expected = match row.representation.name {
            "forward-dense" => 1.8..2.2,
            "forward-sparse" | "reverse-sparse" => 1.2..2.2,
            _ => 0.8..1.2,
        };
        let slope = row.slope().unwrap();
        assert!(expected.contains(&slope), "{:?}: {slope}", row.representation);
    }
}

/// The derivative of a body stands once in that of its loop. Matrices multiply out what the others leave composed.
#[test]
fn loops_in_loops_take_what_is_compiled() {
    let text = "fun f(v: [n]R): R = sum(scan(\\a x -> sum(scan(\\b y -> sum(scan(\\c z -> sum(scan(\\d w -> \
                sin(a * b + c) * d + x * y * z * w, c, v)), b, v)), a, v)), 1.0, v))";
    let mut session = Session::default();
    session.load_text("nested.rz", text, &NoFiles).unwrap();
    let modes = session.modes("f", "[0.1, 0.2, 0.3]", Vec::new(), Measuring::default()).unwrap();
    let operations = |row: &Mode| row.outcome.as_ref().map_or(u64::MAX / 5, |measured| measured.operations.total());
    let compiled = operations(modes.rows.last().unwrap());
    for row in modes.rows.iter().filter(|row| row.representation.name != "matrix") {
        assert!(operations(row) * 2 <= compiled * 5, "{:?}: {}", row.representation, operations(row));
    }
}

#[test]
fn what_takes_too_long_stops_and_says_so() {
    let growth = growth(1000, Duration::from_nanos(1));
    for row in &growth.rows {
        assert_eq!(row.samples.len(), 1);
        assert_eq!(row.stopped.as_deref(), Some("32 would take more than 0.000000001 s"));
    }
    let plot = growth.plot("chain");
    assert!(plot.lines.iter().all(|line| line.stopped) && plot.note.is_some());
}

/// However near each other lines end, their labels stand apart, in their order, and on the sheet.
#[test]
fn labels_do_not_touch() {
    for count in [1, 2, 17] {
        for apart in [0.0, 0.01, 0.4, 3.0] {
            for falling in [1.0, -1.0] {
                let line = |at: usize| Line {
                    label: format!("line {at}"),
                    points: vec![(1.0, 10.0), (1e3, 10f64.powf(50.0 + falling * apart * at as f64))],
                    stopped: at.is_multiple_of(2),
                };
                let lines: Vec<Line> = (0..count).map(line).collect();
                let svg = Plot { title: "t".into(), across: "n".into(), up: "f".into(), lines, note: None }.svg();
                let mut heights: Vec<f64> = svg
                    .lines()
                    .filter(|line| line.contains("class=\"label\""))
                    .map(|line| line.split("y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
                    .collect();
                assert_eq!(heights.len(), count);
                heights.sort_by(f64::total_cmp);
                assert!(heights.windows(2).all(|pair| pair[1] - pair[0] > 15.0), "{count} {apart}: {heights:?}");
                assert!(heights[0] > 40.0 && heights[count - 1] < 460.0, "{count} {apart}: {heights:?}");
                assert!(!svg.contains("NaN") && !svg.contains("inf"));
            }
        }
    }
}
