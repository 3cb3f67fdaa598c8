//! `undo` and `redo`: which change they choose, in which order, and what the numbers of changes
//! mean.

use std::cell::Cell;

use base::{Call, Problem, ProblemCode};
use engine::contract::op::Mutation;
use engine::{OpAnswer, WorkspaceMode};
use operations::ops::typed::Undo;
use serde_json::{Value, json};
use testkit::{TestRepo, WITH_LEDGER};

fn repo() -> TestRepo {
    TestRepo::new("//- a.md\n# A\n")
}

/// Calls an operation for an actor, in a session, at a given time.
fn ask_as(
    repo: &TestRepo,
    (actor, session, now): (&str, &str, &str),
    name: &str,
    args: Value,
) -> Result<OpAnswer, Problem> {
    let call = Call::new(actor, now.parse().unwrap()).in_session(session);
    let args = serde_json::from_value(args).unwrap();
    operations::ops::find(name)?.call(&repo.workspace(), call, args)
}

const NOON: &str = "2026-01-02T12:00:00Z";
const ADA: (&str, &str, &str) = ("ada", "one", NOON);
const BOB: (&str, &str, &str) = ("bob", "two", NOON);

fn fact(id: &str) -> Value {
    json!({"entities": [{"id": id, "type": "fact", "title": id}]})
}

