//! The symbols that differ between two states.

use std::collections::{BTreeMap, BTreeSet};

use base::{Hash, RepoPath};
use code::{MoveCandidate, MoveEvidence};
use syntax::{Language, Symbol};

use super::ChangedFile;

/// What happened to a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SymbolChangeKind {
    /// It was removed
    Removed,
    /// Its parameters, result or kind changed
    Signature,
    /// It was moved or renamed
    Moved,
    /// Its body changed
    Body,
    /// It was added
    Added,
    /// Only its documentation changed
    Docs,
}

impl SymbolChangeKind {
    pub(crate) const fn as_str(self) -> &'static str {
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
    /// Its nested name; the last one if it was removed
    pub full_name: String,
    /// What happened
    pub kind: SymbolChangeKind,
    /// Where it was, if that was elsewhere
    pub previous: Option<(RepoPath, String)>,
    /// Its lines, from 1; the last ones if it was removed
    pub lines: (u32, u32),
    /// Whether it is or was exported
    pub exported: bool,
    /// Whether it is a test
    pub is_test: bool,
    /// Whether it has parameters and can be called
    pub is_callable: bool,
}

/// The symbols of one state of a file.
#[derive(Debug, Default)]
pub(crate) struct FileSymbols {
    list: Vec<HashedSymbol>,
    /// Place of the first syntax error
    pub first_syntax_error: Option<(u32, String)>,
    /// Names that are used and not declared in the file, each with its first line; none where the
    /// language's scopes are not all followed
    pub undeclared_names: BTreeMap<String, u32>,
}

#[derive(Debug)]
struct HashedSymbol {
    symbol: Symbol,
    code: Hash,
    text: Hash,
}

impl FileSymbols {
    /// The symbols of a text.
    pub(crate) fn of(path: &RepoPath, bytes: Option<&[u8]>) -> Self {
        let Some(language) = Language::from_path(path).filter(|language| language.is_code()) else {
            return Self::default();
        };
        let Some(bytes) = bytes else { return Self::default() };
        let facts = syntax::extract(Some(language), bytes);
        let cut = |symbol: &Symbol, span: fn(&Symbol) -> base::Span| {
            let spans = facts.declarations(symbol).map(span);
            let parts = spans.filter_map(|span| bytes.get(span.range()));
            Hash::of(&parts.collect::<Vec<_>>().concat())
        };
        let version = |symbol: &Symbol| HashedSymbol {
            code: cut(symbol, |one| one.declaration),
            text: cut(symbol, |one| one.span),
            symbol: symbol.clone(),
        };
        let named = facts.symbols.iter().filter(|symbol| symbol.is_listed());
        let broken = facts.errors.first().filter(|_| !language.is_left_out());
        let broken = broken.map(|error| (error.line, error.message.clone()));
        let undeclared_names = match language.semantics().follows_all_scopes {
            true => {
                let names = facts.flow.undeclared_names().into_iter();
                names.map(|(name, line)| (name.to_owned(), line)).collect()
            }
            false => BTreeMap::new(),
        };
        Self { list: named.map(version).collect(), first_syntax_error: broken, undeclared_names }
    }

    /// The symbols that another state lacks, with their fingerprints for matching moves.
    pub(crate) fn missing_in(&self, path: &RepoPath, other: &Self) -> Vec<MoveCandidate> {
        let there: BTreeSet<&str> = other.list.iter().map(|v| v.symbol.path.as_str()).collect();
        let gone = self.list.iter().filter(|v| !there.contains(v.symbol.path.as_str()));
        gone.map(|version| move_candidate(path, &version.symbol)).collect()
    }

    /// Whether there is a symbol of this name.
    pub(crate) fn has(&self, full: &str) -> bool {
        self.get(full).is_some()
    }

    fn get(&self, full: &str) -> Option<&HashedSymbol> {
        self.list.iter().find(|version| version.symbol.path == full)
    }
}

fn move_candidate(path: &RepoPath, symbol: &Symbol) -> MoveCandidate {
    MoveCandidate {
        path: path.clone(),
        full: symbol.path.clone(),
        kind: symbol.kind,
        fingerprint: symbol.fingerprint,
    }
}

/// Both states of a file.
pub(crate) type FileSymbolsPair<'a> = (&'a ChangedFile, FileSymbols, FileSymbols);

/// Reads both states of every file.
pub(crate) fn pairs(files: &[ChangedFile]) -> Vec<FileSymbolsPair<'_>> {
    let pair = |file: &'_ ChangedFile| {
        let before = FileSymbols::of(file.before_path(), file.before.as_deref());
        (before, FileSymbols::of(&file.path, file.after.as_deref()))
    };
    files.iter().map(pair).zip(files).map(|((b, a), file)| (file, b, a)).collect()
}

