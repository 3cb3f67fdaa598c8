//! `code.unused`: exports that nothing imports, with a confidence.

use base::words::counted;
use base::{RepoPath, Result};
use clap::Args;
use code::UnusedSymbol as Found;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::unread::{self, UnreadFile};
use super::{mentions, tool_entries};
use engine::areas::code::{handle, named_node, report_embedded_code};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::index::tables;
use engine::path_globs::PathGlobs;
use engine::view::View;

/// The lowest confidence of a listed export.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum UnusedConfidence {
    /// Nothing names it
    Certain,
    /// Nothing imports it, but its own file uses it or it is re-exported
    #[default]
    Likely,
    /// External or unparsed code may use it
    Maybe,
}

/// Find exports that nothing imports, with a confidence
///
/// Entry points of packages, frameworks and tests count as used; `entries` in cairn.jsonc adds
/// more.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unused {
    /// Only symbols in this file or folder
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// Lowest confidence to list
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    pub sure: UnusedConfidence,
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

/// Exports that nothing imports
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnusedAnswer {
    /// The exports, most certain first
    pub exports: Vec<UnusedExport>,
    /// How many there are of each: certain, likely, maybe
    pub counts: [usize; 3],
    /// Files that could not be parsed completely and mention a listed export
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadFile>,
    #[serde(skip)]
    paging: Paging,
    #[serde(skip)]
    scope: (Option<RepoPath>, UnusedConfidence),
}

/// One export
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UnusedExport {
    /// Its handle
    pub node: String,
    /// Its kind
    pub kind: String,
    /// The line its name is on
    pub line: u32,
    /// Confidence that it is unused
    pub sure: UnusedConfidence,
    /// Why
    pub why: String,
}

impl Query for Unused {
    const NAME: &'static str = "code.unused";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kart_unused_exports")];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "src", shows: "unused exports of a folder" },
        OpExample { args: "--sure certain", shows: "only what nothing names at all" },
    ];
    type Answer = UnusedAnswer;

    fn run(self, view: &View) -> Result<UnusedAnswer> {
        let conn = view.index()?.conn();
        let path = self.path.as_ref().map(|path| graph::resolve(view, path)).transpose()?;
        let path = path.as_ref().and_then(|node| node.path()).cloned();
        let below = path.clone().unwrap_or(RepoPath::ROOT);
        let entries: Vec<&str> =
            view.config().entries.iter().map(config::PathPattern::as_str).collect();
        let globs = (!entries.is_empty()).then(|| PathGlobs::new(entries)).transpose()?;
        let files = tables::all_files(conn)?;
        let started = tool_entries::find(view, &files)?;
        let is_entry = |path: &RepoPath| {
            started.contains(path)
                || globs.as_ref().is_some_and(|globs| globs.match_below(path, &RepoPath::ROOT))
        };
        let mut found = code::unused_exports(conn, &files, &below, &is_entry)?;
        doubt_mentioned(view, &mut found)?;
        doubt_written(view, &mut found)?;
        let mut counts = [0; 3];
        for one in &found {
            counts[one.certainty as usize] += 1;
        }
        let wanted = found.iter().filter(|one| sure(one.certainty) <= self.sure).map(export);
        let (exports, paging) = Paging::cut(wanted.collect(), self.offset, self.limit);
        let unread = unread_mentions(view, &found, exports.len())?;
        doubt_not_read(view, &found)?;
        Ok(UnusedAnswer { exports, counts, unread, paging, scope: (path, self.sure) })
    }
}

/// Lowers the confidence of exports whose name occurs elsewhere in code: only an export with a
/// unique name is certain.
fn doubt_written(view: &View, found: &mut [Found]) -> Result<()> {
    let is_certain = |one: &Found| one.certainty == code::UnusedCertainty::Certain;
    let names = found.iter().filter(|one| is_certain(one)).map(|one| one.symbol.name.as_str());
    let written = mentions::count_in_code(view, &names.collect())?;
    for one in found.iter_mut().filter(|one| is_certain(one)) {
        let places = written.get(&one.symbol.name).copied().unwrap_or_default();
        if places > 1 || one.symbol.name == "default" {
            one.certainty = code::UnusedCertainty::Likely;
            "nothing imports it, but its name is written elsewhere".clone_into(&mut one.reason);
        }
    }
    found.sort_by_key(|one| one.certainty); // stable: equal certainties keep their order
    Ok(())
}

