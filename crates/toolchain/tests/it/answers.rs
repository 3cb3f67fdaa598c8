//! What a server says becomes a verdict with its reason.

use std::fs;
use std::time::Duration;

use toolchain::{
    ProgramCall, ProgramFailure, ProgramFile, ProgramOrigin, ServerInfo, ToolHost, find_program,
    probe,
};

use crate::fixture::{Fixture, LONG, Verdict, call};

fn alive(name: &str, version: &str) -> ServerInfo {
    ServerInfo { name: Some(name.into()), version: Some(version.into()) }
}

fn garbage(said: &str) -> Verdict {
    Err(ProgramFailure::InvalidOutput { message: Some(said.into()) })
}

/// The exit code and the reason of a server that ended.
fn exited(verdict: Verdict) -> (Option<i32>, Option<String>) {
    match verdict {
        Err(ProgramFailure::Exited { status, message: said }) => (status.code(), said),
        other => panic!("it should have ended: {other:?}"),
    }
}

#[test]
fn a_server_that_answers_is_alive_and_sent_away() {
    let fixture = Fixture::new();
    let script = "greet(serverInfo={'name': 'fake', 'version': '1.2'})\nleave()";
    assert_eq!(fixture.patient_verdict(script), Ok(alive("fake", "1.2")));
    assert!(fixture.has("left"));
}

#[test]
fn a_server_need_not_tell_its_name() {
    let verdict = Fixture::new().verdict("greet()\nleave()");
    assert_eq!(verdict, Ok(ServerInfo { name: None, version: None }));
}

#[test]
fn a_version_that_is_a_whole_build_is_cut_down() {
    let script = r#"greet(serverInfo={"name": "gopls", "version": '{"GoVersion": "1", "Version": "v0.2"}'})"#;
    assert_eq!(Fixture::new().verdict(script), Ok(alive("gopls", "v0.2")));
}

#[test]
fn lengths_are_bytes_and_other_messages_are_passed_over() {
    let script = r"
request = receive()
for piece in range(2):
    send({'jsonrpc': '2.0', 'method': 'window/logMessage', 'params': {'message': 'é'}}, 7)
send({'jsonrpc': '2.0', 'id': 1, 'method': 'window/showMessageRequest', 'params': {}})
assert receive()['id'] == 1
info = {'name': 'çairn – 🪨', 'version': '1'}
send({'jsonrpc': '2.0', 'id': request['id'], 'result': {'capabilities': {}, 'serverInfo': info}}, 50)
leave()";
    assert_eq!(Fixture::new().verdict(script), Ok(alive("çairn – 🪨", "1")));
}

#[test]
fn a_server_that_asks_before_it_answers_is_turned_down() {
    let script = r"
request = receive()
send({'jsonrpc': '2.0', 'id': 'x1', 'method': 'client/registerCapability', 'params': {}})
refusal = receive()
assert (refusal['id'], refusal['error']['code']) == ('x1', -32601)
send({'jsonrpc': '2.0', 'id': request['id'], 'result': {'capabilities': {}}})
leave()";
    let fixture = Fixture::new();
    assert_eq!(fixture.patient_verdict(script), Ok(ServerInfo { name: None, version: None }));
    assert!(fixture.has("left"));
}

#[test]
fn a_server_that_only_asks_and_does_not_listen_does_not_hold_us_up() {
    let script = r"
while True:
    send({'jsonrpc': '2.0', 'id': 'x' * 1000, 'method': 'workspace/configuration'})";
    let fixture = Fixture::new();
    let timeout = Duration::from_millis(1500);
    let verdict = fixture.fake(script, &call(), timeout).unwrap();
    fixture.assert_nothing_is_left();
    assert_eq!(verdict, Err(ProgramFailure::TimedOut { waited: timeout, message: None }));
}

