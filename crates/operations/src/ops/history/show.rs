//! `history show`: a file's content at any commit, with its tags and commits.

use std::collections::BTreeSet;

use base::words::counted;
use base::{NextCall, Problem, ProblemCode, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::provenance::{CommitPage, ProvenanceAnswer, chain};
use super::{CommitRow, tags_text};
use engine::areas::history::{Artifact, HistoryReader};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, Words};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, Render};
use engine::view::View;

/// Maximum size of shown content, in bytes; the rest is cut.
const MAX_CONTENT_BYTES: usize = 100 * 1024;

/// Size above which a file is not read, in bytes.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// How many bytes of a file are searched for a NUL, which marks it as binary, as in git.
const BINARY_PROBE_BYTES: usize = 8000;

/// Show a file as it was at a commit, with its tags and commits
///
/// Content comes from git, also for deleted and renamed files.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// Current or earlier path of the file
    pub path: NodeTarget,
    /// Branch, tag or commit; the checked-out commit if left out
    #[arg(long)]
    #[serde(default)]
    pub r#ref: Option<Words>,
    /// Show the newest commits first
    #[arg(long)]
    #[serde(default)]
    pub newest: bool,
    /// Commits to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Commits to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// A file at a commit, with its history
#[derive(Debug, Serialize, JsonSchema)]
pub struct HistoryShowAnswer {
    /// Where it is at that commit
    pub path: RepoPath,
    /// The commit that it was read at
    pub at: String,
    /// Its content; none if it is binary
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Why the content is incomplete
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// Its tags now
    pub tags: BTreeSet<String>,
    /// Where it is now, or was last
    pub now: RepoPath,
    /// Whether it exists in the checked-out commit
    pub alive: bool,
    /// Its commits, oldest first unless the newest were asked for
    pub commits: Vec<CommitRow>,
    #[serde(skip)]
    chain: ProvenanceAnswer,
}

impl Query for Show {
    const NAME: &'static str = "history.show";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("get_artifact")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "README.md --ref HEAD~3",
        shows: "a file as it was three commits ago",
    }];
    type Answer = HistoryShowAnswer;

    fn run(self, view: &View) -> Result<HistoryShowAnswer> {
        let history = HistoryReader::open(view)?;
        let artifact = history.artifact(view, &self.path)?;
        let tags = history.tags(&artifact)?;
        let revision = self.r#ref.as_ref().map_or("HEAD", Words::as_str);
        let (path, at, bytes) = read(view, &history, &artifact, revision)?;
        let (content, cut) = text(&bytes);
        let part = CommitPage { newest: self.newest, offset: self.offset, limit: self.limit };
        let mut chain = chain(&history, artifact, part)?;
        let commits = std::mem::take(&mut chain.commits);
        let (now, alive) = (chain.path.clone(), chain.alive);
        Ok(HistoryShowAnswer { path, at, content, cut, tags, now, alive, commits, chain })
    }
}

/// The content of an artifact at a commit, wherever it was then.
fn read(
    view: &View,
    history: &HistoryReader<'_>,
    artifact: &Artifact,
    revision: &str,
) -> Result<(RepoPath, String, Vec<u8>)> {
    let git = view
        .git()
        .ok_or_else(|| Problem::internal("the repository has a history but no git"))?
        .repo();
    let commit = git.resolve(view.call(), revision)?;
    let touches = history.touches(artifact.id)?;
    let earlier =
        touches.iter().rev().flat_map(|touch| [Some(&touch.path), touch.old_path.as_ref()]);
    let mut tried = BTreeSet::new();
    for path in [Some(&artifact.path)].into_iter().chain(earlier).flatten() {
        if !tried.insert(path) {
            continue;
        }
        match git.show(view.call(), commit.as_str(), path, MAX_FILE_BYTES) {
            Ok(bytes) => return Ok((path.clone(), commit.to_string(), bytes)),
            Err(problem) if problem.code == ProblemCode::NotFound => {}
            Err(problem) => return Err(problem),
        }
    }
    let last = touches.iter().rev().find(|touch| touch.kind != history::CommitChangeKind::Deleted);
    let problem = Problem::not_found(format!("{} is not in {revision}", artifact.path));
    Err(match last {
        Some(touch) => {
            let commit = history::sha_to_hex(&history.commit_position(touch.pos)?.sha);
            let commit = commit.get(..12).unwrap_or(&commit);
            problem.hint_call(
                "its last content is shown by",
                NextCall::new("history.show")
                    .with("path", touch.path.to_string())
                    .with("ref", commit),
            )
        }
        None => problem,
    })
}

fn text(bytes: &[u8]) -> (Option<String>, Option<String>) {
    if bytes.iter().take(BINARY_PROBE_BYTES).any(|byte| *byte == 0) {
        return (None, Some(format!("binary, {} bytes", bytes.len())));
    }
    let mut content = String::from_utf8_lossy(bytes).into_owned();
    if content.len() <= MAX_CONTENT_BYTES {
        return (Some(content), None);
    }
    let end = (0..=MAX_CONTENT_BYTES).rev().find(|at| content.is_char_boundary(*at)).unwrap_or(0);
    content.truncate(end);
    (Some(content), Some(format!("the first {MAX_CONTENT_BYTES} of {} bytes", bytes.len())))
}

impl Render for HistoryShowAnswer {
    fn render(&self, page: &mut Page) {
        let at = self.at.get(..12).unwrap_or(&self.at);
        let total = self.chain.paging().map_or(0, |paging| paging.total);
        let commits = counted(total, "commit");
        page.answer(format!("{} at {at}: {commits}", self.path));
        if self.now != self.path {
            page.item(if self.alive { "now at" } else { "last at" }, &self.now);
        } else if !self.alive {
            page.say("It is deleted in the checked-out commit.");
        }
        if !self.tags.is_empty() {
            page.item("tags", tags_text(&self.tags));
        }
        for commit in &self.commits {
            page.item(commit.day(), format!("{}    {}", commit.subject(), commit.handle()));
        }
        if let Some(paging) = self.chain.paging() {
            paging.render_rest(page, self.commits.len());
        }
        if let Some(content) = &self.content {
            page.quoted(content, format!("{} at {at}", self.path));
        }
        if let Some(cut) = &self.cut {
            page.item("content", cut);
        }
    }

    fn paging(&self) -> Option<Paging> {
        self.chain.paging()
    }
}
