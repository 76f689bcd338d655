//! Programs that every backend runs, with what the interpreter gives for them: every kind of loop in lanes and in chunks,
//! every reduction, exact zeros, integers that do not fit, arrays of dynamic size, and all of GradBench.

pub mod directions;
pub mod dynamic_size;
pub mod gradbench;
pub mod large;
pub mod overflow;
pub mod reductions;
pub mod zeros;

use riesz_call::{Code, Signature, Stop};
use riesz_core::FunctionId;
use riesz_core::evaluate::{Globals, Limits, Machine, Value};
use riesz_syntax::{FileId, ParseOptions, parse_expression};
use riesz_test::program::checked;

/// Functions `f : [n]R -> R`; `k` are integers below `n`.
const FUNCTIONS: [&str; 48] = [
    "sum(sin(y) * exp(-y) | y in x)",
    "max(x) + min(x) * 2",
    "x[argmax(x)] * x[argmin(x)]",
    "sum((if y > 0 then log(1 + y) else y * tanh(y)) | y in x)",
    "sum((if x[i] > 0.2 then (if x[i] > 0.6 then x[k[i]] else cos(x[i])) else x[n - 1 - i]) | i < n)",
    "sum(100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 | i < n - 1)",
    "sum(x[i] * x[i + 1] * x[i + 2] | i < n - 2)",
    "sum(x[i + 1] * x[i + 2] | i < n - 2)",
    "sum(x[i] * x[i + 20] | i < n - 20) + sum(x[i + 1] * x[i + 3] | i < n - 12)",
    "sum((let s = sum(sin(real(k[j] + i)) | j < n) in (x[i + 1] * s - x[i])^2) | i < n - 1)",
    "sum(x[k[i]] * x[i] | i < n)",
    "sum(gather(x, k) * x)",
    "sum(roll(x, k[0]) * x) + sum(roll([[y, y^2] | y in x], -1)[i][1] * x[i] | i < n)",
    "sum(scatter_add(n, k, x) ^ 2)",
    "sum(sum(x[i] * y | y in x) ^ 2 | i < n)",
    "sum(prod(x[i] + j | j < 3) | i < n)",
    "sum(prod([x[i] + j | i < n] | j < 3))",
    "sum(real(j) * x[i] | (j, i) in zip(sum([[i * j, i + j] | i < 3] | j < n)[1], [0, 1]))",
    "sum(max([x[i] * j | j < 4]) | i < n)",
    "sum([x[i] * j | i < n, j < 5][m][2] * x[m] | m < n)",
    "sum(dot([[y, 1.0], [2.0, y]], [y, 3.0])[1] | y in x)",
    "sum(dot(dot([[y, 1.0], [2.0, y]], [[1.0, y], [y, 2.0]]), [1.0, y])[0] | y in x)",
    "sum((loop s = y for i < 5 do 0.5 * sin(s) + y) | y in x)",
    "sum((loop s = [y, 1.0] for i < 3 do [s[1], s[0] * y])[0] | y in x)",
    "sum(real(mod(k[i] * 3 + i, 5)) * x[i] | i < n)",
    "sum(real(trunc(3 * y)) * y | y in x)",
    "if all(y < 2 | y in x) and any(y > 0 | y in x) then sum(x) else 0.0",
    "sum(real(i * i) * x[i] | i < n) + prod(1 + 0.1 * y | y in x)",
    "sum((let row = [y * j | j < 4] in update(row, 2, y)[2] + sum(reverse(row)[j] * j | j < 4)) | y in x)",
    "sum(sum(x[j] * x[i] | j < 6) * (if i < 7 then 1.0 else 2.0) | i < n)",
    "sum(dot([x[i] * j | i < n, j < 37], [x[i] + j | j < 37, i < n])[i][n - 1 - i] | i < n)",
    "sum(dot([x[i] * j | i < n, j < 530], transpose([x[i] + j | i < 30, j < 530]))[i][mod(i, 30)] | i < n)",
    "sum(sum([[x[i] * j | j < 13], [x[i] + j | j < 13]][mod(i, 2)][j] * x[j] | j < 13) | i < n)",
    "(let all = concat([y * y | y in x], [x[i] * i | i < n - 1], x) in sum(all[i] * all[k[0] + i] | i < n))",
    "(let rows = [[cos(y), 2 * y] | y in x] in sum(rows[k[i]][mod(i, 2)] * rows[i][1] | i < n))",
    "(let rows = [[y, 2 * y, y^2] | y in x] in sum(rows[k[i]][mod(i, 3)] * rows[i][1] | i < n))",
    "(let rows = [[y, sin(y), y^2, 2 * y, 7.0] | y in x] in sum(rows[k[i]][mod(i, 5)] * rows[i][1] | i < n))",
    "sum((loop (z, d) = (2.0, 1.0) while abs(d) > 1e-4 do (let d = (z^3 + z - y) / (3 * z^2 + 1) in (z - d, d))).0 | y in x)",
    "sum((let r = loop (z, m) = (y, 0) while z^2 > 0.01 and m < 9 do (0.5 * sin(z) + 0.1 * y, m + 1) in r.0 * r.1) | y in x)",
    "sum((if y > 0.1 then loop z = y while z < 3 do z * (1.5 + y) else 2 * y) | y in x)",
    "sum((loop s = y while s < 2 do s + 0.3 + (loop z = s^2 while z > 0.4 do 0.5 * z)) | y in x)",
    "sum(sum(x[j] * cos(x[i]) | j < i) | i < n)",
    "sum(sum(x[i] * y + j | j < k[i]) * (if y > 0 then y else sum(x[j]^2 | j < i)) | (i, y) in zip(k, x))",
    "sum((loop z = y for j < k[i] do sin(z) + x[j]) | (i, y) in zip(k, x))",
    "sum(sigmoid(y) * softplus(2 * y) + (if y > 0 and y < 0.5 then y * y else 1 - y) | y in x)",
    "sum(x[if i < 4 then mod(i * i - 3, n) else mod(div(i * (i - 9), 7) * 5, n)] * i | i < n)",
    "inner(x, solve(D(\\z -> [9 * z[i] + z[i]^3 + (if i > 0 then sin(z[i - 1]) else 0.0) | i < n], x), x))",
    "inner(x, solve(D(\\z -> grad(\\v -> sum(exp(y) + y^2 | y in v) + sum(v)^2, z), x), x))",
];

