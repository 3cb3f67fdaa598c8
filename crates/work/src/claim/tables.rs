//! The SQL of the choice of the next work.

use std::collections::BTreeMap;

use base::Result;
use store::{Connection, Row, ToSql, rows};

use crate::record::Table;
use crate::tables::{BLOCKS_NOW, PRIORITY_ORDER};
use crate::words::WorkPriority;

/// SQL condition: the task `x` is neither claimed nor blocked, has no open subtasks, and is no part of blocked
/// work. It is asked of one task after another, until enough are found.
const IS_AVAILABLE: &str = "NOT EXISTS (SELECT 1 FROM claim c WHERE c.id = x.id AND c.until > ?4)
    AND NOT EXISTS (SELECT 1 FROM dependency d WHERE d.to_id = x.id AND {blocks_now})
    AND NOT EXISTS (SELECT 1 FROM dependency d WHERE d.to_id = x.feature_id AND {blocks_now})
    AND NOT EXISTS (SELECT 1 FROM dependency p JOIN task s ON s.id = p.to_id
                    WHERE p.from_id = x.id AND p.relation = 'PARENT_OF'
                      AND s.status NOT IN ('CLOSED', 'WILL_NOT_IMPLEMENT'))
    AND NOT EXISTS (SELECT 1 FROM dependency p JOIN dependency d ON d.to_id = p.from_id
                    WHERE p.to_id = x.id AND p.relation = 'PARENT_OF' AND {blocks_now})";

/// How many candidates for the next work are read.
const MAX_CANDIDATES: usize = 1000;

/// Tasks that can be started now, best first: those of the asking actor, then by priority. Each
/// query reads an index in its order and stops when it has enough.
pub(crate) fn ready_tasks(
    conn: &Connection,
    wanted: &ReadyWorkFilter<'_>,
    most: usize,
) -> Result<Vec<String>> {
    let ReadyWorkFilter { project, feature, priority, actor, now } = wanted;
    let most = most.min(MAX_CANDIDATES);
    let available = IS_AVAILABLE.replace("{blocks_now}", BLOCKS_NOW);
    let sql = format!(
        "SELECT x.id FROM task x WHERE x.assignee = ?5
           AND +x.status = 'NEW' AND +x.project_id = ?1 AND (?2 IS NULL OR +x.feature_id = ?2)
           AND (?3 IS NULL OR x.priority = ?3) AND {available}
         ORDER BY {PRIORITY_ORDER}, x.complexity, x.created_at, x.id LIMIT {most}"
    );
    let params: [&dyn ToSql; 5] = [project, feature, priority, now, actor];
    let mut found: Vec<String> = rows(conn, &sql, "find the next task", &params, |row| row.get(0))?;
    for one in WorkPriority::ALL.iter().map(|one| one.word()) {
        if found.len() >= most || priority.is_some_and(|wanted| wanted != one) {
            continue;
        }
        let room = most - found.len();
        let sql = format!(
            "SELECT x.id FROM task x
             WHERE x.project_id = ?1 AND x.status = 'NEW' AND x.priority = ?3
               AND (?2 IS NULL OR x.feature_id = ?2) AND x.assignee IS NULL AND {available}
             ORDER BY x.complexity, x.created_at, x.id LIMIT {room}"
        );
        let params: [&dyn ToSql; 4] = [project, feature, &one, now];
        found.extend(rows(conn, &sql, "find the next task", &params, |row| row.get(0))?);
    }
    Ok(found)
}

/// How many tasks can be started, and how many are blocked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadyCounts {
    /// Tasks that can be started now
    pub ready: usize,
    /// Open tasks of the project that are blocked
    pub blocked: usize,
}

/// SQL condition: the task `x` is new and fits a filter.
const IS_CANDIDATE: &str =
    "x.status = 'NEW' AND x.project_id = ?1 AND (?2 IS NULL OR x.feature_id = ?2)
           AND (?3 IS NULL OR x.priority = ?3) AND (x.assignee IS NULL OR x.assignee = ?5)";

/// Counts the tasks that can be started now. Most new tasks can be started, so those that cannot
/// are looked up and subtracted.
pub(crate) fn ready_task_counts(
    conn: &Connection,
    wanted: &ReadyWorkFilter<'_>,
) -> Result<ReadyCounts> {
    let ReadyWorkFilter { project, feature, priority, actor, now } = wanted;
    let params: [&dyn ToSql; 5] = [project, feature, priority, now, actor];
    let sql = format!("SELECT count(*) FROM task x WHERE {IS_CANDIDATE} AND ?4 IS NOT NULL");
    let new = rows(conn, &sql, "count new tasks", &params, |row| row.get::<_, u32>(0))?;
    let sql = format!(
        "SELECT x.id, {IS_CANDIDATE} FROM dependency d CROSS JOIN task x ON x.id = d.to_id
         WHERE {BLOCKS_NOW} AND x.project_id = ?1 AND ?4 IS NOT NULL
           AND x.status NOT IN ('CLOSED', 'WILL_NOT_IMPLEMENT')"
    );
    let read = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?));
    let waiting: BTreeMap<String, bool> =
        rows(conn, &sql, "count blocked tasks", &params, read)?.into_iter().collect();
    let sql = format!(
        "WITH other (id) AS (
            SELECT c.id FROM claim c WHERE c.until > ?4
            UNION SELECT t.id FROM feature f CROSS JOIN task t ON t.feature_id = f.id
            WHERE f.project_id = ?1
              AND EXISTS (SELECT 1 FROM dependency d WHERE d.to_id = f.id AND {BLOCKS_NOW})
            UNION SELECT p.from_id FROM dependency p JOIN task s ON s.id = p.to_id
            WHERE p.relation = 'PARENT_OF' AND p.from_id IS NOT NULL
              AND s.status NOT IN ('CLOSED', 'WILL_NOT_IMPLEMENT')
            UNION SELECT p.to_id FROM dependency p WHERE p.relation = 'PARENT_OF'
              AND EXISTS (SELECT 1 FROM dependency d WHERE d.to_id = p.from_id AND {BLOCKS_NOW}))
         SELECT x.id FROM other o CROSS JOIN task x ON x.id = o.id WHERE {IS_CANDIDATE}"
    );
    let other: Vec<String> = rows(conn, &sql, "count taken tasks", &params, |row| row.get(0))?;
    let also_taken = other.iter().filter(|id| waiting.get(*id) != Some(&true)).count();
    let unavailable = also_taken + waiting.values().filter(|is_new| **is_new).count();
    let new = new.first().map_or(0, |count| *count as usize);
    Ok(ReadyCounts { ready: new.saturating_sub(unavailable), blocked: waiting.len() })
}

