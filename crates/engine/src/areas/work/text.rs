//! The rows of the store as text, for search and for dry runs.

use base::Result;
use serde_json::Value;
use store::{Connection, RecordImage};
use work::{WorkRecordId, WorkRowChange};

use crate::search::{self, SearchText};

/// Updates the search text of a changed row.
pub(crate) fn update_search_text(conn: &Connection, image: &WorkRowChange) -> Result<()> {
    let Some((kind, name)) = searched_columns(&image.table) else { return Ok(()) };
    let node = format!("{kind}:{}", image.id);
    let said = |row: &Value| {
        let field = |key: &str| row[key].as_str().unwrap_or_default();
        let body = [field("summary"), field("description"), field("knowledge")];
        let body: Vec<&str> = body.into_iter().filter(|text| !text.is_empty()).collect();
        (field(name).to_owned(), body.join("\n"))
    };
    let (before, after) = (image.before.as_ref().map(said), image.after.as_ref().map(said));
    match after {
        None => search::remove(conn, &node),
        after if after == before => Ok(()), // most changes are of a status
        Some((name, body)) => search::put(conn, &SearchText { node, kind, path: None, name, body }),
    }
}

/// Updates the search text of a row that another machine wrote.
pub(crate) fn index_record(conn: &Connection, image: &RecordImage) -> Result<()> {
    let id = serde_json::from_str::<Vec<String>>(&image.id).unwrap_or_default();
    let Some(id) = id.into_iter().next().and_then(|id| WorkRecordId::try_from(id).ok()) else {
        return Ok(()); // a log entry
    };
    let after = image.body.as_deref().and_then(|body| serde_json::from_str(body).ok());
    update_search_text(conn, &WorkRowChange { table: image.kind.clone(), id, before: None, after })
}

/// The tables that are searched, each with the column of its name.
fn searched_columns(table: &str) -> Option<(&'static str, &'static str)> {
    match table {
        "project" => Some(("project", "name")),
        "feature" => Some(("feature", "name")),
        "task" => Some(("task", "title")),
        "molecule" => Some(("molecule", "name")),
        "atom" => Some(("atom", "name")),
        _ => None,
    }
}

/// The change of a row as a dry run shows it.
pub(crate) fn preview(image: &WorkRowChange) -> String {
    let title = ["name", "title", "summary", "reason", "actor"];
    let name = |row: &Value| {
        let found = title.iter().find_map(|key| row[*key].as_str());
        found.map(|name| format!(" \"{name}\"")).unwrap_or_default()
    };
    let what = format!("{} {}", image.table, image.id);
    if image.table == "event" {
        return String::new(); // it follows from the other rows
    }
    match (&image.before, &image.after) {
        (None, Some(after)) => format!("+ {what}{}\n", name(after)),
        (Some(before), None) => format!("- {what}{}\n", name(before)),
        (Some(before), Some(after)) => {
            let changed: String = changed_fields(before, after);
            format!("  {what}{}\n{changed}", name(after))
        }
        (None, None) => String::new(),
    }
}

fn changed_fields(before: &Value, after: &Value) -> String {
    let (Some(before), Some(after)) = (before.as_object(), after.as_object()) else {
        return String::new();
    };
    let changed = after.iter().filter(|(key, value)| before.get(*key) != Some(*value));
    let shown = changed.filter(|(key, _)| !matches!(key.as_str(), "updated_at" | "version"));
    shown
        .map(|(key, value)| {
            let old = before.get(key).unwrap_or(&Value::Null);
            format!("-   {key}: {old}\n+   {key}: {value}\n")
        })
        .collect()
}
