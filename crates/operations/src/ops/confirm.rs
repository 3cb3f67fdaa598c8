//! `confirm`: records that both ends of links still agree.

use std::collections::BTreeMap;

use base::words::counted;
use base::{EntityRef, NextCall, Problem, RepoPath, Result};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use similar::TextDiff;
use syntax::Language;
use tree::FileEdit;

use engine::areas::kb::kb_state;
use engine::contract::args::{NodeTarget, Words, one_or_many};
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::plan::{Plan, PlannedChange};
use engine::spec_links::{
    EndReader, LinkState, LinkStatus, SpecLink, SpecLinks, confirmation_path, new_confirmation,
    spec_links,
};
use engine::view::View;

/// How many lines of a change since the last confirmation are shown, for each end.
const MAX_DIFF_LINES: usize = 40;

/// Record that specs and the code linked to them still agree
///
/// Writes one file per link under `.cairn/links`. `verify` reports a link once either end changes
/// in substance; formatting, comments, renames and moves do not count. A file or folder means its
/// own links and the suspect links of what is inside.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Confirm {
    /// Cards, requirements, files, folders, symbols or files in `.cairn/links` whose links to confirm
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
    /// Which of these links; by default `open`, and `suspect` for what is inside a file, folder or class
    #[arg(long, value_enum)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub only: Option<ConfirmScope>,
}

/// Which links are confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConfirmScope {
    /// Links that are unconfirmed or suspect
    Open,
    /// Those whose ends changed
    Suspect,
    /// Those that nobody confirmed yet
    Unconfirmed,
    /// Also links that are confirmed already, because both ends were read again
    All,
}

impl ConfirmScope {
    const fn includes(self, state: LinkState) -> bool {
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
    /// How many links of what is inside the targets were never confirmed; they were left
    /// unconfirmed
    #[serde(skip_serializing_if = "is_zero")]
    pub left_unconfirmed: usize,
    /// Targets that have no links
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_links: Vec<NodeTarget>,
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
    /// Whether its confirmation had another name, because an end was renamed or moved
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_moved: bool,
    /// What changed since it was last confirmed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Changed ends whose confirmed text git does not have, so that the change cannot be shown
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_diff: Vec<EntityRef>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
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
        OpExample {
            args: "--all --why 'first confirmation'",
            shows: "a first confirmation of existing links",
        },
    ];
    type Answer = ConfirmAnswer;

