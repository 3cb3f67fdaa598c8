//! Which of many files have a test. It finds what [`super::test_finder`] finds for each of them, but
//! stops at the first test of a file and follows the calls of all files in one walk. A file that
//! declares tests itself has some, too.

use std::collections::BTreeSet;

use base::{EntityRef, RepoPath, Result};

use super::role::is_test_file;
use super::test_finder::{CALL_HOPS, TestNodes, call_edges, has_test_by_commits, has_test_by_stem};
use engine::graph::walk::{WalkKind, WalkOptions, starts_that_reach};
use engine::view::View;

/// The files of `files` for which a test was found.
pub(crate) fn tested_files(view: &View, files: &[RepoPath]) -> Result<BTreeSet<RepoPath>> {
    let (mut tested, mut open) = (BTreeSet::new(), Vec::new());
    for path in files {
        let known = is_test_file(path)
            || declares_test(view, path)?
            || has_test_by_stem(view, path)?
            || has_test_by_commits(view, path)?;
        match known {
            true => drop(tested.insert(path.clone())),
            false => open.push(path),
        }
    }
    let starts: Vec<Vec<EntityRef>> =
        open.iter().map(|path| with_parts(view, path)).collect::<Result<_>>()?;
    let filter = call_edges();
    let options = WalkOptions::new(WalkKind::Impact, CALL_HOPS, &filter);
    let tests = TestNodes::for_lookups(view, usize::MAX)?;
    let reached = starts_that_reach(view, &starts, options, |node| tests.contains(node))?;
    tested.extend(reached.into_iter().map(|at| open[at].clone()));
    Ok(tested)
}

fn declares_test(view: &View, path: &RepoPath) -> Result<bool> {
    let symbols = code::symbols_in_file(view.index()?.conn(), path)?;
    Ok(symbols.iter().any(|symbol| symbol.is_test))
}

/// A file and what it declares.
fn with_parts(view: &View, path: &RepoPath) -> Result<Vec<EntityRef>> {
    let module = EntityRef::Module(path.clone());
    let mut nodes = Vec::new();
    for area in view.graph_areas() {
        nodes.extend(area.parts(view, &module)?);
    }
    nodes.push(module);
    Ok(nodes)
}
