//! Compiles generated C with the C compiler of the machine, and runs it on arguments. `CC` names another compiler.

use riesz_core::evaluate::Value;
use riesz_program::evaluate::{Number, Passed};
use riesz_program::pass::receive;
use riesz_program::program::{Kind, Outcome, Parameter, Procedure};
use riesz_program::{Program, Signature};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The value that a call gives, or the code of its error.
pub type Found = Result<Value<f64>, String>;

/// How code is compiled.
#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    /// As users do, with every warning an error.
    Optimised,
    /// So that undefined behaviour, wrong addresses and lost memory end the run, where the compiler can do that.
    Sanitised,
}

/// Whether there is a C compiler. If not, says so.
pub fn exists() -> bool {
    let found = Command::new(name()).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("skipped: there is no C compiler");
    }
    found
}

fn name() -> String {
    std::env::var("CC").unwrap_or("cc".into())
}

const SANITIZERS: &str = "-fsanitize=address,undefined,float-cast-overflow";

/// Runs each procedure on its words.
pub fn run(program: &Program, signatures: &[Signature], words: &[&[Passed]], mode: Mode, label: &str) -> Vec<Found> {
    let place = |_| "a random \"program\"??/\\".to_string();
    let options = riesz_c::Options { place: &place, exports: signatures };
    let mut program = program.clone();
    riesz_program::passes::reuse::reuse(&mut program);
    let source = riesz_c::emit(&program, &options).unwrap_or_else(|refused| panic!("refused: {}", refused.what));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("c-{label}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let names: Vec<&str> = (source.lines())
        .take_while(|line| *line != "#ifndef RIESZ_DECLARATIONS")
        .filter_map(|line| line.strip_prefix("int ")?.strip_suffix('('))
        .collect();
    assert_eq!(names.len(), signatures.len());
    fs::write(folder.join("code.c"), &source).unwrap();
    fs::write(folder.join("main.c"), driver(&program, signatures, &names)).unwrap();
    fs::write(folder.join("data"), data(words)).unwrap();
    compile(&folder, mode);
    let output = Command::new(folder.join("main")).arg(folder.join("data")).output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && errors.is_empty(), "{} fails: {errors}\n{text}", folder.display());
    let found = parse(&text, &program, signatures);
    fs::remove_dir_all(folder).unwrap();
    found
}

fn compile(folder: &Path, mode: Mode) {
    let sanitised = mode == Mode::Sanitised && {
        let probe = folder.join("probe.c");
        fs::write(&probe, "int main(void) { return 0; }\n").unwrap();
        Command::new(name())
            .args([SANITIZERS, "-o"])
            .arg(folder.join("probe"))
            .arg(&probe)
            .output()
            .unwrap()
            .status
            .success()
    };
    if mode == Mode::Sanitised && !sanitised {
        println!("the C compiler has no sanitizers");
    }
    let mut command = Command::new(name());
    command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]);
    match sanitised {
        true => command.args(["-O1", "-g1", SANITIZERS, "-fno-sanitize-recover=all"]),
        false => command.arg("-O2"),
    };
    let files: [PathBuf; 2] = ["code.c", "main.c"].map(|file| folder.join(file));
    let output = command.arg("-o").arg(folder.join("main")).args(files).arg("-lm").output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && errors.is_empty(),
        "{}: {}",
        folder.display(),
        &errors[..errors.len().min(4000)]
    );
}

/// A program that reads arguments from a file, calls every function and prints the bits of what it gives. Arrays are
/// exactly as long as they have to be, and results have too little room at first.
fn driver(program: &Program, signatures: &[Signature], names: &[&str]) -> String {
    let mut text = String::from(DRIVER);
    for (at, (signature, name)) in signatures.iter().zip(names).enumerate() {
        let procedure = program.procedure(signature.procedure);
        let (mut before, mut passed, mut behind, mut shown) = (String::new(), vec![], String::new(), String::new());
        for (k, (parameter, _)) in signature.taken(procedure).into_iter().enumerate() {
            passed.push(format!("a{k}"));
            let _ = match parameter {
                Parameter::Number(_) => {
                    let kind = kind_of(procedure, parameter);
                    writeln!(before, "    const {} a{k} = take_{}();", c(kind), word(kind))
                }
                _ => {
                    let kind = kind_of(procedure, parameter);
                    let _ = writeln!(behind, "    free(a{k});");
                    writeln!(before, "    {0} *a{k} = take_{1}s();", c(kind), word(kind))
                }
            };
        }
        for (k, (outcome, around)) in signature.given(procedure).into_iter().enumerate() {
            let _ = match outcome {
                Outcome::Number(operand) => {
                    let kind = procedure.kind(operand);
                    passed.push(format!("&r{k}"));
                    let _ = writeln!(before, "    {} r{k} = 0;", c(kind));
                    writeln!(shown, "    put_{0}s(&r{k}, 1);", word(kind))
                }
                Outcome::Buffer(buffer) => {
                    let kind = procedure.buffers[buffer.0 as usize].kind;
                    passed.push(format!("r{k}, room"));
                    let _ = writeln!(before, "    {} *r{k} = NULL;", c(kind));
                    let _ = writeln!(behind, "    free(r{k});");
                    let count: Vec<String> = around.iter().map(|at| format!("r{at}")).collect();
                    writeln!(shown, "    put_{}s(r{k}, {});", word(kind), count.join(" * "))
                }
            };
        }
        let grow: String = (signature.given(procedure).iter().enumerate())
            .filter(|(_, (outcome, _))| matches!(outcome, Outcome::Buffer(_)))
            .map(|(k, _)| format!("        r{k} = realloc(r{k}, (size_t)room * sizeof *r{k});\n"))
            .collect();
        let _ = writeln!(
            text,
            "static void case_{at}(void) {{\n    riesz_run run = RIESZ_RUN;\n    int64_t room = 1;\n    int failed;\n{before}    \
             do {{\n        room = run.needed > room ? run.needed : room;\n{grow}        failed = {name}(&run, {});\n    \
             }} while (failed && run.needed > room);\n    if (failed) {{\n        printf(\"%s|%s|%s\\n\", run.code, run.message, \
             run.place);\n    }} else {{\n        printf(\"ok\\n\");\n{shown}    }}\n{behind}}}\n",
            passed.join(", ")
        );
    }
    text.push_str("int main(int count, char **arguments) {\n    data = count > 1 ? fopen(arguments[1], \"rb\") : NULL;\n    if (data == NULL) {\n        return 2;\n    }\n");
    (0..signatures.len()).for_each(|at| {
        let _ = writeln!(text, "    case_{at}();");
    });
    text + "    fclose(data);\n    return 0;\n}\n"
}

