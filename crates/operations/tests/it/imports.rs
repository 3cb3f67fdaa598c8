//! Which files import what, what no file imports, and what could hide an import; with many kinds of
//! input.

use engine::BasisState;
use serde_json::json;
use testkit::{TestRepo, check};

fn workspace() -> TestRepo {
    TestRepo::new(
        r#"//- package.json
{"private": true, "workspaces": ["packages/*"]}
//- cairn.jsonc
{"entries": ["packages/app/jobs/*.ts"]}
//- packages/lib/package.json
{"name": "@w/lib", "main": "./dist/index.js", "bin": "./dist/cli.js"}
//- packages/lib/src/index.ts
export { used, spare } from './parts';
export * from './more';
//- packages/lib/src/cli.ts
export function main() {}
//- packages/lib/src/parts.ts
export const used = 1;
export const spare = 2;
export const dead = 3;
export const home = 4;
console.log(home);
//- packages/lib/src/more.ts
export type Shape = { x: number };
//- packages/app/package.json
{"name": "app", "private": true, "dependencies": {"next": "1", "@w/lib": "workspace:*"}}
//- packages/app/app/page.tsx
import { used } from '@w/lib';
import type { Shape } from '@w/lib';
export default function Page(p: Shape) { return lazy(used); }
export const dynamic = 'force';
const lazy = (x: number) => import('../lazy');
//- packages/app/lazy.ts
export const later = 1;
//- packages/app/inner.ts
export { gone } from './gone';
//- packages/app/gone.ts
export const gone = 1;
//- packages/app/jobs/nightly.ts
export function run() {}
//- packages/app/vite.config.ts
export default {};
//- packages/app/a.test.ts
export const t = 1;
"#,
    )
}

#[test]
fn importers_come_through_packages_that_are_not_built() {
    check(
        &workspace(),
        "code importers packages/lib/src/parts.ts",
        "
        2 files import module:packages/lib/src/parts.ts
        1  spare, used  re-export                                            module:packages/lib/src/index.ts
        1  used                    through module:packages/lib/src/index.ts  module:packages/app/app/page.tsx
        basis: fresh · main @ COMMIT
        ",
    );
    let repo = workspace();
    let how = |path: &str| repo.data("kart_importers", json!({"path": path}))["importers"].clone();
    assert_eq!(how("packages/lib/src/more.ts")[1]["how"], "types");
    assert_eq!(how("packages/app/lazy.ts")[0]["how"], "dynamic");
    let barrel = how("packages/lib/src/index.ts");
    assert_eq!(barrel[0]["names"], json!(["Shape", "used"]), "what is handed on is imported too");
    let symbol = repo.data("code_importers", json!({"path": "packages/lib/src/parts.ts#spare"}));
    assert_eq!(symbol["importers"].as_array().unwrap().len(), 1);
}

