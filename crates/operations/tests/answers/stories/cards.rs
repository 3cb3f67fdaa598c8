//! Cards, the links from code to them, and the relations between them.

use crate::story::{self, Step, show, show_case};

pub const STEPS: &[Step] = &[
    show("card list"),
    show_case("none", "card list --tags unknown"),
    show("card show pay/capture"),
    show("card relations pay/capture"),
    show("card coverage"),
    show_case("one", "card coverage pay/capture"),
    show("card unlinked"),
    show(
        "card create spec::pay/payout --summary 'Payouts leave once a day' --tags pay --body 'At midnight.'",
    ),
    show("card update pay/payout --summary 'Payouts leave every night'"),
    show("card diff pay/payout"),
    show_case("unchanged", "card diff pay/capture"),
    Step::Run("card update pay/refund --summary 'A refund never exceeds its payment'"),
    show_case("changed", "card diff pay/refund"),
    Step::Run("undo"),
    show("card draft src/pay/gateway.ts#refund --key spec::pay/drafted"),
    show("card status pay/payout accepted"),
    show("link add src/pay/gateway.ts#refund pay/refund"),
    show_case("again", "link add src/pay/gateway.ts#refund pay/refund"),
    show("confirm src/pay --only open --why 'read both; the limits are the same'"),
    show("matrix"),
    show_case("gate", "matrix --open --gate"),
    show_case("csv", "matrix --format csv"),
    show_case("again", "confirm --all --why 'nothing changed'"),
    show("link remove src/pay/gateway.ts#refund spec::pay/refund"),
    show("relation add pay/payout pay/capture references"),
    show_case("self", "relation add pay/payout pay/payout references"),
    show("relation remove pay/payout pay/capture references"),
    show("card rename pay/capture spec::pay/settle"),
    show_case("refused", "card delete pay/settle"),
    show("card delete pay/settle --unlink"),
    show_case("unknown", "card show pay/settled"),
];

#[test]
fn cards() {
    story::run(STEPS);
}