fn facts(repo: &TestRepo) -> Vec<String> {
    let found = repo.data("kb.query", json!({"type": "fact"}));
    let rows = found["entities"].as_array().unwrap().iter();
    rows.map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

fn change(answer: &OpAnswer) -> String {
    answer.data["change"].as_str().unwrap().to_owned()
}

fn card(slug: &str) -> Value {
    json!({"key": format!("spec::{slug}"), "summary": slug})
}

fn cards(repo: &TestRepo) -> Vec<String> {
    let names = repo.snapshot().into_iter().map(|(name, _)| name);
    let cards = names.filter_map(|name| Some(name.strip_prefix(".cairn/cards/")?.to_owned()));
    cards.map(|name| name.trim_end_matches(".card.md").to_owned()).collect()
}

#[test]
fn three_changes_are_undone_by_three_undos_and_redone_by_three_redos() {
    let repo = repo();
    repo.data("kb.upsert", fact("FACT-1"));
    repo.data("card.create", card("x"));
    repo.data("kb.upsert", fact("FACT-2"));
    let state = || (facts(&repo).len(), cards(&repo).len());
    let mut seen = vec![state()];
    for _ in 0..3 {
        repo.data("undo", json!({}));
        seen.push(state());
    }
    assert_eq!(seen, [(2, 1), (1, 1), (1, 0), (0, 0)]);
    let left = repo.call_op("undo", json!({})).unwrap_err();
    assert_eq!(left.message, "no change of yours is left to undo here");
    for expected in [(1, 0), (1, 1), (2, 1)] {
        repo.data("redo", json!({}));
        assert_eq!(state(), expected);
    }
    assert_eq!(repo.code("redo", json!({})), ProblemCode::NotFound);
    // A redone change can be undone again, also if there was another change in between.
    repo.data("undo", json!({}));
    repo.data("kb.upsert", fact("FACT-3"));
    repo.data("undo", json!({}));
    repo.data("undo", json!({}));
    assert_eq!(state(), (1, 0));
}

#[test]
fn undo_leaves_the_changes_of_others_alone() {
    let repo = repo();
    ask_as(&repo, ADA, "kb.upsert", fact("FACT-1")).unwrap();
    ask_as(&repo, ADA, "card.create", card("ada")).unwrap();
    let bobs = change(&ask_as(&repo, BOB, "kb.upsert", fact("FACT-2")).unwrap());
    ask_as(&repo, BOB, "card.create", card("bob")).unwrap();
    for _ in 0..2 {
        ask_as(&repo, ADA, "undo", json!({})).unwrap();
    }
    assert_eq!((facts(&repo), cards(&repo)), (vec!["FACT-2".to_owned()], vec!["bob".to_owned()]));
    let left = ask_as(&repo, ADA, "undo", json!({})).unwrap_err();
    assert_eq!(left.code, ProblemCode::NotFound);
    let hint = left.hints[0].to_string();
    assert!(hint.ends_with("by bob; to undo it:  undo {\"change\":\"4\"}"), "{hint}");
    let done = ask_as(&repo, ADA, "undo", json!({"change": bobs})).unwrap();
    assert_eq!(done.data["result"]["actor"], "bob");
    assert_eq!(done.data["result"]["own"], false);
    assert!(facts(&repo).is_empty());
    // The answer's text says so too.
    let page = repo.text(&format!("undo --change {}", change(&done)));
    assert!(page.starts_with("Undone: change 7 (") && page.contains(", made by ada"), "{page}");
    assert_eq!(facts(&repo), ["FACT-2"]);
    // Bob did not undo it, so Bob has nothing to redo.
    assert_eq!(ask_as(&repo, BOB, "redo", json!({})).unwrap_err().code, ProblemCode::NotFound);
}

#[test]
fn another_session_of_the_same_actor_is_told_and_not_taken_back() {
    let repo = repo();
    ask_as(&repo, ADA, "kb.upsert", fact("FACT-1")).unwrap();
    let other = ("ada", "another", NOON);
    let problem = ask_as(&repo, other, "undo", json!({})).unwrap_err();
    assert!(problem.hints[0].contains("by you in another session"), "{problem:?}");
    ask_as(&repo, other, "undo", json!({"change": "1"})).unwrap();
    assert!(facts(&repo).is_empty());
}

#[test]
fn a_clock_that_went_back_does_not_change_the_order() {
    let repo = repo();
    let at = |time: &'static str| ("ada", "one", time);
    ask_as(&repo, at("2026-01-02T12:00:00Z"), "kb.upsert", fact("FACT-1")).unwrap();
    ask_as(&repo, at("2026-01-02T11:00:00Z"), "card.create", card("x")).unwrap();
    ask_as(&repo, at("2026-01-02T10:00:00Z"), "kb.upsert", fact("FACT-2")).unwrap();
    for expected in [(1, 1), (1, 0), (0, 0)] {
        ask_as(&repo, at("2026-01-02T09:00:00Z"), "undo", json!({})).unwrap();
        assert_eq!((facts(&repo).len(), cards(&repo).len()), expected);
    }
}

#[test]
fn numbers_are_unique_across_branches_and_worktrees() {
    let repo = repo();
    let upsert = |repo: &TestRepo, id: &str| change(&repo.call_op("kb.upsert", fact(id)).unwrap());
    let mut numbers = vec![upsert(&repo, "FACT-0")];
    repo.git(&["checkout", "-q", "-b", "f"]);
    numbers.push(upsert(&repo, "FACT-F"));
    repo.git(&["checkout", "-q", "main"]);
    let on_main = upsert(&repo, "FACT-M");
    numbers.push(on_main.clone());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w");
    repo.git(&["worktree", "add", "-q", "-b", "w", path.to_str().unwrap()]);
    let worktree = TestRepo::existing(&path);
    numbers.push(upsert(&worktree, "FACT-W"));
    let in_worktree = change(&worktree.call_op("card.create", card("w")).unwrap());
    numbers.push(in_worktree.clone());
    numbers.push(change(&repo.call_op("card.create", card("main")).unwrap()));
    assert_eq!(numbers, ["1", "2", "3", "4", "5", "6"]);
    // On another branch the number is not found, and the error names the branch of the change.
    repo.git(&["checkout", "-q", "f"]);
    let problem = repo.call_op("undo", json!({"change": on_main})).unwrap_err();
    assert_eq!(problem.code, ProblemCode::NotFound);
    let expected = "change 3 (upsert: adds FACT-M) was made on branch main, not here";
    assert_eq!(problem.message, expected);
    assert_eq!(facts(&repo), ["FACT-0", "FACT-F"]);
    let problem = repo.call_op("undo", json!({"change": in_worktree})).unwrap_err();
    assert!(problem.message.ends_with("was made in worktree w, not here"), "{problem:?}");
    repo.data("undo", json!({"change": "2"}));
    assert_eq!(facts(&repo), ["FACT-0"]);
}

#[test]
fn the_log_and_undo_have_the_same_numbers_also_after_a_merge() {
    let repo = repo();
    repo.data("kb.upsert", fact("FACT-0"));
    repo.git(&["checkout", "-q", "-b", "x"]);
    for id in ["FACT-1", "FACT-2"] {
        repo.data("kb.upsert", fact(id));
    }
    repo.git(&["checkout", "-q", "main"]);
    let merge = change(&repo.call_op("kb.merge", json!({"branch": "x"})).unwrap());
    let last = change(&repo.call_op("kb.upsert", fact("FACT-3")).unwrap());
    let log = repo.data("kb.log", json!({}))["entries"].clone();
    let entries: Vec<i64> =
        log.as_array().unwrap().iter().map(|row| row["entry"].as_i64().unwrap()).collect();
    let merge: i64 = merge.parse().unwrap();
    assert_eq!(entries[0].to_string(), last);
    assert_eq!(entries[1..], [merge + 2, merge + 1, 1], "a merge and each of its entries");
    repo.data("kb.rollback", json!({"entry": entries[0]}));
    assert_eq!(facts(&repo), ["FACT-0", "FACT-1", "FACT-2"]);
    repo.data("kb.rollback", json!({"entry": merge}));
    assert_eq!(facts(&repo), ["FACT-0"], "the number of a merge means all of it");
    repo.data("undo", json!({}));
    assert_eq!(facts(&repo), ["FACT-0", "FACT-1", "FACT-2"]);
    assert_eq!(repo.code("kb.rollback", json!({"entry": 99})), ProblemCode::NotFound);
}

/// Makes a store and the journal look as if an older version had written them.
fn age(repo: &TestRepo, store: &str) {
    let file = repo.root().join(".git/cairn").join(store);
    let open = store::open(&file, store::Durability::Durable).unwrap();
    let sql = "ALTER TABLE change DROP COLUMN session; ALTER TABLE change DROP COLUMN undoes;";
    open.connection().execute_batch(sql).unwrap();
    let version: u32 =
        open.connection().query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    open.connection().execute_batch(&format!("PRAGMA user_version = {}", version - 1)).unwrap();
}

#[test]
fn names_of_older_versions_still_work_where_they_mean_one_change() {
    let repo = repo();
    let counter = repo.root().join(".git/cairn/change-number");
    let restart = || std::fs::write(&counter, "00000000000000000001\n").unwrap();
    repo.data("kb.upsert", fact("FACT-0")); // kb:1 on both branches
    repo.git(&["checkout", "-q", "-b", "f"]);
    repo.data("kb.upsert", fact("FACT-F")); // kb:2 on f
    restart();
    repo.git(&["checkout", "-q", "main"]);
    repo.data("kb.upsert", fact("FACT-M")); // kb:2 on main
    repo.data("kb.upsert", fact("FACT-N")); // kb:3 on main alone
    age(&repo, "branches/main/kb.sqlite");
    age(&repo, "branches/f/kb.sqlite");
    std::fs::remove_file(&counter).unwrap();
    let problem = repo.call_op("undo", json!({"change": "kb:2"})).unwrap_err();
    assert_eq!(problem.code, ProblemCode::Ambiguous);
    let candidates = json!([
        {"change": "kb:2@main", "summary": "upsert: adds FACT-M"},
        {"change": "kb:2@f", "summary": "upsert: adds FACT-F"}]);
    assert_eq!(problem.details["candidates"], candidates);
    assert_eq!(repo.code("undo", json!({"change": "kb:2@f"})), ProblemCode::NotFound);
    repo.data("undo", json!({"change": "kb:3"}));
    assert_eq!(facts(&repo), ["FACT-0", "FACT-M"]);
    repo.data("undo", json!({"change": "kb:2@main"}));
    repo.data("undo", json!({"change": "kb:1"}));
    assert!(facts(&repo).is_empty(), "on both branches it is the same change");
    // New numbers are above all that older versions assigned.
    let next = change(&repo.call_op("kb.upsert", fact("FACT-9")).unwrap());
    assert!(next.parse::<u64>().unwrap() > 3, "{next}");
    repo.git(&["checkout", "-q", "f"]);
    let problem = repo.call_op("undo", json!({"change": "kb:3"})).unwrap_err();
    assert_eq!(
        problem.message,
        "change kb:3 (upsert: adds FACT-N) was made on branch main, not here"
    );
}

#[test]
fn an_unknown_number_names_the_last_change_whatever_it_is() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let hint = |repo: &TestRepo| {
        repo.call_op("undo", json!({"change": "99"})).unwrap_err().hints[0].to_string()
    };
    assert_eq!(hint(&repo), "nothing has been changed here yet");
    repo.data("work.create", json!({"kind": "project", "name": "P"}));
    repo.data("undo", json!({}));
    assert!(hint(&repo).starts_with("the last change here is 2 ("), "{}", hint(&repo));
}

