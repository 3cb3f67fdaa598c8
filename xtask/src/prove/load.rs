//! Runs the README's test command several times in a fresh clone, on an overloaded machine.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs git, cargo and busy loops")]

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::number_arg;
use crate::run::{self, XtaskResult};

/// How often the tests are run, by default.
const RUNS: usize = 10;

/// How many loops keep each core busy.
const LOOPS_PER_CORE: usize = 2;

/// A loop that ends when the process that started it is gone, even if that was killed.
const LOOP: &str =
    "while kill -0 \"$1\" 2>/dev/null; do i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; done";

/// The command that the README gives for the tests.
const TESTS: [&str; 3] = ["cargo", "xtask", "test"];

/// Runs the tests. The first argument is how often; words after it are run instead of the tests.
pub(crate) fn run(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let runs = number_arg(args, 0, RUNS)?;
    let command = args.get(1..).filter(|words| !words.is_empty()).unwrap_or(&TESTS);
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let clone = folder.path().join("clone");
    let mut git = Command::new("git");
    run::run(git.args(["clone", "-q", "--no-local"]).arg(root).arg(&clone))?;
    let logs = root.join("target/prove-load");
    let _ = fs::remove_dir_all(&logs);
    fs::create_dir_all(&logs).map_err(|error| error.to_string())?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let _busy = BusyLoops::start(cores * LOOPS_PER_CORE)?;
    let commit = run::output(Command::new("git").current_dir(&clone).args(["rev-parse", "HEAD"]))?;
    run::print(&format!(
        "`{}` of {}, {runs} times, beside {} busy loops on {cores} cores; output in {}\n",
        command.join(" "),
        commit.trim(),
        cores * LOOPS_PER_CORE,
        logs.display()
    ));
    let mut failed = 0;
    for number in 1..=runs {
        let log = logs.join(format!("{number}.log"));
        let (status, took) = run_once(&clone, command, &log)?;
        failed += usize::from(!status.success());
        run::print(&format!(
            "run {number}: {}, {:.1} minutes\n",
            if status.success() { "green" } else { "red" },
            took.as_secs_f64() / 60.0
        ));
    }
    run::print(&format!(
        "| runs | green | red |\n|---|---|---|\n| {runs} | {} | {failed} |\n",
        runs - failed
    ));
    if failed == 0 { Ok(()) } else { Err(format!("{failed} of {runs} runs failed")) }
}

/// Runs the command once, with all it prints in a file.
fn run_once(clone: &Path, words: &[&str], log: &Path) -> XtaskResult<(ExitStatus, Duration)> {
    let text = |error: std::io::Error| error.to_string();
    let output = File::create(log).map_err(text)?;
    let errors = output.try_clone().map_err(text)?;
    let mut command = Command::new(words[0]);
    // The clone uses its own build folder and toolchain, not those of this process.
    command.env_remove("CARGO_TARGET_DIR").env_remove("CARGO");
    command.current_dir(clone).args(&words[1..]).stdin(Stdio::null());
    let begin = Instant::now();
    let status = command.stdout(output).stderr(errors).status();
    Ok((status.map_err(|error| format!("{} does not start: {error}", words[0]))?, begin.elapsed()))
}

/// Shells in busy loops. They are killed when this is dropped, and end by themselves when this
/// process is killed or interrupted.
struct BusyLoops(Vec<Child>);

impl BusyLoops {
    fn start(count: usize) -> XtaskResult<Self> {
        let own = std::process::id().to_string();
        let mut loops = Self(Vec::new());
        for _ in 0..count {
            let child = Command::new("sh").args(["-c", LOOP, "busy", &own]).spawn();
            loops.0.push(child.map_err(|error| error.to_string())?);
        }
        Ok(loops)
    }
}

impl Drop for BusyLoops {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
