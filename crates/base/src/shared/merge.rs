//! Three-way merge of a record in a store with its shared file.
//!
//! The store remembers the revision and the hash at which both were last the same. A file with a
//! later revision is applied, one with an earlier revision is an older checkout and changes
//! nothing, and a record that changed on both sides is a conflict, which is reported.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{deleted_hash, hash_text, tombstone};

/// Which record is kept if both sides changed it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MergePreference {
    /// Neither: that is a conflict
    #[default]
    Neither,
    /// What is here
    Ours,
    /// What others wrote
    Theirs,
}

/// What merging the shared files did
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MergeReport {
    /// Records that were not here
    pub added: Vec<String>,
    /// Records that were older here
    pub updated: Vec<String>,
    /// Records that were deleted elsewhere, and now here
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// Records that changed on both sides; neither was touched
    pub conflicts: Vec<String>,
    /// Records that were shared, are still here, and whose files are gone
    pub missing: Vec<String>,
    /// Files that could not be read as records
    pub unreadable: Vec<String>,
    /// Changelog entries whose file differs from the store; existing entries are never changed
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rewritten: Vec<String>,
    /// Problems that need a manual fix, by file
    #[serde(skip)]
    pub problems: Vec<SharedProblem>,
    /// Files with unresolved conflicts or problems
    #[serde(skip)]
    pub unresolved: BTreeSet<String>,
}

/// Something that is wrong with a shared file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedProblem {
    /// The file
    pub path: String,
    /// What is wrong
    pub kind: SharedProblemKind,
    /// The message
    pub reason: String,
}

/// What may be wrong with a shared file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SharedProblemKind {
    /// It is not a record
    Unreadable,
    /// The file and the store were changed apart from each other
    Conflict,
    /// It changes an entry of the changelog, which is append-only
    Rewritten,
}

impl MergeReport {
    /// Whether nothing had to be done or reported.
    pub const fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.updated.is_empty()
            && self.removed.is_empty()
            && self.conflicts.is_empty()
            && self.missing.is_empty()
            && self.unreadable.is_empty()
            && self.rewritten.is_empty()
    }

    /// The combined report of two stores.
    #[must_use]
    pub fn combine(mut self, other: Self) -> Self {
        self.added.extend(other.added);
        self.updated.extend(other.updated);
        self.removed.extend(other.removed);
        self.conflicts.extend(other.conflicts);
        self.missing.extend(other.missing);
        self.unreadable.extend(other.unreadable);
        self.rewritten.extend(other.rewritten);
        self.problems.extend(other.problems);
        self.unresolved.extend(other.unresolved);
        self
    }

    /// The combined report of two merges of one store in a row: the second says what is unresolved.
    #[must_use]
    pub fn followed_by(self, next: Self) -> Self {
        let done = Self {
            added: self.added,
            updated: self.updated,
            removed: self.removed,
            ..Self::default()
        };
        done.combine(next)
    }

    /// Notes that a file is not a record of the store, and why.
    pub fn add_unreadable(&mut self, path: &str, why: impl Into<String>) {
        self.unreadable.push(path.to_owned());
        self.add_problem(path, SharedProblemKind::Unreadable, why.into());
    }

    /// Notes that a file changes an entry that is never changed. What is here can be put back.
    pub fn add_rewritten(&mut self, path: &str, handle: String, prefer: MergePreference) {
        if prefer != MergePreference::Ours {
            let why = format!("it changes {handle}, and the changelog is append-only");
            self.rewritten.push(handle);
            self.add_problem(path, SharedProblemKind::Rewritten, why);
        }
    }

    /// Notes that a record changed here and in its file.
    pub fn add_conflict(&mut self, path: &str, handle: String, why: &str) {
        let why = format!("{handle}: {why}");
        self.conflicts.push(handle);
        self.add_problem(path, SharedProblemKind::Conflict, why);
    }

    /// Notes that a record of the store was shared as a file that is gone. A checkout that does
    /// not have the file yet looks the same, so it deletes nothing.
    pub fn add_missing(&mut self, path: String, handle: String, prefer: MergePreference) {
        if prefer != MergePreference::Ours {
            self.missing.push(handle);
            self.unresolved.insert(path);
        }
    }

    /// Decides about a record in a file, and notes it.
    pub fn decide(
        &mut self,
        path: &str,
        handle: String,
        sides: &MergeSides<'_>,
        prefer: MergePreference,
    ) -> MergeDecision {
        let settled = sides.decision(prefer);
        match settled.verdict {
            MergeVerdict::TakeTheirs if sides.theirs.content.is_none() => self.removed.push(handle),
            MergeVerdict::TakeTheirs if sides.ours.is_none() => self.added.push(handle),
            MergeVerdict::TakeTheirs => self.updated.push(handle),
            MergeVerdict::Conflict => self.add_conflict(path, handle, sides.conflict_reason()),
            MergeVerdict::Agree | MergeVerdict::KeepOurs => {}
        }
        settled
    }

    fn add_problem(&mut self, path: &str, kind: SharedProblemKind, why: String) {
        self.problems.push(SharedProblem { path: path.to_owned(), kind, reason: why });
        self.unresolved.insert(path.to_owned());
    }
}

