//! Edges between symbols of several files.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod calls;
mod golang;
mod javascript;
mod languages;
mod made_functions;
mod program;
mod python;
mod runaway;
mod schemas;
mod truth;
