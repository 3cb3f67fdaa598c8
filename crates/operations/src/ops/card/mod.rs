//! Operations on cards, and what they share.

pub(super) mod coverage;
pub(super) mod create;
pub(super) mod delete;
pub(super) mod diff;
pub(super) mod draft;
pub(super) mod list;
pub(super) mod relations;
pub(super) mod rename;
pub(super) mod show;
pub(super) mod status;
pub(super) mod unlinked;
pub(super) mod update;

use base::entity::CardKey;
use base::{EntityRef, Hash, Hint, NextCall, Problem, ProblemCode, RepoPath, Result};
use cards::CardRow;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tree::FileEdit;

use engine::areas::cards::{CardsGraphArea, refuse_duplicate_key, report_unsound_cards};
use engine::contract::args::NodeTarget;
use engine::contract::page::{Page, Render};
use engine::graph::{self, GraphArea};
use engine::plan::{Plan, PlannedChange};
use engine::view::View;

/// The card that was named: by its key, its slug, the end of it, or its file. If several files claim
/// its key, only the name of a file identifies one.
pub(super) fn find_card(view: &View, name: &NodeTarget) -> Result<CardRow> {
    let card = first_card(view, name)?;
    let text = name.as_str().trim();
    let typed = view.paths().candidates(text.strip_prefix("file:").unwrap_or(text));
    if !typed.contains(&card.path) {
        refuse_duplicate_key(view, &card.key)?;
    }
    Ok(card)
}

fn first_card(view: &View, name: &NodeTarget) -> Result<CardRow> {
    report_unsound_cards(view)?;
    let text = name.as_str().trim();
    let conn = view.index()?.conn();
    if let Some(card) = cards::card_by_key(conn, text)? {
        return Ok(card);
    }
    let fitting = CardsGraphArea.resolve(view, text)?;
    let node = match fitting.as_slice() {
        [only] => only.node.clone(),
        _ => graph::resolve(view, name).map_err(|problem| card_not_found(view, text, problem))?,
    };
    let card = match &node {
        EntityRef::Card(key) => cards::card_by_key(conn, key.as_str())?,
        EntityRef::File(path) => cards::card_at_path(conn, path)?,
        _ => None,
    };
    card.ok_or_else(|| {
        Problem::not_found(format!("{node} is not a card"))
            .hint_call("cards are listed by", NextCall::new("card.list"))
    })
}

/// The key of the one card that was named.
pub(super) fn key_for_write(view: &View, name: &NodeTarget) -> Result<CardKey> {
    let card = find_card(view, name)?;
    refuse_duplicate_key(view, &card.key)?;
    Ok(card.key)
}

/// Adds card files that could not be read: they may be why a card was not found.
fn card_not_found(view: &View, name: &str, problem: Problem) -> Problem {
    let said = |trouble: &cards::CardDiagnosticRow| {
        trouble.path.to_string().contains(name.trim_matches('/'))
    };
    let slug = name.split_once("::").map_or(name, |(_, slug)| slug);
    let troubles =
        view.index().and_then(|index| cards::all_diagnostics(index.conn())).unwrap_or_default();
    let why =
        troubles.iter().find(|trouble| said(trouble) || trouble.path.to_string().contains(slug));
    match why {
        Some(why) if problem.code == ProblemCode::NotFound => {
            problem.hint(format!("{}:{} cannot be read: {}", why.path, why.line, why.message))
        }
        _ => problem,
    }
}

/// The call that links code to a card.
pub(super) fn link_call(key: &CardKey, code: &str) -> NextCall {
    NextCall::new("link.add").with("targets", json!([code])).with("card", key.as_str())
}

/// What a change to one card did
#[derive(Debug, Serialize, JsonSchema)]
pub struct CardChangeAnswer {
    /// The card
    pub key: CardKey,
    /// Its file
    pub path: RepoPath,
    /// What happened
    pub said: String,
    /// What is left to do; may be empty
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Hint>,
}

impl Render for CardChangeAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!("{}: {}", self.key, self.said));
        for note in &self.notes {
            match &note.call {
                Some(call) => page.say_call(&note.text, call.clone()),
                None => page.say(&note.text),
            }
        }
    }
}

/// A file of text as it is now.
pub(super) struct CurrentText {
    pub hash: Hash,
    pub text: String,
}

/// Reads a file that has to be edited.
pub(super) fn read_current(view: &View, path: &RepoPath) -> Result<CurrentText> {
    let gone = || Problem::not_found(format!("{path} no longer exists")).hint("repeat the request");
    let blob = view.tree().read(path)?.ok_or_else(gone)?;
    let text = String::from_utf8(blob.bytes).map_err(|_| {
        Problem::new(ProblemCode::InvalidOperation, format!("{path} is not UTF-8"))
            .hint("edit it by hand, or save it as UTF-8 first")
    })?;
    Ok(CurrentText { hash: blob.hash, text })
}

