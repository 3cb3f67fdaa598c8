//! The laws of `init` and `uninstall` over JSON files of every shape.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use jsonc_parser::cst::{CstInputValue, CstRootNode};
use jsonc_parser::{ParseOptions, parse_to_serde_value};
use proptest::prelude::*;
use serde_json::{Value, json};
use setup::SetupFile;

/// The files with their container and our entry.
fn clients() -> [(&'static SetupFile, &'static str, Value); 3] {
    let plain = json!({ "command": "cairn", "args": ["mcp"] });
    let stdio = json!({ "type": "stdio", "command": "cairn", "args": ["mcp"] });
    let local = json!({ "type": "local", "command": ["cairn", "mcp"], "enabled": true });
    let file = |path| SetupFile::by_path(path).unwrap();
    [
        (file(".mcp.json"), "mcpServers", plain),
        (file(".vscode/mcp.json"), "servers", stdio),
        (file("opencode.jsonc"), "mcp", local),
    ]
}

fn value(text: &[u8]) -> Value {
    let text = std::str::from_utf8(text).unwrap().trim_start_matches('\u{feff}');
    let parsed: Option<Value> = parse_to_serde_value(text, &ParseOptions::default()).unwrap();
    parsed.unwrap_or_else(|| json!({}))
}

/// White space and comments between two tokens.
fn gap() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "",
        "",
        " ",
        "  ",
        "\t",
        "\n",
        "\n  ",
        "\n    ",
        "\n\t",
        "\r\n",
        "\r\n  ",
        "\n\n  ",
        "\r",
        " /* c */ ",
        "// c\n",
        " // c\r\n  ",
        "/* c\n c */",
        "\u{a0}",
        " // ü\n\t",
    ])
}

fn leaf() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "1",
        "-2.5e3",
        "true",
        "null",
        "\"x\"",
        "\"cairn\"",
        "\"// no {comment}, ü\"",
        "\"\\\"\\u00fc\"",
        "[]",
        "[1, 2,]",
        "{}",
        "[{\"a\": 1}]",
        "{\"cairn\": {}}",
    ])
    .prop_map(str::to_owned)
}

/// An object with these property names, each at most once.
fn object(
    names: &'static [&'static str],
    inner: impl Strategy<Value = String> + Clone + 'static,
) -> impl Strategy<Value = String> + Clone {
    let property = (gap(), gap(), gap(), inner, gap());
    let some = prop::sample::subsequence(names, 0..=names.len());
    let list = prop::collection::vec(property, names.len());
    (some, list, gap(), any::<bool>())
        .prop_map(|(names, list, end, trailing)| {
            let property = |(name, (a, b, c, value, d)): (&&str, &(_, _, _, String, _))| {
                format!("{a}\"{name}\"{b}:{c}{value}{d}")
            };
            let all: Vec<String> = names.iter().zip(&list).map(property).collect();
            let comma = if trailing && !all.is_empty() { "," } else { "" };
            format!("{{{}{comma}{end}}}", all.join(","))
        })
        .boxed()
}

/// A file that has no cairn entry.
fn file(container: &'static str) -> impl Strategy<Value = String> {
    let servers = object(&["other", "cairn2", "z"], leaf().boxed());
    let plain = object(&["a", "b", "cairn"], leaf().boxed());
    let rest = (gap(), gap(), gap(), gap(), any::<bool>());
    let whole = (plain, prop::option::of(servers), any::<bool>(), rest).prop_map(
        move |(plain, servers, first, (a, b, c, d, bom))| {
            let inner = plain.strip_prefix('{').unwrap().strip_suffix('}').unwrap();
            let empty = value(plain.as_bytes()).as_object().unwrap().is_empty();
            let body = match servers {
                None => inner.to_owned(),
                Some(servers) if empty => format!("{a}\"{container}\":{b}{servers}{inner}"),
                Some(servers) if first => format!("{a}\"{container}\":{b}{servers},{inner}"),
                Some(servers) => {
                    let comma = if ends_with_comma(inner) { "" } else { "," };
                    format!("{inner}{comma}{a}\"{container}\":{b}{servers}")
                }
            };
            let bom = if bom { "\u{feff}" } else { "" };
            format!("{bom}{c}{{{body}}}{d}")
        },
    );
    let empty = prop::collection::vec(gap(), 0..4).prop_map(|gaps| gaps.concat());
    prop_oneof![9 => whole, 1 => empty]
}

