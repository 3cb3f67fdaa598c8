//! Changes that wait for the server: which of them delay others, and how conflicts are resolved.

use base::ProblemCode;
use serde_json::{Value, json};
use testkit::TestRepo;
use testkit::proxy::{NetworkProxy, NetworkState};

use crate::sharing::{
    Member, Team, basis, create_project, create_task, export, kb_titles, rename_task, upsert,
};

/// A team of two: the first machine, and one behind a network that can be cut.
struct TwoMachines {
    team: Team,
    proxy: NetworkProxy,
    away: Member,
}

impl TwoMachines {
    fn start() -> Option<Self> {
        let team = Team::start()?;
        team.join_first();
        create_project(&team.origin, "P");
        let proxy = NetworkProxy::to(team.database.port);
        let away = team.member_behind(&proxy);
        Some(Self { team, proxy, away })
    }

    /// Makes the same fact on both machines while one is away, so that its change is a conflict.
    fn make_conflict(&self, changeset: &Value) {
        upsert(&self.team.origin, "REQ-1", "start");
        assert_eq!(kb_titles(&self.away.repo), ["REQ-1 start"]);
        self.proxy.set(NetworkState::Cut);
        self.away.repo.data("kb.upsert", json!({"changeset": changeset}));
        upsert(&self.team.origin, "REQ-1", "theirs");
        self.proxy.set(NetworkState::Open);
        let pushed = self.away.repo.data("team.push", json!({}));
        assert_eq!(count(&pushed["outbox"]["conflicts"]), 1, "{pushed:#}");
    }
}

fn count(list: &Value) -> usize {
    list.as_array().unwrap_or_else(|| panic!("{list:#}")).len()
}

fn conflicts(repo: &TestRepo) -> usize {
    count(&repo.data("team.status", json!({}))["team"]["conflicts"])
}

/// A changeset that sets the title of the one requirement.
fn title(title: &str) -> Value {
    json!({"entities": [{"id": "REQ-1", "type": "req", "title": title}]})
}

#[test]
fn a_change_that_waits_for_its_branch_holds_nothing_else_up() {
    let Some(two) = TwoMachines::start() else { return };
    let repo = &two.away.repo;
    let task = create_task(repo, "to claim");
    repo.git(&["checkout", "-q", "-b", "feature"]);
    two.proxy.set(NetworkState::Cut);
    upsert(repo, "REQ-1", "on feature");
    repo.git(&["checkout", "-q", "main"]);
    two.proxy.set(NetworkState::Open);
    // Other stores are written at once, and claims work, because the server is reachable.
    let claimed = repo.call_op("work.claim", json!({"task": task}));
    assert!(claimed.is_ok(), "{}", claimed.unwrap_err());
    upsert(repo, "REQ-2", "on main");
    assert_eq!(kb_titles(&two.team.origin), ["REQ-2 on main"]);
    // The change is written where its branch is checked out.
    repo.git(&["checkout", "-q", "feature"]);
    upsert(repo, "REQ-3", "later");
    assert_eq!(count(&repo.data("team.status", json!({}))["team"]["pending"]), 0);
    let titles = kb_titles(repo);
    assert!(titles.contains(&"REQ-1 on feature".to_owned()), "{titles:?}");
    assert!(titles.contains(&"REQ-3 later".to_owned()), "{titles:?}");
}

#[test]
fn a_conflict_is_settled_on_its_own_branch_only() {
    let Some(two) = TwoMachines::start() else { return };
    two.make_conflict(&title("mine"));
    let repo = &two.away.repo;
    repo.git(&["checkout", "-q", "-b", "feature"]);
    let settled = repo.data("team.push", json!({"prefer": "mine"}));
    assert_eq!(count(&settled["outbox"]["waiting"]), 1, "{settled:#}");
    assert!(settled.to_string().contains("made on branch main"), "{settled:#}");
    assert_eq!(kb_titles(repo), ["REQ-1 theirs"], "nothing was written to the other branch");
    assert_eq!(conflicts(repo), 1);
    repo.git(&["checkout", "-q", "main"]);
    let line = basis(repo, "team push --prefer mine");
    assert!(!line.contains("team:"), "nothing waits any more: {line}");
    assert_eq!(kb_titles(&two.team.origin), ["REQ-1 mine"]);
    assert_eq!(conflicts(repo), 0);
}

#[test]
fn mine_is_kept_although_its_facts_name_the_version_that_was_read() {
    let Some(two) = TwoMachines::start() else { return };
    let mut changeset = title("mine");
    changeset["entities"][0]["if_version"] = json!(1);
    two.make_conflict(&changeset);
    let settled = two.away.repo.data("team.push", json!({"prefer": "mine"}));
    assert_eq!(count(&settled["outbox"]["written"]), 1, "{settled:#}");
    assert_eq!(kb_titles(&two.team.origin), ["REQ-1 mine"]);
}

