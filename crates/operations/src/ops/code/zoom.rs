//! `code.zoom`: the outline of a file, folder or symbol, at a chosen depth.

mod page;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use base::{EntityRef, Problem, RepoPath, Result};
use clap::Args;
use code::SymbolRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::role::is_test_file;
use crate::language_server::{self, AnswerSource};
use engine::areas::code::first_sentence;
use engine::areas::files::{self, FileSummary};
use engine::contract::alias::OpAlias;
use engine::contract::args::NodeTarget;
use engine::contract::op::{OpExample, Query, ToolVisibility};
use engine::graph;
use engine::index::tables::range_below;
use engine::view::View;

/// Maximum text at level 2, in bytes; a longer text is cut after a whole line.
const MAX_TEXT_BYTES: usize = 100 * 1024;

/// Size above which the text of a file is not read, in bytes.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Depth of the outline: 0, 1 or 2.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "u8", into = "u8")]
#[schemars(with = "u8")]
pub struct ZoomLevel(u8);

impl TryFrom<u8> for ZoomLevel {
    type Error = String;
    fn try_from(level: u8) -> Result<Self, String> {
        (level <= 2).then_some(Self(level)).ok_or_else(|| format!("{level} is not 0, 1 or 2"))
    }
}

impl FromStr for ZoomLevel {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        text.parse::<u8>().map_err(|error| error.to_string())?.try_into()
    }
}

impl From<ZoomLevel> for u8 {
    fn from(level: ZoomLevel) -> Self {
        level.0
    }
}

impl fmt::Display for ZoomLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Outline a file, folder or symbol without reading all of it
///
/// Level 0 lists exports, 1 all symbols, 2 the text with line numbers, up to 100 KB.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Zoom {
    /// File, folder, or symbol as path#name
    pub path: NodeTarget,
    /// Depth: 0 for exports, 1 for all symbols, 2 for the text
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub level: ZoomLevel,
    /// Ask the language server for inferred types
    #[arg(long)]
    #[serde(default)]
    pub precise: bool,
}

/// The outline of a file or folder
#[derive(Debug, Serialize, JsonSchema)]
pub struct ZoomAnswer {
    /// The file or folder
    pub node: EntityRef,
    /// The depth
    pub level: u8,
    /// Files with their symbols; one for a file
    pub files: Vec<ZoomedFile>,
    /// How many tests and files without exports were left out of a folder
    pub left_out: usize,
    /// Subfolders that contain code
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<ZoomedFolder>,
    /// What inferred types, if that was asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<AnswerSource>,
}

/// A folder inside a folder
#[derive(Debug, Serialize, JsonSchema)]
pub struct ZoomedFolder {
    /// Where it is
    pub path: RepoPath,
    /// How many files of code are below it
    pub files: usize,
    /// How many symbols they export
    pub exports: usize,
}

/// One file
#[derive(Debug, Serialize, JsonSchema)]
pub struct ZoomedFile {
    /// Where it is
    pub path: RepoPath,
    /// Its title, from its header comment
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How many lines it has
    pub lines: u32,
    /// How many symbols it exports
    pub exports: usize,
    /// The symbols that are shown
    pub symbols: Vec<ZoomedSymbol>,
    /// The text, at level 2
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The number of the text's first line
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_line: Option<u32>,
    /// Size of the whole text in bytes, if it was cut off
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_from: Option<usize>,
}

/// One declaration
#[derive(Debug, Serialize, JsonSchema)]
pub struct ZoomedSymbol {
    /// Its nested name: the file and `#` before it make its handle
    pub name: String,
    /// The declaration as the language writes it, without its body
    pub signature: String,
    /// Its other signatures, of a function that is declared with several
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overloads: Vec<String>,
    /// The first sentence of its doc comment
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// The line its name is on
    pub line: u32,
    /// How deep it is nested
    pub depth: usize,
    /// Its type according to the language server
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<String>,
}

