//! Code as an index: symbols, imports, and answers from them.

use base::ProblemCode;
use serde_json::json;
use testkit::{TestRepo, check};

fn shop() -> TestRepo {
    TestRepo::new(
        "//- src/pay/gateway.ts
/** Talks to the bank. Carefully. */
export interface Gateway { charge(cents: number): Promise<void> }
/** Charges a card. */
export function charge(cents: number): Promise<void> { return send(cents); }
function send(cents: number) { return Promise.resolve(); }
//- src/pay/index.ts
export { charge } from './gateway';
export * from './gateway';
//- src/orders.ts
import { charge } from './pay';
import * as fs from 'fs';
export class Orders {
  settle(cents: number) { return charge(cents); }
}
//- src/orders.test.ts
import { Orders } from './orders';
//- lib/src/lib.rs
//! Names of things.
pub mod path;
pub use path::RepoPath;
//- lib/src/path.rs
/// Where something is.
pub struct RepoPath(Vec<u8>);
impl RepoPath {
    /// The root.
    pub fn root() -> Self { RepoPath(Vec::new()) }
}
//- lib/Cargo.toml
[package]
//- app/__init__.py
//- app/models.py
class User:
    def name(self): ...
//- app/views.py
from .models import User
",
    )
}

#[test]
fn zoom_shows_what_is_offered() {
    let repo = shop();
    check(
        &repo,
        "code zoom src/pay/gateway.ts",
        "
        src/pay/gateway.ts: Talks to the bank (5 lines, 2 exports)
            2    export interface Gateway
                   Talks to the bank
            2      charge(cents: number): Promise<void>
            4    export function charge(cents: number): Promise<void>
                   Charges a card
        basis: fresh · main @ COMMIT
        ",
    );
    check(
        &repo,
        "code zoom src",
        "
        src: 1 file, 1 export
          orders.ts  1  Orders
        Not shown: 1 file that is a test or exports nothing

        Folders
          src/pay/  2 files  2 exports
        basis: fresh · main @ COMMIT
        ",
    );
    assert_eq!(
        repo.code("kart_zoom", json!({"path": "src", "level": 3})),
        ProblemCode::ValidationError
    );
    let text = repo.data("kart_zoom", json!({"path": "src/orders.ts", "level": 2}));
    assert!(text["files"][0]["text"].as_str().unwrap().contains("settle"));
}

#[test]
fn symbols_are_found_by_name_and_are_targets() {
    let repo = shop();
    check(
        &repo,
        "code find charge",
        "
        2 symbols for `charge`
        src/pay/gateway.ts#charge  4  export function charge(cents: number): Promise<void>
        src/pay/gateway.ts#Gateway.charge  2  charge(cents: number): Promise<void>
        basis: fresh · main @ COMMIT
        ",
    );
    let target = |name: &str| repo.data("impact", json!({"target": name}))["target"].clone();
    assert_eq!(target("Orders.settle"), "symbol:src/orders.ts#Orders.settle");
    assert_eq!(target("gateway.ts#charge"), "symbol:src/pay/gateway.ts#charge");
    assert_eq!(target("root"), "symbol:lib/src/path.rs#RepoPath.root");
    assert_eq!(repo.code("impact", json!({"target": "charge"})), ProblemCode::Ambiguous);
    let problem = repo.call_op("impact", json!({"target": "Ordes"})).unwrap_err();
    assert!(problem.hints[0].contains("Orders"), "{:?}", problem.hints);
}