#[test]
fn changes_that_were_given_up_stay_given_up() {
    let Some(two) = TwoMachines::start() else { return };
    let repo = &two.away.repo;
    create_task(repo, "start"); // so that this machine knows the project
    two.proxy.set(NetworkState::Cut);
    create_task(repo, "given up");
    assert_eq!(repo.code("team.leave", json!({})), ProblemCode::Blocked);
    repo.data("team.leave", json!({"give_up_pending": true}));
    two.proxy.set(NetworkState::Open);
    let address = two.team.database.url_at(&two.team.database.owner, two.proxy.port());
    repo.data("team.join", json!({"address": address}));
    create_task(repo, "after it");
    let titles = export(&two.team.origin)["tables"]["task"].to_string();
    assert!(titles.contains("after it") && !titles.contains("given up"), "{titles}");
    assert_eq!(export(&two.team.origin), export(repo));
}

#[test]
fn a_settled_change_whose_reply_was_lost_is_found_and_not_repeated() {
    let Some(two) = TwoMachines::start() else { return };
    let task = create_task(&two.away.repo, "start");
    two.proxy.set(NetworkState::Cut);
    rename_task(&two.away.repo, &task, 1, "mine");
    rename_task(&two.team.origin, &task, 1, "theirs");
    two.proxy.set(NetworkState::Open);
    two.away.repo.data("team.push", json!({}));
    assert_eq!(conflicts(&two.away.repo), 1);
    // The server committed the resolved change, but the machine did not get the reply.
    let outbox =
        engine::durable::team::outbox::Outbox::of(&two.away.repo.root().join(".git/cairn"));
    let change = outbox.entries().unwrap()[0].change.clone();
    let arrived = "WITH n AS (UPDATE cairn.projects SET seq = seq + 1 RETURNING id, seq)
        INSERT INTO cairn.changes (project, seq, id, store, action, actor, session, summary, records)
        SELECT id, seq, $1, 'work', 'write', 'a', 's', 's', 0 FROM n";
    two.team.admin().execute(arrived, &[&change]).unwrap();
    let settled = two.away.repo.data("team.push", json!({"prefer": "mine"}));
    assert_eq!(count(&settled["outbox"]["written"]), 1, "{settled:#}");
    assert_eq!(conflicts(&two.away.repo), 0);
}

#[test]
fn a_push_without_the_server_names_all_that_waits() {
    let Some(two) = TwoMachines::start() else { return };
    let repo = &two.away.repo;
    create_task(repo, "start");
    two.proxy.set(NetworkState::Cut);
    for title in ["one", "two", "three"] {
        create_task(repo, title);
    }
    let outcome = repo.call_op("team.push", json!({})).unwrap();
    assert!(outcome.has_findings, "a push that wrote nothing is no success");
    let text = repo.text("team push");
    assert!(text.starts_with("3 changes are not on the server"), "{text}");
    for title in ["one", "two", "three"] {
        assert!(text.contains(title), "{text}");
    }
}

#[test]
fn many_at_once_go_on_without_the_server() {
    let Some(two) = TwoMachines::start() else { return };
    let repo = &two.away.repo;
    create_task(repo, "start");
    two.proxy.set(NetworkState::Cut);
    let work = |who: usize| {
        for number in 0..8 {
            let title = format!("task {who} {number}");
            let task = json!({"kind": "task", "title": title, "summary": "s"});
            loop {
                match repo.call_op("work.create", task.clone()) {
                    Ok(_) => break,
                    // Another one wrote while this one planned.
                    Err(problem) => assert_eq!(problem.code, ProblemCode::Busy, "{problem}"),
                }
            }
            let shown = repo.text("work overview");
            assert!(shown.contains("project \"P\""), "an empty store was read: {shown}");
        }
    };
    std::thread::scope(|scope| {
        for who in 0..4 {
            scope.spawn(move || work(who));
        }
    });
    two.proxy.set(NetworkState::Open);
    repo.data("team.push", json!({}));
    let tasks = export(&two.team.origin)["tables"]["task"].as_array().unwrap().len();
    assert_eq!(tasks, 1 + 4 * 8);
    assert_eq!(export(&two.team.origin), export(repo));
}

#[test]
fn one_settled_conflict_does_not_hide_the_others() {
    let Some(two) = TwoMachines::start() else { return };
    let repo = &two.away.repo;
    let (one, other) = (create_task(repo, "one"), create_task(repo, "other"));
    two.proxy.set(NetworkState::Cut);
    for task in [&one, &other] {
        rename_task(repo, task, 1, "mine");
        rename_task(&two.team.origin, task, 1, "theirs");
    }
    two.proxy.set(NetworkState::Open);
    repo.data("team.push", json!({}));
    // A number without a side settles nothing.
    assert_eq!(repo.code("team.push", json!({"conflict": 1})), ProblemCode::ValidationError);
    let settled = repo.data("team.push", json!({"prefer": "mine", "conflict": 1}));
    assert_eq!(count(&settled["outbox"]["written"]), 1, "{settled:#}");
    assert_eq!(count(&settled["outbox"]["conflicts"]), 1, "{settled:#}");
    assert_eq!(conflicts(repo), 1);
}
