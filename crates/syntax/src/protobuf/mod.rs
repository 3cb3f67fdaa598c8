//! Protocol buffers.

mod descriptor;
#[cfg(feature = "protobuf")]
mod grammar;
#[cfg(all(test, feature = "protobuf"))]
mod tests;

pub(crate) use descriptor::DESCRIPTOR;
