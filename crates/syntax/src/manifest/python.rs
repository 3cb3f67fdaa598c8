//! `pyproject.toml` and `setup.cfg`.

use toml_edit::TableLike;

use super::toml;
use crate::model::PythonProject;

/// Where tools keep the folders that packages are in.
const PACKAGE_ROOT_KEYS: [&[&str]; 8] = [
    &["tool", "setuptools", "packages", "find", "where"],
    &["tool", "setuptools", "package-dir", ""],
    &["tool", "pytest", "ini_options", "pythonpath"],
    &["tool", "pyright", "extraPaths"],
    &["tool", "pdm", "build", "package-dir"],
    &["tool", "maturin", "python-source"],
    &["tool", "ruff", "src"],
    &["tool", "mypy", "mypy_path"],
];

pub(super) fn read(text: &str) -> Option<PythonProject> {
    toml::with_table(text, project).or_else(|| Some(from_setup_cfg(text)))
}

fn project(root: &dyn TableLike) -> PythonProject {
    let mut roots: Vec<String> =
        PACKAGE_ROOT_KEYS.iter().flat_map(|keys| toml::texts(toml::item_at(root, keys))).collect();
    let poetry = toml::item_at(root, &["tool", "poetry", "packages"]);
    roots.extend(toml::tables(poetry).into_iter().filter_map(|table| toml::text(table, "from")));
    let hatch = ["tool", "hatch", "build", "targets", "wheel", "packages"];
    let above = |package: String| package.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    roots.extend(toml::texts(toml::item_at(root, &hatch)).into_iter().filter_map(above));
    PythonProject {
        name: toml::table_at(root, &["project"]).and_then(|project| toml::text(project, "name")),
        roots,
        entries: entry_points(root),
    }
}

/// Programs and plugins, in whatever table.
fn entry_points(root: &dyn TableLike) -> Vec<String> {
    let plain =
        [&["project", "scripts"][..], &["project", "gui-scripts"], &["tool", "poetry", "scripts"]];
    let mut found: Vec<String> =
        plain.iter().filter_map(|keys| toml::table_at(root, keys)).flat_map(values).collect();
    let groups = toml::table_at(root, &["project", "entry-points"]);
    let groups = groups.into_iter().flat_map(TableLike::iter);
    found.extend(groups.filter_map(|(_, item)| item.as_table_like()).flat_map(values));
    found
}

fn values(table: &dyn TableLike) -> Vec<String> {
    table.iter().filter_map(|(_, item)| item.as_str().map(str::to_owned)).collect()
}

/// The few lines of `setup.cfg` that matter.
fn from_setup_cfg(text: &str) -> PythonProject {
    let mut found = PythonProject::default();
    for line in text.lines() {
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim(), value.trim());
        match key {
            "where" | "" if !value.is_empty() => found.roots.push(value.to_owned()),
            "name" if found.name.is_none() => found.name = Some(value.to_owned()),
            _ if line.starts_with([' ', '\t']) && value.contains(':') => {
                found.entries.push(value.to_owned());
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_says_where_its_packages_are() {
        let found = read(
            "[project]\nname = 'a'\n[project.scripts]\na = 'a.cli:main'\n[tool.setuptools.packages.find]\nwhere = ['src']\n[tool.poetry]\npackages = [{include = 'a', from = 'lib'}]\n",
        )
        .unwrap();
        assert_eq!(
            (found.roots, found.entries),
            (vec!["src".into(), "lib".into()], vec!["a.cli:main".into()])
        );
        let cfg = read(
            "[options]\npackage_dir =\n    = src\n[options.entry_points]\nconsole_scripts =\n    a = a.cli:main\n",
        );
        let cfg = cfg.unwrap();
        assert_eq!((cfg.roots, cfg.entries), (vec!["src".into()], vec!["a.cli:main".into()]));
    }
}
