//! What must hold between cards, and between cards and code.
//!
//! @see spec::cards/rules

use std::collections::{BTreeMap, BTreeSet};

use base::similarity::is_one_edit_apart;
use base::{EntityRef, Hint, NextCall, RepoPath, Result};
use cards::{CardRelationKind, CardRow, CardStatus, SeeTagRow, StoredCardRelation};
use serde_json::json;

use super::graph_area::{code_node, exists};
use super::unsound::report_unsound_cards;
use crate::index::tables::skipped_paths;
use crate::rules::{RuleScope, RuleSeverity, RuleViolation, VerifyRule};
use crate::view::View;

type CardCheck = fn(&CardRuleInput<'_>) -> Result<Vec<RuleViolation>>;

macro_rules! rules {
    ($($code:literal, $severity:ident, $means:literal, $check:ident;)+) => {
        /// The rules of cards.
        pub(crate) static RULES: &[VerifyRule] = &[$(VerifyRule {
            code: $code,
            severity: RuleSeverity::$severity,
            statement: $means,
            check: |view, scope| checked(view, scope, $check),
        },)+];
    };
}

rules! {
    "CARD_UNREADABLE", Error, "every card file can be read", unreadable;
    "CARD_FIELD_INVALID", Error, "every field of a card has a valid value", invalid_field;
    "CARD_KEY_DUPLICATE", Error, "no two cards have the same key", duplicate;
    "CARD_KEY_INVALID", Error, "a card's key is valid and has the type of the card", invalid_key;
    "CARD_TYPE_UNREGISTERED", Error, "a card's type is one of `card_types`", unregistered;
    "SEE_TARGET_MISSING", Error, "every `@see` of a card type names a card", missing_target;
    "SEE_TYPE_MISMATCH", Error, "a `@see` has the type of the card it names", mismatch;
    "RELATION_TARGET_MISSING", Error, "every relation names a card", missing_relation;
    "IMPLEMENTED_WITHOUT_LINK", Error, "some code links an implemented card", implemented_unlinked;
    // "Confirmed" means the status `accepted` here, not a confirmation in `.cairn/links`.
    "CONFIRMED_WITHOUT_LINK", Warning, "some code links an accepted card", confirmed_unlinked;
    "DEPENDS_ON_CYCLE", Warning, "no card depends on itself", cycles;
    "REFERENCES_DEPRECATED", Warning, "nothing names a deprecated card", deprecated;
    "CARD_MENTION_DEAD", Warning, "code that the text of a card names exists", dead_mentions;
    "CARD_UNREVIEWED", Error, "a drafted card is reviewed before it is accepted", unreviewed;
    "SEE_TYPE_UNKNOWN", Warning, "the type of a `@see` is not misspelled", almost_registered;
}

/// Reports mentions of symbols that do not exist. Mentions of a whole file are not checked here:
/// `LINK_DEAD` reports links to files that do not exist.
fn dead_mentions(known: &CardRuleInput<'_>) -> Result<Vec<RuleViolation>> {
    let conn = known.view.index()?.conn();
    let mut found = Vec::new();
    for row in cards::all_mentions(conn)? {
        let Some(name) = row.mention.symbol.as_ref() else { continue };
        if exists(conn, &row.mention)? {
            continue;
        }
        let message = format!("the text names {}#{name}, which does not exist", row.mention.target);
        let node = Some(EntityRef::Card(row.source));
        let fix = "name its replacement, or remove the mention";
        found.push(at(&row.path, row.mention.line, node, message, fix));
    }
    Ok(found)
}

fn unreviewed(known: &CardRuleInput<'_>) -> Result<Vec<RuleViolation>> {
    let is_open = |card: &&CardRow| {
        card.extra.get(cards::UNREVIEWED) == Some(&serde_json::Value::Bool(true))
            && !matches!(card.status, CardStatus::Draft | CardStatus::Deprecated)
    };
    let violation = |card: &CardRow| {
        let message = format!("marked {}, and still `{}`", card.status, cards::UNREVIEWED);
        let fix = format!("review it, then remove the field `{}`", cards::UNREVIEWED);
        at_card(card, card.lines[2], message, fix)
    };
    Ok(known.cards.iter().filter(is_open).map(violation).collect())
}

fn checked(view: &View, _: &RuleScope, check: CardCheck) -> Result<Vec<RuleViolation>> {
    report_unsound_cards(view)?;
    check(&CardRuleInput::of(view)?)
}

/// What the rules read.
struct CardRuleInput<'v> {
    view: &'v View<'v>,
    cards: Vec<CardRow>,
    by_key: BTreeMap<String, usize>,
    types: Vec<String>,
}