/// Lowers the confidence of exports that unparsed formats may use.
fn doubt_not_read(view: &View, found: &[Found]) -> Result<()> {
    let symbols: Vec<base::EntityRef> =
        found.iter().map(|one| named_node(&one.symbol.path, &one.symbol.full)).collect();
    report_embedded_code(view, symbols.iter())
}

/// Lowers the confidence of exports that a page, template or settings file names.
fn doubt_mentioned(view: &View, found: &mut [Found]) -> Result<()> {
    let is_doubtful = |one: &Found| {
        let language = syntax::Language::from_path(&one.symbol.path);
        let is_nameable = language.is_none_or(|one| one.semantics().is_named_in_templates);
        one.certainty != code::UnusedCertainty::Maybe && is_nameable
    };
    let names = found.iter().filter(|one| is_doubtful(one)).map(|one| one.symbol.name.as_str());
    let mentioned = mentions::find_mentions(view, &names.collect())?;
    for one in found.iter_mut().filter(|one| is_doubtful(one)) {
        if let Some(path) = mentioned.get(&one.symbol.name) {
            one.certainty = code::UnusedCertainty::Maybe;
            one.reason = format!("{path} contains the name and is not parsed");
        }
    }
    found.sort_by_key(|one| one.certainty); // stable: equal certainties keep their order
    Ok(())
}

const fn sure(found: code::UnusedCertainty) -> UnusedConfidence {
    match found {
        code::UnusedCertainty::Certain => UnusedConfidence::Certain,
        code::UnusedCertainty::Likely => UnusedConfidence::Likely,
        code::UnusedCertainty::Maybe => UnusedConfidence::Maybe,
    }
}

fn export(found: &Found) -> UnusedExport {
    let symbol = &found.symbol;
    UnusedExport {
        node: handle(&symbol.path, &symbol.full),
        kind: symbol.kind.clone(),
        line: symbol.line,
        sure: sure(found.certainty),
        why: found.reason.clone(),
    }
}

/// Files that could not be parsed completely and contain the name of a listed export.
fn unread_mentions(view: &View, found: &[Found], listed: usize) -> Result<Vec<UnreadFile>> {
    let shown = &found[..listed.min(found.len())];
    let words: Vec<String> = shown.iter().map(|one| one.symbol.name.clone()).collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let mut languages: Vec<syntax::Language> = Vec::new();
    for one in shown {
        let own = syntax::Language::from_path(&one.symbol.path);
        languages.extend(unread::family(own));
    }
    languages.sort();
    languages.dedup();
    let own: Vec<&RepoPath> = shown.iter().map(|one| &one.symbol.path).collect();
    unread::unread_with_words(view, &languages, &words, &own)
}

impl Render for UnusedAnswer {
    fn render(&self, page: &mut Page) {
        let [certain, likely, maybe] = self.counts;
        let place = self.scope.0.as_ref().map(|path| format!(" in {path}")).unwrap_or_default();
        let total = certain + likely + maybe;
        page.answer(match total {
            0 => format!("Every export{place} is used or an entry point"),
            _ => format!(
                "{}{place} that nothing imports: {certain} certain, {likely} likely, {maybe} maybe",
                counted(total, "export")
            ),
        });
        let cells = |export: &UnusedExport| {
            let sure = format!("{:?}", export.sure).to_lowercase();
            vec![
                PageCell::text(sure),
                PageCell::text(&export.kind),
                PageCell::faint(&export.why),
                PageCell::faint(export.line),
                PageCell::handle(&export.node),
            ]
        };
        page.table(0, self.exports.iter().map(cells).collect());
        self.paging.render_rest(page, self.exports.len());
        let left_out = (total as u64).saturating_sub(self.paging.total);
        if left_out > 0 {
            let all = page.answered_call().with("sure", "maybe").without("offset");
            let count = base::words::counted(left_out, "less certain result");
            page.say_call(format!("{count} not shown"), all);
        }
        if !self.unread.is_empty() {
            page.say(match self.unread.len() {
                1 => "1 file mentions some of these and could not be parsed:".to_owned(),
                count => {
                    format!("{count} files mention some of these and could not be parsed:")
                }
            });
            unread::render(page, &self.unread);
        }
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