#[test]
fn importers_are_found_through_barrels() {
    let repo = shop();
    check(
        &repo,
        "code importers src/pay/gateway.ts",
        "
        2 files import module:src/pay/gateway.ts
        1  *, charge  re-export                                   module:src/pay/index.ts
        1  charge                through module:src/pay/index.ts  module:src/orders.ts
        basis: fresh · main @ COMMIT
        ",
    );
    let importers = |path: &str| {
        let found = repo.data("kart_importers", json!({"path": path}));
        let rows = found["importers"].as_array().unwrap().clone();
        rows.iter().map(|row| row["node"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(importers("lib/src/path.rs"), ["module:lib/src/lib.rs"]);
    assert_eq!(importers("app/models.py"), ["module:app/views.py"]);
    assert_eq!(importers("src/orders.test.ts"), Vec::<String>::new());
    let imports = repo.data("kart_imports", json!({"path": "src/orders.ts"}));
    assert_eq!(imports["imports"][0]["target"], "module:src/pay/index.ts");
    assert_eq!(imports["imports"][1].get("target"), None);
}

#[test]
fn an_unknown_kind_of_symbol_is_refused_with_those_there_are() {
    let problem = shop().call_op("code.find", json!({"name": "a", "kind": "bogus"})).unwrap_err();
    assert_eq!(problem.code, base::ProblemCode::ValidationError);
    assert!(problem.message.contains("`function`"), "{}", problem.message);
}

#[test]
fn a_change_reaches_those_who_import_it() {
    let repo = shop();
    let rows = repo.data("impact", json!({"target": "src/pay/gateway.ts", "imports": true}));
    let reached: Vec<&str> =
        rows["rows"].as_array().unwrap().iter().map(|row| row["node"].as_str().unwrap()).collect();
    let expected = ["module:src/orders.ts", "module:src/pay/index.ts"];
    assert_eq!(reached[1..], expected);
    assert_eq!(reached[0], "symbol:src/orders.ts#Orders.settle", "callers come first");
    let calls = repo.data("impact", json!({"target": "src/pay/gateway.ts"}));
    assert_eq!(calls["rows"].as_array().unwrap().len(), 1, "importers are no callers: {calls}");
    assert_eq!(calls["only_importing"], 1);
    check(
        &repo,
        "context src/orders.ts",
        "
        src/orders.ts: TypeScript, 5 lines

        Outline
          export class Orders

        Used by
          1 file imports this file without calling it
          tests to run: src/orders.test.ts

        Open work and recent changes
          last commit just now: start  commit:COMMIT

        Uses
          imports charge  module:src/pay/index.ts

        Nearby
          orders.test.ts  TypeScript, 1 line  module:src/orders.test.ts
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn broken_code_is_indexed_as_far_as_it_can_be_read() {
    let repo = TestRepo::new("//- a.ts\nexport function fine() {}\nexport function broken( {\n");
    let found = repo.data("code_find", json!({"name": "fine"}));
    assert!(found["symbols"].is_array());
    repo.text("code zoom a.ts");
    repo.text("context a.ts");
}

#[test]
fn a_function_of_several_signatures_is_one_symbol_with_its_callers() {
    let repo = TestRepo::new(
        "//- a.ts
        export function f(a: string): string;
        export function f(a: number): number;
        export function f(a: any) {
          return a ? f(a - 1) : g(a);
        }
        function g(a: any) {}
        //- b.ts
        import { f } from './a';
        export const x = () => f(1);
        ",
    );
    let all = repo.data("code.find", json!({"name": "f"}));
    let nodes: Vec<&str> = all["symbols"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["node"].as_str().unwrap())
        .collect();
    assert_eq!(nodes, ["symbol:a.ts#f"], "{all:#}");
    for node in nodes {
        let reached = repo.data("impact", json!({"target": node, "edges": ["calls"], "depth": 1}));
        let rows: Vec<&serde_json::Value> =
            reached["rows"].as_array().unwrap().iter().map(|row| &row["node"]).collect();
        assert_eq!(rows, [&json!("symbol:b.ts#x")], "{node}");
        let used = repo.data("code.references", json!({"target": node}));
        assert_eq!(used["places"][0]["node"], "symbol:b.ts#x", "{node}: {used:#}");
    }
}

/// @see spec::cross/impact
#[test]
fn an_impact_that_reaches_too_much_says_so_and_its_pages_fit_together() {
    let caller = |number| {
        let import = "import { hub } from './hub';";
        format!("//- src/f{number:03}.ts\n{import}\nexport function f() {{ hub(); }}\n")
    };
    let callers: String = (0..300).map(caller).collect();
    let fixture = format!("\n//- src/hub.ts\nexport function hub() {{}}\n{callers}");
    let repo = TestRepo::new(&fixture);
    let page = |limit: usize, offset: usize| {
        let args =
            json!({"target": "src/hub.ts", "imports": true, "limit": limit, "offset": offset});
        let answer = repo.data("impact", args);
        let rows = answer["rows"].as_array().unwrap().clone();
        (answer["is_cut"].as_bool().unwrap(), rows)
    };
    let (is_cut, first) = page(50, 0);
    assert!(is_cut, "there are more than are counted");
    let (_, next) = page(50, 50);
    let (is_cut, whole) = page(1000, 0);
    assert!(!is_cut);
    assert_eq!(whole.len(), 600, "300 files and their functions");
    assert_eq!([first, next].concat(), whole[..100], "nothing twice, nothing left out");
    let narrow = repo.data("impact", json!({"target": "src/f007.ts"}));
    assert_eq!(narrow["is_cut"], false);
}

/// @see spec::code/calls
#[test]
fn a_method_is_called_through_what_it_takes_the_place_of() {
    let repo = TestRepo::new(
        "//- a.ts
        export interface Shape { area(): number }
        export abstract class Base implements Shape { abstract area(): number }
        export class Square extends Base { area() { return 1 } }
        export class Circle extends Base { area() { return 3 } }
        //- b.ts
        import { Base, Circle, Shape } from './a';
        export const of = (one: Shape) => one.area();
        export const base = (one: Base) => one.area();
        export const circle = (one: Circle) => one.area();
        ",
    );
    let args = json!({"target": "a.ts#Square.area", "edges": ["calls"], "depth": 1});
    let reached = repo.data("impact", args);
    let rows: Vec<(&str, &str)> = reached["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["node"].as_str().unwrap(), row["confidence"].as_str().unwrap()))
        .collect();
    assert_eq!(rows, [("symbol:b.ts#of", "inferred"), ("symbol:b.ts#base", "inferred")]);
}

#[test]
fn a_go_method_is_called_through_the_interfaces_that_its_type_implements() {
    let repo = TestRepo::new(
        "//- go.mod
        module m.io/m
        //- disk/disk.go
        package disk
        type base struct{}
        func (b base) Save(key string) error { return nil }
        type Disk struct { base }
        func (d *Disk) Save(key string) error { return d.base.Save(key) }
        //- use/use.go
        package use
        type Saver interface { Save(key string) error }
        type Other interface { Save(number int) error }
        func all(one Saver) { one.Save(`a`) }
        func other(one Other) { one.Save(1) }
        ",
    );
    let callers = |target: &str| {
        let args = json!({"target": target, "edges": ["calls"], "depth": 1});
        let reached = repo.data("impact", args);
        let rows = reached["rows"].as_array().unwrap().iter();
        rows.map(|row| format!("{} {}", row["node"], row["confidence"])).collect::<Vec<_>>()
    };
    let through = "\"symbol:use/use.go#all\" \"inferred\"";
    let own = "\"symbol:disk/disk.go#Disk.Save\" \"exact\"";
    assert_eq!(callers("disk/disk.go#Disk.Save"), [through]);
    assert_eq!(callers("disk/disk.go#base.Save"), [own, through]);
}
