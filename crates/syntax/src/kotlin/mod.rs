//! Kotlin.

mod descriptor;
#[cfg(feature = "kotlin")]
mod grammar;
#[cfg(all(test, feature = "kotlin"))]
mod tests;

pub(crate) use descriptor::DESCRIPTOR;
