//! Whatever an answer could not read is stated in its basis, for every question.

use base::ProblemCode;
use operations::CallFormat;
use serde_json::{Value, json};
use testkit::TestRepo;

const FIXTURE: &str = "
//- .cairn/cards/a.card.md
---
key: spec::a
type: spec
summary: The first
status: draft
---
//- src/a.ts
/** @see spec::a */
export function first(): void {}
";

fn basis(repo: &TestRepo, name: &str, args: Value) -> (String, String) {
    let answer = CallFormat::CommandLine.json(&repo.call_op(name, args));
    assert!(answer.get("error").is_none(), "{name}: {answer:#}");
    let basis = &answer["basis"];
    (basis["state"].as_str().unwrap().to_owned(), basis["reasons"].to_string())
}

/// Questions whose answers could show a card.
fn about_cards() -> Vec<(&'static str, Value)> {
    vec![
        ("card.list", json!({})),
        ("card.show", json!({"key": "spec::a"})),
        ("card.coverage", json!({})),
        ("card.relations", json!({"key": "spec::a"})),
        ("search", json!({"query": "first"})),
        ("search", json!({"query": "first", "kinds": "card"})),
        ("context", json!({"targets": ["src/a.ts"]})),
        ("context", json!({"targets": ["spec::a"]})),
        ("subgraph", json!({"center": "spec::a"})),
        ("impact", json!({"target": "spec::a"})),
        ("verify", json!({})),
    ]
}

#[test]
fn a_card_that_cannot_be_read_is_missed_by_every_answer_that_could_show_it() {
    let repo = TestRepo::new(FIXTURE);
    for (name, args) in about_cards() {
        assert_eq!(basis(&repo, name, args).0, "fresh", "{name}");
    }
    repo.write(".cairn/cards/z.card.md", "garbage\n");
    for (name, args) in about_cards() {
        let (state, reasons) = basis(&repo, name, args.clone());
        assert_eq!(state, "partial", "{name} {args}");
        assert!(reasons.contains(".cairn/cards/z.card.md"), "{name}: {reasons}");
    }
    let (state, _) = basis(&repo, "search", json!({"query": "first", "kinds": "module"}));
    assert_eq!(state, "fresh", "no card could be in it");
}

#[test]
fn a_key_that_two_cards_have_is_told_and_no_write_picks_one() {
    let repo = TestRepo::new(FIXTURE);
    repo.write(
        ".cairn/cards/b.card.md",
        "---\nkey: spec::b\ntype: spec\nsummary: b\nstatus: draft\n---\n",
    );
    let twin = ".cairn/cards/twin.card.md";
    repo.write(twin, repo.read(".cairn/cards/a.card.md").unwrap().replace("first", "second"));
    for (name, args) in about_cards() {
        if args.to_string().contains("spec::a") {
            let problem = repo.call_op(name, args).expect_err(name);
            assert_eq!(problem.code, ProblemCode::Ambiguous, "{name}");
            continue;
        }
        let (state, reasons) = basis(&repo, name, args);
        assert_eq!(state, "partial", "{name}");
        assert!(reasons.contains("a.card.md and .cairn/cards/twin.card.md"), "{name}: {reasons}");
    }
    let before = repo.snapshot();
    for (name, args) in [
        ("card.show", json!({"key": "spec::a"})),
        ("card.relations", json!({"key": "spec::a"})),
        ("card.update", json!({"key": "spec::a", "summary": "x"})),
        ("card.status", json!({"key": "spec::a", "status": "accepted"})),
        ("card.delete", json!({"key": "a"})),
        ("card.delete", json!({"key": "spec::a", "unlink": true})),
        ("card.rename", json!({"old_key": "spec::a", "new_key": "spec::c"})),
        ("relation.add", json!({"src_key": "spec::a", "dst_key": "spec::b", "type": "related"})),
        ("relation.add", json!({"src_key": "spec::b", "dst_key": "spec::a", "type": "related"})),
        ("link.add", json!({"target": "src/a.ts", "card": "spec::a"})),
    ] {
        let problem = repo.call_op(name, args).expect_err(name);
        assert_eq!(problem.code, ProblemCode::Ambiguous, "{name}");
        let listed = json!(problem.details).to_string();
        assert!(listed.contains("a.card.md") && listed.contains("twin.card.md"), "{listed}");
    }
    assert_eq!(repo.snapshot(), before);
    // A file name identifies one of the two cards. The key, and links to it, still mean the other
    // one.
    repo.data("card.rename", json!({"old_key": twin, "new_key": "spec::twin"}));
    assert!(repo.read(twin).unwrap().contains("key: spec::twin"));
    assert!(repo.read("src/a.ts").unwrap().contains("@see spec::a"));
    repo.data("card.update", json!({"key": "spec::a", "summary": "x"}));
    assert_eq!(basis(&repo, "card.list", json!({})).0, "fresh");
}

