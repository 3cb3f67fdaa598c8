//! Detects nesting that would overflow the stack of a recursive parser, before parsing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// Nesting that fits on the stack of any thread.
const MAX_DEPTH_ON_CALLER_STACK: u32 = 100;

/// Nesting beyond which a file is refused.
const MAX_DEPTH: u32 = 4_000;

/// Stack for one level. A parser without optimisation takes far more.
const STACK_BYTES_PER_LEVEL: usize = if cfg!(debug_assertions) { 64 * 1024 } else { 16 * 1024 };

/// Runs a recursive parser on a thread whose stack is large enough for a text.
///
/// Fails if the text is nested too deeply for any stack, or if the parser panics.
pub(crate) fn with_stack_for_text<T: Send>(
    text: &str,
    read: impl FnOnce() -> T + Send,
) -> Result<T, String> {
    with_stack_for_depth(depth_upper_bound(text), read)
}

/// Runs a parser on a thread whose stack is large enough for a text that is nested this deeply.
pub(crate) fn with_stack_for_depth<T: Send>(
    depth: u32,
    read: impl FnOnce() -> T + Send,
) -> Result<T, String> {
    if depth > MAX_DEPTH {
        return Err(format!(
            "not read: nested about {depth} levels deep, over the limit of {MAX_DEPTH}"
        ));
    }
    let failed = || "not read: its parser failed".to_owned();
    if depth <= MAX_DEPTH_ON_CALLER_STACK {
        return catch_unwind(AssertUnwindSafe(read)).map_err(|_| failed());
    }
    let size = (depth as usize * STACK_BYTES_PER_LEVEL).max(8 * 1024 * 1024);
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(size).spawn_scoped(scope, read);
        let worker = worker.map_err(|_| "not read: no stack for its nesting".to_owned())?;
        worker.join().map_err(|_| failed())
    })
}

/// An upper bound of how deeply a parser can nest in this text.
///
/// Each open bracket is a level, and so is each word or sign since the last separator at that
/// level: `a ? b : c ? d : e`, `!!!!a`, `x => y => z` nest without brackets.
pub(crate) fn depth_upper_bound(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let mut levels = vec![BracketLevel::default()];
    let (mut sum, mut most) = (0_u32, 0_u32);
    // Where the last word or sign ended, until a line break after it was looked at.
    let mut solid = Some(0);
    // Whether the next bracket belongs to a statement such as `if`, and whether the last closing
    // bracket did: the body of such a statement follows.
    let (mut is_head_next, mut closed_head) = (false, false);
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let next = token_end(bytes, at);
        match byte {
            b'(' | b'[' | b'{' => {
                sum += 1;
                levels.push(BracketLevel { base: 1, run: 0, is_head: is_head_next });
            }
            b')' | b']' | b'}' => {
                if levels.len() > 1 {
                    let level = levels.pop().unwrap_or_default();
                    sum -= level.base + level.run;
                    closed_head = level.is_head;
                }
                if byte == b'}' && next_token_starts_statement(bytes, next) {
                    sum -= levels.last_mut().map_or(0, BracketLevel::reset);
                }
            }
            b';' | b',' => sum -= levels.last_mut().map_or(0, BracketLevel::reset),
            b'\n' => {
                let ends = |solid: usize| line_break_ends_statement(bytes, solid, at, closed_head);
                if solid.take().is_some_and(ends) {
                    sum -= levels.last_mut().map_or(0, BracketLevel::reset);
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            b'/' if next > at + 1 => {}
            _ => {
                let level = levels.last_mut();
                let word = &bytes[at..next];
                if let Some(level) = level {
                    if word == b"else" {
                        level.base += 1;
                    } else {
                        level.run += 1;
                    }
                    sum += 1;
                }
            }
        }
        most = most.max(sum);
        let is_comment = byte == b'/' && next > at + 1;
        if !byte.is_ascii_whitespace() && !is_comment {
            solid = Some(next);
            is_head_next = HEAD_WORDS.contains(&&bytes[at..next]);
        }
        at = next;
    }
    most
}

/// How deeply brackets are nested, without those in strings and comments.
pub(crate) fn bracket_depth(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let (mut level, mut most, mut at) = (0_u32, 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'(' | b'[' | b'{' => level += 1,
            b')' | b']' | b'}' => level = level.saturating_sub(1),
            _ => {}
        }
        most = most.max(level);
        at = token_end(bytes, at);
    }
    most
}

/// What nests at one bracket level.
#[derive(Default)]
struct BracketLevel {
    base: u32,
    run: u32,
    is_head: bool,
}

