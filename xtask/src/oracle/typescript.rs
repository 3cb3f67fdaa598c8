//! The TypeScript compiler, through `tests/oracle/typescript.mjs`.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs compilers")]

use std::fs::File;
use std::path::Path;
use std::process::Command;

use testkit::TestRepo;

use super::{DependencyPairs, XtaskResult, files, node_tools, output};

pub(super) fn pairs(root: &Path, repo: &TestRepo) -> XtaskResult<DependencyPairs> {
    let tools = node_tools()?;
    let list = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    std::fs::write(list.path(), files(repo).join("\n")).map_err(|error| error.to_string())?;
    let input = File::open(list.path()).map_err(|error| error.to_string())?;
    let mut node = Command::new("node");
    node.arg("--max-old-space-size=4096").arg(root.join("tests/oracle/typescript.mjs"));
    let text = output(node.arg(tools).arg(repo.root()).stdin(input))?;
    let pair = |line: &str| line.split_once('\t').map(|(a, b)| (a.to_owned(), b.to_owned()));
    Ok(text.lines().filter_map(pair).collect())
}
