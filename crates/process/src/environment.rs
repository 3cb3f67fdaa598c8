//! Which variables a program inherits, and which folders of `PATH` are safe to search.
//!
//! Names of variables are compared without regard to case, as Windows does.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// One variable: its name and its value.
pub type Variable = (OsString, OsString);

/// Whether a name is in a list of names.
pub fn is_listed(name: &OsStr, list: &[&str]) -> bool {
    list.iter().any(|listed| name.eq_ignore_ascii_case(listed))
}

/// Whether a name is `PATH`.
pub fn is_path(name: &OsStr) -> bool {
    is_listed(name, &["PATH"])
}

/// The value of a variable.
pub fn value<'v>(variables: &'v [Variable], name: &str) -> Option<&'v OsStr> {
    let variable = variables.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some(&variable.1)
}

/// The absolute folders of a `PATH`. A relative one would depend on the current folder, which may
/// be a repository that nobody trusts.
pub fn absolute_folders(path: &OsStr) -> Vec<PathBuf> {
    env::split_paths(path).filter(|folder| folder.is_absolute()).collect()
}

/// A `PATH` of folders that [`absolute_folders`] returned.
pub fn join_folders(folders: impl IntoIterator<Item = PathBuf>) -> OsString {
    env::join_paths(folders).expect("folders that were split apart join again")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn relative_folders_are_left_out() {
        let folders = absolute_folders(".::/usr/bin:bin:/bin".as_ref());
        assert_eq!(join_folders(folders), "/usr/bin:/bin");
    }

    #[test]
    fn names_are_found_in_any_case() {
        let variables: Vec<Variable> = vec![("Path".into(), "/a".into())];
        assert_eq!(value(&variables, "PATH"), Some("/a".as_ref()));
        assert_eq!(value(&variables, "HOME"), None);
        assert!(is_listed("home".as_ref(), &["PATH", "HOME"]) && is_path("path".as_ref()));
    }
}
