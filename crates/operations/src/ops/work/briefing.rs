//! Everything that is needed to work on a task: its plan, its files with their source, what is known
//! about them, what it depends on, and how to show that it is done.

use std::collections::BTreeSet;

use base::{EntityRef, NextCall, RepoPath, Result};
use code::SymbolRow;
use schemars::JsonSchema;
use serde::Serialize;
use work::container::WorkItemBrief;
use work::dependencies::{DependencyView, dependencies_of};
use work::events::events_of;
use work::knowledge::context::{KnowledgePage, PathKnowledge};
use work::knowledge::files::{self, NamedLine, PLACEHOLDER};
use work::plan::import::IMPORTED_FIELDS;
use work::record::{Feature, Section, Task, WorkEvent};
use work::words::{DependencyKind, WorkEventKind, WorkStatus};
use work::{WorkDraft, WorkItem, WorkRecordId};

use super::dependencies::render_relation;
use crate::answers::line_choice::{LineChoice, contiguous_ranges};
use crate::answers::role::is_test_file;
use crate::answers::source::{Excerpt, LineRange, SourceText, omitted_lines_text};
use crate::answers::test_finder::tests_for;
use crate::locate;
use crate::ops::knowledge::details::render_known;
use engine::areas::work::{context_files, expand_paths, knowledge_about};
use engine::contract::page::Page;
use engine::view::View;

/// How many files are shown with their source.
const MAX_SHOWN_FILES: usize = 6;

/// How many symbols of one file are shown.
const MAX_SYMBOLS_PER_FILE: usize = 3;

/// A symbol or file of this many lines is shown whole.
const MAX_SOURCE_LINES: u32 = 40;

/// How many lines of a longer one are shown, if they match the task.
const MAX_LINES_ABOUT: u32 = 32;

/// A line whose weight is below this share of the best line's weight is only shown beside a better
/// one.
const LEAST_WEIGHT_SHARE: f64 = 0.4;

/// If only this many lines would be left out, they are shown too.
const FEW_LINES: u32 = 10;

/// How many lines of source all files show together.
const MAX_ALL_SOURCE_LINES: u32 = 160;

/// How many symbols the outline of a file has.
const MAX_OUTLINE: usize = 16;

/// How many lines of one section are quoted.
const MAX_SECTION_LINES: usize = 60;

/// How many atoms are quoted.
const MAX_ATOMS: usize = 5;

/// How many test files are named.
const MAX_TESTS: usize = 5;

/// How many comments are shown.
const MAX_COMMENTS: usize = 3;

/// The progress of a feature
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FeatureProgress {
    /// The feature
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// How many of its tasks are finished
    pub finished: usize,
    /// How many tasks it has
    pub tasks: usize,
}

/// A file of a task, with the part of its source that matters
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskFile {
    /// The file
    pub path: String,
    /// The symbol that is shown; absent if the start of the file is shown
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The source; of a long symbol, the declaration and the lines that the task is about; empty if
    /// the answer has no more room
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<Excerpt>,
    /// The first line of the symbol or file; 0 if no source is shown
    pub first_line: u32,
    /// Its last line
    pub last_line: u32,
    /// How many lines were left out
    pub lines_cut: u32,
    /// The first symbols of a long file, with their lines, if the task names none of its symbols
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outline: Vec<String>,
}

/// What is needed to work on a task
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskBriefing {
    /// Its feature
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<FeatureProgress>,
    /// Its texts: summary and description
    pub text: String,
    /// Its sections that are filled in, without the Context Files
    pub sections: Vec<Section>,
    /// Its files
    pub files: Vec<TaskFile>,
    /// Files that it names and that do not exist
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_files: Vec<String>,
    /// Knowledge about its files
    pub knowledge: PathKnowledge,
    /// Its dependencies
    pub dependencies: Vec<DependencyView>,
    /// The last comments
    pub comments: Vec<WorkEvent>,
    /// Test files for its files
    pub tests: Vec<String>,
    /// Kinds of evidence that closing it needs
    pub evidence_wanted: Vec<String>,
    #[serde(skip)]
    task_id: WorkRecordId,
}

