//! Imports according to pyright, and calls according to `tests/oracle/calls.py`, which uses
//! pyright.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs compilers")]

use std::path::Path;
use std::process::Command;

use base::RepoPath;
use testkit::TestRepo;

use super::{DependencyPairs, FORM_SEPARATOR, XtaskResult, calls, file_list, node_tools, output};

/// Forms of calls that need not be found: a property that is read, and the constructor that a class
/// inherits.
const OPTIONAL_FORMS: [&str; 2] = ["read", "inherited"];

pub(super) fn pairs(_: &Path, repo: &TestRepo) -> XtaskResult<DependencyPairs> {
    let pyright = node_tools()?.join("node_modules/.bin/pyright");
    let mut command = Command::new(pyright);
    command.args(["--dependencies", "--verbose", "."]).current_dir(repo.root());
    Ok(read(&output(&mut command)?, &format!("file://{}/", repo.root().display())))
}

/// Reads blocks of a file's name, `Imports N files` and the files.
fn read(text: &str, root: &str) -> DependencyPairs {
    let mut pairs = DependencyPairs::new();
    let (mut file, mut inside) = ("", false);
    for line in text.lines() {
        let trimmed = line.trim();
        if !line.starts_with(' ') {
            (file, inside) = (trimmed, false);
        } else if trimmed.starts_with("Import") {
            inside = trimmed.starts_with("Imports ");
        } else if let Some(path) = trimmed.strip_prefix(root).filter(|_| inside) {
            pairs.insert((file.to_owned(), path.to_owned()));
        }
    }
    pairs.retain(|(from, to)| from != to && !from.starts_with(".."));
    pairs
}

/// `import a.b` also runs `a/__init__.py`; what must be found is `a.b`.
pub(super) fn without_parents(pairs: &DependencyPairs) -> DependencyPairs {
    let is_parent = |(from, to): &&(String, String)| {
        to.strip_suffix("__init__.py").is_some_and(|folder| {
            pairs.iter().any(|(by, other)| by == from && other != to && other.starts_with(folder))
        })
    };
    pairs.iter().filter(|pair| !is_parent(pair)).cloned().collect()
}

/// Calls, each once as a pair and once more with the form of its callee.
pub(super) fn calls(root: &Path, repo: &TestRepo) -> XtaskResult<DependencyPairs> {
    let server = node_tools()?.join("node_modules/.bin/pyright-langserver");
    let mut python = Command::new("python3");
    python.arg(root.join("tests/oracle/calls.py")).arg(server).arg(repo.root());
    let text = output(python.stdin(file_list(repo)?))?;
    let mut pairs = DependencyPairs::new();
    for line in text.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        if let [caller, callee, form] = parts.as_slice()
            && caller != callee
        {
            pairs.insert(((*caller).to_owned(), (*callee).to_owned()));
            let formed = format!("{callee}{FORM_SEPARATOR}{form}");
            pairs.insert(((*caller).to_owned(), formed));
        }
    }
    Ok(pairs)
}

/// The calls that must be found.
pub(super) fn required_calls(pairs: &DependencyPairs) -> DependencyPairs {
    let is_optional = |from: &str, to: &str| {
        let formed = |form: &&str| (from.to_owned(), format!("{to}{FORM_SEPARATOR}{form}"));
        OPTIONAL_FORMS.iter().any(|form| pairs.contains(&formed(form)))
    };
    let is_required =
        |(from, to): &&(String, String)| !to.contains(FORM_SEPARATOR) && !is_optional(from, to);
    pairs.iter().filter(is_required).cloned().collect()
}

/// The calls that the index has, without those that Python makes by itself (`with`, `for`): pyright
/// does not report them.
pub(super) fn cairn_calls(repo: &TestRepo, files: &[String]) -> DependencyPairs {
    let name = |path: &RepoPath, symbol: &str| {
        let parts = symbol.split('.').filter(|part| !part.starts_with("<lambda"));
        let plain = parts.map(|part| part.split('~').next().unwrap_or(part));
        format!("{path}#{}", plain.collect::<Vec<_>>().join("."))
    };
    let mut pairs = calls::pairs(repo, files, name);
    pairs.retain(|(_, to)| {
        let last = to.rsplit(['.', '#']).next().unwrap_or(to);
        !last.starts_with("__") || last == "__init__" || last == "__new__"
    });
    pairs
}
