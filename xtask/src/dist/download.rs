//! The archives, the Homebrew formula, and the checksums of all files.

use std::fs;

use sha2::{Digest, Sha256};

use super::archive::{self, ArchivedFile};
use super::release::{PlatformBuild, Release, failure};
use super::table::{DESCRIPTION, LICENCE_FILES, LICENSE, PROGRAM};
use crate::run::XtaskResult;

/// An archive that was written.
struct WrittenArchive<'r> {
    build: &'r PlatformBuild,
    name: String,
    /// Its SHA-256, in hexadecimal digits
    hash: String,
}

/// Writes the archives, then the formula with their checksums.
pub(super) fn write(release: &Release) -> XtaskResult<()> {
    let mut archives = Vec::new();
    for build in &release.builds {
        let name = archive_name(release, build);
        let files = archived_files(release, build)?;
        let bytes = match build.platform.os {
            "win32" => archive::zip(&files)?,
            _ => archive::tar_gz(&files)?,
        };
        release.write(&format!("release/{name}"), &bytes)?;
        archives.push(WrittenArchive { build, name, hash: hex::encode(Sha256::digest(&bytes)) });
    }
    release.write("homebrew/cairn.rb", formula(release, &archives))
}

/// `SHA256SUMS` of every file that a release offers, in the format of `sha256sum --check`.
pub(super) fn write_checksums(release: &Release) -> XtaskResult<()> {
    let folder = release.out.join("release");
    let entries = fs::read_dir(&folder).map_err(failure("list", &folder))?;
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    let mut lines = Vec::new();
    for name in names {
        let path = folder.join(&name);
        let bytes = fs::read(&path).map_err(failure("read", &path))?;
        let hash = hex::encode(Sha256::digest(&bytes));
        lines.push(format!("{hash}  {}\n", name.display()));
    }
    release.write("release/SHA256SUMS", lines.concat())
}

/// The name of an archive, which `cargo binstall` finds by the same pattern.
fn archive_name(release: &Release, build: &PlatformBuild) -> String {
    let kind = if build.platform.os == "win32" { "zip" } else { "tar.gz" };
    format!("{PROGRAM}-{}-{}.{kind}", release.version, build.platform.target)
}

fn archived_files(release: &Release, build: &PlatformBuild) -> XtaskResult<Vec<ArchivedFile>> {
    let folder = format!("{PROGRAM}-{}-{}", release.version, build.platform.target);
    let inside = |name: &str| format!("{folder}/{name}");
    let mut files =
        vec![ArchivedFile::program(inside(&build.platform.program_file()), build.program.clone())];
    for name in LICENCE_FILES {
        let from = release.root.join(name);
        let text = fs::read(&from).map_err(failure("read", &from))?;
        files.push(ArchivedFile::text(inside(name), text));
    }
    let notices = release.out.join(super::licences::THIRD_PARTY_FILE);
    let text = fs::read(&notices).map_err(failure("read", &notices))?;
    files.push(ArchivedFile::text(inside(super::licences::THIRD_PARTY_FILE), text));
    files.push(ArchivedFile::text(inside("README.md"), release.template("README.md")?));
    Ok(files)
}

/// The formula; a platform that was not built is not in it.
fn formula(release: &Release, archives: &[WrittenArchive<'_>]) -> String {
    let mut blocks = Vec::new();
    for os in ["on_macos", "on_linux"] {
        let mut inner = Vec::new();
        for WrittenArchive { build, name, hash } in archives {
            let Some(homebrew) = build.platform.homebrew.as_ref().filter(|own| own.os == os) else {
                continue;
            };
            let url = release.download(name);
            inner.push(format!(
                "    {} do\n      url \"{url}\"\n      sha256 \"{hash}\"\n    end\n",
                homebrew.cpu
            ));
        }
        if !inner.is_empty() {
            blocks.push(format!("  {os} do\n{}  end\n\n", inner.concat()));
        }
    }
    let blocks = blocks.concat();
    let licence: Vec<String> = LICENSE.split(" OR ").map(|one| format!("\"{one}\"")).collect();
    format!(
        "class Cairn < Formula\n  desc \"{DESCRIPTION}\"\n  homepage \"{}\"\n  version \"{}\"\n  \
         license any_of: [{}]\n\n{blocks}  def install\n    bin.install \"{PROGRAM}\"\n    \
         generate_completions_from_executable(bin/\"{PROGRAM}\", \"completions\")\n    \
         system bin/\"{PROGRAM}\", \"man\", \"man\"\n    man1.install Dir[\"man/*.1\"]\n  end\n\n  \
         test do\n    assert_match version.to_s, shell_output(\"#{{bin}}/{PROGRAM} --version\")\n  \
         end\nend\n",
        release.repository(),
        release.version,
        licence.join(", "),
    )
}
