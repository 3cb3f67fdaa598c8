//! pyright: which files each file imports.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs compilers")]

use std::path::Path;
use std::process::Command;

use testkit::TestRepo;

use super::{DependencyPairs, XtaskResult, node_tools, output};

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
