//! Whether links are confirmed: the confirmed state is compared with the present one.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use base::{EntityRef, Hash, Problem, RepoPath, Result};
use git::{Blob, Oid};
use schemars::JsonSchema;
use serde::Serialize;
use syntax::SUBSTANCE_VERSION;

use super::confirmation::{ConfirmationSide, LinkConfirmation};
use super::content::{EndContent, EndReader};
use super::graph::{FoundLinks, SpecLink, find_links};
use super::shared_reads::{ConfirmationRead, ConfirmedEnd, SharedReads};
use crate::areas::kb::kb_state;
use crate::view::View;

/// The largest object that is read again, in bytes.
pub(super) const MAX_BLOB_BYTES: u64 = 8 * 1024 * 1024;

/// Whether a link still holds, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkState {
    /// An end changed in substance since it was confirmed
    Suspect,
    /// The two states cannot be compared
    NotChecked,
    /// Nobody confirmed it yet
    Unconfirmed,
    /// Both ends are as they were when it was confirmed
    Confirmed,
}

impl LinkState {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Suspect => "suspect",
            Self::NotChecked => "not checked",
            Self::Unconfirmed => "unconfirmed",
            Self::Confirmed => "confirmed",
        }
    }
}

/// The state of one link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkStatus {
    /// The link
    pub link: SpecLink,
    /// Whether it holds
    pub state: LinkState,
    /// The ends that changed, if it is suspect
    pub changed: Vec<EntityRef>,
    /// For each of these ends, the digest of the confirmed state, as this version computes it
    pub confirmed_digests: Vec<String>,
    /// Why it could not be compared, if it could not
    pub reason: Option<String>,
    /// Its confirmation, if there is one
    pub confirmation: Option<StoredConfirmation>,
}

/// A confirmation and the file that it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredConfirmation {
    /// The file
    pub path: RepoPath,
    /// The hash of its content
    pub hash: Hash,
    /// What it says
    pub record: LinkConfirmation,
}

/// All links and confirmations of a view.
pub struct SpecLinks {
    /// The links, sorted
    pub links: Vec<SpecLink>,
    /// Links that only a report states, which cannot be confirmed
    measured: BTreeSet<SpecLink>,
    /// Positions in `links` by either end
    by_end: BTreeMap<EntityRef, Vec<usize>>,
    /// The confirmations, by link
    confirmations: BTreeMap<SpecLink, StoredConfirmation>,
    /// Confirmations of links that do not exist
    orphans: Vec<StoredConfirmation>,
    /// Files that are not confirmations, with the reason
    pub unreadable: Vec<(RepoPath, String)>,
    /// The reads of this state, also those of earlier views
    reads: Arc<SharedReads>,
    /// The state of each link, once all were asked for
    statuses: OnceCell<Vec<LinkStatus>>,
}

/// The links of a view, put together once.
pub fn spec_links(view: &View) -> Result<Rc<SpecLinks>> {
    view.cached_for_view(|| SpecLinks::read(view))
}

impl SpecLinks {
    fn read(view: &View) -> Result<Self> {
        let FoundLinks { all: links, measured } = find_links(view)?;
        let known: BTreeSet<&SpecLink> =
            links.iter().filter(|link| !measured.contains(link)).collect();
        let (mut confirmations, mut orphans) = (BTreeMap::new(), Vec::new());
        let mut unreadable = Vec::new();
        let reads = SharedReads::of(view)?;
        for read in reads.confirmations(view)? {
            match read.clone() {
                ConfirmationRead::Unreadable { path, why } => unreadable.push((path, why)),
                ConfirmationRead::Stored(stored) => match known.contains(&stored.record.link) {
                    false => orphans.push(*stored),
                    true => drop(confirmations.insert(stored.record.link.clone(), *stored)),
                },
            }
        }
        let by_end = positions_by_end(&links);
        let statuses = OnceCell::new();
        Ok(Self { links, measured, by_end, confirmations, orphans, unreadable, reads, statuses })
    }

    /// Whether somebody can confirm a link: only what a report states cannot be confirmed.
    pub fn can_be_confirmed(&self, link: &SpecLink) -> bool {
        !self.measured.contains(link)
    }

