//! Pictures of every function of the examples, of its derivative and of its adjoint: no wire runs behind a box or a
//! title, and boxes do not overlap.

use riesz::graph::{Area, Bend, Graph, Layout, Of};
use riesz::{Loaded, Loader, Session};
use std::path::{Path, PathBuf};

/// Files from the root of the project.
struct Root;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Loader for Root {
    fn load(&self, path: &str, from: Option<&str>) -> Result<Loaded, String> {
        let path = from.map_or(path.to_string(), |from| Path::new(from).with_file_name(path).display().to_string());
        let text = std::fs::read_to_string(root().join(&path)).map_err(|problem| problem.to_string())?;
        Ok(Loaded::text(&path, &text))
    }
}

#[test]
fn pictures_of_all_functions_are_clean() {
    let mut refused = Vec::new();
    let mut pictures = 0;
    for folder in ["examples", "gradbench"] {
        let mut files: Vec<String> = std::fs::read_dir(root().join(folder))
            .unwrap()
            .map(|entry| format!("{folder}/{}", entry.unwrap().file_name().to_string_lossy()))
            .filter(|name| name.ends_with(".rz"))
            .collect();
        files.sort();
        for file in files {
            let mut session = Session::default();
            let id =
                session.load(&file, &Root).unwrap_or_else(|problems| panic!("{}", session.render(&problems, false)));
            for function in session.functions(id) {
                for of in [Of::Value, Of::Derivative, Of::Adjoint] {
                    match session.graph(&function.name, of) {
                        Ok(graph) => {
                            pictures += 1;
                            let faults = faults(&graph);
                            assert!(faults.is_empty(), "{file} {} {of:?}: {faults:#?}", function.name);
                        }
                        // There is nothing to differentiate with respect to.
                        Err(problems) if problems[0].message.contains("has no real argument") => {}
                        Err(problems) => refused.push(format!("{file} {}: {}", function.name, problems[0].message)),
                    }
                }
            }
        }
    }
    refused.dedup();
    println!("{pictures} pictures; not drawn: {refused:#?}");
    // Functions with type variables, and those with derivatives of functions that they are given.
    assert!(pictures > 400 && refused.len() < 18);
}

/// What is wrong with a picture.
fn faults(graph: &Graph) -> Vec<String> {
    let layout = Layout::new(graph);
    let mut faults = Vec::new();
    let sheet = Area { x: 0.0, y: 0.0, width: layout.size.0, height: layout.size.1 };
    for (at, area) in layout.nodes.iter().enumerate() {
        let label = &graph.nodes[at].label;
        let around = graph.nodes[at].frame.and_then(|frame| layout.frames[frame]).unwrap_or(sheet);
        if !holds(&around, area) {
            faults.push(format!("`{label}` sticks out of its frame"));
        }
        for (other, more) in layout.nodes.iter().enumerate().skip(at + 1) {
            if touch(area, more) {
                faults.push(format!("`{label}` touches `{}`", graph.nodes[other].label));
            }
        }
    }
    let titles = layout.frames.iter().zip(&graph.frames).filter_map(|(area, frame)| {
        let width = frame.title.chars().count() as f64 * 7.5;
        area.map(|area| Area { x: area.x + 10.0, y: area.y + 4.0, width, height: 14.0 })
    });
    let titles: Vec<Area> = titles.collect();
    for bend in layout.wires.iter().flatten() {
        // A curve stays between the heights of its ends.
        let (top, bottom) = (bend.from.1.min(bend.to.1), bend.from.1.max(bend.to.1));
        let way = Area { x: bend.from.0, y: top - 1.0, width: bend.to.0 - bend.from.0, height: bottom - top + 2.0 };
        let near = |(_, area): &(usize, &Area)| touch(&way, area);
        let boxes: Vec<(usize, &Area)> = layout.nodes.iter().enumerate().filter(near).collect();
        let titles: Vec<&Area> = titles.iter().filter(|area| touch(&way, area)).collect();
        for point in points(bend) {
            if let Some((at, _)) = boxes.iter().find(|(_, area)| is_inside(point, area)) {
                faults.push(format!("a wire runs behind `{}`", graph.nodes[*at].label));
                break;
            }
            if titles.iter().any(|area| is_inside(point, area)) {
                faults.push("a wire runs behind a title".into());
                break;
            }
        }
    }
    faults
}

/// Points along a piece of a wire, as it is drawn.
fn points(Bend { from, between, to }: &Bend) -> Vec<(f64, f64)> {
    let middle = (between.0 + between.1) / 2.0;
    let straight = |a: (f64, f64), b: (f64, f64)| {
        (0..=16)
            .map(move |step| (a.0 + (b.0 - a.0) * f64::from(step) / 16.0, a.1 + (b.1 - a.1) * f64::from(step) / 16.0))
    };
    let curve = (0..=32).map(|step| {
        let t = f64::from(step) / 32.0;
        let weights = [(1.0 - t).powi(3), 3.0 * t * (1.0 - t).powi(2), 3.0 * t * t * (1.0 - t), t.powi(3)];
        let x = [between.0, middle, middle, between.1].iter().zip(weights).map(|(x, weight)| x * weight).sum();
        let y = [from.1, from.1, to.1, to.1].iter().zip(weights).map(|(y, weight)| y * weight).sum();
        (x, y)
    });
    straight(*from, (between.0, from.1)).chain(curve).chain(straight((between.1, to.1), *to)).collect()
}

fn is_inside((x, y): (f64, f64), area: &Area) -> bool {
    let edge = 0.5;
    x > area.x + edge && x < area.x + area.width - edge && y > area.y + edge && y < area.y + area.height - edge
}

fn touch(a: &Area, b: &Area) -> bool {
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

fn holds(outer: &Area, inner: &Area) -> bool {
    inner.x >= outer.x
        && inner.y >= outer.y
        && inner.x + inner.width <= outer.x + outer.width + 0.01
        && inner.y + inner.height <= outer.y + outer.height + 0.01
}
