//! `init` and `uninstall` as a whole.

use std::collections::BTreeMap;

use base::Problem;
use setup::{
    Client, GitHook, SetupPlan, SetupRequest, plan_hooks_init, plan_hooks_uninstall, plan_init,
    plan_uninstall,
};

type Tree = BTreeMap<String, Vec<u8>>;

fn tree(files: &[(&str, &str)]) -> Tree {
    files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

fn apply(tree: &Tree, plan: &SetupPlan) -> Tree {
    let mut tree = tree.clone();
    for change in &plan.changes {
        assert_eq!(tree.get(change.path), change.before.as_ref());
        match &change.after {
            Some(bytes) => tree.insert(change.path.into(), bytes.clone()),
            None => tree.remove(change.path),
        };
    }
    tree
}

fn init(tree: &Tree, clients: &[Client]) -> SetupPlan {
    let request = SetupRequest { clients: clients.to_vec(), hooks: true };
    plan_init(|path| tree.get(path).cloned(), &request)
}

fn uninstall(tree: &Tree) -> SetupPlan {
    plan_uninstall(|path| tree.get(path).cloned())
}

fn paths(plan: &SetupPlan) -> Vec<&str> {
    plan.changes.iter().map(|change| change.path).collect()
}

#[test]
fn an_empty_repository_gets_the_files_and_loses_them_again() {
    let plan = init(&Tree::new(), &Client::ALL);
    assert_eq!(
        paths(&plan),
        [
            "cairn.jsonc",
            ".cairn/schema/version",
            "AGENTS.md",
            ".mcp.json",
            ".claude/settings.json",
            ".codex/config.toml",
            ".codex/hooks.json",
            ".cursor/mcp.json",
            ".vscode/mcp.json",
            ".gemini/settings.json",
            "opencode.json",
        ]
    );
    assert_eq!((plan.refused.len(), plan.customised.len()), (0, 0));
    let full = apply(&Tree::new(), &plan);
    let version = format!("{}\n", setup::FORMAT_VERSION);
    assert_eq!(full[".cairn/schema/version"], version.as_bytes());
    assert_eq!(paths(&init(&Tree::new(), &[])), ["cairn.jsonc", ".cairn/schema/version"]);
    assert_eq!(init(&full, &Client::ALL), SetupPlan::default());
    assert_eq!(apply(&full, &uninstall(&full)), Tree::new());
    assert_eq!(uninstall(&Tree::new()), SetupPlan::default());
}

#[test]
fn what_was_there_comes_back() {
    let before = tree(&[
        ("AGENTS.md", "# Ours"),
        ("CLAUDE.md", "Be brief.\r\n"),
        ("GEMINI.md", "See @AGENTS.md\n"),
        (".github/copilot-instructions.md", ""),
        (".mcp.json", "{\n  \"mcpServers\": {}\n}"),
        ("opencode.jsonc", "// mine\n{}\n"),
        ("src/main.rs", "fn main() {}\n"),
    ]);
    let plan = init(&before, &[Client::Claude, Client::Opencode]);
    assert_eq!(
        paths(&plan),
        [
            "cairn.jsonc",
            ".cairn/schema/version",
            "AGENTS.md",
            "CLAUDE.md",
            ".github/copilot-instructions.md",
            ".mcp.json",
            ".claude/settings.json",
            "opencode.jsonc",
        ]
    );
    let after = apply(&before, &plan);
    assert_eq!(init(&after, &[Client::Claude, Client::Opencode]), SetupPlan::default());
    assert_eq!(apply(&after, &uninstall(&after)), before);
}

#[test]
fn files_that_do_not_parse_or_are_the_users_are_told() {
    let before = tree(&[
        (".mcp.json", "{"),
        (".cursor/mcp.json", "{\"mcpServers\": {\"cairn\": {\"command\": \"/opt/cairn\"}}}"),
        ("cairn.jsonc", "{}"),
    ]);
    let plan = init(&before, &[Client::Claude, Client::Cursor]);
    assert_eq!(plan.customised, ["cairn.jsonc", ".cursor/mcp.json"]);
    let [refusal] = &plan.refused[..] else { panic!("{:?}", plan.refused) };
    let problem = Problem::from(refusal.clone());
    assert_eq!(problem.to_string(), ".mcp.json was left alone: line 1: unterminated object");
    let after = apply(&before, &plan);
    let plan = uninstall(&after);
    assert_eq!((plan.refused.len(), plan.customised.len()), (1, 2));
    assert_eq!(apply(&after, &plan), before);
}

#[test]
fn hooks_are_planned_apart() {
    let before = |hook| match hook {
        GitHook::PreCommit => Some(b"#!/bin/sh\nnpm test\n".to_vec()),
        GitHook::PostMerge => Some(b"#!/usr/bin/python\n".to_vec()),
        _ => None,
    };
    let plan = plan_hooks_init(before);
    assert_eq!(paths(&plan), ["post-checkout", "post-rewrite", "post-commit", "pre-commit"]);
    assert_eq!(plan.refused[0].path, "post-merge");
    let after = |hook: GitHook| {
        let change = plan.changes.iter().find(|change| change.path == hook.name());
        change.map_or(before(hook), |change| change.after.clone())
    };
    let back = plan_hooks_uninstall(after);
    assert!(back.refused.is_empty());
    for change in &back.changes {
        let hook: GitHook = change.path.parse().unwrap();
        assert_eq!(change.after, before(hook));
    }
    assert_eq!(back.changes.len(), 4);
}

#[test]
fn hooks_of_agents_are_asked_for_separately() {
    let request = SetupRequest { clients: Client::ALL.to_vec(), hooks: false };
    let plan = plan_init(|_| None, &request);
    assert!(
        !paths(&plan).iter().any(|path| path.contains("hooks")
            || path.contains("settings.json") && path.contains("claude"))
    );
    let own = tree(&[(".claude/settings.json", "{\n  \"hooks\": { \"Stop\": [] }\n}\n")]);
    let full = apply(&own, &init(&own, &[Client::Claude]));
    assert_ne!(full, own);
    assert!(paths(&init(&full, &[Client::Claude])).is_empty());
    assert_eq!(apply(&full, &uninstall(&full)), own);
}
