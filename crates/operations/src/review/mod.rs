//! Reviews a change: what it may break, what it forgot, what it must respect.
//!
//! One file per check. Each check adds findings; the more severe ones come first.
//!
//! @see spec::cross/review

mod callers;
mod confirmations;
mod forgotten;
mod knowledge;
mod names;
mod public_api;
mod requirements;
mod test_selection;
mod types;
mod violations;

use std::collections::BTreeSet;

use base::{EntityRef, RepoPath, Result};

use syntax::Language;

use crate::diff::{
    self, ChangedFile, ChangedSymbol, DiffRange, FileChangeKind, FileSymbolsPair, SymbolHow,
    TreeDiff,
};
use engine::areas::{code, files};
use engine::rules::{RuleFinding, RuleSeverity, RuleSummary};
use engine::view::View;

pub(crate) use forgotten::MAYBE_FORGOTTEN;
pub(crate) use test_selection::TestsToRun;

/// The findings of reviews: code, severity, and what should hold.
pub(crate) const REVIEW_RULES: &[RuleSummary] = &[
    ("SYNTAX_BROKEN", RuleSeverity::Error, "a changed file can be parsed"),
    ("TYPE_ERROR", RuleSeverity::Error, "what changed has no type errors"),
    ("STILL_USED", RuleSeverity::Error, "nothing refers to what was removed or moved"),
    (
        "NAME_NOT_IMPORTED",
        RuleSeverity::Warning,
        "a file imports the names of other files that it uses",
    ),
    ("CALLER_AT_RISK", RuleSeverity::Warning, "callers change with the signature that they use"),
    (MAYBE_FORGOTTEN, RuleSeverity::Warning, "files that belong to a change are part of it"),
    ("KNOWLEDGE_STALE", RuleSeverity::Warning, "knowledge about files is up to date"),
    ("MAKES_SUSPECT", RuleSeverity::Warning, "confirmed links of changed code still hold"),
    ("SPEC_TO_CHECK", RuleSeverity::Note, "code implements its card"),
    ("KB_TO_CHECK", RuleSeverity::Note, "code respects requirements, decisions and flags"),
    ("EXPORT_CHANGED", RuleSeverity::Note, "exported names keep their signatures"),
    ("DOCUMENT_NAMES_IT", RuleSeverity::Note, "documents describe the code as it is"),
    ("NO_TEST_REACHES", RuleSeverity::Note, "a test covers what changed"),
];

/// A change with its findings.
pub(crate) struct ReviewReport {
    /// The files
    pub files: Vec<ChangedFile>,
    /// The symbols
    pub symbols: Vec<ChangedSymbol>,
    /// Findings, most severe first
    pub findings: Vec<RuleFinding>,
    /// Tests to run
    pub tests: Vec<TestsToRun>,
    /// What was checked
    pub checked: Vec<&'static str>,
    /// What was not checked, and why
    pub not_checked: Vec<String>,
    /// Limits of the answer
    pub notes: Vec<String>,
}

/// The change, as every check sees it.
struct ReviewedChange<'v> {
    view: &'v View<'v>,
    between: &'v DiffRange,
    files: &'v [ChangedFile],
    pairs: &'v [FileSymbolsPair<'v>],
    symbols: &'v [ChangedSymbol],
    /// Whether the newer state is what the index shows
    is_indexed: bool,
    /// Whether a language server may be asked for type errors
    checks_types: bool,
}

/// The result of one check.
#[derive(Default)]
struct ReviewCheckResult {
    findings: Vec<RuleFinding>,
    /// What was checked, in a word or two
    checked: Vec<&'static str>,
    /// What was not checked, and why
    not_checked: Vec<String>,
    notes: Vec<String>,
}

/// How much a review checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReviewDepth {
    /// Every check; a language server is asked for type errors, if the repository is trusted
    WithTypes,
    /// Every check that needs only the index
    WithoutTypes,
    /// Only what the change breaks, without notes and without checks that make sense only for a
    /// finished change. For the hook that runs at every edit.
    BreakageOnly,
}

