//! Which session a call belongs to: `undo` reverts changes of the same session, and a claim belongs to one.

use std::sync::OnceLock;

use axum::http::HeaderMap;
use engine::workspace::Workspace;

use crate::cli::UNKNOWN_ACTOR;

/// Environment variable that overrides the name of the session.
pub(crate) const SESSION_VARIABLE: &str = "CAIRN_SESSION";

/// The session that the environment names.
pub(crate) fn from_environment() -> Option<String> {
    let told = crate::cli::env_var(SESSION_VARIABLE)?.to_string_lossy().trim().to_owned();
    (!told.is_empty() && !told.contains(char::is_control)).then_some(told)
}

/// The session of a server with one client, which lasts as long as its process.
pub(crate) fn for_process() -> String {
    static STARTED_AT: OnceLock<jiff::Timestamp> = OnceLock::new();
    let since = STARTED_AT.get_or_init(crate::perform::now);
    from_environment().unwrap_or_else(|| {
        format!("process {} of {} since {since}", std::process::id(), host_name())
    })
}

/// The session of an author whose calls are separate processes or requests.
pub(crate) fn for_actor(actor: &str) -> String {
    from_environment().unwrap_or_else(|| format!("{actor} at {}", host_name()))
}

/// The session of a command in a repository. Without a name, two people of a team are told apart by their clones:
/// hosts may have the same name too.
pub(crate) fn for_command(actor: &str, workspace: &Workspace) -> String {
    let membership = || workspace.stores().team().membership().ok().flatten();
    match (actor == UNKNOWN_ACTOR).then(membership).flatten().and_then(|team| team.clone_name) {
        Some(clone) => for_actor(&format!("{actor} in clone {clone}")),
        None => for_actor(actor),
    }
}

/// The header with the session that a command line elsewhere belongs to.
pub(crate) const SESSION_HEADER: &str = "x-cairn-session";

/// The session of this command line, for [`SESSION_HEADER`]. A header holds visible ASCII characters only.
pub(crate) fn for_header() -> String {
    let is_fine = |c: char| c.is_ascii_graphic() || c == ' ';
    for_actor("command line").chars().map(|c| if is_fine(c) { c } else { '?' }).collect()
}

/// The header with the session of an MCP client.
pub(crate) const MCP_SESSION_HEADER: &str = "mcp-session-id";

/// The longest name of a session, in bytes.
const MAX_SESSION_BYTES: usize = 300;

/// The session of a request over HTTP, where one process serves many clients. A client names its session within
/// those of its author. The id of an MCP session opens that session, so only its hash is kept.
pub(crate) fn for_request(actor: &str, headers: &HeaderMap) -> String {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let is_fine = |told: &&str| !told.is_empty() && told.len() <= MAX_SESSION_BYTES;
    if let Some(told) = header(SESSION_HEADER).filter(is_fine) {
        return format!("{actor}, {told}");
    }
    match header(MCP_SESSION_HEADER).filter(is_fine) {
        Some(id) => {
            let hash = blake3::hash(id.as_bytes()).to_hex();
            format!("{actor}, MCP session {}", &hash[..12])
        }
        None => for_actor(actor),
    }
}

/// The name of this machine, if the system gives one.
fn host_name() -> String {
    let from_system = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let from_variable = |name| Some(crate::cli::env_var(name)?.to_string_lossy().into_owned());
    let found = from_system()
        .or_else(|| from_variable("HOSTNAME"))
        .or_else(|| from_variable("COMPUTERNAME"));
    found
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "here".into())
}
