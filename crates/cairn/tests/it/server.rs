//! The server, tested by a client that writes raw messages.

use std::path::Path;

use serde_json::json;
use testkit::{McpClient, TestRepo};

fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_cairn"))
}

#[test]
fn discovery_is_answered_before_anything_is_indexed() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let mut client = McpClient::start_without_handshake(binary(), &repo.root(), &[]);
    let modern = json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}});
    let found = client.request("server/discover", modern);
    let server = &found["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(server["name"], "cairn", "{found}");
}

#[test]
fn it_answers_problems_as_tool_errors_and_lives_on() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let mut client = McpClient::start(binary(), &repo.root(), &[]);
    // Before history has been read, answers are partial.
    client.call("run", json!({"operation": "sync"}));
    for (tool, args, code) in [
        ("context", json!({"targets": ["nothing"]}), "NOT_FOUND"),
        ("context", json!({"targets": 7}), "VALIDATION_ERROR"),
        ("context", json!({"targets": ["/etc/passwd"]}), "OUTSIDE_REPOSITORY"),
        ("no_such_tool", json!({}), "NOT_FOUND"),
        ("init", json!({}), "INVALID_OPERATION"),
        ("run", json!({"operation": "uninstall"}), "INVALID_OPERATION"),
    ] {
        let (text, is_error) = client.call(tool, args);
        assert!(is_error && text.starts_with(code), "{tool}: {text}");
    }
    let (text, is_error) = client.call("context", json!({"targets": ["a.md"]}));
    assert!(!is_error && text.ends_with('\n') && text.contains("basis: fresh"), "{text}");
}

#[test]
fn every_answer_sees_what_was_written_before_it_was_asked_for() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let mut client = McpClient::start(binary(), &repo.root(), &[]);
    for round in 0..30 {
        repo.write("a.md", format!("# Round {round}\n"));
        let (text, _) = client.call("context", json!({"targets": ["a.md"]}));
        assert!(text.starts_with(&format!("a.md: Round {round} ")), "{text}");
    }
    repo.commit("other");
    let (text, _) = client.call("status", json!({}));
    assert!(text.contains("none edited"), "{text}");
}

#[test]
fn a_read_only_server_refuses_every_write() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let mut client = McpClient::start(binary(), &repo.root(), &["--read-only"]);
    for (tool, args) in [("undo", json!({})), ("run", json!({"operation": "undo"}))] {
        let (text, is_error) = client.call(tool, args);
        assert!(is_error && text.starts_with("INVALID_OPERATION"), "{text}");
    }
}
