//! The HTTP server, tested by a client that writes raw requests.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use testkit::TestRepo;

const CAIRN: &str = env!("CARGO_BIN_EXE_cairn");
const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A server with a low limit on open files.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(repo: &TestRepo) -> Self {
        Self::start_with(repo, &[])
    }

    fn start_with(repo: &TestRepo, args: &[&str]) -> Self {
        #[expect(clippy::disallowed_methods, reason = "the binary under test, with a limit")]
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -n 400; exec \"$@\"", "sh", CAIRN, "-C"]).arg(repo.root());
        command.args(["mcp", "--http", "127.0.0.1:0"]).args(args).env("CAIRN_TOKEN", TOKEN);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
        // Keep reading the server's output, so that it does not block.
        std::thread::spawn(move || said.read_to_string(&mut line));
        Self { child, address }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).unwrap()
    }

    /// The head and the body of an answer to one request on a connection of its own.
    fn post(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> (String, String) {
        self.post_text(path, headers, &body.to_string())
    }

    /// The same, with a body that need not be valid JSON.
    fn post_text(&self, path: &str, headers: &[(&str, &str)], body: &str) -> (String, String) {
        self.post_to(&self.address, path, headers, body)
    }

    /// The same, with another `Host`, as behind a proxy.
    fn post_to(
        &self,
        host: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (String, String) {
        let mut stream = self.connect();
        let headers: String =
            headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const BEARER: (&str, &str) = ("Authorization", "bearer 0123456789abcdef0123456789abcdef");

#[test]
fn connections_without_a_token_keep_nobody_out() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let server = Server::start(&repo);
    let idle: Vec<TcpStream> = (0..600).map(|_| server.connect()).collect();
    let (head, body) = server.post("/api/status", &[BEARER], &json!({}));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
    let ended = |mut stream: &TcpStream| {
        stream.set_nonblocking(true).unwrap();
        matches!(stream.read(&mut [0]), Ok(0))
    };
    assert!(ended(&idle[0]), "the oldest made room");
}

#[test]
fn sessions_beyond_the_limit_end_the_oldest() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let server = Server::start(&repo);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "many", "version": "1"}}});
    let open = || {
        let (head, _) = server.post("/mcp", &[BEARER], &hello);
        let named = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        named.unwrap().to_owned()
    };
    let sessions: Vec<String> = (0..200).map(|_| open()).collect();
    let ping = |session: &str| {
        let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
        server.post("/mcp", &[BEARER, ("Mcp-Session-Id", session)], &ping).0
    };
    assert!(ping(&sessions[0]).starts_with("HTTP/1.1 404"));
    assert!(ping(&sessions[199]).starts_with("HTTP/1.1 200"));
}

