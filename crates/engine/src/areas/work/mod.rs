//! The durable store of work and knowledge: reads, plans, search and undo.

mod ages;
mod commits;
mod context;
mod files;
mod graph_area;
pub(crate) mod records;
mod rules;
pub mod shared;
pub mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Problem, ProblemCode, Result};
use config::{Pipeline, Stage};
use serde_json::Value;
use store::{Connection, Transaction, sqlite_problem};
use work::events::record_undo;
use work::knowledge::context::AtomCache;
use work::knowledge::files::{NamedLine, context_files_of_open_tasks, patterns};
use work::knowledge::globs::AtomMatcher;
use work::pipeline::WorkPipelines;
use work::words::{WorkKind, WorkStatus};
use work::{WorkDraft, WorkRecordId, WorkRowChange};

use crate::durable::{self, DurableStore, StoreChange};
use crate::plan::{Plan, PlannedChange};
use crate::search;
use crate::view::View;

pub use ages::{AgedAtoms, AtomAge, MeasuredAtom, UncoveredCount, aged_atoms, uncovered_folders};
pub use commits::{TaskCommit, files_touched};
pub use files::{
    context_files, drift, expand_paths, files_digest, files_of, knowledge_about, matched_files,
    moved_files, tasks_about,
};
pub(crate) use graph_area::WorkGraphArea;
pub use rules::RULES;

/// The store's name, which starts the numbers of its changes.
pub const STORE: &str = "work";

/// The cache key of the patterns of all atoms.
const PATTERNS_CACHE_KEY: &str = "work.patterns";

/// The store of work and knowledge.
pub const DURABLE: DurableStore = DurableStore {
    name: STORE,
    file: "work.sqlite",
    steps: &[
        work::tables::MIGRATIONS[0],
        search::TEXT_MIGRATION,
        search::NAMES_MIGRATION,
        work::tables::MIGRATIONS[1],
        durable::UNDO_MIGRATION,
        work::tables::MIGRATIONS[2],
    ],
    inverse: |json| {
        let read = serde_json::from_value(json.clone());
        let images = read.map_err(|error| {
            Problem::new(ProblemCode::StoreDamaged, "a recorded change cannot be read")
                .with_source(error)
        })?;
        Ok(Arc::new(WorkChange { images, check: IntegrityCheck::Undo }))
    },
    shared: Some(shared::SOURCE),
    index_record: text::index_record,
    needs_server: |change| {
        let until = |row: Option<&String>| {
            let row: Option<Value> = row.and_then(|row| serde_json::from_str(row).ok());
            row.and_then(|row| row["until"].as_str().map(ToOwned::to_owned))
        };
        let (before, after) = (until(change.before.as_ref()), until(change.after.body.as_ref()));
        let is_longer = change.after.kind == "claim" && after.is_some() && after > before;
        is_longer.then_some("a claim holds only if the server knows it")
    },
};

/// Rows that change.
#[derive(Debug)]
pub(crate) struct WorkChange {
    images: Vec<WorkRowChange>,
    check: IntegrityCheck,
}

/// Whether a change can break the rules of the store, which a plan has not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IntegrityCheck {
    /// It was planned by the rules
    None,
    /// It undoes an earlier change: later changes may prevent that
    Undo,
    /// It takes over rows that another store wrote
    Import,
}

impl IntegrityCheck {
    fn problem(self, violation: &str) -> Problem {
        match self {
            Self::Import => Problem::new(
                ProblemCode::InvariantViolation,
                format!("the rows are inconsistent: {violation}"),
            )
            .hint("import an export of the whole store"),
            Self::Undo | Self::None => Problem::new(
                ProblemCode::Conflict,
                format!("a later change depends on it: {violation}"),
            )
            .hint("undo the later changes first"),
        }
    }
}

