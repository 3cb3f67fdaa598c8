//! What a clone finds when it joins with records of its own, and what the team sees of it afterwards.

use base::ProblemCode;
use serde_json::json;
use testkit::TestRepo;
use testkit::postgres::PostgresServer;
use testkit::proxy::{NetworkProxy, NetworkState};

use crate::sharing::{
    Member, Team, create_project, create_task, export, kb_titles, overview, rename_task, upsert,
};

#[test]
fn joining_shows_both_sides_of_what_differs() {
    let Some(team) = Team::start() else { return };
    let own = Member::of(&team.origin);
    team.join_first();
    upsert(&team.origin, "REQ-1", "of the team");
    upsert(&own.repo, "REQ-1", "of the clone");
    own.repo.git(&["pull", "-q", "origin", "main"]);
    let text = own.repo.text(&format!("team join {}", team.database.url()));
    for part in ["1 conflict", "REQ-1", "mine", "of the clone", "theirs", "of the team"] {
        assert!(text.contains(part), "`{part}` is missing:\n{text}");
    }
    let refused = own.repo.text("team push");
    for part in ["REQ-1", "of the clone", "of the team", "--prefer mine", "--prefer theirs"] {
        assert!(refused.contains(part), "`{part}` is missing:\n{refused}");
    }
    assert_eq!(kb_titles(&team.origin), ["REQ-1 of the team"], "nothing was written");
}

#[test]
fn a_side_that_was_preferred_has_a_version_of_its_own() {
    let Some(team) = Team::start() else { return };
    let own = Member::of(&team.origin);
    team.join_first();
    upsert(&team.origin, "REQ-1", "of the team");
    upsert(&own.repo, "REQ-1", "of the clone");
    own.repo.git(&["pull", "-q", "origin", "main"]);
    team.join(&own.repo);
    own.repo.data("team.push", json!({"prefer": "mine"}));
    assert_eq!(kb_titles(&team.origin), ["REQ-1 of the clone"]);
    // Version 1 is the replaced side, so a write based on it is refused.
    let entity = json!({"id": "REQ-1", "type": "req", "title": "late", "if_version": 1});
    let late = json!({"changeset": {"entities": [entity]}});
    assert_eq!(team.origin.code("kb.upsert", late), ProblemCode::Conflict);
    assert_eq!(export(&team.origin), export(&own.repo));
}

#[test]
fn joining_and_pushing_count_the_same_records() {
    let Some(team) = Team::start() else { return };
    create_project(&team.origin, "P");
    let joined = team.join_first();
    let pushed = team.origin.data("team.push", json!({}));
    assert_eq!(joined["stores"][0]["only_here"], pushed["stores"][0]["records"], "{pushed:#}");
}

/// Writes a requirement by a changeset with an id.
fn upsert_as(repo: &TestRepo, changeset: &str, id: &str) {
    let entity =
        json!({"id": id, "type": "req", "title": id, "status": "open", "priority": "must"});
    repo.data("kb.upsert", json!({"changeset": {"id": changeset, "entities": [entity]}}));
}

#[test]
fn two_clones_that_named_a_changeset_alike_share_a_log() {
    let Some(team) = Team::start() else { return };
    let own = Member::of(&team.origin);
    team.join_first();
    upsert_as(&team.origin, "import-1", "REQ-1");
    upsert_as(&own.repo, "import-1", "REQ-2");
    own.repo.git(&["pull", "-q", "origin", "main"]);
    team.join(&own.repo);
    own.repo.data("team.push", json!({}));
    assert_eq!(kb_titles(&team.origin), ["REQ-1 REQ-1", "REQ-2 REQ-2"]);
    let log = team.origin.data("kb.log", json!({}));
    assert_eq!(log["entries"].as_array().unwrap().len(), 2, "{log:#}");
    assert_eq!(log, own.repo.data("kb.log", json!({})));
    // The name still means the changeset that the team had first.
    upsert_as(&own.repo, "import-1", "REQ-1");
    assert_eq!(log, own.repo.data("kb.log", json!({})));
}

