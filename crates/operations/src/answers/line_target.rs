//! Targets that name lines of a file: `src/a.rs:10-40`.

use base::{Problem, RepoPath, Result};

use super::source::LineRange;
use engine::areas::files;
use engine::contract::args::NodeTarget;
use engine::graph;
use engine::view::View;

/// The file and the lines of a target such as `src/a.rs:10-40`; of `src/a.rs:10`, the innermost
/// symbol around that line.
pub(crate) fn line_target(view: &View, target: &str) -> Result<Option<(RepoPath, LineRange)>> {
    let Some((path, lines)) = target.trim().rsplit_once(':') else { return Ok(None) };
    let (first, last) = match lines.split_once(['-', ',']) {
        Some((first, last)) => (first, Some(last)),
        None => (lines, None),
    };
    let Ok(first) = first.trim().parse::<u32>() else { return Ok(None) };
    let typed = path.strip_prefix("file:").unwrap_or(path);
    let found = files::files_matching(view, typed)?;
    let path = match found.as_slice() {
        [path] => path,
        [] => return Ok(None),
        // The problem lists the files that may be meant.
        _ => {
            let target = typed.parse::<NodeTarget>().map_err(Problem::invalid)?;
            return graph::resolve(view, &target).map(|_| None);
        }
    };
    let refused = |why: &str| {
        Problem::invalid(format!("`{lines}` {why}")).hint("lines are numbered from 1: path:10-40")
    };
    if first == 0 {
        return Err(refused("starts at line 0"));
    }
    let range = match last {
        Some(last) => {
            let last = last.trim().parse().map_err(|_| refused("is not a range of lines"))?;
            LineRange { first, last }
        }
        None => lines_around(view, path, first)?,
    };
    if range.last < range.first {
        return Err(refused("ends before it starts"));
    }
    Ok(Some((path.clone(), range)))
}

/// Lines around one outside of any symbol.
const CONTEXT_LINES: u32 = 10;

fn lines_around(view: &View, path: &RepoPath, line: u32) -> Result<LineRange> {
    let rows = code::symbols_in_file(view.index()?.conn(), path)?;
    let holding = rows.iter().filter(|row| row.line <= line && line <= row.end_line);
    let inner = holding.min_by_key(|row| row.end_line - row.line);
    Ok(match inner {
        Some(row) => LineRange { first: row.line, last: row.end_line },
        None => LineRange {
            first: line.saturating_sub(CONTEXT_LINES).max(1),
            last: line + CONTEXT_LINES,
        },
    })
}