/// A change to one card, made by editing its text. It introduces no new mistake.
pub(super) fn edit(
    view: &View,
    card: &CardRow,
    if_hash: Option<Hash>,
    said: String,
    change: impl FnOnce(&str) -> Result<String, document::DocumentError>,
) -> Result<Plan<CardChangeAnswer>> {
    let now = read_current(view, &card.path)?;
    check_hash(&card.path, if_hash, now.hash)?;
    let new = change(&now.text).map_err(|fault| edit_refused(&card.path, &fault))?;
    let answer = CardChangeAnswer {
        key: card.key.clone(),
        path: card.path.clone(),
        said,
        notes: Vec::new(),
    };
    if new == now.text {
        let said = "unchanged".into();
        let answer = CardChangeAnswer { said, ..answer };
        return Ok(Plan {
            summary: String::new(),
            change: PlannedChange::Nothing,
            answer,
            retry_on_conflict: false,
        });
    }
    refuse_new_mistakes(&now.text, &new)?;
    let summary = format!("{}: {}", answer.key, answer.said);
    let edit =
        FileEdit { path: card.path.clone(), expected: Some(now.hash), content: Some(new.into()) };
    Ok(Plan {
        summary,
        change: PlannedChange::Files(vec![edit]),
        answer,
        retry_on_conflict: if_hash.is_none(),
    })
}

/// Refuses to change a file that differs from what the caller read.
pub(super) fn check_hash(path: &RepoPath, wanted: Option<Hash>, found: Hash) -> Result<()> {
    match wanted.is_none_or(|wanted| wanted == found) {
        true => Ok(()),
        false => Err(Problem::new(
            ProblemCode::Conflict,
            format!("{path} has changed since it was read"),
        )
        .detail("current", found.to_string())
        .hint("read it again, then repeat the request with its new hash")),
    }
}

pub(super) fn edit_refused(path: &RepoPath, fault: &document::DocumentError) -> Problem {
    let place = fault.position.line;
    Problem::new(ProblemCode::InvalidOperation, format!("{path}:{place}: {}", fault.message))
        .detail("path", path.to_string())
        .detail("line", place)
        .hint("correct the file by hand; nothing was changed")
}

/// Refuses a text with a mistake that the old one did not have.
fn refuse_new_mistakes(old: &str, new: &str) -> Result<()> {
    let known = cards::parse_card(old.as_bytes()).1;
    let (_, troubles) = cards::parse_card(new.as_bytes());
    let fresh = troubles.iter().find(|new| known.iter().all(|old| old.message != new.message));
    fresh.map_or(Ok(()), |trouble| Err(Problem::invalid(trouble.message.clone())))
}

/// Refuses a type that `card_types` does not list.
pub(super) fn refuse_unregistered(view: &View, key: &CardKey) -> Result<()> {
    let kind = cards::key_kind(key);
    let types: Vec<String> = view.config().card_types.iter().map(ToString::to_string).collect();
    if types.iter().any(|known| known == kind) {
        return Ok(());
    }
    let problem = Problem::invalid(format!("`{kind}` is not a registered card type"));
    let all = format!("the types are {}; `card_types` in cairn.jsonc adds more", types.join(", "));
    Err(problem.hint_near(kind, types.iter().map(String::as_str)).hint(all))
}

/// Refuses a key that another card has, or that differs from one only in case.
pub(super) fn refuse_taken_key(
    view: &View,
    key: &CardKey,
    besides: Option<&RepoPath>,
) -> Result<()> {
    let taken = cards::cards_with_folded_key(view.index()?.conn(), key.as_str())?;
    let Some(other) = taken.iter().find(|card| Some(&card.path) != besides) else { return Ok(()) };
    Err(Problem::new(
        ProblemCode::InvariantViolation,
        format!("`{}` is the key of {}", other.key, other.path),
    )
    .detail("path", other.path.to_string())
    .hint_call("it is shown by", NextCall::new("card.show").with("key", other.key.to_string())))
}

/// The path of a new card: the conventional one, or one with its type if that is taken.
pub(super) fn path_for_new_card(view: &View, key: &CardKey) -> Result<RepoPath> {
    let with_type = format!("{}.{}", cards::key_slug(key), cards::key_kind(key));
    let places = [cards::path_for_key(key), cards::card_path(&with_type)];
    let free = |path: &RepoPath| view.tree().stat_if_reachable(path).is_none();
    let found = places.into_iter().flatten().find(free);
    found.ok_or_else(|| {
        Problem::new(
            ProblemCode::InvariantViolation,
            format!("other files are already at the paths for `{key}`"),
        )
        .hint("choose another slug")
    })
}

pub(super) use cards::UNREVIEWED;
