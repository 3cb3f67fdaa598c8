//! Compares importers and calls with the tools of each language: precision and recall of pairs of
//! files, or of symbols (`path#symbol`).
//!
//! Folders and tools are named by environment variables, because none of them is part of this
//! repository: `CAIRN_ORACLE_TYPESCRIPT`, `CAIRN_ORACLE_JAVASCRIPT_CALLS`, `CAIRN_ORACLE_RUST`,
//! `CAIRN_ORACLE_PYTHON`, `CAIRN_ORACLE_PYTHON_CALLS`, `CAIRN_ORACLE_GO` name checkouts, joined by
//! `:`; `CAIRN_ORACLE_NODE` a folder whose `node_modules` has `typescript` and `pyright`;
//! `rust-analyzer`, `python3` and `go` are found on the `PATH`. If something is missing, the row
//! says NOT RUN.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs compilers")]

mod calls;
mod golang;
mod python;
mod rust;
mod scip;
mod typescript;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use testkit::TestRepo;

use crate::run::{self, XtaskResult};

/// Pairs of a file or symbol and what it imports or calls. Paths are relative to the root.
type DependencyPairs = BTreeSet<(String, String)>;

/// How many rows are asked for at once.
const PAGE: u64 = 1000;

/// Separates a callee from its form, in pairs that include the form of the callee.
const FORM_SEPARATOR: char = '\t';

/// How many pairs of each kind of mistake are shown.
const MAX_SHOWN: usize = 15;

struct Oracle {
    name: &'static str,
    variable: &'static str,
    endings: &'static [&'static str],
    expected_pairs: fn(&Path, &TestRepo) -> XtaskResult<DependencyPairs>,
    /// The pairs that must be found; some oracles also report pairs that are optional
    required_pairs: fn(&DependencyPairs) -> DependencyPairs,
    cairn_pairs: fn(&TestRepo, &[String]) -> DependencyPairs,
}

const ALL: &[Oracle] = &[
    Oracle {
        name: "TypeScript, the compiler's API",
        variable: "CAIRN_ORACLE_TYPESCRIPT",
        endings: &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"],
        expected_pairs: typescript::pairs,
        required_pairs: DependencyPairs::clone,
        cairn_pairs: importers,
    },
    Oracle {
        name: "JavaScript and TypeScript calls, the compiler's API",
        variable: "CAIRN_ORACLE_JAVASCRIPT_CALLS",
        endings: &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"],
        expected_pairs: typescript::calls,
        required_pairs: typescript::required_calls,
        cairn_pairs: typescript::cairn_calls,
    },
    Oracle {
        name: "Rust, rust-analyzer scip",
        variable: "CAIRN_ORACLE_RUST",
        endings: &["rs"],
        expected_pairs: rust::pairs,
        required_pairs: DependencyPairs::clone,
        cairn_pairs: rust::cairn_pairs,
    },
    Oracle {
        name: "Python, pyright",
        variable: "CAIRN_ORACLE_PYTHON",
        endings: &["py"],
        expected_pairs: python::pairs,
        required_pairs: python::without_parents,
        cairn_pairs: imports,
    },
    Oracle {
        name: "Python calls, pyright",
        variable: "CAIRN_ORACLE_PYTHON_CALLS",
        endings: &["py"],
        expected_pairs: python::calls,
        required_pairs: python::required_calls,
        cairn_pairs: python::cairn_calls,
    },
    Oracle {
        name: "Go calls, go/types",
        variable: "CAIRN_ORACLE_GO",
        endings: &["go"],
        expected_pairs: golang::pairs,
        required_pairs: DependencyPairs::clone,
        cairn_pairs: golang::cairn_pairs,
    },
];

/// Compares with every oracle that is available. `--show` lists where they differ.
pub(crate) fn run(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let show = args.contains(&"--show");
    run::print("| oracle | repository | pairs | precision | recall |\n|---|---|---|---|---|\n");
    for oracle in ALL {
        let Some(folders) = std::env::var_os(oracle.variable) else {
            run::print(&format!(
                "| {} | NOT RUN: {} is not set | | | |\n",
                oracle.name, oracle.variable
            ));
            continue;
        };
        for folder in std::env::split_paths(&folders) {
            compare(root, oracle, &folder, show)?;
        }
    }
    Ok(())
}

