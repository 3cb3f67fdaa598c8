//! Records which repositories the user trusts to run their programs. Language servers, linters and
//! formatters run code of the project, so none of them starts before the user trusts it. The
//! records are in a folder of the user that no repository can write. A record names one repository
//! and the programs that it had: another repository at the same place, and new or changed programs,
//! need new trust.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use base::{Call, Hash, Hint, NextCall, Problem, ProblemCode, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tree::DiskWriter;

/// The maximum size of a file that holds a path, in bytes.
const MAX_PATH_FILE_BYTES: u64 = 64 * 1024;

/// The maximum size of a record, in bytes.
const MAX_RECORD_BYTES: u64 = 1024 * 1024;

/// The programs that a repository would run, each by name with the digest of its content.
pub(crate) type ProgramFingerprints = BTreeMap<String, String>;

/// Reads what trust depends on, when it is needed.
pub(crate) trait TrustEvidence {
    /// The programs that the repository would run now
    fn programs(&self) -> ProgramFingerprints;
    /// Whether the repository has this commit
    fn has_commit(&self, commit: &str) -> bool;
}

/// Whether the user trusts a repository as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustStatus {
    /// Trusted
    Trusted,
    /// Never trusted
    Untrusted,
    /// Trusted before, and this has changed since
    Changed(Vec<String>),
}

impl TrustStatus {
    /// Why nothing is started; `None` if programs may run.
    pub fn refusal(&self) -> Option<String> {
        match self {
            Self::Trusted => None,
            Self::Untrusted => Some("this repository is not trusted".into()),
            Self::Changed(changes) => {
                let told = changes.join("; ");
                Some(format!("this repository changed since it was trusted: {told}"))
            }
        }
    }

    /// What a person can do about it.
    pub fn hint(&self) -> Hint {
        let text = match self {
            Self::Changed(_) => "look at what changed; a person can trust it again with",
            _ => "a person can allow its programs to run with",
        };
        Hint::call(text, NextCall::new("trust"))
    }
}

/// What the user trusted: a repository, and what it would run.
#[derive(Debug, Serialize, Deserialize)]
struct TrustRecord {
    subject: String,
    at: Timestamp,
    by: String,
    /// Identifies its folder, because another folder may be at the same path later
    folder: String,
    /// The commit that its history begins with, where it has one
    root_commit: Option<String>,
    /// Its own programs and the settings that name some, in every form that was trusted
    programs: BTreeMap<String, BTreeSet<String>>,
}

impl TrustRecord {
    /// How a program that would run now differs from what was trusted.
    fn change_since_trusted(&self, name: &str, now: &str) -> Option<String> {
        match self.programs.get(name) {
            Some(known) if known.contains(now) => None,
            Some(_) => Some(format!("{name} is another")),
            None => Some(format!("{name} is new")),
        }
    }
}

/// Whether one repository's programs may run.
#[derive(Debug)]
pub struct TrustStore {
    /// The user's folder with a record for each trusted repository; `None` without a home
    records: Option<PathBuf>,
    /// What the record covers: the repository, or the folder
    subject: PathBuf,
    root: PathBuf,
}

impl TrustStore {
    /// The trust in the repository around a folder.
    pub(crate) fn of(
        records: Option<PathBuf>,
        root: &Path,
        layout: Option<&git::RepoLayout>,
    ) -> Self {
        let subject = subject(root, layout);
        Self { records, subject, root: root.to_path_buf() }
    }

    /// What a record is about, for people.
    pub fn subject(&self) -> &Path {
        &self.subject
    }

    /// Whether the user trusts this repository and the programs that it would run now. Read again
    /// each time, because both can change.
    pub(crate) fn status(&self, look: &impl TrustEvidence) -> TrustStatus {
        let Some(mark) = self.read() else { return TrustStatus::Untrusted };
        let mut changes = Vec::new();
        match mark {
            Err(()) => {
                changes.push("it was trusted by an older cairn, which kept no details".into());
            }
            Ok(mark) => {
                let root = mark.root_commit.as_deref();
                if mark.folder != self.folder_fingerprint()
                    || root.is_some_and(|root| !look.has_commit(root))
                {
                    changes.push("another repository is in its place".into());
                }
                let programs = look.programs().into_iter();
                changes.extend(
                    programs.filter_map(|(name, now)| mark.change_since_trusted(&name, &now)),
                );
            }
        }
        if changes.is_empty() { TrustStatus::Trusted } else { TrustStatus::Changed(changes) }
    }

