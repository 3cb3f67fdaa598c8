//! The declarations of one symbol: its signatures and its body, and which of them are adjacent.

use super::extent::declaration_span;
use super::{DocTarget, EditRefusal, find_owner};
use crate::Language;
use crate::line_index::offset;
use crate::model::FileFacts;

/// The starts of lines between two declarations that belong to neither.
const COMMENT_MARKERS: [&str; 4] = ["//", "/*", "*", "#"];

/// The declarations of a symbol, grouped by adjacency.
pub(super) struct DeclarationGroups {
    /// Those adjacent to the body
    pub main: Vec<u32>,
    /// The others, group by group
    pub detached: Vec<Vec<u32>>,
}

/// The declarations of the symbol that has this path.
pub(super) fn groups_of_path(
    language: Language,
    text: &str,
    facts: &FileFacts,
    path: &str,
) -> Result<DeclarationGroups, EditRefusal> {
    let first = find_owner(facts, DocTarget::Symbol(path))?.unwrap_or_default();
    let mut runs = contiguous_groups(language, text, facts, first);
    let stands_for_it =
        |run: &Vec<u32>| run.iter().any(|at| !facts.symbols[*at as usize].is_overload());
    let main = runs.iter().position(stands_for_it).unwrap_or_default();
    Ok(DeclarationGroups { main: runs.swap_remove(main), detached: runs })
}

/// The declarations adjacent to one.
pub(super) fn group_of_declaration(
    language: Language,
    text: &str,
    facts: &FileFacts,
    one: u32,
) -> Vec<u32> {
    let runs = contiguous_groups(language, text, facts, one);
    runs.into_iter().find(|run| run.contains(&one)).unwrap_or_else(|| vec![one])
}

fn contiguous_groups(language: Language, text: &str, facts: &FileFacts, one: u32) -> Vec<Vec<u32>> {
    let path = &facts.symbols[one as usize].path;
    let span = |at: u32| declaration_span(language, text, &facts.symbols[at as usize]);
    let mut all: Vec<u32> = (0..facts.symbols.len())
        .filter(|at| facts.symbols[*at].path == *path)
        .map(offset)
        .collect();
    all.sort_by_key(|at| span(*at).start);
    let mut runs: Vec<Vec<u32>> = Vec::new();
    for at in all {
        let follows = |run: &&mut Vec<u32>| {
            let end = run.last().map(|last| span(*last).end);
            end.is_some_and(|end| {
                text.get(end as usize..span(at).start as usize).is_some_and(is_blank_or_comment)
            })
        };
        match runs.last_mut().filter(follows) {
            Some(run) => run.push(at),
            None => runs.push(vec![at]),
        }
    }
    runs
}

/// Whether a range contains only white space, punctuation and comments.
fn is_blank_or_comment(text: &str) -> bool {
    let is_one = |line: &str| COMMENT_MARKERS.iter().any(|mark| line.starts_with(mark));
    text.lines().map(|line| line.trim().trim_start_matches([';', ','])).all(|line| {
        let line = line.trim();
        line.is_empty() || is_one(line)
    })
}
