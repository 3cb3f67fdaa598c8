//! Runs programs: the tests, and the checks of dependencies.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs cargo and the tests")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{browser, tools};

/// The error is one line for the developer.
pub(crate) type XtaskResult<T> = std::result::Result<T, String>;

/// How many random inputs property tests try, unless the environment says otherwise.
const PROPTEST_CASES: &str = "64";

/// The version of cargo-deny that was tried.
const CARGO_DENY_VERSION: &str = "0.20.2";

/// Tests that may be NOT RUN in CI, with the reason. Names are as libtest prints them.
const MAY_BE_SKIPPED: [(&str, &str); 5] = [
    (
        "edits_of_a_corpus_keep_their_laws",
        "takes other repositories, which are not part of this one",
    ),
    ("lsp::neovim_shows_cards_and_problems", "takes an editor, which a machine need not have"),
    ("truth::pycg_micro_benchmark", "takes a data set that is not part of this repository"),
    ("truth::swarm_js", "takes a data set that is not part of this repository"),
    (
        "revisions::a_repository_of_another_user_is_not_opened",
        "only root can make such a repository",
    ),
];

/// The tests that hold for a store of one clone and for one that a team shares.
const TEAM_CONTRACT: [&str; 7] =
    ["work::", "kb::", "seed_work::", "seed_graph::", "seed_fields::", "undo::", "branches::"];

/// Tests that do not apply to a team. In a team the name of a branch means one store for all
/// machines, so a name that is used again finds the facts of the first branch of that name.
const TEAM_DIFFERENCES: [&str; 1] = ["branches::a_branch_that_is_not_checked_out_is_followed_too"];

/// Runs the same command with an optimised build of this program, for commands that measure.
pub(crate) fn optimised(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let program = ["run", "--quiet", "--profile", "measure", "--package", "xtask", "--"];
    let mut command = cargo(root, &program);
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    run(command.current_dir(here).args(args)) // clones may be given relative to the current folder
}

/// All tests: those of the crates, then real clients against the real binary.
pub(crate) fn test(root: &Path) -> XtaskResult<()> {
    let cases = std::env::var("PROPTEST_CASES").unwrap_or_else(|_| PROPTEST_CASES.into());
    let report = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    let postgres = tools::install_postgres(root)?;
    let mut tests = cargo(root, &["test", "--workspace", "--locked"]);
    tests.env("CAIRN_POSTGRES", &postgres);
    run(tests.env("PROPTEST_CASES", cases).env(testskip::REPORT_VARIABLE, report.path()))?;
    run(&mut cargo(
        root,
        &["test", "-p", "syntax", "--locked", "--no-default-features", "--lib", "left_out"],
    ))?;
    run(team_contract(root, &postgres).env(testskip::REPORT_VARIABLE, report.path()))?;
    run(server_tests(root)?.env(testskip::REPORT_VARIABLE, report.path()))?;
    let skipped = std::fs::read_to_string(report.path()).map_err(|error| error.to_string())?;
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    print(&skipped_summary(&skipped));
    check_skipped(&skipped, is_ci)?;
    // The same packages as above: with fewer packages, features would differ and dependencies would
    // be built a second time.
    let built = build(root, &["--workspace", "--bins", "--examples"], "debug")?;
    verify(root, &built.join("cairn"))?;
    test_clients(root, &built)?;
    browser::test(root, &built.join("cairn"), &[])
}

/// Real MCP clients and the conformance suite against the program.
pub(crate) fn clients(root: &Path) -> XtaskResult<()> {
    let built = build(root, &["--workspace", "--bins", "--examples"], "debug")?;
    test_clients(root, &built)
}

fn test_clients(root: &Path, built: &Path) -> XtaskResult<()> {
    let tools = tools::install(root)?;
    let (cairn, conformance) = (built.join("cairn"), built.join("examples/conformance"));
    run(&mut tools::client_test_command(root, &tools, &cairn, &conformance))
}

/// The tests that were not run, for the end of the output.
fn skipped_summary(report: &str) -> String {
    let count = base::words::counted(report.lines().count(), "test");
    let lines: String = report.lines().map(|line| format!("  {line}\n")).collect();
    format!("\n{count} NOT RUN\n{lines}")
}

/// Fails in CI if a test was not run that should have been.
fn check_skipped(report: &str, is_ci: bool) -> XtaskResult<()> {
    let may_be_skipped = |line: &str| {
        let test = line.split(": ").next().unwrap_or_default();
        MAY_BE_SKIPPED.iter().any(|(name, _)| *name == test)
    };
    let unexpected: Vec<&str> = report.lines().filter(|line| !may_be_skipped(line)).collect();
    if !is_ci || unexpected.is_empty() {
        return Ok(());
    }
    Err(format!("tests that must run in CI were NOT RUN:\n{}", unexpected.join("\n")))
}

/// Checks the claims that this repository makes about itself.
fn verify(root: &Path, cairn: &Path) -> XtaskResult<()> {
    run(Command::new(cairn).current_dir(root).arg("verify"))?;
    run(Command::new(cairn).current_dir(root).args(["matrix", "--gate"]))
}

