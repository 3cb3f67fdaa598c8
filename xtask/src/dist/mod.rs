//! `cargo xtask dist`: everything that a release needs, written from one table.
//!
//! Each file here writes one kind of package. `table.rs` has all names and platforms, and
//! `packaging` the texts that are too long for code.

mod archive;
mod bundle;
mod check;
mod crates;
mod dependencies;
mod download;
mod licences;
mod npm;
mod plugin;
mod release;
mod sbom;
mod table;
mod trial;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

use release::{PlatformBuild, Release, failure};
use table::{PLATFORMS, PROGRAM, Platform, UNNAMED_OWNER};

use crate::run::{self, XtaskResult};

/// The options of the command.
#[derive(Debug, Default)]
struct DistOptions {
    /// The owner of the repository
    owner: Option<String>,
    /// A folder with one folder for each platform, which has the program in it
    binaries: Option<PathBuf>,
    /// A program that was built for this machine
    binary: Option<PathBuf>,
    /// Whether the validators are asked afterwards
    check: bool,
    /// A repository with which every package is tried afterwards
    trial: Option<PathBuf>,
    /// Whether the packages contain a placeholder instead of the program, because only the packages
    /// are checked
    without_build: bool,
}

/// `dist`, `dist --check`, `dist --try REPOSITORY`, `dist matrix`.
pub(crate) fn run(root: &Path, args: &[&str]) -> XtaskResult<()> {
    if args == ["matrix"] {
        run::print(&format!("{}\n", table::workflow_matrix()));
        return Ok(());
    }
    let options = DistOptions::parse(args)?;
    let release = Release {
        root: root.to_path_buf(),
        out: root.join("target/dist"),
        version: workspace_version(root)?,
        owner: options.owner.clone().unwrap_or_else(|| UNNAMED_OWNER.into()),
        builds: options.builds(root)?,
    };
    write(&release)?;
    run::print(&format!("{}\n", release.out.display()));
    if options.check {
        check::check(&release)?;
    }
    options.trial.map_or(Ok(()), |repository| trial::try_packages(&release, &repository))
}

/// Writes everything again. The order matters: packages contain the licences, the formula contains
/// the checksums of archives, and `SHA256SUMS` comes last.
fn write(release: &Release) -> XtaskResult<()> {
    match fs::remove_dir_all(&release.out) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(failure("empty", &release.out)(error));
        }
        _ => {}
    }
    let crates = dependencies::read(&release.root)?;
    licences::write(release, &crates)?;
    sbom::write(release, &crates)?;
    npm::write(release)?;
    wheel::write(release)?;
    bundle::write(release)?;
    plugin::write(release)?;
    download::write(release)?;
    crates::write(release, &crates)?;
    download::write_checksums(release)
}

impl DistOptions {
    fn parse(args: &[&str]) -> XtaskResult<Self> {
        let mut options = Self::default();
        let mut args = args.iter().copied();
        while let Some(arg) = args.next() {
            let mut named = || args.next().ok_or_else(|| format!("{arg} needs a value"));
            match arg {
                "--owner" => options.owner = Some(named()?.into()),
                "--binaries" => options.binaries = Some(named()?.into()),
                "--binary" => options.binary = Some(named()?.into()),
                "--check" => options.check = true,
                "--try" => options.trial = Some(named()?.into()),
                "--without-build" => options.without_build = true,
                other => return Err(format!("`dist` does not take {other}")),
            }
        }
        Ok(options)
    }

    fn builds(&self, root: &Path) -> XtaskResult<Vec<PlatformBuild>> {
        if let Some(folder) = &self.binaries {
            return read_binaries(folder);
        }
        let platform = Platform::of_this_machine().ok_or("no release is made for this machine")?;
        if self.without_build {
            let program = format!("#!/bin/sh\necho {PROGRAM} stands here\n").into_bytes();
            return Ok(vec![PlatformBuild { platform, program }]);
        }
        let path = if let Some(path) = &self.binary {
            path.clone()
        } else {
            let folder = run::build(root, &["-p", PROGRAM, "--release"], "release")?;
            folder.join(platform.program_file())
        };
        let program = fs::read(&path).map_err(failure("read", &path))?;
        Ok(vec![PlatformBuild { platform, program }])
    }
}

/// The programs of all platforms. A release without one of them is not a release.
fn read_binaries(folder: &Path) -> XtaskResult<Vec<PlatformBuild>> {
    let read = |platform: &'static Platform| {
        let path = folder.join(platform.target).join(platform.program_file());
        let program = fs::read(&path).map_err(failure("read", &path))?;
        Ok(PlatformBuild { platform, program })
    };
    PLATFORMS.iter().map(read).collect()
}

fn workspace_version(root: &Path) -> XtaskResult<String> {
    let path = root.join("Cargo.toml");
    let text = fs::read_to_string(&path).map_err(failure("read", &path))?;
    let manifest: toml_edit::DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    let version = manifest["workspace"]["package"]["version"].as_str();
    version.map(str::to_owned).ok_or_else(|| "the workspace has no version".into())
}