impl Query for Zoom {
    const NAME: &'static str = "code.zoom";
    const VISIBILITY: ToolVisibility = ToolVisibility::Everyday;
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("kart_zoom").renaming(&[("resolveTypes", "precise")])];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "src", shows: "the files of a folder with what they export" },
        OpExample { args: "src/main.rs --level 1", shows: "every symbol of a file" },
    ];
    type Answer = ZoomAnswer;

    fn named_targets(&self) -> Vec<&NodeTarget> {
        vec![&self.path]
    }

    fn run(self, view: &View) -> Result<ZoomAnswer> {
        let node = graph::resolve(view, &self.path)?;
        match &node {
            EntityRef::Dir(folder) => zoom_folder(view, node.clone(), folder, self.level),
            EntityRef::Module(path) | EntityRef::File(path) | EntityRef::Symbol(path, _) => {
                let file = files::file_summary(view, path)?
                    .ok_or_else(|| Problem::not_found("the file no longer exists"))?;
                let mut shown = match &node {
                    EntityRef::Symbol(_, name) => {
                        zoom_symbol(view, &file, name.as_str(), self.level)?
                    }
                    _ => zoom_file(view, &file, self.level)?,
                };
                super::unread::note_if_unread(view, path)?;
                let by = if self.precise { Some(resolve_types(view, &mut shown)?) } else { None };
                Ok(ZoomAnswer {
                    node,
                    level: self.level.0,
                    files: vec![shown],
                    left_out: 0,
                    folders: Vec::new(),
                    by,
                })
            }
            other => Err(Problem::invalid(format!("{other} is neither a file nor a folder"))),
        }
    }
}

fn zoom_folder(
    view: &View,
    node: EntityRef,
    folder: &RepoPath,
    level: ZoomLevel,
) -> Result<ZoomAnswer> {
    let by_file = exports_by_file(view, folder)?;
    let folders = folders(view, folder, &by_file)?;
    let all = files::in_folder(view, folder)?;
    let code = all.into_iter().filter(|file| file.language.is_some_and(syntax::Language::is_code));
    let mut left_out = 0;
    let mut files = Vec::new();
    for file in code {
        let exports = by_file.get(&file.path).map_or(0, Vec::len);
        if exports == 0 || is_test_file(&file.path) {
            left_out += 1;
            continue;
        }
        files.push(match level.0 {
            0 => ZoomedFile {
                symbols: by_file[&file.path].iter().map(zoomed_symbol).collect(),
                ..empty(&file, exports)
            },
            _ => zoom_file(view, &file, ZoomLevel(level.0.min(1)))?,
        });
    }
    Ok(ZoomAnswer { node, level: level.0, files, left_out, folders, by: None })
}

/// The direct subfolders that contain code, each with what is below it.
fn folders(
    view: &View,
    folder: &RepoPath,
    by_file: &BTreeMap<RepoPath, Vec<SymbolRow>>,
) -> Result<Vec<ZoomedFolder>> {
    let mut found: BTreeMap<RepoPath, ZoomedFolder> = BTreeMap::new();
    for file in files::files_below(view, folder)? {
        let is_code = file.language.is_some_and(syntax::Language::is_code);
        let Some(path) = folder_inside(&file.path, folder).filter(|_| is_code) else { continue };
        let row = found.entry(path.clone()).or_insert(ZoomedFolder { path, files: 0, exports: 0 });
        row.files += 1;
        row.exports += by_file.get(&file.path).map_or(0, Vec::len);
    }
    Ok(found.into_values().collect())
}

/// The direct subfolder that a file is below; none if it is in the folder itself.
fn folder_inside(file: &RepoPath, folder: &RepoPath) -> Option<RepoPath> {
    let mut here = file.parent().filter(|parent| parent != folder)?;
    loop {
        match here.parent()? {
            above if above == *folder => return Some(here),
            above => here = above,
        }
    }
}

fn exports_by_file(view: &View, folder: &RepoPath) -> Result<BTreeMap<RepoPath, Vec<SymbolRow>>> {
    let (low, high) = range_below(folder);
    let mut by_file: BTreeMap<RepoPath, Vec<SymbolRow>> = BTreeMap::new();
    for row in code::top_level_exports_between(view.index()?.conn(), &low, &high)? {
        by_file.entry(row.path.clone()).or_default().push(row);
    }
    Ok(by_file)
}

fn zoom_file(view: &View, file: &FileSummary, level: ZoomLevel) -> Result<ZoomedFile> {
    let rows = code::symbols_in_file(view.index()?.conn(), &file.path)?;
    let top = |row: &SymbolRow| row.exported && row.parent.is_none();
    let exports = rows.iter().filter(|row| top(row)).count();
    let mut shown = empty(file, exports);
    let wanted = |row: &&SymbolRow| level.0 > 0 || (row.exported && is_parent_exported(row, &rows));
    shown.symbols = rows.iter().filter(wanted).map(zoomed_symbol).collect();
    let cost: usize = shown.symbols.iter().map(|s| s.signature.len() + s.doc.len() + 8).sum();
    // An outline must not be longer than the file.
    if level.0 == 2 || (cost as u64 > file.size && level.0 > 0) {
        shown.show(1, &text(view, &file.path)?);
    }
    Ok(shown)
}

