//! Measures whether `review` notices a forgotten file: it reviews real fixes of which one file is
//! withheld.
//!
//! The same run also measures plain co-change, files of the same folders, and `review` over a
//! shuffled history in which every commit has as many files as before, but others. Then, for fixes
//! that changed tests, it measures whether these test files are among those that `review` says to
//! run.

#![expect(clippy::disallowed_methods, reason = "an evaluation runs git and cairn")]

mod fixes;
mod shuffled;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::run::{self, XtaskResult};
use fixes::{Fix, FixHistory};

/// How many fixes of each repository are shown, by default.
const FIXES: usize = 60;

/// How many of the first named files count.
const TOP: usize = 3;

/// How many test files `review` prints.
const TESTS_PRINTED: usize = 6;

/// The sums of the results for one repository.
#[derive(Default)]
struct OmissionTotals {
    fixes: usize,
    review: NamedFiles,
    shuffled: NamedFiles,
    plain: NamedFiles,
    folder: NamedFiles,
    tests: usize,
    tests_found: usize,
    tests_printed: usize,
}

/// How many files were named, and how many of them were the missing one.
#[derive(Default, Clone, Copy)]
struct NamedFiles {
    named: usize,
    right: usize,
}

impl NamedFiles {
    fn add(&mut self, named: &[String], missing: &str) {
        let first = &named[..named.len().min(TOP)];
        self.named += first.len();
        self.right += usize::from(first.iter().any(|path| path == missing));
    }

    fn text(self, asked: usize) -> String {
        format!(
            "{:.1} % ({:.2}, {:.2})",
            100.0 * share(self.right, asked),
            share(self.named, asked),
            share(self.right, self.named)
        )
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of fixes")]
fn share(part: usize, of: usize) -> f64 {
    part as f64 / of.max(1) as f64
}

/// Prints a table row for each clone, and one for all. `--cairn=FILE` uses an existing build,
/// `--fixes=N` takes that many fixes of each clone, and `--show` prints each of them.
pub(crate) fn run(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let option = |name: &str| args.iter().find_map(|arg| arg.strip_prefix(name));
    let cairn = match option("--cairn=") {
        Some(file) => PathBuf::from(file),
        None => {
            run::build(root, &["--package", "cairn", "--profile", "quick"], "quick")?.join("cairn")
        }
    };
    let most = option("--fixes=").and_then(|text| text.parse().ok()).unwrap_or(FIXES);
    run::print(
        "of a fix without one file, the missing file is among the first three (files named a fix, precision):\n\n\
         | repository | fixes | `review` | plain co-change | same folder | `review`, shuffled history | tests to run: \
         changed by the fix, found, printed |\n|---|---|---|---|---|---|---|\n",
    );
    let mut all = OmissionTotals::default();
    for clone in args.iter().filter(|arg| !arg.starts_with("--")) {
        let totals = measure(&cairn, Path::new(clone), most, args.contains(&"--show"))?;
        let name = clone_name(Path::new(clone));
        print_row(&name, &totals);
        all.add(&totals);
    }
    print_row("all", &all);
    Ok(())
}

/// The last part of a clone's path, as its name.
fn clone_name(clone: &Path) -> String {
    let mut parts = clone.components().rev().map(|part| part.as_os_str().to_string_lossy());
    parts.find(|part| part != "repo").map(std::borrow::Cow::into_owned).unwrap_or_default()
}

fn print_row(name: &str, totals: &OmissionTotals) {
    run::print(&format!(
        "| {name} | {} | {} | {} | {} | {} | {}, {:.1} %, {:.1} % |\n",
        totals.fixes,
        totals.review.text(totals.fixes),
        totals.plain.text(totals.fixes),
        totals.folder.text(totals.fixes),
        totals.shuffled.text(totals.fixes),
        totals.tests,
        100.0 * share(totals.tests_found, totals.tests),
        100.0 * share(totals.tests_printed, totals.tests)
    ));
}

impl OmissionTotals {
    fn add(&mut self, other: &Self) {
        self.fixes += other.fixes;
        self.tests += other.tests;
        self.tests_found += other.tests_found;
        self.tests_printed += other.tests_printed;
        for (sum, part) in [
            (&mut self.review, other.review),
            (&mut self.shuffled, other.shuffled),
            (&mut self.plain, other.plain),
            (&mut self.folder, other.folder),
        ] {
            sum.named += part.named;
            sum.right += part.right;
        }
    }
}

fn measure(cairn: &Path, source: &Path, most: usize, show: bool) -> XtaskResult<OmissionTotals> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let real = Checkout::of(source, &folder.path().join("real"))?;
    let control = Checkout::of(source, &folder.path().join("shuffled"))?;
    let history = FixHistory::read(&real.path)?;
    let tested = history.last_fixes(most);
    let Some(first) = tested.first() else { return Ok(OmissionTotals::default()) };
    let shuffled_tip = shuffled::write(&control.path, history.before(first))?;
    let mut totals = OmissionTotals::default();
    for fix in &tested {
        let shown: Vec<&str> = fix.paths().filter(|path| *path != fix.omitted).collect();
        real.show(&format!("{}^", fix.sha), fix, &shown)?;
        let review = real.review(cairn)?;
        let named = forgotten(&review);
        totals.fixes += 1;
        totals.review.add(&named, &fix.omitted);
        let files = real.files()?;
        let before = history.before(fix);
        totals.plain.add(&fixes::plain_cochange(before, &shown, &files), &fix.omitted);
        totals.folder.add(&fixes::same_folder(before, &shown, &files), &fix.omitted);
        let parent = control.graft(&format!("{}^", fix.sha), &shuffled_tip)?;
        control.show(&parent, fix, &shown)?;
        totals.shuffled.add(&forgotten(&control.review(cairn)?), &fix.omitted);
        measure_tests(cairn, &real, fix, &mut totals)?;
        if show {
            let found = named.iter().take(TOP).any(|path| *path == fix.omitted);
            run::print(&format!("  {found} {} {}: {named:?}\n", &fix.sha[..12], fix.omitted));
        }
    }
    Ok(totals)
}

/// Counts the test files of a fix that are named if the rest of the fix is shown.
fn measure_tests(
    cairn: &Path,
    real: &Checkout,
    fix: &Fix,
    totals: &mut OmissionTotals,
) -> XtaskResult<()> {
    let tests: BTreeSet<&str> =
        fix.modified.iter().map(String::as_str).filter(|path| fixes::is_test(path)).collect();
    let shown: Vec<&str> = fix.paths().filter(|path| !fixes::is_test(path)).collect();
    if tests.is_empty() || !shown.iter().any(|path| fixes::is_code(path)) {
        return Ok(());
    }
    real.show(&format!("{}^", fix.sha), fix, &shown)?;
    let review = real.review(cairn)?;
    let run: Vec<String> = nodes(&review["data"]["tests"]);
    let is_among = |files: &[String]| {
        tests.iter().filter(|test| files.iter().any(|file| file == *test)).count()
    };
    totals.tests += tests.len();
    totals.tests_found += is_among(&run);
    totals.tests_printed += is_among(&run[..run.len().min(TESTS_PRINTED)]);
    Ok(())
}

/// The files that a review calls forgotten, most likely first.
fn forgotten(review: &Value) -> Vec<String> {
    let findings = review["data"]["findings"].as_array().into_iter().flatten();
    let own: Vec<Value> =
        findings.filter(|found| found["code"] == "MAYBE_FORGOTTEN").cloned().collect();
    nodes(&Value::Array(own))
}

/// The paths of the files in the field `node` of some rows.
fn nodes(rows: &Value) -> Vec<String> {
    let text = |row: &Value| {
        let node = row["node"].as_str()?;
        Some(node.split_once(':')?.1.to_owned())
    };
    rows.as_array().into_iter().flatten().filter_map(text).collect()
}

/// A clone in which states of the repository are checked out one after the other.
struct Checkout {
    path: PathBuf,
}

impl Checkout {
    fn of(source: &Path, path: &Path) -> XtaskResult<Self> {
        let mut git = Command::new("git");
        git.args(["clone", "-q", "--shared", "--no-checkout"]).arg(source).arg(path);
        run::run(&mut git)?;
        Ok(Self { path: path.to_owned() })
    }

