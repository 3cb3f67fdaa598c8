//! Reads the section "Context Files", which lists files in free form.

use std::collections::BTreeMap;

use base::{Problem, Result};
use store::Connection;

use crate::container::WorkItem;
use crate::draft::WorkDraft;
use crate::id::WorkRecordId;
use crate::{sections, tables};

/// The placeholder for a file name in the built-in templates.
pub const PLACEHOLDER: &str = "path/to/file";

/// A line of Context Files with the paths and globs in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedLine {
    /// The line
    pub text: String,
    /// Paths and globs
    pub paths: Vec<String>,
    /// Words that may be file names; they count only if such a file exists
    pub possible_files: Vec<String>,
}

/// The lines of each open task, by the id of the task.
pub fn context_files_of_open_tasks(
    conn: &Connection,
) -> Result<BTreeMap<WorkRecordId, Vec<NamedLine>>> {
    let mut found: BTreeMap<WorkRecordId, Vec<NamedLine>> = BTreeMap::new();
    for (task, content) in tables::context_sections(conn)? {
        let task = WorkRecordId::try_from(task).map_err(Problem::internal)?;
        found.entry(task).or_default().extend(parse_context_files(&content));
    }
    Ok(found)
}

/// The lines of the Context Files of a record.
pub fn context_files_of(draft: &WorkDraft<'_>, owner: &WorkItem) -> Result<Vec<NamedLine>> {
    let is_context = |title: &str| {
        let title = title.to_lowercase();
        title.starts_with("context") && title.contains("file")
    };
    let sections = sections::of(draft, owner)?;
    let contents = sections.iter().filter(|one| is_context(&one.title)).map(|one| &one.content);
    Ok(contents.flat_map(|content| parse_context_files(content)).collect())
}

/// The patterns of a name in Context Files. A folder stands for everything below it.
pub fn patterns(named: &str) -> Vec<String> {
    if named.contains(['*', '?', '{', '[']) {
        return vec![named.to_owned()];
    }
    vec![named.to_owned(), format!("{named}/**")]
}

/// The lines of a section, in order, each with the names in it. Headings, fences, separator lines
/// of tables and lines with only the placeholder are left out.
pub fn parse_context_files(content: &str) -> Vec<NamedLine> {
    let lines: Vec<&str> = content.lines().map(str::trim).collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let is_header =
            lines.get(at + 1).is_some_and(|next| is_table_rule(next)) && line.contains('|');
        let is_heading = line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
        let is_fence = line.starts_with("```");
        if line.is_empty() || is_heading || is_fence || is_header || is_table_rule(line) {
            continue;
        }
        let mut named = parse_line(line);
        let is_template = named.paths.iter().any(|path| path == PLACEHOLDER);
        named.paths.retain(|path| path != PLACEHOLDER);
        if !is_template || !named.paths.is_empty() {
            found.push(named);
        }
    }
    found
}

/// Whether a line is the separator below the header of a table.
fn is_table_rule(line: &str) -> bool {
    line.contains('|') && line.contains('-') && line.chars().all(|c| "|-: \t".contains(c))
}

fn parse_line(line: &str) -> NamedLine {
    let mut named =
        NamedLine { text: line.to_owned(), paths: Vec::new(), possible_files: Vec::new() };
    let is_row = line.starts_with('|') && line.len() > 1;
    let items: Vec<&str> =
        if is_row { line.split('|').map(str::trim).collect() } else { vec![without_bullet(line)] };
    for item in items {
        named.take(item, is_row);
    }
    named
}

impl NamedLine {
    /// Adds the names in an item of a list or a cell of a table.
    fn take(&mut self, item: &str, is_cell: bool) {
        // If parts are marked as code or as a link, these are names. The rest is explanation, which
        // may name other files.
        let marked: Vec<&str> = quoted(item).into_iter().chain(linked(item)).collect();
        if !marked.is_empty() {
            let parts: Vec<&str> = marked.into_iter().flat_map(split).collect();
            let sure: Vec<String> = parts.iter().filter_map(|part| path(part, false)).collect();
            self.possible_files.extend(parts.iter().filter_map(|part| path(part, true)));
            let is_plain = |word: &&str| !word.contains('`') && !word.contains("](");
            let others = words(item).filter(is_plain).filter_map(|word| path(word, false));
            self.possible_files.extend(others.filter(|other| is_file_name(other)));
            return self.add(sure);
        }
        if !is_cell {
            let parts = split(without_comment(item));
            let sure: Vec<String> = parts.iter().filter_map(|part| path(part, false)).collect();
            if !sure.is_empty() {
                return self.add(sure);
            }
            if let [only] = parts.as_slice() {
                self.possible_files.extend(path(only, true));
            }
        }
        for word in words(item) {
            match path(word, false) {
                Some(path) if is_file_name(&path) => self.add(vec![path]),
                Some(path) => self.possible_files.push(path),
                None => {}
            }
        }
    }

