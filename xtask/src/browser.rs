//! Tests of the page in a real browser, and the screenshots for its documentation.
//!
//! The driver comes from npm, as `tests/browser/package-lock.json` pins it. The browser is the
//! machine's own Chromium; on Debian and similar systems one is fetched and unpacked into `.tools`,
//! because a test must not install anything into the system.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs npm and a browser")]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{self, XtaskResult};
use crate::tools;

/// Where the tests are, below the root.
const TESTS: &str = "tests/browser";

/// The folder of the screenshots, below the root.
const PICTURES: &str = "docs/images/page";

/// The names under which systems install a browser that the driver can use.
const BROWSERS: &[&str] =
    &["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// A browser, and the folders of its libraries if they are not the system's.
struct BrowserProgram {
    program: PathBuf,
    libraries: Option<OsString>,
}

/// Tests every view and every change, on a repository that is created for it and on those that are
/// named.
pub(crate) fn test(root: &Path, cairn: &Path, repositories: &[&str]) -> XtaskResult<()> {
    run::run(&mut command(root, cairn, repositories)?)
}

/// Runs only these tests, with a binary that is built or given.
pub(crate) fn build_and_test(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let (cairn, repositories) = cairn_and_clones(args, || built_cairn(root))?;
    test(root, &cairn, repositories)
}

/// Like [`test()`], for at least two clones: what works in the small repository must work in real
/// ones.
pub(crate) fn prove(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let (cairn, repositories) = cairn_and_clones(args, || optimised_cairn(root))?;
    if repositories.len() < 2 {
        return Err("name at least two clones of other repositories".into());
    }
    test(root, &cairn, repositories)
}

/// Writes a screenshot of every view into the documentation.
pub(crate) fn shots(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let (cairn, repositories) = cairn_and_clones(args, || built_cairn(root))?;
    let mut command = command(root, &cairn, repositories)?;
    run::run(command.arg("--shots").arg(root.join(PICTURES)))
}

/// Measures every view, with a build that is optimised.
pub(crate) fn times(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let (cairn, repositories) = cairn_and_clones(args, || optimised_cairn(root))?;
    run::run(command(root, &cairn, repositories)?.arg("--times"))
}

/// The binary that `--cairn PATH` names, or one that is built, and the clones in the other
/// arguments.
fn cairn_and_clones<'a>(
    args: &'a [&'a str],
    build: impl FnOnce() -> XtaskResult<PathBuf>,
) -> XtaskResult<(PathBuf, &'a [&'a str])> {
    match args {
        ["--cairn", path, clones @ ..] => {
            let path = fs::canonicalize(path).map_err(|error| format!("{path}: {error}"))?;
            Ok((path, clones))
        }
        ["--cairn"] => Err("`--cairn` needs the path of a binary".into()),
        clones => Ok((build()?, clones)),
    }
}

fn optimised_cairn(root: &Path) -> XtaskResult<PathBuf> {
    let what = ["--package", "cairn", "--bins", "--profile", "quick"];
    Ok(run::build(root, &what, "quick")?.join("cairn"))
}

fn built_cairn(root: &Path) -> XtaskResult<PathBuf> {
    Ok(run::build(root, &["--workspace", "--bins", "--examples"], "debug")?.join("cairn"))
}

fn command(root: &Path, cairn: &Path, repositories: &[&str]) -> XtaskResult<Command> {
    let folder = tools::install_browser_driver(root, TESTS)?;
    let browser = find_or_unpack(root)?;
    let mut command = Command::new("node");
    command.arg(folder.join("run.mjs")).current_dir(root);
    command.arg("--cairn").arg(cairn).arg("--chromium").arg(&browser.program);
    if !repositories.is_empty() {
        command.arg("--repo").arg(repositories.join(","));
    }
    if let Some(libraries) = browser.libraries {
        command.env("LD_LIBRARY_PATH", libraries);
    }
    Ok(command)
}

fn find_or_unpack(root: &Path) -> XtaskResult<BrowserProgram> {
    if let Some(program) = on_path() {
        return Ok(BrowserProgram { program, libraries: None });
    }
    let folder = root.join(".tools/chromium");
    if !folder.join("complete").exists() {
        unpack(&folder)?;
    }
    let libraries = library_folders(&folder.join("root"))
        .and_then(|folders| std::env::join_paths(folders).map_err(std::io::Error::other))
        .map_err(|error| format!("cannot find the browser's libraries: {error}"))?;
    let program = folder.join("root/usr/lib/chromium/chromium");
    Ok(BrowserProgram { program, libraries: Some(libraries) })
}

/// The folders below an unpacked root that hold libraries: some packages keep theirs in a folder of
/// their own.
fn library_folders(root: &Path) -> std::io::Result<Vec<PathBuf>> {
    let is_library =
        |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().contains(".so"));
    let mut found = Vec::new();
    for top in ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"] {
        let top = root.join(top);
        if !top.is_dir() {
            continue;
        }
        found.push(top.clone());
        for entry in fs::read_dir(&top)? {
            let path = entry?.path();
            if path.is_dir() && fs::read_dir(&path)?.flatten().any(|one| is_library(&one.path())) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

fn on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let candidates = BROWSERS.iter().flat_map(|name| folders.iter().map(move |dir| dir.join(name)));
    candidates.into_iter().find(|program| program.is_file())
}

/// Fetches and unpacks Chromium and those of its libraries that are not installed.
fn unpack(folder: &Path) -> XtaskResult<()> {
    let hint = "install Chromium, so that `chromium` is on the PATH";
    let failed = |error: std::io::Error| format!("cannot unpack a browser: {error}; {hint}");
    let said = Command::new("apt-get").args(["install", "--simulate", "chromium"]).output();
    let said = said.map_err(failed)?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    let packages: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("Inst ")?.split_whitespace().next())
        .collect();
    if packages.is_empty() {
        return Err(format!("no package `chromium` is known; {hint}"));
    }
    let (archives, root) = (folder.join("archives"), folder.join("root"));
    let _ = fs::remove_dir_all(folder); // left over from an interrupted run
    fs::create_dir_all(&archives).map_err(failed)?;
    fs::create_dir_all(&root).map_err(failed)?;
    run::run(Command::new("apt-get").arg("download").args(packages).current_dir(&archives))?;
    for archive in fs::read_dir(&archives).map_err(failed)? {
        let mut extract = Command::new("dpkg-deb");
        let words: [OsString; 3] =
            ["-x".into(), archive.map_err(failed)?.path().into(), root.clone().into()];
        run::run(extract.args(words))?;
    }
    fs::remove_dir_all(&archives).map_err(failed)?;
    fs::write(folder.join("complete"), "").map_err(failed)
}
