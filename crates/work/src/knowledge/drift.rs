//! Drift: how much the code changed since the knowledge about it was written.
//!
//! @see spec::graph/drift

use std::collections::BTreeMap;

use base::Result;
use schemars::JsonSchema;
use serde::Serialize;

use crate::draft::WorkDraft;
use crate::id::WorkRecordId;
use crate::record::{FileFingerprint, Footprint};

/// The most files in one footprint. An atom that covers more is too broad to measure.
pub const MAX_FOOTPRINT_FILES: usize = 2_000;

/// What has changed since the knowledge was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KnowledgeDrift {
    /// When the knowledge was written
    pub written_at: String,
    /// How many files it covered then
    pub files: usize,
    /// How many of them changed
    pub changed: usize,
    /// How many were removed
    pub removed: usize,
    /// How many were added
    pub added: usize,
    /// The percentage of covered lines in files that changed, were added or were removed
    pub percent: u32,
}

impl KnowledgeDrift {
    /// Whether nothing has changed.
    pub const fn is_none(&self) -> bool {
        self.changed + self.removed + self.added == 0
    }

    /// A short description.
    pub fn describe(&self) -> String {
        if self.files == 0 && self.added == 0 {
            return "no covered file".into();
        }
        if self.is_none() {
            return "nothing covered changed since".into();
        }
        let mut parts = Vec::new();
        if self.changed > 0 {
            parts.push(format!("{} of {} covered files changed since", self.changed, self.files));
        }
        if self.added > 0 {
            parts.push(format!("{} added", self.added));
        }
        if self.removed > 0 {
            parts.push(format!("{} removed", self.removed));
        }
        format!("{} (files with {} % of the lines)", parts.join(", "), self.percent)
    }
}

/// The state of the covered files at a time.
pub fn footprint(draft: &WorkDraft<'_>, atom: &WorkRecordId) -> Result<Option<Footprint>> {
    draft.get(atom)
}

/// Compares a footprint with the files as they are.
pub fn compute_drift(then: &Footprint, now: &[FileFingerprint]) -> KnowledgeDrift {
    let current: BTreeMap<&str, &FileFingerprint> =
        now.iter().map(|seen| (seen.path.as_str(), seen)).collect();
    let old: BTreeMap<&str, &FileFingerprint> =
        then.files.iter().map(|seen| (seen.path.as_str(), seen)).collect();
    let (mut changed, mut removed, mut moved_lines, mut all_lines) = (0, 0, 0_u64, 0_u64);
    for seen in old.values() {
        let here = current.get(seen.path.as_str());
        let lines = u64::from(here.map_or(seen.lines, |here| here.lines.max(seen.lines)));
        all_lines += lines;
        match here {
            Some(here) if here.hash == seen.hash => continue,
            Some(_) => changed += 1,
            None => removed += 1,
        }
        moved_lines += lines;
    }
    // A footprint that was cut does not show which files were added.
    let is_whole = then.files.len() < MAX_FOOTPRINT_FILES;
    let came: Vec<&&FileFingerprint> =
        current.values().filter(|seen| is_whole && !old.contains_key(seen.path.as_str())).collect();
    let lines: u64 = came.iter().map(|seen| u64::from(seen.lines)).sum();
    (all_lines, moved_lines) = (all_lines + lines, moved_lines + lines);
    let percent = (moved_lines * 100).checked_div(all_lines).unwrap_or_default();
    KnowledgeDrift {
        written_at: then.at.clone(),
        files: then.files.len(),
        changed,
        removed,
        added: came.len(),
        percent: u32::try_from(percent).unwrap_or(100),
    }
}
