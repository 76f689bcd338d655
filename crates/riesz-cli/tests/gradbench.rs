//! `riesz gradbench` implements the protocol, and its answers for the twelve modules are right: derivatives from native
//! code agree with differences of values from the interpreter, `D f(x)·eᵢ ≈ (f(x + h eᵢ) − f(x − h eᵢ)) / 2h`.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

#[test]
fn gradients_are_what_differences_say() {
    let rows = [
        ("hello", "square", "double", json!(3.5), vec![""]),
        ("llsq", "primal", "gradient", json!({"x": wave(4, 0.3), "n": 7}), vec!["/x"]),
        ("lse", "primal", "gradient", json!({"x": wave(11, 2.0)}), vec!["/x"]),
        ("det", "primal", "gradient", json!({"A": wave(9, 0.9), "ell": 3}), vec!["/A"]),
        ("gmm", "objective", "jacobian", mixture(), vec!["/alpha", "/l", "/mu", "/q"]),
        ("lstm", "objective", "jacobian", network(), vec!["/main_params", "/extra_params"]),
    ];
    let (mut native, mut interpreter) = (Tool::start(&[]), Tool::start(&["--backend", "interp"]));
    for (module, value, derivative, input, paths) in rows {
        let found = native.define(module).evaluate(module, derivative, &input);
        let value = |input: &Value| numbers(&interpreter.evaluate(module, value, input));
        let expected: Vec<f64> = columns(&input, &paths, value).iter().map(|column| column[0]).collect();
        close(module, &numbers(&found), &expected, 1e-6);
    }
}

#[test]
fn the_gradient_of_the_last_element_is_what_differences_say() {
    let (mut native, mut interpreter) = (Tool::start(&[]), Tool::start(&["--backend", "interp"]));
    let input = json!({"x": [0.9, 1.1, 0.7, 1.3, 0.8], "s": 6});
    let found = native.define("ode").evaluate("ode", "gradient", &input);
    let value = |input: &Value| numbers(&interpreter.evaluate("ode", "primal", input));
    let expected: Vec<f64> = columns(&input, &["/x"], value).iter().map(|column| column[4]).collect();
    close("ode", &numbers(&found), &expected, 1e-7);
}

#[test]
fn jacobians_are_what_differences_say() {
    let (mut native, mut interpreter) = (Tool::start(&[]), Tool::start(&["--backend", "interp"]));
    // Ten observations, each of a camera and a point of its own: the two errors of the first vary with its camera, its
    // point and its weight, and the last error with the last weight.
    let input = json!({"n": 10, "m": 10, "p": 10, "cam": [0.1, -0.2, 0.3, 0.5, 0.4, -3.0, 2.0, 0.1, 0.2, 0.01, 0.002],
        "x": [0.3, 0.2, 0.1], "w": 0.7, "feat": [0.5, 0.6]});
    let found = native.define("ba").evaluate("ba", "jacobian", &input);
    let value = |input: &Value| {
        let errors = interpreter.evaluate("ba", "objective", input);
        let mut all = numbers(&errors["reproj_error"]["elements"]);
        all.push(errors["w_err"]["element"].as_f64().unwrap());
        all
    };
    let columns_of_ba = columns(&input, &["/cam", "/x", "/w"], value);
    let row = |at: usize| columns_of_ba.iter().map(move |column| column[at]);
    let expected: Vec<f64> = row(0).chain(row(1)).chain(row(2).skip(14)).collect();
    close("ba", &numbers(&found["vals"]), &expected, 1e-6);
    assert_eq!(numbers(&found["cols"])[10..17], [10.0, 110.0, 111.0, 112.0, 140.0, 0.0, 1.0]);

    for us in [json!([]), json!([[0.2, 0.3], [0.5, 0.1]])] {
        let input = hand(&us);
        let found = native.define("ht").evaluate("ht", "jacobian", &input);
        let value = |input: &Value| numbers(&interpreter.evaluate("ht", "objective", input));
        let pose = columns(&input, &["/theta"], value);
        let rows = found.as_array().unwrap();
        assert_eq!(rows.len(), 6);
        for (at, row) in rows.iter().enumerate() {
            let row = numbers(row);
            let expected: Vec<f64> = pose.iter().map(|column| column[at]).collect();
            close("ht", &row[row.len() - 26..], &expected, 1e-6);
        }
    }
}

