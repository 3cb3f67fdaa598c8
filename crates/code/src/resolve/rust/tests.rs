//! Resolution of Rust paths.

use crate::resolve::tests::Fixture;

const WORKSPACE: &str = r#"//- Cargo.toml
[workspace]
members = ["crates/*"]
[workspace.dependencies]
base = { path = "crates/base" }
//- crates/base/Cargo.toml
[package]
name = "base"
//- crates/base/src/lib.rs
mod path;
pub mod near;
pub use path::{RepoPath as Path, root};
pub use near::*;
//- crates/base/src/path.rs
pub struct RepoPath;
pub fn root() {}
//- crates/base/src/near.rs
pub fn nearest() {}
pub enum Kind { A }
//- crates/my-engine/Cargo.toml
[package]
name = "my-engine"
[dependencies]
base.workspace = true
renamed = { path = "../other", package = "other-one" }
serde = "1"
//- crates/my-engine/src/lib.rs
pub mod ops;
mod view;
#[path = "odd/place.rs"]
mod placed;
//- crates/my-engine/src/odd/place.rs
use super::view::View;
//- crates/my-engine/src/ops/mod.rs
pub mod zoom;
use zoom::Zoom;
use self::zoom as z;
//- crates/my-engine/src/ops/zoom.rs
use crate::view::View;
use base::{Path, nearest};
use renamed::thing;
use serde::Serialize;
use super::super::view;
pub struct Zoom;
fn f() { base::root(); base::near::Kind::A; crate::view::helper(); }
mod tests { use super::*; fn t() { let z = Zoom; } }
//- crates/my-engine/src/view.rs
pub struct View;
pub fn helper() {}
//- crates/my-engine/src/main.rs
use my_engine::ops::zoom::Zoom;
mod cli;
//- crates/my-engine/src/cli.rs
use crate::Zoom;
//- crates/my-engine/tests/it/main.rs
mod one;
//- crates/my-engine/tests/it/one.rs
use my_engine::ops::*;
use crate::one;
fn t(a: Zoom, b: zoom::Zoom) {}
//- crates/other/Cargo.toml
[package]
name = "other-one"
[lib]
path = "lib.rs"
//- crates/other/lib.rs
pub fn thing() {}
"#;

#[test]
fn paths_lead_through_modules_reexports_and_crates() {
    let fixture = Fixture::new(WORKSPACE);
    let engine = |path: &str| format!("crates/my-engine/{path}");
    let taken = |path: &str| {
        let rows = fixture.taken(&engine(path)).into_iter();
        rows.map(|row| row.replace("crates/my-engine/", "")).collect::<Vec<_>>()
    };
    assert_eq!(
        taken("src/ops/zoom.rs"),
        [
            "1 src/view.rs#View",
            "2 crates/base/src/near.rs#nearest",
            "2 crates/base/src/path.rs#RepoPath",
            "3 crates/other/lib.rs#thing",
            "5 src/view.rs#*",
            "7 crates/base/src/near.rs#Kind",
            "7 crates/base/src/path.rs#root",
            "7 src/view.rs#helper",
        ]
    );
    assert_eq!(
        taken("src/lib.rs"),
        ["1 src/ops/mod.rs#*", "2 src/view.rs#*", "4 src/odd/place.rs#*"]
    );
    assert_eq!(taken("src/odd/place.rs"), ["1 src/view.rs#View"]);
    assert_eq!(
        taken("src/ops/mod.rs"),
        ["1 src/ops/zoom.rs#*", "2 src/ops/zoom.rs#Zoom", "3 src/ops/zoom.rs#*"]
    );
    assert_eq!(taken("src/cli.rs"), ["1 src/ops/zoom.rs#Zoom"]);
    assert_eq!(taken("tests/it/one.rs"), ["1 src/ops/mod.rs#*", "3 src/ops/zoom.rs#Zoom"]);
}

#[test]
fn a_function_does_not_hide_the_module_of_its_name() {
    let fixture = Fixture::new(
        "//- src/main.rs\nmod search;\nmod a;\nfn search() {}\n//- src/search.rs\npub struct Worker;\n//- src/a.rs\nuse crate::search::Worker;\n",
    );
    assert_eq!(fixture.targets("src/a.rs"), ["src/search.rs"]);
}

#[test]
fn a_circle_of_reexports_ends() {
    let fixture = Fixture::new(
        "//- src/lib.rs\nmod a;\nmod b;\n//- src/a.rs\npub use crate::b::*;\npub use crate::b::x;\n//- src/b.rs\npub use crate::a::*;\nuse crate::a::x;\n",
    );
    assert_eq!(fixture.targets("src/b.rs"), ["src/a.rs", "src/a.rs"]);
}

#[test]
fn a_test_that_is_not_named_is_a_module() {
    let fixture = Fixture::new(
        "//- Cargo.toml\n[package]\nname = \"a\"\nautotests = false\n[[test]]\npath = \"tests/all.rs\"\n//- tests/all.rs\nmod one;\nmod util;\n//- tests/one.rs\nuse crate::util::help;\n//- tests/util.rs\npub fn help() {}\n",
    );
    assert_eq!(fixture.targets("tests/one.rs"), ["tests/util.rs"]);
}

#[test]
fn a_function_is_found_behind_the_module_of_its_name() {
    let fixture = Fixture::new(
        "//- src/main.rs\nmod flags;\nfn main() { flags::parse(); flags::parse::other(); }\n//- src/flags/mod.rs\npub use crate::flags::parse::parse;\nmod parse;\n//- src/flags/parse.rs\npub fn parse() {}\npub fn other() {}\n",
    );
    let expected = [
        "1 src/flags/mod.rs#*",
        "2 src/flags/parse.rs#*",
        "2 src/flags/parse.rs#other",
        "2 src/flags/parse.rs#parse",
    ];
    assert_eq!(fixture.taken("src/main.rs"), expected);
}

#[test]
fn what_a_macro_makes_is_asked_of_its_module() {
    let fixture = Fixture::new(
        "//- src/lib.rs\nmod key;\nmod a;\n//- src/key.rs\nmake! { Key }\n//- src/a.rs\nuse crate::key::Key;\nuse crate::nowhere::Key as K;\n",
    );
    assert_eq!(fixture.targets("src/a.rs"), ["src/key.rs", "-"]);
    assert_eq!(fixture.taken("src/a.rs"), ["1 src/key.rs#Key"]);
}
