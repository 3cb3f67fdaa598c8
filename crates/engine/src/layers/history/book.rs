//! The history as it is read: the commits that are kept and the line of what is checked out.

use std::collections::{BTreeMap, BTreeSet};

use base::{Code, EntityRef, NextCall, Problem, RepoPath, Result};
use history::line::{Place, Stop, TouchRow};
use history::{Commit, Folders, TagOp, cochange, facts, line};
use jiff::Timestamp;
use store::Connection;

use super::follow::UNKNOWN_RENAMES;
use crate::contract::args::Target;
use crate::follow::incomplete;
use crate::graph;
use crate::view::View;

/// The area's name.
const NAME: &str = "history";

/// The artifact of a file that no commit has touched; numbers start above it.
const NEW: i64 = 0;

/// Beyond so many files, those that change with others do so by chance.
pub(crate) const MOST_PARTNERS: usize = 200;

/// The name of what is kept: how many commits count.
const COUNTED: &str = "history.counted";

/// A history that can be read.
pub(crate) struct Book<'v> {
    facts: &'v Connection,
    line: &'v Connection,
    folders: Folders,
    most: u32,
}

/// A file through its renames.
#[derive(Debug, Clone)]
pub(crate) struct Artifact {
    /// Its number
    pub id: i64,
    /// Where it is, or was last
    pub path: RepoPath,
    /// Whether the commit that is checked out has it
    pub is_live: bool,
}

/// A file that changes with others, and how often.
#[derive(Debug, Clone)]
pub(crate) struct Together {
    pub path: RepoPath,
    pub partner: cochange::Partner,
}

impl<'v> Book<'v> {
    /// The history, up to date. Without git there is none, which is an error here.
    pub(crate) fn open(view: &'v View<'_>) -> Result<Self> {
        let shelves = view.followed(NAME)?.ok_or_else(|| missing(view))?;
        let book = Self::of(view, &shelves.all())?;
        let unknown = line::meta(book.line, UNKNOWN_RENAMES)?;
        if let Some(count) = unknown.filter(|count| count != "0") {
            view.doubt(format!(
                "renames are unknown in {count} of {} commits, because contents are missing; \
                 fetch them with git, then `sync` with `full`",
                book.commits()?
            ));
        }
        if let Some(edge) = book.edge()? {
            view.doubt(format!(
                "the clone is shallow and ends at commit:{}; `git fetch --unshallow` brings the rest",
                short(&edge.sha)
            ));
        }
        Ok(book)
    }

    /// The first commit of which it is not known what came before it.
    fn edge(&self) -> Result<Option<Stop>> {
        let edges = facts::edges(self.facts)?.into_iter();
        let stops = edges.map(|id| line::stop_of(self.line, id)).filter_map(Result::transpose);
        let stops = stops.collect::<Result<Vec<_>>>()?;
        Ok(stops.into_iter().min_by_key(|stop| stop.pos))
    }

    /// The history, if it can be had without waiting for it. Where it cannot be kept, as on a
    /// read-only disk, the answer goes without it and says so.
    pub(crate) fn soon(view: &'v View<'_>) -> Result<Option<Self>> {
        let shelves = match view.followed_soon(NAME) {
            Err(problem) if problem.code == Code::Io => {
                view.doubt(format!("history cannot be read: {}", problem.message));
                None
            }
            other => other?,
        };
        let Some(shelves) = shelves else { return Ok(None) };
        Self::of(view, &shelves.all()).map(Some)
    }

