//! Code: reading it, finding it, changing it.

use crate::story::{self, Step, show, show_case};

pub const STEPS: &[Step] = &[
    show("code show src/pay/webhook.ts#handleWebhook --with callers,callees,tests,history"),
    show_case("range", "code show rates/src/lib.rs:7-10 reports/totals.py"),
    show("code zoom src/pay"),
    show_case("file", "code zoom rates/src/table.rs --level 1"),
    show("code find charge"),
    show_case("none", "code find handleWebhok"),
    show("code imports src/pay/webhook.ts"),
    show("code importers src/pay/gateway.ts"),
    show_case("none", "code importers reports/monthly.py#nothing"),
    show("code unused"),
    show("code list src --recursive"),
    show_case("none", "code list src --glob *.sql"),
    show("code grep RETRY_LIMIT"),
    show_case("none", "code grep chargeback"),
    show("code references src/pay/gateway.ts#charge"),
    show_case("access", "code references rates/src/table.rs#Rate.numerator --access read,write"),
    show("code definition src/pay/gateway.ts#charge"),
    show_case("index", "code implementation src/pay/gateway.ts#Provider"),
    show_case("no_server", "code hints reports/monthly.py"),
    show("code diagnostics reports"),
    show("code edit src/pay/retry.ts --old 'attempt * 100' --new 'attempt * 250'"),
    show_case("refused", "code edit src/pay/retry.ts --old 'no such text' --new ''"),
    show_case("lines", "code edit src/pay/retry.ts --lines 2-x --new ''"),
    show(
        "code replace src/pay/retry.ts#RETRY_LIMIT --content '/** Attempts. */\nexport const RETRY_LIMIT = 9;'",
    ),
    show(
        "code insert-before src/pay/retry.ts#shouldRetry --content 'export const DELAY_MS = 250;'",
    ),
    show(
        "code insert-after rates/src/table.rs#Rate.apply --content '/// Whether the rate changes nothing.\npub fn is_one(&self) -> bool {\n    self.numerator == self.denominator\n}'",
    ),
    show_case("refused", "code delete src/pay/gateway.ts#charge"),
    show("code delete src/pay/retry.ts#legacyDelay"),
    show("code rename src/pay/retry.ts#shouldRetry mayRetry"),
    show("code move src/pay/retry.ts src/retry.ts"),
    show_case("symbol", "code move src/retry.ts#RETRY_LIMIT src/pay/limits.ts --dry-run"),
    show_case("refused", "code move rates/src/table.rs rates/src/rate.rs"),
];

#[test]
fn code() {
    story::run(STEPS);
}
