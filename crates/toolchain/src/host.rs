//! The machine and the project as tools may see them: where programs lie, and the little they
//! need of the environment.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::find::ProgramOrigin;

/// What tools need of the environment: programs, the user's own settings, scratch space, and
/// where version managers keep what their proxies start. What makes an interpreter load code,
/// such as `NODE_OPTIONS`, `PYTHONPATH` or `LD_PRELOAD`, is not among it.
const INHERITED_VARIABLES: [&str; 34] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "ASDF_DATA_DIR",
    "CARGO_HOME",
    "GOCACHE",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "MISE_DATA_DIR",
    "NVM_DIR",
    "PYENV_ROOT",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "VOLTA_HOME",
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROGRAMDATA",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERPROFILE",
];

/// Nothing is downloaded, neither a toolchain nor a package, and nothing is coloured.
const FIXED_VARIABLES: [(&str, &str); 6] = [
    ("CARGO_NET_OFFLINE", "true"),
    ("GOPROXY", "off"),
    ("GOTOOLCHAIN", "local"),
    ("NO_COLOR", "1"),
    ("RUSTUP_AUTO_INSTALL", "0"),
    ("npm_config_offline", "true"),
];

/// A project and the environment its tools are given. Whoever knows both hands them in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolHost {
    project: PathBuf,
    env: Vec<(OsString, OsString)>,
    grace: Option<Duration>,
}

impl ToolHost {
    /// A project's root, absolute, and an environment, of which what tools do not need is dropped.
    pub fn new(
        project: impl Into<PathBuf>,
        env: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        let env = env.into_iter().filter(|(name, _)| is_inherited(name)).collect();
        Self { project: project.into(), env, grace: None }
    }

    /// Gives servers so long to leave when they are sent away, instead of a moment.
    #[must_use]
    pub const fn with_grace(mut self, grace: Duration) -> Self {
        self.grace = Some(grace);
        self
    }

    /// How long a server may take to leave, where that is a moment unless somebody said otherwise.
    pub(crate) fn grace(&self, moment: Duration) -> Duration {
        self.grace.unwrap_or(moment)
    }

    /// The project's root.
    pub(crate) fn project(&self) -> &Path {
        &self.project
    }

    /// Whether a path is the project's, by its name or by where links in it lead.
    pub(crate) fn is_in_project(&self, path: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        path.starts_with(&self.project) || real(path).starts_with(real(&self.project))
    }

    /// The folders of `PATH`. A relative one would be whoever's folder we stand in.
    pub(crate) fn path_folders(&self) -> Vec<PathBuf> {
        let path = self.env.iter().find(|(name, _)| is_path(name));
        let folders = path.map(|(_, path)| env::split_paths(path)).into_iter().flatten();
        folders.filter(|folder| folder.is_absolute()).collect()
    }

    /// The variables a program from `origin` gets. What was installed by the user finds nothing
    /// of the project on its `PATH`: `#!/usr/bin/env node` would start the project's `node`.
    pub(crate) fn variables(&self, origin: ProgramOrigin) -> Vec<(OsString, OsString)> {
        let mut folders = self.path_folders();
        if origin == ProgramOrigin::Path {
            folders.retain(|folder| !self.is_in_project(folder));
        }
        let path = env::join_paths(folders).expect("folders that were split apart join again");
        let kept = self.env.iter().filter(|(name, _)| !is_path(name)).cloned();
        let fixed = FIXED_VARIABLES.iter().map(|(name, value)| (name.into(), value.into()));
        kept.chain([("PATH".into(), path)]).chain(fixed).collect()
    }
}

fn is_inherited(name: &OsStr) -> bool {
    INHERITED_VARIABLES.iter().any(|needed| name.eq_ignore_ascii_case(needed))
}

fn is_path(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case("PATH")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn host(vars: &[(&str, &str)]) -> ToolHost {
        ToolHost::new("/p", vars.iter().map(|(name, value)| (name.into(), value.into())))
    }

    #[test]
    fn only_what_tools_need_is_passed_on() {
        let host = host(&[("HOME", "/h"), ("NODE_OPTIONS", "-r ./a"), ("LD_PRELOAD", "/a.so")]);
        let names: Vec<_> =
            host.variables(ProgramOrigin::Path).into_iter().map(|(name, _)| name).collect();
        let fixed = FIXED_VARIABLES.iter().map(|(name, _)| *name);
        assert_eq!(names, ["HOME", "PATH"].into_iter().chain(fixed).collect::<Vec<_>>());
    }

    #[test]
    fn the_project_is_on_the_path_of_its_own_programs_alone() {
        let host = host(&[("PATH", ".:/p/node_modules/.bin:/no/bin:bin")]);
        let path = |origin| {
            let variables = host.variables(origin);
            variables.into_iter().find(|(name, _)| is_path(name)).unwrap().1
        };
        assert_eq!(path(ProgramOrigin::Path), "/no/bin");
        assert_eq!(path(ProgramOrigin::Project), "/p/node_modules/.bin:/no/bin");
    }
}
