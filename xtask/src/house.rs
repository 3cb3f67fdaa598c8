//! A table of measures of readability, computed in the same way for any Rust repository.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs git")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run::{self, XtaskResult};
use crate::rust_source::{self, RustFile};

/// How many of the newest commits are counted.
const COMMITS: usize = 500;

/// Folders with Rust files that are input of tests, not code.
const FIXTURE_FOLDERS: [&str; 4] = ["test_data", "testdata", "fixtures", "corpus"];

/// Prefixes of the lines that tools add below the body of a message.
const TRAILERS: [&str; 5] =
    ["Change-Id:", "Signed-off-by:", "Co-authored-by:", "Reviewed-by:", "PR "];

/// The measures of one repository.
#[derive(Debug, Default)]
struct HouseReport {
    name: String,
    types: usize,
    /// Types whose name another type has too, without the inputs of operations
    shared: usize,
    functions: usize,
    tuple_functions: usize,
    code_lines: usize,
    test_lines: usize,
    /// Lengths of functions with a body, sorted
    lengths: Vec<usize>,
    commits: usize,
    commits_with_body: usize,
}

/// A row of the table: its title, and the function that writes its cell for a repository.
type HouseRow = (&'static str, fn(&HouseReport) -> String);

const ROWS: [HouseRow; 7] = [
    ("lines of code", |report| report.code_lines.to_string()),
    ("types that share their name", |report| {
        format!("{} of {} ({})", report.shared, report.types, percent(report.shared, report.types))
    }),
    ("functions with a tuple parameter", |report| {
        format!("{} of {}", report.tuple_functions, report.functions)
    }),
    ("lines of test to lines of code", |report| {
        let hundredths = report.test_lines * 100 / report.code_lines.max(1);
        format!("{}.{:02}", hundredths / 100, hundredths % 100)
    }),
    ("length of functions, median", |report| report.length_at(50).to_string()),
    ("length of functions, 90th percentile", |report| report.length_at(90).to_string()),
    ("commits with a body", |report| {
        let share = percent(report.commits_with_body, report.commits);
        format!("{share} of the last {}", report.commits)
    }),
];

/// Prints the table for this repository and any clones that are named.
pub(crate) fn run(root: &Path, clones: &[&str]) -> XtaskResult<()> {
    let mut reports = vec![HouseReport { name: "cairn".into(), ..measure(root)? }];
    for clone in clones {
        reports.push(measure(Path::new(clone))?);
    }
    let names: Vec<&str> = reports.iter().map(|report| report.name.as_str()).collect();
    run::print(&format!("| | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len())));
    for (title, cell) in ROWS {
        let cells: Vec<String> = reports.iter().map(cell).collect();
        run::print(&format!("| {title} | {} |\n", cells.join(" | ")));
    }
    Ok(())
}

fn measure(root: &Path) -> XtaskResult<HouseReport> {
    let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut report = HouseReport { name, ..HouseReport::default() };
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for path in git(root, &["ls-files", "-z", "*.rs"])?.split('\0').filter(|path| !path.is_empty())
    {
        if path.split('/').any(|part| FIXTURE_FOLDERS.contains(&part)) {
            continue;
        }
        let Ok(text) = fs::read_to_string(root.join(path)) else { continue };
        let Some(facts) = rust_source::parse(&text) else { continue };
        report.add(&facts, rust_source::is_test_path(Path::new(path)), &mut names);
    }
    report.types = names.values().sum();
    report.shared = names.values().filter(|count| **count > 1).sum();
    report.lengths.sort_unstable();
    report.count_commits(&git(
        root,
        &["log", "--no-merges", "-n", &COMMITS.to_string(), "--format=%b%x00"],
    )?);
    Ok(report)
}

impl HouseReport {
    fn add(&mut self, facts: &RustFile, is_test: bool, names: &mut BTreeMap<String, usize>) {
        if is_test {
            self.test_lines += facts.test_lines + facts.code_lines;
            return;
        }
        self.test_lines += facts.test_lines;
        self.code_lines += facts.code_lines;
        for declared in facts.types.iter().filter(|declared| !declared.is_operation_input) {
            *names.entry(declared.name.name.clone()).or_default() += 1;
        }
        self.functions += facts.functions.len();
        self.tuple_functions +=
            facts.functions.iter().filter(|function| function.has_tuple_parameter).count();
        self.lengths.extend(facts.functions.iter().filter_map(|function| function.lines));
    }

    fn count_commits(&mut self, log: &str) {
        let bodies: Vec<&str> = log.split('\0').collect();
        // The last body ends with a separator too, so the part after it is empty.
        let bodies = &bodies[..bodies.len() - 1];
        let is_prose = |line: &str| {
            let line = line.trim();
            !line.is_empty() && !TRAILERS.iter().any(|trailer| line.starts_with(trailer))
        };
        self.commits = bodies.len();
        self.commits_with_body = bodies.iter().filter(|body| body.lines().any(is_prose)).count();
    }

    /// The length that the given percentage of functions does not exceed.
    fn length_at(&self, percent: usize) -> usize {
        let last = self.lengths.len().saturating_sub(1);
        self.lengths.get(last * percent / 100).copied().unwrap_or(0)
    }
}

fn percent(part: usize, whole: usize) -> String {
    format!("{} %", part * 100 / whole.max(1))
}

fn git(root: &Path, args: &[&str]) -> XtaskResult<String> {
    run::output(Command::new("git").current_dir(root).args(args))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_measured() {
        let facts = |text: &str| rust_source::parse(text).unwrap();
        let (mut report, mut names) = (HouseReport::default(), BTreeMap::new());
        report.add(&facts("struct A;\nfn f(p: (u8, u8)) {}\n"), false, &mut names);
        report.add(&facts("struct A;\nfn g() {\n}\n"), false, &mut names);
        report.add(&facts("struct A;\nfn t() {}\n"), true, &mut names);
        report.lengths.sort_unstable();
        assert_eq!((names["A"], report.functions, report.tuple_functions), (2, 2, 1));
        assert_eq!((report.code_lines, report.test_lines), (5, 2));
        assert_eq!((report.length_at(50), report.length_at(100)), (1, 2));
    }

    #[test]
    fn trailers_are_no_body() {
        let mut report = HouseReport::default();
        report.count_commits("why\n\0\nSigned-off-by: A\n\0\n\0");
        assert_eq!((report.commits, report.commits_with_body), (3, 1));
    }
}
