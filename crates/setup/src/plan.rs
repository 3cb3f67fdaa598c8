//! What `init` and `uninstall` change as a whole: a list of files, before and after.

use base::{Problem, ProblemCode};

use crate::files::InstallCondition;
use crate::{Client, GitHook, MalformedFile, SetupFile};

/// One file that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Its path from the root; for a hook the name of its file in the hooks folder
    pub path: &'static str,
    /// Its bytes now; `None` when it is not there
    pub before: Option<Vec<u8>>,
    /// Its bytes after the change; `None` when it is deleted
    pub after: Option<Vec<u8>>,
}

/// One file that was left alone because it could not be edited safely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupRefusal {
    /// Its path, as in [`FileChange`]
    pub path: &'static str,
    /// Why
    pub reason: MalformedFile,
}

/// What would change. Files that stay as they are do not appear in `changes`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SetupPlan {
    /// The files to write or delete
    pub changes: Vec<FileChange>,
    /// The files that could not be edited
    pub refused: Vec<SetupRefusal>,
    /// The files whose cairn part is not as cairn writes it and so stays as it is
    pub customised: Vec<&'static str>,
}

/// What `init` was asked to set up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SetupRequest {
    /// The agents' programs
    pub clients: Vec<Client>,
    /// Whether these programs also call cairn around sessions and edits
    pub hooks: bool,
}

/// What `init` writes. `existing` gives the bytes of a file from its path.
pub fn plan_init(existing: impl Fn(&str) -> Option<Vec<u8>>, request: &SetupRequest) -> SetupPlan {
    let mut plan = SetupPlan::default();
    for file in SetupFile::all() {
        let before = existing(file.path);
        let told = before.as_deref().is_some_and(|bytes| file.imports_agents_file(bytes));
        if told || !should_install(file, before.is_some(), &existing, request) {
            continue;
        }
        plan.note_customised(file, before.as_deref());
        let after = file.install(before.as_deref()).map(Some);
        plan.add_change(file.path, before, after);
    }
    plan
}

/// Whether a client already has its entry for cairn in a repository.
pub fn is_client_set_up(existing: &impl Fn(&str) -> Option<Vec<u8>>, client: Client) -> bool {
    let own = |file: &&SetupFile| {
        [InstallCondition::Client(client), InstallCondition::Alternative(client)]
            .contains(&file.condition())
    };
    SetupFile::all().iter().filter(own).any(|file| {
        let Some(text) = existing(file.path) else { return false };
        file.is_customised(&text) || file.install(Some(&text)).is_ok_and(|after| after == text)
    })
}

/// What `uninstall` takes back, whichever clients `init` was asked for.
pub fn plan_uninstall(existing: impl Fn(&str) -> Option<Vec<u8>>) -> SetupPlan {
    let mut plan = SetupPlan::default();
    for file in SetupFile::all() {
        let Some(before) = existing(file.path) else { continue };
        plan.note_customised(file, Some(&before));
        let after = file.remove(&before);
        plan.add_change(file.path, Some(before), after);
    }
    plan
}

/// What `init` writes into the hooks folder. `existing` gives the bytes of a hook.
pub fn plan_hooks_init(existing: impl Fn(GitHook) -> Option<Vec<u8>>) -> SetupPlan {
    let mut plan = SetupPlan::default();
    for hook in GitHook::ALL {
        let before = existing(hook);
        let after = hook.install(before.as_deref()).map(Some);
        plan.add_change(hook.name(), before, after);
    }
    plan
}

/// What `uninstall` takes out of the hooks folder.
pub fn plan_hooks_uninstall(existing: impl Fn(GitHook) -> Option<Vec<u8>>) -> SetupPlan {
    let mut plan = SetupPlan::default();
    for hook in GitHook::ALL {
        let Some(before) = existing(hook) else { continue };
        let after = hook.remove(&before);
        plan.add_change(hook.name(), Some(before), after);
    }
    plan
}

fn should_install(
    file: &SetupFile,
    there: bool,
    existing: &impl Fn(&str) -> Option<Vec<u8>>,
    request: &SetupRequest,
) -> bool {
    let clients = &request.clients;
    match file.condition() {
        InstallCondition::Always => true,
        InstallCondition::AnyClient => !clients.is_empty(),
        InstallCondition::IfExists => there && !clients.is_empty(),
        InstallCondition::Hooks(client) => request.hooks && clients.contains(&client),
        InstallCondition::Client(client) => {
            let other = || alternative_file(client).and_then(|other| existing(other.path));
            clients.contains(&client) && (there || other().is_none())
        }
        InstallCondition::Alternative(client) => {
            let first = || primary_file(client).and_then(|first| existing(first.path));
            clients.contains(&client) && there && first().is_none()
        }
    }
}

fn primary_file(client: Client) -> Option<&'static SetupFile> {
    SetupFile::all().iter().find(|file| file.condition() == InstallCondition::Client(client))
}

fn alternative_file(client: Client) -> Option<&'static SetupFile> {
    SetupFile::all().iter().find(|file| file.condition() == InstallCondition::Alternative(client))
}

impl SetupPlan {
    fn note_customised(&mut self, file: &SetupFile, before: Option<&[u8]>) {
        if before.is_some_and(|bytes| file.is_customised(bytes)) {
            self.customised.push(file.path);
        }
    }

    fn add_change(
        &mut self,
        path: &'static str,
        before: Option<Vec<u8>>,
        after: Result<Option<Vec<u8>>, MalformedFile>,
    ) {
        match after {
            Err(why) => self.refused.push(SetupRefusal { path, reason: why }),
            Ok(after) if after == before => {}
            Ok(after) => self.changes.push(FileChange { path, before, after }),
        }
    }
}

impl From<SetupRefusal> for Problem {
    fn from(refusal: SetupRefusal) -> Self {
        let SetupRefusal { path, reason: why } = refusal;
        let message = format!("{path} was left alone: {why}");
        let problem = Problem::new(ProblemCode::SyntaxError, message).detail("line", why.line);
        why.hint.into_iter().fold(problem, Problem::hint)
    }
}