impl<'v> CardRuleInput<'v> {
    fn of(view: &'v View<'v>) -> Result<Self> {
        let cards = cards::all_cards(view.index()?.conn())?;
        let mut by_key = BTreeMap::new();
        for (at, card) in cards.iter().enumerate() {
            by_key.entry(card.key.to_string()).or_insert(at);
        }
        let types = view.config().card_types.iter().map(ToString::to_string).collect();
        Ok(Self { view, cards, by_key, types })
    }

    fn card(&self, key: &str) -> Option<&CardRow> {
        self.by_key.get(key).map(|at| &self.cards[*at])
    }

    fn is_type(&self, word: &str) -> bool {
        self.types.iter().any(|known| known == word)
    }

    fn sees(&self) -> Result<Vec<SeeTagRow>> {
        cards::all_see_tags(self.view.index()?.conn())
    }

    fn relations(&self) -> Result<Vec<StoredCardRelation>> {
        cards::all_relations(self.view.index()?.conn())
    }

    /// The card that somebody who wrote this key probably meant. It is part of a message, so its
    /// words are stored in baselines.
    fn nearest(&self, key: &str) -> String {
        let near = base::similarity::most_similar(key, self.by_key.keys().map(String::as_str), 1);
        near.first().map(|near| format!("; nearest {near}")).unwrap_or_default()
    }
}

fn at_see(see: &SeeTagRow, message: String, fix: impl Into<Hint>) -> RuleViolation {
    at(&see.path, see.line, Some(code_node(see)), message, fix)
}

fn at_card(card: &CardRow, line: u32, message: String, fix: impl Into<Hint>) -> RuleViolation {
    at(&card.path, line, Some(EntityRef::Card(card.key.clone())), message, fix)
}

fn at(
    path: &RepoPath,
    line: u32,
    node: Option<EntityRef>,
    message: String,
    fix: impl Into<Hint>,
) -> RuleViolation {
    RuleViolation { path: Some(path.clone()), line: Some(line), node, message, fix: fix.into() }
}

fn violations_with_code(
    known: &CardRuleInput<'_>,
    code: &str,
    fix: &str,
) -> Result<Vec<RuleViolation>> {
    let all = cards::all_diagnostics(known.view.index()?.conn())?;
    let own = all.into_iter().filter(|trouble| trouble.code == code);
    Ok(own.map(|it| at(&it.path, it.line, None, it.message, fix)).collect())
}

fn unreadable(known: &CardRuleInput<'_>) -> Result<Vec<RuleViolation>> {
    let mut found =
        violations_with_code(known, "CARD_UNREADABLE", "correct the frontmatter by hand")?;
    let links = skipped_paths(known.view.index()?.conn())?.into_iter();
    for (path, why) in links.filter(|(path, _)| cards::is_card_path(path)) {
        let fix = "replace it by the card itself";
        found.push(at(&path, 1, None, format!("a card that is not read: {why}"), fix));
    }
    Ok(found)
}

fn invalid_field(known: &CardRuleInput<'_>) -> Result<Vec<RuleViolation>> {
    violations_with_code(known, "CARD_FIELD_INVALID", "correct the field")
}

fn invalid_key(known: &CardRuleInput<'_>) -> Result<Vec<RuleViolation>> {
    violations_with_code(
        known,
        "CARD_KEY_INVALID",
        "correct the key, as in `key: spec::auth/login`",
    )
}

