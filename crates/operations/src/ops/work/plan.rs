//! `work.plan`: creates or changes a whole plan at once.

use base::words::counted;
use base::{NextCall, Problem, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::plan::{AppliedPlan, PlanOptions, PlanRow, TextChange, apply, markdown};

use engine::areas::work::{pipelines, plan};
use engine::contract::args::NodeTarget;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, PageCell, Render};
use engine::plan::Plan as ChangePlan;
use engine::view::View;

/// The largest file with a plan, in bytes.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// How many created and changed records a page shows.
const MAX_SHOWN_ROWS: usize = 60;

/// How many lines of a changed text a page shows.
const MAX_SHOWN_LINES: usize = 12;

/// How many relations that could not be made a page shows.
const MAX_SHOWN_SKIPPED: usize = 20;

/// The name of a project where the folder of the repository has none.
const DEFAULT_PROJECT: &str = "Project";

/// Create or update a feature with its tasks, sections, files and blockers from one text
///
/// Markdown: `# Feature: name`, `## Task: name`, below a heading fields such as `- blocked by: name` or
/// `- files: a.ts`, then text; `### Title` is a section. What exists is changed. `dry_run` shows it.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Markdown file of the repository with the plan
    #[serde(default)]
    pub file: Option<NodeTarget>,
    /// Plan as Markdown text, instead of a file
    #[arg(long, conflicts_with = "file", allow_hyphen_values = true)]
    #[serde(default)]
    pub text: Option<String>,
    /// Project that the plan is for; created if there is none
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    #[schemars(extend("x-rare" = true))]
    pub project: Option<WorkRecordRef>,
}

/// What a plan creates and changes
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanAnswer {
    /// The records and their changes
    #[serde(flatten)]
    pub applied: AppliedPlan,
    #[serde(skip)]
    is_made: bool,
}

impl Mutation for Plan {
    const NAME: &'static str = "work.plan";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "PLAN.md --dry-run", shows: "what a plan would create and change" },
        OpExample { args: "PLAN.md", shows: "the plan applied" },
    ];
    type Answer = PlanAnswer;

    fn plan(self, view: &View) -> Result<ChangePlan<PlanAnswer>> {
        let text = match (&self.text, &self.file) {
            (Some(text), _) => text.clone(),
            (None, Some(file)) => read_file(view, file)?,
            (None, None) => {
                return Err(Problem::invalid("missing `file` or `text`"));
            }
        };
        let document = markdown::parse(&text)?;
        let pipelines = pipelines(view)?;
        let name = repository_name(view);
        let told = |done: &PlanAnswer| {
            format!(
                "plan {} new and {} changed records",
                done.applied.created, done.applied.changed
            )
        };
        plan(view, told, |draft| {
            let options = PlanOptions {
                project: self.project.as_ref(),
                new_project_name: &name,
                is_lenient: false,
            };
            let applied = apply(draft, &pipelines, &document, options)?;
            Ok(PlanAnswer { applied, is_made: false })
        })
    }

    fn committed(_: &View, answer: &mut PlanAnswer) {
        answer.is_made = true;
    }
}

/// The text of a file of the repository.
pub(super) fn read_file(view: &View, file: &NodeTarget) -> Result<String> {
    let node = engine::graph::resolve(view, file)?;
    let path = node.path().ok_or_else(|| Problem::invalid(format!("{node} is not a file")))?;
    read_path(view, path)
}

/// The text of a path of the repository.
pub(super) fn read_path(view: &View, path: &RepoPath) -> Result<String> {
    match view.tree().read_at_most(path, MAX_FILE_BYTES)? {
        Some(Ok(file)) => String::from_utf8(file.bytes.clone())
            .map_err(|_| Problem::invalid(format!("`{path}` is not UTF-8 text"))),
        Some(Err(size)) => Err(Problem::invalid(format!("`{path}` has {size} bytes"))
            .hint(format!("at most {MAX_FILE_BYTES} are read"))),
        None => Err(Problem::not_found(format!("no file `{path}`"))),
    }
}

/// The name of a new project: that of the folder of the repository.
pub(super) fn repository_name(view: &View) -> String {
    let name = view.tree().root().file_name().map(|name| name.to_string_lossy().trim().to_owned());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| DEFAULT_PROJECT.into())
}

impl Render for PlanAnswer {
    fn render(&self, page: &mut Page) {
        render_applied(page, &self.applied, self.is_made);
        if self.is_made && self.applied.rows.iter().any(|row| row.is_new) {
            page.say_call("To start the first task:", NextCall::new("work.start"));
        }
    }

    fn shows_change(&self) -> bool {
        true
    }
}

