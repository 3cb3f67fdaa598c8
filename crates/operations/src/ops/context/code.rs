//! What to know about a symbol or a file of code: its source, who uses it, and its tests.

use std::collections::BTreeMap;

use base::words::counted;
use base::{EntityRef, RepoPath, Result};

use super::cost;
use crate::answers::callers::{self, SymbolCaller};
use crate::answers::source::{Excerpt, LineRange, SourceText};
use crate::answers::test_finder::{SEARCH_METHODS, TestFile, tests_for};
use engine::graph::{ContextItem, ContextSection};
use engine::view::View;

/// How many files with callers are listed.
const MAX_FILES: usize = 12;

/// How many callers are named for one file.
const MAX_NAMED_CALLERS: usize = 5;

/// How many test files are named.
const MAX_TEST_FILES: usize = 3;

/// The source of a symbol, as many whole lines as a part of the budget allows.
pub(super) fn source(view: &View, node: &EntityRef, budget: usize) -> Result<Option<Excerpt>> {
    let EntityRef::Symbol(path, name) = node else { return Ok(None) };
    let Some(row) = ::code::symbol(view.index()?.conn(), path, name.as_str())? else {
        return Ok(None);
    };
    let text = SourceText::read(view, path)?;
    let found = text.in_place(view, path, vec![row])?;
    let Some(row) = found.first() else { return Ok(None) };
    let LineRange { first, last } = text.lines_of(row);
    let mut left = budget;
    let is_paid = |line: &u32| {
        let price = cost(text.line(*line)) + 2;
        let enough = left >= price;
        left -= if enough { price } else { 0 };
        enough
    };
    let shown = (first..=last).take_while(is_paid).last();
    Ok(shown.map(|last| text.excerpt(LineRange { first, last })))
}

/// Who uses a symbol or a file of code, grouped by file, and the tests to run for it.
pub(super) fn used_by(view: &View, node: &EntityRef) -> Result<Vec<ContextItem>> {
    if !matches!(node, EntityRef::Symbol(..) | EntityRef::Module(_)) {
        return Ok(Vec::new());
    }
    let mut whole = vec![node.clone()];
    for area in view.graph_areas() {
        whole.extend(area.parts(view, node)?);
    }
    let callers = callers::direct_callers(view, &whole)?;
    let production: Vec<&SymbolCaller> = callers.iter().filter(|caller| !caller.is_test).collect();
    let files = by_file(&production);
    let mut items = Vec::new();
    if !production.is_empty() {
        let text =
            format!("{} in {}", counted(production.len(), "caller"), counted(files.len(), "file"));
        items.push(text_item(text));
    }
    let own = node.path();
    items.extend(files.iter().take(MAX_FILES).map(|(path, callers)| {
        let place = if Some(*path) == own { "this file".to_owned() } else { path.to_string() };
        text_item(format!("{place}: {}", callers_text(callers)))
    }));
    if files.len() > MAX_FILES {
        items.push(text_item(format!("{} more", counted(files.len() - MAX_FILES, "file"))));
    }
    items.extend(importers_item(view, own, &callers)?);
    items.push(text_item(tests_text(&tests_for(view, std::slice::from_ref(node))?)));
    Ok(items)
}

/// The callers of one file in a line.
fn callers_text(callers: &[&SymbolCaller]) -> String {
    let name = |caller: &&SymbolCaller| {
        let name = if caller.name.is_empty() { "top level" } else { &caller.name };
        format!("{name} {}", caller.line)
    };
    let mut names: Vec<String> = callers.iter().take(MAX_NAMED_CALLERS).map(name).collect();
    if callers.len() > MAX_NAMED_CALLERS {
        names.push(format!("{} more", callers.len() - MAX_NAMED_CALLERS));
    }
    names.join(", ")
}

/// The files that import a file without calling it, as one line.
fn importers_item(
    view: &View,
    own: Option<&RepoPath>,
    callers: &[SymbolCaller],
) -> Result<Option<ContextItem>> {
    let Some(path) = own else { return Ok(None) };
    let taking = ::code::importer_names(view.index()?.conn(), path)?;
    let mut files: Vec<RepoPath> = taking.into_iter().map(|(path, _)| path).collect();
    files.sort();
    files.dedup();
    files.retain(|path| !callers.iter().any(|caller| caller.path == *path));
    let item = || match files.len() {
        1 => text_item("1 file imports this file without calling it".into()),
        count => text_item(format!("{count} files import this file without calling it")),
    };
    Ok((!files.is_empty()).then(item))
}

fn tests_text(found: &[TestFile]) -> String {
    if found.is_empty() {
        return format!("no test found ({SEARCH_METHODS})");
    }
    let names: Vec<String> =
        found.iter().take(MAX_TEST_FILES).map(|test| test.path.to_string()).collect();
    let more = match found.len().saturating_sub(MAX_TEST_FILES) {
        0 => String::new(),
        more => format!(" (+{more})"),
    };
    format!("tests to run: {}{more}", names.join(", "))
}

/// Callers by file, in the order in which the files first appear.
fn by_file<'c>(callers: &[&'c SymbolCaller]) -> Vec<(&'c RepoPath, Vec<&'c SymbolCaller>)> {
    let mut order: BTreeMap<&RepoPath, usize> = BTreeMap::new();
    let mut files: Vec<(&RepoPath, Vec<&SymbolCaller>)> = Vec::new();
    for caller in callers {
        let at = *order.entry(&caller.path).or_insert(files.len());
        if at == files.len() {
            files.push((&caller.path, Vec::new()));
        }
        files[at].1.push(caller);
    }
    files
}

fn text_item(text: String) -> ContextItem {
    ContextItem { section: ContextSection::UsedBy, text, handle: None }
}
