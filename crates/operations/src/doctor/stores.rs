//! Checks that every store can be opened and passes SQLite's own check.

use std::path::Path;

use base::{Call, Hint, NextCall, Result};

use super::DoctorFinding;
use engine::workspace::Workspace;

pub(super) fn check(workspace: &Workspace, call: &Call) -> Result<Vec<DoctorFinding>> {
    let place = workspace.store_locations(call)?;
    let index = workspace.index_path();
    let facts = &workspace.data_folders.facts;
    let rebuild = NextCall::new("sync").with("full", true);
    let rebuild = Hint::call("nothing is lost; it is built again by", rebuild);
    let derived = index.iter().map(|path| check_store("index", path, &rebuild));
    let cached = [check_store("facts", facts, &"delete it; it is only a cache".into())];
    let durables = workspace.areas.iter().filter_map(|area| area.durable);
    let restore =
        Hint::call("keep the damaged file; backups are put back by", NextCall::new("restore"));
    let durable = durables.map(|store| check_store(store.name, &place.read_path(&store), &restore));
    Ok(derived.chain(cached).chain(durable).collect())
}

fn check_store(name: &str, path: &Path, fix: &Hint) -> DoctorFinding {
    if !path.exists() {
        return DoctorFinding::fine("stores", format!("{name} does not exist yet"));
    }
    match store::open_read_only(path).and_then(|connection| store::check_integrity(&connection)) {
        Ok(found) if found.is_empty() => DoctorFinding::fine("stores", format!("{name} is valid")),
        Ok(found) => DoctorFinding::error("stores", format!("{name}: {}", found[0]), fix.clone()),
        Err(problem) => DoctorFinding::error("stores", format!("{name}: {problem}"), fix.clone()),
    }
}
