//! The shuffle of every deal, as docs/reference/record-format.md describes it.

use sha2::{Digest, Sha256};

/// A stream of numbers that a seed and a purpose determine.
struct Chance {
    key: Sha256,
    counter: u64,
    words: Vec<u32>, // what is left of the last block, the next word at the end
}

impl Chance {
    fn new(seed: &[u8; 32], purpose: &str) -> Self {
        Self {
            key: Sha256::new()
                .chain_update(seed)
                .chain_update(purpose)
                .chain_update([0]),
            counter: 0,
            words: Vec::new(),
        }
    }

    /// Return the next word of the stream.
    fn word(&mut self) -> u32 {
        loop {
            if let Some(word) = self.words.pop() {
                return word;
            }
            let block = self
                .key
                .clone()
                .chain_update(self.counter.to_be_bytes())
                .finalize();
            let (words, _) = block.as_chunks();
            self.words = words
                .iter()
                .rev()
                .map(|&word| u32::from_be_bytes(word))
                .collect();
            self.counter += 1;
        }
    }

    /// Return the next number of the stream, uniform over 0 … bound - 1.
    fn below(&mut self, bound: u64) -> u64 {
        const WORDS: u64 = 1 << 32;
        loop {
            let word = u64::from(self.word());
            if word < WORDS - WORDS % bound {
                return word % bound;
            }
        }
    }
}

/// Put the items into the order that the seed gives for this purpose.
pub fn shuffle<T>(items: &mut [T], seed: &[u8; 32], purpose: &str) {
    let mut chance = Chance::new(seed, purpose);
    for i in (1..items.len()).rev() {
        let j = chance.below(i as u64 + 1) as usize;
        items.swap(i, j);
    }
}

/// Read a seed of 64 hexadecimal digits.
pub fn seed_from_hex(text: &str) -> Option<[u8; 32]> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|c| c.to_digit(16).map(|d| d as u8))
        .collect();
    let digits: [u8; 64] = digits?.try_into().ok()?;
    let (pairs, _) = digits.as_chunks();
    let bytes = pairs
        .iter()
        .map(|[high, low]| high << 4 | low)
        .collect::<Vec<_>>();
    bytes.try_into().ok()
}
