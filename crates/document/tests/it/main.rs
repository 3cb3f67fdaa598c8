//! Tests of the crate's public functions.

mod edits;
mod laws;
mod reading;
