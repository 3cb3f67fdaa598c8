//! Branches as durable stores need them: which branch owns a store, which branch is the default,
//! and the former names of renamed branches. [`BranchList`] alone decides which branches exist.

use std::collections::{BTreeMap, BTreeSet};

use base::{Call, Result};
use git::BranchList;

use super::owner::StoreOwner;
use crate::repository::Repository;

/// The default branch. Its store is read for branches that have none of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultBranch {
    /// Its name
    pub name: String,
    /// Where the name comes from
    pub source: DefaultBranchSource,
}

/// What to do if the default branch does not exist.
pub const SET_DEFAULT_BRANCH: &str =
    "set `kb.default_branch` in cairn.jsonc, or run  git remote set-head origin --auto";

/// Where the name of the default branch comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultBranchSource {
    /// `kb.default_branch` in `cairn.jsonc`
    Configured,
    /// `origin/HEAD`
    Origin,
    /// Neither of the two; `main` is assumed
    Assumed,
}

impl DefaultBranch {
    /// The branch that the configuration names, otherwise that of `origin/HEAD`, otherwise `main`.
    pub(crate) fn find(git: &Repository, configured: Option<&str>, call: &Call) -> Result<Self> {
        if let Some(name) = configured {
            return Ok(Self { name: name.to_owned(), source: DefaultBranchSource::Configured });
        }
        Ok(match git.default_branch(call)? {
            Some(name) => Self { name, source: DefaultBranchSource::Origin },
            None => Self { name: "main".into(), source: DefaultBranchSource::Assumed },
        })
    }

    /// A warning if the default branch does not exist.
    pub fn missing_warning(&self, git: &Repository, call: &Call) -> Result<Option<String>> {
        let name = self.name.as_str();
        // A clone need not check out the branch that `origin/HEAD` names.
        let is_there = self.source == DefaultBranchSource::Origin
            || git.has_all_branches([name].into_iter())?
            || git.branch_list(call)?.contains(name);
        let why = match self.source {
            _ if is_there => return Ok(None),
            DefaultBranchSource::Configured => {
                format!("`cairn.jsonc` names `{name}` as the default branch, which does not exist")
            }
            _ => {
                format!("unknown default branch: neither `origin/HEAD` nor `{name}` exists")
            }
        };
        Ok(Some(format!("{why}; a new branch starts with an empty knowledge base")))
    }
}

/// The checked-out branch, or the checked-out commit if no branch is checked out.
pub(crate) fn checked_out(git: &Repository, call: &Call) -> Result<StoreOwner> {
    let head = git.head(call)?;
    Ok(match (head.branch, head.commit) {
        (Some(branch), _) => StoreOwner::Branch(branch),
        (None, Some(commit)) => StoreOwner::Commit(commit.into()),
        (None, None) => StoreOwner::Branch("HEAD".into()),
    })
}

/// Whether a branch, or a worktree at a commit, exists.
pub(crate) fn exists(list: &BranchList, owner: &StoreOwner) -> bool {
    match owner {
        StoreOwner::Branch(name) => list.contains(name),
        StoreOwner::Commit(commit) => list.is_detached_at(commit),
    }
}

/// The present names of renamed branches, by their former names.
pub(crate) fn renamed_branches(
    git: &Repository,
    list: &BranchList,
    gone: &BTreeSet<&str>,
    call: &Call,
) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    if gone.is_empty() {
        return Ok(found);
    }
    for name in list.names() {
        let former = git.former_names(name, call)?;
        let known = former.into_iter().filter(|former| gone.contains(former.as_str()));
        found.extend(known.map(|former| (former, name.to_owned())));
    }
    Ok(found)
}
