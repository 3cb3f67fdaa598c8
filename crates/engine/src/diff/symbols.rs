//! Which symbols differ between two states, and how.

use std::collections::{BTreeMap, BTreeSet};

use base::{Hash, RepoPath};
use code::{Because, Known};
use syntax::{Language, Symbol};

use super::ChangedFile;

/// What happened to a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum How {
    /// It is gone
    Removed,
    /// What it takes, gives or is called has changed
    Signature,
    /// It stands elsewhere, or has another name
    Moved,
    /// What it does has changed
    Body,
    /// It is new
    Added,
    /// Only what is said about it has changed
    Docs,
}

impl How {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::Signature => "signature changed",
            Self::Moved => "moved",
            Self::Body => "body changed",
            Self::Added => "added",
            Self::Docs => "docs changed",
        }
    }
}

/// A symbol that differs.
#[derive(Debug, Clone)]
pub(crate) struct ChangedSymbol {
    /// The file that has it, or had it
    pub path: RepoPath,
    /// Its name with what it is nested in, now or last
    pub full: String,
    /// What happened
    pub how: How,
    /// Where it was, if that was elsewhere
    pub was: Option<(RepoPath, String)>,
    /// Its lines, now or last, from 1
    pub lines: (u32, u32),
    /// Whether it is offered beyond its file, or was
    pub exported: bool,
    /// Whether it is a test
    pub is_test: bool,
    /// Whether it has parameters and can be called
    pub is_callable: bool,
}

/// The symbols of one state of a file.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    list: Vec<Version>,
    /// Where it could first not be read
    pub broken: Option<(u32, String)>,
}

#[derive(Debug)]
struct Version {
    symbol: Symbol,
    code: Hash,
    text: Hash,
}

impl Symbols {
    /// What a text declares.
    pub(crate) fn of(path: &RepoPath, bytes: Option<&[u8]>) -> Self {
        let Some(language) = Language::of(path).filter(|language| language.is_code()) else {
            return Self::default();
        };
        let Some(bytes) = bytes else { return Self::default() };
        let facts = syntax::extract(Some(language), bytes);
        let cut = |symbol: &Symbol, span: fn(&Symbol) -> base::Span| {
            let spans = facts.declarations(symbol).map(span);
            let parts = spans.filter_map(|span| bytes.get(span.range()));
            Hash::of(&parts.collect::<Vec<_>>().concat())
        };
        let version = |symbol: &Symbol| Version {
            code: cut(symbol, |one| one.declaration),
            text: cut(symbol, |one| one.span),
            symbol: symbol.clone(),
        };
        let named = facts.symbols.iter().filter(|symbol| symbol.is_listed());
        let broken = facts.errors.first().map(|error| (error.line, error.message.clone()));
        Self { list: named.map(version).collect(), broken }
    }

    /// What it has and another state has not, to be matched by what it looks like.
    pub(crate) fn missing_in(&self, path: &RepoPath, other: &Self) -> Vec<Known> {
        let there: BTreeSet<&str> = other.list.iter().map(|v| v.symbol.path.as_str()).collect();
        let gone = self.list.iter().filter(|v| !there.contains(v.symbol.path.as_str()));
        gone.map(|version| known(path, &version.symbol)).collect()
    }

    /// Whether there is a symbol of this name.
    pub(crate) fn has(&self, full: &str) -> bool {
        self.get(full).is_some()
    }

    fn get(&self, full: &str) -> Option<&Version> {
        self.list.iter().find(|version| version.symbol.path == full)
    }
}

fn known(path: &RepoPath, symbol: &Symbol) -> Known {
    Known {
        path: path.clone(),
        full: symbol.path.clone(),
        kind: symbol.kind,
        fingerprint: symbol.fingerprint,
    }
}

/// Both states of a file.
pub(crate) type Pair<'a> = (&'a ChangedFile, Symbols, Symbols);

/// Reads both states of every file.
pub(crate) fn pairs(files: &[ChangedFile]) -> Vec<Pair<'_>> {
    let pair = |file: &'_ ChangedFile| {
        let before = Symbols::of(file.before_path(), file.before.as_deref());
        (before, Symbols::of(&file.path, file.after.as_deref()))
    };
    files.iter().map(pair).zip(files).map(|((b, a), file)| (file, b, a)).collect()
}

