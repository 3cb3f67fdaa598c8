//! Clients that misbehave: odd ids, output that they never read, and pipes that they close early.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use testkit::TestRepo;

const HELLO: &str = r#"{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"odd","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A server with its raw pipes.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Server {
    /// Starts the server and initializes it. Its stderr is not read.
    fn start(repo: &TestRepo) -> Self {
        #[expect(clippy::disallowed_methods, reason = "the binary under test")]
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        command.arg("-C").arg(repo.root()).arg("mcp").stderr(Stdio::piped());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, input, output };
        server.send(HELLO);
        assert!(server.receive().contains(r#""id":"hello""#));
        server
    }

    fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").and_then(|()| input.flush()).unwrap();
    }

    fn receive(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ping(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

#[test]
fn every_id_that_json_rpc_allows_is_answered_as_it_was_sent() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let mut server = Server::start(&repo);
    for id in
        ["null", "1.5", "-0.0", "98765432109876543210", "1e400", "7", r#""a\"\u00e9""#, r#""""#]
    {
        server.send(&ping(id));
        let answer = server.receive();
        assert!(answer.contains(&format!(r#""id":{id},"result""#)), "{id}: {answer}");
    }
    for id in ["true", "[1]", "{}"] {
        server.send(&ping(id));
        let answer = server.receive();
        assert!(answer.contains(r#""id":null"#) && answer.contains("-32600"), "{id}: {answer}");
    }
    let call = r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"status","arguments":{}}}"#;
    server.send(&[call; 5].join("\n"));
    let answers: Vec<String> = (0..5).map(|_| server.receive()).collect();
    let is_answer = |line: &String| line.contains(r#""id":5,"#) && line.contains("file indexed");
    assert!(answers.iter().all(is_answer), "{answers:#?}");
}

#[test]
fn calls_under_way_are_finished_when_stdin_closes() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    (0..300).for_each(|n| repo.write(&format!("many/{n}.md"), format!("# {n}\n")));
    let mut server = Server::start(&repo);
    for id in 0..100 {
        server.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"search","arguments":{{"query":"{id}"}}}}}}"#
        ));
    }
    server.input = None;
    let answers: Vec<String> = server.output.by_ref().lines().map(|line| line.unwrap()).collect();
    assert_eq!(answers.len(), 100);
    assert!(!answers.iter().any(|line| line.contains("CANCELLED")), "{answers:#?}");
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn a_client_that_does_not_read_stderr_is_served() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let mut server = Server::start(&repo);
    for _ in 0..3000 {
        server.send("this is not JSON");
        assert!(server.receive().contains("-32700"));
    }
    server.send(&ping("1"));
    assert!(server.receive().contains(r#""result""#));
}

/// Twenty thousand requests whose answers would take several hundred megabytes.
#[cfg(target_os = "linux")]
#[test]
fn a_client_that_reads_no_answer_costs_little_and_does_not_keep_the_server() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let mut server = Server::start(&repo);
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    for _ in 0..200 {
        server.send(&[list; 100].join("\n"));
    }
    let status = format!("/proc/{}/status", server.child.id());
    let status = std::fs::read_to_string(status).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 250 * 1024, "{peak} KiB");
    server.input = None;
    assert!(server.child.wait().unwrap().success());
}
