//! Making, changing and removing projects, features and tasks. Their state is not set here.

use base::words::counted;
use base::{Code, NextCall, Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::blocks::{self, Freed};
use crate::container::{Brief, Container, check_version, project};
use crate::depend::{refuse_cycle, tie};
use crate::draft::Draft;
use crate::flow::named;
use crate::graph::remove_project_knowledge;
use crate::id::{Id, Ref};
use crate::record::{Claim, Dependency, Feature, Project, Section, Task};
use crate::text::{Knowledge, Many, Name, OrNone, Summary, Tag, tags};
use crate::words::{Kind, Priority, Relation, Status};

/// How hard a task is unless somebody says.
const COMPLEXITY: u32 = 5;

/// What to make or change. What is absent stays as it is, or gets its default.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    /// What it is called
    pub name: Option<Name>,
    /// What it is about, in short
    pub summary: Option<Summary>,
    /// What it is about
    pub description: Option<Knowledge>,
    /// How urgent it is
    pub priority: Option<Priority>,
    /// How hard it is
    pub complexity: Option<u32>,
    /// Labels
    pub tags: Option<Many<Tag>>,
    /// A task's feature
    pub feature: Option<OrNone<Ref>>,
    /// Work it has to do with
    pub related_to: Option<Many<Ref>>,
}

/// What a deletion took along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Deleted {
    /// What was deleted
    #[serde(flatten)]
    pub what: Brief,
    /// How many features went with it
    pub features: usize,
    /// How many tasks went with it
    pub tasks: usize,
    /// How many sections went with it
    pub sections: usize,
    /// How many molecules and atoms went with it
    pub knowledge: usize,
    /// What it had blocked and blocks no more
    pub unblocked: Vec<Freed>,
}

/// Makes a project, feature or task.
pub fn create(
    draft: &mut Draft<'_>,
    (kind, project_ref): (Kind, Option<&Ref>),
    fields: &Fields,
) -> Result<Container> {
    let Some(name) = &fields.name else {
        return Err(Problem::invalid(format!("a {kind} needs a name")));
    };
    fields.refuse_odd(kind)?;
    let (id, now) = (draft.new_id(), draft.stamp());
    let (summary, description) = (fields.text_of(), fields.description_of());
    let tags = fields.tags.as_ref().map(tags).unwrap_or_default();
    let name = name.as_str().trim().to_owned();
    let (created_at, updated_at) = (now.clone(), now);
    let priority = fields.priority.unwrap_or(Priority::Medium);
    let container = match kind {
        Kind::Project => Container::Project(Project {
            id,
            name,
            summary,
            description,
            tags,
            version: 1,
            created_at,
            updated_at,
        }),
        Kind::Feature => {
            let project_id = project(draft, project_ref)?.id;
            Container::Feature(Feature {
                id,
                project_id,
                name,
                summary,
                description,
                status: Status::New,
                priority,
                tags,
                ended_from: None,
                end_reason: None,
                version: 1,
                created_at,
                updated_at,
            })
        }
        Kind::Task => {
            let feature = fields.feature.as_ref().and_then(|feature| feature.0.as_ref());
            let feature: Option<Feature> = feature.map(|id| draft.find(id)).transpose()?;
            let project_id = match (&feature, project_ref) {
                (Some(feature), None) => feature.project_id.clone(),
                (_, asked) => project(draft, asked)?.id,
            };
            if let Some(feature) = &feature {
                check_home(feature, &project_id, true)?;
            }
            Container::Task(Task {
                id,
                project_id,
                feature_id: feature.map(|feature| feature.id),
                title: name,
                summary,
                description,
                status: Status::New,
                priority,
                complexity: fields.complexity.unwrap_or(COMPLEXITY),
                tags,
                evidence: Vec::new(),
                end_reason: None,
                version: 1,
                created_at,
                updated_at,
            })
        }
    };
    container.put(draft)?;
    relate(draft, &container, fields)?;
    Ok(container)
}

