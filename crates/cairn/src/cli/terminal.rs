//! The terminal: answers, progress, colours. stdout is data, stderr everything else.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use base::Problem;
use base::call::Progress;
use engine::{ColorMode, Outcome};
use indicatif::{ProgressBar, ProgressStyle};
use operations::CallFormat;

use super::invocation;

/// Progress shows up on a terminal when a call takes longer than this.
const PROGRESS_DELAY: Duration = Duration::from_millis(250);

/// Data goes to stdout. A problem is data on stdout for a program, and a message on stderr for a
/// person.
///
/// Returns `false` if the answer could not be written although the reader had not closed the pipe.
pub(super) fn print_outcome(outcome: &Outcome, json: bool) -> bool {
    if json {
        return print(&format!("{:#}\n", CallFormat::CommandLine.json(outcome)));
    }
    if outcome.is_ok() {
        return print(&CallFormat::CommandLine.text(outcome, paint(&io::stdout())));
    }
    print_stderr(&CallFormat::CommandLine.text(outcome, paint(&io::stderr())));
    true
}

/// Prints a text to stdout; `false` if it could not be written.
pub(super) fn print_text(text: &str) -> bool {
    print(text)
}

/// Prints the text of a problem to stderr.
pub(super) fn print_error_text(text: &str) -> bool {
    print_stderr(text);
    true
}

/// Prints an error of clap: help is an answer, and a wrong command line is a problem.
pub(super) fn print_usage_error(error: &clap::Error, json: bool) -> ExitCode {
    if json && error.use_stderr() {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let problem = Problem::invalid(first).hint("--help shows how it is called");
        print_outcome(&Err(problem), true);
        return ExitCode::from(2);
    }
    let painted = error.render();
    let plain = paint(&io::stderr()) == ColorMode::Plain;
    let text = if plain { painted.to_string() } else { painted.ansi().to_string() };
    if error.use_stderr() {
        print_stderr(&text);
    } else if !print(&text) {
        return ExitCode::from(3);
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Prints the help for `cairn` without arguments outside of a repository.
pub(super) fn print_help_outside_of_a_repository(json: bool) -> ExitCode {
    let problem = Problem::invalid("this folder is in no git repository")
        .hint("run it in a repository, or read any folder with  cairn overview");
    if json {
        print_outcome(&Err(problem), true);
        return ExitCode::from(2);
    }
    let help = super::command().render_help();
    let plain = paint(&io::stderr()) == ColorMode::Plain;
    print_stderr(&if plain { help.to_string() } else { help.ansi().to_string() });
    print_stderr("\n");
    print_outcome(&Err(problem), false);
    ExitCode::from(2)
}

/// The colours of what is printed to stdout.
pub(super) fn stdout_colors() -> ColorMode {
    paint(&io::stdout())
}

fn paint(stream: &impl IsTerminal) -> ColorMode {
    let wanted = invocation::env_var("NO_COLOR").is_none();
    if wanted && stream.is_terminal() { ColorMode::Terminal } else { ColorMode::Plain }
}

fn print(text: &str) -> bool {
    print_bytes(text.as_bytes())
}

/// A reader may close the pipe early, which is not a failure. A full disk is one.
pub(super) fn print_bytes(bytes: &[u8]) -> bool {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            print_stderr(&format!("cairn: cannot write the answer: {error}\n"));
            false
        }
        _ => true,
    }
}

fn print_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Shows progress on a terminal once a call takes a while, and clears it in the end.
pub(super) fn progress() -> impl Fn(Progress) + Send + Sync + 'static {
    let (start, shown) = (Instant::now(), io::stderr().is_terminal());
    let bar: Mutex<Option<ProgressBar>> = Mutex::new(None);
    move |Progress { activity: what, done, total }| {
        if !shown || start.elapsed() < PROGRESS_DELAY {
            return;
        }
        let mut bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = bar.get_or_insert_with(new_bar);
        bar.set_message(what);
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    }
}

fn new_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}");
    let bar = ProgressBar::new(0).with_finish(indicatif::ProgressFinish::AndClear);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
