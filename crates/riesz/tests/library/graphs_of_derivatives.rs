//! Drawn derivatives are those of the figures of [004], and compute: a graph is evaluated node by node, on numbers, and
//! compared with the derivative that the program evaluates to.

#[path = "../support/graph.rs"]
mod graph;

use graph::evaluate;
use riesz::graph::{Area, Graph, Layout, Node, Of};
use riesz::{NoFiles, Session, Type};
use riesz_core::evaluate::Value;

const TEXT: &str = "
fun mag_sqr(a: R, b: R): R = a * a + b * b
fun cos_sin_prod(x: R, y: R): (R, R) = let z = x * y in (cos(z), sin(z))
fun cos_xpy(x: R, y: R, z: R): R = cos(x + y * z)
fun nothing_varies(x: R): R = floor(x) + 2.5
fun power(k: Int, x: R): R = loop p = 1.0 for i < k do p * x
fun walk(v: [n]R): R = loop s = 0.4 for x in v do if s > 0.3 then s * x else s + x
fun mean(x: {weight: R, values: [n]R}): R = x.weight * sum(sin(v)^2 | v in x.values)
fun griewank(a: [n]R, b: [m]R, x: [n]R): [m]R = b * sin(dot(a, x))
fun product(a: [m][n]R, b: [n][m]R): [m][m]R = dot(a, b)
fun running(v: [n]R): [n]R = scan(\\s x -> s * x + sin(s), 0.5, v)
fun root(x: R): R = (loop (y, k) = (1.0, 0) while k < 4 do ((y + (x + 2.0) / y) / 2.0, k + 1)).0
fun extreme(v: [n]R): R = max(v) * prod(v) - min(v) / 2.0
fun moved(v: [n]R, x: R): [n]R = update(reverse(v), 1, x * v[0])
fun nested(v: [n]R): R = sum(sum(exp(x * y) | y in v) * x | x in v)
fun branches(x: R, y: R): (R, R) = if x > y then (x * y, sin(x)) else (y / (x + 2.0), y)
fun step(x: R): R = if x > 0.1 then sin(x) * x else x^3
fun steps(v: [n]R): [n]R = [step(x) | x in v]
fun gradient(x: R, y: R): (R, R) = grad(cos_xpy(_, _, 0.3), (x, y))
";

const FUNCTIONS: [&str; 18] = [
    "mag_sqr",
    "cos_sin_prod",
    "cos_xpy",
    "nothing_varies",
    "power",
    "walk",
    "mean",
    "griewank",
    "product",
    "running",
    "root",
    "extreme",
    "moved",
    "nested",
    "branches",
    "step",
    "steps",
    "gradient",
];

fn session() -> Session {
    let mut session = Session::default();
    session.load_text("graphs.rz", TEXT, &NoFiles).unwrap_or_else(|problems| panic!("{problems:?}"));
    session
}

fn drawn(name: &str, of: Of) -> Graph {
    session().graph(name, of).unwrap_or_else(|problems| panic!("{name}: {problems:?}"))
}

