//! `cairn watch`: updates the index when files change, and reports it. `tree::Watcher::wait` makes
//! it sleep while nothing happens, which `cargo xtask bench steady` measures.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use testkit::TestRepo;

struct WatchProcess(Child);

impl Drop for WatchProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn a_watcher_tells_of_every_change() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.arg("-C").arg(repo.root()).arg("watch").stderr(Stdio::piped());
    let mut watching = WatchProcess(command.spawn().unwrap());
    let said = BufReader::new(watching.0.stderr.take().unwrap());
    let mut said = said.lines().map(std::result::Result::unwrap);
    let mut wait_for = |part: &str| said.find(|line| line.contains(part)).unwrap();
    wait_for("1 file on main, 0 edited");
    repo.write("b.md", "# B\n");
    wait_for("2 files on main, 1 edited");
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.commit("a commit changes no file");
    wait_for("2 files on side, 0 edited");
    repo.write("b.md", "# B\n\n[gone](c.md)\n");
    wait_for("broke   LINK_DEAD  b.md  the link to c.md is broken");
    repo.write("b.md", "# B\n");
    wait_for("mended  LINK_DEAD  b.md  the link to c.md is broken");
}
