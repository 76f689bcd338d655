//! Programs and commands that exceed every limit.

/// A command that wants too much.
pub struct Killer {
    /// What it does.
    pub name: &'static str,
    /// The program that it is given, if any, as `killer.rz`.
    pub program: String,
    /// The arguments behind `riesz`; `@` is the file of the program.
    pub arguments: Vec<String>,
    /// The code of the error that ends it under small limits.
    pub ends: &'static str,
    /// That under the limits that nobody has asked for; nothing where it has a value then.
    pub ends_by_default: &'static str,
}

/// All of them.
pub fn killers() -> Vec<Killer> {
    let mut killers = vec![
        // ---- the compiler ----
        killer("a gradient of 2^20 calls", &calls(20), &["eval", "@", "grad(f20, 0.5)"], "step-limit", ""),
        killer(
            "a gradient of 2^24 nested functions of functions",
            TWICE,
            &["eval", "@", &twice(24)],
            "code-limit",
            "any",
        ),
        killer("derivatives nested 12 deep", "", &["eval", &derivatives(12)], "code-limit", "code-limit"),
        killer(
            "native derivatives nested 12 deep",
            "",
            &["eval", &derivatives(12), NATIVE],
            "code-limit",
            "code-limit",
        ),
        killer(
            "code of derivatives nested 12 deep",
            &nested(12),
            &["emit", "@", "g", "--to", "rust"],
            "code-limit",
            "code-limit",
        ),
        killer("local functions that double", "", &["eval", &locals(40)], "program-too-large", "program-too-large"),
        killer("tuples that double", &tuples(40), &["check", "@"], "type-too-large", "type-too-large"),
        killer("types without end", INSTANCES, &["check", "@"], "too-many-instances", "too-many-instances"),
        killer("brackets without end", "", &["eval", &"(".repeat(50_000)], "nesting-too-deep", "nesting-too-deep"),
        // ---- steps ----
        killer("a loop without end", "", &["eval", ENDLESS], "step-limit", "step-limit"),
        killer("a native loop without end", "", &["eval", ENDLESS, NATIVE], "step-limit", "step-limit"),
        killer("a recursion without end", RECURSION, &["eval", "@", "f(1)"], "depth-limit", "depth-limit"),
        killer(
            "a native recursion without end",
            RECURSION,
            &["eval", "@", "f(1)", NATIVE],
            "depth-limit",
            "depth-limit",
        ),
        killer("a recursion that branches", BRANCHES, &["eval", "@", "f(100)"], "step-limit", "step-limit"),
        killer("the gradient of a loop without end", "", &["eval", SLOW], "step-limit", "step-limit"),
        killer("series of order 10,000", "", &["eval", "taylor(\\x -> exp(sin(x)), 0.5, 1, 10000)"], "step-limit", ""),
        killer("series of order 10,000 of lgamma", "", &["eval", "taylor(lgamma, 0.5, 1, 10000)"], "step-limit", ""),
        killer(
            "a clock for a loop without end",
            MODES,
            &["bench", "@", "f", "--at", "1.0"],
            "step-limit",
            "step-limit",
        ),
        killer("a check of a loop without end", CHECK, &["check", "@"], "step-limit", "step-limit"),
        // ---- memory ----
        killer("an array of 10^15 numbers", "", &["eval", "[0.5 | i < 10^15]"], "memory-limit", "memory-limit"),
        killer(
            "a native array of 10^15 numbers",
            "",
            &["eval", "[0.5 | i < 10^15]", NATIVE],
            "memory-limit",
            "memory-limit",
        ),
        killer("an array of 2^62 rows", "", &["eval", "[[] | i < 2^62]"], "memory-limit", "memory-limit"),
        killer("a matrix of 10^10 entries", "", &["eval", MATRIX], "memory-limit", "memory-limit"),
        killer("a Hessian of 10^10 entries", "", &["eval", HESSIAN], "memory-limit", "memory-limit"),
        killer("a sparse matrix of 9·10^6 entries", "", &["eval", SPARSE], "memory-limit", "any"),
        killer("closures in closures", "", &["eval", CLOSURES], "memory-limit", "memory-limit"),
        killer(
            "a loop that keeps its states",
            "",
            &["eval", STATES, "--backend", "interp"],
            "memory-limit",
            "memory-limit",
        ),
        // ---- pictures and texts of derivatives ----
        killer("a picture of 2^20 calls", &calls(20), &["graph", "@", "f20", "-o", "killer.svg"], "", ""),
        killer("the derivation of 2^20 calls", &calls(20), &["derive", "@", "f20"], "", ""),
        killer(
            "every representation of a loop without end",
            MODES,
            &["modes", "@", "f", "--at", "1.0"],
            "step-limit",
            "step-limit",
        ),
        killer("gradients of a loop without end", MODES, &["check", "@", "--gradients"], "", ""),
    ];
    for via in ["forward-dense", "reverse-sparse", "basis", "tower", "linear-maps", "affine", "adjoint"] {
        let arguments = ["eval", LOOP_OF_ARRAYS, "--via", via];
        killers.push(Killer { name: via, ..killer("", "", &arguments, "memory-limit", "any") });
    }
    killers
}

