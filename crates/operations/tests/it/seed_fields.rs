//! Fields and lists that the older tools return: paths, tags and times in answers, and requests
//! that are refused.

use base::ProblemCode;
use serde_json::{Value, json};
use testkit::TestRepo;

const FIXTURE: &str = "
//- src/auth/login.ts
/** @see spec::auth/login */
export function login(name: string): void {}
//- src/pay/stripe.ts
export const a = 1;
//- .cairn/cards/auth/login.card.md
---
key: spec::auth/login
type: spec
summary: Login
status: implementing
tags: [security]
relations:
  - type: depends_on
    target: spec::pay
---
//- .cairn/cards/pay.card.md
---
key: spec::pay
type: spec
summary: Pay
status: accepted
---
//- docs/requirements/REQ-1.md
---
id: REQ-1
title: Log in
status: open
links: [TEST-1]
---
//- docs/tests/TEST-1.md
---
id: TEST-1
title: It logs in
status: passing
kind: e2e
text_ref: docs/a.md
---
";

#[test]
fn search_takes_filters_and_gives_paths_tags_and_scores() {
    let repo = TestRepo::new(FIXTURE);
    repo.write("src/pay/stripe.ts", "export const a = 2;\n");
    repo.commit("rotate the webhook secret");
    let hits = |args: Value| repo.data("search", args)["hits"].as_array().unwrap().clone();
    let found = hits(json!({"query": "login", "filters": {"kinds": ["symbol"]}}));
    assert_eq!(found[0]["path"], "src/auth/login.ts");
    assert!(found[0]["tags"].as_array().unwrap().contains(&json!("auth")), "{found:?}");
    assert!(found[0]["score"].is_f64());
    let cards =
        hits(json!({"query": "login", "filters": {"types": ["card"], "tags": ["security"]}}));
    assert_eq!(cards[0]["path"], ".cairn/cards/auth/login.card.md");
    let odd = json!({"query": "login", "filters": {"nonsense": 1}});
    assert_eq!(repo.code("search", odd), ProblemCode::ValidationError);
    // A commit lists the files that it changed, and is found with a path above one of them.
    let commit = hits(json!({"query": "webhook secret"}));
    assert_eq!(commit[0]["files"], json!(["src/pay/stripe.ts"]));
    let below = hits(json!({"query": "webhook secret", "path": "src/pay"}));
    assert_eq!(below[0]["kind"], "commit");
    assert!(hits(json!({"query": "webhook secret", "path": "src/auth"})).is_empty());
    let text = repo.text("search \"webhook secret\"");
    assert!(text.contains("touched src/pay/stripe.ts"), "{text}");
}

#[test]
fn what_cannot_be_told_is_an_answer() {
    let plain = TestRepo::without_git("//- src/a.ts\nexport const a = 1;\n");
    let told = plain.data("kart_cochange", json!({"path": "src/a.ts"}));
    assert!(told["unavailable"]["reason"].as_str().unwrap().contains("history"), "{told}");
    assert_eq!(told["partners"], json!([]));
    let text = plain.text("history cochange src/a.ts");
    assert!(text.starts_with("Co-change data is unavailable"), "{text}");
}

#[test]
fn cards_are_listed_by_path() {
    let repo = TestRepo::new(FIXTURE);
    let keys = |name: &str, args: Value, list: &str, key: &str| {
        let told = repo.data(name, args)[list].clone();
        told.as_array().unwrap().iter().map(|row| row[key].clone()).collect::<Vec<_>>()
    };
    let login = json!("spec::auth/login");
    let covered = keys("card.coverage", json!({"path": "src/auth"}), "cards", "key");
    assert_eq!(covered, std::slice::from_ref(&login));
    assert_eq!(keys("card.coverage", json!({}), "cards", "key").len(), 2);
    let unlinked = keys("card.unlinked", json!({"path": ".cairn/cards"}), "cards", "key");
    assert_eq!(unlinked, [json!("spec::pay")]);
    assert!(keys("card.unlinked", json!({"path": "src"}), "cards", "key").is_empty());
    let related = |path: &str| {
        keys("card.relations", json!({"key": "spec::pay", "path": path}), "relations", "card")
    };
    assert_eq!(related("src/auth"), [login]);
    assert!(related("src/pay").is_empty());
}

#[test]
fn answers_say_when_things_changed_and_what_tells_code_apart() {
    let repo = TestRepo::new(FIXTURE);
    let card = repo.data("card.show", json!({"key": "spec::auth/login"}));
    assert_eq!(card["updated_at"], "2026-01-02T03:04:05Z");
    assert_eq!(repo.data("card.list", json!({}))["cards"][0]["updated_at"], card["updated_at"]);
    assert!(repo.text("card show spec::auth/login").contains("updated: 2026-01-02T03:04:05Z"));
    let entity = |repo: &TestRepo| {
        let near = repo.data("get_context", json!({"target": "src/auth/login.ts#login"}));
        (near["targets"][0]["entity"].clone(), near["targets"][0]["updated_at"].clone())
    };
    let (before, at) = entity(&repo);
    assert_eq!((&before["kind"], &before["symbol_name"]), (&json!("function"), &json!("login")));
    assert_eq!(at, "2026-01-02T03:04:05Z");
    assert!(before["content_hash"].is_string());
    let text =
        "// moved\n/** @see spec::auth/login */\nexport function login(name: string): void {}\n";
    repo.write("src/auth/login.ts", text);
    let (after, at) = entity(&repo);
    assert_eq!(after["fingerprint"], before["fingerprint"], "it is the same function");
    assert_ne!(after["content_hash"], before["content_hash"]);
    assert_ne!(at, "2026-01-02T03:04:05Z", "its file was written since");
}

