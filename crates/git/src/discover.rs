//! Finding the repository that a folder belongs to, as git would, without running git.
//!
//! A `.git` that is empty or leads nowhere as a symlink is passed over, since sandboxes leave such
//! things behind; one that is there but broken is a problem, not somebody else's repository.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base::{Problem, ProblemCode, Result};

use crate::config::GitConfig;
use crate::files;

/// What git would say about a folder: in a worktree, in a bare repository, or in neither.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RepoLocation {
    /// A worktree of a repository
    Worktree(RepoLayout),
    /// In a repository without a worktree, in this folder
    Bare(PathBuf),
    /// Not in a repository
    NoRepository,
}

/// The folders of a repository, seen from one worktree. All paths are absolute and resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoLayout {
    /// The folder that contains the files and `.git`
    pub root: PathBuf,
    /// The folder for this worktree only: HEAD, the index, a rebase in progress
    pub git_dir: PathBuf,
    /// The folder that all worktrees share: objects, branches, settings
    pub common_dir: PathBuf,
    /// The kind of the worktree
    pub kind: WorktreeKind,
}

/// The kind of a worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorktreeKind {
    /// The one a repository was made with
    Main,
    /// A worktree that `git worktree add` created
    Linked,
    /// The one of a submodule whose git folder is kept in its superproject's
    Submodule,
}

/// Finds the repository that contains `start`. Parent folders are searched on the same file system
/// only.
pub fn discover(start: &Path) -> Result<RepoLocation> {
    let start = resolve(start)?;
    let device = platform::device(&start);
    for folder in start.ancestors().take_while(|folder| platform::device(folder) == device) {
        if let Some(place) = inspect_folder(folder)? {
            return Ok(place);
        }
    }
    Ok(RepoLocation::NoRepository)
}

/// The path with its links resolved.
fn resolve(path: &Path) -> Result<PathBuf> {
    platform::canonicalize(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Problem::not_found(format!("there is no {}", path.display()))
            .hint("check the path, and links on the way to it"),
        _ => Problem::io(format!("open {}", path.display()))(error),
    })
}

/// The repository whose root is `folder` itself, if there is one.
pub(crate) fn inspect_folder(folder: &Path) -> Result<Option<RepoLocation>> {
    if let Some(git_dir) = resolve_dot_git(folder)? {
        return worktree_location(folder, git_dir).map(Some);
    }
    let Some(common_dir) = common_dir_of(folder) else { return Ok(None) };
    // A folder inside `.git` says so with `bare = false`; its worktree is further up.
    let bare = GitConfig::read(folder, &common_dir)?.get_bool("core.bare").unwrap_or(true);
    Ok(bare.then_some(RepoLocation::Bare(common_dir)))
}

fn worktree_location(root: &Path, git_dir: PathBuf) -> Result<RepoLocation> {
    let common_dir =
        common_dir_of(&git_dir).ok_or_else(|| broken_dot_git(root, "it is incomplete"))?;
    let kind = if common_dir != git_dir {
        WorktreeKind::Linked
    } else if is_in_modules(&git_dir) {
        WorktreeKind::Submodule
    } else {
        WorktreeKind::Main
    };
    let bare = || GitConfig::read(&git_dir, &common_dir).map(|config| config.get_bool("core.bare"));
    if kind == WorktreeKind::Main && bare()? == Some(true) {
        return Ok(RepoLocation::Bare(git_dir));
    }
    Ok(RepoLocation::Worktree(RepoLayout { root: root.to_owned(), git_dir, common_dir, kind }))
}

/// The git folder that `.git` is or refers to; `None` if there is no usable `.git`.
fn resolve_dot_git(folder: &Path) -> Result<Option<PathBuf>> {
    let dot_git = folder.join(".git");
    let Ok(metadata) = dot_git.metadata() else { return Ok(None) };
    let git_dir = if metadata.is_dir() {
        if is_empty(&dot_git)? {
            return Ok(None);
        }
        resolve(&dot_git)?
    } else if metadata.is_file() && metadata.len() > 0 {
        read_gitdir_file(&dot_git, folder)?
    } else {
        return Ok(None);
    };
    match common_dir_of(&git_dir) {
        Some(_) => Ok(Some(git_dir)),
        None => Err(broken_dot_git(folder, "it lacks HEAD, objects or refs")),
    }
}

/// The folder that a `.git` file names.
fn read_gitdir_file(dot_git: &Path, folder: &Path) -> Result<PathBuf> {
    let line = files::read_line(dot_git)?.unwrap_or_default();
    let name = line.strip_prefix(b"gitdir:").map(<[u8]>::trim_ascii).unwrap_or_default();
    if name.is_empty() {
        return Err(broken_dot_git(folder, "it is a file without `gitdir:`"));
    }
    let named = folder.join(platform::path_from_bytes(name.to_vec()));
    platform::canonicalize(&named).map_err(|error| {
        broken_dot_git(folder, &format!("it points to {}, which does not exist", named.display()))
            .hint("if the main repository moved, run `git worktree repair` in it")
            .with_source(error)
    })
}

