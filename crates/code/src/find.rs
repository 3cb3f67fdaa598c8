//! Finding symbols by name.

use std::iter;
use std::ops::Range;

use base::entity::plain_name;
use base::{RepoPath, Result};
use memchr::memmem::Finder;
use store::Connection;

use crate::symbols::SymbolRow;
use crate::tables::{self, SymbolNameRow};

/// What is looked for.
#[derive(Debug, Clone)]
pub struct SymbolNameQuery<'a> {
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
pub struct SymbolNameIndex {
    /// Names with what they are nested in, one a line
    full_names: String,
    /// The same in small letters, as far as they are Latin: every name is at the same place
    lowercase_names: String,
    symbols: Vec<SymbolNameEntry>,
    paths: Vec<RepoPath>,
    kinds: Vec<String>,
}

#[derive(Debug)]
struct SymbolNameEntry {
    start: usize,
    /// Where its own name is within the whole
    name_range: Range<usize>,
    path: usize,
    id: u32,
    kind: usize,
    exported: bool,
    is_test: bool,
}

impl SymbolNameIndex {
    /// Reads them.
    pub fn load(conn: &Connection) -> Result<Self> {
        let mut names = Self::default();
        tables::for_each_symbol_name(conn, |row| names.add(row))?;
        names.lowercase_names = names.full_names.to_ascii_lowercase();
        Ok(names)
    }

    fn add(&mut self, row: SymbolNameRow<'_>) {
        if self.paths.last().is_none_or(|last| last.as_bytes() != row.path) {
            self.paths.extend(RepoPath::from_bytes(row.path).ok());
        }
        let kind = self.kinds.iter().position(|kind| kind == row.kind).unwrap_or_else(|| {
            self.kinds.push(row.kind.to_owned());
            self.kinds.len() - 1
        });
        let at = row.full.rfind(row.name);
        let own = at.map_or(0..row.full.len(), |at| at..at + row.name.len());
        self.symbols.push(SymbolNameEntry {
            start: self.full_names.len(),
            name_range: own,
            path: self.paths.len() - 1,
            id: row.id,
            kind,
            exported: row.exported,
            is_test: row.is_test,
        });
        self.full_names.push_str(row.full);
        self.full_names.push('\n');
    }

    fn name_end(&self, at: usize) -> usize {
        self.symbols.get(at + 1).map_or(self.full_names.len(), |next| next.start) - 1
    }

    /// Those whose names hold some letters, in any case.
    fn containing<'a>(&'a self, letters: &'a str) -> impl Iterator<Item = usize> + 'a {
        let finder = Finder::new(letters.as_bytes());
        let mut from = 0;
        iter::from_fn(move || {
            let place = from + finder.find(self.lowercase_names.as_bytes().get(from..)?)?;
            let at = self.symbols.partition_point(|symbol| symbol.start <= place) - 1;
            from = self.name_end(at) + 1;
            Some(at)
        })
    }

    fn matches_filters(&self, at: usize, wanted: &SymbolNameQuery<'_>, case: Case) -> bool {
        let symbol = &self.symbols[at];
        let full = || &self.full_names[symbol.start..self.name_end(at)];
        (case == Case::Insensitive || full().contains(wanted.name))
            && wanted.kind.is_none_or(|kind| self.kinds[symbol.kind] == kind)
            && wanted.exported.is_none_or(|exported| symbol.exported == exported)
            && wanted.path.is_none_or(|path| self.paths[symbol.path].is_at_or_below(path))
    }

    /// How near a symbol is to what is looked for: the least is the nearest.
    fn rank(&self, at: usize, name: &str, letters: &str) -> SymbolMatchRank<'_> {
        let symbol = &self.symbols[at];
        let full = &self.full_names[symbol.start..self.name_end(at)];
        let lower =
            &self.lowercase_names[symbol.start..self.name_end(at)][symbol.name_range.clone()];
        let is_same = full == name || &full[symbol.name_range.clone()] == name;
        let nearness =
            [!is_same, lower != letters, !lower.starts_with(letters), !lower.contains(letters)];
        let (length, path) = (full.chars().count(), &self.paths[symbol.path]);
        (nearness, !symbol.exported, symbol.is_test, length, full, path)
    }
}

/// The symbols of a file that a name may mean: the one whose mark is written out, else all that
/// have the nested name, else all whose nested names end so.
pub fn symbols_named(conn: &Connection, path: &RepoPath, name: &str) -> Result<Vec<SymbolRow>> {
    let mut rows = tables::symbols_in_file(conn, path)?;
    let is_marked = plain_name(name) != name;
    let known = |row: &SymbolRow| match is_marked {
        true => row.full.clone(),
        false => plain_name(&row.full).into_owned(),
    };
    let ending = format!(".{name}");
    let has_whole = rows.iter().any(|row| known(row) == name);
    rows.retain(|row| match has_whole {
        true => known(row) == name,
        false => known(row).ends_with(&ending),
    });
    Ok(rows)
}

