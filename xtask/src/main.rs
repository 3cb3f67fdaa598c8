//! What a developer runs: the tests with all they need, generated pages, benchmarks.

mod alias_page;
mod bench;
mod cochange;
mod codegen;
mod config_page;
mod fuzz;
mod house;
mod laws;
mod oracle;
mod prove;
mod retrieval;
mod run;
mod rust_source;
mod soak;
mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask test              fetch what the tests need and run all of them
cargo xtask test servers      only those against real language servers
cargo xtask codegen [--check] write the reference pages, or fail if they are out of date
cargo xtask house [CLONE…]    how this repository reads, beside other clones; prints a table
cargo xtask deny              check licences and sources of dependencies
cargo xtask bench [--quick] [NAME…]  measure beside the peer or the limit; prints a table
cargo xtask cochange-eval REPO…  how well what changes together is predicted, beside counting
cargo xtask oracle [--show]   compare importers with compilers named by CAIRN_ORACLE_*; prints a table
cargo xtask retrieval         how well a text leads to the right files, beside plain BM25
cargo xtask soak [MINUTES]    eight processes at once, killed at random; ten minutes unless told
cargo xtask soak kb           eight processes of a thousand changesets each, killed at random
cargo xtask soak tests        the tests with many more random cases, and a kill at every step
cargo xtask prove freshness [STEPS] [SEED]  random steps; a server, a new process and an index from nothing agree
cargo xtask prove kills [COUNT] [SEED]  every writing operation, killed at random moments; nothing is lost or torn
cargo xtask prove limits [CONNECTIONS] [PATHS]  large files, pipes and devices at every path, idle connections
cargo xtask prove merges [COUNT] [SEED]  random three-way merges of cards and records, compared with a merge by rule
cargo xtask prove load [RUNS]  the tests in a fresh clone beside two busy loops a core; ten times unless told
cargo xtask fuzz [TARGET] [MINUTES]  every parser of outside text, given what nobody would write
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let root = root();
    let done = match args.as_slice() {
        ["test"] => run::test(&root),
        ["test", "servers"] => run::servers(&root),
        ["codegen"] => codegen::write(&root),
        ["codegen", "--check"] => codegen::check(&root).and_then(|()| laws::check(&root)),
        ["house", clones @ ..] => house::run(&root, clones),
        ["deny"] => run::deny(&root),
        ["bench", rest @ ..] => bench::run(&root, rest),
        ["cochange-eval", repos @ ..] => cochange::run(repos),
        ["oracle", rest @ ..] => oracle::run(&root, rest),
        ["retrieval", rest @ ..] => retrieval::run(&root, rest),
        ["soak"] => soak::run(None),
        ["soak", "tests"] => run::soak(&root),
        ["soak", "kb"] => soak::run_kb(),
        ["kb-writer", root, name, from, count] => soak::kb_writer(root, name, from, count),
        ["soak", minutes] => soak::run(Some(minutes)),
        ["soak-worker", root, name, seed] => soak::worker(root, name, seed),
        ["prove", rest @ ..] => prove::run(&root, rest),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        _ => {
            run::print(USAGE);
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            run::print(&format!("xtask: {problem}\n"));
            ExitCode::FAILURE
        }
    }
}

/// The root of this repository.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().expect("xtask lies in the root").to_path_buf()
}
