//! A team on several machines: clones of one repository that share a PostgreSQL database.

use base::ProblemCode;
use serde_json::{Value, json};
use testkit::TestRepo;
use testkit::postgres::{PostgresServer, TestDatabase};
use testkit::proxy::{NetworkProxy, NetworkState};

/// A repository, and clones of it, that share a database.
pub struct Team {
    pub database: TestDatabase,
    pub origin: TestRepo,
}

impl Team {
    /// A team of one; none if the server is not installed.
    pub fn start() -> Option<Self> {
        let Some(server) = PostgresServer::shared() else {
            testskip::not_run("PostgreSQL is not installed; `cargo xtask test` installs it");
            return None;
        };
        let origin = TestRepo::new("//- /a.ts\nexport const a = 1;\n");
        Some(Self { database: server.database(), origin })
    }

    /// Joins with the first clone, whose configuration the others get.
    pub fn join_first(&self) -> Value {
        let joined = self.join(&self.origin);
        self.origin.commit("join");
        joined
    }

    pub fn join(&self, repo: &TestRepo) -> Value {
        repo.data("team.join", json!({"address": self.database.url()}))
    }

    /// Another machine: a clone that has joined.
    pub fn member(&self) -> Member {
        let member = Member::of(&self.origin);
        self.join(&member.repo);
        member
    }

    /// Another machine, behind a network that can be cut.
    pub fn member_behind(&self, proxy: &NetworkProxy) -> Member {
        let member = Member::of(&self.origin);
        let address = self.database.url_at(&self.database.owner, proxy.port());
        member.repo.data("team.join", json!({"address": address}));
        member
    }

    /// A direct SQL connection for a role.
    pub fn sql(&self, role: &str) -> postgres::Client {
        postgres::Client::connect(&self.database.url_of(role), postgres::NoTls).unwrap()
    }

    pub fn admin(&self) -> postgres::Client {
        self.sql("postgres")
    }
}

/// A clone that stands for another machine.
pub struct Member {
    _folder: tempfile::TempDir,
    pub repo: TestRepo,
}

impl Member {
    pub fn of(origin: &TestRepo) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("clone");
        origin.git(&["clone", "-q", ".", to.to_str().unwrap()]);
        Self { repo: TestRepo::existing(&to), _folder: folder }
    }
}

pub fn create_project(repo: &TestRepo, name: &str) -> String {
    let made = repo.data("work.create", json!({"kind": "project", "name": name, "summary": "s"}));
    made["result"]["project"]["id"].as_str().unwrap_or_else(|| panic!("{made:#}")).to_owned()
}

pub fn overview(repo: &TestRepo) -> String {
    repo.text("work overview")
}

/// Every row of work and knowledge.
pub fn export(repo: &TestRepo) -> Value {
    repo.data("work.export", json!({}))
}

pub fn create_task(repo: &TestRepo, title: &str) -> String {
    let made = repo.data("work.create", json!({"kind": "task", "title": title, "summary": "s"}));
    made["result"]["task"]["id"].as_str().unwrap_or_else(|| panic!("{made:#}")).to_owned()
}

pub fn rename_task(repo: &TestRepo, id: &str, version: u32, title: &str) -> Value {
    repo.data("work.update", json!({"kind": "task", "id": id, "version": version, "title": title}))
}

pub fn upsert(repo: &TestRepo, id: &str, title: &str) -> Value {
    let entity =
        json!({"id": id, "type": "req", "title": title, "status": "open", "priority": "must"});
    repo.data("kb.upsert", json!({"changeset": {"entities": [entity]}}))
}

pub fn kb_titles(repo: &TestRepo) -> Vec<String> {
    let found = repo.data("kb.query", json!({}));
    let rows = found["entities"].as_array().unwrap_or_else(|| panic!("{found:#}"));
    rows.iter()
        .map(|row| format!("{} {}", row["id"].as_str().unwrap(), row["title"].as_str().unwrap()))
        .collect()
}

