//! Language servers through the operations: which server is asked, what is answered without one,
//! and that no failure of a server is used as an answer. Real servers are in `tests/servers`.

use base::ProblemCode;
use engine::{AREAS, JsonObject, Outcome, Workspace, WorkspaceMode};
use operations::ops;
use serde_json::{Value, json};
use testkit::{TestRepo, call_by, check};
use tree::DiskWriter;

/// Implements enough of the protocol: it finds a word in the files that it was sent, and exits when
/// asked for a definition.
const FAKE: &str = r#"
import json, os, sys
texts = {}
def receive():
    length = 0
    while (line := sys.stdin.buffer.readline()) != b"\r\n":
        if not line: sys.exit(0)
        length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length))
def send(id, result):
    body = json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()
def half_read():
    status = {"health": "warning", "quiescent": True, "message": "no standard library"}
    body = json.dumps({"jsonrpc": "2.0", "method": "experimental/serverStatus", "params": status}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()
def at(line, start, end):
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
def word(params):
    text = texts[params["textDocument"]["uri"]].split("\n")[params["position"]["line"]]
    start = params["position"]["character"]
    end = start
    while end < len(text) and text[end].isidentifier(): end += 1
    return text[start:end]
def found(name):
    for uri, text in texts.items():
        for number, line in enumerate(text.split("\n")):
            if name in line and not line.startswith("def"):
                yield {"uri": uri, "range": at(number, line.index(name), line.index(name) + len(name))}
while True:
    message = receive()
    method, params = message.get("method"), message.get("params")
    if method == "initialize":
        names = ["references", "definition", "rename"]
        if sys.argv[1:] == ["half"]: half_read() # said first, so that no answer can overtake it
        send(message["id"], {"capabilities": {name + "Provider": True for name in names},
                             "serverInfo": {"name": sys.argv[1] if sys.argv[1:] else "fake", "version": "7"}})
    elif method == "textDocument/didOpen":
        texts[params["textDocument"]["uri"]] = params["textDocument"]["text"]
    elif method == "textDocument/didChange":
        texts[params["textDocument"]["uri"]] = params["contentChanges"][0]["text"]
    elif method == "textDocument/didClose":
        del texts[params["textDocument"]["uri"]]
    elif method == "textDocument/references":
        send(message["id"], list(found(word(params))))
    elif method == "textDocument/definition":
        os._exit(3)
    elif method == "textDocument/rename":
        if sys.argv[1:] == ["late"]: half_read()
        place = {"range": at(0, 4, 6), "newText": params["newName"]}
        outside = {"file:///etc/passwd": [place]}
        inside = {params["textDocument"]["uri"]: [place]}
        send(message["id"], {"changes": outside if params["newName"] == "out" else inside})
    elif method == "exit":
        sys.exit(0)
    elif "id" in message and method:
        send(message["id"], None)
"#;

/// A repository whose Python is served by the fake.
fn repo() -> TestRepo {
    let repo =
        TestRepo::new("//- a.py\ndef go():\n    return 1\n//- b.py\nfrom a import go\nx = go()\n");
    repo.write("server/fake.py", FAKE);
    let script = repo.root().join("server/fake.py");
    let config = json!({"languages": {"python": {"server": "python3", "args": [script]}}});
    repo.write("cairn.jsonc", config.to_string());
    repo.write(".gitignore", "server\n");
    repo.commit("server");
    repo
}

fn ask(workspace: &Workspace, name: &str, args: Value) -> Outcome {
    let args: JsonObject = serde_json::from_value(args).unwrap();
    let (op, args) = ops::resolve(name, args)?;
    op.call(workspace, call_by("tester"), args)
}

fn data(workspace: &Workspace, name: &str, args: Value) -> Value {
    let answer = operations::CallFormat::CommandLine.json(&ask(workspace, name, args));
    assert!(answer.get("error").is_none(), "{name}: {answer:#}");
    answer["data"].clone()
}

#[test]
fn nothing_starts_before_the_repository_is_trusted() {
    let repo = repo();
    check(
        &repo,
        "code references a.py#go",
        "
        1 reference of symbol:a.py#go, from the index
          b.py:2  x = go()  module:b.py
        Each symbol that uses it is listed once
        from the index: python3 was not started: this repository is not trusted
        hint: a person can allow its programs to run with  cairn trust
        basis: fresh · main @ COMMIT
        ",
    );
    assert_eq!(repo.code("code.hints", json!({"path": "a.py"})), ProblemCode::Untrusted);
    let trusted = repo.data("trust", json!({}));
    assert_eq!((&trusted["trusted"], &trusted["changed"]), (&json!(true), &json!(true)));
    assert_eq!(repo.data("trust", json!({}))["changed"], false);
    let by = repo.data("code.references", json!({"target": "a.py#go"}))["by"].clone();
    assert_eq!(by, json!({"source": "server", "name": "python3 7"}));
    assert_eq!(repo.data("untrust", json!({}))["changed"], true);
    let by = repo.data("code.references", json!({"target": "a.py#go"}))["by"].clone();
    assert_eq!(by["source"], "index");
}

/// The source of the answer, and the reason why it is not the server.
fn answered_by(repo: &TestRepo) -> (String, String) {
    let by = repo.data("code.references", json!({"target": "a.py#go"}))["by"].clone();
    let text = |key: &str| by[key].as_str().unwrap_or_default().to_owned();
    (text("source"), text("why"))
}

#[test]
fn a_repository_that_would_run_something_else_is_asked_about_again() {
    let repo = repo();
    let config = repo.read("cairn.jsonc").unwrap();
    repo.data("trust", json!({}));
    assert_eq!(answered_by(&repo).0, "server");
    let args = json!([repo.root().join("server/fake.py"), "half"]);
    let other = json!({"languages": {"python": {"server": "python3", "args": args}}});
    repo.write("cairn.jsonc", other.to_string());
    let told = "python3 was not started: this repository changed since it was trusted: \
                languages.python in cairn.jsonc is another";
    assert_eq!(answered_by(&repo), ("index".into(), told.into()));
    assert_eq!(repo.data("trust", json!({}))["changed"], true);
    assert_eq!(answered_by(&repo).0, "server");
    repo.write("cairn.jsonc", config);
    assert_eq!(answered_by(&repo).0, "server", "what was trusted before still is");
}

#[test]
fn another_repository_at_a_trusted_place_is_not_trusted() {
    let repo = repo();
    repo.data("trust", json!({}));
    assert_eq!(answered_by(&repo).0, "server");
    std::fs::remove_dir_all(repo.root().join(".git")).unwrap();
    repo.git(&["init", "-q", "-b", "main"]);
    repo.write("a.py", "def go():\n    return 2\n");
    repo.commit("another history");
    let (source, why) = answered_by(&repo);
    assert_eq!(source, "index");
    assert!(why.ends_with("another repository is in its place"), "{why}");
}

#[test]
fn a_server_that_knows_a_few_files_is_not_asked_about_all() {
    let repo = TestRepo::new(
        "//- a.c\nint go(void) { return 1; }\n//- b.c\nint go(void);\nint x(void) { return go(); }\n",
    );
    repo.write("server/fake.py", FAKE);
    let args = json!([repo.root().join("server/fake.py"), "clangd"]);
    let config = json!({"languages": {"c": {"server": "python3", "args": args}}});
    repo.write("cairn.jsonc", config.to_string());
    repo.commit("server");
    repo.data("trust", json!({}));
    let by = || repo.data("code.references", json!({"target": "a.c#go"}))["by"].clone();
    let said = by();
    let why = "python3 knows only opened files, because there is no compile_commands.json";
    assert_eq!((&said["source"], &said["why"]), (&json!("index"), &json!(why)));
    let rename = json!({"target": "a.c#go", "new_name": "walk"});
    assert_eq!(
        repo.code("code.rename", rename),
        ProblemCode::Blocked,
        "nor does the index know all"
    );
    repo.write("compile_flags.txt", "-Wall\n");
    assert_eq!(by(), json!({"source": "server", "name": "python3 7"}));
}

#[test]
fn trust_is_a_persons_alone() {
    for name in ["trust", "untrust"] {
        let op = ops::find(name).unwrap();
        assert_eq!(op.doors, [engine::Door::Cli], "{name}");
    }
}

#[test]
fn a_server_sees_what_is_on_disk_and_is_replaced_when_it_dies() {
    let repo = repo();
    repo.data("trust", json!({}));
    let workspace = repo.open(WorkspaceMode::Once, DiskWriter::default(), AREAS);
    let lines = || {
        let found = data(&workspace, "code.references", json!({"target": "a.py#go"}));
        let places = found["places"].as_array().unwrap().clone();
        let line = |one: &Value| {
            format!("{}:{}:{}", one["path"].as_str().unwrap(), one["line"], one["column"])
        };
        places.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(lines(), [""; 0], "it was shown only the file that was asked about");
    repo.write("b.py", "from a import go\n\nx = go()\n");
    assert_eq!(lines(), ["b.py:1:15", "b.py:3:5"]);
    repo.write("c.py", "from a import go\n");
    assert_eq!(lines(), ["b.py:1:15", "b.py:3:5", "c.py:1:15"]);
    repo.remove("b.py");
    assert_eq!(lines(), ["c.py:1:15"]);

    let died = data(&workspace, "code.definition", json!({"target": "a.py#go"}));
    let why = died["by"]["why"].as_str().unwrap();
    assert!(why.starts_with("python3: it ended instead of answering"), "{why}");
    assert_eq!(died["places"][0]["path"], "a.py");
    let found = data(&workspace, "code.references", json!({"target": "a.py#go"}));
    assert_eq!(found["by"]["name"], "python3 7");
    assert_eq!(data(&workspace, "code.restart", json!({}))["servers"], json!(["python3 7"]));
    assert_eq!(data(&workspace, "kart_restart", json!({}))["servers"], json!([]));
}

#[test]
fn what_a_server_does_not_offer_or_is_not_there_is_said() {
    let repo = repo();
    repo.data("trust", json!({}));
    let hints = repo.call_op("code.hints", json!({"path": "a.py"})).unwrap_err();
    assert_eq!(hints.to_string(), "python3 7 does not offer inlayHint");
    repo.write("cairn.jsonc", r#"{"languages": {"python": {"server": "cairn-no-such"}}}"#);
    let hints = repo.call_op("code.hints", json!({"path": "a.py"})).unwrap_err();
    assert_eq!(
        (hints.code, hints.message.as_str()),
        (ProblemCode::Unavailable, "cairn-no-such is not installed")
    );
    repo.write("x.sh", "f() { :; }\n");
    let unknown = repo.call_op("code.type_definition", json!({"target": "x.sh#f"})).unwrap_err();
    assert_eq!(unknown.message, "no language server is known for Bash");
    let wrong = repo.call_op("code.expand_macro", json!({"target": "a.py:1:1"})).unwrap_err();
    assert_eq!(wrong.code, ProblemCode::InvalidOperation);
}

#[test]
fn a_server_cannot_have_files_changed_outside() {
    let repo = repo();
    repo.data("trust", json!({}));
    let before = repo.snapshot();
    let rename = |name: &str| json!({"target": "a.py#go", "new_name": name});
    let refused = repo.call_op("code.rename", rename("out")).unwrap_err();
    assert_eq!(refused.message, "it would change passwd, which is outside this repository");
    assert_eq!(repo.code("code.rename", rename("a b")), ProblemCode::ValidationError);
    assert_eq!(repo.code("code.rename", rename("if")), ProblemCode::SyntaxError);
    assert_eq!(repo.snapshot(), before);
    let done = repo.data("code.rename", rename("walk"));
    assert_eq!(done["result"]["by"]["source"], "server");
    assert_eq!(repo.read("a.py").unwrap(), "def walk():\n    return 1\n");
    // The server does not know the other file; the index does.
    assert_eq!(repo.read("b.py").unwrap(), "from a import walk\nx = walk()\n");
    assert_eq!(done["result"]["added"], json!(["b.py:1", "b.py:2"]));
    repo.data("undo", json!({}));
    assert_eq!(repo.snapshot(), before);
}

#[test]
fn a_rename_leaves_no_use_that_the_index_knows_unsaid() {
    let repo = repo();
    repo.write("a.py", "class A:\n    def go(self):\n        return 1\n");
    repo.write("b.py", "def use(thing):\n    thing.go()\n");
    // The fake renames the fifth and sixth letter of the first line, which is enough here.
    repo.write("a.py", "def go(): return A\nclass A:\n    def go(self):\n        return 1\n");
    repo.data("trust", json!({}));
    let before = repo.snapshot();
    let rename = |more: Value| {
        let mut args = json!({"target": "a.py#A.go", "new_name": "walk"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    };
    let refused = repo.call_op("code.rename", rename(json!({}))).unwrap_err();
    assert_eq!(refused.code, ProblemCode::Blocked);
    assert_eq!(refused.details["uses"], json!([{"place": "b.py:2", "how": "by name"}]));
    assert_eq!(repo.snapshot(), before);
    let left = repo.data("code.rename", rename(json!({"unsure": "leave"})));
    assert_eq!(left["result"]["left"], json!(["b.py:2"]));
    repo.data("undo", json!({}));
    let done = repo.data("code.rename", rename(json!({"unsure": "rename"})));
    assert_eq!(done["result"]["added"], json!(["b.py:2"]));
    assert_eq!(repo.read("b.py").unwrap(), "def use(thing):\n    thing.walk()\n");
}

#[test]
fn a_server_that_has_not_read_all_renames_nothing() {
    // The server reports this at once, or only while it answers.
    for when in ["half", "late"] {
        let repo = repo();
        let args = json!([repo.root().join("server/fake.py"), when]);
        let config = json!({"languages": {"python": {"server": "python3", "args": args}}});
        repo.write("cairn.jsonc", config.to_string());
        repo.data("trust", json!({}));
        let asked = repo.data("code.references", json!({"target": "a.py#go"}));
        assert_eq!(asked["by"]["source"], "server");
        let renamed = repo.data("code.rename", json!({"target": "a.py#go", "new_name": "walk"}));
        let by = &renamed["result"]["by"];
        let expected = (&json!("index"), &json!(["a.py", "b.py"]));
        assert_eq!((&by["source"], &renamed["files"]), expected, "{when}");
        assert_eq!(
            by["why"], "python3 has not loaded the whole project: no standard library",
            "{when}"
        );
    }
}

const PAY: &str = "//- pay.ts
/** pay, in words. */
export function pay(amount: number) {
  return amount > 0 ? pay(amount - 1) : 'pay';
}
//- app.ts
import { pay } from './pay';
export const result = pay(3);
//- other.ts
export { pay as settle } from './pay';
";

#[test]
fn the_index_renames_what_is_certain_everywhere_at_once() {
    let repo = TestRepo::new(PAY);
    let done =
        repo.data("kart_rename", json!({"path": "pay.ts", "symbol": "pay", "newName": "charge"}));
    assert_eq!(done["result"]["by"]["source"], "index");
    assert_eq!(done["files"], json!(["app.ts", "other.ts", "pay.ts"]));
    let expected = PAY
        .replace("function pay", "function charge")
        .replace("? pay(", "? charge(")
        .replace("{ pay }", "{ charge }")
        .replace("= pay(3)", "= charge(3)")
        .replace("{ pay as", "{ charge as");
    for (path, text) in testkit::parse_fixture(&expected) {
        assert_eq!(repo.read(&path).unwrap(), text, "{path}");
    }
    repo.data("undo", json!({}));
    assert_eq!(repo.read("pay.ts").unwrap(), testkit::parse_fixture(PAY)[0].1);
}

#[test]
fn the_index_renames_nothing_that_is_not_certain() {
    let cases = [
        ("a namesake", "//- z.ts\nexport class Z { pay() {} }\n"),
        (
            "a member of something",
            "//- z.ts\nimport './pay';\nexport const z = (x: any) => x.pay;\n",
        ),
        ("a call on something", "//- z.ts\nexport const z = (x: any) => x.pay();\n"),
        ("a file without a tie", "//- z.ts\ndeclare const q: any; q(pay);\n"),
        (
            "a parameter",
            "//- z.ts\nimport { pay } from './pay';\nexport const z = (pay: number) => pay + 1;\n",
        ),
        ("a shorthand", "//- z.ts\nimport { pay } from './pay';\nexport const z = { pay };\n"),
        ("the new name taken", "//- z.ts\nimport { pay } from './pay';\nconst charge = pay(1);\n"),
    ];
    for (what, more) in cases {
        let repo = TestRepo::new(&format!("{PAY}{more}"));
        let before = repo.snapshot();
        let args = json!({"target": "pay.ts#pay", "new_name": "charge"});
        let refused = repo.call_op("code.rename", args).map(|_| ()).unwrap_err();
        assert_eq!(refused.code, ProblemCode::Blocked, "{what}: {refused}");
        assert_eq!(repo.snapshot(), before, "{what}");
    }
}

#[test]
fn a_linter_that_is_absent_is_no_all_clear() {
    let repo = TestRepo::new(PAY);
    for name in ["code.diagnostics", "kart_diagnostics"] {
        match repo.call_op(name, json!({"paths": ["pay.ts"]})) {
            Ok(answer) => {
                assert_eq!(answer.data["oxlint_available"], false, "{:?}", answer.basis);
                assert_eq!(answer.basis.state, engine::BasisState::Partial);
            }
            Err(problem) => assert_eq!(problem.code, ProblemCode::Untrusted, "{problem}"),
        }
    }
}

/// A fake linter with a script as `oxlint`, and `tsgolint` next to it.
fn linted(oxlint: &str) -> TestRepo {
    use std::os::unix::fs::PermissionsExt;
    let repo =
        TestRepo::new("//- a.ts\nexport const x: string = 5;\n//- .gitignore\nnode_modules\n");
    for (name, text) in [("oxlint", oxlint), ("tsgolint", "")] {
        let path = repo.root().join("node_modules/.bin").join(name);
        repo.write(&format!("node_modules/.bin/{name}"), format!("#!/bin/sh\n{text}"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    // No server is installed, so only the linter can answer.
    repo.write("cairn.jsonc", r#"{"languages": {"typescript": {"server": "cairn-no-such"}}}"#);
    repo.data("trust", json!({}));
    repo
}

#[test]
fn without_permission_the_hint_is_how_to_give_it() {
    let repo = linted("exit 1");
    repo.data("untrust", json!({}));
    let refused = repo.call_op("code.diagnostics", json!({"paths": ["a.ts"]})).unwrap_err();
    assert_eq!(refused.code, ProblemCode::Untrusted);
    let call = refused.hints[0].call.as_ref().map(|call| call.operation.as_str());
    assert_eq!((call, refused.hints.len()), (Some("trust"), 1), "{:?}", refused.hints);
}

const TYPE_ERROR: &str = r#"{"message": "Type number is not string", "code": "TS2322", "severity": "error",
    "filename": "a.ts", "labels": [{"span": {"offset": 0, "line": 1, "column": 14}}]}"#;

#[test]
fn type_errors_are_asked_for_where_the_linter_can_tell() {
    let report = format!(r#"{{"diagnostics": [{TYPE_ERROR}]}}"#);
    let knows = format!(
        "case \"$*\" in *--type-check*) echo '{report}'; exit 1;; *) echo '{{\"diagnostics\": []}}';; esac"
    );
    let repo = linted(&knows);
    let found = repo.data("code.diagnostics", json!({}));
    assert_eq!(found["diagnostics"][0]["message"], "Type number is not string");
    assert_eq!(found["by"]["TypeScript"], "oxlint, types by tsgolint");
    assert_eq!(found["gaps"], Value::Null);
}

#[test]
fn types_that_were_not_checked_are_no_all_clear() {
    let old = "case \"$*\" in *--type-check*) echo '`--type-check` is not expected' >&2; exit 2;; *) echo '{\"diagnostics\": []}';; esac";
    let text = linted(old).text("code diagnostics");
    let first = text.lines().next().unwrap();
    let said = "No problems found in 1 file by oxlint, but types of TypeScript not checked: oxlint --type-aware --type-check failed: `--type-check` is not expected; ";
    assert!(first.starts_with(said), "{text}");
    assert!(text.contains("basis: partial"), "{text}");
}

#[test]
fn a_linter_that_could_not_read_the_project_is_no_all_clear() {
    let of_project =
        r#"{"diagnostics": [{"message": "Invalid tsconfig", "severity": "error", "labels": []}]}"#;
    let text = linted(&format!("echo '{of_project}'; exit 1")).text("code diagnostics");
    assert!(!text.contains("Nothing is wrong"), "{text}");
    assert!(text.lines().next().unwrap().contains("oxlint reports: Invalid tsconfig"), "{text}");
    // An empty report together with a failing exit code is an error.
    let repo =
        linted("echo '{\"diagnostics\": []}'; echo 'tsconfig.json: cannot be read' >&2; exit 1");
    let text = repo.text("code diagnostics");
    assert!(text.starts_with("Nothing could be checked"), "{text}");
    assert!(text.contains("tsconfig.json: cannot be read"), "{text}");
    assert!(text.contains("basis: partial"), "{text}");
}
