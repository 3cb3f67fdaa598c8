//! No sequence of operations, by several clients, leaves a row that breaks an invariant.

use base::Result;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use store::Connection;
use work::claim::{ClaimRequest, ClaimScope, claim, release};
use work::dependencies::{BlockerRef, add_dependency, block, unblock};
use work::edit::{self, WorkItemFields};
use work::events::comment;
use work::knowledge::edit as graph;
use work::pipeline::{self, TerminationOptions, TransitionTarget, WorkPipelines};
use work::record::{Atom, Feature, Molecule, Project, Task, TaskClaim};
use work::start::start;
use work::text::{ClearableArg, ListArg};
use work::words::{DependencyKind, KnowledgeKind, WorkKind, WorkStatus};
use work::{VersionedRef, WorkDraft, WorkItem, WorkRecordId, WorkRecordRef, check};

/// What a client does. Numbers pick among the records there are.
#[derive(Debug, Clone)]
enum Deed {
    Create(WorkKind, usize),
    Update(usize, usize),
    Delete(WorkKind, usize, bool),
    Advance(WorkKind, usize),
    Revert(WorkKind, usize),
    Terminate(WorkKind, usize, bool),
    Block(usize, usize),
    BlockFeature(usize, usize),
    Unblock(usize),
    Depend(usize, usize),
    Claim,
    ClaimOne(usize, bool),
    Start(usize),
    Release(usize),
    Comment(usize),
    Part(usize, usize),
    Relate(usize, usize, DependencyKind),
    Know(KnowledgeKind, usize),
    Forget(KnowledgeKind, usize, bool),
    /// Undo the last change that is not undone
    Undo,
    /// Commit the plan that the last `Late` made, then make another one; if its rows have changed
    /// since, the store must refuse it
    Late(usize),
}

fn deed() -> impl Strategy<Value = Deed> {
    let kind = prop::sample::select(vec![WorkKind::Project, WorkKind::Feature, WorkKind::Task]);
    let work = prop::sample::select(vec![WorkKind::Feature, WorkKind::Task]);
    let grain = prop::sample::select(vec![KnowledgeKind::Atom, KnowledgeKind::Molecule]);
    let relation = prop::sample::select(DependencyKind::ALL.to_vec());
    let n = 0..6_usize;
    prop_oneof![
        6 => (kind.clone(), n.clone()).prop_map(|(k, n)| Deed::Create(k, n)),
        2 => (n.clone(), n.clone()).prop_map(|(a, b)| Deed::Update(a, b)),
        1 => (kind, n.clone(), any::<bool>()).prop_map(|(k, n, c)| Deed::Delete(k, n, c)),
        8 => (work.clone(), n.clone()).prop_map(|(k, n)| Deed::Advance(k, n)),
        3 => (work.clone(), n.clone()).prop_map(|(k, n)| Deed::Revert(k, n)),
        1 => (work, n.clone(), any::<bool>()).prop_map(|(k, n, c)| Deed::Terminate(k, n, c)),
        3 => (n.clone(), n.clone()).prop_map(|(a, b)| Deed::Block(a, b)),
        2 => (n.clone(), n.clone()).prop_map(|(a, b)| Deed::BlockFeature(a, b)),
        1 => n.clone().prop_map(Deed::Unblock),
        2 => (n.clone(), n.clone()).prop_map(|(a, b)| Deed::Depend(a, b)),
        2 => Just(Deed::Claim),
        1 => (n.clone(), any::<bool>()).prop_map(|(n, steal)| Deed::ClaimOne(n, steal)),
        3 => n.clone().prop_map(Deed::Start),
        1 => n.clone().prop_map(Deed::Release),
        1 => n.clone().prop_map(Deed::Comment),
        3 => (n.clone(), n.clone()).prop_map(|(a, b)| Deed::Part(a, b)),
        1 => (n.clone(), n.clone(), relation).prop_map(|(a, b, r)| Deed::Relate(a, b, r)),
        3 => (grain.clone(), n.clone()).prop_map(|(g, n)| Deed::Know(g, n)),
        1 => (grain, n.clone(), any::<bool>()).prop_map(|(g, n, c)| Deed::Forget(g, n, c)),
        2 => Just(Deed::Undo),
        2 => n.prop_map(Deed::Late),
    ]
}