/// Functions without parameters, lowered together, each with its name, what the interpreter says and what it takes.
#[derive(Default)]
pub struct Cases {
    pub lowered: riesz_program::Program,
    pub signatures: Vec<Result<Signature, riesz_program::Unsupported>>,
    pub cases: Vec<Case>,
}

/// A name, what it is called with, the value or the code of the error, and the values of globals.
pub struct Case {
    pub name: String,
    pub arguments: Vec<Value<f64>>,
    pub expected: Result<Value<f64>, &'static str>,
    pub globals: Globals<f64>,
}

impl Cases {
    /// Adds expressions in the scope of a program.
    pub fn push(&mut self, name: &str, program: &str, expressions: &[&str]) {
        let mut checker = checked(program);
        let mut functions = Vec::new();
        for (at, expression) in expressions.iter().enumerate() {
            let (tree, found, problems) = parse_expression(FileId(2 + at as u32), expression, &ParseOptions::default());
            assert!(problems.is_empty(), "{expression}: {problems:?}");
            let thunk = checker.expression(tree, found.expect("it parses"), Vec::new());
            let thunk = thunk.unwrap_or_else(|problems| panic!("{program}: {problems:?}"));
            functions.push((format!("{name}: {expression}"), thunk.function, vec![Vec::new()]));
        }
        self.lower(checker.program, functions);
    }