#[test]
fn mistakes_in_the_configuration_are_in_every_basis() {
    for (config, state, said) in [
        ("{ \"exlude\": [] }", "fresh", "exlude"),
        ("{bad", "partial", "defaults are used"),
        ("{ \"work\": { \"pipelines\": { \"task\": [\"odd\"] } } }", "partial", "default is used"),
        ("{ \"exclude\": 5 }", "partial", "default is used"),
    ] {
        let repo = TestRepo::new(FIXTURE);
        repo.write("cairn.jsonc", config);
        for (name, args) in about_cards().into_iter().chain([
            ("work.overview", json!({})),
            ("code.find", json!({"name": "first"})),
            ("history.list", json!({})),
        ]) {
            let (found, reasons) = basis(&repo, name, args);
            assert_eq!(found, state, "{name}: {config}: {reasons}");
            assert!(reasons.contains("cairn.jsonc:1:") && reasons.contains(said), "{reasons}");
        }
        let written = basis(&repo, "card.create", json!({"key": "spec::n", "summary": "n"}));
        assert!(written.1.contains(said), "{written:?}");
    }
}

#[test]
fn nothing_is_written_where_a_newer_cairn_has_written() {
    let repo = TestRepo::new(FIXTURE);
    repo.data("init", json!({}));
    repo.write(".cairn/schema/version", "99\n");
    let before = repo.snapshot();
    for (name, args) in [
        ("card.create", json!({"key": "spec::n", "summary": "n"})),
        ("work.create", json!({"kind": "project", "name": "P"})),
        ("kb.upsert", json!({"entities": [{"id": "REQ-1", "type": "req", "title": "x"}]})),
        ("init", json!({})),
    ] {
        let problem = repo.call_op(name, args).expect_err(name);
        assert_eq!(problem.code, ProblemCode::InvalidOperation, "{name}");
        assert!(problem.to_string().contains(".cairn/schema/version has layout 99"), "{problem}");
    }
    assert_eq!(repo.snapshot(), before);
    assert_eq!(repo.data("card.list", json!({}))["cards"].as_array().unwrap().len(), 1);
    let dry = repo.data("card.create", json!({"key": "spec::n", "summary": "n", "dry_run": true}));
    assert!(dry["diff"].is_string());
}

#[test]
fn an_unknown_kind_is_refused_with_those_that_there_are() {
    let repo = TestRepo::new(FIXTURE);
    for (name, args) in [
        ("search", json!({"query": "first", "kinds": "bogus"})),
        ("search", json!({"query": "first", "kinds": ["card", "bogus"]})),
        ("subgraph", json!({"center": "spec::a", "kinds": "bogus"})),
        ("card.list", json!({"type": "bogus"})),
    ] {
        let problem = repo.call_op(name, args).expect_err(name);
        assert_eq!(problem.code, ProblemCode::ValidationError, "{name}");
        assert!(problem.to_string().contains("bogus"), "{problem}");
    }
    let problem = repo.call_op("search", json!({"query": "a", "kinds": "bogus"})).unwrap_err();
    assert!(problem.to_string().contains("file, module, dir, symbol, card"), "{problem}");
    let around = repo.data(
        "get_subgraph",
        json!({"center": "spec::a", "hops": 1,
        "filters": {"types": ["symbol"]}}),
    );
    assert_eq!(around["nodes"], 1, "{around}");
}

#[test]
fn a_folder_that_holds_two_files_is_no_way_between_them() {
    let repo = TestRepo::new(FIXTURE);
    repo.write("src/lonely.ts", "export const lonely = 1;\n");
    assert_eq!(
        repo.data("trace", json!({"from": "spec::a", "to": "src/lonely.ts"}))["found"],
        false
    );
    let way = repo.data("trace", json!({"from": "spec::a", "to": "src/a.ts#first"}));
    assert_eq!(way["hops"].as_array().unwrap().len(), 1, "{way}");
    let asked = json!({"from": "src/a.ts", "to": "src/lonely.ts", "edges": "contains"});
    assert_eq!(repo.data("trace", asked)["hops"].as_array().unwrap().len(), 2);
    let folder = repo.data("trace", json!({"from": "src/lonely.ts", "to": "src"}));
    assert_eq!(folder["found"], true, "a folder itself can be arrived at");
}
