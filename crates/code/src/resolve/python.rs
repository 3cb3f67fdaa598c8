//! Python: packages by folders, relative imports by dots.

use base::RepoPath;
use syntax::Manifest;

use super::{ResolutionContext, ancestor_folders, folder_prefix, path_prefix};
use crate::outline::ImportRequest;

/// The file names of a module. A package takes precedence over a module of the same name, as in
/// Python itself.
const MODULE_FILE_SUFFIXES: [&str; 4] = ["/__init__.py", ".py", "/__init__.pyi", ".pyi"];

pub(super) fn target(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    asked: &ImportRequest,
) -> Option<RepoPath> {
    let at = |base: &String| {
        context.first_existing(MODULE_FILE_SUFFIXES.map(|form| format!("{base}{form}")))
    };
    candidate_paths(context, from, asked).iter().find_map(at)
}

/// The file of a module in a namespace package, which is a folder without `__init__.py`.
pub(super) fn namespace_submodule(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    asked: &ImportRequest,
    name: &str,
) -> Option<RepoPath> {
    let at = |base: &String| {
        context.first_existing(MODULE_FILE_SUFFIXES.map(|form| format!("{base}/{name}{form}")))
    };
    candidate_paths(context, from, asked).iter().find_map(at)
}

/// The paths that a module may have, without file extension.
fn candidate_paths(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    asked: &ImportRequest,
) -> Vec<String> {
    let module = asked.specifier.trim_start_matches('.').replace('.', "/");
    if asked.level > 0 {
        let up = "../".repeat(usize::from(asked.level) - 1);
        let base = format!("{}{up}{module}", folder_prefix(from));
        return vec![base.trim_end_matches('/').to_owned()];
    }
    if module.is_empty() {
        return Vec::new();
    }
    let folder = from.parent().unwrap_or(RepoPath::ROOT);
    let roots = context.memoise("python roots", &folder, "", || import_roots(context, from));
    roots.iter().map(|root| format!("{root}{module}")).collect()
}

/// The file of a submodule of a package.
pub(super) fn submodule(
    context: &ResolutionContext<'_>,
    package: &RepoPath,
    name: &str,
) -> Option<RepoPath> {
    let is_package = package.name().starts_with("__init__.");
    let folder = is_package.then(|| folder_prefix(package))?;
    context.first_existing(MODULE_FILE_SUFFIXES.map(|form| format!("{folder}{name}{form}")))
}

/// The folders that top-level packages may be in: those that the project declares, then the folders
/// above that are no packages themselves, each also with `src`. No file says in which folder Python
/// is started.
fn import_roots(context: &ResolutionContext<'_>, from: &RepoPath) -> Vec<String> {
    let mut roots = Vec::new();
    let mut add = |root: String| {
        if !roots.contains(&root) {
            roots.push(root);
        }
    };
    for folder in ancestor_folders(from) {
        let prefix = path_prefix(&folder);
        if context
            .first_existing(["py", "pyi"].map(|end| format!("{prefix}__init__.{end}")))
            .is_some()
        {
            continue;
        }
        for named in project_roots(context, &prefix) {
            add(named);
        }
        add(prefix.clone());
        add(format!("{prefix}src/"));
    }
    roots
}

/// The package folders that a project in this folder declares.
fn project_roots(context: &ResolutionContext<'_>, folder: &str) -> Vec<String> {
    let manifests = ["pyproject.toml", "setup.cfg"].map(|name| format!("{folder}{name}"));
    let Some(manifest) = context.first_existing(manifests) else { return Vec::new() };
    let said = context.manifest(&manifest);
    let Some(Manifest::Python(project)) = said.as_deref() else { return Vec::new() };
    let each = project.roots.iter().filter_map(|root| super::normalised_below(folder, root));
    each.map(|root| path_prefix(&root)).collect()
}

#[cfg(test)]
mod tests {
    use crate::resolve::tests::Fixture;

    #[test]
    fn packages_and_dots_find_their_files() {
        let fixture = Fixture::new(
            "//- pyproject.toml
[tool.setuptools.packages.find]
where = ['code']
//- app/__init__.py
from .models import User
from . import views
//- app/models.py
class User: ...
//- app/logging.py
//- app/views/__init__.py
//- app/views/home.py
from ..models import User
from . import home
from .. import models, User
import logging
//- app/views/home2.py
from app import User, views
import app.models
app.models.User()
from app.views import home
home.x
//- code/inner/mod.py
def f(): ...
//- main.py
import app
import lib.x
import os.path
from space import one, two
from inner.mod import f
from app import *
//- src/lib/x.py
//- space/one.py
//- space/two.py
",
        );
        assert_eq!(
            fixture.targets("app/views/home.py"),
            ["app/models.py", "app/views/home.py", "app/__init__.py", "-"]
        );
        assert_eq!(
            fixture.taken("app/views/home.py"),
            [
                "1 app/models.py#User",
                "3 app/models.py#* through app/__init__.py",
                "3 app/models.py#User through app/__init__.py"
            ]
        );
        let main = [
            "app/__init__.py",
            "src/lib/x.py",
            "-",
            "space/one.py",
            "code/inner/mod.py",
            "app/__init__.py",
        ];
        assert_eq!(fixture.targets("main.py"), main);
        assert_eq!(
            fixture.taken("main.py"),
            [
                "1 app/__init__.py#*",
                "2 src/lib/x.py#*",
                "4 space/one.py#*",
                "4 space/two.py#* through space/one.py",
                "5 code/inner/mod.py#f",
                "6 app/__init__.py#*",
            ]
        );
    }
}
