//! One-line signatures of declarations, and fingerprints that do not change with layout.

use crate::descriptor::CommentSyntax;
use crate::model::{Fingerprint, SymbolKind};

/// The longest signature that is kept, in bytes.
const MAX_SIGNATURE_LEN: usize = 400;

/// A declaration on one line: without comments, white space collapsed, no brace at its end.
pub(crate) fn one_line(text: &str, comments: CommentSyntax) -> String {
    let mut folded = String::with_capacity(text.len().min(MAX_SIGNATURE_LEN));
    let mut rest = text;
    let (mut open, mut is_new_line) = (Vec::new(), false);
    while let Some(next) = rest.chars().next() {
        if folded.len() > MAX_SIGNATURE_LEN {
            folded.push('…');
            break;
        }
        let skipped = comments.comment_len(rest);
        if skipped > 0 || next.is_whitespace() {
            is_new_line |= next == '\n';
            rest = &rest[skipped.max(next.len_utf8())..];
            if !folded.is_empty() && !folded.ends_with([' ', '(', '[']) {
                folded.push(' ');
            }
            continue;
        }
        if std::mem::take(&mut is_new_line) && open.last() == Some(&'{') {
            insert_member_separator(&mut folded, next);
        }
        match next {
            '{' | '(' | '[' => open.push(next),
            '}' | ')' | ']' => drop(open.pop()),
            _ => {}
        }
        let taken =
            if matches!(next, '"' | '`') { quoted_len(rest, next) } else { next.len_utf8() };
        if matches!(next, ')' | ']') && folded.ends_with(' ') {
            folded.pop();
            if folded.ends_with(',') {
                folded.pop();
            }
        }
        if matches!(next, ',' | ';') && folded.ends_with(' ') {
            folded.pop();
        }
        folded.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    let trimmed = folded.trim_end_matches([' ', '{', ';', ',']);
    trimmed.trim_end_matches(" =").trim_end().to_owned()
}

/// Inserts `; ` between two members that were separated only by a line break.
fn insert_member_separator(folded: &mut String, next: char) {
    let before = folded.trim_end();
    let goes_on = before.ends_with("=>")
        || before.ends_with(['{', ';', ',', '(', '[', '|', '&', '<', '=', ':', '?', '+', '-', '.'])
        || matches!(
            next,
            '}' | ')' | ']' | '|' | '&' | '<' | '>' | '=' | ':' | '?' | '.' | ',' | ';'
        );
    if !goes_on {
        folded.truncate(before.len());
        folded.push_str("; ");
    }
}

/// The length of the string literal that a text starts with, at most to the end of the line.
fn quoted_len(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => break,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    quote.len_utf8()
}

/// The fingerprint that identifies a symbol after it has moved.
pub(crate) fn fingerprint(
    name: &str,
    kind: SymbolKind,
    signature: &str,
    body: Option<&str>,
) -> Fingerprint {
    let mut shape = blake3::Hasher::new();
    shape.update(name.as_bytes()).update(&[0, kind as u8]).update(signature.as_bytes());
    Fingerprint { shape: truncated_hash(&shape), body: body.map_or(0, hash_ignoring_whitespace) }
}

/// Four hex digits of a signature, to distinguish two symbols with the same name. What a formatter adds or
/// removes (white space, separators, parentheses, the kind of quotes) does not count, so that a
/// symbol keeps its name when its file is formatted. After 256 rounds with collisions, all digits
/// of the hash are used.
pub(crate) fn hash_suffix(signature: &str, round: u32) -> String {
    let mut hasher = blake3::Hasher::new();
    let is_layout = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '|' | '(' | ')');
    let kept = signature.chars().filter(|c| !is_layout(*c));
    let kept: String = kept.map(|c| if matches!(c, '\'' | '`') { '"' } else { c }).collect();
    hasher.update(kept.as_bytes());
    if round > 0 {
        hasher.update(&round.to_le_bytes());
    }
    let hash = truncated_hash(&hasher);
    if round < 256 { format!("{:04x}", hash & 0xffff) } else { format!("{hash:016x}") }
}

/// A hash of a text without its white space.
fn hash_ignoring_whitespace(text: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = [0; 1024];
    let mut filled = 0;
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        buffer[filled] = byte;
        filled += 1;
        if filled == buffer.len() {
            hasher.update(&buffer);
            filled = 0;
        }
    }
    hasher.update(&buffer[..filled]);
    truncated_hash(&hasher)
}

fn truncated_hash(hasher: &blake3::Hasher) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_fits_on_a_line() {
        let folded = |text| one_line(text, CommentSyntax::C_STYLE);
        assert_eq!(
            folded("fn a(\n    b: u8, // why\n    c: u8,\n) -> D {"),
            "fn a(b: u8, c: u8) -> D"
        );
        assert_eq!(folded("f(url = \"http://x\" /* y */)"), "f(url = \"http://x\")");
        assert_eq!(
            folded(
                "type A = {\n  a: Array<string>\n  // why\n  f(\n    x: 1\n  ): () =>\n    void\n  b?:\n    | 1\n    | 2;\n}"
            ),
            "type A = { a: Array<string>; f(x: 1): () => void; b?: | 1 | 2; }"
        );
        assert_eq!(one_line("def f(a, # x\n  b)", CommentSyntax::HASH), "def f(a, b)");
    }

    #[test]
    fn a_formatter_does_not_change_the_name_of_a_second_declaration() {
        let of = |text| hash_suffix(&one_line(text, CommentSyntax::C_STYLE), 0);
        assert_eq!(
            of("action: string | ((data: FormData) => void | Promise<void>)"),
            of(
                "action:\n  | string\n  | ((\n      data: FormData,\n    ) => void | Promise<void>);"
            )
        );
        assert_eq!(of("method: 'get' | 'post'"), of("method: \"get\" | \"post\";"));
        assert_ne!(of("method: 'get'"), of("method: 'post'"));
    }

    #[test]
    fn layout_does_not_change_a_fingerprint() {
        let of = |body| fingerprint("f", SymbolKind::Function, "fn f()", Some(body));
        assert_eq!(of("{ a(); }"), of("{\n    a();\n}"));
        assert_ne!(of("{ a(); }"), of("{ b(); }"));
    }
}
