//! The limits of a run, and its errors.

use crate::{Buffer, Crew, single};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};

/// The resources that a run may still use.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Context {
    /// Steps: calls and loop iterations.
    pub steps: i64,
    /// Bytes of buffers. Loop iterations give back the bytes of their buffers.
    pub memory: i64,
    /// The fewest bytes that have been left.
    pub least: i64,
    /// Nested calls.
    pub depth: i64,
    /// The lowest address that the stack may grow to.
    pub stack: usize,
    /// Who shares the work.
    pub crew: Crew,
    /// Whether the run is to stop.
    pub interrupt: Interrupt,
}

/// A flag of the host's that is set when a run is to stop.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Interrupt(*const AtomicBool);

/// A flag that is never set.
static NEVER: AtomicBool = AtomicBool::new(false);

impl Interrupt {
    /// A run that nothing interrupts.
    pub const NEVER: Interrupt = Interrupt(&raw const NEVER);

    /// A flag.
    ///
    /// # Safety
    /// It is there as long as any run that is given it.
    pub unsafe fn new(flag: &AtomicBool) -> Interrupt {
        Interrupt(flag)
    }

    #[inline(always)]
    fn is_set(self) -> bool {
        // The flag outlives the run, as the maker of this context guarantees.
        unsafe { (*self.0).load(Ordering::Relaxed) }
    }
}

// What it points to is an atomic, which threads share.
unsafe impl Send for Interrupt {}
unsafe impl Sync for Interrupt {}

/// Why a run stopped: a site of the program and what its message tells, then the sites of the calls around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The site.
    pub site: u32,
    /// The values in the message.
    pub values: [i64; 3],
    /// The calls around, the innermost first.
    pub calls: Vec<u32>,
}

/// The result of a procedure, or the fault that stopped it.
pub type Outcome<T> = Result<T, Box<Fault>>;

/// A site that stands for no error of the program: it has to be run in another way, which is the interpreter's.
pub const ELSEWHERE: u32 = u32::MAX;

/// A fault.
#[cold]
#[inline(never)]
pub fn fault(site: u32, values: &[i64]) -> Box<Fault> {
    let mut told = [0; 3];
    for (told, value) in told.iter_mut().zip(values) {
        *told = *value;
    }
    Box::new(Fault { site, values: told, calls: Vec::new() })
}

impl Fault {
    /// The fault as seen from a call around it.
    #[cold]
    pub fn called(mut self: Box<Self>, site: u32) -> Box<Fault> {
        // A message shows a few calls, and calls can be many.
        if self.calls.len() < 8 {
            self.calls.push(site);
        }
        self
    }
}

impl Context {
    /// A context without limits but that of the stack, which is the caller's.
    pub fn unlimited() -> Context {
        let (crew, interrupt) = (Crew::NONE, Interrupt::NEVER);
        Context { steps: i64::MAX, memory: i64::MAX, least: i64::MAX, depth: i64::MAX, stack: 0, crew, interrupt }
    }

    /// Takes steps.
    #[inline(always)]
    pub fn step(&mut self, count: i64, site: u32) -> Outcome<()> {
        self.steps -= count.max(0);
        if self.steps < 0 || self.interrupt.is_set() { Err(fault(site, &[])) } else { Ok(()) }
    }

    /// Begins a call.
    #[inline]
    pub fn enter(&mut self, site: u32) -> Outcome<()> {
        let here = 0u8;
        self.depth -= 1;
        self.steps -= 1;
        if self.depth < 0 || self.steps < 0 || (&raw const here).addr() < self.stack || self.interrupt.is_set() {
            return Err(fault(site, &[]));
        }
        Ok(())
    }

    /// Ends a call.
    #[inline]
    pub fn leave(&mut self) {
        self.depth += 1;
    }

    /// A buffer of a number of elements, which are uninitialised: generated code writes before it reads.
    #[inline]
    pub fn buffer<T: Element>(&mut self, count: i64, site: u32) -> Outcome<Buffer<T>> {
        let count = count.max(0);
        self.memory -= count.saturating_mul(size_of::<T>() as i64);
        if self.memory < 0 || count == i64::MAX {
            // Sizes that are larger than integers are cut to the largest.
            return Err(fault(if count == i64::MAX { ELSEWHERE } else { site }, &[count]));
        }
        self.least = self.least.min(self.memory);
        // The system may have less than the run is allowed.
        Buffer::try_new(count as usize).ok_or_else(|| fault(site, &[count]))
    }

    /// The same with zeros, for elements of which only some lanes are written at a time.
    #[inline]
    pub fn cleared<T: Element>(&mut self, count: i64, site: u32) -> Outcome<Buffer<T>> {
        let mut buffer: Buffer<T> = self.buffer(count, site)?;
        // Bits that are zero are a number, and false.
        unsafe { buffer.as_mut_ptr().write_bytes(0, buffer.len()) };
        Ok(buffer)
    }

    /// A copy of a buffer for a lane or a chunk, which has a number of elements and begins with one value for all of them. It
    /// does not count towards the limit, because the number of copies is not the program's affair.
    #[inline]
    pub fn filled<T: Element>(&self, count: usize, value: T, site: u32) -> Outcome<Buffer<T>> {
        let mut buffer = Buffer::try_new(count).ok_or_else(|| fault(site, &[count as i64]))?;
        buffer.fill(value);
        Ok(buffer)
    }

