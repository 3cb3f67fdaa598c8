//! Finds the scripts, the component names and the expressions in the text of a component.

use std::ops::Range;

use super::{ComponentFormat, MarkupValue};

/// The parts of a component.
#[derive(Debug, Default)]
pub(super) struct ComponentParts {
    pub scripts: Vec<Range<usize>>,
    /// Whether a script is TypeScript
    pub is_typed: bool,
    /// The names of elements that are components
    pub elements: Vec<Range<usize>>,
    pub values: Vec<MarkupValue>,
}

/// Directives of Svelte whose name is a function: `use:tooltip`.
const NAMED_DIRECTIVES: [&str; 5] = ["use:", "transition:", "in:", "out:", "animate:"];

/// Blocks of Svelte with an expression, longest first.
const SVELTE_BLOCKS: [&str; 9] = [
    ":else if ",
    "#if ",
    "#each ",
    "#await ",
    "#key ",
    "@html ",
    "@render ",
    "@attach ",
    "@const ",
];

/// What ends the expression of a block of Svelte.
const SVELTE_BLOCK_ENDS: [&str; 2] = [" as ", " then "];

/// Finds the parts of a component.
pub(super) fn parts(format: ComponentFormat, text: &str) -> ComponentParts {
    let mut scanner = MarkupScanner { format, text, at: 0, parts: ComponentParts::default() };
    scanner.frontmatter();
    while scanner.at < text.len() {
        scanner.next();
    }
    scanner.parts
}

struct MarkupScanner<'t> {
    format: ComponentFormat,
    text: &'t str,
    at: usize,
    parts: ComponentParts,
}

