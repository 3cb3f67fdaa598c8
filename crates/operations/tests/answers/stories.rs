//! The stories, one file each, and the list of them.

mod cards;
mod code;
mod history;
mod kb;
mod knowledge;
mod questions;
mod servers;
mod setup;
mod team;
mod work;

use crate::story::Step;

/// Every story.
pub const STORIES: &[&[Step]] = &[
    cards::STEPS,
    code::STEPS,
    history::STEPS,
    kb::STEPS,
    knowledge::STEPS,
    questions::STEPS,
    servers::STEPS,
    setup::STEPS,
    team::STEPS,
    work::STEPS,
];
