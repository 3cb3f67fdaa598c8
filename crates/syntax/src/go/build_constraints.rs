//! Which files of a package may be part of one build: by their names and `//go:build` lines.

use serde::{Deserialize, Serialize};

/// Systems that are tried; each is a tag.
const SYSTEMS: [&str; 13] = [
    "linux",
    "darwin",
    "windows",
    "freebsd",
    "openbsd",
    "netbsd",
    "dragonfly",
    "solaris",
    "illumos",
    "aix",
    "android",
    "plan9",
    "js",
];

/// The systems for which the tag `unix` is not set.
const NOT_UNIX: [&str; 3] = ["windows", "plan9", "js"];

/// Architectures that are tried; the last stands for all others.
const ARCHITECTURES: [&str; 5] = ["amd64", "arm64", "386", "arm", "riscv64"];

/// A longer condition is taken to hold.
const MAX_CONDITION_LEN: usize = 400;

/// The builds that a file is part of: one bit for each system, architecture, and whether tags of
/// the project's own are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoBuildSet([u64; 3]);

/// One build.
#[derive(Debug, Clone, Copy)]
struct GoBuild {
    system: &'static str,
    architecture: &'static str,
    has_own_tags: bool,
}

impl Default for GoBuildSet {
    /// All builds.
    fn default() -> Self {
        Self([u64::MAX; 3])
    }
}

impl GoBuildSet {
    /// The builds in which the condition of a `//go:build` line holds.
    pub fn of_condition(text: &str) -> Self {
        if text.len() > MAX_CONDITION_LEN {
            return Self::default();
        }
        let spaced = ["(", ")", "!", "&&", "||"]
            .iter()
            .fold(text.to_owned(), |text, mark| text.replace(mark, &format!(" {mark} ")));
        let words: Vec<&str> = spaced.split_whitespace().collect();
        Self::builds_where(|build| any_of(&mut words.as_slice(), &|tag: &str| build.is_set(tag)))
    }

    /// The builds that the name of a file selects: `a_linux.go`, `a_windows_amd64_test.go`.
    pub fn of_name(name: &str) -> Self {
        let stem = name.strip_suffix(".go").unwrap_or(name);
        let stem = stem.strip_suffix("_test").unwrap_or(stem);
        let parts: Vec<&str> = stem.split('_').skip(1).collect();
        let last = &parts[parts.len().saturating_sub(2)..];
        let system = last.iter().find(|part| SYSTEMS.contains(part));
        let architecture = last.iter().find(|part| ARCHITECTURES.contains(part));
        if system.is_none() && architecture.is_none() {
            return Self::default();
        }
        Self::builds_where(|build| {
            system.is_none_or(|one| *one == build.system)
                && architecture.is_none_or(|one| *one == build.architecture)
        })
    }

    /// The builds that are in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }

    /// Whether there is no build.
    pub fn is_empty(self) -> bool {
        self.0 == [0; 3]
    }

    fn builds_where(holds: impl Fn(GoBuild) -> bool) -> Self {
        let mut set = [0; 3];
        let mut bit = 0;
        for system in SYSTEMS {
            for architecture in ARCHITECTURES {
                for has_own_tags in [false, true] {
                    if holds(GoBuild { system, architecture, has_own_tags }) {
                        set[bit / 64] |= 1 << (bit % 64);
                    }
                    bit += 1;
                }
            }
        }
        Self(set)
    }
}

impl GoBuild {
    fn is_set(self, tag: &str) -> bool {
        match tag {
            "ignore" => false,
            "unix" => !NOT_UNIX.contains(&self.system),
            tag if SYSTEMS.contains(&tag) => tag == self.system,
            tag if ARCHITECTURES.contains(&tag) => tag == self.architecture,
            tag if tag.starts_with("go1.") || tag == "gc" => true,
            _ => self.has_own_tags,
        }
    }
}

/// The condition of a `//go:build` line.
pub(super) fn build_condition(comment: &str) -> Option<&str> {
    comment.strip_prefix("//go:build ").map(str::trim)
}

fn any_of(rest: &mut &[&str], is_set: &impl Fn(&str) -> bool) -> bool {
    let mut value = all_of(rest, is_set);
    while rest.first() == Some(&"||") {
        *rest = &rest[1..];
        value |= all_of(rest, is_set);
    }
    value
}

fn all_of(rest: &mut &[&str], is_set: &impl Fn(&str) -> bool) -> bool {
    let mut value = one_of(rest, is_set);
    while rest.first() == Some(&"&&") {
        *rest = &rest[1..];
        value &= one_of(rest, is_set);
    }
    value
}

fn one_of(rest: &mut &[&str], is_set: &impl Fn(&str) -> bool) -> bool {
    let Some((first, after)) = rest.split_first() else { return true };
    *rest = after;
    match *first {
        "!" => !one_of(rest, is_set),
        "(" => {
            let value = any_of(rest, is_set);
            *rest = rest.strip_prefix(&[")"]).unwrap_or(rest);
            value
        }
        tag => is_set(tag),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_build() {
        let builds = |(name, condition): (&str, &str)| {
            let named = GoBuildSet::of_name(name);
            if condition.is_empty() {
                named
            } else {
                named.and(GoBuildSet::of_condition(condition))
            }
        };
        let together = |one, other| !builds(one).and(builds(other)).is_empty();
        assert!(together(("a.go", ""), ("b_windows.go", "")));
        assert!(!together(("a_linux.go", ""), ("b_windows.go", "")));
        assert!(!together(("a_windows_amd64_test.go", ""), ("b.go", "!windows")));
        assert!(together(("a_unix.go", "unix && !darwin"), ("b_linux.go", "")));
        assert!(!together(("a.go", "!(linux || windows)"), ("b.go", "linux")));
        assert!(together(("a.go", "linux && mine"), ("b.go", "mine")));
        assert!(!together(("a.go", "mine"), ("b.go", "!mine")));
        assert!(together(("a.go", "386 || amd64"), ("b.go", "!amd64 && !arm64")));
        assert!(!together(("a_arm64.go", ""), ("b.go", "amd64")));
        assert!(together(("a.go", "(("), ("b.go", "||")));
    }
}
