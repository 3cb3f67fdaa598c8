//! PHP.

mod descriptor;
#[cfg(feature = "php")]
mod grammar;
#[cfg(all(test, feature = "php"))]
mod tests;

pub(crate) use descriptor::DESCRIPTOR;
