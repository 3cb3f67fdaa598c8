//! `code.find`: symbols by name.

use std::collections::BTreeSet;

use base::entity::own_name;
use base::words::counted;
use base::{Problem, RepoPath, Result};
use clap::Args;
use code::SymbolMatch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::unread::{self, UnreadFile};
use crate::locate;
use engine::areas::code::{handle, symbol_names};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, Words};
use engine::contract::op::{OpExample, Query, ToolVisibility};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::view::View;

/// Find symbols by name: functions, types, methods, constants
///
/// Exact names first, then names with this start, then names that contain it. Lower case matches
/// both cases.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Find {
    /// Name of the symbol or a part of it, nested with `.`
    pub name: Words,
    /// Only symbols of this kind, such as `function` or `struct`
    #[arg(long)]
    #[serde(default)]
    pub kind: Option<String>,
    /// Only exported symbols (true) or only others (false)
    #[arg(long)]
    #[serde(default)]
    pub exported: Option<bool>,
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
    pub offset: Offset,
}

/// Matching symbols, best first
#[derive(Debug, Serialize, JsonSchema)]
pub struct FindAnswer {
    /// The name that was searched for
    pub name: String,
    /// The symbols
    pub symbols: Vec<SymbolMatchRow>,
    /// If nothing was found: symbols with similar names, then symbols about the words
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<SymbolMatchRow>,
    /// If nothing was found: files that contain the name and could not be parsed completely
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadFile>,
    #[serde(skip)]
    paging: Paging,
}

/// One symbol
#[derive(Debug, Serialize, JsonSchema)]
pub struct SymbolMatchRow {
    /// Its handle
    pub node: String,
    /// Its kind
    pub kind: String,
    /// Whether it is exported from its file
    pub exported: bool,
    /// The declaration, without its body
    pub signature: String,
    /// How many more signatures it has
    #[serde(skip_serializing_if = "is_zero")]
    pub overloads: usize,
    /// The line its name is on
    pub line: u32,
    /// The file that exports it under the name that was searched for, if its own name differs
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias_in: Option<RepoPath>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Query for Find {
    const NAME: &'static str = "code.find";
    const VISIBILITY: ToolVisibility = ToolVisibility::Everyday;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kart_find")];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "refresh --kind method", shows: "methods with that in their name" },
        OpExample { args: "Workspace.open", shows: "a method by its nested name" },
    ];
    type Answer = FindAnswer;

    fn run(self, view: &View) -> Result<FindAnswer> {
        let path = self.path.as_ref().map(|path| graph::resolve(view, path)).transpose()?;
        let path = path.as_ref().and_then(|node| node.path());
        if let Some(kind) = &self.kind {
            // The message lists all kinds.
            serde_json::from_value::<syntax::SymbolKind>(kind.as_str().into())
                .map_err(|error| Problem::invalid(format!("`kind`: {error}")))?;
        }
        let name = self.name.as_str().trim();
        let wanted = code::SymbolNameQuery {
            name,
            kind: self.kind.as_deref(),
            exported: self.exported,
            path,
        };
        let names = symbol_names(view)?;
        let (offset, limit) = (self.offset.get(), self.limit.get());
        let (total, found) = code::find_symbols(
            view.index()?.conn(),
            &names,
            &wanted,
            code::ResultRange { offset, limit },
        )?;
        let (offset, limit, total) = (offset as u64, limit as u64, total as u64);
        let paging = Paging { offset, limit, total };
        let symbols = found.into_iter().map(symbol).collect();
        let (unread, similar) = match paging.total {
            0 => {
                let words = [name.to_owned()];
                let unread = unread::unread_with_words(view, &unread::family(None), &words, &[])?;
                (unread, similar_symbols(view, &names, &wanted)?)
            }
            _ => (Vec::new(), Vec::new()),
        };
        Ok(FindAnswer { name: name.to_owned(), symbols, similar, unread, paging })
    }
}

/// How many similar symbols are suggested.
const MAX_SIMILAR: usize = 6;

/// Symbols that a misspelt name or a few words may mean.
fn similar_symbols(
    view: &View,
    names: &code::SymbolNameIndex,
    wanted: &code::SymbolNameQuery<'_>,
) -> Result<Vec<SymbolMatchRow>> {
    let conn = view.index()?.conn();
    let page = code::ResultRange { offset: 0, limit: MAX_SIMILAR };
    let mut found = Vec::new();
    for name in locate::similar_names(conn, own_name(wanted.name))? {
        let asked = code::SymbolNameQuery { name: &name, ..wanted.clone() };
        found.extend(code::find_symbols(conn, names, &asked, page)?.1);
    }
    let is_wanted = |row: &code::SymbolRow| {
        !row.full.is_empty()
            && wanted.kind.is_none_or(|kind| row.kind == kind)
            && wanted.exported.is_none_or(|exported| row.exported == exported)
            && wanted.path.is_none_or(|path| row.path.is_at_or_below(path))
    };
    let located = locate::locate(view, wanted.name)?.symbols.into_iter().map(|one| one.symbol);
    let located = located.filter(is_wanted).map(|symbol| SymbolMatch { symbol, alias_in: None });
    found.extend(located);
    let mut seen = BTreeSet::new();
    let mut rows: Vec<SymbolMatchRow> = found.into_iter().map(symbol).collect();
    rows.retain(|row| seen.insert(row.node.clone()));
    rows.truncate(MAX_SIMILAR);
    Ok(rows)
}

fn symbol(found: SymbolMatch) -> SymbolMatchRow {
    let SymbolMatch { symbol: row, alias_in } = found;
    SymbolMatchRow {
        node: handle(&row.path, &row.full),
        kind: row.kind,
        exported: row.exported || alias_in.is_some(),
        signature: row.signature,
        overloads: row.overloads.len(),
        line: row.line,
        alias_in,
    }
}

impl Render for FindAnswer {
    fn render(&self, page: &mut Page) {
        let total = self.paging.total;
        let symbols = counted(usize::try_from(total).unwrap_or(usize::MAX), "symbol");
        page.answer(match total > 0 {
            true => format!("{symbols} for `{}`", self.name),
            false if self.similar.is_empty() => {
                format!("No symbol has `{}` in its name", self.name)
            }
            false => {
                format!("No symbol has `{}` in its name. Similar or related symbols:", self.name)
            }
        });
        let cells = |symbol: &SymbolMatchRow| {
            let more = match symbol.overloads {
                0 => String::new(),
                more => format!(" (+{})", counted(more, "overload")),
            };
            let alias = symbol.alias_in.as_ref();
            let alias = alias.map(|path| format!(" (as {} in {path})", self.name));
            vec![
                PageCell::handle(symbol.node.strip_prefix("symbol:").unwrap_or(&symbol.node)),
                PageCell::faint(symbol.line),
                PageCell::text(format!("{}{more}{}", symbol.signature, alias.unwrap_or_default())),
            ]
        };
        let symbols = self.symbols.iter().chain(&self.similar);
        symbols.for_each(|symbol| page.table(0, vec![cells(symbol)]));
        self.paging.render_rest(page, self.symbols.len());
        if !self.unread.is_empty() {
            page.say("These files contain the name but could not be parsed:");
            unread::render(page, &self.unread);
        }
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
