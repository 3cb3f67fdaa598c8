//! Questions about named files are answered before there is an index.

use engine::Workspace;
use testkit::{TestRepo, call, text_of};

const SHOP: &str = "
//- src/pay.ts
/** Takes money. */
export function charge(amount: number): boolean {
  return check(amount);
}

function check(amount: number): boolean {
  return amount > 0;
}
//- src/settle.ts
import { charge } from './pay';

export function settle(): boolean {
  return charge(3);
}
";

/// A repository with so many files that its index takes a while.
fn large_shop() -> TestRepo {
    let repo = TestRepo::new(SHOP);
    for number in 0..120 {
        repo.write(&format!("src/goods/f{number}.ts"), format!("export const n{number} = 1;\n"));
    }
    repo.commit("many goods");
    repo
}

fn early(repo: &TestRepo) -> Workspace {
    repo.workspace().with_index_builder()
}

const WHY: &str = "the first index is still being built; this answer is based on src/pay.ts only";

#[test]
fn named_files_are_answered_from_themselves() {
    let repo = large_shop();
    let workspace = early(&repo);
    for line in [
        "code show src/pay.ts#charge",
        "code show src/pay.ts:2-4",
        "code zoom src/pay.ts",
        "code imports src/pay.ts",
        "context src/pay.ts",
        "context module:src/pay.ts",
        "impact src/pay.ts#check",
    ] {
        let text = text_of(&workspace, line);
        assert!(text.contains(WHY), "{line}: {text}");
        assert!(workspace.index_path().is_none(), "{line} waited for the index");
    }
    let text = text_of(&workspace, "impact src/pay.ts#check");
    assert!(text.contains("1 caller in 1 file"), "the calls of the file itself are known: {text}");
    assert!(workspace.needs_index_builder(&call()));
}

#[test]
fn the_source_is_that_of_the_whole_index() {
    let repo = large_shop();
    let line = "code show src/pay.ts#check";
    let soon = text_of(&early(&repo), line);
    repo.workspace().sync(false, &call()).unwrap();
    let later = text_of(&early(&repo), line);
    let source = |text: &str| text.lines().filter(|line| line.contains('|')).count();
    assert!(!later.contains(WHY), "{later}");
    assert!(source(&later) > 0 || later.contains("amount > 0"), "{later}");
    let first = |text: &str| text.lines().take(3).map(ToOwned::to_owned).collect::<Vec<_>>();
    assert_eq!(first(&soon), first(&later));
}

#[test]
fn an_edited_file_is_shown_as_it_is() {
    let repo = large_shop();
    repo.write("src/pay.ts", "export function refund(): void {}\n");
    let text = text_of(&early(&repo), "code zoom src/pay.ts");
    assert!(text.contains("refund") && text.contains(WHY), "{text}");
}

#[test]
fn other_questions_wait_for_the_index() {
    let repo = large_shop();
    for line in [
        "code find settle",
        "context settle",
        "context src/pay.ts settle",
        "code show src/settle.ts#nothing",
        "code zoom src",
        "impact src/gone.ts",
    ] {
        let workspace = early(&repo);
        let text = text_of(&workspace, line);
        assert!(!text.contains("answered from"), "{line}: {text}");
        assert!(workspace.index_path().is_some(), "{line}");
        std::fs::remove_dir_all(repo.root().join(".cairn/cache")).unwrap();
    }
}

#[test]
fn a_small_repository_and_one_that_nobody_indexes_wait() {
    let small = TestRepo::new(SHOP);
    let text = text_of(&early(&small), "code zoom src/pay.ts");
    assert!(!text.contains("answered from"), "{text}");
    let large = large_shop();
    let text = large.text("code zoom src/pay.ts");
    assert!(!text.contains("answered from"), "{text}");
}

#[test]
fn a_tracked_file_that_rules_hide_waits() {
    let repo = large_shop();
    repo.write(".gitignore", "hidden.ts\n");
    repo.write("src/hidden.ts", "export const secret = 1;\n");
    repo.git(&["add", "-f", "src/hidden.ts"]);
    let text = text_of(&early(&repo), "code zoom src/hidden.ts");
    assert!(text.contains("secret") && !text.contains("answered from"), "{text}");
}

#[test]
fn a_hook_of_an_agent_does_not_wait_for_the_first_index_of_a_large_repository() {
    let repo = large_shop();
    let workspace = early(&repo);
    assert_eq!(text_of(&workspace, "hook after-edit"), "");
    assert_eq!(text_of(&workspace, "hook before-edit"), "");
    assert!(workspace.index_path().is_none(), "a hook waited for the index");
    assert!(workspace.needs_index_builder(&call()));
    // In a repository of this size, the hook at the start of a session waits for the index.
    let overview = text_of(&workspace, "hook session-start");
    assert!(overview.contains("122 files"), "{overview}");

    let repo = TestRepo::new(SHOP);
    for number in 0..1500 {
        repo.write(&format!("src/goods/with/a/long/name/f{number}.ts"), "export const n = 1;\n");
    }
    repo.commit("many more goods");
    let workspace = early(&repo);
    let said = text_of(&workspace, "hook session-start");
    assert!(said.starts_with("cairn reads this repository for the first time"), "{said}");
    assert!(workspace.index_path().is_none(), "the start of a session waited for the index");
    assert!(workspace.needs_index_builder(&call()));
}
