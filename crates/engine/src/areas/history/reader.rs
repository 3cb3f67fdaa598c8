//! Reads the history: the stored commits, and the order of those that lead to the checked-out
//! commit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{EntityRef, NextCall, Problem, ProblemCode, RepoPath, Result};
use history::checkout::{
    ArtifactChange, ArtifactId, CheckoutCommit, FileChurn, PathState, TouchRow,
};
use history::{
    CommitHeader, FolderTagRules, HistoryCommit, TagOp, checkout, cochange, commit_store,
};
use jiff::Timestamp;
use store::Connection;

use super::follower::UNKNOWN_RENAMES_KEY;
use crate::contract::args::NodeTarget;
use crate::follow::incomplete_problem;
use crate::graph;
use crate::view::View;

/// The area's name.
const NAME: &str = "history";

/// Maximum number of partner files. Beyond it, files change together by coincidence.
pub const MAX_PARTNERS: usize = 200;

/// The cache key of the number of commits that count for co-change.
const COMMIT_COUNT_KEY: &str = "history.counted";

/// The cache key of how often each file was changed.
const CHURN_KEY: &str = "history.churn";

/// How often files were changed, by artifact.
pub type ChurnByArtifact = BTreeMap<ArtifactId, FileChurn>;

/// A history that can be read.
pub struct HistoryReader<'v> {
    facts: &'v Connection,
    checkout: &'v Connection,
    folders: FolderTagRules,
    bulk_threshold: u32,
}

/// A file through its renames.
#[derive(Debug, Clone)]
pub struct Artifact {
    /// Its number; [`ArtifactId::NONE`] for a file that no commit has touched
    pub id: ArtifactId,
    /// Where it is, or was last
    pub path: RepoPath,
    /// Whether the commit that is checked out has it
    pub is_live: bool,
}

/// A file that changes with others, and how often.
#[derive(Debug, Clone)]
pub struct CochangedFile {
    /// The file
    pub path: RepoPath,
    /// How often it changes with the others
    pub partner: cochange::PartnerScore,
}

/// The two stores of the history.
#[derive(Debug, Clone, Copy)]
pub struct HistoryConnections<'a> {
    /// Facts of commits, by name; shared by all worktrees
    pub commits: &'a Connection,
    /// The history of this checkout: its commits in one order
    pub checkout: &'a Connection,
}

impl<'v> HistoryReader<'v> {
    /// The history, up to date. Without git there is none, which is an error here.
    pub fn open(view: &'v View<'_>) -> Result<Self> {
        let files = view.follower_files(NAME)?.ok_or_else(|| no_history_problem(view))?;
        let history = Self::of(view, &files.all())?;
        let unknown = checkout::meta(history.checkout, UNKNOWN_RENAMES_KEY)?;
        if let Some(count) = unknown.filter(|count| count != "0") {
            view.mark_partial(format!(
                "renames are unknown in {count} of {} commits, because contents are missing; \
                 fetch them with git, then `sync` with `full`",
                history.commits()?
            ));
        }
        if let Some(edge) = history.oldest_known_commit()? {
            view.mark_partial(format!(
                "the clone is shallow and ends at commit:{}; `git fetch --unshallow` gets the rest",
                short_commit_id(&edge.sha)
            ));
        }
        Ok(history)
    }

    /// The first commit at the edge of a shallow clone; its parents are not known.
    fn oldest_known_commit(&self) -> Result<Option<CheckoutCommit>> {
        let edges = commit_store::shallow_edge_ids(self.facts)?.into_iter();
        let stops =
            edges.map(|id| checkout::commit_by_id(self.checkout, id)).filter_map(Result::transpose);
        let stops = stops.collect::<Result<Vec<_>>>()?;
        Ok(stops.into_iter().min_by_key(|stop| stop.pos))
    }

    /// The history, if it is complete without waiting. If it cannot be stored, as on a read-only
    /// disk, there is none and the answer is marked as partial.
    pub fn open_if_ready(view: &'v View<'_>) -> Result<Option<Self>> {
        let files = match view.follower_files_if_ready(NAME) {
            Err(problem) if problem.code == ProblemCode::Io => {
                view.mark_partial(format!("history cannot be read: {}", problem.message));
                None
            }
            other => other?,
        };
        let Some(files) = files else { return Ok(None) };
        Self::of(view, &files.all()).map(Some)
    }

