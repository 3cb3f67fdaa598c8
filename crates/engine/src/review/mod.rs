//! What a change asks of its author: what it may break, what it forgot, what it must keep.
//!
//! One file a question. Each looks at the change and adds findings; what counts more comes first.
//!
//! @see spec::cross/review

mod bound;
mod callers;
mod knowledge;
mod partners;
mod test_selection;
mod violations;

use std::collections::BTreeSet;

use base::{EntityRef, RepoPath, Result};

use syntax::Language;

use crate::diff::{self, Between, ChangedFile, ChangedSymbol, Diff, How, SymbolHow};
use crate::layers::{code, files};
use crate::rules::{Finding, Means, Severity};
use crate::view::View;

pub(crate) use test_selection::ToRun;

/// What a finding of its own is called, how bad it is, and what should hold.
pub(crate) const MEANS: &[Means] = &[
    ("SYNTAX_BROKEN", Severity::Error, "a file that changed can be read as code"),
    ("STILL_USED", Severity::Error, "nothing names what was removed or moved"),
    ("CALLER_AT_RISK", Severity::Warning, "callers change with the signature they rely on"),
    ("COCHANGE_MISSING", Severity::Warning, "what usually changes together changes together"),
    ("KNOWLEDGE_STALE", Severity::Warning, "what was learnt about files is still true of them"),
    ("SPEC_TO_CHECK", Severity::Note, "code does what its card says"),
    ("KB_TO_CHECK", Severity::Note, "code keeps to requirements, decisions and flags"),
    ("NO_TEST_REACHES", Severity::Note, "a test reaches what changed"),
];

/// A change with all that was found about it.
pub(crate) struct Review {
    /// The files
    pub files: Vec<ChangedFile>,
    /// The symbols
    pub symbols: Vec<ChangedSymbol>,
    /// What to look at, most pressing first
    pub findings: Vec<Finding>,
    /// What to run
    pub tests: Vec<ToRun>,
    /// What was looked at
    pub checked: Vec<&'static str>,
    /// What was not looked at, and why
    pub not_checked: Vec<String>,
    /// What the answer leaves open
    pub notes: Vec<String>,
}

/// The change as every question sees it.
struct Change<'v> {
    view: &'v View<'v>,
    between: &'v Between,
    files: &'v [ChangedFile],
    symbols: &'v [ChangedSymbol],
}

/// What one question found.
#[derive(Default)]
struct Found {
    findings: Vec<Finding>,
    /// What was looked at, in a word or two
    checked: Vec<&'static str>,
    /// What was not, and why
    not_checked: Vec<String>,
    notes: Vec<String>,
}

/// Looks at a change from every side.
pub(crate) fn review(view: &View, between: &Between) -> Result<Review> {
    let Diff { files, is_shown } = diff::diff(view, between)?;
    let pairs = diff::pairs(&files);
    let symbols = ChangedSymbol::all(&pairs);
    let mut review = Review {
        files: Vec::new(),
        symbols: Vec::new(),
        findings: Vec::new(),
        tests: Vec::new(),
        checked: Vec::new(),
        not_checked: Vec::new(),
        notes: Vec::new(),
    };
    if !is_shown {
        review.notes.push("callers, links and rules are those of the working tree".into());
    }
    for (file, before, after) in &pairs {
        if let (None, Some((line, message))) = (&before.broken, &after.broken) {
            review.findings.push(broken(&file.path, *line, message));
        }
    }
    let change = Change { view, between, files: &files, symbols: &symbols };
    review.take(read_as_code(&change));
    let questions: [fn(&Change<'_>) -> Result<Found>; 5] =
        [callers::look, violations::look, partners::look, knowledge::look, bound::look];
    for question in questions {
        view.call().go_on()?;
        review.take(question(&change)?);
    }
    let (tests, found) = test_selection::look(&change)?;
    review.take(found);
    // Each question has put its own in order: only the severity decides between them.
    review.findings.sort_by_key(|finding| finding.severity);
    Ok(Review { files, symbols, tests, ..review })
}

/// What was read as code, and what was not.
fn read_as_code(change: &Change<'_>) -> Found {
    let is_code = |file: &&ChangedFile| Language::of(&file.path).is_some_and(Language::is_code);
    let (code, other): (Vec<&ChangedFile>, Vec<&ChangedFile>) =
        change.files.iter().filter(|file| file.how != How::Deleted).partition(is_code);
    let unread: BTreeSet<String> = other
        .iter()
        .filter(|file| Language::of(&file.path).is_none())
        .filter_map(|file| Some(format!(".{}", file.path.name().rsplit_once('.')?.1)))
        .collect();
    let mut found = Found::default();
    if !code.is_empty() {
        found.checked.push("syntax");
        found.not_checked.push("types".into());
    }
    if !unread.is_empty() {
        let kinds: Vec<String> = unread.into_iter().collect();
        found.not_checked.push(format!("{} files (not read as code)", kinds.join(", ")));
    }
    found
}

impl Review {
    fn take(&mut self, found: Found) {
        self.findings.extend(found.findings);
        self.checked.extend(found.checked);
        self.not_checked.extend(found.not_checked);
        self.notes.extend(found.notes);
    }
}

fn broken(path: &RepoPath, line: u32, message: &str) -> Finding {
    Finding {
        severity: Severity::Error,
        code: "SYNTAX_BROKEN",
        path: Some(path.clone()),
        line: Some(line),
        node: Some(files::node(path)),
        message: format!("{path} no longer parses: {message}"),
        fix: "mend it before anything else is believed".into(),
    }
}

impl ChangedSymbol {
    /// Its handle, now or last.
    pub(crate) fn node(&self) -> EntityRef {
        let handle = code::handle(&self.path, &self.full).parse();
        handle.unwrap_or_else(|_| files::node(&self.path))
    }

    /// Its name without what it is nested in.
    pub(crate) fn short(&self) -> &str {
        self.full.rsplit('.').next().unwrap_or(&self.full)
    }

    /// Whether what it does or how it is called has changed.
    fn is_live(&self) -> bool {
        !matches!(self.how, SymbolHow::Removed | SymbolHow::Docs)
    }
}

impl Change<'_> {
    /// The files that are or were touched, under both names.
    fn paths(&self) -> BTreeSet<&RepoPath> {
        let all = self.files.iter().flat_map(|file| [Some(&file.path), file.old.as_ref()]);
        all.flatten().collect()
    }

    /// The symbols of a file that changed otherwise than in their docs.
    fn of_file(&self, path: &RepoPath) -> Vec<&ChangedSymbol> {
        let own = self.symbols.iter().filter(|s| s.path == *path && s.how != SymbolHow::Docs);
        own.collect()
    }
}

/// A few names, and how many more there are.
fn few<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.len() {
        0..=4 => names.join(", "),
        many => format!("{} and {} more", names[..3].join(", "), many - 3),
    }
}
