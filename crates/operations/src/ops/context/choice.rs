//! Which symbols an answer to a question shows, and which lines of each.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use base::{RepoPath, Result};

use super::cost;
use super::located_symbol::{AlikeSymbol, LeftOutLines, LocatedSymbol, OtherSymbol, source_cost};
use crate::answers::line_choice::{LineChoice, contiguous_ranges};
use crate::answers::source::{Excerpt, LineRange, SourceText};
use crate::locate::SymbolCandidate;
use engine::areas::code::{first_sentence, named_node};
use engine::search::words;
use engine::view::View;

/// How many symbols are shown at most.
const MAX_SYMBOLS: usize = 12;

/// How many symbols are shown even if their scores are far below the best one.
const MIN_SYMBOLS: usize = 3;

/// The least score of the others, as a share of the best one, in an answer of this size in tokens. A larger answer has
/// room for less likely places.
const MIN_SCORE_SHARE: f64 = 0.3;
const USUAL_SOURCE_BUDGET: usize = 1000;

/// How much more than its share a symbol may cost to be shown whole, in percent.
const ALMOST_PERCENT: usize = 140;

/// Shares of the source budget for the best symbols, in percent. What one symbol does not use goes
/// to the next.
const SOURCE_SHARES: [usize; 5] = [34, 22, 16, 12, 8];

/// How many candidates are compared with the ones before them.
const MAX_COMPARED: usize = 40;

/// How many more candidates are named, and the share of the source budget for that, in percent.
const MAX_OTHERS: usize = 8;
const OTHERS_PERCENT: usize = 6;

/// Symbols with at most this number of lines and at least this number of words can be alike. Two
/// constants never count as alike, because they have too few words.
const MAX_ALIKE_LINES: u32 = 25;
const MIN_ALIKE_WORDS: usize = 8;

/// How many of the words of two alike symbols are in both, in percent.
const MIN_ALIKE_PERCENT: usize = 75;

/// Largest share of the budget for a type with many members, in percent. Only its matching members
/// are shown.
const MAX_TYPE_PERCENT: usize = 10;

/// The number of lines above which a type is large.
const LARGE_TYPE_LINES: u32 = 25;

/// The number of lines up to which a symbol is shown whole instead of a symbol inside it.
const SMALL_SYMBOL_LINES: u32 = 30;

/// The texts of the files that an answer shows.
#[derive(Default)]
struct FileTexts(BTreeMap<RepoPath, SourceText>);

impl FileTexts {
    fn of(&mut self, view: &View, path: &RepoPath) -> Result<&SourceText> {
        if !self.0.contains_key(path) {
            self.0.insert(path.clone(), SourceText::read(view, path)?);
        }
        Ok(&self.0[path])
    }
}

/// A candidate, and the symbols that look the same and are not shown.
struct DistinctCandidate {
    place: SymbolCandidate,
    alike: Vec<AlikeSymbol>,
}

