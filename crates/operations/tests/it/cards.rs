//! Cards, asked through their operations: lists, links, rules, renames, merges, bad input.
//!
//! @see spec::cards/links
//! @see spec::cards/rules

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use base::ProblemCode;
use engine::{AREAS, WorkspaceMode};
use serde_json::json;
use testkit::{TestRepo, assert_incremental_equals_full, check, child};
use tree::DiskWriter;

const CARDS: &str = "
//- .cairn/cards/auth/login.card.md
---
key: spec::auth/login # the name
type: spec
summary: OAuth login
status: implemented
tags: [auth, mvp]
owner: ada
constraints:
  - latency < 200ms
relations:
  - type: depends_on
    target: spec::auth/session
---

Users sign in with OAuth. 결제 시스템
//- .cairn/cards/auth/session.card.md
---
key: spec::auth/session
type: spec
summary: Sessions last a day
status: accepted
---
//- .cairn/cards/di.card.md
---
key: system::di
type: system
summary: Injection
status: draft
relations:
  - { type: references, target: spec::auth/login }
---
//- src/login.ts
/** @see spec::auth/login */
export function signIn(): void {}
//- src/other.ts
import { signIn } from './login';
/** Not links: @see spec::auth/session in prose, `@see spec::no`
 * @see https://example.org/a::b
 * @see {@link signIn}
 */
export const text = '@see spec::nothing';
signIn();
";

