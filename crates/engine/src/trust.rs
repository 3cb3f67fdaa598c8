//! What the user lets run. Servers, linters and formatters run a project's own code, so none of
//! them starts before somebody said so, in a folder of their own that no repository can reach.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base::{Call, Code, Hash, Problem, Result};

/// A file that holds a path is not longer, in bytes.
const LONGEST_PATH: u64 = 64 * 1024;

/// Whether one repository's programs may run.
#[derive(Debug)]
pub struct Trust {
    /// The user's folder with a mark for each trusted repository; none where there is no home
    marks: Option<PathBuf>,
    /// What is trusted: the repository, or the folder
    subject: PathBuf,
    root: PathBuf,
}

impl Trust {
    /// The trust in the repository around a folder.
    pub(crate) fn of(marks: Option<PathBuf>, root: &Path, layout: Option<&git::Layout>) -> Self {
        let subject = subject(root, layout);
        Self { marks, subject, root: root.to_path_buf() }
    }

    /// What a mark is about, for people.
    pub fn subject(&self) -> &Path {
        &self.subject
    }

    /// Whether the user has said so. Asked anew each time: they may take it back.
    pub fn is_given(&self) -> bool {
        self.mark().is_ok_and(|mark| mark.is_file())
    }

    /// Fails unless the user has said so.
    pub fn check(&self, what: &str) -> Result<()> {
        if self.is_given() {
            return Ok(());
        }
        Err(Problem::new(
            Code::Untrusted,
            format!("{what} was not started: this repository is not trusted"),
        )
        .hint("a person can allow its programs to run with  cairn trust"))
    }

    /// Leaves the mark; false if it was there.
    pub(crate) fn give(&self, call: &Call) -> Result<bool> {
        let mark = self.mark()?;
        if mark.is_file() {
            return Ok(false);
        }
        let folder = mark.parent().unwrap_or(&mark);
        fs::create_dir_all(folder).map_err(Problem::io("make the folder of trusted places"))?;
        let text = format!("{}\n{} {}\n", self.subject.display(), call.now, call.actor);
        fs::write(&mark, text).map_err(Problem::io("write down that it is trusted"))?;
        Ok(true)
    }

    /// Takes the mark away; false if there was none.
    pub(crate) fn take_back(&self) -> Result<bool> {
        match fs::remove_file(self.mark()?) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Problem::io("remove the mark of trust")(error)),
        }
    }

    /// Where the mark is. One that the repository itself could bring along does not count.
    fn mark(&self) -> Result<PathBuf> {
        let refused = |why: &str| Problem::new(Code::Unavailable, why.to_owned());
        let marks = self.marks.as_deref().ok_or_else(|| {
            refused("there is no folder for the user's own settings")
                .hint("set HOME or XDG_CONFIG_HOME")
        })?;
        let real = marks.ancestors().find_map(|folder| folder.canonicalize().ok());
        if marks.starts_with(&self.root) || real.is_some_and(|real| real.starts_with(&self.root)) {
            return Err(refused("the folder for the user's settings lies inside the repository")
                .hint("trust is kept outside; point HOME or XDG_CONFIG_HOME elsewhere"));
        }
        Ok(marks.join(Hash::of(self.subject.as_os_str().as_encoded_bytes()).to_string()))
    }
}

/// What one mark covers: all worktrees of a repository, if they really are its own. A folder can
/// name any repository in its `.git` file; only that repository can name the folder.
fn subject(root: &Path, layout: Option<&git::Layout>) -> PathBuf {
    let Some(layout) = layout else { return root.to_path_buf() };
    let is_main = layout.common_dir == root.join(".git");
    let named = || {
        let line = tree::read_regular(&layout.git_dir.join("gitdir"), LONGEST_PATH).ok()?;
        let line = String::from_utf8(line).ok()?;
        let named = layout.git_dir.join(line.trim_end()).canonicalize().ok()?;
        Some(named == root.join(".git"))
    };
    let is_linked = || {
        let inside = layout.git_dir.starts_with(layout.common_dir.join("worktrees"));
        layout.kind == git::Kind::Linked && inside && named() == Some(true)
    };
    if is_main || is_linked() { layout.common_dir.clone() } else { root.to_path_buf() }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn call() -> Call {
        Call::new("ada", jiff::Timestamp::UNIX_EPOCH)
    }

    fn layout(root: &Path, git_dir: &Path, common: &Path, kind: git::Kind) -> git::Layout {
        git::Layout { root: root.into(), git_dir: git_dir.into(), common_dir: common.into(), kind }
    }

    #[test]
    fn trust_is_given_and_taken_back_outside_the_repository() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap().join("repo");
        fs::create_dir_all(&root).unwrap();
        let trust = Trust::of(Some(root.with_file_name("config")), &root, None);
        assert!(!trust.is_given());
        assert_eq!(trust.check("gopls").unwrap_err().code, Code::Untrusted);
        assert!(!trust.take_back().unwrap());
        assert!(trust.give(&call()).unwrap());
        assert!(!trust.give(&call()).unwrap());
        assert!(trust.is_given());
        assert!(trust.take_back().unwrap());
        assert!(!trust.is_given());
        for marks in [None, Some(root.join("config"))] {
            let trust = Trust::of(marks, &root, None);
            assert_eq!(trust.give(&call()).unwrap_err().code, Code::Unavailable);
        }
        std::os::unix::fs::symlink(&root, root.with_file_name("link")).unwrap();
        let trust = Trust::of(Some(root.with_file_name("link").join("config")), &root, None);
        assert_eq!(trust.give(&call()).unwrap_err().code, Code::Unavailable);
    }

    #[test]
    fn a_folder_that_names_a_trusted_repository_is_not_its_worktree() {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        let [main, tree, evil] = ["main", "tree", "evil"].map(|name| base.join(name));
        let common = main.join(".git");
        let own = common.join("worktrees/tree");
        fs::create_dir_all(&own).unwrap();
        for root in [&tree, &evil] {
            fs::create_dir_all(root).unwrap();
            fs::write(root.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        }
        fs::write(own.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
        let of = |root: &Path, git_dir: &Path, kind| {
            subject(root, Some(&layout(root, git_dir, &common, kind)))
        };
        assert_eq!(of(&main, &common, git::Kind::Main), common);
        assert_eq!(of(&tree, &own, git::Kind::Linked), common);
        assert_eq!(of(&evil, &own, git::Kind::Linked), evil);
        assert_eq!(of(&evil, &common, git::Kind::Main), evil);
    }
}
