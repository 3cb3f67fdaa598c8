//! Suspect links on real histories: requirements are linked to functions at the start of a range of commits, and
//! every commit of the range is checked out in turn.

#![expect(
    clippy::disallowed_methods,
    reason = "a developer's tool runs git and the binary under proof"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use base::RepoPath;
use serde_json::Value;
use syntax::{FileRole, Language, LanguageKind, SymbolKind, extract};
use tempfile::TempDir;

use super::layout::{self, LayoutProof};
use super::{ProofBinary, number_arg};
use crate::run::{self, XtaskResult};

/// How many commits are checked out, by default.
const COMMITS: usize = 500;

/// How many functions are linked.
const LINKS: usize = 60;

/// Functions with fewer lines are not linked, because there is little in them that could change.
const MIN_LINES: u32 = 3;

/// The kinds of symbols that are linked.
const FUNCTIONS: [SymbolKind; 5] = [
    SymbolKind::Function,
    SymbolKind::Method,
    SymbolKind::Constructor,
    SymbolKind::Getter,
    SymbolKind::Setter,
];

/// The folder of the requirements, in a place that `kb.documents` has by default.
const FOLDER: &str = "documentation/proof";

/// Runs the proof on clones, and prints the commits that made a link suspect, so that a person can
/// check them.
pub(crate) fn run(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let has_count = args.first().is_some_and(|first| first.parse::<usize>().is_ok());
    let commits = if has_count { number_arg(args, 0, COMMITS)? } else { COMMITS };
    let clones = &args[usize::from(has_count)..];
    if clones.is_empty() {
        return Err("which clones? `cargo xtask prove suspects [COMMITS] CLONE…`".into());
    }
    let proved = ProofBinary::build(root)?;
    let mut rows = String::new();
    let mut wrong = 0;
    for clone in clones {
        let proof = SuspectProof::start(&proved.binary, Path::new(clone), commits)?.finish()?;
        wrong += proof.suspect_layout_commits + proof.layout.different.len();
        rows.push_str(&proof.row());
        run::print(&proof.commits_to_read());
    }
    run::print(&format!("{HEADER}{rows}"));
    if wrong == 0 { Ok(()) } else { Err("layout or comments alone made a difference".into()) }
}

const HEADER: &str = "| repository | commits | touching code | making a link suspect | links made suspect | links ended | \
     commits of layout and comments only | making a link suspect | file versions of layout and comments only | \
     symbols compared | with another substance |\n|---|---|---|---|---|---|---|---|---|---|---|\n";

/// A range of commits, checked out one after the other in a clone with links.
struct SuspectProof {
    name: String,
    cairn: PathBuf,
    _folder: TempDir,
    clone: PathBuf,
    /// The start and the commits after it, oldest first
    commits: Vec<String>,
}

/// How a range of commits affected the links.
struct SuspectReport {
    name: String,
    commits: usize,
    touching_code: usize,
    /// The commits that made links suspect, with the symbols
    suspects: Vec<SuspectCommit>,
    /// Links whose function was removed
    ended: usize,
    layout_commits: usize,
    suspect_layout_commits: usize,
    layout: LayoutProof,
}

/// A commit that made links suspect.
struct SuspectCommit {
    commit: String,
    subject: String,
    symbols: Vec<String>,
}

