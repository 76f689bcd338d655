//! How accurate functions of eight numbers at once are, with the instructions of this machine, as native code has them.

#[path = "../../riesz-runtime/tests/reference/mod.rs"]
mod reference;
#[path = "../../riesz-runtime/tests/reference/table.rs"]
mod table;

use reference::Long;
use riesz_native::{Compiler, Settings};
use table::{TABLE, measure};

type Apply = unsafe extern "C" fn(*const f64, *const f64, *mut f64, usize);

#[test]
fn functions_are_accurate_with_the_instructions_of_this_machine() {
    let mut source = String::from("use riesz_runtime::*;\n");
    for (at, row) in TABLE.iter().enumerate() {
        source += &format!(
            "#[unsafe(no_mangle)]
             pub unsafe extern \"C\" fn apply_{at}(x: *const f64, y: *const f64, to: *mut f64, blocks: usize) {{
                 for block in 0..blocks {{
                     unsafe {{
                         let x = *x.cast::<[f64; 8]>().add(block);
                         let y = *y.cast::<[f64; 8]>().add(block);
                         let (x, y) = (Lanes(x), Lanes(y));
                         *to.cast::<[f64; 8]>().add(block) = ({}).0;
                     }}
                 }}
             }}\n",
            row.text
        );
    }
    let compiler = Compiler::find().expect("tests need a Rust compiler");
    let library = compiler.library(&source, Settings::default()).expect("the functions compile");
    // The library has just been built from the source above.
    let library = unsafe { libloading::Library::new(library) }.expect("the functions load");
    let mut wrong = Vec::new();
    println!("| function | greatest error, units in the last place | at |\n|---|---|---|");
    for (at, row) in TABLE.iter().enumerate() {
        let apply = unsafe { library.get::<Apply>(format!("apply_{at}").as_bytes()) }.expect("the function is there");
        let apply = |x: &[f64], y: &[f64]| {
            let padded = |numbers: &[f64]| {
                let mut numbers = numbers.to_vec();
                numbers.resize(numbers.len().next_multiple_of(8), 1.0);
                numbers
            };
            let (count, x, y) = (x.len(), padded(x), padded(y));
            let mut found = vec![0.0; x.len()];
            // All three have as many numbers as there are in so many blocks.
            unsafe { apply(x.as_ptr(), y.as_ptr(), found.as_mut_ptr(), x.len() / 8) };
            found.truncate(count);
            found
        };
        let (units, x, y) = measure(row, 20_000, &apply);
        let at = if row.text.contains('y') { format!("{x:e}, {y:e}") } else { format!("{x:e}") };
        println!("| `{}` | {units:.2} | {at} |", row.name);
        if units.is_nan() || units > row.bound {
            wrong.push(format!("{} is {units} units wrong at {at}", row.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
