//! Knowledge and facts that are shared as files of the repository.

use serde_json::{Value, json};
use testkit::Repo;

const FIXTURE: &str = "
//- src/auth/login.ts
export function login() {}
//- docs/a.md
# A
";

fn result(repo: &Repo, name: &str, args: Value) -> Value {
    repo.data(name, args)["result"].clone()
}

fn clone_of(repo: &Repo) -> Repo {
    let clone = Repo::plain("");
    clone.git(&["clone", "-q", repo.root().to_str().unwrap(), "."]);
    clone
}

fn titles(repo: &Repo) -> Vec<String> {
    let found = repo.data("kb.query", json!({}));
    let rows = found["entities"].as_array().unwrap().iter();
    rows.map(|row| row["title"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn shared_knowledge_travels_and_conflicts_are_told() {
    let repo = Repo::new(FIXTURE);
    result(&repo, "work.create", json!({"kind": "project", "name": "Shop"}));
    let made = result(
        &repo,
        "graph.create",
        json!({"kind": "atom", "name": "Login",
        "paths": ["src/auth/**"], "knowledge": "one\n\ntwo: \"x\"\n---\nthree"}),
    );
    let atom = made["atom"]["id"].as_str().unwrap();
    result(&repo, "changelog.append", json!({"parent": atom, "summary": "first"}));
    assert_eq!(repo.data("share", json!({}))["records"], 3);
    assert_eq!(repo.data("share", json!({}))["files"], json!([]), "nothing changed");
    let path = format!(".cairn/shared/atoms/{atom}.md");
    let text = repo.read(&path).unwrap();
    assert!(text.ends_with("---\none\n\ntwo: \"x\"\n---\nthree\n"), "{text}");
    repo.commit("share");
    let clone = clone_of(&repo);
    // A read in a fresh clone knows it without writing anything.
    let known = clone.data("graph.context", json!({"paths": "src/auth/login.ts"}));
    assert_eq!(known["orphan_atoms"][0]["name"], "Login");
    assert!(known["orphan_atoms"][0]["drift"].is_object(), "{known}");
    clone.write("src/auth/login.ts", "export function login() { other(); }\n");
    let moved = clone.data("graph.context", json!({"paths": "src/auth/login.ts"}));
    assert_eq!(moved["orphan_atoms"][0]["drift"]["changed"], 1, "{moved}");
    clone.git(&["checkout", "-q", "src"]);
    assert!(!clone.root().join(".git/cairn/work.sqlite").exists());
    let synced = clone.data("sync", json!({}));
    assert_eq!(synced["shared"]["added"].as_array().unwrap().len(), 3);
    assert_eq!(
        clone.data("changelog.search", json!({"parent": atom}))["entries"][0]["summary"],
        "first"
    );
    // Theirs is newer: it comes in. Changed on both sides: told, and left alone.
    result(&repo, "graph.update", json!({"id": atom, "version": 1, "knowledge": "theirs"}));
    repo.data("share", json!({}));
    clone.write(&path, repo.read(&path).unwrap());
    assert_eq!(clone.data("sync", json!({}))["shared"]["updated"], json!([format!("atom:{atom}")]));
    result(&repo, "graph.update", json!({"id": atom, "version": 2, "knowledge": "theirs again"}));
    result(&repo, "graph.update", json!({"id": atom, "version": 3, "knowledge": "theirs at last"}));
    repo.data("share", json!({}));
    result(&clone, "graph.update", json!({"id": atom, "version": 2, "knowledge": "ours"}));
    clone.write(&path, repo.read(&path).unwrap());
    assert_eq!(
        clone.data("sync", json!({}))["shared"]["conflicts"],
        json!([format!("atom:{atom}")])
    );
    assert_eq!(clone.data("graph.show", json!({"id": atom}))["atom"]["knowledge"], "ours");
    clone.data("share", json!({}));
    assert!(clone.read(&path).unwrap().contains("theirs at last"), "neither side is overwritten");
    // Somebody settles it, here for theirs.
    let settled = clone.data("share", json!({"prefer": "theirs"}));
    assert_eq!(settled["merged"]["updated"], json!([format!("atom:{atom}")]));
    let known = clone.data("graph.show", json!({"id": atom}));
    assert_eq!(known["atom"]["knowledge"], "theirs at last");
}

/// Two requirements, and code that implements one.
fn with_facts() -> Repo {
    let repo = Repo::new(FIXTURE);
    repo.data(
        "kb.upsert",
        json!({
            "entities": [
                {"id": "REQ-1", "type": "req", "title": "People log in", "text": "a\n---\nb: c"},
                {"id": "req/odd::two", "type": "req", "title": "And out", "tags": ["auth"]},
            ],
            "relations": [
                {"type": "depends_on", "from": "req/odd::two", "to": "REQ-1"},
                {"type": "implements", "from": "symbol:src/auth/login.ts#login", "to": "REQ-1"},
            ],
        }),
    );
    repo
}

#[test]
fn facts_travel_and_a_fresh_clone_knows_them_at_once() {
    let repo = with_facts();
    assert_eq!(repo.data("share", json!({}))["records"], 4);
    assert_eq!(repo.data("share", json!({}))["files"], json!([]), "nothing changed");
    let text = repo.read(".cairn/shared/entities/REQ-1.md").unwrap();
    assert!(text.ends_with("---\na\n---\nb: c\n"), "{text}");
    repo.commit("share");
    let clone = clone_of(&repo);
    // Reads of every sort know them, and nothing is written.
    assert_eq!(titles(&clone), ["People log in", "And out"]);
    let found = clone.data("search", json!({"query": "people log in"}));
    assert_eq!(found["hits"][0]["node"], "kb:REQ-1", "{found}");
    let near = clone.data("context", json!({"targets": ["symbol:src/auth/login.ts#login"]}));
    assert!(near.to_string().contains("REQ-1"), "{near}");
    assert!(!clone.root().join(".git/cairn/branches").exists());
    // The first write comes behind them, in the same store, and can be taken back alone.
    clone.data("kb.upsert", json!({"entities": [{"id": "REQ-1", "title": "People sign in"}]}));
    assert_eq!(titles(&clone), ["People sign in", "And out"]);
    clone.data("undo", json!({}));
    assert_eq!(titles(&clone), ["People log in", "And out"]);
    assert!(clone.data("sync", json!({}))["shared"].is_null(), "they are here");
    assert_eq!(clone.data("share", json!({}))["files"], json!([]), "both say the same");
}

#[test]
fn facts_that_both_changed_are_told_and_settled_by_a_person() {
    let repo = with_facts();
    repo.data("share", json!({}));
    repo.commit("share");
    let clone = clone_of(&repo);
    assert_eq!(clone.data("sync", json!({}))["shared"]["added"].as_array().unwrap().len(), 4);
    let path = ".cairn/shared/entities/REQ-1.md";
    let retitle = |repo: &Repo, title: &str| {
        repo.data("kb.upsert", json!({"entities": [{"id": "REQ-1", "title": title}]}));
    };
    // Only they changed it: it comes in, and the log can take it back.
    retitle(&repo, "Theirs");
    repo.data("share", json!({}));
    clone.write(path, repo.read(path).unwrap());
    assert_eq!(clone.data("sync", json!({}))["shared"]["updated"], json!(["kb:REQ-1"]));
    assert_eq!(titles(&clone)[0], "Theirs");
    assert_eq!(clone.data("kb.log", json!({}))["entries"][0]["action"], "share");
    // Both did: neither is touched.
    retitle(&repo, "Theirs again");
    repo.data("share", json!({}));
    clone.write(path, repo.read(path).unwrap());
    retitle(&clone, "Ours");
    let synced = clone.data("sync", json!({}));
    assert_eq!(synced["shared"]["conflicts"], json!(["kb:REQ-1"]));
    clone.data("share", json!({}));
    assert_eq!(titles(&clone)[0], "Ours");
    assert!(clone.read(path).unwrap().contains("Theirs again"));
    clone.data("share", json!({"prefer": "ours"}));
    assert!(clone.read(path).unwrap().contains("\"Ours\""));
    assert!(clone.data("sync", json!({}))["shared"].is_null(), "nothing is left to settle");
    // What they removed is told; it stays here until somebody removes it, or shares it again.
    clone.remove(path);
    let shared = clone.data("share", json!({}));
    assert_eq!(shared["merged"]["missing"], json!(["kb:REQ-1"]));
    assert!(clone.read(path).is_none(), "what was removed does not come back by itself");
    assert_eq!(titles(&clone)[0], "Ours");
    clone.data("share", json!({"prefer": "ours"}));
    assert!(clone.read(path).unwrap().contains("\"Ours\""));
    // What is removed here goes from the files; what is not a record stays.
    clone.write(".cairn/shared/README.md", "Knowledge of the team.\n");
    clone.data("kb.delete", json!({"ids": ["req/odd::two"], "cascade": true}));
    assert_eq!(clone.data("share", json!({}))["files"].as_array().unwrap().len(), 2);
    assert!(clone.read(".cairn/shared/README.md").is_some());
}

#[test]
fn files_that_are_no_facts_are_told_and_left_alone() {
    let repo = with_facts();
    repo.data("share", json!({}));
    let good = repo.read(".cairn/shared/entities/REQ-1.md").unwrap();
    for (name, text) in [
        ("REQ-2.md", good.clone()),
        ("REQ-3.md", good.replace("REQ-1", "REQ-3").replace("\"open\"", "\"odd\"")),
        ("REQ-4.md", good.replace("REQ-1", "REQ-4").replace("author:", "colour: 1\nauthor:")),
        ("REQ-5.md", "<<<<<<< ours\n".to_owned() + &good),
    ] {
        let path = format!(".cairn/shared/entities/{name}");
        repo.write(&path, &text);
        let merged = repo.data("share", json!({}))["merged"].clone();
        assert_eq!(merged["unreadable"], json!([path]), "{text}");
        assert_eq!(repo.read(&path).unwrap(), text);
        repo.remove(&path);
    }
    assert_eq!(titles(&repo), ["People log in", "And out"]);
}
