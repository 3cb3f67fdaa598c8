//! The SQL of searches, overviews and tags. It reads indexes rather than rows where it can.

use std::collections::BTreeMap;

use base::Result;
use serde_json::json;
use store::{Connection, Row, ToSql, rows};

use crate::id::WorkRecordId;
use crate::record::{Record, Table, Task};
use crate::tables::{BLOCKS_NOW, PRIORITY_ORDER, id_column};

/// A filter of features or tasks, in the terms of the store.
#[derive(Debug, Clone, Default)]
pub(crate) struct ItemFilter<'a> {
    pub project: Option<&'a str>,
    pub feature: Option<&'a str>,
    pub statuses: &'a [&'static str],
    pub priorities: &'a [&'static str],
    /// Words in lower case that the texts contain
    pub words: &'a [&'a str],
    /// Words in lower case that the texts do not contain
    pub unwanted_words: &'a [&'a str],
    /// Who is to do it
    pub assignee: Option<&'a str>,
    pub milestone: Option<&'a str>,
}

/// A feature or task that fits a filter, with what it is sorted by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MatchingItem {
    pub priority_rank: u8,
    pub name: String,
    pub id: WorkRecordId,
}

/// The features or tasks that fit, by priority, then by name.
pub(crate) fn matching_items(
    conn: &Connection,
    table: Table,
    wanted: &ItemFilter<'_>,
) -> Result<Vec<MatchingItem>> {
    let name = table.name_column().unwrap_or("id");
    let feature = if table == Task::TABLE { "x.feature_id" } else { "NULL" };
    let text = format!("lower(x.{name} || char(10) || x.summary || char(10) || x.description)");
    let lists = [json!(wanted.statuses), json!(wanted.priorities)].map(|list| list.to_string());
    let words = [json!(wanted.words), json!(wanted.unwanted_words)].map(|list| list.to_string());
    let mut conditions = vec![
        "(?1 IS NULL OR x.project_id = ?1)".to_owned(),
        format!("(?2 IS NULL OR {feature} = ?2)"),
        "x.status IN (SELECT value FROM json_each(?3))".to_owned(),
        "x.priority IN (SELECT value FROM json_each(?4))".to_owned(),
        "(?5 IS NULL OR x.assignee = ?5 COLLATE NOCASE)".to_owned(),
        "(?6 IS NULL OR x.milestone = ?6 COLLATE NOCASE)".to_owned(),
    ];
    // A condition on texts reads whole rows, so it is left out where no words are asked for.
    let no_words = "json_array_length(?7) = 0 AND json_array_length(?8) = 0";
    conditions.push(match wanted.words.is_empty() && wanted.unwanted_words.is_empty() {
        true => no_words.to_owned(),
        false => format!(
            "NOT EXISTS (SELECT 1 FROM json_each(?7) w WHERE instr({text}, w.value) = 0)
             AND NOT EXISTS (SELECT 1 FROM json_each(?8) w WHERE instr({text}, w.value) > 0)"
        ),
    });
    let sql = format!(
        "SELECT {PRIORITY_ORDER}, x.{name}, x.id FROM {} x WHERE {} ORDER BY 1, 2, 3",
        table.name,
        conditions.join(" AND ")
    );
    let params: [&dyn ToSql; 8] = [
        &wanted.project,
        &wanted.feature,
        &lists[0],
        &lists[1],
        &wanted.assignee,
        &wanted.milestone,
        &words[0],
        &words[1],
    ];
    rows(conn, &sql, "search work", &params, |row| {
        Ok(MatchingItem { priority_rank: row.get(0)?, name: row.get(1)?, id: id_column(row, 2)? })
    })
}

/// How many tasks of a project have each status, by feature. An empty text stands for no feature.
pub(crate) fn task_counts(
    conn: &Connection,
    project: &str,
) -> Result<Vec<(String, String, usize)>> {
    let sql = "SELECT ifnull(feature_id, ''), status, count(*) FROM task WHERE project_id = ?1
               GROUP BY feature_id, status ORDER BY feature_id, status";
    rows(conn, sql, "count tasks", &[&project], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get::<_, u32>(2)? as usize))
    })
}