const NATIVE: &str = "--backend=native";
const ENDLESS: &str = "loop x = 1.0 while x > 0 do x";
const SLOW: &str = "grad(\\x -> loop s = x for i < 10^12 do 0.5 * s, 1.0)";
const RECURSION: &str = "fun f(x: Int): Int = f(x + 1) + 1";
const BRANCHES: &str = "fun f(n: Int): Int = if n > 0 then f(n - 1) + f(n - 1) else 0";
const CHECK: &str = "check (loop x = 0 while true do x) == 1";
const TWICE: &str = "fun twice(f: R -> R, x: R): R = f(f(x))";
const INSTANCES: &str = "fun f(x: a, n: Int): Int = if n == 0 then 0 else f([x], n - 1)\nlet y = f(1, 3)";
const MATRIX: &str = "matrix(D(\\v -> sum(v) * v, [0.5 | i < 10^5]))";
const HESSIAN: &str = "hessian(\\v -> sum(v)^3, [0.5 | i < 10^5])";
const SPARSE: &str = "size(coo(D(\\v -> sum(v) * v, [0.5 | i < 3000])).vals)";
const CLOSURES: &str = "(loop f = \\x -> x for i < 10^8 do \\x -> f(x) + 1)(0.0)";
const STATES: &str = "size(scan(\\a x -> a + 1, [0.5 | i < 10^5], iota(10^6)))";
const MODES: &str = "fun f(x: R): R = loop s = x while s > 0 do s * 1.5 / 1.5";
const LOOP_OF_ARRAYS: &str = "sum(grad(\\x -> sum(loop s = x for i < 1000 do s * x), [1.0 | i < 5000]))";

fn killer(
    name: &'static str,
    program: &str,
    arguments: &[&str],
    ends: &'static str,
    by_default: &'static str,
) -> Killer {
    let arguments = arguments.iter().map(|argument| argument.to_string()).collect();
    Killer { name, program: program.to_string(), arguments, ends, ends_by_default: by_default }
}

/// `f₀ = sin`, `fᵢ₊₁(x) = fᵢ(fᵢ(x))`
fn calls(levels: usize) -> String {
    let level = |at: usize| format!("fun f{}(x: R): R = f{at}(f{at}(x))\n", at + 1);
    "fun f0(x: R): R = sin(x)\n".to_string() + &(0..levels).map(level).collect::<String>()
}

fn twice(levels: usize) -> String {
    let level = |inner: String, at: usize| format!("\\x{at} -> twice({inner}, x{at})");
    format!("grad({}, 0.5)", (0..levels).fold("\\x -> sin(x)".to_string(), level))
}

fn derivatives(levels: usize) -> String {
    let level = |inner: String, at: usize| format!("\\x{at} -> grad({inner}, x{at})");
    format!("({})(0.5)", (0..levels).fold("\\x -> sin(x) * x".to_string(), level))
}

fn nested(levels: usize) -> String {
    format!("fun g(x: R): R = {}", derivatives(levels).replace("(0.5)", "(x)"))
}

fn locals(levels: usize) -> String {
    let level = |at: usize| format!("let f{} = \\x -> f{at}(f{at}(x)); ", at + 1);
    format!("{{ let f0 = \\x -> x + 1.0; {}f{levels}(0.5) }}", (0..levels).map(level).collect::<String>())
}

fn tuples(levels: usize) -> String {
    let level = |at: usize| format!("let t{} = (t{at}, t{at})\n", at + 1);
    "let t0 = (1, 2)\n".to_string() + &(0..levels).map(level).collect::<String>()
}
