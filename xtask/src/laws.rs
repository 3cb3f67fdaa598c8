//! Source checks that neither rustc nor clippy covers; `cargo xtask codegen --check` runs them.
//!
//! A law that does not hold everywhere yet has a list of folders that are exempt. The lists only
//! get shorter: a folder leaves its list when it is clean.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::run::XtaskResult;
use crate::rust_source::{self, RustFile};

/// The first word of an SQL statement, as a string literal starts with it.
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

/// Calls and modules that do I/O.
const IO_APIS: [&str; 5] =
    ["std::fs", "std::net", "std::process", "std::thread::spawn", "File::open"];

/// Folders where functions may still take a tuple.
const TUPLE_PARAMETERS_EXEMPT: &[&str] = &[
    "crates/cards",
    "crates/code",
    "crates/engine",
    "crates/history",
    "crates/kb",
    "crates/syntax",
    "crates/work",
];

/// Folders where an id may still be a bare integer.
const INTEGER_IDS_EXEMPT: &[&str] = &["crates/code", "crates/engine", "crates/history"];

/// Folders of the engine that may still import operations.
const OPS_IMPORTS_EXEMPT: &[&str] = &[
    "crates/engine/src/areas",
    "crates/engine/src/call_format.rs",
    "crates/engine/src/doctor",
    "crates/engine/src/fix",
];

/// A file of this repository that is not a test.
struct SourceFile {
    /// Its path below the root
    name: String,
    text: String,
    facts: RustFile,
}

/// Checks the invariants of ARCHITECTURE.md that a tool can check.
pub(crate) fn check(root: &Path) -> XtaskResult<()> {
    let mut files = Vec::new();
    for folder in ["crates", "xtask/src"] {
        for path in sources(&root.join(folder))? {
            let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            files.extend(parse(&name, text));
        }
    }
    let laws: [fn(&[SourceFile]) -> Vec<String>; 7] = [
        sql_outside_tables,
        io_in_pure_crates,
        missing_module_docs,
        shared_type_names,
        tuple_parameters,
        integer_ids,
        imports_of_operations,
    ];
    let mut violations: Vec<String> = laws.iter().flat_map(|law| law(&files)).collect();
    violations.sort();
    if violations.is_empty() { Ok(()) } else { Err(violations.join("\n")) }
}

fn parse(name: &str, text: String) -> Option<SourceFile> {
    let facts = rust_source::parse(&text)?;
    Some(SourceFile { name: name.to_owned(), text, facts })
}

impl SourceFile {
    /// The text up to its unit tests.
    fn code(&self) -> &str {
        self.text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default()
    }

    fn is_in(&self, folder: &str) -> bool {
        self.name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/') || rest.is_empty())
    }

    fn is_exempt(&self, folders: &[&str]) -> bool {
        folders.iter().any(|folder| self.is_in(folder))
    }
}

/// SQL is in `tables.rs` and `*.sql` only.
fn sql_outside_tables(files: &[SourceFile]) -> Vec<String> {
    let has_sql = |file: &&SourceFile| {
        file.is_in("crates")
            && !file.name.ends_with("tables.rs")
            && SQL_STARTS.iter().any(|sql| file.code().contains(sql))
    };
    files
        .iter()
        .filter(has_sql)
        .map(|file| format!("{}: SQL outside of tables.rs", file.name))
        .collect()
}

/// Pure crates do no I/O.
fn io_in_pure_crates(files: &[SourceFile]) -> Vec<String> {
    let does_io = |file: &&SourceFile| {
        let is_pure = PURE_CRATES.iter().any(|pure| file.is_in(&format!("crates/{pure}/src")));
        is_pure && IO_APIS.iter().any(|api| file.code().contains(api))
    };
    let found = files.iter().filter(does_io);
    found.map(|file| format!("{}: I/O in a pure crate", file.name)).collect()
}

/// Every file starts with a comment that says what it is for.
fn missing_module_docs(files: &[SourceFile]) -> Vec<String> {
    let undocumented =
        |file: &&SourceFile| file.name.contains("/src/") && !file.text.starts_with("//!");
    let found = files.iter().filter(undocumented);
    found.map(|file| format!("{}: has no module doc comment", file.name)).collect()
}

/// A type name is declared once in the workspace. Inputs of operations are named after their verbs,
/// so several areas have one of the same name.
fn shared_type_names(files: &[SourceFile]) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in files {
        for declared in file.facts.types.iter().filter(|declared| !declared.is_operation_input) {
            let place = format!("{}:{}", file.name, declared.name.line);
            places.entry(&declared.name.name).or_default().push(place);
        }
    }
    let shared = places.into_iter().filter(|(_, places)| places.len() > 1);
    shared
        .map(|(name, places)| {
            format!("{}: the type name `{name}` is also in {}", places[0], places[1..].join(", "))
        })
        .collect()
}

