//! Reading references in process, as git keeps them in files.
//!
//! Whatever is not plainly a reference in a file (reftable, symlinks, chains of symbolic
//! references, odd names) is `Unknown`, and git is asked instead.

use std::collections::BTreeSet;
use std::path::Path;

use base::Result;

use crate::files;
use crate::oid::Oid;

/// The content of HEAD.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HeadTarget {
    /// A branch, without `refs/heads/`
    Branch(Vec<u8>),
    /// A commit
    Commit(Oid),
    /// Only git can tell
    Unknown,
}

/// The target of a branch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BranchTip {
    /// A commit
    Commit(Oid),
    /// The branch is not there
    None,
    /// Only git can tell
    Unknown,
}

/// Reads the HEAD of a worktree.
pub(crate) fn read_head(git_dir: &Path) -> Result<HeadTarget> {
    let file = git_dir.join("HEAD");
    if file.is_symlink() {
        return Ok(HeadTarget::Unknown);
    }
    let line = files::read_line(&file)?.unwrap_or_default();
    if let Some(oid) = Oid::from_hex(&line) {
        return Ok(HeadTarget::Commit(oid));
    }
    let name = line.strip_prefix(b"ref:").map(<[u8]>::trim_ascii).and_then(branch_of);
    Ok(name.map_or(HeadTarget::Unknown, |name| HeadTarget::Branch(name.to_vec())))
}

/// Reads what a branch is at.
pub(crate) fn read_tip(common_dir: &Path, branch: &[u8]) -> Result<BranchTip> {
    let loose = common_dir.join("refs/heads").join(platform::path_from_bytes(branch.to_vec()));
    if let Some(line) = files::read_line(&loose)? {
        return Ok(Oid::from_hex(&line).map_or(BranchTip::Unknown, BranchTip::Commit));
    }
    let packed = files::read(&common_dir.join("packed-refs"))?.unwrap_or_default();
    let wanted = [b" refs/heads/", branch].concat();
    let line = packed.split(|byte| *byte == b'\n').find(|line| line.ends_with(&wanted));
    let Some(line) = line else { return Ok(BranchTip::None) };
    let digits = &line[..line.len() - wanted.len()];
    Ok(Oid::from_hex(digits).map_or(BranchTip::Unknown, BranchTip::Commit))
}

/// The branch that `origin/HEAD` refers to. The outer `None` means that only git can tell.
#[expect(clippy::option_option, reason = "unknown and absent are different answers")]
pub(crate) fn origin_head(common_dir: &Path) -> Result<Option<Option<String>>> {
    let file = common_dir.join("refs/remotes/origin/HEAD");
    if common_dir.join("reftable").exists() || file.is_symlink() {
        return Ok(None);
    }
    // A symbolic reference is never packed, so without a file there is no reference.
    let Some(line) = files::read_line(&file)? else { return Ok(Some(None)) };
    let name = line.strip_prefix(b"ref:").map(<[u8]>::trim_ascii);
    Ok(name
        .and_then(|name| name.strip_prefix(b"refs/remotes/origin/"))
        .map(|name| Some(display_name(name))))
}

/// Whether references are stored in a table and not in files.
pub(crate) fn is_reftable(common_dir: &Path) -> bool {
    common_dir.join("reftable").exists()
}

/// Whether the files show a reference for each of these branches.
pub(crate) fn has_all_branches<'n>(
    common_dir: &Path,
    mut names: impl Iterator<Item = &'n str>,
) -> Result<bool> {
    let folder = common_dir.join("refs/heads");
    let has_file = |name: &&str| is_safe_branch_name(name) && folder.join(name).is_file();
    let mut others = names.by_ref().filter(|name| !has_file(name)).peekable();
    if others.peek().is_none() {
        return Ok(true);
    }
    let packed = files::read(&common_dir.join("packed-refs"))?.unwrap_or_default();
    let lines = packed.split(|byte| *byte == b'\n');
    let references = lines.filter_map(|line| line.splitn(2, |byte| *byte == b' ').nth(1));
    let known: BTreeSet<&[u8]> =
        references.filter_map(|name| name.strip_prefix(b"refs/heads/")).collect();
    Ok(others.all(|name| known.contains(name.as_bytes())))
}

fn is_safe_branch_name(name: &str) -> bool {
    branch_of(format!("refs/heads/{name}").as_bytes()).is_some()
}

