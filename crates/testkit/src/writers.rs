//! Many processes that write changesets to one knowledge base, killed at random until each has had
//! all of its own acknowledged: no changeset is lost, applied twice or applied in part, and the log
//! has every one.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use base::ProblemCode;
use serde_json::{Value, json};

use crate::soak::SeededRng;
use crate::{TestRepo, call_by};

/// One writer: its name, the number it starts from and the number it ends before.
#[derive(Debug, Clone)]
pub struct WriterAssignment {
    /// Its name
    pub name: String,
    /// The first changeset that was not acknowledged yet
    pub next: usize,
    /// How many there are in total
    pub count: usize,
}

/// The result of a run, with the errors that were found at its end.
#[derive(Debug, Default)]
pub struct KbSoakReport {
    /// Changesets that were acknowledged
    pub acknowledged: BTreeSet<String>,
    /// Writers that were killed
    pub killed: usize,
    /// Changesets that were sent again because a kill had hidden the answer
    pub repeated: usize,
    /// How long it took
    pub took: Duration,
    /// What was wrong
    pub failures: Vec<String>,
}

fn changeset_id(writer: &str, at: usize) -> String {
    format!("FACT-{writer}-{at}")
}

/// A writer: sends its changesets one after the other and says which were acknowledged.
pub fn run_writer(root: &Path, part: &WriterAssignment) {
    let workspace = TestRepo::existing(root).workspace();
    let op = operations::ops::find("kb.upsert").expect("there is such an operation");
    for at in part.next..part.count {
        let id = changeset_id(&part.name, at);
        let set = json!({"id": id, "entities": [
                {"id": id, "type": "fact", "title": "one of two"},
                {"id": format!("{id}-b"), "type": "fact", "title": "the other"}],
            "relations": [{"type": "relates_to", "from": id, "to": format!("{id}-b"), "kind": "pair"}]});
        let args: engine::JsonObject = serde_json::from_value(set).expect("an object");
        let known = loop {
            match op.call(&workspace, call_by(&part.name), args.clone()) {
                Ok(done) => break done.data["result"]["rows"] == json!([]),
                Err(problem) if problem.code == ProblemCode::Busy => {}
                Err(problem) => panic!("{problem}"),
            }
        };
        let word = if known { "again" } else { "new" };
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{word}\t{at}").and_then(|()| out.flush());
    }
}

/// One writer as the parent process sees it.
struct WriterProcess {
    part: WriterAssignment,
    child: Child,
}

/// How much is written, and how often somebody is killed.
#[derive(Debug, Clone, Copy)]
pub struct KbSoakSize {
    /// How many processes write
    pub writers: usize,
    /// How many changesets each of them sends
    pub changesets: usize,
    /// How many changesets are acknowledged between two kills, on average
    pub between_kills: usize,
}

/// A writer that reports nothing for this long is considered stuck.
const SILENCE_TIMEOUT: Duration = Duration::from_mins(10);

/// Runs writers until all their changesets are acknowledged. One writer is killed whenever some
/// were acknowledged, so that the number of kills does not depend on the speed of the machine.
pub fn soak(
    command: impl Fn(&Path, &WriterAssignment) -> Command,
    size: &KbSoakSize,
) -> KbSoakReport {
    let KbSoakSize { writers: count, changesets: each, between_kills } = *size;
    let repo = TestRepo::new("//- README.md\n# Start\n");
    let begin = Instant::now();
    let (sender, said) = channel();
    let mut report = KbSoakReport::default();
    let mut dice = SeededRng::new(each as u64);
    let start = |part: &WriterAssignment| spawn(command(&repo.root(), part), part, sender.clone());
    let parts =
        (0..count).map(|at| WriterAssignment { name: format!("w{at}"), next: 0, count: each });
    let mut running: Vec<WriterProcess> =
        parts.map(|part| WriterProcess { child: start(&part), part }).collect();
    while !running.is_empty() {
        for _ in 0..=dice.below(2 * between_kills) {
            if running.iter().all(|writer| writer.part.next >= each) {
                break;
            }
            if let Ok(one) = said.recv_timeout(SILENCE_TIMEOUT) {
                report.record(&one, &mut running);
            }
        }
        std::thread::sleep(Duration::from_micros(dice.below(5_000) as u64)); // anywhere in a write
        report.drain(&said, &mut running);
        running.retain_mut(|writer| writer.part.next < each || !has_exited(&mut writer.child));
        if running.is_empty() {
            break;
        }
        let victim = dice.below(running.len());
        let _ = running[victim].child.kill(); // SIGKILL, which it cannot catch
        let _ = running[victim].child.wait();
        report.killed += 1;
        report.drain(&said, &mut running);
        if running[victim].part.next < each {
            running[victim].child = start(&running[victim].part);
        }
    }
    report.took = begin.elapsed();
    report.verify(&repo, count * each);
    report
}