fn is_empty(folder: &Path) -> Result<bool> {
    let what = format!("read {}", folder.display());
    Ok(fs::read_dir(folder).map_err(Problem::io(what))?.next().is_none())
}

/// The shared part of a git folder; `None` if it is not a git folder.
fn common_dir_of(git_dir: &Path) -> Option<PathBuf> {
    if !has_head(git_dir) {
        return None;
    }
    let file = git_dir.join("commondir");
    let common_dir = match file.symlink_metadata() {
        Ok(_) => files::read_path(&file, git_dir).ok().flatten()?,
        Err(_) => git_dir.to_owned(),
    };
    let complete = common_dir.join("objects").is_dir() && common_dir.join("refs").is_dir();
    complete.then_some(common_dir)
}

/// Whether HEAD exists and contains a reference or an object id.
fn has_head(git_dir: &Path) -> bool {
    let head = git_dir.join("HEAD");
    if let Ok(target) = head.read_link() {
        return target.starts_with("refs");
    }
    let Ok(Some(line)) = files::read_line(&head) else { return false };
    match line.strip_prefix(b"ref:") {
        Some(name) => name.trim_ascii().starts_with(b"refs/"),
        None => line.len() >= 40 && line[..40].iter().all(u8::is_ascii_hexdigit),
    }
}

/// Whether it is in the `modules` folder of another git folder.
fn is_in_modules(git_dir: &Path) -> bool {
    let holders = git_dir.ancestors().skip(1).filter(|folder| folder.ends_with("modules"));
    holders.filter_map(Path::parent).any(|holder| common_dir_of(holder).is_some())
}

fn broken_dot_git(folder: &Path, why: &str) -> Problem {
    let dot_git = folder.join(".git");
    Problem::new(ProblemCode::StoreDamaged, format!("{} is broken: {why}", dot_git.display()))
        .hint("`git status` there says more; restore it or move it away")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least that git takes for a repository.
    fn git_dir(at: &Path, config: &str) {
        for folder in ["objects", "refs"] {
            fs::create_dir_all(at.join(folder)).unwrap();
        }
        fs::write(at.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(at.join("config"), config).unwrap();
    }

    fn temp() -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        (temp, root)
    }

    fn root_of(place: RepoLocation) -> PathBuf {
        match place {
            RepoLocation::Worktree(layout) => layout.root,
            place => panic!("{place:?}"),
        }
    }

    #[test]
    fn a_dot_git_that_says_nothing_is_passed_over() {
        let (_temp, root) = temp();
        git_dir(&root.join(".git"), "[core]\nbare = false\n");
        for name in ["folder", "file", "link"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        fs::create_dir(root.join("folder/.git")).unwrap();
        fs::write(root.join("file/.git"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/nowhere/at/all", root.join("link/.git")).unwrap();
        for name in ["folder", "file", "link", ".git/objects"] {
            assert_eq!(root_of(discover(&root.join(name)).unwrap()), root, "{name}");
        }
    }

    #[test]
    fn a_dot_git_that_is_broken_is_a_problem() {
        let (_temp, root) = temp();
        git_dir(&root.join(".git"), "");
        let sub = root.join("sub");
        fs::create_dir(&sub).unwrap();
        for text in ["gitdir: /nowhere/at/all\n", "gitdir:\n", "rubbish"] {
            fs::write(sub.join(".git"), text).unwrap();
            assert_eq!(discover(&sub).unwrap_err().code, ProblemCode::StoreDamaged, "{text}");
        }
        fs::remove_file(sub.join(".git")).unwrap();
        git_dir(&sub.join(".git"), "");
        fs::write(sub.join(".git/HEAD"), "rubbish").unwrap();
        assert_eq!(discover(&sub).unwrap_err().code, ProblemCode::StoreDamaged);
    }

    #[test]
    fn bare_repositories_are_told_apart() {
        let (_temp, root) = temp();
        git_dir(&root.join("a.git"), "[core]\nbare = true\n");
        git_dir(&root.join("b/.git"), "[core]\nbare = true\n");
        assert_eq!(
            discover(&root.join("a.git/refs")).unwrap(),
            RepoLocation::Bare(root.join("a.git"))
        );
        assert_eq!(discover(&root.join("b")).unwrap(), RepoLocation::Bare(root.join("b/.git")));
        assert_eq!(discover(&root.join("gone")).unwrap_err().code, ProblemCode::NotFound);
    }
}
