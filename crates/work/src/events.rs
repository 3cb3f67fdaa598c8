//! The history of features and tasks: one event for each change of one, and comments.
//!
//! Events are derived from the rows that a draft changes, so that no operation can forget to record
//! one. They are rows of the store like all others.

use std::collections::BTreeMap;

use base::Result;
use base::moment::to_the_second;
use serde_json::Value;

use crate::container::WorkItem;
use crate::draft::{WorkDraft, WorkRowChange};
use crate::id::WorkRecordId;
use crate::record::{Dependency, Record, Section, Task, TaskClaim, WorkEvent};
use crate::text::ChangelogSummary;
use crate::words::{DependencyKind, WorkEventKind, WorkKind};

/// The longest value that an event quotes, in characters.
const MAX_QUOTED_CHARS: usize = 60;

/// Columns whose changes get no event of their own.
const SILENT_COLUMNS: [&str; 6] =
    ["version", "updated_at", "created_at", "ended_from", "slug", "project_id"];

/// Columns whose values are too long to quote.
const TEXT_COLUMNS: [&str; 2] = ["summary", "description"];

/// What happened to one feature or task in one change.
#[derive(Debug)]
struct EventNote {
    kind: WorkEventKind,
    parts: Vec<String>,
}

/// The events of one change, by the feature or task that they belong to.
#[derive(Debug, Default)]
struct EventNotes(BTreeMap<WorkRecordId, EventNote>);

impl EventNotes {
    fn add(&mut self, item: &WorkRecordId, kind: WorkEventKind, text: String) {
        let note = EventNote { kind, parts: Vec::new() };
        let note = self.0.entry(item.clone()).or_insert(note);
        note.kind = note.kind.min(kind); // the kinds are declared by importance
        if kind == WorkEventKind::Created {
            note.parts.insert(0, text);
        } else {
            note.parts.push(text);
        }
    }
}

/// The events of a feature or task, oldest first.
pub fn events_of(draft: &WorkDraft<'_>, item: &WorkRecordId) -> Result<Vec<WorkEvent>> {
    let mut events: Vec<WorkEvent> = draft.list("item_id", item)?;
    events.sort_by(|a, b| (&a.at, a.number, &a.id).cmp(&(&b.at, b.number, &b.id)));
    Ok(events)
}

/// Adds a comment to a feature or task.
pub fn comment(
    draft: &mut WorkDraft<'_>,
    item: &WorkItem,
    text: &ChangelogSummary,
) -> Result<WorkEvent> {
    let event = new_event(draft, item.id(), WorkEventKind::Comment, text.as_str().trim())?;
    draft.put(&event)?;
    Ok(event)
}

impl WorkDraft<'_> {
    /// Plans the events of everything that is planned so far. Called once, when the plan is complete.
    pub fn record_events(&mut self) -> Result<()> {
        for (item, note) in self.event_notes()?.0 {
            let event = new_event(self, &item, note.kind, &note.parts.join("; "))?;
            self.put(&event)?;
        }
        Ok(())
    }

    /// What the plan changes of each feature and task, in words.
    pub fn planned_changes(&self) -> Result<BTreeMap<WorkRecordId, String>> {
        let notes = self.event_notes()?.0.into_iter();
        Ok(notes.map(|(item, note)| (item, note.parts.join("; "))).collect())
    }

    fn event_notes(&self) -> Result<EventNotes> {
        let mut notes = EventNotes::default();
        for change in self.changed_rows() {
            describe(self, &change, &mut notes)?;
        }
        let mut kept = EventNotes::default();
        for (item, note) in notes.0 {
            if WorkItem::of_id(self, &item)?.is_some() {
                kept.0.insert(item, note);
            }
        }
        Ok(kept)
    }
}

fn new_event(
    draft: &WorkDraft<'_>,
    item: &WorkRecordId,
    kind: WorkEventKind,
    text: &str,
) -> Result<WorkEvent> {
    let events: Vec<WorkEvent> = draft.list("item_id", item)?;
    let number = events.iter().map(|event| event.number + 1).max().unwrap_or_default();
    Ok(WorkEvent {
        id: draft.new_id(),
        item_id: item.clone(),
        number,
        kind,
        text: text.to_owned(),
        actor: draft.actor.clone(),
        session: Some(draft.session.clone()),
        at: draft.stamp(),
    })
}