    /// Writes the record for the repository and the programs that it would run now; false if it was
    /// there. Programs of other worktrees of the repository stay trusted.
    pub(crate) fn grant(
        &self,
        look: &impl TrustEvidence,
        root_commit: Option<String>,
        call: &Call,
    ) -> Result<bool> {
        let file = self.record_path()?;
        if self.status(look) == TrustStatus::Trusted {
            return Ok(false);
        }
        let before = self.read().and_then(std::result::Result::ok);
        let before = before.filter(|mark| mark.folder == self.folder_fingerprint());
        let before = before.filter(|mark| mark.root_commit == root_commit);
        let mut programs = before.map(|mark| mark.programs).unwrap_or_default();
        for (name, now) in look.programs() {
            programs.entry(name).or_default().insert(now);
        }
        let mark = TrustRecord {
            subject: self.subject.display().to_string(),
            at: call.now,
            by: call.actor.clone(),
            folder: self.folder_fingerprint(),
            root_commit,
            programs,
        };
        let folder = file.parent().unwrap_or(&file);
        fs::create_dir_all(folder).map_err(Problem::io("make the folder of trust records"))?;
        let folder =
            tree::open_folder(folder).map_err(Problem::io("open the folder of trust records"))?;
        let text = serde_json::to_vec_pretty(&mark)
            .map_err(|error| Problem::internal("a trust record is not JSON").with_source(error))?;
        let name = file.file_name().unwrap_or_default();
        DiskWriter::default()
            .replace(&folder, Path::new(name), &text)
            .map_err(Problem::io("write the trust record"))?;
        Ok(true)
    }

    /// The record; `None` if there is none, an error if an older cairn wrote it.
    fn read(&self) -> Option<Result<TrustRecord, ()>> {
        let bytes = tree::read_regular(&self.record_path().ok()?, MAX_RECORD_BYTES).ok()?;
        Some(serde_json::from_slice(&bytes).map_err(drop))
    }

    /// Identifies the repository's folder: its number on the disk, and the time it was created where
    /// the system records that.
    fn folder_fingerprint(&self) -> String {
        let Ok(known) = self.subject.metadata() else { return String::new() };
        let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).ok();
        let born = known.created().ok().and_then(since).map_or(0, |since| since.as_nanos());
        format!("{} {born}", platform::device_and_inode(&known).1)
    }

    /// Removes the record; false if there was none.
    pub fn revoke(&self) -> Result<bool> {
        match fs::remove_file(self.record_path()?) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Problem::io("remove the trust record")(error)),
        }
    }

    /// The file of the record. A record inside the repository is ignored, because a clone could
    /// contain one.
    fn record_path(&self) -> Result<PathBuf> {
        let refused = |why: &str| Problem::new(ProblemCode::Unavailable, why.to_owned());
        let marks = self.records.as_deref().ok_or_else(|| {
            refused("there is no folder for the user's own settings")
                .hint("set HOME or XDG_CONFIG_HOME")
        })?;
        let real = marks.ancestors().find_map(|folder| platform::canonicalize(folder).ok());
        if marks.starts_with(&self.root) || real.is_some_and(|real| real.starts_with(&self.root)) {
            return Err(refused("the folder for the user's settings lies inside the repository")
                .hint("trust is kept outside; point HOME or XDG_CONFIG_HOME elsewhere"));
        }
        Ok(marks.join(Hash::of(self.subject.as_os_str().as_encoded_bytes()).to_string()))
    }
}