impl BracketLevel {
    fn reset(&mut self) -> u32 {
        std::mem::take(&mut self.run)
    }
}

/// Where the token that starts here ends: a word, a string on one line, a comment, or one byte.
fn token_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let while_ = |test: fn(u8) -> bool| rest.iter().take_while(|byte| test(**byte)).count();
    match rest[0] {
        b'/' if rest.starts_with(b"//") => at + while_(|byte| byte != b'\n'),
        b'/' if rest.starts_with(b"/*") => {
            let close = rest.windows(2).skip(2).position(|pair| pair == b"*/");
            close.map_or(bytes.len(), |close| at + close + 4)
        }
        quote @ (b'"' | b'\'') => string_len(rest, quote).map_or(at + 1, |length| at + length),
        byte if is_word_byte(byte) => at + while_(is_word_byte),
        b'=' if rest.starts_with(b"=>") => at + 2,
        _ => at + 1,
    }
}

/// How long the string is that ends on its own line.
fn string_len(rest: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    while at < rest.len() && rest[at] != b'\n' {
        if rest[at] == b'\\' {
            at += 1;
        } else if rest[at] == quote {
            return Some(at + 1);
        }
        at += 1;
    }
    None
}

const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

/// Keywords whose brackets are followed by a statement. `await` stands for `for await`.
const HEAD_WORDS: [&[u8]; 5] = [b"if", b"for", b"while", b"with", b"await"];

/// Keywords that continue the preceding expression or statement.
const CONTINUATION_WORDS: [&[u8]; 6] = [b"else", b"instanceof", b"in", b"as", b"satisfies", b"of"];

/// Keywords that must be followed by an operand.
const WORDS_EXPECTING_OPERAND: [&[u8]; 18] = [
    b"else",
    b"typeof",
    b"void",
    b"delete",
    b"await",
    b"yield",
    b"new",
    b"return",
    b"throw",
    b"in",
    b"instanceof",
    b"of",
    b"as",
    b"do",
    b"keyof",
    b"unique",
    b"readonly",
    b"extends",
];

/// Whether a new statement follows a closing brace.
fn next_token_starts_statement(bytes: &[u8], after: usize) -> bool {
    let rest = bytes[after..].trim_ascii_start();
    let word = &rest[..rest.iter().take_while(|byte| is_word_byte(**byte)).count()];
    match rest.first() {
        None | Some(b'}' | b'@' | b'/') => true,
        Some(_) => !word.is_empty() && !CONTINUATION_WORDS.contains(&word),
    }
}

/// Whether a line break here ends a statement.
fn line_break_ends_statement(bytes: &[u8], solid: usize, at: usize, closed_head: bool) -> bool {
    let before = &bytes[..solid];
    let from = before.iter().rev().take_while(|byte| is_word_byte(**byte)).count();
    let word = &before[before.len() - from..];
    let complete = match before.last() {
        None | Some(b'"' | b'\'' | b'`' | b']') => true,
        Some(b')') => !closed_head,
        Some(_) => !word.is_empty() && !WORDS_EXPECTING_OPERAND.contains(&word),
    };
    complete && next_token_starts_statement(bytes, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_never_underestimated() {
        for unit in
            ["(", "[", "{", "!", "a=>", "x?y:", "new ", "if(a)", "a+", "a.b", "{a:", "-\n", "f("]
        {
            assert!(depth_upper_bound(&unit.repeat(500)) >= 500, "{unit}");
        }
        assert!(depth_upper_bound(&"if (a) {} else ".repeat(500)) >= 500);
        for unit in ["if (a)\n", "for (;;)\n", "while (f(a))\n", "for await (a of b)\n", "f()\n."] {
            assert!(depth_upper_bound(&unit.repeat(500)) >= 500, "{unit:?}");
        }
    }

    #[test]
    fn ordinary_code_is_shallow() {
        assert!(depth_upper_bound(&"const a = f(1, { b: 2 });\n".repeat(1000)) < 20);
        assert!(depth_upper_bound(&"const a = f(1)\nlet b = 'x'\n".repeat(1000)) < 20);
        assert!(depth_upper_bound(&"function f(a) { return a + 1; }\n".repeat(1000)) < 20);
        assert!(depth_upper_bound(&"console.log(f(1))\nt.equal(a, 'b')\n".repeat(1000)) < 20);
        assert!(depth_upper_bound(&"if (a) f()\nawait g(1)\n".repeat(1000)) < 20);
    }
}
