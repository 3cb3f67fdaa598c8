//! Large files, paths that are not regular files, and silent clients: memory is bounded, and every
//! call is answered or refused. The long version is `cargo xtask prove limits`.

#![cfg(target_os = "linux")]

use std::path::Path;

use testkit::limits::{self, LimitAmounts, Obstacle};

#[test]
fn memory_is_bounded_and_every_call_is_answered_whatever_the_repository_holds() {
    let amounts = LimitAmounts {
        file_bytes: 8 << 20,
        places: 1,
        connections: 200,
        paths: 2,
        obstacles: vec![Obstacle::Pipe, Obstacle::DeviceLink],
        seed: 7,
    };
    let report = limits::run(Path::new(env!("CARGO_BIN_EXE_cairn")), &amounts, |_| {});
    assert!(report.failures.is_empty(), "{}", report.failures.join("\n"));
    assert!(report.cases.iter().all(|case| case.calls > 0), "{report:#?}");
}