/// A record as one side of a merge has it.
#[derive(Debug, Clone, Copy)]
pub struct RecordState<'a> {
    /// Its content without its revision; `None` if it was deleted
    pub content: Option<&'a str>,
    /// Its revision
    pub revision: u32,
}

/// What a store and a file last agreed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeBase {
    /// The file's revision then
    pub revision: u32,
    /// The hash of its content then
    pub hash: String,
}

impl MergeBase {
    /// Whether both agreed that the record is deleted.
    pub fn is_deleted(&self) -> bool {
        self.hash == deleted_hash()
    }

    /// Whether a file is as it was then, by the hash of its text. A file whose revision is not the
    /// version of its record cannot be recognised by its hash, and has to be read.
    pub fn matches_text_hash(&self, text_hash: &str) -> bool {
        match self.is_deleted() {
            true => hash_text(&tombstone(self.revision)) == text_hash,
            false => self.hash == text_hash,
        }
    }

    /// The revision of a record of the store: the agreed one if the content has not changed since,
    /// otherwise the next one.
    pub fn next_revision(agreed: Option<&Self>, content: Option<&str>, version: u32) -> u32 {
        match agreed {
            Some(agreed) if agreed.hash == content_hash(content) => agreed.revision,
            Some(agreed) => version.max(agreed.revision.saturating_add(1)),
            None => version,
        }
    }
}

/// A record in the store and in a file.
#[derive(Debug, Clone, Copy)]
pub struct MergeSides<'a> {
    /// In the store, if it is there
    pub ours: Option<RecordState<'a>>,
    /// In the file
    pub theirs: RecordState<'a>,
    /// What both last agreed on, if they ever did
    pub base: Option<&'a MergeBase>,
}

/// What has to be done about a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeVerdict {
    /// Both are the same, or count as the same: the content of the file is agreed on
    Agree,
    /// The file is older, or only the store changed: do nothing
    KeepOurs,
    /// Take the record of the file into the store
    TakeTheirs,
    /// Both changed: do nothing, and report it
    Conflict,
}

/// A verdict, and the revision to note where both agree afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeDecision {
    /// What has to be done
    pub verdict: MergeVerdict,
    /// The revision that is agreed on then
    pub revision: u32,
}

