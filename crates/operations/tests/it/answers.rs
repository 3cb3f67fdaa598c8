//! Answers as a reader sees them.

use base::ProblemCode;
use serde_json::json;
use testkit::{TestRepo, check};

fn library() -> TestRepo {
    TestRepo::new(
        "//- README.md
# Payments

Start with [the design](docs/design.md), then [the code](src/pay).
//- docs/design.md
# Design

## Webhooks

Handled in [webhook.ts](../src/pay/webhook.ts#L10) and [gone](../src/old.ts).

## Retries
//- docs/ops.md
# Operations

See [design](design.md).
//- src/pay/webhook.ts
// Receives events and settles orders. More.
export function handleWebhook() {}
//- src/pay/gateway.ts
export function charge() {}
//- test/webhook.test.ts
// Tests of webhooks
",
    )
}

#[test]
fn context_of_a_file() {
    check(
        &library(),
        "context docs/design.md",
        "
        docs/design.md: Design (Markdown, 7 lines)

        Outline
          Webhooks  line 3
          Retries  line 7

        Used by
          links here at line 3  file:README.md
          links here at line 3  file:docs/ops.md

        Open work and recent changes
          last commit just now: start  commit:COMMIT

        Uses
          linked at line 5: src/old.ts, which does not exist
          linked at line 5: Receives events and settles orders (TypeScript, 2 lines)  module:src/pay/webhook.ts

        Nearby
          ops.md  Operations (Markdown, 3 lines)  file:docs/ops.md
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn context_cut_to_a_budget_says_what_is_missing() {
    check(
        &library(),
        "context docs/design.md --budget 60",
        "
        docs/design.md: Design (Markdown, 7 lines)

        Outline
          Webhooks  line 3

        Used by
          links here at line 3  file:README.md

        Omitted to fit the budget: 1 of \"Nearby\", 1 of \"Open work and recent changes\", 1 of \"Outline\", 1 of \"Used by\", 2 of \"Uses\"    cairn context docs/design.md --budget 180
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn impact_and_deps_follow_links() {
    check(
        &library(),
        "impact webhook.ts",
        "
        No caller of src/pay/webhook.ts found; 1 test file reaches it
        file:docs/design.md  links

        2 hops away
          file:README.md  links
          file:docs/ops.md  links

        Tests to run
          test/webhook.test.ts  same name
        basis: fresh · main @ COMMIT
        ",
    );
    check(
        &library(),
        "deps README.md --depth 1",
        "
        README.md depends on 1 folder, 1 file (depth 1)
        dir:src/pay  links
        file:docs/design.md  links
        basis: fresh · main @ COMMIT
        ",
    );
    check(
        &library(),
        "impact src",
        "
        dir:src reaches 3 files (depth 3)
        file:docs/design.md  links

        2 hops away
          file:README.md  links
          file:docs/ops.md  links
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn an_empty_answer_says_that_it_looked() {
    check(
        &library(),
        "impact docs/ops.md",
        "
        docs/ops.md reaches nothing known (depth 3)
        basis: fresh · main @ COMMIT
        ",
    );
    check(
        &library(),
        "search quetzalcoatl",
        "
        No hits for \"quetzalcoatl\" in names, titles, headings and docs
        To search every line of text    cairn code grep quetzalcoatl
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn trace_shows_which_way_edges_point() {
    check(
        &library(),
        "trace docs/ops.md webhook.ts",
        "
        2 hops from file:docs/ops.md to module:src/pay/webhook.ts
        file:docs/ops.md     --links->  file:docs/design.md
        file:docs/design.md  --links->  module:src/pay/webhook.ts
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn subgraph_is_everything_around() {
    check(
        &library(),
        "subgraph src/pay --hops 1",
        "
        4 nodes and 4 edges within 1 hop of dir:src/pay
        file:README.md  links     dir:src/pay
        dir:src         contains  dir:src/pay
        dir:src/pay     contains  module:src/pay/gateway.ts
        dir:src/pay     contains  module:src/pay/webhook.ts
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn names_are_resolved_as_people_write_them() {
    let repo = library();
    let target = |name: &str| {
        repo.data("impact", json!({"target": name}))["target"].as_str().unwrap().to_owned()
    };
    let root = repo.root().display().to_string();
    for name in ["webhook.ts", "./src/pay/webhook.ts", "pay/webhook.ts", "file:src/pay/webhook.ts"]
    {
        assert_eq!(target(name), "module:src/pay/webhook.ts", "{name}");
    }
    assert_eq!(target(&format!("{root}/src/pay/gateway.ts")), "module:src/pay/gateway.ts");
    assert_eq!((target("src/pay/"), target(".")), ("dir:src/pay".into(), "dir:.".into()));
    check(
        &repo,
        "impact webhok.ts",
        "
        NOT_FOUND  nothing is called `webhok.ts`
        hint: did you mean `src/pay/webhook.ts` or `test/webhook.test.ts`?
        ",
    );
    repo.write("lib/webhook.ts", "");
    check(
        &repo,
        "impact webhook.ts",
        "
        AMBIGUOUS  2 things are called `webhook.ts`
          module:lib/webhook.ts      TypeScript, 0 lines
          module:src/pay/webhook.ts  Receives events and settles orders (TypeScript, 2 lines)
        hint: name one of them as written here
        ",
    );
}

#[test]
fn a_path_outside_or_in_a_sibling_is_refused() {
    let repo = library();
    let other = tempfile::tempdir().unwrap();
    let sibling = other.path().join("side");
    repo.git(&["worktree", "add", "-q", sibling.to_str().unwrap()]);
    let code = |target: &str| repo.code("context", json!({"targets": [target]}));
    assert_eq!(code("/etc/passwd"), ProblemCode::OutsideRepository);
    assert_eq!(code("../../etc/passwd"), ProblemCode::OutsideRepository);
    assert_eq!(code(sibling.join("README.md").to_str().unwrap()), ProblemCode::WrongWorktree);
    let near = format!("../{}", sibling.join("README.md").display());
    assert_eq!(code(&near), ProblemCode::OutsideRepository);
    assert_eq!(code(".git/config"), ProblemCode::NotFound);
}

#[test]
fn files_are_listed_and_their_lines_found() {
    let repo = library();
    check(
        &repo,
        "code list --glob *.ts",
        "
        3 entries in .
        module:src/pay/gateway.ts    TypeScript, 1 line
        module:src/pay/webhook.ts    Receives events and settles orders (TypeScript, 2 lines)
        module:test/webhook.test.ts  Tests of webhooks (TypeScript, 1 line)
        basis: fresh · main @ COMMIT
        ",
    );
    check(
        &repo,
        "code grep \"export function \\w+\" src --types typescript",
        "
        2 matches for `export function \\w+` in 2 of 2 files

        src/pay/gateway.ts
            1  export function charge() {}

        src/pay/webhook.ts
            2  export function handleWebhook() {}
        basis: fresh · main @ COMMIT
        ",
    );
    check(
        &repo,
        "code grep design --context 1 --limit 1",
        "
        3 matches for `design` in 3 of 6 files

        README.md
            2
            3  Start with [the design](docs/design.md), then [the code](src/pay).
        …  2 more    cairn code grep design --context 1 --limit 1 --offset 1
        basis: fresh · main @ COMMIT
        ",
    );
    check(
        &repo,
        "code grep \"(\"",
        "
        VALIDATION_ERROR  invalid regular expression `(`: unclosed group
        hint: to search for it literally  cairn code grep '(' --fixed
        ",
    );
    assert_eq!(
        repo.code("code_grep", json!({"pattern": "x", "types": "klingon"})),
        ProblemCode::ValidationError
    );
    assert_eq!(repo.code("code_list", json!({"path": "README.md"})), ProblemCode::ValidationError);
    assert_eq!(repo.data("kart_search", json!({"pattern": "charge", "glob": "*.ts"}))["files"], 1);
}
