//! The guarantees of the handle: every derivative is that of the language, by the interpreter and as machine code; a
//! call costs a call and nothing else, from any number of threads; every mistake gives an error that names it.

use riesz::{
    Argument, Compiled, Compiler, Data, Elements, Error, Function, Limits, Misfit, NoFiles, Options, Program, Session,
    Toolchain,
};
use std::path::Path;

/// Functions with parameters and results of every kind, and arguments for them: leaves, and as a text.
const CASES: &[(&str, &[Leaf], &str)] = &[
    ("fun f(x: R): R = sin(x) * x", &[Leaf::R(1.5)], "1.5"),
    ("fun f(x: R, y: R): R = x * exp(y)", &[Leaf::R(1.5), Leaf::R(-0.5)], "(1.5, -0.5)"),
    (
        "fun f(x: [n]R): R = sum(100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 | i < n - 1)",
        &[Leaf::V(&[-1.2, 1.0, 0.5])],
        "[-1.2, 1.0, 0.5]",
    ),
    (
        "fun f(w: [n]R, x: [m][n]R): R = sum(dot(w, x[i])^2 | i < m)",
        &[Leaf::V(&[1.0, 2.0]), Leaf::M(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[3, 2])],
        "([1.0, 2.0], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])",
    ),
    (
        "fun f(model: {weights: [n]R, bias: R}): R = model.bias * sum(sin(w) | w in model.weights)",
        &[Leaf::V(&[0.5, 0.25]), Leaf::R(2.0)],
        "{weights = [0.5, 0.25], bias = 2.0}",
    ),
    (
        "fun f(points: [n](R, R)): R = sum(x * y^2 | (x, y) in points)",
        &[Leaf::V(&[1.0, 2.0]), Leaf::V(&[3.0, 4.0])],
        "[(1.0, 3.0), (2.0, 4.0)]",
    ),
    ("let k = 3.0\nlet v = [k | i < 4]\nfun f(x: R): R = k * x^2 + sum(v) * x", &[Leaf::R(2.0)], "2.0"),
    ("fun f(x: [2]R): [3]R = [x[0] * x[1], sin(x[0]), 2 * x[1]]", &[Leaf::V(&[0.5, 2.0])], "[0.5, 2.0]"),
];

#[derive(Clone, Copy)]
enum Leaf {
    R(f64),
    V(&'static [f64]),
    M(&'static [f64], &'static [usize]),
}

impl From<Leaf> for Argument<'static> {
    fn from(leaf: Leaf) -> Argument<'static> {
        match leaf {
            Leaf::R(number) => number.into(),
            Leaf::V(elements) => elements.into(),
            Leaf::M(elements, shape) => Argument::array(elements, shape),
        }
    }
}

/// A name, a function of the handle, the same in the language, and what comes behind the arguments.
type Question = (&'static str, fn(&Function) -> Function, &'static str, Behind);

/// What is asked of a function, and how the language writes it; some take tangents behind the arguments.
const QUESTIONS: &[Question] = &[
    ("value", |f| f.clone(), "f(POINT)", Behind::Nothing),
    ("grad", Function::grad, "grad(f, POINT)", Behind::Nothing),
    ("value and grad", Function::value_and_grad, "vjp(f, POINT, 1.0)", Behind::Nothing),
    ("jvp", Function::jvp, "jvp(f, POINT, POINT)", Behind::Point),
    ("jacobian", Function::jacobian, "jacobian(f, POINT)", Behind::Nothing),
    ("coo", Function::coo, "coo(D(f, POINT))", Behind::Nothing),
    ("hessian", Function::hessian, "hessian(f, POINT)", Behind::Nothing),
    ("hvp", Function::hvp, "hvp(f, POINT, POINT)", Behind::Point),
    ("jvp of grad", |f| f.grad().jvp(), "jvp(\\z -> grad(f, z), POINT, POINT)", Behind::Point),
];

/// What comes behind the arguments: nothing, or the point again as a tangent.
#[derive(Clone, Copy, PartialEq)]
enum Behind {
    Nothing,
    Point,
}

fn native() -> Options {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("handle");
    let compiler = Compiler::find().expect("there is a compiler").keeping_in(kept);
    let mut native = Toolchain::find_or_tell(1).with_compiler(compiler);
    native.settings.quick = true;
    Options { native: Some(native), ..Options::default() }
}

