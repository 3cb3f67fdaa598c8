//! The stores of all branches: what each contains, and what is not merged yet.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use base::{Call, NextCall, Problem, ProblemCode, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::DURABLE;
use crate::connection_pool::PooledConnection;
use crate::durable::branches;
use crate::durable::locations::{BranchStoreFolder, StoreLocations};
use crate::durable::owner::StoreOwner;
use crate::repository::Repository;

/// A branch's store
#[derive(Debug, Serialize, JsonSchema)]
pub struct BranchRow {
    /// The branch, or the commit that was checked out without one
    pub branch: String,
    /// Whether it is the store that is read now
    pub current: bool,
    /// Whether new branches start from it
    pub default: bool,
    /// Whether the branch exists, or a worktree is at the commit
    pub exists: bool,
    /// The present name of a renamed branch whose store could not be moved, because that name had a
    /// store
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_to: Option<String>,
    /// Entities that agents wrote
    pub entities: u64,
    /// Relations that agents wrote
    pub relations: u64,
    /// Changesets in its log
    pub changesets: u64,
    /// Changesets that the default branch's store has not
    pub unmerged: u64,
    /// Bytes on disk
    pub bytes: u64,
    /// What is wrong with it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// All branches' stores, with their folders.
pub fn all_branch_stores(
    place: &StoreLocations,
    git: Option<&Repository>,
    call: &Call,
) -> Result<Vec<(BranchRow, BranchStoreFolder)>> {
    let (Some(own), Some(default)) = (place.checked_out(), place.default_branch()) else {
        return Ok(Vec::new());
    };
    let default = &StoreOwner::Branch(default.name.clone());
    let kept = place.branches_with_store(&DURABLE)?;
    let there = ExistingOwners::look(place, git, &kept, call)?;
    let known = match kept.iter().find(|kept| kept.owner == *default) {
        Some(kept) => {
            read(&kept.file(&DURABLE)).and_then(|conn| kb::uids(&conn)).unwrap_or_default()
        }
        None => Vec::new(),
    };
    let known: BTreeSet<kb::LogUid> = known.into_iter().collect();
    let row = |kept: BranchStoreFolder| {
        let file = kept.file(&DURABLE);
        let held = read(&file).and_then(|conn| {
            let new = kb::uids(&conn)?.iter().filter(|uid| !known.contains(*uid)).count() as u64;
            Ok((Some(kb::counts(&conn)?), new))
        });
        let problem = held.as_ref().err().map(ToString::to_string);
        let (counts, unmerged) = held.unwrap_or_default();
        let row = BranchRow {
            branch: kept.owner.display_name().to_owned(),
            current: kept.owner == *own || place.renamed_to(&kept.owner) == Some(own),
            default: kept.owner == *default,
            exists: there.exists.contains(&kept.owner),
            renamed_to: there.renamed.get(kept.owner.display_name()).cloned(),
            entities: counts.map_or(0, |counts| counts.entities),
            relations: counts.map_or(0, |counts| counts.relations),
            changesets: counts.map_or(0, |counts| counts.log_entries),
            unmerged: if kept.owner == *default { 0 } else { unmerged },
            bytes: bytes(&kept.folder),
            problem,
        };
        (row, kept)
    };
    Ok(kept.into_iter().map(row).collect())
}

/// The owners of stores that still exist.
#[derive(Default)]
struct ExistingOwners {
    exists: BTreeSet<StoreOwner>,
    /// Present names by former names
    renamed: BTreeMap<String, String>,
}

impl ExistingOwners {
    fn look(
        place: &StoreLocations,
        git: Option<&Repository>,
        kept: &[BranchStoreFolder],
        call: &Call,
    ) -> Result<Self> {
        let Some(git) = git else { return Ok(Self::default()) };
        let list = git.branch_list(call)?;
        let is_there = |owner: &&StoreOwner| {
            branches::exists(&list, owner) || place.renamed_to(owner).is_some()
        };
        let owners = || kept.iter().map(|kept| &kept.owner);
        let exists: BTreeSet<StoreOwner> = owners().filter(is_there).cloned().collect();
        let gone = owners()
            .filter(|owner| !exists.contains(owner))
            .map(StoreOwner::display_name)
            .collect();
        let renamed = branches::renamed_branches(git, &list, &gone, call)?;
        Ok(Self { exists, renamed })
    }
}

/// A branch's store for reading, by the branch's name.
pub fn open(place: &StoreLocations, branch: &str) -> Result<PooledConnection> {
    let kept = place.branches_with_store(&DURABLE)?;
    let names: Vec<&str> = kept.iter().map(|kept| kept.owner.display_name()).collect();
    if let Some(kept) = kept.iter().find(|kept| kept.owner.display_name() == branch) {
        return read(&kept.file(&DURABLE));
    }
    let problem = Problem::not_found(format!("{branch} has no knowledge base of its own"));
    let problem = problem.hint_near(branch, names);
    Err(problem.hint_call("those that have one are listed by", NextCall::new("kb.branches")))
}

fn read(file: &Path) -> Result<PooledConnection> {
    match DURABLE.open_reader(file)? {
        Some(reading) => Ok(reading.conn),
        None => Err(Problem::new(ProblemCode::NotFound, "the store does not exist")),
    }
}

fn bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|entry| entry.metadata().ok()).map(|known| known.len()).sum()
}