#[test]
fn a_server_that_complains_at_length_is_alive() {
    let script = "sys.stderr.write('noise\\n' * 1000000)\ngreet()\nleave()";
    assert_eq!(Fixture::new().verdict(script), Ok(ServerInfo { name: None, version: None }));
}

#[test]
fn a_server_that_ends_tells_why() {
    let verdict = Fixture::new().verdict("sys.exit('error: \\033[31mUnknown binary')");
    assert_eq!(exited(verdict), (Some(1), Some("error: \\u{1b}[31mUnknown binary".into())));
    let verdict = Fixture::new().verdict("raise ValueError('no such thing')");
    assert_eq!(exited(verdict), (Some(1), Some("ValueError: no such thing".into())));
    let verdict = Fixture::new().verdict("print('error TS5023: Unknown option')\nsys.exit(2)");
    assert_eq!(exited(verdict), (Some(2), Some("error TS5023: Unknown option".into())));
    assert_eq!(exited(Fixture::new().verdict("sys.exit(0)")), (Some(0), None));
    assert_eq!(exited(Fixture::new().verdict("os.kill(os.getpid(), 9)")), (None, None));
}

#[test]
fn a_server_that_closes_its_pipes_first_tells_how_it_ended() {
    let script = "os.closerange(0, 3)\ntime.sleep(0.2)\nos._exit(7)";
    assert_eq!(exited(Fixture::new().verdict(script)), (Some(7), None));
}

#[test]
fn a_server_that_is_silent_is_not_waited_for() {
    let silent = |script, said: Option<&str>| {
        let (verdict, waited) = Fixture::new().waited_for(script);
        assert_eq!(
            verdict,
            Err(ProgramFailure::TimedOut { waited, message: said.map(ToOwned::to_owned) })
        );
    };
    silent("", None);
    let locked = "sys.stderr.write('waiting for a lock')\nsys.stderr.flush()";
    silent(locked, Some("waiting for a lock"));
    silent("write(b'Content-Length: 9\\r\\n\\r\\n{')", None);
    // On a busy machine the timeout may pass before the output is read; then the probe is repeated.
    let greeted = || Fixture::new().waited_for("print('Welcome!', flush=True)").0;
    while greeted() != garbage("Welcome!") {}
    let waited = Duration::from_millis(1500);
    let told = ProgramFailure::TimedOut { waited, message: Some("why".into()) }.to_string();
    assert_eq!(told, "it did not answer within 1.5 s: why");
}

