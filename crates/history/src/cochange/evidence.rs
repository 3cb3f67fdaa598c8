//! Collects the evidence for co-change from the checkout history.

use std::collections::{BTreeMap, BTreeSet};

use base::{RepoPath, Result};
use store::Connection;

use super::{CochangeCommit, CochangeEvidence};
use crate::checkout::{self, ArtifactId, CommitLimits};

/// How many of the newest commits of a file count.
const MAX_OWN_COMMITS: usize = 2000;

/// How many of the newest commits of a folder count.
const MAX_FOLDER_COMMITS: usize = 60;

/// How many of the newest commits of each file in the folder count.
const MAX_COMMITS_PER_SIBLING: usize = 12;

/// Maximum size of a folder whose files count as evidence for each other.
const MAX_FOLDER_FILES: usize = 64;

/// Evidence for ranking, with commit counts.
#[derive(Debug, Default)]
pub struct GatheredEvidence {
    /// The evidence
    pub evidence: CochangeEvidence,
    /// How many commits of the given files it contains
    pub commits: u64,
    /// Whether older commits were left out
    pub is_truncated: bool,
}

/// A file with its artifact.
#[derive(Debug, Clone)]
pub struct FileArtifact {
    /// Its current path
    pub path: RepoPath,
    /// Its artifact
    pub artifact: ArtifactId,
}

/// Gathers the evidence for some files. Merges and commits of more than `max_files` files do not
/// count.
pub fn gather(
    conn: &Connection,
    files: &[FileArtifact],
    max_files: u32,
) -> Result<GatheredEvidence> {
    let artifacts: BTreeSet<ArtifactId> = files.iter().map(|file| file.artifact).collect();
    let (own, is_cut) = own_commits(conn, &artifacts, max_files)?;
    let near = NearbyFiles::of(conn, files.iter().map(|file| &file.path))?;
    let limits = CommitLimits { max_files, max_commits: MAX_COMMITS_PER_SIBLING };
    let mut around = BTreeSet::new();
    for siblings in near.folders.values().filter(|siblings| siblings.len() <= MAX_FOLDER_FILES) {
        for artifact in siblings.iter().filter(|artifact| !artifacts.contains(artifact)) {
            around.extend(checkout::countable_positions(conn, *artifact, limits)?);
        }
    }
    let newest = checkout::count(conn)? - 1;
    let around = around.into_iter().rev().take(MAX_FOLDER_COMMITS).map(|pos| {
        Ok(CochangeCommit {
            commits_ago: newest - pos,
            touched: checkout::artifacts_at(conn, pos)?,
        })
    });
    let (commits, folder) = (own.len() as u64, around.collect::<Result<_>>()?);
    let siblings = near.folders.into_values().flatten().collect();
    let evidence = CochangeEvidence {
        own,
        folder,
        artifacts_with_same_stem: near.artifacts_with_same_stem,
        siblings,
    };
    Ok(GatheredEvidence { evidence, commits, is_truncated: is_cut })
}

/// The evidence of one file's own commits alone, which is cheap to collect.
pub fn gather_own(conn: &Connection, artifact: ArtifactId, most: u32) -> Result<CochangeEvidence> {
    let (own, _) = own_commits(conn, &[artifact].into(), most)?;
    Ok(CochangeEvidence { own, ..CochangeEvidence::default() })
}

/// The newest commits of some files, and whether older commits were left out.
fn own_commits(
    conn: &Connection,
    artifacts: &BTreeSet<ArtifactId>,
    most: u32,
) -> Result<(Vec<CochangeCommit>, bool)> {
    let newest = checkout::count(conn)? - 1;
    let mut own: BTreeMap<i64, BTreeSet<ArtifactId>> = BTreeMap::new();
    for artifact in artifacts {
        let limits = CommitLimits { max_files: most, max_commits: MAX_OWN_COMMITS + 1 };
        checkout::each_cochanged(conn, *artifact, limits, |pos, touched| {
            own.entry(pos).or_default().insert(touched);
        })?;
    }
    let is_cut = own.len() > MAX_OWN_COMMITS;
    let seen = |(pos, all): (i64, BTreeSet<ArtifactId>)| CochangeCommit {
        commits_ago: newest - pos,
        touched: all.into_iter().collect(),
    };
    Ok((own.into_iter().rev().take(MAX_OWN_COMMITS).map(seen).collect(), is_cut))
}

/// How many commits of an artifact count for co-change.
pub fn countable_commits_of(conn: &Connection, artifact: ArtifactId, most: u32) -> Result<u64> {
    checkout::count_commits_of(conn, artifact, most)
}

/// How many commits count for co-change.
pub fn countable_commits(conn: &Connection, most: u32) -> Result<u64> {
    checkout::count_countable_commits(conn, most)
}

/// The files with the same folder or a similar name.
#[derive(Debug, Default)]
struct NearbyFiles {
    /// Artifacts by folder
    folders: BTreeMap<RepoPath, Vec<ArtifactId>>,
    /// Artifacts with a similar name, in any folder
    artifacts_with_same_stem: BTreeSet<ArtifactId>,
}

impl NearbyFiles {
    /// The files that share a folder or a name with the given ones.
    fn of<'a>(conn: &Connection, asked: impl Iterator<Item = &'a RepoPath>) -> Result<Self> {
        let mut near = Self::default();
        for path in asked {
            let folder = path.parent().unwrap_or(RepoPath::ROOT);
            let siblings = checkout::siblings(conn, &folder)?;
            near.folders.insert(folder, siblings);
            near.artifacts_with_same_stem.extend(checkout::artifacts_with_same_stem(conn, path)?);
        }
        Ok(near)
    }
}
