//! What is known about what changes with some files, from the line.

use std::collections::{BTreeMap, BTreeSet};

use base::{RepoPath, Result};
use store::Connection;

use super::{CochangeCommit, CochangeEvidence};
use crate::checkout;

/// Of a file with more commits than this, the newest ones count.
const MAX_OWN_COMMITS: usize = 2000;

/// So many commits of the folder are looked at, and so many of each file in it.
const MAX_FOLDER_COMMITS: usize = 60;
const MAX_COMMITS_PER_SIBLING: usize = 12;

/// In a folder with more files than this, none says much about the others.
const MAX_FOLDER_FILES: usize = 64;

/// What was gathered, with what it takes to count.
#[derive(Debug, Default)]
pub struct GatheredEvidence {
    /// For ranking
    pub evidence: CochangeEvidence,
    /// How many commits there are of the files themselves
    pub commits: u64,
    /// Whether older ones were left out
    pub is_truncated: bool,
}

/// Gathers what is known about some files: where they are now, and their artifacts. Merges, and
/// commits of more than `most` files, say nothing.
pub fn gather(conn: &Connection, asked: &[(RepoPath, i64)], most: u32) -> Result<GatheredEvidence> {
    let artifacts: BTreeSet<i64> = asked.iter().map(|(_, artifact)| *artifact).collect();
    let (own, is_cut) = own_commits(conn, &artifacts, most)?;
    let near = NearbyFiles::of(conn, asked.iter().map(|(path, _)| path))?;
    let mut around = BTreeSet::new();
    for siblings in near.folders.values().filter(|siblings| siblings.len() <= MAX_FOLDER_FILES) {
        for artifact in siblings.iter().filter(|artifact| !artifacts.contains(artifact)) {
            around.extend(checkout::countable_positions(
                conn,
                *artifact,
                (most, MAX_COMMITS_PER_SIBLING),
            )?);
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
    let evidence = CochangeEvidence { own, folder, namesakes: near.namesakes, siblings };
    Ok(GatheredEvidence { evidence, commits, is_truncated: is_cut })
}

/// The evidence of one file's own commits alone: it says what often changes with it, and costs
/// little.
pub fn gather_own(conn: &Connection, artifact: i64, most: u32) -> Result<CochangeEvidence> {
    let (own, _) = own_commits(conn, &[artifact].into(), most)?;
    Ok(CochangeEvidence { own, ..CochangeEvidence::default() })
}

/// The newest commits of some files, and whether older ones were left out.
fn own_commits(
    conn: &Connection,
    artifacts: &BTreeSet<i64>,
    most: u32,
) -> Result<(Vec<CochangeCommit>, bool)> {
    let newest = checkout::count(conn)? - 1;
    let mut own: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    for artifact in artifacts {
        checkout::each_cochanged(conn, *artifact, (most, MAX_OWN_COMMITS + 1), |pos, touched| {
            own.entry(pos).or_default().insert(touched);
        })?;
    }
    let is_cut = own.len() > MAX_OWN_COMMITS;
    let seen = |(pos, all): (i64, BTreeSet<i64>)| CochangeCommit {
        commits_ago: newest - pos,
        touched: all.into_iter().collect(),
    };
    Ok((own.into_iter().rev().take(MAX_OWN_COMMITS).map(seen).collect(), is_cut))
}

/// How many commits of an artifact count for what changes together.
pub fn countable_commits_of(conn: &Connection, artifact: i64, most: u32) -> Result<u64> {
    checkout::count_commits_of(conn, artifact, most)
}

/// How many commits count in all.
pub fn countable_commits(conn: &Connection, most: u32) -> Result<u64> {
    checkout::count_countable_commits(conn, most)
}

/// The files that are near by their place or name.
#[derive(Debug, Default)]
struct NearbyFiles {
    /// By folder
    folders: BTreeMap<RepoPath, Vec<i64>>,
    /// Whatever the folder
    namesakes: BTreeSet<i64>,
}

impl NearbyFiles {
    /// The files that share a folder or a name with some.
    fn of<'a>(conn: &Connection, asked: impl Iterator<Item = &'a RepoPath>) -> Result<Self> {
        let mut near = Self::default();
        for path in asked {
            let folder = path.parent().unwrap_or(RepoPath::ROOT);
            let siblings = checkout::siblings(conn, &folder)?;
            near.folders.insert(folder, siblings);
            near.namesakes.extend(checkout::namesakes(conn, path)?);
        }
        Ok(near)
    }
}
