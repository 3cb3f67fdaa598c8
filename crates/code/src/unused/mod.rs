//! Exports without importers, with a certainty and a reason.

mod frameworks;

use std::collections::{BTreeMap, BTreeSet};

use base::entity::plain_name;
use base::{RepoPath, Result};
use store::Connection;
use syntax::{ImportResolver, Language};

use crate::outline::ModuleReferences;
use crate::resolve::{
    self, EntryPointKind, FileCatalog, LibraryVisibility, PublicSurface, ResolutionContext,
    SymbolOrigin,
};
use crate::symbols::SymbolRow;
use crate::tables;

/// How certain it is that nothing uses an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnusedCertainty {
    /// Nothing in the repository names it, and nothing outside can
    Certain,
    /// Nothing imports it, but a use may be overlooked, or its own file uses it
    Likely,
    /// Code outside the repository, or code that is not analysed, may use it
    Maybe,
}

/// An export that nothing imports.
#[derive(Debug, Clone)]
pub struct UnusedSymbol {
    /// The symbol
    pub symbol: SymbolRow,
    /// How certain it is that the export is unused
    pub certainty: UnusedCertainty,
    /// The reason, in a few words
    pub reason: String,
}

/// Attributes of Rust that make an item usable by code outside the analysis.
const EXTERNAL_USE_ATTRIBUTES: [&str; 12] = [
    "no_mangle",
    "export_name",
    "proc_macro",
    "proc_macro_derive",
    "proc_macro_attribute",
    "wasm_bindgen",
    "macro_export",
    "global_allocator",
    "panic_handler",
    "pyfunction",
    "pyclass",
    "napi",
];

/// Which exports are imported, and how.
struct ExportUses {
    /// By symbol: the kinds of the imports that use it
    users_by_symbol: BTreeMap<SymbolOrigin, BTreeSet<String>>,
    /// By file: a file that imports it as a whole and may use any name of it
    imported_whole_by: BTreeMap<RepoPath, RepoPath>,
    /// By file: a file that re-exports everything of it
    reexported_by: BTreeMap<RepoPath, RepoPath>,
}

/// Exports below a folder that nothing imports. `is_entry` says which files the configuration names
/// as entry points.
pub fn unused_exports(
    conn: &Connection,
    files: &dyn FileCatalog,
    below: &RepoPath,
    is_entry: &dyn Fn(&RepoPath) -> bool,
) -> Result<Vec<UnusedSymbol>> {
    let world = ResolutionContext::new(conn, files);
    let public = resolve::public_surface(&world, conn)?;
    let uses = export_uses(conn)?;
    let mut found = Vec::new();
    for (path, symbols) in by_file(tables::exported_symbols(conn)?) {
        let is_run = public.entries.get(&path) == Some(&EntryPointKind::Program);
        let is_out = !path.is_at_or_below(below) || is_entry(&path) || is_run;
        if is_out
            || !is_supported_language(&path)
            || frameworks::external_starter(&path, &public).is_some()
        {
            continue;
        }
        let has_macro =
            tables::symbols_in_file(conn, &path)?.iter().any(|symbol| symbol.kind == "macro");
        let asks = resolve::tables::outline(conn, &path)?.map(|(_, asks)| asks).unwrap_or_default();
        let library = resolve::library_visibility(&world, conn, &path);
        let is_loaded_by_path = uses.is_loaded_by_path(&path);
        let file = DeclaringFile { references: &asks, library, has_macro, is_loaded_by_path };
        for symbol in symbols {
            let judged = classify_export(&symbol, &uses, &public, &file);
            found.extend(judged.map(|(sure, why)| UnusedSymbol {
                symbol,
                certainty: sure,
                reason: why,
            }));
        }
    }
    found.sort_by(|a, b| {
        let key = |one: &UnusedSymbol| (one.certainty, one.symbol.path.clone(), one.symbol.line);
        key(a).cmp(&key(b))
    });
    Ok(found)
}

/// Whether uses are analysed in the language of a file. For other languages no export is reported.
fn is_supported_language(path: &RepoPath) -> bool {
    Language::from_path(path).is_some_and(|language| language.semantics().reports_unused_exports)
}

fn by_file(symbols: Vec<SymbolRow>) -> BTreeMap<RepoPath, Vec<SymbolRow>> {
    let mut by_file: BTreeMap<RepoPath, Vec<SymbolRow>> = BTreeMap::new();
    for symbol in symbols {
        by_file.entry(symbol.path.clone()).or_default().push(symbol);
    }
    by_file
}

impl ExportUses {
    /// Whether nothing imports a file that a tool could load by its path.
    fn is_loaded_by_path(&self, path: &RepoPath) -> bool {
        let resolver = ImportResolver::of_file(path);
        let start = SymbolOrigin { file: path.clone(), name: String::new() };
        let is_imported = self.imported_whole_by.contains_key(path)
            || self.reexported_by.contains_key(path)
            || self.users_by_symbol.range(start..).next().is_some_and(|(at, _)| at.file == *path);
        matches!(resolver, ImportResolver::JavaScript | ImportResolver::Python) && !is_imported
    }
}

