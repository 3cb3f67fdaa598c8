//! No text is parsed twice: not on the way to a branch and back, not in a new worktree.

use std::fs;

use serde_json::json;
use testkit::{TestRepo, assert_incremental_equals_full, call};

/// How many texts have ever been parsed here, counted in the shared cache.
fn parsed(repo: &TestRepo) -> i64 {
    let facts = repo.root().join(".git/cairn/cache/facts.sqlite");
    let facts = store::open_read_only(&facts).unwrap();
    facts.query_row("SELECT count(*) FROM fact", [], |row| row.get(0)).unwrap()
}

/// Adds a trigger that records every text that is parsed from now on.
fn seal(repo: &TestRepo) {
    let facts = repo.root().join(".git/cairn/cache/facts.sqlite");
    let store = store::open(&facts, store::Durability::Derived).unwrap();
    let refuse = "CREATE TABLE IF NOT EXISTS parsed (hash BLOB);
        CREATE TRIGGER noticed AFTER INSERT ON fact BEGIN
            INSERT INTO parsed VALUES (new.hash); END;";
    store.connection().execute_batch(refuse).unwrap();
}

fn parsed_since(repo: &TestRepo) -> i64 {
    let facts = repo.root().join(".git/cairn/cache/facts.sqlite");
    let facts = store::open_read_only(&facts).unwrap();
    facts.query_row("SELECT count(*) FROM parsed", [], |row| row.get(0)).unwrap()
}

fn many(repo: &TestRepo, word: &str) {
    for n in 0..500 {
        let text = format!("// {word} {n}\nexport function {word}{n}() {{ return {n}; }}\n");
        repo.write(&format!("src/d{}/f{n}.ts", n % 20), text);
    }
}

#[test]
fn a_switch_across_500_files_is_right_at_once_and_the_way_back_parses_nothing() {
    let repo = TestRepo::new("//- README.md\n# Start\n");
    many(&repo, "old");
    repo.commit("old");
    repo.git(&["checkout", "-q", "-b", "side"]);
    many(&repo, "new");
    repo.commit("new");
    let has = |name: &str| {
        let data = repo.data("code.find", json!({"name": name}));
        data["symbols"].as_array().is_some_and(|all| !all.is_empty())
    };
    assert!(has("new7") && !has("old7"));
    repo.git(&["checkout", "-q", "main"]);
    assert!(has("old7") && !has("new7"), "right at once");
    assert_eq!(parsed(&repo), 1001, "each text once");
    seal(&repo);
    repo.git(&["checkout", "-q", "side"]);
    assert!(has("new499") && !has("old499"));
    repo.git(&["checkout", "-q", "main"]);
    assert!(has("old499") && !has("new499"));
    assert_eq!(parsed_since(&repo), 0, "there and back parses nothing");
    let other = tempfile::tempdir().unwrap();
    let tree = other.path().join("tree");
    repo.git(&["worktree", "add", "-q", "-b", "third", tree.to_str().unwrap(), "side"]);
    let sibling = TestRepo::existing(&tree);
    let data = sibling.data("code.find", json!({"name": "new499"}));
    assert_eq!(data["symbols"].as_array().map(Vec::len), Some(1));
    assert_eq!(parsed_since(&repo), 0, "a new worktree's first answer parses nothing");
    assert_incremental_equals_full(&repo.workspace(), "after the switches");
}

#[test]
fn a_clock_that_goes_backwards_hides_no_edit() {
    let repo = TestRepo::new("//- a.md\n# One\n");
    repo.workspace().sync(false, &call()).unwrap();
    let file = repo.root().join("a.md");
    for (round, back) in [1_u64, 3600, 86_400 * 365].into_iter().enumerate() {
        repo.write("a.md", format!("# T{round}x\n"));
        let past =
            fs::metadata(&file).unwrap().modified().unwrap() - std::time::Duration::from_secs(back);
        fs::File::options().write(true).open(&file).unwrap().set_modified(past).unwrap();
        let text = repo.text("context a.md");
        assert!(text.starts_with(&format!("a.md: T{round}x ")), "{text}");
    }
}