#[test]
fn an_undo_of_an_older_version_is_not_undone_by_the_next() {
    let repo = repo();
    repo.data("kb.upsert", fact("FACT-1"));
    repo.data("kb.upsert", fact("FACT-2"));
    repo.data("undo", json!({}));
    let file = repo.root().join(".git/cairn/branches/main/kb.sqlite");
    let open = store::open(&file, store::Durability::Durable).unwrap();
    let sql = "UPDATE change SET summary = 'undo of kb:2: upsert FACT-2' WHERE undoes = 2";
    assert_eq!(open.connection().execute(sql, []).unwrap(), 1);
    drop(open);
    age(&repo, "branches/main/kb.sqlite");
    repo.data("undo", json!({}));
    assert!(facts(&repo).is_empty(), "it went one further back");
    repo.data("redo", json!({}));
    assert_eq!(facts(&repo), ["FACT-1"]);
}

#[test]
fn a_file_edited_since_is_named_with_what_helps() {
    let repo = repo();
    let created = change(&repo.call_op("card.create", card("x")).unwrap());
    let path = ".cairn/cards/x.card.md";
    let made = repo.read(path).unwrap();
    // The file was changed by a later change of cairn: the hint says to undo that one first.
    let status = ask_as(&repo, BOB, "card.status", json!({"key": "spec::x", "status": "accepted"}));
    let newer = change(&status.unwrap());
    let problem = repo.call_op("undo", json!({})).unwrap_err();
    assert_eq!(problem.code, ProblemCode::Conflict);
    assert!(problem.message.starts_with(&format!("`{path}` was edited since change {created} (")));
    assert_eq!(problem.details["newer_change"].to_string(), newer);
    assert!(problem.hints[0].contains(", by bob) came after it; undo that first:"), "{problem:?}");
    repo.data("undo", json!({"change": newer}));
    // The file was changed by an editor: the diff is shown, and `force` undoes it, which can be
    // undone too.
    repo.write(path, format!("{made}\nby hand\n"));
    let problem = repo.call_op("undo", json!({})).unwrap_err();
    assert_eq!(problem.hints[0], format!("{path} was changed outside cairn"));
    let forced = json!({"change": created, "force": true, "dry_run": true});
    let shown = repo.data("undo", forced)["diff"].clone();
    assert!(shown.as_str().unwrap().contains("-by hand"), "{shown}");
    repo.data("undo", json!({"change": created, "force": true}));
    assert_eq!(repo.read(path), None);
    repo.data("redo", json!({}));
    assert!(repo.read(path).unwrap().ends_with("\nby hand\n"));
    std::fs::remove_file(repo.root().join(path)).unwrap();
    let problem = repo.call_op("undo", json!({})).unwrap_err();
    assert!(problem.message.starts_with(&format!("`{path}` was deleted since change {created} (")));
}