    fn of(view: &View<'_>, shelves: &[&'v Connection]) -> Result<Self> {
        let [facts, line] = shelves else { return Err(Problem::internal("two files")) };
        let config = &view.config().history;
        let folders =
            Folders { strip: config.strip_prefixes.clone(), stop: config.stop_tags.clone() };
        Ok(Self { facts, line, folders, most: config.max_commit_files })
    }

    /// What commits say, and the line of them.
    pub(crate) const fn stores(&self) -> (&'v Connection, &'v Connection) {
        (self.facts, self.line)
    }

    /// How many commits there are.
    pub(crate) fn commits(&self) -> Result<i64> {
        line::count(self.line)
    }

    /// The artifact that a target means, also by a path that it had.
    pub(crate) fn artifact(&self, view: &View<'_>, target: &Target) -> Result<Artifact> {
        let text = target.as_str().trim();
        let path = ["file:", "module:"].iter().find_map(|kind| text.strip_prefix(kind));
        let text = path.unwrap_or(text);
        view.confine(text)?;
        for path in view.typed_paths(text) {
            if let Some(found) = self.at(&path)? {
                return Ok(found);
            }
        }
        let path = match graph::resolve(view, target) {
            Ok(EntityRef::Module(path) | EntityRef::File(path)) => path,
            Ok(other) => {
                return Err(Problem::invalid(format!("{other} is not a file")).hint_call(
                    "name a file; those of a folder are listed by",
                    NextCall::to("history.list"),
                ));
            }
            Err(problem) => return Err(self.nothing(text, problem)?),
        };
        self.at(&path)?.ok_or_else(|| {
            Problem::not_found(format!("no commit has touched {path}"))
                .hint("it is not committed yet, or `history.exclude` in cairn.jsonc leaves it out")
        })
    }

    /// The same for something that may be new: a file that no commit has touched yet is told by
    /// its place and name alone.
    pub(crate) fn artifact_or_new(&self, view: &View<'_>, target: &Target) -> Result<Artifact> {
        let known = self.artifact(view, target);
        let Err(problem) = &known else { return known };
        match graph::resolve(view, target) {
            Ok(EntityRef::Module(path) | EntityRef::File(path))
                if problem.code == base::Code::NotFound =>
            {
                Ok(Artifact { id: NEW, path, is_live: false })
            }
            _ => known,
        }
    }

    /// What was last at a path.
    pub(crate) fn at(&self, path: &RepoPath) -> Result<Option<Artifact>> {
        let Some(Place { artifact: id, live, .. }) = line::at(self.line, path)? else {
            return Ok(None);
        };
        if live {
            return Ok(Some(Artifact { id, path: path.clone(), is_live: true }));
        }
        if let Some(path) = line::place_now(self.line, id)? {
            return Ok(Some(Artifact { id, path, is_live: true }));
        }
        let last = line::touches_of(self.line, id)?.into_iter().next_back();
        let path = last.map_or_else(|| path.clone(), |touch| touch.path);
        Ok(Some(Artifact { id, path, is_live: false }))
    }

    /// A path that means nothing now may have meant something once.
    fn nothing(&self, text: &str, problem: Problem) -> Result<Problem> {
        if problem.code != base::Code::NotFound {
            return Ok(problem);
        }
        let gone = line::gone(self.line)?;
        let names: Vec<String> = gone.iter().map(|(path, _)| path.to_string()).collect();
        let near = base::near::nearest(text, names.iter().map(String::as_str), 1);
        Ok(match near.first() {
            Some(near) => problem.hint(format!("among deleted files the nearest is {near}")),
            None => problem,
        })
    }

    /// Every file of the commit that is checked out.
    pub(crate) fn live(&self) -> Result<Vec<(RepoPath, i64)>> {
        line::live(self.line)
    }

    /// Every artifact that it does not have, with its last path.
    pub(crate) fn gone(&self) -> Result<Vec<(RepoPath, i64)>> {
        line::gone(self.line)
    }

    /// What was done to an artifact, oldest first.
    pub(crate) fn touches(&self, artifact: i64) -> Result<Vec<TouchRow>> {
        line::touches_of(self.line, artifact)
    }

    /// The last commit of an artifact.
    pub(crate) fn last(&self, artifact: i64) -> Result<Option<Stop>> {
        line::last_touch(self.line, artifact)
    }

    /// When a file of the commit that is checked out was first and last committed.
    pub(crate) fn dates(&self, path: &RepoPath) -> Result<Option<(String, String)>> {
        let Some(place) = line::at(self.line, path)?.filter(|place| place.live) else {
            return Ok(None);
        };
        let touches = line::touches_of(self.line, place.artifact)?;
        let ends = touches.first().zip(touches.last());
        let dated = |touch: &TouchRow| -> Result<String> {
            let time = Timestamp::from_second(self.stop(touch.pos)?.time);
            Ok(time.map(|time| time.to_string()).unwrap_or_default())
        };
        ends.map(|(first, last)| Ok((dated(first)?, dated(last)?))).transpose()
    }

    /// Who made the first commit of a file.
    pub(crate) fn first_author(&self, path: &RepoPath) -> Result<Option<String>> {
        let Some(place) = line::at(self.line, path)?.filter(|place| place.live) else {
            return Ok(None);
        };
        let touches = line::touches_of(self.line, place.artifact)?;
        let Some(first) = touches.first() else { return Ok(None) };
        Ok(Some(self.commit(&self.stop(first.pos)?)?.author.email))
    }

    /// The commit at a position.
    pub(crate) fn stop(&self, pos: i64) -> Result<Stop> {
        line::stop_at(self.line, pos)?.ok_or_else(|| Problem::internal("a gap in the history"))
    }

    /// What a commit says.
    pub(crate) fn commit(&self, stop: &Stop) -> Result<Commit> {
        let found = facts::get(self.facts, stop.id)?.filter(|commit| commit.sha == stop.sha);
        found.ok_or_else(|| incomplete(&format!("commit {}", short(&stop.sha))))
    }

    /// The words of a commit alone.
    pub(crate) fn message(&self, stop: &Stop) -> Result<String> {
        let found = facts::message(self.facts, stop.id)?.filter(|(sha, _)| *sha == stop.sha);
        let found = found.ok_or_else(|| incomplete(&format!("commit {}", short(&stop.sha))));
        Ok(found?.1)
    }

    /// The files that a commit touched.
    pub(crate) fn touched(&self, stop: &Stop) -> Result<Vec<(i64, TouchRow)>> {
        line::touched_at(self.line, stop.pos)
    }

    /// Commits whose names start with some digits, as far as they lead to what is checked out.
    pub(crate) fn called(&self, digits: &str) -> Result<Vec<Stop>> {
        let digits = digits.to_ascii_lowercase();
        let low = history::unhex(&digits);
        let high = [low.as_slice(), &[0xff; 32]].concat();
        let mut stops = Vec::new();
        for id in facts::between(self.facts, &low, &high)? {
            stops.extend(line::stop_of(self.line, id)?);
        }
        stops.retain(|stop| history::hex(&stop.sha).starts_with(&digits));
        Ok(stops)
    }

    /// Commits that say some words, best first.
    pub(crate) fn saying(&self, words: &str, most: usize) -> Result<Vec<Stop>> {
        match facts::all_words(words) {
            Some(query) => self.about(&query, most),
            None => Ok(Vec::new()),
        }
    }

    /// Commits that say some of the words of a full-text query, best first.
    pub(crate) fn about(&self, query: &str, most: usize) -> Result<Vec<Stop>> {
        let mut stops = Vec::new();
        for id in facts::saying(self.facts, query, most)? {
            stops.extend(line::stop_of(self.line, id)?);
        }
        Ok(stops)
    }

    /// The tags that a commit was about: of the folders it touched, and those it put on itself.
    pub(crate) fn tags_touched(&self, stop: &Stop) -> Result<BTreeSet<String>> {
        let touched = self.touched(stop)?;
        let folders = touched.iter().flat_map(|(_, touch)| self.folders.tags(&touch.path));
        let said = history::tags_said(&self.message(stop)?);
        Ok(history::tag_state(folders.collect(), &said))
    }

    /// The tags of a file, with everything that commits up to a position did to them.
    pub(crate) fn tags_at(
        &self,
        path: &RepoPath,
        ops: &[(i64, TagOp)],
        up_to: i64,
    ) -> BTreeSet<String> {
        let until = ops.iter().take_while(|(pos, _)| *pos <= up_to).map(|(_, op)| op);
        history::tag_state(self.folders.tags(path), until)
    }

    /// What commits did to the tags of an artifact.
    pub(crate) fn tag_ops(&self, artifact: i64) -> Result<Vec<(i64, TagOp)>> {
        line::tag_ops_of(self.line, artifact)
    }

    /// The tags of an artifact.
    pub(crate) fn tags(&self, artifact: &Artifact) -> Result<BTreeSet<String>> {
        Ok(self.tags_at(&artifact.path, &self.tag_ops(artifact.id)?, i64::MAX))
    }

    /// The tags of many files.
    pub(crate) fn all_tags(&self, files: &[(RepoPath, i64)]) -> Result<Vec<BTreeSet<String>>> {
        let mut ops: BTreeMap<i64, Vec<TagOp>> = BTreeMap::new();
        for (artifact, op) in line::all_tag_ops(self.line)? {
            ops.entry(artifact).or_default().push(op);
        }
        let none = Vec::new();
        let tags = |(path, artifact): &(RepoPath, i64)| {
            history::tag_state(self.folders.tags(path), ops.get(artifact).unwrap_or(&none))
        };
        Ok(files.iter().map(tags).collect())
    }

    /// What usually changes with some files, most likely first, as far as anybody would read.
    pub(crate) fn together(&self, asked: &[Artifact]) -> Result<(Vec<Together>, cochange::Found)> {
        let files: Vec<(RepoPath, i64)> =
            asked.iter().map(|artifact| (artifact.path.clone(), artifact.id)).collect();
        let found = cochange::gather(self.line, &files, self.most)?;
        let own = asked.iter().map(|artifact| artifact.id).collect();
        let partners = cochange::rank(&own, &found.evidence).into_iter();
        let together = partners.map(|partner| self.placed(partner)).filter_map(Result::transpose);
        Ok((together.take(MOST_PARTNERS).collect::<Result<_>>()?, found))
    }

    /// What changed with a file at least so often, most likely first, and no more than that.
    pub(crate) fn often_with(
        &self,
        artifact: i64,
        (often, most): (u64, usize),
    ) -> Result<Vec<Together>> {
        let evidence = cochange::gather_own(self.line, artifact, self.most)?;
        let partners = cochange::rank(&[artifact].into(), &evidence).into_iter();
        let partners = partners.filter(|partner| partner.count >= often);
        let together = partners.map(|partner| self.placed(partner)).filter_map(Result::transpose);
        together.take(most).collect()
    }

    /// A partner with where it is now, if it still is.
    fn placed(&self, partner: cochange::Partner) -> Result<Option<Together>> {
        let path = line::place_now(self.line, partner.artifact)?;
        Ok(path.map(|path| Together { path, partner }))
    }

    /// Whether a commit touched so much that it says nothing of what belongs together.
    pub(crate) fn is_bulk(&self, stop: &Stop) -> bool {
        stop.files > i64::from(self.most)
    }

    /// How many commits of an artifact count for what changes together.
    pub(crate) fn weight(&self, artifact: i64) -> Result<u64> {
        cochange::commits_of(self.line, artifact, self.most)
    }

    /// How many commits count for what changes together, in all.
    pub(crate) fn counted(&self, view: &View<'_>) -> Result<u64> {
        let head = line::meta(self.line, "head")?.unwrap_or_default();
        let mark = format!("{head} {} {}", self.most, self.commits()?);
        if let Some(known) = view.still_kept::<u64>(COUNTED, &mark) {
            return Ok(*known);
        }
        Ok(*view.keep(COUNTED, mark, cochange::total(self.line, self.most)?))
    }

    /// When a commit so many commits ago was made.
    pub(crate) fn time_ago(&self, ago: i64) -> Result<i64> {
        Ok(self.stop(self.commits()? - 1 - ago)?.time)
    }
}

