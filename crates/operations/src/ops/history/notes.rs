//! `history notes`: what changed between two releases, grouped like release notes.

use base::words::counted;
use base::{Problem, Result};
use clap::Args;
use git::RangeCommit;
use history::parse_conventional_subject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::contract::args::comma_list;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// Maximum number of commits in the notes.
const MAX_COMMITS: usize = 2_000;

/// Write release notes: the commits between two tags, grouped by kind
///
/// Kinds come from conventional subjects such as `feat(auth): …`. Merges are left out.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Notes {
    /// Tag or commit to start after, or `A..B`; the newest tag before `to` if left out
    pub from: Option<String>,
    /// Tag or commit to end with; the checkout if left out
    pub to: Option<String>,
    /// Only commits of these kinds, such as `feat,fix`
    #[arg(id = "type", long = "type", value_delimiter = ',')]
    #[serde(default, rename = "type", deserialize_with = "comma_list")]
    pub kinds: Vec<String>,
    /// Only commits with one of these scopes
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub scope: Vec<String>,
}

/// What changed between two releases
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotesAnswer {
    /// Where it starts, exclusive; absent when it starts with the first commit
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Where it ends, inclusive
    pub to: String,
    /// How many commits there are, merges left out
    pub commits: u64,
    /// The commits by kind, breaking changes first
    pub groups: Vec<NoteGroup>,
    #[serde(skip)]
    is_truncated: bool,
}

/// Commits of one kind
#[derive(Debug, Serialize, JsonSchema)]
pub struct NoteGroup {
    /// What they are
    pub title: &'static str,
    /// The commits, newest first
    pub entries: Vec<ReleaseNote>,
    #[serde(skip)]
    noun: &'static str,
}

/// One commit of the notes
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReleaseNote {
    /// Its id
    pub commit: String,
    /// Its subject without kind and scope
    pub text: String,
    /// The scope that its subject names
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// What breaks, in the commit's own words
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breaking: Option<String>,
    /// Who wrote it
    pub author: String,
}

/// A heading and the kinds of commit below it.
struct NoteHeading {
    title: &'static str,
    /// What one commit below it is called
    noun: &'static str,
    kinds: &'static [&'static str],
}

const fn note_heading(
    title: &'static str,
    noun: &'static str,
    kinds: &'static [&'static str],
) -> NoteHeading {
    NoteHeading { title, noun, kinds }
}

/// The headings in the order of the notes. Breaking changes go to the first, and commits that fit
/// no other to the last.
const HEADINGS: &[NoteHeading] = &[
    note_heading("Breaking changes", "breaking change", &[]),
    note_heading("Features", "feature", &["feat", "feature"]),
    note_heading("Fixes", "fix", &["fix", "bugfix"]),
    note_heading("Performance", "performance change", &["perf"]),
    note_heading("Reverted", "revert", &["revert"]),
    note_heading("Documentation", "documentation change", &["docs", "doc"]),
    note_heading(
        "Build, tests and upkeep",
        "internal change",
        &["build", "ci", "test", "tests", "chore", "refactor", "style"],
    ),
    note_heading("Other changes", "other change", &[]),
];

/// The markers in a message body before the description of a breaking change.
const BREAKING_MARKS: [&str; 2] = ["BREAKING CHANGE: ", "BREAKING-CHANGE: "];

impl Notes {
    /// Both ends; `A..B` is written as git writes it.
    fn range(&self) -> (Option<&str>, &str) {
        let (from, to) = (self.from.as_deref(), self.to.as_deref());
        match from.and_then(|range| range.split_once("..")) {
            Some((from, end)) if to.is_none() => {
                let name = |name| Some(name).filter(|name: &&str| !name.is_empty());
                (name(from), name(end).unwrap_or("HEAD"))
            }
            _ => (from, to.unwrap_or("HEAD")),
        }
    }
}

impl Query for Notes {
    const NAME: &'static str = "history.notes";
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "v1.2.0 v1.3.0", shows: "the changes of one release" },
        OpExample { args: "--type feat,fix", shows: "features and fixes since the newest tag" },
    ];
    type Answer = NotesAnswer;

    fn run(self, view: &View) -> Result<NotesAnswer> {
        let git = view.git().ok_or_else(|| {
            Problem::new(base::ProblemCode::Unavailable, "there is no history here")
                .hint("history is read from git: run this in a repository, with git installed")
        })?;
        let (repo, call) = (git.repo(), view.call());
        let (from, to) = self.range();
        let new = repo.resolve(call, to)?;
        let from = match from {
            Some(from) => Some(from.to_owned()),
            None => repo.last_tag(call, &new)?,
        };
        let old = from.as_deref().map(|from| repo.resolve(call, from)).transpose()?;
        // If the commit itself has a tag and no start is given, the notes start at the tag before,
        // because they would be empty otherwise.
        let (from, old) = match old == Some(new.clone()) && self.from.is_none() {
            true => match repo.resolve(call, &format!("{to}~1")) {
                Ok(parent) => {
                    let tag = repo.last_tag(call, &parent)?;
                    let old = tag.as_deref().map(|tag| repo.resolve(call, tag)).transpose()?;
                    (tag, old)
                }
                Err(_) => (None, None),
            },
            false => (from, old),
        };
        let commits = repo.commits_between(call, old.as_ref(), &new, MAX_COMMITS)?;
        let is_truncated = commits.len() == MAX_COMMITS;
        let (count, groups) = self.grouped(commits);
        Ok(NotesAnswer { from, to: to.to_owned(), commits: count, groups, is_truncated })
    }
}

