//! Sessions of users.
//! @see spec::auth/session

use std::{fmt::{self, Display as Show}, collections::*};
pub use crate::model::Session;
pub(crate) use super::a as b;
extern crate serde as s;
mod plain;
#[path = "odd/file.rs"]
pub mod odd;

/// A user.
///
/// @see spec::auth/user
#[derive(Debug, Clone)]
pub struct User<T: Show> where T: Clone {
    /// Who
    pub name: String,
    pub(crate) age: u8,
}
pub struct Pair(pub A, B);
/** What it is. */
pub enum Kind { /// One
    A, B(u8), C { x: Vec<User> } }
pub trait Store: Send + Reader<u8> {
    const MAX: usize = 3;
    type Item: Clone;
    /// Gets.
    fn get(&self, key: &str) -> Option<Self::Item>;
    fn all() -> Vec<u8> { vec![] }
}
impl<T> User<T> {
    pub const LIMIT: u8 = 1;
    /// Makes one.
    pub async fn new(
        name: String, // who
    ) -> Self { todo!() }
    fn helper(&mut self) {}
}
impl fmt::Display for User<u8> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { Ok(()) }
}
impl fmt::Debug for User<u8> { fn fmt(&self) {} }
// @see spec::not/this
pub(in crate::a) static mut COUNT: u32 = 0;
pub type Alias = Vec<User>;
#[macro_export]
macro_rules! make { () => {} }
pub const TEXT: &str = "/// @see spec::in/string";
#[cfg(test)]
mod tests {
    use super::*;
    #[tokio::test]
    async fn works() { fn inner() {} }
}
