//! The functions of the host that machine code calls. Each is a `Host`: its address and its types.
//!
//! # Why they may trust their arguments
//!
//! Only code of this crate calls them, with the run that the host has passed to it, with buffers of that run or of its
//! caller, and with positions that are in bounds as the loop program has proven or checked them
//! (`riesz-rust/src/lib.rs` has that argument). None of them unwinds: they have no panics but those of broken invariants,
//! which end the process.

use crate::run::Run;
use cranelift_codegen::ir::{Type, types};
use riesz_primitive::{MatrixFunction, Scalar};
use riesz_runtime::{Context, Outcome, Strides};

/// A function of the host.
#[derive(Clone, Copy)]
pub(crate) struct Host {
    pub address: *const u8,
    pub parameters: &'static [Type],
    pub result: Option<Type>,
}

const I: Type = types::I64;
const F: Type = types::F64;
const B: Type = types::I8;

macro_rules! host {
    ($name:ident = $function:path as fn($($ty:ty),*) $(-> $given:ty)?: $parameters:expr, $result:expr) => {
        pub(crate) fn $name() -> Host {
            let function: unsafe extern "C" fn($($ty),*) $(-> $given)? = $function;
            Host { address: function as *const u8, parameters: $parameters, result: $result }
        }
    };
}