/// SQL condition: the task `x` was started, is open and not blocked, and fits a filter.
const IS_STARTED: &str = "x.status IN ('ACTIVE', 'TO_BE_TESTED', 'READY_TO_PROD')
    AND x.project_id = ?1 AND (?2 IS NULL OR x.feature_id = ?2)
    AND (?3 IS NULL OR x.priority = ?3)
    AND NOT EXISTS (SELECT 1 FROM dependency d
                    WHERE d.to_id IN (x.id, x.feature_id) AND {blocks_now})
    AND (x.assignee IS NULL OR x.assignee = ?5)";

/// Tasks that were started and claimed, are open, and whose claim ran out; best first.
pub(crate) fn abandoned_tasks(
    conn: &Connection,
    wanted: &ReadyWorkFilter<'_>,
) -> Result<Vec<String>> {
    let is_started = IS_STARTED.replace("{blocks_now}", BLOCKS_NOW);
    let sql = format!(
        "SELECT x.id FROM task x JOIN claim c ON c.id = x.id
         WHERE {is_started} AND c.until <= ?4
         ORDER BY {PRIORITY_ORDER}, c.until, x.id LIMIT {MAX_CANDIDATES}"
    );
    started_tasks(conn, wanted, &sql)
}

/// Tasks that were started, are open, and that nobody ever claimed; best first.
pub(crate) fn unclaimed_tasks(
    conn: &Connection,
    wanted: &ReadyWorkFilter<'_>,
) -> Result<Vec<String>> {
    let is_started = IS_STARTED.replace("{blocks_now}", BLOCKS_NOW);
    let sql = format!(
        "SELECT x.id FROM task x
         WHERE {is_started} AND ?4 IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM claim c WHERE c.id = x.id)
         ORDER BY {PRIORITY_ORDER}, x.created_at, x.id LIMIT {MAX_CANDIDATES}"
    );
    started_tasks(conn, wanted, &sql)
}

fn started_tasks(
    conn: &Connection,
    wanted: &ReadyWorkFilter<'_>,
    sql: &str,
) -> Result<Vec<String>> {
    let ReadyWorkFilter { project, feature, priority, actor, now } = wanted;
    let params: [&dyn ToSql; 5] = [project, feature, priority, now, actor];
    rows(conn, sql, "find started tasks without a claim", &params, |row| row.get(0))
}

/// A filter for work that can be started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadyWorkFilter<'a> {
    pub project: &'a str,
    /// Only tasks of this feature
    pub feature: Option<&'a str>,
    pub priority: Option<&'a str>,
    /// Who asks: work that is assigned to others is left out
    pub actor: &'a str,
    /// Claims that ended before this time are ignored
    pub now: &'a str,
}

/// Features that can be started now, best first.
pub(crate) fn ready_features(
    conn: &Connection,
    wanted: &ReadyWorkFilter<'_>,
) -> Result<Vec<String>> {
    let ReadyWorkFilter { project, priority, .. } = wanted;
    let sql = format!(
        "SELECT x.id FROM feature x WHERE x.status = 'NEW' AND x.project_id = ?1
           AND (?2 IS NULL OR x.priority = ?2)
           AND NOT EXISTS (SELECT 1 FROM dependency d WHERE d.to_id = x.id AND {BLOCKS_NOW})
         ORDER BY {PRIORITY_ORDER}, x.created_at, x.id LIMIT {MAX_CANDIDATES}"
    );
    rows(conn, &sql, "find the next feature", &[project, priority], |row| row.get(0))
}

/// The open and blocked rows of a table. There are few features, and few dependencies for many tasks.
pub(crate) fn blocked(conn: &Connection, table: Table, project: &str) -> Result<Vec<String>> {
    let blocked = match table.name {
        "task" => format!(
            "(SELECT DISTINCT d.to_id AS id FROM dependency d WHERE {BLOCKS_NOW}) w
             CROSS JOIN task x ON x.id = w.id WHERE x.project_id = ?1"
        ),
        name => format!(
            "{name} x WHERE x.project_id = ?1
               AND EXISTS (SELECT 1 FROM dependency d WHERE d.to_id = x.id AND {BLOCKS_NOW})"
        ),
    };
    let sql = format!(
        "SELECT x.id FROM {blocked} AND x.status NOT IN ('CLOSED', 'WILL_NOT_IMPLEMENT')
         ORDER BY {PRIORITY_ORDER}, x.created_at, x.id"
    );
    rows(conn, &sql, "find what is blocked", &[&project], |row| row.get(0))
}