pub fn basis(repo: &TestRepo, line: &str) -> String {
    let text = repo.text(line);
    text.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn what_one_machine_writes_the_other_reads() {
    let Some(team) = Team::start() else { return };
    let joined = team.join_first();
    assert_eq!(joined["created"], true, "{joined:#}");
    assert_eq!(joined["pushed"], true);
    let other = team.member();
    create_project(&team.origin, "Shared home");
    assert_eq!(overview(&team.origin), overview(&other.repo));
    assert!(overview(&other.repo).contains("Shared home"), "{}", overview(&other.repo));
    // The other way round, with a search, which reads derived tables.
    create_project(&other.repo, "Second project");
    let found = team.origin.text("work search Second");
    assert!(found.contains("Second project"), "{found}");
    let log = team.origin.data("team.log", json!({}));
    let summaries: Vec<&str> = log["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["summary"].as_str().unwrap())
        .collect();
    assert_eq!(summaries.len(), 2, "{log:#}");
    assert_eq!(log["changes"][0]["role"], json!(team.database.owner));
}

#[test]
fn a_write_is_planned_on_what_the_other_machine_wrote() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    let other = team.member();
    create_project(&team.origin, "P");
    let task = create_task(&other.repo, "one");
    rename_task(&team.origin, &task, 1, "two");
    // The version that this machine saw last is no longer the current one.
    let stale = json!({"kind": "task", "id": task, "version": 1, "title": "three"});
    assert_eq!(other.repo.code("work.update", stale), ProblemCode::Conflict);
    rename_task(&other.repo, &task, 2, "three");
    assert_eq!(export(&team.origin), export(&other.repo));
    // A claim has one winner, whoever asks.
    let claim = json!({"task": task});
    let (one, two) = (testkit::call_by("ada"), testkit::call_by("eve"));
    let ask = |repo: &TestRepo, call| {
        let args = serde_json::from_value(claim.clone()).unwrap();
        testkit::operation_of("work.claim").call(&repo.workspace(), call, args)
    };
    assert!(ask(&team.origin, one).is_ok());
    assert_eq!(ask(&other.repo, two).unwrap_err().code, ProblemCode::Conflict);
}

#[test]
fn a_change_of_one_machine_is_taken_back_on_another() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    let other = team.member();
    let made =
        team.origin.data("work.create", json!({"kind": "project", "name": "P", "summary": "s"}));
    let change = made["change"].as_str().unwrap().to_owned();
    assert!(overview(&other.repo).contains('P'));
    other.repo.data("undo", json!({"change": change}));
    assert_eq!(export(&team.origin)["tables"]["project"], json!([]));
    assert_eq!(export(&team.origin), export(&other.repo));
}

#[test]
fn a_number_that_two_branches_gave_is_not_guessed() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    team.origin.git(&["checkout", "-q", "-b", "feature"]);
    upsert(&team.origin, "REQ-1", "on feature");
    let other = Member::of(&team.origin);
    other.repo.git(&["checkout", "-q", "feature"]);
    team.join(&other.repo);
    upsert(&other.repo, "REQ-2", "of the other machine");
    team.origin.git(&["checkout", "-q", "main"]);
    upsert(&team.origin, "REQ-3", "on main");
    let log = team.origin.data("kb.log", json!({}));
    let number = log["entries"][0]["entry"].as_i64().unwrap_or_else(|| panic!("{log:#}"));
    // A change number that was printed for main must not undo what another machine wrote on this
    // branch.
    team.origin.git(&["checkout", "-q", "feature"]);
    assert_eq!(kb_titles(&team.origin).len(), 2);
    let refused = team.origin.call_op("undo", json!({"change": number.to_string()})).unwrap_err();
    assert_eq!(refused.code, ProblemCode::Ambiguous, "{refused}");
    team.origin.data("undo", json!({"change": format!("kb:{number}@feature")}));
    assert_eq!(kb_titles(&team.origin), ["REQ-1 on feature"]);
}

