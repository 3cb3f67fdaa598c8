//! The repository itself: setting cairn up, its state, its backups, undo and redo.

use crate::story::{self, Step, show, show_case};

pub const STEPS: &[Step] = &[
    show("version"),
    show("help"),
    show_case("operation", "help impact"),
    show_case("group", "help kb"),
    show_case("words", "help kb.upsert"),
    show_case("unknown", "help impacts"),
    show("overview"),
    show("status"),
    show("sync"),
    show_case("full", "sync --full"),
    show_case("dry_run", "init --dry-run"),
    show("init --agents claude"),
    show_case("again", "init --agents claude"),
    show("doctor"),
    show_case("silent", "hook post-commit"),
    show_case("agent", "hook session-start"),
    show("uninstall"),
    show_case("nothing", "undo --change 99"),
    Step::Run("card status pay/refund implementing"),
    show("undo"),
    show("redo"),
    show_case("nothing", "redo"),
    Step::Replace(".cairn/cards/pay/refund.card.md", "spec::pay/capture", "spec::pay/captures"),
    Step::Git(&["add", "-A"]),
    Step::Write(".base", "---\nkey: spec::a\nsummary: A\nstatus: draft\n---\n"),
    Step::Write(".ours", "---\nkey: spec::a\nsummary: Ours\nstatus: draft\n---\n"),
    Step::Write(".theirs", "---\nkey: spec::a\nsummary: Theirs\nstatus: accepted\n---\n"),
    show("merge-file .base .ours .theirs a.card.md"),
    show("hook pre-commit"),
    show("baseline"),
    show_case("empty", "backup --list"),
    Step::Run("work create project Shop"),
    Step::Run(
        "knowledge create atom Webhooks --paths src/pay/webhook.ts --knowledge 'Handlers are idempotent'",
    ),
    show("backup"),
    show_case("keep", "backup --keep 0"),
    show_case("list", "restore"),
    show("restore work"),
    show("share"),
    show_case("again", "share"),
];

#[test]
fn setup() {
    story::run(STEPS);
}
