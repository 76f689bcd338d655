//! How much code the compiler of the machine is given: the lines of LLVM's intermediate representation, before any of its
//! passes, of five gradients. Nearly all of the time to compile is spent on them.

use riesz_native::Compiler;
use riesz_program::Precision;
use riesz_program::schedule::{PlainFirst, plain_first, schedule};
use riesz_runtime::source::SOURCE;
use riesz_test::program::{Case, checked};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program, an expression, and the lines that there are at most.
const GRADIENTS: [(&str, &str, &str, usize); 5] = [
    ("physics-informed network", include_str!("../../../benches/untuned/pinn.rz"), "grad(loss(_, xs), weights)", 36000),
    ("transformer", include_str!("../../../benches/untuned/transformer.rz"), "grad(loss(_, x, y), weights)", 49000),
    (
        "hidden Markov model",
        include_str!("../../../benches/untuned/hmm.rz"),
        "grad(\\s m e -> likelihood(s, m, e, ys), (start, move, emit))",
        19000,
    ),
    (
        "neural differential equation",
        include_str!("../../../benches/untuned/neural_ode.rz"),
        "grad(\\a b c -> loss(a, b, c, starts, ends), (w1, b1, w2))",
        27000,
    ),
    ("mixture", include_str!("../../../examples/mixture.rz"), "grad(\\m -> log_likelihood(m, data), model)", 6200),
];

#[test]
fn gradients_are_little_code() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("volume-{}", std::process::id()));
    let runtime = runtime(&folder);
    let mut wrong = Vec::new();
    for (name, program, expression, most) in GRADIENTS {
        let source = folder.join("program.rs");
        fs::write(&source, emitted(program, expression)).unwrap();
        let code = folder.join("program.ll");
        let mut rustc = rustc(&source, &code);
        rustc.args(["--crate-type=cdylib", "--emit=llvm-ir", "-Cno-prepopulate-passes"]);
        rustc.arg(format!("--extern=riesz_runtime={}", runtime.display()));
        assert!(rustc.status().unwrap().success(), "{name} does not compile");
        let lines = fs::read_to_string(&code).unwrap().lines().count();
        println!("{name}: {lines} lines, at most {most}");
        if lines > most {
            wrong.push(name);
        }
    }
    fs::remove_dir_all(folder).unwrap();
    assert!(wrong.is_empty(), "more code than before: {wrong:?}");
}

/// The Rust source of an expression, as native code is made of it.
fn emitted(program: &str, expression: &str) -> String {
    let case = Case::new(checked(program), expression).unwrap_or_else(|problem| panic!("{problem}"));
    let mut core = case.checker.program;
    riesz_calculus::compile_for_code(&mut core, &[case.function]).unwrap_or_else(|problems| panic!("{problems:?}"));
    let (lowered, mut entries) = riesz_program::lower(&core, &[case.function]);
    let exports = [entries.remove(0).expect("it can be lowered").procedure];
    let PlainFirst { program: mut plain, .. } = plain_first(&lowered, exports.into_iter()).expect("exact products");
    schedule(&mut plain, &riesz_rust::target(Precision::Double, false));
    let place = |_| "a place".to_string();
    riesz_rust::emit(&plain, &riesz_rust::Options { place: &place, exports: &exports, precision: Precision::Double })
}

/// The runtime as a library of the compiler.
fn runtime(folder: &Path) -> PathBuf {
    for (name, text) in SOURCE {
        let file = folder.join("runtime").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let library = folder.join("libriesz_runtime.rlib");
    let mut rustc = rustc(&folder.join("runtime/lib.rs"), &library);
    assert!(rustc.args(["--crate-type=rlib", "--crate-name=riesz_runtime"]).status().unwrap().success());
    library
}

/// The compiler, for the same processor on all machines.
fn rustc(source: &Path, to: &Path) -> Command {
    let (rustc, _) = Compiler::installed().expect("tests need a Rust compiler");
    let mut command = Command::new(rustc);
    command.arg(source).arg("-o").arg(to);
    command.args(["--edition=2024", "--cap-lints=allow", "-Copt-level=3", "-Ccodegen-units=1", "-Cpanic=abort"]);
    if cfg!(target_arch = "x86_64") {
        command.arg("-Ctarget-cpu=x86-64-v4");
    }
    command
}
