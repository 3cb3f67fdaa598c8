//! Finds the agents' programs that the user works with, from files in the repository and in the
//! user's home and from programs on the `PATH`. Nothing is started.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use setup::Client;

use engine::workspace::Workspace;

/// An agent's program that was found
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FoundAgent {
    /// Its name, as `init --agents` takes it
    pub agent: String,
    /// The file or program by which it was found
    pub found: String,
    /// Whether it already uses cairn in this repository
    pub uses_cairn: bool,
    #[serde(skip)]
    pub(crate) client: Client,
}

/// Every agent that was found, in the order of [`Client::ALL`].
pub(crate) fn find(workspace: &Workspace) -> Vec<FoundAgent> {
    let environment = UserEnvironment::of(workspace);
    let read = crate::ops::install::existing_file_reader(workspace);
    let found = |client: Client| {
        let found = environment.trace_of(workspace, client)?;
        let uses_cairn = setup::is_client_set_up(&read, client);
        Some(FoundAgent { agent: client.to_string(), found, uses_cairn, client })
    };
    Client::ALL.into_iter().filter_map(found).collect()
}

/// The user's home and the folders with programs, from the environment that the door handed in.
struct UserEnvironment {
    home: Option<PathBuf>,
    programs: Vec<PathBuf>,
}

impl UserEnvironment {
    fn of(workspace: &Workspace) -> Self {
        let value = |name: &str| {
            let found = workspace.env.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
        };
        let home = value("HOME").or_else(|| value("USERPROFILE")).map(PathBuf::from);
        let programs = value("PATH").map(|path| std::env::split_paths(&path).collect());
        Self { home, programs: programs.unwrap_or_default() }
    }

    /// The first trace of a client: in the repository, on the `PATH`, in the home folder.
    fn trace_of(&self, workspace: &Workspace, client: Client) -> Option<String> {
        let traces = client.traces();
        let root = workspace.tree.root();
        let in_repository = traces.in_repository.iter().find(|path| root.join(path).exists());
        let program = || {
            let is_in = |folder: &PathBuf, name: &str| {
                platform::file_names(name).any(|file| folder.join(file).is_file())
            };
            let is_there = |name: &&&str| self.programs.iter().any(|folder| is_in(folder, name));
            traces
                .programs
                .iter()
                .find(|name| is_there(name))
                .map(|name| format!("`{name}` on the PATH"))
        };
        let in_home = || {
            let home = self.home.as_ref()?;
            let folder = traces.in_home.iter().find(|path| home.join(path).is_dir());
            folder.map(|path| format!("~/{path}"))
        };
        in_repository.map(|path| (*path).to_owned()).or_else(program).or_else(in_home)
    }
}