fn has_exited(child: &mut Child) -> bool {
    matches!(child.try_wait(), Ok(Some(_)))
}

/// A line that a writer printed.
struct WriterMessage {
    /// The writer
    name: String,
    /// What it reports
    word: String,
    /// The number of its changeset
    number: usize,
}

fn spawn(mut command: Command, part: &WriterAssignment, sender: Sender<WriterMessage>) -> Child {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("a writer starts");
    let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let name = part.name.clone();
    std::thread::spawn(move || {
        for line in output.lines().map_while(std::result::Result::ok) {
            let Some((word, at)) = line.split_once('\t') else { continue };
            if let Ok(number) = at.parse() {
                let word = word.to_owned();
                let _ = sender.send(WriterMessage { name: name.clone(), word, number });
            }
        }
    });
    child
}

impl KbSoakReport {
    fn drain(&mut self, messages: &Receiver<WriterMessage>, writers: &mut [WriterProcess]) {
        for message in messages.try_iter() {
            self.record(&message, writers);
        }
    }

    fn record(&mut self, message: &WriterMessage, writers: &mut [WriterProcess]) {
        self.repeated += usize::from(message.word == "again");
        self.acknowledged.insert(changeset_id(&message.name, message.number));
        if let Some(writer) = writers.iter_mut().find(|writer| writer.part.name == message.name) {
            writer.part.next = writer.part.next.max(message.number + 1);
        }
    }

    /// Compares what is there at the end with what was acknowledged.
    fn verify(&mut self, repo: &TestRepo, all: usize) {
        let facts = fetch_rows(repo, "kb.query", &json!({"type": "fact"}), "entities");
        let facts: BTreeSet<String> = facts.iter().map(|row| text(&row["id"])).collect();
        let mut log = fetch_rows(repo, "kb.log", &json!({}), "entries");
        log.reverse();
        if self.acknowledged.len() != all {
            self.failures.push(format!("{} of {all} were acknowledged", self.acknowledged.len()));
        }
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for entry in &log {
            *times.entry(text(&entry["changeset"])).or_default() += 1;
        }
        for id in &self.acknowledged {
            if !facts.contains(id) || !facts.contains(&format!("{id}-b")) {
                self.failures.push(format!("{id} is lost or torn"));
            }
            if times.get(id) != Some(&1) {
                self.failures.push(format!("{id} is in the log {:?} times", times.get(id)));
            }
        }
        if facts.len() != 2 * log.len() {
            self.failures.push(format!("{} facts of {} changesets", facts.len(), log.len()));
        }
        self.failures.extend(replay_log(&log, &facts));
        let file = repo.root().join(".git/cairn/branches/main/kb.sqlite");
        let sound = store::open_read_only(&file).and_then(|conn| store::check_integrity(&conn));
        if !sound.as_ref().is_ok_and(Vec::is_empty) {
            self.failures.push(format!("the store is not sound: {sound:?}"));
        }
    }
}

/// Replays the log from its beginning: numbers rise, each entry starts from what the one before it
/// left, and the end equals what is stored. A number may be missing because the writer that took it
/// was killed.
fn replay_log(log: &[Value], facts: &BTreeSet<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut rows: BTreeMap<String, Value> = BTreeMap::new();
    let mut last = 0;
    for entry in log {
        let number = entry["entry"].as_i64().unwrap_or_default();
        if number <= last {
            wrong.push(format!("entry {number} comes after {last}"));
        }
        last = number;
        for edit in entry["edits"].as_array().into_iter().flatten() {
            let edit = &edit["entity"];
            if edit.is_null() {
                continue; // a relation
            }
            let before = rows.remove(&text(&edit["id"])).unwrap_or_default();
            if before != edit["before"] {
                wrong.push(format!("entry {number} found another {}", edit["id"]));
            }
            if !edit["after"].is_null() {
                rows.insert(text(&edit["id"]), edit["after"].clone());
            }
        }
    }
    if !rows.keys().eq(facts) {
        wrong.push("the log does not match the stored rows".into());
    }
    wrong
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Every row of a list, page by page.
fn fetch_rows(repo: &TestRepo, name: &str, args: &Value, list: &str) -> Vec<Value> {
    let mut found = Vec::new();
    loop {
        let mut args = args.clone();
        (args["limit"], args["offset"]) = (json!(1000), json!(found.len()));
        match repo.data(name, args)[list].as_array() {
            Some(rows) if !rows.is_empty() => found.extend(rows.iter().cloned()),
            _ => return found,
        }
    }
}