impl StoreChange for WorkChange {
    fn store(&self) -> &'static str {
        STORE
    }

    fn preview(&self) -> String {
        self.images.iter().map(text::preview).collect()
    }

    /// An undo adds to the history of the features and tasks that it changes.
    fn attributed_to(&self, at: &str, actor: &str) -> Option<Arc<dyn StoreChange>> {
        let now: jiff::Timestamp = at.parse().ok()?;
        let seed = base::Hash::of(format!("{at} {actor} {:?}", self.images).as_bytes());
        let conn = Connection::open_in_memory().ok()?;
        let ids = WorkDraft::new(&conn, now, actor, *seed.as_bytes());
        let at = work::draft::format_timestamp(now);
        let images = record_undo(&self.images, &at, actor, || ids.new_id());
        Some(Arc::new(Self { images, check: self.check }))
    }

    fn apply(&self, transaction: &Transaction<'_>) -> Result<Value> {
        work::draft::apply_changes(transaction, &self.images)?;
        for image in &self.images {
            text::update_search_text(transaction, image)?;
        }
        if self.check != IntegrityCheck::None
            && let Some(first) = work::check::integrity_violations(transaction)?.first()
        {
            return Err(self.check.problem(first));
        }
        serde_json::to_value(store::inverse_row_changes(&self.images))
            .map_err(|error| Problem::internal("a change is not JSON").with_source(error))
    }
}

