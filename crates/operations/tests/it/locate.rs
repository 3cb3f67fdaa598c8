//! Plain words lead to the files they are about.

use serde_json::json;
use testkit::TestRepo;

fn repo() -> TestRepo {
    TestRepo::new(
        "\
//- src/payments/webhook.ts
/** Receives events. */
export function handleWebhook(body: string) { return settleOrder(body) }
function settleOrder(order: string) { return order + ' is settled twice' }
//- src/payments/gateway.ts
export class Gateway { charge(amount: number) { return amount } }
//- tests/webhook.test.ts
// webhook webhook webhook settled twice order event
import { handleWebhook } from '../src/payments/webhook'
handleWebhook('order')
//- docs/guide.md
# Orders

An order is settled once.
",
    )
}

#[test]
fn a_sentence_leads_to_files_and_what_is_near_them() {
    let repo = repo();
    let places = |text: &str| -> Vec<String> {
        let data = repo.data("context", json!({"targets": [text]}));
        let places = data["places"].as_array().unwrap();
        places.iter().map(|place| place["node"].as_str().unwrap().to_owned()).collect()
    };
    let first = places("an order is settled twice when the webhook is sent again");
    assert_eq!(first[0], "module:src/payments/webhook.ts", "{first:?}");
    assert_eq!(places("why does `charge` fail for a Gateway")[0], "module:src/payments/gateway.ts");
    let named = places("it fails in /home/me/app/src/payments/gateway.ts:3, order settled");
    assert_eq!(named[0], "module:src/payments/gateway.ts");
    let text = repo.text("context \"an order is settled twice when the webhook is sent again\"");
    assert!(text.starts_with("2 places in 1 file match best; start at "), "{text}");
}

#[test]
fn long_short_and_empty_questions_are_answered_or_refused() {
    let repo = repo();
    let long = "the order is settled twice; ".repeat(400);
    assert!(repo.call_op("context", json!({"targets": [long], "budget": 50})).is_ok());
    let data = repo.data("search", json!({"query": long}));
    assert_eq!(data["hits"][0]["node"], "module:src/payments/webhook.ts");
    assert_eq!(repo.code("context", json!({"targets": ["zzz qqq"]})), base::ProblemCode::NotFound);
    assert_eq!(
        repo.code("context", json!({"targets": ["what is it"]})),
        base::ProblemCode::NotFound
    );
}