/// The tests with real language servers, which are fetched first.
fn server_tests(root: &Path) -> XtaskResult<Command> {
    let servers = tools::install_servers(root)?;
    let args = ["test", "--workspace", "--locked", "--test", "servers"];
    let mut command = cargo(root, &args);
    command.env("CAIRN_SERVERS", &servers.folder);
    if let Some(folder) = servers.rust_analyzer {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all = [folder].into_iter().chain(std::env::split_paths(&path));
        let all = std::env::join_paths(all).map_err(|error| error.to_string())?;
        command.env("PATH", all);
    }
    Ok(command)
}

/// The tests of work, knowledge and facts once more, with every repository in a team: the same answers, the same
/// errors.
fn team_contract(root: &Path, postgres: &Path) -> Command {
    let mut command = cargo(root, &["test", "--workspace", "--locked", "--test", "it", "--"]);
    command.args(TEAM_CONTRACT).args(TEAM_DIFFERENCES.iter().flat_map(|test| ["--skip", test]));
    command.env("CAIRN_TEST_TEAM", "1").env("CAIRN_POSTGRES", postgres);
    command
}

/// Only the tests of teams.
pub(crate) fn team(root: &Path) -> XtaskResult<()> {
    let postgres = tools::install_postgres(root)?;
    let mut tests = cargo(root, &["test", "--workspace", "--locked", "--test", "team"]);
    run(tests.env("CAIRN_POSTGRES", &postgres))?;
    run(&mut team_contract(root, &postgres))
}

/// Only the tests against real language servers.
pub(crate) fn servers(root: &Path) -> XtaskResult<()> {
    run(&mut server_tests(root)?)
}

/// Runs the tests with many more random cases, and a kill at every step.
pub(crate) fn soak(root: &Path) -> XtaskResult<()> {
    let mut command = cargo(root, &["test", "--workspace", "--locked", "--release"]);
    run(command.env("PROPTEST_CASES", "5000").env("CAIRN_SOAK", "1"))
}

/// Checks licences and sources of dependencies. Known vulnerabilities need a list that cannot be
/// fetched everywhere, so `cargo deny check advisories` is run by hand.
pub(crate) fn deny(root: &Path) -> XtaskResult<()> {
    let mut tool = root.join(".tools/deny/bin/cargo-deny");
    let is_there = Command::new("cargo-deny").arg("--version").output();
    if is_there
        .is_ok_and(|there| String::from_utf8_lossy(&there.stdout).contains(CARGO_DENY_VERSION))
    {
        tool = PathBuf::from("cargo-deny");
    } else if !tool.is_file() {
        let into = root.join(".tools/deny");
        let into = into.to_string_lossy();
        let args =
            ["install", "cargo-deny", "--locked", "--root", &into, "--version", CARGO_DENY_VERSION];
        run(cargo(root, &args).env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"))?;
    }
    let checks = ["check", "--hide-inclusion-graph", "bans", "licenses", "sources"];
    run(Command::new(tool).current_dir(root).args(checks))
}

/// Builds something and returns the folder of the result.
pub(crate) fn build(root: &Path, what: &[&str], profile: &str) -> XtaskResult<PathBuf> {
    let args: Vec<&str> = ["build", "--locked"].iter().chain(what).copied().collect();
    run(&mut cargo(root, &args))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    Ok(target.unwrap_or_else(|| root.join("target")).join(profile))
}

/// A cargo command. What `cargo run` tells this program about its own package is taken out of the
/// environment: build scripts of dependencies ask for these variables, so with them cargo would
/// build those dependencies, and everything above them, a second time.
pub(crate) fn cargo(root: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(args);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_about_own_package) {
            command.env_remove(name);
        }
    }
    command
}

/// Whether `cargo run` sets a variable to something about the package that it runs.
fn is_about_own_package(variable: &str) -> bool {
    variable.starts_with("CARGO_PKG_") || variable.starts_with("CARGO_MANIFEST_")
}

pub(crate) fn run(command: &mut Command) -> XtaskResult<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| format!("{name} does not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed ({status})")) }
}

/// The output of a command, which must succeed.
pub(crate) fn output(command: &mut Command) -> XtaskResult<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name} does not start: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{name} failed ({})", output.status)),
    }
}

/// Writes to the terminal.
pub(crate) fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_is_not_told_about_the_package_of_this_program() {
        let command = cargo(Path::new("."), &["build"]);
        let removed: Vec<_> = command.get_envs().filter(|(_, value)| value.is_none()).collect();
        assert!(removed.iter().any(|(name, _)| *name == "CARGO_MANIFEST_DIR"), "{removed:?}");
        assert!(is_about_own_package("CARGO_PKG_NAME"));
        assert!(!is_about_own_package("CARGO_HOME") && !is_about_own_package("CARGO_TARGET_DIR"));
    }

    #[test]
    fn a_test_that_is_not_run_is_named_and_fails_in_ci() {
        let listed = "truth::swarm_js: CAIRN_SWARM_JS names no folder\n";
        let other = "faults::a_full_disk: `unshare` is missing\n";
        let both = format!("{listed}{other}");
        assert_eq!(skipped_summary(""), "\n0 tests NOT RUN\n");
        let summary = format!("\n2 tests NOT RUN\n  {listed}  {other}");
        assert_eq!(skipped_summary(&both), summary);
        assert!(check_skipped(&both, false).is_ok());
        assert!(check_skipped(listed, true).is_ok());
        let refused = check_skipped(&both, true).unwrap_err();
        assert!(refused.ends_with(other.trim_end()), "{refused}");
    }
}