/// The folder that one record covers: all worktrees of a repository, if they really are its own. A
/// folder can name any repository in its `.git` file; only that repository can name the folder.
fn subject(root: &Path, layout: Option<&git::RepoLayout>) -> PathBuf {
    let Some(layout) = layout else { return root.to_path_buf() };
    let is_main = layout.common_dir == root.join(".git");
    let named = || {
        let line = tree::read_regular(&layout.git_dir.join("gitdir"), MAX_PATH_FILE_BYTES).ok()?;
        let line = String::from_utf8(line).ok()?;
        let named = platform::canonicalize(&layout.git_dir.join(line.trim_end())).ok()?;
        Some(named == root.join(".git"))
    };
    let is_linked = || {
        let inside = layout.git_dir.starts_with(layout.common_dir.join("worktrees"));
        layout.kind == git::WorktreeKind::Linked && inside && named() == Some(true)
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

    fn layout(
        root: &Path,
        git_dir: &Path,
        common: &Path,
        kind: git::WorktreeKind,
    ) -> git::RepoLayout {
        git::RepoLayout {
            root: root.into(),
            git_dir: git_dir.into(),
            common_dir: common.into(),
            kind,
        }
    }

    /// A repository with the programs and commits that a test gives it.
    struct FakeEvidence {
        programs: ProgramFingerprints,
        commits: &'static [&'static str],
    }

    impl TrustEvidence for FakeEvidence {
        fn programs(&self) -> ProgramFingerprints {
            self.programs.clone()
        }

        fn has_commit(&self, commit: &str) -> bool {
            self.commits.contains(&commit)
        }
    }

    fn seen(programs: &[(&str, &str)]) -> FakeEvidence {
        let owned = |(name, now): &(&str, &str)| ((*name).to_owned(), (*now).to_owned());
        FakeEvidence { programs: programs.iter().map(owned).collect(), commits: &["root"] }
    }

    fn repository() -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap().join("repo");
        fs::create_dir_all(&root).unwrap();
        (temp, root)
    }

    fn root() -> Option<String> {
        Some("root".into())
    }

    #[test]
    fn trust_is_given_and_taken_back_outside_the_repository() {
        let (_temp, place) = repository();
        let trust = TrustStore::of(Some(place.with_file_name("config")), &place, None);
        let plain = seen(&[]);
        assert_eq!(trust.status(&plain), TrustStatus::Untrusted);
        assert!(!trust.revoke().unwrap());
        assert!(trust.grant(&plain, root(), &call()).unwrap());
        assert!(!trust.grant(&plain, root(), &call()).unwrap());
        assert_eq!(trust.status(&plain), TrustStatus::Trusted);
        assert!(trust.revoke().unwrap());
        assert_eq!(trust.status(&plain), TrustStatus::Untrusted);
        for marks in [None, Some(place.join("config"))] {
            let trust = TrustStore::of(marks, &place, None);
            assert_eq!(
                trust.grant(&plain, None, &call()).unwrap_err().code,
                ProblemCode::Unavailable
            );
        }
        std::os::unix::fs::symlink(&place, place.with_file_name("link")).unwrap();
        let trust = TrustStore::of(Some(place.with_file_name("link").join("config")), &place, None);
        assert_eq!(trust.grant(&plain, None, &call()).unwrap_err().code, ProblemCode::Unavailable);
    }

    #[test]
    fn another_repository_in_its_place_is_asked_about_again() {
        let (_temp, place) = repository();
        let trust = TrustStore::of(Some(place.with_file_name("config")), &place, None);
        trust.grant(&seen(&[]), root(), &call()).unwrap();
        let other = FakeEvidence { commits: &[], ..seen(&[]) };
        let replaced = TrustStatus::Changed(vec!["another repository is in its place".into()]);
        assert_eq!(trust.status(&other), replaced, "in the same folder");
        fs::rename(&place, place.with_file_name("aside")).unwrap();
        fs::create_dir(&place).unwrap();
        assert_eq!(trust.status(&seen(&[])), replaced, "in another folder at the same place");
        assert!(trust.grant(&seen(&[]), root(), &call()).unwrap());
        assert_eq!(trust.status(&seen(&[])), TrustStatus::Trusted);
    }

    #[test]
    fn programs_that_are_new_or_others_are_asked_about_again() {
        let (_temp, place) = repository();
        let trust = TrustStore::of(Some(place.with_file_name("config")), &place, None);
        let first = seen(&[("bin/lint", "1"), ("languages.go", "a")]);
        trust.grant(&first, root(), &call()).unwrap();
        assert_eq!(trust.status(&seen(&[("bin/lint", "1")])), TrustStatus::Trusted, "fewer");
        let second = seen(&[("bin/lint", "2"), ("bin/format", "1")]);
        let told = ["bin/format is new".to_owned(), "bin/lint is another".to_owned()];
        assert_eq!(trust.status(&second), TrustStatus::Changed(told.to_vec()));
        assert!(trust.grant(&second, root(), &call()).unwrap());
        for both in [&first, &second] {
            assert_eq!(trust.status(both), TrustStatus::Trusted, "worktrees differ");
        }
    }

    #[test]
    fn a_mark_of_an_older_cairn_is_asked_about_again() {
        let (_temp, place) = repository();
        let trust = TrustStore::of(Some(place.with_file_name("config")), &place, None);
        fs::create_dir(place.with_file_name("config")).unwrap();
        fs::write(trust.record_path().unwrap(), "/a/path\n2026-01-01T00:00:00Z ada\n").unwrap();
        assert!(matches!(trust.status(&seen(&[])), TrustStatus::Changed(_)));
        assert!(trust.grant(&seen(&[]), root(), &call()).unwrap());
        assert_eq!(trust.status(&seen(&[])), TrustStatus::Trusted);
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
        assert_eq!(of(&main, &common, git::WorktreeKind::Main), common);
        assert_eq!(of(&tree, &own, git::WorktreeKind::Linked), common);
        assert_eq!(of(&evil, &own, git::WorktreeKind::Linked), evil);
        assert_eq!(of(&evil, &common, git::WorktreeKind::Main), evil);
    }
}
