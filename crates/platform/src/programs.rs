//! Names of programs, and where they are.

use std::path::{Path, PathBuf};

/// A file that is always empty.
pub const NULL_DEVICE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// The name of git's program file.
pub const GIT: &str = if cfg!(windows) { "git.exe" } else { "git" };

/// The variable that names the folder with the user's settings.
pub const SETTINGS_VARIABLE: &str = if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" };

/// Where a project keeps programs of its own, the first preferred.
pub const PROJECT_FOLDERS: [&str; 3] = if cfg!(windows) {
    ["node_modules/.bin", ".venv/Scripts", "venv/Scripts"]
} else {
    ["node_modules/.bin", ".venv/bin", "venv/bin"]
};

/// How the name of a program file may end.
const SUFFIXES: &[&str] = if cfg!(windows) { &[".exe", ".cmd"] } else { &[""] };

/// The names that the file of a program may have.
pub fn file_names(program: &str) -> impl Iterator<Item = String> + '_ {
    SUFFIXES.iter().map(move |ending| format!("{program}{ending}"))
}

/// The program of this name in a folder.
pub fn program_in(folder: &Path, name: &str) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        path.metadata().is_ok_and(|file| file.is_file() && super::is_executable(&file))
    };
    file_names(name).map(|file| folder.join(file)).find(is_program)
}