/// One question about a change.
type ReviewQuestion = fn(&ReviewedChange<'_>) -> Result<ReviewCheckResult>;

/// The checks that find errors and warnings even in an unfinished change.
const BREAKAGE_QUESTIONS: &[ReviewQuestion] =
    &[callers::check, names::check, violations::check, knowledge::check, confirmations::check];

/// Every question, in the order of the report.
const QUESTIONS: &[ReviewQuestion] = &[
    types::check,
    callers::check,
    names::check,
    public_api::check,
    violations::check,
    forgotten::check,
    knowledge::check,
    confirmations::check,
    requirements::check,
];

/// Runs the checks on a change.
pub(crate) fn review(view: &View, between: &DiffRange, depth: ReviewDepth) -> Result<ReviewReport> {
    let TreeDiff { files, is_indexed } = diff::diff(view, between)?;
    let pairs = diff::pairs(&files);
    let symbols = ChangedSymbol::all(&pairs);
    let mut review = ReviewReport {
        files: Vec::new(),
        symbols: Vec::new(),
        findings: Vec::new(),
        tests: Vec::new(),
        checked: Vec::new(),
        not_checked: Vec::new(),
        notes: Vec::new(),
    };
    if !is_indexed {
        review.notes.push(
            "callers, links and rules were checked in the working tree, not in the range".into(),
        );
    }
    for (file, before, after) in &pairs {
        if let (None, Some((line, message))) =
            (&before.first_syntax_error, &after.first_syntax_error)
        {
            review.findings.push(parse_error(&file.path, *line, message));
        }
    }
    let change = ReviewedChange {
        view,
        between,
        files: &files,
        pairs: &pairs,
        symbols: &symbols,
        is_indexed,
        checks_types: depth == ReviewDepth::WithTypes,
    };
    review.add_result(check_parsed(&change));
    let is_brief = depth == ReviewDepth::BreakageOnly;
    for question in if is_brief { BREAKAGE_QUESTIONS } else { QUESTIONS } {
        view.call().check_stopped()?;
        review.add_result(question(&change)?);
    }
    let mut tests = Vec::new();
    if !is_brief {
        let (selected, found) = test_selection::select_tests(&change)?;
        review.add_result(found);
        tests = selected;
    }
    // Each check has sorted its own findings; the findings of all checks are sorted by severity
    // only.
    review.findings.sort_by_key(|finding| finding.severity);
    drop(pairs);
    Ok(ReviewReport { files, symbols, tests, ..review })
}

/// Checks that changed files parse, and notes which were not parsed.
fn check_parsed(change: &ReviewedChange<'_>) -> ReviewCheckResult {
    let is_parsed = |language: Language| language.is_code() && !language.is_left_out();
    let is_code = |file: &&ChangedFile| Language::from_path(&file.path).is_some_and(is_parsed);
    let (code, other): (Vec<&ChangedFile>, Vec<&ChangedFile>) =
        change.files.iter().filter(|file| file.kind != FileChangeKind::Deleted).partition(is_code);
    let unread: BTreeSet<String> = other
        .iter()
        .filter(|file| Language::from_path(&file.path).is_none_or(Language::is_left_out))
        .filter_map(|file| Some(format!(".{}", file.path.name().rsplit_once('.')?.1)))
        .collect();
    let mut found = ReviewCheckResult::default();
    if !code.is_empty() {
        found.checked.push("syntax");
    }
    if !unread.is_empty() {
        let kinds: Vec<String> = unread.into_iter().collect();
        found.not_checked.push(format!("{} files (not parsed)", kinds.join(", ")));
    }
    found
}

impl ReviewReport {
    fn add_result(&mut self, found: ReviewCheckResult) {
        self.findings.extend(found.findings);
        self.checked.extend(found.checked);
        self.not_checked.extend(found.not_checked);
        self.notes.extend(found.notes);
    }
}

fn parse_error(path: &RepoPath, line: u32, message: &str) -> RuleFinding {
    RuleFinding {
        severity: RuleSeverity::Error,
        code: "SYNTAX_BROKEN",
        path: Some(path.clone()),
        line: Some(line),
        node: Some(files::file_node(path)),
        message: format!("{path} no longer parses: {message}"),
        fix: "fix it first: until then the other findings are incomplete".into(),
    }
}

impl ChangedSymbol {
    /// Its handle; the last one if it was removed.
    pub(crate) fn node(&self) -> EntityRef {
        let handle = code::handle(&self.path, &self.full_name).parse();
        handle.unwrap_or_else(|_| files::file_node(&self.path))
    }

    /// Its name without what it is nested in.
    pub(crate) fn short_name(&self) -> &str {
        self.full_name.rsplit('.').next().unwrap_or(&self.full_name)
    }

    /// Whether its body, signature or place changed.
    fn changes_behavior(&self) -> bool {
        !matches!(self.kind, SymbolHow::Removed | SymbolHow::Docs)
    }
}

impl ReviewedChange<'_> {
    /// The files that are or were touched, under both names.
    fn paths(&self) -> BTreeSet<&RepoPath> {
        let all = self.files.iter().flat_map(|file| [Some(&file.path), file.old.as_ref()]);
        all.flatten().collect()
    }

    /// The symbols of a file with changes beyond their docs.
    fn symbols_of_file(&self, path: &RepoPath) -> Vec<&ChangedSymbol> {
        let own = self.symbols.iter().filter(|s| s.path == *path && s.kind != SymbolHow::Docs);
        own.collect()
    }
}

/// A few names, and how many more there are.
fn join_few<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.len() {
        0..=4 => names.join(", "),
        many => format!("{} and {} more", names[..3].join(", "), many - 3),
    }
}
