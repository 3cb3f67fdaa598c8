//! Source checks that neither rustc nor clippy covers; `cargo xtask codegen --check` runs them.
//!
//! The few files that are exempt from a law are listed here, with the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syntax::Language;

use crate::run::XtaskResult;
use crate::rust_source::{self, FunctionFacts, RustFile};

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

/// Files whose types keep their names, because stored data holds them: digests of the first version
/// are hashes of what `Debug` printed.
const FROZEN_FORMATS: &[&str] = &["crates/kb/src/digest.rs"];

/// Files that may list extensions: the algorithms that `syntax::ImportResolver` names, and the
/// names of shells, which are programs.
const LISTING_FILES: [&str; 3] = [
    "crates/code/src/resolve/python.rs",
    "crates/code/src/resolve/javascript/files.rs",
    "crates/setup/src/shell.rs",
];

/// How the unit tests of a file begin.
const UNIT_TESTS: [&str; 3] = [
    "\n#[cfg(test)]\nmod tests",
    "\n#[cfg(test)]\n#[cfg(unix)]\nmod tests",
    "\n#[cfg(all(test, unix))]\nmod tests",
];

/// Conditions on the operating system, and modules that only some systems have.
const PLATFORM_CONDITIONS: [&str; 9] = [
    "cfg(unix)",
    "cfg(not(unix))",
    "cfg(windows)",
    "cfg!(unix)",
    "cfg!(windows)",
    "target_os",
    "std::os::unix",
    "std::os::windows",
    "rustix::",
];

/// Where such a condition is allowed: in the crate for it; in `base`, which depends on no crate and
/// needs the bytes of a path; in two features that only Unix has; and in tools for tests.
const PLATFORM_CODE: &[&str] = &[
    "crates/platform",
    "crates/base",
    "crates/cairn/src/background",
    "crates/cairn/src/mcp/pipe_closed.rs",
    "crates/git/src/hostile.rs",
    "crates/testkit",
    "xtask",
];

/// The decision with the reason for each dependency.
const DEPENDENCY_TABLE: &str = "docs/decisions/0007-dependencies.md";

/// Finds the violations of one law.
type Law = fn(&[SourceFile]) -> Vec<String>;

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
    let laws: [Law; 9] = [
        sql_outside_tables,
        io_in_pure_crates,
        missing_module_docs,
        shared_type_names,
        tuple_parameters,
        integer_ids,
        child_entries,
        rules_about_languages,
        platform_conditions,
    ];
    let mut violations: Vec<String> = laws.iter().flat_map(|law| law(&files)).collect();
    let read = |path: &str| fs::read_to_string(root.join(path)).map_err(|error| error.to_string());
    violations.extend(unexplained_dependencies(&read("Cargo.toml")?, &read(DEPENDENCY_TABLE)?)?);
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
        let starts = UNIT_TESTS.iter().filter_map(|start| self.text.find(start));
        &self.text[..starts.min().unwrap_or(self.text.len())]
    }

    fn is_in(&self, folder: &str) -> bool {
        self.name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/') || rest.is_empty())
    }

    fn is_exempt(&self, folders: &[&str]) -> bool {
        folders.iter().any(|folder| self.is_in(folder))
    }
}

