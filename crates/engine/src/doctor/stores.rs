//! Every store can be opened and passes SQLite's own check.

use std::path::Path;

use base::{Call, Result};

use super::Finding;
use crate::workspace::Workspace;

pub(super) fn check(workspace: &Workspace, call: &Call) -> Result<Vec<Finding>> {
    let place = workspace.place(call)?;
    let index = workspace.index_path();
    let facts = &workspace.homes.facts;
    let rebuild = "cairn sync --full  builds it anew; nothing is lost";
    let derived = index.iter().map(|path| look("index", path, rebuild));
    let cached = [look("facts", facts, "delete it; it is only a cache")];
    let durables = workspace.areas.iter().filter_map(|area| area.durable);
    let restore = "cairn restore  brings back the last backup; keep the damaged file";
    let durable = durables.map(|store| look(store.name, &place.seen(&store), restore));
    Ok(derived.chain(cached).chain(durable).collect())
}

fn look(name: &str, path: &Path, fix: &str) -> Finding {
    if !path.exists() {
        return Finding::fine("stores", format!("{name} is not there yet"));
    }
    match store::open_reading(path).and_then(|connection| store::integrity(&connection)) {
        Ok(found) if found.is_empty() => Finding::fine("stores", format!("{name} is sound")),
        Ok(found) => Finding::error("stores", format!("{name}: {}", found[0]), fix),
        Err(problem) => Finding::error("stores", format!("{name}: {problem}"), fix),
    }
}
