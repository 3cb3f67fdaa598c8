//! Percent-encoding of paths, for URIs and for the text form of [`RepoPath`](crate::RepoPath).

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

/// Every byte but letters, digits, `/` and the unreserved marks of RFC 3986.
const NOT_PLAIN_IN_URI: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A path as part of a URI; `/` stays.
pub fn encode_uri_path(path: &[u8]) -> String {
    percent_encode(path, NOT_PLAIN_IN_URI).to_string()
}

/// One byte as `%` and two uppercase hex digits.
pub fn encode_byte(byte: u8) -> &'static str {
    percent_encoding::percent_encode_byte(byte)
}

/// The bytes of an encoded text. A `%` that is not followed by two hex digits is kept as it is, as
/// in browsers and editors.
pub fn decode_lossy(text: &str) -> Cow<'_, [u8]> {
    percent_decode_str(text).into()
}

/// The bytes of an encoded text; `None` if a `%` is not followed by two hex digits.
pub fn decode(text: &str) -> Option<Cow<'_, [u8]>> {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let is_escape = |after: &str| {
        let bytes = after.as_bytes();
        is_digit(bytes.first()) && is_digit(bytes.get(1))
    };
    text.split('%').skip(1).all(is_escape).then(|| decode_lossy(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_a_uri_reads_back() {
        let path = "/p/ä b/#1%~a_b-c.ts".as_bytes();
        let encoded = encode_uri_path(path);
        assert_eq!(encoded, "/p/%C3%A4%20b/%231%25~a_b-c.ts");
        assert_eq!(decode(&encoded).as_deref(), Some(path));
        assert_eq!(decode_lossy("%c3%a4"), "ä".as_bytes());
    }

    #[test]
    fn a_broken_escape_is_refused_or_stands_for_itself() {
        for text in ["a%", "a%2", "a%zz", "%+f", "%%41"] {
            assert_eq!(decode(text), None, "{text}");
        }
        assert_eq!(decode_lossy("a%zz%41"), &b"a%zzA"[..]);
    }
}
