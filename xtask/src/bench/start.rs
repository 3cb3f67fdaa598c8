//! The time from the start of the process to the list of tools, compared with a minimal server on
//! the same SDK.

#![expect(clippy::disallowed_methods, reason = "a benchmark starts what it measures")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{BenchContext, Comparison, median, print_not_run, print_row};
use crate::run::{self, XtaskResult};

/// How often each start is measured.
const ROUNDS: usize = 30;

/// Where the sample server's sources are, beside this repository.
const SAMPLE: &str = "../shared/mcp-sample";

/// Measures both in turn.
pub(super) fn run(BenchContext { root, cairn }: &BenchContext) -> XtaskResult<()> {
    let what = "start to tools/list";
    let Some(sample) = build_sample(root)? else {
        print_not_run(what, "no sample server");
        return Ok(());
    };
    let ours = median(ROUNDS, || time_start(cairn, &["mcp"], root))?;
    let theirs = median(ROUNDS, || time_start(&sample, &[], root))?;
    print_row(what, ours, &Comparison::new("bare server", theirs));
    Ok(())
}

fn build_sample(root: &Path) -> XtaskResult<Option<PathBuf>> {
    let source = root.join(SAMPLE);
    if !source.is_dir() {
        return Ok(None);
    }
    let copy = root.join("target/mcp-sample");
    std::fs::create_dir_all(copy.join("src")).map_err(|error| error.to_string())?;
    for name in ["Cargo.toml", "src/main.rs"] {
        let text = std::fs::read_to_string(source.join(name)).map_err(|error| error.to_string())?;
        let own = if name == "Cargo.toml" { format!("{text}\n[workspace]\n") } else { text };
        std::fs::write(copy.join(name), own).map_err(|error| error.to_string())?;
    }
    run::run(
        run::cargo(&copy, &["build", "--release"]).env("CARGO_TARGET_DIR", copy.join("target")),
    )?;
    Ok(Some(copy.join("target/release/kbsample")))
}

/// How long a server takes from its start to its list of tools.
fn time_start(program: &Path, args: &[&str], folder: &Path) -> XtaskResult<Duration> {
    let failed = |error: std::io::Error| format!("{}: {error}", program.display());
    let begin = Instant::now();
    let mut child = Command::new(program)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let mut input = child.stdin.take().expect("stdin is piped");
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#;
    writeln!(input, "{hello}\n{ready}\n{list}").map_err(failed)?;
    let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let answer = output.lines().map_while(std::result::Result::ok).find(|l| l.contains("\"id\":2"));
    let took = begin.elapsed();
    drop(input);
    let _ = child.wait();
    answer.map(|_| took).ok_or_else(|| format!("{} lists no tools", program.display()))
}