host!(fail = told as fn(*mut Run, i64, i64, i64, i64): &[I, I, I, I, I], None);
host!(called = told_call as fn(*mut Run, i64): &[I, I], None);
host!(allocate = made as fn(*mut Run, i64, i64, i64) -> *mut u8: &[I, I, I, I], Some(I));
host!(grow = grown as fn(*mut Run, *mut u8, i64, i64, i64) -> *mut u8: &[I, I, I, I, I], Some(I));
host!(release = released as fn(*mut Run, *mut u8): &[I, I], None);
host!(give = given as fn(*mut Run, *mut u8) -> i64: &[I, I], Some(I));
host!(copy = copied as fn(*mut u8, *const u8, i64): &[I, I, I], None);
host!(fill_reals = filled::<f64> as fn(*mut f64, i64, f64): &[I, I, F], None);
host!(fill_ints = filled::<i64> as fn(*mut i64, i64, i64): &[I, I, I], None);
host!(fill_bools = filled::<u8> as fn(*mut u8, i64, u8): &[I, I, B], None);
host!(real_of_one = apply_to_one as fn(&'static Scalar, f64) -> f64: &[I, F], Some(F));
host!(real_of_two = apply_to_two as fn(&'static Scalar, f64, f64) -> f64: &[I, F, F], Some(F));
host!(integer = apply_to_integers as fn(&'static Scalar, i64, i64, i64, *mut i64) -> u8: &[I, I, I, I, I], Some(B));
host!(near = is_near as fn(f64, f64, f64) -> u8: &[F, F, F], Some(B));
host!(near_integers = are_near as fn(i64, i64, f64) -> u8: &[I, I, F], Some(B));
host!(product = multiplied as fn(&Factors): &[I], None);

unsafe extern "C" fn told(run: *mut Run, site: i64, a: i64, b: i64, c: i64) {
    unsafe { &mut *run }.fail(site as u32, [a, b, c]);
}

unsafe extern "C" fn told_call(run: *mut Run, site: i64) {
    unsafe { &mut *run }.called(site as u32);
}

unsafe extern "C" fn made(run: *mut Run, count: i64, size: i64, site: i64) -> *mut u8 {
    unsafe { &mut *run }.allocate(count, size, site as u32)
}

unsafe extern "C" fn grown(run: *mut Run, buffer: *mut u8, count: i64, size: i64, site: i64) -> *mut u8 {
    unsafe { (*run).grow(buffer, count, size, site as u32) }
}

unsafe extern "C" fn released(run: *mut Run, buffer: *mut u8) {
    unsafe { (*run).release(buffer) }
}

unsafe extern "C" fn given(run: *mut Run, buffer: *mut u8) -> i64 {
    unsafe { (*run).give(buffer) }
}

/// Copies `count` bytes, which may overlap.
unsafe extern "C" fn copied(to: *mut u8, from: *const u8, bytes: i64) {
    if bytes > 0 {
        unsafe { to.copy_from(from, bytes as usize) }
    }
}

unsafe extern "C" fn filled<T: Copy>(to: *mut T, count: i64, value: T) {
    unsafe { elements_mut(to, count) }.fill(value);
}

unsafe extern "C" fn apply_to_one(row: &'static Scalar, x: f64) -> f64 {
    row.real.map_or(f64::NAN, |real| real(&[x]))
}

unsafe extern "C" fn apply_to_two(row: &'static Scalar, x: f64, y: f64) -> f64 {
    row.real.map_or(f64::NAN, |real| real(&[x, y]))
}

/// A function of one or two integers: whether there is a result, which is written.
unsafe extern "C" fn apply_to_integers(row: &'static Scalar, count: i64, a: i64, b: i64, to: *mut i64) -> u8 {
    match row.integer.and_then(|integer| (integer.value)(&[a, b][..count as usize])) {
        Some(value) => {
            unsafe { *to = value };
            1
        }
        None => 0,
    }
}

unsafe extern "C" fn is_near(a: f64, b: f64, tolerance: f64) -> u8 {
    riesz_runtime::near(a, b, tolerance).into()
}

unsafe extern "C" fn are_near(a: i64, b: i64, tolerance: f64) -> u8 {
    riesz_runtime::near_integers(a, b, tolerance).into()
}

/// A product of matrices, as machine code lays it out in its frame.
#[repr(C)]
pub(crate) struct Factors {
    to: *mut f64,
    left: Factor,
    right: Factor,
    rows: i64,
    inner: i64,
    columns: i64,
    exact: i64,
}

/// A matrix: its first element, and how far apart rows and columns are.
#[repr(C)]
struct Factor {
    first: *const f64,
    row: i64,
    column: i64,
}

impl Factor {
    /// The elements of the matrix, which may lie before its first, and where they are among them.
    unsafe fn elements(&self, rows: i64, columns: i64) -> (&[f64], Strides) {
        if rows <= 0 || columns <= 0 {
            return (&[], Strides { first: 0, row: self.row, column: self.column });
        }
        let ends = [(rows - 1) * self.row, (columns - 1) * self.column];
        let before: i64 = ends.iter().map(|end| end.min(&0)).sum();
        let behind: i64 = ends.iter().map(|end| end.max(&0)).sum();
        let elements = unsafe { elements(self.first.offset(before as isize), behind - before + 1) };
        (elements, Strides { first: -before, row: self.row, column: self.column })
    }
}

unsafe extern "C" fn multiplied(factors: &Factors) {
    let Factors { to, left, right, rows, inner, columns, exact } = factors;
    let sizes = (*rows, *inner, *columns);
    let multiply = if *exact != 0 { riesz_runtime::exact_product } else { riesz_runtime::product };
    unsafe {
        let to = elements_mut(*to, rows.max(&0) * columns.max(&0));
        multiply(to, left.elements(*rows, *inner), right.elements(*inner, *columns), sizes);
    }
}

/// A function of linear algebra, as machine code lays it out in its frame.
#[repr(C)]
pub(crate) struct Matrices {
    site: i64,
    to: *mut f64,
    count: i64,
    a: *const f64,
    rows: i64,
    columns_of_a: i64,
    n: i64,
    b: *const f64,
    columns: i64,
}

/// The function of the host for one of linear algebra, which gives 0 where all is well.
pub(crate) fn matrix(function: MatrixFunction) -> Host {
    let function: unsafe extern "C" fn(*mut Run, &Matrices) -> i64 = match function {
        MatrixFunction::Cholesky => cholesky,
        MatrixFunction::CholeskyTangent => cholesky_tangent,
        MatrixFunction::CholeskyCotangent => cholesky_cotangent,
        MatrixFunction::Solve => solve,
        MatrixFunction::ExactSolve => exact_solve,
        MatrixFunction::SparseSolve => sparse_solve,
        MatrixFunction::ExactSparseSolve => exact_sparse_solve,
        MatrixFunction::ExactSparseSolveTransposed => exact_sparse_solve_transposed,
        MatrixFunction::Inverse => inverse,
        MatrixFunction::Determinant => determinant,
        MatrixFunction::LogDeterminant => log_determinant,
        MatrixFunction::Cofactor => cofactor,
    };
    Host { address: function as *const u8, parameters: &[I, I], result: Some(I) }
}

type OfOne = fn(&mut Context, u32, &mut [f64], &[f64], i64) -> Outcome<()>;
type OfTwo = fn(&mut Context, u32, &mut [f64], &[f64], i64, &[f64], i64) -> Outcome<()>;

macro_rules! matrices {
    ($($with:ident: $($name:ident = $function:path),*;)*) => {$($(
        unsafe extern "C" fn $name(run: *mut Run, of: &Matrices) -> i64 {
            unsafe { $with(&mut *run, of, $function) }
        }
    )*)*};
}

matrices! {
    with_one: cholesky = riesz_runtime::cholesky, inverse = riesz_runtime::inv, determinant = riesz_runtime::det,
        log_determinant = riesz_runtime::logdet;
    with_two: cholesky_tangent = riesz_runtime::cholesky_tangent, cholesky_cotangent = riesz_runtime::cholesky_cotangent,
        solve = riesz_runtime::solve, exact_solve = riesz_runtime::exact_solve, cofactor = riesz_runtime::cofactor,
        sparse_solve = riesz_runtime::sparse_solve, exact_sparse_solve = riesz_runtime::exact_sparse_solve,
        exact_sparse_solve_transposed = riesz_runtime::exact_sparse_solve_transposed;
}

unsafe fn with_one(run: &mut Run, of: &Matrices, function: OfOne) -> i64 {
    let (to, a) = unsafe { (elements_mut(of.to, of.count), elements(of.a, of.rows * of.columns_of_a)) };
    let outcome = function(&mut run.context, of.site as u32, to, a, of.n);
    status(run, outcome)
}

unsafe fn with_two(run: &mut Run, of: &Matrices, function: OfTwo) -> i64 {
    let (to, a) = unsafe { (elements_mut(of.to, of.count), elements(of.a, of.rows * of.columns_of_a)) };
    let b = unsafe { elements(of.b, of.n * of.columns) };
    let outcome = function(&mut run.context, of.site as u32, to, a, of.n, b, of.columns);
    status(run, outcome)
}

fn status(run: &mut Run, outcome: Outcome<()>) -> i64 {
    match outcome {
        Ok(()) => 0,
        Err(fault) => {
            run.fail(fault.site, fault.values);
            1
        }
    }
}

unsafe fn elements<'a, T>(first: *const T, count: i64) -> &'a [T] {
    if count <= 0 { &[] } else { unsafe { std::slice::from_raw_parts(first, count as usize) } }
}

unsafe fn elements_mut<'a, T>(first: *mut T, count: i64) -> &'a mut [T] {
    if count <= 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(first, count as usize) } }
}