/// The row changes of an undo, adapted to the history: events are never removed, and each changed
/// feature or task gets an event about the undo.
pub fn record_undo(
    images: &[WorkRowChange],
    at: &str,
    actor: &str,
    new_id: impl Fn() -> WorkRecordId,
) -> Vec<WorkRowChange> {
    let is_event = |image: &&WorkRowChange| image.table == WorkEvent::TABLE.name;
    let removes_event = |image: &&WorkRowChange| is_event(image) && image.after.is_none();
    let mut kept: Vec<WorkRowChange> =
        images.iter().filter(|image| !removes_event(image)).cloned().collect();
    let mut gone: Vec<&WorkRecordId> = Vec::new();
    let mut undone: Vec<WorkEvent> = Vec::new();
    for image in images {
        let is_work = [WorkKind::Feature, WorkKind::Task].iter().any(|k| k.word() == image.table);
        if is_work && image.after.is_none() {
            gone.push(&image.id);
        }
    }
    for image in images.iter().filter(removes_event) {
        let before = image.before.clone().and_then(|row| serde_json::from_value(row).ok());
        let Some(event): Option<WorkEvent> = before else { continue };
        if gone.contains(&&event.item_id) {
            kept.push(image.clone()); // the item is deleted, and its history with it
        } else {
            let text = match event.text.strip_prefix("undone: ") {
                Some(first) => format!("redone: {first}"),
                None => format!("undone: {}", event.text),
            };
            undone.push(WorkEvent { text, number: event.number + 1, ..event });
        }
    }
    for event in undone {
        let event = WorkEvent {
            id: new_id(),
            kind: WorkEventKind::Change,
            actor: actor.to_owned(),
            session: None,
            at: at.to_owned(),
            ..event
        };
        kept.push(WorkRowChange {
            table: WorkEvent::TABLE.name.to_owned(),
            id: event.id.clone(),
            before: None,
            after: serde_json::to_value(event).ok(),
        });
    }
    kept
}

fn describe(draft: &WorkDraft<'_>, change: &WorkRowChange, notes: &mut EventNotes) -> Result<()> {
    match change.table.as_str() {
        "feature" | "task" => describe_item(draft, change, notes),
        "section" => describe_section(change, notes),
        "dependency" => describe_dependency(draft, change, notes),
        "claim" => describe_claim(draft, change, notes),
        _ => Ok(()),
    }
}

