//! Ruby.

mod descriptor;
#[cfg(feature = "ruby")]
mod grammar;
#[cfg(all(test, feature = "ruby"))]
mod tests;

pub(crate) use descriptor::DESCRIPTOR;
