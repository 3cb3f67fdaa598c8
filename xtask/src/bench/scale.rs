//! Growth: generated repositories of up to 100,000 files and of up to 100,000 commits, compared
//! with linear growth from the smallest one.

#![expect(clippy::disallowed_methods, reason = "a benchmark runs programs and takes the time")]

use std::fmt::Write as _;
use std::fs;
use std::io::BufWriter;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::code::{resident_memory, run_measured};
use super::latency::WarmServer;
use super::{BenchContext, Comparison, history, median, print_row};
use crate::run::{XtaskResult, print};

/// The numbers of files, and of commits, one after the other.
const SIZES: [usize; 3] = [10_000, 30_000, 100_000];

/// How many files are in one folder, and how many the history is about.
const FILES_PER_FOLDER: usize = 100;
const HISTORY_FILES: usize = 2_000;

/// How often one file is changed.
const ROUNDS: usize = 15;

pub(super) fn run(site: &BenchContext) -> XtaskResult<()> {
    files(site)?;
    commits(site)
}

/// Modules that import, call and extend what others declare.
fn files(site: &BenchContext) -> XtaskResult<()> {
    let mut first = None;
    for size in SIZES {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let root = folder.path();
        for at in 0..size {
            let file = root.join(path_of(at));
            fs::create_dir_all(file.parent().unwrap_or(root)).map_err(|error| error.to_string())?;
            fs::write(file, module(at)).map_err(|error| error.to_string())?;
        }
        git(root, &["init", "--quiet"])?;
        git(root, &["add", "--all"])?;
        git(root, &["commit", "--quiet", "--message", "All of it"])?;
        let (took, peak) = run_measured(root, &site.cairn, &["sync", "--full"])?;
        print_growth(
            &format!("{size} files: cold index"),
            &mut first,
            SizeMeasurement { size, duration: took },
        );
        let mut warm = WarmServer::start(site, root)?;
        print(&format!(
            "| its peak memory | {peak} MB | server {} MB | |\n",
            resident_memory(warm.pid())
        ));
        let nothing = median(ROUNDS, || time_answer(&mut warm))?;
        print(&format!("| a call with nothing to do | {nothing:.2?} | | |\n"));
        let (file, mut count) = (root.join(path_of(size / 2)), 0);
        let changed = median(ROUNDS, || {
            count += 1;
            fs::write(&file, format!("{}// {count}\n", module(size / 2)))
                .map_err(|error| error.to_string())?;
            time_answer(&mut warm)
        })?;
        print(&format!("| one changed file, until the answer | {changed:.2?} | | |\n"));
        answers(&mut warm, size)?;
    }
    Ok(())
}

/// A repository whose commits touch one to five files each.
fn commits(site: &BenchContext) -> XtaskResult<()> {
    let mut first = None;
    for size in SIZES {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let root = folder.path();
        git(root, &["init", "--quiet", "--initial-branch", "main"])?;
        import(root, size)?;
        git(root, &["reset", "--quiet", "--hard", "main"])?;
        let (took, peak) = run_measured(root, &site.cairn, &["history", "tags", "--limit", "1"])?;
        print_growth(
            &format!("{size} commits: whole history"),
            &mut first,
            SizeMeasurement { size, duration: took },
        );
        let mut warm = WarmServer::start(site, root)?;
        print(&format!(
            "| its peak memory | {peak} MB | server {} MB | |\n",
            resident_memory(warm.pid())
        ));
        history::bench_new_commit(&mut warm, root)?;
        history::bench_warm_answers(&mut warm)?;
    }
    Ok(())
}

/// How long one size took.
#[derive(Clone, Copy)]
struct SizeMeasurement {
    size: usize,
    duration: Duration,
}

/// Prints a measurement with the time that linear growth from the first size would give.
fn print_growth(what: &str, first: &mut Option<SizeMeasurement>, now: SizeMeasurement) {
    let smallest = *first.get_or_insert(now);
    #[expect(clippy::cast_precision_loss, reason = "some hundred thousand")]
    let linear = smallest.duration.mul_f64(now.size as f64 / smallest.size as f64);
    print_row(what, now.duration, &Comparison::new("linear growth", linear));
}

fn time_answer(warm: &mut WarmServer) -> XtaskResult<Duration> {
    let begin = Instant::now();
    warm.call("status", json!({}))?;
    Ok(begin.elapsed())
}

fn answers(warm: &mut WarmServer, size: usize) -> XtaskResult<()> {
    let some = || (0..50).map(|at| at * (size / 50));
    let about = |key: &str| -> Vec<Value> {
        some().map(|at| json!({key: format!("module:{}", path_of(at))})).collect()
    };
    let names: Vec<Value> = some().map(|at| json!({"name": format!("Part{at}")})).collect();
    for (tool, questions) in [
        ("code_find", names),
        ("code_importers", about("path")),
        ("impact", about("target")),
        ("context", about("targets").iter().map(listed).collect()),
    ] {
        let latency = warm.measure(tool, &questions)?;
        print(&format!(
            "| {tool}, p99 | {:.2?} | median {:.2?} | |\n",
            latency.p99, latency.median
        ));
    }
    Ok(())
}

fn listed(question: &Value) -> Value {
    json!({"targets": [question["targets"]]})
}

fn path_of(at: usize) -> String {
    format!("src/area{}/part{}.ts", at / FILES_PER_FOLDER, at)
}

/// A module that imports from its neighbour and from a distant module.
fn module(at: usize) -> String {
    let (near, far) = (at.saturating_sub(1), at / 7);
    let mut text = String::new();
    for (other, name) in [(near, "near"), (far, "far")].into_iter().filter(|(to, _)| *to != at) {
        let _ = writeln!(
            text,
            "import {{ make{other} as {name} }} from '../area{}/part{other}';",
            other / FILES_PER_FOLDER
        );
    }
    let calls = if at == 0 { "" } else { "near(size); far(size);" };
    let _ = write!(
        text,
        "\n/** Part {at} of the whole. */\nexport class Part{at} {{\n  constructor(readonly size: \
         number) {{}}\n  area(): number {{ return this.size * {at}; }}\n}}\n\nexport function \
         make{at}(size: number): Part{at} {{\n  {calls}\n  return new Part{at}(size);\n}}\n"
    );
    text
}

/// Imports a chain of commits with git.
fn import(root: &Path, size: usize) -> XtaskResult<()> {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args(["fast-import", "--quiet"]).stdin(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let input = child.stdin.take().ok_or("git takes no input")?;
    write_fast_import(&mut BufWriter::new(input), size).map_err(|error| error.to_string())?;
    let status = child.wait().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("git fast-import ended with {status}")) }
}

fn write_fast_import(input: &mut impl std::io::Write, size: usize) -> std::io::Result<()> {
    for at in 0..size {
        let message = format!("fix: part {} of the parser\n\nNumber {at}.\n", at % 977);
        let when = 1_600_000_000 + at * 600;
        writeln!(input, "commit refs/heads/main")?;
        writeln!(input, "committer Ada <ada@example.org> {when} +0000")?;
        write!(input, "data {}\n{message}", message.len())?;
        for other in 0..=at % 5 {
            let file = (at * 31 + other * other) % HISTORY_FILES;
            let text = format!("{at}\n");
            writeln!(input, "M 100644 inline src/area{}/part{file}.md", file / FILES_PER_FOLDER)?;
            write!(input, "data {}\n{text}\n", text.len())?;
        }
    }
    writeln!(input, "done")?;
    input.flush()
}

fn git(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args(["-c", "user.name=Bench", "-c", "user.email=b@example.org"]);
    crate::run::run(command.args(args))
}
