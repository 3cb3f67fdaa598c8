//! Unusual and senseless questions get useful answers or clear errors.

use std::fmt::Write;

use base::ProblemCode;
use serde_json::{Value, json};
use testkit::TestRepo;

/// Fifty files with one symbol of the same name, in a ring of imports, calls, cards and
/// requirements.
fn ring() -> TestRepo {
    let mut fixture = String::new();
    for at in 0..50 {
        let next = (at + 1) % 50;
        write!(
            fixture,
            "//- src/m{at}.ts\nimport {{ charge as other }} from './m{next}';\n\
             /**\n * @see spec::ring/c{at}\n */\n\
             export function charge(): number {{ return other() + {at}; }}\n\
             //- .cairn/cards/ring/c{at}.card.md\n---\nkey: spec::ring/c{at}\ntype: spec\n\
             summary: Part {at} of the ring\nstatus: implemented\nrelations:\n  \
             - type: depends_on\n    target: spec::ring/c{next}\n---\nText.\n\
             //- docs/requirements/REQ-{at}.md\n---\nid: REQ-{at}\ntitle: Part {at}\n\
             status: open\ndepends_on: [REQ-{next}]\n---\n"
        )
        .unwrap();
    }
    TestRepo::new(&fixture)
}

#[test]
fn a_sentence_of_ten_kilobytes_is_a_question_like_another() {
    let repo = ring();
    let words = "the ring of payments breaks when part 7 calls charge in src/m7.ts, ";
    let sentence = words.repeat(10 * 1024 / words.len() + 1);
    let near = repo.data("context", json!({"targets": [sentence], "budget": 400}));
    let places: Vec<&Value> = near["places"].as_array().unwrap().iter().take(3).collect();
    assert!(places.iter().any(|place| place["node"] == "module:src/m7.ts"), "{places:?}");
    let hits = repo.data("search", json!({"query": sentence, "limit": 3}));
    assert!(!hits["hits"].as_array().unwrap().is_empty());
    let long = "x".repeat(260 * 1024);
    assert_eq!(repo.code("context", json!({"targets": [long]})), ProblemCode::ValidationError);
}

#[test]
fn what_is_not_there_names_what_is_near() {
    let repo = ring();
    for op in ["context", "impact", "deps", "subgraph", "explain"] {
        let key = match op {
            "context" => "targets",
            "subgraph" => "center",
            _ => "target",
        };
        let problem = repo.call_op(op, json!({key: "src/m77.tz"})).unwrap_err();
        assert_eq!(problem.code, ProblemCode::NotFound, "{op}");
        assert!(problem.hints[0].contains("src/m"), "{op}: {:?}", problem.hints);
    }
}

#[test]
fn fifty_candidates_are_counted_and_some_listed() {
    let repo = ring();
    for op in ["impact", "explain"] {
        let problem = repo.call_op(op, json!({"target": "charge"})).unwrap_err();
        assert_eq!(problem.code, ProblemCode::Ambiguous, "{op}");
        assert_eq!(problem.message, "50 declarations are called `charge`");
        let details = serde_json::to_value(&problem).unwrap();
        let listed = details["details"]["candidates"].as_array().unwrap().len();
        assert!((5..=20).contains(&listed), "{listed}");
    }
}

/// @see spec::cross/context
#[test]
fn fifty_tokens_are_enough_for_an_answer_and_what_was_left_out() {
    let repo = ring();
    let text = repo.text("context src/m1.ts --budget 50");
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("src/m1.ts: "), "{text}");
    assert!(text.contains("Omitted to fit the budget: "), "{text}");
    assert!(text.len() < 50 * 12, "{text}");
}

#[test]
fn circles_everywhere_end() {
    let repo = ring();
    let start = "src/m0.ts#charge";
    let reach = repo.data("impact", json!({"target": start, "depth": 5, "imports": true}));
    assert!(reach["rows"].as_array().unwrap().len() > 10);
    repo.data("deps", json!({"target": start, "depth": 5}));
    repo.data("subgraph", json!({"center": start, "hops": 5}));
    let way = repo.data("trace", json!({"from": start, "to": "src/m3.ts#charge"}));
    assert!(way.to_string().contains("src/m"), "{way}");
    repo.write("src/m0.ts", "export function charge(much: number): number { return much; }\n");
    repo.data("review", json!({}));
    repo.data("explain", json!({"target": start}));
    let found = repo.data("verify", json!({}));
    assert!(found["findings"].as_array().unwrap().iter().any(|f: &Value| f["code"] == "KB_CYCLE"));
}
