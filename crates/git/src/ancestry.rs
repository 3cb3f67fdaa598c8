//! Which commits there are, and which are whose parents.

use base::entity::CommitId;
use base::{Call, Result};

use crate::failure;
use crate::files;
use crate::oid::Oid;
use crate::repo::Repo;

/// A commit and its parents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitParents {
    /// The commit
    pub oid: Oid,
    /// Its parents, in order; none for a root, and for the edge of a shallow clone
    pub parents: Vec<Oid>,
}

impl Repo {
    /// Every commit that is reachable from `from` and not from `without`, in no promised order.
    pub fn reachable(
        &self,
        call: &Call,
        from: &CommitId,
        without: Option<&CommitId>,
    ) -> Result<Vec<CommitParents>> {
        self.reachable_with_preview((call, from, without), (usize::MAX, |_: &[CommitParents]| ()))
    }

    /// The same. Somebody hears of the first so many, the newest, while git goes on.
    pub fn reachable_with_preview(
        &self,
        (call, from, without): (&Call, &CommitId, Option<&CommitId>),
        (first, hear): (usize, impl FnOnce(&[CommitParents])),
    ) -> Result<Vec<CommitParents>> {
        let mut hear = Some(hear);
        let without = without.map(|commit| format!("^{commit}"));
        let git = self.git("rev-list")?.args(["--parents", "--end-of-options", from.as_str()]);
        let mut running = git.args(without).start()?;
        let (mut links, mut rest) = (Vec::new(), Vec::new());
        while let Some(piece) = running.read_chunk(call)? {
            rest.extend(piece);
            let Some(end) = rest.iter().rposition(|byte| *byte == b'\n') else { continue };
            for line in rest[..end].split(|byte| *byte == b'\n') {
                links.push(
                    parse_commit_parents(line)
                        .ok_or_else(|| failure::unexpected_output("rev-list", line))?,
                );
            }
            rest.drain(..=end);
            if links.len() >= first
                && let Some(hear) = hear.take()
            {
                hear(&links[..first]);
            }
        }
        running.wait_for_exit(call)?.output()?;
        Ok(links)
    }

    /// The commits whose parents a shallow clone has left out, sorted; none in a whole clone.
    pub fn shallow_commits(&self) -> Result<Vec<Oid>> {
        let text = files::read(&self.common_dir().join("shallow"))?.unwrap_or_default();
        let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let mut oids: Vec<Oid> = lines.filter_map(Oid::from_hex).collect();
        oids.sort_unstable();
        Ok(oids)
    }

    /// The parents that a commit names itself, whether they are here or not.
    pub fn recorded_parents(&self, call: &Call, commit: Oid) -> Result<Vec<Oid>> {
        let git = self.git("cat-file")?.args(["commit".to_owned(), commit.to_string()]);
        let text = git.run(call)?.output()?;
        let lines = text.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
        let parents = lines.filter_map(|line| line.strip_prefix(b"parent "));
        Ok(parents.filter_map(Oid::from_hex).collect())
    }
}

pub(crate) fn parse_commit_parents(line: &[u8]) -> Option<CommitParents> {
    let mut oids = line.split(|byte| *byte == b' ').map(Oid::from_hex);
    let oid = oids.next()??;
    Some(CommitParents { oid, parents: oids.collect::<Option<_>>()? })
}