#[test]
fn a_clone_that_left_and_changed_nothing_goes_on_where_it_was() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    create_project(&team.origin, "P");
    let (kept, removed) = (create_task(&team.origin, "kept"), create_task(&team.origin, "removed"));
    let away = team.member();
    assert_eq!(export(&away.repo), export(&team.origin));
    away.repo.data("team.leave", json!({}));
    rename_task(&team.origin, &kept, 1, "renamed meanwhile");
    team.origin.data("work.delete", json!({"id": removed, "version": 1}));
    // Nothing here is newer than what the team has, so nothing is a conflict or comes back.
    let joined = team.join(&away.repo);
    assert_eq!((&joined["pushed"], &joined["stores"]), (&json!(true), &json!([])), "{joined:#}");
    assert_eq!(export(&away.repo), export(&team.origin));
    create_task(&away.repo, "goes on");
    assert_eq!(export(&away.repo), export(&team.origin));
    // What was written after leaving is compared, and so is a store that was put back.
    away.repo.data("backup", json!({}));
    away.repo.data("team.leave", json!({}));
    create_task(&away.repo, "alone");
    assert_eq!(team.join(&away.repo)["pushed"], false);
    away.repo.data("team.leave", json!({}));
    away.repo.data("restore", json!({"backup": "work"}));
    create_task(&away.repo, "after the backup");
    assert_eq!(team.join(&away.repo)["pushed"], false);
    away.repo.data("team.push", json!({}));
    assert!(export(&team.origin).to_string().contains("after the backup"));
}

#[test]
fn what_was_written_after_an_interrupted_join_is_compared() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    create_project(&team.origin, "P");
    let away = team.member();
    overview(&away.repo);
    // As if the process had ended before it noted the membership.
    away.repo.remove(".git/cairn/team.json");
    create_task(&away.repo, "alone");
    assert_eq!(team.join(&away.repo)["pushed"], false);
    away.repo.data("team.push", json!({}));
    assert_eq!(export(&away.repo), export(&team.origin));
    assert!(export(&team.origin).to_string().contains("alone"));
}

#[test]
fn what_the_team_removed_does_not_come_back_unasked() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    create_project(&team.origin, "P");
    let (one, two) = (create_task(&team.origin, "one"), create_task(&team.origin, "two"));
    let away = team.member();
    overview(&away.repo);
    away.repo.data("team.leave", json!({}));
    create_task(&away.repo, "alone");
    for task in [&one, &two] {
        team.origin.data("work.delete", json!({"id": task, "version": 1}));
    }
    let text = away.repo.text(&format!("team join {}", team.database.url()));
    assert!(text.contains("theirs  removed") && text.contains("one"), "{text}");
    assert_eq!(away.repo.code("team.push", json!({})), ProblemCode::Conflict);
    away.repo.data("team.push", json!({"prefer": "theirs"}));
    let tasks = export(&team.origin)["tables"]["task"].to_string();
    assert!(tasks.contains("alone") && !tasks.contains("\"one\""), "{tasks}");
    assert_eq!(export(&away.repo), export(&team.origin));
}

#[test]
fn a_push_that_would_break_a_rule_is_refused() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    create_project(&team.origin, "P");
    let (one, two) = (create_task(&team.origin, "one"), create_task(&team.origin, "two"));
    let away = team.member();
    overview(&away.repo);
    away.repo.data("team.leave", json!({}));
    team.origin.data("work.depend", json!({"from": one, "to": two}));
    away.repo.data("work.depend", json!({"from": two, "to": one}));
    team.join(&away.repo);
    let before = export(&team.origin);
    for args in [json!({}), json!({"prefer": "mine"}), json!({"prefer": "theirs"})] {
        let refused = away.repo.call_op("team.push", args).unwrap_err();
        assert_eq!(refused.code, ProblemCode::Conflict, "{refused}");
        assert!(refused.message.contains("waits for itself"), "{refused}");
    }
    assert_eq!(export(&team.origin), before, "nothing was written");
    // The way out that the problem names.
    away.repo.data("team.leave", json!({}));
    away.repo.data("work.undepend", json!({"from": two, "to": one}));
    team.join(&away.repo);
    away.repo.data("team.push", json!({}));
    assert_eq!(export(&away.repo), export(&team.origin));
}

