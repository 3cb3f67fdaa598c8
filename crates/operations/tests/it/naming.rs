//! Names that several declarations share: one match is used, several are an error that lists them.

use base::ProblemCode;
use operations::CallFormat;
use serde_json::{Value, json};
use testkit::{TestRepo, check};

fn haystack() -> TestRepo {
    TestRepo::new(
        "//- Cargo.toml
[package]
name = \"hay\"
//- src/main.rs
mod haystack;
mod search;
fn main() { search(); }
fn search() {}
//- src/search.rs
pub fn find() {}
//- src/haystack.rs
pub struct Builder {
    strip: bool,
}

impl Builder {
    /// Whether to strip.
    pub fn strip(&mut self, yes: bool) -> &mut Self {
        self.strip = yes;
        self
    }

    pub fn build(&self) -> bool {
        self.strip
    }
}
",
    )
}

#[test]
fn a_name_of_a_field_and_a_method_is_ambiguous_in_every_operation() {
    let repo = haystack();
    check(
        &repo,
        "code delete src/haystack.rs#Builder.strip",
        "
        AMBIGUOUS  2 declarations are called `src/haystack.rs#Builder.strip`
          symbol:src/haystack.rs#Builder.strip    field, line 2
          symbol:src/haystack.rs#Builder.strip()  method, exported, line 7: Whether to strip
        hint: name one of them as written here
        ",
    );
    let named = |target: &str| {
        let content = json!({"target": target, "content": "fn x() {}"});
        [
            ("impact", json!({"target": target})),
            ("deps", json!({"target": target})),
            ("context", json!({"targets": [target]})),
            ("explain", json!({"target": target})),
            ("code.delete", json!({"target": target})),
            ("code.replace", content.clone()),
            ("code.insert_before", content.clone()),
            ("code.insert_after", content),
            ("code.rename", json!({"target": target, "new_name": "other"})),
            ("code.references", json!({"target": target})),
            ("code.definition", json!({"target": target})),
            ("code.zoom", json!({"path": target, "level": 2})),
        ]
    };
    for target in ["Builder.strip", "haystack.rs#strip", "strip", "src/main.rs#search"] {
        for (operation, args) in named(target) {
            assert_eq!(repo.code(operation, args), ProblemCode::Ambiguous, "{operation} {target}");
        }
    }
}

#[test]
fn candidates_are_accepted_as_they_are_listed() {
    let repo = haystack();
    for name in ["src/haystack.rs#Builder.strip", "src/main.rs#search"] {
        let problem = repo.call_op("impact", json!({"target": name})).unwrap_err();
        let candidates: Vec<Value> = problem.details["candidates"].as_array().unwrap().clone();
        assert_eq!(candidates.len(), 2, "{candidates:?}");
        for candidate in candidates {
            let reached = repo.data("impact", json!({"target": candidate["node"]}));
            assert_eq!(reached["target"], candidate["node"]);
        }
    }
}

#[test]
fn a_method_beside_a_field_is_edited_by_its_own_name() {
    let repo = haystack();
    let args = json!({"target": "src/haystack.rs#Builder.strip()", "force": true});
    repo.data("code.delete", args);
    let text = repo.read("src/haystack.rs").unwrap();
    assert!(text.contains("strip: bool") && !text.contains("pub fn strip"), "{text}");
    // After the method is deleted the name is unique, so no `()` is needed.
    repo.data("impact", json!({"target": "src/haystack.rs#Builder.strip"}));
}

#[test]
fn lines_of_a_name_that_several_files_have_are_ambiguous() {
    let repo =
        TestRepo::new("//- a/x.py\na = 1\n//- b/x.py\nb = 1\n//- y.py\nc = 1\n//- a/y.py\nd = 1\n");
    for (operation, argument) in [("explain", "target"), ("code.show", "targets")] {
        let args = |target: &str| json!({argument: target});
        assert_eq!(repo.code(operation, args("x.py:1")), ProblemCode::Ambiguous, "{operation}");
        assert!(repo.call_op(operation, args("y.py:1")).is_ok(), "{operation}");
    }
}

