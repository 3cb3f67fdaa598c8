//! A caller who waits no longer: git is killed and reaped.

use std::fs;
use std::path::Path;

use base::call::CallStopReason;
use base::{Call, ProblemCode};
use git::Repo;

use crate::fixture::{Fixture, call};

/// A program in git's place that tells its process id and then hangs.
#[cfg(unix)]
fn hanging(fixture: &Fixture) -> Repo {
    use std::os::unix::fs::PermissionsExt;
    let program = fixture.root.join("hang");
    let pid = fixture.root.join("pid");
    let text =
        format!("#!/bin/sh\necho $$ > {0}.new\nmv {0}.new {0}\nexec sleep 600\n", pid.display());
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut host = fixture.host();
    host.program = program;
    Repo::open(host, fixture.layout("r")).unwrap()
}

/// A call that is stopped once the hanging program has started.
fn stopped(fixture: &Fixture, stop: CallStopReason) -> Call {
    let pid = fixture.root.join("pid");
    call().with_stop_check(move || pid.exists().then_some(stop))
}

#[test]
#[cfg(target_os = "linux")]
fn a_git_that_hangs_is_killed_and_reaped() {
    for (stop, code) in [
        (CallStopReason::Deadline, ProblemCode::Timeout),
        (CallStopReason::Cancelled, ProblemCode::Cancelled),
    ] {
        let fixture = Fixture::new();
        let repo = hanging(&fixture);
        let call = stopped(&fixture, stop);
        assert_eq!(repo.branches(&call).unwrap_err().code, code);
        let pid = fs::read_to_string(fixture.root.join("pid")).unwrap();
        assert!(!Path::new("/proc").join(pid.trim()).exists(), "{pid} is still there");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_reader_that_hangs_is_killed_and_starts_anew() {
    let fixture = Fixture::new();
    let repo = hanging(&fixture);
    let oid = repo.blob_id(b"one\n");
    let mut blobs = repo.blobs(100);
    let problem = blobs.read(&stopped(&fixture, CallStopReason::Cancelled), oid).unwrap_err();
    assert_eq!(problem.code, ProblemCode::Cancelled);
    let pid = fs::read_to_string(fixture.root.join("pid")).unwrap();
    assert!(!Path::new("/proc").join(pid.trim()).exists(), "{pid} is still there");
}

#[test]
fn nothing_starts_for_a_caller_who_has_left() {
    let fixture = Fixture::new();
    let call = call().with_stop_check(|| Some(CallStopReason::Cancelled));
    let repo = fixture.repo("r");
    assert_eq!(repo.branches(&call).unwrap_err().code, ProblemCode::Cancelled);
    assert_eq!(repo.head(&call).unwrap_err().code, ProblemCode::Cancelled);
}
