//! Tasks in use: they are started and finished with one call each, claimed by sessions, and have a
//! history.

use base::ProblemCode;
use serde_json::{Value, json};
use testkit::TestRepo;

const FIXTURE: &str = "
//- src/auth/login.ts
/** Opens a session. */
export function openSession(name: string) {
  return name;
}

export function closeSession() {}
//- src/auth/login.test.ts
import { openSession } from './login';
test('opens', () => openSession('a'));
";

/// A repository with a project and two tasks, of which the first blocks the second.
fn shop() -> TestRepo {
    let repo = TestRepo::new(FIXTURE);
    repo.data("work.create", json!({"kind": "project", "name": "Shop"}));
    repo.data("work.create", json!({"kind": "feature", "name": "Login"}));
    for name in ["Lock accounts", "Tell the user"] {
        let args = json!({"kind": "task", "name": name, "feature": "Login"});
        repo.data("work.create", args);
    }
    repo.data("work.depend", json!({"from": "Lock accounts", "to": "Tell the user"}));
    let files = "- `src/auth/login.ts` see openSession\n";
    section(&repo, "Lock accounts", "Context Files", files);
    section(&repo, "Lock accounts", "Implementation Plan", "1. count failures\n2. lock");
    repo
}

fn section(repo: &TestRepo, owner: &str, title: &str, content: &str) {
    let args = json!({"action": "add", "owner": owner, "title": title, "content": content});
    repo.data("work.section_edit", args);
}

/// Calls an operation for a session of an actor at a time of the test's day.
fn call_as(
    repo: &TestRepo,
    session: &str,
    at: &str,
    name: &str,
    args: Value,
) -> Result<Value, base::Problem> {
    let (actor, _) = session.split_once('/').unwrap_or((session, ""));
    let mut call = testkit::call_by(actor).in_session(session);
    call.now = format!("2026-01-02T{at}:00Z").parse().unwrap();
    let args = serde_json::from_value(args).unwrap();
    let done = operations::ops::find(name).unwrap().call(&repo.workspace(), call, args)?;
    Ok((*done.data).clone())
}

#[test]
fn one_call_starts_a_task_and_one_finishes_it() {
    let repo = shop();
    let started = repo.data("work.start", json!({}))["result"].clone();
    assert_eq!(started["task"]["title"], "Lock accounts", "the other one is blocked");
    assert_eq!(
        (&started["task"]["status"], &started["reason"]),
        (&json!("ACTIVE"), &json!("next"))
    );
    assert_eq!(started["sections"][0]["title"], "Implementation Plan");
    let file = &started["files"][0];
    assert_eq!(
        (&file["path"], &file["symbol"]),
        (&json!("src/auth/login.ts"), &json!("openSession"))
    );
    let source = file["source"][0]["text"].as_str().unwrap();
    assert!(source.starts_with("/** Opens a session. */") && source.ends_with('}'), "{source}");
    assert_eq!(started["tests"], json!(["src/auth/login.test.ts"]));
    let again = repo.data("work.start", json!({}))["result"].clone();
    assert_eq!((&again["task"]["id"], &again["reason"]), (&started["task"]["id"], &json!("held")));

    let learnt = "Locks are kept per account";
    let done = repo.data("work.done", json!({"learnt": learnt}))["result"].clone();
    assert_eq!((&done["from"], &done["to"]), (&json!("ACTIVE"), &json!("CLOSED")));
    assert_eq!(done["unblocked"][0]["name"], "Tell the user");
    assert_eq!(done["next"][0]["name"], "Tell the user", "what it freed is offered");
    assert_eq!(done["learnt"]["is_new"], true);
    let known = repo.data("knowledge.context", json!({"paths": "src/auth/login.ts"}));
    assert_eq!(known["orphan_atoms"][0]["knowledge"], learnt);

    let next = repo.data("work.start", json!({}))["result"].clone();
    assert_eq!(next["task"]["title"], "Tell the user");
    section(&repo, "Tell the user", "Context Files", "src/auth/login.ts");
    let done = repo.data("work.done", json!({"learnt": "Mails are queued"}))["result"].clone();
    assert_eq!(done["learnt"]["is_new"], false, "the atom covers the file");
    assert_eq!(done["feature"]["to"], "CLOSED");
    let nothing = repo.call_op("work.done", json!({})).unwrap_err();
    assert_eq!(nothing.message, "this session holds no task");
}

