//! POSIX shell and Bash.

mod descriptor;
#[cfg(feature = "bash")]
mod grammar;
#[cfg(all(test, feature = "bash"))]
mod tests;

pub(crate) use descriptor::DESCRIPTOR;
