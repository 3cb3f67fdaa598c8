//! The servers that this machine has: each works, or says why it does not.

use toolchain::{ProgramFailure, find_program, probe};

use crate::fixture::{Fixture, LONG, Verdict, call};

/// Probes a program that is on `PATH`.
fn verdict(program: &str, args: &[&str]) -> Option<Verdict> {
    let fixture = Fixture::new();
    let found = find_program(program, &fixture.host())?;
    let verdict = probe(&found, args, &fixture.host(), &fixture.folder(), &call(), LONG).unwrap();
    fixture.assert_nothing_is_left();
    Some(verdict)
}

#[test]
fn every_server_that_is_installed_works_or_says_why_not() {
    for server in syntax::tools::all_servers() {
        let Some(Err(dead)) = verdict(server.program, server.args) else { continue };
        let has_reason = matches!(&dead, ProgramFailure::Exited { message, .. } | ProgramFailure::Refused { message } if message.is_some());
        assert!(has_reason, "{}: {dead}", server.program);
    }
}

/// Rustup puts `rust-analyzer` on `PATH` whether or not the component is installed.
#[test]
fn an_empty_proxy_of_rustup_is_found_out() {
    match verdict("rust-analyzer", &[]) {
        None => {}
        Some(Ok(alive)) => assert_eq!(alive.name.as_deref(), Some("rust-analyzer")),
        Some(Err(ProgramFailure::Exited { status, message: said })) => {
            assert!(!status.success());
            let said = said.unwrap();
            assert!(said.starts_with("error: ") && said.contains("'rust-analyzer'"), "{said}");
        }
        Some(Err(dead)) => panic!("{dead}"),
    }
}
