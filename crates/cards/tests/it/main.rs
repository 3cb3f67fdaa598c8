//! What the crate promises, from the outside.