#[test]
fn the_direction_is_the_gradient_over_the_diagonal_of_the_hessian() {
    let (mut native, mut interpreter) = (Tool::start(&[]), Tool::start(&["--backend", "interp"]));
    let points: Vec<Vec<f64>> = (0..9).map(|i| vec![(1.3 * i as f64).sin(), (0.7 * i as f64).cos()]).collect();
    let input = json!({"points": points, "centroids": [[0.5, 0.5], [-0.6, -0.4]]});
    let found = native.define("kmeans").evaluate("kmeans", "dir", &input);
    let h = 1e-3;
    let mut expected = Vec::new();
    for at in 0..4 {
        let mut cost = |by: f64| {
            let moved = moved(&input, "/centroids", at, by);
            interpreter.evaluate("kmeans", "cost", &moved).as_f64().unwrap()
        };
        let (low, middle, high) = (cost(-h), cost(0.0), cost(h));
        expected.push((high - low) / (2.0 * h) / ((high - 2.0 * middle + low) / (h * h)));
    }
    close("kmeans", &numbers(&found), &expected, 1e-6);
}

#[test]
fn searches_end_where_those_of_others_do() {
    let mut native = Tool::start(&[]);
    for (module, input, expected) in [
        ("particle", json!({"w": 0.0}), vec![0.2071918746486116]),
        ("saddle", json!({"start": [1.0, 1.0]}), vec![8.246324826140356e-6; 4]),
    ] {
        native.define(module);
        for function in ["ff", "fr", "rf", "rr"] {
            close(module, &numbers(&native.evaluate(module, function, &input)), &expected, 1e-12);
        }
    }
}

#[test]
fn messages_are_answered_as_the_protocol_says() {
    let mut tool = Tool::start(&["--backend", "interp"]);
    let start = tool.send(json!({"kind": "start", "eval": "lse"}));
    assert_eq!(start["tool"], "riesz");
    assert_eq!(tool.send(json!({"kind": "define", "module": "lse"}))["success"], true);
    for module in ["nothing", "../lse", "descent/lse", ""] {
        let answer = tool.send(json!({"kind": "define", "module": module}));
        assert_eq!(answer["success"], false, "{answer}");
        assert!(answer["error"].as_str().unwrap().contains("no module"), "{answer}");
    }

    let input = json!({"x": [1.0, 2.0], "min_runs": 7, "min_seconds": 0});
    let answer = tool.send(json!({"kind": "evaluate", "module": "lse", "function": "primal", "input": input}));
    assert_eq!(answer["success"], true, "{answer}");
    close("lse", &numbers(&answer["output"]), &[2.3132616875182228], 1e-15);
    assert_eq!(evaluations(&answer).len(), 7);
    let input = json!({"x": [1.0, 2.0], "min_runs": 1, "min_seconds": 0.02});
    let answer = tool.send(json!({"kind": "evaluate", "module": "lse", "function": "primal", "input": input}));
    let times = evaluations(&answer);
    assert!(times.iter().sum::<u64>() >= 20_000_000 && times.len() > 1, "{times:?}");

    for (function, input, reason) in [
        ("primal", json!({"y": [1.0]}), "lacks `x`"),
        ("primal", json!({"x": ["one"]}), "expected {x: [n]R}"),
        ("primal", json!("text"), "no number"),
        ("nothing", json!({"x": [1.0]}), "nothing"),
        ("1 +", json!({"x": [1.0]}), "not the name"),
    ] {
        let answer = tool.send(json!({"kind": "evaluate", "module": "lse", "function": function, "input": input}));
        assert_eq!(answer["success"], false, "{answer}");
        assert!(answer["error"].as_str().unwrap().contains(reason), "{answer}");
    }
    let answer = tool.send(json!({"kind": "analysis", "of": 1, "valid": true}));
    assert_eq!(answer.as_object().unwrap().len(), 1, "{answer}");
    tool.send(json!({"kind": "something new"}));

    writeln!(tool.input.as_mut().unwrap(), "this is no message").unwrap();
    drop(tool.input.take());
    assert_eq!(tool.child.wait().unwrap().code(), Some(1));
}

/// A process that answers messages.
struct Tool {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    messages: i64,
}

