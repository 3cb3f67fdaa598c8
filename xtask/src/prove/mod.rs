//! Proofs of the claims in `docs/reliability.md`, which take minutes or hours.

#![expect(clippy::disallowed_methods, reason = "a developer's tool reads its environment")]

mod freshness;
mod kills;
mod layout;
mod limits;
mod load;
mod merges;
mod suspects;
mod team;
mod team_cost;
mod week;

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::browser;
use crate::run::{self, XtaskResult};

/// Runs one of the proofs.
pub(crate) fn run(root: &Path, args: &[&str]) -> XtaskResult<()> {
    match args {
        ["freshness", rest @ ..] => freshness::run(root, rest),
        ["kills", rest @ ..] => kills::run(root, rest),
        ["limits", rest @ ..] => limits::run(root, rest),
        ["merges", rest @ ..] => merges::run(rest),
        ["suspects", rest @ ..] => suspects::run(root, rest),
        ["load", rest @ ..] => load::run(root, rest),
        ["page", rest @ ..] => browser::prove(root, rest),
        ["team", rest @ ..] => team::run(root, rest),
        ["week", rest @ ..] => week::run(root, rest),
        _ => Err("prove what? `cargo xtask` lists the proofs".into()),
    }
}

/// Runs one process of the team proof.
pub(crate) fn team_worker(worker: &str) -> XtaskResult<()> {
    team::work(worker)
}

/// A number from the command line, or its default.
fn number_arg<T: std::str::FromStr>(args: &[&str], at: usize, otherwise: T) -> XtaskResult<T> {
    match args.get(at) {
        None => Ok(otherwise),
        Some(text) => text.parse().map_err(|_| format!("`{text}` is not a number")),
    }
}

/// The binary under proof: an optimised build, as in use. It is copied, so that a build meanwhile
/// does not change it.
struct ProofBinary {
    _folder: TempDir,
    binary: PathBuf,
}

impl ProofBinary {
    /// Builds it, unless `CAIRN_PROOF_BINARY` names a binary.
    fn build(root: &Path) -> XtaskResult<Self> {
        let what = ["--package", "cairn", "--bins", "--profile", "quick"];
        let built = match std::env::var_os("CAIRN_PROOF_BINARY") {
            Some(binary) => PathBuf::from(binary),
            None => run::build(root, &what, "quick")?.join("cairn"),
        };
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let binary = folder.path().join("cairn");
        std::fs::copy(built, &binary).map_err(|error| error.to_string())?;
        Ok(Self { _folder: folder, binary })
    }
}
