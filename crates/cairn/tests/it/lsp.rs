//! `cairn lsp`, driven by a client that speaks the protocol to the real binary.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use testkit::TestRepo;

const FIXTURE: &str = "//- cairn.jsonc
{}
//- .cairn/cards/auth/login.card.md
---
key: spec::auth/login
type: spec
summary: A user signs in with a password
status: implemented
constraints:
  - a wrong password takes as long as a right one
---

The session begins here.
//- src/auth/login.ts
/**
 * Signs a user in.
 *
 * @see spec::auth/login
 */
export function login(name: string): boolean {
  return check(name);
}

/** Compares two passwords. */
export function check(name: string): boolean {
  return name.length > 0;
}
//- src/auth/login.test.ts
import { login } from './login';
test('login', () => { login('a'); });
";

/// A client of the real binary.
struct EditorClient {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Messages that arrived while the test waited for another one
    kept: Vec<Value>,
    root: String,
    next_id: u64,
}

impl Drop for EditorClient {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl EditorClient {
    #[expect(clippy::disallowed_methods, reason = "the binary under test")]
    fn start(repo: &TestRepo) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        command.args(["lsp", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let root = format!("file://{}", repo.root().canonicalize().unwrap().display());
        let mut client = Self { process, input, output, kept: Vec::new(), root, next_id: 1 };
        let capabilities = json!({"window": {"showDocument": {"support": true}}});
        let params =
            json!({"processId": null, "rootUri": client.root, "capabilities": capabilities});
        let reply = client.request("initialize", params);
        assert_eq!(reply["serverInfo"]["name"], "cairn");
        client.notify("initialized", json!({}));
        client
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server ended");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    /// The first message that fits, among those already received and those still to come.
    fn wait_for(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&fits) {
            return self.kept.remove(at);
        }
        loop {
            let message = self.read();
            if fits(&message) {
                return message;
            }
            self.kept.push(message);
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers write it as a literal")]
    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let reply = self.wait_for(|message| message["id"] == id && message["method"].is_null());
        assert!(reply["error"].is_null(), "{method}: {reply}");
        reply["result"].clone()
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers write it as a literal")]
    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn uri(&self, path: &str) -> String {
        format!("{}/{path}", self.root)
    }

    /// Asks about a place in a file.
    fn at(&mut self, method: &str, path: &str, line: u32, character: u32) -> Value {
        let params = json!({
            "textDocument": {"uri": self.uri(path)},
            "position": {"line": line, "character": character},
        });
        self.request(method, params)
    }

    /// The codes of the next diagnostics of a file that fit.
    fn wait_for_codes(&mut self, path: &str, fits: impl Fn(&[String]) -> bool) -> Vec<String> {
        let uri = self.uri(path);
        let codes = |message: &Value| -> Vec<String> {
            let list = message["params"]["diagnostics"].as_array().into_iter().flatten();
            list.map(|one| one["code"].as_str().unwrap().to_owned()).collect()
        };
        let message = self.wait_for(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && fits(&codes(message))
        });
        codes(&message)
    }
}

#[test]
fn an_editor_sees_cards_problems_and_tests() {
    let repo = TestRepo::new(FIXTURE);
    let mut editor = EditorClient::start(&repo);
    let code = "src/auth/login.ts";
    let card = ".cairn/cards/auth/login.card.md";

    let hover = editor.at("textDocument/hover", code, 3, 12);
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("spec::auth/login") && text.contains("A user signs in"), "{text}");
    let hover = editor.at("textDocument/hover", code, 5, 20);
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("Specs and requirements"), "{text}");
    assert_eq!(editor.at("textDocument/hover", code, 10, 20), Value::Null);

    let definition = editor.at("textDocument/definition", code, 3, 12);
    assert_eq!(definition["uri"], editor.uri(card));
    let back = editor.at("textDocument/definition", card, 1, 8);
    assert_eq!(back[0]["uri"], editor.uri(code));
    assert_eq!(back[0]["range"]["start"]["line"], 3);
    let linked = editor.at("textDocument/references", card, 9, 2);
    assert_eq!(linked[0]["uri"], editor.uri(code));

