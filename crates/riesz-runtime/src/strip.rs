//! Four times eight lanes: values that iterations share are read once for more of them.
//!
//! A strip performs the operations of lanes four times. A buffer that all iterations add to keeps eight lanes: a strip
//! is summed into them before they are written back, once for thirty-two iterations.

use super::{Ints, LANES, Lanes, Mask, R, Target, Wide, at, gather};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// How many lanes are in a strip, by eights.
pub const STRIP: usize = 4;

/// Four times eight of something.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Strip<L>(pub [L; STRIP]);

/// Real numbers.
pub type LaneStrip = Strip<Lanes>;
/// Integers.
pub type IntStrip = Strip<Ints>;
/// Truth values.
pub type MaskStrip = Strip<Mask>;

impl<L: Copy> Strip<L> {
    #[inline(always)]
    fn each<M: Copy>(self, f: impl Fn(L) -> M) -> Strip<M> {
        let [a, b, c, d] = self.0;
        Strip([f(a), f(b), f(c), f(d)])
    }

    #[inline(always)]
    fn each2<M: Copy, N>(self, other: Strip<M>, f: impl Fn(L, M) -> N) -> Strip<N> {
        let ([a, b, c, d], [p, q, r, s]) = (self.0, other.0);
        Strip([f(a, p), f(b, q), f(c, r), f(d, s)])
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident),*) => {$(
        impl $operator for LaneStrip {
            type Output = LaneStrip;

            #[inline(always)]
            fn $method(self, other: LaneStrip) -> LaneStrip {
                self.each2(other, #[inline(always)] |a, b| $operator::$method(a, b))
            }
        }
    )*};
}

operators!(Add add, Sub sub, Mul mul, Div div);

impl Neg for LaneStrip {
    type Output = LaneStrip;

    #[inline(always)]
    fn neg(self) -> LaneStrip {
        self.each(
            #[inline(always)]
            |a| -a,
        )
    }
}

impl AddAssign for LaneStrip {
    #[inline(always)]
    fn add_assign(&mut self, other: LaneStrip) {
        *self = *self + other;
    }
}

