//! `code.zoom`: what a file or folder offers, at a chosen depth.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use base::{EntityRef, NextCall, Problem, RepoPath, Result};
use clap::Args;
use code::SymbolRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::alias::Alias;
use crate::contract::args::Target;
use crate::contract::op::{Example, Query, Toolset};
use crate::contract::page::{Cell, Page, Render};
use crate::graph;
use crate::index::tables::range_below;
use crate::layers::files::{self, Shown};
use crate::locate;
use crate::precise::{self, By};
use crate::view::View;

/// The most text that level 2 gives, in bytes.
const LARGEST_TEXT: u64 = 100 * 1024;

/// How many names a folder shows for each file.
const NAMES: usize = 6;

/// How deep to look: 0, 1 or 2.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "u8", into = "u8")]
#[schemars(with = "u8")]
pub struct Level(u8);

impl TryFrom<u8> for Level {
    type Error = String;
    fn try_from(level: u8) -> Result<Self, String> {
        (level <= 2).then_some(Self(level)).ok_or_else(|| format!("{level} is not 0, 1 or 2"))
    }
}

impl FromStr for Level {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        text.parse::<u8>().map_err(|error| error.to_string())?.try_into()
    }
}

impl From<Level> for u8 {
    fn from(level: Level) -> Self {
        level.0
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Show what a file or folder offers without reading all of it
///
/// Level 0 lists what is exported, 1 all symbols, 2 the text itself.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Zoom {
    /// File or folder
    pub path: Target,
    /// Depth: 0, 1 or 2
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub level: Level,
    /// Ask the language server for inferred types
    #[arg(long)]
    #[serde(default)]
    pub precise: bool,
}

/// What a file or folder offers
#[derive(Debug, Serialize, JsonSchema)]
pub struct Zoomed {
    /// The file or folder
    pub node: EntityRef,
    /// The depth
    pub level: u8,
    /// Files with what they offer; one for a file
    pub files: Vec<ZoomedFile>,
    /// How many tests and files that offer nothing were left out of a folder
    pub left_out: usize,
    /// Who inferred types, where that was asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
}

/// One file
#[derive(Debug, Serialize, JsonSchema)]
pub struct ZoomedFile {
    /// Where it is
    pub path: RepoPath,
    /// What it says it is about
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How many lines it has
    pub lines: u32,
    /// How many symbols it exports
    pub exports: usize,
    /// The symbols that are shown
    pub symbols: Vec<Declared>,
    /// The text, at level 2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// One declaration
#[derive(Debug, Serialize, JsonSchema)]
pub struct Declared {
    /// Its nested name: the file and `#` before it make its handle
    pub name: String,
    /// The declaration as the language writes it, without its body
    pub signature: String,
    /// The first sentence of its doc comment
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// The line its name is on
    pub line: u32,
    /// How deep it is nested
    pub depth: usize,
    /// What the language server says it is
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<String>,
}

impl Query for Zoom {
    const NAME: &'static str = "code.zoom";
    const TOOLSET: Toolset = Toolset::Everyday;
    const ALIASES: &'static [Alias] =
        &[Alias::of("kart_zoom").renaming(&[("resolveTypes", "precise")])];
    const EXAMPLES: &'static [Example] = &[
        Example { args: "src", shows: "the files of a folder with what they export" },
        Example { args: "src/main.rs --level 1", shows: "every symbol of a file" },
    ];
    type Answer = Zoomed;

