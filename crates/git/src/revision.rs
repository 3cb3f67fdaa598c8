//! Resolves revisions and finds out how commits are related.

use base::entity::CommitId;
use base::similarity::{did_you_mean, most_similar};
use base::{Call, Problem, ProblemCode, Result};

use crate::failure;
use crate::oid::Oid;
use crate::repo::Repo;

impl Repo {
    /// The commit that a revision names, such as a branch, a tag, a shortened id or `HEAD~2`.
    pub fn resolve(&self, call: &Call, revision: &str) -> Result<CommitId> {
        check_revision(revision)?;
        let git = self.git("rev-parse")?.args(["--verify", "--end-of-options"]);
        let done = git.args([format!("{revision}^{{commit}}")]).run(call)?;
        let output =
            done.output().map_err(|problem| self.unresolved_problem(call, revision, problem))?;
        parse_commit_id("rev-parse", &output)
    }

    /// The commit without a parent at the end of the line of first parents: it names the history
    /// that is checked out, whatever was merged into it. `None` before the first commit, and in a
    /// shallow clone, which ends where it was cut off.
    pub fn root_commit(&self, call: &Call) -> Result<Option<CommitId>> {
        if self.common_dir().join("shallow").exists() || self.head(call)?.commit.is_none() {
            return Ok(None);
        }
        let git = self.git("rev-list")?.args(["--first-parent", "--max-parents=0"]);
        let output = git.args(["--end-of-options", "HEAD"]).run(call)?.output()?;
        parse_commit_id("rev-list", &output).map(Some)
    }

    /// The best common ancestor; `None` if the two commits share no history.
    pub fn merge_base(&self, call: &Call, a: &CommitId, b: &CommitId) -> Result<Option<CommitId>> {
        let git = self.git("merge-base")?.args(["--end-of-options", a.as_str(), b.as_str()]);
        let output = git.run(call)?.optional_output()?;
        output.map(|output| parse_commit_id("merge-base", &output)).transpose()
    }

    /// Adds the revision and similar branch names to an error.
    fn unresolved_problem(&self, call: &Call, revision: &str, problem: Problem) -> Problem {
        let shown = revision.escape_debug();
        let message = match problem.code {
            ProblemCode::NotFound => format!("there is no commit `{shown}`"),
            ProblemCode::Ambiguous => format!("`{shown}` fits several objects"),
            _ => return problem,
        };
        let branches = self.branches(call).unwrap_or_default();
        let near = most_similar(revision, branches.iter().map(|branch| branch.name.as_str()), 3);
        let meant = near.iter().map(|name| did_you_mean(name).into());
        let hints = meant.chain(problem.hints).collect();
        Problem { message, hints, ..problem }
    }
}

/// Refuses a revision that git would take for an option or a negation, or that cannot be an
/// argument.
fn check_revision(revision: &str) -> Result<()> {
    let odd = revision.is_empty() || revision.starts_with(['-', '^']);
    if odd || revision.contains(char::is_control) {
        let shown = revision.escape_debug();
        return Err(Problem::not_found(format!("`{shown}` cannot name a commit"))
            .hint("give a branch, a tag, or the digits of a commit"));
    }
    Ok(())
}

fn parse_commit_id(verb: &str, output: &[u8]) -> Result<CommitId> {
    let oid = Oid::from_hex(output.trim_ascii_end());
    oid.map(Oid::to_commit_id).ok_or_else(|| failure::unexpected_output(verb, output))
}
