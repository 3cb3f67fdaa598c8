//! Converts locations of a server to handles.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use base::{EntityRef, RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use syntax::FileFacts;
use syntax::Language;
use toolchain::lsp::{LspPosition, PositionEncoding, offset_at, path_from_uri};

use engine::areas::code::handle;
use engine::contract::page::PageCell;
use engine::view::View;

/// Maximum length of a shown line, in characters.
const MAX_LINE_CHARS: usize = 120;

/// A place in the repository
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct CodeLocation {
    /// The file
    pub path: RepoPath,
    /// The line, from 1
    pub line: u32,
    /// The column, from 1, in characters; 0 where only the line is known
    pub column: u32,
    /// The symbol around it, or the file
    pub node: EntityRef,
    /// The line's text
    pub text: String,
    /// Confidence if the index answers: `exact` or `inferred`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sure: Option<&'static str>,
}

/// A place outside the repository
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct ExternalLocation {
    /// The end of its path
    pub file: String,
    /// The line, from 1
    pub line: u32,
}

impl CodeLocation {
    /// The cells of its row.
    pub(crate) fn cells(&self) -> Vec<PageCell> {
        let column = if self.column > 0 { format!(":{}", self.column) } else { String::new() };
        let sure = match self.sure {
            Some("exact") | None => String::new(),
            Some(sure) => format!("  ({sure})"),
        };
        vec![
            PageCell::text(format!("{}:{}{column}", self.path, self.line)),
            PageCell::faint(format!("{}{sure}", self.text)),
            PageCell::handle(&self.node),
        ]
    }
}

/// Places, inside and outside.
#[derive(Debug, Default)]
pub(crate) struct CodeLocations {
    pub inside: Vec<CodeLocation>,
    pub outside: Vec<ExternalLocation>,
}

/// The texts and facts of files that places were found in, each read once.
pub(crate) struct ParsedFileCache<'v> {
    view: &'v View<'v>,
    files: RefCell<BTreeMap<RepoPath, Option<Rc<ParsedFile>>>>,
}

/// A file that was read.
pub(crate) struct ParsedFile {
    pub text: String,
    pub facts: FileFacts,
}

impl<'v> ParsedFileCache<'v> {
    pub(crate) fn new(view: &'v View<'v>) -> Self {
        Self { view, files: RefCell::default() }
    }

    /// The text of a file, and what it declares.
    pub(crate) fn read(&self, path: &RepoPath) -> Result<Option<Rc<ParsedFile>>> {
        if let Some(known) = self.files.borrow().get(path) {
            return Ok(known.clone());
        }
        let read = self.view.tree().read(path)?.map(|blob| {
            let text = String::from_utf8_lossy(&blob.bytes).into_owned();
            let facts = syntax::extract(Language::from_path(path), text.as_bytes());
            Rc::new(ParsedFile { text, facts })
        });
        self.files.borrow_mut().insert(path.clone(), read.clone());
        Ok(read)
    }

    /// All places of an answer: one location, a list of them, or links.
    pub(crate) fn places(
        &self,
        answer: &Value,
        encoding: PositionEncoding,
    ) -> Result<CodeLocations> {
        let one = std::slice::from_ref(answer);
        let all = answer.as_array().map_or(one, Vec::as_slice);
        let mut places = CodeLocations::default();
        for location in all {
            let uri = location["uri"].as_str().or(location["targetUri"].as_str());
            let range = [&location["targetSelectionRange"], &location["range"]];
            let start = range.iter().find_map(|range| LspPosition::from_json(&range["start"]));
            let (Some(uri), Some(start)) = (uri, start) else { continue };
            self.add(&mut places, uri, start, encoding)?;
        }
        places.inside.sort();
        places.inside.dedup();
        places.outside.sort();
        places.outside.dedup();
        Ok(places)
    }

    fn add(
        &self,
        places: &mut CodeLocations,
        uri: &str,
        at: LspPosition,
        encoding: PositionEncoding,
    ) -> Result<()> {
        let Some(file) = path_from_uri(uri) else { return Ok(()) };
        let inside = self.path_in_repository(&file);
        let known = inside.as_ref().map(|path| self.read(path)).transpose()?.flatten();
        match inside.zip(known) {
            Some((path, known)) => places.inside.push(location_at(path, &known, at, encoding)),
            None => {
                places.outside.push(ExternalLocation { file: path_tail(&file), line: at.line + 1 });
            }
        }
        Ok(())
    }

    /// The path in the repository, if it is a file of the project and not an installed one.
    pub(crate) fn path_in_repository(&self, file: &std::path::Path) -> Option<RepoPath> {
        let root = self.view.tree().root();
        let real = platform::canonicalize(file).ok();
        let relative = real.as_deref().and_then(|real| real.strip_prefix(root).ok());
        let path =
            RepoPath::from_relative(relative.or_else(|| file.strip_prefix(root).ok())?).ok()?;
        let index = self.view.index().ok()?;
        engine::index::tables::has_file(index.conn(), &path).ok()?.then_some(path)
    }

    /// The place of a line that the index knows.
    pub(crate) fn location_of_line(
        &self,
        path: &RepoPath,
        line: u32,
        node: EntityRef,
        sure: &'static str,
    ) -> Result<CodeLocation> {
        let known = self.read(path)?;
        let text = known.map(|known| line_text(&known.text, line as usize)).unwrap_or_default();
        Ok(CodeLocation { path: path.clone(), line, column: 0, node, text, sure: Some(sure) })
    }
}

fn location_at(
    path: RepoPath,
    known: &ParsedFile,
    at: LspPosition,
    encoding: PositionEncoding,
) -> CodeLocation {
    let offset = offset_at(&known.text, at, encoding).unwrap_or_default();
    let start = known.text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let column = known.text[start..offset].chars().count() + 1;
    CodeLocation {
        node: enclosing_node(&path, known, offset),
        line: at.line + 1,
        column: u32::try_from(column).unwrap_or(u32::MAX),
        text: line_text(&known.text, at.line as usize + 1),
        path,
        sure: None,
    }
}

/// The smallest symbol with a name around a byte, or the file.
pub(crate) fn enclosing_node(path: &RepoPath, known: &ParsedFile, offset: usize) -> EntityRef {
    let holds = |span: base::Span| span.range().contains(&offset);
    let named = known.facts.symbols.iter().filter(|symbol| !symbol.is_anonymous());
    let found = named.filter(|symbol| holds(symbol.span) || holds(symbol.name_span));
    let smallest = found.min_by_key(|symbol| symbol.span.end - symbol.span.start);
    let node = smallest.and_then(|symbol| handle(path, &symbol.path).parse().ok());
    node.unwrap_or_else(|| engine::areas::files::file_node(path))
}

fn line_text(text: &str, line: usize) -> String {
    let found = text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
    match found.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", &found[..end]),
        None => found.to_owned(),
    }
}

/// The last parts of a path: enough to recognize a file, without the machine's folders.
fn path_tail(file: &std::path::Path) -> String {
    let parts: Vec<_> = file.components().rev().take(3).collect();
    let parts: Vec<String> =
        parts.iter().rev().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    format!("…/{}", parts.join("/"))
}