#[test]
fn a_claim_binds_other_sessions_until_it_is_taken_over() {
    let repo = shop();
    let at = |session, at, name, args| call_as(&repo, session, at, name, args);
    let task = json!({"task": "Lock accounts"});
    at("ada/1", "10:00", "work.start", task).unwrap();
    let version = 2;
    for (name, args) in [
        ("work.advance", json!({"id": "Lock accounts"})),
        ("work.done", json!({"task": "Lock accounts"})),
        ("work.terminate", json!({"id": "Lock accounts"})),
        ("work.update", json!({"id": "Lock accounts", "version": version, "priority": "LOW"})),
        ("work.delete", json!({"id": "Lock accounts", "version": version})),
        ("work.claim", json!({"task": "Lock accounts"})),
        ("work.claim", json!({"task": "Lock accounts", "release": true})),
        ("work.section_edit", json!({"action": "add", "owner": "Lock accounts", "title": "X"})),
    ] {
        for session in ["ada/2", "bob/1"] {
            let refused = at(session, "10:05", name, args.clone()).unwrap_err();
            assert_eq!(refused.code, ProblemCode::Conflict, "{name} by {session}");
            assert_eq!(refused.details["claimed_by"], "ada");
        }
    }
    at("bob/1", "10:06", "work.comment", json!({"id": "Lock accounts", "text": "hurry"})).unwrap();
    let steal = json!({"task": "Lock accounts", "steal": true});
    at("bob/1", "10:10", "work.start", steal).unwrap();
    let advance = json!({"id": "Lock accounts"});
    let refused = at("ada/1", "10:11", "work.advance", advance.clone()).unwrap_err();
    assert_eq!(refused.details["claimed_by"], "bob");
    at("bob/1", "10:12", "work.advance", advance).unwrap();
    let shown = at("ada/1", "10:13", "work.show", json!({"id": "Lock accounts"})).unwrap();
    let told: Vec<String> = shown["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| format!("{} {}", event["actor"].as_str().unwrap(), event["text"]))
        .collect();
    let last = told[told.len() - 4..].join("\n");
    let expected = "ada \"claimed until 2026-01-02T11:00:00Z; NEW → ACTIVE\"
bob \"hurry\"
bob \"taken over from ada, claimed until 2026-01-02T11:10:00Z\"
bob \"ACTIVE → CLOSED\"";
    assert_eq!(last, expected);
}

#[test]
fn what_was_abandoned_is_offered_again() {
    let repo = shop();
    let at = |session, at, name, args| call_as(&repo, session, at, name, args);
    at("ada/1", "10:00", "work.start", json!({"minutes": 30})).unwrap();
    let held = at("ada/1", "10:05", "work.next", json!({})).unwrap();
    assert_eq!(held["held"][0]["name"], "Lock accounts");
    let others = at("bob/1", "10:05", "work.next", json!({})).unwrap();
    assert_eq!((others.get("held"), others.get("abandoned")), (None, None));
    let none = at("bob/1", "10:05", "work.start", json!({})).unwrap_err();
    assert_eq!(none.message, "no task is ready to start");
    let left = at("bob/1", "10:31", "work.next", json!({})).unwrap();
    assert_eq!(left["abandoned"][0]["claimed_by"], "ada");
    let taken = at("bob/1", "10:32", "work.start", json!({})).unwrap();
    assert_eq!(taken["result"]["reason"], "abandoned");
    // A started task that is given back is offered again too.
    at("bob/1", "10:33", "work.claim", json!({"task": "Lock accounts", "release": true})).unwrap();
    let back = at("ada/1", "10:34", "work.start", json!({})).unwrap();
    assert_eq!(back["result"]["task"]["title"], "Lock accounts");
}

#[test]
fn work_is_found_by_who_does_it() {
    let repo = shop();
    let at = |session, name, args| call_as(&repo, session, "10:00", name, args);
    let update = json!({"id": "Tell the user", "version": 1, "assignee": "bob", "due": "2026-02-01",
        "estimate": "2h", "milestone": "Beta"});
    at("ada/1", "work.update", update).unwrap();
    at("ada/1", "work.start", json!({})).unwrap();
    let names = |found: &Value| -> Vec<String> {
        let items = found["items"].as_array().unwrap().iter();
        items.map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    };
    let mine = |session| names(&at(session, "work.search", json!({"mine": true})).unwrap());
    assert_eq!(mine("ada/1"), ["Lock accounts"]);
    assert_eq!(mine("bob/1"), ["Tell the user"]);
    assert_eq!(mine("ada/2"), Vec::<String>::new());
    let beta = at("ada/1", "work.search", json!({"milestone": "beta"})).unwrap();
    assert_eq!(names(&beta), ["Tell the user"]);
    assert_eq!(beta["items"][0]["due"], "2026-02-01");
    let overview = at("bob/1", "work.overview", json!({"id": "Login"})).unwrap();
    let held = &overview["items"][0]["children"][0];
    assert_eq!((&held["name"], &held["claimed_by"]), (&json!("Lock accounts"), &json!("ada")));
    let shown = at("bob/1", "work.show", json!({"id": "Tell the user"})).unwrap();
    assert_eq!((&shown["task"]["estimate"], &shown["progress"]["tasks"]), (&json!(120), &json!(2)));
    let clear = json!({"id": "Tell the user", "version": 2, "assignee": "none", "due": null});
    at("ada/1", "work.update", clear).unwrap();
    assert_eq!(mine("bob/1"), Vec::<String>::new());
}

#[test]
fn a_key_is_taken_wherever_an_id_is() {
    let repo = shop();
    let key = repo.data("work.show", json!({"id": "Lock accounts"}))["key"].clone();
    let key = key.as_str().unwrap().to_owned();
    assert!(key.starts_with("lock-accounts-"), "{key}");
    let digits = key.rsplit('-').next().unwrap().to_owned();
    let (typed, slug) = (format!("task:{key}"), "lock-accounts".to_owned());
    for name in [key.clone(), typed, digits, format!("lock-{}", &key[14..]), slug] {
        let shown = repo.data("work.state", json!({"id": name}));
        assert_eq!(shown["name"], "Lock accounts", "{name}");
    }
    let rename = json!({"id": key, "version": 1, "name": "Lock out attackers"});
    repo.data("work.update", rename);
    let shown = repo.data("work.show", json!({"id": key}));
    assert_eq!(
        (&shown["task"]["title"], &shown["key"]),
        (&json!("Lock out attackers"), &json!(key))
    );
    let context = repo.data("context", json!({"target": format!("task:{key}")}));
    assert!(context.to_string().contains("Lock out attackers"), "{context}");
    repo.write("src/auth/login.ts", "export function openSession() { return 2; }\n");
    repo.commit(&format!("Lock\n\nTask: {key}"));
    let full = repo.data("work.show", json!({"id": key, "full": true}));
    assert_eq!(full["commits"].as_array().unwrap().len(), 1, "{full}");
}

#[test]
fn a_trailer_names_a_task_as_a_person_would() {
    let repo = shop();
    for (number, name) in ["Lock accounts", "lock-accounts"].into_iter().enumerate() {
        repo.write("src/auth/login.ts", format!("export const openSession = {number};\n"));
        repo.commit(&format!("Lock {number}\n\nTask: {name}"));
    }
    let full = repo.data("work.show", json!({"id": "Lock accounts", "full": true}));
    assert_eq!(full["commits"].as_array().unwrap().len(), 2, "{full}");
}

#[test]
fn several_matches_are_listed_by_the_names_that_can_be_typed() {
    let repo = shop();
    let key =
        |id: &str| repo.data("work.show", json!({"id": id}))["key"].as_str().unwrap().to_owned();
    repo.data("work.create", json!({"kind": "task", "name": "Lock users out"}));
    let problem = repo.call_op("work.show", json!({"id": "lock"})).unwrap_err();
    assert_eq!(problem.code, ProblemCode::Ambiguous);
    let listed: Vec<&str> = problem.details["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["node"].as_str().unwrap())
        .collect();
    let expected = ["Lock accounts", "Lock users out"].map(|name| format!("task:{}", key(name)));
    assert_eq!(listed, expected);
}

#[test]
fn a_blocked_task_names_what_blocks_it() {
    let repo = shop();
    let problem = repo.call_op("work.start", json!({"task": "Tell the user"})).unwrap_err();
    assert_eq!(problem.code, ProblemCode::Blocked);
    assert_eq!(problem.details["blockers"][0]["name"], "Lock accounts");
    assert_eq!(problem.details.get("reason"), None, "no reason was given");
    assert!(!problem.hints.is_empty());
}

#[test]
fn who_takes_a_task_over_is_told_from_whom() {
    let repo = shop();
    let at = |session, at, args| call_as(&repo, session, at, "work.start", args);
    at("ada/1", "10:00", json!({})).unwrap();
    let steal = json!({"task": "Lock accounts", "steal": true});
    let taken = at("ada/2", "10:01", steal).unwrap();
    assert_eq!(taken["result"]["taken_from"], "ada");
    let shown = repo.data("work.show", json!({"id": "Lock accounts"}));
    let last = shown["history"].as_array().unwrap().last().unwrap()["text"].clone();
    let expected = "taken over from ada in another session, claimed until 2026-01-02T11:01:00Z";
    assert_eq!(last, expected);
}

#[test]
fn the_context_of_a_task_has_its_sections_whole() {
    let repo = shop();
    let context = repo.data("context", json!({"targets": ["task:lock-accounts"]})).to_string();
    for text in ["1. count failures", "2. lock", "Implementation Plan", "feature \\\"Login\\\""] {
        assert!(context.contains(text), "{text} is not in {context}");
    }
}

#[test]
fn the_reason_of_an_end_follows_it_in_the_history() {
    let repo = shop();
    repo.data("work.terminate", json!({"id": "Lock accounts", "reason": "not needed"}));
    let shown = repo.data("work.show", json!({"id": "Lock accounts"}));
    let last = shown["history"].as_array().unwrap().last().unwrap()["text"].clone();
    assert_eq!(last, "NEW → WILL_NOT_IMPLEMENT; because not needed");
}

#[test]
fn an_undo_is_part_of_the_history() {
    let repo = shop();
    repo.data("work.advance", json!({"id": "Lock accounts"}));
    repo.data("undo", json!({}));
    let shown = repo.data("work.show", json!({"id": "Lock accounts"}));
    assert_eq!(shown["task"]["status"], "NEW");
    let texts: Vec<&Value> =
        shown["history"].as_array().unwrap().iter().map(|event| &event["text"]).collect();
    let last = &texts[texts.len() - 2..];
    assert_eq!(last, [&json!("NEW → ACTIVE"), &json!("undone: NEW → ACTIVE")]);
    repo.data("redo", json!({}));
    let shown = repo.data("work.show", json!({"id": "Lock accounts"}));
    assert_eq!(shown["task"]["status"], "ACTIVE");
}

#[test]
fn two_appends_to_one_atom_are_both_kept() {
    let repo = shop();
    let atom = json!({"kind": "atom", "name": "Auth", "paths": "src/auth/**", "knowledge": "one"});
    repo.data("knowledge.create", atom);
    let append = |text: &str, version: u32| json!({"id": "Auth", "version": version, "mode": "append", "knowledge": text});
    repo.data("knowledge.update", append("two", 1));
    repo.data("knowledge.update", append("three", 1));
    let knowledge = repo.data("knowledge.show", json!({"id": "Auth"}))["atom"]["knowledge"].clone();
    let knowledge = knowledge.as_str().unwrap();
    assert!(["one", "two", "three"].iter().all(|text| knowledge.contains(text)), "{knowledge}");
    let overwrite = json!({"id": "Auth", "version": 1, "knowledge": "four"});
    assert_eq!(repo.code("knowledge.update", overwrite), ProblemCode::Conflict);
    assert_eq!(repo.code("knowledge.update", append("five", 9)), ProblemCode::Conflict);
}

/// Three tasks: the first blocks the third.
fn three_tasks() -> TestRepo {
    let repo = TestRepo::new(FIXTURE);
    let plan = "# Feature: Login\n\n## Task: Lock accounts\n\n- priority: HIGH\n- files: src/auth/login.ts\n\n\
        ## Task: Count failures\n\n## Task: Tell the user\n\n- priority: HIGH\n- blocked by: Lock accounts\n";
    repo.data("work.plan", json!({"text": plan}));
    repo
}

#[test]
fn one_call_finishes_a_task_and_starts_what_it_freed() {
    let repo = three_tasks();
    assert_eq!(repo.data("work.start", json!({}))["result"]["task"]["title"], "Lock accounts");
    let done = repo.data("work.done", json!({"next": true}))["result"].clone();
    assert_eq!((&done["to"], &done["next"]), (&json!("CLOSED"), &json!([])));
    let started = &done["started"];
    let chosen = (&started["task"]["title"], &started["task"]["status"], &started["reason"]);
    assert_eq!(chosen, (&json!("Tell the user"), &json!("ACTIVE"), &json!("next")), "freed, HIGH");
    let text = repo.text("work done --next");
    assert!(text.contains("\"Tell the user\": ACTIVE → CLOSED"), "{text}");
    assert!(text.contains("Started task \"Count failures\""), "{text}");
    assert!(!text.contains("If stuck"), "the session has just used these calls: {text}");
    let last = repo.data("work.done", json!({"next": true}))["result"].clone();
    assert_eq!((&last["started"], &last["next"]), (&Value::Null, &json!([])), "nothing is left");
    // It is one change, so one undo restores both.
    repo.data("undo", json!({}));
    let held = repo.data("work.next", json!({}))["held"].clone();
    assert_eq!(held[0]["name"], "Count failures");
}

#[test]
fn who_is_stuck_asks_and_goes_on_in_one_call() {
    let repo = three_tasks();
    repo.data("work.start", json!({}));
    let stuck = json!({"reason": "Per account or per host?", "next": true});
    let put_aside = repo.data("work.block", stuck)["result"].clone();
    assert_eq!(put_aside["blocks"][0]["to"]["name"], "Lock accounts");
    assert_eq!(put_aside["started"]["task"]["title"], "Count failures");
    // A claimed task that is blocked is not started again by `work start`, nor chosen by `work
    // done`.
    let again = repo.data("work.start", json!({}))["result"].clone();
    let count = json!("Count failures");
    assert_eq!((&again["task"]["title"], &again["reason"]), (&count, &json!("held")));
    let board = repo.text("work board");
    assert!(board.contains("> Per account or per host?"), "{board}");
    repo.text("work unblock \"Lock accounts\" --comment \"Per account\"");
    assert!(!repo.text("work board").contains("Waiting for an answer"));
    let done = repo.data("work.done", json!({"task": "Count failures", "next": true}));
    let next = &done["result"]["started"];
    let lock = json!("Lock accounts");
    assert_eq!((&next["task"]["title"], &next["reason"]), (&lock, &json!("held")));
    assert_eq!(next["comments"][0]["text"], "Per account");
    let refused = repo.call_op("work.block", json!({"next": true})).unwrap_err();
    assert_eq!(refused.code, ProblemCode::ValidationError, "a reason is needed");
}

#[test]
fn who_holds_only_blocked_tasks_is_told_so() {
    let repo = three_tasks();
    for _ in 0..2 {
        repo.data("work.start", json!({}));
        repo.data("work.block", json!({"reason": "Which?"}));
    }
    let nothing = repo.call_op("work.start", json!({})).unwrap_err();
    assert_eq!(nothing.code, ProblemCode::NotFound);
    assert!(nothing.to_string().contains("which you hold, is blocked"), "{nothing}");
    let put_aside = repo.text("work block \"Tell the user\" --reason \"Which words?\" --next");
    assert!(put_aside.contains("Next: no task is ready to start"), "{put_aside}");
}

#[test]
fn an_abandoned_task_is_taken_up_with_the_end_of_another() {
    let repo = three_tasks();
    let start = json!({"task": "Lock accounts", "minutes": 30});
    call_as(&repo, "ann/1", "09:00", "work.start", start).unwrap();
    call_as(&repo, "ben/1", "09:10", "work.start", json!({})).unwrap();
    let done = call_as(&repo, "ben/1", "10:00", "work.done", json!({"next": true})).unwrap();
    let next = &done["result"]["started"];
    let lock = json!("Lock accounts");
    assert_eq!((&next["task"]["title"], &next["reason"]), (&lock, &json!("abandoned")));
}

#[test]
fn a_plan_that_is_not_made_names_no_handles() {
    let repo = TestRepo::new(FIXTURE);
    let shown = repo.text("work plan --dry-run --text \"# Feature: Login\"");
    assert!(shown.contains("feature \"Login\"") && !shown.contains("feature:login"), "{shown}");
    let made = repo.text("work plan --text \"# Feature: Login\"");
    assert!(made.contains("feature:login-"), "{made}");
}

#[test]
fn of_a_long_symbol_the_lines_that_the_task_is_about_are_shown() {
    let repo = shop();
    let option = |name: &str| format!("  if (name === '{name}') {{\n    open('{name}');\n  }}\n");
    let names = ["red", "green", "blue", "brown", "black", "white", "pink", "grey", "teal", "lime"];
    let before: String = names.iter().map(|name| option(name)).collect();
    let after: String = names.iter().map(|name| option(&format!("dark-{name}"))).collect();
    let text =
        format!("export function main(name: string) {{\n{before}{}{after}}}\n", option("socks"));
    repo.write("src/main.ts", text);
    repo.data("work.create", json!({"kind": "task", "name": "Accept socks", "feature": "Login"}));
    section(&repo, "Accept socks", "Implementation Plan", "1. add a scheme to `main(`");
    section(&repo, "Accept socks", "Context Files", "- src/main.ts\n");
    let started = repo.data("work.start", json!({"task": "Accept socks"}))["result"].clone();
    let file = &started["files"][0];
    let lines: Vec<(u64, u64)> = file["source"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| (part["first_line"].as_u64().unwrap(), part["last_line"].as_u64().unwrap()))
        .collect();
    assert_eq!(lines[0], (1, 1), "the declaration: {file}");
    assert!(lines[1].0 <= 32 && lines[1].1 >= 33, "the branch: {file}");
    let shown: u64 = lines.iter().map(|(first, last)| last + 1 - first).sum();
    assert!(shown <= 32, "{file}");
    assert_eq!(file["lines_cut"].as_u64().unwrap() + shown, 65);
    let text = repo.text("work start 'Accept socks'");
    assert!(
        text.contains("code show 'src/main.ts#main'")
            || text.contains("code show src/main.ts#main"),
        "{text}"
    );
}

#[test]
fn a_task_about_tests_shows_them() {
    let repo = shop();
    repo.data("work.create", json!({"kind": "task", "name": "Test it", "feature": "Login"}));
    section(&repo, "Test it", "Context Files", "- src/auth/login.test.ts\n");
    let started = repo.data("work.start", json!({"task": "Test it"}))["result"].clone();
    let text = started["files"][0]["source"][0]["text"].as_str().unwrap();
    assert!(text.contains("opens"), "{started}");
}

#[test]
fn who_does_not_hold_a_task_does_not_block_it() {
    let repo = shop();
    call_as(&repo, "ada/1", "10:00", "work.start", json!({"task": "Lock accounts"})).unwrap();
    let block = json!({"id": "Lock accounts", "blocked_by": "NO_OP", "reason": "wait"});
    let depend = json!({"from": "Tell the user", "to": "Lock accounts"});
    for (name, args) in [("work.block", block.clone()), ("work.depend", depend)] {
        let refused = call_as(&repo, "bob/1", "10:01", name, args).unwrap_err();
        assert_eq!(refused.code, ProblemCode::Conflict, "{name}");
    }
    call_as(&repo, "ada/1", "10:02", "work.block", block).unwrap();
    let answer = json!({"id": "Lock accounts", "comment": "go on"});
    call_as(&repo, "bob/1", "10:03", "work.unblock", answer).unwrap();
}

#[test]
fn the_start_of_a_key_is_enough() {
    let repo = shop();
    assert_eq!(repo.data("work.show", json!({"id": "lock-acc"}))["task"]["title"], "Lock accounts");
    let refused = repo.call_op("work.start", json!({"task": "zzz"})).unwrap_err();
    assert_eq!(refused.code, ProblemCode::NotFound);
    assert!(refused.hints.iter().any(|hint| format!("{hint:?}").contains("search")));
}

#[test]
fn the_context_of_a_task_has_what_the_molecule_says() {
    let repo = shop();
    let molecule =
        json!({"kind": "molecule", "name": "Clients", "knowledge": "All share one config"});
    repo.data("knowledge.create", molecule);
    let atom = json!({"kind": "atom", "name": "Auth", "paths": "src/auth/**", "molecule": "Clients",
        "knowledge": "Locks are kept per account"});
    repo.data("knowledge.create", atom);
    for target in ["task:lock-accounts", "src/auth/login.ts"] {
        let text = repo.text(&format!("context {target}"));
        assert!(text.contains("All share one config"), "{text}");
        assert!(text.contains("Locks are kept per account"), "{text}");
    }
}

#[test]
fn the_commits_of_a_task_are_told_with_their_subjects() {
    let repo = shop();
    let key = repo.data("work.show", json!({"id": "Lock accounts"}))["task"]["id"].clone();
    repo.write("src/auth/lock.ts", "export const lock = 1;\n");
    repo.commit(&format!("auth: lock accounts\n\nTask: {}", key.as_str().unwrap()));
    let text = repo.text("work show 'Lock accounts' --full");
    assert!(text.contains("auth: lock accounts"), "{text}");
}
