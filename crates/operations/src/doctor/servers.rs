//! Checks that the language servers for the languages of the repository start, because a program on
//! the PATH may still not work.

use std::time::Duration;

use base::{Call, Problem, Result};
use syntax::Language;
use syntax::tools::ServerSpec;
use toolchain::{ProgramFile, ProgramOrigin, ToolHost};

use super::DoctorFinding;
use engine::index::tables;
use engine::trust::TrustStatus;
use engine::workspace::Workspace;

/// Timeout of the `initialize` request.
const START_TIMEOUT: Duration = Duration::from_secs(20);

pub(super) fn check(workspace: &Workspace, call: &Call) -> Result<Vec<DoctorFinding>> {
    let view = workspace.view(std::sync::Arc::new(call.child(|| None)))?;
    let languages = tables::language_counts(view.index()?.conn())?;
    let host = ToolHost::new(workspace.tree.root(), workspace.env.iter().cloned());
    let standing = view.trust_status();
    let mut findings = Vec::new();
    for (language, _) in languages {
        let known = Language::from_name(&language);
        let servers = known.map_or(&[][..], |language| language.descriptor().tools.servers);
        if !servers.is_empty() {
            findings.push(check_language(workspace, &language, servers, &host, &standing, call)?);
        }
    }
    Ok(findings)
}

/// The first server of a language that works, or why none does.
fn check_language(
    workspace: &Workspace,
    language: &str,
    servers: &[ServerSpec],
    host: &ToolHost,
    standing: &TrustStatus,
    call: &Call,
) -> Result<DoctorFinding> {
    let mut reasons = Vec::new();
    for server in servers {
        match toolchain::find_program(server.program, host) {
            None => reasons.push(format!("{} is not installed", server.program)),
            Some(ProgramFile { origin: ProgramOrigin::Project, .. })
                if *standing != TrustStatus::Trusted =>
            {
                // Its program belongs to the repository, so it is not run without permission.
                let message = format!("{language}: {} is the project's own", server.program);
                let message = format!("{message} and was not started");
                return Ok(match (standing, standing.refusal()) {
                    (TrustStatus::Changed(_), Some(why)) => DoctorFinding::warning(
                        "servers",
                        format!("{message} ({why})"),
                        standing.hint(),
                    ),
                    _ => DoctorFinding {
                        fix: Some(standing.hint()),
                        ..DoctorFinding::fine("servers", message)
                    },
                });
            }
            Some(found) => match probe_server(workspace, server, &found, host, call)? {
                Ok(version) => {
                    let message = format!("{language}: {} starts{version}", server.program);
                    return Ok(DoctorFinding::fine("servers", message));
                }
                Err(why) => reasons.push(format!("{} does not work: {why}", server.program)),
            },
        }
    }
    let fix = servers[0].install;
    Ok(DoctorFinding::warning("servers", format!("{language}: {}", reasons.join("; ")), fix))
}

/// Starts a server in an empty folder, where there is nothing of the repository to run.
fn probe_server(
    workspace: &Workspace,
    server: &ServerSpec,
    found: &ProgramFile,
    host: &ToolHost,
    call: &Call,
) -> Result<Result<String, String>> {
    // Toolchain wrappers look for settings in the folders above, so none of these may be in the
    // repository.
    let folder = tempfile::Builder::new().prefix("cairn-probe-").tempdir_in(&workspace.scratch);
    let folder = folder.map_err(Problem::io("make a folder for the probe"))?;
    let probed = toolchain::probe(found, server.args, host, folder.path(), call, START_TIMEOUT)?;
    Ok(match probed {
        Ok(alive) => Ok(alive.version.map(|version| format!(" ({version})")).unwrap_or_default()),
        Err(dead) => Err(dead.to_string()),
    })
}
