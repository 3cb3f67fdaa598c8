//! Exports that nothing takes, and how sure that is.

mod frameworks;

use std::collections::{BTreeMap, BTreeSet};

use base::entity::plain_name;
use base::{RepoPath, Result};
use store::Connection;
use syntax::Language;

use crate::outline::Asks;
use crate::resolve::{self, Entry, Files, Origin, Public, World};
use crate::symbols::SymbolRow;
use crate::tables;

/// How sure it is that nothing uses an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sure {
    /// Nothing in the repository names it, and nothing outside can
    Certain,
    /// Nothing takes it, but something could be overlooked or it is used at home
    Likely,
    /// Strangers, or code that is not followed, may use it
    Maybe,
}

/// An export that nothing takes.
#[derive(Debug, Clone)]
pub struct Unused {
    /// The symbol
    pub symbol: SymbolRow,
    /// How sure that is
    pub sure: Sure,
    /// Why it is believed, in a few words
    pub why: String,
}

/// Attributes of Rust that hand an item to somebody who is not in sight.
const HANDED_OVER: [&str; 12] = [
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

/// Everything that is known about who takes what.
struct Uses {
    /// By symbol: the kinds of those who take it
    named: BTreeMap<Origin, BTreeSet<String>>,
    /// By file: who takes it whole in a way that may reach any name
    whole: BTreeMap<RepoPath, RepoPath>,
    /// By file: who hands all of it on
    handed_on: BTreeMap<RepoPath, RepoPath>,
}

/// Exports below a folder that nothing takes. `is_entry` tells what the user named as entries.
pub fn unused(
    conn: &Connection,
    files: &dyn Files,
    below: &RepoPath,
    is_entry: &dyn Fn(&RepoPath) -> bool,
) -> Result<Vec<Unused>> {
    let world = World::new(conn, files);
    let public = resolve::public(&world, conn)?;
    let uses = uses(conn)?;
    let mut found = Vec::new();
    for (path, symbols) in by_file(tables::exported(conn)?) {
        let is_run = public.entries.get(&path) == Some(&Entry::Program);
        let is_out = !path.is_below(below) || is_entry(&path) || is_run;
        if is_out || !is_followed(&path) || frameworks::started_by(&path, &public).is_some() {
            continue;
        }
        let has_macro = tables::in_file(conn, &path)?.iter().any(|symbol| symbol.kind == "macro");
        let asks = resolve::tables::outline(conn, &path)?.map(|(_, asks)| asks).unwrap_or_default();
        let library = resolve::is_public_module(&world, conn, &path);
        for symbol in symbols {
            let judged = judge(&symbol, &uses, &public, (&asks, library, has_macro));
            found.extend(judged.map(|(sure, why)| Unused { symbol, sure, why }));
        }
    }
    found.sort_by(|a, b| {
        let key = |one: &Unused| (one.sure, one.symbol.path.clone(), one.symbol.line);
        key(a).cmp(&key(b))
    });
    Ok(found)
}

/// Whether uses are followed in the language of a file; elsewhere nothing can be said.
fn is_followed(path: &RepoPath) -> bool {
    use Language::{JavaScript, Python, Rust, Tsx, TypeScript};
    matches!(Language::of(path), Some(JavaScript | Python | Rust | Tsx | TypeScript))
}

fn by_file(symbols: Vec<SymbolRow>) -> BTreeMap<RepoPath, Vec<SymbolRow>> {
    let mut by_file: BTreeMap<RepoPath, Vec<SymbolRow>> = BTreeMap::new();
    for symbol in symbols {
        by_file.entry(symbol.path.clone()).or_default().push(symbol);
    }
    by_file
}

fn uses(conn: &Connection) -> Result<Uses> {
    let mut uses =
        Uses { named: BTreeMap::new(), whole: BTreeMap::new(), handed_on: BTreeMap::new() };
    for taken in resolve::tables::all_takings(conn)? {
        let kind = taken.kind.as_str();
        let is_rust = Language::of(&taken.path) == Some(Language::Rust);
        let origin = taken.origin;
        match (origin.name.as_str(), kind) {
            ("*", "ReExport" | "PubUse") => {
                uses.handed_on.insert(origin.file, taken.path);
            }
            // What a Rust module is used for shows in the paths that follow.
            ("*", _) if is_rust || taken.is_bare => {}
            ("*", _) => {
                uses.whole.insert(origin.file, taken.path);
            }
            _ => {
                uses.named.entry(origin).or_default().insert(taken.kind);
            }
        }
    }
    Ok(uses)
}

/// What is to be said about an export; nothing if it is used.
fn judge(
    symbol: &SymbolRow,
    uses: &Uses,
    public: &Public,
    (asks, library, has_macro): (&Asks, Option<(bool, bool)>, bool),
) -> Option<(Sure, String)> {
    // Namesakes are told apart by a mark; who takes the name takes them all.
    let name = &*plain_name(&symbol.full);
    if Language::of(&symbol.path) == Some(Language::Python) && name.starts_with("__") {
        return None; // the language itself calls it
    }
    let origin = Origin { file: symbol.path.clone(), name: name.to_owned() };
    let kinds = uses.named.get(&origin);
    if kinds.is_some_and(|kinds| {
        kinds.iter().any(|kind| !matches!(kind.as_str(), "ReExport" | "PubUse"))
    }) {
        return None;
    }
    let handed_on = kinds.is_some() || uses.handed_on.contains_key(&symbol.path);
    let at_home = asks.own.iter().any(|own| own == name);
    if let Some(mark) = mark(symbol, asks) {
        return Some((Sure::Maybe, format!("`{mark}` may hand it to code that is not followed")));
    }
    if public.names.contains(&origin) {
        return Some((Sure::Maybe, "public API of its package; nothing here uses it".into()));
    }
    if let Some((true, reachable)) = library
        && symbol.visibility == "public"
        && (reachable || handed_on)
    {
        return Some((Sure::Maybe, "public API of its crate; nothing here uses it".into()));
    }
    if let Some(by) = uses.whole.get(&symbol.path) {
        return Some((Sure::Maybe, format!("{by} takes the whole module and may reach it")));
    }
    Some(match (handed_on, at_home) {
        (true, _) => (Sure::Likely, "re-exported, never imported".into()),
        (false, true) => (Sure::Likely, "used only in its own file".into()),
        (false, false) if has_macro => (Sure::Maybe, "a macro of its file may name it".into()),
        (false, false) => (Sure::Certain, "nothing names it".into()),
    })
}

/// The mark on a declaration that may lead to uses out of sight.
fn mark<'a>(symbol: &SymbolRow, asks: &'a Asks) -> Option<&'a str> {
    let is_rust = Language::of(&symbol.path) == Some(Language::Rust);
    let marks = asks.marked.iter().filter(|(name, _)| *name == symbol.full);
    let mut marks = marks.map(|(_, mark)| mark.as_str());
    marks.find(|mark| {
        let last = mark.rsplit("::").next().unwrap_or(mark);
        !is_rust || HANDED_OVER.contains(&last)
    })
}
