//! Two versions of an atom or molecule to which different texts were appended.

use serde_json::{Value, json};

use crate::text::MAX_KNOWLEDGE_BYTES;

/// What an appended text starts with. The time, the task and the end of the line follow.
pub(crate) const APPEND_MARK: &str = "\n\n---[";

/// The columns that an append changes.
const APPEND_COLUMNS: [&str; 5] =
    ["knowledge", "version", "updated_at", "last_task_id", "footprint"];

/// The row with what was appended on both sides, in the order of time. `None` if the sides differ in
/// anything else, or if the text would be too long.
pub(crate) fn with_both_appends(ours: &Value, theirs: &Value) -> Option<Value> {
    let (our_fields, their_fields) = (ours.as_object()?, theirs.as_object()?);
    let mut names = our_fields.keys().chain(their_fields.keys());
    if names.any(|name| !APPEND_COLUMNS.contains(&name.as_str()) && ours[name] != theirs[name]) {
        return None;
    }
    let our_parts = parts(ours["knowledge"].as_str()?);
    let their_parts = parts(theirs["knowledge"].as_str()?);
    let common = our_parts.iter().zip(&their_parts).take_while(|(one, other)| one == other).count();
    let (known, our_appends) = our_parts.split_at(common);
    let their_appends = &their_parts[common..];
    if known.is_empty() || our_appends.is_empty() || their_appends.is_empty() {
        return None;
    }
    let mut appends = [our_appends, their_appends].concat();
    // The time is the first thing after the mark.
    appends.sort_unstable();
    let knowledge = [known.concat(), appends.concat()].concat();
    if knowledge.len() > MAX_KNOWLEDGE_BYTES {
        return None;
    }
    let order = |row: &Value| (row["updated_at"].as_str().map(ToOwned::to_owned), row.to_string());
    let mut merged = if order(ours) > order(theirs) { ours.clone() } else { theirs.clone() };
    let version = ours["version"].as_u64()?.max(theirs["version"].as_u64()?);
    merged["knowledge"] = json!(knowledge);
    merged["version"] = json!(version + 1);
    Some(merged)
}

/// A text in parts: what it was first, and each text that was appended.
fn parts(text: &str) -> Vec<&str> {
    let starts = text.match_indices(APPEND_MARK).map(|(at, _)| at).filter(|at| *at > 0);
    let starts: Vec<usize> = std::iter::once(0).chain(starts).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| &text[*start..end]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(knowledge: &str, version: u32) -> Value {
        let at = format!("2026-01-02T10:0{version}:00Z");
        json!({"name": "Login", "knowledge": knowledge, "version": version, "updated_at": at})
    }

    #[test]
    fn both_texts_are_kept_in_the_order_of_time() {
        let ours = row("one\n\n---[2026-02 task:none]---\nours", 2);
        let theirs =
            row("one\n\n---[2026-01 task:none]---\ntheirs\n\n---[2026-03 task:none]---\nlater", 3);
        let merged = with_both_appends(&ours, &theirs).unwrap();
        assert_eq!(
            merged["knowledge"],
            "one\n\n---[2026-01 task:none]---\ntheirs\n\n---[2026-02 task:none]---\nours\n\n\
             ---[2026-03 task:none]---\nlater"
        );
        assert_eq!((&merged["version"], &merged["updated_at"]), (&json!(4), &theirs["updated_at"]));
        assert_eq!(with_both_appends(&theirs, &ours), Some(merged), "the sides do not matter");
    }

    #[test]
    fn other_changes_are_not_merged() {
        let ours = row("one\n\n---[2026-02 task:none]---\nours", 2);
        let overwritten = row("another text", 2);
        assert_eq!(with_both_appends(&ours, &overwritten), None);
        assert_eq!(with_both_appends(&ours, &row("one", 2)), None);
        let mut renamed = row("one\n\n---[2026-01 task:none]---\ntheirs", 2);
        renamed["name"] = json!("Sign in");
        assert_eq!(with_both_appends(&ours, &renamed), None);
        let long = "x".repeat(MAX_KNOWLEDGE_BYTES - 40);
        let long = row(&format!("one\n\n---[2026-01 task:none]---\n{long}"), 2);
        assert_eq!(with_both_appends(&ours, &long), None);
    }
}
