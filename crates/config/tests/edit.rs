//! One key changes; every comment and every other byte stays.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use config::{parse, set, template};
use proptest::prelude::*;
use serde_json::{Value, json};

fn edited(text: &str, key: &str, value: &Value) -> String {
    String::from_utf8(set(text.as_bytes(), key, value).unwrap()).unwrap()
}

fn refused(text: &str, key: &str, value: &Value) -> String {
    let problem = set(text.as_bytes(), key, value).unwrap_err();
    let hints: Vec<String> = problem.hints.iter().map(ToString::to_string).collect();
    format!("{} {problem}; {}", problem.code, hints.join("; "))
}

#[test]
fn a_value_is_replaced_where_it_stands() {
    let text = "{\r\n\t// why\r\n\t\"history\": { \"stopTags\": [ \"a\" ], /* x */ \"exclude\": [] }, // end\r\n}\r\n";
    assert_eq!(
        edited(text, "history.stop_tags", &json!(["b"])),
        text.replace("[ \"a\" ]", "[\"b\"]")
    );
    let bom = "\u{feff}{ \"card_types\": [\"spec\"] }";
    assert_eq!(edited(bom, "card_types", &json!(["x"])), bom.replace("spec", "x"));
}

#[test]
fn the_singular_spelling_becomes_the_list() {
    let text = "{\n  \"sourceDir\": \"./src\", // here\n  \"entry\": \"a.ts\"\n}\n";
    assert_eq!(
        edited(text, "source_dirs", &json!(["src", "lib"])),
        "{\n  \"source_dirs\": [\"src\", \"lib\"], // here\n  \"entry\": \"a.ts\"\n}\n"
    );
}

#[test]
fn a_missing_key_is_added_with_its_group() {
    assert_eq!(
        edited("{\n    \"exclude\": [] // none\n}\n", "languages.rust.server", &json!("ra")),
        "{\n    \"exclude\": [], // none\n    \"languages\": {\n        \"rust\": {\n            \"server\": \"ra\"\n        }\n    }\n}\n"
    );
    assert_eq!(
        edited("", "code.max_file_bytes", &json!(5)),
        "{\n  \"code\": {\n    \"max_file_bytes\": 5\n  }\n}\n"
    );
}

#[test]
fn the_template_keeps_its_comments() {
    let text = edited(template(), "history.max_commit_files", &json!(9));
    let parsed = parse(text.as_bytes());
    assert_eq!((parsed.config.history.max_commit_files, parsed.findings), (9, vec![]));
    for line in template().lines().filter(|line| line.contains("//")) {
        assert!(text.contains(line), "{line}");
    }
}

#[test]
fn what_the_file_could_not_say_is_refused() {
    let all = "cairn.schema.json lists all keys";
    for (text, key, value, told) in [
        ("{}", "histroy.stop_tags", json!([]), "VALIDATION_ERROR no key `histroy.stop_tags`; did you mean `history`?".to_owned()),
        ("{}", "history.stop_tag", json!([]), "VALIDATION_ERROR no key `history.stop_tag`; did you mean `history.stop_tags`?".into()),
        ("{}", "kb.rules.", json!("off"), format!("VALIDATION_ERROR no key `kb.rules.`; {all}")),
        ("{}", "exclude.a", json!("off"), format!("VALIDATION_ERROR no key `exclude.a`; {all}")),
        ("{}", "kb", json!({}), "VALIDATION_ERROR `kb` is a group of keys; name one key in it, such as `history.stop_tags`".into()),
        ("{}", "exclude", json!("x"), "VALIDATION_ERROR `exclude` takes a list, not a string; ".into()),
        ("{ \"kb\": 1 }", "kb.rules.a", json!("off"), "VALIDATION_ERROR `kb` in cairn.jsonc is not an object; ".into()),
        ("[]", "exclude", json!([]), "VALIDATION_ERROR cairn.jsonc is not an object; ".into()),
        ("{", "exclude", json!([]), "SYNTAX_ERROR cairn.jsonc does not parse: Unterminated object on line 1 column 1; correct it by hand; the position is shown by  doctor".into()),
    ] {
        assert_eq!(refused(text, key, &value), told);
    }
}

proptest! {
    #[test]
    fn what_was_set_is_read_back(
        parts in prop::collection::vec(prop::sample::select(vec![
            "\"exclude\": [\"a\"]", "\"history\": {}", "\"history\": { \"stop_tags\": [] // c\n }",
            "\"kb\": {\n\t\t\"rules\": {} }", "\"sourceDir\": \"x\"", "\"mcp\": { /* m */ }",
        ]), 0..4),
        gap in prop::sample::select(vec![" ", "\n  ", "\r\n\t", " // c\n", " /* c */ "]),
        trailing in any::<bool>(),
        number in 1u32..1000,
    ) {
        let comma = if trailing && !parts.is_empty() { "," } else { "" };
        let text = format!("{{{gap}{}{comma}{gap}}}{gap}", parts.join(&format!(",{gap}")));
        let next = set(text.as_bytes(), "history.max_commit_files", &json!(number)).unwrap();
        let again = set(&next, "history.max_commit_files", &json!(number)).unwrap();
        prop_assert_eq!(parse(&next).config.history.max_commit_files, number, "{}", text);
        prop_assert_eq!(&next, &again);
        prop_assert_eq!(
            text.matches("/* c */").count(),
            String::from_utf8_lossy(&next).matches("/* c */").count()
        );
    }
}
