//! Laws of the source that the compiler does not know.

use std::fs;
use std::path::{Path, PathBuf};

use syntax::Language;

use crate::run::XtaskResult;

/// What starts an SQL statement, as it would stand in a string.
const SQL_STARTS: [&str; 8] = [
    "\"SELECT ",
    "\"INSERT ",
    "\"UPDATE ",
    "\"DELETE ",
    "\"CREATE ",
    "\"PRAGMA ",
    "\"DROP ",
    "\"ALTER ",
];

/// Crates that do no I/O.
const PURE_CRATES: [&str; 5] = ["base", "config", "document", "setup", "syntax"];

/// What does I/O.
const IO_APIS: [&str; 5] =
    ["std::fs", "std::net", "std::process", "std::thread::spawn", "File::open"];

/// Files that may list extensions: the algorithms that `syntax::ImportResolver` names, and the names
/// of shells, which are programs.
const LISTING_FILES: [&str; 3] = [
    "crates/code/src/resolve/python.rs",
    "crates/code/src/resolve/javascript/files.rs",
    "crates/setup/src/shell.rs",
];

/// Checks what ARCHITECTURE.md calls invariants and a tool can check.
pub(crate) fn check(root: &Path) -> XtaskResult<()> {
    let mut broken = Vec::new();
    let language_lists = language_lists();
    for file in sources(&root.join("crates"))? {
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        let code = text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        if !name.ends_with("tables.rs") && SQL_STARTS.iter().any(|sql| code.contains(sql)) {
            broken.push(format!("{name}: SQL outside of tables.rs"));
        }
        let pure = PURE_CRATES.iter().any(|krate| name.starts_with(&format!("crates/{krate}/src")));
        if pure && IO_APIS.iter().any(|call| code.contains(call)) {
            broken.push(format!("{name}: I/O in a pure crate"));
        }
        if !name.starts_with("crates/syntax/") && !LISTING_FILES.contains(&name.as_str()) {
            broken
                .extend(language_rules(code, &language_lists).map(|why| format!("{name}: {why}")));
        }
        if name.contains("/src/") && !text.starts_with("//!") {
            broken.push(format!("{name}: does not say what it is for"));
        }
    }
    if broken.is_empty() { Ok(()) } else { Err(broken.join("\n")) }
}

/// Strings that list languages, as quoted text: the display names and extensions of code, and so
/// the beginnings of arrays that decide by language.
struct LanguageLists {
    names: Vec<String>,
    extensions: Vec<String>,
}

fn language_lists() -> LanguageLists {
    let code = || Language::ALL.iter().filter(|language| language.is_code());
    let extensions = code().flat_map(|language| language.descriptor().extensions);
    LanguageLists {
        names: code().map(|language| format!("\"{}\"", language.name())).collect(),
        extensions: extensions
            .flat_map(|end| [format!("\"{end}\""), format!("\".{end}\"")])
            .collect(),
    }
}

/// Rules about languages in code outside of `crates/syntax`, where each language's descriptor is.
fn language_rules<'c>(
    code: &'c str,
    lists: &'c LanguageLists,
) -> impl Iterator<Item = String> + 'c {
    let variants = code.lines().filter(|line| names_variant(line));
    let variants =
        variants.map(|line| format!("a language is named outside of syntax: {}", line.trim()));
    // Two neighbours of one list: one extension alone may be part of an algorithm.
    let arrays = code.lines().filter(|line| !line.trim_start().starts_with("//")).filter(|line| {
        let listed = |all: &[String]| {
            let parts = line.split([',', '|', '[', ']', '(', ')', '{', '}']).map(str::trim);
            parts.filter(|part| all.iter().any(|one| one == part)).count() > 1
        };
        listed(&lists.names) || listed(&lists.extensions)
    });
    let arrays =
        arrays.map(|line| format!("a list of languages outside of syntax: {}", line.trim()));
    variants.chain(arrays)
}

/// Whether a line names a variant of `Language`, which has capital and small letters.
fn names_variant(line: &str) -> bool {
    line.match_indices("Language::").any(|(at, found)| {
        let is_whole = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let mut name = line[at + found.len()..].chars();
        is_whole
            && name.next().is_some_and(char::is_uppercase)
            && name.next().is_none_or(|second| !second.is_uppercase())
    })
}

fn sources(folder: &Path) -> XtaskResult<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| error.to_string())?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") && is_source(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Tests may do as they please.
fn is_source(path: &Path) -> bool {
    let parts: Vec<String> =
        path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let is_test = |part: &String| part == "tests" || part == "testkit" || part == "tests.rs";
    !parts.iter().any(is_test)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_about_languages_are_found() {
        let lists = language_lists();
        let broken = |code: &str| language_rules(code, &lists).count();
        assert_eq!(broken("if language == Language::Rust {"), 1);
        assert_eq!(broken(r#"const SCRIPTS: &[&str] = &["TypeScript", "TSX"];"#), 1);
        assert_eq!(broken(r#"matches!(ending, "py" | "rb")"#), 1);
        assert_eq!(broken("let all = Language::ALL.iter().map(Language::name);"), 0);
        assert_eq!(broken(r#"path.ends_with(".rs")"#), 0);
    }
}