#[test]
fn garbage_is_not_waited_out() {
    let verdict = |script| Fixture::new().verdict(script);
    let welcome = "write(b'Welcome!\\r\\n\\r\\n')\ntime.sleep(600)";
    assert_eq!(verdict(welcome), garbage("Welcome!"));
    let body = "write(b'Content-Length: 5\\r\\n\\r\\nhello')\ntime.sleep(600)";
    assert_eq!(verdict(body), garbage("hello"));
    let length = "write(b'Content-Length: 99999999999999\\r\\n\\r\\n{}')\ntime.sleep(600)";
    assert_eq!(verdict(length), garbage("Content-Length: 99999999999999"));
    let header = "while True: write(b'x' * 65536)";
    assert_eq!(verdict(header), garbage(&("x".repeat(300) + "…")));
    let other = "send({'id': receive()['id'], 'result': 4})\ntime.sleep(600)";
    assert_eq!(verdict(other), garbage(r#"{"id":1,"result":4}"#));
}

#[test]
fn a_server_may_refuse() {
    let refuse = |id| {
        let error = "{'code': -32603, 'message': 'Could not find TypeScript'}";
        Fixture::new().verdict(&format!("receive()\nsend({{'id': {id}, 'error': {error}}})"))
    };
    let refused =
        Err(ProgramFailure::Refused { message: Some("Could not find TypeScript".into()) });
    assert_eq!(refuse("1"), refused);
    assert_eq!(refuse("None"), refused);
}

#[test]
fn what_cannot_start_says_why() {
    let fixture = Fixture::new();
    let not_started = |why: &str| Err(ProgramFailure::NotStarted { reason: why.into() });
    let path = fixture.root().join("program");
    let missing = "No such file or directory (os error 2)";
    assert_eq!(fixture.program(&path, &[]), not_started(missing));
    fs::write(&path, "#!/no/such/interpreter\n").unwrap();
    assert_eq!(fixture.program(&path, &[]), not_started("Permission denied (os error 13)"));
    assert_eq!(fixture.program("program", &[]), not_started("the path is not absolute"));

    let found = ProgramFile { path: "/bin/sh".into(), origin: ProgramOrigin::Path };
    let folder = fixture.root().join("gone");
    let verdict = probe(&found, &[""; 0], &fixture.host(), &folder, &call(), LONG).unwrap();
    let why = format!("the folder {} does not exist", folder.display());
    assert_eq!(verdict, not_started(&why));
}

#[test]
fn a_missing_interpreter_is_named_as_the_reason() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    let path = fixture.root().join("program");
    fs::write(&path, "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let why = "the interpreter in its first line does not exist".into();
    // While another test starts a process, that may hold the file open for writing.
    let busy = ProgramFailure::NotStarted { reason: "Text file busy (os error 26)".into() };
    let verdict = loop {
        let verdict = fixture.program(&path, &[]).unwrap_err();
        if verdict != busy {
            break verdict;
        }
    };
    assert_eq!(verdict, ProgramFailure::NotStarted { reason: why });
}

#[test]
fn a_server_gets_a_clean_environment_and_an_empty_folder() {
    let fixture = Fixture::new();
    let root = fixture.root();
    let path = format!("{}/project/node_modules/.bin:/usr/bin:/bin:.", root.display());
    let vars = [("PATH", path.as_str()), ("HOME", "/h"), ("NODE_OPTIONS", "-r ./a"), ("A", "b")];
    let host =
        ToolHost::new(root.join("project"), vars.map(|(name, value)| (name.into(), value.into())));
    let found = ProgramFile { path: "/bin/sh".into(), origin: ProgramOrigin::Path };
    let script = "env > ../env; ls -A > ../ls; pwd > ../pwd";
    let verdict = probe(&found, &["-c", script], &host, &fixture.folder(), &call(), LONG);
    assert_eq!(exited(verdict.unwrap()), (Some(0), None));

    let read = |name| fs::read_to_string(root.join(name)).unwrap();
    let env = read("env");
    let ours = ["_=", "PWD=", "OLDPWD=", "SHLVL="]; // the shell's own
    let mut env: Vec<_> = env.lines().filter(|v| !ours.iter().any(|o| v.starts_with(o))).collect();
    env.sort_unstable();
    let expected = [
        "CARGO_NET_OFFLINE=true",
        "GOPROXY=off",
        "GOTOOLCHAIN=local",
        "HOME=/h",
        "NO_COLOR=1",
        "PATH=/usr/bin:/bin",
        "RUSTUP_AUTO_INSTALL=0",
        "npm_config_offline=true",
    ];
    assert_eq!(env, expected);
    assert_eq!(read("ls"), "");
    assert_eq!(read("pwd").trim_end(), fixture.folder().to_str().unwrap());
}

#[test]
fn a_program_that_writes_too_much_is_stopped_for_that_reason() {
    let fixture = Fixture::new();
    let (host, folder) = (fixture.host(), fixture.folder());
    let python = find_program("python3", &host).unwrap();
    let script = "import sys\nwhile True: sys.stdout.write('x' * 65536)";
    let program = ProgramCall {
        program: &python,
        args: &["-c", script],
        host: &host,
        folder: &folder,
        input: b"",
    };
    let failure = program.run(&call(), LONG).unwrap().unwrap_err();
    assert_eq!(failure, ProgramFailure::OutputTooLarge { limit: 32 << 20 });
    assert_eq!(failure.to_string(), "it was stopped: it wrote more than 32 MB");
}
