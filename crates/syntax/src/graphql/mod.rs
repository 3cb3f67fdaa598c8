//! GraphQL: schemas, and documents with operations.

mod descriptor;
#[cfg(feature = "graphql")]
mod grammar;
#[cfg(all(test, feature = "graphql"))]
mod tests;

pub(crate) use descriptor::DESCRIPTOR;
