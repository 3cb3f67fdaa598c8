//! Swift.

mod descriptor;
#[cfg(feature = "swift")]
mod grammar;
#[cfg(all(test, feature = "swift"))]
mod tests;

pub(crate) use descriptor::DESCRIPTOR;
