//! Errors of the team's database, by what the caller can do about them.

use base::{Problem, ProblemCode};
use postgres::Client;
use postgres::error::SqlState;

/// A failure of the shared home.
#[derive(Debug)]
pub enum TeamFailure {
    /// The server cannot be reached or the connection broke; the replica continues without it
    Unreachable(String),
    /// The server refused the request; it has to be settled before anything else can be done
    Refused(Problem),
}

/// The result of a call to the shared home.
pub type TeamResult<T> = Result<T, TeamFailure>;

impl TeamFailure {
    /// The problem for a caller that cannot continue without the server.
    pub fn into_problem(self) -> Problem {
        match self {
            Self::Unreachable(why) => {
                let hint = if why.starts_with(UNTRUSTED_CERTIFICATE) {
                    CERTIFICATE_HINT
                } else {
                    NETWORK_HINT
                };
                let what = format!("the team's server cannot be reached: {why}");
                Problem::new(ProblemCode::Unavailable, what).hint(hint)
            }
            Self::Refused(problem) => problem,
        }
    }
}

impl From<Problem> for TeamFailure {
    fn from(problem: Problem) -> Self {
        Self::Refused(problem)
    }
}

impl From<postgres::Error> for TeamFailure {
    fn from(error: postgres::Error) -> Self {
        let Some(reported) = error.as_db_error() else {
            return match root_cause(&error).as_str() {
                // The server was reached and asks for a password, so this is not a failure of the
                // network.
                NO_PASSWORD => Self::Refused(refused_login("it asks for a password")),
                why => Self::Unreachable(why.to_owned()),
            };
        };
        let said = reported.message().to_owned();
        let code = reported.code();
        let is_shutdown = [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::TOO_MANY_CONNECTIONS,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        ];
        if is_shutdown.contains(code) {
            return Self::Unreachable(said);
        }
        let problem = match code {
            code if *code == SqlState::LOCK_NOT_AVAILABLE => {
                Problem::new(ProblemCode::Busy, "another machine is writing to the team's records")
                    .hint("repeat the request")
            }
            code if *code == SqlState::INVALID_PASSWORD
                || *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION =>
            {
                refused_login(&said)
            }
            code if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
                Problem::new(ProblemCode::Untrusted, format!("the team's database does not allow it: {said}"))
                    .hint("ask the owner of the database for membership in the project's role; `team status` names it")
            }
            _ => Problem::new(ProblemCode::Io, format!("the team's database failed: {said}"))
                .detail("sqlstate", code.code())
                .hint("nothing was written; repeat the request"),
        };
        Self::Refused(problem)
    }
}

/// How the reason begins if the server's certificate is not accepted.
const UNTRUSTED_CERTIFICATE: &str = "invalid peer certificate";

const CERTIFICATE_HINT: &str = "for an authority of your own add its file to the address, as in postgres://USER@HOST/DATABASE?sslrootcert=FILE";

const NETWORK_HINT: &str = "check the network and the server; local data can still be read";

/// The driver's message if the server asks for a password and there is none.
const NO_PASSWORD: &str = "password missing";

fn refused_login(why: &str) -> Problem {
    Problem::new(ProblemCode::Untrusted, format!("the team's server refuses the login: {why}"))
        .hint("set PGPASSWORD, add a line to ~/.pgpass, or name a private file in CAIRN_TEAM_PASSWORD_FILE")
}

/// How often a statement that collided with one of another machine is repeated.
const ATTEMPTS: u32 = 20;

/// Runs statements that change what all projects share, such as grants. PostgreSQL does not queue
/// such statements of two clients: one of them fails, is rolled back, and is repeated here.
pub(crate) fn retry_on_collision(
    client: &mut Client,
    statements: &str,
) -> Result<(), postgres::Error> {
    let mut left = ATTEMPTS;
    loop {
        left -= 1;
        match client.batch_execute(statements) {
            Err(error) if left > 0 && is_collision(&error) => {}
            done => return done,
        }
    }
}

/// Whether another machine changed the same entry of the catalogue at the same moment.
fn is_collision(error: &postgres::Error) -> bool {
    let Some(reported) = error.as_db_error() else { return false };
    match reported.code() {
        code if *code == SqlState::INTERNAL_ERROR => reported.message().contains("concurrently"),
        code if *code == SqlState::UNIQUE_VIOLATION => {
            reported.schema() == Some("pg_catalog") || reported.table().is_none()
        }
        _ => false,
    }
}

/// The innermost error, which says what happened on the network.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
