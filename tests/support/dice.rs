//! Choices that can be repeated: from a seed, or from the bytes of a fuzzer.

/// A source of choices.
pub(crate) struct Dice<'a> {
    state: u64,
    bytes: std::slice::Iter<'a, u8>,
}

impl Dice<'_> {
    /// Choices that follow from a seed alone.
    pub(crate) fn seeded(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d, bytes: [].iter() }
    }
}

impl<'a> Dice<'a> {
    /// Choices that follow from bytes, and once they are used up from what they were.
    #[allow(dead_code, reason = "fuzzers alone have bytes")]
    pub(crate) fn of_bytes(bytes: &'a [u8]) -> Self {
        Self { state: 0, bytes: bytes.iter() }
    }

    /// Returns a number below `sides`, 0 when there are none.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        if sides == 0 {
            return 0;
        }
        if let Some(byte) = self.bytes.next() {
            let low = self.bytes.next().copied().unwrap_or(0);
            let value = u64::from(*byte) << 8 | u64::from(low);
            self.state = self.state.wrapping_mul(31).wrapping_add(value);
            return value as usize % sides;
        }
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % sides
    }

    /// True once in `sides` rolls.
    pub(crate) fn once_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    /// Picks one of several.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.roll(choices.len())]
    }
}
