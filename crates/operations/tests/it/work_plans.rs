//! Plans, imports and exports, the board, and knowledge whose files moved.

use base::ProblemCode;
use serde_json::{Value, json};
use testkit::TestRepo;

const FIXTURE: &str = "
//- src/auth/login.ts
export function openSession(name: string) { return name; }
//- src/auth/token.ts
export const token = 1;
//- backlog/tasks/task-1 - First.md
---
id: task-1
title: First
status: Done
---

## Description

Done long ago.
//- backlog/tasks/task-2 - Second.md
---
id: task-2
title: Second
status: To Do
dependencies: [task-1, task-9]
---
";

const PLAN: &str = "# Feature: Login\n\n## Task: Lock accounts\n\n- priority: HIGH\n\
    - files: src/auth/login.ts\n\n### Implementation Plan\n\n1. count failures\n\n\
    ## Task: Tell the user\n\n- blocked by: Lock accounts\n";

#[test]
fn a_plan_is_shown_made_exported_and_made_again() {
    let repo = TestRepo::new(FIXTURE);
    let dry = repo.data("work.plan", json!({"text": PLAN, "dry_run": true}));
    assert_eq!(dry["result"]["created"], 3, "{dry}");
    assert_eq!(repo.data("work.overview", json!({}))["items"], json!([]), "nothing is written");
    repo.write("PLAN.md", PLAN);
    let made = repo.data("work.plan", json!({"file": "PLAN.md"}))["result"].clone();
    assert_eq!((&made["created"], &made["rows"][1]["name"]), (&json!(3), &json!("Lock accounts")));
    let started = repo.data("work.start", json!({}))["result"].clone();
    assert_eq!(started["task"]["title"], "Lock accounts");
    assert_eq!(started["files"][0]["path"], "src/auth/login.ts");
    let text = repo.data("work.export", json!({"id": "Login"}))["text"].clone();
    let text = text.as_str().unwrap();
    let again = repo.data("work.plan", json!({"text": text}))["result"].clone();
    assert_eq!((&again["created"], &again["changed"]), (&json!(0), &json!(0)), "{text}");
    let louder = text.replace("1. count failures", "1. count failures\n2. lock");
    let changed = repo.data("work.plan", json!({"text": louder}))["result"].clone();
    assert_eq!(changed["rows"][0]["change"], "section \"Implementation Plan\" changed");
    let undone = repo.data("undo", json!({}));
    assert!(undone.to_string().contains("plan"), "{undone}");
    assert_eq!(repo.data("work.export", json!({"id": "Login"}))["text"], json!(text));
}

#[test]
fn an_export_of_all_rows_is_imported_elsewhere() {
    let (here, there) = (TestRepo::new(FIXTURE), TestRepo::new(FIXTURE));
    here.data("work.plan", json!({"text": PLAN}));
    here.data("work.start", json!({}));
    let atom = json!({"kind": "atom", "name": "Auth", "paths": "src/auth/**", "knowledge": "k"});
    here.data("knowledge.create", atom);
    let export = here.data("work.export", json!({}));
    let text = export.to_string();
    let rows = there.data("work.import", json!({"text": text}))["result"]["rows"].clone();
    assert_eq!((&rows["known"], &rows["different"]), (&json!(0), &json!([])));
    assert_eq!(there.data("work.export", json!({})), export);
    let again = there.data("work.import", json!({"text": text}))["result"]["rows"].clone();
    assert_eq!(again["added"], 0);
    let mut partial = export.clone();
    partial["tables"]["project"] = json!([]);
    let elsewhere = TestRepo::new(FIXTURE);
    let code = elsewhere.code("work.import", json!({"text": partial.to_string()}));
    assert_eq!(code, ProblemCode::InvariantViolation, "rows without their project");
}

#[test]
fn a_backlog_folder_is_imported_and_imported_again() {
    let repo = TestRepo::new(FIXTURE);
    let made = repo.data("work.import", json!({"path": "backlog"}))["result"].clone();
    assert_eq!(made["format"], "backlog");
    assert_eq!(made["plan"]["created"], 2);
    let skipped = made["plan"]["skipped"][0].as_str().unwrap();
    assert!(skipped.contains("backlog:9"), "{skipped}");
    let again = repo.data("work.import", json!({"path": "backlog"}))["result"].clone();
    assert_eq!((&again["plan"]["created"], &again["plan"]["unchanged"]), (&json!(0), &json!(2)));
    let shown = repo.data("work.state", json!({"id": "backlog:1"}));
    assert_eq!((&shown["name"], &shown["status"]), (&json!("First"), &json!("CLOSED")));
    assert_eq!(repo.data("work.next", json!({}))["tasks"][0]["title"], "Second");
    let odd = repo.call_op("work.import", json!({"text": "just prose"})).unwrap_err();
    assert_eq!(odd.code, ProblemCode::ValidationError);
}

#[test]
fn a_file_of_a_backlog_comes_back_under_its_own_name() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let name = "task-1 - Use-C#-100%.md";
    let text = "---\nid: task-1\ntitle: Use C#\nstatus: To Do\n---\n\n## Description\n\nx\n";
    repo.write(&format!("backlog/tasks/{name}"), text);
    repo.data("work.import", json!({"path": "backlog"}));
    let made = repo.data("work.export", json!({"format": "backlog"}));
    assert_eq!(made["files"][0]["path"], format!("tasks/{name}"));
}

