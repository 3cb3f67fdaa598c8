//! What differs between operating systems. Only Linux is tested.

use std::path::{Path, PathBuf};

/// Where a project keeps programs of its own, the first preferred.
pub(crate) const PROJECT_FOLDERS: [&str; 3] = if cfg!(windows) {
    ["node_modules/.bin", ".venv/Scripts", "venv/Scripts"]
} else {
    ["node_modules/.bin", ".venv/bin", "venv/bin"]
};

/// How the name of a program file may end.
const PROGRAM_SUFFIXES: &[&str] = if cfg!(windows) { &[".exe", ".cmd"] } else { &[""] };

/// The program of this name in a folder.
pub(crate) fn program_in(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut paths = PROGRAM_SUFFIXES.iter().map(|ending| folder.join(format!("{name}{ending}")));
    paths.find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// The memory of the machine, in bytes, where the system says.
pub(crate) fn total_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

/// The memory that a process group has in use, in bytes; 0 where the system does not say.
///
/// A limit on addresses would not do: engines with a just-in-time compiler reserve far more than
/// they use.
pub(crate) fn memory_of_group(group: u32) -> u64 {
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    let of_group = |folder: PathBuf| {
        let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
        // The name in parentheses may hold anything; what follows is plain.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(2);
        (fields.next()?.parse() == Ok(group)).then_some(())?;
        let status = std::fs::read_to_string(folder.join("status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let kilobytes = processes.flatten().filter_map(|entry| of_group(entry.path())).sum::<u64>();
    kilobytes << 10
}