/// The progress of the feature of a task.
pub(super) fn feature_progress(
    draft: &WorkDraft<'_>,
    task: &Task,
) -> Result<Option<FeatureProgress>> {
    let feature = task.feature_id.as_ref().map(|id| draft.get::<Feature>(id)).transpose()?;
    feature.flatten().map(|feature| progress_of(draft, &feature)).transpose()
}

/// The progress of a feature.
pub(super) fn progress_of(draft: &WorkDraft<'_>, feature: &Feature) -> Result<FeatureProgress> {
    let tasks: Vec<Task> = draft.list("feature_id", &feature.id)?;
    let finished = tasks.iter().filter(|task| task.status.is_terminal()).count();
    let what = WorkItem::Feature(feature.clone()).brief();
    Ok(FeatureProgress { what, finished, tasks: tasks.len() })
}

impl TaskBriefing {
    /// Collects what is needed to work on a task.
    pub(super) fn of(view: &View, draft: &WorkDraft<'_>, task: &Task) -> Result<Self> {
        let item = WorkItem::Task(task.clone());
        let lines = files::context_files_of(draft, &item)?;
        let named = context_files(view, &lines);
        let paths = expand_paths(view, &named.names)?;
        let (there, missing_files): (Vec<String>, Vec<String>) =
            paths.into_iter().partition(|path| is_file(view, path));
        let mut sections = work::sections::of(draft, &item)?;
        sections.retain(|section| !is_untouched(section) && section.title != IMPORTED_FIELDS);
        let text = work::query::text(&item).lines().skip(1).collect::<Vec<_>>().join("\n");
        let mut plan = format!("{}\n{text}\n", task.title);
        let wanted = sections.iter().filter(|section| !is_context_files(section));
        plan.extend(wanted.map(|section| section.content.as_str()));
        let shown = ShownFiles::read(view, &there, &lines, &plan)?;
        sections.retain(|section| !is_context_files(section));
        let page = KnowledgePage { offset: 0, limit: MAX_ATOMS, changelog_limit: 0 };
        let knowledge = knowledge_about(view, draft, Some(&task.project_id), &there, page)?;
        let mut comments = events_of(draft, &task.id)?;
        comments.retain(|event| event.kind == WorkEventKind::Comment);
        let comments = comments.split_off(comments.len().saturating_sub(MAX_COMMENTS));
        let tests = shown.test_files(view)?;
        Ok(Self {
            feature: feature_progress(draft, task)?,
            text,
            sections,
            files: shown.files,
            missing_files,
            knowledge,
            dependencies: dependencies_of(draft, &task.id)?,
            comments,
            tests,
            task_id: task.id.clone(),
            evidence_wanted: view.config().work.evidence.iter().map(ToString::to_string).collect(),
        })
    }

    /// Renders everything below the first line. The handle of the task is not repeated below,
    /// because the first line has it.
    pub(super) fn render(&self, page: &mut Page, handle: &str) {
        if !self.text.trim().is_empty() {
            page.quoted(self.text.trim(), "summary");
        }
        self.sections.iter().for_each(|section| quote_cut(page, section, handle));
        self.render_files(page);
        if self.knowledge.total_atoms > 0 {
            page.heading("Knowledge");
            render_known(page, &self.knowledge);
        }
        self.render_relations(page);
        if !self.comments.is_empty() {
            page.heading("Comments");
            for comment in &self.comments {
                page.quoted(&comment.text, format!("{} at {}", comment.actor, comment.at));
            }
        }
        self.render_verification(page);
    }

