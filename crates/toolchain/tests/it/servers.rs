//! Servers that stay, and what becomes of them: whatever they do, a clear answer in bounded time,
//! nothing left running, and the next question works.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use base::call::CallStopReason;
use serde_json::{Value, json};
use toolchain::lsp::{
    FileUpdate, FileUpdateKind, LspSession, RequestFailure, ServerCandidate, ServerPool,
    ServerUnavailable,
};
use toolchain::{ProgramFailure, ToolHost};

use crate::fixture::{Fixture, LONG, call, variables};

/// How long a hanging server is waited for.
const SHORT: Duration = Duration::from_millis(400);

struct Place {
    fixture: Fixture,
    servers: Arc<ServerPool>,
    script: PathBuf,
}

impl Place {
    /// A project whose server runs this script after `initialize`.
    fn new(script: &str) -> Self {
        Self::limited(script, u64::MAX)
    }

    /// The same, with a server that gets as much time to exit as it needs.
    fn patient(script: &str) -> Self {
        let fixture = Fixture::new();
        let host = ToolHost::new(fixture.folder(), variables()).with_exit_timeout(LONG);
        Self::of(fixture, ServerPool::new(host), script)
    }

    fn limited(script: &str, memory: u64) -> Self {
        let fixture = Fixture::new();
        let host = ToolHost::new(fixture.folder(), variables());
        Self::of(fixture, ServerPool::new(host).with_memory(memory), script)
    }

    fn of(fixture: Fixture, servers: ServerPool, script: &str) -> Self {
        let servers = Arc::new(servers);
        let place = Self { script: fixture.root().join("fake.py"), fixture, servers };
        place.becomes(script);
        place
    }

    fn becomes(&self, script: &str) {
        let text = format!("{}\n{script}", include_str!("fake.py"));
        fs::write(&self.script, text).unwrap();
    }

    fn candidate(&self) -> ServerCandidate {
        ServerCandidate {
            program: "python3".into(),
            args: vec![self.script.display().to_string()],
            options: json!({}),
            install: "install it".into(),
        }
    }

    fn session(&self) -> Result<Arc<LspSession>, ServerUnavailable> {
        self.servers.session(&[self.candidate()], &call()).unwrap()
    }

    fn ask(&self, method: &str) -> Result<Value, RequestFailure> {
        self.session().unwrap().request(method, &json!({"a": 1}), &call(), LONG)
    }

    /// Stops everything and asserts that nothing is left running.
    fn finish(self) {
        self.servers.stop_all();
        self.fixture.assert_nothing_is_left();
    }
}

#[test]
fn a_server_is_started_once_used_by_all_and_sent_away() {
    let place = Place::patient("serve()");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(place.ask("echo").unwrap(), json!({"a": 1})));
        }
    });
    let first = place.session().unwrap();
    assert!(Arc::ptr_eq(&first, &place.session().unwrap()));
    assert_eq!(first.title(), "python3 1");
    let stopped: Vec<String> = place.servers.stop_all().into_iter().map(|one| one.title).collect();
    assert_eq!(stopped, ["python3 1"]);
    assert!(place.fixture.has("left"), "it was asked to leave");
    assert!(!Arc::ptr_eq(&first, &place.session().unwrap()));
    place.finish();
}

#[test]
fn a_server_that_dies_in_the_middle_is_told_of_and_replaced() {
    let place = Place::new("serve(die=lambda _: os.kill(os.getpid(), 9))");
    match place.ask("die") {
        Err(RequestFailure::ServerEnded(ProgramFailure::Exited { status, .. })) => {
            assert!(!status.success());
        }
        other => panic!("it should have died: {other:?}"),
    }
    assert_eq!(place.ask("echo").unwrap(), json!({"a": 1}));
    place.finish();
}

#[test]
fn a_server_that_keeps_dying_rests_longer_each_time() {
    let place = Place::new("serve(die=lambda _: os._exit(3))");
    place.ask("die").unwrap_err();
    // On a slow machine a rest may be over before it is asked for; each is twice as long.
    let lack = loop {
        match place.session() {
            Ok(session) => session.request("die", &json!({}), &call(), LONG).unwrap_err(),
            Err(lack) => break lack,
        };
    };
    match lack {
        ServerUnavailable::Failing { program, retry_after: again, .. } => {
            assert_eq!(program, "python3");
            assert!(again.is_none_or(|again| again <= Duration::from_mins(1)));
        }
        other => panic!("it should rest: {other:?}"),
    }
    place.finish();
}

#[test]
fn a_server_that_hangs_is_not_waited_for_and_replaced() {
    let place = Place::new("serve(hang=lambda _: time.sleep(600))");
    let hung = place.session().unwrap().request("hang", &json!({}), &call(), SHORT);
    assert!(matches!(hung, Err(RequestFailure::TimedOut(waited)) if waited == SHORT), "{hung:?}");
    assert_eq!(place.ask("echo").unwrap(), json!({"a": 1}));
    place.finish();
}

