//! Functions that macros of Rust make.

use crate::program::check_calls as check;

#[test]
fn a_macro_of_the_file_makes_functions_and_methods() {
    check(
        r#"//- src/lib.rs
pub struct Router;
impl Router { pub fn route(self) -> Self { self } }
macro_rules! top {
    ($name:ident, GET) => { top!(#[doc = "GET"] $name, GET); };
    ($(#[$m:meta])+ $name:ident, $method:ident) => {
        $(#[$m])+
        pub fn $name<H>(handler: H) -> Router where H: Clone { on(stringify!($method), handler) }
    };
}
macro_rules! chained {
    ($name:ident) => { pub fn $name(self) -> Self { self } };
}
top!(get, GET);
impl Router { chained!(post); }
pub fn main() { get(1).route().post(); }
macro_rules! check {
    ($name:ident, $tokens:expr) => { #[test] fn $name() { assert!($tokens); } };
}
check!(first, helper());
fn helper() {}
"#,
        "
        src/lib.rs# calls src/lib.rs#check
        src/lib.rs# calls src/lib.rs#top
        src/lib.rs#first calls src/lib.rs#helper
        src/lib.rs#impl Router~639b calls src/lib.rs#chained
        src/lib.rs#main calls src/lib.rs#get
        src/lib.rs#main calls? src/lib.rs#Router.post
        src/lib.rs#main calls? src/lib.rs#Router.route
        ",
    );
}

#[test]
fn a_name_and_a_closure_make_a_function() {
    check(
        r"//- src/lib.rs
mod util;
use util::{Cmd, Dir};
rgtest!(lists_files, |dir: Dir, mut cmd: util::Cmd| {
    dir.create();
    let inner = dir.command();
    inner.run();
    cmd.run();
});
table!(NAMES, |x: Dir| x.create());
//- src/util.rs
pub struct Dir;
impl Dir {
    pub fn create(&self) {}
    pub fn command(&self) -> Cmd { Cmd }
}
pub struct Cmd;
impl Cmd { pub fn run(&self) {} }
",
        "
        src/lib.rs#lists_files calls src/util.rs#Cmd.run
        src/lib.rs#lists_files calls src/util.rs#Dir.command
        src/lib.rs#lists_files calls src/util.rs#Dir.create
        ",
    );
}
