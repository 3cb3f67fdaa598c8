//! Which files of a package may be part of one build: by their names and `//go:build` lines.

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

/// Those of them that are no `unix`.
const NOT_UNIX: [&str; 3] = ["windows", "plan9", "js"];

/// A longer condition is taken to hold.
const LONGEST: usize = 400;

/// A file, as far as it decides in which builds the file is.
#[derive(Debug, Clone, Copy)]
pub struct BuildFile<'a> {
    /// Its name, without folders
    pub name: &'a str,
    /// The condition of its `//go:build` line
    pub condition: Option<&'a str>,
}

impl BuildFile<'_> {
    /// Whether some build has both files. Architectures are not told apart; tags of the project's
    /// own are all set, or none.
    pub fn is_built_with(self, other: Self) -> bool {
        let is_free = |file: Self| file.condition.is_none() && system_of(file.name).is_none();
        if is_free(self) || is_free(other) {
            return true;
        }
        let fits = |system, custom| self.fits(system, custom) && other.fits(system, custom);
        SYSTEMS.iter().any(|system| fits(system, false) || fits(system, true))
    }

    fn fits(self, system: &str, custom: bool) -> bool {
        let is_named = system_of(self.name).is_none_or(|own| own == system);
        is_named && self.condition.is_none_or(|text| holds(text, system, custom))
    }
}

/// The condition of a `//go:build` line.
pub(super) fn condition(comment: &str) -> Option<&str> {
    comment.strip_prefix("//go:build ").map(str::trim)
}

/// The system at the end of a file's name: `a_linux.go`, `a_windows_amd64_test.go`.
fn system_of(name: &str) -> Option<&str> {
    let name = name.strip_suffix(".go")?;
    let name = name.strip_suffix("_test").unwrap_or(name);
    let parts = name.split('_').skip(1).collect::<Vec<_>>();
    parts.into_iter().rev().take(2).find(|part| SYSTEMS.contains(part))
}

fn holds(text: &str, system: &str, custom: bool) -> bool {
    if text.len() > LONGEST {
        return true;
    }
    let is_set = |tag: &str| match tag {
        "ignore" => false,
        "unix" => !NOT_UNIX.contains(&system),
        tag if SYSTEMS.contains(&tag) => tag == system,
        tag if tag.starts_with("go1.") || tag == "gc" => true,
        _ => custom,
    };
    let spaced = ["(", ")", "!", "&&", "||"]
        .iter()
        .fold(text.to_owned(), |text, mark| text.replace(mark, &format!(" {mark} ")));
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    any_of(&mut rest, &is_set)
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
        let file = |name, condition| BuildFile { name, condition };
        let together = |one: (&'static str, &'static str), other: (&'static str, &'static str)| {
            let some = |text: &'static str| Some(text).filter(|text| !text.is_empty());
            file(one.0, some(one.1)).is_built_with(file(other.0, some(other.1)))
        };
        assert!(together(("a.go", ""), ("b_windows.go", "")));
        assert!(!together(("a_linux.go", ""), ("b_windows.go", "")));
        assert!(!together(("a_windows_amd64_test.go", ""), ("b.go", "!windows")));
        assert!(together(("a_unix.go", "unix && !darwin"), ("b_linux.go", "")));
        assert!(!together(("a.go", "!(linux || windows)"), ("b.go", "linux")));
        assert!(together(("a.go", "linux && mine"), ("b.go", "mine")));
        assert!(!together(("a.go", "mine"), ("b.go", "!mine")));
        assert!(together(("a.go", "(("), ("b.go", "||")));
    }
}