/// Takes the best symbols until the budget for source is spent, and of each the lines that match
/// best.
pub(super) fn choose_symbols(
    view: &View,
    symbols: &[SymbolCandidate],
    budget: usize,
) -> Result<(Vec<LocatedSymbol>, Vec<OtherSymbol>)> {
    let mut texts = FileTexts::default();
    let for_others = budget * OTHERS_PERCENT / 100;
    let budget = budget - for_others;
    let symbols = without_parts_of_small_symbols(symbols);
    let symbols = &distinct(view, &mut texts, symbols)?;
    let mut taken: BTreeMap<RepoPath, BTreeSet<u32>> = BTreeMap::new();
    let mut chosen: Vec<(LocatedSymbol, &SymbolCandidate)> = Vec::new();
    let (mut left, mut over) = (budget, 0);
    let least = least_score(symbols, budget);
    for (rank, DistinctCandidate { place, alike }) in symbols.iter().take(MAX_SYMBOLS).enumerate() {
        if rank >= MIN_SYMBOLS && place.score < least {
            break;
        }
        let text = texts.of(view, &place.symbol.path)?;
        let share =
            SOURCE_SHARES.get(rank).copied().unwrap_or(SOURCE_SHARES[SOURCE_SHARES.len() - 1]);
        let most = match is_large_type(place) {
            true => (budget * MAX_TYPE_PERCENT / 100).min(left),
            false => (budget * share / 100 + over).min(left),
        };
        let lines = taken.entry(place.symbol.path.clone()).or_default();
        let mut one = located_symbol(text, place);
        one.alike.clone_from(alike);
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
    // The rest of the budget shows more of the best symbols.
    for (one, place) in chosen.iter_mut().filter(|(_, place)| !is_large_type(place)) {
        let text = texts.of(view, &one.path)?;
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
        note_left_out(one, &taken[&one.path]);
    }
    let others = other_symbols(view, &mut texts, symbols, &taken, for_others)?;
    Ok((chosen, others))
}

/// The next candidates, of which no line is shown, as far as there is room to name them.
fn other_symbols(
    view: &View,
    texts: &mut FileTexts,
    symbols: &[DistinctCandidate],
    shown: &BTreeMap<RepoPath, BTreeSet<u32>>,
    mut left: usize,
) -> Result<Vec<OtherSymbol>> {
    let mut others: Vec<OtherSymbol> = Vec::new();
    for DistinctCandidate { place, .. } in
        symbols.iter().filter(|one| !one.place.symbol.full.is_empty())
    {
        let symbol = &place.symbol;
        let LineRange { first, last } = texts.of(view, &symbol.path)?.lines_of(symbol);
        if shown.get(&symbol.path).is_some_and(|lines| lines.range(first..=last).next().is_some()) {
            continue;
        }
        let one = OtherSymbol {
            path: symbol.path.clone(),
            name: symbol.full.clone(),
            first_line: first,
            last_line: last,
        };
        let has_path =
            shown.contains_key(&one.path) || others.iter().any(|known| known.path == one.path);
        let path = if has_path { 2 } else { cost(&one.path.to_string()) + 3 };
        let price = cost(&one.text()) + path + 1;
        if price > left || others.len() >= MAX_OTHERS {
            break;
        }
        left -= price;
        others.push(one);
    }
    Ok(others)
}

/// Records which lines of a symbol are not shown, and clears its documentation if the source shows
/// it.
fn note_left_out(one: &mut LocatedSymbol, shown: &BTreeSet<u32>) {
    let hidden: BTreeSet<u32> =
        (one.first_line..=one.last_line).filter(|line| !shown.contains(line)).collect();
    one.omitted = u32::try_from(hidden.len()).unwrap_or(u32::MAX);
    let range = |range: LineRange| LeftOutLines { first_line: range.first, last_line: range.last };
    one.left_out = contiguous_ranges(&hidden).into_iter().map(range).collect();
    let says_doc = one.source.iter().any(|part| part.text.contains(one.doc.trim_end_matches('.')));
    if says_doc || one.omitted == 0 {
        one.doc.clear();
    }
}

/// The least score of a symbol that is shown behind the first ones.
fn least_score(symbols: &[DistinctCandidate], budget: usize) -> f64 {
    let best = symbols.first().map_or(0.0, |one| one.place.score);
    #[expect(clippy::cast_precision_loss, reason = "budgets are small numbers")]
    let room = (budget as f64 / USUAL_SOURCE_BUDGET as f64).max(1.0);
    best * MIN_SCORE_SHARE / room
}

fn is_large_type(place: &SymbolCandidate) -> bool {
    let symbol = &place.symbol;
    let is_type = matches!(
        symbol.kind.as_str(),
        "struct" | "class" | "interface" | "enum" | "trait" | "type"
    );
    is_type && symbol.end_line.saturating_sub(symbol.line) > LARGE_TYPE_LINES
}

/// The candidates with those left out that are inside another small one, which takes their rank.
fn without_parts_of_small_symbols(symbols: &[SymbolCandidate]) -> Vec<SymbolCandidate> {
    let best: Vec<&SymbolCandidate> = symbols.iter().take(MAX_COMPARED).collect();
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

/// Leaves out candidates whose source is nearly the same as that of a better one in the same file,
/// and lists them with that one.
fn distinct(
    view: &View,
    texts: &mut FileTexts,
    symbols: Vec<SymbolCandidate>,
) -> Result<Vec<DistinctCandidate>> {
    let mut kept: Vec<(DistinctCandidate, Option<HashSet<String>>)> = Vec::new();
    for place in symbols {
        let text = texts.of(view, &place.symbol.path)?;
        let words = source_words(text, &place);
        let same = kept.iter_mut().find(|(known, theirs)| {
            let is_near = known.place.symbol.path == place.symbol.path
                && known.place.symbol.kind == place.symbol.kind;
            is_near && is_alike(words.as_ref(), theirs.as_ref())
        });
        match same {
            Some((known, _)) => known
                .alike
                .push(AlikeSymbol { name: place.symbol.name.clone(), line: place.symbol.line }),
            None => kept.push((DistinctCandidate { place, alike: Vec::new() }, words)),
        }
    }
    Ok(kept.into_iter().map(|(one, _)| one).collect())
}

/// The words of a short symbol's source without its own name; none for a long one.
fn source_words(text: &SourceText, place: &SymbolCandidate) -> Option<HashSet<String>> {
    let LineRange { first, last } = text.lines_of(&place.symbol);
    if last - first >= MAX_ALIKE_LINES || place.symbol.full.is_empty() {
        return None;
    }
    let own = place.symbol.name.to_lowercase();
    let mut all = HashSet::new();
    words::for_each_word(text.lines(first, last), |word| {
        let word = word.to_lowercase();
        if !own.contains(&word) {
            all.insert(word);
        }
    });
    (all.len() >= MIN_ALIKE_WORDS).then_some(all)
}

fn is_alike(a: Option<&HashSet<String>>, b: Option<&HashSet<String>>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    a.intersection(b).count() * 100 >= a.union(b).count().max(1) * MIN_ALIKE_PERCENT
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
        left_out: Vec::new(),
        alike: Vec::new(),
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
