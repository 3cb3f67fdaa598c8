//! Processes: their groups, whether they have ended, and the memory they use.

use std::path::PathBuf;
use std::process::{Child, Command};

/// Gives the process a group of its own.
#[cfg(unix)]
pub fn set_process_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Windows has no process groups that can be ended together without a job object.
#[cfg(not(unix))]
pub fn set_process_group(_: &mut Command) {}

/// Whether the process has ended. It is not reaped, so its id is not reused.
#[cfg(unix)]
pub fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None))
}

/// Whether the process has ended. An open handle keeps its id.
#[cfg(not(unix))]
pub fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

/// Kills the process and its whole group. The process must not have been reaped: its id could
/// belong to another process by now.
#[cfg(unix)]
pub fn kill_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // This fails only when the whole group has ended.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

/// Kills the process; what it started ends when its pipes close.
#[cfg(not(unix))]
pub fn kill_group(child: &mut Child) {
    let _ = child.kill();
}

/// The memory of the machine, in bytes, where the system has `/proc`.
pub fn total_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

/// The memory that a process group has in use, in bytes; 0 where the system has no `/proc`.
///
/// A limit on the address space would not do: programs with a just-in-time compiler reserve far
/// more than they use.
pub fn memory_of_group(group: u32) -> u64 {
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    let of_group = |folder: PathBuf| {
        let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
        // The name in parentheses may contain anything; the fields after it are words and numbers.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(2);
        (fields.next()?.parse() == Ok(group)).then_some(())?;
        let status = std::fs::read_to_string(folder.join("status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let kilobytes = processes.flatten().filter_map(|entry| of_group(entry.path())).sum::<u64>();
    kilobytes << 10
}
