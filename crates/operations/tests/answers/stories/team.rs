//! Team commands in a clone that has not joined a team: their answers and refusals.

use crate::story::{self, Step, show, show_case};

pub const STEPS: &[Step] = &[
    show("team status"),
    show("team log"),
    show("team push"),
    show("team leave"),
    show_case("password", "team join postgres://ada:secret@db.example.com/cairn"),
    show_case("not_postgres", "team join https://db.example.com/cairn"),
    show("team join postgres://ada@127.0.0.1:1/cairn"),
];

#[test]
fn team() {
    story::run(STEPS);
}
