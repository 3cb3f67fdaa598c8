//! The knowledge base on a store of its own: changesets, the log, shared files, and rules.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod changesets;
mod kb_store;
mod laws;
mod rules;
mod stored;