#[test]
fn a_type_and_a_value_of_one_name_are_told_apart() {
    let repo = TestRepo::new(
        "//- a.ts\nexport interface Shape { side: number }\nexport const Shape = { side: 1 };\n",
    );
    let problem = repo.call_op("impact", json!({"target": "a.ts#Shape"})).unwrap_err();
    assert_eq!(problem.code, ProblemCode::Ambiguous);
    let whats: Vec<&str> = problem.details["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["what"].as_str().unwrap().split(',').next().unwrap())
        .collect();
    assert_eq!(whats, ["interface", "constant"]);
}

const OVERLOADS: &str = "/** Reads a value. */
export function ref(): undefined;
export function ref<T>(value: T): T;
export function ref(value?: unknown) {
  return value;
}

export const other = 1;
";

#[test]
fn the_signatures_of_one_body_are_one_symbol() {
    let repo = TestRepo::new(&format!("//- ref.ts\n{OVERLOADS}"));
    check(
        &repo,
        "code zoom ref.ts",
        "
        ref.ts: Reads a value (8 lines, 2 exports)
                 export function ref(): undefined
                 export function ref<T>(value: T): T
            4    export function ref(value?: unknown)
                   Reads a value
            8    export const other = 1
        basis: fresh · main @ COMMIT
        ",
    );
    let found = repo.data("code.find", json!({"name": "ref"}));
    assert_eq!(found["symbols"].as_array().unwrap().len(), 1, "{found}");
    let args = json!({"target": "ref.ts#ref", "content": "export const next = 2;"});
    repo.data("code.insert_after", args);
    let text = repo.read("ref.ts").unwrap();
    assert!(text.contains("  return value;\n}\n\nexport const next = 2;\n"), "{text}");
    repo.data("code.delete", json!({"target": "ref.ts#ref"}));
    assert!(!repo.read("ref.ts").unwrap().contains("ref"), "all signatures are gone");
}

#[test]
fn a_python_body_that_leaves_its_class_is_a_syntax_error() {
    let text = "class A:\n    def m(self):\n        pass\n";
    let repo = TestRepo::new("");
    repo.write("a.py", text);
    let content = "def m(self):\n    x = 1\nreturn x";
    let args = json!({"target": "a.py#A.m", "content": content});
    assert_eq!(repo.code("code.replace", args), ProblemCode::SyntaxError);
    assert_eq!(repo.read("a.py").unwrap(), text);
}

#[test]
fn the_text_of_a_symbol_has_its_line_numbers() {
    let repo = TestRepo::new(&format!("//- ref.ts\n{OVERLOADS}"));
    check(
        &repo,
        "code zoom ref.ts#ref --level 2",
        "
        ref.ts#ref
        1  /** Reads a value. */
        2  export function ref(): undefined;
        3  export function ref<T>(value: T): T;
        4  export function ref(value?: unknown) {
        5    return value;
        6  }
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn a_long_text_is_cut_and_that_is_said() {
    let lines: String = (0..9_000).map(|at| format!("export const x{at} = {at};\n")).collect();
    let repo = TestRepo::new(&format!("//- long.ts\n{lines}"));
    let shown = repo.data("code.zoom", json!({"path": "long.ts", "level": 2}));
    let text = shown["files"][0]["text"].as_str().unwrap();
    assert!(text.len() <= 100 * 1024 && text.ends_with(";\n"), "{}", text.len());
    assert_eq!(shown["files"][0]["cut_from"], lines.len());
    assert!(repo.text("code zoom long.ts --level 2").contains("Cut off: "));
}

#[test]
fn a_folder_names_the_folders_that_hold_its_code() {
    let repo = TestRepo::new("//- pkg/src/a.ts\nexport const a = 1;\n//- pkg/README.md\n# Pkg\n");
    check(
        &repo,
        "code zoom pkg",
        "
        pkg: no exports of its own; 1 folder with 1 file, 1 export

        Folders
          pkg/src/  1 file  1 export
        basis: fresh · main @ COMMIT
        ",
    );
}

#[test]
fn an_export_is_found_by_the_name_it_is_offered_under() {
    let repo = TestRepo::new(
        "//- a.ts\nfunction inner() {}\nexport { inner as outer };\n//- b.ts\nexport { outer as further } from './a';\n//- c.js\nfunction plain() {}\nmodule.exports = { fancy: plain };\n",
    );
    check(
        &repo,
        "code find outer",
        "
        1 symbol for `outer`
        a.ts#inner  1  function inner() (as outer in a.ts)
        basis: fresh · main @ COMMIT
        ",
    );
    let target = |name: &str| repo.data("impact", json!({"target": name}))["target"].clone();
    for name in ["outer", "further", "a.ts#outer", "b.ts#further"] {
        assert_eq!(target(name), "symbol:a.ts#inner", "{name}");
    }
    assert_eq!(target("fancy"), "symbol:c.js#plain");
}

#[test]
fn a_renamed_reexport_is_found_in_rust_and_python_too() {
    let repo = TestRepo::new(
        "//- Cargo.toml\n[package]\nname = \"a\"\n//- src/lib.rs\nmod inner;\npub use inner::plain as fancy;\n//- src/inner.rs\npub fn plain() {}\n//- pkg/__init__.py\nfrom .impl import make as build\n//- pkg/impl.py\ndef make():\n    pass\n//- pkg/use.py\nfrom .impl import make as local\n",
    );
    let found = |name: &str| repo.data("code.find", json!({"name": name}))["symbols"].clone();
    assert_eq!(found("fancy")[0]["node"], "symbol:src/inner.rs#plain");
    assert_eq!(found("fancy")[0]["alias_in"], "src/lib.rs");
    assert_eq!(found("build")[0]["node"], "symbol:pkg/impl.py#make");
    // A name that a file gives to an import for itself is no name of the symbol.
    assert_eq!(found("local"), json!([]));
}

#[test]
fn the_history_of_an_ambiguous_name_is_not_that_of_the_first_match() {
    let repo = TestRepo::new(
        "//- src/lib.rs\npub struct Walk {\n    strip: bool,\n}\nimpl Walk {\n    pub fn strip(&self) {}\n}\n",
    );
    repo.commit("added");
    repo.data("sync", json!({}));
    let asked = |path: &str| json!({"path": path});
    assert_eq!(
        repo.code("history.provenance", asked("src/lib.rs#Walk.strip")),
        ProblemCode::Ambiguous
    );
    let method = repo.data("history.provenance", asked("src/lib.rs#Walk.strip()"));
    assert_eq!(method["commits"].as_array().unwrap().len(), 1, "{method}");
}

#[test]
fn the_definition_of_a_name_that_is_used_somewhere_is_found() {
    let repo = TestRepo::new(
        "//- lib.ts\nexport function make() {}\nexport type Made = string;\n//- index.ts\nexport * from './lib';\n//- app.ts\nimport { make, type Made } from './index';\nexport function run(x: Made) { make(); }\n",
    );
    let place = |target: &str| {
        let found = repo.data("code.definition", json!({"target": target}));
        let first = &found["places"][0];
        format!("{}:{}", first["path"].as_str().unwrap(), first["line"])
    };
    assert_eq!(place("app.ts#make"), "lib.ts:1");
    assert_eq!(place("app.ts#Made"), "lib.ts:2");
    assert_eq!(
        repo.code("code.definition", json!({"target": "app.ts#nothing"})),
        ProblemCode::NotFound
    );
    // To change a symbol, the file that declares it has to be named.
    let rename = json!({"target": "app.ts#make", "new_name": "build"});
    assert_eq!(repo.code("code.rename", rename), ProblemCode::NotFound);
}

#[test]
fn symbols_of_a_language_are_found_whatever_the_dialect() {
    let repo = TestRepo::new(
        "//- a.config.js\nmodule.exports = {};\n//- src/a.ts\nexport function refresh() {}\n//- src/b.tsx\nexport function refreshed() {}\n",
    );
    for language in [json!(null), json!("typescript"), json!("TSX"), json!("javascript")] {
        let found = repo.data("code.symbols", json!({"query": "refresh", "language": language}));
        let nodes: Vec<&str> = found["symbols"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["node"].as_str().unwrap())
            .collect();
        let expected = ["symbol:src/a.ts#refresh", "symbol:src/b.tsx#refreshed"];
        assert_eq!(nodes, expected, "{language}");
    }
}

fn state(repo: &TestRepo, operation: &str, args: Value) -> Value {
    CallFormat::CommandLine.json(&repo.call_op(operation, args))["basis"]["state"].clone()
}

#[test]
fn code_in_a_format_that_is_not_read_is_said() {
    let text = "//- src/download.ts\nexport function save() {}\n//- src/App.mdx\nimport { save } from './download'\n//- src/Other.mdx\n# Other\n";
    let repo = TestRepo::new(text);
    check(
        &repo,
        "code importers src/download.ts",
        "
        No importers of module:src/download.ts found, but 2 .mdx files are not parsed and may import it
        Unparsed files that contain the name: src/App.mdx
        basis: partial (not read: 2 .mdx files) · main @ COMMIT
        ",
    );
    for (operation, args) in [
        ("impact", json!({"target": "src/download.ts#save"})),
        ("code.unused", json!({})),
        ("code.importers", json!({"path": "src/download.ts"})),
    ] {
        let known = state(&repo, operation, args);
        assert_eq!(known, "partial", "{operation}");
    }
    // Its dependencies are known, even if other files could not be read.
    let known = state(&repo, "deps", json!({"target": "src/download.ts#save"}));
    assert_eq!(known, "fresh");
    let python =
        TestRepo::new("//- a.py\ndef f(): pass\n//- n.ipynb\n{}\n//- b.ts\nexport const b = 1;\n");
    let partial = |target: &str| state(&python, "impact", json!({"target": target})) == "partial";
    assert_eq!((partial("a.py#f"), partial("b.ts#b")), (true, false));
}

#[test]
fn grep_takes_the_flags_that_people_type() {
    let repo = TestRepo::new(
        "//- src/a.ts\none\nTwo words\nthree\ntwofold\n//- src/b.py\ntwo\n//- docs/c.md\ntwo\n",
    );
    check(
        &repo,
        "code grep -l two src",
        "
        3 matches for `two` in 2 of 2 files
        src/a.ts
        src/b.py
        basis: fresh · main @ COMMIT
        ",
    );
    check(
        &repo,
        "code grep -c two",
        "
        4 matches for `two` in 3 of 3 files
            1  docs/c.md
            2  src/a.ts
            1  src/b.py
        basis: fresh · main @ COMMIT
        ",
    );
    check(
        &repo,
        "code grep -w -i -B 1 TWO src/a.ts",
        "
        1 match for `TWO` in 1 of 1 file

        src/a.ts
            1  one
            2  Two words
        basis: fresh · main @ COMMIT
        ",
    );
    let lines =
        |args: &str| repo.text(&format!("code grep {args}")).lines().next().unwrap().to_owned();
    assert_eq!(lines("-s two src"), "2 matches for `two` in 2 of 2 files");
    assert_eq!(lines("-t python two"), "1 match for `two` in 1 of 1 file");
    assert_eq!(lines("-g *.md two"), "1 match for `two` in 1 of 1 file");
    let both = json!({"pattern": "two", "ignore_case": true, "case_sensitive": true});
    assert_eq!(repo.code("code.grep", both), ProblemCode::ValidationError);
}