#[test]
fn facts_follow_their_branch() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    upsert(&team.origin, "REQ-1", "on main");
    team.origin.git(&["checkout", "-q", "-b", "feature"]);
    assert_eq!(kb_titles(&team.origin), ["REQ-1 on main"]);
    upsert(&team.origin, "REQ-2", "on feature");
    team.origin.commit("feature");
    let other = team.member();
    assert_eq!(kb_titles(&other.repo), ["REQ-1 on main", "REQ-2 on feature"]);
    other.repo.git(&["checkout", "-q", "-b", "main", "origin/main"]);
    assert_eq!(kb_titles(&other.repo), ["REQ-1 on main"]);
    // The log, a rollback and a merge work on what the other machine wrote.
    let log = other.repo.data("kb.log", json!({}));
    assert_eq!(log["entries"].as_array().unwrap().len(), 1, "{log:#}");
    other.repo.git(&["checkout", "-q", "feature"]);
    upsert(&other.repo, "REQ-3", "later");
    other.repo.git(&["checkout", "-q", "main"]);
    other.repo.data("kb.merge", json!({"branch": "feature"}));
    team.origin.git(&["checkout", "-q", "main"]);
    assert_eq!(kb_titles(&team.origin), ["REQ-1 on main", "REQ-2 on feature", "REQ-3 later"]);
    let last = team.origin.data("kb.log", json!({}))["entries"][0]["entry"].as_i64().unwrap();
    team.origin.data("kb.rollback", json!({"entry": last}));
    assert_eq!(kb_titles(&other.repo), ["REQ-1 on main", "REQ-2 on feature"]);
    let forks = team.origin.data("team.log", json!({"store": "kb/feature"}));
    assert_eq!(forks["changes"].as_array().unwrap().last().unwrap()["action"], "fork");
}

#[test]
fn a_renamed_branch_takes_its_facts_along() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    team.origin.git(&["checkout", "-q", "-b", "old"]);
    upsert(&team.origin, "REQ-1", "before");
    team.origin.git(&["branch", "-m", "new"]);
    upsert(&team.origin, "REQ-2", "after");
    team.origin.commit("new");
    let other = team.member();
    assert_eq!(kb_titles(&other.repo), ["REQ-1 before", "REQ-2 after"]);
}

#[test]
fn without_the_server_reads_go_on_and_writes_wait() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    create_project(&team.origin, "P");
    let proxy = NetworkProxy::to(team.database.port);
    let away = team.member_behind(&proxy);
    let task = create_task(&away.repo, "online");
    proxy.set(NetworkState::Cut);
    let line = basis(&away.repo, "work overview");
    assert!(line.ends_with("team: offline, as of change 2, 0 s ago"), "{line}");
    let waiting = create_task(&away.repo, "offline");
    rename_task(&away.repo, &task, 1, "renamed offline");
    let line = basis(&away.repo, "work overview");
    assert!(line.ends_with(", 2 changes pending"), "{line}");
    let shown = away.repo.text("work search offline");
    assert!(shown.contains("renamed offline"), "{shown}");
    // A claim holds only if the server knows it; an undo has no number to name yet.
    let refused = away.repo.call_op("work.claim", json!({"task": waiting})).unwrap_err();
    assert_eq!(refused.code, ProblemCode::Unavailable);
    assert!(refused.message.contains("a claim holds only if the server knows it"), "{refused}");
    let status = away.repo.data("team.status", json!({}));
    assert_eq!(status["team"]["pending"].as_array().unwrap().len(), 2, "{status:#}");
    assert!(!overview(&team.origin).contains("offline"));
    // After the server is back, the next write comes after the waiting ones, which keep their ids.
    proxy.set(NetworkState::Open);
    create_task(&away.repo, "back");
    assert_eq!(export(&team.origin), export(&away.repo));
    let known = export(&team.origin).to_string();
    assert!(known.contains(&waiting) && known.contains("renamed offline"), "{known}");
    assert!(!basis(&away.repo, "work overview").contains("team:"));
}

