//! cairn gives a repository a memory.

use std::panic::catch_unwind;
use std::process::ExitCode;

/// Exit code of an internal error (`EX_SOFTWARE`).
const EXIT_INTERNAL_ERROR: u8 = 70;

fn main() -> ExitCode {
    catch_unwind(|| cairn::cli::run(std::env::args_os()))
        .unwrap_or(ExitCode::from(EXIT_INTERNAL_ERROR))
}