#[test]
fn every_id_that_json_rpc_allows_is_answered_as_it_was_sent() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let server = Server::start(&repo);
    let hello = json!({"jsonrpc": "2.0", "id": 1.5, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "odd", "version": "1"}}});
    let (head, body) = server.post("/mcp", &[BEARER], &hello);
    assert!(body.contains(r#""id":1.5"#), "{head}\n{body}");
    let named = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    let session = ("Mcp-Session-Id", named.unwrap());
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    server.post("/mcp", &[BEARER, session], &ready);
    for id in ["null", "1.5", "98765432109876543210", "1e400", "7", r#""a\"b""#, r#""""#] {
        let ping = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let (head, body) = server.post_text("/mcp", &[BEARER, session], &ping);
        assert!(head.starts_with("HTTP/1.1 200"), "{id}: {head}\n{body}");
        let answer = body.lines().find(|line| line.contains("\"result\"")).unwrap_or_default();
        assert!(answer.contains(&format!(r#""id":{id},"#)), "{id}: {body}");
        assert!(!body.contains("cairn:"), "{id}: {body}");
    }
    for id in ["true", "[1]", "{}"] {
        let ping = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let (head, body) = server.post_text("/mcp", &[BEARER, session], &ping);
        assert!(head.starts_with("HTTP/1.1 400"), "{id}: {head}");
        assert!(body.contains(r#""id":null"#) && body.contains("-32600"), "{id}: {body}");
    }
}

#[test]
fn writes_are_attributed_to_whoever_is_named() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let server = Server::start(&repo);
    let fact = |id: &str| json!({"entities": [{"id": id, "type": "fact", "title": id}]});
    let write = |headers: &[(&str, &str)], body: &Value| {
        let headers = [&[BEARER], headers].concat();
        let (head, answer) = server.post("/api/kb.upsert", &headers, body);
        (head.split(' ').nth(1).unwrap().to_owned(), answer)
    };
    let mut named = fact("FACT-1");
    named["actor"] = "ada".into();
    assert_eq!(write(&[], &named).0, "200");
    assert_eq!(write(&[("X-Cairn-Actor", "grace")], &fact("FACT-2")).0, "200");
    assert_eq!(write(&[], &fact("FACT-3")).0, "200");
    for wrong in [json!(""), json!("a\nb"), json!(7)] {
        named["actor"] = wrong;
        let (status, answer) = write(&[], &named);
        assert!(status == "400" && answer.contains("actor"), "{answer}");
    }
    let (_, log) = server.post("/api/kb.log", &[BEARER], &json!({}));
    let log: Value = serde_json::from_str(&log).unwrap();
    let actors: Vec<&str> = log["data"]["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|e| e["actor"].as_str())
        .collect();
    assert_eq!(actors, ["http", "grace", "ada"], "{log:#}");
}

/// What `cairn token` prints: the token, and the line for the server's file.
fn make_token(name: &str, scope: &str) -> (String, String) {
    #[expect(clippy::disallowed_methods, reason = "the binary under test")]
    let made = Command::new(CAIRN).args(["token", name, "--scope", scope]).output().unwrap();
    let text = String::from_utf8(made.stdout).unwrap();
    let last = |line: &str| line.rsplit(' ').next().unwrap().to_owned();
    let mut lines = text.lines();
    (last(lines.next().unwrap()), last(lines.next().unwrap()))
}

#[test]
fn named_tokens_have_a_scope_and_name_their_changes() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let ((ada, ada_line), (bot, bot_line)) =
        (make_token("ada", "write"), make_token("bot", "read"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens");
    std::fs::write(&file, format!("{ada_line}\n{bot_line}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let server = Server::start_with(&repo, &["--tokens", file.to_str().unwrap()]);
    let post = |token: &str, path: &str, body: &Value| {
        let bearer = format!("Bearer {token}");
        let headers = [("Authorization", bearer.as_str()), ("X-Cairn-Actor", "somebody else")];
        let (head, answer) = server.post(path, &headers, body);
        (head.split(' ').nth(1).unwrap().to_owned(), answer)
    };
    let fact = json!({"entities": [{"id": "FACT-1", "type": "fact", "title": "one"}]});
    assert_eq!(post(&ada, "/api/kb.upsert", &fact).0, "200");
    let (status, answer) = post(&bot, "/api/kb.upsert", &fact);
    assert!(
        status == "403" && answer.contains("the token `bot` may only read"),
        "{status} {answer}"
    );
    assert_eq!(post(TOKEN, "/api/kb.query", &json!({})).0, "401");
    let (status, log) = post(&bot, "/api/kb.log", &json!({}));
    assert!(status == "200" && log.contains("\"actor\":\"ada\""), "{log}");
    // The scope also applies over MCP.
    let call = |token: &str| {
        let bearer = format!("Bearer {token}");
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "named", "version": "1"}}});
        let (head, _) = server.post("/mcp", &[("Authorization", &bearer)], &hello);
        let named = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        let headers = [("Authorization", bearer.as_str()), ("Mcp-Session-Id", named.unwrap())];
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        server.post("/mcp", &headers, &ready);
        let arguments = json!({"operation": "kb.upsert", "arguments": fact});
        let params = json!({"name": "run", "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
        server.post("/mcp", &headers, &message).1
    };
    assert!(call(&bot).contains("may only read"), "{}", call(&bot));
    // The command line asks the same server, with the text and the exit code of a local one.
    let ask = |token: &str, args: &[&str]| {
        #[expect(clippy::disallowed_methods, reason = "the binary under test")]
        let mut command = Command::new(CAIRN);
        command
            .current_dir(folder.path())
            .args(["--server", &format!("http://{}", server.address)]);
        let output = command.args(args).env("CAIRN_TOKEN", token).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (code, shown, _) = ask(&bot, &["kb", "log"]);
    assert_eq!(code, Some(0));
    assert_eq!(shown.lines().next(), repo.text("kb log").lines().next());
    let (code, shown, _) = ask(&bot, &["kb", "log", "--json"]);
    let json: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((code, &json["data"]["entries"][0]["actor"]), (Some(0), &json!("ada")));
    let (code, _, said) = ask(&bot, &["work", "create", "project", "P"]);
    assert!(code == Some(2) && said.contains("may only read"), "{code:?} {said}");
    assert_eq!(ask(&ada, &["work", "create", "project", "P"]).0, Some(0));
    let molecule = ["knowledge", "create", "molecule", "M", "--project", "P", "--knowledge", "k"];
    assert_eq!(ask(&bot, &molecule).0, Some(2));
    let (code, _, said) = ask(&ada, &molecule);
    assert_eq!(code, Some(0), "{said}");
    let (code, shown, _) = ask(&bot, &["knowledge", "search", "M", "--kind", "molecule"]);
    assert!(code == Some(0) && shown.contains("\"M\""), "{shown}");
    let (code, _, said) = ask(&ada, &["init"]);
    assert!(
        code == Some(2) && said.contains("only be run from the command line"),
        "{code:?} {said}"
    );
}

#[test]
fn two_agents_with_one_token_do_not_share_claims() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    repo.data("work.create", json!({"kind": "project", "name": "P", "summary": "s"}));
    let made = repo.data("work.create", json!({"kind": "task", "title": "t", "summary": "s"}));
    let task = made["result"]["task"]["id"].as_str().unwrap();
    let server = Server::start(&repo);
    let agent = || {
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "agent", "version": "1"}}});
        let (head, _) = server.post("/mcp", &[BEARER], &hello);
        let named = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        let session = named.unwrap().to_owned();
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        server.post("/mcp", &[BEARER, ("Mcp-Session-Id", &session)], &ready);
        session
    };
    let claim = |session: &str| {
        let arguments = json!({"operation": "work.claim", "arguments": {"task": task}});
        let message = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": "run", "arguments": arguments}});
        server.post("/mcp", &[BEARER, ("Mcp-Session-Id", session)], &message).1
    };
    let (first, second) = (agent(), agent());
    assert!(!claim(&first).contains("claimed by agent in another session"));
    assert!(claim(&second).contains("claimed by agent in another session"), "{}", claim(&second));
    assert!(!claim(&first).contains("in another session"), "its own claim is extended");
    // Requests that name their session do not share claims either, and the server does not store
    // the id of a session.
    let ask = |session: &str| {
        let headers = [BEARER, ("X-Cairn-Session", session), ("X-Cairn-Actor", "agent")];
        server.post("/api/work.claim", &headers, &json!({"task": task})).1
    };
    assert!(ask("third").contains("in another session"), "{}", ask("third"));
    let (_, shown) = server.post("/api/work.show", &[BEARER], &json!({"id": task}));
    assert!(!shown.contains(&first), "{shown}");
}

#[test]
fn a_server_behind_a_proxy_answers_to_its_name() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let (alone, named) =
        (Server::start(&repo), Server::start_with(&repo, &["--allow-host", "cairn.example.com"]));
    let ask = |server: &Server, host: &str, path: &str| {
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "far", "version": "1"}}});
        let body = if path == "/mcp" { hello } else { json!({}) };
        let (head, body) = server.post_to(host, path, &[BEARER], &body.to_string());
        (head.split(' ').nth(1).unwrap().to_owned(), body)
    };
    for path in ["/api/status", "/mcp"] {
        let (status, body) = ask(&alone, "cairn.example.com", path);
        assert!(status == "403" && body.contains("--allow-host"), "{path}: {status} {body}");
        assert_eq!(ask(&named, "cairn.example.com", path).0, "200", "{path}");
        assert_eq!(ask(&named, "evil.example.com", path).0, "403", "{path}");
        assert_eq!(ask(&named, &named.address, path).0, "200", "{path}");
    }
}

