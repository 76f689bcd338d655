//! Code by hand: a library that `rustc` builds with all its optimisations, and loads.

#![allow(unsafe_code)]

use libloading::Library;
use riesz_core::evaluate::Value;
use std::path::Path;
use std::process::Command;

/// Code by hand. A function of it takes words and writes numbers.
pub struct Hand {
    library: Library,
}

type Entry = unsafe extern "C" fn(*const u64, *mut f64);

impl Hand {
    /// Builds and loads a file of the folder `hand`.
    ///
    /// # Panics
    /// If it does not compile.
    pub fn build(file: &str) -> Hand {
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
        // It was built just now, and does nothing when it is loaded.
        let loaded = unsafe { Library::new(&library) }.unwrap_or_else(|error| panic!("{file}: {error}"));
        // Once it is loaded the file is no longer needed.
        let _ = std::fs::remove_file(library);
        Hand { library: loaded }
    }

    /// A function, which writes its result over the numbers that it is given.
    ///
    /// # Panics
    /// If there is no such function.
    pub fn function(&self, name: &str) -> impl Fn(&Words, &mut [f64]) {
        let entry =
            unsafe { self.library.get::<Entry>(name.as_bytes()) }.unwrap_or_else(|_| panic!("no code `{name}`"));
        // The arrays that the words point to are in `words`, and the caller knows how long the result is.
        move |words, to| unsafe { entry(words.words.as_ptr(), to.as_mut_ptr()) }
    }
}

/// Values as code by hand takes them: numbers, and addresses and lengths of arrays.
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
