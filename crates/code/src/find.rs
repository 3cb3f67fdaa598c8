//! Finding symbols by name.

use std::iter;
use std::ops::Range;

use base::{RepoPath, Result};
use memchr::memmem::Finder;
use store::Connection;

use crate::symbols::SymbolRow;
use crate::tables::{self, NameRow};

/// What is looked for.
#[derive(Debug, Clone)]
pub struct Find<'a> {
    /// A name or a part of one, nested with `.`
    pub name: &'a str,
    /// Only this kind
    pub kind: Option<&'a str>,
    /// Only what is offered beyond its file, or only what is not
    pub exported: Option<bool>,
    /// Only at or below this
    pub path: Option<&'a RepoPath>,
}

/// Whether small and capital letters are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// They are
    Sensitive,
    /// They are not
    Insensitive,
}

impl Case {
    /// A name in small letters is meant in any case; one with capitals is meant as written.
    pub fn of(name: &str) -> Self {
        if name.chars().any(char::is_uppercase) { Self::Sensitive } else { Self::Insensitive }
    }
}

/// The names of all symbols of one state of the index, to be looked through at once.
#[derive(Debug, Default)]
pub struct Names {
    /// Names with what they are nested in, one a line
    fulls: String,
    /// The same in small letters, as far as they are Latin: every name is at the same place
    lower: String,
    symbols: Vec<Named>,
    paths: Vec<RepoPath>,
    kinds: Vec<String>,
}

#[derive(Debug)]
struct Named {
    start: usize,
    /// Where its own name is within the whole
    own: Range<usize>,
    path: usize,
    id: u32,
    kind: usize,
    exported: bool,
    is_test: bool,
}

impl Names {
    /// Reads them.
    pub fn load(conn: &Connection) -> Result<Self> {
        let mut names = Self::default();
        tables::all_names(conn, |row| names.add(row))?;
        names.lower = names.fulls.to_ascii_lowercase();
        Ok(names)
    }

    fn add(&mut self, row: NameRow<'_>) {
        if self.paths.last().is_none_or(|last| last.as_bytes() != row.path) {
            self.paths.extend(RepoPath::from_bytes(row.path).ok());
        }
        let kind = self.kinds.iter().position(|kind| kind == row.kind).unwrap_or_else(|| {
            self.kinds.push(row.kind.to_owned());
            self.kinds.len() - 1
        });
        let at = row.full.rfind(row.name);
        let own = at.map_or(0..row.full.len(), |at| at..at + row.name.len());
        self.symbols.push(Named {
            start: self.fulls.len(),
            own,
            path: self.paths.len() - 1,
            id: row.id,
            kind,
            exported: row.exported,
            is_test: row.is_test,
        });
        self.fulls.push_str(row.full);
        self.fulls.push('\n');
    }

    fn end(&self, at: usize) -> usize {
        self.symbols.get(at + 1).map_or(self.fulls.len(), |next| next.start) - 1
    }

    /// Those whose names hold some letters, in any case.
    fn holding<'a>(&'a self, letters: &'a str) -> impl Iterator<Item = usize> + 'a {
        let finder = Finder::new(letters.as_bytes());
        let mut from = 0;
        iter::from_fn(move || {
            let place = from + finder.find(self.lower.as_bytes().get(from..)?)?;
            let at = self.symbols.partition_point(|symbol| symbol.start <= place) - 1;
            from = self.end(at) + 1;
            Some(at)
        })
    }

    fn fits(&self, at: usize, wanted: &Find<'_>, case: Case) -> bool {
        let symbol = &self.symbols[at];
        let full = || &self.fulls[symbol.start..self.end(at)];
        (case == Case::Insensitive || full().contains(wanted.name))
            && wanted.kind.is_none_or(|kind| self.kinds[symbol.kind] == kind)
            && wanted.exported.is_none_or(|exported| symbol.exported == exported)
            && wanted.path.is_none_or(|path| self.paths[symbol.path].is_below(path))
    }

    /// How near a symbol is to what is looked for: the least is the nearest.
    fn rank(&self, at: usize, (name, letters): (&str, &str)) -> Rank<'_> {
        let symbol = &self.symbols[at];
        let full = &self.fulls[symbol.start..self.end(at)];
        let lower = &self.lower[symbol.start..self.end(at)][symbol.own.clone()];
        let is_same = full == name || &full[symbol.own.clone()] == name;
        let nearness =
            [!is_same, lower != letters, !lower.starts_with(letters), !lower.contains(letters)];
        let (length, path) = (full.chars().count(), &self.paths[symbol.path]);
        (nearness, !symbol.exported, symbol.is_test, length, full, path)
    }
}

type Rank<'a> = ([bool; 4], bool, bool, usize, &'a str, &'a RepoPath);

/// Symbols that fit: the exact name first, then names that start so, then names that hold it. How
/// many there are, and a part of them.
pub fn find(
    (conn, names): (&Connection, &Names),
    wanted: &Find<'_>,
    (offset, limit): (usize, usize),
) -> Result<(usize, Vec<SymbolRow>)> {
    let (case, letters) = (Case::of(wanted.name), wanted.name.to_ascii_lowercase());
    if letters.is_empty() || letters.contains('\n') {
        return Ok((0, Vec::new()));
    }
    let mut found: Vec<usize> =
        names.holding(&letters).filter(|at| names.fits(*at, wanted, case)).collect();
    found.sort_by_cached_key(|at| names.rank(*at, (wanted.name, &letters)));
    let total = found.len();
    let mut rows = Vec::new();
    for at in found.into_iter().skip(offset).take(limit) {
        let symbol = &names.symbols[at];
        rows.extend(tables::by_id(conn, &names.paths[symbol.path], symbol.id)?);
    }
    Ok((total, rows))
}
