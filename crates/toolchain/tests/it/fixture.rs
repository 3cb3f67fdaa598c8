//! Folders to probe in, fakes to probe, and a look at what they leave behind.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base::{Call, Result};
use jiff::Timestamp;
use tempfile::TempDir;
use toolchain::{
    ProgramFailure, ProgramFile, ProgramOrigin, ServerInfo, ToolHost, find_program, probe,
};

/// Longer than any fake needs, on a machine that is busy.
pub(crate) const LONG: Duration = Duration::from_mins(10);

pub(crate) type Verdict = std::result::Result<ServerInfo, ProgramFailure>;

/// A project, and an empty folder to probe in.
pub(crate) struct Fixture {
    temp: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join("project")).unwrap();
        fs::create_dir(temp.path().join("empty")).unwrap();
        Self { temp }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.temp.path().canonicalize().unwrap()
    }

    /// The folder that servers are probed in. Fakes leave marks there.
    pub(crate) fn folder(&self) -> PathBuf {
        self.root().join("empty")
    }

    pub(crate) fn host(&self) -> ToolHost {
        ToolHost::new(self.root().join("project"), variables())
    }

    /// Probes a fake: what all fakes can do, and then this.
    pub(crate) fn fake(&self, script: &str, call: &Call, timeout: Duration) -> Result<Verdict> {
        let path = self.root().join("fake.py");
        fs::write(&path, format!("{}\n{script}", include_str!("fake.py"))).unwrap();
        let python = find_program("python3", &self.host()).expect("tests need python3");
        probe(&python, &[path], &self.host(), &self.folder(), call, timeout)
    }

    /// The same, with as much time to exit as it needs.
    pub(crate) fn patient_verdict(&self, script: &str) -> Verdict {
        let path = self.root().join("fake.py");
        fs::write(&path, format!("{}\n{script}", include_str!("fake.py"))).unwrap();
        let python = find_program("python3", &self.host()).expect("tests need python3");
        let host = self.host().with_exit_timeout(LONG);
        let verdict = probe(&python, &[path], &host, &self.folder(), &call(), LONG).unwrap();
        self.assert_nothing_is_left();
        verdict
    }

    /// Probes a fake that runs the script, leaves the mark `waits`, and then writes nothing more.
    /// The timeout is doubled until the fake leaves its mark in time. Returns the verdict and that
    /// timeout.
    pub(crate) fn waited_for(&self, script: &str) -> (Verdict, Duration) {
        let mut timeout = Duration::from_millis(500);
        loop {
            let script = format!("{script}\nmark('waits', '')\ntime.sleep(600)");
            let verdict = self.fake(&script, &call(), timeout).unwrap();
            self.assert_nothing_is_left();
            if self.has("waits") {
                return (verdict, timeout);
            }
            assert!(timeout < LONG, "it does not get as far as waiting: {verdict:?}");
            timeout *= 2;
        }
    }

    /// Probes a fake without a tight timeout. Nothing that it started may be left running.
    pub(crate) fn verdict(&self, script: &str) -> Verdict {
        let verdict = self.fake(script, &call(), LONG).unwrap();
        self.assert_nothing_is_left();
        verdict
    }

    /// Probes a program of any kind.
    pub(crate) fn program(&self, path: impl Into<PathBuf>, args: &[&str]) -> Verdict {
        let found = ProgramFile { path: path.into(), origin: ProgramOrigin::Path };
        probe(&found, args, &self.host(), &self.folder(), &call(), LONG).unwrap()
    }

    /// Whether a fake left this mark.
    pub(crate) fn has(&self, mark: &str) -> bool {
        self.folder().join(mark).exists()
    }

    /// The server was reaped, and no process that it started still runs; these have its folder as
    /// working directory.
    pub(crate) fn assert_nothing_is_left(&self) {
        if let Ok(pid) = fs::read_to_string(self.folder().join("pid")) {
            assert!(!Path::new("/proc").join(&pid).exists(), "{pid} is still there");
        }
        // The kernel takes a moment to end what was killed.
        let since = Instant::now();
        while let Some(process) = self.process_in_folder() {
            assert!(since.elapsed() < LONG, "{} is still there", process.display());
            std::thread::yield_now();
        }
    }

    fn process_in_folder(&self) -> Option<PathBuf> {
        let processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
        let stands_in = |path: &PathBuf| fs::read_link(path.join("cwd")).ok();
        processes.into_iter().find(|path| stands_in(path) == Some(self.folder()))
    }
}

#[expect(clippy::disallowed_methods, reason = "the tests are the door")]
pub(crate) fn variables() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os()
}

pub(crate) fn call() -> Call {
    Call::new("test", Timestamp::UNIX_EPOCH)
}
