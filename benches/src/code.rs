//! Compiled code that is called and timed: hand-written code, which `rustc` builds with all optimisations, and
//! libraries of peers.

#![allow(unsafe_code)]

use libloading::{Library, Symbol};
use riesz_core::evaluate::Value;
use std::path::Path;
use std::process::Command;

/// A library. Its functions take words and write numbers.
pub struct Code {
    library: Library,
}

type Entry = unsafe extern "C" fn(*const u64, *mut f64);

/// A function of a library.
pub struct Function<'a>(Symbol<'a, Entry>);

impl Code {
    /// Builds and loads a file of the folder `hand`.
    ///
    /// # Panics
    /// If it does not compile.
    pub fn by_hand(file: &str) -> Code {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("hand").join(file);
        let library = std::env::temp_dir().join(format!("riesz-hand-{}-{file}.so", std::process::id()));
        let rustc = std::env::var_os("RIESZ_RUSTC").unwrap_or_else(|| "rustc".into());
        let built = Command::new(rustc)
            .arg(source)
            .arg("-o")
            .arg(&library)
            .args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name", "hand"])
            .args(["-C", "opt-level=3", "-C", "target-cpu=native", "-C", "codegen-units=1", "-C", "panic=abort"])
            .status();
        assert!(built.is_ok_and(|status| status.success()), "{file} does not compile");
        Code::load(&library).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// Loads a library that was built just now, and removes its file, which is no longer needed then.
    pub fn load(library: &Path) -> Result<Code, libloading::Error> {
        // All of them are built from sources of the folders `hand` and `peers`, and do nothing when they are loaded.
        let loaded = unsafe { Library::new(library) };
        // A file that stays is only a file too many.
        let _ = std::fs::remove_file(library);
        Ok(Code { library: loaded? })
    }

    /// A function, if there is one with that name.
    pub fn function(&self, name: &str) -> Option<Function<'_>> {
        // All functions of these libraries have the one type.
        unsafe { self.library.get::<Entry>(name.as_bytes()) }.ok().map(Function)
    }
}

impl Function<'_> {
    /// Calls it; it writes its result over the numbers.
    pub fn call(&self, words: &Words, to: &mut [f64]) {
        // The arrays that the words point to are in `words`, and the caller knows how long the result is.
        unsafe { (self.0)(words.words.as_ptr(), to.as_mut_ptr()) }
    }
}

/// Values as compiled code takes them: numbers, and addresses and lengths of arrays.
#[derive(Default)]
pub struct Words {
    words: Vec<u64>,
    reals: Vec<Vec<f64>>,
    integers: Vec<Vec<i64>>,
}

impl Words {
    /// Adds a value.
    pub fn push(&mut self, value: &Value<f64>) {
        match value {
            Value::Real(number) => self.words.push(number.to_bits()),
            Value::Int(number) => self.words.push(*number as u64),
            Value::Ints(elements) => {
                let elements = elements.to_vec();
                self.words.extend([elements.as_ptr() as u64, elements.len() as u64]);
                self.integers.push(elements);
            }
            array => {
                let elements = numbers(array);
                self.words.extend([elements.as_ptr() as u64, elements.len() as u64]);
                self.reals.push(elements);
            }
        }
    }
}

/// All real numbers of a value, in order.
pub fn numbers(value: &Value<f64>) -> Vec<f64> {
    match value {
        Value::Real(number) => vec![*number],
        Value::Int(number) => vec![*number as f64],
        Value::Reals(elements) => elements.to_vec(),
        Value::Tuple(parts) => parts.iter().flat_map(numbers).collect(),
        other => other.elements().flat_map(|element| numbers(&element)).collect(),
    }
}
