//! What `init` and `uninstall` change as a whole: a list of files, before and after.

use base::{Code, Problem};

use crate::files::When;
use crate::{Client, File, Hook, Malformed};

/// One file that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Its path from the root; for a hook the name of its file in the hooks folder
    pub path: &'static str,
    /// Its bytes now; `None` when it is not there
    pub before: Option<Vec<u8>>,
    /// Its bytes then; `None` when it is deleted
    pub after: Option<Vec<u8>>,
}

/// One file that was left alone because it could not be edited safely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Its path, as in [`FileChange`]
    pub path: &'static str,
    /// Why
    pub why: Malformed,
}

/// What would change. Files that stay as they are do not appear in `changes`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The files to write or delete
    pub changes: Vec<FileChange>,
    /// The files that could not be edited
    pub refused: Vec<Refusal>,
    /// The files whose cairn part is not as cairn writes it and so stays as it is
    pub customised: Vec<&'static str>,
}

/// What `init` writes for these clients. `existing` gives the bytes of a file from its path.
pub fn plan_init(existing: impl Fn(&str) -> Option<Vec<u8>>, clients: &[Client]) -> Plan {
    let mut plan = Plan::default();
    for file in File::all() {
        let before = existing(file.path);
        let told = before.as_deref().is_some_and(|bytes| file.is_told_elsewhere(bytes));
        if told || !wanted(file, before.is_some(), &existing, clients) {
            continue;
        }
        plan.note(file, before.as_deref());
        let after = file.install(before.as_deref()).map(Some);
        plan.put(file.path, before, after);
    }
    plan
}

/// What `uninstall` takes back, whichever clients `init` was asked for.
pub fn plan_uninstall(existing: impl Fn(&str) -> Option<Vec<u8>>) -> Plan {
    let mut plan = Plan::default();
    for file in File::all() {
        let Some(before) = existing(file.path) else { continue };
        plan.note(file, Some(&before));
        let after = file.remove(&before);
        plan.put(file.path, Some(before), after);
    }
    plan
}

/// What `init` writes into the hooks folder. `existing` gives the bytes of a hook.
pub fn plan_hooks_init(existing: impl Fn(Hook) -> Option<Vec<u8>>) -> Plan {
    let mut plan = Plan::default();
    for hook in Hook::ALL {
        let before = existing(hook);
        let after = hook.install(before.as_deref()).map(Some);
        plan.put(hook.name(), before, after);
    }
    plan
}

/// What `uninstall` takes out of the hooks folder.
pub fn plan_hooks_uninstall(existing: impl Fn(Hook) -> Option<Vec<u8>>) -> Plan {
    let mut plan = Plan::default();
    for hook in Hook::ALL {
        let Some(before) = existing(hook) else { continue };
        let after = hook.remove(&before);
        plan.put(hook.name(), Some(before), after);
    }
    plan
}

fn wanted(
    file: &File,
    there: bool,
    existing: &impl Fn(&str) -> Option<Vec<u8>>,
    clients: &[Client],
) -> bool {
    match file.when() {
        When::Always => true,
        When::Agents => !clients.is_empty(),
        When::There => there && !clients.is_empty(),
        When::Client(client) => {
            let other = || instead_of(client).and_then(|other| existing(other.path));
            clients.contains(&client) && (there || other().is_none())
        }
        When::Instead(client) => {
            let first = || first_of(client).and_then(|first| existing(first.path));
            clients.contains(&client) && there && first().is_none()
        }
    }
}

fn first_of(client: Client) -> Option<&'static File> {
    File::all().iter().find(|file| file.when() == When::Client(client))
}

fn instead_of(client: Client) -> Option<&'static File> {
    File::all().iter().find(|file| file.when() == When::Instead(client))
}

impl Plan {
    fn note(&mut self, file: &File, before: Option<&[u8]>) {
        if before.is_some_and(|bytes| file.is_customised(bytes)) {
            self.customised.push(file.path);
        }
    }

    fn put(
        &mut self,
        path: &'static str,
        before: Option<Vec<u8>>,
        after: Result<Option<Vec<u8>>, Malformed>,
    ) {
        match after {
            Err(why) => self.refused.push(Refusal { path, why }),
            Ok(after) if after == before => {}
            Ok(after) => self.changes.push(FileChange { path, before, after }),
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let Refusal { path, why } = refusal;
        let message = format!("{path} was left alone: {why}");
        let problem = Problem::new(Code::SyntaxError, message).detail("line", why.line);
        why.hint.into_iter().fold(problem, Problem::hint)
    }
}