type SymbolMatchRank<'a> = ([bool; 4], bool, bool, usize, &'a str, &'a RepoPath);

/// A symbol that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolMatch {
    /// The symbol
    pub symbol: SymbolRow,
    /// The file that offers it under the name that was looked for, where it has another itself
    pub alias_in: Option<RepoPath>,
}

/// How often a name is handed on under another.
const MAX_ALIAS_CHAIN: usize = 24;

/// The symbols that files offer under a name which is not their own, each with the file that
/// offers it so; of one file, if it is given.
pub fn exported_as(
    conn: &Connection,
    name: &str,
    file: Option<&RepoPath>,
) -> Result<Vec<SymbolMatch>> {
    let mut found = Vec::new();
    for alias in tables::export_aliases(conn, name, file)? {
        let symbol = match (&alias.symbol, alias.target) {
            (Some(full), _) => tables::symbol(conn, &alias.path, full)?,
            (None, Some(target)) => resolve_alias(conn, target, alias.local)?,
            (None, None) => None,
        };
        let alias_in = Some(alias.path);
        found.extend(symbol.map(|symbol| SymbolMatch { symbol, alias_in }));
    }
    Ok(found)
}

/// What a file offers by a name, followed through files that hand it on under another.
fn resolve_alias(conn: &Connection, file: RepoPath, name: String) -> Result<Option<SymbolRow>> {
    let (mut file, mut name) = (file, name);
    for _ in 0..MAX_ALIAS_CHAIN {
        if let Some(own) = tables::symbol(conn, &file, &name)? {
            return Ok(Some(own));
        }
        let Some(alias) = tables::export_aliases(conn, &name, Some(&file))?.into_iter().next()
        else {
            // A barrel hands it on under its own name: whoever declares that is meant, if one does.
            let top = tables::symbols_with_name(conn, &name)?;
            let mut top = top.into_iter().filter(|row| row.parent.is_none() && row.exported);
            return Ok(top.next().filter(|_| top.next().is_none()));
        };
        match (alias.symbol, alias.target) {
            (Some(full), _) => return tables::symbol(conn, &alias.path, &full),
            (None, Some(target)) => (file, name) = (target, alias.local),
            (None, None) => return Ok(None),
        }
    }
    Ok(None)
}

/// The part of a result list that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultRange {
    /// How many results are skipped
    pub offset: usize,
    /// How many results are returned at most
    pub limit: usize,
}

/// Finds symbols by name. Symbols that are exported under the name come first, then exact matches,
/// then names that start with the text, then names that contain it. Returns the number of all
/// matches, and the wanted part of them.
pub fn find_symbols(
    conn: &Connection,
    names: &SymbolNameIndex,
    wanted: &SymbolNameQuery<'_>,
    page: ResultRange,
) -> Result<(usize, Vec<SymbolMatch>)> {
    let ResultRange { offset, limit } = page;
    let (case, letters) = (Case::of(wanted.name), wanted.name.to_ascii_lowercase());
    if letters.is_empty() || letters.contains('\n') {
        return Ok((0, Vec::new()));
    }
    let mut aliased = exported_as(conn, wanted.name, None)?;
    aliased.retain(|one| {
        let SymbolMatch { symbol, alias_in } = one;
        let is_below =
            |path: &RepoPath| wanted.path.is_none_or(|folder| path.is_at_or_below(folder));
        wanted.kind.is_none_or(|kind| symbol.kind == kind)
            && wanted.exported != Some(false)
            && (is_below(&symbol.path) || alias_in.as_ref().is_some_and(is_below))
    });
    let mut found: Vec<usize> =
        names.containing(&letters).filter(|at| names.matches_filters(*at, wanted, case)).collect();
    found.sort_by_cached_key(|at| names.rank(*at, wanted.name, &letters));
    let total = aliased.len() + found.len();
    let past = offset.saturating_sub(aliased.len());
    let mut rows: Vec<SymbolMatch> = aliased.into_iter().skip(offset).take(limit).collect();
    let rest = limit - rows.len();
    for at in found.into_iter().skip(past).take(rest) {
        let symbol = &names.symbols[at];
        let row = tables::symbol_by_id(conn, &names.paths[symbol.path], symbol.id)?;
        rows.extend(row.map(|symbol| SymbolMatch { symbol, alias_in: None }));
    }
    Ok((total, rows))
}
