//! C#.

mod descriptor;
#[cfg(feature = "csharp")]
mod grammar;
#[cfg(all(test, feature = "csharp"))]
mod tests;

pub(crate) use descriptor::DESCRIPTOR;
