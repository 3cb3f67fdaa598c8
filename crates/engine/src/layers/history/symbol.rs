//! The commits that touched one symbol: its text in each commit of its file, beside its text in
//! that commit's parents.

use std::collections::HashMap;
use std::rc::Rc;

use base::{Hash, Problem, RepoPath, Result};
use git::{Blob, Blobs, Oid};
use history::line::TouchRow;
use memchr::memmem;
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
    span: std::ops::Range<usize>,
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
    let mut followed = Followed { name: name.to_owned(), text: None };
    let mut touches = Vec::new();
    for (done, touch) in all.into_iter().rev().take(MOST).enumerate() {
        view.call().step("reading versions of the file", done, MOST)?;
        let stop = book.stop(touch.pos)?;
        let parents = book.commit(&stop)?.parents.len();
        let oid = Oid::from_bytes(&stop.sha).ok_or_else(|| Problem::internal("an odd name"))?;
        let new = reader.content(oid, None, &touch.path)?;
        let before = touch.old.as_ref().unwrap_or(&touch.path);
        let old = (1..=parents).map(|parent| reader.content(oid, Some(parent), before));
        let old = old.collect::<Result<Vec<Vec<u8>>>>()?;
        if followed.is_untouched(&new, &old) {
            continue; // most commits of a file, which need not be parsed
        }
        let new_symbols = reader.symbols(&touch.path, &new);
        let old_symbols: Vec<Versions> =
            old.iter().map(|content| reader.symbols(before, content)).collect();
        followed.find_again(&new_symbols);
        if let Some((how, earlier)) = compare(&followed.name, &new_symbols, &old_symbols) {
            touches.push(SymbolTouch { touch, how, name: followed.name.clone() });
            followed.name = earlier.unwrap_or(followed.name);
        }
        let versions = old.iter().zip(&old_symbols).chain([(&new, &new_symbols)]);
        followed.remember(versions);
    }
    touches.reverse();
    Ok(SymbolHistory { touches, is_cut })
}

/// A text shorter than this may be there by chance.
const LEAST_TEXT: usize = 24;

/// A symbol on its way into the past.
struct Followed {
    /// What it is called in the version that was looked at last
    name: String,
    /// Its text there
    text: Option<Vec<u8>>,
}

impl Followed {
    /// Whether a commit cannot have touched it, by the bytes of the file alone: its text is there
    /// as often before the commit as after it, or its name is in neither.
    fn is_untouched(&self, new: &[u8], old: &[Vec<u8>]) -> bool {
        let mut names = self.name.rsplit('.').map(str::as_bytes);
        let own = names.next().unwrap_or_default();
        let holds = |content: &[u8], part: &[u8]| memmem::find(content, part).is_some();
        let Some(text) = &self.text else {
            return !holds(new, own) && !old.iter().any(|old| holds(old, own));
        };
        let count = |content: &[u8]| memmem::find_iter(content, text).count();
        let now = count(new);
        let outer: Vec<&[u8]> = names.collect();
        let is_same = |old: &Vec<u8>| {
            count(old) == now && outer.iter().all(|name| holds(old, name) && holds(new, name))
        };
        text.len() >= LEAST_TEXT && now > 0 && old.iter().any(is_same)
    }

    /// Takes the name that its text has in a version where nothing has the name it is known by.
    fn find_again(&mut self, versions: &Versions) {
        let Some(text) = self.text.as_ref().filter(|_| find(versions, &self.name).is_none()) else {
            return;
        };
        let hash = Hash::of(text);
        if let Some(same) = versions.iter().find(|version| version.text == hash) {
            self.name.clone_from(&same.name);
        }
    }

    /// Keeps the text of the first version that has it.
    fn remember<'v>(&mut self, mut versions: impl Iterator<Item = (&'v Vec<u8>, &'v Versions)>) {
        self.text = versions.find_map(|(content, versions)| {
            let Version { span, .. } = find(versions, &self.name)?;
            content.get(span.clone()).map(<[u8]>::to_vec)
        });
    }
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
    /// The file in a commit or one of its parents; empty if it is not there, or too large.
    fn content(&mut self, oid: Oid, parent: Option<usize>, path: &RepoPath) -> Result<Vec<u8>> {
        match self.blobs.read_at(self.view.call(), oid, parent, path)? {
            Blob::Bytes(bytes) => Ok(bytes),
            _ => Ok(Vec::new()),
        }
    }

    fn symbols(&mut self, path: &RepoPath, bytes: &[u8]) -> Versions {
        let hash = Hash::of(bytes);
        if let Some(known) = self.parsed.get(&hash) {
            return known.clone();
        }
        let facts = syntax::extract(Language::of(path), bytes);
        let version = |symbol: &syntax::Symbol| {
            let parts = facts.declarations(symbol).filter_map(|one| bytes.get(one.span.range()));
            Version {
                name: symbol.path.clone(),
                span: symbol.span.range(),
                text: Hash::of(&parts.collect::<Vec<_>>().concat()),
                body: symbol.fingerprint.body,
            }
        };
        let symbols = facts.symbols.iter().filter(|symbol| !symbol.is_overload());
        let versions = Versions::new(symbols.map(version).collect());
        self.parsed.insert(hash, versions.clone());
        versions
    }
}
