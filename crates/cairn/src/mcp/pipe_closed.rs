//! Noticing that a client closed its end of a pipe, without reading or writing.

/// Ready when whoever writes to stdin has closed it, also while there is something left to read.
/// Where that cannot be known it is never ready.
#[cfg(unix)]
pub(super) async fn stdin() {
    use std::os::fd::AsFd;
    use tokio::io::Interest;
    let fd = std::io::stdin().as_fd().try_clone_to_owned();
    wait_closed(fd, Interest::READABLE).await;
}

/// Ready when whoever reads from stdout has closed it.
#[cfg(unix)]
pub(super) async fn stdout() {
    use std::os::fd::AsFd;
    use tokio::io::Interest;
    let fd = std::io::stdout().as_fd().try_clone_to_owned();
    wait_closed(fd, Interest::WRITABLE).await;
}

#[cfg(unix)]
async fn wait_closed(fd: std::io::Result<std::os::fd::OwnedFd>, interest: tokio::io::Interest) {
    use tokio::io::unix::AsyncFd;
    #[expect(
        deprecated,
        reason = "its successor is unsafe; an `OwnedFd` stays the same descriptor"
    )]
    let watch = |fd| AsyncFd::with_interest(fd, interest);
    // A file cannot be watched, and nobody closes it either.
    let Ok(watched) = fd.and_then(watch) else { return std::future::pending().await };
    loop {
        let Ok(mut guard) = watched.ready(interest).await else {
            return std::future::pending().await;
        };
        let ready = guard.ready();
        if ready.is_read_closed() || ready.is_write_closed() {
            return;
        }
        guard.clear_ready();
    }
}

/// Ready when whoever writes to stdin has closed it: never, where that cannot be known.
#[cfg(not(unix))]
pub(super) async fn stdin() {
    std::future::pending().await
}

/// Ready when whoever reads from stdout has closed it: never, where that cannot be known.
#[cfg(not(unix))]
pub(super) async fn stdout() {
    std::future::pending().await
}