    /// Whether nobody has confirmed anything.
    pub fn has_no_confirmations(&self) -> bool {
        self.confirmations.is_empty() && self.orphans.is_empty()
    }

    /// Every confirmation, also of links that no longer exist.
    pub fn all_confirmations(&self) -> impl Iterator<Item = &StoredConfirmation> {
        self.confirmations.values().chain(&self.orphans)
    }

    /// The links that start or end at a node, sorted.
    pub fn links_at(&self, node: &EntityRef) -> impl Iterator<Item = &SpecLink> {
        let positions = self.by_end.get(node).into_iter().flatten();
        positions.map(|position| &self.links[*position])
    }

    /// The state of every link, in the order of `links`. Several rules ask for it.
    pub fn all_statuses(&self, view: &View) -> Result<&[LinkStatus]> {
        if let Some(known) = self.statuses.get() {
            return Ok(known);
        }
        self.read_confirmed_ends(view)?;
        let all = self.links.iter().map(|link| self.status(view, link));
        let all = all.collect::<Result<Vec<_>>>()?;
        Ok(self.statuses.get_or_init(|| all))
    }

    /// Reads what confirmations of another normaliser need, in one call of git instead of one for
    /// each end.
    fn read_confirmed_ends(&self, view: &View) -> Result<()> {
        let mut wanted = Vec::new();
        for StoredConfirmation { record, .. } in self.all_confirmations() {
            if record.normaliser == SUBSTANCE_VERSION {
                continue;
            }
            for (node, side) in [(&record.link.from, &record.from), (&record.link.to, &record.to)] {
                let Some(blob) = &side.blob else { continue };
                let Ok(path) = EndReader::new(view).path_of(node)? else { continue };
                if self.reads.blob(view, node)?.as_ref() != Some(blob) {
                    wanted.push(ConfirmedEnd { blob: blob.clone(), node: node.clone(), path });
                }
            }
        }
        self.reads.read_confirmed(view, &wanted)
    }

    /// The state of the links at a node.
    pub fn statuses_at(&self, view: &View, node: &EntityRef) -> Result<Vec<LinkStatus>> {
        let near = self.links.iter().filter(|link| link.touches(node));
        near.map(|link| self.status(view, link)).collect()
    }

    /// The state of a link.
    pub fn status(&self, view: &View, link: &SpecLink) -> Result<LinkStatus> {
        view.call().check_stopped()?;
        if let (Some(all), Ok(position)) = (self.statuses.get(), self.links.binary_search(link)) {
            return Ok(all[position].clone());
        }
        let status = LinkStatus {
            link: link.clone(),
            state: LinkState::Unconfirmed,
            changed: Vec::new(),
            confirmed_digests: Vec::new(),
            reason: None,
            confirmation: self.confirmations.get(link).cloned(),
        };
        if self.has_no_confirmations() || !self.can_be_confirmed(link) {
            return Ok(status);
        }
        if let Some(stored) = &status.confirmation
            && self.is_untouched(view, stored)?
        {
            return Ok(LinkStatus { state: LinkState::Confirmed, ..status });
        }
        let (from, to) = match (self.content(view, &link.from)?, self.content(view, &link.to)?) {
            (Ok(from), Ok(to)) => (from, to),
            (Err(why), _) | (_, Err(why)) => {
                let has_confirmation = status.confirmation.is_some();
                let state =
                    if has_confirmation { LinkState::NotChecked } else { LinkState::Unconfirmed };
                return Ok(LinkStatus { state, reason: Some(why), ..status });
            }
        };
        let stored = match status.confirmation.clone() {
            Some(stored) => Some(stored),
            None => self.moved_confirmation(view, link, [&from, &to])?,
        };
        let Some(stored) = stored else { return Ok(status) };
        let status = LinkStatus { confirmation: Some(stored.clone()), ..status };
        Ok(match self.confirmed_digests(view, &stored.record, [&from, &to])? {
            Err(why) => LinkStatus { state: LinkState::NotChecked, reason: Some(why), ..status },
            Ok([was_from, was_to]) => {
                let (mut changed, mut confirmed_digests) = (Vec::new(), Vec::new());
                for (end, was, now) in [(&link.from, was_from, &from), (&link.to, was_to, &to)] {
                    if was != now.side.digest {
                        changed.push(end.clone());
                        confirmed_digests.push(was);
                    }
                }
                let is_same = changed.is_empty();
                let state = if is_same { LinkState::Confirmed } else { LinkState::Suspect };
                LinkStatus { state, changed, confirmed_digests, ..status }
            }
        })
    }