#[test]
fn what_two_machines_changed_without_the_server_is_shown_with_both_sides() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    create_project(&team.origin, "P");
    let (left_net, right_net) =
        (NetworkProxy::to(team.database.port), NetworkProxy::to(team.database.port));
    let (left, right) = (team.member_behind(&left_net), team.member_behind(&right_net));
    let (both, only) = (create_task(&left.repo, "both"), create_task(&left.repo, "only"));
    upsert(&left.repo, "REQ-1", "start");
    assert_eq!(kb_titles(&right.repo), ["REQ-1 start"]);
    overview(&right.repo);
    left_net.set(NetworkState::Cut);
    right_net.set(NetworkState::Cut);
    rename_task(&left.repo, &both, 1, "left");
    rename_task(&right.repo, &both, 1, "right");
    rename_task(&right.repo, &only, 1, "only right");
    upsert(&left.repo, "REQ-1", "left fact"); // names no version, and is a conflict all the same
    upsert(&right.repo, "REQ-1", "right fact");
    left_net.set(NetworkState::Open);
    let pushed = left.repo.data("team.push", json!({}));
    assert_eq!(pushed["outbox"]["written"].as_array().unwrap().len(), 2, "{pushed:#}");
    right_net.set(NetworkState::Open);
    let pushed = right.repo.data("team.push", json!({}));
    assert_eq!(pushed["outbox"]["written"].as_array().unwrap().len(), 1, "{pushed:#}");
    assert_eq!(pushed["outbox"]["conflicts"].as_array().unwrap().len(), 2, "{pushed:#}");
    let status = right.repo.data("team.status", json!({}));
    let record = &status["team"]["conflicts"][0]["records"][0];
    assert_eq!(
        (&record["mine"]["title"], &record["theirs"]["title"]),
        (&json!("right"), &json!("left")),
        "{status:#}"
    );
    assert_eq!(kb_titles(&right.repo), ["REQ-1 left fact"]);
    let text = right.repo.text("team status");
    assert!(text.contains("mine") && text.contains("theirs"), "{text}");
    // One command settles them.
    right.repo.data("team.push", json!({"prefer": "mine"}));
    assert_eq!(kb_titles(&left.repo), ["REQ-1 right fact"]);
    let tasks = export(&left.repo)["tables"]["task"].to_string();
    assert!(tasks.contains("\"right\"") && tasks.contains("only right"), "{tasks}");
    assert_eq!(export(&left.repo), export(&right.repo));
    let status = right.repo.data("team.status", json!({}));
    assert_eq!(status["team"]["conflicts"], json!([]));
}

#[test]
fn a_repository_joins_with_what_it_has() {
    let Some(team) = Team::start() else { return };
    let own = Member::of(&team.origin);
    create_project(&team.origin, "First");
    upsert(&team.origin, "REQ-1", "first");
    let joined = team.join_first();
    assert_eq!(joined["pushed"], false, "{joined:#}");
    assert_eq!(
        team.origin.code("work.create", json!({"kind": "project", "name": "X", "summary": "s"})),
        ProblemCode::InvalidOperation
    );
    assert!(overview(&team.origin).contains("First"));
    team.origin.data("team.push", json!({}));
    // Another clone with records of its own, one of them under an id that the team has too.
    create_project(&own.repo, "Second");
    upsert(&own.repo, "REQ-1", "second");
    upsert(&own.repo, "REQ-2", "other");
    own.repo.git(&["pull", "-q", "origin", "main"]);
    let joined = team.join(&own.repo);
    assert_eq!(joined["pushed"], false, "{joined:#}");
    let differing: u64 = joined["stores"]
        .as_array()
        .unwrap()
        .iter()
        .map(|store| store["differing"].as_u64().unwrap())
        .sum();
    assert_eq!(differing, 1, "{joined:#}");
    let before = export(&team.origin);
    assert_eq!(own.repo.code("team.push", json!({})), ProblemCode::Conflict);
    assert_eq!(export(&team.origin), before);
    own.repo.data("team.push", json!({"prefer": "theirs"}));
    assert_eq!(kb_titles(&team.origin), ["REQ-1 first", "REQ-2 other"]);
    assert_eq!(kb_titles(&own.repo), ["REQ-1 first", "REQ-2 other"]);
    assert_eq!(export(&team.origin), export(&own.repo));
    upsert(&own.repo, "REQ-3", "goes on");
    assert_eq!(kb_titles(&team.origin).len(), 3);
    // After leaving, all records are kept, and changes of one side no longer reach the other.
    own.repo.data("team.leave", json!({}));
    let kept = export(&own.repo);
    assert_eq!(kept, export(&team.origin));
    create_project(&own.repo, "Alone");
    assert_ne!(export(&own.repo), export(&team.origin));
}

