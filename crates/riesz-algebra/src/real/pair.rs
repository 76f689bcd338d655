//! Sums of two numbers, of which the second is the rounding error of the first: about a hundred bits, for computing
//! tables at compile time; and the decomposition of numbers.

/// `high + low`, where `high` is the sum rounded.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) high: f64,
    pub(super) low: f64,
}

impl Pair {
    pub(super) const ONE: Pair = Pair { high: 1.0, low: 0.0 };

    pub(super) const fn add(self, other: Pair) -> Pair {
        let sum = sum(self.high, other.high);
        ordered_sum(sum.high, sum.low + (self.low + other.low))
    }

    pub(super) const fn mul(self, other: Pair) -> Pair {
        let product = product(self.high, other.high);
        ordered_sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }

    pub(super) const fn div(self, by: f64) -> Pair {
        let quotient = self.high / by;
        let back = product(quotient, by);
        ordered_sum(quotient, (((self.high - back.high) - back.low) + self.low) / by)
    }

    pub(super) const fn neg(self) -> Pair {
        Pair { high: -self.high, low: -self.low }
    }
}

/// Adding this rounds a number to a whole one, which stands in the last bits of the sum.
pub(super) const ROUNDING: f64 = 6755399441055744.0;

/// The first `bits` bits of a number.
pub(super) const fn leading(x: f64, bits: u32) -> f64 {
    f64::from_bits(x.to_bits() >> (53 - bits) << (53 - bits))
}

/// `a + b`, exactly.
const fn sum(a: f64, b: f64) -> Pair {
    let high = a + b;
    let of_b = high - a;
    Pair { high, low: (a - (high - of_b)) + (b - of_b) }
}

/// `a + b`, exactly, where `a` is the larger one.
const fn ordered_sum(a: f64, b: f64) -> Pair {
    let high = a + b;
    Pair { high, low: b - (high - a) }
}

/// `a · b`, exactly: the halves of the factors have exact products.
const fn product(a: f64, b: f64) -> Pair {
    let (high, a1, b1) = (a * b, leading(a, 26), leading(b, 26));
    let (a2, b2) = (a - a1, b - b1);
    Pair { high, low: ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2 }
}
