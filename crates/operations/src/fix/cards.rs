//! Keys of renamed cards, in `@see` and in relations of cards.

use std::collections::BTreeMap;

use base::entity::CardKey;
use base::{RepoPath, Result};
use syntax::Language;

use super::move_tracker::{MoveTracker, Relocation};
use super::{PendingFileEdits, StaleReference};
use engine::view::View;

pub(super) fn repair(
    view: &View,
    trail: &MoveTracker<'_>,
    texts: &mut PendingFileEdits<'_>,
) -> Result<Vec<StaleReference>> {
    let conn = view.index()?.conn();
    let types: Vec<String> = view.config().card_types.iter().map(ToString::to_string).collect();
    let mut known: BTreeMap<CardKey, Option<(CardKey, RepoPath)>> = BTreeMap::new();
    let mut stale = Vec::new();
    for see in cards::all_see_tags(conn)? {
        let is_ours = types.iter().any(|known| *known == cards::key_kind(&see.key));
        if !is_ours || cards::card_by_key(conn, see.key.as_str())?.is_some() {
            continue;
        }
        let new = renamed_card(view, trail, &see.key, &mut known)?;
        let place = format!("{}:{}", see.path, see.line);
        stale.push(stale_reference(view, place, &see.key, new.as_ref())?);
        if let Some((new, _)) = new {
            texts.change(&see.path, |bytes| {
                let facts = syntax::extract(Language::from_path(&see.path), bytes);
                let mut bytes = bytes.to_vec();
                for span in cards::key_spans(&facts, &see.key).into_iter().rev() {
                    bytes.splice(span, new.as_str().bytes());
                }
                Some(bytes)
            })?;
        }
    }
    for said in cards::all_relations(conn)? {
        let Ok(key) = said.target.parse::<CardKey>() else { continue };
        if cards::card_by_key(conn, key.as_str())?.is_some() {
            continue;
        }
        let new = renamed_card(view, trail, &key, &mut known)?;
        let place = format!("{}:{}", said.path, said.line);
        stale.push(stale_reference(view, place, &key, new.as_ref())?);
        if let Some((new, _)) = new {
            texts.change(&said.path, |bytes| {
                let text = std::str::from_utf8(bytes).ok()?;
                cards::rename_relation_targets(text, &key, &new).ok().map(String::into_bytes)
            })?;
        }
    }
    Ok(stale)
}

fn stale_reference(
    view: &View,
    place: String,
    old: &CardKey,
    new: Option<&(CardKey, RepoPath)>,
) -> Result<StaleReference> {
    let old = old.to_string();
    if let Some((new, path)) = new {
        let because = format!("{path} had that key before");
        let new = Some(new.to_string());
        return Ok(StaleReference { place, old, new, because, candidates: Vec::new() });
    }
    let keys = cards::all_keys(view.index()?.conn())?;
    let near = base::similarity::most_similar(&old, keys.iter().map(CardKey::as_str), 3);
    let candidates = near.into_iter().map(ToOwned::to_owned).collect();
    let because = "no card ever had that key".into();
    Ok(StaleReference::new(place, old, &Relocation::Uncertain { candidates, because }))
}

/// The card whose file had a key before and has another key now.
fn renamed_card(
    view: &View,
    trail: &MoveTracker<'_>,
    old: &CardKey,
    known: &mut BTreeMap<CardKey, Option<(CardKey, RepoPath)>>,
) -> Result<Option<(CardKey, RepoPath)>> {
    if let Some(known) = known.get(old) {
        return Ok(known.clone());
    }
    let (slug, kind) = (cards::key_slug(old), cards::key_kind(old));
    let homes = [cards::path_for_key(old), cards::card_path(&format!("{slug}.{kind}"))];
    let edited = trail.changed.iter().map(|file| file.before_path().clone());
    let edited: Vec<RepoPath> = edited.filter(cards::is_card_path).collect();
    let mut new = None;
    for path in homes.into_iter().flatten().chain(edited) {
        let has = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            let lines = text.lines().filter_map(|line| line.strip_prefix("key:"));
            let mut keys = lines.map(|key| key.trim().trim_matches(['"', '\'']).to_owned());
            keys.any(|key| key == old.as_str()).then_some(())
        };
        if let Some((now, ())) = trail.find_in_earlier_text(&path, has)?
            && let Some(card) = cards::card_at_path(view.index()?.conn(), &now)?
            && card.key != *old
        {
            new = Some((card.key, now));
            break;
        }
    }
    known.insert(old.clone(), new.clone());
    Ok(new)
}
