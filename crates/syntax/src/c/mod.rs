//! C, and what C++ shares with it.

mod descriptor;
#[cfg(feature = "c")]
pub(crate) mod grammar;
#[cfg(all(test, feature = "c"))]
mod tests;

pub(crate) use descriptor::{DESCRIPTOR, GENERATED_SUFFIXES, SEMANTICS, TOOLS};