/// The words about a new record, without its sections, which are counted in the first line, and
/// without relations that are listed at their other ends.
fn new_record_words(change: &str) -> String {
    const WAITS: &str = "blocked by ";
    const ELSEWHERE: [&str; 5] = ["created", "blocks ", "parent of ", "led to ", "duplicated by "];
    let is_told = |part: &&str| !ELSEWHERE.iter().any(|start| part.starts_with(start));
    let parts: Vec<&str> = change.split("; ").filter(is_told).collect();
    let (waits, others): (Vec<&str>, Vec<&str>) = parts
        .into_iter()
        .filter(|part| !part.starts_with(SECTION))
        .partition(|part| part.starts_with(WAITS));
    let blockers: Vec<&str> = waits.iter().filter_map(|part| part.strip_prefix(WAITS)).collect();
    let waits = (!blockers.is_empty()).then(|| format!("{WAITS}{}", blockers.join(", ")));
    let others = others.into_iter().map(ToOwned::to_owned);
    waits.into_iter().chain(others).collect::<Vec<String>>().join("; ")
}

/// How a change of a section begins.
const SECTION: &str = "section ";

/// How many records are created, changed and left as they are; zeros are left out. In a dry run, with
/// how many sections the new ones have.
fn count_words(applied: &AppliedPlan, is_made: bool) -> String {
    let created = applied.rows.iter().filter(|row| row.is_new);
    let sections = created.flat_map(|row| row.change.split("; "));
    let sections = sections.filter(|part| part.starts_with(SECTION)).count();
    let created = match (is_made, sections) {
        (true, _) | (_, 0) => "created".to_owned(),
        _ => format!("created with {}", counted(sections, "section")),
    };
    let counts = [
        (applied.created, created.as_str()),
        (applied.changed, "changed"),
        (applied.unchanged, "unchanged"),
    ];
    let words = counts.iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> = words.map(|(count, word)| format!("{count} {word}")).collect();
    if words.is_empty() { "it has no tasks".into() } else { words.join(", ") }
}

/// Renders the lines of a text that a plan replaces.
fn render_text_change(page: &mut Page, change: &TextChange) {
    page.say(format!("   {}", change.text));
    let removed = change.removed.iter().map(|line| ("-", line));
    let added = change.added.iter().map(|line| ("+", line));
    let lines: Vec<(&str, &String)> = removed.chain(added).collect();
    for (mark, line) in lines.iter().take(MAX_SHOWN_LINES) {
        page.say(format!("   {mark} {line}"));
    }
    if lines.len() > MAX_SHOWN_LINES {
        page.say(format!("   …  {} more", counted(lines.len() - MAX_SHOWN_LINES, "line")));
    }
}

/// Renders what a plan creates and changes, as a diff. In a dry run new records have no handles
/// yet, so their fields are shown; afterwards only their handles are.
pub(super) fn render_applied(page: &mut Page, applied: &AppliedPlan, is_made: bool) {
    page.answer(format!(
        "Plan for project \"{}\": {}",
        applied.project.name,
        count_words(applied, is_made)
    ));
    // Names differ much in length, so columns would mostly be empty.
    let cells = |row: &PlanRow| {
        let (mark, change) = match (row.is_new, is_made) {
            (true, true) => ("+", String::new()),
            (true, false) => ("+", new_record_words(&row.change)),
            (false, _) => ("~", row.change.clone()),
        };
        let handle = match row.is_new && !is_made {
            true => String::new(),
            false => row.what.handle(),
        };
        let name = format!("{} \"{}\"", row.what.kind, row.what.name);
        vec![
            PageCell::strong(mark),
            PageCell::text(name),
            PageCell::handle(handle),
            PageCell::faint(change),
        ]
    };
    let rows = applied.rows.iter().take(MAX_SHOWN_ROWS);
    for row in rows {
        page.table(0, vec![cells(row)]);
        if !is_made {
            row.texts.iter().for_each(|text| render_text_change(page, text));
        }
    }
    if applied.rows.len() > MAX_SHOWN_ROWS {
        page.say(format!("…  {} more", applied.rows.len() - MAX_SHOWN_ROWS));
    }
    if !applied.skipped.is_empty() {
        let count = counted(applied.skipped.len(), "relation");
        page.heading(format!("{count} could not be created"));
        let shown = applied.skipped.iter().take(MAX_SHOWN_SKIPPED);
        shown.for_each(|line| page.say(format!("  {line}")));
    }
    if !applied.left_out.is_empty() {
        page.heading(format!("{} not read", counted(applied.left_out.len(), "part")));
        let shown = applied.left_out.iter().take(MAX_SHOWN_SKIPPED);
        shown.for_each(|line| page.say(format!("  {line}")));
    }
}