impl Tool {
    fn start(options: &[&str]) -> Tool {
        let mut child = Command::new(env!("CARGO_BIN_EXE_riesz"))
            .arg("gradbench")
            .args(options)
            .env("RIESZ_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("native"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Tool { child, input, output, messages: 0 }
    }

    /// Sends a message and gives the answer, which has the same number.
    fn send(&mut self, mut message: Value) -> Value {
        self.messages += 1;
        message["id"] = json!(self.messages);
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], self.messages, "{answer}");
        answer
    }

    fn define(&mut self, module: &str) -> &mut Tool {
        let answer = self.send(json!({"kind": "define", "module": module}));
        assert_eq!(answer["success"], true, "{answer}");
        self
    }

    fn evaluate(&mut self, module: &str, function: &str, input: &Value) -> Value {
        let mut answer = self.send(json!({"kind": "evaluate", "module": module, "function": function, "input": input}));
        assert_eq!(answer["success"], true, "{module} {function}: {answer}");
        assert_eq!(evaluations(&answer).len(), 1);
        answer["output"].take()
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// The times of an answer that are those of the function itself.
fn evaluations(answer: &Value) -> Vec<u64> {
    let timings = answer["timings"].as_array().unwrap().iter();
    timings
        .filter(|timing| timing["name"] == "evaluate")
        .map(|timing| timing["nanoseconds"].as_u64().unwrap())
        .collect()
}

/// The columns of a Jacobian, by differences in the numbers at some places of an input.
fn columns(input: &Value, paths: &[&str], mut value: impl FnMut(&Value) -> Vec<f64>) -> Vec<Vec<f64>> {
    let h = 1e-5;
    let mut columns = Vec::new();
    for path in paths {
        for at in 0..numbers(input.pointer(path).unwrap()).len() {
            let (low, high) = (value(&moved(input, path, at, -h)), value(&moved(input, path, at, h)));
            columns.push(high.iter().zip(&low).map(|(high, low)| (high - low) / (2.0 * h)).collect());
        }
    }
    columns
}

/// An input with one of the numbers at a place moved.
fn moved(input: &Value, path: &str, at: usize, by: f64) -> Value {
    let mut input = input.clone();
    move_number(input.pointer_mut(path).unwrap(), &mut { at }, by);
    input
}

fn move_number(value: &mut Value, at: &mut usize, by: f64) -> bool {
    match value {
        Value::Array(elements) => elements.iter_mut().any(|element| move_number(element, at, by)),
        number if *at == 0 => {
            *number = json!(number.as_f64().unwrap() + by);
            true
        }
        _ => {
            *at -= 1;
            false
        }
    }
}

/// All numbers of a value, records by the names of their fields.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(elements) => elements.iter().flat_map(numbers).collect(),
        Value::Object(fields) => fields.values().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap_or_else(|| panic!("{number} is no number"))],
    }
}

fn close(what: &str, found: &[f64], expected: &[f64], within: f64) {
    assert_eq!(found.len(), expected.len(), "{what}: {found:?} against {expected:?}");
    for (found, expected) in found.iter().zip(expected) {
        let apart = (found - expected).abs() / f64::max(1.0, found.abs() + expected.abs());
        assert!(apart < within, "{what}: {found} against {expected}");
    }
}

fn wave(count: usize, height: f64) -> Vec<f64> {
    (0..count).map(|i| height * (1.0 + 2.3 * i as f64).sin()).collect()
}

fn rows(count: usize, length: usize, height: f64) -> Vec<Vec<f64>> {
    wave(count * length, height).chunks(length).map(<[f64]>::to_vec).collect()
}

fn mixture() -> Value {
    json!({"d": 3, "k": 2, "n": 5, "x": rows(5, 3, 1.5), "m": 2, "gamma": 0.8, "alpha": wave(2, 0.5),
        "mu": rows(2, 3, 0.7), "q": rows(2, 3, 0.4), "l": rows(2, 3, 0.6)})
}

fn network() -> Value {
    json!({"main_params": rows(4, 8, 0.5), "extra_params": rows(3, 2, 0.5), "state": rows(4, 2, 0.3),
        "sequence": rows(5, 2, 0.9)})
}

/// A hand of 22 bones in a chain, with four vertices and two points.
fn hand(us: &Value) -> Value {
    let bone = |i: usize, by: f64| {
        json!([[1.0, 0.0, 0.0, by * i as f64], [0.0, 1.0, 0.0, 0.02 * by], [0.0, 0.0, 1.0, 0.1], [0.0, 0.0, 0.0, 1.0]])
    };
    let weights: Vec<Vec<f64>> =
        (0..4).map(|v| (0..22).map(|b| if b % 4 == v { 0.1 * (v + 1) as f64 } else { 0.02 }).collect()).collect();
    json!({
        "theta": wave(26, 0.4),
        "us": us,
        "data": {
            "model": {
                "bone_count": 22,
                "bone_names": vec!["bone"; 22],
                "parents": (-1..21).collect::<Vec<i64>>(),
                "base_relatives": (0..22).map(|i| bone(i, 0.1)).collect::<Vec<_>>(),
                "inverse_base_absolutes": (0..22).map(|i| bone(i, -0.1)).collect::<Vec<_>>(),
                "base_positions": [[0.1, 0.2, 0.3, 1.0], [0.3, -0.1, 0.2, 1.0], [-0.2, 0.4, 0.1, 1.0], [0.2, 0.1, -0.3, 1.0]],
                "weights": weights,
                "triangles": [[0, 1, 2], [1, 2, 3]],
                "is_mirrored": true,
            },
            "correspondences": [1, 0],
            "points": [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]],
        },
    })
}