    /// Whether the files of both ends are identical to the confirmed ones. Then nothing needs to be
    /// parsed, which would take longer than everything else that rules do.
    fn is_untouched(&self, view: &View, stored: &StoredConfirmation) -> Result<bool> {
        let LinkConfirmation { link, from, to, .. } = &stored.record;
        for (node, side) in [(&link.from, from), (&link.to, to)] {
            let now = self.reads.blob(view, node)?;
            if now.is_none() || now != side.blob {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Confirmations of links that do not exist and did not move. Links that may be in a card or
    /// document that cannot be read are left out.
    pub fn abandoned(&self, view: &View) -> Result<Vec<&StoredConfirmation>> {
        let mut taken = BTreeSet::new();
        if !self.orphans.is_empty() {
            let confirmed = self.all_statuses(view)?.iter();
            taken.extend(confirmed.filter_map(|status| Some(&status.confirmation.as_ref()?.path)));
        }
        let mut abandoned = Vec::new();
        for orphan in self.orphans.iter().filter(|orphan| !taken.contains(&&orphan.path)) {
            let SpecLink { from, to, .. } = &orphan.record.link;
            if !is_unreadable(view, from)? && !is_unreadable(view, to)? {
                abandoned.push(orphan);
            }
        }
        Ok(abandoned)
    }

    /// The present content of an end.
    pub fn content(&self, view: &View, node: &EntityRef) -> Result<Result<EndContent, String>> {
        self.reads.content(view, node)
    }

    /// The confirmation of a link of which one end was renamed: the other end is the same, and the
    /// renamed end has the same substance or is the only candidate.
    fn moved_confirmation(
        &self,
        view: &View,
        link: &SpecLink,
        now: [&EndContent; 2],
    ) -> Result<Option<StoredConfirmation>> {
        let mut alike = Vec::new();
        for orphan in &self.orphans {
            let was = &orphan.record.link;
            let is_one_end =
                was.kind == link.kind && (was.from == link.from) != (was.to == link.to);
            if !is_one_end {
                continue;
            }
            let moved = usize::from(was.from == link.from);
            if let Ok(sides) = self.confirmed_digests(view, &orphan.record, now)?
                && sides[moved] == now[moved].side.digest
            {
                return Ok(Some(orphan.clone()));
            }
            let (old, new) = [(&was.from, &link.from), (&was.to, &link.to)][moved];
            if old.path().is_some() && (old.path() == new.path() || own_name(old) == own_name(new))
            {
                alike.push(orphan);
            }
        }
        let is_open = |other: &&SpecLink| {
            other.kind == link.kind
                && (other.from == link.from || other.to == link.to)
                && !self.confirmations.contains_key(*other)
        };
        let is_only = self.links.iter().filter(is_open).count() == 1;
        Ok(match alike.as_slice() {
            [only] if is_only => Some((*only).clone()),
            _ => None,
        })
    }

    /// The digests that a confirmation is compared by. Digests of another normaliser are computed
    /// again from the objects that it names.
    fn confirmed_digests(
        &self,
        view: &View,
        record: &LinkConfirmation,
        now: [&EndContent; 2],
    ) -> Result<Result<[String; 2], String>> {
        if record.normaliser == SUBSTANCE_VERSION {
            return Ok(Ok([record.from.digest.clone(), record.to.digest.clone()]));
        }
        let mut digests = Vec::new();
        let ends = [(&record.link.from, &record.from), (&record.link.to, &record.to)];
        for ((node, side), now) in ends.into_iter().zip(now) {
            match self.confirmed_digest(view, node, side, now.path.as_ref())? {
                Ok(digest) => digests.push(digest),
                Err(why) => return Ok(Err(why)),
            }
        }
        let [from, to] = <[String; 2]>::try_from(digests)
            .map_err(|_| Problem::internal("a link has two ends"))?;
        Ok(Ok([from, to]))
    }

    /// The digest of an end when it was confirmed, as this version computes it.
    fn confirmed_digest(
        &self,
        view: &View,
        node: &EntityRef,
        side: &ConfirmationSide,
        path: Option<&RepoPath>,
    ) -> Result<Result<String, String>> {
        let missing =
            || format!("{node} was confirmed by another version, and its content is gone");
        let (Some(blob), Some(path)) = (&side.blob, node.path().or(path)) else {
            return Ok(Err(missing()));
        };
        if self.reads.blob(view, node)?.as_ref() == Some(blob) {
            return Ok(self.content(view, node)?.map(|end| end.side.digest));
        }
        let end = ConfirmedEnd { blob: blob.clone(), node: node.clone(), path: path.clone() };
        Ok(self.reads.confirmed(view, &end)?.unwrap_or_else(|| Err(missing())))
    }
}

/// Whether an end is unknown and may be defined in a file that cannot be read, as after a merge
/// with conflicts.
fn is_unreadable(view: &View, end: &EntityRef) -> Result<bool> {
    let conn = view.index()?.conn();
    Ok(match end {
        EntityRef::Card(key) if cards::card_by_key(conn, key.as_str())?.is_none() => {
            cards::all_diagnostics(conn)?.iter().any(|fault| fault.code == "CARD_UNREADABLE")
        }
        EntityRef::Kb(id) => {
            let known = kb_state(view)?;
            known.model.get(id.as_str()).is_none() && !known.files.faults.is_empty()
        }
        _ => false,
    })
}

fn positions_by_end(links: &[SpecLink]) -> BTreeMap<EntityRef, Vec<usize>> {
    let mut by_end: BTreeMap<EntityRef, Vec<usize>> = BTreeMap::new();
    for (position, link) in links.iter().enumerate() {
        by_end.entry(link.from.clone()).or_default().push(position);
        if link.to != link.from {
            by_end.entry(link.to.clone()).or_default().push(position);
        }
    }
    by_end
}

fn own_name(node: &EntityRef) -> Option<&str> {
    match node {
        EntityRef::Symbol(_, name) => Some(base::entity::own_name(name.as_str())),
        _ => None,
    }
}

/// The file of an end when it was confirmed; `None` if git does not have it.
pub(super) fn confirmed_bytes(view: &View, side: &ConfirmationSide) -> Result<Option<Vec<u8>>> {
    let oid = side.blob.as_deref().and_then(|blob| blob.parse::<Oid>().ok());
    let (Some(git), Some(oid)) = (view.git(), oid) else { return Ok(None) };
    let mut found = None;
    git.read_blobs(&[oid], MAX_BLOB_BYTES, view.call(), |_, blob| {
        if let Blob::Bytes(bytes) = blob {
            found = Some(bytes);
        }
    })?;
    Ok(found)
}

impl StoredConfirmation {
    /// The file of one end when it was confirmed; `None` if git does not have it.
    pub fn confirmed_bytes(&self, view: &View, end: &EntityRef) -> Result<Option<Vec<u8>>> {
        let is_from = *end == self.record.link.from;
        confirmed_bytes(view, if is_from { &self.record.from } else { &self.record.to })
    }
}

/// The confirmation of a link as its ends are now, or why it cannot be confirmed.
pub fn new_confirmation(
    view: &View,
    reader: &EndReader<'_>,
    link: &SpecLink,
    why: &str,
    version: u32,
) -> Result<Result<LinkConfirmation, String>> {
    let (from, to) = match (reader.read(&link.from)?, reader.read(&link.to)?) {
        (Ok(from), Ok(to)) => (from.side, to.side),
        (Err(why), _) | (_, Err(why)) => return Ok(Err(why)),
    };
    Ok(Ok(LinkConfirmation {
        link: link.clone(),
        normaliser: SUBSTANCE_VERSION,
        from,
        to,
        by: view.call().actor.clone(),
        at: base::moment::to_the_second(&view.call().now.to_string()),
        why: why.trim().to_owned(),
        version,
    }))
}
