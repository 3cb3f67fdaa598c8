//! Questions across all areas.

use crate::story::{self, Step, show, show_case};

pub const STEPS: &[Step] = &[
    Step::Run("work create project Shop"),
    Step::Run("work create task 'Accept SOFORT payments' --priority HIGH"),
    Step::Run(
        "work section-edit add --owner 'Accept SOFORT payments' --title 'Context Files' --usage files --content src/pay/webhook.ts",
    ),
    Step::Run(
        "knowledge create atom Webhooks --paths src/pay/webhook.ts --knowledge 'Handlers are idempotent'",
    ),
    show("context src/pay/webhook.ts"),
    show_case("symbol", "context src/pay/webhook.ts#handleWebhook"),
    show_case("question", "context 'where is it decided whether a failed charge is tried again'"),
    show("search webhook"),
    show_case("none", "search zebra"),
    show("impact src/pay/gateway.ts#charge"),
    show_case("file", "impact rates/src/table.rs"),
    show_case("none", "impact cmd/books/main.go"),
    show("deps src/http/server.ts#route"),
    show("trace src/http/server.ts#route src/pay/retry.ts#shouldRetry"),
    show_case("none", "trace reports/totals.py ledger/ledger.go --edges calls,imports"),
    show_case("same", "trace reports/totals.py reports/totals.py"),
    show("subgraph spec::pay/capture --hops 1"),
    show("explain src/pay/webhook.ts#handleWebhook"),
    show_case("undocumented", "explain ledger/ledger.go#Balance"),
    show_case("clean", "review"),
    Step::Replace(
        "src/pay/gateway.ts",
        "charge(payment: Payment, provider: Provider)",
        "charge(payment: Payment, provider: Provider, attempts: number)",
    ),
    show("review"),
    Step::Git(&["checkout", "-q", "."]),
    show_case("committed", "verify"),
    Step::Move("src/pay/webhook.ts", "src/pay/events.ts"),
    Step::Replace("src/http/server.ts", "../pay/webhook", "../pay/events"),
    Step::Replace("test/webhook.test.ts", "src/pay/webhook", "src/pay/events"),
    show("verify"),
    show_case("dry_run", "fix --dry-run"),
    show("fix"),
    show_case("done", "fix"),
];

#[test]
fn questions() {
    story::run(STEPS);
}
