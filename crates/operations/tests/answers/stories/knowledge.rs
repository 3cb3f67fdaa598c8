//! Knowledge: atoms about paths, the molecules that group them, and their changelog.

use crate::story::{self, Step, show, show_case};

pub const STEPS: &[Step] = &[
    Step::Run("work create project Shop"),
    show_case(
        "molecule",
        "knowledge create molecule Payments --knowledge 'Everything that moves money'",
    ),
    show(
        "knowledge create atom Webhooks --paths src/pay/webhook.ts --knowledge 'Handlers are idempotent' --molecule Payments",
    ),
    Step::Run("knowledge create atom Rates --paths rates/** --knowledge 'Rates are fractions'"),
    show("knowledge context src/pay/webhook.ts,src/http/server.ts"),
    show("knowledge show Webhooks"),
    show("knowledge search idempotent"),
    show_case("none", "knowledge search chargeback"),
    Step::Replace("src/pay/webhook.ts", "return true;", "return !!payment;"),
    show("knowledge drift"),
    show(
        "knowledge update Webhooks --version 1 --mode append --knowledge 'The order id is the key'",
    ),
    show("changelog append Webhooks 'The provider resends for a day'"),
    show("changelog search Webhooks"),
    show("knowledge delete Payments --version 1"),
];

#[test]
fn knowledge() {
    story::run(STEPS);
}
