//! Lua. A module is the table that a file returns.

mod descriptor;
#[cfg(feature = "lua")]
mod grammar;
#[cfg(all(test, feature = "lua"))]
mod tests;
#[cfg(feature = "lua")]
mod values;

pub(crate) use descriptor::DESCRIPTOR;
