//! Finds and replaces one member of a JSON object, leaving all other bytes unchanged.
//!
//! An id is any string, number or null, and comes back as it was written: `1e400` and `1.50` do not
//! survive being read as numbers.

use std::ops::Range;

/// Where the value of a member of an object is; none if there is no such member or no object.
pub(crate) fn find_member(object: &[u8], key: &str) -> Option<Range<usize>> {
    let mut at = expect_byte(object, 0, b'{')?;
    loop {
        let name = string_range(object, skip_whitespace(object, at))?;
        let start = skip_whitespace(object, expect_byte(object, name.end, b':')?);
        let value = start..value_end(object, start)?;
        if is_key(&object[name], key) {
            return Some(value);
        }
        at = expect_byte(object, value.end, b',')?;
    }
}

/// The text with one of its parts replaced.
pub(crate) fn splice(text: &[u8], part: Range<usize>, value: &str) -> Vec<u8> {
    [&text[..part.start], value.as_bytes(), &text[part.end..]].concat()
}

/// A part of a message as text.
pub(crate) fn lossy_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whether a text is what JSON-RPC allows as an id: a string, a number or null.
pub(crate) fn is_id(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'"') => serde_json::from_str::<String>(text).is_ok(),
        Some(b'n') => text == "null",
        _ => is_number(text),
    }
}

/// Whether a text is a JSON number, of any size.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (number, None),
    };
    let unsigned = |text: &str| digits(text.strip_prefix(['+', '-']).unwrap_or(text));
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(unsigned)
}

fn is_key(written: &[u8], key: &str) -> bool {
    let plain = &written[1..written.len() - 1];
    plain == key.as_bytes()
        || (plain.contains(&b'\\')
            && serde_json::from_slice::<String>(written).is_ok_and(|name| name == key))
}

/// The next position that is not white space.
fn skip_whitespace(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// The position after the next byte, if it is this one.
fn expect_byte(text: &[u8], at: usize, byte: u8) -> Option<usize> {
    let at = skip_whitespace(text, at);
    (text.get(at) == Some(&byte)).then_some(at + 1)
}

/// The string that starts here, with its quotes.
fn string_range(text: &[u8], start: usize) -> Option<Range<usize>> {
    let mut at = expect_byte(text, start, b'"')?;
    loop {
        match text.get(at)? {
            b'"' => return Some(start..at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn value_end(text: &[u8], start: usize) -> Option<usize> {
    match text.get(start)? {
        b'"' => Some(string_range(text, start)?.end),
        b'{' | b'[' => nested_end(text, start),
        _ => {
            let ends = |byte: &u8| byte.is_ascii_whitespace() || b",}]".contains(byte);
            text[start..].iter().position(ends).map(|length| start + length)
        }
    }
}

fn nested_end(text: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0_usize);
    loop {
        match text.get(at)? {
            b'"' => at = string_range(text, at)?.end - 1,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<'a>(object: &'a str, key: &str) -> Option<&'a str> {
        find_member(object.as_bytes(), key).map(|range| &object[range])
    }

    #[test]
    fn a_member_is_found_at_the_top_only() {
        let line =
            r#" {"params": {"id": 1, "x": ["}", {"id": 2}]}, "\u0069d" : 1.50e9 , "a": null}"#;
        assert_eq!(of(line, "id"), Some("1.50e9"));
        assert_eq!(of(line, "a"), Some("null"));
        assert_eq!(
            of(line, "params").and_then(|inner| of(inner, "x")),
            Some(r#"["}", {"id": 2}]"#)
        );
        assert_eq!(of(line, "x"), None);
        for broken in ["", "[]", "{", r#"{"id"#, r#"{"id":"#, r#"{"id": "a"#, r#"{"id": [1"#] {
            assert_eq!(of(broken, "id"), None, "{broken}");
        }
        let spliced = splice(line.as_bytes(), find_member(line.as_bytes(), "id").unwrap(), "7");
        assert_eq!(of(std::str::from_utf8(&spliced).unwrap(), "id"), Some("7"));
    }

    #[test]
    fn strings_numbers_and_null_are_ids() {
        for id in
            ["null", "0", "-1", "1.5", "1e400", "-0.5E-3", "98765432109876543210", r#""a\"b""#]
        {
            assert!(is_id(id), "{id}");
        }
        for other in ["", "true", "nul", "01", "1.", ".5", "1e", "+1", "{}", "[1]", r#""\x""#] {
            assert!(!is_id(other), "{other}");
        }
    }
}
