//! What a repository is, collected from all areas: for the operation `overview`, which a person
//! sees first, and for the hook at the start of an agent's session.

mod folders;
mod readme;

use base::{RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;
use work::query::overview as work_overview;
use work::words::WorkStatus;

use crate::answers::role::FileRole;
use engine::areas::history::HistoryReader;
use engine::areas::kb::kb_state;
use engine::areas::work::read_store;
use engine::index::tables;
use engine::rules::baseline::Baseline;
use engine::rules::{self, RuleFinding, RuleScope, RuleSeverity};
use engine::view::View;
use syntax::Language;

pub use folders::OverviewFolder;
pub use readme::ProjectSummary;

/// How many files, tasks or findings are shown of each.
const MAX_SHOWN: usize = 5;

/// What a repository is
#[derive(Debug, Serialize, JsonSchema)]
pub struct RepositoryOverview {
    /// The name of its folder
    pub name: String,
    /// The first paragraph of its README
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<ProjectSummary>,
    /// How many files it has
    pub files: u64,
    /// The languages, with the number of files of each, most first
    pub languages: Vec<LanguageCount>,
    /// The folders with most of the code
    pub folders: Vec<OverviewFolder>,
    /// How many smaller folders are not shown
    pub more_folders: usize,
    /// The files that change most
    pub busy_files: Vec<BusyFile>,
    /// Files that differ from the checked-out commit; the first of them
    pub edited: Vec<RepoPath>,
    /// How many files differ from the checked-out commit
    pub edited_count: usize,
    /// What somebody is working on
    pub active_work: Vec<ActiveWork>,
    /// How many tasks are open
    pub open_tasks: usize,
    /// How many cards there are
    pub cards: usize,
    /// How many cards are not implemented yet
    pub open_cards: usize,
    /// How many requirements, decisions and other facts there are
    pub facts: usize,
    /// How many errors `verify` finds
    pub errors: usize,
    /// How many warnings `verify` finds
    pub warnings: usize,
    /// The first of these problems, worst first
    pub problems: Vec<RuleFinding>,
    /// Whether `init` has been run here
    pub initialised: bool,
}

/// A language and how many files are written in it
#[derive(Debug, Serialize, JsonSchema)]
pub struct LanguageCount {
    /// The language
    pub language: String,
    /// How many files
    pub files: u64,
}

/// A file that changes often
#[derive(Debug, Serialize, JsonSchema)]
pub struct BusyFile {
    /// The file
    pub path: RepoPath,
    /// How many commits changed it
    pub commits: u64,
}

/// A task or feature that somebody works on
#[derive(Debug, Serialize, JsonSchema)]
pub struct ActiveWork {
    /// Its name
    pub name: String,
    /// Its status
    pub status: String,
    /// Its handle
    pub handle: String,
}

impl RepositoryOverview {
    /// Collects everything. Data that is not available, such as history, is left out, and the basis
    /// says so.
    pub(crate) fn collect(view: &View) -> Result<Self> {
        let conn = view.index()?.conn();
        let edited: Vec<RepoPath> =
            tables::edited(conn)?.into_iter().map(|(path, _)| path).collect();
        let cards = cards::all_cards(conn)?;
        let findings = rules::run(view, &RuleScope::Everything, &[])?.findings;
        let (findings, _) = Baseline::read(view, None)?.subtract(findings);
        let count = |severity| findings.iter().filter(|found| found.severity == severity).count();
        let languages = tables::language_counts(conn)?.into_iter();
        let (active_work, open_tasks) = work_in_progress(view)?;
        let (folders, more_folders) = folders::largest(view)?;
        let root = view.tree().root();
        Ok(Self {
            name: root.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            summary: readme::summary(view)?,
            files: tables::count_files(conn)?,
            languages: languages
                .map(|(language, files)| LanguageCount { language, files })
                .collect(),
            folders,
            more_folders,
            busy_files: busy_files(view)?,
            edited_count: edited.len(),
            edited: edited.into_iter().take(MAX_SHOWN).collect(),
            active_work,
            open_tasks,
            open_cards: cards.iter().filter(|card| !is_done(card.status)).count(),
            cards: cards.len(),
            facts: kb_state(view)?.model.facts().count(),
            errors: count(RuleSeverity::Error),
            warnings: count(RuleSeverity::Warning),
            problems: findings.into_iter().take(MAX_SHOWN).collect(),
            initialised: root.join(".cairn/schema/version").is_file(),
        })
    }
}

const fn is_done(status: cards::CardStatus) -> bool {
    matches!(status, cards::CardStatus::Implemented | cards::CardStatus::Deprecated)
}

/// The production code that most commits changed; empty if the history is not complete yet.
fn busy_files(view: &View) -> Result<Vec<BusyFile>> {
    let Some(history) = HistoryReader::open_if_ready(view)? else { return Ok(Vec::new()) };
    let churn = history.churn(view, None)?;
    let is_code = |path: &RepoPath| {
        Language::from_path(path).is_some_and(Language::is_code)
            && FileRole::of(path) == FileRole::Production
    };
    let files = history.live_files()?.into_iter().filter(|(path, _)| is_code(path));
    let counted = |(path, artifact): (RepoPath, _)| {
        churn.get(&artifact).map(|churn| BusyFile { path, commits: churn.commits })
    };
    let mut files: Vec<BusyFile> = files.filter_map(counted).collect();
    files.sort_by(|a, b| b.commits.cmp(&a.commits).then_with(|| a.path.cmp(&b.path)));
    files.truncate(MAX_SHOWN);
    Ok(files)
}

/// What is being worked on, and how many tasks are open.
fn work_in_progress(view: &View) -> Result<(Vec<ActiveWork>, usize)> {
    if engine::areas::work::is_empty(view)? {
        return Ok((Vec::new(), 0));
    }
    read_store(view, |draft| {
        let (mut active, mut open) = (Vec::new(), 0);
        for project in work_overview(draft, None, usize::MAX)? {
            let terminal = [WorkStatus::Closed, WorkStatus::WillNotImplement];
            let terminal = terminal.map(|status| status.to_string());
            let is_open = |status: &str| !terminal.iter().any(|done| done == status);
            open += project
                .tasks
                .iter()
                .filter(|(status, _)| is_open(status))
                .map(|(_, n)| n)
                .sum::<usize>();
            let children = project.children.into_iter().map(|child| child.what);
            active.extend(children.filter_map(|what| {
                let status = what
                    .status
                    .filter(|status| !status.is_terminal() && *status != WorkStatus::New)?;
                let handle = what.handle();
                Some(ActiveWork { name: what.name, status: status.to_string(), handle })
            }));
        }
        active.truncate(MAX_SHOWN);
        Ok((active, open))
    })
}