    /// Renders the task's blockers and its parent, one line each, and the names of finished
    /// blockers and of the work that waits for it.
    fn render_relations(&self, page: &mut Page) {
        let is_block = |tie: &DependencyView| tie.relation == DependencyKind::Blocks;
        let comes_in = |tie: &DependencyView| tie.to.id == self.task_id;
        let name = |what: &WorkItemBrief| format!("\"{}\"", what.name);
        let (mut after, mut waiting, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for tie in &self.dependencies {
            match &tie.from {
                Some(from) if is_block(tie) && tie.is_resolved && comes_in(tie) => {
                    after.push(name(from));
                }
                Some(_) if is_block(tie) && !tie.is_resolved && !comes_in(tie) => {
                    waiting.push(name(&tie.to));
                }
                _ => others.push(tie),
            }
        }
        if !others.is_empty() {
            page.heading("Dependencies");
            for tie in &others {
                render_relation(page, &self.task_id, tie);
            }
        }
        for (label, names) in [("Depends on finished work", after), ("Blocks", waiting)] {
            if !names.is_empty() {
                page.say(format!("{label}: {}", names.join(", ")));
            }
        }
    }

    fn render_files(&self, page: &mut Page) {
        if self.files.is_empty() && self.missing_files.is_empty() {
            page.heading("Files");
            page.say("  the task names no files; list them in a section \"Context Files\"");
            return;
        }
        // Tests among them are listed below, under the tests to run.
        let is_shown = |file: &&TaskFile| file.has_content() || !self.tests.contains(&file.path);
        let mut shown = self.files.iter().filter(is_shown).peekable();
        if shown.peek().is_some() || !self.missing_files.is_empty() {
            page.heading("Files");
        }
        shown.for_each(|file| file.render(page));
        for path in &self.missing_files {
            page.say(format!("{path}  does not exist yet"));
        }
    }

    fn render_verification(&self, page: &mut Page) {
        let has_files = !self.files.is_empty();
        let tests = match self.tests.is_empty() {
            true if has_files => "no test found for its files".to_owned(),
            true => "no tests: the task names no existing file".to_owned(),
            false => self.tests.join(", "),
        };
        let wanted = match self.evidence_wanted.is_empty() {
            true => String::new(),
            false => format!("; evidence wanted: {}", self.evidence_wanted.join(", ")),
        };
        page.say(format!("Verify: {tests}{wanted}"));
    }
}

/// A section, cut after some lines.
fn quote_cut(page: &mut Page, section: &Section, handle: &str) {
    let text = section.content.trim();
    let lines: Vec<&str> = text.lines().collect();
    let source = &section.title;
    if lines.len() <= MAX_SECTION_LINES {
        return page.quoted(text, source);
    }
    page.quoted(&lines[..MAX_SECTION_LINES].join("\n"), source);
    let more = NextCall::new("work.sections").with("id", handle);
    page.say_call(format!("… {} more lines", lines.len() - MAX_SECTION_LINES), more);
}

fn is_context_files(section: &Section) -> bool {
    let title = section.title.to_lowercase();
    title.starts_with("context") && title.contains("file")
}

/// Whether a section is as its template left it, or empty.
fn is_untouched(section: &Section) -> bool {
    let says_nothing = |line: &str| {
        line.contains(PLACEHOLDER) || matches!(line.trim(), "" | "1." | "- [ ]" | "-" | "*")
    };
    section.content.lines().all(says_nothing)
}

fn is_file(view: &View, path: &str) -> bool {
    let there = |path: &RepoPath| view.tree().stat_if_reachable(path).is_some();
    path.parse().is_ok_and(|path: RepoPath| there(&path))
}

/// The files of a task with their source, within the limits of an answer.
struct ShownFiles {
    files: Vec<TaskFile>,
    /// The code that tests are searched for
    targets: Vec<EntityRef>,
    /// The tests among the files
    tests: Vec<String>,
    /// Whether tests are shown as other files are, because the task names nothing else
    are_tests_shown: bool,
    shown: usize,
    lines_left: u32,
}

impl ShownFiles {
    fn read(view: &View, paths: &[String], lines: &[NamedLine], plan: &str) -> Result<Self> {
        let is_test = |path: &String| path.parse().is_ok_and(|path: RepoPath| is_test_file(&path));
        let mut shown = Self {
            are_tests_shown: paths.iter().all(is_test),
            files: Vec::new(),
            targets: Vec::new(),
            tests: Vec::new(),
            shown: 0,
            lines_left: MAX_ALL_SOURCE_LINES,
        };
        for path in paths {
            let Ok(typed) = path.parse::<RepoPath>() else { continue };
            if shown.shown >= MAX_SHOWN_FILES {
                shown.files.push(TaskFile::named(path));
                continue;
            }
            let of_path = lines.iter().filter(|line| line.text.contains(path.as_str()));
            let said: String = of_path.map(|line| line.text.as_str()).collect();
            shown.add(view, &typed, &format!("{said}\n{plan}"))?;
        }
        Ok(shown)
    }

