//! `history provenance`: the commits that changed a file or symbol, oldest first.

use std::collections::BTreeSet;

use base::entity::CardKey;
use base::words::counted;
use base::{EntityRef, NextCall, Problem, ProblemCode, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CommitRow, tags_text};
use crate::ops::card::find_card;
use engine::areas::history::{
    Artifact, HistoryReader, MAX_SYMBOL_COMMITS, SymbolHistory, SymbolTouch, trace_symbol,
};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::spec_links::spec_links;
use engine::view::View;

/// Show the commits that changed a file, symbol or card, oldest first, with its tags
///
/// Renames are followed. Earlier paths and paths of deleted files are accepted. A card comes with
/// the confirmations of its links.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Current or earlier path of a file; `path#name` for one symbol; key of a card
    pub path: NodeTarget,
    /// Show the newest commits first
    #[arg(long)]
    #[serde(default)]
    pub newest: bool,
    /// Commits to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Commits to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// A link of a card was confirmed, or its confirmation followed a move or rename.
const CONFIRMED: &str = "confirmed";
const CARRIED: &str = "carried";

/// Which commits are shown, and in which order.
#[derive(Debug, Clone, Copy)]
pub(super) struct CommitPage {
    pub newest: bool,
    pub offset: Offset,
    pub limit: Limit,
}

impl CommitPage {
    /// Cuts commits, oldest first, to the requested page.
    fn cut<T>(self, mut all: Vec<T>) -> (Vec<T>, Paging) {
        if self.newest {
            all.reverse();
        }
        Paging::cut(all, self.offset, self.limit)
    }
}

/// The commits of a file
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProvenanceAnswer {
    /// Where it is, or was last
    pub path: RepoPath,
    /// Whether it exists in the checked-out commit
    pub alive: bool,
    /// The symbol that was asked about
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The card that was asked about
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardKey>,
    /// The confirmed links of the card as they are now
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub confirmations: Vec<CardConfirmation>,
    /// Where it was before
    pub earlier: BTreeSet<RepoPath>,
    /// Its commits, oldest first unless the newest were asked for
    pub commits: Vec<CommitRow>,
    #[serde(skip)]
    paging: Paging,
    #[serde(skip)]
    newest: bool,
}

/// A confirmed link of a card
#[derive(Debug, Serialize, JsonSchema)]
pub struct CardConfirmation {
    /// The other end of the link
    pub node: String,
    /// Who confirmed it
    pub by: String,
    /// When
    pub at: String,
    /// Why they agree
    pub why: String,
}

impl Query for Provenance {
    const NAME: &'static str = "history.provenance";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("get_provenance")];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "README.md --limit 5", shows: "the first commits of a file" },
        OpExample { args: "README.md --newest --limit 5", shows: "its newest commits" },
        OpExample {
            args: "src/a.ts#Session.refresh",
            shows: "the commits that changed one function",
        },
        OpExample {
            args: "spec::auth/login",
            shows: "how a card and the confirmations of its links came to be",
        },
    ];
    type Answer = ProvenanceAnswer;

    fn run(self, view: &View) -> Result<ProvenanceAnswer> {
        let history = HistoryReader::open(view)?;
        let part = CommitPage { newest: self.newest, offset: self.offset, limit: self.limit };
        let text = self.path.as_str().trim();
        let text = text.strip_prefix("symbol:").unwrap_or(text);
        if let Some((path, symbol)) = text.split_once('#') {
            // A symbol that is gone has a history too, so only ambiguity is a problem here.
            if let Err(problem) = graph::resolve(view, &self.path)
                && problem.code == ProblemCode::Ambiguous
            {
                return Err(problem);
            }
            let artifact = history.artifact(view, &path.parse().map_err(Problem::invalid)?)?;
            return symbol_chain(view, &history, artifact, symbol, part);
        }
        if text.contains("::") {
            return card_chain(view, &history, &self.path, part);
        }
        let artifact = history.artifact(view, &self.path)?;
        chain(&history, artifact, part)
    }
}