#[test]
fn a_token_is_not_sent_unencrypted_to_another_machine() {
    #[expect(clippy::disallowed_methods, reason = "the binary under test")]
    let mut command = Command::new(CAIRN);
    let asked =
        command.args(["--server", "http://db.example.com", "status"]).env("CAIRN_TOKEN", TOKEN);
    let output = asked.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("another machine"), "{said}");
}

#[test]
fn a_kept_token_that_others_may_read_is_refused() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let file = repo.root().join(".git/cairn/http-token");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, TOKEN).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let serve = || {
        #[expect(clippy::disallowed_methods, reason = "the binary under test, with a limit")]
        let mut command = Command::new("timeout");
        command.args(["60", CAIRN, "-C"]).arg(repo.root()).args(["mcp", "--http", "127.0.0.1:0"]);
        let output = command.env_remove("CAIRN_TOKEN").output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = serve();
    assert!(code == Some(2) && said.contains("mode 644"), "{code:?} {said}");
    std::fs::remove_file(&file).unwrap();
    #[expect(clippy::disallowed_methods, reason = "there is no pipe in the standard library")]
    let made = Command::new("mkfifo").arg(&file).status().unwrap();
    assert!(made.success());
    let (code, said) = serve();
    assert!(code == Some(2) && said.contains("not a regular file"), "{code:?} {said}");
}

/// Starts a server whose token is in a named file, and returns its exit code and output.
fn serve_with_token_file(repo: &TestRepo, file: &Path) -> (Option<i32>, String) {
    #[expect(clippy::disallowed_methods, reason = "the binary under test, with a limit")]
    let mut command = Command::new("timeout");
    command.args(["60", CAIRN, "-C"]).arg(repo.root()).args(["mcp", "--http", "127.0.0.1:0"]);
    let output = command.arg("--token-file").arg(file).env_remove("CAIRN_TOKEN").output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_named_token_that_others_may_read_is_refused() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let file = repo.root().with_extension("token");
    std::fs::write(&file, TOKEN).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let (code, said) = serve_with_token_file(&repo, &file);
    assert!(code == Some(2) && said.contains("chmod 600"), "{code:?} {said}");
    std::fs::remove_file(file).unwrap();
}

#[test]
fn a_pipe_that_nobody_writes_a_token_to_is_not_waited_for() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let pipe = repo.root().with_extension("pipe");
    #[expect(clippy::disallowed_methods, reason = "there is no pipe in the standard library")]
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let (code, said) = serve_with_token_file(&repo, &pipe);
    assert!(code == Some(3) && said.contains("no token was written to"), "{code:?} {said}");
    std::fs::remove_file(pipe).unwrap();
}
