//! One connection on a thread of its own.
//!
//! The driver blocks and may not run on a thread of an asynchronous runtime, and a call must not
//! wait longer than its caller does. So each connection lives on a thread, which gets work through
//! a channel. A caller that stops waiting abandons the connection, and nobody uses it again.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use postgres::{Client, NoTls};

use crate::address::TeamAddress;
use crate::credentials::CredentialSources;
use crate::failure::{TeamFailure, TeamResult};
use crate::tls;

/// Interval at which the operating system checks a silent connection.
const KEEPALIVE: Duration = Duration::from_secs(15);

type ConnectionJob = Box<dyn FnOnce(&mut Client) + Send>;

/// An open connection.
#[derive(Debug)]
pub(crate) struct TeamConnection {
    /// `None` after the connection was given up
    jobs: Mutex<Option<mpsc::Sender<ConnectionJob>>>,
}

impl TeamConnection {
    /// Connects and logs in, within `wait`.
    pub(crate) fn open(
        address: &TeamAddress,
        sources: &CredentialSources<'_>,
        wait: Duration,
    ) -> TeamResult<Self> {
        let config = configure(address, sources, wait)?;
        let tls = match address.is_local() {
            true => None,
            false => Some(tls::connector(address.root_certificate().map(AsRef::as_ref))?),
        };
        let (jobs, received) = mpsc::channel::<ConnectionJob>();
        let (opened, is_open) = mpsc::channel();
        let serve = move || {
            let connected = match tls {
                None => config.connect(NoTls),
                Some(tls) => config.connect(tls),
            };
            match connected {
                Err(error) => drop(opened.send(Err(TeamFailure::from(error)))),
                Ok(mut client) => {
                    if opened.send(Ok(())).is_ok() {
                        for job in received {
                            job(&mut client);
                        }
                    }
                }
            }
        };
        let spawned = thread::Builder::new().name("team connection".into()).spawn(serve);
        spawned.map_err(|error| TeamFailure::Unreachable(error.to_string()))?;
        match is_open.recv_timeout(wait) {
            Ok(done) => done.map(|()| Self { jobs: Mutex::new(Some(jobs)) }),
            Err(_) => Err(timed_out(wait)),
        }
    }

    /// Runs `job` on the connection's thread and waits for it, but not longer than `wait`.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        wait: Duration,
        job: impl FnOnce(&mut Client) -> TeamResult<T> + Send + 'static,
    ) -> TeamResult<T> {
        let (reply, replied) = mpsc::channel();
        let job: ConnectionJob = Box::new(move |client| drop(reply.send(job(client))));
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_sent = jobs.is_some_and(|jobs| jobs.send(job).is_ok());
        if !is_sent {
            return Err(TeamFailure::Unreachable("the connection was closed".into()));
        }
        let done = match replied.recv_timeout(wait) {
            Ok(done) => done,
            Err(RecvTimeoutError::Timeout) => Err(timed_out(wait)),
            Err(RecvTimeoutError::Disconnected) => {
                Err(TeamFailure::Unreachable("the connection broke".into()))
            }
        };
        if matches!(done, Err(TeamFailure::Unreachable(_))) {
            self.give_up();
        }
        done
    }

    /// Whether nobody may use it any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Closes the connection when its thread has finished the present job.
    pub(crate) fn give_up(&self) {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn timed_out(wait: Duration) -> TeamFailure {
    TeamFailure::Unreachable(format!("no answer within {} ms", wait.as_millis()))
}

fn configure(
    address: &TeamAddress,
    sources: &CredentialSources<'_>,
    wait: Duration,
) -> TeamResult<postgres::Config> {
    let mut config = address.config();
    let user = address.user().map(ToOwned::to_owned).or_else(|| sources.user());
    if let Some(user) = &user {
        config.user(user);
    }
    let password = sources.password(address, user.as_deref().unwrap_or_default())?;
    if let Some(password) = password {
        config.password(password);
    }
    config.application_name("cairn").connect_timeout(wait);
    config.keepalives_idle(KEEPALIVE).tcp_user_timeout(KEEPALIVE * 2);
    let mode = match address.is_local() {
        true => postgres::config::SslMode::Disable,
        false => postgres::config::SslMode::Require,
    };
    config.ssl_mode(mode);
    Ok(config)
}