const DRIVER: &str = "\
#define RIESZ_DECLARATIONS
#include \"code.c\"

static FILE *data;

int64_t take_int(void);
double take_real(void);
bool take_bool(void);
int64_t take_int(void) {
    int64_t word = 0;
    return fread(&word, sizeof word, 1, data) == 1 ? word : 0;
}
double take_real(void) {
    double word = 0.0;
    return fread(&word, sizeof word, 1, data) == 1 ? word : 0.0;
}
bool take_bool(void) { return take_int() != 0; }

#define ELEMENTS(kind, type) \\
    type *take_##kind##s(void); \\
    type *take_##kind##s(void) { \\
        const int64_t count = take_int(); \\
        type *elements = malloc((size_t)count * sizeof *elements); \\
        for (int64_t at = 0; at < count; at++) { \\
            elements[at] = take_##kind(); \\
        } \\
        return elements; \\
    } \\
    void put_##kind##s(const type *elements, int64_t count); \\
    void put_##kind##s(const type *elements, int64_t count) { \\
        for (int64_t at = 0; at < count; at++) { \\
            uint64_t bits = 0; \\
            memcpy(&bits, elements + at, sizeof *elements); \\
            printf(\"%016\" PRIx64 \" \", bits); \\
        } \\
        printf(\"\\n\"); \\
    }
ELEMENTS(int, int64_t)
ELEMENTS(real, double)
ELEMENTS(bool, bool)

";

fn kind_of(procedure: &Procedure, parameter: Parameter) -> Kind {
    match parameter {
        Parameter::Number(register) => procedure.registers[register.0 as usize].kind,
        Parameter::Read(buffer) | Parameter::Added(buffer) | Parameter::Grown(buffer) => {
            procedure.buffers[buffer.0 as usize].kind
        }
    }
}

fn c(kind: Kind) -> &'static str {
    match kind {
        Kind::Real => "double",
        Kind::Int => "int64_t",
        Kind::Bool => "bool",
    }
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Real => "real",
        Kind::Int => "int",
        Kind::Bool => "bool",
    }
}

/// The words of all calls: numbers, and arrays behind the number of their elements.
fn data(words: &[&[Passed]]) -> Vec<u8> {
    let bits = |number: &Number| match number {
        Number::Real(value) => value.to_bits(),
        Number::Int(value) => *value as u64,
        Number::Bool(value) => u64::from(*value),
    };
    let mut data: Vec<u8> = Vec::new();
    for passed in words.iter().flat_map(|words| words.iter()) {
        match passed {
            Passed::Number(number) => data.extend(bits(number).to_ne_bytes()),
            Passed::Elements(elements) => {
                data.extend((elements.len() as u64).to_ne_bytes());
                data.extend(elements.iter().flat_map(|number| bits(number).to_ne_bytes()));
            }
        }
    }
    data
}

fn parse(text: &str, program: &Program, signatures: &[Signature]) -> Vec<Found> {
    let mut lines = text.lines();
    let mut next = || lines.next().unwrap_or_else(|| panic!("too few lines:\n{text}"));
    let mut found = Vec::new();
    for signature in signatures {
        let status = next();
        if status != "ok" {
            let [code, message, place] = status.split('|').collect::<Vec<_>>()[..] else { panic!("{status}") };
            assert!(!message.is_empty() && !message.contains(['{', '}']), "{status}");
            assert_eq!(place, "a random \"program\"??/\\", "{status}");
            found.push(Err(if code == "unknown-size" { "elsewhere".into() } else { code.to_string() }));
            continue;
        }
        let procedure = program.procedure(signature.procedure);
        let results: Vec<Passed> = (procedure.results.iter())
            .map(|outcome| {
                let kind = match outcome {
                    Outcome::Number(operand) => procedure.kind(*operand),
                    Outcome::Buffer(buffer) => procedure.buffers[buffer.0 as usize].kind,
                };
                let read = |word: &str| {
                    let bits = u64::from_str_radix(word, 16).unwrap_or_else(|_| panic!("{word}"));
                    match kind {
                        Kind::Real => Number::Real(f64::from_bits(bits)),
                        Kind::Int => Number::Int(bits as i64),
                        Kind::Bool => Number::Bool(bits != 0),
                    }
                };
                let elements: Vec<Number> = next().split_whitespace().map(read).collect();
                match outcome {
                    Outcome::Number(_) => Passed::Number(elements[0]),
                    Outcome::Buffer(_) => Passed::Elements(elements),
                }
            })
            .collect();
        found.push(Ok(receive(&results, &signature.result)));
    }
    found
}