#[test]
fn every_derivative_is_that_of_the_language() {
    let mut compared = 0;
    let interpreter = Options { native: None, ..Options::default() };
    for (backend, options) in [("interpreter", interpreter), ("instant", Options::default()), ("native", native())] {
        for (case, (text, leaves, point)) in CASES.iter().enumerate() {
            let program = Program::new("case.rz", text).unwrap();
            let function = program.function("f").unwrap();
            for (at, (name, derivative, expression, behind)) in QUESTIONS.iter().enumerate() {
                // A library takes a second to build: native code has a part of the table, in which every row and column is.
                if backend == "native" && (at + case) % 3 != 0 {
                    continue;
                }
                let scalar = !text.contains("): [3]R");
                if !scalar && (name.contains("grad") || name.contains("hessian") || name.contains("hvp")) {
                    continue;
                }
                let mut session = Session::default();
                session.load_text("case.rz", text, &NoFiles).unwrap();
                let expected = session.evaluate(&expression.replace("POINT", point), Vec::new()).unwrap();
                let compiled =
                    derivative(&function).compile(&options).unwrap_or_else(|error| panic!("{text}, {name}: {error}"));
                // The entries of a map between records are found by the interpreter, and so are those of some others, of which
                // the table has none that is asked of native code.
                let may_be_left = *name == "coo" && (text.contains("model") || backend == "instant");
                if backend == "interpreter" || !may_be_left {
                    let notes = compiled.notes().collect::<Vec<_>>();
                    assert_eq!(compiled.is_native(), backend != "interpreter", "{text}, {name}: {notes:?}");
                }
                let mut arguments: Vec<Argument> = leaves.iter().map(|leaf| (*leaf).into()).collect();
                if *behind == Behind::Point {
                    arguments.extend(arguments.clone());
                }
                let mut wanted = Vec::new();
                expected.value.visit_reals(&mut |number| wanted.push(*number));
                let mut found = numbers(&compiled.evaluate(&arguments).unwrap());
                // An array of tuples is one buffer for each component; a list of data has the tuples one after the other.
                close(&found, &wanted, &format!("{backend}: {text}, {name}"));
                found.sort_by(f64::total_cmp);
                wanted.sort_by(f64::total_cmp);
                let mut written = into_buffers(&compiled, &arguments);
                written.sort_by(f64::total_cmp);
                close(&written, &found, &format!("{backend}: {text}, {name}, in buffers"));
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 2 * (7 * QUESTIONS.len() + 4) + 22, "a case was left out");
}

/// All numbers of a result, written to buffers that are made as long as the first call says.
fn into_buffers(compiled: &Compiled, arguments: &[Argument]) -> Vec<f64> {
    let leaves = compiled.results();
    let is_real: Vec<bool> = leaves.iter().map(|leaf| leaf.ty.ends_with('R')).collect();
    let mut reals = vec![vec![0.0; 1]; leaves.len()];
    let mut integers = vec![vec![0i64; 1]; leaves.len()];
    loop {
        let buffers = reals.iter_mut().zip(&mut integers).zip(&is_real);
        let mut outputs: Vec<_> =
            buffers.map(|((reals, integers), real)| if *real { reals.into() } else { integers.into() }).collect();
        match compiled.call(arguments, &mut outputs) {
            Ok(()) => {
                return reals.into_iter().zip(is_real).filter(|(_, real)| *real).flat_map(|(all, _)| all).collect();
            }
            Err(Error::Misfit(Misfit::OutputLength { at, needed, .. })) => {
                reals[at].resize(needed, 0.0);
                integers[at].resize(needed, 0);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

fn numbers(data: &Data) -> Vec<f64> {
    match data {
        Data::Real(number) => vec![*number],
        Data::Int(_) | Data::Bool(_) => Vec::new(),
        Data::List(parts) => parts.iter().flat_map(numbers).collect(),
        Data::Record(fields) => fields.iter().flat_map(|(_, part)| numbers(part)).collect(),
        Data::Tensor { elements: Elements::Real(all), .. } => all.clone(),
        Data::Tensor { .. } => Vec::new(),
    }
}

fn close(found: &[f64], wanted: &[f64], what: &str) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * b.abs().max(1.0);
    assert!(found.len() == wanted.len() && found.iter().zip(wanted).all(near), "{what}: {found:?} is not {wanted:?}");
}

#[test]
fn threads_share_a_function() {
    fn shared<T: Send + Sync + Clone>(_: &T) {}
    let program = Program::new("f.rz", CASES[2].0).unwrap();
    shared(&program);
    for options in [Options::default(), native()] {
        let gradient = program.function("f").unwrap().grad().compile(&options).unwrap();
        shared(&gradient);
        let at = |x: f64| {
            let mut found = [0.0; 3];
            gradient.call(&[(&[x, 1.0, 0.5]).into()], &mut [(&mut found).into()]).map(|()| found)
        };
        let alone: Vec<[f64; 3]> = (0..64).map(|i| at(f64::from(i)).unwrap()).collect();
        let together: Vec<[f64; 3]> = std::thread::scope(|scope| {
            let quarter =
                |from: i32| scope.spawn(move || (from..from + 16).map(|i| at(f64::from(i)).unwrap()).collect());
            let threads: Vec<_> = [0, 16, 32, 48].map(quarter).into();
            threads.into_iter().flat_map(|thread| -> Vec<[f64; 3]> { thread.join().unwrap() }).collect()
        });
        assert_eq!(together, alone);
    }
}

#[test]
fn every_pass_over_the_program_runs_once_and_calls_run_none() {
    let program = Program::new("f.rz", CASES[2].0).unwrap();
    let options = native();
    let gradient = program.function("f").unwrap().grad();
    let (gradient, passes) = riesz_limit::passes(|| gradient.compile(&options).unwrap());
    // Once before what is differentiated, once after what came of it.
    let once = ["differentiate", "emit", "improve", "lower", "optimise", "reuse", "schedule"];
    let expected = once.map(|pass| (pass, if pass == "optimise" { 2 } else { 1 }));
    assert_eq!(passes.into_iter().collect::<Vec<_>>(), expected);
    // A session is a client of the same pipeline.
    let mut session = Session::new(native());
    session.load_text("f.rz", CASES[2].0, &NoFiles).unwrap();
    let evaluate = || session.evaluate("grad(f, [1.0, 2.0, 3.0])", Vec::new()).unwrap();
    let (_, passes) = riesz_limit::passes(evaluate);
    assert_eq!(passes.into_iter().collect::<Vec<_>>(), expected);
    let mut found = [0.0; 3];
    let ((), passes) = riesz_limit::passes(|| {
        for i in 0..1000 {
            gradient.call(&[(&[f64::from(i), 1.0, 0.5]).into()], &mut [(&mut found).into()]).unwrap();
        }
    });
    assert_eq!(passes.len(), 0, "{passes:?}");
}

#[test]
fn what_does_not_fit_is_said() {
    let program = Program::new("f.rz", "fun f(x: [n]R, y: [n]R, k: Int): [n]R = k * (x + y)").unwrap();
    for options in [Options::default(), native()] {
        let f = program.function("f").unwrap().compile(&options).unwrap();
        let (x, y, mut z) = ([1.0, 2.0], [3.0, 4.0], [0.0; 2]);
        let mut said = |arguments: &[Argument], room: usize| {
            f.call(arguments, &mut [(&mut z[..room]).into()]).map_err(|error| error.to_string())
        };
        assert_eq!(said(&[(&x).into(), (&y).into(), 2_i64.into()], 2), Ok(()));
        let table: &[(&[Argument], usize, &str)] = &[
            (&[(&x).into(), (&y).into()], 2, "the function takes 3 numbers and arrays, and 2 are passed"),
            (
                &[(&x).into(), (&y[..1]).into(), 2_i64.into()],
                2,
                "argument 1: `y` is of type [n]R, and an array of 1 elements does not fit the others",
            ),
            (&[(&x).into(), 1.0.into(), 2_i64.into()], 2, "argument 1: `y` is of type [n]R, and R is passed"),
            (&[(&x).into(), (&y).into(), 2.0.into()], 2, "argument 2: `k` is of type Int, and R is passed"),
            (
                &[Argument::array(&x, &[3]), (&y).into(), 2_i64.into()],
                2,
                "argument 0: the shape of `x` is not that of the 2 elements",
            ),
            (
                &[(&x).into(), (&y).into(), 2_i64.into()],
                1,
                "the result has 2 elements for buffer 0, which has room for 1",
            ),
        ];
        for (arguments, room, expected) in table {
            assert_eq!(said(arguments, *room), Err(expected.to_string()));
        }
        let arguments: [Argument; 3] = [(&x).into(), (&y).into(), 2_i64.into()];
        let none = f.call(&arguments, &mut []).unwrap_err();
        assert_eq!(none.to_string(), "the result is 1 numbers and arrays, and there are 0 buffers");
        let mut integers = [0i64; 2];
        let kind = f.call(&arguments, &mut [(&mut integers).into()]).unwrap_err();
        assert_eq!(kind.to_string(), "buffer 0 is for a result of type [n]R");
    }
}

#[test]
fn errors_are_of_a_kind() {
    let kind = |error: Error| match error {
        Error::Program(_) => "program",
        Error::UnknownFunction(_) => "unknown function",
        Error::Derivative(_) => "derivative",
        Error::Interface(_) => "interface",
        Error::Limit(_) => "limit",
        Error::Run(_) => "run",
        _ => "another",
    };
    assert_eq!(kind(Program::new("f.rz", "fun f(x: R): R = y").unwrap_err()), "program");
    let text = "fun f(v: [n]R, i: Int): R = v[i]
        fun pair(x: R): (R, R) = (x, x)
        fun count(n: Int): Int = n
        fun twice(g: R -> R): R = g(g(1.0))
        fun first(v: [n]t): t = v[0]
        fun endless(x: R): R = loop s = x while true do s + 1.0
        fun long(v: [n]R): R = sum(loop s = v for i < 20000 do [sin(y) | y in s])";
    let program = Program::new("f.rz", text).unwrap();
    let function = |name: &str| program.function(name);
    assert_eq!(kind(function("g").unwrap_err()), "unknown function");
    assert_eq!(kind(function("first").unwrap_err()), "unknown function");
    for options in [Options::default(), native()] {
        let options = Options { limits: Limits { steps: 100_000, ..Limits::default() }, ..options };
        let compile = |function: Function| function.compile(&options);
        assert_eq!(kind(compile(function("pair").unwrap().grad()).unwrap_err()), "derivative");
        assert_eq!(kind(compile(function("count").unwrap().jvp()).unwrap_err()), "derivative");
        assert_eq!(kind(compile(function("f").unwrap().by(&["u"]).grad()).unwrap_err()), "derivative");
        assert_eq!(kind(compile(function("f").unwrap().by(&["i"]).grad()).unwrap_err()), "derivative");
        let twice = compile(function("twice").unwrap()).unwrap();
        assert_eq!(kind(twice.evaluate(&[]).unwrap_err()), "interface");
        let f = compile(function("f").unwrap()).unwrap();
        let wrong = f.evaluate(&[(&[1.0, 2.0]).into(), 2_i64.into()]).unwrap_err();
        assert!(wrong.to_string().contains("f.rz:1:29"), "{wrong}");
        assert_eq!(kind(wrong), "run");
        let endless = compile(function("endless").unwrap()).unwrap();
        assert_eq!(kind(endless.evaluate(&[1.0.into()]).unwrap_err()), "limit");
    }
}

/// What is kept for a derivative takes more memory than there is; with checkpoints it does not.
#[test]
fn checkpoints_take_over_where_memory_ends() {
    let text = "fun f(v: [n]R): R = sum(loop s = v for i < 20000 do [sin(y) | y in s])";
    let program = Program::new("f.rz", text).unwrap();
    let gradient = program.function("f").unwrap().grad();
    let v = [1.0; 10];
    let by = |options: &Options| {
        let mut found = [0.0; 10];
        gradient.compile(options).unwrap().call(&[(&v).into()], &mut [(&mut found).into()]).map(|()| found)
    };
    for options in [Options::default(), native()] {
        let expected = by(&options).unwrap();
        let few = Options { limits: Limits { memory: 400 << 10, ..Limits::default() }, ..options };
        let found = by(&few).unwrap();
        close(&found, &expected, "with checkpoints");
        let all = Options { checkpoints: Some(riesz::Checkpoints::Everything), ..few };
        assert!(matches!(by(&all), Err(Error::Limit(_))));
    }
}

#[test]
fn a_call_that_native_code_leaves_to_the_interpreter_is_told() {
    let program = Program::new("deep.rz", "fun f(x: R): R = if x < 0.5 then 0.0 else 1 + f(x - 1)").unwrap();
    let compiled = program.function("f").unwrap().compile(&native()).unwrap();
    let call = |depth: f64| {
        let mut found = 0.0;
        compiled.call(&[depth.into()], &mut [(&mut found).into()]).unwrap();
        found
    };
    assert_eq!(call(10.0), 10.0);
    assert!(compiled.is_native());
    // The stack of native code ends before the limit on nested calls does.
    assert_eq!(call(90_000.0), 90_000.0);
    assert!(!compiled.is_native());
    assert!(compiled.notes().any(|note| note.code == "not-native"), "{compiled:?}");
}