#[test]
fn unused_says_how_sure_it_is_and_why() {
    check(
        &workspace(),
        "code unused --sure maybe",
        "
        5 exports that nothing imports: 1 certain, 2 likely, 2 maybe
        certain  constant  nothing names it                                 3  symbol:packages/lib/src/parts.ts#dead
        likely   constant  re-exported, never imported                      1  symbol:packages/app/gone.ts#gone
        likely   constant  used only in its own file                        4  symbol:packages/lib/src/parts.ts#home
        maybe    constant  packages/app/app/page.tsx imports the whole module and may use it  1  symbol:packages/app/lazy.ts#later
        maybe    constant  public API of its package; nothing here uses it  2  symbol:packages/lib/src/parts.ts#spare
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn what_a_page_names_is_not_certainly_unused() {
    let repo = TestRepo::new(
        "//- web/Badge.tsx
export function Badge() { return null }
export function Lost() { return null }
//- web/start.mdx
# Start
<Badge kind=\"new\" />, or was it ALost?
",
    );
    let text = repo.text("code unused --sure maybe");
    assert!(text.contains("likely  function  nothing imports its file"), "{text}");
    assert!(text.contains("web/start.mdx contains the name and is not parsed"), "{text}");
}

#[test]
fn what_tools_start_and_packages_offer_is_not_certainly_unused() {
    let repo = TestRepo::new(
        "//- package.json
{\"name\": \"lib\", \"main\": \"index.js\", \"scripts\": {\"gen\": \"node tools/gen.js\"}}
//- index.js
module.exports = require('./dist/lib.js');
//- rollup.config.js
export default { input: 'src/worker.ts' };
//- src/index.ts
export * from './api';
import { used } from './parts';
used();
//- src/api.ts
export const offered = 1;
//- src/parts.ts
export const used = () => 1;
export const lost = 1;
export const twin = 1;
export type Shape = string;
export const isShape = (x: unknown): x is Shape => true;
//- src/worker.ts
export const handler = 1;
//- src/orphan.ts
export const orphan = 1;
//- tools/gen.js
exports.gen = 1;
//- other.ts
const twin = 2;
",
    );
    check(
        &repo,
        "code unused --sure maybe",
        "
        6 exports that nothing imports: 2 certain, 3 likely, 1 maybe
        certain  constant  nothing names it                                          2  symbol:src/parts.ts#lost
        certain  function  nothing names it                                          5  symbol:src/parts.ts#isShape
        likely   constant  nothing imports it, but its name is written elsewhere     3  symbol:src/parts.ts#twin
        likely   constant  nothing imports its file; a tool may load it by its path  1  symbol:src/orphan.ts#orphan
        likely   type      used only in its own file                                 4  symbol:src/parts.ts#Shape
        maybe    constant  public API of its package; nothing here uses it           1  symbol:src/api.ts#offered
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn overloads_are_one_and_what_the_language_calls_is_used() {
    let repo = TestRepo::new(
        "//- a.py
from typing import overload
@overload
def f(x: int) -> int: ...
@overload
def f(x: str) -> str: ...
def f(x): return x
def __getattr__(name): return name
//- b.py
from a import f
f(1)
",
    );
    assert_eq!(repo.data("code_unused", json!({"sure": "maybe"}))["exports"], json!([]));
}

#[test]
fn a_library_may_have_users_that_are_not_here() {
    let repo = TestRepo::new(
        "//- Cargo.toml
[package]
name = \"lib-a\"
//- src/lib.rs
pub mod open;
mod closed;
pub use closed::handed;
//- src/open.rs
pub fn api() { helper(); }
pub fn helper() {}
pub(crate) fn inner() {}
//- src/closed.rs
pub fn handed() {}
pub fn lost() {}
#[no_mangle]
pub extern \"C\" fn called_from_c() {}
//- src/main.rs
fn main() { lib_a::open::helper() }
",
    );
    let found = repo.data("kart_unused_exports", json!({"sure": "maybe"}));
    let rows = found["exports"].as_array().unwrap().iter().map(|row| {
        let name = row["node"].as_str().unwrap().rsplit('#').next().unwrap();
        format!("{} {name}", row["sure"].as_str().unwrap())
    });
    let expected =
        ["certain lost", "certain inner", "maybe handed", "maybe called_from_c", "maybe api"];
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}

#[test]
fn a_page_that_loads_a_script_is_told_beside_its_importers() {
    let repo = TestRepo::new(
        "//- src/main.ts\nexport const a = 1;\n//- src/other.ts\nexport const b = 1;\n//- index.html\n<script type=\"module\" src=\"/src/main.ts\"></script>\n",
    );
    check(
        &repo,
        "code importers src/main.ts",
        "
        No file of code imports module:src/main.ts, but pages name it
        Pages that name the file: index.html
        basis: fresh · main @ COMMIT
        ",
    );
    let other = repo.data("code.importers", json!({"path": "src/other.ts"}));
    assert_eq!(other["pages"], json!(null), "{other}");
}

#[test]
fn what_could_not_be_read_is_said_where_it_matters() {
    let repo = TestRepo::new(
        "//- src/legacy.ts
export const old = 1;
//- src/broken.ts
import { old } from './legacy'
function broken( {
//- src/fine.ts
export const x = 1;
",
    );
    repo.write("web/app.min.js", format!("var legacy={};{}", "a;".repeat(20_000), "\n"));
    let fixture = format!("import {{ old }} from './legacy';\nold('{}');\n", "x".repeat(20_001));
    repo.write(
        "src/fixture.test.ts",
        format!("{fixture}{}", "old(1); // as written\n".repeat(500)),
    );
    repo.write("web/other.min.js", format!("var x={};\n", "1+".repeat(20_000)));
    let text = repo.text("code importers src/legacy.ts");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "2 files import module:src/legacy.ts", "what parses is indexed");
    assert_eq!(lines[3], "1 more file mentions it and could not be parsed:");
    assert_eq!(lines[4], "  web/app.min.js  minified, skipped");
    assert!(lines[5].starts_with("basis: partial (1 file could not be parsed)"), "{text}");
    let fine = repo.call_op("code_importers", json!({"path": "src/fine.ts"})).unwrap();
    assert_eq!(fine.basis.state, BasisState::Fresh, "nothing unread mentions it");
    let state = |name: &str, args| repo.call_op(name, args).unwrap().basis.state;
    assert_eq!(state("code_imports", json!({"path": "src/broken.ts"})), BasisState::Partial);
    assert_eq!(state("code_zoom", json!({"path": "src/broken.ts"})), BasisState::Partial);
    assert_eq!(state("code_find", json!({"name": "legacy"})), BasisState::Partial);
    assert_eq!(state("code_find", json!({"name": "nowhere"})), BasisState::Fresh);
}

#[test]
fn no_input_is_too_odd() {
    let repo = TestRepo::new("//- a.ts\nexport const a = 1;\n");
    repo.write("crlf.ts", "import { a } from './a';\r\nexport const b = a;\r\n");
    repo.write("bom.ts", "\u{feff}import { a } from './a';\n");
    fs_write(&repo, "latin.ts", b"// caf\xe9\nimport { a } from './a';\n");
    repo.write("deep.ts", format!("{}1{}", "(".repeat(20_000), ")".repeat(20_000)));
    repo.write("deep.rs", format!("fn f() {{ {}{} }}", "{".repeat(20_000), "}".repeat(20_000)));
    repo.write("package.json", "[".repeat(50_000));
    repo.write("tsconfig.json", "{\"extends\": \"./tsconfig.json\", \"compilerOptions\": {");
    repo.write("Cargo.toml", "[package\nname =");
    fs_write(&repo, "huge.ts", &b"export const x = 1;\n".repeat(1_000_000));
    std::os::unix::fs::symlink(".", repo.root().join("loop")).unwrap();
    let found = repo.data("code_importers", json!({"path": "a.ts"}));
    let nodes: Vec<&str> = found["importers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["node"].as_str().unwrap())
        .collect();
    assert_eq!(nodes, ["module:bom.ts", "module:crlf.ts", "module:latin.ts"]);
    repo.data("code_unused", json!({}));
    assert_eq!(
        repo.call_op("code_zoom", json!({"path": "huge.ts"})).unwrap().basis.state,
        BasisState::Partial
    );
    repo.remove("huge.ts");
    assert_eq!(
        repo.data("code_importers", json!({"path": "a.ts"}))["importers"].as_array().unwrap().len(),
        3
    );
}

#[test]
fn a_file_that_vanishes_after_it_was_listed_is_not_there() {
    let repo = TestRepo::new("//- a.ts\nimport { b } from './b';\n//- b.ts\nexport const b = 1;\n");
    let gone = repo.root().join("b.ts");
    // Progress is reported after the tree was listed and before the first file is read.
    let call = testkit::call_by("t").with_progress_sink(move |progress| {
        if progress.activity == "indexing files" && gone.exists() {
            std::fs::remove_file(&gone).unwrap();
        }
    });
    let sync = operations::ops::find("sync").unwrap();
    sync.call(&repo.workspace(), call, engine::JsonObject::new()).unwrap();
    let imports = repo.data("code_imports", json!({"path": "a.ts"}));
    assert_eq!(imports["imports"][0]["target"], json!(null));
    assert_eq!(repo.data("code_find", json!({"name": "b"}))["symbols"], json!([]));
    repo.write("b.ts", "export const b = 2;\n");
    let imports = repo.data("code_imports", json!({"path": "a.ts"}));
    assert_eq!(imports["imports"][0]["target"], "module:b.ts");
}

#[test]
fn calls_that_were_not_followed_to_their_end_are_told() {
    let inner = |depth: usize| format!("{}for i{depth} in x:\n", "  ".repeat(depth));
    let loops: String = (0..40).map(inner).collect();
    let text = format!("def f(a): return a\nx = []\n{loops}{}x = f(x) + [f]\n", "  ".repeat(40));
    let repo = TestRepo::new("//- a.md\nx\n");
    repo.write("loops.py", text);
    let answer = repo.call_op("impact", json!({"target": "loops.py#f"})).unwrap();
    assert_eq!(answer.basis.state, BasisState::Partial);
    assert_eq!(answer.basis.reasons, ["calls are followed only in part in loops.py"]);
    let other = repo.call_op("impact", json!({"target": "a.md"})).unwrap();
    assert_eq!(other.basis.state, BasisState::Fresh);
}

fn fs_write(repo: &TestRepo, path: &str, bytes: &[u8]) {
    std::fs::write(repo.root().join(path), bytes).unwrap();
}
