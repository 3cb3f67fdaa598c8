//! `Cargo.toml`.

use toml_edit::{Item, TableLike};

use super::toml;
use crate::model::{CargoDependency, CargoManifest};

const DEPENDENCIES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

const TARGETS: [&str; 4] = ["bin", "test", "example", "bench"];

/// Keys that turn off target auto-discovery, with the folder each is about.
const AUTO_DISCOVERY_KEYS: [(&str, &str); 4] = [
    ("autobins", "src/bin/"),
    ("autotests", "tests/"),
    ("autoexamples", "examples/"),
    ("autobenches", "benches/"),
];

pub(super) fn read(text: &str) -> Option<CargoManifest> {
    toml::with_table(text, |root| {
        let package = toml::table_at(root, &["package"]);
        let lib = toml::table_at(root, &["lib"]);
        let targets = TARGETS.iter().flat_map(|kind| toml::tables(root.get(kind)));
        let build = package.and_then(|package| toml::text(package, "build"));
        CargoManifest {
            name: package.and_then(|package| toml::text(package, "name")),
            lib_name: lib.and_then(|lib| toml::text(lib, "name")),
            lib_path: lib.and_then(|lib| toml::text(lib, "path")),
            targets: targets.filter_map(|target| toml::text(target, "path")).chain(build).collect(),
            named_only: package.map(folders_without_auto_discovery).unwrap_or_default(),
            is_published: package.is_some_and(|package| is_published(package, root)),
            dependencies: all_dependencies(root),
            inherited: dependencies(toml::table_at(root, &["workspace", "dependencies"])),
            is_workspace: root.get("workspace").is_some(),
        }
    })
}

fn folders_without_auto_discovery(package: &dyn TableLike) -> Vec<String> {
    let is_off = |key| package.get(key).and_then(Item::as_bool) == Some(false);
    let off = AUTO_DISCOVERY_KEYS.iter().filter(|(key, _)| is_off(key));
    off.map(|(_, folder)| (*folder).to_owned()).collect()
}

fn is_published(package: &dyn TableLike, root: &dyn TableLike) -> bool {
    let says_no = |item: &Item| {
        item.as_bool() == Some(false) || item.as_array().is_some_and(toml_edit::Array::is_empty)
    };
    let Some(publish) = package.get("publish") else { return true };
    let inherits = publish.as_table_like().is_some_and(|table| table.contains_key("workspace"));
    let inherited = || toml::item_at(root, &["workspace", "package", "publish"]);
    // If the workspace is in another manifest, which is not read here, a package that inherits
    // `publish` counts as not published: workspaces that set `publish` nearly always turn it off.
    if inherits { inherited().is_some_and(|item| !says_no(item)) } else { !says_no(publish) }
}

fn all_dependencies(root: &dyn TableLike) -> Vec<CargoDependency> {
    let own = DEPENDENCIES.iter().filter_map(|kind| toml::table_at(root, &[kind]));
    let targets = toml::table_at(root, &["target"]).into_iter().flat_map(TableLike::iter);
    let by_target = targets.filter_map(|(_, item)| item.as_table_like()).flat_map(|target| {
        DEPENDENCIES.iter().filter_map(move |kind| toml::table_at(target, &[kind]))
    });
    own.chain(by_target).flat_map(|table| dependencies(Some(table))).collect()
}

fn dependencies(table: Option<&dyn TableLike>) -> Vec<CargoDependency> {
    table.into_iter().flat_map(TableLike::iter).map(|(key, item)| dependency(key, item)).collect()
}

fn dependency(key: &str, item: &Item) -> CargoDependency {
    let table = item.as_table_like();
    CargoDependency {
        key: key.to_owned(),
        package: table.and_then(|table| toml::text(table, "package")),
        path: table.and_then(|table| toml::text(table, "path")),
        is_inherited: table.is_some_and(|table| {
            table.get("workspace").and_then(Item::as_bool).unwrap_or_default()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_names_itself_and_what_it_needs() {
        let text = "[package]\nname = \"a-b\"\npublish = false\nautotests = false\nautobins = true\n[lib]\nname='c'\n[[bin]]\nname='x'\npath='x.rs'\n
[dependencies]\nd = { path = '../d', package = 'e' }\nf.workspace = true\ng = '1'\n
[target.'cfg(unix)'.dev-dependencies]\nh = { path = 'h' }\n";
        let found = read(text).unwrap();
        assert_eq!((found.name.as_deref(), found.lib_name.as_deref()), (Some("a-b"), Some("c")));
        assert!(!found.is_published && !found.is_workspace);
        assert_eq!(found.targets, ["x.rs"]);
        assert_eq!(found.named_only, ["tests/"]);
        let keys: Vec<_> =
            found.dependencies.iter().map(|d| (d.key.as_str(), d.is_inherited)).collect();
        assert_eq!(keys, [("d", false), ("f", true), ("g", false), ("h", false)]);
        assert_eq!(found.dependencies[0].package.as_deref(), Some("e"));
        let root =
            read("[workspace]\nmembers = []\n[workspace.dependencies]\nf = { path = 'f' }\n");
        assert_eq!(root.unwrap().inherited[0].path.as_deref(), Some("f"));
        assert_eq!(read("name = "), None);
    }
}
