//! A thousand gradients cost a thousand calls: an evaluation leaves nothing behind in its session, and a call of a compiled
//! function neither runs a pass of the compiler nor keeps memory; as native code it does not even ask for any.

// An allocator that counts is the only way to see what is held.
#![allow(unsafe_code)]

use riesz::{Compiler, NoFiles, Options, Program, Session, Toolchain};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    /// The bytes that this thread has been given and has not given back.
    static HELD: Cell<isize> = const { Cell::new(0) };
    /// How often it has asked.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator with the arguments it was made with, and what that gives is given back.
// The counters are plain cells, so that counting neither allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.set(HELD.get() + layout.size() as isize);
        ASKED.set(ASKED.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.set(HELD.get() - layout.size() as isize);
        unsafe { System.dealloc(pointer, layout) }
    }
}

const ROSENBROCK: &str = "fun rosenbrock(x: [n]R): R = sum(100 * (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2 | i < n - 1)";
/// How much more may be held than before, as the growth of tables that are used again.
const SLACK: isize = 4096;

#[test]
fn an_evaluation_leaves_nothing_behind() {
    let mut session = Session::default();
    session.load_text("f.rz", ROSENBROCK, &NoFiles).unwrap();
    let mut gradient = |at: usize| {
        // One text again and again, and others that differ.
        let texts = ["grad(rosenbrock, [-1.2, 1.0, 0.5])", "D(rosenbrock, [1.0, 2.0])([1.0, 0.0])", "sum([1.0, 2.0])"];
        session.evaluate(texts[at % 3], Vec::new()).unwrap();
    };
    (0..30).for_each(&mut gradient);
    let before = HELD.get();
    let ((), passes) = riesz_limit::passes(|| (0..300).for_each(&mut gradient));
    let more = HELD.get() - before;
    assert!(more <= SLACK, "300 evaluations hold {more} bytes more");
    // Two of three have derivatives: each is optimised before and after.
    assert_eq!(passes.into_iter().collect::<Vec<_>>(), [("differentiate", 200), ("optimise", 400)]);
}

#[test]
fn a_call_leaves_nothing_behind() {
    let program = Program::new("f.rz", ROSENBROCK).unwrap();
    let gradient = program.function("rosenbrock").unwrap().grad().compile(&Options::default()).unwrap();
    let mut found = [0.0; 3];
    let mut call = |at: i32| {
        gradient.call(&[(&[f64::from(at), 1.0, 0.5]).into()], &mut [(&mut found).into()]).unwrap();
    };
    (0..10).for_each(&mut call);
    let before = HELD.get();
    let ((), passes) = riesz_limit::passes(|| (0..1000).for_each(&mut call));
    assert!(HELD.get() - before <= SLACK, "1000 calls hold {} bytes more", HELD.get() - before);
    assert!(passes.is_empty(), "{passes:?}");
}

#[test]
fn a_native_call_asks_for_no_memory() {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("growth");
    let compiler = Compiler::find().expect("tests need a Rust compiler").keeping_in(kept);
    let native = Some(Toolchain::find_or_tell(1).with_compiler(compiler));
    let program = Program::new("f.rz", "fun f(x: [n]R, k: R): R = k * sum(x)").unwrap();
    let f = program.function("f").unwrap().compile(&Options { native, ..Options::default() }).unwrap();
    assert!(f.is_native());
    let mut found = 0.0;
    let mut call = |at: i32| {
        f.call(&[(&[f64::from(at), 1.0, 0.5]).into(), 2.0.into()], &mut [(&mut found).into()]).unwrap();
    };
    call(0);
    let before = ASKED.get();
    (0..1000).for_each(&mut call);
    assert_eq!(ASKED.get() - before, 0);
    assert_eq!(found, 2.0 * 1000.5);
}
