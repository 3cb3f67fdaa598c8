//! Repositories of unusual shape: parts that are other repositories, parts that are not checked
//! out, none checked out, and names that differ by their case alone.

use base::ProblemCode;
use serde_json::{Value, json};
use testkit::{TestRepo, assert_incremental_equals_full};

/// Every file of a repository.
fn files(repo: &TestRepo) -> Vec<String> {
    let listed = repo.data("code.list", json!({"recursive": true, "limit": 1000}));
    let nodes =
        listed["entries"].as_array().unwrap().iter().map(|row| row["node"].as_str().unwrap());
    let paths = nodes.filter_map(|node| node.split_once(':').filter(|(kind, _)| *kind != "dir"));
    let mut paths: Vec<String> = paths.map(|(_, path)| path.to_owned()).collect();
    paths.sort();
    paths
}

fn facts(repo: &TestRepo) -> Vec<String> {
    let found = repo.data("kb.query", json!({"type": "fact"}));
    let rows = found["entities"].as_array().unwrap();
    rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

fn fact(id: &str) -> Value {
    json!({"entities": [{"id": id, "type": "fact", "title": "t"}]})
}

#[test]
fn a_submodule_is_another_repository() {
    let lib = TestRepo::new("//- lib.ts\nexport function lib() {}\n");
    let repo = TestRepo::new("//- app.ts\nexport function app() {}\n");
    repo.git(&["submodule", "add", "-q", lib.root().to_str().unwrap(), "vendor/lib"]);
    repo.commit("with a submodule");
    assert_eq!(files(&repo), [".gitmodules", "app.ts"]);
    assert_incremental_equals_full(&repo.workspace(), "with a submodule");
    // The submodule has its own index and stores, and those of its parent are not changed.
    let inner = TestRepo::existing(&repo.root().join("vendor/lib"));
    assert_eq!(files(&inner), ["lib.ts"]);
    inner.data("kb.upsert", fact("FACT-inner"));
    repo.data("kb.upsert", fact("FACT-outer"));
    assert_eq!(
        (facts(&inner), facts(&repo)),
        (vec!["FACT-inner".into()], vec!["FACT-outer".into()])
    );
    // Another commit of the submodule is a change to the parent, but its files are still not read.
    inner.write("more.ts", "export function more() {}\n");
    inner.commit("more");
    assert_eq!(files(&repo), [".gitmodules", "app.ts"]);
    assert_incremental_equals_full(&repo.workspace(), "with a moved submodule");
}

#[test]
fn a_repository_inside_another_is_left_to_itself() {
    let repo = TestRepo::new("//- app.ts\nexport function app() {}\n");
    repo.write("inner/own.ts", "export function own() {}\n");
    assert_eq!(files(&repo), ["app.ts", "inner/own.ts"]);
    repo.git(&["init", "-q", "-b", "main", "inner"]);
    assert_eq!(files(&repo), ["app.ts"], "what became a repository is no part of this one");
    let inner = TestRepo::existing(&repo.root().join("inner"));
    assert_eq!(files(&inner), ["own.ts"]);
    repo.remove("inner/.git");
    assert_eq!(files(&repo), ["app.ts", "inner/own.ts"]);
    assert_incremental_equals_full(&repo.workspace(), "after an inner repository");
}

#[test]
fn what_a_sparse_checkout_leaves_out_is_not_there() {
    let repo = TestRepo::new(
        "//- a/one.ts\nexport function one() {}\n//- b/two.ts\nexport function two() {}\n//- top.md\n# T\n",
    );
    repo.git(&["sparse-checkout", "set", "a"]);
    assert_eq!(files(&repo), ["a/one.ts", "top.md"]);
    let edited = || repo.call_op("status", json!({})).unwrap().basis.edited;
    assert_eq!(edited(), Some(0), "what is left out was not deleted");
    repo.remove("a/one.ts");
    assert_eq!(edited(), Some(1), "what is deleted was");
    repo.git(&["checkout", "-q", "--", "a/one.ts"]);
    assert_eq!(repo.code("context", json!({"targets": ["b/two.ts"]})), ProblemCode::NotFound);
    repo.git(&["sparse-checkout", "disable"]);
    assert_eq!(files(&repo), ["a/one.ts", "b/two.ts", "top.md"]);
    assert_incremental_equals_full(&repo.workspace(), "after a sparse checkout");
}

#[test]
fn worktrees_of_a_bare_repository_share_their_stores() {
    let repo = TestRepo::new("//- app.ts\nexport function app() {}\n");
    let bare = TestRepo::without_git("//- x\n");
    bare.remove("x");
    repo.git(&["clone", "-q", "--bare", ".", bare.root().join("r.git").to_str().unwrap()]);
    let store = TestRepo::existing(&bare.root().join("r.git"));
    for (name, branch) in [("one", "main"), ("two", "other")] {
        let place = bare.root().join(name);
        let flag = if branch == "main" { "-q" } else { "-qb" };
        let args: Vec<&str> = match branch {
            "main" => vec!["worktree", "add", flag, place.to_str().unwrap(), branch],
            _ => vec!["worktree", "add", flag, branch, place.to_str().unwrap()],
        };
        store.git(&args);
    }
    let (one, two) = (
        TestRepo::existing(&bare.root().join("one")),
        TestRepo::existing(&bare.root().join("two")),
    );
    assert_eq!((files(&one), files(&two)), (vec!["app.ts".into()], vec!["app.ts".into()]));
    one.data("kb.upsert", fact("FACT-1"));
    assert_eq!(facts(&two), ["FACT-1"], "a branch without a store reads the default branch's");
    two.data("kb.upsert", fact("FACT-2"));
    assert_eq!((facts(&one), facts(&two).len()), (vec!["FACT-1".into()], 2));
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_differ_by_case_are_two() {
    let repo = TestRepo::new(
        "//- src/Pay.ts\nexport function big() {}\n//- src/pay.ts\nexport function small() {}\n\
         //- use.ts\nimport { big } from './src/Pay';\nimport { small } from './src/pay';\nbig(); small();\n",
    );
    assert_eq!(files(&repo), ["src/Pay.ts", "src/pay.ts", "use.ts"]);
    let importers = |path: &str| {
        let found = repo.data("code.importers", json!({"path": path}));
        found.to_string().contains("use.ts")
    };
    assert!(importers("src/Pay.ts") && importers("src/pay.ts"));
    repo.rename("src/Pay.ts", "src/PAY.ts");
    assert_eq!(files(&repo), ["src/PAY.ts", "src/pay.ts", "use.ts"]);
    // Branch names too: each branch has its own store, also where file names ignore case.
    repo.data("kb.upsert", fact("FACT-main"));
    for branch in ["Topic", "topic"] {
        repo.git(&["checkout", "-q", "-b", branch, "main"]);
        repo.data("kb.upsert", fact(&format!("FACT-{branch}")));
        assert_eq!(facts(&repo).len(), 2, "{branch}");
    }
    assert_incremental_equals_full(&repo.workspace(), "after a rename by case");
}

#[test]
fn of_two_documents_of_one_id_the_other_stays() {
    let text = |title: &str| {
        format!("---\nid: REQ-1\ntitle: {title}\nstatus: open\npriority: must\n---\n")
    };
    let repo = TestRepo::new("//- a.ts\nexport const a = 1;\n");
    let found = |word: &str| {
        let hits = repo.data("search", json!({"query": word, "kinds": ["kb"]}));
        hits["hits"].as_array().unwrap().len()
    };
    repo.write("docs/requirements/a.md", text("Ferry"));
    repo.write("docs/requirements/b.md", text("Barge"));
    assert_eq!((found("Ferry"), found("Barge")), (1, 0), "the first tells");
    repo.remove("docs/requirements/a.md");
    assert_eq!((found("Ferry"), found("Barge")), (0, 1), "the other stays");
    repo.write("docs/requirements/a.md", text("Ferry"));
    assert_eq!((found("Ferry"), found("Barge")), (1, 0));
    assert_incremental_equals_full(&repo.workspace(), "after two documents of one id");
}