    fn add(&mut self, view: &View, path: &RepoPath, said: &str) -> Result<()> {
        self.shown += 1;
        if is_test_file(path) {
            self.tests.push(path.to_string());
            if !self.are_tests_shown {
                self.files.push(TaskFile::named(&path.to_string()));
                return Ok(());
            }
        }
        let Ok(text) = SourceText::read(view, path) else {
            self.files.push(TaskFile::named(&path.to_string()));
            return Ok(());
        };
        let symbols = code::symbols_in_file(view.index()?.conn(), path)?;
        let symbols = text.in_place(view, path, symbols)?;
        let mut meant: Vec<&SymbolRow> =
            symbols.iter().filter(|symbol| is_meant(symbol, &symbols, said)).collect();
        // If a class and its method are both named, only the method is meant.
        let parents: Vec<_> = meant.iter().filter_map(|symbol| symbol.parent).collect();
        meant.retain(|symbol| !parents.contains(&symbol.id));
        meant.truncate(MAX_SYMBOLS_PER_FILE);
        if meant.is_empty() {
            self.targets.push(EntityRef::Module(path.clone()));
            if text.line_count() > MAX_SOURCE_LINES && !symbols.is_empty() {
                self.files.push(TaskFile::outlined(path, &symbols));
            } else {
                let all = LineRange { first: 1, last: text.line_count() };
                self.show(path, None, self.choose_lines(view, said, &text, all, 1)?, &text);
            }
        }
        for symbol in meant {
            let name = symbol.full.parse().map_err(base::Problem::internal)?;
            self.targets.push(EntityRef::Symbol(path.clone(), name));
            let range = text.lines_with_docs(symbol);
            let choice = self.choose_lines(view, said, &text, range, symbol.line)?;
            self.show(path, Some(symbol.full.clone()), choice, &text);
        }
        Ok(())
    }

    /// The lines to show: all if they are few, otherwise the declaration and the lines that the
    /// task is about, otherwise the first lines.
    fn choose_lines(
        &self,
        view: &View,
        said: &str,
        text: &SourceText,
        within: LineRange,
        declared: u32,
    ) -> Result<ChosenLines> {
        let count = within.last + 1 - within.first;
        let whole = ChosenLines { within, shown: vec![within] };
        // Showing the last few lines costs less than another call.
        if count <= (MAX_SOURCE_LINES + FEW_LINES).min(self.lines_left) {
            return Ok(whole);
        }
        let mut weights = locate::line_weights(view, said, text, within)?;
        // The declaration is left out of the comparison: it is always shown, and matches by the
        // name.
        let others = weights.iter().filter(|(line, _)| **line != declared);
        let most = others.map(|(_, weight)| *weight).fold(0.0, f64::max);
        weights.retain(|_, weight| *weight >= most * LEAST_WEIGHT_SHARE);
        let budget = MAX_LINES_ABOUT.min(self.lines_left) as usize;
        let free: BTreeSet<u32> = (within.first..=within.last).collect();
        let shown = if weights.is_empty() {
            free.into_iter().take(budget).collect()
        } else {
            LineChoice { within, free, declared, weights }.lines(budget, |_| 1)
        };
        Ok(ChosenLines { within, shown: contiguous_ranges(&shown) })
    }

    fn show(
        &mut self,
        path: &RepoPath,
        symbol: Option<String>,
        choice: ChosenLines,
        text: &SourceText,
    ) {
        let ChosenLines { within, shown } = choice;
        let count: u32 = shown.iter().map(|part| part.last + 1 - part.first).sum();
        self.lines_left = self.lines_left.saturating_sub(count);
        let source = shown.into_iter().map(|part| text.excerpt(part)).collect();
        let (path, lines_cut) = (path.to_string(), within.last + 1 - within.first - count);
        let (first_line, last_line) = (within.first, within.last);
        let outline = Vec::new();
        self.files.push(TaskFile {
            path,
            symbol,
            source,
            first_line,
            last_line,
            lines_cut,
            outline,
        });
    }