/// Looks at the store as of this view.
pub fn read_store<T>(view: &View, read: impl FnOnce(&WorkDraft<'_>) -> Result<T>) -> Result<T> {
    match view.store(STORE)? {
        Some(reading) => read(&draft(view, &reading.conn)?),
        None => read(&draft(view, &empty()?)?),
    }
}

/// Plans a change to the store.
pub fn plan<A>(
    view: &View,
    summary: impl FnOnce(&A) -> String,
    write: impl FnOnce(&mut WorkDraft<'_>) -> Result<A>,
) -> Result<Plan<A>> {
    let write_with_events = |draft: &mut WorkDraft<'_>| {
        let answer = write(draft)?;
        draft.record_events()?;
        Ok(answer)
    };
    plan_checked(view, summary, write_with_events, IntegrityCheck::None)
}

/// Plans rows that another store wrote, with their history. All of them are checked together.
pub fn plan_rows<A>(
    view: &View,
    summary: impl FnOnce(&A) -> String,
    write: impl FnOnce(&mut WorkDraft<'_>) -> Result<A>,
) -> Result<Plan<A>> {
    plan_checked(view, summary, write, IntegrityCheck::Import)
}

fn plan_checked<A>(
    view: &View,
    summary: impl FnOnce(&A) -> String,
    write: impl FnOnce(&mut WorkDraft<'_>) -> Result<A>,
    check: IntegrityCheck,
) -> Result<Plan<A>> {
    let unwritten;
    let conn = if let Some(reading) = view.store(STORE)? {
        &reading.conn
    } else {
        unwritten = empty()?;
        &unwritten
    };
    let mut draft = draft(view, conn)?;
    let answer = write(&mut draft)?;
    let summary = summary(&answer);
    Ok(planned(answer, summary, draft.into_changes(), check))
}

fn planned<A>(
    answer: A,
    summary: String,
    images: Vec<WorkRowChange>,
    check: IntegrityCheck,
) -> Plan<A> {
    if images.is_empty() {
        let change = PlannedChange::Nothing;
        return Plan { summary, change, answer, retry_on_conflict: true };
    }
    let change = PlannedChange::Store(Arc::new(WorkChange { images, check }));
    Plan { summary, change, answer, retry_on_conflict: true }
}

fn draft<'c>(view: &View, conn: &'c Connection) -> Result<WorkDraft<'c>> {
    // The same request gives its new records the same ids, also when it is planned again later.
    let call = view.call();
    let mut seed = call.request.as_ref().map_or([0; 32], |request| request.seed);
    if call.request.is_none() {
        getrandom::fill(&mut seed).map_err(|error| {
            Problem::internal("no source of randomness").with_source(error.to_string())
        })?;
    }
    Ok(WorkDraft::new(conn, call.now, &call.actor, seed).in_session(&call.session))
}

/// A store that nobody has written to.
fn empty() -> Result<Connection> {
    let conn = Connection::open_in_memory().map_err(sqlite_problem("open a store"))?;
    let mut steps = work::tables::MIGRATIONS.iter();
    steps
        .try_for_each(|step| conn.execute_batch(step.sql))
        .map_err(sqlite_problem("open a store"))?;
    Ok(conn)
}

/// What every query about knowledge needs, computed once per revision of the store.
#[derive(Debug, Default)]
pub struct WorkPatterns {
    /// The patterns of all atoms
    pub matcher: Arc<AtomMatcher>,
    /// The atoms that were looked up before
    pub recall: AtomCache,
    /// What open tasks name in their Context Files
    pub task_files: BTreeMap<WorkRecordId, Vec<NamedLine>>,
    /// The same, compiled as patterns
    pub tasks: AtomMatcher,
}

/// The patterns and files that the store names, as of this view.
pub fn work_patterns(view: &View) -> Result<Arc<WorkPatterns>> {
    match view.store(STORE)? {
        Some(reading) => view.cached_for_store("work", STORE, || {
            WorkPatterns::of(&reading.conn, matcher(view, &reading.conn)?)
        }),
        None => Ok(Arc::default()),
    }
}

/// The patterns of all atoms. Most writes to the store leave them as they are.
fn matcher(view: &View, conn: &Connection) -> Result<Arc<AtomMatcher>> {
    let rows = work::tables::patterns(conn)?;
    let lines = rows.iter().map(|(id, project, patterns)| format!("{id} {project} {patterns}\n"));
    let mark = base::Hash::of(lines.collect::<String>().as_bytes()).to_string();
    match view.cached_at(PATTERNS_CACHE_KEY, &mark) {
        Some(kept) => Ok(kept),
        None => Ok(view.cache_at(PATTERNS_CACHE_KEY, mark, AtomMatcher::of_rows(rows)?)),
    }
}

impl WorkPatterns {
    fn of(conn: &Connection, matcher: Arc<AtomMatcher>) -> Result<Self> {
        let task_files = context_files_of_open_tasks(conn)?;
        let tasks = AtomMatcher::of(task_files.iter().map(|(id, lines)| {
            // A word that names no file matches no file.
            let names = lines.iter().flat_map(|line| line.paths.iter().chain(&line.possible_files));
            (id.clone(), names.flat_map(|name| patterns(name)).collect())
        }));
        Ok(Self { matcher, recall: AtomCache::default(), task_files, tasks })
    }
}

/// Whether the store is empty.
pub fn is_empty(view: &View) -> Result<bool> {
    Ok(view.store(STORE)?.is_none())
}

/// The states that work passes through: as the configuration has them, else the three that are
/// always there. A store that has rows in other states keeps the states it was written with.
pub fn pipelines(view: &View) -> Result<WorkPipelines> {
    let config = &view.config().work;
    Ok(WorkPipelines {
        feature: stages_of(view, WorkKind::Feature, &config.pipelines.feature)?,
        task: stages_of(view, WorkKind::Task, &config.pipelines.task)?,
        evidence: config.evidence.iter().map(ToString::to_string).collect(),
    })
}

fn stages_of<S: Stage + serde::Serialize>(
    view: &View,
    kind: WorkKind,
    configured: &Pipeline<S>,
) -> Result<Vec<WorkStatus>> {
    let (short, all) = (stages(configured.stages())?, stages(S::ALL)?);
    if configured.is_set() {
        return Ok(short);
    }
    let fits = read_store(view, |draft| work::pipeline::are_all_in(draft, kind, &short))?;
    Ok(if fits { short } else { all })
}

/// States of the configuration as the store names them.
fn stages<S: serde::Serialize>(stages: &[S]) -> Result<Vec<WorkStatus>> {
    serde_json::from_value(serde_json::json!(stages))
        .map_err(|error| Problem::internal("a configured state is unknown").with_source(error))
}