fn export_uses(conn: &Connection) -> Result<ExportUses> {
    let mut uses = ExportUses {
        users_by_symbol: BTreeMap::new(),
        imported_whole_by: BTreeMap::new(),
        reexported_by: BTreeMap::new(),
    };
    for taken in resolve::tables::all_import_uses(conn)? {
        let kind = taken.kind.as_str();
        let is_rust = ImportResolver::of_file(&taken.path) == ImportResolver::Rust;
        let origin = taken.origin;
        match (origin.name.as_str(), kind) {
            ("*", "ReExport" | "PubUse") => {
                uses.reexported_by.insert(origin.file, taken.path);
            }
            // The uses of a Rust module are the paths through it, which are recorded one by one.
            ("*", _) if is_rust || taken.is_bare => {}
            ("*", _) => {
                uses.imported_whole_by.insert(origin.file, taken.path);
            }
            _ => {
                uses.users_by_symbol.entry(origin).or_default().insert(taken.kind);
            }
        }
    }
    Ok(uses)
}

/// What decides about the exports of one file.
struct DeclaringFile<'a> {
    references: &'a ModuleReferences,
    /// `None` if the file belongs to no library
    library: Option<LibraryVisibility>,
    has_macro: bool,
    /// Whether nothing imports it, though it is written in a language whose files can be run by
    /// their path
    is_loaded_by_path: bool,
}

/// How certain it is that an export is unused, and why; `None` if it is used.
fn classify_export(
    symbol: &SymbolRow,
    uses: &ExportUses,
    public: &PublicSurface,
    file: &DeclaringFile<'_>,
) -> Option<(UnusedCertainty, String)> {
    // Symbols that share a name differ by a disambiguator; an import of the name uses all of them.
    let name = &*plain_name(&symbol.full);
    let language = Language::from_path(&symbol.path);
    let reserved = language.and_then(|language| language.semantics().reserved_prefix);
    if reserved.is_some_and(|prefix| name.starts_with(prefix)) {
        return None; // the language itself calls it
    }
    let origin = SymbolOrigin { file: symbol.path.clone(), name: name.to_owned() };
    let kinds = uses.users_by_symbol.get(&origin);
    if kinds.is_some_and(|kinds| {
        kinds.iter().any(|kind| !matches!(kind.as_str(), "ReExport" | "PubUse"))
    }) {
        return None;
    }
    let handed_on = kinds.is_some() || uses.reexported_by.contains_key(&symbol.path);
    let at_home = file.references.own.iter().any(|own| own == name);
    if let Some(mark) = external_use_mark(symbol, file.references) {
        return Some((
            UnusedCertainty::Maybe,
            format!("`{mark}` may make it used by code that is not analysed"),
        ));
    }
    if public.names.contains(&origin) {
        return Some((
            UnusedCertainty::Maybe,
            "public API of its package; nothing here uses it".into(),
        ));
    }
    if let Some(library) = file.library
        && library.is_published
        && symbol.visibility == "public"
        && (library.is_reachable || handed_on)
    {
        return Some((
            UnusedCertainty::Maybe,
            "public API of its crate; nothing here uses it".into(),
        ));
    }
    if let Some(by) = uses.imported_whole_by.get(&symbol.path) {
        return Some((
            UnusedCertainty::Maybe,
            format!("{by} imports the whole module and may use it"),
        ));
    }
    if handed_on && public.is_published(&symbol.path) {
        return Some((
            UnusedCertainty::Maybe,
            "re-exported in a published package; nothing here uses it".into(),
        ));
    }
    Some(match (handed_on, at_home) {
        (false, false) if file.is_loaded_by_path => (
            UnusedCertainty::Likely,
            "nothing imports its file; a tool may load it by its path".into(),
        ),
        (true, _) => (UnusedCertainty::Likely, "re-exported, never imported".into()),
        (false, true) => (UnusedCertainty::Likely, "used only in its own file".into()),
        (false, false) if file.has_macro => {
            (UnusedCertainty::Maybe, "a macro of its file may name it".into())
        }
        (false, false) => (UnusedCertainty::Certain, "nothing names it".into()),
    })
}

/// The decorator or attribute of a declaration that may cause uses outside the analysis.
fn external_use_mark<'a>(symbol: &SymbolRow, asks: &'a ModuleReferences) -> Option<&'a str> {
    let is_rust = ImportResolver::of_file(&symbol.path) == ImportResolver::Rust;
    let marks = asks.marked.iter().filter(|(name, _)| *name == symbol.full);
    let mut marks = marks.map(|(_, mark)| mark.as_str());
    marks.find(|mark| {
        let last = mark.rsplit("::").next().unwrap_or(mark);
        !is_rust || EXTERNAL_USE_ATTRIBUTES.contains(&last)
    })
}
