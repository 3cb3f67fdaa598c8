//! Python: packages by folders, relative imports by dots.

use base::RepoPath;

use super::{Files, folder_of, folders_above};
use crate::symbols::Imported;

pub(super) fn resolve(files: &Files<'_>, import: &Imported) -> Option<RepoPath> {
    let module = import.specifier.trim_start_matches('.').replace('.', "/");
    if import.level > 0 {
        let up = "../".repeat(usize::from(import.level) - 1);
        let base = format!("{}{up}{module}", folder_of(&import.path));
        return at(files, base.trim_end_matches('/'), import);
    }
    // Where the interpreter would look is not written anywhere; a folder above the file that
    // holds the package is where it was started from, or its `src`.
    let roots = folders_above(&import.path).into_iter().flat_map(|folder| {
        let source = format!("{folder}src/");
        [folder, source]
    });
    roots.into_iter().find_map(|root| at(files, &format!("{root}{module}"), import))
}

/// The module at a path: a submodule that is named, the module itself, or its package.
fn at(files: &Files<'_>, base: &str, import: &Imported) -> Option<RepoPath> {
    let one = match import.names.as_slice() {
        [only] if only.0 != "*" => Some(&only.0),
        _ => None,
    };
    let submodule = one
        .into_iter()
        .flat_map(|name| [format!("{base}/{name}.py"), format!("{base}/{name}/__init__.py")]);
    let module = [".py", ".pyi", "/__init__.py", "/__init__.pyi"].map(|end| format!("{base}{end}"));
    files.first(submodule.chain(module))
}

#[cfg(test)]
mod tests {
    use super::super::tests::target;

    #[test]
    fn packages_and_dots_find_their_files() {
        let files = [
            "app/__init__.py",
            "app/models.py",
            "app/views/__init__.py",
            "app/views/home.py",
            "src/lib/x.py",
        ];
        let to = |from: &str, kind: &str, specifier: &str, level: u8, names: &[&str]| {
            target(&files, from, (kind, specifier, level, names))
        };
        let home = "app/views/home.py";
        assert_eq!(to(home, "From", "models", 2, &["User"]).as_deref(), Some("app/models.py"));
        assert_eq!(to(home, "From", "", 1, &["home"]).as_deref(), Some("app/views/home.py"));
        assert_eq!(to(home, "From", "", 2, &["models"]).as_deref(), Some("app/models.py"));
        assert_eq!(to("main.py", "Import", "app.models", 0, &[]).as_deref(), Some("app/models.py"));
        assert_eq!(
            to("main.py", "From", "app.views", 0, &["home"]).as_deref(),
            Some("app/views/home.py")
        );
        assert_eq!(to("main.py", "Import", "app", 0, &[]).as_deref(), Some("app/__init__.py"));
        assert_eq!(to("main.py", "Import", "lib.x", 0, &[]).as_deref(), Some("src/lib/x.py"));
        assert_eq!(to("main.py", "Import", "os.path", 0, &[]), None);
    }
}
