//! `code edit`: text replaced inside symbols and files, several places as one change.

use base::ProblemCode;
use serde_json::json;
use testkit::{TestRepo, check};

const SHOP: &str = "
//- src/pay.ts
export function charge(amount: number): boolean {
  return amount > 0;
}

export function refund(amount: number): boolean {
  return amount > 0;
}
//- docs/pay.md
# Payments

Amounts are whole numbers.
";

#[test]
fn an_edit_stays_inside_its_symbol() {
    check(
        &TestRepo::new(SHOP),
        "code edit src/pay.ts#refund --old \"amount > 0\" --new \"amount >= 0\" --dry-run",
        "
        Edited 1 place in 1 file
        @@ -3,5 +3,5 @@
         }

         export function refund(amount: number): boolean {
        -  return amount > 0;
        +  return amount >= 0;
         }
        parsed: no new syntax errors

        Dry run: nothing was written
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn several_edits_are_one_change_that_is_undone_at_once() {
    let repo = TestRepo::new(SHOP);
    let before = [repo.read("src/pay.ts"), repo.read("docs/pay.md")];
    let edits = json!([
        {"target": "src/pay.ts", "pattern": "amount > (\\d)", "new": "amount >= $1", "count": 2},
        {"target": "docs/pay.md", "lines": "3-3", "new": "Amounts are never negative."},
        {"target": "src/new.ts", "new": "export const LIMIT = 3;\n"},
    ]);
    let data = repo.data("code.edit", json!({"edits": edits}));
    assert_eq!(data["files"], json!(["docs/pay.md", "src/new.ts", "src/pay.ts"]));
    assert!(repo.read("src/pay.ts").unwrap().matches("amount >= 0").count() == 2);
    assert_eq!(
        repo.read("docs/pay.md").unwrap().lines().last(),
        Some("Amounts are never negative.")
    );
    assert_eq!(repo.read("src/new.ts").as_deref(), Some("export const LIMIT = 3;\n"));
    repo.data("undo", json!({}));
    assert_eq!([repo.read("src/pay.ts"), repo.read("docs/pay.md")], before);
    assert_eq!(repo.read("src/new.ts"), None);
}

#[test]
fn what_cannot_be_done_is_refused_and_nothing_is_written() {
    let repo = TestRepo::new(SHOP);
    let before = repo.read("src/pay.ts");
    let refused = |args: serde_json::Value| repo.call_op("code.edit", args).unwrap_err().code;
    let edit = |old: &str, new: &str| json!({"target": "src/pay.ts", "old": old, "new": new});
    assert_eq!(refused(edit("amount > 0", "x")), ProblemCode::Ambiguous);
    assert_eq!(refused(edit("amuont > 0", "x")), ProblemCode::NotFound);
    assert_eq!(
        refused(edit("charge(amount: number): boolean {", "charge(")),
        ProblemCode::SyntaxError
    );
    assert_eq!(refused(edit("", "x")), ProblemCode::ValidationError);
    assert_eq!(refused(json!({"target": "src/pay.ts", "new": "x"})), ProblemCode::ValidationError);
    assert_eq!(refused(json!({"target": "../out.ts", "new": "x"})), ProblemCode::OutsideRepository);
    assert_eq!(refused(json!({"edits": [{"old": "x"}]})), ProblemCode::ValidationError);
    assert_eq!(refused(json!({})), ProblemCode::ValidationError);
    let half = json!([
        {"target": "docs/pay.md", "old": "whole", "new": "half"},
        {"target": "src/pay.ts", "old": "nowhere", "new": "x"},
    ]);
    assert_eq!(refused(json!({"edits": half})), ProblemCode::NotFound);
    assert_eq!(repo.read("src/pay.ts"), before);
    assert!(repo.read("docs/pay.md").unwrap().contains("whole"));
}
