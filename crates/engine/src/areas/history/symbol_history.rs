//! The commits that touched one symbol: its text in each commit of its file, beside its text in
//! that commit's parents.

use std::collections::HashMap;
use std::rc::Rc;

use base::{Hash, Problem, RepoPath, Result};
use git::{Blob, BlobReader, Oid};
use history::checkout::TouchRow;
use memchr::memmem;
use syntax::Language;

use super::reader::{Artifact, HistoryReader};
use crate::view::View;

/// Size above which a file is not parsed, in bytes.
const MAX_PARSED_BYTES: u64 = 2 * 1024 * 1024;

/// Maximum number of commits of the file that are examined, newest first.
pub const MAX_COMMITS: usize = 500;

/// What a commit did to a symbol.
pub struct SymbolTouch {
    /// The commit and the file
    pub touch: TouchRow,
    /// What it did
    pub how: &'static str,
    /// What the symbol was called after it
    pub name: String,
}

/// The commits of a symbol, and whether older ones were left out.
pub struct SymbolHistory {
    /// The commits, oldest first
    pub touches: Vec<SymbolTouch>,
    /// Whether older commits were left out
    pub is_cut: bool,
}

/// A symbol in one version of a file.
struct SymbolVersion {
    name: String,
    span: std::ops::Range<usize>,
    text: Hash,
    body: u64,
}

type SymbolVersions = Rc<Vec<SymbolVersion>>;

/// Follows a symbol through the commits of its file, oldest first.
pub fn trace_symbol(
    view: &View<'_>,
    history: &HistoryReader<'_>,
    artifact: &Artifact,
    name: &str,
) -> Result<SymbolHistory> {
    let git = view
        .git()
        .ok_or_else(|| Problem::internal("the repository has a history but no git"))?
        .repo();
    let mut reader =
        VersionReader { view, blobs: git.blobs(MAX_PARSED_BYTES), parsed: HashMap::new() };
    let all = history.touches(artifact.id)?;
    let is_cut = all.len() > MAX_COMMITS;
    let mut followed = TracedSymbol { name: name.to_owned(), text: KnownText::NotRead };
    let mut touches = Vec::new();
    for (done, touch) in all.into_iter().rev().take(MAX_COMMITS).enumerate() {
        view.call().step("reading versions of the file", done, MAX_COMMITS)?;
        let stop = history.commit_position(touch.pos)?;
        let parents = history.header(&stop)?.parents;
        let oid =
            Oid::from_bytes(&stop.sha).ok_or_else(|| Problem::internal("invalid commit id"))?;
        let new = reader.content(oid, None, &touch.path)?;
        let before = touch.old_path.as_ref().unwrap_or(&touch.path);
        let old = (1..=parents).map(|parent| reader.content(oid, Some(parent), before));
        let old = old.collect::<Result<Vec<Vec<u8>>>>()?;
        if followed.is_untouched(&new, &old) {
            continue; // most commits of a file, which need not be parsed
        }
        let new_symbols = reader.symbols(&touch.path, &new);
        let old_symbols: Vec<SymbolVersions> =
            old.iter().map(|content| reader.symbols(before, content)).collect();
        followed.find_by_text(&new_symbols);
        if let Some((how, earlier)) = compare(&followed.name, &new_symbols, &old_symbols) {
            touches.push(SymbolTouch { touch, how, name: followed.name.clone() });
            followed.name = earlier.unwrap_or(followed.name);
        }
        let versions = old.iter().zip(&old_symbols).chain([(&new, &new_symbols)]);
        followed.remember_text(versions);
    }
    touches.reverse();
    Ok(SymbolHistory { touches, is_cut })
}

/// A text shorter than this may be there by chance, so the lines around it are compared with it.
const MIN_TEXT_BYTES: usize = 24;

/// A symbol that is followed through older versions of its file.
struct TracedSymbol {
    /// What it is called in the version that was looked at last
    name: String,
    /// Its text there
    text: KnownText,
}

/// What is known of a symbol's text.
enum KnownText {
    /// No version was read yet
    NotRead,
    /// The version that was read last does not have the symbol
    Missing,
    /// The text in that version
    Is(TracedText),
}

/// The text of a symbol in one version of the file.
struct TracedText {
    /// The symbol alone
    hash: Hash,
    /// The symbol, with whole lines around it if it is short
    passage: Vec<u8>,
}

impl TracedText {
    fn new(content: &[u8], span: std::ops::Range<usize>) -> Option<Self> {
        let hash = Hash::of(content.get(span.clone())?);
        let mut passage = span;
        while passage.len() < MIN_TEXT_BYTES && passage.len() < content.len() {
            passage = with_lines_around(content, &passage);
        }
        Some(Self { hash, passage: content.get(passage)?.to_vec() })
    }
}

/// A passage together with the rest of its first and last line, or with a line more on both sides.
fn with_lines_around(content: &[u8], passage: &std::ops::Range<usize>) -> std::ops::Range<usize> {
    let before = content.get(..passage.start.saturating_sub(1)).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    let after = content.get(passage.end..).unwrap_or_default();
    let end = memchr::memchr(b'\n', after).map_or(content.len(), |at| passage.end + at + 1);
    start..end
}

