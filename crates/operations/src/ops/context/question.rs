//! The answer to a question in plain words: the best matching places, with their source, and the
//! tests, documents and callers that go with them.

use std::collections::BTreeSet;

use base::words::counted;
use base::{EntityRef, RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;
use syntax::Language;

use super::choice::choose_symbols;
use super::cost;
use super::located_symbol::{LocatedSymbol, OtherSymbol};
use crate::answers::callers;
use crate::answers::role::{FileRole, is_log};
use crate::answers::source::SourceText;
use crate::answers::test_finder::{SEARCH_METHODS, TestFile, tests_for};
use crate::locate::{FileCandidate, LocateResult, SymbolCandidate};
use engine::areas::code::named_node;
use engine::areas::history::HistoryReader;
use engine::contract::page::Page;
use engine::view::View;

/// Largest share of the budget for everything but source, in percent.
const MAX_REST_PERCENT: usize = 30;

/// Cost of the first line, the headings and the basis.
const FRAME_COST: usize = 45;

/// How many of the best files are looked through for documents.
const MAX_FILES_SEARCHED_FOR_DOCUMENTS: usize = 40;

/// How many symbols have their tests searched for.
const MAX_TESTED_SYMBOLS: usize = 3;

/// How many tests, documents and callers are named.
const MAX_NAMED: usize = 3;

/// How many files that change together are considered; those that are not code are left out.
const MAX_PARTNERS: usize = 24;

/// How many documents are named.
const MAX_DOCUMENTS: usize = 2;

/// Smallest number of common commits for two files to count as changing together.
const MIN_SHARED_COMMITS: u64 = 3;

/// The places that a question is about, with tests, documents and callers
#[derive(Debug, Serialize, JsonSchema)]
pub struct QuestionAnswer {
    /// The places that the question is most likely about, best first
    pub symbols: Vec<LocatedSymbol>,
    /// The places after them, by name alone
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherSymbol>,
    /// Tests that go with the best of them
    pub tests: Vec<TestFile>,
    /// Documents that match too, each with the line that matches best
    pub documents: Vec<LocatedDocument>,
    /// Who uses the best of them directly
    pub callers: Vec<EntityRef>,
    /// Files that usually change with the best one
    pub changes_together: Vec<CochangedFileRow>,
}

/// A document that a question is about
#[derive(Debug, Serialize, JsonSchema)]
pub struct LocatedDocument {
    /// The document
    pub path: RepoPath,
    /// The line that matches best
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Its text
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
}

impl LocatedDocument {
    /// Maximum length of a shown line, in characters.
    const MAX_LINE_CHARS: usize = 110;

    fn of(view: &View, path: &RepoPath, symbols: &[SymbolCandidate]) -> Self {
        let own = symbols.iter().find(|one| one.symbol.path == *path && one.symbol.full.is_empty());
        let lines = own.map_or(&[][..], |one| one.lines.as_slice());
        let best = lines.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let line = best.map(|(line, _)| *line);
        let text = line
            .and_then(|line| Some(SourceText::read(view, path).ok()?.line(line).trim().to_owned()));
        let text = text.unwrap_or_default();
        let cut = text.char_indices().nth(Self::MAX_LINE_CHARS).map(|(end, _)| end);
        let text = cut.map_or_else(|| text.clone(), |end| format!("{}…", &text[..end]));
        Self { path: path.clone(), line, text }
    }

    /// The document and its line, as `path:12`.
    fn place(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.path),
            None => self.path.to_string(),
        }
    }
}

/// A file that usually changes with another
#[derive(Debug, Serialize, JsonSchema)]
pub struct CochangedFileRow {
    /// The file
    pub path: RepoPath,
    /// In how many commits both changed
    pub commits: u64,
    /// How many commits changed the other
    pub of: u64,
}

