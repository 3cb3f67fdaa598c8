//! Moves confirmations along with renames: a rename does not make a confirmed link suspect.

use base::{EntityRef, Result};
use tree::FileEdit;

use super::confirmation::{LinkConfirmation, confirmation_path};
use super::content::EndReader;
use super::graph::SpecLink;
use super::state::{LinkState, StoredConfirmation, spec_links};
use crate::view::View;

/// Edits of confirmations that belong to edits which only change names. A confirmed link stays
/// confirmed; a suspect one stays suspect.
pub fn renamed_confirmations(
    view: &View,
    edits: &[FileEdit],
    rename: impl Fn(&EntityRef) -> EntityRef,
) -> Result<Vec<FileEdit>> {
    moved_confirmations(view, edits, rename, |_| false)
}

/// Like [`renamed_confirmations`], for edits that move something from one node into another. Links
/// of nodes that changed keep the confirmed digests.
pub fn moved_confirmations(
    view: &View,
    edits: &[FileEdit],
    rename: impl Fn(&EntityRef) -> EntityRef,
    is_changed: impl Fn(&EntityRef) -> bool,
) -> Result<Vec<FileEdit>> {
    let known = spec_links(view)?;
    let reader = EndReader::with_edits(view, edits);
    let mut carried = Vec::new();
    for stored in known.all_confirmations() {
        let was = &stored.record.link;
        if is_changed(&was.from) || is_changed(&was.to) {
            continue;
        }
        let link = SpecLink { kind: was.kind, from: rename(&was.from), to: rename(&was.to) };
        let is_edited = |node: &EntityRef| {
            let path = reader.path_of(node)?.ok();
            Ok::<_, base::Problem>(path.is_some_and(|path| edits.iter().any(|e| e.path == path)))
        };
        if link == *was && !is_edited(&was.from)? && !is_edited(&was.to)? {
            continue;
        }
        let is_confirmed =
            known.links.contains(was) && known.status(view, was)?.state == LinkState::Confirmed;
        let mut record = LinkConfirmation { link: link.clone(), ..stored.record.clone() };
        if is_confirmed
            && let (Ok(from), Ok(to)) = (reader.read(&link.from)?, reader.read(&link.to)?)
        {
            (record.from, record.to) = (from.side, to.side);
            record.normaliser = syntax::SUBSTANCE_VERSION;
        }
        carried.extend(replacement(stored, &record)?);
    }
    Ok(carried)
}

/// The edits of a plan together with those of the confirmations that it carries along.
pub fn carry_confirmations(
    view: &View,
    mut edits: Vec<FileEdit>,
    rename: impl Fn(&EntityRef) -> EntityRef,
) -> Result<Vec<FileEdit>> {
    edits.extend(renamed_confirmations(view, &edits, rename)?);
    Ok(edits)
}

/// Edits that remove the confirmations of some links.
pub fn removed_confirmations(
    view: &View,
    is_gone: impl Fn(&SpecLink) -> bool,
) -> Result<Vec<FileEdit>> {
    let known = spec_links(view)?;
    let gone = known.all_confirmations().filter(|stored| is_gone(&stored.record.link));
    let remove = |stored: &StoredConfirmation| FileEdit {
        path: stored.path.clone(),
        expected: Some(stored.hash),
        content: None,
    };
    Ok(gone.map(remove).collect())
}

/// Edits that replace one confirmation by another.
fn replacement(stored: &StoredConfirmation, record: &LinkConfirmation) -> Result<Vec<FileEdit>> {
    if *record == stored.record {
        return Ok(Vec::new());
    }
    let path = confirmation_path(&record.link)?;
    let content = Some(record.to_text().into_bytes());
    if path == stored.path {
        return Ok(vec![FileEdit { path, expected: Some(stored.hash), content }]);
    }
    let old = FileEdit { path: stored.path.clone(), expected: Some(stored.hash), content: None };
    Ok(vec![old, FileEdit { path, expected: None, content }])
}
