//! Files that are far too large, in each place where cairn reads text.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use tempfile::TempDir;

use super::client::{self, TimedMcpClient};
use super::{LimitCase, LimitTrial};
use crate::TestRepo;

const FIXTURE: &str = "
//- src/a.ts
export function greet() {}
//- cairn.jsonc
{}
//- .cairn/cards/first.card.md
---
key: spec::first
type: spec
summary: First
status: draft
---
";

/// The paths of the large file.
const PLACES: [&str; 8] = [
    ".gitignore",
    "src/.gitignore",
    ".git/info/exclude",
    "cairn.jsonc",
    ".cairn/cards/first.card.md",
    ".git/packed-refs",
    "src/large.ts",
    "docs/large.md",
];

pub(super) fn try_files(trial: &mut LimitTrial<'_>) {
    let (repo, home) = (TestRepo::new(FIXTURE), tempfile::tempdir().expect("a folder"));
    let usual = call_both(trial, "no large file", &repo, &home);
    let large = repo.root().with_extension("large");
    write_lines(&large, trial.amounts.file_bytes).expect("room for a large file");
    for place in PLACES.into_iter().take(trial.amounts.places) {
        let path = repo.root().join(place);
        fs::create_dir_all(path.parent().unwrap_or(&path)).expect("a folder");
        let aside = repo.root().with_extension("aside");
        let was_there = fs::rename(&path, &aside).is_ok();
        fs::hard_link(&large, &path).expect("a second name");
        let mut case = call_both(trial, place, &repo, &home);
        let megabytes = trial.amounts.file_bytes >> 20;
        (case.name, case.usual_memory) = (format!("{place} of {megabytes} MB"), usual.memory);
        trial.record_case(case);
        fs::remove_file(&path).expect("it was there");
        if was_there {
            fs::rename(&aside, &path).expect("it goes back");
        }
    }
    let _ = fs::remove_file(large);
}

/// Calls a command and a server once each.
fn call_both(
    trial: &mut LimitTrial<'_>,
    place: &str,
    repo: &TestRepo,
    home: &TempDir,
) -> LimitCase {
    let (root, home) = (repo.root(), home.path());
    let mut case = LimitCase::new(place.to_owned());
    for words in [["status"], ["verify"]] {
        let outcome = client::run(trial.binary, &root, home, &words);
        case.count(outcome.memory, outcome.took);
        if let Some(told) = outcome.failure_reason() {
            trial.record_failure(format!("{place}: {words:?}: {told}"));
        }
    }
    let begin = Instant::now();
    let mut server = TimedMcpClient::start(trial.binary, &root, home);
    if !server.ask("status") {
        trial.record_failure(format!("{place}: the server does not answer"));
    }
    case.count(server.peak_memory(), begin.elapsed());
    case
}

/// Writes a text of many lines that are valid patterns, names and words.
fn write_lines(path: &Path, bytes: u64) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let (mut written, mut number) = (0, 0_u64);
    while written < bytes {
        let line = format!("build/folder-{number}/*.generated\n");
        file.write_all(line.as_bytes())?;
        written += line.len() as u64;
        number += 1;
    }
    file.flush()
}
