//! Which lines of a long source an answer shows: the declaration, and the ranges that match a question best.

use std::collections::{BTreeMap, BTreeSet};

use super::source::LineRange;

/// How many lines are shown before and after a line that matches.
const CONTEXT_LINES: u32 = 2;

/// The largest gap that is filled, because reading the left-out lines would cost another call.
const MAX_FILLED_GAP: u32 = 5;

/// How many ranges of a long symbol are shown at most.
const MAX_RANGES: usize = 3;

/// The lines to choose from.
pub(crate) struct LineChoice {
    /// All lines of the source
    pub within: LineRange,
    /// Those that are not shown yet
    pub free: BTreeSet<u32>,
    /// The line with the name, which is always shown
    pub declared: u32,
    /// How well each line matches the question
    pub weights: BTreeMap<u32, f64>,
}

impl LineChoice {
    /// All lines if the budget allows, else the declaration and the best ranges.
    pub(crate) fn lines(&self, budget: usize, price: impl Fn(u32) -> usize) -> BTreeSet<u32> {
        if self.free.iter().map(|line| price(*line)).sum::<usize>() <= budget {
            return self.free.clone();
        }
        let mut lines: BTreeSet<u32> = BTreeSet::new();
        let mut left = budget;
        let mut take = |line: u32, lines: &mut BTreeSet<u32>| {
            let is_new = self.free.contains(&line) && !lines.contains(&line);
            if is_new && left >= price(line) {
                left -= price(line);
                lines.insert(line);
            }
            left
        };
        let mut left = take(self.declared, &mut lines);
        let mut weights = self.weights.clone();
        weights.retain(|line, _| self.free.contains(line) && !lines.contains(line));
        for _ in 0..MAX_RANGES {
            let Some(best) = best_stretch(&weights, left, &price, self.within) else { break };
            for line in best.first..=best.last {
                weights.remove(&line);
                left = take(line, &mut lines);
            }
        }
        fill_small_gaps(&mut lines, &self.free);
        // A note on a few left-out lines is as long as the lines.
        match self.free.len() - lines.len() <= MAX_FILLED_GAP as usize {
            true => self.free.clone(),
            false => lines,
        }
    }
}

/// Adds the lines between two shown ones that are only a few lines apart.
fn fill_small_gaps(lines: &mut BTreeSet<u32>, free: &BTreeSet<u32>) {
    let shown: Vec<u32> = lines.iter().copied().collect();
    for pair in shown.windows(2) {
        if pair[1] - pair[0] <= MAX_FILLED_GAP + 1 {
            lines.extend((pair[0] + 1..pair[1]).filter(|line| free.contains(line)));
        }
    }
}

/// The range that matches the question best for its cost, with the lines around it.
fn best_stretch(
    weights: &BTreeMap<u32, f64>,
    budget: usize,
    price: impl Fn(u32) -> usize,
    within: LineRange,
) -> Option<LineRange> {
    let lines: Vec<(u32, f64)> = weights.iter().map(|(line, weight)| (*line, *weight)).collect();
    let mut best: Option<(f64, LineRange)> = None;
    for (at, (first, _)) in lines.iter().enumerate() {
        let (mut spent, mut sum, mut next) = (0, 0.0, *first);
        for (line, weight) in &lines[at..] {
            spent += (next..=*line).map(&price).sum::<usize>();
            if spent > budget {
                break;
            }
            (sum, next) = (sum + weight, line + 1);
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

/// Lines as ranges without gaps.
pub(crate) fn contiguous_ranges(lines: &BTreeSet<u32>) -> Vec<LineRange> {
    let mut runs: Vec<LineRange> = Vec::new();
    for &line in lines {
        match runs.last_mut() {
            Some(run) if line <= run.last + 1 => run.last = line,
            _ => runs.push(LineRange { first: line, last: line }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(lines: &BTreeSet<u32>) -> Vec<(u32, u32)> {
        contiguous_ranges(lines).iter().map(|run| (run.first, run.last)).collect()
    }

    #[test]
    fn lines_become_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10].into()), [(1, 3), (7, 7), (9, 10)]);
    }

    #[test]
    fn the_declaration_and_the_lines_that_match_are_shown() {
        let choice = LineChoice {
            within: LineRange { first: 1, last: 60 },
            free: (1..=60).collect(),
            declared: 1,
            weights: [(20, 1.0), (21, 2.0), (50, 0.5)].into(),
        };
        assert_eq!(ranges(&choice.lines(60, |_| 1)), [(1, 60)], "all of it fits");
        assert_eq!(ranges(&choice.lines(14, |_| 1)), [(1, 1), (18, 23), (48, 52)]);
    }
}