impl Notes {
    /// The wanted commits by heading, and their number.
    fn grouped(&self, commits: Vec<RangeCommit>) -> (u64, Vec<NoteGroup>) {
        let group = |heading: &NoteHeading| NoteGroup {
            title: heading.title,
            entries: Vec::new(),
            noun: heading.noun,
        };
        let mut groups: Vec<NoteGroup> = HEADINGS.iter().map(group).collect();
        let mut count = 0;
        for commit in commits {
            let subject = parse_conventional_subject(&commit.message);
            let kind = subject.as_ref().map(|subject| subject.kind.to_ascii_lowercase());
            let scope = subject.as_ref().and_then(|subject| subject.scope).map(str::to_owned);
            if !is_wanted(&self.kinds, kind.as_deref()) || !is_wanted(&self.scope, scope.as_deref())
            {
                continue;
            }
            let is_breaking = subject.is_some_and(|subject| subject.breaking);
            let place = heading_index(kind.as_deref(), is_breaking);
            let note = ReleaseNote {
                text: text_of(&commit.message, kind.is_some()).to_owned(),
                breaking: is_breaking.then(|| breaking_text(&commit.message)).flatten(),
                commit: String::from(commit.id),
                author: commit.author,
                scope,
            };
            count += 1;
            groups[place].entries.push(note);
        }
        groups.retain(|group| !group.entries.is_empty());
        (count, groups)
    }
}

/// Whether a value is in a list of wanted values; an empty list means all.
fn is_wanted(asked: &[String], value: Option<&str>) -> bool {
    asked.is_empty()
        || value.is_some_and(|value| asked.iter().any(|one| one.trim().eq_ignore_ascii_case(value)))
}

/// The position in [`HEADINGS`] for a commit.
fn heading_index(kind: Option<&str>, is_breaking: bool) -> usize {
    if is_breaking {
        return 0;
    }
    let holds = |heading: &NoteHeading| kind.is_some_and(|kind| heading.kinds.contains(&kind));
    HEADINGS.iter().position(holds).unwrap_or(HEADINGS.len() - 1)
}

/// The subject without its kind and scope, if it has them.
fn text_of(message: &str, is_conventional: bool) -> &str {
    let subject = history::commit::subject(message);
    match subject.split_once(": ") {
        Some((_, text)) if is_conventional => text,
        _ => subject,
    }
}

/// The description of a breaking change in a commit, on one line.
fn breaking_text(message: &str) -> Option<String> {
    let mut lines = message
        .lines()
        .skip(1)
        .skip_while(|line| !BREAKING_MARKS.iter().any(|mark| line.starts_with(mark)));
    let first = lines.next()?.split_once(": ")?.1;
    let rest = lines.take_while(|line| !line.trim().is_empty());
    Some([first].into_iter().chain(rest).map(str::trim).collect::<Vec<_>>().join(" "))
}

impl Render for NotesAnswer {
    fn render(&self, page: &mut Page) {
        let since = match &self.from {
            Some(from) => format!("from {from} to {}", self.to),
            None => format!("up to {}", self.to),
        };
        let newest = if self.is_truncated { "the newest of more " } else { "" };
        let parts: Vec<String> =
            self.groups.iter().map(|group| counted(group.entries.len(), group.noun)).collect();
        match self.commits {
            0 => page.answer(format!("No commits {since}")),
            commits => page.answer(format!(
                "{newest}{} {since}: {}",
                counted(commits, "commit"),
                parts.join(", ")
            )),
        }
        for group in &self.groups {
            page.heading(group.title);
            let cells = |note: &ReleaseNote| {
                let scope = note.scope.as_ref().map(|scope| format!("{scope}: "));
                let broken = note.breaking.as_ref().map(|text| format!(" ({text})"));
                let text = format!(
                    "{}{}{}",
                    scope.unwrap_or_default(),
                    note.text,
                    broken.unwrap_or_default()
                );
                let handle = format!("commit:{}", note.commit.get(..12).unwrap_or(&note.commit));
                vec![PageCell::text(text), PageCell::faint(&note.author), PageCell::handle(handle)]
            };
            page.table(2, group.entries.iter().map(cells).collect());
        }
    }
}
