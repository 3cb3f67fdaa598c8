//! Crates: their root files, and the crate that a name means.

use base::RepoPath;
use syntax::{CargoDependency, CargoManifest, Manifest};

use crate::resolve::{
    ResolutionContext, ancestor_folders, folder_prefix, normalised_below, path_prefix,
};

/// Folders in which every file, and every folder with a `main.rs`, is a crate.
const TARGET_FOLDERS: [&str; 4] = ["src/bin/", "tests/", "examples/", "benches/"];

/// Whether a file is the root of a crate.
pub(super) fn is_root(context: &ResolutionContext<'_>, file: &RepoPath) -> bool {
    *context.memoise("rust root", file, "", || {
        let Some((manifest, said)) = manifest_of(context, file) else {
            return matches!(file.name().as_str(), "lib.rs" | "main.rs");
        };
        let (home, text) = (folder_prefix(&manifest), file.to_string());
        let Some(inner) = text.strip_prefix(&home) else { return false };
        let is_named = |path: &String| normalised_below(&home, path).as_ref() == Some(file);
        if said.lib_path.iter().chain(&said.targets).any(is_named) {
            return true;
        }
        if matches!(inner, "src/lib.rs" | "src/main.rs" | "build.rs") {
            return true;
        }
        let is_automatic = |kind: &&&str| !said.named_only.iter().any(|folder| folder == **kind);
        TARGET_FOLDERS.iter().filter(is_automatic).any(|kind| match inner.strip_prefix(kind) {
            Some(rest) if !rest.contains('/') => true,
            Some(rest) => rest.ends_with("/main.rs") && rest.matches('/').count() == 1,
            None => false,
        })
    })
}

/// The manifest of the package that a file belongs to.
pub(super) fn manifest_of(
    context: &ResolutionContext<'_>,
    file: &RepoPath,
) -> Option<(RepoPath, CargoManifest)> {
    let folder = file.parent().unwrap_or(RepoPath::ROOT);
    let found = context.memoise("cargo manifest", &folder, "", || {
        let all =
            ancestor_folders(file).map(|folder| format!("{}Cargo.toml", path_prefix(&folder)));
        let path = context.first_existing(all)?;
        let manifest = cargo_manifest(context, &path)?;
        Some((path, manifest))
    });
    (*found).clone()
}

fn cargo_manifest(context: &ResolutionContext<'_>, path: &RepoPath) -> Option<CargoManifest> {
    match context.manifest(path).as_deref() {
        Some(Manifest::Cargo(manifest)) => Some((**manifest).clone()),
        _ => None,
    }
}

/// The root of the library that a name means in a file.
pub(super) fn library_root(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    name: &str,
) -> Option<RepoPath> {
    let folder = from.parent().unwrap_or(RepoPath::ROOT);
    (*context.memoise("rust crate", &folder, name, || find(context, from, name))).clone()
}

fn find(context: &ResolutionContext<'_>, from: &RepoPath, name: &str) -> Option<RepoPath> {
    let Some((path, own)) = manifest_of(context, from) else {
        return library_by_name(context, name);
    };
    if lib_name(&own).as_deref() == Some(name) {
        return library_root_of(context, &path, &own);
    }
    let known =
        own.dependencies.iter().find(|dependency| crate_identifier(&dependency.key) == name);
    if let Some(dependency) = known {
        let (manifest, said) = local_dependency_manifest(context, &path, dependency)?;
        return library_root_of(context, &manifest, &said);
    }
    // A library may have another name than its package.
    own.dependencies.iter().find_map(|dependency| {
        let (manifest, said) = local_dependency_manifest(context, &path, dependency)?;
        let is_it = dependency.package.is_none() && lib_name(&said).as_deref() == Some(name);
        is_it.then(|| library_root_of(context, &manifest, &said))?
    })
}

/// The manifest of a dependency, if it is in a folder of this repository.
fn local_dependency_manifest(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    dependency: &CargoDependency,
) -> Option<(RepoPath, CargoManifest)> {
    let (home, path) = match (&dependency.path, dependency.is_inherited) {
        (Some(path), _) => (folder_prefix(from), path.clone()),
        (None, true) => {
            let (root, said) = workspace_of(context, from)?;
            let entry = said.inherited.iter().find(|entry| entry.key == dependency.key)?;
            (folder_prefix(&root), entry.path.clone()?)
        }
        (None, false) => return None,
    };
    let manifest =
        normalised_below(&home, &format!("{path}/Cargo.toml")).filter(|path| context.has(path))?;
    let said = cargo_manifest(context, &manifest)?;
    Some((manifest, said))
}

/// The root of the workspace that a manifest is in.
fn workspace_of(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
) -> Option<(RepoPath, CargoManifest)> {
    let folder = from.parent().unwrap_or(RepoPath::ROOT);
    let found = context.memoise("cargo workspace", &folder, "", || {
        ancestor_folders(from).find_map(|folder| {
            let path = context.first_existing([format!("{}Cargo.toml", path_prefix(&folder))])?;
            let said = cargo_manifest(context, &path).filter(|said| said.is_workspace)?;
            Some((path, said))
        })
    });
    (*found).clone()
}

/// The only package of that name, if no manifest declares a dependency.
fn library_by_name(context: &ResolutionContext<'_>, name: &str) -> Option<RepoPath> {
    let found = context.packages(&format!("cargo:{name}"));
    let manifest = found.first()?;
    library_root_of(context, manifest, &cargo_manifest(context, manifest)?)
}

pub(super) fn library_root_of(
    context: &ResolutionContext<'_>,
    manifest: &RepoPath,
    said: &CargoManifest,
) -> Option<RepoPath> {
    let path = said.lib_path.as_deref().unwrap_or("src/lib.rs");
    normalised_below(&folder_prefix(manifest), path).filter(|path| context.has(path))
}

/// The name of the library of a package in code.
fn lib_name(manifest: &CargoManifest) -> Option<String> {
    manifest.lib_name.as_ref().or(manifest.name.as_ref()).map(|name| crate_identifier(name))
}

fn crate_identifier(name: &str) -> String {
    name.replace('-', "_")
}
