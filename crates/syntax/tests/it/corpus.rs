//! Every symbol of every file: replaced with itself, copied beside itself and taken out again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use syntax::edit::{SymbolEdit, edit_symbol, symbol_spans};
use syntax::{FileFacts, Language, extract};

/// Files over this are left out: a parse for every edit of every symbol adds up.
const MOST_BYTES: u64 = 40_000;

/// What was tried, what was refused, and what went wrong.
#[derive(Default)]
pub struct Tally {
    pub files: usize,
    pub symbols: usize,
    /// Copies that are one symbol with what they stand beside: overloads, a namespace in two parts
    pub joined: usize,
    pub refused: Vec<String>,
    pub wrong: Vec<String>,
}

/// Tries one of `every` symbols of the files in a folder; by language.
pub fn run(folder: &Path, every: usize) -> BTreeMap<&'static str, Tally> {
    let mut all = Vec::new();
    files(folder, &mut all);
    all.sort();
    let mut tallies = BTreeMap::new();
    for path in &all {
        check_file(path, every, &mut tallies);
    }
    tallies
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        let name = entry.file_name();
        let skipped = [".git", "target", "node_modules"].iter().any(|one| name == *one);
        if kind.is_dir() && !skipped {
            files(&path, found);
        } else if kind.is_file() && entry.metadata().unwrap().len() < MOST_BYTES {
            found.push(path);
        }
    }
}

fn check_file(path: &Path, every: usize, tallies: &mut BTreeMap<&'static str, Tally>) {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let Some(language) = name.parse().ok().and_then(|name| Language::from_path(&name)) else {
        return;
    };
    let Ok(text) = fs::read_to_string(path) else { return };
    if !language.is_code() {
        return;
    }
    let facts = extract(Some(language), text.as_bytes());
    let tally = tallies.entry(language.name()).or_default();
    tally.files += 1;
    for (at, symbol) in facts.symbols.iter().enumerate() {
        if at % every != 0 || !symbol.is_listed() {
            continue;
        }
        tally.symbols += 1;
        let what = format!("{}#{}", path.display(), symbol.path);
        check_symbol(language, &text, &facts, at, &what, tally);
    }
}

fn check_symbol(
    language: Language,
    text: &str,
    facts: &FileFacts,
    at: usize,
    what: &str,
    tally: &mut Tally,
) {
    let path = facts.symbols[at].path.as_str();
    let own = &text[symbol_spans(language, text, path).unwrap()[0].range()];
    if edit_symbol(language, text, path, SymbolEdit::Replace(own)).as_deref() != Ok(text) {
        tally.wrong.push(format!("{what}: replaced with itself"));
    }
    if edit_symbol(language, text, path, SymbolEdit::Replace(&format!(")]}} (((\n{own}"))).is_ok() {
        tally.wrong.push(format!("{what}: a broken text was taken"));
    }
    for (side, after) in
        [(SymbolEdit::InsertBefore(own), false), (SymbolEdit::InsertAfter(own), true)]
    {
        match edit_symbol(language, text, path, side) {
            Err(refusal) => tally.refused.push(format!("{what}: after {after}: {refusal:?}")),
            Ok(with) => {
                let copy = copy_of(language, facts, at, &with, after);
                // A prototype elsewhere belongs to the first of two bodies, and goes with it.
                let is_alone =
                    |copy: &String| symbol_spans(language, &with, copy).unwrap().len() == 1;
                let Some(copy) = copy.filter(is_alone) else {
                    tally.joined += 1;
                    continue;
                };
                let back = edit_symbol(language, &with, &copy, SymbolEdit::Delete);
                if back.as_deref() != Ok(text) {
                    let why = back.map(|back| differ(text, &back));
                    tally.wrong.push(format!("{what}: after {after}, {copy} deleted: {why:?}"));
                }
            }
        }
    }
}

/// The path of the copy that was put beside a symbol, unless both are one.
fn copy_of(
    language: Language,
    old: &FileFacts,
    at: usize,
    with: &str,
    after: bool,
) -> Option<String> {
    let new = extract(Some(language), with.as_bytes());
    let shape = |facts: &FileFacts, at: usize| {
        let one = &facts.symbols[at];
        (one.name.clone(), one.kind, one.parent.map(|at| facts.symbols[at as usize].path.clone()))
    };
    let wanted = shape(old, at);
    let known = (0..old.symbols.len()).filter(|one| shape(old, *one) == wanted);
    let (all, rank) = (known.clone().count(), known.take_while(|one| *one < at).count());
    let same: Vec<_> = (0..new.symbols.len()).filter(|one| shape(&new, *one) == wanted).collect();
    let copy = same.get(rank + usize::from(after)).filter(|_| same.len() == all + 1)?;
    let declared = |facts: &FileFacts, path: &str| {
        facts.symbols.iter().filter(|symbol| symbol.path == path).count()
    };
    let path = &new.symbols[*copy].path;
    // Two prototypes are one symbol.
    (declared(&new, path) == declared(old, &old.symbols[at].path)).then(|| path.clone())
}

/// The first lines that are not the same.
fn differ(before: &str, after: &str) -> String {
    let (mut old, mut new) = (before.lines(), after.lines());
    let mut line = 1;
    loop {
        match (old.next(), new.next()) {
            (Some(was), Some(is)) if was == is => line += 1,
            (was, is) => return format!("line {line}: {was:?} became {is:?}"),
        }
    }
}