    /// The tests that the task names, then those that are found for its code.
    fn test_files(&self, view: &View) -> Result<Vec<String>> {
        let mut tests = self.tests.clone();
        for found in tests_for(view, &self.targets)? {
            let path = found.path.to_string();
            let is_near = found.same_stem || found.hops.is_some_and(|hops| hops <= 2);
            if is_near && !tests.contains(&path) {
                tests.push(path);
            }
        }
        tests.truncate(MAX_TESTS);
        Ok(tests)
    }
}

/// The lines of a symbol or file that are shown.
struct ChosenLines {
    within: LineRange,
    shown: Vec<LineRange>,
}

impl TaskFile {
    /// Whether it has more than a name.
    const fn has_content(&self) -> bool {
        !self.source.is_empty() || !self.outline.is_empty()
    }

    fn named(path: &str) -> Self {
        let path = path.to_owned();
        let (source, outline) = (Vec::new(), Vec::new());
        Self { path, symbol: None, source, first_line: 0, last_line: 0, lines_cut: 0, outline }
    }

    fn render(&self, page: &mut Page) {
        let symbol = self.symbol.as_ref().map_or(String::new(), |name| format!("#{name}"));
        let lines = match self.source.is_empty() {
            true => String::new(),
            false => format!("  {}–{}", self.first_line, self.last_line),
        };
        page.say(format!("{}{symbol}{lines}", self.path));
        self.source.iter().for_each(|part| page.source(&part.text, part.first_line));
        if !self.outline.is_empty() {
            page.say(format!("  {}", self.outline.join("   ")));
        } else if self.lines_cut > 0 {
            let more = NextCall::new("code.show").with("targets", vec![self.omitted_target()]);
            page.say_call(omitted_lines_text(self.lines_cut), more);
        }
    }

    /// The target that shows the left-out lines: only these if they all come after the shown ones,
    /// otherwise the whole symbol or file.
    fn omitted_target(&self) -> String {
        match (self.source.as_slice(), &self.symbol) {
            ([only], _) if only.first_line == self.first_line => {
                format!("{}:{}-{}", self.path, only.last_line + 1, self.last_line)
            }
            (_, Some(symbol)) => format!("{}#{symbol}", self.path),
            (_, None) => format!("{}:{}-{}", self.path, self.first_line, self.last_line),
        }
    }

    fn outlined(path: &RepoPath, symbols: &[SymbolRow]) -> Self {
        let top = symbols.iter().filter(|symbol| symbol.parent.is_none());
        let outline =
            top.take(MAX_OUTLINE).map(|symbol| format!("{} {}", symbol.name, symbol.line));
        Self { outline: outline.collect(), ..Self::named(&path.to_string()) }
    }
}

/// Whether the text of a task names a symbol: by its full name, or by its own name if that is
/// unique in the file and not an ordinary word.
fn is_meant(symbol: &SymbolRow, all: &[SymbolRow], said: &str) -> bool {
    let is_word = |name: &str| {
        said.match_indices(name).any(|(at, _)| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            !said[..at].ends_with(is_part) && !said[at + name.len()..].starts_with(is_part)
        })
    };
    let is_name = symbol.name.len() > 3
        && (symbol.name.contains('_') || symbol.name.contains(char::is_uppercase))
        || said.contains(&format!("{}(", symbol.name))
        || said.contains(&format!("`{}`", symbol.name))
        || said.contains(&format!("#{}", symbol.name));
    let plain = symbol.name.trim_start_matches('_');
    let plain_full = symbol.full.replace("._", ".");
    let is_unique = all.iter().filter(|other| other.name == symbol.name).count() == 1;
    let is_qualified = symbol.full.contains('.') && (is_word(&symbol.full) || is_word(&plain_full));
    is_qualified || is_unique && is_name && (is_word(&symbol.name) || is_word(plain))
}

/// The position of a task in its feature, for the first line of an answer.
pub(super) fn progress_words(progress: Option<&FeatureProgress>) -> String {
    let Some(FeatureProgress { what, finished, tasks }) = progress else { return String::new() };
    let status = what.status.map_or("", WorkStatus::word);
    format!(", {finished} of {tasks} done in feature \"{}\" {status}", what.name)
}