#[test]
fn without_git_files_and_stores_have_one_counter_too() {
    let repo = TestRepo::without_git("//- a.md\n# A\n");
    repo.data("kb.upsert", fact("FACT-1"));
    repo.data("card.create", card("x"));
    assert_eq!(repo.read(".cairn/local/change-number").unwrap().trim_start_matches('0'), "2\n");
    repo.data("undo", json!({}));
    assert_eq!((facts(&repo).len(), cards(&repo).len()), (1, 0));
    repo.data("undo", json!({}));
    assert_eq!((facts(&repo).len(), cards(&repo).len()), (0, 0));
}

#[test]
fn many_writers_at_once_get_numbers_of_their_own() {
    let repo = repo();
    let write = |writer: usize| {
        let workspace = repo.open(WorkspaceMode::Once, tree::DiskWriter::default(), &WITH_LEDGER);
        let ask = |name: &str, args: Value| {
            let args = serde_json::from_value(args).unwrap();
            let call = testkit::call_by("tester");
            change(&operations::ops::find(name).unwrap().call(&workspace, call, args).unwrap())
        };
        let round = |n: usize| {
            let id = format!("{writer}-{n}");
            [ask("kb.upsert", fact(&format!("FACT-{id}"))), ask("card.create", card(&id))]
        };
        (0..4).flat_map(round).collect::<Vec<String>>()
    };
    let mut numbers: Vec<String> = std::thread::scope(|scope| {
        let write = &write;
        let threads: Vec<_> = (0..4).map(|writer| scope.spawn(move || write(writer))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    numbers.sort();
    numbers.dedup();
    assert_eq!(numbers.len(), 32);
}

/// Undoes the caller's last change. While that is planned, `meanwhile` happens once.
fn undo_while(repo: &TestRepo, meanwhile: impl Fn()) -> Result<String, Problem> {
    let workspace = repo.workspace();
    let is_first = Cell::new(true);
    let undone = workspace.write(&testkit::call(), |view| {
        let undo: Undo = serde_json::from_value(json!({})).unwrap();
        let plan = undo.plan(view)?;
        if is_first.replace(false) {
            meanwhile();
        }
        Ok(plan)
    })?;
    Ok(undone.result.summary)
}

#[test]
fn an_undo_that_meets_another_change_of_the_caller_undoes_nothing() {
    let repo = repo();
    repo.data("kb.upsert", fact("FACT-1"));
    let problem = undo_while(&repo, || {
        repo.data("kb.upsert", fact("FACT-2"));
        repo.data("card.create", card("x"));
    })
    .unwrap_err();
    assert_eq!(problem.code, ProblemCode::Conflict, "{problem:?}");
    assert_eq!((facts(&repo).len(), cards(&repo).len()), (2, 1));
}

#[test]
fn an_undo_that_meets_a_newer_change_of_the_same_store_undoes_nothing() {
    let repo = repo();
    repo.data("kb.upsert", fact("FACT-1"));
    let problem = undo_while(&repo, || {
        repo.data("kb.upsert", fact("FACT-2"));
    });
    let problem = problem.unwrap_err();
    assert_eq!(problem.code, ProblemCode::Conflict);
    assert!(problem.message.contains("FACT-2"), "{problem:?}");
    assert_eq!(facts(&repo).len(), 2);
}

#[test]
fn an_undo_that_meets_a_change_of_another_store_undoes_nothing() {
    let repo = repo();
    repo.data("kb.upsert", fact("FACT-1"));
    let problem = undo_while(&repo, || {
        repo.data("kb.upsert", fact("FACT-2"));
        repo.data("work.create", json!({"kind": "project", "name": "P", "summary": "s"}));
    });
    assert_eq!(problem.unwrap_err().code, ProblemCode::Conflict);
    assert_eq!(facts(&repo).len(), 2);
    assert!(repo.text("work overview").contains('P'));
}

#[test]
fn an_undo_that_meets_a_change_of_somebody_else_undoes_the_callers_own() {
    let repo = repo();
    repo.data("kb.upsert", fact("FACT-1"));
    let undone = undo_while(&repo, || {
        ask_as(&repo, BOB, "kb.upsert", fact("FACT-2")).unwrap();
    });
    assert!(undone.unwrap().contains("FACT-1"));
    assert_eq!(facts(&repo), ["FACT-2"]);
}
