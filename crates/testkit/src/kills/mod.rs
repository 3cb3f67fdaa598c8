//! Every writing operation, through the real binary, killed at any moment: what was acknowledged is
//! there, nothing is half done, every store is sound and the next commands find no damage.
//!
//! Each kill starts from a copy of one repository. A run that is not killed shows what the
//! operation leads to, so a killed run must leave the state before or the state after.

mod cases;
mod state;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::sandbox::Sandbox;
use crate::soak::SeededRng;
use cases::{KillCase, SeedRepo};
use state::{RepoState, unsound_stores, without_ids};

/// The name under which the repository is kept that all cases start from.
const SEED: &str = "seed";

/// The result of a run.
#[derive(Debug, Default)]
pub struct KillReport {
    /// Number of kills by operation
    pub kills: BTreeMap<&'static str, usize>,
    /// How many operations had answered
    pub acknowledged: usize,
    /// Killed runs without an answer that left the old state
    pub before: usize,
    /// Killed runs without an answer that left the new state
    pub after: usize,
    /// Killed runs that left a state between the steps of an operation of several steps. The same
    /// command completed all of them, and `doctor` may report something new only until then
    pub between: usize,
    /// Number of kills while files were being written, estimated from the whole run
    pub while_writing: usize,
    /// Failures
    pub failures: Vec<String>,
    /// Duration of the run
    pub took: Duration,
}

/// A case with the state that it leads to when it is not killed.
struct BaselineCase {
    case: KillCase,
    before: RepoState,
    after: RepoState,
    /// The findings of `verify` and `doctor` before and after
    findings: BTreeSet<String>,
    took: Duration,
    /// The times at which its first and last file was written, since its start
    write_window: (Duration, Duration),
}

/// Kills `count` runs, distributed evenly over all writing operations. `tell` is called for each
/// kill and each failure.
pub fn run(
    binary: &Path,
    count: usize,
    seed: u64,
    mut tell: impl FnMut(usize, &str),
) -> KillReport {
    let begin = Instant::now();
    let mut report = KillReport::default();
    let seeded = SeedRepo::make();
    let cases = cases::all(&seeded);
    let mut cases = cases.unwrap_or_else(|name| panic!("`{name}` writes and has no case here"));
    let mut killer = KillRunner {
        binary,
        sandbox: Sandbox::with_seed(&seeded.repo.root(), SEED),
        dice: SeededRng::new(seed),
    };
    // If there are fewer kills than operations, the seed chooses which operations are killed.
    let first = killer.dice.below(cases.len());
    cases.rotate_left(first);
    cases.truncate(count);
    let mut known = Vec::new();
    for case in cases {
        match killer.run_baseline(case) {
            Ok(case) => known.push(case),
            Err(told) => report.record(0, told, &mut tell),
        }
    }
    for number in 0..count {
        let Some(case) = known.get(number % known.len().max(1)) else { break };
        tell(number + 1, case.case.operation);
        if let Err(told) = killer.kill_once(case, &mut report) {
            report.record(number + 1, told, &mut tell);
        }
    }
    report.took = begin.elapsed();
    report
}

impl KillReport {
    fn record(&mut self, number: usize, told: String, tell: &mut impl FnMut(usize, &str)) {
        tell(number, &told);
        self.failures.push(told);
    }
}

impl BaselineCase {
    /// Fails if `verify` or `doctor` reported something that they report neither before nor after
    /// the operation.
    fn check(&self, found: &BTreeSet<String>) -> Result<(), String> {
        match found.difference(&self.findings).next() {
            Some(new) => Err(format!("after {:?} was killed: {new}", self.case.words)),
            None => Ok(()),
        }
    }
}

struct KillRunner<'a> {
    binary: &'a Path,
    sandbox: Sandbox,
    dice: SeededRng,
}