    fn plan(self, view: &View) -> Result<Plan<ConfirmAnswer>> {
        let known = spec_links(view)?;
        let WantedLinks { links, without_links } = self.wanted(view, &known)?;
        let reader = EndReader::new(view);
        let mut answer = ConfirmAnswer {
            confirmed: Vec::new(),
            unchanged: 0,
            left_unconfirmed: 0,
            without_links,
            refused: Vec::new(),
            removed: Vec::new(),
        };
        let mut edits = Vec::new();
        for WantedLink { status, is_own } in links {
            let is_moved = has_moved(&status)?;
            if !self.scope(is_own).includes(status.state) && !is_moved {
                answer.unchanged += usize::from(status.state == LinkState::Confirmed);
                answer.left_unconfirmed +=
                    usize::from(self.only.is_none() && status.state == LinkState::Unconfirmed);
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
    /// Which links are confirmed, depending on whether a target is an end of the link. Naming a
    /// file does not confirm the unconfirmed links of every symbol in it, because probably nobody
    /// looked at them.
    fn scope(&self, is_own: bool) -> ConfirmScope {
        let otherwise = if is_own || self.all { ConfirmScope::Open } else { ConfirmScope::Suspect };
        self.only.unwrap_or(otherwise)
    }

    /// The links that are meant.
    fn wanted(&self, view: &View, known: &SpecLinks) -> Result<WantedLinks> {
        if self.targets.is_empty() && !self.all {
            return Err(Problem::invalid("nothing was named to confirm")
                .hint("name a card, a requirement, a file or a symbol, or say `all`"));
        }
        let with = match &self.with {
            Some(with) => Some(named_nodes(view, with)?),
            None => None,
        };
        let is_with = |status: &LinkStatus| {
            known.can_be_confirmed(&status.link)
                && with
                    .as_ref()
                    .is_none_or(|with| with.iter().any(|node| status.link.touches(node)))
        };
        if self.all {
            let all = known.all_statuses(view)?.iter().filter(|status| is_with(status));
            let links =
                all.map(|status| WantedLink { status: status.clone(), is_own: true }).collect();
            return Ok(WantedLinks { links, without_links: Vec::new() });
        }
        let mut without_links = Vec::new();
        let mut found: BTreeMap<SpecLink, WantedLink> = BTreeMap::new();
        for target in &self.targets {
            let mut has_links = false;
            for node in named_nodes(view, target)? {
                for wanted in links_at(view, known, &node)? {
                    if !is_with(&wanted.status) {
                        continue;
                    }
                    has_links = true;
                    let own = found.entry(wanted.status.link.clone()).or_insert(wanted.clone());
                    own.is_own |= wanted.is_own || with.is_some();
                }
            }
            if !has_links {
                without_links.push(target.clone());
            }
        }
        if found.is_empty() {
            return Err(no_links(&self.targets, self.with.as_ref()));
        }
        Ok(WantedLinks { links: found.into_values().collect(), without_links })
    }
}

/// The links that the targets mean.
struct WantedLinks {
    links: Vec<WantedLink>,
    without_links: Vec<NodeTarget>,
}

/// A link that a target may mean.
#[derive(Debug, Clone)]
struct WantedLink {
    status: LinkStatus,
    /// Whether a target is one of its ends, and not only around one
    is_own: bool,
}

/// The nodes that a target means. A file that defines a card or entities of the knowledge base
/// means these.
fn named_nodes(view: &View, target: &NodeTarget) -> Result<Vec<EntityRef>> {
    let node = graph::resolve(view, target)?;
    let EntityRef::File(path) = &node else { return Ok(vec![node]) };
    if let Some(card) = cards::card_at_path(view.index()?.conn(), path)? {
        return Ok(vec![EntityRef::Card(card.key)]);
    }
    let known = kb_state(view)?;
    let told = known.model.facts().filter(|fact| {
        fact.code.is_none() && fact.origin.file().is_some_and(|(own, _)| own == path)
    });
    let told: Vec<EntityRef> =
        told.filter_map(|fact| known.model.node_of(&fact.entity.id)).collect();
    Ok(if told.is_empty() { vec![node] } else { told })
}

/// The links at a node and inside it; a file of `.cairn/links` means its own link.
fn links_at(view: &View, known: &SpecLinks, node: &EntityRef) -> Result<Vec<WantedLink>> {
    let mut stored = known.all_confirmations();
    if let Some(stored) = stored.find(|stored| node.path() == Some(&stored.path))
        && known.links.contains(&stored.record.link)
    {
        let status = known.status(view, &stored.record.link)?;
        return Ok(vec![WantedLink { status, is_own: true }]);
    }
    let mut found = Vec::new();
    for status in known.statuses_at(view, node)? {
        let ends = [&status.link.from, &status.link.to];
        let is_own = ends.contains(&node);
        if is_own || ends.into_iter().any(|end| is_inside(end, node)) {
            found.push(WantedLink { status, is_own });
        }
    }
    Ok(found)
}

/// Whether an end is inside a file, folder or symbol.
fn is_inside(end: &EntityRef, node: &EntityRef) -> bool {
    match (end, node) {
        (EntityRef::Symbol(own, name), EntityRef::Symbol(path, outer)) => {
            let rest = name.as_str().strip_prefix(outer.as_str());
            own == path && rest.is_some_and(|rest| rest.starts_with('.'))
        }
        (_, EntityRef::Module(path) | EntityRef::File(path)) => end.path() == Some(path),
        (_, EntityRef::Dir(folder)) => end.path().is_some_and(|own| own.is_at_or_below(folder)),
        _ => false,
    }
}

fn no_links(targets: &[NodeTarget], with: Option<&NodeTarget>) -> Problem {
    let with = with.map(|with| format!(" to {with}")).unwrap_or_default();
    let have = if targets.len() == 1 { "has" } else { "have" };
    let named = names(targets);
    Problem::not_found(format!("{named} {have} no link{with} that could be confirmed"))
        .hint_call("link code to a card with", NextCall::new("link.add"))
        .hint("or say `implements REQ-001` in a doc comment")
}

fn names(targets: &[NodeTarget]) -> String {
    targets.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Whether its confirmation has another name.
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
    let mut without_diff = Vec::new();
    if let Some(stored) = &status.confirmation {
        let was = &stored.record.link;
        for end in &status.changed {
            let old = if *end == status.link.from { &was.from } else { &was.to };
            let before = stored.confirmed_bytes(view, old)?;
            let after = match reader.path_of(end)? {
                Ok(path) => reader.bytes(&path)?,
                Err(_) => None,
            };
            match (before, after) {
                (Some(before), Some(after)) => {
                    diff.push_str(&end_diff(old, &before, end, &after));
                }
                _ => without_diff.push(end.clone()),
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
        without_diff,
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

impl ConfirmAnswer {
    /// How many links were confirmed, by what they were before.
    fn headline(&self) -> String {
        let already = match self.unchanged {
            0 => String::new(),
            1 => "; 1 was already".to_owned(),
            unchanged => format!("; {unchanged} were already confirmed"),
        };
        let was = |state| self.confirmed.iter().filter(|link| link.was == state).count();
        let first = was(LinkState::Unconfirmed);
        let total = self.confirmed.len();
        let links = counted(total, "link");
        match first {
            _ if total == 0 => format!("Nothing to confirm{already}"),
            0 => format!("{links} confirmed{already}"),
            first if first == total => {
                format!("{links} confirmed for the first time{already}")
            }
            first => format!("{links} confirmed, {first} of them for the first time{already}"),
        }
    }
}

impl Render for ConfirmAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(self.headline());
        if self.left_unconfirmed > 0 {
            let (links, those) = match self.left_unconfirmed {
                1 => ("1 link inside was".to_owned(), "it"),
                many => (format!("{many} links inside were"), "them"),
            };
            page.say_call(
                format!("{links} never confirmed and not changed; to confirm {those} too"),
                NextCall::repeat().with("only", "open"),
            );
        }
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
        if !self.without_links.is_empty() {
            page.say(format!("no links: {}", names(&self.without_links)));
        }
        for why in &self.refused {
            page.say(format!("not confirmed: {why}"));
        }
        for end in self.confirmed.iter().flat_map(|link| &link.without_diff) {
            page.say(format!(
                "{end}: the text that was confirmed was never committed, so its change is not shown"
            ));
        }
        for diff in self.confirmed.iter().filter_map(|link| link.diff.as_ref()) {
            page.diff(diff);
        }
    }

    /// The page already shows everything that is in the files of confirmations.
    fn shows_change(&self) -> bool {
        true
    }
}