#[test]
fn cards_are_listed_shown_and_found() {
    let repo = TestRepo::new(CARDS);
    check(
        &repo,
        "card list",
        r#"
        3 cards
        implemented  "OAuth login"          1 link   spec::auth/login
        accepted     "Sessions last a day"  no link  spec::auth/session
        draft        "Injection"            no link  system::di
        basis: fresh · main @ COMMIT
        "#,
    );
    check(
        &repo,
        "card show login",
        r#"
        spec::auth/login  implemented  "OAuth login"
        tags: auth, mvp
        updated: 2026-01-02T03:04:05Z
        owner: ada

        Constraints
          > latency < 200ms
            (.cairn/cards/auth/login.card.md)

        Text
          > Users sign in with OAuth. 결제 시스템
            (.cairn/cards/auth/login.card.md)

        Relations
          depends_on    accepted  "Sessions last a day"  spec::auth/session
          ← references  draft  "Injection"               system::di

        Linked at
          line 1  symbol:src/login.ts#signIn
        basis: fresh · main @ COMMIT
        "#,
    );
    let keys = |args| {
        let listed = repo.data("card.list", args);
        let rows = listed["cards"].as_array().unwrap().clone();
        rows.iter().map(|row| row["key"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(keys(json!({"status": "draft,accepted"})), ["spec::auth/session", "system::di"]);
    assert_eq!(keys(json!({"type": ["system"]})), ["system::di"]);
    assert_eq!(keys(json!({"tags": ["AUTH", "mvp"]})), ["spec::auth/login"]);
    assert_eq!(keys(json!({"text": "결제"})), ["spec::auth/login"]);
    assert_eq!(keys(json!({"path": "src/login.ts"})), ["spec::auth/login"]);
    assert_eq!(keys(json!({"limit": 1, "offset": 1})), ["spec::auth/session"]);
    for query in ["결제", "시스템", "oauth", "auth/login", "O"] {
        let found = repo.data("search", json!({"query": query, "kinds": ["card"]}));
        assert_eq!(found["hits"][0]["node"], "spec::auth/login", "{query}: {found}");
    }
}

#[test]
fn the_graph_crosses_from_cards_to_code_and_back() {
    let repo = TestRepo::new(CARDS);
    let nodes = |name: &str, args| {
        let answer = repo.data(name, args);
        let rows = answer["rows"].as_array().unwrap().clone();
        rows.iter().map(|row| row["node"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let reached = nodes("impact", json!({"target": "spec::auth/session"}));
    assert!(reached.contains(&"spec::auth/login".to_owned()), "{reached:?}");
    assert!(reached.contains(&"symbol:src/login.ts#signIn".to_owned()), "{reached:?}");
    let file = nodes("impact", json!({"target": ".cairn/cards/auth/login.card.md"}));
    assert!(file.contains(&"symbol:src/login.ts#signIn".to_owned()), "{file:?}");
    let rests = nodes("deps", json!({"target": "src/login.ts#signIn"}));
    assert!(rests.contains(&"spec::auth/session".to_owned()), "{rests:?}");
    let text = repo.text("context src/login.ts");
    assert!(
        text.contains("implemented  \"OAuth login\"  linked at signIn  spec::auth/login"),
        "{text}"
    );
    let way = repo.text("trace system::di src/login.ts#signIn");
    assert!(way.contains("spec::auth/login"), "{way}");
    let round = repo.text("subgraph spec::auth/login --hops 1");
    assert!(
        round.contains("symbol:src/login.ts#signIn") && round.contains("system::di"),
        "{round}"
    );
    assert_incremental_equals_full(&repo.workspace(), "cards");
}

#[test]
fn writing_keeps_every_other_byte() {
    let repo = TestRepo::new(CARDS);
    let before = repo.snapshot();
    let login = ".cairn/cards/auth/login.card.md";
    let old = repo.read(login).unwrap();
    repo.data("card.status", json!({"key": "auth/login", "status": "deprecated"}));
    assert_eq!(repo.read(login).unwrap(), old.replace("implemented", "deprecated"));
    repo.data("card.status", json!({"key": "auth/login", "status": "implemented"}));
    repo.data(
        "card.update",
        json!({"key": "auth/login", "fields": {"tags": ["auth"], "owner": null}}),
    );
    let updated = repo.read(login).unwrap();
    assert_eq!(updated, old.replace("[auth, mvp]", "[auth]").replace("owner: ada\n", ""));
    repo.data("undo", json!({}));
    repo.data(
        "relation.add",
        json!({"src_key": "di", "dst_key": "auth/session", "type": "depends_on"}),
    );
    let di = repo.read(".cairn/cards/di.card.md").unwrap();
    assert!(
        di.contains(
            "relations:\n  - { type: depends_on, target: spec::auth/session }\n  - { type: ref"
        ),
        "{di}"
    );
    repo.data(
        "relation.remove",
        json!({"src_key": "di", "dst_key": "auth/session", "type": "depends_on"}),
    );
    for (target, path) in [("src/login.ts", "src/login.ts"), ("src/other.ts#text", "src/other.ts")]
    {
        let code = repo.read(path).unwrap();
        let args = json!({"file_path": target, "card_key": "spec::auth/session"});
        repo.data("link.add", args.clone());
        let linked = repo.read(path).unwrap();
        assert!(linked.contains("@see spec::auth/session"), "{linked}");
        let again = repo.data("link.add", args.clone());
        assert_eq!(again["files"], json!([]), "it is idempotent");
        repo.data("link.remove", args);
        assert_eq!(repo.read(path).unwrap(), code);
    }
    assert_eq!(repo.snapshot(), before);
    let wrong = json!({"key": "auth/login", "fields": {"status": "done"}});
    assert_eq!(repo.code("card.update", wrong), ProblemCode::ValidationError);
    let fixed = json!({"key": "auth/login", "fields": {"key": "spec::x"}});
    assert_eq!(repo.code("card.update", fixed), ProblemCode::ValidationError);
    let stale = json!({"key": "auth/login", "summary": "x", "if_hash": "0".repeat(64)});
    assert_eq!(repo.code("card.update", stale), ProblemCode::Conflict);
    assert_eq!(repo.snapshot(), before);
}

#[test]
fn a_card_is_made_and_goes_again() {
    let repo = TestRepo::new(CARDS);
    let made = repo.data(
        "card.create",
        json!({"type": "spec", "key": "pay/refund", "summary": "Refunds: all of it", "tags": ["pay"],
               "body": "Money goes back.\n"}),
    );
    assert_eq!(made["result"]["path"], ".cairn/cards/pay/refund.card.md");
    assert_eq!(
        repo.read(".cairn/cards/pay/refund.card.md").unwrap(),
        "---\nkey: spec::pay/refund\nsummary: \"Refunds: all of it\"\ntype: spec\nstatus: draft\ntags:\n  - pay\n\
         ---\n\nMoney goes back.\n"
    );
    repo.data("card.create", json!({"key": "system::pay/refund", "summary": "x"}));
    assert!(repo.read(".cairn/cards/pay/refund.system.card.md").is_some());
    for (key, code) in [
        ("spec::pay/refund", ProblemCode::InvariantViolation),
        ("spec::../../x", ProblemCode::ValidationError),
        ("spec::Auth/Login", ProblemCode::ValidationError),
        ("spec::a//b", ProblemCode::ValidationError),
        ("nope::a", ProblemCode::ValidationError),
        ("login", ProblemCode::ValidationError),
    ] {
        assert_eq!(repo.code("card.create", json!({"key": key, "summary": "x"})), code, "{key}");
    }
    repo.data("card.delete", json!({"key": "spec::pay/refund"}));
    assert!(repo.read(".cairn/cards/pay/refund.card.md").is_none());
    let refused = repo.call_op("card.delete", json!({"key": "auth/login"})).unwrap_err();
    assert_eq!(refused.code, ProblemCode::InvariantViolation);
    assert_eq!(refused.details["references"].as_array().unwrap().len(), 2, "{refused:?}");
    let near = repo.call_op("card.show", json!({"key": "spec::auth/logn"})).unwrap_err();
    assert!(near.hints[0].contains("spec::auth/login"), "{near:?}");
}

#[test]
fn rules_tell_what_is_wrong_and_where() {
    let repo = TestRepo::new(CARDS);
    repo.write(
        ".cairn/cards/b.card.md",
        "---\nkey: spec::B\nsummary: b\nstatus: implemented\n---\n",
    );
    repo.write(
        ".cairn/cards/c.card.md",
        "---\nkey: spec::b\ntype: system\nsummary: c\nstatus: draft\nrelations:\n  - {type: depends_on, target: spec::gone}\n---\n",
    );
    repo.write(".cairn/cards/d.card.md", "---\nkey: odd::d\nsummary: d\nstatus: deprecated\n---\n");
    repo.write(".cairn/cards/e.card.md", "---\nkey: spec::e\nsummary: e\nstatus: done\n---\n");
    repo.write(
        ".cairn/cards/f.card.md",
        "---\nkey: spec::f\nsummary: f\nstatus: draft\nrelations:\n  - {type: depends_on, target: spec::g}\n---\n",
    );
    repo.write(
        ".cairn/cards/g.card.md",
        "---\nkey: spec::g\nsummary: g\nstatus: draft\nrelations:\n  - {type: depends_on, target: spec::f}\n  - {type: related, target: odd::d}\n---\n",
    );
    repo.write(
        "src/bad.ts",
        "/**\n * @see spec::auth/logn\n * @see system::auth/login\n * @see zzz::x\n */\nexport const a = 1;\n",
    );
    repo.write(
        "src/lib.rs",
        "/// @see std::fmt::Display\n/// @see spc::auth/login\n/// @see foo::Bar\npub fn a() {}\n",
    );
    let answer = repo.data("verify", json!({}));
    let rows = answer["findings"].as_array().unwrap();
    let told: Vec<String> = rows
        .iter()
        .map(|row| {
            format!(
                "{} {}:{}",
                row["code"].as_str().unwrap(),
                row["path"].as_str().unwrap(),
                row["line"]
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "CARD_FIELD_INVALID .cairn/cards/e.card.md:4",
            "CARD_KEY_DUPLICATE .cairn/cards/c.card.md:2",
            "CARD_KEY_INVALID .cairn/cards/c.card.md:3",
            "CARD_TYPE_UNREGISTERED .cairn/cards/d.card.md:2",
            "CARD_TYPE_UNREGISTERED src/bad.ts:4",
            "IMPLEMENTED_WITHOUT_LINK .cairn/cards/b.card.md:4",
            "RELATION_TARGET_MISSING .cairn/cards/c.card.md:7",
            "SEE_TARGET_MISSING src/bad.ts:2",
            "SEE_TYPE_MISMATCH src/bad.ts:3",
            "CONFIRMED_WITHOUT_LINK .cairn/cards/auth/session.card.md:5",
            "DEPENDS_ON_CYCLE .cairn/cards/f.card.md:6",
            "REFERENCES_DEPRECATED .cairn/cards/g.card.md:7",
            "SEE_TYPE_UNKNOWN src/lib.rs:2",
        ]
    );
    assert!(rows.iter().all(|row| !row["fix"].as_str().unwrap().is_empty()));
    let coverage = repo.text("card coverage");
    assert!(coverage.starts_with("1 of 9 cards are linked from code\n"), "{coverage}");
    let unlinked = repo.data("list_unlinked", json!({"status_filter": "accepted"}));
    assert_eq!(unlinked["cards"][0]["key"], "spec::auth/session");
}

#[test]
fn one_bad_card_spoils_no_other() {
    let repo = TestRepo::new(CARDS);
    let card = |name: &str| format!(".cairn/cards/{name}.card.md");
    let mut bomb = "---\na0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        bomb.extend([format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(", "))]);
    }
    repo.write(&card("yaml"), "---\nkey: spec::yaml\ntags: [a\n---\n");
    repo.write(&card("twice"), "---\nkey: spec::twice\nsummary: a\nsummary: b\n---\n");
    repo.write(&card("out"), "---\nkey: spec::../../x\nsummary: a\nstatus: draft\n---\n");
    repo.write(&card("bomb"), format!("{bomb}---\n"));
    repo.write(&card("bytes"), b"---\nkey: spec::bytes\nsummary: \xff\n---\n");
    repo.write(
        &card("huge"),
        format!("---\nkey: spec::huge\n---\n{}", "words\n".repeat(1_700_000)),
    );
    repo.write(&card("plain"), "# no frontmatter\n");
    std::os::unix::fs::symlink("yaml.card.md", repo.root().join(card("link"))).unwrap();
    let answer = repo.data("verify", json!({}));
    let bad: Vec<String> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["code"] != "CONFIRMED_WITHOUT_LINK")
        .map(|row| {
            let text = |name: &str| row[name].as_str().unwrap().to_owned();
            let name = text("path").replace(".cairn/cards/", "").replace(".card.md", "");
            format!("{} {name}:{} {}", text("code"), row["line"], text("message"))
        })
        .collect();
    assert_eq!(
        bad,
        [
            "CARD_KEY_INVALID out:2 the key `spec::../../x` would leave the cards folder",
            "CARD_UNREADABLE bomb:6 more than 20000 values",
            "CARD_UNREADABLE bytes:3 not UTF-8",
            "CARD_UNREADABLE huge:1 not read: too large",
            "CARD_UNREADABLE link:1 a card that is not read: symbolic link",
            "CARD_UNREADABLE plain:1 no frontmatter: the first line is not `---`",
            "CARD_UNREADABLE twice:4 the field `summary` occurs twice",
            "CARD_UNREADABLE yaml:3 not YAML: unclosed bracket '['",
        ]
    );
    let listed = repo.data("card.list", json!({}));
    assert_eq!(listed["cards"].as_array().unwrap().len(), 3, "every other card still works");
    let problem = repo.call_op("card.show", json!({"key": "spec::yaml"})).unwrap_err();
    assert!(problem.hints.iter().any(|hint| hint.contains("yaml.card.md:3")), "{problem:?}");
    assert_incremental_equals_full(&repo.workspace(), "bad cards");
}

/// A card that `files` code files and one other card name.
fn linked_by(files: usize) -> String {
    let code = (0..files).map(|n| {
        format!(
            "//- src/m{}/f{n}.ts\n/** @see spec::auth/login */\nexport const a{n} = {n};\n",
            n % 9
        )
    });
    CARDS.to_owned() + &code.collect::<String>()
}

#[test]
fn a_rename_reaches_every_place_and_is_undone() {
    let repo = TestRepo::new(&linked_by(20));
    repo.write(
        "src/a.py",
        "\"\"\"Reads.\n\n@see spec::auth/login, and more\n@see spec::auth/login2\n\"\"\"\n",
    );
    repo.write("src/b.rs", "/// Text. `spec::auth/login`\n/// @see spec::auth/login\npub fn b() { let _ = \"@see spec::auth/login\"; }\n");
    let before = repo.snapshot();
    let done = repo
        .data("card.rename", json!({"old_key": "spec::auth/login", "new_key": "system::sign-in"}));
    assert_eq!(done["result"]["path"], ".cairn/cards/sign-in.card.md");
    let card = repo.read(".cairn/cards/sign-in.card.md").unwrap();
    assert!(card.starts_with("---\nkey: system::sign-in # the name\ntype: system\n"), "{card}");
    assert!(repo.read(".cairn/cards/di.card.md").unwrap().contains("target: system::sign-in }"));
    assert_eq!(
        repo.read("src/a.py").unwrap(),
        "\"\"\"Reads.\n\n@see system::sign-in, and more\n@see spec::auth/login2\n\"\"\"\n"
    );
    let rust = repo.read("src/b.rs").unwrap();
    assert_eq!(rust.matches("spec::auth/login").count(), 2, "prose and strings stay: {rust}");
    let links = repo.data("coverage_report", json!({"card_key": "system::sign-in"}));
    assert_eq!(links["cards"][0]["links"].as_array().unwrap().len(), 23);
    assert_eq!(
        repo.code("card.rename", json!({"old_key": "di", "new_key": "sign-in"})),
        ProblemCode::InvariantViolation
    );
    repo.data("undo", json!({}));
    assert_eq!(repo.snapshot(), before);
}

/// Does what the test checks, and kills its own process before a step.
fn run_until_killed(root: &Path, step: &str) {
    let left = AtomicUsize::new(step.parse().unwrap());
    let disk = DiskWriter::with_faults(move |_| {
        if left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_err() {
            let own = rustix::process::getpid();
            rustix::process::kill_process(own, rustix::process::Signal::KILL).unwrap();
        }
        Ok(())
    });
    let repo = TestRepo::existing(root);
    let workspace = repo.open(WorkspaceMode::Once, disk, AREAS);
    let op = operations::ops::find("card.rename").unwrap();
    let args = json!({"old_key": "spec::auth/login", "new_key": "spec::sign-in"});
    op.call(&workspace, testkit::call_by("t"), serde_json::from_value(args).unwrap()).unwrap();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "`cargo xtask soak` asks for every step")]
fn a_rename_killed_at_any_step_is_before_or_after() {
    const TEST: &str = "cards::a_rename_killed_at_any_step_is_before_or_after";
    if let Some(arguments) = child::arguments() {
        return run_until_killed(arguments[0].as_ref(), &arguments[1]);
    }
    // A crash at every step of the full size takes long, so only `cargo xtask soak` does that.
    let (files, every) = std::env::var("CAIRN_SOAK").map_or((12, 13), |_| (200, 1));
    for step in (0..).step_by(every) {
        let repo = TestRepo::new(&linked_by(files));
        let before = repo.snapshot();
        let killed = !child::command(TEST, &[repo.root().to_str().unwrap(), &step.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success();
        let answer = repo.call_op("card.list", json!({})).unwrap();
        let found = repo.snapshot();
        if found != before {
            let left = found.iter().filter(|(path, text)| {
                !path.starts_with(".cairn/cache")
                    && String::from_utf8_lossy(text).contains("spec::auth/login")
            });
            let left: Vec<&String> = left.map(|(path, _)| path).collect();
            assert!(left.is_empty(), "step {step}: {left:?}");
            assert!(repo.read(".cairn/cards/sign-in.card.md").is_some());
        }
        assert_eq!(answer.data["cards"].as_array().unwrap().len(), 3);
        assert!(
            repo.call_op("verify", json!({})).unwrap().data["findings"].as_array().unwrap().len()
                == 1
        );
        if !killed {
            assert!(found != before);
            break;
        }
    }
}

#[test]
fn branches_that_touch_different_fields_merge_by_git_alone() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    for key in ["spec::a", "spec::b", "spec::c", "spec::m", "spec::z"] {
        let lists = json!({"key": key, "summary": "old", "tags": "x", "subjects": "r",
            "constraints": ["small"]});
        repo.data("card.create", lists);
    }
    for to in ["b", "m"] {
        repo.data("relation.add", json!({"src_key": "spec::a", "dst_key": to, "type": "related"}));
    }
    repo.commit("cards");
    let branch = |name: &str, changes: &[(&str, serde_json::Value)]| {
        repo.git(&["checkout", "-q", "-b", name, "main"]);
        for (op, args) in changes {
            repo.data(op, args.clone());
        }
        repo.commit(name);
        repo.git(&["checkout", "-q", "main"]);
    };
    let field = |name: &str, value: serde_json::Value| {
        ("card.update", json!({"key": "spec::a", "fields": {name: value}}))
    };
    branch("status", &[("card.status", json!({"key": "spec::a", "status": "accepted"}))]);
    branch("summary", &[field("summary", json!("new"))]);
    branch("tags", &[field("tags", json!(["x", "y"]))]);
    branch("subjects", &[field("subjects", json!(["r", "s"]))]);
    branch("constraints", &[field("constraints", json!(["small", "fast"]))]);
    branch("body", &[("card.update", json!({"key": "spec::a", "body": "Text."}))]);
    let related = |to: &str| {
        ("relation.add", json!({"src_key": "spec::a", "dst_key": to, "type": "related"}))
    };
    branch("first", &[related("c")]);
    branch("last", &[related("z")]);
    for name in ["status", "summary", "tags", "subjects", "constraints", "body", "first", "last"] {
        repo.git(&["merge", "-q", "-m", name, name]);
    }
    assert_eq!(
        repo.read(".cairn/cards/a.card.md").unwrap(),
        "---\nkey: spec::a\nsummary: new\ntype: spec\nstatus: accepted\ntags:\n  - x\n  - y\nsubjects:\n  - r\n  - s\n\
         constraints:\n  - small\n  - fast\nrelations:\n  - { type: related, target: spec::b }\n  \
         - { type: related, target: spec::c }\n  - { type: related, target: spec::m }\n  \
         - { type: related, target: spec::z }\n---\n\nText.\n"
    );
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a merge that fails is what is looked at")]
fn branches_that_add_relations_in_one_place_conflict_in_one_line() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    for key in ["spec::a", "spec::c", "spec::d"] {
        repo.data("card.create", json!({"key": key, "summary": "s"}));
    }
    repo.commit("cards");
    for to in ["c", "d"] {
        repo.git(&["checkout", "-q", "-b", to, "main"]);
        repo.data("relation.add", json!({"src_key": "spec::a", "dst_key": to, "type": "related"}));
        repo.commit(to);
    }
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["merge", "-q", "-m", "c", "c"]);
    let merge = Command::new("git")
        .args(["merge", "-q", "-m", "d", "d"])
        .current_dir(repo.root())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(!merge.unwrap().success());
    let card = repo.read(".cairn/cards/a.card.md").unwrap();
    assert!(
        card.contains(
            "relations:\n<<<<<<< HEAD\n  - { type: related, target: spec::c }\n=======\n  \
             - { type: related, target: spec::d }\n>>>>>>> d\n---\n"
        ),
        "{card}"
    );
}

#[test]
fn a_link_comes_off_with_the_comma_after_it() {
    let repo = TestRepo::new(CARDS);
    for (before, after) in [
        ("/**\n * A.\n * @see spec::auth/login,\n */\n", "/**\n * A.\n */\n"),
        ("/** @see spec::auth/login. */\n", ""),
    ] {
        let code = "export function own(): void {}\n";
        repo.write("src/own.ts", format!("{before}{code}"));
        repo.data("link.remove", json!({"file_path": "src/own.ts#own", "card_key": "auth/login"}));
        assert_eq!(repo.read("src/own.ts").unwrap(), format!("{after}{code}"));
    }
}

#[test]
fn older_names_reach_cards() {
    let repo = TestRepo::new(CARDS);
    for (name, args) in [
        ("search", json!({"query": "oauth"})),
        ("get_context", json!({"target": "spec::auth/login"})),
        ("get_subgraph", json!({"center": "spec::auth/login", "hops": 2, "filters": {}})),
        ("impact_analysis", json!({"card_key": "spec::auth/login"})),
        ("trace_chain", json!({"from_key": "spec::auth/login", "to_key": "spec::auth/session"})),
        ("coverage_report", json!({"card_key": "spec::auth/login"})),
        ("list_unlinked", json!({"status_filter": "draft"})),
        ("list_cards", json!({"filters": {"status": "draft", "type": "system", "tags": []}})),
        ("get_relations", json!({"card_key": "spec::auth/login", "direction": "incoming"})),
        ("card_create", json!({"type": "spec", "key": "spec::n", "summary": "n", "body": "N."})),
        ("card_update", json!({"key": "spec::n", "fields": {"summary": "m", "body": "M."}})),
        ("card_update_status", json!({"key": "spec::n", "status": "accepted"})),
        ("link_add", json!({"file_path": "src/login.ts", "card_key": "spec::n"})),
        ("relation_add", json!({"src_key": "spec::n", "dst_key": "system::di", "type": "extends"})),
        ("card_rename", json!({"old_key": "spec::n", "new_key": "spec::o"})),
        (
            "relation_remove",
            json!({"src_key": "spec::o", "dst_key": "system::di", "type": "extends"}),
        ),
        ("link_remove", json!({"file_path": "src/login.ts", "card_key": "spec::o"})),
        ("card_delete", json!({"key": "spec::o"})),
        ("card_add", json!({"key": "spec::p", "summary": "p"})),
    ] {
        repo.data(name, args);
    }
}

#[test]
fn a_new_card_has_no_empty_fields() {
    let repo = TestRepo::new("");
    repo.data("card.create", json!({"key": "spec::a", "summary": "s", "tags": "x"}));
    assert_eq!(
        repo.read(".cairn/cards/a.card.md").unwrap(),
        "---\nkey: spec::a\nsummary: s\ntype: spec\nstatus: draft\ntags:\n  - x\n---\n"
    );
}

#[test]
fn an_update_writes_lists_as_lists_and_relations_to_cards_alone() {
    let repo = TestRepo::new(CARDS);
    let update = |fields: serde_json::Value| {
        repo.call_op("card.update", json!({"key": "spec::auth/session", "fields": fields}))
    };
    let target = |to: &str| json!({"relations": [{"type": "depends_on", "target": to}]});
    let missing = update(target("spec::auth/logn")).unwrap_err();
    assert_eq!(missing.code, ProblemCode::NotFound);
    assert!(missing.hints[0].contains("spec::auth/login"), "{missing:?}");
    assert_eq!(
        update(target("spec::auth/session")).unwrap_err().code,
        ProblemCode::ValidationError
    );
    update(target("spec::auth/login")).unwrap();
    update(json!({"tags": "a, b", "subjects": "c", "constraints": "fast, always"})).unwrap();
    let card = repo.data("card.show", json!({"key": "spec::auth/session"}));
    assert_eq!((&card["tags"], &card["subjects"]), (&json!(["a", "b"]), &json!(["c"])));
    assert_eq!(card["constraints"], json!(["fast, always"]));
}

#[test]
fn a_card_goes_with_all_that_names_it_in_one_change() {
    let repo = TestRepo::new(CARDS);
    for number in 0..25 {
        let text = format!(
            "/**\n * Says {number}.\n * @see spec::auth/login\n */\nexport function f{number}() {{}}\n"
        );
        repo.write(&format!("src/many/f{number}.ts"), text);
    }
    let before = repo.snapshot();
    let problem = repo.call_op("card.delete", json!({"key": "auth/login"})).unwrap_err();
    assert_eq!(problem.code, ProblemCode::InvariantViolation);
    let one = problem.hints.iter().filter_map(|hint| hint.call.as_ref());
    let one = one.into_iter().find(|call| call.operation == "card.delete").unwrap();
    assert_eq!((&one.args["unlink"], &one.args["dry_run"]), (&json!(true), &json!(true)));
    let shown =
        repo.data("card.delete", json!({"key": "auth/login", "unlink": true, "dry_run": true}));
    assert_eq!(shown["files"].as_array().unwrap().len(), 28, "25, login.ts, di, the card");
    assert_eq!(repo.snapshot(), before, "a dry run writes nothing");
    let done = repo.data("card.delete", json!({"key": "auth/login", "unlink": true}));
    let verified =
        repo.data("verify", json!({"rules": "see_target_missing,relation_target_missing"}));
    assert_eq!(verified["findings"], json!([]), "{verified}");
    assert!(repo.read("src/many/f7.ts").unwrap().contains("Says 7."));
    assert!(!repo.read("src/login.ts").unwrap().contains("@see"));
    repo.data("undo", json!({"change": done["change"]}));
    assert_eq!(repo.snapshot(), before, "it is one change");
}
