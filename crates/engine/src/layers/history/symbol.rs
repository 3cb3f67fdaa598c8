//! The commits that touched one symbol: its text in each commit of its file, beside its text in
//! that commit's parents.

use std::collections::HashMap;
use std::rc::Rc;

use base::{Hash, Problem, RepoPath, Result};
use git::{Blob, Blobs, Oid};
use history::line::TouchRow;
use syntax::Language;

use super::book::{Artifact, Book};
use crate::view::View;

/// A larger file is not parsed, in bytes.
const LARGEST: u64 = 2 * 1024 * 1024;

/// So many commits of the file are looked at, the newest ones.
const MOST: usize = 500;

/// What a commit did to a symbol.
pub(crate) struct SymbolTouch {
    /// The commit and the file
    pub touch: TouchRow,
    /// What it did
    pub how: &'static str,
    /// What the symbol was called after it
    pub name: String,
}

/// The commits of a symbol, and whether older ones were left out.
pub(crate) struct SymbolHistory {
    pub touches: Vec<SymbolTouch>,
    pub is_cut: bool,
}

/// A symbol in one version of a file.
struct Version {
    name: String,
    text: Hash,
    body: u64,
}

type Versions = Rc<Vec<Version>>;

/// Follows a symbol through the commits of its file, oldest first.
pub(crate) fn follow(
    view: &View<'_>,
    book: &Book<'_>,
    artifact: &Artifact,
    name: &str,
) -> Result<SymbolHistory> {
    let git = view.git().ok_or_else(|| Problem::internal("a history without git"))?.repo();
    let mut reader = Reader { view, blobs: git.blobs(LARGEST), parsed: HashMap::new() };
    let all = book.touches(artifact.id)?;
    let is_cut = all.len() > MOST;
    let mut name = name.to_owned();
    let mut touches = Vec::new();
    for (done, touch) in all.into_iter().rev().take(MOST).enumerate() {
        view.call().step("reading versions of the file", done, MOST)?;
        let stop = book.stop(touch.pos)?;
        let parents = book.commit(&stop)?.parents.len();
        let oid = Oid::from_bytes(&stop.sha).ok_or_else(|| Problem::internal("an odd name"))?;
        let new = reader.symbols(oid, None, &touch.path)?;
        let before = touch.old.as_ref().unwrap_or(&touch.path);
        let old = (1..=parents).map(|parent| reader.symbols(oid, Some(parent), before));
        let old = old.collect::<Result<Vec<Versions>>>()?;
        if let Some((how, earlier)) = compare(&name, &new, &old) {
            touches.push(SymbolTouch { touch, how, name: name.clone() });
            name = earlier.unwrap_or(name);
        }
    }
    touches.reverse();
    Ok(SymbolHistory { touches, is_cut })
}

/// What happened to a symbol between a commit and all its parents, and what it was called before.
fn compare(name: &str, new: &Versions, old: &[Versions]) -> Option<(&'static str, Option<String>)> {
    let now = find(new, name);
    let before: Vec<Option<&Version>> = old.iter().map(|old| find(old, name)).collect();
    match now {
        Some(now) if before.iter().flatten().any(|old| old.text == now.text) => None,
        Some(_) if before.iter().any(Option::is_some) => Some(("modified", None)),
        Some(now) => {
            // The same body under a name that is no more: it was called so.
            let was = old.iter().flat_map(|old| old.iter()).find(|old| {
                old.body == now.body && !new.iter().any(|version| version.name == old.name)
            });
            Some(match was {
                Some(was) => ("renamed", Some(was.name.clone())),
                None => ("added", None),
            })
        }
        None if !before.is_empty() && before.iter().all(Option::is_some) => Some(("deleted", None)),
        None => None,
    }
}

fn find<'a>(versions: &'a Versions, name: &str) -> Option<&'a Version> {
    versions.iter().find(|version| version.name == name)
}

struct Reader<'a> {
    view: &'a View<'a>,
    blobs: Blobs<'a>,
    /// What was parsed, by its text: a version is one commit's and the next one's parent's
    parsed: HashMap<Hash, Versions>,
}

impl Reader<'_> {
    fn symbols(&mut self, oid: Oid, parent: Option<usize>, path: &RepoPath) -> Result<Versions> {
        let read = self.blobs.read_at(self.view.call(), oid, parent, path)?;
        let Blob::Bytes(bytes) = read else { return Ok(Versions::default()) };
        let hash = Hash::of(&bytes);
        if let Some(known) = self.parsed.get(&hash) {
            return Ok(known.clone());
        }
        let facts = syntax::extract(Language::of(path), &bytes);
        let version = |symbol: &syntax::Symbol| {
            let (start, end) = (symbol.span.start as usize, symbol.span.end as usize);
            Version {
                name: symbol.path.clone(),
                text: Hash::of(bytes.get(start..end).unwrap_or_default()),
                body: symbol.fingerprint.body,
            }
        };
        let versions = Versions::new(facts.symbols.iter().map(version).collect());
        self.parsed.insert(hash, versions.clone());
        Ok(versions)
    }
}
