//! `context` for a question: the places that decide it, with their source and what goes with them.

use serde_json::json;
use testkit::{TestRepo, check};

const SHOP: &str = "
//- src/retry.ts
/** How often a failed payment is tried again. */
export const LIMIT = 5;

export function shouldRetry(attempt: number, status: number): boolean {
  if (status < 500) {
    return false;
  }
  return attempt < LIMIT;
}
//- src/checkout.ts
import { shouldRetry } from './retry';

export function checkout(): void {
  for (let attempt = 0; shouldRetry(attempt, 503); attempt += 1) {
    pay();
  }
}

function pay(): void {}
//- src/colors.ts
export function paint(color: string): string {
  return color;
}
//- test/retry.test.ts
import { shouldRetry } from '../src/retry';

test('gives up after the limit of retries', () => {
  shouldRetry(9, 500);
});
//- docs/retries.md
# Retries

A failed payment is tried again up to a limit.
//- examples/retry.ts
// how to limit how often a payment is retried
export function exampleRetry(): void {}
";

#[test]
fn a_question_is_answered_with_source_tests_documents_and_callers() {
    check(
        &TestRepo::new(SHOP),
        "context \"where is it decided whether a failed payment is retried again\"",
        "
        3 places in 2 files match best; start at LIMIT; 1 test file to run

        src/retry.ts
        1  /** How often a failed payment is tried again. */
        2  export const LIMIT = 5;
        4  export function shouldRetry(attempt: number, status: number): boolean {
        5    if (status < 500) {
        6      return false;
        7    }
        8    return attempt < LIMIT;
        9  }

        examples/retry.ts
        1  // how to limit how often a payment is retried
        2  export function exampleRetry(): void {}

        Tests: test/retry.test.ts (calls it, names shouldRetry (2 times), same name)
        Documents
          docs/retries.md:3  A failed payment is tried again up to a limit.
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn production_comes_before_tests_examples_and_documents_unless_they_are_asked_for() {
    let repo = TestRepo::new(SHOP);
    let first = |question: &str| {
        let data = repo.data("context", json!({"targets": [question]}));
        data["places"][0]["node"].as_str().unwrap().to_owned()
    };
    assert_eq!(first("limit of retries for a failed payment"), "module:src/retry.ts");
    assert_eq!(
        first("is there a test that retries give up at the limit"),
        "module:test/retry.test.ts"
    );
    assert_eq!(first("which example shows how to limit retries"), "module:examples/retry.ts");
    assert_eq!(first("documentation about the limit of retries"), "file:docs/retries.md");
}

#[test]
fn other_forms_of_a_word_and_misspelt_names_lead_to_the_code() {
    let repo = TestRepo::new(SHOP);
    let first = |question: &str| {
        let data = repo.data("context", json!({"targets": [question]}));
        data["answer"]["symbols"][0]["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(first("where does it paint with colours or colorings"), "paint");
    assert_eq!(first("why does shuoldRetry give up"), "shouldRetry");
}

#[test]
fn a_true_word_more_takes_no_place_away() {
    let repo = TestRepo::new(SHOP);
    let found = |question: &str| {
        let data = repo.data("context", json!({"targets": [question]}));
        let places = data["places"].as_array().unwrap().clone();
        places.iter().any(|place| place["node"] == "module:src/retry.ts")
    };
    assert!(found("payment tried again"));
    assert!(found("payment tried again status"));
    assert!(found("payment tried again status attempt limit"));
}

#[test]
fn the_budget_is_kept_and_filled() {
    let body: String =
        (0..400).map(|n| format!("  const retryLimit{n} = payment({n});\n")).collect();
    let repo = TestRepo::new("//- README.md\nx\n");
    repo.write("src/big.ts", format!("export function retryPayment(): void {{\n{body}}}\n"));
    for budget in [300_usize, 1200, 4000] {
        let text = repo
            .text(&format!("context \"where is the retry limit of a payment\" --budget {budget}"));
        let tokens = text.len() * 100 / 426;
        assert!(tokens <= budget * 11 / 10, "{tokens} of {budget}");
        assert!(tokens >= budget / 2, "{tokens} of {budget}");
    }
}
