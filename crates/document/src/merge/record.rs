//! Three-way merge of shared records and of confirmations of links.

use base::shared::{SharedFile, parse_file, render_file, tombstone};
use serde_json::{Map, Value};

use super::value::ValueSides;
use super::{MergeTexts, MergedText, TEXT, marked, merge_lines, with_line_end};

/// A field name for the text below the fields while it is merged. No real field can have it.
const BODY: &str = "\u{0}";

/// Fields that say when and by whom a record was last changed. They are taken from the later
/// change.
const CHANGE_FIELDS: [&str; 6] = ["updated_at", "at", "by", "updated_by", "last_task_id", "author"];

/// Fields that say what a record saw when it was last changed, such as the files of an atom. Their
/// parts belong together, so that they are taken from the later change as a whole.
const STATE_FIELDS: [&str; 1] = ["footprint"];

/// The fields that count changes.
const COUNTERS: [&str; 1] = ["version"];

/// The field that only confirmations have.
const CONFIRMATION_FIELD: &str = "from_digest";

/// Merges records. What is not a record is merged by lines.
pub fn merge_records(texts: MergeTexts<'_>) -> MergedText {
    let read = |text: &str| parse_file(text, BODY).ok();
    let (Some(ours), Some(theirs)) = (read(texts.ours), read(texts.theirs)) else {
        return merge_lines(texts);
    };
    let base = read(texts.base);
    let base_record = base.as_ref().and_then(|base| base.record.as_ref());
    match (&ours.record, &theirs.record) {
        (None, None) => whole(&tombstone(ours.revision.max(theirs.revision))),
        (Some(record), None) | (None, Some(record)) if Some(record) == base_record => {
            whole(&tombstone(ours.revision.max(theirs.revision)))
        }
        (Some(_), None) | (None, Some(_)) => MergedText {
            text: marked(&with_line_end(texts.ours), &with_line_end(texts.theirs)),
            conflicts: vec!["deleted".to_owned()],
        },
        (Some(our), Some(their)) => {
            let empty = Map::new();
            let merger = RecordMerger { base: base_record.unwrap_or(&empty), our, their };
            match their.contains_key(CONFIRMATION_FIELD) {
                true => merger.merge_confirmations(&ours, &theirs),
                false => merger.merge(&ours, &theirs),
            }
        }
    }
}

fn whole(text: &str) -> MergedText {
    MergedText { text: text.to_owned(), conflicts: Vec::new() }
}

struct RecordMerger<'r> {
    base: &'r Map<String, Value>,
    our: &'r Map<String, Value>,
    their: &'r Map<String, Value>,
}

impl RecordMerger<'_> {
    /// Both ends, digests and reasons of a confirmation belong together, so the later one holds as a
    /// whole. If the merged code is neither side's, the link is suspect afterwards, as it should be.
    fn merge_confirmations(&self, ours: &SharedFile, theirs: &SharedFile) -> MergedText {
        let later = if self.is_ours_later() { self.our } else { self.their };
        let mut record = later.clone();
        let revision = self.count(&mut record, ours, theirs);
        whole(&render_file(&record, BODY, revision))
    }

    fn merge(&self, ours: &SharedFile, theirs: &SharedFile) -> MergedText {
        let mut record = Map::new();
        let mut conflicts = Vec::new();
        let extra = self.their.keys().filter(|name| !self.our.contains_key(*name));
        for name in self.our.keys().chain(extra).filter(|name| *name != BODY) {
            match self.field(name) {
                Ok(Some(value)) => drop(record.insert(name.clone(), value)),
                Ok(None) => {}
                Err(_) => {
                    conflicts.push(name.clone());
                    record.extend(self.our.get(name).map(|ours| (name.clone(), ours.clone())));
                }
            }
        }
        let text = |side: &Map<String, Value>| {
            side.get(BODY).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let (base, our, their) = (text(self.base), text(self.our), text(self.their));
        let body = merge_lines(MergeTexts { base: &base, ours: &our, theirs: &their });
        let has_markers = !body.conflicts.is_empty();
        let revision = self.count(&mut record, ours, theirs);
        record.insert(
            BODY.into(),
            if has_markers { String::new() } else { body.text.clone() }.into(),
        );
        let mut text = render_file(&record, BODY, revision);
        if has_markers {
            // Appended here and not rendered as a body: conflict markers are no content of the
            // record.
            text.truncate(text.len() - 1);
            text.push_str(&with_line_end(&body.text));
        }
        for name in &conflicts {
            text = self.mark_field(&text, name);
        }
        conflicts.extend(has_markers.then(|| TEXT.to_owned()));
        MergedText { text, conflicts }
    }

    fn field(&self, name: &str) -> Result<Option<Value>, super::value::ValueConflict> {
        let sides = ValueSides {
            base: self.base.get(name),
            ours: self.our.get(name),
            theirs: self.their.get(name),
        };
        if COUNTERS.contains(&name) {
            return Ok(sides.ours.or(sides.theirs).cloned());
        }
        if STATE_FIELDS.contains(&name) {
            return Ok(self.state(&sides));
        }
        sides.merge().or_else(|conflict| match CHANGE_FIELDS.contains(&name) {
            true if self.is_ours_later() => Ok(sides.ours.cloned()),
            true => Ok(sides.theirs.cloned()),
            false => Err(conflict),
        })
    }

    /// A field that is taken as a whole: of the only side that changed it, otherwise of the later
    /// change.
    fn state(&self, sides: &ValueSides<'_>) -> Option<Value> {
        let is_ours = match (sides.ours == sides.base, sides.theirs == sides.base) {
            (true, _) => false,
            (false, true) => true,
            (false, false) => self.is_ours_later(),
        };
        if is_ours { sides.ours.cloned() } else { sides.theirs.cloned() }
    }

    /// Whether our change is the later one, by the times that both sides give.
    fn is_ours_later(&self) -> bool {
        let time = |side: &Map<String, Value>| {
            let time = side.get("updated_at").or_else(|| side.get("at"));
            time.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let (ours, theirs) = (time(self.our), time(self.their));
        match ours.cmp(&theirs) {
            // Both orders of a merge must give one result.
            std::cmp::Ordering::Equal => {
                let text = |side: &Map<String, Value>| Value::Object(side.clone()).to_string();
                text(self.our).cmp(&text(self.their)).is_ge()
            }
            order => order == std::cmp::Ordering::Greater,
        }
    }

    /// Sets the version, and returns the revision: one above both if both sides changed something.
    fn count(
        &self,
        record: &mut Map<String, Value>,
        ours: &SharedFile,
        theirs: &SharedFile,
    ) -> u32 {
        let is_new = self.our != self.their && self.our != self.base && self.their != self.base;
        let step = u32::from(is_new);
        for name in COUNTERS {
            let of = |side: &Map<String, Value>| side.get(name).and_then(Value::as_u64);
            let highest = of(self.our).max(of(self.their));
            if let Some(highest) = highest {
                record.insert(name.to_owned(), (highest + u64::from(step)).into());
            }
        }
        ours.revision.max(theirs.revision) + step
    }

    /// Puts markers around the line of a field.
    fn mark_field(&self, text: &str, name: &str) -> String {
        let line = |side: &Map<String, Value>| {
            side.get(name).map(|value| format!("{name}: {value}\n")).unwrap_or_default()
        };
        let (ours, theirs) = (line(self.our), line(self.their));
        let marked = marked(&ours, &theirs);
        match ours.is_empty() {
            false => text.replacen(&ours, &marked, 1),
            true => format!("{marked}{text}"),
        }
    }
}
