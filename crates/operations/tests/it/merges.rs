//! The merge driver: by rule on random texts, and under git.

use serde_json::json;
use testkit::{TestRepo, merges};

#[test]
fn random_merges_are_as_the_rule_says() {
    let proof = merges::run(400, 7);
    assert_eq!(proof.merges, 400);
    assert!(proof.conflicts > 20, "{} conflicts are too few to prove anything", proof.conflicts);
    let first = proof.failures.first().cloned().unwrap_or_default();
    assert!(proof.failures.is_empty(), "{} failures, first {first}", proof.failures.len());
}

const CARD: &str = "---
key: spec::a
type: spec
summary: A
status: draft # for now
tags: [one]
---

Text.
";

fn repo() -> TestRepo {
    TestRepo::new(&format!("\n//- .cairn/cards/a.card.md\n{CARD}"))
}

/// Merges three versions as git does, and returns the result.
fn merge(repo: &TestRepo, base: &str, ours: &str, theirs: &str) -> (String, bool) {
    for (name, text) in [("o", base), ("a", ours), ("b", theirs)] {
        repo.write(&format!(".merge_{name}"), text);
    }
    let line = "merge-file .merge_o .merge_a .merge_b .cairn/cards/a.card.md";
    let has_conflicts = repo.run_line(line).unwrap().has_findings;
    (repo.read(".merge_a").unwrap(), has_conflicts)
}

#[test]
fn different_fields_and_lists_merge_and_one_field_is_marked() {
    let repo = repo();
    let ours = CARD.replace("summary: A", "summary: Ours").replace("[one]", "[one, ours]");
    let theirs = CARD.replace("draft", "accepted").replace("[one]", "[theirs]");
    let (text, has_conflicts) = merge(&repo, CARD, &ours, &theirs);
    let expected = CARD
        .replace("summary: A", "summary: Ours")
        .replace("draft", "accepted")
        .replace("[one]", "[ours, theirs]");
    assert_eq!((text.as_str(), has_conflicts), (expected.as_str(), false));
    let theirs = CARD.replace("summary: A", "summary: Theirs");
    let (text, has_conflicts) = merge(&repo, CARD, &ours, &theirs);
    let marked = "<<<<<<< ours\nsummary: Ours\n=======\nsummary: Theirs\n>>>>>>> theirs\nstatus:";
    assert!(has_conflicts && text.contains(marked), "{text}");
}

#[test]
fn two_appends_to_a_shared_atom_merge() {
    let repo = TestRepo::new("\n//- src/a.ts\nexport const a = 1;\n");
    repo.data("work.create", json!({"kind": "project", "name": "Shop"}));
    let atom = json!({"kind": "atom", "name": "A", "paths": "src/**", "knowledge": "one"});
    let made = repo.data("knowledge.create", atom)["result"].clone();
    let id = made["atom"]["id"].as_str().unwrap();
    let path = format!(".cairn/shared/atoms/{id}.md");
    let append = |repo: &TestRepo, text: &str| {
        // Each side saw its own files.
        repo.write("src/a.ts", format!("export const a = '{text}';\n"));
        let args = json!({"id": id, "version": 1, "mode": "append", "knowledge": text});
        repo.data("knowledge.update", args);
        repo.data("share", json!({}));
        repo.read(&path).unwrap()
    };
    repo.data("share", json!({}));
    repo.commit("share");
    let base = repo.read(&path).unwrap();
    let clone = TestRepo::without_git("");
    clone.git(&["clone", "-q", repo.root().to_str().unwrap(), "."]);
    clone.data("sync", json!({}));
    let (ours, theirs) = (append(&repo, "ours"), append(&clone, "theirs"));
    for (name, text) in [("o", &base), ("a", &ours), ("b", &theirs)] {
        repo.write(&format!(".merge_{name}"), text);
    }
    let line = format!("merge-file .merge_o .merge_a .merge_b {path}");
    let has_conflicts = repo.run_line(&line).unwrap().has_findings;
    let text = repo.read(".merge_a").unwrap();
    assert!(!has_conflicts && !text.contains("<<<<"), "{text}");
    let appended = |one: &str| format!("]---\n{one}");
    assert!(text.contains(&appended("ours")) && text.contains(&appended("theirs")), "{text}");
    assert_eq!(text.matches("\n\n---[").count(), 2, "each is separated as it was: {text}");
}

#[test]
fn init_registers_the_driver_only_on_request() {
    let repo = repo();
    repo.data("init", json!({"no_hooks": true}));
    assert_eq!(repo.read(".gitattributes"), None);
    repo.data("init", json!({"no_hooks": true, "merge_driver": true}));
    assert!(repo.read(".gitattributes").unwrap().contains(".cairn/links/** merge=cairn"));
    let command = repo.git(&["config", "merge.cairn.driver"]);
    assert_eq!(command.trim(), "cairn merge-file %O %A %B %P");
    repo.data("uninstall", json!({}));
    assert_eq!(repo.read(".gitattributes"), None);
}