#[test]
fn facts_from_files_have_times_authors_and_kinds() {
    let repo = TestRepo::new(FIXTURE);
    let text = repo.text("kb query --id TEST-1");
    assert!(text.contains("kind: e2e") && text.contains("text in: docs/a.md"), "{text}");
    let told = repo.data("kb.query", json!({"id": "REQ-1"}));
    let tie = &told["relations"][0];
    assert_eq!(
        (&tie["created_at"], &tie["type"]),
        (&json!("2026-01-02T03:04:05Z"), &json!("verified_by"))
    );
    assert!(tie["created_by"].as_str().unwrap().contains('@'), "{tie}");
    let text = repo.text("kb query --id REQ-1");
    assert!(text.contains("2026-01-02"), "{text}");
    repo.write("docs/requirements/REQ-2.md", "---\nid: REQ-2\ntitle: New\nstatus: open\n---\n");
    let new = repo.data("kb.query", json!({"id": "REQ-2"}))["entities"][0].clone();
    assert!(new["created_at"].is_string() && new["updated_at"].is_string(), "{new}");
    // What is not committed was written by the caller, so the command line has to ask git for them.
    assert!(operations::ops::find("kb.query").unwrap().needs_actor);
}

#[test]
fn closed_sets_of_words_are_listed_where_an_agent_looks() {
    let repo = TestRepo::new(FIXTURE);
    let input =
        repo.data("help", json!({"operation": "kb.query"}))["operations"][0]["input"].clone();
    let choices = |field: &str| input["properties"][field]["items"]["enum"].to_string();
    assert!(choices("type").contains("\"req\"") && choices("relation").contains("\"implements\""));
    assert!(choices("status").contains("\"superseded\""), "{input}");
    let text = repo.text("help kb.query");
    assert!(text.contains("list of req | scenario"), "{text}");
    let text = repo.text("help work.depend");
    assert!(text.contains("BLOCKS | IS_BLOCKED_BY | RELATES_TO"), "{text}");
}

#[test]
fn work_is_listed_by_the_files_that_it_names() {
    let repo = TestRepo::new(FIXTURE);
    let make = |kind: &str, name: &str, more: Value| {
        let mut args = json!({"kind": kind, "name": name});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        repo.data("work.create", args)
    };
    make("project", "Shop", json!({}));
    make("feature", "Sign-in", json!({}));
    make("task", "A", json!({"feature": "Sign-in", "priority": "HIGH"}));
    make("task", "B", json!({}));
    let section =
        json!({"action": "add", "owner": "A", "title": "Context Files", "content": "src/auth"});
    repo.data("work.section_edit", section);
    let names = |args: Value| {
        let told = repo.data("work.search", args)["items"].clone();
        told.as_array().unwrap().iter().map(|row| row["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(json!({"path": "src/auth/login.ts"})), ["A", "Sign-in"]);
    assert!(names(json!({"path": "src/pay"})).is_empty());
    let next = repo.data("work.next", json!({"path": "src"}));
    assert_eq!((&next["tasks"][0]["title"], &next["total"]), (&json!("A"), &json!(1)));
    assert_eq!(repo.data("work.next", json!({"offset": 1}))["tasks"][0]["title"], "B");
}

#[test]
fn only_code_below_the_source_folders_is_read_as_code() {
    let repo = TestRepo::new(
        "//- src/a.ts\nexport function inside() {}\n//- scripts/b.ts\nexport function outside() {}\n\
         //- docs/c.md\n# Outside too\n",
    );
    let found = |name: &str| {
        repo.data("code.find", json!({"name": name}))["symbols"].as_array().unwrap().len()
    };
    assert_eq!((found("inside"), found("outside")), (1, 1));
    for config in [r#"{"sourceDir": "./src"}"#, r#"{"source_dirs": ["src"]}"#] {
        repo.write("cairn.jsonc", config);
        assert_eq!((found("inside"), found("outside")), (1, 0), "{config}");
    }
    let left_out = repo.data("sync", json!({}))["left_out"].to_string();
    assert!(left_out.contains("outside source_dirs"), "{left_out}");
    let docs = repo.data("search", json!({"query": "Outside too"}));
    assert_eq!(docs["hits"][0]["path"], "docs/c.md", "documents are read wherever they are");
    repo.write("cairn.jsonc", "{}");
    assert_eq!((found("inside"), found("outside")), (1, 1));
    // Changes of another limit on parsing take effect too.
    repo.write("cairn.jsonc", r#"{"code": {"max_file_bytes": 10}}"#);
    assert_eq!(found("inside"), 0);
}
