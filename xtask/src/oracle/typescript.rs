//! The TypeScript compiler: importers through `tests/oracle/typescript.mjs`, calls through
//! `tests/oracle/calls.mjs`.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs compilers")]

use std::path::Path;
use std::process::Command;

use base::RepoPath;
use testkit::TestRepo;

use super::{DependencyPairs, FORM_SEPARATOR, XtaskResult, calls, file_list, node_tools, output};

/// The form of a getter or setter that is read or written, which need not be a call.
const READ_FORM: &str = "read";

/// Importers.
pub(super) fn pairs(root: &Path, repo: &TestRepo) -> XtaskResult<DependencyPairs> {
    let text = run(root, "tests/oracle/typescript.mjs", repo)?;
    let pair = |line: &str| line.split_once('\t').map(|(a, b)| (a.to_owned(), b.to_owned()));
    Ok(text.lines().filter_map(pair).collect())
}

/// Calls, each once as a pair and once more with the form of its callee.
pub(super) fn calls(root: &Path, repo: &TestRepo) -> XtaskResult<DependencyPairs> {
    let text = run(root, "tests/oracle/calls.mjs", repo)?;
    let mut pairs = DependencyPairs::new();
    for line in text.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        if let [caller, callee, form, _] = parts.as_slice() {
            pairs.insert((without_hash(caller), without_hash(callee)));
            let formed = format!("{}{FORM_SEPARATOR}{form}", without_hash(callee));
            pairs.insert((without_hash(caller), formed));
        }
    }
    Ok(pairs)
}

/// The calls that must be found.
pub(super) fn required_calls(pairs: &DependencyPairs) -> DependencyPairs {
    let is_required = |(from, to): &&(String, String)| {
        let read = (from.clone(), format!("{to}{FORM_SEPARATOR}{READ_FORM}"));
        !to.contains(FORM_SEPARATOR) && !pairs.contains(&read)
    };
    pairs.iter().filter(is_required).cloned().collect()
}

/// The calls that the index has.
pub(super) fn cairn_calls(repo: &TestRepo, files: &[String]) -> DependencyPairs {
    calls::pairs(repo, files, |path: &RepoPath, symbol: &str| {
        without_hash(&format!("{path}#{symbol}"))
    })
}

/// A symbol without the suffixes that distinguish overloads, and without anonymous functions around
/// it.
fn without_hash(symbol: &str) -> String {
    let Some((path, inner)) = symbol.split_once('#') else { return symbol.to_owned() };
    let parts = inner.split('.').filter(|part| !is_anonymous(part));
    let plain =
        |part: &str| part.split('~').next().unwrap_or(part).trim_end_matches("()").to_owned();
    format!("{path}#{}", parts.map(plain).collect::<Vec<_>>().join("."))
}

fn is_anonymous(part: &str) -> bool {
    ["<arrow", "<function", "<class"].iter().any(|start| part.starts_with(start))
}

fn run(root: &Path, script: &str, repo: &TestRepo) -> XtaskResult<String> {
    let tools = node_tools()?;
    let input = file_list(repo)?;
    let mut node = Command::new("node");
    node.arg("--max-old-space-size=4096").arg(root.join(script));
    output(node.arg(tools).arg(repo.root()).stdin(input))
}
