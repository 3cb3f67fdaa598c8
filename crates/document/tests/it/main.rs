//! What the crate promises, from the outside.

mod edits;
mod laws;
mod reading;