    fn git(&self, args: &[&str]) -> XtaskResult<String> {
        run::output(
            Command::new("git")
                .arg("-C")
                .arg(&self.path)
                .args(args)
                .stderr(std::process::Stdio::null()),
        )
    }

    /// Checks out a commit, and applies some files of a fix to it.
    fn show(&self, commit: &str, fix: &Fix, files: &[&str]) -> XtaskResult<()> {
        self.git(&["checkout", "-q", "-f", "--detach", commit])?;
        self.git(&["clean", "-q", "-f", "-d"])?;
        for path in files {
            if fix.deleted.iter().any(|deleted| deleted == path) {
                self.git(&["rm", "-q", "-f", "--", path])?;
            } else {
                self.git(&["checkout", "-q", &fix.sha, "--", path])?;
            }
        }
        Ok(())
    }

    /// A commit with the tree of another one and other parents.
    fn graft(&self, commit: &str, parent: &str) -> XtaskResult<String> {
        let tree = format!("{commit}^{{tree}}");
        let args = [
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b.c",
            "commit-tree",
            &tree,
            "-p",
            parent,
            "-m",
            "state",
        ];
        Ok(self.git(&args)?.trim().to_owned())
    }

    /// The files of the checked-out commit.
    fn files(&self) -> XtaskResult<BTreeSet<String>> {
        Ok(self
            .git(&["ls-tree", "-r", "-z", "--name-only", "HEAD"])?
            .split('\0')
            .map(ToOwned::to_owned)
            .collect())
    }

    /// Reviews the uncommitted changes, after the history was read.
    fn review(&self, cairn: &Path) -> XtaskResult<Value> {
        let mut sync = Command::new(cairn);
        sync.current_dir(&self.path).env("CAIRN_BACKGROUND", "off").arg("sync");
        sync.output().map_err(|error| error.to_string())?;
        let mut review = Command::new(cairn);
        review.current_dir(&self.path).env("CAIRN_BACKGROUND", "off");
        let printed = review.args(["review", "--no-types", "--limit", "100", "--json"]).output();
        let printed = printed.map_err(|error| error.to_string())?.stdout;
        serde_json::from_slice(&printed).map_err(|error| format!("review: {error}"))
    }
}

/// The commits that touched each file, by number.
type CommitsByFile<'h> = BTreeMap<&'h str, Vec<usize>>;
