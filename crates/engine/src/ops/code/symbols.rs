//! `code.symbols`: symbols by name, as language servers find them.

use std::collections::{BTreeMap, BTreeSet};

use base::words::counted;
use base::{EntityRef, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use syntax::Language;

use super::unread::family;
use crate::contract::alias::Alias;
use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset, Target, Words};
use crate::contract::choices;
use crate::contract::op::{Example, Query};
use crate::contract::page::{Cell, Page, Render};
use crate::graph;
use crate::index::tables;
use crate::layers::code::{handle, names};
use crate::precise::{Absent, By, Server, Texts};
use crate::view::View;

/// How many symbols of the index are looked at.
const MOST: usize = 5_000;

/// How many files a server is shown, so that it loads their projects.
const MOST_SHOWN: usize = 8;

/// Find symbols by name as the project's language servers do
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
    #[schemars(schema_with = "choices::code_language", extend("x-rare" = true))]
    pub language: Option<String>,
    /// Only symbols in this file or folder
    #[arg(long)]
    #[serde(default)]
    pub path: Option<Target>,
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
pub struct Named {
    /// What was looked for
    pub query: String,
    /// Who answered, by language
    pub by: BTreeMap<String, By>,
    /// The symbols
    pub symbols: Vec<NamedSymbol>,
    #[serde(skip)]
    paging: Paging,
}

/// A symbol
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct NamedSymbol {
    /// Its handle
    pub node: EntityRef,
    /// The file
    pub path: RepoPath,
    /// The line, from 1
    pub line: u32,
}

impl Query for Symbols {
    const NAME: &'static str = "code.symbols";
    const ALIASES: &'static [Alias] = &[Alias::of("kart_workspace_symbol")];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "Session", shows: "what servers find by that name" }];
    type Answer = Named;

    fn run(self, view: &View) -> Result<Named> {
        let query = self.query.as_str();
        let wanted = self.language.as_deref().map(choices::language).transpose()?;
        let known = from_index(view, query)?;
        let mut by = BTreeMap::new();
        let mut all = Vec::new();
        for (language, files) in served(view, wanted)? {
            let kin = family(Some(language));
            let is_kin = |path: &RepoPath| Language::of(path).is_some_and(|own| kin.contains(&own));
            // What the index has is there, whether or not the server loaded its project.
            let own: Vec<NamedSymbol> =
                known.iter().filter(|one| is_kin(&one.path)).cloned().collect();
            let shown = own.iter().map(|one| &one.path).chain(&files);
            let source = match ask(view, (shown, language), query)? {
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
            let place = graph::place(view, path)?;
            all.retain(|symbol: &NamedSymbol| place.holds(&symbol.node));
        }
        let (symbols, paging) = Paging::cut(all, self.offset, self.limit);
        Ok(Named { query: self.query.to_string(), by, symbols, paging })
    }
}

/// Some files of each language at hand. Dialects that share a server are one language, named by the
/// one with most files.
fn served(view: &View, wanted: Option<Language>) -> Result<Vec<(Language, Vec<RepoPath>)>> {
    let mut by_family: BTreeMap<Language, BTreeMap<Language, Vec<RepoPath>>> = BTreeMap::new();
    for path in tables::all_files(view.index()?.conn())? {
        let Some(language) = Language::of(&path).filter(|language| language.is_code()) else {
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

/// Asks the server of a language. It knows only the projects of files that it was shown, so it is
/// shown where the index has the name.
fn ask<'f>(
    view: &View,
    (files, language): (impl Iterator<Item = &'f RepoPath>, Language),
    query: &str,
) -> Result<Result<(By, Vec<NamedSymbol>), Absent>> {
    let mut files: Vec<&RepoPath> = files.collect();
    let mut folders = BTreeSet::new();
    files.retain(|path| folders.insert(path.parent()));
    files.truncate(MOST_SHOWN);
    let Some(first) = files.first() else {
        return Ok(Err(Absent::none(format!("no file is written in {}", language.name()))));
    };
    let language = Language::of(first).unwrap_or(language);
    let server = match Server::open(view, (first, language))? {
        Ok(server) => server,
        Err(absent) => return Ok(Err(absent)),
    };
    server.show(&files)?;
    let method = ("workspace/symbol", "workspaceSymbolProvider");
    let answer = match server.ask(method, &json!({"query": query}))? {
        Ok(answer) => answer,
        Err(absent) => return Ok(Err(absent)),
    };
    let items = answer.as_array().map_or(&[][..], Vec::as_slice);
    let places: Value = items.iter().map(|item| item["location"].clone()).collect();
    let places = Texts::new(view).places(&places, server.encoding())?;
    let symbol = |one: crate::precise::Sighting| NamedSymbol {
        node: one.node,
        path: one.path,
        line: one.line,
    };
    Ok(Ok((server.by(), places.inside.into_iter().map(symbol).collect())))
}

fn from_index(view: &View, query: &str) -> Result<Vec<NamedSymbol>> {
    let wanted = code::Find { name: query, kind: None, exported: None, path: None };
    let (_, rows) = code::find((view.index()?.conn(), &*names(view)?), &wanted, (0, MOST))?;
    let symbol = |found: code::SymbolMatch| {
        let row = found.symbol;
        let node = handle(&row.path, &row.full).parse().ok()?;
        Some(NamedSymbol { node, path: row.path, line: row.line })
    };
    Ok(rows.into_iter().filter_map(symbol).collect())
}

impl Render for Named {
    fn render(&self, page: &mut Page) {
        let total = self.paging.total;
        let count = if total == 0 { "No symbols".into() } else { counted(total, "symbol") };
        page.answer(format!("{count} called like {}", self.query));
        let row = |one: &NamedSymbol| {
            vec![Cell::text(format!("{}:{}", one.path, one.line)), Cell::handle(&one.node)]
        };
        page.table(2, self.symbols.iter().map(row).collect());
        self.paging.say_rest(page, self.symbols.len());
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
