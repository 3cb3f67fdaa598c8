//! One release: its version, its owner, and the programs that were built for it.

use std::fs;
use std::path::{Path, PathBuf};

use super::table::{LICENCE_FILES, PROGRAM, Platform, WheelPlatform};
use crate::run::XtaskResult;

/// The input from which all packages of a release are written.
#[derive(Debug)]
pub(super) struct Release {
    /// The root of this repository
    pub root: PathBuf,
    /// The folder that everything is written into
    pub out: PathBuf,
    /// The version, from the manifest of the workspace
    pub version: String,
    /// The owner of the repository, as its address names it
    pub owner: String,
    /// The programs, one for each platform that was built
    pub builds: Vec<PlatformBuild>,
}

/// The program of one platform.
#[derive(Debug)]
pub(super) struct PlatformBuild {
    /// The platform
    pub platform: &'static Platform,
    /// The bytes of the program
    pub program: Vec<u8>,
}

impl Release {
    /// The address of the repository.
    pub(super) fn repository(&self) -> String {
        format!("https://github.com/{}/{PROGRAM}", self.owner)
    }

    /// The name in the MCP registry.
    pub(super) fn registry_name(&self) -> String {
        format!("io.github.{}/{PROGRAM}", self.owner)
    }

    /// Where a file of this release can be downloaded.
    pub(super) fn download(&self, file: &str) -> String {
        format!("{}/releases/download/v{}/{file}", self.repository(), self.version)
    }

    /// A text from `packaging`, with the names of this release in it.
    pub(super) fn template(&self, path: &str) -> XtaskResult<String> {
        let path = self.root.join("packaging").join(path);
        let text = fs::read_to_string(&path).map_err(failure("read", &path))?;
        Ok(self.fill(&text))
    }

    /// Replaces `@NAME@` in a template.
    pub(super) fn fill(&self, template: &str) -> String {
        let values = [
            ("@VERSION@", self.version.as_str()),
            ("@OWNER@", &self.owner),
            ("@REPOSITORY@", &self.repository()),
            ("@REGISTRY_NAME@", &self.registry_name()),
            ("@PACKAGE@", super::table::PACKAGE),
            ("@DESCRIPTION@", super::table::DESCRIPTION),
            ("@LICENSE@", super::table::LICENSE),
        ];
        values.iter().fold(template.to_owned(), |text, (key, value)| text.replace(key, value))
    }

    /// Writes a file of the release and its folders.
    pub(super) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> XtaskResult<()> {
        write_file(&self.out.join(path), bytes.as_ref())
    }

    /// Writes a JSON file of the release.
    pub(super) fn write_json(&self, path: &str, value: &serde_json::Value) -> XtaskResult<()> {
        let text = serde_json::to_string_pretty(value).map_err(|error| error.to_string())?;
        self.write(path, format!("{text}\n"))
    }

    /// Copies the texts of the licences into a folder of the release.
    pub(super) fn copy_licences(&self, folder: &str) -> XtaskResult<()> {
        LICENCE_FILES.iter().try_for_each(|name| self.copy(name, &format!("{folder}/{name}")))
    }

    /// Copies a file of the repository into the release.
    pub(super) fn copy(&self, from: &str, to: &str) -> XtaskResult<()> {
        let from = self.root.join(from);
        self.write(to, fs::read(&from).map_err(failure("read", &from))?)
    }
}

impl PlatformBuild {
    /// The platform tag of the wheel with this program.
    pub(super) fn wheel_tag(&self) -> String {
        match self.platform.wheel {
            WheelPlatform::Fixed(tag) => tag.into(),
            WheelPlatform::Manylinux(machine) => {
                format!("manylinux_2_{}_{machine}", newest_glibc(&self.program))
            }
        }
    }
}

/// The newest minor version of glibc 2 that a program needs, from the version names of its symbols;
/// at least 17, the oldest that a wheel can name.
fn newest_glibc(program: &[u8]) -> u32 {
    const NAME: &[u8] = b"GLIBC_2.";
    let minor = |at: usize| {
        let digits = program[at + NAME.len()..].iter().take_while(|byte| byte.is_ascii_digit());
        let digits: String = digits.take(3).map(|byte| char::from(*byte)).collect();
        digits.parse::<u32>().ok()
    };
    let places = program.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME);
    places.filter_map(|(at, _)| minor(at)).max().unwrap_or(17).max(17)
}

/// Writes a file and the folders above it.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> XtaskResult<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failure("create", folder))?;
    }
    fs::write(path, bytes).map_err(failure("write", path))
}

/// Makes a file executable, on systems that have such a permission.
pub(super) fn make_executable(path: &Path) -> XtaskResult<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(path, mode).map_err(failure("make executable", path))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

pub(super) fn failure(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> String {
    let path = path.display().to_string();
    move |error| format!("cannot {what} {path}: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_glibc_is_read_from_the_program() {
        assert_eq!(newest_glibc(b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0"), 34);
        assert_eq!(newest_glibc(b"no such name"), 17);
        assert_eq!(newest_glibc(b"GLIBC_2."), 17);
    }
}