impl<'t> MarkupScanner<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The place where some text is next, or the end.
    fn find(&self, from: usize, wanted: &str) -> usize {
        self.text[from..].find(wanted).map_or(self.text.len(), |found| from + found)
    }

    fn skip_past(&mut self, wanted: &str) {
        self.at = (self.find(self.at, wanted) + wanted.len()).min(self.text.len());
    }

    /// The script between two lines of dashes at the start of an Astro component.
    fn frontmatter(&mut self) {
        let start = self.text.len() - self.text.trim_start().len();
        if self.format != ComponentFormat::Astro || !self.text[start..].starts_with("---") {
            return;
        }
        let end = self.find(start + 3, "\n---");
        self.parts.scripts.push(start + 3..end);
        self.at = (end + 4).min(self.text.len());
    }

    fn next(&mut self) {
        let rest = self.rest();
        if rest.starts_with("<!--") {
            self.skip_past("-->");
        } else if rest.starts_with("</") {
            self.skip_past(">");
        } else if rest.starts_with('<')
            && rest[1..].starts_with(|next: char| next.is_ascii_alphabetic())
        {
            self.element();
        } else if rest.starts_with("{{") && self.format == ComponentFormat::Vue {
            let end = self.find(self.at, "}}");
            self.value(self.at + 2..end, self.at..end + 2);
            self.at = (end + 2).min(self.text.len());
        } else if rest.starts_with('{') && self.format != ComponentFormat::Vue {
            self.braces();
        } else {
            self.at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }

    /// A start tag, and what is inside where that is no markup.
    fn element(&mut self) {
        let start = self.at + 1;
        let is_name =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':');
        let length = self.text[start..].bytes().take_while(|byte| is_name(*byte)).count();
        let name = &self.text[start..start + length];
        self.at = start + length;
        let attributes = self.at;
        let is_closed = self.attributes(!matches!(name, "script" | "style"));
        let attributes = &self.text[attributes..self.at];
        match name {
            "script" if !is_closed => self.script(attributes),
            "style" if !is_closed => self.skip_past("</style"),
            "template" if attributes.contains("lang=\"pug\"") => {
                let end = self.text.rfind("</template").unwrap_or(self.text.len());
                self.at = end.max(self.at);
            }
            "template" | "slot" => {}
            _ => self.parts.elements.push(start..start + length),
        }
    }

    fn script(&mut self, attributes: &str) {
        let end = self.find(self.at, "</script");
        let is_code = !attributes.contains("json") && !attributes.contains("src=");
        if is_code && self.at < end {
            self.parts.scripts.push(self.at..end);
            self.parts.is_typed |=
                attributes.contains("lang=\"ts") || attributes.contains("lang='ts");
        }
        self.at = end;
        self.skip_past(">");
    }

    /// Walks over the attributes of a start tag. Returns whether the element has no content.
    fn attributes(&mut self, has_values: bool) -> bool {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            let rest = self.rest();
            if rest.is_empty() || rest.starts_with('>') {
                self.at = (self.at + 1).min(self.text.len());
                return false;
            }
            if rest.starts_with("/>") {
                self.at += 2;
                return true;
            }
            if rest.starts_with('{') {
                self.braces();
            } else {
                self.attribute(has_values);
            }
        }
    }

    fn attribute(&mut self, has_values: bool) {
        let start = self.at;
        let is_name = |byte: u8| !byte.is_ascii_whitespace() && !matches!(byte, b'=' | b'>' | b'{');
        let length = self.rest().bytes().take_while(|byte| is_name(*byte)).count();
        let length = if self.rest()[..length].ends_with('/') { length - 1 } else { length }.max(1);
        self.at = (start + length).min(self.text.len());
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        let name = &self.text[start..self.at];
        self.named_directive(start, name);
        let spaces = self.rest().len() - self.rest().trim_start().len();
        if !self.rest()[spaces..].starts_with('=') {
            return;
        }
        let equals = self.at + spaces;
        self.at = equals + 1;
        let spaces = self.rest().len() - self.rest().trim_start().len();
        self.at += spaces;
        match self.rest().chars().next() {
            Some(quote @ ('"' | '\'')) => self.quoted(name, equals, quote, has_values),
            Some('{') => self.braces(),
            _ => {
                let bare = |byte: u8| !byte.is_ascii_whitespace() && byte != b'>';
                self.at += self.rest().bytes().take_while(|byte| bare(*byte)).count();
            }
        }
    }

    /// A quoted value of an attribute.
    fn quoted(&mut self, name: &str, equals: usize, quote: char, has_values: bool) {
        let start = self.at + 1;
        let end = self.find(start, if quote == '"' { "\"" } else { "'" });
        let is_directive = name.starts_with([':', '@']) || name.starts_with("v-");
        if self.format != ComponentFormat::Vue {
            // Text with expressions in it.
            while self.at < end {
                let open = self.find(self.at, "{");
                if open >= end {
                    break;
                }
                self.at = open;
                self.braces();
            }
        } else if has_values && is_directive && !name.starts_with("v-slot") {
            let inner = &self.text[start..end];
            let skipped = match name {
                "v-for" => {
                    [" in ", " of "].iter().find_map(|word| Some(inner.find(word)? + word.len()))
                }
                _ => Some(0),
            };
            if let Some(skipped) = skipped {
                self.value(start + skipped..end, equals..end + 1);
            }
        }
        self.at = (end + 1).min(self.text.len());
    }

    fn named_directive(&mut self, start: usize, name: &str) {
        let prefix = NAMED_DIRECTIVES.iter().find(|prefix| name.starts_with(**prefix));
        if let (ComponentFormat::Svelte, Some(prefix)) = (self.format, prefix) {
            let own = start + prefix.len();
            let length = name[prefix.len()..].find('|').unwrap_or(name.len() - prefix.len());
            self.value(own..own + length, own - 1..own + length + 1);
        }
    }

    /// An expression in braces, of Svelte or Astro.
    fn braces(&mut self) {
        let open = self.at;
        let close = closing_brace(self.text, open);
        let inner = &self.text[(open + 1).min(close)..close];
        let lead = inner.len() - inner.trim_start().len();
        let block = SVELTE_BLOCKS.iter().find(|block| inner.trim_start().starts_with(**block));
        let mut range = open + 1..close;
        match block {
            Some(block) => {
                range.start += lead + block.len();
                let rest = &self.text[range.clone()];
                let ends = SVELTE_BLOCK_ENDS.iter().filter_map(|end| rest.find(end));
                range.end = ends.min().map_or(range.end, |end| range.start + end);
                if *block == "@const " {
                    range.start += rest.find('=').map_or(0, |equals| equals + 1);
                }
            }
            None if inner.trim_start().starts_with("...") => range.start += lead + 3,
            None if inner.trim_start().starts_with(['#', ':', '@', '/']) => range.start = range.end,
            None => {}
        }
        self.value(range, open..close + 1);
        self.at = (close + 1).min(self.text.len());
    }

    fn value(&mut self, range: Range<usize>, around: Range<usize>) {
        let is_inside = range.start < range.end && around.end <= self.text.len();
        if is_inside {
            self.parts.values.push(MarkupValue { range, around });
        }
    }
}

/// Where the brace that opens at an offset closes; the end if it does not.
fn closing_brace(text: &str, open: usize) -> usize {
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match (quote, byte) {
            _ if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(known), byte) if known == byte => quote = None,
            (None, b'"' | b'`') => quote = Some(byte),
            // An apostrophe in the text of a nested element is not a quote. A quote in code does
            // not follow a letter.
            (None, b'\'') if !text.as_bytes()[at - 1].is_ascii_alphanumeric() => quote = Some(byte),
            (None, b'{') => depth += 1,
            (None, b'}') => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    text.len()
}