    let uri = editor.uri(code);
    let lenses = editor.request("textDocument/codeLens", json!({"textDocument": {"uri": uri}}));
    let titles: Vec<&str> = lenses
        .as_array()
        .unwrap()
        .iter()
        .map(|lens| lens["command"]["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["implements spec::auth/login", "covered by 1 test file"]);
    assert_eq!(lenses[0]["range"]["start"]["line"], 5);

    // Another program changes files: an agent, git, another editor.
    repo.remove(card);
    let codes = editor.wait_for_codes(code, |codes| !codes.is_empty());
    assert_eq!(codes, ["SEE_TARGET_MISSING"]);
    repo.git(&["checkout", "--", card]);
    editor.wait_for_codes(code, <[String]>::is_empty);
}

#[test]
fn an_action_writes_a_card_and_links_it() {
    let repo = TestRepo::new(FIXTURE);
    let mut editor = EditorClient::start(&repo);
    let uri = editor.uri("src/auth/login.ts");
    let place = json!({"line": 10, "character": 18});
    let params = json!({
        "textDocument": {"uri": uri},
        "range": {"start": place, "end": place},
        "context": {"diagnostics": []},
    });
    let actions = editor.request("textDocument/codeAction", params.clone());
    let create = actions.as_array().unwrap().last().unwrap();
    assert_eq!(create["title"], "Write a card for `check`: spec::auth/check");
    editor.request("workspace/executeCommand", create["command"].clone());
    let shown = editor.wait_for(|message| message["method"] == "window/showDocument");
    assert_eq!(shown["params"]["uri"], editor.uri(".cairn/cards/auth/check.card.md"));
    let card = repo.read(".cairn/cards/auth/check.card.md").unwrap();
    assert!(card.contains("summary: Compares two passwords"), "{card}");
    assert!(repo.read("src/auth/login.ts").unwrap().contains("@see spec::auth/check"));

    // Unsaved text would be overwritten.
    editor.notify("textDocument/didChange", json!({"textDocument": {"uri": uri, "version": 2}}));
    assert_eq!(editor.request("textDocument/codeAction", params), json!([]));
}

#[test]
fn an_action_confirms_a_link_whose_code_changed() {
    let repo = TestRepo::new(FIXTURE);
    repo.git(&["config", "user.email", "ada@example.org"]);
    let mut editor = EditorClient::start(&repo);
    let uri = editor.uri("src/auth/login.ts");
    let place = json!({"line": 5, "character": 18});
    let params = json!({
        "textDocument": {"uri": uri},
        "range": {"start": place, "end": place},
        "context": {"diagnostics": []},
    });
    let link = "symbol:src/auth/login.ts#login";
    let title = format!("Confirm that {link} agrees with spec::auth/login");
    let confirmation = |editor: &mut EditorClient| {
        let actions = editor.request("textDocument/codeAction", params.clone());
        let actions = actions.as_array().unwrap().clone();
        let titles: Vec<&str> = actions.iter().map(|one| one["title"].as_str().unwrap()).collect();
        // An existing link is not offered again.
        assert!(!titles.iter().any(|one| one.starts_with("Link ")), "{titles:?}");
        // The card of the key that would be made exists.
        assert!(!titles.iter().any(|one| one.starts_with("Write a card")), "{titles:?}");
        actions.into_iter().find(|action| action["title"] == title.as_str())
    };
    let unconfirmed = confirmation(&mut editor).expect("nobody confirmed the link yet");
    editor.request("workspace/executeCommand", unconfirmed["command"].clone());
    assert!(confirmation(&mut editor).is_none());

    let code = repo.read("src/auth/login.ts").unwrap();
    repo.write("src/auth/login.ts", code.replace("return check(name)", "return !check(name)"));
    let suspect = confirmation(&mut editor).expect("the code changed since");
    editor.request("workspace/executeCommand", suspect["command"].clone());
    assert!(confirmation(&mut editor).is_none());
    let written = repo.git(&["status", "--porcelain", ".cairn/links"]);
    assert!(!written.is_empty());

    // The editor's user confirmed the link, and undoes that on the command line.
    let file = fs::read_dir(repo.root().join(".cairn/links")).unwrap().flatten().next().unwrap();
    let record = fs::read_to_string(file.path()).unwrap();
    assert!(record.contains("ada@example.org"), "{record}");
    drop(editor);
    assert!(undo(&repo));
    assert_ne!(fs::read_to_string(file.path()).unwrap(), record);
}

/// Undoes the last change of the editor's user, on the command line.
#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn undo(repo: &TestRepo) -> bool {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.current_dir(repo.root()).arg("undo").status().unwrap().success()
}

#[test]
fn requests_that_nobody_knows_are_refused_and_the_server_ends_when_told() {
    let repo = TestRepo::new(FIXTURE);
    let mut editor = EditorClient::start(&repo);
    editor
        .send(&json!({"jsonrpc": "2.0", "id": 99, "method": "textDocument/rename", "params": {}}));
    let refused = editor.wait_for(|message| message["id"] == 99);
    assert_eq!(refused["error"]["code"], -32601);
    let outside = json!({"textDocument": {"uri": "file:///etc/hosts"}, "position": {"line": 0, "character": 0}});
    assert_eq!(editor.request("textDocument/hover", outside), Value::Null);
    assert_eq!(editor.request("shutdown", Value::Null), Value::Null);
    editor.notify("exit", Value::Null);
    assert!(editor.process.wait().unwrap().success());
}

/// Neovim as the client, where it is installed.
#[test]
#[expect(clippy::disallowed_methods, reason = "an editor that the machine may have")]
fn neovim_shows_cards_and_problems() {
    if !Command::new("nvim").arg("--version").output().is_ok_and(|said| said.status.success()) {
        return testskip::not_run("`nvim` is not installed");
    }
    let repo = TestRepo::new(FIXTURE);
    let folder = tempfile::tempdir().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/editors/neovim.lua");
    let mut command = Command::new("nvim");
    command.args(["--headless", "--clean", "-c", &format!("luafile {script}"), "-c", "qa!"]);
    command.env("CAIRN", env!("CARGO_BIN_EXE_cairn")).env("ROOT", repo.root());
    command.env("FILE", "src/auth/login.ts").env("LINE", "4").env("COLUMN", "14");
    command.env("BROKEN_LINE", " * @see spec::auth/logins").env("HOME", folder.path());
    let other = "---\nkey: spec::auth/words\ntype: spec\nsummary: A check compares passwords\nstatus: draft\n---\n";
    repo.write(".cairn/cards/auth/words.card.md", other);
    let actions = json!([
        {"text": "export function check", "title": "Link `check` to spec::auth/words"},
        {"text": "export function check", "title": "Write a card for `check`"},
        {"text": "export function login", "title": "Confirm that "},
    ]);
    command.env("ACTIONS", actions.to_string());
    let output = folder.path().join("told.json");
    command.env("OUTPUT", &output).stdin(Stdio::null());
    let said = command.output().unwrap();
    let text = std::fs::read_to_string(&output).unwrap_or_else(|_| panic!("{said:?}"));
    let told: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(told["lenses"], json!(["implements spec::auth/login", "covered by 1 test file"]));
    assert!(told["hover"].as_str().unwrap().contains("A user signs in"), "{told}");
    assert!(told["definition"].as_str().unwrap().ends_with("auth/login.card.md"), "{told}");
    assert!(told["back"].as_str().unwrap().ends_with("src/auth/login.ts:4"), "{told}");
    let acted: Vec<&str> =
        told["acted"].as_array().unwrap().iter().map(|title| title.as_str().unwrap()).collect();
    assert_eq!(acted.len(), 3, "{told}");
    assert!(acted[2].ends_with("agrees with spec::auth/login"), "{told}");
    let after = told["lenses_after"].as_array().unwrap();
    for card in ["login", "words", "check"] {
        assert!(after.contains(&json!(format!("implements spec::auth/{card}"))), "{told}");
    }
    let found = json!([{"code": "SEE_TARGET_MISSING", "line": 4, "source": "cairn"}]);
    assert_eq!(told["diagnostics"], found);
}
