//! Finds a program: in the project, or where the user installed it.

use std::path::{Component, Path, PathBuf};

use crate::host::ToolHost;

/// Who put a program there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramOrigin {
    /// The user, in a folder of `PATH` outside the project
    Path,
    /// The project: it is project code, and starts only where the user trusts the repository
    Project,
}

/// A program file that exists. Only a [probe](crate::probe) shows whether it works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramFile {
    /// The program file, absolute if the project's root is
    pub path: PathBuf,
    /// Who put it there
    pub origin: ProgramOrigin,
}

/// Looks for a program by its bare name: in `node_modules/.bin`, then in a virtual environment of
/// the project, then on `PATH`.
pub fn find_program(program: &str, host: &ToolHost) -> Option<ProgramFile> {
    if !is_bare(program) {
        return None;
    }
    let local = platform::PROJECT_FOLDERS.iter().map(|folder| host.project().join(folder));
    let mut folders = local.chain(host.path_folders());
    let path = folders.find_map(|folder| platform::program_in(&folder, program))?;
    let origin =
        if host.is_in_project(&path) { ProgramOrigin::Project } else { ProgramOrigin::Path };
    Some(ProgramFile { path, origin })
}

/// Whether a name has no folder in it. A name with a folder could lead out of the searched folders.
fn is_bare(program: &str) -> bool {
    let mut components = Path::new(program).components();
    let first = components.next();
    matches!(first, Some(Component::Normal(name)) if name == program) && components.next().is_none()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use tempfile::TempDir;

    use super::*;

    /// A project `p` beside a folder `bin`, which is on `PATH` after `p/tools`.
    fn place() -> (TempDir, ToolHost) {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path();
        let path = format!("{0}/p/tools:{0}/bin", root.display());
        let host = ToolHost::new(root.join("p"), [("PATH".into(), path.into())]);
        fs::create_dir_all(root.join("p")).unwrap();
        (temp, host)
    }

    fn write(temp: &TempDir, name: &str, mode: u32) {
        let path = temp.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn found(temp: &TempDir, host: &ToolHost, program: &str) -> Option<(String, ProgramOrigin)> {
        let found = find_program(program, host)?;
        let path = found.path.strip_prefix(temp.path()).unwrap();
        Some((path.display().to_string(), found.origin))
    }

    #[test]
    fn the_project_comes_before_the_path() {
        let (temp, host) = place();
        let places =
            ["bin/a", "p/venv/bin/a", "p/.venv/bin/a", "p/node_modules/.bin/a"].into_iter();
        assert_eq!(found(&temp, &host, "a"), None);
        for (place, origin) in
            places.zip([ProgramOrigin::Path].into_iter().chain([ProgramOrigin::Project; 3]))
        {
            write(&temp, place, 0o755);
            assert_eq!(found(&temp, &host, "a"), Some((place.into(), origin)));
        }
    }

    #[test]
    fn what_the_path_leads_into_the_project_for_is_the_projects() {
        let (temp, host) = place();
        write(&temp, "p/tools/a", 0o755);
        assert_eq!(found(&temp, &host, "a"), Some(("p/tools/a".into(), ProgramOrigin::Project)));
        fs::create_dir(temp.path().join("bin")).unwrap();
        symlink(temp.path().join("p/tools/a"), temp.path().join("bin/b")).unwrap();
        assert_eq!(found(&temp, &host, "b"), Some(("bin/b".into(), ProgramOrigin::Project)));
        symlink("/bin/sh", temp.path().join("p/tools/c")).unwrap();
        assert_eq!(found(&temp, &host, "c"), Some(("p/tools/c".into(), ProgramOrigin::Project)));
    }

    #[test]
    fn only_a_program_is_found() {
        let (temp, host) = place();
        write(&temp, "p/node_modules/.bin/a", 0o644);
        fs::create_dir_all(temp.path().join("p/.venv/bin/a")).unwrap();
        assert_eq!(found(&temp, &host, "a"), None);
        write(&temp, "bin/a", 0o755);
        assert_eq!(found(&temp, &host, "a"), Some(("bin/a".into(), ProgramOrigin::Path)));
    }

    #[test]
    fn only_a_bare_name_is_looked_for() {
        let (temp, host) = place();
        write(&temp, "p/node_modules/.bin/a", 0o755);
        write(&temp, "bin/b", 0o755);
        for name in ["", ".", "..", "./a", "a/", "../.bin/a", "../../../bin/b", "/bin/sh"] {
            assert_eq!(find_program(name, &host), None, "{name}");
        }
    }
}