fn compare(root: &Path, oracle: &Oracle, folder: &Path, show: bool) -> XtaskResult<()> {
    let repo = TestRepo::existing(folder);
    let mut theirs = match (oracle.expected_pairs)(root, &repo) {
        Ok(theirs) => theirs,
        Err(why) => {
            run::print(&format!("| {} | NOT RUN: {why} | | | |\n", oracle.name));
            return Ok(());
        }
    };
    let files = files(&repo);
    let wanted = |name: &String| {
        let path = name.split('#').next().unwrap_or(name);
        oracle.endings.iter().any(|end| path.ends_with(&format!(".{end}")))
    };
    let code: Vec<String> = files.into_iter().filter(wanted).collect();
    theirs.retain(|(from, to)| wanted(from) && wanted(to));
    let ours = (oracle.cairn_pairs)(&repo, &code);
    let required = (oracle.required_pairs)(&theirs);
    #[expect(clippy::cast_precision_loss, reason = "some thousand pairs")]
    let share = |pairs: &DependencyPairs, of: &DependencyPairs| match of.len() {
        0 => 1.0,
        count => of.intersection(pairs).count() as f64 / count as f64,
    };
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    run::print(&format!(
        "| {} | {name} | {} | {:.3} | {:.3} |\n",
        oracle.name,
        required.len(),
        share(&theirs, &ours),
        share(&ours, &required)
    ));
    if show {
        list("only ours", ours.difference(&theirs));
        list("only theirs", required.difference(&ours));
        list_forms(&theirs, required.difference(&ours));
    }
    Ok(())
}

/// Counts the missing pairs by the form of the callee, if the oracle reports it.
fn list_forms<'a>(theirs: &DependencyPairs, missing: impl Iterator<Item = &'a (String, String)>) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (from, to) in missing {
        let start = (from.clone(), format!("{to}{FORM_SEPARATOR}"));
        let formed = theirs.range(start..).next().filter(|(by, _)| by == from);
        let form = formed.and_then(|(_, formed)| formed.split_once(FORM_SEPARATOR));
        if let Some((_, form)) = form.filter(|(callee, _)| callee == to) {
            *counts.entry(form).or_default() += 1;
        }
    }
    for (form, count) in counts {
        run::print(&format!("  only theirs, {form}: {count}\n"));
    }
}

fn list<'a>(what: &str, pairs: impl Iterator<Item = &'a (String, String)>) {
    for (from, to) in pairs.take(MAX_SHOWN) {
        run::print(&format!("  {what}: {from} -> {to}\n"));
    }
}

/// The files that git tracks, without links.
fn files(repo: &TestRepo) -> Vec<String> {
    let listed = repo.git(&["ls-files", "--stage"]);
    let file =
        |line: &str| line.strip_prefix("100")?.split_once('\t').map(|(_, path)| path.to_owned());
    listed.lines().filter_map(file).collect()
}

/// The names of the files that git tracks, as the input of a program.
fn file_list(repo: &TestRepo) -> XtaskResult<std::fs::File> {
    let list = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    std::fs::write(list.path(), files(repo).join("\n")).map_err(|error| error.to_string())?;
    list.reopen().map_err(|error| error.to_string())
}

/// Who imports each file, as `code importers` answers.
fn importers(repo: &TestRepo, files: &[String]) -> DependencyPairs {
    let mut pairs = DependencyPairs::new();
    for file in files {
        let all = rows(repo, "code_importers", "importers", file);
        pairs.extend(all.iter().filter_map(|row| Some((path(&row["node"])?, file.clone()))));
    }
    pairs
}

/// What each file imports, as `code imports` answers.
fn imports(repo: &TestRepo, files: &[String]) -> DependencyPairs {
    imports_that(repo, files, |_| true)
}

fn imports_that(
    repo: &TestRepo,
    files: &[String],
    wanted: impl Fn(&Value) -> bool,
) -> DependencyPairs {
    let mut pairs = DependencyPairs::new();
    for file in files {
        let mut all = rows(repo, "code_imports", "imports", file);
        all.retain(&wanted);
        pairs.extend(all.iter().filter_map(|row| Some((file.clone(), path(&row["target"])?))));
    }
    pairs.retain(|(from, to)| from != to);
    pairs
}

fn rows(repo: &TestRepo, operation: &str, field: &str, file: &str) -> Vec<Value> {
    let mut all = Vec::new();
    loop {
        let args = json!({"path": format!("module:{file}"), "limit": PAGE, "offset": all.len()});
        let data = repo.data(operation, args);
        let page = data[field].as_array().cloned().unwrap_or_default();
        let is_last = (page.len() as u64) < PAGE;
        all.extend(page);
        if is_last {
            return all;
        }
    }
}

fn path(node: &Value) -> Option<String> {
    node.as_str()?.split_once(':').map(|(_, path)| path.to_owned())
}

/// The folder with the compilers of JavaScript and Python.
fn node_tools() -> XtaskResult<PathBuf> {
    let folder = std::env::var_os("CAIRN_ORACLE_NODE").ok_or("CAIRN_ORACLE_NODE is not set")?;
    Ok(PathBuf::from(folder))
}

/// The output of a program, even if the program fails.
fn output(command: &mut Command) -> XtaskResult<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let done = command.output().map_err(|error| format!("{name} does not start: {error}"))?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    if text.is_empty() && !done.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&done.stderr).trim()));
    }
    Ok(text)
}
