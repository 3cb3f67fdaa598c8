//! `confirm`: records that both ends of links still agree.

use std::collections::BTreeSet;

use base::words::counted;
use base::{EntityRef, NextCall, Problem, RepoPath, Result};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use similar::TextDiff;
use syntax::Language;
use tree::FileEdit;

use engine::contract::args::{NodeTarget, Words, one_or_many};
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::plan::{Plan, PlannedChange};
use engine::spec_links::{
    EndReader, LinkState, LinkStatus, SpecLinks, confirmation_path, new_confirmation, spec_links,
};
use engine::view::View;

/// How many lines of a change since the last confirmation are shown, for each end.
const MAX_DIFF_LINES: usize = 40;

/// Record that specs and the code linked to them still agree
///
/// Writes one file per link under `.cairn/links`. `verify` reports a link once either end changes
/// in substance; formatting, comments, renames and moves do not count.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Confirm {
    /// Cards, requirements, files, folders, symbols or files in `.cairn/links` whose links are meant
    #[serde(default, alias = "target", deserialize_with = "one_or_many")]
    pub targets: Vec<NodeTarget>,
    /// Why they agree: what was checked
    #[arg(long)]
    pub why: Words,
    /// Only the link to this card, requirement or code
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub with: Option<NodeTarget>,
    /// Every link of the repository; also removes confirmations of links that are gone
    #[arg(long)]
    #[serde(default)]
    pub all: bool,
    /// Which links are confirmed
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub only: ConfirmScope,
}

/// Which links are confirmed.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ConfirmScope {
    /// Links that are unconfirmed or suspect
    #[default]
    Open,
    /// Those whose ends changed
    Suspect,
    /// Those that nobody confirmed yet
    Unconfirmed,
    /// Also links that are confirmed already: both ends were read again
    All,
}

impl ConfirmScope {
    const fn wants(self, state: LinkState) -> bool {
        match self {
            Self::Open => !matches!(state, LinkState::Confirmed),
            Self::Suspect => matches!(state, LinkState::Suspect),
            Self::Unconfirmed => matches!(state, LinkState::Unconfirmed),
            Self::All => true,
        }
    }
}

/// What was confirmed
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfirmAnswer {
    /// Links that were confirmed, suspect ones first
    pub confirmed: Vec<ConfirmedLink>,
    /// How many links were confirmed already
    pub unchanged: usize,
    /// Links that cannot be confirmed, with the reason
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// Confirmations of links that no longer exist, which were removed
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<RepoPath>,
}

/// A link that was confirmed
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfirmedLink {
    /// Where it starts
    pub from: EntityRef,
    /// Its type
    pub r#type: &'static str,
    /// Where it ends
    pub to: EntityRef,
    /// What it was before
    pub was: LinkState,
    /// Whether its confirmation was known by another name, because an end was renamed or moved
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_moved: bool,
    /// What changed since it was last confirmed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

impl Mutation for Confirm {
    const NAME: &'static str = "confirm";
    const EFFECT: Effect = Effect::Write { destructive: false, idempotent: true };
    const EXAMPLES: &'static [OpExample] = &[
        OpExample {
            args: "spec::auth/login --why 'read both, limits are the same'",
            shows: "every link of a card",
        },
        OpExample { args: "src/auth --why 'only renamed' --dry-run", shows: "what changed" },
        OpExample { args: "--all --why 'first confirmation'", shows: "a start for old links" },
    ];
    type Answer = ConfirmAnswer;

    fn plan(self, view: &View) -> Result<Plan<ConfirmAnswer>> {
        let known = spec_links(view)?;
        let wanted = self.wanted(view, &known)?;
        let reader = EndReader::new(view);
        let mut answer = ConfirmAnswer {
            confirmed: Vec::new(),
            unchanged: 0,
            refused: Vec::new(),
            removed: Vec::new(),
        };
        let mut edits = Vec::new();
        for status in wanted {
            let is_moved = has_moved(&status)?;
            if !self.only.wants(status.state) && !is_moved {
                answer.unchanged += usize::from(status.state == LinkState::Confirmed);
                continue;
            }
            let last = status.confirmation.as_ref().map_or(0, |stored| stored.record.version);
            let link = &status.link;
            match new_confirmation(view, &reader, link, self.why.as_str(), last + 1)? {
                Err(why) => answer.refused.push(format!("{} and {}: {why}", link.from, link.to)),
                Ok(record) => {
                    edits.extend(write_edits(&status, record.to_text())?);
                    let link = confirmed(view, &reader, &status)?;
                    answer.confirmed.push(ConfirmedLink { is_moved, ..link });
                }
            }
        }
        if self.all {
            for stored in known.abandoned(view)? {
                let (path, expected) = (stored.path.clone(), Some(stored.hash));
                answer.removed.push(path.clone());
                edits.push(FileEdit { path, expected, content: None });
            }
        }
        answer.confirmed.sort_by(|a, b| (a.was, &a.to, &a.from).cmp(&(b.was, &b.to, &b.from)));
        if edits.is_empty() {
            return Ok(Plan::nothing(answer));
        }
        let summary = format!("confirm {}", counted(answer.confirmed.len(), "link"));
        Ok(Plan { summary, change: PlannedChange::Files(edits), answer, retry_on_conflict: true })
    }
}

