//! C++.

mod descriptor;
#[cfg(feature = "cpp")]
mod grammar;
#[cfg(all(test, feature = "cpp"))]
mod tests;

pub(crate) use descriptor::DESCRIPTOR;