/// The nodes in a frame or outside of all, by label, ends apart.
fn labels(graph: &Graph, framed: bool) -> Vec<String> {
    let nodes = graph.nodes.iter().filter(|node| !node.end && node.frame.is_some() == framed);
    let mut found: Vec<String> = nodes.map(|node| node.label.clone()).collect();
    found.sort();
    found
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

/// [004 Fig. 8, 9]
#[test]
fn adjoints() {
    assert_eq!(labels(&drawn("mag_sqr", Of::Adjoint), true), ["+", "+", "×", "×"]);
    assert_eq!(labels(&drawn("cos_sin_prod", Of::Adjoint), true), ["+", "×", "×", "×", "×"]);
    // λ((x, y), z) → cos (x + y · z): −sin times the cotangent, then times y and z.
    assert_eq!(labels(&drawn("cos_xpy", Of::Adjoint), true), ["×", "×", "×"]);
}

/// [004 Fig. 11, 12]: value and gradient, without a box inside.
#[test]
fn gradients() {
    let mag_sqr = drawn("mag_sqr", Of::Gradient);
    assert!(mag_sqr.frames.is_empty());
    assert_eq!(labels(&mag_sqr, false), ["+", "+", "+", "×", "×"]);
    let cos_xpy = drawn("cos_xpy", Of::Gradient);
    assert!(cos_xpy.frames.is_empty());
    assert_eq!(labels(&cos_xpy, false), ["+", "cos", "sin", "×", "×", "×", "−"]);
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

/// A graph gives the numbers that the program evaluates to, whatever is drawn of it.
#[test]
fn graphs_compute_what_they_show() {
    for name in FUNCTIONS {
        let mut session = session();
        let value = drawn(name, Of::Value);
        let mut numbers = Numbers(1);
        // Sizes are three, and not written in a call.
        let taken: Vec<&Node> = value.nodes.iter().filter(|node| node.end && node.inputs.is_empty()).collect();
        let is_size = |node: &&Node| matches!(&*node.label, "n" | "m");
        let points: Vec<(String, String, String)> = taken
            .iter()
            .filter(|node| node.frame.is_none() && !is_size(node))
            .map(|node| {
                let ty = node.ty.clone().unwrap();
                (node.label.clone(), numbers.text(&ty), numbers.text(&ty.tangent()))
            })
            .collect();
        let column = |of: fn(&(String, String, String)) -> &String| {
            let texts: Vec<&str> = points.iter().map(|point| of(point).as_str()).collect();
            if texts.len() == 1 { texts[0].to_string() } else { format!("({})", texts.join(", ")) }
        };
        let (point, tangent) = (column(|it| &it.1), column(|it| &it.2));
        let mut number = |text: &str| -> Value<f64> {
            session.evaluate(text, Vec::new()).unwrap_or_else(|problems| panic!("{name}: {text}: {problems:?}")).value
        };
        let result = number(&format!("{name}({point})"));
        let cotangent = Numbers(7).like(&result);
        for of in [Of::Value, Of::Derivative, Of::Adjoint, Of::Gradient] {
            let expected = match of {
                // A call is one box in what a function computes.
                Of::Value if name == "steps" => continue,
                Of::Value => result.clone(),
                Of::Derivative => number(&format!("jvp({name}, {point}, {tangent})")),
                Of::Adjoint => number(&format!("vjp({name}, {point}, {cotangent})")),
                Of::Gradient if matches!(result, Value::Real(_)) => {
                    number(&format!("({name}({point}), grad({name}, {point}))"))
                }
                Of::Gradient => continue,
            };
            let graph = drawn(name, of);
            let parts = number(&cotangent);
            let found = evaluate(&graph, &mut |node| match node.frame {
                None if is_size(&node) => Value::Int(3),
                None => number(&points.iter().find(|point| point.0 == node.label).unwrap().1),
                Some(_) if of == Of::Adjoint => match node.label.rsplit_once(' ') {
                    Some((_, at)) => parts.parts()[at.parse::<usize>().unwrap()].clone(),
                    None => parts.clone(),
                },
                Some(_) => number(&points.iter().find(|point| format!("d{}", point.0) == node.label).unwrap().2),
            });
            let (found, expected) = (graph::numbers(&found), graph::numbers(&[expected]));
            let far = found.len() != expected.len()
                || found.iter().zip(&expected).any(|(a, b)| (a - b).abs() > 1e-12 * (1.0 + b.abs()));
            assert!(!far, "{name}, {of:?}: drawn {found:?}, evaluated {expected:?}");
        }
    }
}

/// Numbers between −1 and 1 as text, in the shapes of types and values.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> String {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        format!("{:.3}", (self.0 >> 40) as f64 / f64::from(1 << 23) - 1.0)
    }

    fn text(&mut self, ty: &Type) -> String {
        match ty {
            Type::Int => "3".into(),
            Type::Array(_, element) => format!("[{}]", [(); 3].map(|()| self.text(element)).join(", ")),
            Type::Record(record) => {
                let field = |(name, ty): &(_, Type)| format!("{name} = {}", self.text(ty));
                format!("{{{}}}", record.fields.iter().map(field).collect::<Vec<_>>().join(", "))
            }
            Type::Tuple(parts) => {
                format!("({})", parts.iter().map(|part| self.text(part)).collect::<Vec<_>>().join(", "))
            }
            _ => self.next(),
        }
    }

    fn like(&mut self, value: &Value<f64>) -> String {
        match value {
            Value::Real(_) => self.next(),
            Value::Tuple(parts) => {
                format!("({})", parts.iter().map(|part| self.like(part)).collect::<Vec<_>>().join(", "))
            }
            array => {
                format!("[{}]", array.elements().map(|element| self.like(&element)).collect::<Vec<_>>().join(", "))
            }
        }
    }
}
