//! How well what changes together is predicted, beside plain counting.
//!
//! Train on the past, test on the last thousand commits of two to ten files: from each of their
//! files in turn, is one of the first three predictions another file of the commit?

#![expect(clippy::disallowed_methods, reason = "an evaluation reads repositories with git")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::process::Command;

use history::cochange::{Evidence, Seen, rank, stem};

use crate::run::{self, Result};

/// How many commits are predicted.
const TESTED: usize = 1000;

/// The commits that are predicted touch so many files.
const SIZES: std::ops::RangeInclusive<usize> = 2..=10;

/// Larger commits teach nothing; the default of `history.max_commit_files`.
const LARGEST: usize = 50;

/// As many commits of a folder, and of each file in it, as `history cochange` looks at.
const FOLDER: usize = 60;
const OF_EACH: usize = 12;
const CROWD: usize = 64;

/// A commit: artifacts with the paths they have after it, and whether they are gone.
type Touched = BTreeMap<i64, (Vec<u8>, bool)>;

/// Prints a table row for each repository.
pub(crate) fn run(repos: &[&str]) -> Result<()> {
    run::say("| repository | predictions | plain confidence | `history cochange` | gained |\n");
    run::say("|---|---|---|---|---|\n");
    for repo in repos {
        let commits = read(Path::new(repo))?;
        let (asked, plain, ours) = evaluate(&commits);
        let name = Path::new(repo).file_name().unwrap_or_default().to_string_lossy();
        run::say(&format!(
            "| {name} | {asked} | {:.3} | {:.3} | {:+.1} points |\n",
            share(plain, asked),
            share(ours, asked),
            100.0 * (share(ours, asked) - share(plain, asked))
        ));
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "there are a few thousand predictions")]
fn share(hits: usize, asked: usize) -> f64 {
    hits as f64 / asked.max(1) as f64
}

/// Commits without merges, oldest first, lock files aside.
fn read(repo: &Path) -> Result<Vec<Touched>> {
    let args =
        ["log", "--no-merges", "--topo-order", "--reverse", "--raw", "-M", "-z", "--format=%x01"];
    let output = Command::new("git").arg("-C").arg(repo).args(args).output();
    let output = output.map_err(|error| error.to_string())?.stdout;
    let (mut places, mut next) = (HashMap::new(), 0_i64);
    let records = output.split(|byte| *byte == 1).skip(1);
    Ok(records.map(|record| commit(record, &mut places, &mut next)).collect())
}

fn commit(record: &[u8], places: &mut HashMap<Vec<u8>, (i64, bool)>, next: &mut i64) -> Touched {
    let mut fields = record.split(|byte| *byte == 0);
    let mut touched = Touched::new();
    while let Some(field) = fields.next() {
        let Some(status) = field.strip_prefix(b"\n").unwrap_or(field).strip_prefix(b":") else {
            continue;
        };
        let status = status.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
        let first = fields.next().unwrap_or_default().to_vec();
        let is_rename = status.first() == Some(&b'R');
        let path =
            if is_rename { fields.next().unwrap_or_default().to_vec() } else { first.clone() };
        if path.ends_with(b".lock") {
            continue;
        }
        let is_new = status == b"A";
        let known = places.get(&first).filter(|(_, alive)| *alive || !is_new).map(|(id, _)| *id);
        let id = known.unwrap_or_else(|| {
            *next += 1;
            *next
        });
        let is_gone = status == b"D";
        if is_rename {
            places.insert(first, (id, false));
        }
        places.insert(path.clone(), (id, !is_gone));
        touched.insert(id, (path, is_gone));
    }
    touched
}

/// What is known at some point of the past.
#[derive(Default)]
struct Past {
    commits: Vec<Vec<i64>>,
    of: HashMap<i64, Vec<usize>>,
    paths: HashMap<i64, Vec<u8>>,
    folders: HashMap<Vec<u8>, BTreeSet<i64>>,
    stems: HashMap<Vec<u8>, BTreeSet<i64>>,
}

fn evaluate(commits: &[Touched]) -> (usize, usize, usize) {
    let tested: Vec<usize> =
        (0..commits.len()).filter(|at| SIZES.contains(&commits[*at].len())).collect();
    let tested: BTreeSet<usize> =
        tested[tested.len().saturating_sub(TESTED)..].iter().copied().collect();
    let mut past = Past::default();
    let (mut asked, mut plain, mut ours) = (0, 0, 0);
    for (at, commit) in commits.iter().enumerate() {
        if tested.contains(&at) {
            for (file, (path, _)) in commit {
                asked += 1;
                let is_hit = |found: Vec<i64>| {
                    usize::from(found.iter().take(3).any(|one| commit.contains_key(one)))
                };
                plain += is_hit(past.plain(*file));
                ours += is_hit(past.ranked(*file, path));
            }
        }
        past.learn(commit);
    }
    (asked, plain, ours)
}

impl Past {
    /// The files most often changed with one, and nothing else.
    fn plain(&self, file: i64) -> Vec<i64> {
        let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
        for at in self.of.get(&file).into_iter().flatten() {
            for other in self.commits[*at].iter().filter(|other| **other != file) {
                *counts.entry(*other).or_default() += 1;
            }
        }
        let mut found: Vec<(i64, usize)> = counts.into_iter().collect();
        found.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        found.into_iter().map(|(file, _)| file).collect()
    }

    /// What `history cochange` would say.
    fn ranked(&self, file: i64, path: &[u8]) -> Vec<i64> {
        let path = self.paths.get(&file).map_or(path, Vec::as_slice);
        let seen = |at: &usize| Seen {
            ago: i64::try_from(self.commits.len() - at).unwrap_or(i64::MAX),
            touched: self.commits[*at].clone(),
        };
        let none = BTreeSet::new();
        let siblings = self.folders.get(folder(path)).unwrap_or(&none);
        let mut around: BTreeSet<&usize> = BTreeSet::new();
        if siblings.len() <= CROWD {
            for sibling in siblings.iter().filter(|sibling| **sibling != file) {
                let commits = self.of.get(sibling).into_iter().flatten();
                around.extend(commits.rev().take(OF_EACH));
            }
        }
        let evidence = Evidence {
            own: self.of.get(&file).into_iter().flatten().map(seen).collect(),
            folder: around.into_iter().rev().take(FOLDER).map(seen).collect(),
            namesakes: self.stems.get(&stem(path)).unwrap_or(&none).clone(),
            siblings: siblings.clone(),
        };
        let ranked = rank(&[file].into(), &evidence).into_iter().map(|partner| partner.artifact);
        ranked.filter(|artifact| self.paths.contains_key(artifact)).collect()
    }

    fn learn(&mut self, commit: &Touched) {
        for (file, (path, is_gone)) in commit {
            if let Some(old) = self.paths.remove(file) {
                self.folders.entry(folder(&old).to_vec()).or_default().remove(file);
                self.stems.entry(stem(&old)).or_default().remove(file);
            }
            if !is_gone {
                self.paths.insert(*file, path.clone());
                self.folders.entry(folder(path).to_vec()).or_default().insert(*file);
                self.stems.entry(stem(path)).or_default().insert(*file);
            }
        }
        if commit.len() <= LARGEST {
            for file in commit.keys() {
                self.of.entry(*file).or_default().push(self.commits.len());
            }
        }
        self.commits.push(commit.keys().copied().collect());
    }
}

fn folder(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(b"", |slash| &path[..slash])
}