    fn of(view: &View<'_>, conns: &[&'v Connection]) -> Result<Self> {
        let [facts, line] = conns else {
            return Err(Problem::internal("expected two files of the history"));
        };
        let config = &view.config().history;
        let folders = FolderTagRules {
            structural_parts: config.strip_prefixes.clone(),
            stop_words: config.stop_tags.clone(),
        };
        Ok(Self { facts, checkout: line, folders, bulk_threshold: config.max_commit_files })
    }

    /// The connections that it reads from.
    pub const fn stores(&self) -> HistoryConnections<'v> {
        HistoryConnections { commits: self.facts, checkout: self.checkout }
    }

    /// How many commits there are.
    pub fn commits(&self) -> Result<i64> {
        checkout::count(self.checkout)
    }

    /// The artifact that a target means, also by a path that it had.
    pub fn artifact(&self, view: &View<'_>, target: &NodeTarget) -> Result<Artifact> {
        let text = target.as_str().trim();
        let path = ["file:", "module:"].iter().find_map(|kind| text.strip_prefix(kind));
        let text = path.unwrap_or(text);
        for path in view.paths().resolve(text)? {
            if let Some(found) = self.artifact_at(&path)? {
                return Ok(found);
            }
        }
        let path = match graph::resolve(view, target) {
            Ok(EntityRef::Module(path) | EntityRef::File(path)) => path,
            Ok(other) => {
                return Err(Problem::invalid(format!("{other} is not a file")).hint_call(
                    "name a file; those of a folder are listed by",
                    NextCall::new("history.list"),
                ));
            }
            Err(problem) => return Err(self.suggest_former_path(text, problem)?),
        };
        self.artifact_at(&path)?.ok_or_else(|| {
            Problem::not_found(format!("no commit has touched {path}"))
                .hint("it is not committed yet, or `history.exclude` in cairn.jsonc leaves it out")
        })
    }

    /// Like [`Self::artifact`], but accepts a file that no commit has touched yet. Its path is then
    /// all that is known of it.
    pub fn artifact_or_new(&self, view: &View<'_>, target: &NodeTarget) -> Result<Artifact> {
        let known = self.artifact(view, target);
        let Err(problem) = &known else { return known };
        match graph::resolve(view, target) {
            Ok(EntityRef::Module(path) | EntityRef::File(path))
                if problem.code == base::ProblemCode::NotFound =>
            {
                Ok(Artifact { id: ArtifactId::NONE, path, is_live: false })
            }
            _ => known,
        }
    }

    /// The artifact that was last at a path.
    pub fn artifact_at(&self, path: &RepoPath) -> Result<Option<Artifact>> {
        let Some(PathState { artifact: id, is_checked_out: live, .. }) =
            checkout::path_state_at(self.checkout, path)?
        else {
            return Ok(None);
        };
        if live {
            return Ok(Some(Artifact { id, path: path.clone(), is_live: true }));
        }
        if let Some(path) = checkout::current_path(self.checkout, id)? {
            return Ok(Some(Artifact { id, path, is_live: true }));
        }
        let last = checkout::touches_of(self.checkout, id)?.into_iter().next_back();
        let path = last.map_or_else(|| path.clone(), |touch| touch.path);
        Ok(Some(Artifact { id, path, is_live: false }))
    }

    /// Adds the most similar path of a deleted file as a hint.
    fn suggest_former_path(&self, text: &str, problem: Problem) -> Result<Problem> {
        if problem.code != base::ProblemCode::NotFound {
            return Ok(problem);
        }
        let gone = checkout::deleted_artifacts(self.checkout)?;
        let names: Vec<String> = gone.iter().map(|(path, _)| path.to_string()).collect();
        let near = base::similarity::most_similar(text, names.iter().map(String::as_str), 1);
        Ok(match near.first() {
            Some(near) => problem.hint(format!("did you mean the deleted file {near}?")),
            None => problem,
        })
    }

    /// Every file of the commit that is checked out.
    pub fn live_files(&self) -> Result<Vec<(RepoPath, ArtifactId)>> {
        checkout::checked_out_files(self.checkout)
    }

    /// Every artifact that it does not have, with its last path.
    pub fn deleted_files(&self) -> Result<Vec<(RepoPath, ArtifactId)>> {
        checkout::deleted_artifacts(self.checkout)
    }

    /// What was done to an artifact, oldest first.
    pub fn touches(&self, artifact: ArtifactId) -> Result<Vec<TouchRow>> {
        checkout::touches_of(self.checkout, artifact)
    }

    /// The last commit of an artifact.
    pub fn last_commit(&self, artifact: ArtifactId) -> Result<Option<CheckoutCommit>> {
        checkout::last_commit_of(self.checkout, artifact)
    }

    /// When a file of the commit that is checked out was first and last committed.
    pub(crate) fn dates(&self, path: &RepoPath) -> Result<Option<(String, String)>> {
        let Some(place) =
            checkout::path_state_at(self.checkout, path)?.filter(|place| place.is_checked_out)
        else {
            return Ok(None);
        };
        let touches = checkout::touches_of(self.checkout, place.artifact)?;
        let ends = touches.first().zip(touches.last());
        let dated = |touch: &TouchRow| -> Result<String> {
            let time = Timestamp::from_second(self.commit_position(touch.pos)?.time);
            Ok(time.map(|time| time.to_string()).unwrap_or_default())
        };
        ends.map(|(first, last)| Ok((dated(first)?, dated(last)?))).transpose()
    }

    /// Who made the first commit of a file.
    pub(crate) fn first_author(&self, path: &RepoPath) -> Result<Option<String>> {
        let Some(place) =
            checkout::path_state_at(self.checkout, path)?.filter(|place| place.is_checked_out)
        else {
            return Ok(None);
        };
        let touches = checkout::touches_of(self.checkout, place.artifact)?;
        let Some(first) = touches.first() else { return Ok(None) };
        Ok(Some(self.header(&self.commit_position(first.pos)?)?.author.email))
    }

    /// The commit at a position.
    pub fn commit_position(&self, pos: i64) -> Result<CheckoutCommit> {
        checkout::commit_at_position(self.checkout, pos)?
            .ok_or_else(|| Problem::internal("a gap in the history"))
    }

    /// A commit with its message and the files that it changed.
    pub fn commit(&self, stop: &CheckoutCommit) -> Result<HistoryCommit> {
        let found = commit_store::get(self.facts, stop.id)?.filter(|commit| commit.sha == stop.sha);
        found.ok_or_else(|| incomplete_problem(&format!("commit {}", short_commit_id(&stop.sha))))
    }

    /// A commit without the files that it changed.
    pub fn header(&self, stop: &CheckoutCommit) -> Result<CommitHeader> {
        let found = commit_store::header(self.facts, stop.id)?;
        let found = found.filter(|commit| commit.sha == stop.sha);
        found.ok_or_else(|| incomplete_problem(&format!("commit {}", short_commit_id(&stop.sha))))
    }

    /// The message of a commit.
    pub fn message(&self, stop: &CheckoutCommit) -> Result<String> {
        let found =
            commit_store::sha_and_message(self.facts, stop.id)?.filter(|(sha, _)| *sha == stop.sha);
        let found = found
            .ok_or_else(|| incomplete_problem(&format!("commit {}", short_commit_id(&stop.sha))));
        Ok(found?.1)
    }

    /// The files that a commit touched.
    pub fn touched(&self, stop: &CheckoutCommit) -> Result<Vec<(ArtifactId, TouchRow)>> {
        checkout::touches_at_position(self.checkout, stop.pos)
    }

    /// Commits whose ids start with some digits, among those that lead to the checked-out commit.
    pub fn commits_with_prefix(&self, digits: &str) -> Result<Vec<CheckoutCommit>> {
        let digits = digits.to_ascii_lowercase();
        let low = history::sha_from_hex(&digits);
        let high = [low.as_slice(), &[0xff; 32]].concat();
        let mut stops = Vec::new();
        for id in commit_store::ids_in_sha_range(self.facts, &low, &high)? {
            stops.extend(checkout::commit_by_id(self.checkout, id)?);
        }
        stops.retain(|stop| history::sha_to_hex(&stop.sha).starts_with(&digits));
        Ok(stops)
    }

    /// Commits whose messages contain all of some words, best first.
    pub(crate) fn commits_matching(&self, words: &str, most: usize) -> Result<Vec<CheckoutCommit>> {
        match commit_store::all_words_query(words) {
            Some(query) => self.commits_for_query(&query, most),
            None => Ok(Vec::new()),
        }
    }

    /// Commits whose messages match a full-text query, best first.
    pub(crate) fn commits_for_query(
        &self,
        query: &str,
        most: usize,
    ) -> Result<Vec<CheckoutCommit>> {
        let mut stops = Vec::new();
        for id in commit_store::search_messages(self.facts, query, most)? {
            stops.extend(checkout::commit_by_id(self.checkout, id)?);
        }
        Ok(stops)
    }

    /// The tags of a commit: those of the folders that it touched, changed as its message says.
    pub(crate) fn tags_touched(&self, stop: &CheckoutCommit) -> Result<BTreeSet<String>> {
        let touched = self.touched(stop)?;
        let folders = touched.iter().flat_map(|(_, touch)| self.folders.tags(&touch.path));
        let said = history::tags_said(&self.message(stop)?);
        Ok(history::tag_state(folders.collect(), &said))
    }

    /// The tags of a file, with everything that commits up to a position did to them.
    pub fn tags_at(&self, path: &RepoPath, ops: &[(i64, TagOp)], up_to: i64) -> BTreeSet<String> {
        let until = ops.iter().take_while(|(pos, _)| *pos <= up_to).map(|(_, op)| op);
        history::tag_state(self.folders.tags(path), until)
    }

    /// What commits did to the tags of an artifact.
    pub fn tag_ops(&self, artifact: ArtifactId) -> Result<Vec<(i64, TagOp)>> {
        checkout::tag_ops_of(self.checkout, artifact)
    }

    /// The tags of an artifact.
    pub fn tags(&self, artifact: &Artifact) -> Result<BTreeSet<String>> {
        Ok(self.tags_at(&artifact.path, &self.tag_ops(artifact.id)?, i64::MAX))
    }

    /// The tags of many files.
    pub fn all_tags(&self, files: &[(RepoPath, ArtifactId)]) -> Result<Vec<BTreeSet<String>>> {
        let mut ops: BTreeMap<ArtifactId, Vec<TagOp>> = BTreeMap::new();
        for (artifact, op) in checkout::all_tag_ops(self.checkout)? {
            ops.entry(artifact).or_default().push(op);
        }
        let none = Vec::new();
        let tags = |(path, artifact): &(RepoPath, ArtifactId)| {
            history::tag_state(self.folders.tags(path), ops.get(artifact).unwrap_or(&none))
        };
        Ok(files.iter().map(tags).collect())
    }

    /// What usually changes with some files, most likely first; at most [`MAX_PARTNERS`].
    pub fn cochanged_files(
        &self,
        asked: &[Artifact],
    ) -> Result<(Vec<CochangedFile>, cochange::GatheredEvidence)> {
        let file = |artifact: &Artifact| cochange::FileArtifact {
            path: artifact.path.clone(),
            artifact: artifact.id,
        };
        let files: Vec<cochange::FileArtifact> = asked.iter().map(file).collect();
        let found = cochange::gather(self.checkout, &files, self.bulk_threshold)?;
        let own = asked.iter().map(|artifact| artifact.id).collect();
        let partners = cochange::rank(&own, &found.evidence).into_iter();
        let together =
            partners.map(|partner| self.with_current_path(partner)).filter_map(Result::transpose);
        Ok((together.take(MAX_PARTNERS).collect::<Result<_>>()?, found))
    }

    /// At most `most` files that changed with a file at least `often` times, most likely first.
    pub fn frequent_partners(
        &self,
        artifact: ArtifactId,
        often: u64,
        most: usize,
    ) -> Result<Vec<CochangedFile>> {
        let evidence = cochange::gather_own(self.checkout, artifact, self.bulk_threshold)?;
        let partners = cochange::rank(&[artifact].into(), &evidence).into_iter();
        let partners = partners.filter(|partner| partner.count >= often);
        let together =
            partners.map(|partner| self.with_current_path(partner)).filter_map(Result::transpose);
        together.take(most).collect()
    }

    /// How often other files changed with some files, taken together. Merges and bulk commits do
    /// not count.
    pub fn habits(&self, artifacts: &BTreeSet<ArtifactId>) -> Result<Vec<cochange::CochangeHabit>> {
        let mut commits = BTreeMap::new();
        for artifact in artifacts {
            let evidence = cochange::gather_own(self.checkout, *artifact, self.bulk_threshold)?;
            commits.insert(*artifact, evidence.own);
        }
        Ok(cochange::habits(&commits))
    }

    /// The present path of an artifact, if it still exists.
    pub fn current_path(&self, artifact: ArtifactId) -> Result<Option<RepoPath>> {
        checkout::current_path(self.checkout, artifact)
    }

    /// A partner with its present path, if it still exists.
    fn with_current_path(&self, partner: cochange::PartnerScore) -> Result<Option<CochangedFile>> {
        let path = self.current_path(partner.artifact)?;
        Ok(path.map(|path| CochangedFile { path, partner }))
    }

    /// Whether a commit touched so many files that it does not show which belong together.
    pub(crate) fn is_bulk(&self, stop: &CheckoutCommit) -> bool {
        stop.files > i64::from(self.bulk_threshold)
    }

    /// How many commits of an artifact count for co-change.
    pub fn counted_commits_of(&self, view: &View<'_>, artifact: ArtifactId) -> Result<u64> {
        let known = view.cached_at::<ChurnByArtifact>(CHURN_KEY, &self.state_mark()?);
        match known {
            Some(churn) => Ok(churn.get(&artifact).map_or(0, |churn| churn.commits)),
            None => cochange::countable_commits_of(self.checkout, artifact, self.bulk_threshold),
        }
    }

    /// How many commits count for co-change, in total.
    pub fn counted_commits(&self, view: &View<'_>) -> Result<u64> {
        let mark = self.state_mark()?;
        if let Some(known) = view.cached_at::<u64>(COMMIT_COUNT_KEY, &mark) {
            return Ok(*known);
        }
        Ok(*view.cache_at(
            COMMIT_COUNT_KEY,
            mark,
            cochange::countable_commits(self.checkout, self.bulk_threshold)?,
        ))
    }

    /// How often each pair of some files was changed in the same commit. Pairs that never were are
    /// left out.
    pub fn cochanged_pairs(&self, artifacts: &[ArtifactId]) -> Result<Vec<cochange::ArtifactPair>> {
        cochange::pairs(self.checkout, artifacts, self.bulk_threshold)
    }

    /// How often each file was changed, merges and bulk commits left out: since a moment, or in total.
    pub fn churn(&self, view: &View<'_>, since: Option<Timestamp>) -> Result<Arc<ChurnByArtifact>> {
        let read = |since: i64| -> Result<ChurnByArtifact> {
            let rows = checkout::churn(self.checkout, since, self.bulk_threshold)?;
            Ok(rows.into_iter().map(|churn| (churn.artifact, churn)).collect())
        };
        if let Some(since) = since {
            return read(since.as_second()).map(Arc::new);
        }
        let mark = self.state_mark()?;
        match view.cached_at(CHURN_KEY, &mark) {
            Some(known) => Ok(known),
            None => Ok(view.cache_at(CHURN_KEY, mark, read(i64::MIN)?)),
        }
    }

    /// Identifies the state that counts over all commits depend on.
    fn state_mark(&self) -> Result<String> {
        let head = checkout::meta(self.checkout, "head")?.unwrap_or_default();
        Ok(format!("{head} {} {}", self.bulk_threshold, self.commits()?))
    }

    /// Which commits changed which files at or below a path, newest commit first.
    pub fn changes_below(&self, folder: &RepoPath) -> Result<Vec<ArtifactChange>> {
        checkout::changes_below(self.checkout, folder, self.bulk_threshold)
    }

    /// When the commit that is `ago` commits before the newest was made, in seconds since 1970.
    pub fn time_ago(&self, ago: i64) -> Result<i64> {
        Ok(self.commit_position(self.commits()? - 1 - ago)?.time)
    }
}

/// Why there is no history.
fn no_history_problem(view: &View<'_>) -> Problem {
    if view.git().is_some() {
        return Problem::new(base::ProblemCode::Busy, "the history is still being read")
            .hint("repeat the request in a moment")
            .hint_call("to wait until it has been read:", NextCall::new("sync"));
    }
    Problem::new(base::ProblemCode::Unavailable, "there is no history here")
        .hint("history is read from git: run this in a repository, with git installed")
}

/// A commit's name as answers write it.
pub fn short_commit_id(sha: &[u8]) -> String {
    history::sha_to_hex(sha).chars().take(12).collect()
}

/// Seconds since 1970 as a time in RFC 3339.
pub fn time_text(seconds: i64) -> String {
    base::moment::from_seconds(seconds).to_string()
}

/// How long ago a commit was; its time is in seconds since 1970.
pub fn elapsed_text(now: Timestamp, then: i64) -> String {
    base::moment::elapsed(now, base::moment::from_seconds(then))
}
