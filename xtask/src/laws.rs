//! Laws of the source that the compiler does not know.

use std::fs;
use std::path::{Path, PathBuf};

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

/// Checks what ARCHITECTURE.md calls invariants and a tool can check.
pub(crate) fn check(root: &Path) -> XtaskResult<()> {
    let mut broken = Vec::new();
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
        if name.contains("/src/") && !text.starts_with("//!") {
            broken.push(format!("{name}: does not say what it is for"));
        }
    }
    if broken.is_empty() { Ok(()) } else { Err(broken.join("\n")) }
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
