//! The answer to a question in plain words: the best matching places, with their source, and the
//! tests, documents and callers that go with them.

use std::collections::{BTreeMap, BTreeSet};

use base::words::counted;
use base::{EntityRef, NextCall, RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;
use syntax::Language;

use super::cost;
use crate::answers::callers;
use crate::answers::line_choice::{LineChoice, contiguous_ranges};
use crate::answers::role::{FileRole, is_log};
use crate::answers::source::{Excerpt, LineRange, SourceText};
use crate::answers::test_finder::{SEARCH_METHODS, TestFile, tests_for};
use crate::locate::{FileCandidate, LocateResult, SymbolCandidate};
use engine::areas::code::{first_sentence, named_node};
use engine::areas::history::HistoryReader;
use engine::contract::page::{Page, PageCell};
use engine::view::View;

/// How many symbols are shown at most.
const MAX_SYMBOLS: usize = 12;

/// How many symbols are shown however far their scores are below the best one.
const MIN_SYMBOLS: usize = 3;

/// The least score of the others, as a share of the best one, in an answer of this size in tokens. A larger answer has
/// room for less likely places.
const MIN_SCORE_SHARE: f64 = 0.3;
const USUAL_SOURCE_BUDGET: usize = 1000;

/// How much more than its share a symbol may cost to be shown whole, in percent.
const ALMOST_PERCENT: usize = 140;

/// Shares of the source budget for the best symbols, in percent; what one leaves over goes to
/// the next.
const SOURCE_SHARES: [usize; 5] = [34, 22, 16, 12, 8];

/// Largest share of the budget for everything but source, in percent.
const MAX_REST_PERCENT: usize = 30;

/// Cost of the first line, the headings and the basis.
const FRAME_COST: usize = 45;

/// How many of the best files are looked through for documents.
const MAX_FILES_SEARCHED_FOR_DOCUMENTS: usize = 40;

/// How many symbols have their tests searched for.
const MAX_TESTED_SYMBOLS: usize = 3;

/// How many tests, documents and callers are named.
const MAX_NAMED: usize = 4;

/// How many files that change together are looked at; those that are no code are left out.
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
    /// Tests that go with the best of them
    pub tests: Vec<TestFile>,
    /// Documents that match too, each with the line that matches best
    pub documents: Vec<LocatedDocument>,
    /// Who uses the best of them directly
    pub callers: Vec<EntityRef>,
    /// Files that usually change with the best one
    pub changes_together: Vec<CochangedFileRow>,
}

/// A symbol, or a file, that a question is about
#[derive(Debug, Serialize, JsonSchema)]
pub struct LocatedSymbol {
    /// Its handle
    pub node: EntityRef,
    /// The file
    pub path: RepoPath,
    /// Its nested name; empty for a file
    pub name: String,
    /// The first line of its declaration
    pub first_line: u32,
    /// Its last line
    pub last_line: u32,
    /// The first sentence of its documentation
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// The parts of its source that match the question best
    pub source: Vec<Excerpt>,
    /// Its score, comparable within one answer
    pub score: f64,
    /// How many of its lines the answer does not show
    pub omitted: u32,
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
        let mut answer = Self { symbols: Vec::new(), tests, documents, callers, changes_together };
        let rest = answer.cut_rest(budget * MAX_REST_PERCENT / 100);
        let candidates = shown_candidates(located);
        answer.symbols =
            choose_symbols(view, &candidates, budget.saturating_sub(rest + FRAME_COST))?;
        answer.leave_out_shown();
        Ok(answer)
    }

    /// Leaves out what another part of the answer names.
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
        for path in order {
            page.heading(path);
            for one in self.symbols.iter().filter(|one| one.path == *path) {
                one.render(page);
            }
        }
        page.blank();
        if let Some(cut) = self.symbols.iter().find(|one| one.omitted > 0) {
            page.say_call("Left-out lines:", cut.show_call());
        }
        self.render_rest(page);
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
            let row = |document: &LocatedDocument| {
                vec![PageCell::handle(document.place()), PageCell::faint(&document.text)]
            };
            page.say("Documents");
            self.documents.iter().for_each(|document| page.table(2, vec![row(document)]));
        }
        if !self.callers.is_empty() {
            let named = self.callers.iter().take(MAX_NAMED).map(EntityRef::short_handle);
            let mut named: Vec<String> = named.collect();
            if self.callers.len() > MAX_NAMED {
                named.push(format!("{} more", self.callers.len() - MAX_NAMED));
            }
            let of = self.symbols.iter().find(|one| !one.name.is_empty());
            let of = of.map_or(String::new(), |one| one.name.clone());
            page.item(format!("Uses of {of}"), named.join(", "));
        }
        if !self.changes_together.is_empty() {
            let part = |one: &CochangedFileRow| {
                format!("{} ({} of {} commits)", one.path, one.commits, one.of)
            };
            let parts: Vec<String> = self.changes_together.iter().map(part).collect();
            page.item("Changes together", parts.join(", "));
        }
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
        self.documents.retain(|one| try_spend(&mut left, cost(&one.place()) + cost(&one.text) + 2));
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

