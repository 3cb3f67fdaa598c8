//! Rust through rust-analyzer, and clippy.

use serde_json::json;

use crate::place::Place;

const SHAPES: &str = r#"//- Cargo.toml
[package]
name = "shapes"
version = "0.1.0"
edition = "2021"
//- src/lib.rs
//! Shapes.
mod shape;
pub use shape::{Area, Square};

pub fn total(all: &[Box<dyn Area>]) -> f64 {
    all.iter().map(|one| one.area()).sum()
}

macro_rules! twice {
    ($x:expr) => {
        $x + $x
    };
}

pub fn show() -> f64 {
    twice!(total(&[Box::new(Square(2.0))]))
}
"#;

/// Not part of a fixture, because a fixture loses its indentation.
const SHAPE: &str = "pub trait Area {
    fn area(&self) -> f64;
}
pub struct Square(pub f64);
impl Area for Square {
    fn area(&self) -> f64 {
        return self.0 * self.0;
    }
}
";

#[test]
fn rust_analyzer_answers_once_it_has_loaded() {
    let place = Place::new(SHAPES, None);
    place.repo.write("src/shape.rs", SHAPE);
    assert_eq!(
        place.places("code.references", "src/lib.rs#total"),
        ["src/lib.rs:16:12 in symbol:src/lib.rs#show"]
    );
    let found = place.places("code.implementation", "src/shape.rs#Area");
    assert!(found.iter().any(|one| one.starts_with("src/shape.rs:5")), "{found:?}");
    assert!(place.callers("src/lib.rs#total").contains(&"symbol:src/lib.rs#show".to_owned()));
    let expanded = place.data("code.expand_macro", json!({"target": "src/lib.rs:16:5"}));
    assert_eq!(expanded["name"], "twice");
    assert!(expanded["expansion"].as_str().unwrap().contains('+'), "{expanded}");
    place.repo.write("src/shape.rs", SHAPE);
    place.repo.write(
        "src/shape.rs",
        place.repo.read("src/shape.rs").unwrap()
            + "\npub fn more() -> f64 {\n    crate::total(&[])\n}\n",
    );
    let uses = place.places("code.references", "src/lib.rs#total");
    assert!(
        uses.contains(&"src/shape.rs:12:12 in symbol:src/shape.rs#more".to_owned()),
        "{uses:?}"
    );
    let args = json!({"target": "src/shape.rs#Area.area", "new_name": "size", "dry_run": true});
    let renamed = place.data("code.rename", args);
    assert_eq!(renamed["result"]["places"], 3, "{renamed}");
    assert_eq!(renamed["result"]["by"]["source"], "server");
}

#[test]
fn clippy_and_rustfmt_look_at_edits() {
    let place = Place::new(SHAPES, None);
    place.repo.write("src/shape.rs", SHAPE);
    let found = place.data("code.diagnostics", json!({"paths": ["src"]}));
    assert_eq!(found["by"]["Rust"], "clippy", "{found}");
    assert!(found["diagnostics"].to_string().contains("needless_return"), "{found}");
    let args =
        json!({"target": "src/shape.rs#Square", "content": "pub struct Square(pub f64 , pub u8);"});
    let edited = place.data("code.replace", args)["result"].clone();
    assert_eq!(edited["format"], "formatted by rustfmt", "{edited}");
    assert!(
        place.repo.read("src/shape.rs").unwrap().contains("pub struct Square(pub f64, pub u8);")
    );
}