    /// Adds calls of the functions of a program: of each one with every list of arguments.
    pub fn push_calls(&mut self, program: &str, names: &[String], arguments: &[Vec<Value<f64>>]) {
        let checker = checked(program);
        let function = |name: &String| {
            let id = checker.function_named(name).unwrap_or_else(|| panic!("no `{name}` in {program}"));
            let line = program.lines().find(|line| line.starts_with(&format!("fun {name}("))).unwrap_or(name);
            (line.to_string(), id, arguments.to_vec())
        };
        let functions = names.iter().map(function).collect();
        self.lower(checker.program, functions);
    }

    /// Lowers functions of a program, each of which is called with some lists of arguments.
    fn lower(&mut self, mut core: riesz_core::Program, functions: Vec<Called>) {
        let ids: Vec<FunctionId> = functions.iter().map(|(_, id, _)| *id).collect();
        riesz_calculus::compile_for_code(&mut core, &ids).expect("it can be differentiated");
        let (made, entries) = riesz_program::lower(&core, &ids);
        riesz_program::verify::verify(&made).unwrap_or_else(|problem| panic!("{problem}"));
        let moved = self.lowered.append(made);
        for ((name, id, calls), entry) in functions.into_iter().zip(entries) {
            let entry = entry.unwrap_or_else(|problem| panic!("{name}: {}", problem.reason));
            let mut signature = Signature::of(&core, id, entry);
            signature.procedure.0 += moved;
            for arguments in calls {
                let mut machine = Machine::<f64>::new(&core, Limits::default(), |_| None);
                let expected = machine.call_with(id, arguments.clone()).map_err(|fault| fault.code);
                self.signatures.push(Ok(signature.clone()));
                let globals = machine.globals().clone();
                self.cases.push(Case { name: name.clone(), arguments, expected, globals });
            }
        }
    }

    /// Adds values and gradients of [`FUNCTIONS`].
    pub fn push_functions(&mut self, sizes: &[i64]) {
        for body in FUNCTIONS {
            for n in sizes {
                let program = format!(
                    "let x = [sin(1.0 + 2.3 * i) | i < {n}]\n\
                     let k = [mod(i * 7 + 2, {n}) | i < {n}]\n\
                     fun g(x: [n]R, k: [n]Int): R = {body}\n"
                );
                self.push(&format!("{body}, n = {n}"), &program, &["g(x, k)", "grad(g(_, k), x)"]);
            }
        }
    }
}

/// A function by its name, and the lists of arguments that it is called with.
type Called = (String, FunctionId, Vec<Vec<Value<f64>>>);

impl Cases {
    /// What code gives for each.
    pub fn run<'c>(&'c self, code: &'c Code) -> impl Iterator<Item = (&'c Case, Result<Value<f64>, Stop>)> {
        code.functions().iter().zip(&self.cases).map(|(function, case)| {
            let function = function.as_ref().expect("all of them were lowered");
            let mut global = |id: riesz_core::GlobalId| case.globals.get(&id).cloned();
            (case, code.call(function, &case.arguments, &mut global, &Limits::default()))
        })
    }

    /// Makes sure that code gives what the interpreter gives, or something that close; how far apart they are at most.
    pub fn agree(&self, code: &Code, close: f64) -> f64 {
        self.run(code).map(|(case, found)| case.agrees(&found, close)).fold(0.0, f64::max)
    }
}

impl Case {
    /// Makes sure that this is what the interpreter gives, or that close; how far apart they are.
    pub fn agrees(&self, found: &Result<Value<f64>, Stop>, close: f64) -> f64 {
        match (&self.expected, found) {
            (Ok(expected), Ok(found)) => {
                let distance = expected.distance(found);
                assert!(distance < close, "{self}: {distance} apart, {found:?}, not {expected:?}");
                distance
            }
            // What goes wrong in lanes is left to the interpreter.
            (Err(_), Err(Stop::Elsewhere)) => 0.0,
            (Err(expected), Err(Stop::Wrong(found))) => {
                assert_eq!(*expected, found.code, "{self}");
                0.0
            }
            (expected, _) => panic!("{self}: {found:?}, not {expected:?}"),
        }
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}", self.name)?;
        if self.arguments.is_empty() { Ok(()) } else { write!(f, " at {:?}", self.arguments) }
    }
}
