//! Every store can be opened and passes SQLite's own check.

use std::path::Path;

use base::{Call, Hint, NextCall, Result};

use super::Finding;
use crate::workspace::Workspace;

pub(super) fn check(workspace: &Workspace, call: &Call) -> Result<Vec<Finding>> {
    let place = workspace.place(call)?;
    let index = workspace.index_path();
    let facts = &workspace.homes.facts;
    let rebuild = NextCall::to("sync").with("full", true);
    let rebuild = Hint::call("nothing is lost; it is built again by", rebuild);
    let derived = index.iter().map(|path| look("index", path, &rebuild));
    let cached = [look("facts", facts, &"delete it; it is only a cache".into())];
    let durables = workspace.areas.iter().filter_map(|area| area.durable);
    let restore =
        Hint::call("keep the damaged file; backups are put back by", NextCall::to("restore"));
    let durable = durables.map(|store| look(store.name, &place.seen(&store), &restore));
    Ok(derived.chain(cached).chain(durable).collect())
}

fn look(name: &str, path: &Path, fix: &Hint) -> Finding {
    if !path.exists() {
        return Finding::fine("stores", format!("{name} is not there yet"));
    }
    match store::open_reading(path).and_then(|connection| store::integrity(&connection)) {
        Ok(found) if found.is_empty() => Finding::fine("stores", format!("{name} is sound")),
        Ok(found) => Finding::error("stores", format!("{name}: {}", found[0]), fix.clone()),
        Err(problem) => Finding::error("stores", format!("{name}: {problem}"), fix.clone()),
    }
}
