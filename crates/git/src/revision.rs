//! Names of commits: resolving them, branches, and how commits are related.

use base::entity::CommitId;
use base::near::nearest;
use base::{Call, Code, Problem, Result};

use crate::failure;
use crate::oid::Oid;
use crate::refs;
use crate::repo::Repo;

/// A local branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its name, without `refs/heads/`
    pub name: String,
    /// The commit it is at
    pub commit: CommitId,
}

impl Repo {
    /// The commit that a revision names: a branch, a tag, digits of a name, `HEAD~2`.
    pub fn resolve(&self, call: &Call, revision: &str) -> Result<CommitId> {
        check(revision)?;
        let git = self.git("rev-parse")?.args(["--verify", "--end-of-options"]);
        let done = git.args([format!("{revision}^{{commit}}")]).run(call)?;
        let output = done.output().map_err(|problem| self.unresolved(call, revision, problem))?;
        whole_name("rev-parse", &output)
    }

    /// The branch that a fresh clone of `origin` checks out, if this clone knows it.
    pub fn default_branch(&self, call: &Call) -> Result<Option<String>> {
        if let Some(known) = refs::origin_head(self.common_dir())? {
            return Ok(known);
        }
        let git = self.git("symbolic-ref")?.args(["-q", "refs/remotes/origin/HEAD"]);
        let output = git.run(call)?.answer()?;
        let name = output.as_deref().map(<[u8]>::trim_ascii_end);
        Ok(name.and_then(|name| name.strip_prefix(b"refs/remotes/origin/")).map(refs::text))
    }

    /// The name that a branch had before `git branch -m`, as its log tells. A branch without a
    /// log was never renamed, as far as anybody knows.
    pub fn renamed_from(&self, branch: &str) -> Result<Option<String>> {
        refs::renamed_from(self.common_dir(), branch)
    }

    /// The commits that worktrees of this repository have checked out without a branch.
    pub fn detached(&self, call: &Call) -> Result<Vec<String>> {
        let worktrees = self.layout().worktrees()?.into_iter();
        let heads = worktrees.map(|layout| self.at(layout).head(call));
        let heads = heads.collect::<Result<Vec<_>>>()?.into_iter();
        let alone = heads.filter(|head| head.branch.is_none());
        Ok(alone.filter_map(|head| head.commit.map(String::from)).collect())
    }

    /// The local branches, sorted by name.
    pub fn branches(&self, call: &Call) -> Result<Vec<Branch>> {
        let git = self.git("for-each-ref")?.args(["--format=%(objectname) %(refname)"]);
        let output = git.args(["refs/heads/"]).run(call)?.output()?;
        let lines = output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(branch).collect()
    }

    /// Whether `old` is `new` or among its ancestors.
    pub fn is_ancestor(&self, call: &Call, old: &CommitId, new: &CommitId) -> Result<bool> {
        let git = self.git("merge-base")?.args(["--is-ancestor", "--end-of-options"]);
        let answer = git.args([old.as_str(), new.as_str()]).run(call)?.answer()?;
        Ok(answer.is_some())
    }

    /// The best common ancestor; `None` when the two share no history.
    pub fn merge_base(&self, call: &Call, a: &CommitId, b: &CommitId) -> Result<Option<CommitId>> {
        let git = self.git("merge-base")?.args(["--end-of-options", a.as_str(), b.as_str()]);
        let output = git.run(call)?.answer()?;
        output.map(|output| whole_name("merge-base", &output)).transpose()
    }

    /// Names the revision in the problem, and the branches it may have meant.
    fn unresolved(&self, call: &Call, revision: &str, problem: Problem) -> Problem {
        let shown = revision.escape_debug();
        let message = match problem.code {
            Code::NotFound => format!("there is no commit `{shown}`"),
            Code::Ambiguous => format!("`{shown}` fits several objects"),
            _ => return problem,
        };
        let branches = self.branches(call).unwrap_or_default();
        let near = nearest(revision, branches.iter().map(|branch| branch.name.as_str()), 3);
        let meant = near.iter().map(|name| format!("did you mean `{name}`?"));
        let hints = meant.chain(problem.hints).collect();
        Problem { message, hints, ..problem }
    }
}

/// Refuses what git would take for an option or a negation, or could not be handed.
fn check(revision: &str) -> Result<()> {
    let odd = revision.is_empty() || revision.starts_with(['-', '^']);
    if odd || revision.contains(char::is_control) {
        let shown = revision.escape_debug();
        return Err(Problem::not_found(format!("`{shown}` cannot name a commit"))
            .hint("give a branch, a tag, or the digits of a commit"));
    }
    Ok(())
}

fn branch(line: &[u8]) -> Result<Branch> {
    let refused = || failure::not_understood("for-each-ref", line);
    let space = line.iter().position(|byte| *byte == b' ').ok_or_else(refused)?;
    let oid = Oid::from_digits(&line[..space]).ok_or_else(refused)?;
    let name = line[space + 1..].strip_prefix(b"refs/heads/").ok_or_else(refused)?;
    Ok(Branch { name: refs::text(name), commit: oid.to_commit() })
}

fn whole_name(verb: &str, output: &[u8]) -> Result<CommitId> {
    let oid = Oid::from_digits(output.trim_ascii_end());
    oid.map(Oid::to_commit).ok_or_else(|| failure::not_understood(verb, output))
}
