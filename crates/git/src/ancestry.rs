//! Which commits are reachable, and what their parents are.

use base::entity::CommitId;
use base::{Call, Result};

use crate::failure;
use crate::files;
use crate::oid::Oid;
use crate::repo::Repo;

/// A commit and its parents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitParents {
    /// The commit's object id
    pub oid: Oid,
    /// Its parents, in order; empty for a root commit, and where a shallow clone ends
    pub parents: Vec<Oid>,
}

/// The commits that are reachable from one commit and not from another.
#[derive(Debug, Clone, Copy)]
pub struct CommitRange<'a> {
    /// The newest commit
    pub from: &'a CommitId,
    /// The commit whose ancestors are left out
    pub without: Option<&'a CommitId>,
}

impl Repo {
    /// Every commit that is reachable from `from` and not from `without`, in unspecified order.
    pub fn reachable(
        &self,
        call: &Call,
        from: &CommitId,
        without: Option<&CommitId>,
    ) -> Result<Vec<CommitParents>> {
        let range = CommitRange { from, without };
        self.reachable_with_preview(call, range, usize::MAX, |_| ())
    }

    /// Like [`Self::reachable`], but passes the newest `preview_count` commits to `on_preview` as
    /// soon as git has written them. With fewer commits there is no preview.
    pub fn reachable_with_preview(
        &self,
        call: &Call,
        range: CommitRange<'_>,
        preview_count: usize,
        on_preview: impl FnOnce(&[CommitParents]),
    ) -> Result<Vec<CommitParents>> {
        let CommitRange { from, without } = range;
        let mut on_preview = Some(on_preview);
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
            if links.len() >= preview_count
                && let Some(on_preview) = on_preview.take()
            {
                on_preview(&links[..preview_count]);
            }
        }
        running.wait_for_exit(call)?.output()?;
        Ok(links)
    }

    /// The commits at which a shallow clone ends, sorted; empty in a full clone.
    pub fn shallow_commits(&self) -> Result<Vec<Oid>> {
        let text = files::read(&self.common_dir().join("shallow"))?.unwrap_or_default();
        let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let mut oids: Vec<Oid> = lines.filter_map(Oid::from_hex).collect();
        oids.sort_unstable();
        Ok(oids)
    }
}

pub(crate) fn parse_commit_parents(line: &[u8]) -> Option<CommitParents> {
    let mut oids = line.split(|byte| *byte == b' ').map(Oid::from_hex);
    let oid = oids.next()??;
    Some(CommitParents { oid, parents: oids.collect::<Option<_>>()? })
}