impl QuestionAnswer {
    pub(super) fn of(view: &View, located: &LocateResult, budget: usize) -> Result<Self> {
        let best: Vec<EntityRef> = located
            .symbols
            .iter()
            .map(|place| &place.symbol)
            .filter(|one| !one.full.is_empty() && FileRole::of(&one.path) == FileRole::Production)
            .take(MAX_TESTED_SYMBOLS)
            .map(|one| named_node(&one.path, &one.full))
            .collect();
        let tests = if best.is_empty() { Vec::new() } else { tests_for(view, &best)? };
        let callers =
            best.first().map(|first| callers::direct_callers(view, std::slice::from_ref(first)));
        let callers = callers.transpose()?.unwrap_or_default();
        let callers = callers.into_iter().filter(|one| !one.is_test).map(|one| one.node).collect();
        let is_document = |place: &&FileCandidate| {
            FileRole::of(&place.path) == FileRole::Document && !is_log(&place.path)
        };
        let documents =
            located.files.iter().take(MAX_FILES_SEARCHED_FOR_DOCUMENTS).filter(is_document);
        let documents = documents.take(MAX_DOCUMENTS);
        let documents = documents
            .map(|place| LocatedDocument::of(view, &place.path, &located.symbols))
            .collect();
        let changes_together = match located.files.first() {
            Some(first) => cochanged_files(view, &first.path)?,
            None => Vec::new(),
        };
        let (symbols, others) = (Vec::new(), Vec::new());
        let mut answer = Self { symbols, others, tests, documents, callers, changes_together };
        let rest = answer.cut_rest(budget * MAX_REST_PERCENT / 100);
        let candidates = shown_candidates(located);
        (answer.symbols, answer.others) =
            choose_symbols(view, &candidates, budget.saturating_sub(rest + FRAME_COST))?;
        answer.leave_out_shown();
        Ok(answer)
    }

    /// Removes entries that another part of the answer already names.
    fn leave_out_shown(&mut self) {
        let shown: BTreeSet<&RepoPath> = self.symbols.iter().map(|one| &one.path).collect();
        let tests: BTreeSet<&RepoPath> = self.tests.iter().map(|one| &one.path).collect();
        self.documents.retain(|document| !shown.contains(&document.path));
        self.changes_together
            .retain(|one| !shown.contains(&one.path) && !tests.contains(&one.path));
        let symbols: BTreeSet<&EntityRef> = self.symbols.iter().map(|one| &one.node).collect();
        self.callers.retain(|caller| !symbols.contains(caller));
    }

    pub(super) fn render(&self, page: &mut Page, places: usize) {
        let files: BTreeSet<&RepoPath> = self.symbols.iter().map(|one| &one.path).collect();
        page.answer(self.first_line(files.len().min(places.max(1))));
        let mut order: Vec<&RepoPath> = Vec::new();
        for one in &self.symbols {
            if !order.contains(&&one.path) {
                order.push(&one.path);
            }
        }
        for path in &order {
            page.heading(path);
            for one in self.symbols.iter().filter(|one| one.path == **path) {
                one.render(page);
            }
            if let Some(names) = self.others_text(path) {
                page.say(format!("  also: {names}"));
            }
        }
        page.blank();
        if let Some(cut) = self.symbols.iter().find(|one| one.omitted > 0) {
            page.say_call("Omitted lines:", cut.show_call());
        }
        let mut elsewhere: Vec<&RepoPath> = Vec::new();
        for other in &self.others {
            if !order.contains(&&other.path) && !elsewhere.contains(&&other.path) {
                elsewhere.push(&other.path);
            }
        }
        for path in elsewhere {
            page.say(format!("Also {path}: {}", self.others_text(path).unwrap_or_default()));
        }
        self.render_rest(page);
    }