impl MergeSides<'_> {
    fn decision(&self, prefer: MergePreference) -> MergeDecision {
        let agreed = self.base.map_or(0, |agreed| agreed.revision);
        let reached = self.theirs.revision.max(agreed);
        match (self.verdict(), prefer) {
            (MergeVerdict::Conflict, MergePreference::Ours) => {
                MergeDecision { verdict: MergeVerdict::Agree, revision: reached }
            }
            // A file that was edited without a new revision gets one, so that others take it.
            (MergeVerdict::Conflict, MergePreference::Theirs) => {
                let known = self.ours.filter(|_| self.base.is_none());
                let known = known.map_or(agreed, |ours| ours.revision);
                let next = if self.theirs.revision > known { reached } else { known + 1 };
                MergeDecision { verdict: MergeVerdict::TakeTheirs, revision: next }
            }
            (verdict, _) => MergeDecision { verdict, revision: reached },
        }
    }

    fn verdict(&self) -> MergeVerdict {
        let ours = self.ours.and_then(|ours| ours.content);
        if ours == self.theirs.content {
            return MergeVerdict::Agree;
        }
        let Some(agreed) = self.base else { return self.verdict_without_base() };
        let is_ours_unchanged = agreed.hash == content_hash(ours);
        let is_theirs_unchanged = agreed.hash == content_hash(self.theirs.content);
        match self.theirs.revision.cmp(&agreed.revision) {
            Ordering::Less => MergeVerdict::KeepOurs,
            _ if is_theirs_unchanged => MergeVerdict::KeepOurs,
            Ordering::Greater if is_ours_unchanged => MergeVerdict::TakeTheirs,
            Ordering::Equal | Ordering::Greater => MergeVerdict::Conflict,
        }
    }

    /// Without an agreement the revisions decide, and only when they differ.
    fn verdict_without_base(&self) -> MergeVerdict {
        let Some(ours) = self.ours else { return MergeVerdict::TakeTheirs };
        match self.theirs.revision.cmp(&ours.revision) {
            // What was never shared from here is not deleted by others.
            Ordering::Greater if self.theirs.content.is_some() => MergeVerdict::TakeTheirs,
            Ordering::Less => MergeVerdict::KeepOurs,
            Ordering::Equal | Ordering::Greater => MergeVerdict::Conflict,
        }
    }

    /// The message of a conflict.
    fn conflict_reason(&self) -> &'static str {
        let is_edited = self.base.is_some_and(|agreed| agreed.revision == self.theirs.revision);
        match (self.ours.is_some(), self.theirs.content.is_some()) {
            (_, false) => "changed here and deleted in the file",
            (false, true) => "deleted here and changed in the file",
            (true, true) if is_edited => "the file was changed without a new revision",
            (true, true) => "changed here and in the file",
        }
    }
}

