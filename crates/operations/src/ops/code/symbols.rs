//! `code.symbols`: symbols by name, from the language servers.

use std::collections::{BTreeMap, BTreeSet};

use base::{EntityRef, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use syntax::Language;

use super::unread::family;
use crate::language_server::{
    AnswerSource, LanguageServer, LspRequest, MissingServer, ParsedFileCache,
};
use engine::areas::code::{handle, symbol_names};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, Words};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::contract::schema_choices;
use engine::graph;
use engine::index::tables;
use engine::view::View;

/// How many symbols of the index are considered.
const MAX_SYMBOLS: usize = 5_000;

/// How many files a server opens, so that it loads their projects.
const MAX_OPENED_FILES: usize = 8;

/// Find symbols by name with the project's language servers
///
/// `code find` answers from the index alone, faster and for all languages.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Symbols {
    /// Name of the symbol, or a part of it
    pub query: Words,
    /// Only ask the server of this language, such as `rust`
    #[arg(long)]
    #[serde(default)]
    #[schemars(schema_with = "schema_choices::code_language", extend("x-rare" = true))]
    pub language: Option<String>,
    /// Only symbols in this file or folder
    #[arg(long)]
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Symbols that were found
#[derive(Debug, Serialize, JsonSchema)]
pub struct SymbolsAnswer {
    /// The name that was searched for
    pub query: String,
    /// Who answered, by language
    pub by: BTreeMap<String, AnswerSource>,
    /// The symbols
    pub symbols: Vec<ServerSymbol>,
    #[serde(skip)]
    paging: Paging,
}

/// A symbol
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct ServerSymbol {
    /// Its handle
    pub node: EntityRef,
    /// The file
    pub path: RepoPath,
    /// The line, from 1
    pub line: u32,
}

impl Query for Symbols {
    const NAME: &'static str = "code.symbols";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kart_workspace_symbol")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "Session", shows: "symbols that the servers find by that name" }];
    type Answer = SymbolsAnswer;

    fn run(self, view: &View) -> Result<SymbolsAnswer> {
        let query = self.query.as_str();
        let wanted = self.language.as_deref().map(schema_choices::language).transpose()?;
        let known = from_index(view, query)?;
        let mut by = BTreeMap::new();
        let mut all = Vec::new();
        for (language, files) in files_by_language(view, wanted)? {
            let kin = family(Some(language));
            let is_kin =
                |path: &RepoPath| Language::from_path(path).is_some_and(|own| kin.contains(&own));
            // Symbols of the index count even if the server has not loaded their project.
            let own: Vec<ServerSymbol> =
                known.iter().filter(|one| is_kin(&one.path)).cloned().collect();
            let shown = own.iter().map(|one| &one.path).chain(&files);
            let source = match ask_server(view, shown, language, query)? {
                Ok((source, found)) => {
                    all.extend(found);
                    source
                }
                Err(absent) => absent.by(),
            };
            by.insert(language.name().to_owned(), source);
            all.extend(own);
        }
        all.sort();
        all.dedup();
        if let Some(path) = &self.path {
            let place = graph::resolve_path_scope(view, path)?;
            all.retain(|symbol: &ServerSymbol| place.contains(&symbol.node));
        }
        let (symbols, paging) = Paging::cut(all, self.offset, self.limit);
        Ok(SymbolsAnswer { query: self.query.to_string(), by, symbols, paging })
    }
}

