//! A story: calls on one repository, in order. Each answer that is shown is compared with a file.

use regex::Regex;
use testkit::{TestRepo, operation_of};

use crate::shop::{replace, shop};

/// One step of a story.
pub enum Step {
    /// Calls an operation and compares its answer with a file
    Show {
        /// Sets the answer apart from another answer of the same operation; may be empty
        case: &'static str,
        /// Command line, without `cairn`
        line: &'static str,
    },
    /// Calls an operation, which must succeed
    Run(&'static str),
    /// Writes a file
    Write(&'static str, &'static str),
    /// Replaces a text in a file
    Replace(&'static str, &'static str, &'static str),
    /// Moves a file
    Move(&'static str, &'static str),
    /// Runs git
    Git(&'static [&'static str]),
}

/// Shows the answer of an operation.
pub const fn show(line: &'static str) -> Step {
    Step::Show { case: "", line }
}

/// Shows one of several answers of an operation.
pub const fn show_case(case: &'static str, line: &'static str) -> Step {
    Step::Show { case, line }
}

impl Step {
    /// The name of the operation whose answer is shown.
    pub fn shown_operation(&self) -> Option<&'static str> {
        match self {
            Self::Show { line, .. } => Some(operation_of(line).name),
            _ => None,
        }
    }

    /// Where the answer is kept, below `snapshots`, without the file's ending.
    pub fn snapshot(&self) -> Option<Snapshot> {
        let Self::Show { case, .. } = self else { return None };
        let (folder, verb) = self.shown_operation()?.rsplit_once('.').unwrap_or(("cairn", ""));
        let verb = if verb.is_empty() { self.shown_operation()? } else { verb };
        let name = if case.is_empty() { verb.to_owned() } else { format!("{verb}-{case}") };
        Some(Snapshot { folder, name })
    }
}

/// The place of an expected answer.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Snapshot {
    /// Group of the operation; `cairn` for an operation of one word
    pub folder: &'static str,
    /// Name of the file without its ending
    pub name: String,
}

/// Runs a story on a fresh shop.
pub fn run(steps: &[Step]) {
    run_in(&shop(), steps);
}

/// Runs a story on a repository.
pub fn run_in(repo: &TestRepo, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Show { line, .. } => {
                let answer = stable(repo, &repo.text(line));
                let snapshot = step.snapshot().expect("an answer that is shown has a place");
                compare(&snapshot, &format!("$ cairn {line}\n\n{answer}"));
            }
            Step::Run(line) => {
                if let Err(problem) = repo.run_line(line) {
                    panic!("{line}: {problem:?}");
                }
            }
            Step::Write(path, text) => repo.write(path, text),
            Step::Replace(path, old, new) => replace(repo, path, old, new),
            Step::Move(from, to) => repo.rename(from, to),
            Step::Git(args) => drop(repo.git(args)),
        }
    }
}

fn compare(snapshot: &Snapshot, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("snapshots/{}", snapshot.folder));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(snapshot.name.as_str(), text));
}

/// Replaces what differs from run to run, from machine to machine or from version to version.
fn stable(repo: &TestRepo, page: &str) -> String {
    let root = repo.root();
    let mut page = page.replace(root.to_str().expect("a test folder is UTF-8"), "/shop");
    let folder = root.file_name().and_then(|name| name.to_str()).expect("a test folder has a name");
    page = page.replace(folder, "shop");
    let commits = repo.git(&["rev-list", "--reverse", "--all"]);
    for (at, commit) in commits.lines().enumerate() {
        let name = format!("<commit {}>", at + 1);
        page = page.replace(commit, &name).replace(&commit[..12], &name);
    }
    for (pattern, name) in [
        (r"\b((?:task|feature|project):[\w-]+)-[0-9a-f]{4}\b", "$1-<key>"),
        (r"(start |done |block |blocked by: |Task: |\{#)([\w-]+)-[0-9a-f]{4}\b", "$1$2-<key>"),
        (r"\b[0-9a-f]{4}( (?:⊘|just now|yours|held by|for))", "<key>$1"),
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}(-[0-9a-f]{4}-[0-9a-f]{12})?\b", "<id>"),
        (r"\b([0-9a-f]{64}|[0-9a-f]{12})\b", "<hash>"),
        (r"\b\d+ KB *", "<size>  "),
        (r"\b\d+ bytes", "<size>"),
        (r"\bgit \d+(\.\d+)+", "git <version>"),
        (
            r"cairn \d\S+ \(layout \d+, extractor \d+, SQLite \S+\)",
            "cairn <version> (layout <n>, extractor <n>, SQLite <version>)",
        ),
    ] {
        let pattern = Regex::new(pattern).expect("the pattern is valid");
        page = pattern.replace_all(&page, name).into_owned();
    }
    page
}
