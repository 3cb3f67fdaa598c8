//! What differs between operating systems. Only Linux is tested.

use std::process::{Child, Command};

/// Gives the process a group of its own.
#[cfg(unix)]
pub(crate) fn set_process_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
pub(crate) fn set_process_group(_command: &mut Command) {}

/// Whether the process has ended. It is not reaped, so its id is not reused.
#[cfg(unix)]
pub(crate) fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None))
}

#[cfg(not(unix))]
pub(crate) fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

/// Kills the process and its whole group. The process must not have been reaped: its id could
/// belong to another process by now.
#[cfg(unix)]
pub(crate) fn kill_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // This fails only when the whole group has ended.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

/// Kills the process; what it started ends when its pipes close.
#[cfg(not(unix))]
pub(crate) fn kill_group(child: &mut Child) {
    let _ = child.kill();
}
