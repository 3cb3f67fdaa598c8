//! Encodes numbers and texts as bytes. Repeated texts are interned and written as a number.

use std::collections::HashMap;

/// Encodes values.
#[derive(Debug, Default)]
pub(crate) struct ByteEncoder {
    pub(crate) bytes: Vec<u8>,
    interned_numbers: HashMap<Vec<u8>, u64>,
}

impl ByteEncoder {
    /// A number in groups of seven bits, the lowest group first.
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(u8::try_from(number & 0x7f).expect("seven bits") | 0x80);
            number >>= 7;
        }
        self.bytes.push(u8::try_from(number).expect("seven bits"));
    }

    pub(crate) fn length(&mut self, length: usize) {
        self.number(u64::try_from(length).expect("lengths fit 64 bits"));
    }

    /// A time in seconds since 1970, which may be negative.
    pub(crate) fn time(&mut self, time: i64) {
        self.number(time.rotate_left(1).cast_unsigned() ^ if time < 0 { u64::MAX - 1 } else { 0 });
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    /// An interned text: its number, or 0 and the text when it occurs first.
    pub(crate) fn interned_text(&mut self, word: &[u8]) {
        if let Some(number) = self.interned_numbers.get(word) {
            return self.number(*number);
        }
        self.number(0);
        self.bytes(word);
        let next = u64::try_from(self.interned_numbers.len()).expect("counts fit 64 bits") + 1;
        self.interned_numbers.insert(word.to_vec(), next);
    }
}

/// Decodes what a [`ByteEncoder`] wrote; `None` for other bytes.
#[derive(Debug, Clone)]
pub(crate) struct ByteDecoder<'a> {
    rest: &'a [u8],
    interned_texts: Vec<&'a [u8]>,
}

impl<'a> ByteDecoder<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, interned_texts: Vec::new() }
    }

    pub(crate) const fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// How many bytes were not read yet.
    pub(crate) const fn remaining(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn length(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    pub(crate) fn time(&mut self) -> Option<i64> {
        let number = self.number()?;
        let flipped = number ^ if number & 1 == 1 { u64::MAX - 1 } else { 0 };
        Some(flipped.cast_signed().rotate_right(1))
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }

    pub(crate) fn interned_text(&mut self) -> Option<&'a [u8]> {
        match self.length()? {
            0 => {
                let word = self.bytes()?;
                self.interned_texts.push(word);
                Some(word)
            }
            number => self.interned_texts.get(number - 1).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            numbers in prop::collection::vec(any::<u64>(), 0..8),
            times in prop::collection::vec(any::<i64>(), 0..8),
            words in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3), 0..40),
        ) {
            let mut encoder = ByteEncoder::default();
            for number in &numbers {
                encoder.number(*number);
            }
            for time in &times {
                encoder.time(*time);
            }
            for word in &words {
                encoder.interned_text(word);
            }
            let mut decoder = ByteDecoder::new(&encoder.bytes);
            for number in numbers {
                prop_assert_eq!(decoder.number(), Some(number));
            }
            for time in times {
                prop_assert_eq!(decoder.time(), Some(time));
            }
            for word in words {
                prop_assert_eq!(decoder.interned_text(), Some(word.as_slice()));
            }
            prop_assert!(decoder.is_at_end());
        }
    }

    #[test]
    fn small_times_are_short_and_broken_numbers_are_none() {
        let mut encoder = ByteEncoder::default();
        for time in [0, -1, 63, -64] {
            encoder.time(time);
        }
        assert_eq!(encoder.bytes.len(), 4);
        for broken in [&[0x80][..], &[0xff; 11], &[5, 1, 2]] {
            assert_eq!(ByteDecoder::new(broken).bytes(), None);
        }
    }
}
