//! The answer to a question in plain words: the best matching places, with their source, and the
//! tests, documents and callers that go with them.

use std::collections::{BTreeMap, BTreeSet};

use base::words::counted;
use base::{EntityRef, NextCall, RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::cost;
use crate::answers::callers;
use crate::answers::role::FileRole;
use crate::answers::source::{Excerpt, LineRange, SourceText, omitted_lines_text};
use crate::answers::test_finder::{SEARCH_METHODS, TestFile, tests_for};
use crate::locate::{FileCandidate, LocateResult, SymbolCandidate};
use engine::areas::code::{first_sentence, named_node};
use engine::areas::history::HistoryReader;
use engine::contract::page::{Page, PageCell};
use engine::view::View;

/// How many symbols are shown at most.
const MAX_SYMBOLS: usize = 12;

/// Shares of the source budget for the best symbols, in percent; what one leaves over goes to
/// the next.
const SOURCE_SHARES: [usize; 5] = [34, 22, 16, 12, 8];

/// Largest share of the budget for everything but source, in percent.
const MAX_REST_PERCENT: usize = 30;

/// Cost of the first line, the headings and the basis.
const FRAME_COST: usize = 45;

/// How many of the best files are looked through for documents.
const MAX_FILES_SEARCHED_FOR_DOCUMENTS: usize = 40;

/// How many lines are shown before and after a line that matches the question.
const CONTEXT_LINES: u32 = 2;

/// How many symbols have their tests searched for.
const MAX_TESTED_SYMBOLS: usize = 3;

/// How many tests, documents and callers are named.
const MAX_NAMED: usize = 4;

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
        let is_document = |place: &&FileCandidate| FileRole::of(&place.path) == FileRole::Document;
        let documents =
            located.files.iter().take(MAX_FILES_SEARCHED_FOR_DOCUMENTS).filter(is_document);
        let documents = documents.take(MAX_NAMED);
        let documents = documents
            .map(|place| LocatedDocument::of(view, &place.path, &located.symbols))
            .collect();
        let changes_together = match located.files.first() {
            Some(first) => cochanged_files(view, &first.path)?,
            None => Vec::new(),
        };
        let mut answer = Self { symbols: Vec::new(), tests, documents, callers, changes_together };
        let rest = answer.cut_rest(budget * MAX_REST_PERCENT / 100);
        answer.symbols =
            choose_symbols(view, &located.symbols, budget.saturating_sub(rest + FRAME_COST))?;
        let shown: BTreeSet<&RepoPath> = answer.symbols.iter().map(|one| &one.path).collect();
        answer.documents.retain(|document| !shown.contains(&document.path));
        Ok(answer)
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
        let row = |test: &TestFile| {
            vec![PageCell::handle(&test.path), PageCell::faint(test.found_by_text())]
        };
        let tests: Vec<Vec<PageCell>> = self.tests.iter().take(MAX_NAMED).map(row).collect();
        if !tests.is_empty() {
            page.say("Tests");
            page.table(2, tests);
        }
        if !self.documents.is_empty() {
            let row = |document: &LocatedDocument| {
                vec![PageCell::handle(document.place()), PageCell::faint(&document.text)]
            };
            page.say("Documents");
            page.table(2, self.documents.iter().map(row).collect());
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

    /// Cuts everything but the source to its share of the budget, and returns what that
    /// costs. Tests come first.
    fn cut_rest(&mut self, budget: usize) -> usize {
        let mut left = budget;
        let price =
            |test: &TestFile| cost(&test.found_by_text()) + cost(&test.path.to_string()) + 2;
        let mut shown = 0;
        self.tests.retain(|test| {
            shown += 1;
            shown > MAX_NAMED || try_spend(&mut left, price(test))
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

fn try_spend(left: &mut usize, price: usize) -> bool {
    let enough = *left >= price;
    *left -= if enough { price } else { 0 };
    enough
}

impl LocatedSymbol {
    fn render(&self, page: &mut Page) {
        let lines = format!("{}–{}", self.first_line, self.last_line);
        let name = if self.name.is_empty() { "(file)" } else { &self.name };
        let mut row = vec![PageCell::strong(name), PageCell::faint(lines)];
        if !self.doc.is_empty() {
            row.push(PageCell::faint(&self.doc));
        }
        page.table(2, vec![row]);
        for part in &self.source {
            page.source(&part.text, part.first_line);
        }
        if self.omitted > 0 {
            let more = self.omitted;
            let target = match self.name.as_str() {
                "" => self.path.to_string(),
                name => format!("{}#{name}", self.path),
            };
            let next = NextCall::new("code.show").with("targets", vec![target]);
            page.say_call(omitted_lines_text(more), next);
        }
    }

    fn cost(&self) -> usize {
        let source: usize = self.source.iter().map(source_cost).sum();
        // Its heading, and the call that shows the rest.
        source + cost(&self.name) * 2 + cost(&self.doc) + cost(&self.path.to_string()) + 14
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
    for (rank, place) in symbols.iter().take(MAX_SYMBOLS).enumerate() {
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
    let LineRange { first, last } = text.lines_of(&place.symbol);
    let free: Vec<u32> = (first..=last).filter(|line| !taken.contains(line)).collect();
    let price = |line: &u32| cost(text.line(*line)) + 2;
    let mut lines: BTreeSet<u32> = BTreeSet::new();
    if free.iter().map(price).sum::<usize>() <= budget {
        lines.extend(&free);
    } else {
        let mut left = budget;
        let declared = place.symbol.line.max(first);
        if free.contains(&declared) && try_spend(&mut left, price(&declared)) {
            lines.insert(declared);
        }
        let mut says: BTreeMap<u32, f64> = place.lines.iter().copied().collect();
        says.retain(|line, _| free.contains(line) && !lines.contains(line));
        for _ in 0..MAX_STRETCHES {
            let Some(best) = best_stretch(&says, left, price, LineRange { first, last }) else {
                break;
            };
            for line in best.first..=best.last {
                says.remove(&line);
                if free.contains(&line)
                    && !lines.contains(&line)
                    && try_spend(&mut left, price(&line))
                {
                    lines.insert(line);
                }
            }
        }
    }
    fill_small_gaps(&mut lines, &free);
    taken.extend(&lines);
    contiguous_ranges(&lines).into_iter().map(|range| text.excerpt(range)).collect()
}

/// The largest gap that is filled: leaving it out would cost a reader another call.
const MAX_FILLED_GAP: u32 = 5;

/// Adds the lines between two shown ones that are only a few lines apart.
fn fill_small_gaps(lines: &mut BTreeSet<u32>, free: &[u32]) {
    let shown: Vec<u32> = lines.iter().copied().collect();
    for pair in shown.windows(2) {
        if pair[1] - pair[0] <= MAX_FILLED_GAP + 1 {
            lines.extend((pair[0] + 1..pair[1]).filter(|line| free.contains(line)));
        }
    }
}

/// How many ranges of a long symbol are shown at most.
const MAX_STRETCHES: usize = 3;

/// The range that matches the question best for its cost, with the lines around it.
fn best_stretch(
    says: &BTreeMap<u32, f64>,
    budget: usize,
    price: impl Fn(&u32) -> usize,
    within: LineRange,
) -> Option<LineRange> {
    let lines: Vec<(u32, f64)> = says.iter().map(|(line, says)| (*line, *says)).collect();
    let mut best: Option<(f64, LineRange)> = None;
    for (at, (first, _)) in lines.iter().enumerate() {
        let (mut spent, mut sum, mut next) = (0, 0.0, *first);
        for (line, says) in &lines[at..] {
            spent += (next..=*line).map(|line| price(&line)).sum::<usize>();
            if spent > budget {
                break;
            }
            (sum, next) = (sum + says, line + 1);
            if best.as_ref().is_none_or(|(most, _)| sum > *most) {
                best = Some((sum, LineRange { first: *first, last: *line }));
            }
        }
    }
    best.map(|(_, LineRange { first, last })| LineRange {
        first: first.saturating_sub(CONTEXT_LINES).max(within.first),
        last: (last + CONTEXT_LINES).min(within.last),
    })
}

/// Lines as ranges without gaps; a gap of one line is not worth a break.
fn contiguous_ranges(lines: &BTreeSet<u32>) -> Vec<LineRange> {
    let mut runs: Vec<LineRange> = Vec::new();
    for &line in lines {
        match runs.last_mut() {
            Some(run) if line <= run.last + 1 => run.last = line,
            _ => runs.push(LineRange { first: line, last: line }),
        }
    }
    runs
}

/// The files that usually change with one, most often first.
fn cochanged_files(view: &View, path: &RepoPath) -> Result<Vec<CochangedFileRow>> {
    let Some(history) = HistoryReader::open_if_ready(view)? else { return Ok(Vec::new()) };
    let Some(artifact) = history.artifact_at(path)? else { return Ok(Vec::new()) };
    let of = history.counted_commits_of(view, artifact.id)?;
    let often = history.frequent_partners(artifact.id, MIN_SHARED_COMMITS, MAX_NAMED)?;
    let row = |one: engine::areas::history::CochangedFile| CochangedFileRow {
        path: one.path,
        commits: one.partner.count,
        of,
    };
    Ok(often.into_iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_ranges() {
        let lines: BTreeSet<u32> = [1, 2, 3, 7, 9, 10].into();
        let found: Vec<(u32, u32)> =
            contiguous_ranges(&lines).iter().map(|run| (run.first, run.last)).collect();
        assert_eq!(found, [(1, 3), (7, 7), (9, 10)]);
    }
}
