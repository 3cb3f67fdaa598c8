//! How the entities in files changed since the last `sync`.

use std::collections::BTreeMap;

use base::Result;
use schemars::JsonSchema;
use serde::Serialize;

use super::files::{KbFiles, kb_files, names_entity};
use crate::contract::page::Page;
use crate::view::View;
use crate::workspace::Workspace;

/// Name of the file in the cache folder with the state at the last `sync`.
const SYNC_STATE_FILE: &str = "kb-synced.json";

/// How many handles of each sort a page lists.
const MAX_LISTED: usize = 12;

/// How the entities in documents, manifests and doc comments changed since the last sync
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct SyncDifference {
    /// Added entities and relations
    pub added: Vec<String>,
    /// Changed ones
    pub updated: Vec<String>,
    /// Removed ones
    pub removed: Vec<String>,
    /// How many are unchanged
    pub unchanged: usize,
}

/// A digest of everything that files say about a node, by its handle.
type Digests = BTreeMap<String, String>;

impl SyncDifference {
    /// Whether files contain no entities, now and at the last sync.
    pub const fn is_empty(&self) -> bool {
        self.unchanged == 0 && !self.has_changes()
    }

    const fn has_changes(&self) -> bool {
        !self.added.is_empty() || !self.updated.is_empty() || !self.removed.is_empty()
    }

    /// Compares with the last sync, and stores the present state if that is possible.
    pub fn since_last_sync(workspace: &Workspace, view: &View) -> Result<Self> {
        let now = digests(kb_files(view)?.as_ref());
        let Ok(folder) = workspace.cache() else { return Ok(Self::between(&Digests::new(), &now)) };
        let noted = folder.read(SYNC_STATE_FILE).ok();
        let before = noted.and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_default();
        let found = Self::between(&before, &now);
        if found.has_changes() {
            let json = serde_json::to_vec(&now).unwrap_or_default();
            let unfinished = format!("{SYNC_STATE_FILE}.new");
            // If the state cannot be written, the next sync compares with the old one.
            let _ = folder
                .write(&unfinished, json)
                .and_then(|()| folder.rename(&unfinished, &folder, SYNC_STATE_FILE));
        }
        Ok(found)
    }

    fn between(before: &Digests, now: &Digests) -> Self {
        let mut found = Self::default();
        for (handle, digest) in now {
            match before.get(handle) {
                None => found.added.push(handle.clone()),
                Some(old) if old != digest => found.updated.push(handle.clone()),
                Some(_) => found.unchanged += 1,
            }
        }
        let gone = before.keys().filter(|handle| !now.contains_key(*handle));
        found.removed = gone.cloned().collect();
        found
    }

    /// Writes it on a page.
    pub fn render(&self, page: &mut Page) {
        if self.is_empty() {
            return;
        }
        let sorts =
            [("added", &self.added), ("updated", &self.updated), ("removed", &self.removed)];
        let counts: Vec<String> =
            sorts.iter().map(|(word, list)| format!("{} {word}", list.len())).collect();
        let counts = match self.has_changes() {
            true => format!("{}, {} unchanged", counts.join(", "), self.unchanged),
            false => format!("all {} unchanged", self.unchanged),
        };
        page.item("knowledge base changes from files since the last sync", counts);
        for (word, handles) in sorts.iter().filter(|(_, handles)| !handles.is_empty()) {
            let shown = handles.iter().take(MAX_LISTED).cloned().collect::<Vec<_>>().join(" ");
            let more = handles.len().saturating_sub(MAX_LISTED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            page.say(format!("  {word}  {shown}{more}"));
        }
    }
}

/// Dates are left out: a commit changes them although the text stays the same.
fn digests(files: &KbFiles) -> Digests {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for fact in &files.facts {
        let mut entity = fact.entity.clone();
        (entity.created_at, entity.updated_at) = (String::new(), String::new());
        let text = texts.entry(format!("kb:{}", entity.id)).or_default();
        text.extend([format!("{entity:?} {:?}\n", fact.code)]);
    }
    let is_known = |id: &str| files.get(id).is_some();
    for told in files.relations.iter().filter(|told| names_entity(told, is_known)) {
        let text = texts.entry(super::answer_rows::handle(&told.from)).or_default();
        text.extend([format!("{:?} {} {}\n", told.relates, told.to, told.kind)]);
    }
    let digest = |text: &String| base::Hash::of(text.as_bytes()).prefix(16);
    texts.iter().map(|(handle, text)| (handle.clone(), digest(text))).collect()
}