    /// The names and lines of the other places in a file.
    fn others_text(&self, path: &RepoPath) -> Option<String> {
        let of_file = self.others.iter().filter(|other| other.path == *path);
        let names: Vec<String> = of_file.map(OtherSymbol::text).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    fn first_line(&self, files: usize) -> String {
        let Some(first) = self.symbols.first() else {
            return "No matching place found".into();
        };
        let name = if first.name.is_empty() { first.path.name() } else { first.name.clone() };
        let places = counted(self.symbols.len(), "place");
        let files = counted(files, "file");
        let tests = match self.tests.len() {
            0 => "no test found".to_owned(),
            count => format!("{} to run", counted(count, "test file")),
        };
        format!("{places} in {files} match best; start at {name}; {tests}")
    }

    fn render_rest(&self, page: &mut Page) {
        if self.tests.is_empty() {
            page.item("Tests", format!("none found ({SEARCH_METHODS})"));
        }
        if !self.tests.is_empty() {
            page.item("Tests", self.tests_text());
        }
        if !self.documents.is_empty() {
            let places: Vec<String> = self.documents.iter().map(LocatedDocument::place).collect();
            page.item("Documents", places.join(", "));
        }
        if !self.callers.is_empty() {
            let of = self.symbols.iter().find(|one| !one.name.is_empty());
            let (name, path) = of.map_or(("", None), |one| (one.name.as_str(), Some(&one.path)));
            page.item(format!("Uses of {name}"), self.callers_text(path));
        }
        if let Some(first) = self.changes_together.first() {
            let part = |one: &CochangedFileRow| format!("{} ({})", one.path, one.commits);
            let parts: Vec<String> = self.changes_together.iter().map(part).collect();
            let of = counted(first.of, "commit");
            page.item("Changes together", format!("{} of {of}", parts.join(", ")));
        }
    }

    /// The first callers: those in the file of what they call by their names alone.
    fn callers_text(&self, path: Option<&RepoPath>) -> String {
        let text = |caller: &EntityRef| match caller {
            EntityRef::Symbol(file, name) if Some(file) == path => name.as_str().to_owned(),
            other => other.short_handle(),
        };
        let mut named: Vec<String> = self.callers.iter().take(MAX_NAMED).map(text).collect();
        if self.callers.len() > MAX_NAMED {
            named.push(format!("{} more", self.callers.len() - MAX_NAMED));
        }
        named.join(", ")
    }

    /// The best test files in one line, the first with how it was found.
    fn tests_text(&self) -> String {
        let text = |(at, test): (usize, &TestFile)| match at {
            0 => format!("{} ({})", test.path, test.found_by_text()),
            _ => test.path.to_string(),
        };
        let mut parts: Vec<String> =
            self.tests.iter().take(MAX_NAMED).enumerate().map(text).collect();
        if let Some(more) = self.tests.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
            parts.push(format!("{more} more"));
        }
        parts.join(", ")
    }

    /// Cuts everything but the source to its share of the budget, and returns what that
    /// costs. Tests come first.
    fn cut_rest(&mut self, budget: usize) -> usize {
        let mut left = budget;
        let mut shown = 0;
        self.tests.retain(|test| {
            shown += 1;
            let how = if shown == 1 { cost(&test.found_by_text()) } else { 0 };
            shown > MAX_NAMED || try_spend(&mut left, cost(&test.path.to_string()) + how + 1)
        });
        self.changes_together.retain(|one| try_spend(&mut left, cost(&one.path.to_string()) + 6));
        self.documents.retain(|one| try_spend(&mut left, cost(&one.place()) + 1));
        let first =
            self.callers.iter().take(MAX_NAMED).map(|one| cost(&one.short_handle()) + 1).sum();
        if !try_spend(&mut left, first) {
            self.callers.clear();
        }
        budget - left
    }
}

/// The candidates whose source is shown: code, and tests and documents only if they are asked for or there is no code.
/// The others are named.
fn shown_candidates(located: &LocateResult) -> Vec<SymbolCandidate> {
    let is_shown = |one: &&SymbolCandidate| match FileRole::of(&one.symbol.path) {
        role @ (FileRole::Test | FileRole::Document) => located.wanted.asks_for(role),
        _ => !one.symbol.is_test || located.wanted.asks_for(FileRole::Test),
    };
    let shown: Vec<SymbolCandidate> = located.symbols.iter().filter(is_shown).cloned().collect();
    if shown.is_empty() { located.symbols.clone() } else { shown }
}

fn try_spend(left: &mut usize, price: usize) -> bool {
    let enough = *left >= price;
    *left -= if enough { price } else { 0 };
    enough
}

/// The files that usually change with one, most often first.
fn cochanged_files(view: &View, path: &RepoPath) -> Result<Vec<CochangedFileRow>> {
    let Some(history) = HistoryReader::open_if_ready(view)? else { return Ok(Vec::new()) };
    let Some(artifact) = history.artifact_at(path)? else { return Ok(Vec::new()) };
    let of = history.counted_commits_of(view, artifact.id)?;
    let mut often = history.frequent_partners(artifact.id, MIN_SHARED_COMMITS, MAX_PARTNERS)?;
    often.retain(|one| Language::from_path(&one.path).is_some_and(Language::is_code));
    often.truncate(MAX_NAMED);
    let row = |one: engine::areas::history::CochangedFile| CochangedFileRow {
        path: one.path,
        commits: one.partner.count,
        of,
    };
    Ok(often.into_iter().map(row).collect())
}
