//! A proxy in front of a server that can be slow, cut, or silent.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// How long a blocked thread waits before it looks whether the network changed.
const TICK: Duration = Duration::from_millis(20);

/// The state of the network between a client and the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkState {
    /// Everything passes
    Open,
    /// Connections are closed, and new ones refused
    Cut,
    /// Connections stay, and nothing passes
    Silent,
}

/// A proxy on a port of its own.
pub struct NetworkProxy {
    port: u16,
    shared: Arc<ProxyState>,
}

struct ProxyState {
    network: Mutex<NetworkState>,
    /// Delay of each direction, in microseconds
    delay: AtomicU64,
    /// Messages that passed from clients to the server: each batch of bytes counts one
    requests: AtomicU64,
    open: Mutex<Vec<TcpStream>>,
}

impl NetworkProxy {
    /// A proxy for a server on a port of this machine.
    pub fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(ProxyState {
            network: Mutex::new(NetworkState::Open),
            delay: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            open: Mutex::default(),
        });
        let state = shared.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                state.accept(client, server);
            }
        });
        Self { port, shared }
    }

    /// The port that clients use.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Changes the network. Cutting it closes every connection.
    pub fn set(&self, network: NetworkState) {
        *self.shared.network.lock().unwrap_or_else(PoisonError::into_inner) = network;
        if network == NetworkState::Cut {
            let open = std::mem::take(
                &mut *self.shared.open.lock().unwrap_or_else(PoisonError::into_inner),
            );
            for stream in &open {
                drop(stream.shutdown(Shutdown::Both));
            }
        }
    }

    /// Delays what passes, so that a round trip takes this long more.
    pub fn set_round_trip(&self, time: Duration) {
        let half = u64::try_from(time.as_micros() / 2).unwrap_or(u64::MAX);
        self.shared.delay.store(half, Ordering::Relaxed);
    }

    /// How many batches of bytes clients have sent so far. A client that waits for each answer
    /// sends one per round trip.
    pub fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::Relaxed)
    }
}

impl ProxyState {
    fn network(&self) -> NetworkState {
        *self.network.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept(self: &Arc<Self>, client: TcpStream, port: u16) {
        if self.network() == NetworkState::Cut {
            return; // closed as it is dropped
        }
        let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { return };
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let pair = |stream: &TcpStream| stream.try_clone().expect("a handle");
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend([pair(&client), pair(&server)]);
        self.pump(pair(&client), pair(&server), true);
        self.pump(server, client, false);
    }

    /// Copies one direction, on threads of its own.
    fn pump(self: &Arc<Self>, mut from: TcpStream, mut to: TcpStream, counts: bool) {
        let (queue, due) = mpsc::channel::<(Instant, Vec<u8>)>();
        let state = self.clone();
        thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                if counts {
                    state.requests.fetch_add(1, Ordering::Relaxed);
                }
                let delay = Duration::from_micros(state.delay.load(Ordering::Relaxed));
                if queue.send((Instant::now() + delay, buffer[..count].to_vec())).is_err() {
                    break;
                }
            }
        });
        let state = self.clone();
        thread::spawn(move || {
            for (at, bytes) in due {
                thread::sleep(at.saturating_duration_since(Instant::now()));
                while state.network() == NetworkState::Silent {
                    thread::sleep(TICK);
                }
                if to.write_all(&bytes).is_err() {
                    break;
                }
            }
            let _ = to.shutdown(Shutdown::Both);
        });
    }
}
