//! Reading a file: valid keys apply, and mistakes are reported with their position.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use config::{Config, FindingCode, MAX_BYTES, MAX_FINDINGS, ParsedConfig, RuleLevel, parse};
use proptest::prelude::*;

/// Each finding on a line: place, code, message, hint.
fn findings(text: impl AsRef<[u8]>) -> Vec<String> {
    let told = |finding: &config::ConfigFinding| {
        let code = serde_json::to_value(finding.code).unwrap();
        format!("{} {finding}", code.as_str().unwrap())
    };
    parse(text.as_ref()).findings.iter().map(told).collect()
}

fn clean(text: &str) -> Config {
    let ParsedConfig { config, findings } = parse(text.as_bytes());
    assert_eq!(findings, [], "{text}");
    config
}

#[test]
fn a_file_that_says_nothing_is_the_default() {
    for text in ["", "  \n", "// later\n", "{}", "\u{feff}{}", "{\r\n}\r\n", "/* a */ {} // b"] {
        assert_eq!(clean(text), Config::default(), "{text:?}");
    }
}

#[test]
fn every_key_is_read() {
    let config = clean(
        r#"{
          "$schema": "./cairn.schema.json",
          "source_dirs": ["./src/", "packages"], "entries": ["./src/main.ts"], "exclude": ["gen/", "!gen/a"],
          "card_types": ["spec", "rule"],
          "kb": { "default_branch": "trunk", "documents": ["docs"], "manifests": ["*.yaml"],
                  "rules": { "must_coverage": "off", "b": true, "c": false, "d": "error", "e": "warning" } },
          "history": { "strip_prefixes": ["x"], "stop_tags": [], "exclude": ["*.snap"],
                       "snapshot_frequency": 0, "max_commit_files": 7 },
          "work": { "pipelines": { "feature": ["NEW", "ACTIVE", "CLOSED"],
                                   "task": ["NEW", "ACTIVE", "TO_BE_TESTED", "CLOSED"] },
                    "evidence": ["links", "tests"] },
          "code": { "max_file_bytes": 10 },
          "languages": { "rust": { "server": "rust-analyzer", "args": ["-v"], "formatter": "rustfmt", "linter": "clippy" } },
          "mcp": { "toolsets": ["card", "all"] },
        }"#,
    );
    let json = serde_json::to_value(&config).unwrap();
    assert_eq!(json["source_dirs"], serde_json::json!(["src", "packages"]));
    assert_eq!(json["entries"], serde_json::json!(["src/main.ts"]));
    assert_eq!(config.kb.rules["c"], RuleLevel::Off);
    assert_eq!(config.kb.rules["b"], RuleLevel::On);
    assert_eq!(config.kb.default_branch.unwrap().as_str(), "trunk");
    assert_eq!((config.history.snapshot_frequency, config.history.max_commit_files), (0, 7));
    assert_eq!(config.work.pipelines.task.stages().len(), 4);
    assert_eq!(config.languages["rust"].args, ["-v"]);
    assert_eq!(config.mcp.toolsets.len(), 2);
    assert_eq!(clean(&json.to_string()), parse(json.to_string().as_bytes()).config);
}

