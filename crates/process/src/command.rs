//! A program that is about to be started.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::running::Process;

/// A program with its arguments, variables and folder, not started yet.
///
/// It inherits no variable, and reads an empty input unless [`Self::with_stdin`] is called.
#[derive(Debug)]
pub struct ProcessCommand {
    command: Command,
    has_own_group: bool,
}

impl ProcessCommand {
    /// A program by its absolute path: a relative one would depend on the current folder, which
    /// may be a repository that nobody trusts.
    pub fn new(program: &Path) -> io::Result<Self> {
        if !program.is_absolute() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute"));
        }
        #[expect(clippy::disallowed_methods, reason = "this is where all processes start")]
        let mut command = Command::new(program);
        command.env_clear();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(Self { command, has_own_group: false })
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(&mut self, args: impl IntoIterator<Item = A>) -> &mut Self {
        self.command.args(args);
        self
    }

    /// Sets variables.
    pub fn envs<K: AsRef<OsStr>, V: AsRef<OsStr>>(
        &mut self,
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> &mut Self {
        self.command.envs(variables);
        self
    }

    /// Sets one variable.
    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Self {
        self.command.env(name, value);
        self
    }

    /// Sets the folder that the program runs in.
    pub fn current_dir(&mut self, folder: &Path) -> &mut Self {
        self.command.current_dir(folder);
        self
    }

    /// Opens a pipe to the program's input.
    pub fn with_stdin(&mut self) -> &mut Self {
        self.command.stdin(Stdio::piped());
        self
    }

    /// Puts the program into a process group of its own, which everything that it starts belongs
    /// to as well. Killing the process then kills the group.
    pub fn with_own_group(&mut self) -> &mut Self {
        platform::set_process_group(&mut self.command);
        self.has_own_group = true;
        self
    }

    /// Starts the program.
    pub fn spawn(&mut self) -> io::Result<Process> {
        Ok(Process::new(self.command.spawn()?, self.has_own_group))
    }
}