impl ChangedSymbol {
    fn new(path: &RepoPath, symbol: &Symbol, kind: SymbolChangeKind) -> Self {
        Self {
            path: path.clone(),
            full_name: symbol.path.clone(),
            kind,
            previous: None,
            lines: (symbol.start_line, symbol.end_line),
            exported: symbol.exported,
            is_test: symbol.is_test,
            is_callable: symbol.kind.is_callable(),
        }
    }

    /// Every symbol that differs, in the order of files and lines.
    pub(crate) fn all(pairs: &[FileSymbolsPair<'_>]) -> Vec<Self> {
        let mut found = Vec::new();
        let (mut gone, mut came): (Vec<MoveCandidate>, Vec<MoveCandidate>) =
            (Vec::new(), Vec::new());
        for (file, before, after) in pairs {
            found.extend(changed_in_place(file, before, after));
            gone.extend(before.missing_in(file.before_path(), after));
            came.extend(after.missing_in(&file.path, before));
        }
        let moves = code::match_moves(&gone, &came);
        let moved_from: BTreeMap<usize, usize> = moves
            .iter()
            .filter(|m| m.2 != MoveEvidence::Shape || !has_generic_shape(&gone[m.0]))
            .map(|(old, new, _)| (*new, *old))
            .collect();
        let left: BTreeSet<usize> = moved_from.values().copied().collect();
        let look = |known: &MoveCandidate, old: bool| {
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
            let how = if old.is_some() { SymbolChangeKind::Moved } else { SymbolChangeKind::Added };
            if old.is_none() && has_parent_in(known, &came) {
                continue; // the symbol around it is new too
            }
            let was = old.map(|old| (old.path.clone(), old.full.clone()));
            found.push(Self { previous: was, ..Self::new(&known.path, &symbol, how) });
        }
        for (at, known) in gone.iter().enumerate() {
            if !left.contains(&at) && !has_parent_in(known, &gone) {
                let symbol = look(known, true);
                found.extend(
                    symbol.map(|symbol| Self::new(&known.path, &symbol, SymbolChangeKind::Removed)),
                );
            }
        }
        found.sort_by(|a, b| {
            (&a.path, a.lines, &a.full_name).cmp(&(&b.path, b.lines, &b.full_name))
        });
        found
    }
}

/// Whether the shape of a symbol identifies it: fields and variants look alike everywhere.
const fn has_generic_shape(known: &MoveCandidate) -> bool {
    use syntax::SymbolKind::{Field, Property, Variable, Variant};
    matches!(known.kind, Field | Property | Variable | Variant)
}

/// Whether the symbol around a symbol is in the same list.
fn has_parent_in(known: &MoveCandidate, all: &[MoveCandidate]) -> bool {
    let Some((outer, _)) = known.full.rsplit_once('.') else { return false };
    all.iter().any(|other| other.path == known.path && other.full == outer)
}

/// Symbols that both states have under one name, and that differ.
fn changed_in_place(
    file: &ChangedFile,
    before: &FileSymbols,
    after: &FileSymbols,
) -> Vec<ChangedSymbol> {
    let mut found = Vec::new();
    for new in &after.list {
        let Some(old) = before.get(&new.symbol.path) else { continue };
        let how = if old.symbol.fingerprint.shape != new.symbol.fingerprint.shape {
            SymbolChangeKind::Signature
        } else if old.code != new.code {
            SymbolChangeKind::Body
        } else if old.text != new.text {
            SymbolChangeKind::Docs
        } else {
            continue;
        };
        // A symbol that contains others changes with them; only the inner ones are reported.
        let codes = |symbols: &FileSymbols, outer: &Symbol| -> BTreeSet<(String, Hash)> {
            let (start, end) = (outer.declaration.start, outer.declaration.end);
            let inner = symbols.list.iter().filter(|version| {
                let span = version.symbol.declaration;
                version.symbol.path != outer.path && start <= span.start && span.end <= end
            });
            inner.map(|version| (version.symbol.path.clone(), version.code)).collect()
        };
        if how == SymbolChangeKind::Body && codes(before, &old.symbol) != codes(after, &new.symbol)
        {
            continue;
        }
        let was = file.old.as_ref().map(|old| (old.clone(), new.symbol.path.clone()));
        found.push(ChangedSymbol {
            previous: was,
            ..ChangedSymbol::new(&file.path, &new.symbol, how)
        });
    }
    found
}
