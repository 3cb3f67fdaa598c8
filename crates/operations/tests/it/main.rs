//! The operations, asked as callers ask them, on real repositories.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod answers;
mod basis;
mod branches;
mod cards;
mod code;
mod contract;
mod damage;
mod day;
mod edits;
mod explain;
mod fix;
mod freshness;
mod hardening;
mod history;
mod history_gaps;
mod history_questions;
mod imports;
mod kb;
mod killed;
mod kind_changes;
mod locate;
mod naming;
mod odd_questions;
mod plans;
mod questions;
mod review;
mod seed_fields;
mod seed_graph;
mod seed_work;
mod servers;
mod setup;
mod shapes;
mod shared_facts;
mod shared_knowledge;
mod show;
mod snapshots;
mod soak;
mod spec_links;
mod text_edits;
mod undo;
mod unheard;
mod verify;
mod work;
