//! Knowledge and facts that are shared as files of the repository.

use operations::CallFormat;
use serde_json::{Value, json};
use testkit::TestRepo;

const FIXTURE: &str = "
//- src/auth/login.ts
export function login() {}
//- docs/a.md
# A
";

fn result(repo: &TestRepo, name: &str, args: Value) -> Value {
    repo.data(name, args)["result"].clone()
}

fn clone_of(repo: &TestRepo) -> TestRepo {
    let clone = TestRepo::without_git("");
    clone.git(&["clone", "-q", repo.root().to_str().unwrap(), "."]);
    clone
}

fn titles(repo: &TestRepo) -> Vec<String> {
    let found = repo.data("kb.query", json!({}));
    let rows = found["entities"].as_array().unwrap().iter();
    rows.map(|row| row["title"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn shared_knowledge_travels_and_conflicts_are_told() {
    let repo = TestRepo::new(FIXTURE);
    result(&repo, "work.create", json!({"kind": "project", "name": "Shop"}));
    let made = result(
        &repo,
        "knowledge.create",
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
    let known = clone.data("knowledge.context", json!({"paths": "src/auth/login.ts"}));
    assert_eq!(known["orphan_atoms"][0]["name"], "Login");
    assert!(known["orphan_atoms"][0]["drift"].is_object(), "{known}");
    clone.write("src/auth/login.ts", "export function login() { other(); }\n");
    let moved = clone.data("knowledge.context", json!({"paths": "src/auth/login.ts"}));
    assert_eq!(moved["orphan_atoms"][0]["drift"]["changed"], 1, "{moved}");
    clone.git(&["checkout", "-q", "src"]);
    assert!(!clone.root().join(".git/cairn/work.sqlite").exists());
    let synced = clone.data("sync", json!({}));
    assert_eq!(synced["shared"]["added"].as_array().unwrap().len(), 3);
    assert_eq!(
        clone.data("changelog.search", json!({"parent": atom}))["entries"][0]["summary"],
        "first"
    );
    // A newer record of theirs is taken. One that changed on both sides is reported and not
    // changed.
    result(&repo, "knowledge.update", json!({"id": atom, "version": 1, "knowledge": "theirs"}));
    repo.data("share", json!({}));
    clone.write(&path, repo.read(&path).unwrap());
    assert_eq!(clone.data("sync", json!({}))["shared"]["updated"], json!([format!("atom:{atom}")]));
    result(
        &repo,
        "knowledge.update",
        json!({"id": atom, "version": 2, "knowledge": "theirs again"}),
    );
    result(
        &repo,
        "knowledge.update",
        json!({"id": atom, "version": 3, "knowledge": "theirs at last"}),
    );
    repo.data("share", json!({}));
    result(&clone, "knowledge.update", json!({"id": atom, "version": 2, "knowledge": "ours"}));
    clone.write(&path, repo.read(&path).unwrap());
    assert_eq!(
        clone.data("sync", json!({}))["shared"]["conflicts"],
        json!([format!("atom:{atom}")])
    );
    assert_eq!(clone.data("knowledge.show", json!({"id": atom}))["atom"]["knowledge"], "ours");
    clone.data("share", json!({}));
    assert!(clone.read(&path).unwrap().contains("theirs at last"), "neither side is overwritten");
    // A user resolves the conflict, here for their side.
    let settled = clone.data("share", json!({"prefer": "theirs"}));
    assert_eq!(settled["merged"]["updated"], json!([format!("atom:{atom}")]));
    let known = clone.data("knowledge.show", json!({"id": atom}));
    assert_eq!(known["atom"]["knowledge"], "theirs at last");
}

#[test]
fn two_appends_to_one_atom_are_no_conflict() {
    let repo = TestRepo::new(FIXTURE);
    result(&repo, "work.create", json!({"kind": "project", "name": "Shop"}));
    let args =
        json!({"kind": "atom", "name": "Login", "paths": ["src/auth/**"], "knowledge": "one"});
    let made = result(&repo, "knowledge.create", args);
    let atom = made["atom"]["id"].as_str().unwrap();
    let path = format!(".cairn/shared/atoms/{atom}.md");
    repo.data("share", json!({}));
    repo.commit("share");
    let clone = clone_of(&repo);
    clone.data("sync", json!({}));
    let append =
        |text: &str| json!({"id": atom, "version": 1, "mode": "append", "knowledge": text});
    result(&repo, "knowledge.update", append("theirs"));
    repo.data("share", json!({}));
    result(&clone, "knowledge.update", append("ours"));
    clone.write(&path, repo.read(&path).unwrap());
    let merged = clone.data("sync", json!({}))["shared"].clone();
    assert_eq!(merged["conflicts"], json!([]), "{merged}");
    assert_eq!(merged["updated"], json!([format!("atom:{atom}")]));
    // What both wrote goes back, and is the same on both sides.
    clone.data("share", json!({}));
    repo.write(&path, clone.read(&path).unwrap());
    assert_eq!(repo.data("sync", json!({}))["shared"]["conflicts"], json!([]));
    let known = |repo: &TestRepo| repo.data("knowledge.show", json!({"id": atom}))["atom"].clone();
    let text = known(&clone)["knowledge"].as_str().unwrap().to_owned();
    assert!(["one", "theirs", "ours"].iter().all(|part| text.contains(part)), "{text}");
    assert_eq!(known(&repo), known(&clone));
}

/// Two requirements, and code that implements one.
fn with_facts() -> TestRepo {
    let repo = TestRepo::new(FIXTURE);
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
    // All reads see the shared facts, and nothing is written.
    assert_eq!(titles(&clone), ["People log in", "And out"]);
    let found = clone.data("search", json!({"query": "people log in"}));
    assert_eq!(found["hits"][0]["node"], "kb:REQ-1", "{found}");
    let near = clone.data("context", json!({"targets": ["symbol:src/auth/login.ts#login"]}));
    assert!(near.to_string().contains("REQ-1"), "{near}");
    assert!(!clone.root().join(".git/cairn/branches").exists());
    // The first write stores them, then its own change, which can be undone alone.
    clone.data("kb.upsert", json!({"entities": [{"id": "REQ-1", "title": "People sign in"}]}));
    assert_eq!(titles(&clone), ["People sign in", "And out"]);
    clone.data("undo", json!({}));
    assert_eq!(titles(&clone), ["People log in", "And out"]);
    assert!(clone.data("sync", json!({}))["shared"].is_null(), "they are here");
    assert_eq!(clone.data("share", json!({}))["files"], json!([]), "both say the same");
}

#[test]
fn what_came_in_from_others_is_not_for_the_caller_to_undo() {
    let repo = with_facts();
    repo.data("share", json!({}));
    repo.commit("share");
    let clone = clone_of(&repo);
    let own = json!({"entities": [{"id": "REQ-9", "type": "req", "title": "Mine"}]});
    clone.data("kb.upsert", own);
    let theirs = json!({"entities": [{"id": "REQ-1", "title": "People sign in"}]});
    repo.data("kb.upsert", theirs);
    repo.data("share", json!({}));
    repo.commit("share again");
    clone.git(&["pull", "-q"]);
    let shared = clone.data("sync", json!({}))["shared"].clone();
    assert_eq!(shared["updated"].as_array().unwrap().len(), 1, "{shared}");
    assert_eq!(titles(&clone), ["People sign in", "Mine", "And out"]);
    clone.data("undo", json!({}));
    assert_eq!(titles(&clone), ["People sign in", "And out"], "the caller's own change");
    assert_eq!(clone.code("undo", json!({})), base::ProblemCode::NotFound);
}

#[test]
fn facts_that_both_changed_are_told_and_settled_by_a_person() {
    let repo = with_facts();
    repo.data("share", json!({}));
    repo.commit("share");
    let clone = clone_of(&repo);
    assert_eq!(clone.data("sync", json!({}))["shared"]["added"].as_array().unwrap().len(), 4);
    let path = ".cairn/shared/entities/REQ-1.md";
    let retitle = |repo: &TestRepo, title: &str| {
        repo.data("kb.upsert", json!({"entities": [{"id": "REQ-1", "title": title}]}));
    };
    // Only their side changed it: the change is taken, and `kb rollback` can undo it.
    retitle(&repo, "Theirs");
    repo.data("share", json!({}));
    clone.write(path, repo.read(path).unwrap());
    assert_eq!(clone.data("sync", json!({}))["shared"]["updated"], json!(["kb:REQ-1"]));
    assert_eq!(titles(&clone)[0], "Theirs");
    assert_eq!(clone.data("kb.log", json!({}))["entries"][0]["action"], "share");
    // Both sides changed it: neither record is changed.
    retitle(&repo, "Theirs again");
    repo.data("share", json!({}));
    retitle(&clone, "Ours");
    clone.write(path, repo.read(path).unwrap());
    let synced = clone.data("sync", json!({}));
    assert_eq!(synced["shared"]["conflicts"], json!(["kb:REQ-1"]));
    clone.data("share", json!({}));
    assert_eq!(titles(&clone)[0], "Ours");
    assert!(clone.read(path).unwrap().contains("Theirs again"));
    clone.data("share", json!({"prefer": "ours"}));
    assert!(clone.read(path).unwrap().contains("\"Ours\""));
    assert!(clone.data("sync", json!({}))["shared"].is_null(), "nothing is left to settle");
    // A record that they removed is reported. It stays here until it is removed here too, or shared
    // again.
    clone.remove(path);
    let shared = clone.data("share", json!({}));
    assert_eq!(shared["merged"]["missing"], json!(["kb:REQ-1"]));
    assert!(clone.read(path).is_none(), "what was removed does not come back by itself");
    assert_eq!(titles(&clone)[0], "Ours");
    clone.data("share", json!({"prefer": "ours"}));
    assert!(clone.read(path).unwrap().contains("\"Ours\""));
    // A record that is removed here is removed from the shared files. Files that are not records
    // stay.
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

/// A repository with one shared atom, its id, and its file.
fn with_shared_atom() -> (TestRepo, String, String) {
    let repo = TestRepo::new(FIXTURE);
    result(&repo, "work.create", json!({"kind": "project", "name": "Shop"}));
    let made = result(
        &repo,
        "knowledge.create",
        json!({"kind": "atom", "name": "Login", "paths": ["src/auth/**"], "knowledge": "one"}),
    );
    let atom = made["atom"]["id"].as_str().unwrap().to_owned();
    repo.data("share", json!({}));
    repo.commit("share one");
    let path = format!(".cairn/shared/atoms/{atom}.md");
    (repo, atom, path)
}

fn knowledge(repo: &TestRepo, atom: &str) -> Value {
    repo.data("knowledge.show", json!({"id": atom}))["atom"]["knowledge"].clone()
}

/// A whole answer: its data and its basis.
fn answer(repo: &TestRepo, name: &str, args: Value) -> Value {
    CallFormat::CommandLine.json(&repo.call_op(name, args))
}

fn basis(repo: &TestRepo, name: &str, args: Value) -> Value {
    answer(repo, name, args)["basis"].clone()
}

#[test]
fn an_older_checkout_rolls_nothing_back() {
    let (repo, atom, path) = with_shared_atom();
    result(&repo, "knowledge.update", json!({"id": atom, "version": 1, "knowledge": "two"}));
    repo.data("share", json!({}));
    repo.commit("share two");
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("old");
    repo.git(&["worktree", "add", "-q", "-b", "old", tree.to_str().unwrap(), "HEAD~1"]);
    let old = TestRepo::existing(&tree);
    assert!(old.read(&path).unwrap().ends_with("\none\n"));
    assert_eq!(knowledge(&old, &atom), "two", "a read in an older checkout");
    assert!(old.data("sync", json!({}))["shared"].is_null(), "there is nothing new in it");
    assert_eq!(basis(&old, "knowledge.show", json!({"id": atom}))["state"], "fresh");
    assert_eq!((knowledge(&old, &atom), knowledge(&repo, &atom)), (json!("two"), json!("two")));
    // Sharing there brings the older checkout up to date, and not the other way round.
    old.data("share", json!({}));
    assert!(old.read(&path).unwrap().ends_with("\ntwo\n"));
    assert_eq!(old.read(&path), repo.read(&path));
    // A checkout without the file deletes nothing.
    repo.git(&["checkout", "-q", "--orphan", "empty"]);
    repo.git(&["rm", "-rfq", "--cached", "."]);
    repo.remove(&path);
    repo.data("sync", json!({}));
    assert_eq!(knowledge(&repo, &atom), "two");
}

#[test]
fn an_undone_change_is_shared_as_a_new_revision() {
    let (repo, atom, path) = with_shared_atom();
    let clone = clone_of(&repo);
    clone.data("sync", json!({}));
    result(&repo, "knowledge.update", json!({"id": atom, "version": 1, "knowledge": "two"}));
    let change =
        answer(&repo, "knowledge.update", json!({"id": atom, "version": 2, "knowledge": "three"}));
    let change = change["data"]["change"].as_str().unwrap().to_owned();
    repo.data("share", json!({}));
    clone.write(&path, repo.read(&path).unwrap());
    assert_eq!(knowledge(&clone, &atom), "three");
    clone.data("sync", json!({}));
    repo.data("undo", json!({"change": change}));
    repo.data("share", json!({}));
    assert!(repo.read(&path).unwrap().contains("\nrevision: 4\n"), "{:?}", repo.read(&path));
    clone.write(&path, repo.read(&path).unwrap());
    assert_eq!(knowledge(&clone, &atom), "two", "others see that it was undone");
    assert_eq!(repo.data("share", json!({}))["files"], json!([]));
}

#[test]
fn what_was_pulled_is_seen_at_once_and_stored_by_the_next_write() {
    let (repo, atom, _) = with_shared_atom();
    repo.data(
        "kb.upsert",
        json!({"entities": [{"id": "REQ-1", "type": "req", "title": "People log in"}]}),
    );
    let clone = clone_of(&repo);
    // The clone already has stores before anything is pulled.
    result(&clone, "work.create", json!({"kind": "task", "name": "Mine"}));
    clone.data(
        "kb.upsert",
        json!({"entities": [{"id": "FACT-1", "type": "fact", "title": "Mine"}]}),
    );
    result(
        &repo,
        "knowledge.create",
        json!({"kind": "atom", "name": "Logout", "paths": ["src/auth/**"],
        "knowledge": "sessions end on the server"}),
    );
    result(&repo, "knowledge.update", json!({"id": atom, "version": 1, "knowledge": "two"}));
    repo.data("share", json!({}));
    repo.commit("share more");
    clone.git(&["pull", "-q"]);
    // All reads see it, without `sync`.
    let found = clone.data("knowledge.search", json!({"query": "sessions"}));
    assert!(found.to_string().contains("Logout"), "{found}");
    let known = clone.data("knowledge.context", json!({"paths": "src/auth/login.ts"}));
    assert_eq!(known["orphan_atoms"].as_array().unwrap().len(), 2, "{known}");
    assert_eq!(knowledge(&clone, &atom), "two");
    assert_eq!(titles(&clone), ["People log in", "Mine"]);
    let found = clone.data("search", json!({"query": "people log in"}));
    assert_eq!(found["hits"][0]["node"], "kb:REQ-1", "{found}");
    assert_eq!(basis(&clone, "kb.query", json!({}))["state"], "fresh");
    // An unrelated write stores it, so that it is known even without its file.
    result(&clone, "work.create", json!({"kind": "task", "name": "Another"}));
    clone.data("kb.upsert", json!({"entities": [{"id": "FACT-2", "type": "fact", "title": "x"}]}));
    clone.git(&["rm", "-rfq", "--cached", ".cairn"]);
    std::fs::remove_dir_all(clone.root().join(".cairn/shared")).unwrap();
    assert_eq!(knowledge(&clone, &atom), "two");
    assert_eq!(titles(&clone), ["People log in", "Mine", "x"]);
}

#[test]
fn what_was_deleted_elsewhere_is_answered_no_more() {
    let (repo, atom, path) = with_shared_atom();
    result(&repo, "changelog.append", json!({"parent": atom, "summary": "first"}));
    repo.data(
        "kb.upsert",
        json!({
            "entities": [
                {"id": "REQ-1", "type": "req", "title": "People log in"},
                {"id": "REQ-2", "type": "req", "title": "People log out"},
            ],
            "relations": [{"type": "depends_on", "from": "REQ-2", "to": "REQ-1"}],
        }),
    );
    repo.data("share", json!({}));
    repo.commit("share more");
    let clone = clone_of(&repo);
    clone.data("sync", json!({}));
    result(&repo, "knowledge.delete", json!({"id": atom, "version": 1}));
    repo.data("kb.delete", json!({"ids": ["REQ-1"], "cascade": true}));
    repo.data("share", json!({}));
    assert_eq!(repo.read(&path).unwrap(), "deleted: true\nrevision: 2\n---\n\n");
    assert_eq!(repo.data("share", json!({}))["files"], json!([]), "nothing changed");
    repo.commit("delete");
    clone.git(&["pull", "-q"]);
    let is_gone = |clone: &TestRepo| {
        let known = clone.data("knowledge.context", json!({"paths": "src/auth/login.ts"}));
        assert_eq!(known["orphan_atoms"], json!([]), "{known}");
        assert_eq!(titles(clone), ["People log out"]);
        let found = clone.data("search", json!({"query": "people log in"}));
        assert!(!found.to_string().contains("kb:REQ-1"), "{found}");
    };
    is_gone(&clone); // at once
    let synced = clone.data("sync", json!({}));
    assert_eq!(synced["shared"]["removed"].as_array().unwrap().len(), 3, "{synced}");
    is_gone(&clone); // and stored
    assert!(clone.data("sync", json!({}))["shared"].is_null());
    assert_eq!(clone.data("share", json!({}))["files"], json!([]));
    // An older checkout, where the files still are, does not bring them back.
    clone.git(&["checkout", "-q", "HEAD~1"]);
    assert!(clone.read(&path).unwrap().contains("\none\n"));
    let known = clone.data("knowledge.context", json!({"paths": "src/auth/login.ts"}));
    assert_eq!(known["orphan_atoms"], json!([]), "{known}");
    clone.git(&["checkout", "-q", "main"]);
    // If it is created again after that, it is shared again with other clones.
    repo.data(
        "kb.upsert",
        json!({"entities": [{"id": "REQ-1", "type": "req", "title": "Everybody logs in"}]}),
    );
    repo.data("share", json!({}));
    repo.commit("again");
    clone.git(&["pull", "-q"]);
    assert_eq!(titles(&clone), ["Everybody logs in", "People log out"]);
}

#[test]
fn a_shared_file_that_cannot_be_taken_is_told_everywhere() {
    let (repo, atom, path) = with_shared_atom();
    let good = repo.read(&path).unwrap();
    let torn = good.replace("---\n", "---\n<<<<<<< HEAD\n=======\ntwo\n>>>>>>> main\n");
    for (what, text, rule, reason) in [
        ("conflict markers", torn.clone(), "SHARED_UNREADABLE", "it has conflict markers"),
        ("no record", "odd\n".into(), "SHARED_UNREADABLE", "it is not a record"),
        (
            "an edit by hand",
            good.replace("\none\n", "\nedited\n"),
            "SHARED_CONFLICT",
            "without a new revision",
        ),
    ] {
        let clone = clone_of(&repo);
        let with_store = rule == "SHARED_CONFLICT";
        if with_store {
            clone.data("sync", json!({}));
        }
        clone.write(&path, &text);
        for (name, args) in [
            ("knowledge.context", json!({"paths": "src/auth/login.ts"})),
            ("knowledge.search", json!({"query": "one"})),
            ("search", json!({"query": "login"})),
        ] {
            let basis = basis(&clone, name, args);
            assert_eq!(basis["state"], "partial", "{what}: {name}");
            let reasons = basis["reasons"].to_string();
            assert!(reasons.contains(reason) && reasons.contains(&path), "{what}: {reasons}");
        }
        let verified = clone.data("verify", json!({}));
        let findings = verified["findings"].as_array().unwrap();
        let found = findings.iter().find(|one| one["code"] == rule).expect(rule);
        assert_eq!(found["path"], json!(path), "{found}");
        let doctor = clone.data("doctor", json!({}));
        let findings = doctor["findings"].as_array().unwrap().iter();
        let found = findings.filter(|one| one["check"] == "shared" && one["level"] != "fine");
        assert_eq!(found.count(), 1, "{doctor}");
        // Nothing is lost: both the record in the store and the file are kept.
        clone.data("share", json!({}));
        assert_eq!(clone.read(&path).unwrap(), text, "{what}");
        if with_store {
            assert_eq!(knowledge(&clone, &atom), "one");
            clone.data("share", json!({"prefer": "theirs"}));
            assert_eq!(knowledge(&clone, &atom), "edited");
            assert!(clone.read(&path).unwrap().contains("\nrevision: 2\n"), "others take it now");
        }
    }
}

#[test]
fn an_entry_of_the_changelog_that_was_rewritten_is_told_and_put_back() {
    let (repo, atom, _) = with_shared_atom();
    result(&repo, "changelog.append", json!({"parent": atom, "summary": "as it was"}));
    repo.data("share", json!({}));
    let folder = repo.root().join(".cairn/shared/changelog");
    let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().file_name();
    let path = format!(".cairn/shared/changelog/{}", file.to_str().unwrap());
    let good = repo.read(&path).unwrap();
    repo.write(&path, good.replace("as it was", "as it should have been"));
    let search = || answer(&repo, "changelog.search", json!({"parent": atom}));
    let told = search();
    assert_eq!(told["data"]["entries"][0]["summary"], "as it was");
    assert_eq!(told["basis"]["state"], "partial", "{told}");
    let verified = repo.data("verify", json!({}));
    assert!(verified.to_string().contains("CHANGELOG_REWRITTEN"), "{verified}");
    repo.data("share", json!({"prefer": "theirs"}));
    assert_eq!(search()["data"]["entries"][0]["summary"], "as it was", "whatever is preferred");
    repo.data("share", json!({"prefer": "ours"}));
    assert_eq!(repo.read(&path).unwrap(), good);
    assert_eq!(search()["basis"]["state"], "fresh");
}