fn duplicate(known: &CardRuleInput<'_>) -> Result<Vec<RuleViolation>> {
    let mut first: BTreeMap<String, &CardRow> = BTreeMap::new();
    let mut by_path: Vec<&CardRow> = known.cards.iter().collect();
    by_path.sort_by(|a, b| a.path.cmp(&b.path));
    let mut found = Vec::new();
    for card in by_path {
        let folded = cards::fold_case(card.key.as_str());
        let Some(other) = first.get(&folded) else {
            first.insert(folded, card);
            continue;
        };
        let message = format!("`{}` is the key of {} too", card.key, other.path);
        found.push(at_card(card, card.lines[0], message, "give one of them another key"));
    }
    Ok(found)
}

fn unregistered(known: &CardRuleInput<'_>) -> Result<Vec<RuleViolation>> {
    let types = known.types.join(", ");
    let fix =
        |word: &str| format!("use one of {types}, or add `{word}` to `card_types` in cairn.jsonc");
    let mut found = Vec::new();
    for card in known.cards.iter().filter(|card| !known.is_type(&card.kind)) {
        let message = format!("`{}` is not a registered card type", card.kind);
        found.push(at_card(card, card.lines[1].max(card.lines[0]), message, fix(&card.kind)));
    }
    for see in known.sees()?.iter().filter(|see| !see.has_colons && !known.is_type(see.kind())) {
        let message = format!("@see {}: `{}` is not a registered card type", see.key, see.kind());
        found.push(at_see(see, message, fix(see.kind())));
    }
    Ok(found)
}

/// Finds tags whose type is nearly a card type. In a language where `::` is an operator, a tag with
/// an unknown type is usually not meant as a card; a type that differs in one letter is usually a
/// typing error.
fn almost_registered(known: &CardRuleInput<'_>) -> Result<Vec<RuleViolation>> {
    let near = |word: &str| known.types.iter().find(|known| is_one_edit_apart(known, word));
    let mut found = Vec::new();
    for see in known.sees()?.iter().filter(|see| see.has_colons && !known.is_type(see.kind())) {
        if let Some(near) = near(see.kind()) {
            let message = format!("@see {}: `{}` is no card type", see.key, see.kind());
            let fix = format!("if a card is meant, write `{near}::{}`", cards::key_slug(&see.key));
            found.push(at_see(see, message, fix));
        }
    }
    Ok(found)
}

fn missing_target(known: &CardRuleInput<'_>) -> Result<Vec<RuleViolation>> {
    let mut found = Vec::new();
    for see in known.sees()?.iter().filter(|see| known.is_type(see.kind())) {
        if known.card(see.key.as_str()).is_none() && other_type(known, see).is_none() {
            let near = known.nearest(see.key.as_str());
            let message = format!("@see {}: no such card{near}", see.key);
            let fix = Hint::call(
                "name an existing card, or create this one with",
                NextCall::new("card.create").with("key", see.key.as_str()).with("summary", "…"),
            );
            found.push(at_see(see, message, fix));
        }
    }
    Ok(found)
}

fn mismatch(known: &CardRuleInput<'_>) -> Result<Vec<RuleViolation>> {
    let mut found = Vec::new();
    for see in known.sees()?.iter().filter(|see| known.is_type(see.kind())) {
        let card = known.card(see.key.as_str());
        let other = match card {
            Some(card) if card.kind != see.kind() => Some(card),
            Some(_) => None,
            None => other_type(known, see),
        };
        if let Some(card) = other {
            let message =
                format!("@see {}: the card {} is of type `{}`", see.key, card.key, card.kind);
            let fix = format!("write @see {}::{}", card.kind, cards::key_slug(&card.key));
            found.push(at_see(see, message, fix));
        }
    }
    Ok(found)
}

/// A card that has the slug of a tag and another type.
fn other_type<'k>(known: &'k CardRuleInput<'_>, see: &SeeTagRow) -> Option<&'k CardRow> {
    known
        .types
        .iter()
        .find_map(|kind| known.card(&format!("{kind}::{}", cards::key_slug(&see.key))))
}

fn missing_relation(known: &CardRuleInput<'_>) -> Result<Vec<RuleViolation>> {
    let mut found = Vec::new();
    for said in known.relations()?.iter().filter(|said| known.card(&said.target).is_none()) {
        let near = known.nearest(&said.target);
        let message = format!("{} {}: no such card{near}", said.kind, said.target);
        let fix = "name an existing card, or remove the relation";
        let node = Some(EntityRef::Card(said.source.clone()));
        found.push(at(&said.path, said.line, node, message, fix));
    }
    Ok(found)
}

