//! Which session a call belongs to: `undo` reverts changes of the same session.

use std::sync::OnceLock;

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
