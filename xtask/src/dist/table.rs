//! The table of a release: what the project is called in each registry, and where it runs.
//!
//! Every package, manifest and workflow is written from these constants and from nothing else.

use serde_json::{Value, json};

/// The name of the program.
pub(super) const PROGRAM: &str = "cairn";

/// The name in registries. `cairn` itself belongs to others on the crate registry, npm and PyPI.
pub(super) const PACKAGE: &str = "cairn-code";

/// What it is, in at most 100 characters: the limit of the MCP registry.
pub(super) const DESCRIPTION: &str = "A repository's memory for coding agents: code graph, specs, history and work, answered locally";

pub(super) const LICENSE: &str = "MIT OR Apache-2.0";

/// The files with their texts, which every package contains.
pub(super) const LICENCE_FILES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

pub(super) const KEYWORDS: [&str; 5] = ["mcp", "agents", "code-graph", "traceability", "lsp"];

/// Placeholder for the owner of the repository if none is given.
pub(super) const UNNAMED_OWNER: &str = "OWNER";

/// Packages whose tests are compiled on Unix only: their test harness creates links, pipes and
/// sockets. On Windows the release workflow tests all others, and the program itself by
/// `packaging/trial/first_minute.sh`.
const TESTED_ON_UNIX: [&str; 5] = ["cairn", "operations", "page", "testkit", "xtask"];

/// One platform that a release is built for.
#[derive(Debug)]
pub(super) struct Platform {
    /// Rust's name of it
    pub target: &'static str,
    /// The runner of the release workflow that builds and tests it
    pub runner: &'static str,
    /// `process.platform` of Node, which MCPB uses as well
    pub os: &'static str,
    /// `process.arch` of Node
    pub cpu: &'static str,
    /// The platform tag of a wheel; on Linux the version of glibc is read from the binary
    pub wheel: WheelPlatform,
    /// The conditions in a Homebrew formula; `None` for a platform without Homebrew
    pub homebrew: Option<HomebrewPlatform>,
}

/// The platform tag of a wheel.
#[derive(Debug)]
pub(super) enum WheelPlatform {
    /// Written as it is
    Fixed(&'static str),
    /// `manylinux_2_X` and this machine, with the glibc that the binary needs
    Manylinux(&'static str),
}

/// The conditions of a platform in a formula.
#[derive(Debug)]
pub(super) struct HomebrewPlatform {
    /// `on_macos` or `on_linux`
    pub os: &'static str,
    /// `on_arm` or `on_intel`
    pub cpu: &'static str,
}

/// Every platform.
pub(super) const PLATFORMS: [Platform; 6] = [
    Platform {
        target: "x86_64-unknown-linux-gnu",
        runner: "ubuntu-22.04",
        os: "linux",
        cpu: "x64",
        wheel: WheelPlatform::Manylinux("x86_64"),
        homebrew: Some(HomebrewPlatform { os: "on_linux", cpu: "on_intel" }),
    },
    Platform {
        target: "aarch64-unknown-linux-gnu",
        runner: "ubuntu-22.04-arm",
        os: "linux",
        cpu: "arm64",
        wheel: WheelPlatform::Manylinux("aarch64"),
        homebrew: Some(HomebrewPlatform { os: "on_linux", cpu: "on_arm" }),
    },
    Platform {
        target: "x86_64-apple-darwin",
        runner: "macos-15-intel",
        os: "darwin",
        cpu: "x64",
        wheel: WheelPlatform::Fixed("macosx_11_0_x86_64"),
        homebrew: Some(HomebrewPlatform { os: "on_macos", cpu: "on_intel" }),
    },
    Platform {
        target: "aarch64-apple-darwin",
        runner: "macos-15",
        os: "darwin",
        cpu: "arm64",
        wheel: WheelPlatform::Fixed("macosx_11_0_arm64"),
        homebrew: Some(HomebrewPlatform { os: "on_macos", cpu: "on_arm" }),
    },
    Platform {
        target: "x86_64-pc-windows-msvc",
        runner: "windows-2022",
        os: "win32",
        cpu: "x64",
        wheel: WheelPlatform::Fixed("win_amd64"),
        homebrew: None,
    },
    Platform {
        target: "aarch64-pc-windows-msvc",
        runner: "windows-11-arm",
        os: "win32",
        cpu: "arm64",
        wheel: WheelPlatform::Fixed("win_arm64"),
        homebrew: None,
    },
];

impl Platform {
    /// The platform that this program was built for.
    pub(super) fn of_this_machine() -> Option<&'static Self> {
        let cpu = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            other => other,
        };
        let os = match std::env::consts::OS {
            "macos" => "darwin",
            "windows" => "win32",
            other => other,
        };
        PLATFORMS.iter().find(|platform| platform.os == os && platform.cpu == cpu)
    }

    /// The file name of the program.
    pub(super) fn program_file(&self) -> String {
        if self.os == "win32" { format!("{PROGRAM}.exe") } else { PROGRAM.into() }
    }

    /// The packages that are tested on it, as arguments of `cargo test`.
    fn tested_packages(&self) -> String {
        let left_out = if self.os == "win32" { &TESTED_ON_UNIX[..] } else { &[] };
        let options = left_out.iter().map(|package| format!(" --exclude {package}"));
        format!("--workspace{}", options.collect::<String>())
    }

    /// The npm package with the program of this platform.
    pub(super) fn npm_package(&self) -> String {
        format!("{PACKAGE}-{}-{}", self.os, self.cpu)
    }
}

/// What the release workflow builds, as the matrix of a GitHub job.
pub(super) fn workflow_matrix() -> Value {
    let row = |platform: &Platform| {
        json!({
            "target": platform.target,
            "runner": platform.runner,
            "program": platform.program_file(),
            "tests": platform.tested_packages(),
        })
    };
    json!({ "include": PLATFORMS.iter().map(row).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn registries_accept_the_names() {
        assert!(DESCRIPTION.len() <= 100, "{}", DESCRIPTION.len());
        for platform in &PLATFORMS {
            assert!(platform.npm_package().len() <= 214);
        }
        assert!(KEYWORDS.len() <= 5, "the crate registry takes five");
    }

    #[test]
    fn what_needs_the_harness_is_not_compiled_on_windows() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("crates");
        for folder in fs::read_dir(crates).unwrap().flatten() {
            let name = folder.file_name().into_string().unwrap();
            let manifest = fs::read_to_string(folder.path().join("Cargo.toml")).unwrap_or_default();
            let needs_harness = manifest.lines().any(|line| line.starts_with("testkit"));
            assert!(!needs_harness || TESTED_ON_UNIX.contains(&name.as_str()), "{name}");
        }
    }
}
