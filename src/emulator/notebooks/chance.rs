//! Ids and tokens: each another one, and the same in every run that begins with the same salt.

use serde::{Deserialize, Serialize};

/// The letters of Google's opaque texts.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Where ids come from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Chance {
    salt: [u8; 16],
    count: u64,
}

impl Chance {
    /// Begins with a salt, which the door draws: nothing here is left to chance.
    pub(super) const fn new(salt: [u8; 16]) -> Self {
        Self { salt, count: 0 }
    }

    /// Returns an id like the product's.
    pub(super) fn uuid(&mut self) -> String {
        let mut bytes = [0; 16];
        self.next("uuid", &mut bytes);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
        // The digits that say that it is a UUID drawn by chance.
        format!("{}-{}-4{}-a{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
    }

    /// Returns some letters.
    pub(super) fn letters(&mut self, count: usize) -> String {
        let mut bytes = vec![0; count];
        self.next("letters", &mut bytes);
        letters_of(&bytes)
    }

    /// Returns a number of 63 bits with either sign by turns.
    pub(super) fn number(&mut self) -> i64 {
        let mut bytes = [0; 8];
        self.next("number", &mut bytes);
        let number = i64::from_le_bytes(bytes) & i64::MAX;
        if self.count.is_multiple_of(2) { number } else { -number }
    }

    /// Returns a number below a bound.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let number = self.number().unsigned_abs();
        usize::try_from(number).unwrap_or_default() % bound.max(1)
    }

    /// Returns letters that prove that a text was said here.
    pub(super) fn seal(&self, word: &str, text: &str) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&blake3::derive_key(word, &self.salt));
        hasher.update(text.as_bytes());
        let mut bytes = [0; 24];
        hasher.finalize_xof().fill(&mut bytes);
        letters_of(&bytes)
    }

    fn next(&mut self, word: &str, bytes: &mut [u8]) {
        self.count += 1;
        let mut hasher = blake3::Hasher::new_keyed(&blake3::derive_key(word, &self.salt));
        hasher.update(&self.count.to_le_bytes());
        hasher.finalize_xof().fill(bytes);
    }
}

fn letters_of(bytes: &[u8]) -> String {
    bytes.iter().filter_map(|byte| ALPHABET.get(usize::from(byte % 64))).map(|&letter| char::from(letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids() {
        let (mut one, mut other) = (Chance::new([1; 16]), Chance::new([1; 16]));
        assert_eq!(one.uuid(), other.uuid());
        let ids: std::collections::BTreeSet<String> = (0..1000).map(|_| one.uuid()).collect();
        assert_eq!(ids.len(), 1000);
        assert!(ids.iter().all(|id| id.len() == 36 && id.as_bytes()[14] == b'4'));
        assert_eq!(one.letters(20).len(), 20);
        let signs: Vec<bool> = (0..4).map(|_| one.number() < 0).collect();
        assert_eq!(signs.iter().filter(|negative| **negative).count(), 2);
        assert_eq!(one.seal("at", "x"), other.seal("at", "x"));
        assert_ne!(one.seal("at", "x"), one.seal("at", "y"));
    }
}
