//! The language servers of the languages at hand really start: a name on PATH is no proof.

use std::time::Duration;

use base::{Call, Problem, Result};
use toolchain::{Found, Host, Origin, Server};

use super::Finding;
use crate::index::tables;
use crate::trust::TrustStanding;
use crate::workspace::Workspace;

/// How long a server may take to say hello.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn check(workspace: &Workspace, call: &Call) -> Result<Vec<Finding>> {
    let view = workspace.view(std::sync::Arc::new(call.child(|| None)))?;
    let languages = tables::languages(view.index()?.conn())?;
    let host = Host::new(workspace.tree.root(), workspace.env.iter().cloned());
    let standing = view.trust_standing();
    let mut findings = Vec::new();
    for (language, _) in languages {
        let servers: Vec<&Server> = toolchain::servers(&language).collect();
        if !servers.is_empty() {
            findings.push(look(workspace, (&language, &servers), &host, &standing, call)?);
        }
    }
    Ok(findings)
}

/// The first server of a language that works, or why none does.
fn look(
    workspace: &Workspace,
    (language, servers): (&str, &[&Server]),
    host: &Host,
    standing: &TrustStanding,
    call: &Call,
) -> Result<Finding> {
    let mut reasons = Vec::new();
    for server in servers {
        match toolchain::find(server.program, host) {
            None => reasons.push(format!("{} is not installed", server.program)),
            Some(Found { origin: Origin::Project, .. }) if *standing != TrustStanding::Given => {
                // Its program is the repository's own: nothing of that is run unasked.
                let message = format!("{language}: {} is the project's own", server.program);
                let message = format!("{message} and was not started");
                return Ok(match (standing, standing.refusal()) {
                    (TrustStanding::Changed(_), Some(why)) => {
                        Finding::warning("servers", format!("{message} ({why})"), standing.hint())
                    }
                    _ => {
                        Finding { fix: Some(standing.hint()), ..Finding::fine("servers", message) }
                    }
                });
            }
            Some(found) => match start(workspace, server, &found, host, call)? {
                Ok(version) => {
                    let message = format!("{language}: {} starts{version}", server.program);
                    return Ok(Finding::fine("servers", message));
                }
                Err(why) => reasons.push(format!("{} does not work: {why}", server.program)),
            },
        }
    }
    let fix = servers[0].install;
    Ok(Finding::warning("servers", format!("{language}: {}", reasons.join("; ")), fix))
}

/// Starts a server in an empty folder, where there is nothing of the repository to run.
fn start(
    workspace: &Workspace,
    server: &Server,
    found: &Found,
    host: &Host,
    call: &Call,
) -> Result<Result<String, String>> {
    // Wrappers of toolchains look for settings in the folders above: none may be the repository's.
    let folder = tempfile::Builder::new().prefix("cairn-probe-").tempdir_in(&workspace.scratch);
    let folder = folder.map_err(Problem::io("make a folder for the probe"))?;
    let probed = toolchain::probe(found, server.args, host, folder.path(), call, PATIENCE)?;
    Ok(match probed {
        Ok(alive) => Ok(alive.version.map(|version| format!(" ({version})")).unwrap_or_default()),
        Err(dead) => Err(dead.to_string()),
    })
}