/// Changes a project, feature or task.
pub fn update(
    draft: &mut Draft<'_>,
    (kind, id): (Option<Kind>, &Ref),
    version: u32,
    fields: &Fields,
) -> Result<Container> {
    let mut container = Container::find(draft, kinds(kind).as_slice(), id)?;
    check_version(&named(&container), container.version(), Some(version))?;
    fields.refuse_odd(container.kind())?;
    let feature = match (&container, &fields.feature) {
        (Container::Task(task), Some(feature)) => Some(move_task(draft, task, feature)?),
        _ => None,
    };
    let now = draft.stamp();
    let name = fields.name.as_ref().map(|name| name.as_str().trim().to_owned());
    let summary = fields.summary.as_ref().map(|text| text.as_str().trim().to_owned());
    let description = fields.description.as_ref().map(|text| text.as_str().trim().to_owned());
    macro_rules! set {
        ($record:expr, $name:ident) => {{
            let record = $record;
            record.$name = name.unwrap_or(std::mem::take(&mut record.$name));
            record.summary = summary.unwrap_or(std::mem::take(&mut record.summary));
            record.description = description.unwrap_or(std::mem::take(&mut record.description));
            record.tags = fields.tags.as_ref().map_or(std::mem::take(&mut record.tags), tags);
            (record.version, record.updated_at) = (record.version + 1, now);
        }};
    }
    match &mut container {
        Container::Project(project) => set!(project, name),
        Container::Feature(feature) => {
            feature.priority = fields.priority.unwrap_or(feature.priority);
            set!(feature, name);
        }
        Container::Task(task) => {
            task.priority = fields.priority.unwrap_or(task.priority);
            task.complexity = fields.complexity.unwrap_or(task.complexity);
            task.feature_id = feature.unwrap_or(task.feature_id.take());
            set!(task, title);
        }
    }
    container.put(draft)?;
    relate(draft, &container, fields)?;
    Ok(container)
}

/// Removes a project, feature or task with everything that hangs on it alone.
pub fn delete(
    draft: &mut Draft<'_>,
    (kind, id): (Option<Kind>, &Ref),
    version: u32,
    cascade: bool,
) -> Result<Deleted> {
    let container = Container::find(draft, kinds(kind).as_slice(), id)?;
    check_version(&named(&container), container.version(), Some(version))?;
    let mut deleted = Deleted {
        what: container.brief(),
        features: 0,
        tasks: 0,
        sections: 0,
        knowledge: 0,
        unblocked: Vec::new(),
    };
    let (features, tasks): (Vec<Feature>, Vec<Task>) = match &container {
        Container::Project(project) => {
            (draft.list("project_id", &project.id)?, draft.list("project_id", &project.id)?)
        }
        Container::Feature(feature) => (Vec::new(), draft.list("feature_id", &feature.id)?),
        Container::Task(_) => (Vec::new(), Vec::new()),
    };
    let knowledge = match &container {
        Container::Project(project) => crate::graph::count_knowledge(draft, &project.id)?,
        _ => 0,
    };
    let is_empty = features.is_empty() && tasks.is_empty() && knowledge == 0;
    if !cascade && !is_empty {
        let what = format!(
            "{} still holds {}, {} and {}",
            named(&container),
            counted(features.len(), "feature"),
            counted(tasks.len(), "task"),
            counted(knowledge, "record") + " of knowledge"
        );
        return Err(Problem::new(Code::HasChildren, what)
            .detail("features", features.len())
            .detail("tasks", tasks.len())
            .detail("knowledge", knowledge)
            .hint("cascade deletes them too"));
    }
    for task in tasks {
        deleted.tasks += 1;
        remove(draft, &Container::Task(task), &mut deleted)?;
    }
    for feature in features {
        deleted.features += 1;
        remove(draft, &Container::Feature(feature), &mut deleted)?;
    }
    if let Container::Project(project) = &container {
        deleted.knowledge = knowledge;
        remove_project_knowledge(draft, &project.id)?;
    }
    remove(draft, &container, &mut deleted)?;
    let is_there = |freed: &Freed| Container::of_id(draft, &freed.what.id).map(|one| one.is_some());
    let mut kept = Vec::new();
    for freed in std::mem::take(&mut deleted.unblocked) {
        if is_there(&freed)? {
            kept.push(freed);
        }
    }
    deleted.unblocked = kept;
    Ok(deleted)
}