    /// A buffer for as long as a call takes: in its frame where it is small. Its elements are whatever was there before.
    #[inline(always)]
    pub fn local<'r, T: Element>(&mut self, room: &'r mut Room<T>, count: i64, site: u32) -> Outcome<&'r mut [T]> {
        if count > FEW as i64 {
            room.many = self.buffer(count, site)?;
            return Ok(&mut room.many);
        }
        let count = count.max(0) as usize;
        self.memory -= (count * size_of::<T>()) as i64;
        if self.memory < 0 { Err(fault(site, &[count as i64])) } else { Ok(T::few(&mut room.few[..count])) }
    }

    /// Grows a buffer to a number of elements: old elements stay, and new ones are written before they are read.
    /// Buffers double, so that one that grows by an element at a time is copied twice at most, all in all.
    #[inline(always)]
    pub fn grow<T: Element>(&mut self, buffer: &mut Buffer<T>, count: i64, site: u32) -> Outcome<()> {
        if count <= buffer.len() as i64 { Ok(()) } else { self.grow_to(buffer, count, site) }
    }

    /// The same, and new elements are zero.
    #[inline(always)]
    pub fn grow_cleared<T: Element>(&mut self, buffer: &mut Buffer<T>, count: i64, site: u32) -> Outcome<()> {
        let before = buffer.len();
        self.grow(buffer, count, site)?;
        // Bits that are zero are a number, and false.
        unsafe { buffer.as_mut_ptr().add(before).write_bytes(0, buffer.len() - before) };
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn grow_to<T: Element>(&mut self, buffer: &mut Buffer<T>, count: i64, site: u32) -> Outcome<()> {
        let mut grown = self.buffer(count.max(2 * buffer.len() as i64), site)?;
        grown[..buffer.len()].copy_from_slice(buffer);
        *buffer = grown;
        Ok(())
    }
}

/// How many elements there is room for in the frame of a call: a recursion may be deep.
const FEW: usize = 16;

/// Room for a buffer of a call.
#[derive(Debug)]
pub struct Room<T: Element> {
    few: [MaybeUninit<T>; FEW],
    many: Buffer<T>,
}

impl<T: Element> Room<T> {
    /// Room in which there is nothing yet.
    #[inline(always)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Room<T> {
        Room { few: [MaybeUninit::uninit(); FEW], many: Buffer::new() }
    }
}

/// An element of buffers.
pub trait Element: Copy + 'static {
    /// A buffer of a number of elements, if the system has memory for it.
    fn try_buffer(count: usize) -> Option<Vec<Self>>;

    /// Room as a buffer.
    fn few(room: &mut [MaybeUninit<Self>]) -> &mut [Self];

    /// Makes a buffer with room for a number of elements that long.
    fn set_len(buffer: &mut Vec<Self>, count: usize);

    /// Does something with the memory that this thread keeps for buffers.
    #[cfg(feature = "recycle")]
    fn kept<A>(act: impl FnOnce(&mut crate::recycle::kept::Kept<Self>) -> A) -> Option<A>;
}

macro_rules! kept {
    ($ty:ty) => {
        #[cfg(feature = "recycle")]
        fn kept<A>(act: impl FnOnce(&mut crate::recycle::kept::Kept<$ty>) -> A) -> Option<A> {
            use crate::recycle::kept::Kept;
            use std::cell::RefCell;
            thread_local! {
                static KEPT: RefCell<Kept<$ty>> = const { RefCell::new(Kept::NONE) };
            }
            KEPT.try_with(|kept| kept.try_borrow_mut().ok().map(|mut kept| act(&mut kept))).ok().flatten()
        }
    };
}

macro_rules! elements {
    ($($ty:ty),*) => {$(
        impl Element for $ty {
            #[inline]
            #[allow(clippy::uninit_vec)]
            fn try_buffer(count: usize) -> Option<Vec<$ty>> {
                let mut buffer = Vec::new();
                buffer.try_reserve_exact(count).ok()?;
                // Any bits are a number, and none is read before it is written.
                unsafe { buffer.set_len(count) };
                Some(buffer)
            }

            #[inline]
            fn set_len(buffer: &mut Vec<$ty>, count: usize) {
                assert!(count <= buffer.capacity(), "there is no room for {count} elements");
                // There is room for them, and what holds above holds here.
                unsafe { buffer.set_len(count) };
            }

            kept!($ty);

            #[inline(always)]
            fn few(room: &mut [MaybeUninit<$ty>]) -> &mut [$ty] {
                // The same holds here.
                unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast(), room.len()) }
            }
        }
    )*};
}

elements!(f64, f32, i64);
elements!(crate::Lanes, crate::Ints, crate::Mask, crate::LaneStrip, crate::IntStrip, crate::MaskStrip);
elements!(single::Lanes, single::Ints, single::Mask, single::LaneStrip, single::IntStrip, single::MaskStrip);

impl Element for bool {
    fn try_buffer(count: usize) -> Option<Vec<bool>> {
        let mut buffer = Vec::new();
        buffer.try_reserve_exact(count).ok()?;
        buffer.resize(count, false);
        Some(buffer)
    }

    fn set_len(buffer: &mut Vec<bool>, count: usize) {
        buffer.resize(count, false);
    }

    kept!(bool);

    fn few(room: &mut [MaybeUninit<bool>]) -> &mut [bool] {
        room.fill(MaybeUninit::new(false));
        // All of them have just been written.
        unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast(), room.len()) }
    }
}