impl TracedSymbol {
    /// Whether a commit cannot have touched it, by the bytes of the file alone: its text is there as often before the
    /// commit as after it; or the symbol is in neither, since the lines that say its name are the same.
    fn is_untouched(&self, new: &[u8], old: &[Vec<u8>]) -> bool {
        let names: Vec<&[u8]> = self.name.split('.').map(str::as_bytes).collect();
        let holds = |content: &[u8], part: &[u8]| memmem::find(content, part).is_some();
        let text = match &self.text {
            KnownText::NotRead => return false,
            KnownText::Missing => {
                let now = lines_with(new, &names);
                return old.iter().any(|old| lines_with(old, &names) == now);
            }
            KnownText::Is(text) => text,
        };
        let count = |content: &[u8]| memmem::find_iter(content, &text.passage).count();
        let now = count(new);
        let (_, outer) = names.split_last().unwrap_or((&&[][..], &[]));
        let is_same = |old: &Vec<u8>| {
            count(old) == now && outer.iter().all(|name| holds(old, name) && holds(new, name))
        };
        text.passage.len() >= MIN_TEXT_BYTES && now > 0 && old.iter().any(is_same)
    }

    /// Takes the name that its text has in a version where nothing has the name it is known by.
    fn find_by_text(&mut self, versions: &SymbolVersions) {
        let KnownText::Is(text) = &self.text else { return };
        if find(versions, &self.name).is_some() {
            return;
        }
        if let Some(same) = versions.iter().find(|version| version.text == text.hash) {
            self.name.clone_from(&same.name);
        }
    }

    /// Keeps the text of the first version that has it.
    fn remember_text<'v>(
        &mut self,
        mut versions: impl Iterator<Item = (&'v Vec<u8>, &'v SymbolVersions)>,
    ) {
        let found = versions.find_map(|(content, versions)| {
            let SymbolVersion { span, .. } = find(versions, &self.name)?;
            TracedText::new(content, span.clone())
        });
        self.text = found.map_or(KnownText::Missing, KnownText::Is);
    }
}

/// The lines of a text that contain one of these names, in order.
fn lines_with<'c>(content: &'c [u8], names: &[&[u8]]) -> Vec<&'c [u8]> {
    let has_name = |line: &&[u8]| names.iter().any(|name| memmem::find(line, name).is_some());
    content.split(|byte| *byte == b'\n').filter(has_name).collect()
}

/// What happened to a symbol between a commit and all its parents, and what it was called before.
fn compare(
    name: &str,
    new: &SymbolVersions,
    old: &[SymbolVersions],
) -> Option<(&'static str, Option<String>)> {
    let now = find(new, name);
    let before: Vec<Option<&SymbolVersion>> = old.iter().map(|old| find(old, name)).collect();
    match now {
        Some(now) if before.iter().flatten().any(|old| old.text == now.text) => None,
        Some(_) if before.iter().any(Option::is_some) => Some(("modified", None)),
        Some(now) => {
            // The same body under a name that no longer exists, so that was its earlier name.
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

fn find<'a>(versions: &'a SymbolVersions, name: &str) -> Option<&'a SymbolVersion> {
    versions.iter().find(|version| version.name == name)
}

struct VersionReader<'a> {
    view: &'a View<'a>,
    blobs: BlobReader<'a>,
    /// The parsed versions by text, because a commit's version is also that of the next commit's
    /// parent
    parsed: HashMap<Hash, SymbolVersions>,
}

impl VersionReader<'_> {
    /// The file in a commit or one of its parents; empty if it is not there, or too large.
    fn content(&mut self, oid: Oid, parent: Option<usize>, path: &RepoPath) -> Result<Vec<u8>> {
        match self.blobs.read_at(self.view.call(), oid, parent, path)? {
            Blob::Bytes(bytes) => Ok(bytes),
            _ => Ok(Vec::new()),
        }
    }

    fn symbols(&mut self, path: &RepoPath, bytes: &[u8]) -> SymbolVersions {
        let hash = Hash::of(bytes);
        if let Some(known) = self.parsed.get(&hash) {
            return known.clone();
        }
        let facts = syntax::extract(Language::from_path(path), bytes);
        let version = |symbol: &syntax::Symbol| {
            let parts = facts.declarations(symbol).filter_map(|one| bytes.get(one.span.range()));
            SymbolVersion {
                name: symbol.path.clone(),
                span: symbol.span.range(),
                text: Hash::of(&parts.collect::<Vec<_>>().concat()),
                body: symbol.fingerprint.body,
            }
        };
        let symbols = facts.symbols.iter().filter(|symbol| !symbol.is_overload());
        let versions = SymbolVersions::new(symbols.map(version).collect());
        self.parsed.insert(hash, versions.clone());
        versions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traced(name: &str, content: &str, text: &str) -> TracedSymbol {
        let start = content.find(text).unwrap();
        let text = TracedText::new(content.as_bytes(), start..start + text.len()).unwrap();
        TracedSymbol { name: name.to_owned(), text: KnownText::Is(text) }
    }

    #[test]
    fn a_short_symbol_is_compared_with_the_lines_around_it() {
        let (old, new) = (
            "mod attrs;\nmod db;\nmod from_id;\n",
            "mod attrs;\nmod db;\nmod from_id;\nmod has;\n",
        );
        let symbol = traced("attrs", new, "mod attrs;");
        assert!(symbol.is_untouched(new.as_bytes(), &[old.into()]));
        let changed = "pub mod attrs;\nmod db;\nmod from_id;\n";
        assert!(
            !traced("attrs", changed, "pub mod attrs;")
                .is_untouched(changed.as_bytes(), &[old.into()])
        );
    }

    #[test]
    fn a_symbol_that_is_not_there_is_looked_for_only_where_lines_with_its_name_change() {
        let symbol = TracedSymbol { name: "A.new".to_owned(), text: KnownText::Missing };
        let (old, new) = ("let a = new();\n", "let a = new();\nlet b = 1;\n");
        assert!(symbol.is_untouched(new.as_bytes(), &[old.into()]));
        assert!(!symbol.is_untouched(b"let a = new();\nfn new() {}\n", &[old.into()]));
        assert!(!symbol.is_untouched(b"impl A {}\nlet a = new();\n", &[old.into()]));
    }
}