/// How many tasks of a feature have each status.
pub(crate) fn feature_task_counts(
    conn: &Connection,
    feature: &str,
) -> Result<Vec<(String, usize)>> {
    let sql = "SELECT status, count(*) FROM task WHERE feature_id = ?1 GROUP BY status";
    rows(conn, sql, "count tasks", &[&feature], |row| {
        Ok((row.get(0)?, row.get::<_, u32>(1)? as usize))
    })
}

/// How many rows of a table a project has.
pub(crate) fn count(conn: &Connection, table: Table, project: &str) -> Result<usize> {
    let sql = format!("SELECT count(*) FROM {} WHERE project_id = ?1", table.name);
    let counts = rows(conn, &sql, "count work", &[&project], |row| row.get::<_, u32>(0))?;
    Ok(counts.first().map_or(0, |count| *count as usize))
}

/// The first rows of an overview, open before finished, then by priority and name: the features of a
/// project, its tasks without a feature, or the tasks of a feature.
pub(crate) fn overview_rows(
    conn: &Connection,
    table: Table,
    scope: OverviewScope<'_>,
    limit: usize,
) -> Result<Vec<WorkRecordId>> {
    let name = table.name_column().unwrap_or("id");
    let (condition, value) = match scope {
        OverviewScope::Features(project) => ("x.project_id = ?1", project),
        OverviewScope::LooseTasks(project) => {
            ("x.project_id = ?1 AND x.feature_id IS NULL", project)
        }
        OverviewScope::Tasks(feature) => ("x.feature_id = ?1", feature),
    };
    let sql = format!(
        "SELECT x.id FROM {} x WHERE {condition}
         ORDER BY x.status IN ('CLOSED', 'WILL_NOT_IMPLEMENT'), {PRIORITY_ORDER}, x.{name}, x.id
         LIMIT {limit}",
        table.name
    );
    rows(conn, &sql, "read the overview", &[&value], |row| id_column(row, 0))
}

/// Whose features or tasks an overview shows.
#[derive(Debug, Clone, Copy)]
pub(crate) enum OverviewScope<'a> {
    /// The features of a project
    Features(&'a str),
    /// The tasks of a project that have no feature
    LooseTasks(&'a str),
    /// The tasks of a feature
    Tasks(&'a str),
}

/// How many active blocks each of some features and tasks has; those without are left out.
pub(crate) fn block_counts(
    conn: &Connection,
    ids: &[&WorkRecordId],
) -> Result<BTreeMap<WorkRecordId, usize>> {
    let sql = format!(
        "SELECT d.to_id, count(*) FROM dependency d
         WHERE d.to_id IN (SELECT value FROM json_each(?1)) AND {BLOCKS_NOW} GROUP BY d.to_id"
    );
    let ids = json!(ids).to_string();
    let count = |row: &Row<'_>| Ok((id_column(row, 0)?, row.get::<_, u32>(1)? as usize));
    Ok(rows(conn, &sql, "count blocks", &[&ids], count)?.into_iter().collect())
}

/// How often each tag of a table is used, in one project or in all.
pub(crate) fn tag_counts(
    conn: &Connection,
    table: Table,
    project: Option<&str>,
) -> Result<Vec<(String, usize)>> {
    let column = match table.name {
        "project" => "x.id",
        "feature" | "task" => "x.project_id",
        _ => "NULL",
    };
    let sql = format!(
        "SELECT t.value, count(*) FROM {} x, json_each(x.tags) t
         WHERE x.tags <> '[]' AND (?1 IS NULL OR {column} = ?1) GROUP BY t.value ORDER BY t.value",
        table.name
    );
    rows(conn, &sql, "count tags", &[&project], |row| {
        Ok((row.get(0)?, row.get::<_, u32>(1)? as usize))
    })
}

/// The rows of a table that have a tag, by id.
pub(crate) fn ids_with_tag(
    conn: &Connection,
    table: Table,
    tag: &str,
) -> Result<Vec<WorkRecordId>> {
    let sql = format!(
        "SELECT x.id FROM {} x WHERE x.tags <> '[]'
           AND EXISTS (SELECT 1 FROM json_each(x.tags) t WHERE t.value = ?1) ORDER BY x.id",
        table.name
    );
    rows(conn, &sql, "find a tag", &[&tag], |row| id_column(row, 0))
}