impl KillRunner<'_> {
    /// Runs an operation twice without killing it, to find out what is the same in every run.
    fn run_baseline(&self, case: KillCase) -> Result<BaselineCase, String> {
        self.sandbox.restore(SEED);
        for words in &case.before {
            self.run_ok(words)?;
        }
        let mut findings = self.run_checks()?; // and what the first question writes is written
        self.sandbox.save(case.operation);
        let before = self.state();
        let (start, begin) = (self.sandbox.current_file_time(), Instant::now());
        self.run_ok(&case.words)?;
        let took = begin.elapsed();
        let writes = self.sandbox.write_window(start).unwrap_or_default();
        findings.extend(self.run_checks()?);
        let after = self.state();
        self.sandbox.restore(case.operation);
        self.run_ok(&case.words)?;
        let again = self.state();
        if after != again {
            let told = again.difference(&after);
            return Err(format!("{:?} leads to two states: {told}", case.words));
        }
        Ok(BaselineCase { case, before, after, findings, took, write_window: writes })
    }

    fn kill_once(&mut self, known: &BaselineCase, report: &mut KillReport) -> Result<(), String> {
        self.sandbox.restore(known.case.operation);
        let words = &known.case.words;
        let wait = self.pick_kill_time(known);
        let mut child =
            self.sandbox.command(self.binary, words).spawn().expect("the binary starts");
        std::thread::sleep(wait);
        let _ = child.kill(); // SIGKILL, which it cannot catch
        let output = child.wait_with_output().expect("it was started");
        *report.kills.entry(known.case.operation).or_default() += 1;
        report.while_writing +=
            usize::from(known.write_window.0 <= wait && wait <= known.write_window.1);
        let found = self.run_checks().map_err(|told| format!("after {words:?}: {told}"))?;
        if let Some(told) = unsound_stores(&self.sandbox.root()).first() {
            return Err(format!("after {words:?} was killed at {wait:?}: {told}"));
        }
        let state = self.state();
        match (is_acknowledged(&output), state.matches(&known.before), state.matches(&known.after))
        {
            (true, _, true) => report.acknowledged += 1,
            (false, true, _) => report.before += 1,
            (false, _, true) => report.after += 1,
            (true, _, false) => {
                let difference = state.difference(&known.after);
                return Err(format!("{words:?} was acknowledged and is lost: {difference}"));
            }
            (false, false, false) => {
                return self.rerun_to_completion(known, &state).map(|()| report.between += 1);
            }
        }
        known.check(&found)
    }

    /// A random time to kill: anywhere in the run or shortly after it, and in half of the cases
    /// while files are written.
    fn pick_kill_time(&mut self, known: &BaselineCase) -> Duration {
        let micros = |time: Duration| usize::try_from(time.as_micros()).unwrap_or(usize::MAX);
        let whole = (0, micros(known.took) * 6 / 5);
        let writes = (micros(known.write_window.0), micros(known.write_window.1));
        let (from, to) = if self.dice.below(2) == 0 { whole } else { writes };
        Duration::from_micros((from + self.dice.below((to - from).max(1))) as u64)
    }

    /// Repeats an operation of several changes that was killed between two of them. It must
    /// complete.
    fn rerun_to_completion(&self, known: &BaselineCase, left: &RepoState) -> Result<(), String> {
        let words = &known.case.words;
        let done = self.run_ok(words).and_then(|()| known.check(&self.run_checks()?));
        let state = self.state();
        if done.is_ok() && state.without_numbers().matches(&known.after.without_numbers()) {
            return Ok(());
        }
        let (before, after) = (left.difference(&known.before), left.difference(&known.after));
        let again = state.difference(&known.after);
        Err(format!(
            "{words:?} is neither done nor undone\n from before: {before}\n from after: {after}\n \
             run again ({done:?}): {again}"
        ))
    }

    /// The state that must be neither lost nor torn.
    fn state(&self) -> RepoState {
        RepoState::of(&self.sandbox.root(), &self.sandbox.home())
    }

    /// The findings of `verify` and `doctor`, which must both work.
    fn run_checks(&self) -> Result<BTreeSet<String>, String> {
        let mut found = BTreeSet::new();
        for command in ["verify", "doctor"] {
            let output = self.sandbox.run(self.binary, &[command.to_owned()]);
            let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            let Some(rows) = answer["data"]["findings"].as_array() else {
                return Err(format!("`{command}` fails: {}", output_text(&output)));
            };
            let rows = rows.iter().filter(|row| row["level"] != "fine");
            found.extend(rows.map(|row| without_ids(&format!("{command}: {row}"))));
        }
        Ok(found)
    }

    fn run_ok(&self, words: &[String]) -> Result<(), String> {
        let output = self.sandbox.run(self.binary, words);
        match is_acknowledged(&output) {
            true => Ok(()),
            false => Err(format!("{words:?} does not work by itself: {}", output_text(&output))),
        }
    }
}

/// Whether a caller was told that it is done.
fn is_acknowledged(output: &Output) -> bool {
    let answer = serde_json::from_slice::<Value>(&output.stdout);
    answer.is_ok_and(|answer| !answer["data"].is_null() && answer["error"].is_null())
}

fn output_text(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    format!("{} {} {}", output.status, text(&output.stdout), text(&output.stderr))
}