/// A symbol: its members, or its text.
fn zoom_symbol(
    view: &View,
    file: &FileSummary,
    name: &str,
    level: ZoomLevel,
) -> Result<ZoomedFile> {
    let rows = code::symbols_in_file(view.index()?.conn(), &file.path)?;
    let is_wanted = |row: &&SymbolRow| {
        let inside = row.full.strip_prefix(name);
        let is_inside = inside.is_some_and(|rest| rest.starts_with('.'));
        row.full == name || (is_inside && (level.0 > 0 || row.exported))
    };
    let mut shown = empty(file, 0);
    shown.symbols = rows.iter().filter(is_wanted).map(zoomed_symbol).collect();
    if level.0 == 2 {
        let text = text(view, &file.path)?;
        let language = file
            .language
            .ok_or_else(|| Problem::internal("symbol in a file without a known language"))?;
        let spans = syntax::edit::symbol_spans(language, &text, name)
            .map_err(|_| Problem::not_found(format!("no symbol `{name}` in {}", file.path)))?;
        let own = spans.first().copied().unwrap_or_default().range();
        let start = text[..own.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[own.end..].find('\n').map_or(text.len(), |at| own.end + at);
        let line = u32::try_from(text[..start].matches('\n').count() + 1).unwrap_or(u32::MAX);
        shown.show(line, &text[start..end]);
    }
    Ok(shown)
}

impl ZoomedFile {
    /// Shows text instead of symbols, as many whole lines as level 2 allows.
    fn show(&mut self, first_line: u32, text: &str) {
        let most = text.floor_char_boundary(MAX_TEXT_BYTES);
        let is_cut = most < text.len();
        let end = text[..most].rfind('\n').map_or(most, |at| at + 1);
        let end = if is_cut { end } else { text.len() };
        self.symbols.clear();
        self.text = Some(text[..end].to_owned());
        self.first_line = Some(first_line);
        self.cut_from = is_cut.then_some(text.len());
    }
}

/// Whether everything that a symbol is nested in is exported too.
fn is_parent_exported(row: &SymbolRow, rows: &[SymbolRow]) -> bool {
    row.parent.is_none_or(|parent| {
        rows.iter().find(|r| r.id == parent).is_none_or(|r| r.kind == "impl" || r.exported)
    })
}

fn text(view: &View, path: &RepoPath) -> Result<String> {
    let blob = view.tree().read_at_most(path, MAX_FILE_BYTES)?;
    match blob {
        Some(Ok(blob)) => Ok(String::from_utf8_lossy(&blob.bytes).into_owned()),
        Some(Err(size)) => Err(Problem::invalid(format!("`{path}` has {size} bytes"))
            .hint(format!("files over {MAX_FILE_BYTES} bytes are not shown"))),
        None => Err(Problem::not_found(format!("no file `{path}`"))),
    }
}

fn empty(file: &FileSummary, exports: usize) -> ZoomedFile {
    ZoomedFile {
        path: file.path.clone(),
        title: file.title.clone(),
        lines: file.lines,
        exports,
        symbols: Vec::new(),
        text: None,
        first_line: None,
        cut_from: None,
    }
}

fn zoomed_symbol(row: &SymbolRow) -> ZoomedSymbol {
    ZoomedSymbol {
        name: row.full.clone(),
        signature: row.signature.clone(),
        overloads: row.overloads.clone(),
        doc: row.doc.as_deref().map(first_sentence).unwrap_or_default(),
        line: row.line,
        depth: row.full.matches('.').count(),
        resolved: None,
    }
}

/// Adds the types that the language server infers for the shown symbols.
fn resolve_types(view: &View, file: &mut ZoomedFile) -> Result<AnswerSource> {
    let names: Vec<&str> = file.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    let (by, mut types) = language_server::types(view, &file.path, &names)?;
    for symbol in &mut file.symbols {
        symbol.resolved = types.remove(&symbol.name);
    }
    Ok(by)
}
