//! `cairn watch`: takes in what happens, says so, and does nothing while nothing happens.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use testkit::Repo;

struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Ticks of the processor that a process has used.
fn ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn a_watcher_tells_of_every_change_and_sleeps_otherwise() {
    let repo = Repo::new("//- a.md\n# A\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.arg("-C").arg(repo.root()).arg("watch").stderr(Stdio::piped());
    let mut watching = Watching(command.spawn().unwrap());
    let said = BufReader::new(watching.0.stderr.take().unwrap());
    let mut said = said.lines().map(std::result::Result::unwrap);
    let mut wait_for = |part: &str| said.find(|line| line.contains(part)).unwrap();
    wait_for("1 files on main, 0 edited");
    repo.write("b.md", "# B\n");
    wait_for("2 files on main, 1 edited");
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.commit("a commit changes no file");
    wait_for("2 files on side, 0 edited");
    let before = ticks(watching.0.id());
    std::thread::sleep(Duration::from_secs(5));
    let used = ticks(watching.0.id()) - before;
    assert!(used <= 5, "{used} ticks of 10 ms in 5 s of silence");
}