impl ChangedSymbol {
    fn new(path: &RepoPath, symbol: &Symbol, how: How) -> Self {
        Self {
            path: path.clone(),
            full: symbol.path.clone(),
            how,
            was: None,
            lines: (symbol.start_line, symbol.end_line),
            exported: symbol.exported,
            is_test: symbol.is_test,
            is_callable: symbol.kind.is_callable(),
        }
    }

    /// Every symbol that differs, in the order of files and lines.
    pub(crate) fn all(pairs: &[Pair<'_>]) -> Vec<Self> {
        let mut found = Vec::new();
        let (mut gone, mut came): (Vec<Known>, Vec<Known>) = (Vec::new(), Vec::new());
        for (file, before, after) in pairs {
            found.extend(kept(file, before, after));
            gone.extend(before.missing_in(file.before_path(), after));
            came.extend(after.missing_in(&file.path, before));
        }
        let moves = code::moves(&gone, &came);
        let moved_from: BTreeMap<usize, usize> = moves
            .iter()
            .filter(|m| m.2 != Because::Shape || !is_plain(&gone[m.0]))
            .map(|(old, new, _)| (*new, *old))
            .collect();
        let left: BTreeSet<usize> = moved_from.values().copied().collect();
        let look = |known: &Known, old: bool| {
            let side = pairs.iter().find(|(file, ..)| match old {
                true => *file.before_path() == known.path,
                false => file.path == known.path,
            })?;
            let version = if old { side.1.get(&known.full) } else { side.2.get(&known.full) };
            version.map(|version| version.symbol.clone())
        };
        for (at, known) in came.iter().enumerate() {
            let Some(symbol) = look(known, false) else { continue };
            let old = moved_from.get(&at).map(|old| &gone[*old]);
            let how = if old.is_some() { How::Moved } else { How::Added };
            if old.is_none() && is_inside(known, &came) {
                continue; // what is around it is new too
            }
            let was = old.map(|old| (old.path.clone(), old.full.clone()));
            found.push(Self { was, ..Self::new(&known.path, &symbol, how) });
        }
        for (at, known) in gone.iter().enumerate() {
            if !left.contains(&at) && !is_inside(known, &gone) {
                let symbol = look(known, true);
                found.extend(symbol.map(|symbol| Self::new(&known.path, &symbol, How::Removed)));
            }
        }
        found.sort_by(|a, b| (&a.path, a.lines, &a.full).cmp(&(&b.path, b.lines, &b.full)));
        found
    }
}

/// Fields and variants look alike everywhere: their shape alone says nothing about a move.
const fn is_plain(known: &Known) -> bool {
    use syntax::SymbolKind::{Field, Property, Variable, Variant};
    matches!(known.kind, Field | Property | Variable | Variant)
}

/// Whether what is around a symbol is in the same list.
fn is_inside(known: &Known, all: &[Known]) -> bool {
    let Some((outer, _)) = known.full.rsplit_once('.') else { return false };
    all.iter().any(|other| other.path == known.path && other.full == outer)
}

/// Symbols that both states have under one name, and that differ.
fn kept(file: &ChangedFile, before: &Symbols, after: &Symbols) -> Vec<ChangedSymbol> {
    let mut found = Vec::new();
    for new in &after.list {
        let Some(old) = before.get(&new.symbol.path) else { continue };
        let how = if old.symbol.fingerprint.shape != new.symbol.fingerprint.shape {
            How::Signature
        } else if old.code != new.code {
            How::Body
        } else if old.text != new.text {
            How::Docs
        } else {
            continue;
        };
        // What holds others changes with them: they say it better.
        let codes = |symbols: &Symbols, outer: &Symbol| -> BTreeSet<(String, Hash)> {
            let (start, end) = (outer.declaration.start, outer.declaration.end);
            let inner = symbols.list.iter().filter(|version| {
                let span = version.symbol.declaration;
                version.symbol.path != outer.path && start <= span.start && span.end <= end
            });
            inner.map(|version| (version.symbol.path.clone(), version.code)).collect()
        };
        if how == How::Body && codes(before, &old.symbol) != codes(after, &new.symbol) {
            continue;
        }
        let was = file.old.as_ref().map(|old| (old.clone(), new.symbol.path.clone()));
        found.push(ChangedSymbol { was, ..ChangedSymbol::new(&file.path, &new.symbol, how) });
    }
    found
}
