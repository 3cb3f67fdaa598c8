//! The project that tools run in, the folders they are searched in, and the variables they inherit.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use process::environment;

use crate::find::ProgramOrigin;

/// The variables that tools inherit: where programs, the user's settings and temporary files are,
/// and where version managers keep the programs that their proxies start. Variables that make an
/// interpreter load code, such as `NODE_OPTIONS`, `PYTHONPATH` or `LD_PRELOAD`, are left out.
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

/// Variables that every tool gets: no toolchain or package is downloaded, and output has no colour.
const FIXED_VARIABLES: [(&str, &str); 6] = [
    ("CARGO_NET_OFFLINE", "true"),
    ("GOPROXY", "off"),
    ("GOTOOLCHAIN", "local"),
    ("NO_COLOR", "1"),
    ("RUSTUP_AUTO_INSTALL", "0"),
    ("npm_config_offline", "true"),
];

/// A project and the environment of its tools. The caller provides both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolHost {
    project: PathBuf,
    env: Vec<(OsString, OsString)>,
    exit_timeout: Option<Duration>,
}

impl ToolHost {
    /// A project's absolute root, and an environment; variables that tools do not need are dropped.
    pub fn new(
        project: impl Into<PathBuf>,
        env: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        let env = env.into_iter().filter(|(name, _)| is_inherited(name)).collect();
        Self { project: project.into(), env, exit_timeout: None }
    }

    /// Sets how long a server that is asked to exit may take.
    #[must_use]
    pub const fn with_exit_timeout(mut self, exit_timeout: Duration) -> Self {
        self.exit_timeout = Some(exit_timeout);
        self
    }

    /// How long a server that is asked to exit may take, `default` unless it was set.
    pub(crate) fn exit_timeout(&self, default: Duration) -> Duration {
        self.exit_timeout.unwrap_or(default)
    }

    /// The project's root.
    pub(crate) fn project(&self) -> &Path {
        &self.project
    }

    /// Whether a path is inside the project, as written or after following links.
    pub(crate) fn is_in_project(&self, path: &Path) -> bool {
        let real = |path: &Path| platform::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        path.starts_with(&self.project) || real(path).starts_with(real(&self.project))
    }

    /// The absolute folders of `PATH`.
    pub(crate) fn path_folders(&self) -> Vec<PathBuf> {
        environment::absolute_folders(environment::value(&self.env, "PATH").unwrap_or_default())
    }

    /// The variables of a program from `origin`. A program that the user installed gets a `PATH`
    /// without the project's folders: `#!/usr/bin/env node` would start the project's `node`.
    pub(crate) fn variables(&self, origin: ProgramOrigin) -> Vec<(OsString, OsString)> {
        let mut folders = self.path_folders();
        if origin == ProgramOrigin::Path {
            folders.retain(|folder| !self.is_in_project(folder));
        }
        let path = environment::join_folders(folders);
        let kept = self.env.iter().filter(|(name, _)| !environment::is_path(name)).cloned();
        let fixed = FIXED_VARIABLES.iter().map(|(name, value)| (name.into(), value.into()));
        kept.chain([("PATH".into(), path)]).chain(fixed).collect()
    }
}

fn is_inherited(name: &OsStr) -> bool {
    environment::is_listed(name, &INHERITED_VARIABLES)
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
            variables.into_iter().find(|(name, _)| environment::is_path(name)).unwrap().1
        };
        assert_eq!(path(ProgramOrigin::Path), "/no/bin");
        assert_eq!(path(ProgramOrigin::Project), "/p/node_modules/.bin:/no/bin");
    }
}