/// Whether a list of properties ends in a comma, comments aside.
fn ends_with_comma(inner: &str) -> bool {
    let strict = ParseOptions { allow_missing_commas: false, ..ParseOptions::default() };
    let longer = format!("{{{inner},\"q\": 1}}");
    parse_to_serde_value::<Option<Value>>(&longer, &strict).is_err()
}

/// A client and a file of its shape.
fn case() -> impl Strategy<Value = (usize, String)> {
    (0..3usize).prop_flat_map(|index| (Just(index), file(clients()[index].1)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn installing_adds_our_entry_once_and_removing_gives_the_file_back((index, text) in case()) {
        let (file, container, entry) = &clients()[index];
        let installed = file.install(Some(text.as_bytes())).unwrap();
        prop_assert_eq!(&file.install(Some(&installed)).unwrap(), &installed);
        let mut expected = value(text.as_bytes());
        expected[*container]["cairn"] = entry.clone();
        prop_assert_eq!(value(&installed), expected);
        prop_assert!(!file.is_customised(&installed));
        let removed = file.remove(&installed).unwrap().map(|text| String::from_utf8(text).unwrap());
        prop_assert_eq!(removed, Some(text));
    }

    #[test]
    fn comments_around_the_file_stay((index, text) in case()) {
        let (file, ..) = &clients()[index];
        let text = text.trim_start_matches('\u{feff}');
        let installed = String::from_utf8(file.install(Some(text.as_bytes())).unwrap()).unwrap();
        let blank = value(text.as_bytes()) == json!({}) && !text.contains('{');
        let before = if blank { "" } else { "// mine\n" };
        let edited = format!("{before}{installed}\n// mine too");
        let removed = file.remove(edited.as_bytes()).unwrap().unwrap();
        prop_assert_eq!(String::from_utf8(removed).unwrap(), format!("{before}{text}\n// mine too"));
    }

    #[test]
    fn what_the_user_adds_inside_stays((index, text) in case(), front in any::<bool>(), root in any::<bool>()) {
        let (file, container, entry) = &clients()[index];
        let installed = String::from_utf8(file.install(Some(text.as_bytes())).unwrap()).unwrap();
        let tree = CstRootNode::parse(installed.trim_start_matches('\u{feff}'), &ParseOptions::default()).unwrap();
        let top = tree.object_value().unwrap();
        let servers = top.object_value(container).unwrap();
        let (object, name) = if root { (top, "my_key") } else { (servers, "my_server") };
        let at = if front { 0 } else { object.properties().len() };
        object.insert(at, name, CstInputValue::String("mine".into()));
        let edited = tree.to_string();
        let removed = file.remove(edited.as_bytes()).unwrap().unwrap();
        let mut expected = value(edited.as_bytes());
        let servers = expected[*container].as_object_mut().unwrap();
        prop_assert_eq!(servers.remove("cairn"), Some(entry.clone()));
        let ours = value(text.as_bytes()).get(*container).is_none() && servers.is_empty();
        if ours {
            expected.as_object_mut().unwrap().remove(*container);
        }
        prop_assert_eq!(value(&removed), expected, "{}", edited);
        let comments = |text: &str| text.matches("c */").count() + text.matches("// c").count();
        prop_assert_eq!(comments(&edited), comments(std::str::from_utf8(&removed).unwrap()));
    }

    #[test]
    fn no_bytes_panic_and_what_is_refused_stays(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        for (file, ..) in clients() {
            let Ok(installed) = file.install(Some(&bytes)) else { continue };
            prop_assert_eq!(file.remove(&installed).unwrap(), Some(bytes.clone()));
        }
    }
}

#[test]
fn a_file_that_was_not_there_goes_again() {
    for (file, ..) in clients() {
        let created = file.install(None).unwrap();
        assert_eq!(file.install(Some(&created)).unwrap(), created);
        assert_eq!(file.remove(&created).unwrap(), None);
    }
}

fn installed(text: &str) -> String {
    String::from_utf8(
        SetupFile::by_path(".mcp.json").unwrap().install(Some(text.as_bytes())).unwrap(),
    )
    .unwrap()
}

#[test]
fn the_result_looks_as_if_written_by_hand() {
    let (file, ..) = &clients()[0];
    assert_eq!(
        String::from_utf8(file.install(None).unwrap()).unwrap(),
        "{\n  \"mcpServers\": {\n    \"cairn\": {\n      \"command\": \"cairn\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"
    );
    assert_eq!(
        installed("{\n\t\"mcpServers\": {\n\t\t\"a\": {} // first\n\t}\n}\n"),
        "{\n\t\"mcpServers\": {\n\t\t\"a\": {}, // first\n\t\t\"cairn\": {\n\t\t\t\"command\": \"cairn\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}\n"
    );
    assert_eq!(
        installed("{\r\n    \"theme\": 1,\r\n}"),
        "{\r\n    \"theme\": 1,\r\n    \"mcpServers\": {\r\n        \"cairn\": {\r\n            \"command\": \"cairn\",\r\n            \"args\": [\"mcp\"]\r\n        }\r\n    },\r\n}"
    );
    assert_eq!(
        installed("{\"mcpServers\": {}}"),
        "{\"mcpServers\": {\"cairn\": { \"command\": \"cairn\", \"args\": [\"mcp\"] }}}"
    );
}

#[test]
fn an_entry_that_the_user_changed_is_the_users() {
    let (file, ..) = &clients()[0];
    for text in [
        r#"{"mcpServers": {"cairn": {"command": "cairn", "args": ["mcp", "--read-only"]}}}"#,
        r#"{"mcpServers": {"cairn": {"command": "cairn", "args": ["mcp"], "env": {}}}}"#,
        "{\"mcpServers\": {\"cairn\": {\"command\": \"cairn\", // pinned\n \"args\": [\"mcp\"]}}}",
        r#"{"mcpServers": {"cairn": null}}"#,
    ] {
        assert_eq!(file.install(Some(text.as_bytes())).unwrap(), text.as_bytes());
        assert_eq!(file.remove(text.as_bytes()).unwrap().unwrap(), text.as_bytes());
        assert!(file.is_customised(text.as_bytes()));
    }
}

#[test]
fn a_reformatted_entry_is_still_ours() {
    let (file, ..) = &clients()[0];
    let text = "{\n  \"a\": 1,\n  \"mcpServers\": { \"b\": {},\n    \"cairn\": {\"args\":[\"mcp\",],\"command\":\"cairn\"}}\n}\n";
    let left = "{\n  \"a\": 1,\n  \"mcpServers\": { \"b\": {}}\n}\n";
    assert_eq!(String::from_utf8(file.remove(text.as_bytes()).unwrap().unwrap()).unwrap(), left);
}

#[test]
fn a_line_comment_before_our_entry_does_not_swallow_what_follows_it() {
    let (file, ..) = &clients()[0];
    let ours = r#""cairn": {"command": "cairn", "args": ["mcp"]}"#;
    for text in [
        format!("{{\"mcpServers\": {{ \"a\": 1, // x\n{ours}}}}}"),
        format!("{{\"mcpServers\": {{ // x\n{ours}, \"a\": 1}}}}"),
        format!("{{\"mcpServers\": {{ // x\n{ours} /* y */, \"a\": 1}}}}"),
    ] {
        let left = file.remove(text.as_bytes()).unwrap().unwrap();
        assert_eq!(value(&left), json!({ "mcpServers": { "a": 1 } }), "{text}");
    }
}

#[test]
fn a_malformed_file_is_left_alone_and_its_line_told() {
    let (file, ..) = &clients()[0];
    for (text, line, message) in [
        (&b"{\n  \"a\": 1,\n"[..], 1, "unterminated object"),
        (b"{\n  \"a\": 1\n  \"b\": 2\n}", 2, "expected comma"),
        (b"[]", 1, "the file must contain one JSON object"),
        (b"{\n\"mcpServers\": []\n}", 2, "`mcpServers` is not an object"),
        (b"{\n\n\"a\": \"\xff\"}", 3, "the file is not UTF-8"),
        (b"{'a': 1}", 1, "single-quoted strings are not allowed"),
    ] {
        let error = file.install(Some(text)).unwrap_err();
        assert_eq!((error.line, error.message.as_str()), (line, message));
    }
    let deep = "[".repeat(100_000);
    assert!(file.install(Some(deep.as_bytes())).is_err());
    let error = file.install(Some(b"[]")).unwrap_err();
    let hint =
        r#"add by hand: { "mcpServers": { "cairn": { "command": "cairn", "args": ["mcp"] } } }"#;
    assert_eq!(error.hint.as_deref(), Some(hint));
}
