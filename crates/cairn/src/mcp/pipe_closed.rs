//! Noticing that a client closed its end of a pipe, without reading or writing.

/// Ready when the writing end of stdin was closed, even while there is something left to read. On
/// systems where that cannot be detected it is never ready.
#[cfg(unix)]
pub(super) async fn stdin() {
    use std::os::fd::AsFd;
    use tokio::io::Interest;
    let fd = std::io::stdin().as_fd().try_clone_to_owned();
    wait_closed(fd, Interest::READABLE).await;
}

/// Ready when the reading end of stdout was closed.
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
    // A regular file cannot be watched and is never closed by a client.
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

/// Never ready, because this system cannot detect that stdin was closed.
#[cfg(not(unix))]
pub(super) async fn stdin() {
    std::future::pending().await
}

/// Never ready, because this system cannot detect that stdout was closed.
#[cfg(not(unix))]
pub(super) async fn stdout() {
    std::future::pending().await
}
