//! Commits plans: locks, checks, writes through the journal or a store, and recovers what an
//! interrupted change left behind.
//!
//! This is the only code that carries a [`Plan`] out. The workspace decides who may plan and from
//! what, and passes a function that makes the plan.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base::{Call, Problem, ProblemCode, RepoPath, Result};
use tree::{ChangeId, ChangeTitle, DiskWriter, FileEdit, Journal, RecoveryOutcome, WorkingTree};

use crate::data_folders::DataFolders;
use crate::durable::counter::ChangeCounter;
use crate::durable::locations::StoreLocations;
use crate::durable::team::TeamWrite;
use crate::durable::{StoreChange, StoreCommit, StoreManager};
use crate::layout_version;
use crate::plan::{MutationAnswer, Plan, PlannedChange};

/// How long a writer waits for the lock before it gives up with `BUSY`.
const WRITE_LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// How long recovery waits for the lock: a child that was just forked holds it for a moment.
const RECOVERY_LOCK_TIMEOUT: Duration = Duration::from_millis(300);

/// The writing half of a workspace.
pub(crate) struct PlanCommitter {
    folders: DataFolders,
    journal: Journal,
    counter: ChangeCounter,
    disk: DiskWriter,
    /// What recovery did or could not do; the next answer reports it
    notices: Mutex<Vec<String>>,
}

/// What a plan is committed to, and for whom.
#[derive(Clone, Copy)]
pub(crate) struct CommitTarget<'a> {
    pub tree: &'a WorkingTree,
    pub stores: &'a StoreManager,
    /// Sends the requests that wait for a team's server, which come first; true if there were any
    pub before_store_write: &'a dyn Fn() -> Result<bool>,
    pub call: &'a Call,
}

/// A plan, with the state of the store that it was made from.
pub(crate) struct PlannedWrite<A> {
    pub plan: Plan<A>,
    /// Set for a change to a store
    pub store_basis: Option<StorePlanBasis>,
}

/// The state of a store that a change was planned from.
pub(crate) struct StorePlanBasis {
    pub locations: StoreLocations,
    pub revision: i64,
    /// Records of shared files that the store does not have yet; they are written first
    pub pulled: Option<Arc<dyn StoreChange>>,
}

impl PlanCommitter {
    pub(crate) fn new(folders: DataFolders, disk: DiskWriter) -> Self {
        Self {
            journal: Journal::new(folders.journal()),
            counter: ChangeCounter::at(&folders.shared),
            folders,
            disk,
            notices: Mutex::default(),
        }
    }

    /// Changes that were committed to files.
    pub(crate) fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The disk writer, which can inject faults.
    pub(crate) fn disk(&self) -> &DiskWriter {
        &self.disk
    }

    /// What recovery has to report, once.
    pub(crate) fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Plans and commits. Planning may be slow, so it comes before the lock. If another writer
    /// came between, it is done once more under the lock, which keeps every process of cairn out.
    pub(crate) fn commit<A>(
        &self,
        target: CommitTarget<'_>,
        plan: impl Fn() -> Result<PlannedWrite<A>>,
    ) -> Result<MutationAnswer<A>> {
        let PlannedWrite { plan: first, store_basis } = plan()?;
        if !matches!(first.change, PlannedChange::Nothing) {
            layout_version::refuse_newer(target.tree)?;
        }
        match store_basis {
            Some(basis) => self.commit_to_store(target, first, basis, plan),
            None => self.commit_to_files(target, first, || Ok(plan()?.plan)),
        }
    }

    /// Shows what a plan would do.
    pub(crate) fn preview<A>(tree: &WorkingTree, plan: Plan<A>) -> Result<MutationAnswer<A>> {
        if let Some(edits) = plan.change.edits() {
            tree::check_edits(tree, edits)?;
        }
        let diff = Some(plan.change.preview(tree)?);
        Ok(MutationAnswer { files: plan.change.files(), result: plan.answer, change: None, diff })
    }

