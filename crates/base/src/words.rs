//! Plurals, counts and articles in messages.

use std::fmt::Display;

/// A count with its noun: `1 file`, `3 files`, `2 entries`.
pub fn counted(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {}", agreeing(count, noun))
}

/// The form of a noun after a count: `file` after 1, `files` after any other.
pub fn agreeing(count: impl TryInto<u64>, noun: &str) -> String {
    match count.try_into() {
        Ok(1) => noun.to_owned(),
        _ => plural(noun).to_string(),
    }
}

/// The plural of a noun.
pub fn plural(noun: &str) -> impl Display {
    let ends = |ending: &str| noun.ends_with(ending);
    let is_vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u');
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(is_vowel) => format!("{stem}ies"),
        _ if ["s", "x", "ch", "sh"].into_iter().any(ends) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// A noun with its article: `a card`, `an atom`.
pub fn with_article(noun: &str) -> String {
    let is_vowel = |c: char| matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u');
    let article = if noun.starts_with(is_vowel) { "an" } else { "a" };
    format!("{article} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_noun_agrees_with_its_count() {
        let cases =
            [(0_u64, "file"), (1, "file"), (2, "file"), (2, "entry"), (2, "key"), (3, "match")];
        let told: Vec<String> = cases.map(|(count, noun)| counted(count, noun)).into();
        assert_eq!((with_article("adr"), with_article("card")), ("an adr".into(), "a card".into()));
        assert_eq!(told, ["0 files", "1 file", "2 files", "2 entries", "2 keys", "3 matches"]);
    }
}
