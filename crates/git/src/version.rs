//! The version of git, and whether it can be run safely.

use std::fmt;
use std::path::Path;

use base::{Call, Problem, ProblemCode, Result};

use crate::command::GitCommand;
use crate::failure;
use crate::host::GitHost;

/// A version of git.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitVersion {
    /// The first number
    pub major: u32,
    /// The second number
    pub minor: u32,
    /// The third number; 0 if git did not print it
    pub patch: u32,
}

impl GitVersion {
    /// The oldest version that can be run safely: it has `--attr-source` and `GIT_NO_LAZY_FETCH`.
    pub const MINIMUM: Self = Self { major: 2, minor: 45, patch: 0 };

    /// Fails if this version is too old to be run safely.
    pub fn check(self) -> Result<()> {
        if self >= Self::MINIMUM {
            return Ok(());
        }
        let oldest = Self::MINIMUM;
        Err(Problem::new(ProblemCode::Unavailable, format!("git {self} is too old"))
            .hint(format!("install git {}.{} or newer", oldest.major, oldest.minor))
            .detail("found", self.to_string())
            .detail("oldest", oldest.to_string()))
    }

    /// Parses the output of `git version`, such as `git version 2.39.3 (Apple Git-146)`.
    pub(crate) fn parse(said: &str) -> Option<Self> {
        let word = said.strip_prefix("git version ")?.split_whitespace().next()?;
        let mut numbers = word.split(['.', '-']).map(str::parse::<u32>);
        let (major, minor) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        let patch = numbers.next().and_then(Result::ok).unwrap_or(0);
        Some(Self { major, minor, patch })
    }
}

impl fmt::Display for GitVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Asks git for its version. Doors [`check`](GitVersion::check) it once, before git is used.
pub fn version(host: &GitHost, call: &Call) -> Result<GitVersion> {
    let said = GitCommand::without_repository(host, Path::new("."))?
        .args(["version"])
        .run(call)?
        .output()?;
    let version = GitVersion::parse(&String::from_utf8_lossy(&said));
    version.ok_or_else(|| failure::unexpected_output("version", &said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_all_vendors_are_read() {
        let read = |text| GitVersion::parse(text).map(|version| version.to_string());
        assert_eq!(read("git version 2.47.3\n"), Some("2.47.3".into()));
        assert_eq!(read("git version 2.39.3 (Apple Git-146)\n"), Some("2.39.3".into()));
        assert_eq!(read("git version 2.45.1.windows.1\n"), Some("2.45.1".into()));
        assert_eq!(read("git version 2.46.rc1\n"), Some("2.46.0".into()));
        assert_eq!(read("git 2"), None);
    }

    #[test]
    fn an_old_git_is_refused_with_a_next_step() {
        let old = GitVersion { major: 2, minor: 44, patch: 9 };
        let problem = old.check().unwrap_err();
        assert_eq!(problem.code, ProblemCode::Unavailable);
        assert_eq!(problem.hints, ["install git 2.45 or newer"]);
        assert!(GitVersion::MINIMUM.check().is_ok());
    }
}
