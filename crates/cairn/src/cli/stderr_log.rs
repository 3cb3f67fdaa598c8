//! Non-blocking log of a server, on stderr.
//!
//! A client may start a server and never read its stderr, and writing to a full pipe blocks. So a
//! thread writes from a queue, and lines that do not fit into it are counted and dropped.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::Duration;

/// The most lines that wait to be written.
const MAX_QUEUED_LINES: usize = 256;

/// How long an ending server waits until its last lines are written.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(200);

static STDERR_QUEUE: OnceLock<StderrQueue> = OnceLock::new();

/// Logs a line. Never blocks.
pub(super) fn log_line(text: &str) {
    stderr_queue().write(format!("cairn: {text}\n"));
}

/// Waits until the lines so far are written, but not for long.
pub(super) fn flush() {
    if let Some(notes) = STDERR_QUEUE.get() {
        notes.flush(FLUSH_TIMEOUT);
    }
}

/// Sends panic messages through the same queue, so that a panic does not block on stderr.
pub(super) fn log_panics() {
    std::panic::set_hook(Box::new(|panic| log_line(&panic.to_string())));
}

fn stderr_queue() -> &'static StderrQueue {
    STDERR_QUEUE.get_or_init(|| StderrQueue::spawn_writer(io::stderr()))
}

/// Something in the queue.
enum StderrItem {
    Line(String),
    /// Answered once everything before it is written
    Flush(Sender<()>),
}

struct StderrQueue {
    queue: SyncSender<StderrItem>,
    dropped: &'static AtomicU64,
}

impl StderrQueue {
    /// Starts a thread that writes queued lines to `out`.
    fn spawn_writer(out: impl Write + Send + 'static) -> Self {
        let (queue, notes) = sync_channel(MAX_QUEUED_LINES);
        // It is leaked on purpose, because it is needed until the process ends.
        let dropped: &'static AtomicU64 = Box::leak(Box::default());
        std::thread::spawn(move || write_all(out, &notes, dropped));
        Self { queue, dropped }
    }

    fn write(&self, line: String) {
        if self.queue.try_send(StderrItem::Line(line)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn flush(&self, patience: Duration) {
        let (done, wait) = channel();
        if self.queue.try_send(StderrItem::Flush(done)).is_ok() {
            let _ = wait.recv_timeout(patience);
        }
    }
}

fn write_all(mut out: impl Write, notes: &Receiver<StderrItem>, dropped: &AtomicU64) {
    for note in notes {
        // If stderr is closed, there is nowhere to report it.
        let _ = match note {
            StderrItem::Line(line) => out.write_all(line.as_bytes()),
            StderrItem::Flush(done) => {
                let _ = done.send(());
                Ok(())
            }
        };
        match dropped.swap(0, Ordering::Relaxed) {
            0 => {}
            count => {
                let lines = base::words::counted(count, "line");
                let _ = writeln!(out, "cairn: {lines} dropped because stderr was not read");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// A pipe that stays full until it is released, and then passes on what is written.
    struct Slow {
        open: Option<Receiver<()>>,
        written: Sender<String>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if let Some(open) = self.open.take() {
                open.recv().unwrap();
            }
            self.written.send(String::from_utf8_lossy(bytes).into_owned()).unwrap();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nobody_waits_for_a_reader_that_does_not_read() {
        let ((open, opened), (written, lines)) = (channel(), channel());
        let notes = StderrQueue::spawn_writer(Slow { open: Some(opened), written });
        for number in 0..2 * MAX_QUEUED_LINES {
            notes.write(format!("{number}\n"));
        }
        notes.flush(Duration::ZERO);
        open.send(()).unwrap();
        let mut told = String::new();
        while !told.contains("dropped") {
            told.push_str(&lines.recv().unwrap());
        }
        assert!(told.starts_with("0\n"), "{told}");
    }
}
