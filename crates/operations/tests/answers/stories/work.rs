//! Work: projects, features and tasks.

use crate::story::{self, Step, show, show_case};

pub const STEPS: &[Step] = &[
    show_case("none", "work next"),
    show_case("project", "work create project Shop --summary 'Sells things'"),
    show("work create feature Refunds --summary 'Money goes back' --tags pay --priority HIGH"),
    show_case(
        "task",
        "work create task 'Refund orders' --feature Refunds --priority HIGH --complexity 4 --tags pay,back-end --templates Task",
    ),
    Step::Run("work create task 'Tell customers' --feature Refunds --priority LOW --tags mail"),
    Step::Run("work create task 'Partial refunds' --feature Refunds"),
    show(
        "work section-edit add --owner 'Refund orders' --title 'Related Code' --usage 'Where to start' --content src/pay/gateway.ts",
    ),
    show_case(
        "by-title",
        "work section-edit update --owner 'Refund orders' --title 'Context Files' --content '- `src/pay/gateway.ts` see charge()'",
    ),
    show("work sections 'Refund orders'"),
    show("work depend 'Refund orders' 'Tell customers' --reason 'nothing to tell before'"),
    show("work dependencies 'Refund orders'"),
    show("work next --limit 3"),
    show("work start"),
    show_case("held", "work next"),
    show("work comment 'Refund orders' 'Ask the bank about the fee'"),
    show("work claim"),
    show_case("release", "work claim 'Refund orders' --release"),
    show("work show 'Refund orders' --include-knowledge"),
    show_case("feature", "work show Refunds"),
    show("work search refund"),
    show_case("none", "work search chargeback"),
    show("work blocked"),
    show("work state 'Tell customers'"),
    show_case("blocked", "work advance 'Tell customers'"),
    show("work advance 'Refund orders'"),
    show("work revert 'Refund orders'"),
    show("work done 'Refund orders' --learnt 'Refunds are idempotent by order'"),
    show_case("full", "work show 'Refund orders' --full"),
    show("work block 'Partial refunds' --blocked-by NO_OP --reason 'waits for the provider'"),
    show("work unblock 'Partial refunds'"),
    show("work update 'Partial refunds' --version 1 --priority LOW"),
    show_case("conflict", "work update 'Partial refunds' --version 1 --priority HIGH"),
    show("work terminate 'Partial refunds' --reason 'the provider offers none'"),
    show("work undepend --from 'Refund orders' --to 'Tell customers'"),
    show("work overview"),
    show_case("feature", "work overview Refunds"),
    show("work templates"),
    show_case("one", "work templates Task"),
    show("work template-edit create --name Incident --kind task --description 'What went wrong'"),
    show("work template-apply Task 'Tell customers'"),
    show("work tags"),
    show_case("one", "work tags pay"),
    show("work tag-rename back-end backend"),
    show("work export"),
    show(
        "work plan --text '# Feature: Vouchers\n\nCustomers get vouchers.\n\n## Task: Store vouchers\n\n- priority: HIGH\n- files: src/pay/gateway.ts\n\n### Implementation Plan\n\n1. a table\n\n## Task: Mail vouchers\n\n- blocked by: Store vouchers\n'",
    ),
    show_case(
        "again",
        "work plan --text '# Feature: Vouchers\n\n## Task: Store vouchers\n\n- priority: LOW\n'",
    ),
    show_case("markdown", "work export Vouchers"),
    show("work import --text '# Later\n\n- [ ] Sell gifts #gift\n  - [x] Ask lawyers\n'"),
    show("work board"),
    show("work delete 'Tell customers' --version 1"),
    show_case("unknown", "work show 'Refnd orders'"),
];

#[test]
fn work() {
    story::run(STEPS);
}
