//! The accuracy of functions of eight numbers at once, and of sixteen in single precision, with the instructions of
//! this machine, as in native code.

#[path = "../../riesz-runtime/tests/reference/mod.rs"]
mod reference;
#[path = "../../riesz-runtime/tests/reference/table.rs"]
mod table;

use libloading::Library;
use reference::Long;
use riesz_native::{Compiler, Settings};
use table::{TABLE, measure, measure_single};

type Apply<T> = unsafe extern "C" fn(*const T, *const T, *mut T, usize);

#[test]
fn functions_are_accurate_with_the_instructions_of_this_machine() {
    let library = library_of("f64", 8, "riesz_runtime");
    let single = library_of("f32", 16, "riesz_runtime::single");
    let mut wrong = Vec::new();
    println!("| function | greatest error | at | in single precision |\n|---|---|---|---|");
    for (at, row) in TABLE.iter().enumerate() {
        let (units, x, y) = measure(row, 20_000, &|x, y| apply(&library, at, 8, x, y));
        let (short, ..) = measure_single(row, 5_000, &|x, y| apply(&single, at, 16, x, y));
        let place = if row.text.contains('y') { format!("{x:e}, {y:e}") } else { format!("{x:e}") };
        println!("| `{}` | {units:.2} | {place} | {short:.3} |", row.name);
        if units.is_nan() || units > row.bound || short.is_nan() || short > SINGLE {
            wrong.push(format!("{} is {units} units wrong at {place}, {short} in single precision", row.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// In single precision functions are rounded from double precision; `sigmoid` is a few operations.
const SINGLE: f64 = 2.0;

/// The functions as a library, for lanes of a number of numbers.
fn library_of(real: &str, lanes: usize, runtime: &str) -> Library {
    let mut source = format!("use {runtime}::*;\n");
    for (at, row) in TABLE.iter().enumerate() {
        source += &format!(
            "#[unsafe(no_mangle)]
             pub unsafe extern \"C\" fn apply_{at}(x: *const {real}, y: *const {real}, to: *mut {real}, blocks: usize) {{
                 for block in 0..blocks {{
                     unsafe {{
                         let x = *x.cast::<[{real}; {lanes}]>().add(block);
                         let y = *y.cast::<[{real}; {lanes}]>().add(block);
                         let (x, y) = (Lanes(x), Lanes(y));
                         *to.cast::<[{real}; {lanes}]>().add(block) = ({}).0;
                     }}
                 }}
             }}\n",
            row.text
        );
    }
    let compiler = Compiler::find().expect("tests need a Rust compiler");
    let library = compiler.library(&source, Settings::default()).expect("the functions compile");
    // The library has just been built from the source above.
    unsafe { Library::new(library) }.expect("the functions load")
}

/// A function of the library, for as many numbers as there are.
fn apply<T: Copy + From<u8>>(library: &Library, at: usize, lanes: usize, x: &[T], y: &[T]) -> Vec<T> {
    let apply = unsafe { library.get::<Apply<T>>(format!("apply_{at}").as_bytes()) }.expect("the function is there");
    let padded = |numbers: &[T]| {
        let mut numbers = numbers.to_vec();
        numbers.resize(numbers.len().next_multiple_of(lanes), T::from(1));
        numbers
    };
    let (count, x, y) = (x.len(), padded(x), padded(y));
    let mut found = vec![T::from(0); x.len()];
    // All three have as many numbers as there are in so many blocks.
    unsafe { apply(x.as_ptr(), y.as_ptr(), found.as_mut_ptr(), x.len() / lanes) };
    found.truncate(count);
    found
}
