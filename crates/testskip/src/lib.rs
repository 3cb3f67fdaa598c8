//! Tests that cannot run on a machine say so, instead of passing in silence.
//!
//! libtest has no result for that and hides the output of tests that pass. `cargo xtask test` sets
//! [`REPORT_VARIABLE`] to a file, prints what tests wrote there, and fails in CI if a test is in it
//! that should have run.

use std::fs::OpenOptions;
use std::io::Write;

/// The variable that names the file to which tests that are not run are written, one per line.
pub const REPORT_VARIABLE: &str = "CAIRN_NOT_RUN";

/// Reports that the test of this thread is not run, or only in part; the caller returns then.
#[expect(clippy::print_stdout, reason = "for whoever runs one test with --nocapture")]
#[expect(clippy::disallowed_methods, reason = "the test command names the file")]
pub fn not_run(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    println!("NOT RUN: {test}: {reason}");
    let Some(file) = std::env::var_os(REPORT_VARIABLE) else { return };
    // One write of a whole line: several test binaries may append at once.
    let line = format!("{test}: {reason}\n");
    let appended = OpenOptions::new()
        .append(true)
        .create(true)
        .open(&file)
        .and_then(|mut file| file.write_all(line.as_bytes()));
    appended.expect("the report of tests that are not run can be written");
}