impl LocatedSymbol {
    fn render(&self, page: &mut Page) {
        if let Some(row) = self.heading_cells() {
            page.table(2, vec![row]);
        }
        for part in &self.source {
            page.source(&part.text, part.first_line);
        }
    }

    /// The call that shows all of it.
    fn show_call(&self) -> NextCall {
        let target = match self.name.as_str() {
            "" => self.path.to_string(),
            name => format!("{}#{name}", self.path),
        };
        NextCall::new("code.show").with("targets", vec![target])
    }

    /// Its name, and its lines if not all are shown. A top-level symbol that is shown whole needs neither.
    fn heading_cells(&self) -> Option<Vec<PageCell>> {
        let name = if self.name.is_empty() { "(file)" } else { &self.name };
        if self.omitted == 0 {
            let is_nested = self.name.contains('.');
            return is_nested.then(|| vec![PageCell::strong(name)]);
        }
        let left_out = counted(self.omitted, "line");
        let lines = format!("{}–{}, {left_out} left out", self.first_line, self.last_line);
        let mut row = vec![PageCell::strong(name), PageCell::faint(lines)];
        if !self.doc.is_empty() {
            row.push(PageCell::faint(&self.doc));
        }
        Some(row)
    }

    fn cost(&self) -> usize {
        let source: usize = self.source.iter().map(source_cost).sum();
        // Its heading, and the path above it.
        source + cost(&self.name) + cost(&self.doc) + cost(&self.path.to_string()) + 8
    }
}

/// Cost of lines with their numbers.
pub(super) fn source_cost(part: &Excerpt) -> usize {
    cost(&part.text) + 2 * (part.last_line - part.first_line + 1) as usize
}

/// Takes the best symbols until the budget for source is spent, and of each the lines that match
/// best.
fn choose_symbols(
    view: &View,
    symbols: &[SymbolCandidate],
    budget: usize,
) -> Result<Vec<LocatedSymbol>> {
    let symbols = &without_parts_of_small_symbols(symbols);
    let mut texts: BTreeMap<RepoPath, SourceText> = BTreeMap::new();
    let mut taken: BTreeMap<RepoPath, BTreeSet<u32>> = BTreeMap::new();
    let mut chosen: Vec<(LocatedSymbol, &SymbolCandidate)> = Vec::new();
    let (mut left, mut over) = (budget, 0);
    let least = least_score(symbols, budget);
    for (rank, place) in symbols.iter().take(MAX_SYMBOLS).enumerate() {
        if rank >= MIN_SYMBOLS && place.score < least {
            break;
        }
        let path = &place.symbol.path;
        if !texts.contains_key(path) {
            texts.insert(path.clone(), SourceText::read(view, path)?);
        }
        let text = &texts[path];
        let share =
            SOURCE_SHARES.get(rank).copied().unwrap_or(SOURCE_SHARES[SOURCE_SHARES.len() - 1]);
        let most = match is_large_type(place) {
            true => (budget * MAX_TYPE_PERCENT / 100).min(left),
            false => (budget * share / 100 + over).min(left),
        };
        let lines = taken.entry(path.clone()).or_default();
        let mut one = located_symbol(text, place);
        let frame = one.cost();
        if frame + 12 > most {
            break;
        }
        // A symbol that fits almost is shown whole.
        let whole = frame + source_cost(&text.excerpt(text.lines_of(&place.symbol)));
        let most = if whole <= most * ALMOST_PERCENT / 100 { whole.min(left) } else { most };
        one.source = best_lines(text, place, most - frame, lines);
        if one.source.is_empty() && !chosen.is_empty() {
            continue; // all of it is shown already
        }
        let spent = one.cost();
        over = if is_large_type(place) { over } else { most.saturating_sub(spent) };
        left = left.saturating_sub(spent);
        chosen.push((one, place));
    }
    // What is left over shows more of the best symbols.
    for (one, place) in chosen.iter_mut().filter(|(_, place)| !is_large_type(place)) {
        let text = &texts[&one.path];
        let lines = taken.entry(one.path.clone()).or_default();
        for part in &one.source {
            (part.first_line..=part.last_line).for_each(|line| {
                lines.remove(&line);
            });
        }
        let source: usize = one.source.iter().map(source_cost).sum();
        one.source = best_lines(text, place, source + left, lines);
        left = (source + left).saturating_sub(one.source.iter().map(source_cost).sum());
    }
    let mut chosen: Vec<LocatedSymbol> = chosen.into_iter().map(|(one, _)| one).collect();
    for one in &mut chosen {
        let shown = taken
            .get(&one.path)
            .map_or(0, |lines| lines.range(one.first_line..=one.last_line).count());
        let all = one.last_line - one.first_line + 1;
        one.omitted = all.saturating_sub(u32::try_from(shown).unwrap_or(u32::MAX));
    }
    Ok(chosen)
}