#[test]
fn a_reader_with_records_of_its_own_reads_those_of_the_team() {
    let Some(team) = Team::start() else { return };
    let own = Member::of(&team.origin);
    team.join_first();
    upsert(&team.origin, "REQ-1", "of the team");
    upsert(&own.repo, "REQ-2", "of the clone");
    own.repo.git(&["pull", "-q", "origin", "main"]);
    let status = team.origin.data("team.status", json!({}));
    let readers = status["team"]["server"]["readers"].as_str().unwrap();
    let reader = format!("late_reader_{}", team.database.name);
    let grant = format!("CREATE ROLE {reader} LOGIN; GRANT {readers} TO {reader}");
    team.admin().batch_execute(&grant).unwrap();
    own.repo.data("team.join", json!({"address": team.database.url_of(&reader)}));
    let refused = own.repo.call_op("team.push", json!({})).unwrap_err();
    assert_eq!(refused.code, ProblemCode::Untrusted, "{refused}");
    assert!(refused.hints[0].to_string().contains("theirs"), "{refused:?}");
    assert_eq!(kb_titles(&own.repo), ["REQ-2 of the clone"]);
    own.repo.data("team.push", json!({"prefer": "theirs"}));
    assert_eq!(kb_titles(&own.repo), ["REQ-1 of the team"]);
    upsert(&team.origin, "REQ-3", "later");
    assert_eq!(kb_titles(&own.repo), ["REQ-1 of the team", "REQ-3 later"]);
    let backups = own.repo.text("restore");
    assert!(backups.contains("kb.replaced-"), "what was local is kept: {backups}");
}

#[test]
fn a_clone_that_leaves_has_all_that_the_team_has() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    create_project(&team.origin, "P");
    upsert(&team.origin, "REQ-1", "on main");
    team.origin.git(&["checkout", "-q", "-b", "feature"]);
    upsert(&team.origin, "REQ-2", "on feature");
    team.origin.commit("feature");
    let proxy = NetworkProxy::to(team.database.port);
    let (away, offline) = (team.member(), team.member_behind(&proxy));
    // It never asked for anything before it leaves.
    away.repo.data("team.leave", json!({}));
    assert_eq!(export(&away.repo), export(&team.origin));
    assert_eq!(kb_titles(&away.repo), ["REQ-1 on main", "REQ-2 on feature"]);
    away.repo.git(&["checkout", "-q", "-b", "main", "origin/main"]);
    assert_eq!(kb_titles(&away.repo), ["REQ-1 on main"]);
    // Without the server it leaves with what it has, and says so.
    proxy.set(NetworkState::Cut);
    let text = offline.repo.text("team leave");
    assert!(text.contains("as last read here") && text.contains("may be missing"), "{text}");
    create_project(&offline.repo, "Alone");
}

#[test]
fn a_project_that_is_older_than_the_first_commit_learns_its_root() {
    let Some(server) = PostgresServer::shared() else {
        return testskip::not_run("PostgreSQL is not installed; `cargo xtask test` installs it");
    };
    let folder = tempfile::tempdir().unwrap();
    let database = server.database();
    let origin = TestRepo::existing(folder.path());
    origin.git(&["init", "-q", "-b", "main"]);
    let address = json!({"address": database.url()});
    assert_eq!(origin.data("team.join", address.clone())["created"], true);
    origin.commit("start");
    let other = Member::of(&origin);
    assert_eq!(other.repo.data("team.join", address.clone())["created"], false);
    create_project(&other.repo, "P");
    assert!(overview(&origin).contains('P'));
    // From then on it is the project of this repository only.
    let stranger = TestRepo::new("//- /b.ts\nexport const b = 1;\n");
    stranger.write("cairn.jsonc", origin.read("cairn.jsonc").unwrap());
    assert_eq!(stranger.code("team.join", address), ProblemCode::Conflict);
}
