//! Context Files, read as people write them.

use std::collections::BTreeMap;

use base::{Problem, Result};
use store::Connection;

use crate::container::Container;
use crate::draft::Draft;
use crate::id::Id;
use crate::{sections, tables};

/// What each open task names, by the task's id.
pub fn of_open_tasks(conn: &Connection) -> Result<BTreeMap<Id, Vec<String>>> {
    let mut found: BTreeMap<Id, Vec<String>> = BTreeMap::new();
    for (task, content) in tables::context_sections(conn)? {
        let task = Id::try_from(task).map_err(Problem::internal)?;
        found.entry(task).or_default().extend(named(&content));
    }
    Ok(found)
}

/// What the Context Files of a record name.
pub fn of(draft: &Draft<'_>, owner: &Container) -> Result<Vec<String>> {
    let is_context = |title: &str| {
        let title = title.to_lowercase();
        title.starts_with("context") && title.contains("file")
    };
    let sections = sections::of(draft, owner)?;
    let contents = sections.iter().filter(|one| is_context(&one.title)).map(|one| &one.content);
    let mut found: Vec<String> = contents.flat_map(|content| named(content)).collect();
    found.dedup();
    Ok(found)
}

/// The patterns that a name in Context Files stands for: a folder means what is below it.
pub fn patterns(named: &str) -> Vec<String> {
    if named.contains(['*', '?', '{', '[']) {
        return vec![named.to_owned()];
    }
    vec![named.to_owned(), format!("{named}/**")]
}

/// The paths and globs that a section names, in order, each once. What is no path is passed over.
pub fn named(content: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in content.lines() {
        for path in in_line(line) {
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

fn in_line(line: &str) -> Vec<String> {
    let line = line.trim();
    if line.starts_with("```")
        || (line.starts_with('#') && line.trim_start_matches('#').starts_with(' '))
    {
        return Vec::new();
    }
    let item = without_bullet(line);
    // What is marked as code or as a link is what was meant; the rest of the line talks about it.
    let marked: Vec<&str> = quoted(item).into_iter().chain(linked(item)).collect();
    if !marked.is_empty() {
        return marked.into_iter().flat_map(split).filter_map(|part| path(part, true)).collect();
    }
    let said = without_comment(item);
    let parts: Vec<&str> = split(said);
    let alone = parts.len() == 1;
    parts.into_iter().filter_map(|part| path(part, alone)).collect()
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

/// What stands between back-ticks.
fn quoted(item: &str) -> Vec<&str> {
    let parts = item.split('`').enumerate();
    parts
        .filter(|(at, part)| at % 2 == 1 && !part.trim().is_empty())
        .map(|(_, part)| part)
        .collect()
}

/// Where Markdown links lead.
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

/// A line up to where it starts to explain.
fn without_comment(item: &str) -> &str {
    let marks = [" - ", " – ", " — ", " -- ", " # ", " // ", ": ", " (", " => ", " → ", "\t"];
    let end = marks.iter().filter_map(|mark| item.find(mark)).min().unwrap_or(item.len());
    item[..end].trim()
}

/// Parts between commas outside of braces, and of a list in brackets.
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

/// A path with its quotes, lines and `./` taken off; nothing if it does not look like one.
fn path(text: &str, alone: bool) -> Option<String> {
    let text = without_emphasis(text.trim().trim_matches(['"', '\'', '<', '>', ',', ';']).trim());
    let text = without_lines(text).replace('\\', "/");
    let mut text = text.as_str();
    while let Some(rest) = text.strip_prefix("./") {
        text = rest;
    }
    let looks = text.contains('/') || text.contains('.') || text.contains('*');
    let plain = !text.contains(char::is_whitespace);
    let odd = text.is_empty()
        || text.starts_with('/')
        || text.contains("://")
        || text.contains(char::is_control)
        || text.split('/').any(|part| part == "..")
        || !text.contains(char::is_alphanumeric) && !text.contains('*');
    let wanted = !odd && plain && (looks || (alone && !text.contains(':')));
    wanted.then(|| text.trim_end_matches('/').to_owned())
}

/// Emphasis and globs both use stars: `**src/a.ts**` is bold, `**/a/**` is not.
fn without_emphasis(text: &str) -> &str {
    let inner = text.strip_prefix("**").and_then(|text| text.strip_suffix("**"));
    inner.filter(|inner| !inner.starts_with('/') && !inner.is_empty()).unwrap_or(text)
}

/// A path without the lines after it: `:10`, `:10-20`, `:3:7`, `#L10`, `#L10-L20`.
fn without_lines(text: &str) -> String {
    let numbers = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ',' | 'L' | '–'))
    };
    let mut text = text;
    if let Some((path, lines)) = text.split_once("#L")
        && numbers(lines)
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
            ("src/a.ts, src/b.ts", vec!["src/a.ts", "src/b.ts"]),
            ("src/{a,b}/*.ts (both)", vec!["src/{a,b}/*.ts"]),
            ("- **src/a.ts**: bold", vec!["src/a.ts"]),
            ("- src/auth/**", vec!["src/auth/**"]),
            ("- **/auth/**", vec!["**/auth/**"]),
            ("[the handler](src/a.ts)", vec!["src/a.ts"]),
            ("- `src/a.ts:3`, `src/b.ts`", vec!["src/a.ts", "src/b.ts"]),
            ("src/a.ts  # why", vec!["src/a.ts"]),
            ("Makefile", vec!["Makefile"]),
            ("- src/dir/", vec!["src/dir"]),
            ("[\"src/a.ts\"]", vec!["src/a.ts"]),
            ("## Files", vec![]),
            ("```", vec![]),
            ("These are the files that matter", vec![]),
            ("https://example.org/a.ts", vec![]),
            ("/etc/passwd", vec![]),
            ("../up.ts", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(named(line), expected, "{line}");
        }
        assert_eq!(named("- a.ts\n- b.ts\n- a.ts\n"), ["a.ts", "b.ts"]);
    }
}