/// The least score of a symbol that is shown behind the first ones.
fn least_score(symbols: &[SymbolCandidate], budget: usize) -> f64 {
    let best = symbols.first().map_or(0.0, |one| one.score);
    #[expect(clippy::cast_precision_loss, reason = "budgets are small numbers")]
    let room = (budget as f64 / USUAL_SOURCE_BUDGET as f64).max(1.0);
    best * MIN_SCORE_SHARE / room
}

/// Largest share of the budget for a type with many members, in percent: of these only what
/// matches is shown.
const MAX_TYPE_PERCENT: usize = 10;

/// The number of lines above which a type is large.
const LARGE_TYPE_LINES: u32 = 25;

fn is_large_type(place: &SymbolCandidate) -> bool {
    let symbol = &place.symbol;
    let is_type = matches!(
        symbol.kind.as_str(),
        "struct" | "class" | "interface" | "enum" | "trait" | "type"
    );
    is_type && symbol.end_line.saturating_sub(symbol.line) > LARGE_TYPE_LINES
}

/// The number of lines up to which a symbol is shown whole instead of a symbol inside it.
const SMALL_SYMBOL_LINES: u32 = 30;

/// The candidates with those left out that are inside another small one, which takes their rank.
fn without_parts_of_small_symbols(symbols: &[SymbolCandidate]) -> Vec<SymbolCandidate> {
    let best: Vec<&SymbolCandidate> = symbols.iter().take(MAX_SYMBOLS).collect();
    let holds = |outer: &SymbolCandidate, inner: &SymbolCandidate| {
        let (outer, inner) = (&outer.symbol, &inner.symbol);
        let lines = outer.end_line.saturating_sub(outer.line);
        outer.path == inner.path
            && outer.id != inner.id
            && !outer.full.is_empty()
            && lines <= SMALL_SYMBOL_LINES
            && outer.line <= inner.line
            && inner.end_line <= outer.end_line
    };
    let mut kept: Vec<SymbolCandidate> = Vec::new();
    for one in best {
        let outermost =
            symbols.iter().filter(|outer| holds(outer, one)).min_by_key(|outer| outer.symbol.line);
        let shown = outermost.unwrap_or(one);
        if !kept.iter().any(|known| {
            known.symbol.path == shown.symbol.path && known.symbol.id == shown.symbol.id
        }) {
            kept.push(shown.clone());
        }
    }
    kept
}

fn located_symbol(text: &SourceText, place: &SymbolCandidate) -> LocatedSymbol {
    let symbol = &place.symbol;
    let LineRange { first, last } = text.lines_of(symbol);
    LocatedSymbol {
        node: named_node(&symbol.path, &symbol.full),
        path: symbol.path.clone(),
        name: symbol.full.clone(),
        first_line: first,
        last_line: last,
        // A comment above the name is a part of the source.
        doc: match first < symbol.line {
            true => String::new(),
            false => symbol.doc.as_deref().map(first_sentence).unwrap_or_default(),
        },
        source: Vec::new(),
        omitted: 0,
        score: (place.score * 1000.0).round() / 1000.0,
    }
}

/// The whole symbol if the budget allows, else its declaration and the ranges that match the
/// question best. Lines that were shown before are left out.
fn best_lines(
    text: &SourceText,
    place: &SymbolCandidate,
    budget: usize,
    taken: &mut BTreeSet<u32>,
) -> Vec<Excerpt> {
    let within = text.lines_of(&place.symbol);
    let choice = LineChoice {
        within,
        free: (within.first..=within.last).filter(|line| !taken.contains(line)).collect(),
        declared: place.symbol.line.max(within.first),
        weights: place.lines.iter().copied().collect(),
    };
    let lines = choice.lines(budget, |line| cost(text.line(line)) + 2);
    taken.extend(&lines);
    contiguous_ranges(&lines).into_iter().map(|range| text.excerpt(range)).collect()
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
