//! pyright: which files each file imports.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs compilers")]

use std::path::Path;
use std::process::Command;

use testkit::Repo;

use super::{Pairs, Result, node_tools, output};

pub(super) fn pairs(_: &Path, repo: &Repo) -> Result<Pairs> {
    let pyright = node_tools()?.join("node_modules/.bin/pyright");
    let mut command = Command::new(pyright);
    command.args(["--dependencies", "--verbose", "."]).current_dir(repo.root());
    Ok(read(&output(&mut command)?, &format!("file://{}/", repo.root().display())))
}

/// Reads blocks of a file's name, `Imports N files` and the files.
fn read(text: &str, root: &str) -> Pairs {
    let mut pairs = Pairs::new();
    let (mut file, mut inside, mut found) = ("", false, Vec::new());
    for line in text.lines().chain([""]) {
        let trimmed = line.trim();
        if !line.starts_with(' ') {
            pairs.extend(without_parents(&found).map(|to| (file.to_owned(), to)));
            found.clear();
            (file, inside) = (trimmed, false);
        } else if trimmed.starts_with("Import") {
            inside = trimmed.starts_with("Imports ");
        } else if let Some(path) = trimmed.strip_prefix(root).filter(|_| inside) {
            found.push(path.to_owned());
        }
    }
    pairs.retain(|(from, to)| from != to && !from.starts_with(".."));
    pairs
}

/// `import a.b` also runs `a/__init__.py`; what is imported is `a.b`.
fn without_parents(found: &[String]) -> impl Iterator<Item = String> {
    let is_parent = |path: &String| {
        path.strip_suffix("__init__.py").is_some_and(|folder| {
            found.iter().any(|other| other != path && other.starts_with(folder))
        })
    };
    found.iter().filter(move |path| !is_parent(path)).cloned()
}
