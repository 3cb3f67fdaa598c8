//! Single-file components: Vue, Svelte and Astro.
//!
//! The scripts of a component and the expressions of its markup become one JavaScript text of the
//! same length, in which everything else is blank, so offsets and lines stay what they are.
//! `markup` finds the parts, `javascript` reads the text.

mod descriptor;
mod markup;

#[cfg(test)]
mod tests;

pub(crate) use descriptor::{ASTRO, SVELTE, VUE};

use std::collections::BTreeSet;
use std::ops::Range;

use crate::descriptor::JavaScriptDialect;
use crate::javascript;
use crate::model::FileFacts;

/// The formats of single-file components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ComponentFormat {
    /// Vue
    Vue,
    /// Svelte
    Svelte,
    /// Astro
    Astro,
}

/// The JavaScript of a component.
#[derive(Debug)]
pub(crate) struct ComponentScript {
    pub dialect: JavaScriptDialect,
    /// As long as the file
    pub text: String,
    /// The same without the expressions of the markup
    pub scripts_only: String,
    /// The parts of the text that come from scripts; the rest is markup
    pub scripts: Vec<Range<usize>>,
    /// Where the names of the components in the markup start
    pub elements: BTreeSet<usize>,
}

impl ComponentScript {
    /// Whether a place is in the markup.
    pub fn is_markup(&self, at: u32) -> bool {
        !self.scripts.iter().any(|script| script.contains(&(at as usize)))
    }
}

/// The facts of a component.
pub(crate) fn extract(format: ComponentFormat, text: &str) -> FileFacts {
    javascript::extract_component(&script(format, text), text)
}

/// The JavaScript of a component.
pub(crate) fn script(format: ComponentFormat, text: &str) -> ComponentScript {
    let parts = markup::parts(format, text);
    let mut scripts_only = BlankedText::of(text);
    for range in &parts.scripts {
        scripts_only.keep(range.clone());
    }
    let mut all = BlankedText { bytes: scripts_only.bytes.clone(), text };
    let mut elements = BTreeSet::new();
    for element in &parts.elements {
        if all.put_element(element.clone()) {
            elements.insert(element.start);
        }
    }
    let dialect = match (format, parts.is_typed) {
        (ComponentFormat::Astro, _) => JavaScriptDialect::Tsx,
        (_, true) => JavaScriptDialect::TypeScript,
        (_, false) => JavaScriptDialect::JavaScript,
    };
    for value in &parts.values {
        all.put_value(value, dialect);
    }
    ComponentScript {
        dialect,
        text: all.into_text(),
        scripts_only: scripts_only.into_text(),
        scripts: parts.scripts,
        elements,
    }
}

/// An expression of the markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarkupValue {
    pub range: Range<usize>,
    /// Where the text before and after it may be overwritten
    pub around: Range<usize>,
}

/// A text of which only some parts are left.
struct BlankedText<'t> {
    bytes: Vec<u8>,
    text: &'t str,
}

impl<'t> BlankedText<'t> {
    fn of(text: &'t str) -> Self {
        let blank = |byte: u8| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' };
        Self { bytes: text.bytes().map(blank).collect(), text }
    }

    fn keep(&mut self, range: Range<usize>) {
        self.bytes[range.clone()].copy_from_slice(&self.text.as_bytes()[range]);
    }

    /// The name of a component as a statement: `<UserCard>` becomes `;UserCard;`.
    fn put_element(&mut self, range: Range<usize>) -> bool {
        let written = &self.text[range.clone()];
        let name = pascal_case(written);
        if name.is_empty() || range.start == 0 || range.end >= self.bytes.len() {
            return false;
        }
        self.bytes[range.start - 1] = b';';
        self.bytes[range.start..range.start + name.len()].copy_from_slice(name.as_bytes());
        self.bytes[range.start + name.len()] = b';';
        true
    }

    /// An expression as a statement, unless it cannot be read alone.
    fn put_value(&mut self, value: &MarkupValue, dialect: JavaScriptDialect) {
        let written = &self.text[value.range.clone()];
        let (before, after) = (value.range.start, value.range.end);
        if written.trim().is_empty() || after >= value.around.end {
            return;
        }
        let has_room = before >= value.around.start + 2;
        if has_room && javascript::is_readable(dialect, &format!("({written})")) {
            self.bytes[before - 2] = b';';
            self.bytes[before - 1] = b'(';
            self.bytes[after] = b')';
        } else if before > value.around.start && javascript::is_readable(dialect, written) {
            self.bytes[before - 1] = b';';
            self.bytes[after] = b';';
        } else {
            return;
        }
        self.keep(value.range.clone());
    }

    fn into_text(self) -> String {
        String::from_utf8(self.bytes).unwrap_or_default()
    }
}

/// The name of a component: `user-card` is `UserCard`. Empty for what is no component.
fn pascal_case(written: &str) -> String {
    if written.starts_with(|first: char| first.is_ascii_uppercase()) || written.contains('.') {
        return written.to_owned();
    }
    if !written.contains('-') {
        return String::new();
    }
    let word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    written.split('-').map(word).collect()
}
