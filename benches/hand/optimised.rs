//! The workloads as an expert writes them: in lanes, blocked for registers, and with the mathematics rearranged.
//! Arguments are the addresses of arrays and numbers, in the order of the Riesz program; results go to `to`.

mod ba;
mod gmm;
mod lanes;
mod network;
mod recurrence;
mod rosenbrock;

/// An array among the arguments: its address and its length.
///
/// # Safety
/// There are two words at the address, and so many numbers where the first points.
pub(crate) unsafe fn array<'a>(at: *const u64) -> &'a [f64] {
    unsafe { std::slice::from_raw_parts(*at as *const f64, *at.add(1) as usize) }
}