    /// If another process holds the lock, it recovers before it writes, so this one need not.
    pub(crate) fn recover_if_unlocked(&self, tree: &WorkingTree) {
        if !self.journal.is_unfinished() || self.folders.check().is_err() {
            return;
        }
        let call = Call::new("recovery", jiff::Timestamp::UNIX_EPOCH);
        match tree::lock(&self.lock_file(), RECOVERY_LOCK_TIMEOUT, &call) {
            Ok(_lock) => {
                self.recover(tree).unwrap_or_else(|problem| self.add_recovery_notice(&problem));
            }
            Err(problem) if problem.code == ProblemCode::Busy => {}
            Err(problem) => self.add_recovery_notice(&problem),
        }
    }

    fn commit_to_files<A>(
        &self,
        target: CommitTarget<'_>,
        first: Plan<A>,
        plan: impl Fn() -> Result<Plan<A>>,
    ) -> Result<MutationAnswer<A>> {
        let Plan { summary, change, answer, retry_on_conflict } = first;
        let Some(edits) = change.edits() else { return Ok(unchanged_answer(answer)) };
        let _lock = self.lock(target.call)?;
        self.recover(target.tree)?;
        match self.write_edits(target, edits, summary, change.undone_change()) {
            Ok(id) => Ok(committed_answer(answer, edits, id)),
            Err(problem) if problem.code == ProblemCode::Conflict && retry_on_conflict => {
                self.commit_replanned(target, plan()?, edits, problem)
            }
            Err(problem) => Err(problem),
        }
    }

    /// Plans again after a conflict with another writer. If the new plan is the same, the conflict
    /// is returned.
    fn commit_replanned<A>(
        &self,
        target: CommitTarget<'_>,
        plan: Plan<A>,
        before: &[FileEdit],
        problem: Problem,
    ) -> Result<MutationAnswer<A>> {
        match plan.change {
            PlannedChange::Files(edits) if edits != before => {
                let id = self.write_edits(target, &edits, plan.summary, None)?;
                Ok(committed_answer(plan.answer, &edits, id))
            }
            PlannedChange::Nothing => Ok(unchanged_answer(plan.answer)),
            _ => Err(problem),
        }
    }

    fn write_edits(
        &self,
        target: CommitTarget<'_>,
        edits: &[FileEdit],
        summary: String,
        undoes: Option<ChangeId>,
    ) -> Result<ChangeId> {
        let CommitTarget { tree, call, .. } = target;
        tree::check_edits(tree, edits)?; // a change that is refused needs no number
        let number = self.counter.reserve(self.journal.highest_number(), 1, call)?;
        let title = ChangeTitle { id: ChangeId(number), summary, undoes };
        let entry = self.journal.commit(tree, &self.disk, edits, title, call)?;
        self.journal.prune(&self.disk);
        Ok(entry.id)
    }

    /// Commits a change to a store. Writers queue at its lock, so an outdated plan is made once
    /// more and is then valid.
    fn commit_to_store<A>(
        &self,
        target: CommitTarget<'_>,
        mut planned: Plan<A>,
        basis: StorePlanBasis,
        plan: impl Fn() -> Result<PlannedWrite<A>>,
    ) -> Result<MutationAnswer<A>> {
        let CommitTarget { stores, call, .. } = target;
        let PlannedChange::Store(change) = &planned.change else {
            return Ok(unchanged_answer(planned.answer));
        };
        let durable = stores.find(change.store())?;
        let is_outdated = (target.before_store_write)()?;
        stores.create_branch_store(&basis.locations, &durable, call)?;
        let file = basis.locations.write_path(&durable);
        let _lock = StoreManager::lock(&file, call)?;
        let mut team = stores.team().begin_write(&durable, &basis.locations, call)?;
        let own = file.clone();
        let file = team.path(&own).to_path_buf();
        let (mut revision, mut pulled) = (basis.revision, basis.pulled);
        if is_outdated || stores.open_stores().revision(&durable, &file)? != revision {
            let PlannedWrite { plan: again, store_basis } = plan()?;
            refuse_other_change(&planned, &again)?;
            let Some(basis) = store_basis else { return Ok(unchanged_answer(again.answer)) };
            if basis.locations.write_path(&durable) != own {
                return Err(Problem::new(
                    ProblemCode::Busy,
                    "another branch was checked out in the meantime",
                )
                .hint("repeat the request"));
            }
            (planned, revision, pulled) = (again, basis.revision, basis.pulled);
        }
        let Plan { summary, change, answer, .. } = planned;
        let PlannedChange::Store(change) = change else { return Ok(unchanged_answer(answer)) };
        let commit = |team: &TeamWrite| {
            stores.open_stores().commit(&StoreCommit {
                durable: &durable,
                path: &file,
                change: change.as_ref(),
                planned_from: revision,
                pulled: pulled.as_deref(),
                summary: &summary,
                counter: &self.counter,
                team,
                link: stores.team(),
                call,
            })
        };
        let committed = match commit(&team) {
            Err(problem) => {
                match team.without_server(stores.team(), &basis.locations, &durable, call)? {
                    None => return Err(problem),
                    Some(offline) => {
                        team = offline;
                        commit(&team)?
                    }
                }
            }
            Ok(id) => id,
        };
        stores.team().note_write(&team, call);
        Ok(MutationAnswer { result: answer, files: Vec::new(), change: committed, diff: None })
    }

