//! The commands for developers: tests with everything they need, generated pages, benchmarks.

mod alias_page;
mod bench;
mod browser;
mod cochange;
mod codegen;
mod config_page;
mod dist;
mod fuzz;
mod house;
mod laws;
mod omission;
mod oracle;
mod prove;
mod retrieval;
mod run;
mod rust_source;
mod soak;
mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use testkit::soak::SoakActions;

const USAGE: &str = "\
cargo xtask test              fetch what the tests need and run all of them
cargo xtask test servers      only those against real language servers
cargo xtask test team         only those against a real PostgreSQL server, and the contract suite over a team
cargo xtask test clients      only real MCP clients and the conformance suite
cargo xtask test browser [--cairn BINARY] [CLONE…]  only those of the page in a browser, also on copies of other clones
cargo xtask shots [--cairn BINARY] [CLONE]  write the screenshots of docs/page.md
cargo xtask times [--cairn BINARY] [CLONE…]  time and size of every view of the page in a browser, as a table
cargo xtask codegen [--check] write the reference pages, or fail if they are out of date
cargo xtask house [CLONE…]    measures of readability, of this repository and other clones; prints a table
cargo xtask dist [--check] [--without-build]  write all packages of a release into target/dist; run their validators
cargo xtask deny              check licences and sources of dependencies
cargo xtask bench [--quick] [NAME…]  measure, compared with another tool or a limit; prints a table
cargo xtask cochange-eval REPO…  how well co-change is predicted, compared with plain counting
cargo xtask oracle [--show]   compare importers and calls with compilers named by CAIRN_ORACLE_*; prints a table
cargo xtask omission CLONE…   how often `review` names a file that was left out of a real fix; prints a table
cargo xtask retrieval         how well a text leads to the right files, compared with plain BM25
cargo xtask soak [MINUTES]    eight processes at once, killed at random; ten minutes by default
cargo xtask soak work [MINUTES]  eight processes that plan, start, discuss and finish tasks, killed at random
cargo xtask soak kb           eight processes of a thousand changesets each, killed at random
cargo xtask soak tests        the tests with many more random cases, and a kill at every step
cargo xtask prove freshness [STEPS] [SEED]  random steps; a server, a new process and an index from nothing agree
cargo xtask prove kills [COUNT] [SEED]  every writing operation, killed at random moments; nothing is lost or torn
cargo xtask prove limits [CONNECTIONS] [PATHS]  large files, pipes and devices at every path, idle connections
cargo xtask prove merges [COUNT] [SEED]  random three-way merges of cards and records, compared with a merge by rule
cargo xtask prove suspects [COMMITS] CLONE…  links made at the start of a history; which commits make them suspect
cargo xtask prove team [MINUTES] [SEED]  three machines write while processes, server and network fail; they agree
cargo xtask prove team cost [MS…]  round trips and time of a write and a read at 0, 5 and 50 ms of latency
cargo xtask prove team clients [CLIENTS…]  writes a second of one and of a hundred clients on one project
cargo xtask prove team log [CHANGES…]  catching up with 10,000, 100,000 and a million changes
cargo xtask prove week CLONE [OLDER_BINARY]  a week of two agents and a person on httpx; calls and characters of each
cargo xtask prove page [--cairn BINARY] CLONE CLONE…  every view, change and refusal of the page, in copies of other repositories
cargo xtask prove load [RUNS]  the tests in a fresh clone beside two busy loops per core; ten times by default
cargo xtask fuzz [TARGET] [MINUTES]  random input for every parser of untrusted text
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let root = root();
    let done = match args.as_slice() {
        ["bench" | "cochange-eval" | "oracle" | "omission" | "retrieval", ..]
            if cfg!(debug_assertions) =>
        {
            run::optimised(&root, &args)
        }
        ["test"] => run::test(&root),
        ["test", "servers"] => run::servers(&root),
        ["test", "team"] => run::team(&root),
        ["test", "clients"] => run::clients(&root),
        ["test", "browser", clones @ ..] => browser::build_and_test(&root, clones),
        ["shots", clones @ ..] => browser::shots(&root, clones),
        ["times", clones @ ..] => browser::times(&root, clones),
        ["codegen"] => codegen::write(&root),
        ["codegen", "--check"] => codegen::check(&root).and_then(|()| laws::check(&root)),
        ["house", clones @ ..] => house::run(&root, clones),
        ["dist", rest @ ..] => dist::run(&root, rest),
        ["deny"] => run::deny(&root),
        ["bench", rest @ ..] => bench::run(&root, rest),
        ["cochange-eval", repos @ ..] => cochange::run(repos),
        ["oracle", rest @ ..] => oracle::run(&root, rest),
        ["omission", rest @ ..] => omission::run(&root, rest),
        ["retrieval", rest @ ..] => retrieval::run(&root, rest),
        ["soak"] => soak::run(None),
        ["soak", "tests"] => run::soak(&root),
        ["soak", "kb"] => soak::run_kb(),
        ["kb-writer", root, name, from, count] => soak::kb_writer(root, name, from, count),
        ["soak", "work"] => soak::run_work(None),
        ["soak", "work", minutes] => soak::run_work(Some(minutes)),
        ["soak", minutes] => soak::run(Some(minutes)),
        ["soak-worker", root, name, seed] => soak::worker(root, name, seed, SoakActions::All),
        ["task-worker", root, name, seed] => soak::worker(root, name, seed, SoakActions::Tasks),
        ["prove", rest @ ..] => prove::run(&root, rest),
        ["team-worker", worker] => prove::team_worker(worker),
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
