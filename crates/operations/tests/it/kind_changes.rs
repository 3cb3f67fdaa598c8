//! Files that became something else: a folder, a link, a pipe. Everything else is still compared.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::json;
use testkit::{TestRepo, assert_incremental_equals_full};

const SHOP: &str = "
//- src/a.ts
export const a = 1;
//- src/other.ts
export const other = 1;
//- lib/b.ts
export const b = 1;
//- README.md
[a](src/a.ts) [b](lib/b.ts)
";

/// The text of a review, with single spaces.
fn review(repo: &TestRepo, args: &str) -> String {
    let told = repo.text(&format!("review {args}"));
    told.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect()
}

fn assert_fixes(repo: &TestRepo) {
    let fixed = repo.call_op("fix", json!({}));
    assert!(fixed.is_ok(), "{:?}", fixed.err());
}

#[test]
fn a_file_that_became_a_folder_and_the_reverse_are_reviewed() {
    let repo = TestRepo::new(SHOP);
    repo.remove("src/a.ts");
    repo.write("src/a.ts/c.ts", "export const c = 1;\n");
    repo.remove("lib");
    repo.write("lib", "plain\n");
    repo.write("src/other.ts", "export const other = 2;\n");
    let expected = [
        "lib/b.ts b (removed)",
        "src/a.ts a (removed)",
        "src/a.ts/c.ts c (added)",
        "src/other.ts other (signature changed)",
        "lib added",
    ];
    let assert_told = |told: &str| {
        let missing: Vec<_> = expected.iter().filter(|line| !told.contains(**line)).collect();
        assert!(missing.is_empty(), "{missing:?} not in\n{told}");
    };
    assert_told(&review(&repo, ""));
    assert_told(&review(&repo, "HEAD"));
    assert_fixes(&repo);
    assert_incremental_equals_full(&repo.workspace(), "after files became folders");
    repo.git(&["add", "-A"]);
    assert_told(&review(&repo, "--staged"));
    repo.commit("other kinds");
    assert_told(&review(&repo, "HEAD~1..HEAD"));
    assert_told(&review(&repo, "HEAD~1"));
    assert_fixes(&repo);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "there is no other way to make a pipe")]
fn a_file_that_became_a_link_or_a_pipe_is_gone() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.ts"), "export const secret = 1;\n").unwrap();
    let targets =
        [outside.path().join("secret.ts"), "other.ts".into(), "a.ts".into(), "nothing".into()];
    for target in targets.iter().map(Some).chain([None]) {
        let repo = TestRepo::new(SHOP);
        let file = repo.root().join("src/a.ts");
        fs::remove_file(&file).unwrap();
        match target {
            Some(target) => symlink(target, &file).unwrap(),
            None => assert!(Command::new("mkfifo").arg(&file).status().unwrap().success()),
        }
        for args in ["", "HEAD"] {
            let told = review(&repo, args);
            assert!(told.contains("src/a.ts a (removed)"), "{target:?}: {told}");
            assert!(!told.contains("secret"), "{told}");
        }
        assert_fixes(&repo);
        assert_incremental_equals_full(&repo.workspace(), "after a file became a link");
    }
}