    fn lock(&self, call: &Call) -> Result<tree::FileLock> {
        self.folders.check()?;
        std::fs::create_dir_all(&self.folders.local)
            .map_err(Problem::io("make the journal's folder"))?;
        tree::lock(&self.lock_file(), WRITE_LOCK_TIMEOUT, call)
    }

    fn lock_file(&self) -> PathBuf {
        self.folders.local.join("write.lock")
    }

    fn recover(&self, tree: &WorkingTree) -> Result<()> {
        let found = self.journal.recover(tree, &self.disk)?;
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        notices.extend(found.iter().map(recovery_text));
        Ok(())
    }

    /// A change that cannot be completed now must not keep anybody from reading.
    fn add_recovery_notice(&self, problem: &Problem) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        notices.push(format!("an interrupted change could not be completed: {problem}"));
    }
}

/// A plan made again may mean another change: an `undo` without a number means the caller's last
/// change, which now is a newer one, perhaps of files or of another store.
fn refuse_other_change<A>(first: &Plan<A>, again: &Plan<A>) -> Result<()> {
    let is_same_store = match (&first.change, &again.change) {
        (_, PlannedChange::Nothing) => true,
        (PlannedChange::Store(first), PlannedChange::Store(again)) => {
            first.store() == again.store()
        }
        _ => false,
    };
    if is_same_store && (first.retry_on_conflict || first.summary == again.summary) {
        return Ok(());
    }
    let message = format!(
        "another change came between: this would now be \"{}\" instead of \"{}\"",
        again.summary, first.summary
    );
    Err(Problem::new(ProblemCode::Conflict, message)
        .hint("nothing was changed; repeat the request"))
}

fn unchanged_answer<A>(result: A) -> MutationAnswer<A> {
    MutationAnswer { result, files: Vec::new(), change: None, diff: None }
}

fn committed_answer<A>(result: A, edits: &[FileEdit], id: ChangeId) -> MutationAnswer<A> {
    let files = edits.iter().map(|edit| edit.path.clone()).collect::<Vec<RepoPath>>();
    MutationAnswer { result, files, change: Some(id.to_string()), diff: None }
}

fn recovery_text(recovered: &RecoveryOutcome) -> String {
    match recovered {
        RecoveryOutcome::Finished(entry) => {
            format!("change {} ({}) was interrupted and is now complete", entry.id, entry.summary)
        }
        RecoveryOutcome::Discarded(id) => {
            format!("change {id} was interrupted before it began; nothing of it was written")
        }
        RecoveryOutcome::PartlyFinished(entry, files) => {
            let files: Vec<String> = files.iter().map(ToString::to_string).collect();
            format!(
                "change {} ({}) was interrupted; files that were edited since are left alone: {}",
                entry.id,
                entry.summary,
                files.join(", ")
            )
        }
    }
}