impl Confirm {
    /// The links that are meant.
    fn wanted(&self, view: &View, known: &SpecLinks) -> Result<Vec<LinkStatus>> {
        if self.targets.is_empty() && !self.all {
            return Err(Problem::invalid("nothing was named to confirm")
                .hint("name a card, a requirement, a file or a symbol, or say `all`"));
        }
        let with = self.with.as_ref().map(|with| graph::resolve(view, with)).transpose()?;
        let is_with = |status: &LinkStatus| with.as_ref().is_none_or(|w| status.link.touches(w));
        if self.all {
            let all = known.all_statuses(view)?.into_iter();
            return Ok(all.filter(is_with).collect());
        }
        let mut found: Vec<LinkStatus> = Vec::new();
        let mut seen = BTreeSet::new();
        for target in &self.targets {
            let node = graph::resolve(view, target)?;
            let near = links_at(view, known, &node)?.into_iter().filter(is_with);
            let before = found.len();
            found.extend(near.filter(|status| seen.insert(status.link.clone())));
            if found.len() == before && seen.is_empty() {
                return Err(no_links(&node, with.as_ref()));
            }
        }
        Ok(found)
    }
}

/// The links at a node; a file of `.cairn/links` means its own link.
fn links_at(view: &View, known: &SpecLinks, node: &EntityRef) -> Result<Vec<LinkStatus>> {
    let mut stored = known.all_confirmations();
    match stored.find(|stored| node.path() == Some(&stored.path)) {
        Some(stored) if known.links.contains(&stored.record.link) => {
            Ok(vec![known.status(view, &stored.record.link)?])
        }
        _ => known.statuses_at(view, node),
    }
}

fn no_links(node: &EntityRef, with: Option<&EntityRef>) -> Problem {
    let with = with.map(|with| format!(" to {with}")).unwrap_or_default();
    Problem::not_found(format!("{node} has no link{with} that could be confirmed"))
        .hint_call("link code to a card with", NextCall::new("link.add"))
        .hint("or say `implements REQ-001` in a doc comment")
}

/// Whether its confirmation is known by another name.
fn has_moved(status: &LinkStatus) -> Result<bool> {
    Ok(match &status.confirmation {
        Some(stored) => stored.path != confirmation_path(&status.link)?,
        None => false,
    })
}

/// The file of a confirmation, and the removal of an older one with another name.
fn write_edits(status: &LinkStatus, text: String) -> Result<Vec<FileEdit>> {
    let path = confirmation_path(&status.link)?;
    let content = Some(text.into_bytes());
    Ok(match &status.confirmation {
        Some(stored) if stored.path != path => vec![
            FileEdit { path: stored.path.clone(), expected: Some(stored.hash), content: None },
            FileEdit { path, expected: None, content },
        ],
        stored => {
            let expected = stored.as_ref().map(|stored| stored.hash);
            vec![FileEdit { path, expected, content }]
        }
    })
}

fn confirmed(view: &View, reader: &EndReader<'_>, status: &LinkStatus) -> Result<ConfirmedLink> {
    let mut diff = String::new();
    if let Some(stored) = &status.confirmation {
        let was = &stored.record.link;
        for end in &status.changed {
            let old = if *end == status.link.from { &was.from } else { &was.to };
            let before = stored.confirmed_bytes(view, old)?;
            let after = match reader.path_of(end)? {
                Ok(path) => reader.bytes(&path)?,
                Err(_) => None,
            };
            if let (Some(before), Some(after)) = (before, after) {
                diff.push_str(&end_diff(old, &before, end, &after));
            }
        }
    }
    Ok(ConfirmedLink {
        from: status.link.from.clone(),
        r#type: status.link.kind.word(),
        to: status.link.to.clone(),
        was: status.state,
        is_moved: false,
        diff: (!diff.is_empty()).then_some(diff),
    })
}

/// How an end changed: the source of a symbol, or the whole file.
fn end_diff(old: &EntityRef, before: &[u8], new: &EntityRef, after: &[u8]) -> String {
    let (before, after) = (end_source(old, before), end_source(new, after));
    let diff = TextDiff::from_lines(&before, &after);
    let text = diff
        .unified_diff()
        .context_radius(2)
        .header(&old.to_string(), &new.to_string())
        .to_string();
    let lines: Vec<&str> = text.lines().collect();
    let rest = lines.len().saturating_sub(MAX_DIFF_LINES);
    let shown = lines[..lines.len() - rest].join("\n");
    match rest {
        0 => format!("{shown}\n"),
        rest => format!("{shown}\n… {} more\n", counted(rest, "line")),
    }
}

fn end_source(node: &EntityRef, bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let EntityRef::Symbol(path, name) = node else { return text };
    let facts = syntax::extract(Language::from_path(path), bytes);
    let own = facts.symbols.iter().find(|symbol| symbol.path == name.as_str());
    let slice = own.and_then(|symbol| {
        let (start, end) = (symbol.span.start as usize, symbol.span.end as usize);
        text.get(start..end).map(|source| format!("{source}\n"))
    });
    slice.unwrap_or(text)
}

impl Render for ConfirmAnswer {
    fn render(&self, page: &mut Page) {
        let already = match self.unchanged {
            0 => String::new(),
            1 => "; 1 was already".to_owned(),
            unchanged => format!("; {unchanged} were already"),
        };
        page.answer(match self.confirmed.len() {
            0 => format!("Nothing to confirm{already}"),
            links => format!("{} confirmed{already}", counted(links, "link")),
        });
        let row = |link: &ConfirmedLink| {
            vec![
                PageCell::text(match link.was {
                    LinkState::Confirmed if link.is_moved => "moved",
                    state => state.word(),
                }),
                PageCell::handle(&link.from),
                PageCell::faint(link.r#type),
                PageCell::handle(&link.to),
            ]
        };
        page.table(0, self.confirmed.iter().map(row).collect());
        for path in &self.removed {
            page.say(format!("removed {path}: its link no longer exists"));
        }
        for why in &self.refused {
            page.say(format!("not confirmed: {why}"));
        }
        for diff in self.confirmed.iter().filter_map(|link| link.diff.as_ref()) {
            page.diff(diff);
        }
    }
}
