//! Tests of the facts of Rust files.

use crate::Language::Rust;
use crate::outline::{check, check_flow};

const ITEMS: &str = r#"//! Sessions of users.
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
"#;

#[test]
fn items_with_their_docs() {
    check(
        Rust,
        ITEMS,
        r#"
        module "Sessions of users.\n@see spec::auth/session"
        module plain :8 `mod plain`
        module odd pub exported @path :10 `pub mod odd`
        struct User pub exported @derive :16 `pub struct User<T: Show> where T: Clone` "A user.\n\n@see spec::auth/user"
        field User.name pub exported :18 `pub name: String` "Who"
        field User.age pub(crate) exported :19 `pub(crate) age: u8`
        struct Pair pub exported :21 `pub struct Pair(pub A, B)`
        field Pair.0 pub exported :21 `A`
        field Pair.1 :21 `B`
        enum Kind pub exported :23 `pub enum Kind` "What it is."
        variant Kind.A pub exported :24 `A` "One"
        variant Kind.B pub exported :24 `B(u8)`
        field Kind.B.0 pub exported :24 `u8`
        variant Kind.C pub exported :24 `C { x: Vec<User> }`
        field Kind.C.x pub exported :24 `x: Vec<User>`
        trait Store pub exported :25 `pub trait Store: Send + Reader<u8>`
        constant Store.MAX pub exported :26 `const MAX: usize = 3`
        type Store.Item pub exported :27 `type Item: Clone`
        method Store.get pub exported abstract :29 `fn get(&self, key: &str) -> Option<Self::Item>` "Gets."
        method Store.all pub exported static :30 `fn all() -> Vec<u8>`
        impl impl User :32 `impl<T> User<T>`
        constant User.LIMIT pub exported :33 `pub const LIMIT: u8 = 1`
        method User.new pub exported async static :35 `pub async fn new(name: String) -> Self` "Makes one."
        method User.helper :38 `fn helper(&mut self)`
        impl impl Display for User :40 `impl fmt::Display for User<u8>`
        method User.fmt@Display pub :41 `fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result`
        impl impl Debug for User :43 `impl fmt::Debug for User<u8>`
        method User.fmt@Debug pub :43 `fn fmt(&self)`
        variable COUNT pub(in crate::a) exported :45 `pub(in crate::a) static mut COUNT: u32 = 0`
        type Alias pub exported :46 `pub type Alias = Vec<User>`
        macro make pub exported @macro_export :48 `macro_rules! make`
        constant TEXT pub exported :49 `pub const TEXT: &str = "/// @see spec::in/string"`
        module tests test @cfg :51 `mod tests`
        function tests.works test async @tokio::test :54 `async fn works()`
        function tests.works.inner test :54 `fn inner()`
        use std fmt
        use std::fmt Display=Show
        use std::collections *
        pubuse crate::model Session
        pubuse super a=b
        externcrate serde *=s
        mod plain plain
        mod odd/file.rs odd
        use super * in tests
        export pubuse Session from crate::model
        export pubuse b=a from super
        Store extends Send
        Store extends Reader<u8>
        impl Display for User implements fmt::Display
        impl Debug for User implements fmt::Debug
        see spec::auth/session on module :2
        see spec::auth/user on User :14
        "#,
    );
}

#[test]
fn values_flow_to_calls() {
    check_flow(
        Rust,
        r#"
fn main(args: Vec<String>, (a, b): (A, B)) -> Result<Out, E> {
    let store: Box<dyn Store> = Store::open(&args)?;
    let user = User { name: make(), age, ..Default::default() };
    user.save().await?;
    if let Some(x) = store.get("k") { x.run(); } else if b.ok() { a.go::<u8>(1) }
    match user.kind { Kind::A => f(), Kind::B(inner) if inner.ok() => inner.call(), other => g(other) };
    for (i, item) in store.items().iter().enumerate() { item.touch(); }
    let f = |y: &User| y.save();
    f(&user);
    let a = a.next();
    { let a = 1; a; }
    println!("{} {}", user.name(), crate::util::show(&store)?);
    assert_eq!(vec![a.clone()], list!(f(x)));
    self::inner::call(<A as T>::make());
    this.field = store.open;
    Out::new(a as Wide)
}
impl A { fn m(&self) -> &B { self.b.n(); Self::s(); self.m() } }
const C: A = A::new();
"#,
        r#"
        param main#0 args: Vec<String>
        param main#1 : (A, B)
        param main.<closure1>#0 y: User
        param A.m#0 self
        main: a = %_1[0]
        main: b = %_1[1]
        main: #0 ~Store::open(%args)
        main: store:Box<Store> = each #0
        main: #1 ~make()
        main: #2 ~Default::default()
        main: #3 new ~User(name=#1, age=~age, ...#2)
        main: user = #3
        main: #4 user.save()
        main: #5 store:Box<Store>.get()
        main: x = each #5
        main?: #6 x.run()
        main?: #7 b.ok()
        main?: #8 a.go()
        main?: #9 ~f()
        main?: inner = user.kind.B.0
        main?: #10 inner.ok()
        main?: #11 inner.call()
        main?: other = user.kind
        main?: #12 ~g(other)
        main: #13 store:Box<Store>.items()
        main: #14 #13.iter()
        main: #15 #14.enumerate()
        main?: i = each #15[0]
        main?: item = each #15[1]
        main?: #16 item.touch()
        main.<closure1>: #17 %y.save()
        main.<closure1>: return #17
        main: f = &main.<closure1>
        main: #18 f(user)
        main: #19 a.next()
        main: a = #19
        main: #20 user.name()
        main: #21 ~crate::util::show(store:Box<Store>)
        main: #22 !~println(?, #20, each #21)
        main: #23 a.clone()
        main: #24 !~vec(#23)
        main: #25 f(~x)
        main: #26 !~list(#25)
        main: #27 !~assert_eq(#24, #26)
        main: #28 ~A::make()
        main: #29 ~self::inner::call(#28)
        main: ~this.field = store:Box<Store>.open
        main: #30 ~Out::new(a:Wide)
        main: return #30
        A.m: #31 this.b.n()
        A.m: #32 ~Self::s()
        A.m: #33 this.m()
        A.m: return #33
        C: #34 ~A::new()
        C: return #34
        "#,
    );
}

#[test]
fn broken_code_gives_what_can_be_read() {
    check(
        Rust,
        "pub fn ok() {}\nfn broken( {\npub struct Fine { a: u8 }\n",
        r#"
        function ok pub exported :1 `pub fn ok()`
        struct Fine pub exported :3 `pub struct Fine`
        field Fine.a :3 `a: u8`
        error 2:1 cannot read `fn broken( {`
        "#,
    );
    check(
        Rust,
        "\u{feff}//! Doc.\r\n\r\n/// One\r\n/// two\r\nfn f() {}\r\n",
        r#"
        module "Doc."
        function f :5 `fn f()` "One\ntwo"
        "#,
    );
}
