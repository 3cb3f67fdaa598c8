//! Whatever happens, nothing is left running.

use base::ProblemCode;
use base::call::CallStopReason;
use toolchain::{ProgramFailure, ServerInfo};

use crate::fixture::{Fixture, LONG, call};

/// A process that holds the server's pipes and would outlive the server.
const GRANDCHILD: &str = "subprocess.Popen(['sleep', '600'])\n";

/// The same, but it ignores `SIGHUP`, `SIGINT` and `SIGTERM`.
const STUBBORN: &str =
    "subprocess.Popen(['sh', '-c', 'trap \"\" HUP INT TERM; while :; do sleep 600; done'])\n";

#[test]
fn what_a_server_started_goes_with_it() {
    for start in [GRANDCHILD, STUBBORN] {
        let verdict = Fixture::new().verdict(&format!("{start}greet()\nleave()"));
        assert_eq!(verdict, Ok(ServerInfo { name: None, version: None }));
    }
}

#[test]
fn a_server_that_ends_before_what_it_started_has_ended() {
    let script = format!("{GRANDCHILD}sys.exit('error: gone')");
    match Fixture::new().verdict(&script) {
        Err(ProgramFailure::Exited { message: said, .. }) => {
            assert_eq!(said.unwrap(), "error: gone");
        }
        other => panic!("it should have ended: {other:?}"),
    }
}

#[test]
fn a_server_that_will_not_leave_is_killed() {
    for stay in
        ["time.sleep(600)", "leave()\ntime.sleep(600)", "os.closerange(0, 3)\ntime.sleep(600)"]
    {
        let fixture = Fixture::new();
        let verdict = fixture.verdict(&format!("{GRANDCHILD}greet()\n{stay}"));
        assert_eq!(verdict, Ok(ServerInfo { name: None, version: None }));
        // A fake that calls `leave` may or may not get as far as its mark before it is killed.
        assert!(stay.starts_with("leave") || !fixture.has("left"));
    }
}

#[test]
fn a_caller_who_leaves_takes_the_server_along() {
    for (stop, code) in [
        (CallStopReason::Deadline, ProblemCode::Timeout),
        (CallStopReason::Cancelled, ProblemCode::Cancelled),
    ] {
        let fixture = Fixture::new();
        let mark = fixture.folder().join("started");
        let call = call().with_stop_check(move || mark.exists().then_some(stop));
        let script = format!("{STUBBORN}mark('started', '')\ntime.sleep(600)");
        let problem = fixture.fake(&script, &call, LONG).unwrap_err();
        assert_eq!(problem.code, code);
        fixture.assert_nothing_is_left();
    }
}

#[test]
fn what_is_known_when_the_caller_leaves_is_told() {
    let fixture = Fixture::new();
    let mark = fixture.folder().join("asked");
    let call = call().with_stop_check(move || mark.exists().then_some(CallStopReason::Cancelled));
    let script = format!("{GRANDCHILD}greet()\nreceive()\nmark('asked', '')\ntime.sleep(600)");
    let verdict = fixture.fake(&script, &call, LONG).unwrap();
    assert_eq!(verdict, Ok(ServerInfo { name: None, version: None }));
    fixture.assert_nothing_is_left();
}

#[test]
fn nothing_starts_for_a_caller_who_has_left() {
    let fixture = Fixture::new();
    let call = call().with_stop_check(|| Some(CallStopReason::Cancelled));
    assert_eq!(fixture.fake("greet()", &call, LONG).unwrap_err().code, ProblemCode::Cancelled);
    assert!(!fixture.has("pid"));
}
