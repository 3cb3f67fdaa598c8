//! What a developer runs: the tests with all they need, generated pages, benchmarks.

mod bench;
mod codegen;
mod laws;
mod oracle;
mod retrieval;
mod run;
mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask test              fetch what the tests need and run all of them
cargo xtask codegen [--check] write the reference pages, or fail if they are out of date
cargo xtask deny              check licences and sources of dependencies
cargo xtask bench [--quick] [NAME…]  measure beside the peer or the limit; prints a table
cargo xtask oracle [--show]   compare importers with compilers named by CAIRN_ORACLE_*; prints a table
cargo xtask retrieval         how well a text leads to the right files, beside plain BM25
cargo xtask soak              the long versions of the tests
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let root = root();
    let done = match args.as_slice() {
        ["test"] => run::test(&root),
        ["codegen"] => codegen::write(&root),
        ["codegen", "--check"] => codegen::check(&root).and_then(|()| laws::check(&root)),
        ["deny"] => run::deny(&root),
        ["bench", rest @ ..] => bench::run(&root, rest),
        ["oracle", rest @ ..] => oracle::run(&root, rest),
        ["retrieval", rest @ ..] => retrieval::run(&root, rest),
        ["soak"] => run::soak(&root),
        _ => {
            run::say(USAGE);
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            run::say(&format!("xtask: {problem}\n"));
            ExitCode::FAILURE
        }
    }
}

/// The root of this repository.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().expect("xtask lies in the root").to_path_buf()
}
