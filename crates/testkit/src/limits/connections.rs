//! Many HTTP clients at once that send nothing or incomplete requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::client::{command_in, kill, peak_memory};
use super::{DEADLINE, LimitCase, LimitTrial};
use crate::TestRepo;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Many clients that all do the same.
struct ConnectionFlood {
    name: &'static str,
    /// Opens a connection and keeps it as long as the server does
    open: fn(&HttpServer) -> Option<TcpStream>,
    /// The accepted status lines for another client with the token, in the meantime
    accepted_statuses: &'static [&'static str],
}

const STATUS_OK: &str = "HTTP/1.1 200";

/// The status line of a server that is busy.
const STATUS_BUSY: &str = "HTTP/1.1 503";

const FLOODS: [ConnectionFlood; 4] = [
    ConnectionFlood {
        name: "connections that say nothing",
        open: HttpServer::connect,
        accepted_statuses: &[STATUS_OK],
    },
    ConnectionFlood {
        name: "connections that send half a head",
        open: HttpServer::send_partial_head,
        accepted_statuses: &[STATUS_OK],
    },
    ConnectionFlood {
        name: "connections that showed the token and stay",
        open: HttpServer::open_authenticated,
        accepted_statuses: &[STATUS_OK, STATUS_BUSY],
    },
    ConnectionFlood {
        name: "sessions that are opened and left",
        open: HttpServer::open_session,
        accepted_statuses: &[STATUS_OK],
    },
];

struct HttpServer {
    child: Child,
    address: String,
    _home: TempDir,
}

pub(super) fn try_connections(trial: &mut LimitTrial<'_>) {
    raise_file_limit(trial.amounts.connections as u64 + 1_000);
    let repo = TestRepo::new("//- a.md\n# A\n");
    let usual = HttpServer::start(trial, &repo);
    if !usual.answers(&[STATUS_OK]) {
        trial.record_failure("the server does not answer".into());
    }
    let usual_memory = peak_memory(usual.child.id());
    drop(usual);
    for ConnectionFlood { name: what, open: come, accepted_statuses: meanwhile } in FLOODS {
        let server = HttpServer::start(trial, &repo);
        let count = trial.amounts.connections;
        let crowd: Vec<TcpStream> = (0..count).filter_map(|_| come(&server)).collect();
        let mut case = LimitCase::new(format!("{count} {what}"));
        case.usual_memory = usual_memory;
        let mut ask = |expected: &[&str], when: &str| {
            let begin = Instant::now();
            // It takes the server a moment to see that a crowd has left.
            while !server.answers(expected) {
                if begin.elapsed() > DEADLINE {
                    trial.record_failure(format!(
                        "{when} {count} {what} the server does not answer"
                    ));
                    break;
                }
            }
            case.count(peak_memory(server.child.id()), begin.elapsed());
        };
        ask(meanwhile, "with");
        drop(crowd);
        ask(&[STATUS_OK], "after");
        trial.record_case(case);
    }
}

impl HttpServer {
    fn start(trial: &LimitTrial<'_>, repo: &TestRepo) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let mut command = command_in(trial.binary, &repo.root(), home.path());
        command.args(["mcp", "--http", "127.0.0.1:0"]).env("CAIRN_TOKEN", TOKEN);
        let mut child =
            command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts");
        let mut said = BufReader::new(child.stderr.take().expect("stderr is piped"));
        let mut line = String::new();
        said.read_line(&mut line).expect("the server says where it is");
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = address.unwrap_or_else(|| panic!("no address in {line}")).to_owned();
        std::thread::spawn(move || said.read_to_string(&mut line));
        Self { child, address, _home: home }
    }

    /// A connection; `None` if the server refused or closed it for lack of room.
    fn connect(&self) -> Option<TcpStream> {
        let stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(DEADLINE)).ok()?;
        Some(stream)
    }

    fn send_partial_head(&self) -> Option<TcpStream> {
        let mut stream = self.connect()?;
        let _ = stream.write_all(b"POST /api/status HTTP/1.1\r\nX-Long: ");
        Some(stream)
    }

    fn open_authenticated(&self) -> Option<TcpStream> {
        let mut stream = self.connect()?;
        let _ = self.send(&mut stream, "/api/version", &json!({}), "keep-alive");
        let _ = stream.read(&mut [0; 4096]); // the beginning of an answer, or of a refusal
        Some(stream)
    }

    fn open_session(&self) -> Option<TcpStream> {
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "crowd", "version": "1"}}});
        let mut stream = self.connect()?;
        let _ = self.send(&mut stream, "/mcp", &hello, "close");
        let _ = stream.read_to_end(&mut Vec::new());
        None // only the session stays
    }

    fn send(
        &self,
        stream: &mut TcpStream,
        path: &str,
        body: &Value,
        connection: &str,
    ) -> std::io::Result<()> {
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: {connection}\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             Authorization: Bearer {TOKEN}\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes())
    }

    /// Whether a client with the token gets one of these answers.
    fn answers(&self, expected: &[&str]) -> bool {
        let Some(mut stream) = self.connect() else { return false };
        let mut answer = String::new();
        let asked = self.send(&mut stream, "/api/status", &json!({}), "close");
        let read = asked.and_then(|()| stream.read_to_string(&mut answer));
        read.is_ok() && expected.iter().any(|status| answer.starts_with(status))
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        kill(&mut self.child);
    }
}

/// Raises the limit of open files of this process to `wanted`, as far as permitted.
fn raise_file_limit(wanted: u64) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < wanted) {
        limit.current = Some(limit.maximum.map_or(wanted, |most| most.min(wanted)));
        let _ = setrlimit(Resource::Nofile, limit);
    }
}