/// Every dependency of the workspace has a reason. A name that ends with `*` in the table stands
/// for several dependencies, such as the grammars of `tree-sitter`.
fn unexplained_dependencies(manifest: &str, table: &str) -> XtaskResult<Vec<String>> {
    let manifest: toml_edit::DocumentMut =
        manifest.parse().map_err(|error| format!("Cargo.toml: {error}"))?;
    let names: Vec<&str> = table.split('`').skip(1).step_by(2).collect();
    let is_named = |dependency: &str| {
        names.iter().any(|name| match name.strip_suffix('*') {
            Some(start) => dependency.starts_with(start),
            None => dependency == *name,
        }) || dependency.starts_with("tree-sitter-")
    };
    let dependencies = manifest["workspace"]["dependencies"].as_table_like();
    let foreign = dependencies
        .into_iter()
        .flat_map(|table| table.iter())
        .filter(|(_, entry)| entry.as_table_like().is_none_or(|entry| !entry.contains_key("path")));
    let unnamed = foreign.filter(|(name, _)| !is_named(name));
    Ok(unnamed.map(|(name, _)| format!("{DEPENDENCY_TABLE}: no reason for `{name}`")).collect())
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

/// Code that differs between operating systems is in `crates/platform`.
fn platform_conditions(files: &[SourceFile]) -> Vec<String> {
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| !file.is_exempt(PLATFORM_CODE)) {
        let found =
            PLATFORM_CONDITIONS.iter().filter(|condition| file.code().contains(**condition));
        violations.extend(
            found.map(|condition| {
                format!("{}: `{condition}` outside of crates/platform", file.name)
            }),
        );
    }
    violations
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
    for file in files.iter().filter(|file| !file.is_exempt(FROZEN_FORMATS)) {
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

/// No function takes a tuple, because the parts have no names at the call. An alias of a tuple is one
/// too.
fn tuple_parameters(files: &[SourceFile]) -> Vec<String> {
    let aliases: BTreeSet<&String> =
        files.iter().flat_map(|file| &file.facts.tuple_aliases).collect();
    let takes_tuple = |function: &&FunctionFacts| {
        function.has_tuple_parameter
            || function.parameter_types.iter().any(|name| aliases.contains(name))
    };
    let mut found = Vec::new();
    for file in files {
        let functions = file.facts.functions.iter().filter(takes_tuple);
        found.extend(functions.map(|one| {
            let (name, line) = (&one.name.name, one.name.line);
            format!("{}:{line}: `{name}` takes a tuple; name its parts", file.name)
        }));
    }
    found
}

/// Each kind of id is a separate type, so that one cannot be passed for another.
fn integer_ids(files: &[SourceFile]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        found.extend(file.facts.integer_ids.iter().map(|id| {
            format!("{}:{}: `{}` is a bare integer; give it a type", file.name, id.line, id.name)
        }));
    }
    found
}

/// The code of a test's child process must not be a test itself, because it would count as a passed
/// test.
fn child_entries(files: &[SourceFile]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        found.extend(file.facts.child_entries.iter().map(|test| {
            format!(
                "{}:{}: the test `{}` does nothing without a variable; use `testkit::child`, or \
                 `testskip::not_run` if something is missing",
                file.name, test.line, test.name
            )
        }));
    }
    found
}

/// Only `syntax` has rules about languages: other crates ask the descriptor of a language.
fn rules_about_languages(files: &[SourceFile]) -> Vec<String> {
    let lists = language_lists();
    let mut found = Vec::new();
    for file in files {
        let is_free = !file.is_in("crates")
            || file.is_in("crates/syntax")
            || LISTING_FILES.contains(&file.name.as_str());
        if !is_free {
            let rules = language_rules(file.code(), &lists);
            found.extend(rules.map(|why| format!("{}: {why}", file.name)));
        }
    }
    found
}

/// Quoted strings that occur in lists of languages: the display names and extensions of languages
/// with code.
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
    // Only two neighbours in a list count, because a single extension may be part of an algorithm.
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

/// Whether the laws apply to a file. Tests and examples are exempt.
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
    fn one_crate_knows_the_operating_system() {
        let text = "fn f() { let a = cfg!(windows); }\n#[cfg(all(test, unix))]\nmod tests { use std::os::unix::fs; }";
        let found = platform_conditions(&[file("crates/tree/src/a.rs", text)]);
        assert_eq!(found, ["crates/tree/src/a.rs: `cfg!(windows)` outside of crates/platform"]);
        assert!(platform_conditions(&[file("crates/platform/src/a.rs", text)]).is_empty());
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
        let alias = file("a.rs", "type Pair = (u8, u8);\ntype Byte = u8;");
        let user = file("b.rs", "fn f(pair: &crate::a::Pair) {}\nfn g(byte: Byte) {}");
        let found = tuple_parameters(&[alias, user]);
        assert_eq!(found, ["b.rs:1: `f` takes a tuple; name its parts"]);
    }

    #[test]
    fn ids_are_types() {
        let found = integer_ids(&[file("a.rs", "struct A { id: TaskId, node_id: i64 }")]);
        assert_eq!(found, ["a.rs:1: `node_id` is a bare integer; give it a type"]);
    }

    #[test]
    fn only_syntax_names_languages() {
        let text = "fn f() { matches!(a, Language::Rust); }
const B: [&str; 2] = [\"py\", \"rs\"];";
        assert_eq!(rules_about_languages(&[file("crates/engine/src/a.rs", text)]).len(), 2);
        assert_eq!(rules_about_languages(&[file("crates/syntax/src/a.rs", text)]).len(), 0);
    }

    #[test]
    fn exempt_folders_hold_whole_folders() {
        let file = file("crates/engine/src/graph.rs", "");
        assert!(file.is_exempt(&["crates/engine/src"]));
        assert!(!file.is_exempt(&["crates/engine/src/graph"]));
    }

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

    #[test]
    fn a_dependency_without_a_reason_is_named() {
        let manifest = "[workspace.dependencies]\nbase = { path = \"crates/base\" }\nclap = \"4\"\n\
                        grep-regex = \"1\"\nserde = { version = \"1\" }\ntree-sitter-go = \"1\"\n";
        let table = "| `grep-*`, `serde` | because |";
        let found = unexplained_dependencies(manifest, table).unwrap();
        assert_eq!(found, ["docs/decisions/0007-dependencies.md: no reason for `clap`"]);
    }
}