fn request<'a>(
    task: Option<&'a WorkRecordRef>,
    scope: ClaimScope<'a>,
    steal: bool,
) -> ClaimRequest<'a> {
    ClaimRequest { task, scope, minutes: 30, steal }
}

fn pipelines() -> WorkPipelines {
    let feature =
        vec![WorkStatus::New, WorkStatus::Active, WorkStatus::ReadyToProd, WorkStatus::Closed];
    let task = vec![
        WorkStatus::New,
        WorkStatus::Active,
        WorkStatus::ToBeTested,
        WorkStatus::ReadyToProd,
        WorkStatus::Closed,
    ];
    WorkPipelines { feature, task, evidence: Vec::new() }
}

/// A store, and the clock of its clients.
struct Shop {
    conn: Connection,
    now: Timestamp,
    number: u8,
    done: Vec<Vec<work::WorkRowChange>>,
    /// Row changes that were planned earlier and not yet committed
    late: Option<Vec<work::WorkRowChange>>,
}

fn pick<T: Clone>(all: &[T], n: usize) -> Option<T> {
    if all.is_empty() { None } else { all.get(n % all.len()).cloned() }
}

fn reference(id: &WorkRecordId) -> WorkRecordRef {
    WorkRecordRef::from(id)
}

impl Shop {
    fn new() -> Self {
        let conn = Connection::open_in_memory().unwrap();
        for step in work::tables::MIGRATIONS {
            conn.execute_batch(step.sql).unwrap();
        }
        let now = "2026-01-02T03:04:05Z".parse().unwrap();
        Self { conn, now, number: 0, done: Vec::new(), late: None }
    }

    fn draft(&mut self) -> WorkDraft<'_> {
        self.number = self.number.wrapping_add(1);
        self.now += SignedDuration::from_mins(7);
        let actor = ["ada", "bob", "cyd"][usize::from(self.number) % 3];
        let mut seed = [self.number; 32];
        seed[31] = u8::try_from(self.done.len() % 251).unwrap();
        // Ada works in two sessions.
        let session = format!("{actor} {}", self.number % 2);
        WorkDraft::new(&self.conn, self.now, actor, seed).in_session(&session)
    }

    /// Plans a deed, and commits it if the plan is valid.
    fn perform(&mut self, deed: &Deed) {
        if let Deed::Undo = deed {
            let Some(last) = self.done.pop() else { return };
            let inverse = store::inverse_row_changes(&last);
            self.commit(&inverse, true);
            return;
        }
        if let Deed::Late(n) = deed {
            let kept = self.late.take();
            if let Some(images) = kept {
                self.commit(&images, false); // rows that changed since make it a conflict
            }
            let mut draft = self.draft();
            let task = pick(&draft.all::<Task>().unwrap(), *n);
            let planned = task.map(|task| {
                let fields = WorkItemFields {
                    name: Some("late".parse().unwrap()),
                    ..WorkItemFields::default()
                };
                let id = reference(&task.id);
                let target = VersionedRef { id: &id, version: Some(task.version) };
                edit::update(&mut draft, None, target, &fields)
            });
            if matches!(planned, Some(Ok(_))) {
                self.late = Some(draft.into_changes());
            }
            return;
        }
        let mut draft = self.draft();
        if plan(&mut draft, deed).is_ok() {
            draft.record_events().unwrap();
            let images = draft.into_changes();
            self.commit(&images, false);
        }
    }

    fn commit(&mut self, images: &[work::WorkRowChange], undoes: bool) {
        self.conn.execute_batch("SAVEPOINT one").unwrap();
        let done = work::draft::apply_changes(&self.conn, images);
        let is_sound = done.is_ok()
            && (!undoes || check::integrity_violations(&self.conn).unwrap().is_empty());
        let end = if is_sound { "RELEASE one" } else { "ROLLBACK TO one; RELEASE one" };
        self.conn.execute_batch(end).unwrap();
        if is_sound && !undoes {
            self.done.push(images.to_vec());
        }
    }
}

