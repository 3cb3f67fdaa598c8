//! Finds the code cells of a notebook and lays their code out as one text of the same length.
//!
//! JSON writes some characters as longer escapes. The decoded character comes first and is followed
//! by blanks, so that everything between two escapes keeps its offset. A line break is moved to the
//! last byte before the line that it starts, so that this line has the indentation it was written
//! with.

use std::ops::Range;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::magics;

/// Deeper nesting than this is no notebook; reading it could exhaust the stack.
const MAX_DEPTH: usize = 200;

/// The byte that fills unused places: Python ignores it between words, and signatures, docs and
/// string values leave it out.
pub(super) const NO_TEXT: u8 = 0x0c;

/// A code cell.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CodeCell {
    /// Its number among all cells, from 1
    pub number: usize,
    /// The whole cell
    pub span: Range<usize>,
    /// The insides of the JSON texts that its source consists of
    pub parts: Vec<Range<usize>>,
}

/// The code of a notebook as Python, as long as the notebook.
pub(super) fn python_text(text: &str) -> Result<String, String> {
    let mut layout = CodeLayout::new(text);
    for cell in code_cells(text)? {
        let start = layout.out.len();
        layout.pending.push('\n');
        for part in &cell.parts {
            layout.add_part(part);
        }
        layout.flush(cell.span.end);
        magics::blank(&mut layout.out[start..]);
    }
    Ok(layout.finish())
}

/// The code cells of a notebook in Python.
pub(super) fn code_cells(text: &str) -> Result<Vec<CodeCell>, String> {
    let not_one = || "not read: it is not the JSON of a notebook".to_owned();
    if nesting_depth(text) > MAX_DEPTH {
        return Err("not read: its JSON is nested too deeply".into());
    }
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let Ok(Some(Value::Object(notebook))) = parsed.map(|parsed| parsed.value) else {
        return Err(not_one());
    };
    if let Some(language) = language(&notebook).filter(|language| !is_python(language)) {
        return Err(format!("not read: a notebook in {language}"));
    }
    let mut all = Vec::new();
    if let Some(Value::Array(cells)) = notebook.get("cells").map(|cells| &cells.value) {
        all.extend(cells.elements.iter());
    } else if let Some(Value::Array(sheets)) = notebook.get("worksheets").map(|it| &it.value) {
        // The form before version 4.
        for sheet in sheets.elements.iter().filter_map(Value::as_object) {
            if let Some(Value::Array(cells)) = sheet.get("cells").map(|cells| &cells.value) {
                all.extend(cells.elements.iter());
            }
        }
    } else {
        return Err(not_one());
    }
    let cells = (1..).zip(all).filter_map(|(number, cell)| code_cell(number, cell.as_object()?));
    Ok(cells.collect())
}

fn code_cell(number: usize, cell: &Object<'_>) -> Option<CodeCell> {
    if cell.get_string("cell_type")?.value != "code" {
        return None;
    }
    let source = cell.get("source").or_else(|| cell.get("input"))?;
    let texts: Vec<&Value<'_>> = match &source.value {
        Value::Array(lines) => lines.elements.iter().collect(),
        one => vec![one],
    };
    let inside = |value: &&Value<'_>| {
        let range = value.as_string_lit()?.range();
        (range.end > range.start + 1).then(|| range.start + 1..range.end - 1)
    };
    let parts = texts.iter().filter_map(inside).collect();
    let range = cell.range();
    Some(CodeCell { number, span: range.start..range.end, parts })
}

/// The language of a notebook, if it says so.
fn language(notebook: &Object<'_>) -> Option<String> {
    let metadata = notebook.get_object("metadata")?;
    let kernel = metadata.get_object("kernelspec").and_then(|kernel| kernel.get_string("language"));
    let info = || metadata.get_object("language_info")?.get_string("name");
    kernel.or_else(info).map(|name| name.value.to_string())
}

fn is_python(language: &str) -> bool {
    let language = language.to_lowercase();
    language.is_empty() || language.contains("python") || language == "sage"
}

fn nesting_depth(text: &str) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => {
                depth += 1;
                most = most.max(depth);
            }
            b'}' | b']' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// Decodes the inside of a JSON string.
pub(super) fn decode(written: &str) -> String {
    let mut out = String::with_capacity(written.len());
    let mut at = 0;
    while at < written.len() {
        let (said, length) = next_char(&written[at..]);
        out.push(said);
        at += length;
    }
    out
}

/// The first character of the inside of a JSON text, and how many bytes it is written with.
fn next_char(written: &str) -> (char, usize) {
    let mut chars = written.chars();
    let first = chars.next().unwrap_or(' ');
    if first != '\\' {
        return (first, first.len_utf8());
    }
    match chars.next() {
        Some('n') => ('\n', 2),
        Some('t') => ('\t', 2),
        Some('r' | 'b' | 'f') => (' ', 2),
        Some('u') => unicode_escape(written),
        Some(other) => (other, 1 + other.len_utf8()),
        None => (' ', 1),
    }
}

/// `\u00e9`, or a pair of surrogates.
fn unicode_escape(written: &str) -> (char, usize) {
    let unit = |at: usize| {
        let digits = written.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(0) else { return (' ', 2) };
    let units = [first, unit(6).unwrap_or_default()];
    match char::decode_utf16(units).next() {
        Some(Ok(said)) => (said, if said.len_utf16() == 2 { 12 } else { 6 }),
        _ => (' ', 6),
    }
}

/// A text of the same length as the file that is filled from the start.
struct CodeLayout<'t> {
    text: &'t str,
    out: Vec<u8>,
    /// Characters of escapes that are not laid out yet
    pending: String,
}

impl<'t> CodeLayout<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, out: Vec::with_capacity(text.len()), pending: String::new() }
    }

    /// Adds the code in the inside of a JSON string.
    fn add_part(&mut self, part: &Range<usize>) {
        let mut at = part.start;
        while at < part.end {
            let rest = &self.text[at..part.end];
            let (said, length) = next_char(rest);
            if rest.starts_with('\\') {
                self.pending.push(said);
            } else {
                self.flush(at);
                self.out.extend_from_slice(&rest.as_bytes()[..length]);
            }
            at += length;
        }
    }

    /// Lays out what is pending before an offset, with blanks where there is room.
    fn flush(&mut self, until: usize) {
        let said = std::mem::take(&mut self.pending);
        let room = until.saturating_sub(self.out.len() + said.len());
        let split = match said.find('\n') {
            // A line goes on in the next one if its break follows a backslash.
            Some(at) if said[..at].ends_with('\\') => at - 1,
            Some(at) => at,
            None => said.len(),
        };
        self.out.extend_from_slice(&said.as_bytes()[..split]);
        // Blanks in the middle of a line may be part of a text, where they must not be read.
        let is_inside = !said.contains(char::is_whitespace) && !said.is_empty();
        let blank = if is_inside { NO_TEXT } else { b' ' };
        self.out.resize(self.out.len() + room, blank);
        self.out.extend_from_slice(&said.as_bytes()[split..]);
    }

    fn finish(mut self) -> String {
        self.out.resize(self.text.len().max(self.out.len()), b' ');
        self.out.truncate(self.text.len());
        String::from_utf8(self.out).unwrap_or_else(|_| " ".repeat(self.text.len()))
    }
}