fn implemented_unlinked(known: &CardRuleInput<'_>) -> Result<Vec<RuleViolation>> {
    unlinked(known, &[CardStatus::Implemented])
}

fn confirmed_unlinked(known: &CardRuleInput<'_>) -> Result<Vec<RuleViolation>> {
    unlinked(known, &[CardStatus::Accepted, CardStatus::Implementing])
}

fn unlinked(known: &CardRuleInput<'_>, statuses: &[CardStatus]) -> Result<Vec<RuleViolation>> {
    let linked = cards::see_tag_counts(known.view.index()?.conn())?;
    let lacking = known
        .cards
        .iter()
        .filter(|card| statuses.contains(&card.status) && !linked.contains_key(card.key.as_str()));
    let violation = |card: &CardRow| {
        let message = format!("marked {}, no code links it", card.status);
        let fix = Hint::call(
            "link the code that implements it with",
            NextCall::new("link.add").with("targets", json!(["…"])).with("card", card.key.as_str()),
        );
        at_card(card, card.lines[2], message, fix)
    };
    Ok(lacking.map(violation).collect())
}

fn cycles(known: &CardRuleInput<'_>) -> Result<Vec<RuleViolation>> {
    let mut next: BTreeMap<String, Vec<(String, StoredCardRelation)>> = BTreeMap::new();
    for said in
        known.relations()?.into_iter().filter(|said| said.kind == CardRelationKind::DependsOn)
    {
        next.entry(said.source.to_string()).or_default().push((said.target.clone(), said));
    }
    let mut found = Vec::new();
    let mut told = BTreeSet::new();
    for start in next.keys() {
        let Some(way) = shortest_cycle(&next, start) else { continue };
        let members: BTreeSet<&str> = way.iter().map(|said| said.target.as_str()).collect();
        if !told.insert(members.iter().map(ToString::to_string).collect::<Vec<_>>()) {
            continue;
        }
        let steps: Vec<&str> = way.iter().map(|said| said.target.as_str()).collect();
        let message = format!("{start} depends on itself: {start} → {}", steps.join(" → "));
        let node = Some(EntityRef::Card(way[0].source.clone()));
        let fix = "remove one of these relations, or change its type to `related`";
        found.push(at(&way[0].path, way[0].line, node, message, fix));
    }
    Ok(found)
}

/// The shortest way from a card back to itself.
fn shortest_cycle(
    next: &BTreeMap<String, Vec<(String, StoredCardRelation)>>,
    start: &str,
) -> Option<Vec<StoredCardRelation>> {
    let mut seen = BTreeSet::new();
    let mut ways: Vec<Vec<StoredCardRelation>> = vec![Vec::new()];
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            let here = way.last().map_or(start, |said| said.target.as_str());
            for (target, said) in next.get(here).into_iter().flatten() {
                let mut on = way.clone();
                on.push(said.clone());
                if target == start {
                    return Some(on);
                }
                if seen.insert(target.clone()) {
                    longer.push(on);
                }
            }
        }
        ways = longer;
    }
    None
}

fn deprecated(known: &CardRuleInput<'_>) -> Result<Vec<RuleViolation>> {
    let is_old =
        |key: &str| known.card(key).is_some_and(|card| card.status == CardStatus::Deprecated);
    let fix = || "name its replacement, or remove the mention";
    let mut found = Vec::new();
    for see in known.sees()?.iter().filter(|see| is_old(see.key.as_str())) {
        found.push(at_see(see, format!("@see {}: the card is deprecated", see.key), fix()));
    }
    for said in known.relations()?.iter().filter(|said| is_old(&said.target)) {
        let of_old = is_old(said.source.as_str()); // a deprecated card may name another
        if !of_old {
            let message = format!("{} {}: the card is deprecated", said.kind, said.target);
            let node = Some(EntityRef::Card(said.source.clone()));
            found.push(at(&said.path, said.line, node, message, fix()));
        }
    }
    Ok(found)
}
