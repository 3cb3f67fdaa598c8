//! Frontmatter is read with types and places, and hostile texts are refused with a place.

use document::{Document, DocumentError, YamlValue, parse_yaml};

const CARD: &str = "\u{feff}---\r
key: spec::auth/login # the name\r
summary: 'It''s OAuth'\r
done: yes\r
on: true\r
count: 007\r
tags: [auth, \"m v p\"]\r
relations:\r
  - type: depends_on\r
    target: spec::auth/session\r
  - { type: related, target: spec::설계 }\r
empty:\r
---\r
\r
# Body\r
---\r
still body";

#[test]
fn fields_have_types_and_places() {
    let card = Document::parse(CARD).unwrap();
    let names: Vec<&str> = card.fields().map(|(name, _)| name).collect();
    assert_eq!(names, ["key", "summary", "done", "on", "count", "tags", "relations", "empty"]);
    assert_eq!(card.get("key").unwrap().as_str(), Some("spec::auth/login"));
    assert_eq!(card.get("summary").unwrap().as_str(), Some("It's OAuth"));
    assert_eq!(card.get("done").unwrap().as_str(), Some("yes"), "only true is a yes");
    assert_eq!(card.get("on").unwrap().value, YamlValue::Bool(true));
    assert_eq!(card.get("count").unwrap().scalar().unwrap(), "007");
    assert!(card.get("empty").unwrap().as_list().unwrap().is_empty());
    let relations = card.get("relations").unwrap().as_list().unwrap();
    let second = relations[1].as_map().unwrap().get("target").unwrap();
    assert_eq!(second.as_str(), Some("spec::설계"));
    assert_eq!((second.position.line, second.position.column), (11, 30));
    assert_eq!(card.position_of("tags").unwrap().line, 7);
    assert_eq!(card.body(), "\r\n# Body\r\n---\r\nstill body");
    assert_eq!(card.body_position().line, 14);
    for (_, value) in card.fields().filter(|(_, value)| value.as_str().is_some()) {
        assert!(CARD[value.span.clone()].contains(&value.as_str().unwrap()[..2]));
    }
}

#[test]
fn json_keeps_types() {
    let json = parse_yaml("a: 1\nb: [x, 2.5, ~]\nc: {d: \"1\"}\n").unwrap().to_json();
    assert_eq!(json, serde_json::json!({"a": 1, "b": ["x", 2.5, null], "c": {"d": "1"}}));
    assert_eq!(parse_yaml("{\"a\": [1, 2]}").unwrap().to_json()["a"][1], 2);
    assert_eq!(parse_yaml("a: &x [1]\nb: *x").unwrap().to_json()["b"][0], 1);
}

#[test]
fn without_frontmatter_all_is_body() {
    for text in ["", "# A", "--- \nx", "----\n", "text\n---\na: 1\n---\n"] {
        let parsed = Document::parse(text);
        if text.starts_with("--- ") {
            assert!(parsed.is_err(), "an open fence is told");
            continue;
        }
        let document = parsed.unwrap();
        assert!(!document.has_frontmatter());
        assert_eq!(document.body(), text);
    }
    assert!(Document::parse("---\n---\nx").unwrap().has_frontmatter());
}

fn fault(front: &str) -> (u32, u32, String) {
    let text = format!("---\n{front}\n---\n");
    let DocumentError { message, position: place } =
        Document::parse(&text).expect_err("it is not sound");
    (place.line, place.column, message)
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    assert_eq!(fault("a: 1\nb: 2\na: 3"), (4, 1, "the field `a` occurs twice".into()));
    assert_eq!(fault("a: 1\nb: [x"), (3, 4, "not YAML: unclosed bracket '['".into()));
    assert_eq!(
        fault("- a\n- b"),
        (2, 1, "the frontmatter must be a mapping of fields, not a list".into())
    );
    assert_eq!(fault("a: {b: 1, b: 2}").2, "the field `b` occurs twice");
    assert_eq!(fault("? [a, b]\n: c").2, "the name of a field must be a word, not a list");
    assert_eq!(fault("a: *nothing").0, 2);
    assert_eq!(fault("a: &a [*a]").0, 2);
    assert!(fault("a:\n\t- b").2.starts_with("not YAML"));
    assert_eq!(
        fault(&format!("a: {}x{}", "[".repeat(40), "]".repeat(40))).2,
        "nested more than 32 deep"
    );
    assert_eq!(Document::parse("---\na: 1\n").unwrap_err().position.line, 1);
}

#[test]
fn bombs_do_not_go_off() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let inner = vec![format!("*a{}", n - 1); 9].join(", ");
        bomb.extend([format!("a{n}: &a{n} [{inner}]\n")]);
    }
    assert_eq!(fault(&bomb).2, "more than 20000 values");
    let long = format!("a: {}", "x".repeat(300_000));
    assert_eq!(
        fault(&long),
        (2, 1, "the frontmatter has 300004 bytes; the limit is 262144".into())
    );
    assert_eq!(fault(&"- a\n".repeat(30_000)).2, "more than 20000 values");
}
