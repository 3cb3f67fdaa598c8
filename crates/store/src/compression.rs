//! Compression of values that are read whole.
//!
//! The first byte of a stored value says how the rest is stored: a value that compression would
//! enlarge is kept as it is.

use std::io::{Read, Write};

use base::{Problem, Result};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// The first byte of a value that is stored as it is.
const PLAIN: u8 = 0;

/// The first byte of a value that is stored as a raw DEFLATE stream.
const DEFLATED: u8 = 1;

/// Values below this do not get smaller, in bytes.
const MIN_COMPRESSED_BYTES: usize = 48;

/// The effort of the compressor, from 1 to 9: beyond this, values become hardly smaller.
const LEVEL: u32 = 5;

/// The stored form of a value. The same value always has the same form.
pub fn compress(value: &[u8]) -> Vec<u8> {
    if value.len() >= MIN_COMPRESSED_BYTES
        && let Some(deflated) = deflate(value).filter(|deflated| deflated.len() <= value.len())
    {
        return deflated;
    }
    let mut stored = Vec::with_capacity(value.len() + 1);
    stored.push(PLAIN);
    stored.extend_from_slice(value);
    stored
}

/// The value of a stored form that this program wrote.
pub fn decompress(stored: &[u8]) -> Result<Vec<u8>> {
    decompress_at_most(stored, u64::MAX)
}

/// The value of a stored form that may come from somebody else; an error if it is larger than
/// `most` bytes.
pub fn decompress_at_most(stored: &[u8], most: u64) -> Result<Vec<u8>> {
    match stored.split_first() {
        None => Ok(Vec::new()),
        Some((&PLAIN, value)) => Ok(value.to_vec()),
        Some((&DEFLATED, deflated)) => {
            let mut value = Vec::with_capacity(deflated.len() * 4);
            let mut decoder = DeflateDecoder::new(deflated).take(most);
            decoder.read_to_end(&mut value).map_err(|error| damaged(&error.to_string()))?;
            match decoder.limit() {
                0 if !value.is_empty() => Err(damaged("it is too large")),
                _ => Ok(value),
            }
        }
        Some((other, _)) => Err(damaged(&format!("unknown form {other}"))),
    }
}

fn deflate(value: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(vec![DEFLATED], Compression::new(LEVEL));
    encoder.write_all(value).ok()?;
    encoder.finish().ok()
}

fn damaged(why: &str) -> Problem {
    Problem::internal(format!("cannot decompress a stored value: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_and_none_grows_by_more_than_a_byte() {
        let repeated = "fn name(&self) -> Result<()>;".repeat(100);
        let noise: Vec<u8> =
            (0..500_u32).flat_map(|at| at.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        for value in [&[][..], b"a", &[0; 47], &[0; 48], repeated.as_bytes(), &noise] {
            let stored = compress(value);
            assert!(stored.len() <= value.len() + 1);
            assert_eq!(decompress(&stored).unwrap(), value);
            assert_eq!(compress(value), stored);
        }
        assert!(compress(repeated.as_bytes()).len() < 100);
    }

    #[test]
    fn a_damaged_value_is_an_error() {
        let mut stored = compress(&[7; 500]);
        stored.truncate(4);
        assert!(decompress(&stored).is_err());
        assert!(decompress(&[9, 9]).is_err());
        assert!(decompress_at_most(&compress(&[7; 500]), 400).is_err());
        assert_eq!(decompress_at_most(&compress(&[7; 500]), 501).unwrap(), [7; 500]);
        assert_eq!(decompress(&[]).unwrap(), b"");
    }
}
