//! Java.

mod descriptor;
#[cfg(feature = "java")]
mod grammar;
#[cfg(all(test, feature = "java"))]
mod tests;

pub(crate) use descriptor::DESCRIPTOR;