fn content_hash(content: Option<&str>) -> String {
    content.map_or_else(deleted_hash, hash_text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn state(content: &str, revision: u32) -> RecordState<'_> {
        RecordState { content: Some(content), revision }
    }

    const fn deleted(revision: u32) -> RecordState<'static> {
        RecordState { content: None, revision }
    }

    fn agreed_on(content: Option<&str>, revision: u32) -> MergeBase {
        MergeBase { revision, hash: content_hash(content) }
    }

    #[test]
    fn only_a_later_revision_is_taken_and_two_changes_are_a_conflict() {
        let old = agreed_on(Some("old"), 2);
        let gone = agreed_on(None, 2);
        for (ours, theirs, agreed, verdict) in [
            (None, state("new", 1), None, MergeVerdict::TakeTheirs),
            (Some(state("same", 1)), state("same", 1), None, MergeVerdict::Agree),
            (Some(state("old", 2)), state("new", 3), Some(&old), MergeVerdict::TakeTheirs),
            (Some(state("new", 3)), state("old", 2), Some(&old), MergeVerdict::KeepOurs),
            // An older checkout changes nothing, whatever it says.
            (Some(state("old", 2)), state("older", 1), Some(&old), MergeVerdict::KeepOurs),
            (Some(state("new", 3)), state("older", 1), Some(&old), MergeVerdict::KeepOurs),
            (None, state("older", 1), Some(&old), MergeVerdict::KeepOurs),
            (None, state("older", 1), Some(&gone), MergeVerdict::KeepOurs),
            (None, state("old", 2), Some(&old), MergeVerdict::KeepOurs),
            (None, state("new", 3), Some(&old), MergeVerdict::Conflict),
            (Some(state("mine", 3)), state("new", 3), Some(&old), MergeVerdict::Conflict),
            (Some(state("old", 2)), state("edited", 2), Some(&old), MergeVerdict::Conflict),
            // Deleted elsewhere, or made anew after that.
            (Some(state("old", 2)), deleted(3), Some(&old), MergeVerdict::TakeTheirs),
            (Some(state("mine", 3)), deleted(3), Some(&old), MergeVerdict::Conflict),
            (Some(state("old", 2)), deleted(1), Some(&old), MergeVerdict::KeepOurs),
            (None, deleted(3), Some(&old), MergeVerdict::Agree),
            (None, deleted(3), None, MergeVerdict::Agree),
            (None, state("again", 3), Some(&gone), MergeVerdict::TakeTheirs),
            // Without an agreement, versions decide, and a record that is only in the store is not
            // deleted.
            (Some(state("mine", 2)), state("new", 3), None, MergeVerdict::TakeTheirs),
            (Some(state("mine", 4)), state("new", 3), None, MergeVerdict::KeepOurs),
            (Some(state("mine", 3)), state("new", 3), None, MergeVerdict::Conflict),
            (Some(state("mine", 1)), deleted(3), None, MergeVerdict::Conflict),
        ] {
            let sides = MergeSides { ours, theirs, base: agreed };
            assert_eq!(sides.decision(MergePreference::Neither).verdict, verdict, "{sides:?}");
            let settled = sides.decision(MergePreference::Theirs).verdict;
            let takes = matches!(verdict, MergeVerdict::TakeTheirs | MergeVerdict::Conflict);
            assert_eq!(settled == MergeVerdict::TakeTheirs, takes, "{sides:?}");
            assert_ne!(sides.decision(MergePreference::Ours).verdict, MergeVerdict::Conflict);
        }
    }

    #[test]
    fn what_is_settled_gets_a_revision_that_others_take() {
        let old = agreed_on(Some("old"), 2);
        let edited =
            MergeSides { ours: Some(state("old", 2)), theirs: state("x", 2), base: Some(&old) };
        assert_eq!(edited.decision(MergePreference::Theirs).revision, 3);
        let both =
            MergeSides { ours: Some(state("mine", 3)), theirs: state("x", 3), base: Some(&old) };
        let kept = both.decision(MergePreference::Ours);
        assert_eq!(kept, MergeDecision { verdict: MergeVerdict::Agree, revision: 3 });
        let agreed = agreed_on(Some("x"), kept.revision);
        assert_eq!(MergeBase::next_revision(Some(&agreed), Some("mine"), 3), 4);
    }

    proptest! {
        /// Whatever is checked out, the agreed revision of a store never decreases.
        #[test]
        fn revisions_only_go_forward(
            ours in proptest::option::of(0_u8..4),
            theirs in proptest::option::of(0_u8..4),
            last in proptest::option::of(0_u8..4),
            our_revision in 1_u32..5,
            their_revision in 1_u32..5,
            agreed_revision in 1_u32..5,
            prefer in 0_usize..3,
        ) {
            let word = |number: Option<u8>| number.map(|number| number.to_string());
            let (ours, theirs, last) = (word(ours), word(theirs), word(last));
            let agreed = agreed_on(last.as_deref(), agreed_revision);
            let sides = MergeSides {
                ours: ours.as_deref().map(|content| state(content, our_revision)),
                theirs: RecordState { content: theirs.as_deref(), revision: their_revision },
                base: Some(&agreed),
            };
            let prefer = [MergePreference::Neither, MergePreference::Ours, MergePreference::Theirs][prefer];
            let settled = sides.decision(prefer);
            prop_assert!(settled.revision >= agreed_revision);
            let is_older = their_revision < agreed_revision && ours != theirs;
            prop_assert!(!is_older || settled.verdict == MergeVerdict::KeepOurs);
            if settled.verdict == MergeVerdict::TakeTheirs {
                prop_assert!(settled.revision > agreed_revision);
            }
        }
    }
}