    fn run(self, view: &View) -> Result<Zoomed> {
        let node = graph::resolve(view, &self.path)?;
        match &node {
            EntityRef::Dir(folder) => zoom_folder(view, node.clone(), folder, self.level),
            EntityRef::Module(path) | EntityRef::File(path) | EntityRef::Symbol(path, _) => {
                let file =
                    files::one(view, path)?.ok_or_else(|| Problem::not_found("it vanished"))?;
                let mut shown = zoom_file(view, &file, self.level)?;
                super::unread::itself(view, path)?;
                let by = if self.precise { Some(resolve_types(view, &mut shown)?) } else { None };
                Ok(Zoomed { node, level: self.level.0, files: vec![shown], left_out: 0, by })
            }
            other => Err(Problem::invalid(format!("{other} is neither a file nor a folder"))),
        }
    }
}

fn zoom_folder(view: &View, node: EntityRef, folder: &RepoPath, level: Level) -> Result<Zoomed> {
    let all = files::in_folder(view, folder)?;
    let code = all.into_iter().filter(|file| file.language.is_some_and(syntax::Language::is_code));
    let mut left_out = 0;
    let mut files = Vec::new();
    let by_file = exports_by_file(view, folder)?;
    for file in code {
        let exports = by_file.get(&file.path).map_or(0, Vec::len);
        if exports == 0 || locate::is_test(&file.path) {
            left_out += 1;
            continue;
        }
        files.push(match level.0 {
            0 => ZoomedFile {
                symbols: by_file[&file.path].iter().map(declared).collect(),
                ..empty(&file, exports)
            },
            _ => zoom_file(view, &file, Level(level.0.min(1)))?,
        });
    }
    Ok(Zoomed { node, level: level.0, files, left_out, by: None })
}

fn exports_by_file(view: &View, folder: &RepoPath) -> Result<BTreeMap<RepoPath, Vec<SymbolRow>>> {
    let (low, high) = range_below(folder);
    let mut by_file: BTreeMap<RepoPath, Vec<SymbolRow>> = BTreeMap::new();
    for row in code::in_folder(view.index()?.conn(), (&low, &high))? {
        by_file.entry(row.path.clone()).or_default().push(row);
    }
    Ok(by_file)
}

fn zoom_file(view: &View, file: &Shown, level: Level) -> Result<ZoomedFile> {
    let rows = code::in_file(view.index()?.conn(), &file.path)?;
    let top = |row: &SymbolRow| row.exported && row.parent.is_none();
    let exports = rows.iter().filter(|row| top(row)).count();
    let mut shown = empty(file, exports);
    let wanted = |row: &&SymbolRow| level.0 > 0 || (row.exported && is_offered(row, &rows));
    shown.symbols = rows.iter().filter(wanted).map(declared).collect();
    let cost: usize = shown.symbols.iter().map(|s| s.signature.len() + s.doc.len() + 8).sum();
    // An outline that is longer than the file helps nobody.
    if level.0 == 2 || (cost as u64 > file.size && level.0 > 0) {
        shown.text = Some(text(view, &file.path)?);
        shown.symbols.clear();
    }
    Ok(shown)
}

/// Whether everything around a symbol is offered too.
fn is_offered(row: &SymbolRow, rows: &[SymbolRow]) -> bool {
    row.parent.is_none_or(|parent| {
        rows.iter().find(|r| r.id == parent).is_none_or(|r| r.kind == "impl" || r.exported)
    })
}

fn text(view: &View, path: &RepoPath) -> Result<String> {
    let blob = view.tree().read_at_most(path, LARGEST_TEXT)?;
    match blob {
        Some(Ok(blob)) => Ok(String::from_utf8_lossy(&blob.bytes).into_owned()),
        Some(Err(size)) => Err(Problem::invalid(format!("`{path}` has {size} bytes"))
            .hint(format!("level 2 gives at most {LARGEST_TEXT}; use level 0 or 1"))),
        None => Err(Problem::not_found(format!("no file `{path}`"))),
    }
}

fn empty(file: &Shown, exports: usize) -> ZoomedFile {
    ZoomedFile {
        path: file.path.clone(),
        title: file.title.clone(),
        lines: file.lines,
        exports,
        symbols: Vec::new(),
        text: None,
    }
}

fn declared(row: &SymbolRow) -> Declared {
    Declared {
        name: row.full.clone(),
        signature: row.signature.clone(),
        doc: row.doc.as_deref().map(first_sentence).unwrap_or_default(),
        line: row.line,
        depth: row.full.matches('.').count(),
        resolved: None,
    }
}

/// Has the language server say what each symbol that is shown is.
fn resolve_types(view: &View, file: &mut ZoomedFile) -> Result<By> {
    let names: Vec<&str> = file.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    let (by, mut types) = precise::types(view, &file.path, &names)?;
    for symbol in &mut file.symbols {
        symbol.resolved = types.remove(&symbol.name);
    }
    Ok(by)
}

/// The first sentence of a doc comment.
pub(crate) fn first_sentence(doc: &str) -> String {
    let paragraph: Vec<&str> =
        doc.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let text = paragraph.join(" ");
    let sentence = text.split_inclusive(". ").next().unwrap_or_default().trim();
    sentence.trim_end_matches('.').chars().take(160).collect()
}

impl Render for Zoomed {
    fn render(&self, page: &mut Page) {
        match (&self.node, self.files.as_slice()) {
            (EntityRef::Dir(folder), files) => self.render_folder(page, folder, files),
            (_, [file]) => render_file(page, file, true),
            _ => {}
        }
        match self.by.as_ref().map(|by| (by, by.name())) {
            Some((_, Some(name))) => page.item("types by", name),
            Some((by, None)) => by.render_as(page, "types are not resolved"),
            None => {}
        }
    }
}

impl Zoomed {
    fn render_folder(&self, page: &mut Page, folder: &RepoPath, files: &[ZoomedFile]) {
        let exports: usize = files.iter().map(|file| file.exports).sum();
        page.answer(format!("{folder}: {} files, {exports} exports", files.len()));
        if self.level == 0 {
            page.table(2, files.iter().map(folder_row).collect());
        } else {
            for file in files {
                render_file(page, file, false);
            }
        }
        if self.left_out > 0 {
            page.say(format!("Left out: {} tests and files without exports", self.left_out));
        }
    }
}

fn folder_row(file: &ZoomedFile) -> Vec<Cell> {
    let mut names: Vec<&str> =
        file.symbols.iter().map(|symbol| symbol.name.as_str()).take(NAMES).collect();
    let more = file.exports.saturating_sub(names.len());
    let rest = format!("{more} more");
    if more > 0 {
        names.push(&rest);
    }
    vec![Cell::handle(file.path.name()), Cell::text(file.exports), Cell::text(names.join(", "))]
}

fn render_file(page: &mut Page, file: &ZoomedFile, alone: bool) {
    let title = file.title.as_deref().map(|title| format!(": {title}")).unwrap_or_default();
    let line = format!("{}{title} ({} lines, {} exports)", file.path, file.lines, file.exports);
    if alone {
        page.answer(line);
    } else {
        page.heading(line);
    }
    for symbol in &file.symbols {
        let indent = "  ".repeat(symbol.depth + 1);
        let row = vec![
            Cell::faint(format!("{:>5}", symbol.line)),
            Cell::text(format!("{indent}{}", symbol.signature)),
        ];
        page.table(0, vec![row]);
        if let Some(resolved) = symbol.resolved.as_ref().filter(|found| **found != symbol.signature)
        {
            page.table(0, vec![vec![Cell::text(format!("{indent}     =")), Cell::text(resolved)]]);
        }
        if !symbol.doc.is_empty() {
            page.table(
                0,
                vec![vec![Cell::text(format!("{indent}       ")), Cell::faint(&symbol.doc)]],
            );
        }
    }
    if let Some(text) = &file.text {
        page.quoted(text, &file.path);
    }
    if file.symbols.is_empty() && file.text.is_none() {
        page.say_call("Nothing is exported", zoom_in(&file.path));
    }
}

/// The call that shows every symbol of a file.
fn zoom_in(path: &RepoPath) -> NextCall {
    NextCall::to("code.zoom").with("path", path.to_string()).with("level", 1)
}