fn remove(draft: &mut Draft<'_>, container: &Container, deleted: &mut Deleted) -> Result<()> {
    let id = container.id();
    deleted.unblocked.extend(blocks::delete(draft, id)?);
    let ties = [draft.list::<Dependency>("from_id", id)?, draft.list("to_id", id)?].concat();
    for tie in ties {
        draft.delete::<Dependency>(&tie.id)?;
    }
    for section in draft.list::<Section>("entity_id", id)? {
        deleted.sections += 1;
        draft.delete::<Section>(&section.id)?;
    }
    match container {
        Container::Project(_) => draft.delete::<Project>(id),
        Container::Feature(_) => draft.delete::<Feature>(id),
        Container::Task(_) => {
            draft.delete::<Claim>(id)?;
            draft.delete::<Task>(id)
        }
    }
}

/// The kinds that a caller may mean.
pub fn kinds(kind: Option<Kind>) -> Vec<Kind> {
    kind.map_or_else(|| Kind::ALL.to_vec(), |kind| vec![kind])
}

impl Fields {
    /// Refuses what a kind does not have.
    fn refuse_odd(&self, kind: Kind) -> Result<()> {
        let odd = match kind {
            Kind::Project if self.priority.is_some() => "priority",
            Kind::Project | Kind::Feature if self.complexity.is_some() => "complexity",
            Kind::Project | Kind::Feature if self.feature.is_some() => "feature",
            _ if self.complexity.is_some_and(|complexity| !(1..=10).contains(&complexity)) => {
                return Err(Problem::invalid("`complexity` is from 1 to 10"));
            }
            _ => return Ok(()),
        };
        Err(Problem::invalid(format!("a {kind} has no `{odd}`")))
    }

    fn text_of(&self) -> String {
        self.summary.as_ref().map_or("", Summary::as_str).trim().into()
    }

    fn description_of(&self) -> String {
        self.description.as_ref().map_or("", Knowledge::as_str).trim().into()
    }
}

fn relate(draft: &mut Draft<'_>, container: &Container, fields: &Fields) -> Result<()> {
    let Some(others) = &fields.related_to else { return Ok(()) };
    if container.kind() == Kind::Project {
        return Err(Problem::invalid("a project has no `related_to`"));
    }
    for other in &others.0 {
        let other = Container::find(draft, &[Kind::Feature, Kind::Task], other)?;
        tie(draft, (Some(container.clone()), other), Relation::RelatesTo, "")?;
    }
    Ok(())
}

/// The feature that a task goes to, if it may.
fn move_task(draft: &Draft<'_>, task: &Task, to: &OrNone<Ref>) -> Result<Option<Id>> {
    let Some(to) = &to.0 else { return Ok(None) };
    let feature: Feature = draft.find(to)?;
    check_home(&feature, &task.project_id, !task.status.is_terminal())?;
    let id = feature.id.clone();
    if !task.status.is_terminal() {
        // The feature will wait for the task: the task must not wait for the feature.
        refuse_cycle(draft, &Container::Task(task.clone()), &Container::Feature(feature))?;
    }
    Ok(Some(id))
}

/// Whether a feature can have a task of this project, which may be open.
fn check_home(feature: &Feature, project: &Id, is_open: bool) -> Result<()> {
    if feature.project_id != *project {
        let what = format!("feature \"{}\" is of another project", feature.name);
        return Err(Problem::new(Code::InvariantViolation, what));
    }
    if is_open && feature.status.is_terminal() {
        let what =
            format!("feature \"{}\" is {}: it takes no open task", feature.name, feature.status);
        return Err(Problem::new(Code::InvalidOperation, what).hint_call(
            "reopen it with",
            NextCall::to("work.revert").with("id", format!("feature:{}", feature.id.short())),
        ));
    }
    Ok(())
}