/// One page of the commits of a card and of the confirmations of its links.
fn card_chain(
    view: &View,
    history: &HistoryReader<'_>,
    target: &NodeTarget,
    part: CommitPage,
) -> Result<ProvenanceAnswer> {
    let card = find_card(view, target)?;
    let own = EntityRef::Card(card.key.clone());
    let artifact =
        history.artifact(view, &card.path.to_string().parse().map_err(Problem::invalid)?)?;
    let ops = history.tag_ops(artifact.id)?;
    let mut rows = Vec::new();
    for touch in history.touches(artifact.id)? {
        rows.push((touch.pos, touch.path.to_string(), touch.kind.word(), touch));
    }
    let paths = rows.iter().flat_map(|(.., touch)| touch.old_path.iter().chain([&touch.path]));
    let earlier = paths.filter(|path| **path != artifact.path).cloned().collect();
    let mut confirmations = Vec::new();
    for stored in spec_links(view)?.all_confirmations() {
        let record = &stored.record;
        let other = match (&record.link.from, &record.link.to) {
            (other, end) | (end, other) if *end == own => other.to_string(),
            _ => continue,
        };
        confirmations.push(CardConfirmation {
            node: other.clone(),
            by: record.by.clone(),
            at: record.at.clone(),
            why: record.why.clone(),
        });
        let Some(file) = history.artifact_at(&stored.path)? else { continue };
        for touch in history.touches(file.id)? {
            let change = if touch.old_path.is_some() { CARRIED } else { CONFIRMED };
            rows.push((touch.pos, other.clone(), change, touch));
        }
    }
    rows.sort_by_key(|(pos, ..)| *pos);
    let (rows, paging) = part.cut(rows);
    let mut commits = Vec::with_capacity(rows.len());
    for (pos, path, change, touch) in rows {
        commits.push(CommitRow {
            path,
            tags_at_commit: history.tags_at(&touch.path, &ops, pos),
            ..CommitRow::of(history, &history.commit_position(pos)?, change)?
        });
    }
    Ok(ProvenanceAnswer {
        path: artifact.path,
        alive: artifact.is_live,
        symbol: None,
        card: Some(card.key),
        confirmations,
        earlier,
        commits,
        paging,
        newest: part.newest,
    })
}

/// One page of the commits of an artifact.
pub(super) fn chain(
    history: &HistoryReader<'_>,
    artifact: Artifact,
    part: CommitPage,
) -> Result<ProvenanceAnswer> {
    let touches = history.touches(artifact.id)?;
    let all = touches.iter().flat_map(|touch| touch.old_path.iter().chain([&touch.path]));
    let earlier = all.filter(|path| **path != artifact.path).cloned().collect();
    let ops = history.tag_ops(artifact.id)?;
    let (touches, paging) = part.cut(touches);
    let mut commits = Vec::with_capacity(touches.len());
    for touch in touches {
        let stop = history.commit_position(touch.pos)?;
        commits.push(CommitRow {
            path: touch.path.to_string(),
            tags_at_commit: history.tags_at(&touch.path, &ops, touch.pos),
            ..CommitRow::of(history, &stop, touch.kind.word())?
        });
    }
    let (path, alive) = (artifact.path, artifact.is_live);
    Ok(ProvenanceAnswer {
        path,
        alive,
        symbol: None,
        card: None,
        confirmations: Vec::new(),
        earlier,
        commits,
        paging,
        newest: part.newest,
    })
}