/// The former names of a branch, newest first, from its log.
pub(crate) fn former_names(common_dir: &Path, branch: &str) -> Result<Vec<String>> {
    let log = files::read(&common_dir.join("logs/refs/heads").join(branch))?.unwrap_or_default();
    let lines: Vec<&[u8]> = log.split(|byte| *byte == b'\n').collect();
    Ok(former_names_in_log(branch, &lines))
}

/// The same from the lines of a log, oldest first. A log is renamed with its branch, so it contains
/// all renames.
pub(crate) fn former_names_in_log(branch: &str, lines: &[&[u8]]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in lines.iter().rev() {
        let line = String::from_utf8_lossy(line);
        let Some((_, renamed)) = line.split_once("Branch: renamed refs/heads/") else { continue };
        let Some((old, new)) = renamed.split_once(" to refs/heads/") else { continue };
        if new == names.last().map_or(branch, String::as_str) {
            names.push(old.to_owned());
        }
    }
    names
}

/// The branch that a reference names, if its name is safe to use as a path.
pub(crate) fn branch_of(reference: &[u8]) -> Option<&[u8]> {
    let name = reference.strip_prefix(b"refs/heads/")?;
    let odd = |part: &[u8]| part.is_empty() || part.starts_with(b".");
    let forbidden = |byte: &u8| byte.is_ascii_control() || matches!(byte, b'\\' | b':' | b' ');
    let good = !name.split(|byte| *byte == b'/').any(odd) && !name.iter().any(forbidden);
    good.then_some(name)
}

/// A reference's name as text. Bytes that are not UTF-8 become `\xff`; since git allows no
/// backslash in names, two names never become one.
pub(crate) fn display_name(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        text.push_str(chunk.valid());
        text.push_str(&chunk.invalid().escape_ascii().to_string());
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const OID: &str = "ce013625030ba8dba906f756967f9e9ca394464a";

    #[test]
    fn only_plain_branches_are_read_from_files() {
        assert_eq!(branch_of(b"refs/heads/a/b"), Some(&b"a/b"[..]));
        for name in ["refs/heads/.invalid", "refs/heads/../../config", "refs/tags/a", "refs/heads/"]
        {
            assert_eq!(branch_of(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn names_that_are_not_text_stay_apart() {
        assert_eq!(display_name(b"caf\xc3\xa9/\xff"), "café/\\xff");
    }

    #[test]
    fn former_names_are_followed_through_every_rename() {
        let lines: Vec<&[u8]> = [
            "0 1 Ada <a@b> 1 +0000\tbranch: Created from HEAD",
            "1 1 Ada <a@b> 2 +0000\tBranch: renamed refs/heads/a to refs/heads/b/c",
            "1 1 Ada <a@b> 3 +0000\tBranch: renamed refs/heads/x to refs/heads/y",
            "1 2 Ada <a@b> 4 +0000\tcommit: Branch: renamed nothing",
            "2 2 Ada <a@b> 5 +0000\tBranch: renamed refs/heads/b/c to refs/heads/d",
        ]
        .iter()
        .map(|line| line.as_bytes())
        .collect();
        assert_eq!(former_names_in_log("d", &lines), ["b/c", "a"]);
        assert!(former_names_in_log("c", &lines).is_empty());
    }

    #[test]
    fn a_branch_is_loose_packed_or_absent() {
        let temp = tempfile::tempdir().unwrap();
        let oid: Oid = OID.parse().unwrap();
        fs::create_dir_all(temp.path().join("refs/heads/x")).unwrap();
        fs::write(temp.path().join("refs/heads/x/loose"), format!("{OID}\n")).unwrap();
        fs::write(temp.path().join("refs/heads/chain"), "ref: refs/heads/x/loose\n").unwrap();
        let packed = format!(
            "# pack-refs with: peeled fully-peeled sorted \n{OID} refs/heads/old\n^{OID}\n"
        );
        fs::write(temp.path().join("packed-refs"), packed).unwrap();
        let tip = |name: &str| read_tip(temp.path(), name.as_bytes()).unwrap();
        assert_eq!(tip("x/loose"), BranchTip::Commit(oid));
        assert_eq!(tip("old"), BranchTip::Commit(oid));
        assert_eq!(tip("ld"), BranchTip::None);
        assert_eq!(tip("chain"), BranchTip::Unknown);
        let has_all =
            |names: &[&str]| has_all_branches(temp.path(), names.iter().copied()).unwrap();
        assert!(has_all(&["x/loose", "old"]) && has_all(&[]));
        assert!(!has_all(&["x/loose", "ld"]) && !has_all(&["x"]) && !has_all(&["../../config"]));
    }
}
