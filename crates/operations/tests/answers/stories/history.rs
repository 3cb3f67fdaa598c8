//! History: how files got here.

use crate::story::{self, Step, show, show_case};

pub const STEPS: &[Step] = &[
    show("history list --path src"),
    show("history show src/pay/gateway.ts --ref HEAD~2"),
    show("history provenance src/pay/gateway.ts"),
    show_case("symbol", "history provenance src/pay/retry.ts#RETRY_LIMIT --newest"),
    show("history tags"),
    show("history cochange src/pay/webhook.ts"),
    show_case("one-commit", "history cochange ledger/ledger.go"),
    show("history hotspots"),
    show("history owners src"),
    show("history notes"),
    show("history snapshot"),
    show("history snapshots --verify"),
    show("history restore"),
];

#[test]
fn history() {
    story::run(STEPS);
}