#[expect(clippy::too_many_lines, reason = "one arm a kind of change")]
fn plan(draft: &mut WorkDraft<'_>, deed: &Deed) -> Result<()> {
    let projects: Vec<Project> = draft.all()?;
    let features: Vec<Feature> = draft.all()?;
    let tasks: Vec<Task> = draft.all()?;
    let of_kind = |kind: WorkKind, n: usize| match kind {
        WorkKind::Project => pick(&projects, n).map(|one| (one.id, one.version)),
        WorkKind::Feature => pick(&features, n).map(|one| (one.id, one.version)),
        WorkKind::Task => pick(&tasks, n).map(|one| (one.id, one.version)),
    };
    let project = |n: usize| pick(&projects, n).map(|one| reference(&one.id));
    match deed {
        Deed::Create(kind, n) => {
            let feature = pick(&features, *n).filter(|_| *kind == WorkKind::Task && n % 2 == 0);
            let fields = WorkItemFields {
                name: Some("x".parse().unwrap()),
                feature: feature.map(|one| ClearableArg(Some(reference(&one.id)))),
                ..WorkItemFields::default()
            };
            let owner = if fields.feature.is_some() { None } else { project(*n) };
            edit::create(draft, *kind, owner.as_ref(), &fields).map(drop)
        }
        Deed::Update(a, b) => {
            let Some(task) = pick(&tasks, *a) else { return Ok(()) };
            let feature = pick(&features, *b).map(|one| reference(&one.id));
            let fields = WorkItemFields {
                feature: Some(ClearableArg(feature)),
                ..WorkItemFields::default()
            };
            let id = reference(&task.id);
            let target = VersionedRef { id: &id, version: Some(task.version) };
            edit::update(draft, None, target, &fields).map(drop)
        }
        Deed::Delete(kind, n, cascade) => {
            let Some((id, version)) = of_kind(*kind, *n) else { return Ok(()) };
            let id = reference(&id);
            let target = VersionedRef { id: &id, version: Some(version) };
            edit::delete(draft, Some(*kind), target, *cascade).map(drop)
        }
        Deed::Advance(kind, n) | Deed::Revert(kind, n) | Deed::Terminate(kind, n, _) => {
            let Some((id, version)) = of_kind(*kind, *n) else { return Ok(()) };
            let id = reference(&id);
            let step = TransitionTarget { kind: Some(*kind), id: &id, version: Some(version) };
            match deed {
                Deed::Advance(..) => pipeline::advance(draft, &pipelines(), &step, &[]),
                Deed::Revert(..) => pipeline::revert(draft, &pipelines(), &step),
                _ => pipeline::terminate(
                    draft,
                    &pipelines(),
                    &step,
                    TerminationOptions {
                        reason: Some("why"),
                        cascade: matches!(deed, Deed::Terminate(_, _, true)),
                    },
                ),
            }
            .map(drop)
        }
        Deed::Block(a, b) | Deed::BlockFeature(a, b) => {
            let kind =
                if matches!(deed, Deed::Block(..)) { WorkKind::Task } else { WorkKind::Feature };
            let (Some((to, _)), Some((from, _))) = (of_kind(WorkKind::Task, *a), of_kind(kind, *b))
            else {
                return Ok(());
            };
            let by = [BlockerRef::Work(reference(&from))];
            let to = reference(&to);
            block(draft, VersionedRef { id: &to, version: None }, &by, "").map(drop)
        }
        Deed::Unblock(n) => {
            let Some((to, _)) = of_kind(WorkKind::Task, *n) else { return Ok(()) };
            let to = reference(&to);
            unblock(draft, VersionedRef { id: &to, version: None }, &[]).map(drop)
        }
        Deed::Depend(a, b) => {
            let (Some((from, _)), Some((to, _))) =
                (of_kind(WorkKind::Task, *a), of_kind(WorkKind::Feature, *b))
            else {
                return Ok(());
            };
            let relation = if a > b { DependencyKind::RelatesTo } else { DependencyKind::Blocks };
            add_dependency(draft, &reference(&from), &reference(&to), relation, "").map(drop)
        }
        Deed::Claim => {
            let project = project(0);
            let among = ClaimScope { project: project.as_ref(), ..ClaimScope::default() };
            let live = draft.all::<TaskClaim>()?;
            let now = draft.stamp();
            let (task, _) = claim(draft, request(None, among, false))?;
            let taken = live.iter().any(|one| one.id == task.id && one.until > now);
            assert!(!taken, "two claims at once");
            Ok(())
        }
        Deed::ClaimOne(n, steal) => {
            let Some((id, _)) = of_kind(WorkKind::Task, *n) else { return Ok(()) };
            let id = reference(&id);
            claim(draft, request(Some(&id), ClaimScope::default(), *steal)).map(drop)
        }
        Deed::Start(n) => {
            let project = project(*n);
            let scope = ClaimScope { project: project.as_ref(), ..ClaimScope::default() };
            let live = draft.all::<TaskClaim>()?;
            let now = draft.stamp();
            let started = start(draft, &pipelines(), request(None, scope, false))?;
            let taken = live
                .iter()
                .any(|one| one.id == started.task.id && one.until > now && !one.is_held_by(draft));
            assert!(!taken, "two claims at once");
            Ok(())
        }
        Deed::Release(n) => {
            let Some((id, _)) = of_kind(WorkKind::Task, *n) else { return Ok(()) };
            release(draft, &reference(&id)).map(drop)
        }
        Deed::Comment(n) => {
            let Some(task) = pick(&tasks, *n) else { return Ok(()) };
            comment(draft, &WorkItem::Task(task), &"note".parse().unwrap()).map(drop)
        }
        Deed::Part(a, b) => {
            let (Some(part), Some(parent)) = (pick(&tasks, *a), pick(&tasks, *b)) else {
                return Ok(());
            };
            let fields = WorkItemFields {
                parent: Some(ClearableArg((a + b < 9).then(|| reference(&parent.id)))),
                ..WorkItemFields::default()
            };
            let id = reference(&part.id);
            edit::update(draft, None, VersionedRef { id: &id, version: None }, &fields).map(drop)
        }
        Deed::Relate(a, b, relation) => {
            let (Some(from), Some(to)) = (pick(&tasks, *a), pick(&tasks, *b)) else {
                return Ok(());
            };
            add_dependency(draft, &reference(&from.id), &reference(&to.id), *relation, "").map(drop)
        }
        Deed::Know(grain, n) => {
            let molecule =
                pick(&draft.all::<Molecule>()?, *n).filter(|_| *grain == KnowledgeKind::Atom);
            let paths =
                (*grain == KnowledgeKind::Atom).then(|| ListArg(vec!["src/**".parse().unwrap()]));
            let fields = graph::KnowledgeFields {
                name: Some("k".parse().unwrap()),
                paths,
                molecule: molecule.map(|one| ClearableArg(Some(reference(&one.id)))),
                ..graph::KnowledgeFields::default()
            };
            graph::create(draft, *grain, project(*n).as_ref(), &fields, None).map(drop)
        }
        Deed::Forget(grain, n, cascade) => {
            let known = match grain {
                KnowledgeKind::Atom => {
                    pick(&draft.all::<Atom>()?, *n).map(|one| (one.id, one.version))
                }
                KnowledgeKind::Molecule => {
                    pick(&draft.all::<Molecule>()?, *n).map(|one| (one.id, one.version))
                }
            };
            let Some((id, version)) = known else { return Ok(()) };
            let id = reference(&id);
            let target = graph::KnowledgeTarget { grain: Some(*grain), id: &id, version };
            graph::delete(draft, target, None, *cascade).map(drop)
        }
        Deed::Undo | Deed::Late(_) => Ok(()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_breaks_an_invariant(deeds in prop::collection::vec(deed(), 1..60)) {
        let mut shop = Shop::new();
        shop.perform(&Deed::Create(WorkKind::Project, 0));
        for deed in &deeds {
            shop.perform(deed);
            let broken = check::integrity_violations(&shop.conn).unwrap();
            prop_assert!(broken.is_empty(), "{deed:?}: {broken:?}");
        }
    }
}