/// One page of the commits that touched one symbol.
fn symbol_chain(
    view: &View,
    history: &HistoryReader<'_>,
    artifact: Artifact,
    symbol: &str,
    part: CommitPage,
) -> Result<ProvenanceAnswer> {
    let SymbolHistory { touches, is_cut } = trace_symbol(view, history, &artifact, symbol)?;
    if touches.is_empty() {
        let none = match is_cut {
            true => format!(
                "none of the newest {MAX_SYMBOL_COMMITS} commits of {} changed",
                artifact.path
            ),
            false => format!("no commit of {} has", artifact.path),
        };
        return Err(Problem::not_found(format!("{none} `{symbol}`")).hint_call(
            "its symbols are listed by",
            NextCall::new("code.zoom").with("path", artifact.path.to_string()).with("level", 1),
        ));
    }
    if is_cut {
        view.mark_partial("only the newest commits of the file were searched");
    }
    let names = touches.iter().map(|touch| touch.touch.path.clone());
    let earlier = names.filter(|path| *path != artifact.path).collect();
    let ops = history.tag_ops(artifact.id)?;
    let (touches, paging) = part.cut(touches);
    let row = |SymbolTouch { touch, how, name }: SymbolTouch| {
        Ok(CommitRow {
            path: format!("{}#{name}", touch.path),
            tags_at_commit: history.tags_at(&touch.path, &ops, touch.pos),
            ..CommitRow::of(history, &history.commit_position(touch.pos)?, how)?
        })
    };
    let commits = touches.into_iter().map(row).collect::<Result<_>>()?;
    let (path, alive, symbol) = (artifact.path, artifact.is_live, Some(symbol.to_owned()));
    let (card, confirmations) = (None, Vec::new());
    let newest = part.newest;
    Ok(ProvenanceAnswer {
        path,
        alive,
        symbol,
        card,
        confirmations,
        earlier,
        commits,
        paging,
        newest,
    })
}

impl Render for ProvenanceAnswer {
    fn render(&self, page: &mut Page) {
        let gone = if self.alive { "" } else { ", deleted" };
        let commits = counted(self.paging.total, "commit");
        let order = if self.newest { "newest first" } else { "oldest first" };
        let symbol = self.symbol.as_ref().map(|name| format!("#{name}")).unwrap_or_default();
        let what = match &self.card {
            Some(key) => format!("{key}, {}", self.path),
            None => format!("{}{symbol}", self.path),
        };
        page.answer(format!("{what}{gone}: {commits}, {order}"));
        if !self.earlier.is_empty() {
            let earlier: Vec<String> = self.earlier.iter().map(ToString::to_string).collect();
            page.item("earlier paths", earlier.join(", "));
        }
        self.rows(page);
        self.paging.render_rest(page, self.commits.len());
        if !self.confirmations.is_empty() {
            page.heading("Confirmed links");
            let cells = |one: &CardConfirmation| {
                vec![
                    PageCell::faint(one.at.get(..10).unwrap_or(&one.at)),
                    PageCell::text(&one.by),
                    PageCell::text(&one.why),
                    PageCell::handle(&one.node),
                ]
            };
            page.table(2, self.confirmations.iter().map(cells).collect());
        }
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}

impl ProvenanceAnswer {
    /// The commits as a table; tags are shown where they change.
    pub(super) fn rows(&self, page: &mut Page) {
        let mut before: Option<&BTreeSet<String>> = None;
        let mut rows = Vec::with_capacity(self.commits.len());
        for commit in &self.commits {
            let tags = match before == Some(&commit.tags_at_commit) {
                true => String::new(),
                false => format!("[{}]", tags_text(&commit.tags_at_commit)),
            };
            before = Some(&commit.tags_at_commit);
            let subject = match &self.card {
                Some(_) if [CONFIRMED, CARRIED].contains(&commit.change.as_str()) => {
                    format!("{} ({})", commit.subject(), commit.path)
                }
                _ => commit.subject().to_owned(),
            };
            let author = commit.author.split(" <").next().unwrap_or_default();
            rows.push(vec![
                PageCell::faint(commit.day()),
                PageCell::text(&commit.change),
                PageCell::text(subject),
                PageCell::faint(author),
                PageCell::text(tags),
                PageCell::handle(commit.handle()),
            ]);
        }
        page.table(0, rows);
    }
}