#[test]
fn another_repository_is_refused() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    let config = team.origin.read("cairn.jsonc").unwrap();
    let stranger = TestRepo::new("//- /b.ts\nexport const b = 1;\n");
    stranger.write("cairn.jsonc", config);
    let refused =
        stranger.call_op("team.join", json!({"address": team.database.url()})).unwrap_err();
    assert_eq!(refused.code, ProblemCode::Conflict, "{refused}");
    assert!(refused.message.contains("belongs to another repository"), "{refused}");
}

#[test]
fn what_a_restored_database_lacks_is_brought_back() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    create_project(&team.origin, "Before the backup");
    let other = team.member();
    overview(&other.repo);
    create_project(&team.origin, "After the backup");
    let restored =
        "DELETE FROM cairn.records WHERE seq > 1; DELETE FROM cairn.changes WHERE seq > 1;
         UPDATE cairn.projects SET seq = 1";
    team.admin().batch_execute(restored).unwrap();
    // Another machine writes first, so that the number of the lost change is assigned again.
    create_project(&other.repo, "Written first");
    let line = basis(&team.origin, "work overview");
    assert!(line.contains("has a change 2 that the team's server does not have"), "{line}");
    let project = json!({"kind": "project", "name": "X", "summary": "s"});
    let refused = team.origin.call_op("work.create", project).unwrap_err();
    assert_eq!(refused.code, ProblemCode::Conflict, "{refused}");
    assert!(refused.hints[0].to_string().contains("restored from a backup"), "{refused:?}");
    let refused = team.origin.call_op("team.push", json!({})).unwrap_err();
    assert_eq!(refused.code, ProblemCode::Conflict, "it lacks what this machine has: {refused}");
    team.origin.data("team.leave", json!({}));
    assert_eq!(team.join(&team.origin)["pushed"], false);
    team.origin.data("team.push", json!({}));
    assert!(overview(&other.repo).contains("After the backup"), "{}", overview(&other.repo));
    assert_eq!(export(&team.origin), export(&other.repo));
}

#[test]
fn a_reply_that_is_lost_is_looked_up_and_never_repeated() {
    let Some(team) = Team::start() else { return };
    team.join_first();
    create_project(&team.origin, "P");
    let proxy = NetworkProxy::to(team.database.port);
    let away = team.member_behind(&proxy);
    overview(&away.repo);
    for number in 0..6 {
        // The network is cut after so many requests of the write: at some point that is the commit.
        let from = proxy.requests();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                testkit::postgres::wait_until(|| proxy.requests() >= from + 4 + number);
                proxy.set(NetworkState::Cut);
                proxy.set(NetworkState::Open);
            });
            let made = away.repo.call_op(
                "work.create",
                json!({"kind": "task", "title": format!("task {number}"), "summary": "s"}),
            );
            assert!(made.is_ok(), "{}", made.unwrap_err());
            // If the write took fewer requests, send more, so that the other thread ends.
            while proxy.requests() < from + 4 + number {
                away.repo.text("team status");
            }
        });
    }
    away.repo.data("team.push", json!({}));
    let tasks = export(&team.origin)["tables"]["task"].as_array().unwrap().len();
    assert_eq!(tasks, 6);
    assert_eq!(export(&team.origin), export(&away.repo));
}