#[test]
fn the_seeds_spellings_are_read() {
    let old = r#"{ "sourceDir": "./src", "entry": "./src/main.ts", "cardTypes": ["spec"],
        "kb": { "defaultBranch": "main" }, "history": { "maxCommitFiles": 9 } }"#;
    let new = r#"{ "source_dirs": ["src"], "entries": ["src/main.ts"], "card_types": ["spec"],
        "kb": { "default_branch": "main" }, "history": { "max_commit_files": 9 } }"#;
    assert_eq!(clean(old), clean(new));
    assert_eq!(clean(r#"{"source_dir": "lib"}"#), clean(r#"{"sourceDirs": ["lib"]}"#));
}

#[test]
fn unknown_keys_name_their_nearest() {
    let text = "{\n  \"history\": {\n    \"stop_tag\": []\n  },\n  \"stopTags\": [],\n  \"ü\": 1, \"qqq\": 1,\n  \"languages\": { \"go\": { \"sever\": \"gopls\" } }\n}";
    let all = "$schema, card_types, code, entries, exclude, history, kb, languages, mcp, source_dirs, team, work";
    assert_eq!(
        findings(text),
        [
            "UNKNOWN_KEY 3:5: no key `history.stop_tag`; did you mean `history.stop_tags`?".into(),
            "UNKNOWN_KEY 5:3: no key `stopTags`; did you mean `history.stop_tags`?".into(),
            format!("UNKNOWN_KEY 6:3: no key `ü`; known keys: {all}"),
            format!("UNKNOWN_KEY 6:11: no key `qqq`; known keys: {all}"),
            "UNKNOWN_KEY 7:26: no key `languages.go.sever`; did you mean `languages.go.server`?"
                .into(),
        ]
    );
}

#[test]
fn a_bad_value_costs_its_key_alone() {
    let text = r#"{
  "card_types": "spec",
  "exclude": ["ok", 3],
  "entries": ["a/{b"],
  "source_dirs": ["src", "../out"],
  "kb": { "rules": { "a": "loud", "b": "error" }, "default_branch": null },
  "history": { "snapshot_frequency": -1, "max_commit_files": 0, "stop_tags": ["x"] },
  "code": 5,
  "work": { "pipelines": { "task": ["NEW", "CLOSED"], "feature": ["NEW", "DOING", "CLOSED"] } },
  "mcp": { "toolsets": [], "toolsets": ["all"] }
}"#;
    assert_eq!(
        findings(text),
        [
            "WRONG_TYPE 2:17: `card_types` takes a list, not a string",
            "WRONG_TYPE 3:21: `exclude[1]` takes a string, not an integer",
            "INVALID_VALUE 4:15: `entries[0]`: `a/{b` is not a pattern: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
            "INVALID_VALUE 5:26: `source_dirs[1]`: `../out` leads out of the repository",
            "INVALID_VALUE 6:27: `kb.rules.a`: expected `off`, `warning`, `error`, true or false, not \"loud\"",
            "WRONG_TYPE 6:69: `kb.default_branch` takes a string, not null",
            "INVALID_VALUE 7:38: `history.snapshot_frequency`: invalid value: integer `-1`, expected u32",
            "INVALID_VALUE 7:62: `history.max_commit_files`: 0 is too small: at least 1",
            "WRONG_TYPE 8:3: `code` must be an object, not an integer",
            "INVALID_VALUE 9:36: `work.pipelines.task`: a pipeline must contain the states `NEW`, `ACTIVE` and `CLOSED`",
            "INVALID_VALUE 9:74: `work.pipelines.feature[1]`: unknown variant `DOING`, expected one of `NEW`, `ACTIVE`, `READY_TO_PROD`, `CLOSED`",
            "INVALID_VALUE 10:28: duplicate key `mcp.toolsets`; the first one is used",
        ]
    );
    let mut expected = Config::default();
    expected.kb.rules.insert("b".into(), RuleLevel::Error);
    expected.history.stop_tags = vec!["x".into()];
    assert_eq!(parse(text.as_bytes()).config, expected);
}

#[test]
fn a_text_that_is_no_jsonc_is_one_finding_with_its_place() {
    let hint = "until this is fixed, every key has its default value";
    for (text, told) in [
        (&b"{\n  \"exclude\": [,]\n}"[..], "2:15: unexpected comma"),
        (b"{ \"a\": 1", "1:1: unterminated object"),
        (b"{ a: 1 }", "1:3: expected string for object property"),
        (b"{} {}", "1:4: text cannot contain more than one JSON value"),
        (b"[]", "1:1: the file must contain one JSON object"),
        (b"{ \"\xc3\xbc\": 1 'x' }", "1:10: single-quoted strings are not allowed"),
        (b"{\n \xff }", "2:2: the file is not UTF-8"),
    ] {
        let parsed = parse(text);
        assert_eq!(parsed.config, Config::default());
        assert_eq!(findings(text), [format!("SYNTAX {told}; {hint}")]);
    }
}

#[test]
fn size_depth_and_number_of_findings_are_bounded() {
    let large = vec![b' '; 10 * MAX_BYTES];
    assert_eq!(parse(&large).findings[0].code, FindingCode::Syntax);
    for deep in ["[".repeat(500_000), "{\"kb\":".repeat(100_000)] {
        assert_eq!(parse(deep.as_bytes()).findings[0].code, FindingCode::Syntax);
    }
    let nested = format!("{{\"exclude\": {}{}}}", "[".repeat(400), "]".repeat(400));
    assert_eq!(parse(nested.as_bytes()).findings[0].code, FindingCode::WrongType);
    let many: Vec<String> = (0..50_000).map(|number| format!("\"k{number}\": 1")).collect();
    let parsed = parse(format!("{{{}}}", many.join(",")).as_bytes());
    assert_eq!(parsed.findings.len(), MAX_FINDINGS);
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        parse(&bytes);
    }

    #[test]
    fn no_almost_file_panics(parts in prop::collection::vec(prop::sample::select(vec![
        "{", "}", "[", "]", ",", ":", "\"", "\"kb\"", "\"rules\"", "\"history\"", "\"exclude\"", "\"a\\u00\"",
        "1", "-", "null", "true", "//", "/*", "*/", "\n", "\r", " ", "ü", "\u{feff}", "\"languages\"",
    ]), 0..40)) {
        parse(parts.concat().as_bytes());
    }
}