macro_rules! functions {
    ($inline:ident: $($name:ident),*) => {
        impl LaneStrip {
            $(
                #[doc = concat!("`", stringify!($name), "`, in each lane.")]
                #[inline($inline)]
                pub fn $name(self) -> LaneStrip {
                    self.each(#[inline(always)] |a| a.$name())
                }
            )*
        }
    };
}

functions!(always: sqrt, abs);
// Calls: four copies of a function wherever it is used would take the compiler longer than all the rest.
functions!(never: exp, ln, sin, cos, tanh, exp_m1, ln_1p, sinh, cosh);

macro_rules! functions_of_two {
    ($($name:ident),*) => {
        impl LaneStrip {
            $(
                #[doc = concat!("`", stringify!($name), "`, in each lane.")]
                #[inline(always)]
                pub fn $name(self, other: LaneStrip) -> LaneStrip {
                    self.each2(other, #[inline(always)] |a, b| a.$name(b))
                }
            )*
        }
    };
}

functions_of_two!(max, min, exact_mul, powi);

impl LaneStrip {
    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(x: R) -> LaneStrip {
        Strip([Lanes::splat(x); STRIP])
    }

    /// `a · b + c`, in one rounding where the machine can.
    #[inline(always)]
    pub fn fma(self, b: LaneStrip, c: LaneStrip) -> LaneStrip {
        let ([p, q, r, s], [t, u, v, w], [x, y, z, o]) = (self.0, b.0, c.0);
        Strip([p.fma(t, x), q.fma(u, y), r.fma(v, z), s.fma(w, o)])
    }

    /// The elements at places that are a step apart, the first at a position.
    ///
    /// # Safety
    /// The positions are in bounds.
    #[inline(always)]
    pub unsafe fn load(buffer: &[R], position: i64, step: i64) -> LaneStrip {
        let part = |at: i64| unsafe { Lanes::load(buffer, position + at * LANES as i64 * step, step) };
        Strip([part(0), part(1), part(2), part(3)])
    }

    /// Reads the elements at places that are a step apart for which a mask holds.
    ///
    /// # Safety
    /// The positions are in bounds where the mask holds.
    #[inline(always)]
    pub unsafe fn load_where(buffer: &[R], position: i64, step: i64, mask: MaskStrip) -> LaneStrip {
        let part =
            |at: usize| unsafe { Lanes::load_where(buffer, position + (at * LANES) as i64 * step, step, mask.0[at]) };
        Strip([part(0), part(1), part(2), part(3)])
    }

    /// Writes elements at places that are a step apart.
    ///
    /// # Safety
    /// The positions are in bounds.
    #[inline(always)]
    pub unsafe fn store(self, buffer: impl Target<Element = R>, position: i64, step: i64) {
        let buffer = Place::of(buffer);
        for (at, part) in self.0.into_iter().enumerate() {
            unsafe { part.store(buffer, position + (at * LANES) as i64 * step, step) }
        }
    }

    /// Adds to elements at places that are a step apart.
    ///
    /// # Safety
    /// The positions are in bounds.
    #[inline(always)]
    pub unsafe fn add_to(self, buffer: impl Target<Element = R>, position: i64, step: i64) {
        let buffer = Place::of(buffer);
        for (at, part) in self.0.into_iter().enumerate() {
            unsafe { part.add_to(buffer, position + (at * LANES) as i64 * step, step) }
        }
    }

    /// One number or the other, in each lane.
    #[inline(always)]
    pub fn select(mask: MaskStrip, yes: LaneStrip, no: LaneStrip) -> LaneStrip {
        choose(mask, yes, no, Lanes::select)
    }

    /// A comparison, in each lane.
    #[inline(always)]
    pub fn compare(self, other: LaneStrip, f: impl Fn(R, R) -> bool) -> MaskStrip {
        self.each2(
            other,
            #[inline(always)]
            |a, b| a.compare(b, &f),
        )
    }

    /// Where lanes are NaN.
    #[inline(always)]
    pub fn is_nan(self) -> MaskStrip {
        self.each(
            #[inline(always)]
            |a| a.is_nan(),
        )
    }
}

/// Where a buffer is, for several writes to it.
#[derive(Clone, Copy)]
struct Place(*mut R, usize);

impl Place {
    #[inline(always)]
    fn of(buffer: impl Target<Element = R>) -> Place {
        let (first, len) = buffer.place();
        Place(first, len)
    }
}

impl Target for Place {
    type Element = R;

    #[inline(always)]
    fn place(self) -> (*mut R, usize) {
        (self.0, self.1)
    }
}

impl IntStrip {
    /// The same integer in every lane.
    #[inline(always)]
    pub fn splat(x: i64) -> IntStrip {
        Strip([Ints::splat(x); STRIP])
    }

    /// Integers a step apart.
    #[inline(always)]
    pub fn linear(first: i64, step: i64) -> IntStrip {
        let part = |at: i64| Ints::linear(first.wrapping_add(step.wrapping_mul(at * LANES as i64)), step);
        Strip([part(0), part(1), part(2), part(3)])
    }

    /// A function, in each lane.
    #[inline(always)]
    pub fn map2(self, other: IntStrip, f: impl Fn(i64, i64) -> i64) -> IntStrip {
        self.each2(
            other,
            #[inline(always)]
            |a, b| a.map2(b, &f),
        )
    }

    /// A comparison, in each lane.
    #[inline(always)]
    pub fn compare(self, other: IntStrip, f: impl Fn(i64, i64) -> bool) -> MaskStrip {
        self.each2(
            other,
            #[inline(always)]
            |a, b| a.compare(b, &f),
        )
    }

    /// Where lanes are indices of an array of a length.
    #[inline(always)]
    pub fn within(self, len: IntStrip) -> MaskStrip {
        self.each2(
            len,
            #[inline(always)]
            |a, b| a.within(b),
        )
    }

    /// One integer or the other, in each lane.
    #[inline(always)]
    pub fn select(mask: MaskStrip, yes: IntStrip, no: IntStrip) -> IntStrip {
        choose(mask, yes, no, Ints::select)
    }

    /// The real numbers that the integers are.
    #[inline(always)]
    pub fn real(self) -> LaneStrip {
        self.each(
            #[inline(always)]
            |a| a.real(),
        )
    }
}

impl MaskStrip {
    /// The same truth value in every lane.
    #[inline(always)]
    pub fn splat(x: bool) -> MaskStrip {
        Strip([Mask::splat(x); STRIP])
    }

    /// Whether all lanes hold.
    #[inline(always)]
    pub fn all(self) -> bool {
        let [a, b, c, d] = self.0;
        a.and(b).and(c.and(d)).all()
    }

    /// Whether any lane holds.
    #[inline(always)]
    pub fn any(self) -> bool {
        let [a, b, c, d] = self.0;
        a.or(b).or(c.or(d)).any()
    }

    /// Where both hold.
    #[inline(always)]
    pub fn and(self, other: MaskStrip) -> MaskStrip {
        self.each2(other, Mask::and)
    }

    /// Where either holds.
    #[inline(always)]
    pub fn or(self, other: MaskStrip) -> MaskStrip {
        self.each2(other, Mask::or)
    }

    /// Where both are the same.
    #[inline(always)]
    pub fn same(self, other: MaskStrip) -> MaskStrip {
        self.each2(other, Mask::same)
    }

    /// The lanes in which it does not hold.
    #[inline(always)]
    pub fn negated(self) -> MaskStrip {
        self.each(Mask::negated)
    }

    /// One truth value or the other, in each lane.
    #[inline(always)]
    pub fn select(mask: MaskStrip, yes: MaskStrip, no: MaskStrip) -> MaskStrip {
        choose(mask, yes, no, Mask::select)
    }
}

#[inline(always)]
fn choose<L: Copy>(mask: MaskStrip, yes: Strip<L>, no: Strip<L>, f: impl Fn(Mask, L, L) -> L) -> Strip<L> {
    let ([m, n, o, p], [a, b, c, d], [e, g, h, i]) = (mask.0, yes.0, no.0);
    Strip([f(m, a, e), f(n, b, g), f(o, c, h), f(p, d, i)])
}

/// The element at a position of its own in each lane, where a mask holds.
///
/// # Safety
/// The positions are in bounds where the mask holds.
#[inline(always)]
pub unsafe fn gather_strip<W: Wide>(buffer: &[W::Element], positions: IntStrip, mask: MaskStrip) -> Strip<W> {
    positions.each2(
        mask,
        #[inline(always)]
        |positions, mask| unsafe { gather(buffer, positions, mask) },
    )
}

/// The same where every lane has a buffer of its own.
///
/// # Safety
/// The positions are in bounds where the mask holds.
#[inline(always)]
pub unsafe fn gather_strip_private<W: Wide>(buffer: &[Strip<W>], positions: IntStrip, mask: MaskStrip) -> Strip<W> {
    let part = |part: usize| {
        W::of(
            #[inline(always)]
            |lane| match mask.0[part].lane(lane) {
                false => W::Element::default(),
                true => unsafe { at(buffer, positions.0[part].0[lane]).0[part].lane(lane) },
            },
        )
    };
    Strip([part(0), part(1), part(2), part(3)])
}

/// Adds to the element at a position of its own in each lane, where every lane has a buffer of its own and a mask holds.
///
/// # Safety
/// The positions are in bounds where the mask holds.
#[inline(always)]
pub unsafe fn scatter_add_strip_private(
    buffer: &mut [LaneStrip],
    positions: IntStrip,
    value: LaneStrip,
    mask: MaskStrip,
) {
    for part in 0..STRIP {
        for lane in 0..LANES {
            if mask.0[part].lane(lane) {
                let position = positions.0[part].0[lane] as usize;
                debug_assert!(position < buffer.len());
                unsafe { buffer.get_unchecked_mut(position).0[part].0[lane] += value.0[part].0[lane] }
            }
        }
    }
}

/// A value that is added up into eight lanes.
pub trait Summed: Copy {
    /// `total + self`
    fn onto(self, total: Lanes) -> Lanes;

    /// `total + self · other`
    fn product_onto(self, other: Self, total: Lanes) -> Lanes;
}

impl Summed for Lanes {
    #[inline(always)]
    fn onto(self, total: Lanes) -> Lanes {
        total + self
    }

    #[inline(always)]
    fn product_onto(self, other: Lanes, total: Lanes) -> Lanes {
        self.fma(other, total)
    }
}

impl Summed for LaneStrip {
    #[inline(always)]
    fn onto(self, total: Lanes) -> Lanes {
        let [a, b, c, d] = self.0;
        total + ((a + b) + (c + d))
    }

    #[inline(always)]
    fn product_onto(self, other: LaneStrip, total: Lanes) -> Lanes {
        let ([a, b, c, d], [p, q, r, s]) = (self.0, other.0);
        d.fma(s, c.fma(r, b.fma(q, a.fma(p, total))))
    }
}

/// Adds to an element that all iterations add to.
///
/// # Safety
/// The position is in bounds.
#[inline(always)]
pub unsafe fn add_up(totals: &mut [Lanes], position: i64, value: impl Summed) {
    debug_assert!((position as usize) < totals.len());
    let total = unsafe { totals.get_unchecked_mut(position as usize) };
    *total = value.onto(*total);
}

/// Adds a product to an element that all iterations add to.
///
/// # Safety
/// The position is in bounds.
#[inline(always)]
pub unsafe fn add_up_product<S: Summed>(totals: &mut [Lanes], position: i64, a: S, b: S) {
    debug_assert!((position as usize) < totals.len());
    let total = unsafe { totals.get_unchecked_mut(position as usize) };
    *total = a.product_onto(b, *total);
}