/// No function takes a tuple: its parts have no names at the call.
fn tuple_parameters(files: &[SourceFile]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| !file.is_exempt(TUPLE_PARAMETERS_EXEMPT)) {
        let functions = file.facts.functions.iter().filter(|one| one.has_tuple_parameter);
        found.extend(functions.map(|one| {
            let (name, line) = (&one.name.name, one.name.line);
            format!("{}:{line}: `{name}` takes a tuple; name its parts", file.name)
        }));
    }
    found
}

/// An id is a type of its own, so that one cannot be passed for another.
fn integer_ids(files: &[SourceFile]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| !file.is_exempt(INTEGER_IDS_EXEMPT)) {
        found.extend(file.facts.integer_ids.iter().map(|id| {
            format!("{}:{}: `{}` is a bare integer; give it a type", file.name, id.line, id.name)
        }));
    }
    found
}

/// Nothing in the engine imports operations but operations and the root of the crate.
fn imports_of_operations(files: &[SourceFile]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let is_below = file.is_in("crates/engine/src")
            && !file.is_in("crates/engine/src/ops")
            && file.name != "crates/engine/src/lib.rs";
        if !is_below || file.is_exempt(OPS_IMPORTS_EXEMPT) {
            continue;
        }
        let imports = file.facts.crate_paths.iter().filter(|path| path.name == "crate::ops");
        found.extend(imports.map(|path| {
            format!("{}:{}: imports `crate::ops`, which is above it", file.name, path.line)
        }));
    }
    found
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

/// Whether the laws hold for a file: tests and examples are free.
fn is_source(path: &Path) -> bool {
    !rust_source::is_test_path(path) && path.components().all(|part| part.as_os_str() != "examples")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> SourceFile {
        parse(name, text.to_owned()).unwrap()
    }

    #[test]
    fn sql_is_only_in_tables() {
        let text = "const A: &str = \"SELECT 1\";\n#[cfg(test)]\nmod tests { }";
        let found = |name: &str| sql_outside_tables(&[file(name, text)]).len();
        assert_eq!(found("crates/a/src/b.rs"), 1);
        assert_eq!(found("crates/a/src/tables.rs"), 0);
        assert_eq!(found("xtask/src/b.rs"), 0);
    }

    #[test]
    fn pure_crates_do_no_io() {
        let text = "fn f() { std::fs::read(\"a\"); }";
        assert_eq!(io_in_pure_crates(&[file("crates/base/src/a.rs", text)]).len(), 1);
        assert_eq!(io_in_pure_crates(&[file("crates/tree/src/a.rs", text)]).len(), 0);
    }

    #[test]
    fn every_file_has_a_module_doc_comment() {
        assert_eq!(missing_module_docs(&[file("crates/a/src/a.rs", "fn f() {}")]).len(), 1);
        assert_eq!(missing_module_docs(&[file("crates/a/src/a.rs", "//! A.\nfn f() {}")]).len(), 0);
    }

    #[test]
    fn type_names_are_unique_but_for_inputs_of_operations() {
        let plain = "struct A;\nstruct B;";
        let found = shared_type_names(&[file("a.rs", plain), file("b.rs", "\nenum A {}")]);
        assert_eq!(found, ["a.rs:1: the type name `A` is also in b.rs:2"]);
        let inputs = "#[derive(clap::Args)] struct A;";
        assert!(shared_type_names(&[file("a.rs", plain), file("b.rs", inputs)]).is_empty());
    }

    #[test]
    fn functions_take_no_tuples() {
        let found = tuple_parameters(&[file("a.rs", "fn f(pair: (u8, u8)) {}\nfn g(a: u8) {}")]);
        assert_eq!(found, ["a.rs:1: `f` takes a tuple; name its parts"]);
    }

    #[test]
    fn ids_are_types() {
        let found = integer_ids(&[file("a.rs", "struct A { id: TaskId, node_id: i64 }")]);
        assert_eq!(found, ["a.rs:1: `node_id` is a bare integer; give it a type"]);
    }

    #[test]
    fn only_operations_import_operations() {
        let found = |name: &str| {
            imports_of_operations(&[file(name, "use crate::ops::ALL;\nuse crate::view::View;")])
        };
        assert_eq!(
            found("crates/engine/src/fix/a.rs"),
            ["crates/engine/src/fix/a.rs:1: imports `crate::ops`, which is above it"]
        );
        for name in
            ["crates/engine/src/ops/a.rs", "crates/engine/src/lib.rs", "crates/cairn/src/a.rs"]
        {
            assert!(found(name).is_empty(), "{name}");
        }
    }

    #[test]
    fn exempt_folders_hold_whole_folders() {
        let file = file("crates/engine/src/ops.rs", "");
        assert!(file.is_exempt(&["crates/engine/src"]));
        assert!(!file.is_exempt(&["crates/engine/src/ops"]));
    }
}
