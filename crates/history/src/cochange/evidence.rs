//! What is known about what changes with some files, from the line.

use std::collections::{BTreeMap, BTreeSet};

use base::{RepoPath, Result};
use store::Connection;

use super::{Evidence, Seen};
use crate::line;

/// Of a file with more commits than this, the newest ones count.
const OWN: usize = 2000;

/// So many commits of the folder are looked at, and so many of each file in it.
const FOLDER: usize = 60;
const OF_EACH: usize = 12;

/// In a folder with more files than this, none says much about the others.
const CROWD: usize = 64;

/// What was gathered, with what it takes to count.
#[derive(Debug, Default)]
pub struct Found {
    /// For ranking
    pub evidence: Evidence,
    /// How many commits there are of the files themselves
    pub commits: u64,
    /// Whether older ones were left out
    pub is_cut: bool,
}

/// Gathers what is known about some files: where they are now, and their artifacts. Merges, and
/// commits of more than `most` files, say nothing.
pub fn gather(conn: &Connection, asked: &[(RepoPath, i64)], most: u32) -> Result<Found> {
    let artifacts: BTreeSet<i64> = asked.iter().map(|(_, artifact)| *artifact).collect();
    let (own, is_cut) = own_commits(conn, &artifacts, most)?;
    let near = Near::of(conn, asked.iter().map(|(path, _)| path))?;
    let mut around = BTreeSet::new();
    for siblings in near.folders.values().filter(|siblings| siblings.len() <= CROWD) {
        for artifact in siblings.iter().filter(|artifact| !artifacts.contains(artifact)) {
            around.extend(line::stops_of(conn, *artifact, (most, OF_EACH))?);
        }
    }
    let newest = line::count(conn)? - 1;
    let around = around
        .into_iter()
        .rev()
        .take(FOLDER)
        .map(|pos| Ok(Seen { ago: newest - pos, touched: line::artifacts_at(conn, pos)? }));
    let (commits, folder) = (own.len() as u64, around.collect::<Result<_>>()?);
    let siblings = near.folders.into_values().flatten().collect();
    let evidence = Evidence { own, folder, namesakes: near.namesakes, siblings };
    Ok(Found { evidence, commits, is_cut })
}

/// The evidence of one file's own commits alone: it says what often changes with it, and costs
/// little.
pub fn gather_own(conn: &Connection, artifact: i64, most: u32) -> Result<Evidence> {
    let (own, _) = own_commits(conn, &[artifact].into(), most)?;
    Ok(Evidence { own, ..Evidence::default() })
}

/// The newest commits of some files, and whether older ones were left out.
fn own_commits(
    conn: &Connection,
    artifacts: &BTreeSet<i64>,
    most: u32,
) -> Result<(Vec<Seen>, bool)> {
    let newest = line::count(conn)? - 1;
    let mut own: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    for artifact in artifacts {
        line::touched_with(conn, *artifact, (most, OWN + 1), |pos, touched| {
            own.entry(pos).or_default().insert(touched);
        })?;
    }
    let is_cut = own.len() > OWN;
    let seen = |(pos, all): (i64, BTreeSet<i64>)| Seen {
        ago: newest - pos,
        touched: all.into_iter().collect(),
    };
    Ok((own.into_iter().rev().take(OWN).map(seen).collect(), is_cut))
}

/// How many commits of an artifact count for what changes together.
pub fn commits_of(conn: &Connection, artifact: i64, most: u32) -> Result<u64> {
    line::count_stops(conn, artifact, most)
}

/// How many commits count in all.
pub fn total(conn: &Connection, most: u32) -> Result<u64> {
    line::count_all(conn, most)
}

/// The files that are near by their place or name.
#[derive(Debug, Default)]
struct Near {
    /// By folder
    folders: BTreeMap<RepoPath, Vec<i64>>,
    /// Whatever the folder
    namesakes: BTreeSet<i64>,
}

impl Near {
    /// The files that share a folder or a name with some.
    fn of<'a>(conn: &Connection, asked: impl Iterator<Item = &'a RepoPath>) -> Result<Self> {
        let mut near = Self::default();
        for path in asked {
            let folder = path.parent().unwrap_or(RepoPath::ROOT);
            let siblings = line::siblings(conn, &folder)?;
            near.folders.insert(folder, siblings);
            near.namesakes.extend(line::namesakes(conn, path)?);
        }
        Ok(near)
    }
}
