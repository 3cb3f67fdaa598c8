//! Processes that write to one store and are killed at random: what was acknowledged is stored.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use base::Hash;
use jiff::Timestamp;
use store::{Store, open_durable};
use work::claim::{ClaimRequest, ClaimScope, claim};
use work::edit::{WorkItemFields, create};
use work::record::{Project, Task, TaskClaim};
use work::words::WorkKind;
use work::{WorkDraft, check};

/// The variables that turn the test below into a writer: the store and a name.
const WRITER: (&str, &str) = ("CAIRN_WRITER_STORE", "CAIRN_WRITER_NAME");

/// What an acknowledged claim starts with.
const CLAIMED: &str = "claimed ";

/// How many write at once.
const WRITERS: usize = 8;

fn open(path: &Path) -> Store {
    open_durable(path, &work::tables::MIGRATIONS).unwrap()
}

/// Makes a record in one transaction and returns its id.
fn make(store: &mut Store, kind: WorkKind, (name, number): (&str, u32)) -> String {
    let now = Timestamp::UNIX_EPOCH;
    let seed = *Hash::of(format!("{name} {number}").as_bytes()).as_bytes();
    let fields = WorkItemFields { name: Some(name.parse().unwrap()), ..WorkItemFields::default() };
    let write = |transaction: &store::Transaction<'_>| {
        let mut draft = WorkDraft::new(transaction, now, name, seed);
        let made = create(&mut draft, kind, None, &fields)?;
        work::draft::apply_changes(transaction, &draft.into_changes())?;
        Ok(made.id().to_string())
    };
    store.write(write).unwrap()
}

/// Claims the next free task in one transaction and returns its id.
fn claim_next(store: &mut Store, name: &str, number: u32) -> String {
    let request =
        ClaimRequest { task: None, scope: ClaimScope::default(), minutes: 60, steal: false };
    let seed = *Hash::of(format!("{name} claims {number}").as_bytes()).as_bytes();
    let write = |transaction: &store::Transaction<'_>| {
        let mut draft = WorkDraft::new(transaction, Timestamp::UNIX_EPOCH, name, seed);
        let (task, _) = claim(&mut draft, request)?;
        draft.record_events()?;
        work::draft::apply_changes(transaction, &draft.into_changes())?;
        Ok(task.id.to_string())
    };
    store.write(write).unwrap()
}

/// Makes tasks and claims them until it is killed.
fn write_forever(path: &Path, name: &str) {
    let mut store = open(path);
    for number in 0.. {
        let id = make(&mut store, WorkKind::Task, (name, number));
        let mut out = std::io::stderr().lock();
        writeln!(out, "{id}").and_then(|()| out.flush()).unwrap();
        let id = claim_next(&mut store, name, number);
        writeln!(out, "{CLAIMED}{id}").and_then(|()| out.flush()).unwrap();
    }
}

/// Starts the test below once more, as a process that only writes.
#[expect(clippy::disallowed_methods, reason = "the writers are processes of their own")]
fn start(path: &Path, name: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["killed::every_acknowledged_write_of_a_killed_process_is_there", "--exact"])
        .args(["--nocapture", "--test-threads=1"])
        .env(WRITER.0, path)
        .env(WRITER.1, name)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until a writer has acknowledged so many writes, kills it, and returns all acknowledged
/// ones.
fn kill_after(mut child: Child, writes: usize) -> Vec<String> {
    let mut output = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let mut heard: Vec<String> = output.by_ref().take(writes).collect();
    thread::sleep(Duration::from_micros(37 * writes as u64)); // anywhere within a write
    child.kill().unwrap();
    child.wait().unwrap();
    heard.extend(output);
    heard
}

#[test]
#[expect(clippy::disallowed_methods, reason = "`cargo xtask soak` asks for the long version")]
fn every_acknowledged_write_of_a_killed_process_is_there() {
    if let (Some(path), Ok(name)) = (std::env::var_os(WRITER.0), std::env::var(WRITER.1)) {
        return write_forever(path.as_ref(), &name);
    }
    let rounds = std::env::var("CAIRN_SOAK").map_or(2, |_| 200);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("work.sqlite");
    make(&mut open(&path), WorkKind::Project, ("shop", 0));
    let (mut acknowledged, mut claimed) = (BTreeSet::new(), Vec::new());
    for round in 0..rounds {
        let one = |writer: usize| {
            let child = start(&path, &format!("{round}-{writer}"));
            // Each is killed at another moment, which the hash of its name decides.
            let spread = Hash::of(format!("{round} {writer}").as_bytes()).as_bytes()[0];
            thread::spawn(move || kill_after(child, 2 + usize::from(spread) / 8))
        };
        let writers: Vec<_> = (0..WRITERS).map(one).collect();
        for writer in writers {
            for line in writer.join().unwrap() {
                match line.strip_prefix(CLAIMED) {
                    Some(id) if id.len() == 36 => claimed.push(id.to_owned()),
                    Some(_) => {}
                    None => drop(acknowledged.insert(line)),
                }
            }
        }
    }
    let store = open(&path);
    let seed = [0; 32];
    let draft = WorkDraft::new(store.connection(), Timestamp::UNIX_EPOCH, "reader", seed);
    let there: BTreeSet<String> =
        draft.all::<Task>().unwrap().iter().map(|task| task.id.to_string()).collect();
    // A line that the writer could not finish is no acknowledgement.
    let lost: Vec<&String> =
        acknowledged.iter().filter(|id| id.len() == 36 && !there.contains(*id)).collect();
    assert!(lost.is_empty(), "{} of {} are lost: {lost:?}", lost.len(), acknowledged.len());
    assert!(acknowledged.len() > WRITERS, "only {} writes", acknowledged.len());
    let claims: BTreeSet<String> =
        draft.all::<TaskClaim>().unwrap().iter().map(|claim| claim.id.to_string()).collect();
    assert!(claimed.iter().all(|id| claims.contains(id)), "a claim is lost");
    let once: BTreeSet<&String> = claimed.iter().collect();
    assert_eq!(once.len(), claimed.len(), "a task was claimed twice");
    assert!(claimed.len() > WRITERS, "only {} claims", claimed.len());
    assert!(store::check_integrity(store.connection()).unwrap().is_empty());
    assert!(check::integrity_violations(store.connection()).unwrap().is_empty());
    assert_eq!(draft.all::<Project>().unwrap().len(), 1);
}
