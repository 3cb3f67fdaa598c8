//! A server that follows the team, and what `doctor` and `status` say.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base::Call;
use base::call::CallStopReason;
use engine::{AREAS, WorkspaceMode};
use serde_json::json;
use testkit::postgres::wait_until;
use testkit::proxy::{NetworkProxy, NetworkState};
use tree::DiskWriter;

use crate::sharing::{Team, create_project};

#[test]
fn a_server_hears_of_changes_and_notices_that_the_network_is_gone() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    let proxy = NetworkProxy::to(team.database.port);
    let away = team.member_behind(&proxy);
    let workspace = away.repo.open(WorkspaceMode::Serving, DiskWriter::default(), AREAS);
    let text = |line: &str| testkit::text_of(&workspace, line);
    let is_over = Arc::new(AtomicBool::new(false));
    let stop = is_over.clone();
    let stop = move || stop.load(Ordering::Relaxed).then_some(CallStopReason::Cancelled);
    let call = Call::new("server", testkit::call().now).with_stop_check(stop);
    std::thread::scope(|scope| {
        scope.spawn(|| engine::durable::team::follow(&workspace, &call, || testkit::call().now));
        create_project(&team.origin, "Heard of");
        wait_until(|| text("work overview").contains("Heard of"));
        proxy.set(NetworkState::Cut);
        wait_until(|| text("work overview").contains("team: offline, as of change 1"));
        assert!(text("work overview").contains("Heard of"));
        proxy.set(NetworkState::Open);
        create_project(&team.origin, "Back again");
        wait_until(|| text("work overview").contains("Back again"));
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn doctor_and_status_speak_of_the_team() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    create_project(&team.origin, "P");
    let proxy = NetworkProxy::to(team.database.port);
    let away = team.member_behind(&proxy);
    let status = away.repo.data("status", json!({}));
    assert_eq!(status["team"]["state"], "current");
    assert_eq!(status["team"]["server"]["active"][0]["actor"], "tester", "{status:#}");
    let line = away.repo.text("status");
    assert!(line.contains("team: online at change 1, active today: tester"), "{line}");
    let doctor = away.repo.text("doctor");
    assert!(
        doctor.contains("the server answers") && doctor.contains("nothing waits for the server"),
        "{doctor}"
    );
    proxy.set(NetworkState::Cut);
    create_project(&away.repo, "Waits");
    let doctor = away.repo.text("doctor");
    assert!(
        doctor.contains("cannot be reached") && doctor.contains("1 change not on the server yet"),
        "{doctor}"
    );
    let status = away.repo.text("status");
    assert!(status.contains("offline, 1 change pending"), "{status}");
    // This machine never read a fact, so there is no change number to name.
    assert!(!status.contains("as of change 0"), "{status}");
    proxy.set(NetworkState::Open);
    let status = away.repo.text("team status");
    assert!(status.contains("Pending: written before the next change"), "{status}");
    assert!(status.contains("to write them now    cairn team push"), "{status}");
}
