//! Git's program file and the variables that it inherits.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use base::{Problem, ProblemCode, Result};
use process::environment;

/// The variables that git inherits: where programs, the user's settings and temporary files are,
/// and who called `sudo`, whose repositories are safe to open.
const INHERITED_VARIABLES: [&str; 15] = [
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "SUDO_UID",
    "TMPDIR",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "TEMP",
    "TMP",
];

/// The git program and its environment, which the caller provides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitHost {
    /// The program file, absolute
    pub program: PathBuf,
    /// Variables. Only those that git needs are passed on, and no `GIT_…`
    pub env: Vec<(OsString, OsString)>,
}

impl GitHost {
    /// Finds git on the `PATH` of an environment, in absolute folders only.
    pub fn find(env: impl IntoIterator<Item = (OsString, OsString)>) -> Result<Self> {
        let env: Vec<_> = env.into_iter().filter(|(name, _)| is_inherited(name)).collect();
        let path = environment::value(&env, "PATH").unwrap_or_default();
        let folders = environment::absolute_folders(path);
        let program = folders.iter().map(|folder| folder.join(platform::GIT)).find(|p| p.is_file());
        let program = program.ok_or_else(git_not_found)?;
        Ok(Self { program, env })
    }

    /// The program, if its path is absolute: a relative one could be a file of the repository.
    pub(crate) fn program(&self) -> Result<&Path> {
        if self.program.is_absolute() { Ok(&self.program) } else { Err(git_not_found()) }
    }

    /// The user's settings files that git opens in every call, whether they exist or not.
    pub(crate) fn settings_files(&self) -> Vec<PathBuf> {
        let folder = |name: &str| {
            let value = environment::value(&self.env, name)?;
            Some(PathBuf::from(value)).filter(|folder| folder.is_absolute())
        };
        let home = folder("HOME");
        let settings = folder("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
        let own = home.map(|home| home.join(".gitconfig"));
        let more = settings.into_iter().flat_map(|folder| {
            ["git/config", "git/ignore", "git/attributes"].map(|name| folder.join(name))
        });
        own.into_iter().chain(more).collect()
    }

    /// The variables of a git process. Its `PATH` has no relative folders, which would be the
    /// repository's.
    pub(crate) fn environment(&self) -> impl Iterator<Item = (&OsStr, OsString)> {
        let needed = self.env.iter().filter(|(name, _)| is_inherited(name));
        needed.map(|(name, value)| (name.as_os_str(), safe_value(name, value)))
    }
}

fn is_inherited(name: &OsStr) -> bool {
    environment::is_listed(name, &INHERITED_VARIABLES)
}

fn safe_value(name: &OsStr, value: &OsStr) -> OsString {
    match environment::is_path(name) {
        true => environment::join_folders(environment::absolute_folders(value)),
        false => value.to_owned(),
    }
}

pub(crate) fn git_not_found() -> Problem {
    Problem::new(ProblemCode::Unavailable, "git was not found")
        .hint("install git 2.45 or newer and put its folder on PATH")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn host(vars: &[(&str, &str)]) -> Result<GitHost> {
        GitHost::find(vars.iter().map(|(name, value)| (name.into(), value.into())))
    }

    #[test]
    fn only_what_git_needs_is_passed_on() {
        let program = PathBuf::from("/usr/bin/git");
        let env =
            [("GIT_DIR", "x"), ("PATH", ".::/usr/bin:bin"), ("HOME", "/h"), ("PAGER", "less")];
        let env = env.map(|(name, value)| (name.into(), value.into())).to_vec();
        let host = GitHost { program, env };
        let passed: Vec<_> = host.environment().collect();
        assert_eq!(passed, [("PATH".as_ref(), "/usr/bin".into()), ("HOME".as_ref(), "/h".into())]);
    }

    #[test]
    fn the_settings_of_the_user_are_where_git_looks_for_them() {
        let files = |env: &[(&str, &str)]| {
            let env = env.iter().map(|(name, value)| (name.into(), value.into())).collect();
            let files = GitHost { program: "/usr/bin/git".into(), env }.settings_files();
            files.iter().take(2).map(|file| file.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(files(&[("HOME", "/h")]), ["/h/.gitconfig", "/h/.config/git/config"]);
        let both = [("HOME", "/h"), ("XDG_CONFIG_HOME", "/x")];
        assert_eq!(files(&both), ["/h/.gitconfig", "/x/git/config"]);
        assert!(files(&[("HOME", "h")]).is_empty());
    }

    #[test]
    fn git_is_not_looked_for_in_relative_folders() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("git"), "").unwrap();
        let path = format!(".:{}", temp.path().display());
        assert_eq!(host(&[("PATH", &path)]).unwrap().program, temp.path().join("git"));
        assert_eq!(host(&[("PATH", ".:src")]).unwrap_err().code, ProblemCode::Unavailable);
        assert_eq!(host(&[]).unwrap_err().code, ProblemCode::Unavailable);
        let relative = GitHost { program: "git".into(), env: Vec::new() };
        assert!(relative.program().is_err());
    }
}