/// Why there is no history.
fn missing(view: &View<'_>) -> Problem {
    if view.git().is_some() {
        return Problem::new(base::Code::Busy, "the history is still being read")
            .hint("repeat the request in a moment")
            .hint_call("to wait until it has been read:", NextCall::to("sync"));
    }
    Problem::new(base::Code::Unavailable, "there is no history here")
        .hint("history is read from git: run this in a repository, with git installed")
}

/// A commit's name as answers write it.
pub(crate) fn short(sha: &[u8]) -> String {
    history::hex(sha).chars().take(12).collect()
}

/// Seconds since 1970 as a time that everybody reads.
pub(crate) fn moment(seconds: i64) -> String {
    Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}

/// How long ago something was, as a person says it.
pub(crate) fn ago(now: Timestamp, then: i64) -> String {
    let seconds = now.as_second().saturating_sub(then);
    let count = |number: i64, unit: &str| match number {
        1 => format!("1 {unit} ago"),
        number => format!("{number} {unit}s ago"),
    };
    match seconds {
        ..60 => "just now".into(),
        60..3_600 => count(seconds / 60, "minute"),
        3_600..86_400 => count(seconds / 3_600, "hour"),
        86_400..1_209_600 => count(seconds / 86_400, "day"),
        1_209_600..5_184_000 => count(seconds / 604_800, "week"),
        5_184_000..63_072_000 => count(seconds / 2_592_000, "month"),
        _ => count(seconds / 31_536_000, "year"),
    }
}