fn describe_item(
    draft: &WorkDraft<'_>,
    change: &WorkRowChange,
    notes: &mut EventNotes,
) -> Result<()> {
    let Some(after) = &change.after else { return Ok(()) };
    let Some(before) = &change.before else {
        let from = after["source"].as_str().map(|source| format!(" from {source}"));
        let text = format!("created{}", from.unwrap_or_default());
        notes.add(&change.id, WorkEventKind::Created, text);
        return Ok(());
    };
    let mut reason = None;
    let fields = after.as_object().into_iter().flatten();
    for (column, new) in fields.filter(|(column, new)| before[*column] != **new) {
        let (old, column) = (&before[column.as_str()], column.as_str());
        match column {
            _ if SILENT_COLUMNS.contains(&column) => {}
            "status" => {
                let text = format!("{} → {}", word(old), word(new));
                notes.add(&change.id, WorkEventKind::Status, text);
            }
            "evidence" => {
                for text in added_evidence(old, new) {
                    notes.add(&change.id, WorkEventKind::Change, text);
                }
            }
            "feature_id" => {
                let text = format!("feature {}", item_name(draft, new)?);
                notes.add(&change.id, WorkEventKind::Change, text);
            }
            "end_reason" => reason = Some(format!("because {}", quoted(new))),
            _ if TEXT_COLUMNS.contains(&column) => {
                notes.add(&change.id, WorkEventKind::Change, format!("{column} changed"));
            }
            _ => {
                let text = format!("{column} {} → {}", quoted(old), quoted(new));
                notes.add(&change.id, WorkEventKind::Change, text);
            }
        }
    }
    // After the status that it explains.
    if let Some(reason) = reason {
        notes.add(&change.id, WorkEventKind::Status, reason);
    }
    Ok(())
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A value in a sentence, cut if it is long.
fn quoted(value: &Value) -> String {
    let text = match value {
        Value::Null => return "none".into(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let words: Vec<String> = items.iter().map(quoted).collect();
            if words.is_empty() { "none".into() } else { words.join(", ") }
        }
        other => other.to_string(),
    };
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn added_evidence(old: &Value, new: &Value) -> Vec<String> {
    let count = old.as_array().map_or(0, Vec::len);
    let new = new.as_array().into_iter().flatten().skip(count);
    new.map(|one| format!("evidence {}: {}", word(&one["kind"]), quoted(&one["what"]))).collect()
}

/// The name of a feature or task that a row refers to.
fn item_name(draft: &WorkDraft<'_>, id: &Value) -> Result<String> {
    let id = id.as_str().and_then(|id| WorkRecordId::try_from(id.to_owned()).ok());
    let item = id.map(|id| WorkItem::of_id(draft, &id)).transpose()?.flatten();
    Ok(item.map_or("none".into(), |item| format!("\"{}\"", item.name())))
}

fn parsed<R: Record>(row: Option<&Value>) -> Option<R> {
    row.and_then(|row| serde_json::from_value(row.clone()).ok())
}

fn describe_section(change: &WorkRowChange, notes: &mut EventNotes) -> Result<()> {
    let (before, after): (Option<Section>, Option<Section>) =
        (parsed(change.before.as_ref()), parsed(change.after.as_ref()));
    let (verb, section) = match (&before, after) {
        (None, Some(section)) => ("added", section),
        (Some(before), Some(section)) if before.content != section.content => ("changed", section),
        (Some(before), Some(section)) if before.title != section.title => ("renamed", section),
        (Some(_), None) => match before {
            Some(section) => ("removed", section),
            None => return Ok(()),
        },
        _ => return Ok(()), // only its position
    };
    let text = format!("section \"{}\" {verb}", section.title);
    notes.add(&section.entity_id, WorkEventKind::Change, text);
    Ok(())
}

fn describe_dependency(
    draft: &WorkDraft<'_>,
    change: &WorkRowChange,
    notes: &mut EventNotes,
) -> Result<()> {
    let verb = match (&change.before, &change.after) {
        (None, Some(_)) => "",
        (Some(_), None) => "no longer ",
        _ => return Ok(()),
    };
    let row = change.after.as_ref().or(change.before.as_ref());
    let Some(tie) = parsed::<Dependency>(row) else { return Ok(()) };
    let reason = if tie.reason.is_empty() { String::new() } else { format!(" ({})", tie.reason) };
    let other = match &tie.from_id {
        Some(from) => item_name(draft, &Value::from(from.as_str()))?,
        None => "a reason".into(),
    };
    let text = format!("{verb}{} {other}{reason}", incoming_words(tie.relation));
    notes.add(&tie.to_id, WorkEventKind::Change, text);
    if let Some(from) = &tie.from_id {
        let other = item_name(draft, &Value::from(tie.to_id.as_str()))?;
        let text = format!("{verb}{} {other}{reason}", outgoing_words(tie.relation));
        notes.add(from, WorkEventKind::Change, text);
    }
    Ok(())
}

/// The words for a relation, from its second end to the first.
pub fn incoming_words(relation: DependencyKind) -> &'static str {
    match relation {
        DependencyKind::Blocks => "blocked by",
        DependencyKind::RelatesTo => "relates to",
        DependencyKind::ParentOf => "part of",
        DependencyKind::Duplicates => "duplicated by",
        DependencyKind::DiscoveredFrom => "led to",
    }
}

/// The words for a relation, from its first end to the second.
pub fn outgoing_words(relation: DependencyKind) -> &'static str {
    match relation {
        DependencyKind::Blocks => "blocks",
        DependencyKind::RelatesTo => "relates to",
        DependencyKind::ParentOf => "parent of",
        DependencyKind::Duplicates => "duplicate of",
        DependencyKind::DiscoveredFrom => "discovered from",
    }
}

fn describe_claim(
    draft: &WorkDraft<'_>,
    change: &WorkRowChange,
    notes: &mut EventNotes,
) -> Result<()> {
    let now = draft.stamp();
    let (before, after): (Option<TaskClaim>, Option<TaskClaim>) =
        (parsed(change.before.as_ref()), parsed(change.after.as_ref()));
    let live = before.filter(|claim| claim.until > now);
    let text = match (live, after) {
        (None, Some(claim)) if claim.until > now => {
            format!("claimed until {}", to_the_second(&claim.until))
        }
        (Some(old), Some(claim)) if claim.until > now => {
            if old.session == claim.session && old.actor == claim.actor {
                format!("claim renewed until {}", to_the_second(&claim.until))
            } else {
                let until = to_the_second(&claim.until);
                let session = match old.actor == claim.actor {
                    true => " in another session",
                    false => "",
                };
                format!("taken over from {}{session}, claimed until {until}", old.actor)
            }
        }
        (Some(_), _) => {
            let task: Option<Task> = draft.get(&change.id)?;
            match task {
                Some(task) if !task.status.is_terminal() => "released".into(),
                _ => return Ok(()), // its status shows that it ended
            }
        }
        _ => return Ok(()),
    };
    notes.add(&change.id, WorkEventKind::Claim, text);
    Ok(())
}
