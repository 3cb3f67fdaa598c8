//! The identity of a repository, by which a backup of another repository is recognised.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use base::{Call, Problem, Result};
use serde::{Deserialize, Serialize};
use store::BackupNotes;

use crate::repository::Repository;

/// The file that keeps it, in the folder that all worktrees share.
const FILE: &str = "repository.json";

/// The notes of a backup that identify its repository.
const REPOSITORY_NOTE: &str = "repository";
const ROOTS_NOTE: &str = "roots";

/// A repository, identified by a name of its own and by the root commits that were seen in its
/// history.
///
/// The root commits are the same in every clone, so a backup can be put back in another clone. The
/// name is for a repository without commits, and for a folder that is not a git repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RepositoryIdentity {
    id: String,
    roots: BTreeSet<String>,
}

impl RepositoryIdentity {
    /// The identity of the repository whose shared folder this is; made if it has none yet.
    pub(crate) fn of(shared: &Path, git: Option<&Repository>, call: &Call) -> Result<Self> {
        let known = read(shared);
        let mut identity = match &known {
            Some(known) => known.clone(),
            None => Self { id: random_id()?, roots: BTreeSet::new() },
        };
        if let Some(git) = git {
            identity.roots.extend(git.root_commit(call)?);
        }
        if known.as_ref() == Some(&identity) {
            return Ok(identity);
        }
        // If the file cannot be written, the root commits identify the repository.
        let _ = identity.write(shared, known.is_none());
        Ok(read(shared).filter(|kept| kept.roots == identity.roots).unwrap_or(identity))
    }

    /// What a backup says about the repository it was taken in.
    pub(crate) fn notes(&self) -> BackupNotes {
        let roots: Vec<&str> = self.roots.iter().map(String::as_str).collect();
        BackupNotes::from([
            (REPOSITORY_NOTE.into(), self.id.clone()),
            (ROOTS_NOTE.into(), roots.join(" ")),
        ])
    }

    /// Whether a backup with these notes was taken in this repository; `None` if it does not say.
    pub(crate) fn made_backup(&self, notes: &BackupNotes) -> Option<bool> {
        let id = notes.get(REPOSITORY_NOTE)?;
        Some(*id == self.id || roots(notes).any(|root| self.roots.contains(root)))
    }

    /// The root commit of this repository, for a message.
    pub(crate) fn root(&self) -> Option<&str> {
        self.roots.first().map(String::as_str)
    }

    fn write(&self, shared: &Path, is_new: bool) -> std::io::Result<()> {
        fs::create_dir_all(shared)?;
        let (file, temp) = (shared.join(FILE), shared.join(format!("{}.new", self.id)));
        fs::write(&temp, serde_json::to_vec_pretty(self)?)?;
        fs::File::open(&temp)?.sync_all()?;
        let done = match is_new {
            true => fs::hard_link(&temp, &file), // the first of several processes decides
            false => fs::rename(&temp, &file),
        };
        let _ = fs::remove_file(&temp);
        done
    }
}

/// The root commit that a backup names, for a message.
pub(crate) fn root_of(notes: &BackupNotes) -> Option<&str> {
    roots(notes).next()
}

fn roots(notes: &BackupNotes) -> impl Iterator<Item = &str> {
    notes.get(ROOTS_NOTE).into_iter().flat_map(|roots| roots.split_whitespace())
}

fn read(shared: &Path) -> Option<RepositoryIdentity> {
    let file = shared.join(FILE);
    tree::require_regular(&file).ok()?; // nor a link
    serde_json::from_slice(&tree::read_regular(&file, MAX_FILE_BYTES).ok()?).ok()
}

/// The maximum size of the file, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

fn random_id() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Problem::internal("no source of randomness").with_source(error.to_string())
    })?;
    Ok(hex::encode(bytes))
}
