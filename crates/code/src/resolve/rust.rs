//! Rust: `mod` declarations, and `use` paths by the modules that files are.

use base::RepoPath;

use super::{Files, folders_above};
use crate::symbols::Imported;

pub(super) fn resolve(files: &Files<'_>, import: &Imported) -> Option<RepoPath> {
    let specifier = import.specifier.as_str();
    if import.kind == "Mod" {
        let own = module_folder(&import.path);
        let is_path = specifier.rsplit_once('.').is_some_and(|(_, ending)| ending == "rs");
        let written = is_path.then(|| format!("{}{specifier}", super::folder_of(&import.path)));
        let plain = [format!("{own}{specifier}.rs"), format!("{own}{specifier}/mod.rs")];
        return files.first(written.into_iter().chain(plain));
    }
    let parts: Vec<&str> = specifier.split("::").filter(|part| !part.is_empty()).collect();
    let (first, rest) = parts.split_first()?;
    let root = crate_root(files, &import.path);
    match *first {
        "crate" => deepest(files, &root.as_deref().map(module_of)?, rest).or_else(|| file(root)),
        "self" => deepest(files, &module_folder(&import.path), rest).or(Some(import.path.clone())),
        "super" => {
            let ups = parts.iter().take_while(|part| **part == "super").count();
            let folder = above(&module_folder(&import.path), ups)?;
            deepest(files, &folder, &parts[ups..]).or_else(|| module_file(files, &folder))
        }
        name => {
            let own = deepest(files, &module_folder(&import.path), &parts);
            own.or_else(|| other_crate(files, name, rest))
        }
    }
}

/// The longest part of a path that is a module with a file of its own.
fn deepest(files: &Files<'_>, folder: &str, parts: &[&str]) -> Option<RepoPath> {
    (1..=parts.len()).rev().find_map(|count| {
        let path = parts[..count].join("/");
        files.first([format!("{folder}{path}.rs"), format!("{folder}{path}/mod.rs")])
    })
}

/// The folder that the modules of a file lie in.
fn module_folder(path: &RepoPath) -> String {
    module_of(&path.to_string())
}

fn module_of(file: &str) -> String {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    match name {
        "mod" | "lib" | "main" | "build" => folder,
        _ => format!("{folder}{name}/"),
    }
}

/// The file whose modules lie in a folder.
fn module_file(files: &Files<'_>, folder: &str) -> Option<RepoPath> {
    let plain = folder.trim_end_matches('/');
    let root = ["lib.rs", "main.rs", "mod.rs"].map(|name| format!("{folder}{name}"));
    files.first([format!("{plain}.rs")].into_iter().chain(root))
}

fn above(folder: &str, ups: usize) -> Option<String> {
    let mut parts: Vec<&str> = folder.trim_end_matches('/').split('/').collect();
    for _ in 0..ups {
        parts.pop()?;
    }
    Some(if parts.is_empty() { String::new() } else { format!("{}/", parts.join("/")) })
}

/// The root file of the crate that a file belongs to: the nearest `Cargo.toml` tells.
fn crate_root(files: &Files<'_>, path: &RepoPath) -> Option<String> {
    let folder = folders_above(path)
        .into_iter()
        .find(|folder| files.first([format!("{folder}Cargo.toml")]).is_some())?;
    let text = path.to_string();
    let inner = text.strip_prefix(&folder)?;
    // Examples, tests and binaries are crates of their own.
    let own = ["examples/", "tests/", "benches/", "src/bin/"].iter().find_map(|kind| {
        let rest = inner.strip_prefix(kind)?;
        let main = rest.split_once('/').map(|(name, _)| format!("{folder}{kind}{name}/main.rs"));
        let single = format!("{folder}{kind}{}", rest.split('/').next().unwrap_or(rest));
        files.first(main.into_iter().chain([single]))
    });
    let roots =
        ["src/lib.rs", "src/main.rs", "lib.rs", "main.rs"].map(|name| format!("{folder}{name}"));
    own.or_else(|| files.first(roots)).map(|path| path.to_string())
}

/// Another crate of the same workspace: its manifest has that name, or its folder.
fn other_crate(files: &Files<'_>, name: &str, rest: &[&str]) -> Option<RepoPath> {
    let dashed = name.replace('_', "-");
    let is_named = |folder: &str| folder == name || folder == dashed;
    let by_folder = || {
        files.all.iter().find(|path| {
            path.name() == "Cargo.toml"
                && path.parent().is_some_and(|folder| is_named(&folder.name()))
        })
    };
    let manifest = files.packages.get(name).or_else(by_folder)?;
    let folder = super::folder_of(manifest);
    let source = format!("{folder}src/");
    let roots = [format!("{source}lib.rs"), format!("{source}main.rs"), format!("{folder}lib.rs")];
    deepest(files, &source, rest).or_else(|| files.first(roots))
}

fn file(path: Option<String>) -> Option<RepoPath> {
    path.and_then(|path| path.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::super::tests::target;

    const FILES: [&str; 9] = [
        "Cargo.toml",
        "crates/base/Cargo.toml",
        "crates/base/src/lib.rs",
        "crates/base/src/path.rs",
        "crates/my-engine/Cargo.toml",
        "crates/my-engine/src/lib.rs",
        "crates/my-engine/src/ops/mod.rs",
        "crates/my-engine/src/ops/zoom.rs",
        "crates/my-engine/src/view.rs",
    ];

    #[test]
    fn modules_and_crates_find_their_files() {
        let to = |from: &str, kind: &str, specifier: &str| {
            let from = format!("crates/my-engine/src/{from}");
            target(&FILES, &from, (kind, specifier, 0, &[]))
                .map(|path| path.replace("crates/my-engine/src/", ""))
        };
        let is = |found: Option<String>, wanted: &str| assert_eq!(found.as_deref(), Some(wanted));
        is(to("lib.rs", "Mod", "ops"), "ops/mod.rs");
        is(to("ops/mod.rs", "Mod", "zoom"), "ops/zoom.rs");
        is(to("ops/zoom.rs", "Use", "crate::view::View"), "view.rs");
        is(to("ops/zoom.rs", "Use", "crate::Thing"), "lib.rs");
        is(to("ops/zoom.rs", "Use", "super::find"), "ops/mod.rs");
        is(to("ops/mod.rs", "Use", "self::zoom::Zoom"), "ops/zoom.rs");
        is(to("ops/mod.rs", "Use", "zoom::Zoom"), "ops/zoom.rs");
        is(to("view.rs", "Use", "super::ops::zoom"), "ops/zoom.rs");
        is(to("view.rs", "Use", "base::path::RepoPath"), "crates/base/src/path.rs");
        is(to("view.rs", "Use", "base::RepoPath"), "crates/base/src/lib.rs");
        assert_eq!(to("view.rs", "Use", "std::fs::File"), None);
        let named =
            target(&FILES, "crates/base/src/path.rs", ("Use", "grep_searcher::ops::find", 0, &[]));
        assert_eq!(named.as_deref(), Some("crates/my-engine/src/ops/mod.rs"));
        let from_base = target(
            &FILES,
            "crates/base/src/path.rs",
            ("Use", "my_engine::ops::zoom::Zoom", 0, &[]),
        );
        assert_eq!(from_base.as_deref(), Some("crates/my-engine/src/ops/zoom.rs"));
    }
}
