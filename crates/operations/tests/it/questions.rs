//! `context` for a question: the places that answer it, with their source and what is related to
//! them.

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
        Documents: docs/retries.md:3
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
fn an_issue_with_a_long_log_is_a_question() {
    let repo = TestRepo::new(SHOP);
    let log = "worker 7 waits for the queue\n".repeat(1_000);
    let question = format!("A failed payment is never tried again.\n\n{log}");
    let data = repo.data("context", json!({"targets": [question]}));
    assert_eq!(data["places"][0]["node"], "module:src/retry.ts");
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

#[test]
fn symbols_that_look_the_same_are_shown_once_and_named() {
    let verb = |verb: &str| {
        format!(
            "/** Adds a route with middleware for {verb}. */\nexport function {}(path: string): Route {{\n  \
             return addRoute('{verb}', path, middleware);\n}}\n\n",
            verb.to_lowercase()
        )
    };
    let verbs: String = ["GET", "POST", "PUT", "PATCH", "HEAD"].iter().map(|v| verb(v)).collect();
    let repo = TestRepo::new("//- README.md\nx\n");
    repo.write(
        "src/routes.ts",
        verbs + "export function encodePath(path: string): string {\n  return path;\n}\n",
    );
    let text = repo.text("context \"reject an encoded path before the middleware of a route\"");
    assert_eq!(text.matches("return addRoute(").count(), 1, "{text}");
    assert!(text.contains("  alike: "), "{text}");
    assert!(text.contains("export function encodePath"), "{text}");
}

#[test]
fn left_out_lines_are_named_where_they_are_and_one_call_shows_just_them() {
    let body: String = (0..200).map(|n| format!("  step({n});\n")).collect();
    let repo = TestRepo::new("//- README.md\nx\n");
    repo.write(
        "src/big.ts",
        format!("export function retryPayment(): void {{\n{body}  failedPayment();\n}}\n"),
    );
    let text = repo.text("context \"where is a failed payment retried\" --budget 300");
    assert!(text.contains("  failedPayment();"), "{text}");
    let hidden = text.lines().find_map(|line| line.strip_prefix("  … ")).unwrap();
    assert!(text.contains(&format!("src/big.ts:{hidden}")), "{text}");
    let shown = repo.text(&format!("code show src/big.ts:{hidden}"));
    let first = hidden.split('-').next().unwrap();
    assert!(shown.contains(&format!("{first}    step(")), "{shown}");
    assert!(!shown.contains("failedPayment"), "{shown}");
}

#[test]
fn a_test_file_named_after_a_word_of_the_symbol_comes_before_one_named_after_the_file() {
    let repo = TestRepo::new(
        "
//- src/client.ts
export function sendHandlingRedirects(): void {}
//- test/client.test.ts
import { sendHandlingRedirects } from '../src/client';

test('sends', () => { sendHandlingRedirects(); });
//- test/redirects.test.ts
import { sendHandlingRedirects } from '../src/client';

test('follows', () => { sendHandlingRedirects(); });
",
    );
    let shown = json!({"targets": ["src/client.ts#sendHandlingRedirects"], "with": ["tests"]});
    let data = repo.data("code.show", shown);
    assert_eq!(data["parts"][0]["tests"][0]["path"], "test/redirects.test.ts");
    assert_eq!(data["parts"][0]["tests"][0]["named_after"], "redirect");
}