    fn add(&mut self, paths: Vec<String>) {
        for path in paths {
            self.possible_files.retain(|maybe| *maybe != path);
            if !self.paths.contains(&path) {
                self.paths.push(path);
            }
        }
        let paths = &self.paths;
        self.possible_files.retain(|maybe| !paths.contains(maybe));
    }
}

/// The words of a sentence, without punctuation around them.
fn words(sentence: &str) -> impl Iterator<Item = &str> {
    let marks = ['.', ',', ';', ':', '!', '?', '(', ')', '"', '\''];
    sentence.split_whitespace().map(move |word| word.trim_matches(marks))
}

/// Whether a word of a sentence is certainly a path: a glob, or a folder with a file name that has an
/// extension.
fn is_file_name(path: &str) -> bool {
    let is_extension = |text: &str| {
        (1..=8).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let name = path.rsplit_once('/').map(|(_, name)| name);
    let has_extension = name.and_then(|name| name.rsplit_once('.'));
    path.contains('*') || has_extension.is_some_and(|(_, extension)| is_extension(extension))
}

/// An item without its bullet, number or check box.
fn without_bullet(line: &str) -> &str {
    let mut item = line.trim_start_matches(['-', '+', '•', '–']).trim_start();
    if let Some(rest) = item.strip_prefix("* ") {
        item = rest.trim_start();
    }
    let digits = item.trim_start_matches(|c: char| c.is_ascii_digit());
    if digits.len() < item.len()
        && let Some(rest) = digits.strip_prefix(['.', ')'])
        && rest.starts_with(' ')
    {
        item = rest.trim_start();
    }
    for check in ["[ ]", "[x]", "[X]"] {
        item = item.strip_prefix(check).unwrap_or(item).trim_start();
    }
    item
}

/// The texts between backticks.
fn quoted(item: &str) -> Vec<&str> {
    let parts = item.split('`').enumerate();
    parts
        .filter(|(at, part)| at % 2 == 1 && !part.trim().is_empty())
        .map(|(_, part)| part)
        .collect()
}

/// The targets of Markdown links.
fn linked(item: &str) -> Vec<&str> {
    let mut rest = item;
    let mut found = Vec::new();
    while let Some((_, after)) = rest.split_once("](") {
        let Some((target, after)) = after.split_once(')') else { break };
        found.push(target);
        rest = after;
    }
    found
}

/// The part of a line before its explanation.
fn without_comment(item: &str) -> &str {
    let marks = [" - ", " – ", " — ", " -- ", " # ", " // ", ": ", " (", " => ", " → ", "\t"];
    let end = marks.iter().filter_map(|mark| item.find(mark)).min().unwrap_or(item.len());
    item[..end].trim()
}

/// The parts between commas outside of braces; brackets around a list are removed.
fn split(text: &str) -> Vec<&str> {
    let text = text.trim();
    let list = text.strip_prefix("[\"").and_then(|text| text.strip_suffix("\"]"));
    let text = list.unwrap_or(text);
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' | ';' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// A path without quotes, line numbers and `./`; `None` if the text does not look like a path.
fn path(text: &str, alone: bool) -> Option<String> {
    let text = without_emphasis(text.trim().trim_matches(['"', '\'', '<', '>', ',', ';']).trim());
    let text = without_lines(text).replace('\\', "/");
    let mut text = text.as_str();
    while let Some(rest) = text.strip_prefix("./") {
        text = rest;
    }
    let looks = text.contains('/') || text.contains('.') || text.contains('*');
    let is_call = text.ends_with(')');
    let plain = !text.contains(char::is_whitespace);
    let odd = text.is_empty()
        || text.starts_with('/')
        || text.contains("://")
        || text.contains(char::is_control)
        || text.split('/').any(|part| part == "..")
        || !text.contains(char::is_alphanumeric) && !text.contains('*');
    let wanted = !odd && plain && !is_call && (looks || (alone && !text.contains(':')));
    wanted.then(|| text.trim_end_matches('/').to_owned())
}

/// Emphasis and globs both use stars: `**src/a.ts**` is bold, `**/a/**` is not.
fn without_emphasis(text: &str) -> &str {
    let inner = text.strip_prefix("**").and_then(|text| text.strip_suffix("**"));
    inner.filter(|inner| !inner.starts_with('/') && !inner.is_empty()).unwrap_or(text)
}

/// A path without its line numbers or symbol: `:10`, `:10-20`, `:3:7`, `#L10`, `#L10-L20`, `#login`.
fn without_lines(text: &str) -> String {
    let numbers = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ',' | 'L' | '–'))
    };
    let is_symbol = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "_.$:()".contains(c))
    };
    let mut text = text;
    if let Some((path, symbol)) = text.split_once('#')
        && path.contains('.')
        && (numbers(symbol) || is_symbol(symbol))
    {
        text = path;
    }
    while let Some((path, lines)) = text.rsplit_once(':') {
        if !numbers(lines) {
            break;
        }
        text = path;
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_people_write_them() {
        for (line, expected) in [
            ("- src/a.ts", vec!["src/a.ts"]),
            ("* `src/a.ts` the handler, see also docs", vec!["src/a.ts"]),
            ("1. src/a.ts - where it starts", vec!["src/a.ts"]),
            ("2) ./src/a.ts:10-20", vec!["src/a.ts"]),
            ("- [ ] src\\win\\a.ts", vec!["src/win/a.ts"]),
            ("- [x] src/a.ts#L10-L20 // done", vec!["src/a.ts"]),
            ("- `src/a.ts#Session.login()` the entry", vec!["src/a.ts"]),
            ("src/a.ts, src/b.ts", vec!["src/a.ts", "src/b.ts"]),
            ("src/{a,b}/*.ts (both)", vec!["src/{a,b}/*.ts"]),
            ("- **src/a.ts**: bold", vec!["src/a.ts"]),
            ("- src/auth/**", vec!["src/auth/**"]),
            ("- **/auth/**", vec!["**/auth/**"]),
            ("[the handler](src/a.ts)", vec!["src/a.ts"]),
            ("- `src/a.ts:3`, `src/b.ts`", vec!["src/a.ts", "src/b.ts"]),
            ("src/a.ts  # why", vec!["src/a.ts"]),
            ("- src/dir/", vec!["src/dir"]),
            ("[\"src/a.ts\"]", vec!["src/a.ts"]),
            ("Change `login()` in `src/a.ts`", vec!["src/a.ts"]),
            ("| src/a.ts | the entry | N/A |", vec!["src/a.ts"]),
            ("| entry | `src/a.ts`, `src/b.ts` |", vec!["src/a.ts", "src/b.ts"]),
            ("Look at src/a.ts and (later) src/b.ts.", vec!["src/a.ts", "src/b.ts"]),
            ("See: src/a.ts", vec!["src/a.ts"]),
            ("## Files", vec![]),
            ("```", vec![]),
            ("|---|:--|", vec![]),
            ("- `path/to/file` why it matters", vec![]),
            ("These are the files that matter", vec![]),
            ("https://example.org/a.ts", vec![]),
            ("/etc/passwd", vec![]),
            ("../up.ts", vec![]),
            ("", vec![]),
        ] {
            let paths: Vec<String> =
                parse_context_files(line).into_iter().flat_map(|line| line.paths).collect();
            assert_eq!(paths, expected, "{line}");
        }
    }

    #[test]
    fn words_that_may_be_files_are_told_apart() {
        for (line, expected) in [
            ("Makefile", vec!["Makefile"]),
            ("Makefile - builds it", vec!["Makefile"]),
            ("`Makefile`", vec!["Makefile"]),
            (
                "The code below src/auth, with Node.js and/or Bun",
                vec!["src/auth", "Node.js", "and/or"],
            ),
            ("These are the files that matter", vec![]),
        ] {
            let lines = parse_context_files(line);
            assert_eq!(
                (&lines[0].paths, &lines[0].possible_files),
                (&vec![], &expected.into_iter().map(ToOwned::to_owned).collect()),
                "{line}"
            );
        }
    }

    #[test]
    fn a_sentence_may_name_files_beside_those_that_are_marked() {
        let lines = parse_context_files(
            "Read src/a.ts, then `src/b.ts#load()` and [c](src/c.ts), not and/or.",
        );
        assert_eq!(lines[0].paths, ["src/b.ts", "src/c.ts"]);
        assert_eq!(lines[0].possible_files, ["src/a.ts"]);
    }

    #[test]
    fn the_header_of_a_table_names_nothing() {
        let lines = parse_context_files("| file.name | why |\n|---|---|\n| src/a.ts | x |\n");
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].paths, ["src/a.ts"]);
    }
}
