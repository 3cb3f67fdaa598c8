//! Keys that no card has any more, in `@see` and in relations of cards.

use std::collections::BTreeMap;

use base::entity::CardKey;
use base::{RepoPath, Result};
use syntax::Language;

use super::trail::{Trail, Went};
use super::{Stale, Texts};
use crate::view::View;

pub(super) fn mend(view: &View, trail: &Trail<'_>, texts: &mut Texts<'_>) -> Result<Vec<Stale>> {
    let conn = view.index()?.conn();
    let types: Vec<String> = view.config().card_types.iter().map(ToString::to_string).collect();
    let mut known: BTreeMap<CardKey, Option<(CardKey, RepoPath)>> = BTreeMap::new();
    let mut stale = Vec::new();
    for see in cards::all_sees(conn)? {
        let is_ours = types.iter().any(|known| *known == cards::kind(&see.key));
        if !is_ours || cards::by_key(conn, see.key.as_str())?.is_some() {
            continue;
        }
        let new = found(view, trail, &see.key, &mut known)?;
        let place = format!("{}:{}", see.path, see.line);
        stale.push(told(view, place, &see.key, new.as_ref())?);
        if let Some((new, _)) = new {
            texts.change(&see.path, |bytes| {
                let facts = syntax::extract(Language::of(&see.path), bytes);
                let mut bytes = bytes.to_vec();
                for span in cards::spellings(&facts, &see.key).into_iter().rev() {
                    bytes.splice(span, new.as_str().bytes());
                }
                Some(bytes)
            })?;
        }
    }
    for said in cards::all_relations(conn)? {
        let Ok(key) = said.target.parse::<CardKey>() else { continue };
        if cards::by_key(conn, key.as_str())?.is_some() {
            continue;
        }
        let new = found(view, trail, &key, &mut known)?;
        let place = format!("{}:{}", said.path, said.line);
        stale.push(told(view, place, &key, new.as_ref())?);
        if let Some((new, _)) = new {
            texts.change(&said.path, |bytes| {
                let text = std::str::from_utf8(bytes).ok()?;
                cards::rename_in(text, &key, &new).ok().map(String::into_bytes)
            })?;
        }
    }
    Ok(stale)
}

fn told(
    view: &View,
    place: String,
    old: &CardKey,
    new: Option<&(CardKey, RepoPath)>,
) -> Result<Stale> {
    let old = old.to_string();
    if let Some((new, path)) = new {
        let because = format!("{path} had that key before");
        let new = Some(new.to_string());
        return Ok(Stale { place, old, new, because, candidates: Vec::new() });
    }
    let keys = cards::keys(view.index()?.conn())?;
    let near = base::near::nearest(&old, keys.iter().map(CardKey::as_str), 3);
    let candidates = near.into_iter().map(ToOwned::to_owned).collect();
    let because = "no card is known to have had that key".into();
    Ok(Stale::new(place, old, &Went::Unknown { candidates, because }))
}

/// The card whose file had a key before, if there is one and it has another now.
fn found(
    view: &View,
    trail: &Trail<'_>,
    old: &CardKey,
    known: &mut BTreeMap<CardKey, Option<(CardKey, RepoPath)>>,
) -> Result<Option<(CardKey, RepoPath)>> {
    if let Some(known) = known.get(old) {
        return Ok(known.clone());
    }
    let (slug, kind) = (cards::slug(old), cards::kind(old));
    let homes = [cards::home(old), cards::card_path(&format!("{slug}.{kind}"))];
    let edited = trail.changed.iter().map(|file| file.before_path().clone());
    let edited: Vec<RepoPath> = edited.filter(cards::is_card).collect();
    let mut new = None;
    for path in homes.into_iter().flatten().chain(edited) {
        let has = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            let lines = text.lines().filter_map(|line| line.strip_prefix("key:"));
            let mut keys = lines.map(|key| key.trim().trim_matches(['"', '\'']).to_owned());
            keys.any(|key| key == old.as_str()).then_some(())
        };
        if let Some((now, ())) = trail.earlier(&path, has)?
            && let Some(card) = cards::at(view.index()?.conn(), &now)?
            && card.key != *old
        {
            new = Some((card.key, now));
            break;
        }
    }
    known.insert(old.clone(), new.clone());
    Ok(new)
}
