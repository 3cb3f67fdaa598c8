//! Packages of the workspace, by name.

use std::rc::Rc;

use base::RepoPath;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use syntax::{Manifest, NpmManifest};

use crate::resolve::{World, above, as_prefix, below, folder_of};

/// The package of a bare name, and what is asked for inside it.
pub(super) fn split(specifier: &str) -> (&str, &str) {
    let slashes = usize::from(specifier.starts_with('@'));
    match specifier.match_indices('/').nth(slashes) {
        Some((at, _)) => (&specifier[..at], &specifier[at + 1..]),
        None => (specifier, ""),
    }
}

/// The manifest of a package that an import of this file would find in `node_modules`.
pub(super) fn package(world: &World<'_>, from: &RepoPath, name: &str) -> Option<RepoPath> {
    let folder = from.parent().unwrap_or(RepoPath::ROOT);
    (*world.once("npm package", (&folder, name), || find(world, from, name))).clone()
}

fn find(world: &World<'_>, from: &RepoPath, name: &str) -> Option<RepoPath> {
    let own = nearest(world, from);
    if let Some((path, manifest)) = &own {
        if manifest.name.as_deref() == Some(name) {
            return Some(path.clone());
        }
        let asked = manifest.dependencies.iter().find(|(dependency, _)| dependency == name);
        let linked = asked.and_then(|(_, version)| {
            let folder =
                ["file:", "link:", "portal:"].iter().find_map(|at| version.strip_prefix(at));
            below(&folder_of(path), folder?)
        });
        if let Some(folder) = linked {
            return world.first([format!("{}package.json", as_prefix(&folder))]);
        }
    }
    let found = world.packages(&format!("npm:{name}"));
    if found.is_empty() {
        return None;
    }
    let roots: Vec<Root> = above(from).filter_map(|folder| root(world, &folder)).collect();
    let member = roots.iter().find_map(|root| found.iter().find(|path| root.holds(path)));
    let depends = || own.is_some_and(|(_, own)| own.dependencies.iter().any(|(d, _)| d == name));
    match found.as_slice() {
        // Tools with a workspace file of their own still list what they link.
        [only] if member.is_none() && roots.is_empty() && depends() => Some(only.clone()),
        _ => member.cloned(),
    }
}

/// The nearest manifest above a file.
pub(super) fn nearest(world: &World<'_>, from: &RepoPath) -> Option<(RepoPath, NpmManifest)> {
    let folder = from.parent().unwrap_or(RepoPath::ROOT);
    let found = world.once("npm manifest", (&folder, ""), || {
        let all = above(from).map(|folder| format!("{}package.json", as_prefix(&folder)));
        let path = world.first(all)?;
        let manifest = npm(world, &path)?;
        Some((path, manifest))
    });
    (*found).clone()
}

pub(super) fn npm(world: &World<'_>, path: &RepoPath) -> Option<NpmManifest> {
    match world.manifest(path).as_deref() {
        Some(Manifest::Npm(manifest)) => Some((**manifest).clone()),
        _ => None,
    }
}

/// The root of a workspace.
#[derive(Clone)]
struct Root {
    folder: String,
    members: Rc<(GlobSet, GlobSet)>,
}

impl Root {
    fn holds(&self, manifest: &RepoPath) -> bool {
        let text = folder_of(manifest);
        let Some(inner) = text.strip_prefix(&self.folder) else { return false };
        let inner = inner.trim_end_matches('/');
        let (yes, no) = &*self.members;
        inner.is_empty() || (yes.is_match(inner) && !no.is_match(inner))
    }
}

/// The workspace whose root is this folder.
fn root(world: &World<'_>, folder: &RepoPath) -> Option<Root> {
    let found = world.once("workspace", (folder, ""), || {
        let prefix = as_prefix(folder);
        let pnpm = ["pnpm-workspace.yaml", "pnpm-workspace.yml"].map(|n| format!("{prefix}{n}"));
        let globs = match world.first(pnpm).and_then(|path| world.manifest(&path)).as_deref() {
            Some(Manifest::Pnpm(globs)) => globs.clone(),
            _ => npm(world, &world.first([format!("{prefix}package.json")])?)?.workspaces,
        };
        let members = (!globs.is_empty()).then(|| (set(&globs, false), set(&globs, true)))?;
        Some(Root { folder: prefix, members: Rc::new(members) })
    });
    (*found).clone()
}

/// The globs that take in, or those that leave out.
fn set(globs: &[String], negated: bool) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for glob in globs.iter().filter(|glob| glob.starts_with('!') == negated) {
        let plain = glob.trim_start_matches('!').trim_start_matches("./").trim_end_matches('/');
        if let Ok(glob) = GlobBuilder::new(plain).literal_separator(true).build() {
            builder.add(glob);
        }
    }
    builder.build().unwrap_or_default()
}