impl SuspectProof {
    /// Clones, links functions and confirms the links.
    fn start(cairn: &Path, source: &Path, count: usize) -> XtaskResult<Self> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let clone = folder.path().join("clone");
        let mut git = Command::new("git");
        run::run(git.args(["clone", "-q", "--shared", "--no-checkout"]).arg(source).arg(&clone))?;
        let all = git_text(&clone, &["rev-list", "--first-parent", "--reverse", "HEAD"])?;
        let all: Vec<String> = all.lines().map(ToOwned::to_owned).collect();
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let first = all.len().checked_sub(count + 1);
        let first = first.ok_or_else(|| format!("{name} has only {} commits", all.len()))?;
        let proof = Self {
            name,
            cairn: cairn.to_path_buf(),
            _folder: folder,
            clone,
            commits: all[first..].to_vec(),
        };
        proof.check_out(&proof.commits[0])?;
        let linked = proof.link_functions()?;
        let answer = proof.ask(&["confirm", "--all", "--why", "start of the range"])?;
        let confirmed = answer["result"]["confirmed"].as_array().map_or(0, Vec::len);
        match confirmed == linked {
            true => Ok(proof),
            false => Err(format!("{confirmed} of {linked} links were confirmed")),
        }
    }

    /// Writes a requirement for each of some functions that are spread over the code.
    fn link_functions(&self) -> XtaskResult<usize> {
        let functions = self.functions()?;
        let count = functions.len().min(LINKS);
        let folder = self.clone.join(FOLDER);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let mut manifest = String::from("symbols:\n");
        for number in 0..count {
            let function = &functions[number * functions.len() / count];
            let title = format!("{function} does what it did at the start");
            let document =
                format!("---\nid: REQ-{number:03}\ntitle: {title:?}\nstatus: closed\n---\n");
            fs::write(folder.join(format!("REQ-{number:03}.md")), document)
                .map_err(|error| error.to_string())?;
            let _ = write!(
                manifest,
                "  - id: SYM-{number:03}\n    title: function {number}\n    code: {function:?}\n    \
                 implements: [REQ-{number:03}]\n"
            );
        }
        fs::write(folder.join("symbols.yaml"), manifest).map_err(|error| error.to_string())?;
        Ok(count)
    }

    /// The functions and methods of the product itself, as `path#name`, in the order of the files.
    fn functions(&self) -> XtaskResult<Vec<String>> {
        let files = git_text(&self.clone, &["ls-tree", "-r", "-z", "--name-only", "HEAD"])?;
        let mut found = Vec::new();
        for file in files.split('\0').filter(|file| is_product_code(file)) {
            let Ok(bytes) = fs::read(self.clone.join(file)) else { continue };
            let path: RepoPath = file.parse().map_err(|error| format!("{file}: {error}"))?;
            let facts = extract(Language::from_path(&path), &bytes);
            let is_function = |kind| FUNCTIONS.contains(&kind);
            let functions = facts.symbols.iter().filter(|symbol| {
                is_function(symbol.kind)
                    && !symbol.is_test
                    && symbol.end_line - symbol.line + 1 >= MIN_LINES
                    && !symbol.path.contains(['<', '(', '"', '~', ' '])
            });
            found.extend(functions.map(|symbol| format!("{file}#{}", symbol.path)));
        }
        found.dedup();
        Ok(found)
    }

    /// Checks out every commit, and confirms again what it made suspect.
    fn finish(self) -> XtaskResult<SuspectReport> {
        let mut report = SuspectReport {
            name: self.name.clone(),
            commits: self.commits.len() - 1,
            touching_code: 0,
            suspects: Vec::new(),
            ended: 0,
            layout_commits: 0,
            suspect_layout_commits: 0,
            layout: layout::compare(&self.clone, &self.commits)?,
        };
        for pair in self.commits.windows(2) {
            let (before, commit) = (&pair[0], &pair[1]);
            self.check_out(commit)?;
            let changed = git_text(&self.clone, &["diff", "--name-only", "-z", before, commit])?;
            report.touching_code += usize::from(changed.split('\0').any(is_product_code));
            let symbols = self.suspects(commit, &mut report.ended)?;
            let is_layout = report.layout.commits.contains(commit);
            report.layout_commits += usize::from(is_layout);
            if !symbols.is_empty() {
                report.suspect_layout_commits += usize::from(is_layout);
                let subject = git_text(&self.clone, &["log", "-1", "--format=%s", commit])?;
                let subject = subject.trim().to_owned();
                report.suspects.push(SuspectCommit { commit: commit.clone(), subject, symbols });
            }
        }
        Ok(report)
    }

    /// The symbols whose links a commit made suspect. `fix` first follows functions that moved. A
    /// removed function stays in the manifest as a symbol without code; its link counts as ended.
    fn suspects(&self, commit: &str, ended: &mut usize) -> XtaskResult<Vec<String>> {
        self.ask(&["fix"])?;
        let answer = self.ask(&["confirm", "--all", "--why", commit])?;
        let confirmed = answer["result"]["confirmed"].as_array().into_iter().flatten();
        let mut suspects = Vec::new();
        for link in confirmed {
            let from = link["from"].as_str().unwrap_or_default();
            match link["was"].as_str() {
                Some("suspect") => suspects.push(from.to_owned()),
                Some("unconfirmed") if from.starts_with("kb:") => *ended += 1,
                _ => {}
            }
        }
        Ok(suspects)
    }

    fn check_out(&self, commit: &str) -> XtaskResult<()> {
        let mut git = Command::new("git");
        let quiet = ["-c", "advice.detachedHead=false", "checkout", "-q", "--force", "--detach"];
        run::run(git.current_dir(&self.clone).args(quiet).arg(commit))
    }

    /// The data of an answer of the binary under proof.
    fn ask(&self, args: &[&str]) -> XtaskResult<Value> {
        let mut command = Command::new(&self.cairn);
        command.current_dir(&self.clone).args(args).arg("--json");
        let output = command.output().map_err(|error| error.to_string())?;
        let answer: Value = serde_json::from_slice(&output.stdout)
            .map_err(|_| format!("{args:?}: {}", String::from_utf8_lossy(&output.stderr)))?;
        Ok(answer["data"].clone())
    }
}

/// Whether a path is code of the product in a language that is parsed.
pub(super) fn is_product_code(file: &str) -> bool {
    let Ok(path) = file.parse::<RepoPath>() else { return false };
    let is_code = Language::from_path(&path)
        .is_some_and(|language| language.descriptor().kind == LanguageKind::Code);
    is_code && FileRole::of(&path) == FileRole::Production
}

/// The output of a git command.
pub(super) fn git_text(clone: &Path, args: &[&str]) -> XtaskResult<String> {
    run::output(Command::new("git").current_dir(clone).args(args))
}

impl SuspectReport {
    fn row(&self) -> String {
        let links: usize = self.suspects.iter().map(|suspect| suspect.symbols.len()).sum();
        format!(
            "| {} | {} | {} | {} | {links} | {} | {} | {} | {} | {} | {} |\n",
            self.name,
            self.commits,
            self.touching_code,
            self.suspects.len(),
            self.ended,
            self.layout_commits,
            self.suspect_layout_commits,
            self.layout.versions,
            self.layout.symbols,
            self.layout.different.len(),
        )
    }

    fn commits_to_read(&self) -> String {
        let mut text = format!("{}:\n", self.name);
        for SuspectCommit { commit, subject, symbols } in &self.suspects {
            let _ = writeln!(text, "  {} {subject}\n    {}", &commit[..10], symbols.join(" "));
        }
        for different in &self.layout.different {
            let _ = writeln!(text, "  layout only, but another substance: {different}");
        }
        text
    }
}