/// Some files of each language of the repository. Dialects that share a server count as one
/// language, which is named after the dialect with most files.
fn files_by_language(
    view: &View,
    wanted: Option<Language>,
) -> Result<Vec<(Language, Vec<RepoPath>)>> {
    let mut by_family: BTreeMap<Language, BTreeMap<Language, Vec<RepoPath>>> = BTreeMap::new();
    for path in tables::all_files(view.index()?.conn())? {
        let Some(language) = Language::from_path(&path).filter(|language| language.is_code())
        else {
            continue;
        };
        let Some(first) = family(Some(language)).first().copied() else { continue };
        by_family.entry(first).or_default().entry(language).or_default().push(path);
    }
    let fits = |dialects: &BTreeMap<Language, Vec<RepoPath>>| {
        let mut kin = dialects.keys().flat_map(|language| family(Some(*language)));
        wanted.is_none_or(|wanted| kin.any(|language| language == wanted))
    };
    let most = |dialects: BTreeMap<Language, Vec<RepoPath>>| {
        let found = dialects.into_iter().max_by_key(|(_, files)| files.len());
        found.map(|(language, files)| (language, files.into_iter().take(1).collect()))
    };
    Ok(by_family.into_values().filter(fits).filter_map(most).collect())
}

/// Asks the server of a language. It knows only the projects of files that were opened, so files in
/// which the index has the name are opened.
fn ask_server<'f>(
    view: &View,
    files: impl Iterator<Item = &'f RepoPath>,
    language: Language,
    query: &str,
) -> Result<Result<(AnswerSource, Vec<ServerSymbol>), MissingServer>> {
    let mut files: Vec<&RepoPath> = files.collect();
    let mut folders = BTreeSet::new();
    files.retain(|path| folders.insert(path.parent()));
    files.truncate(MAX_OPENED_FILES);
    let Some(first) = files.first() else {
        return Ok(Err(MissingServer::unavailable(format!(
            "no file is written in {}",
            language.name()
        ))));
    };
    let language = Language::from_path(first).unwrap_or(language);
    let server = match LanguageServer::open(view, first, language)? {
        Ok(server) => server,
        Err(absent) => return Ok(Err(absent)),
    };
    server.open_files(&files)?;
    let method = LspRequest { method: "workspace/symbol", capability: "workspaceSymbolProvider" };
    let answer = match server.ask(method, &json!({"query": query}))? {
        Ok(answer) => answer,
        Err(absent) => return Ok(Err(absent)),
    };
    let items = answer.as_array().map_or(&[][..], Vec::as_slice);
    let places: Value = items.iter().map(|item| item["location"].clone()).collect();
    let places = ParsedFileCache::new(view).places(&places, server.encoding())?;
    let symbol = |one: crate::language_server::CodeLocation| ServerSymbol {
        node: one.node,
        path: one.path,
        line: one.line,
    };
    Ok(Ok((server.by(), places.inside.into_iter().map(symbol).collect())))
}

fn from_index(view: &View, query: &str) -> Result<Vec<ServerSymbol>> {
    let wanted = code::SymbolNameQuery { name: query, kind: None, exported: None, path: None };
    let (_, rows) = code::find_symbols(
        view.index()?.conn(),
        &*symbol_names(view)?,
        &wanted,
        code::ResultRange { offset: 0, limit: MAX_SYMBOLS },
    )?;
    let symbol = |found: code::SymbolMatch| {
        let row = found.symbol;
        let node = handle(&row.path, &row.full).parse().ok()?;
        Some(ServerSymbol { node, path: row.path, line: row.line })
    };
    Ok(rows.into_iter().filter_map(symbol).collect())
}

impl Render for SymbolsAnswer {
    fn render(&self, page: &mut Page) {
        let total = self.paging.total;
        page.answer(match total {
            0 => format!("No symbols match {}", self.query),
            1 => format!("1 symbol matches {}", self.query),
            _ => format!("{total} symbols match {}", self.query),
        });
        let row = |one: &ServerSymbol| {
            vec![PageCell::text(format!("{}:{}", one.path, one.line)), PageCell::handle(&one.node)]
        };
        page.table(2, self.symbols.iter().map(row).collect());
        self.paging.render_rest(page, self.symbols.len());
        for (language, by) in &self.by {
            match by.name() {
                Some(name) => page.item(language, name),
                None => by.render_as(page, &format!("{language}, from the index")),
            }
        }
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