#[test]
fn a_plan_of_many_tasks_is_made_at_once() {
    let repo = TestRepo::new(FIXTURE);
    let mut text = "# Feature: Many\n\n".to_owned();
    for number in 0..600 {
        let next = number + 1;
        text += &[
            "## Task: Step ",
            &number.to_string(),
            "\n\n- blocked by: Step ",
            &next.to_string(),
            "\n\n",
        ]
        .concat();
    }
    text.push_str("## Task: Step 600\n");
    let made = repo.data("work.plan", json!({"text": text}))["result"].clone();
    assert_eq!(made["created"], 602);
    assert_eq!(repo.data("work.next", json!({}))["tasks"][0]["title"], "Step 600");
    let board = repo.data("work.board", json!({"most": 5}));
    let new = &board["columns"][0];
    assert_eq!((&new["status"], &new["total"]), (&json!("NEW"), &json!(601)));
    assert_eq!(new["cards"].as_array().unwrap().len(), 5);
    assert_eq!(
        (&board["features"][0]["finished"], &board["features"][0]["tasks"]),
        (&json!(0), &json!(601))
    );
}

#[test]
fn a_section_is_named_by_its_title() {
    let repo = TestRepo::new(FIXTURE);
    repo.data("work.plan", json!({"text": PLAN}));
    let edit = |action: &str, more: Value| {
        let mut args = json!({"action": action, "owner": "Lock accounts",
            "title": "implementation plan"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        repo.data("work.section_edit", args)["result"]["sections"][0].clone()
    };
    assert_eq!(edit("update", json!({"content": "- new"}))["content"], "- new");
    let text = edit("update_text", json!({"old": "new", "new": "newer"}));
    assert_eq!(
        (&text["content"], &text["title"]),
        (&json!("- newer"), &json!("Implementation Plan"))
    );
    edit("delete", json!({}));
    let gone =
        json!({"action": "delete", "owner": "Lock accounts", "title": "Implementation Plan"});
    let problem = repo.call_op("work.section_edit", gone).unwrap_err();
    assert_eq!(problem.message, "no section \"Implementation Plan\" of task \"Lock accounts\"");
}

#[test]
fn a_renamed_file_is_the_likely_new_pattern() {
    let repo = TestRepo::new(FIXTURE);
    repo.data("work.create", json!({"kind": "project", "name": "Shop"}));
    let atom =
        json!({"kind": "atom", "name": "Token", "paths": "src/auth/tok*.ts", "knowledge": "k"});
    repo.data("knowledge.create", atom);
    repo.git(&["mv", "src/auth/token.ts", "src/auth/secret.ts"]);
    let drift = repo.data("knowledge.drift", json!({}));
    assert_eq!(drift["dead_patterns"][0]["likely"], "src/auth/secret.ts", "{drift}");
    let fix = repo.data("fix", json!({"dry_run": true})).to_string();
    assert!(fix.contains("src/auth/token.ts was renamed to src/auth/secret.ts"), "{fix}");
}

#[test]
fn comments_of_github_issues_are_kept() {
    let repo = TestRepo::new(FIXTURE);
    let issues = json!([{"number": 12, "title": "Redirects loop", "state": "OPEN", "body": "Why?",
        "comments": [{"author": {"login": "ben"}, "body": "Me too", "createdAt": "2026-01-02T00:00:00Z"}]},
        {"number": 13, "title": "Counted only", "state": "open", "comments": 4}]);
    repo.data("work.import", json!({"text": issues.to_string(), "format": "github"}));
    let sections = repo.data("work.sections", json!({"id": "Redirects loop"}))["sections"].clone();
    assert_eq!(sections[0]["title"], "Comments");
    assert_eq!(sections[0]["content"], "#### ben · 2026-01-02T00:00:00Z\n\nMe too");
    let none = repo.data("work.sections", json!({"id": "Counted only"}))["sections"].clone();
    assert_eq!(none, json!([]));
}

#[test]
fn a_dead_pattern_comes_with_the_likely_new_one() {
    let repo = TestRepo::new(FIXTURE);
    repo.data("work.create", json!({"kind": "project", "name": "Shop"}));
    for (name, paths) in [("Auth", "src/auth/**"), ("Token", "src/auth/token.ts")] {
        let atom = json!({"kind": "atom", "name": name, "paths": paths, "knowledge": "k"});
        repo.data("knowledge.create", atom);
    }
    std::fs::create_dir_all(repo.root().join("lib/security")).unwrap();
    for file in ["login.ts", "token.ts"] {
        let to = format!("lib/security/{file}");
        repo.git(&["mv", &format!("src/auth/{file}"), &to]);
    }
    let drift = repo.data("knowledge.drift", json!({}));
    let found: Vec<(&Value, &Value)> = drift["dead_patterns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|dead| (&dead["pattern"], &dead["likely"]))
        .collect();
    assert_eq!(
        found,
        [
            (&json!("src/auth/**"), &json!("lib/security/**")),
            (&json!("src/auth/token.ts"), &json!("lib/security/token.ts")),
        ]
    );
    let dead = &drift["dead_patterns"][0];
    let update = json!({"id": dead["atom_id"], "version": dead["version"],
        "paths": dead["repaired_paths"]});
    repo.data("knowledge.update", update);
    let left = repo.data("knowledge.drift", json!({}))["dead_patterns"].clone();
    assert_eq!(left.as_array().unwrap().len(), 1);
}
