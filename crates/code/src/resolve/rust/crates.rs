//! Crates: which files are their roots, and which crate a name means.

use base::RepoPath;
use syntax::{CargoDependency, CargoManifest, Manifest};

use super::folder;
use crate::resolve::{World, above, as_prefix, below};

/// Folders in which every file, and every folder with a `main.rs`, is a crate.
const TARGETS: [&str; 4] = ["src/bin/", "tests/", "examples/", "benches/"];

/// Whether a file is the root of a crate.
pub(super) fn is_root(world: &World<'_>, file: &RepoPath) -> bool {
    *world.once("rust root", (file, ""), || {
        let Some((manifest, said)) = manifest_of(world, file) else {
            return matches!(file.name().as_str(), "lib.rs" | "main.rs");
        };
        let (home, text) = (folder(&manifest), file.to_string());
        let Some(inner) = text.strip_prefix(&home) else { return false };
        let is_named = |path: &String| below(&home, path).as_ref() == Some(file);
        if said.lib_path.iter().chain(&said.targets).any(is_named) {
            return true;
        }
        if matches!(inner, "src/lib.rs" | "src/main.rs" | "build.rs") {
            return true;
        }
        let is_automatic = |kind: &&&str| !said.named_only.iter().any(|folder| folder == **kind);
        TARGETS.iter().filter(is_automatic).any(|kind| match inner.strip_prefix(kind) {
            Some(rest) if !rest.contains('/') => true,
            Some(rest) => rest.ends_with("/main.rs") && rest.matches('/').count() == 1,
            None => false,
        })
    })
}

/// The manifest of the package that a file belongs to.
pub(super) fn manifest_of(world: &World<'_>, file: &RepoPath) -> Option<(RepoPath, CargoManifest)> {
    let folder = file.parent().unwrap_or(RepoPath::ROOT);
    let found = world.once("cargo manifest", (&folder, ""), || {
        let all = above(file).map(|folder| format!("{}Cargo.toml", as_prefix(&folder)));
        let path = world.first(all)?;
        let manifest = cargo(world, &path)?;
        Some((path, manifest))
    });
    (*found).clone()
}

fn cargo(world: &World<'_>, path: &RepoPath) -> Option<CargoManifest> {
    match world.manifest(path).as_deref() {
        Some(Manifest::Cargo(manifest)) => Some((**manifest).clone()),
        _ => None,
    }
}

/// The root of the library that a name means in a file.
pub(super) fn other(world: &World<'_>, from: &RepoPath, name: &str) -> Option<RepoPath> {
    let folder = from.parent().unwrap_or(RepoPath::ROOT);
    (*world.once("rust crate", (&folder, name), || find(world, from, name))).clone()
}

fn find(world: &World<'_>, from: &RepoPath, name: &str) -> Option<RepoPath> {
    let Some((path, own)) = manifest_of(world, from) else {
        return by_name(world, name);
    };
    if lib_name(&own).as_deref() == Some(name) {
        return library(world, &path, &own);
    }
    let known = own.dependencies.iter().find(|dependency| as_code(&dependency.key) == name);
    if let Some(dependency) = known {
        let (manifest, said) = located(world, &path, dependency)?;
        return library(world, &manifest, &said);
    }
    // A library may have another name than its package.
    own.dependencies.iter().find_map(|dependency| {
        let (manifest, said) = located(world, &path, dependency)?;
        let is_it = dependency.package.is_none() && lib_name(&said).as_deref() == Some(name);
        is_it.then(|| library(world, &manifest, &said))?
    })
}

/// The manifest of a dependency, if it is in a folder of this repository.
fn located(
    world: &World<'_>,
    from: &RepoPath,
    dependency: &CargoDependency,
) -> Option<(RepoPath, CargoManifest)> {
    let (home, path) = match (&dependency.path, dependency.is_inherited) {
        (Some(path), _) => (folder(from), path.clone()),
        (None, true) => {
            let (root, said) = workspace_of(world, from)?;
            let entry = said.inherited.iter().find(|entry| entry.key == dependency.key)?;
            (folder(&root), entry.path.clone()?)
        }
        (None, false) => return None,
    };
    let manifest = below(&home, &format!("{path}/Cargo.toml")).filter(|path| world.has(path))?;
    let said = cargo(world, &manifest)?;
    Some((manifest, said))
}

/// The root of the workspace that a manifest is in.
fn workspace_of(world: &World<'_>, from: &RepoPath) -> Option<(RepoPath, CargoManifest)> {
    let folder = from.parent().unwrap_or(RepoPath::ROOT);
    let found = world.once("cargo workspace", (&folder, ""), || {
        above(from).find_map(|folder| {
            let path = world.first([format!("{}Cargo.toml", as_prefix(&folder))])?;
            let said = cargo(world, &path).filter(|said| said.is_workspace)?;
            Some((path, said))
        })
    });
    (*found).clone()
}

/// Without a manifest that says what is meant, the one package of that name.
fn by_name(world: &World<'_>, name: &str) -> Option<RepoPath> {
    let found = world.packages(&format!("cargo:{name}"));
    let manifest = found.first()?;
    library(world, manifest, &cargo(world, manifest)?)
}

pub(super) fn library(
    world: &World<'_>,
    manifest: &RepoPath,
    said: &CargoManifest,
) -> Option<RepoPath> {
    let path = said.lib_path.as_deref().unwrap_or("src/lib.rs");
    below(&folder(manifest), path).filter(|path| world.has(path))
}

/// The name that code knows a package's library by.
fn lib_name(manifest: &CargoManifest) -> Option<String> {
    manifest.lib_name.as_ref().or(manifest.name.as_ref()).map(|name| as_code(name))
}

fn as_code(name: &str) -> String {
    name.replace('-', "_")
}