#[test]
fn a_caller_who_leaves_takes_the_request_back() {
    let script = "
def slow(_):
    message = receive()
    mark('cancelled', message['method'] + str(message['params']['id']))
serve(slow=slow)";
    let place = Place::new(script);
    let session = place.session().unwrap();
    let left = call().with_stop_check(|| Some(CallStopReason::Cancelled));
    let answer = session.request("slow", &json!({}), &left, LONG);
    assert!(matches!(answer, Err(RequestFailure::Interrupted(_))), "{answer:?}");
    assert_eq!(place.ask("echo").unwrap(), json!({"a": 1}));
    let told = fs::read_to_string(place.fixture.folder().join("cancelled")).unwrap();
    assert_eq!(told, "$/cancelRequest2");
    place.finish();
}

#[test]
fn garbage_ends_a_server() {
    for garbage in ["print('oops', flush=True)", "write(b'Content-Length: 9\\r\\n\\r\\nnot json!')"]
    {
        let place = Place::new(&format!("serve(bad=lambda _: {garbage})"));
        match place.ask("bad") {
            Err(RequestFailure::ServerEnded(ProgramFailure::InvalidOutput { .. })) => {}
            other => panic!("it should be garbage: {other:?}"),
        }
        assert_eq!(place.ask("echo").unwrap(), json!({"a": 1}));
        place.finish();
    }
}

#[test]
fn a_server_that_is_gone_or_does_not_start_says_so() {
    let place = Place::new("sys.exit('error: no licence')");
    match place.session() {
        Err(ServerUnavailable::Failing { failure: dead, .. }) => {
            assert!(dead.to_string().contains("no licence"));
        }
        other => panic!("it should fail: {:?}", other.err()),
    }
    place.becomes("serve()");
    assert_eq!(place.ask("echo").unwrap(), json!({"a": 1}));
    let gone = ServerCandidate { program: "cairn-no-such-server".into(), ..place.candidate() };
    let lack = place.servers.session(std::slice::from_ref(&gone), &call()).unwrap().err().unwrap();
    assert_eq!(lack.to_string(), "cairn-no-such-server is not installed");
    let second = place.servers.session(&[gone, place.candidate()], &call()).unwrap();
    assert_eq!(second.unwrap().title(), "python3 1");
    place.finish();
}

#[test]
fn a_server_that_takes_too_much_is_ended() {
    let place = Place::limited("serve(hang=lambda _: time.sleep(600))", 1 << 20);
    match place.ask("hang") {
        Err(RequestFailure::ServerEnded(ProgramFailure::MemoryExceeded { used, limit: most })) => {
            assert!(used > most);
        }
        other => panic!("it should be ended: {other:?}"),
    }
    place.finish();
}

#[test]
fn a_server_that_loads_is_waited_for() {
    let script = "
def progress(kind, **more):
    value = {'kind': kind, **more}
    send({'jsonrpc': '2.0', 'method': '$/progress', 'params': {'token': 1, 'value': value}})
def load(_):
    progress('begin', title='Loading')
def loaded(_):
    progress('end')
serve(load=load, loaded=loaded)";
    let place = Place::new(script);
    let session = place.session().unwrap();
    place.ask("load").unwrap();
    let file = PathBuf::from("/p/a.py");
    assert!(!session.wait_until_ready(&file, &call(), SHORT).unwrap());
    assert_eq!(session.current_work().as_deref(), Some("Loading"));
    place.ask("loaded").unwrap();
    assert!(session.wait_until_ready(&file, &call(), LONG).unwrap());
    place.finish();
}

#[test]
fn what_a_server_asks_is_answered_and_files_are_told_in_order() {
    let script = "
def question(_):
    send({'jsonrpc': '2.0', 'id': 'q', 'method': 'workspace/configuration',
          'params': {'items': [{'section': 'x'}]}})
    told = []
    while (message := receive()).get('id') != 'q':
        told.append(message['method'])
    return message['result']
seen = []
plain = receive
def receive():
    message = plain()
    seen.append(message.get('method'))
    return message
serve(question=question, seen=lambda _: [s for s in seen if s and 'Document' in s])";
    let place = Place::new(script);
    assert_eq!(place.ask("question").unwrap(), json!([null]));
    let session = place.session().unwrap();
    let news = |text: Option<&str>, change| FileUpdate {
        path: "/p/a.py".into(),
        language: "python",
        text: text.map(ToOwned::to_owned),
        kind: change,
    };
    let large = "x = 1\n".repeat(200_000);
    session.sync_files(&[news(Some(&large), FileUpdateKind::Unchanged)]);
    session.sync_files(&[
        news(Some("y"), FileUpdateKind::Unchanged),
        news(None, FileUpdateKind::Deleted),
    ]);
    let seen = ["didOpen", "didChange", "didChange", "didClose"];
    let seen: Vec<String> = seen.iter().map(|name| format!("textDocument/{name}")).collect();
    assert_eq!(place.ask("seen").unwrap(), json!(seen));
    place.finish();
}

#[test]
fn nothing_is_left_when_the_pool_goes() {
    for stay in
        ["serve()", "greet()\ntime.sleep(600)", "greet()\nos.closerange(0, 2)\ntime.sleep(600)"]
    {
        let place = Place::new(&format!("subprocess.Popen(['sleep', '600'])\n{stay}"));
        drop(place.session().unwrap());
        drop(place.servers);
        place.fixture.assert_nothing_is_left();
    }
}
