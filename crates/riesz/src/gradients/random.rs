//! Pseudo-random numbers, the same for the same seed.   [Steele, Lea, Flood 2014: SplitMix64]

/// A source of numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A source for each seed and name: what is drawn for one function does not depend on the others.
    pub fn new(seed: u64, name: &str) -> Random {
        let mixed = name.bytes().fold(seed ^ 0xCBF2_9CE4_8422_2325, |mixed, byte| {
            (mixed ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        Random(mixed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to and without `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A real number between two.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        let part = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        low + part * (high - low)
    }

    /// One of some things, of which there is at least one.
    pub fn one_of<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.below(things.len())]
    }

    /// A vector of numbers between -1 and 1.
    pub fn vector(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.between(-1.0, 1.0)).collect()
    }
}
