//! Go.

mod build_constraints;
mod descriptor;
#[cfg(feature = "go")]
mod grammar;
mod package_name;
mod predeclared;
#[cfg(all(test, feature = "go"))]
mod tests;
#[cfg(feature = "go")]
mod types;
#[cfg(feature = "go")]
mod values;

pub use build_constraints::GoBuildSet;
pub use predeclared::is_predeclared;

pub(crate) use descriptor::DESCRIPTOR;
