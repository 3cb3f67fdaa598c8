//! Finding symbols by name.

use std::iter;
use std::ops::Range;

use base::entity::plain_name;
use base::{RepoPath, Result};
use memchr::memmem::Finder;
use store::Connection;
use syntax::{FileRole, ImportResolver, Language};

use crate::resolve::MAX_REEXPORT_CHAIN;
use crate::symbols::{SymbolIndex, SymbolRow};
use crate::tables::{self, SymbolNameRow};

/// A search for symbols by name.
#[derive(Debug, Clone)]
pub struct SymbolNameQuery<'a> {
    /// A name or a part of one; nested names are joined with `.`
    pub name: &'a str,
    /// If given, only symbols of this kind
    pub kind: Option<&'a str>,
    /// If given, only exported symbols, or only those that are not exported
    pub exported: Option<bool>,
    /// If given, only symbols in files at or below this path
    pub path: Option<&'a RepoPath>,
}

/// Case sensitivity of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// Upper and lower case letters differ
    Sensitive,
    /// Upper and lower case letters are equal
    Insensitive,
}

impl Case {
    /// Smart case: a text with capital letters is searched as written, any other text in any case.
    pub fn of(name: &str) -> Self {
        if name.chars().any(char::is_uppercase) { Self::Sensitive } else { Self::Insensitive }
    }
}

/// The names of all symbols of one state of the index, in one text that is searched at once.
#[derive(Debug, Default)]
pub struct SymbolNameIndex {
    /// Full names (with the names around them), one per line
    full_names: String,
    /// The same with ASCII letters in lower case, so that every name is at the same byte offset
    lowercase_names: String,
    symbols: Vec<SymbolNameEntry>,
    paths: Vec<RepoPath>,
    /// What each of the paths is for
    roles: Vec<FileRole>,
    kinds: Vec<String>,
}

#[derive(Debug)]
struct SymbolNameEntry {
    start: usize,
    /// The range of its own name within the full name
    name_range: Range<usize>,
    path: usize,
    id: SymbolIndex,
    kind: usize,
    exported: bool,
    is_test: bool,
}

impl SymbolNameIndex {
    /// Reads the names of all symbols from the index.
    pub fn load(conn: &Connection) -> Result<Self> {
        let mut names = Self::default();
        tables::for_each_symbol_name(conn, |row| names.add(row))?;
        names.lowercase_names = names.full_names.to_ascii_lowercase();
        Ok(names)
    }

    fn add(&mut self, row: SymbolNameRow<'_>) {
        if self.paths.last().is_none_or(|last| last.as_bytes() != row.path)
            && let Ok(path) = RepoPath::from_bytes(row.path)
        {
            self.roles.push(FileRole::of(&path));
            self.paths.push(path);
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

    /// The symbols whose full names contain a text in lower case, in any case.
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

    /// The rank of a symbol among the matches; the least comes first.
    fn rank(&self, at: usize, name: &str, letters: &str) -> SymbolMatchRank<'_> {
        let symbol = &self.symbols[at];
        let full = &self.full_names[symbol.start..self.name_end(at)];
        let lower =
            &self.lowercase_names[symbol.start..self.name_end(at)][symbol.name_range.clone()];
        let is_same = full == name || &full[symbol.name_range.clone()] == name;
        let nearness =
            [!is_same, lower != letters, !lower.starts_with(letters), !lower.contains(letters)];
        let (length, path) = (full.chars().count(), &self.paths[symbol.path]);
        let role = if symbol.is_test { FileRole::Test } else { self.roles[symbol.path] };
        (nearness, role, !symbol.exported, length, full, path)
    }
}

/// The symbols of a file that a name may mean: the one whose disambiguator is given, else all with
/// this full name, else all whose full names end with the name.
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

type SymbolMatchRank<'a> = ([bool; 4], FileRole, bool, usize, &'a str, &'a RepoPath);

/// A symbol that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolMatch {
    /// The symbol
    pub symbol: SymbolRow,
    /// The file that exports the symbol under the searched name, if its own name is another
    pub alias_in: Option<RepoPath>,
}

/// The symbols that are exported under a name other than their own, with the exporting file. If a
/// file is given, only its exports.
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

/// The symbol that a file exports under a name, followed through re-exports under other names.
fn resolve_alias(conn: &Connection, file: RepoPath, name: String) -> Result<Option<SymbolRow>> {
    let (mut file, mut name) = (file, name);
    for _ in 0..MAX_REEXPORT_CHAIN {
        if let Some(own) = tables::symbol(conn, &file, &name)? {
            return Ok(Some(own));
        }
        let Some(alias) = tables::export_aliases(conn, &name, Some(&file))?.into_iter().next()
        else {
            if !reexports_all(&file) {
                return Ok(None);
            }
            // The file re-exports everything of another file. If exactly one file exports a
            // top-level symbol of this name, it is the one.
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

/// Whether a file may re-export everything of another one without naming it.
fn reexports_all(file: &RepoPath) -> bool {
    Language::from_path(file)
        .is_some_and(|language| language.semantics().imports == ImportResolver::JavaScript)
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
/// then names that start with the text, then names that contain it; among equals, production code
/// before tests, examples and generated code. Returns the number of all
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
