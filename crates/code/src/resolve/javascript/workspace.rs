//! Packages of the workspace, by name.

use std::rc::Rc;

use base::RepoPath;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use syntax::{Manifest, NpmManifest};

use crate::resolve::{
    ResolutionContext, ancestor_folders, folder_prefix, normalised_below, path_prefix,
};

/// The package of a bare name, and the subpath inside it.
pub(super) fn split_specifier(specifier: &str) -> (&str, &str) {
    let slashes = usize::from(specifier.starts_with('@'));
    match specifier.match_indices('/').nth(slashes) {
        Some((at, _)) => (&specifier[..at], &specifier[at + 1..]),
        None => (specifier, ""),
    }
}

/// The manifest of a package that an import of this file would find in `node_modules`.
pub(super) fn package_manifest(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    name: &str,
) -> Option<RepoPath> {
    let folder = from.parent().unwrap_or(RepoPath::ROOT);
    (*context.memoise("npm package", &folder, name, || find(context, from, name))).clone()
}

fn find(context: &ResolutionContext<'_>, from: &RepoPath, name: &str) -> Option<RepoPath> {
    let own = nearest_manifest(context, from);
    if let Some((path, manifest)) = &own {
        if manifest.name.as_deref() == Some(name) {
            return Some(path.clone());
        }
        let asked = manifest.dependencies.iter().find(|(dependency, _)| dependency == name);
        let linked = asked.and_then(|(_, version)| {
            let folder =
                ["file:", "link:", "portal:"].iter().find_map(|at| version.strip_prefix(at));
            normalised_below(&folder_prefix(path), folder?)
        });
        if let Some(folder) = linked {
            return context.first_existing([format!("{}package.json", path_prefix(&folder))]);
        }
    }
    let found = context.packages(&format!("npm:{name}"));
    if found.is_empty() {
        return None;
    }
    let roots: Vec<WorkspaceRoot> =
        ancestor_folders(from).filter_map(|folder| workspace_root(context, &folder)).collect();
    let member = roots.iter().find_map(|root| found.iter().find(|path| root.contains(path)));
    let depends = || own.is_some_and(|(_, own)| own.dependencies.iter().any(|(d, _)| d == name));
    match found.as_slice() {
        // Tools with a workspace file of their own still list linked packages as dependencies.
        [only] if member.is_none() && roots.is_empty() && depends() => Some(only.clone()),
        _ => member.cloned(),
    }
}

/// The nearest manifest above a file.
pub(super) fn nearest_manifest(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
) -> Option<(RepoPath, NpmManifest)> {
    let folder = from.parent().unwrap_or(RepoPath::ROOT);
    let found = context.memoise("npm manifest", &folder, "", || {
        let all =
            ancestor_folders(from).map(|folder| format!("{}package.json", path_prefix(&folder)));
        let path = context.first_existing(all)?;
        let manifest = npm_manifest(context, &path)?;
        Some((path, manifest))
    });
    (*found).clone()
}

pub(super) fn npm_manifest(
    context: &ResolutionContext<'_>,
    path: &RepoPath,
) -> Option<NpmManifest> {
    match context.manifest(path).as_deref() {
        Some(Manifest::Npm(manifest)) => Some((**manifest).clone()),
        _ => None,
    }
}

/// The root of a workspace.
#[derive(Clone)]
struct WorkspaceRoot {
    folder: String,
    members: Rc<(GlobSet, GlobSet)>,
}

impl WorkspaceRoot {
    fn contains(&self, manifest: &RepoPath) -> bool {
        let text = folder_prefix(manifest);
        let Some(inner) = text.strip_prefix(&self.folder) else { return false };
        let inner = inner.trim_end_matches('/');
        let (yes, no) = &*self.members;
        inner.is_empty() || (yes.is_match(inner) && !no.is_match(inner))
    }
}

/// The workspace whose root is this folder.
fn workspace_root(context: &ResolutionContext<'_>, folder: &RepoPath) -> Option<WorkspaceRoot> {
    let found = context.memoise("workspace", folder, "", || {
        let prefix = path_prefix(folder);
        let pnpm = ["pnpm-workspace.yaml", "pnpm-workspace.yml"].map(|n| format!("{prefix}{n}"));
        let globs = match context
            .first_existing(pnpm)
            .and_then(|path| context.manifest(&path))
            .as_deref()
        {
            Some(Manifest::Pnpm(globs)) => globs.clone(),
            _ => {
                npm_manifest(context, &context.first_existing([format!("{prefix}package.json")])?)?
                    .workspaces
            }
        };
        let members =
            (!globs.is_empty()).then(|| (glob_set(&globs, false), glob_set(&globs, true)))?;
        Some(WorkspaceRoot { folder: prefix, members: Rc::new(members) })
    });
    (*found).clone()
}

/// The including globs, or the excluding ones.
fn glob_set(globs: &[String], negated: bool) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for glob in globs.iter().filter(|glob| glob.starts_with('!') == negated) {
        let plain = glob.trim_start_matches('!').trim_start_matches("./").trim_end_matches('/');
        if let Ok(glob) = GlobBuilder::new(plain).literal_separator(true).build() {
            builder.add(glob);
        }
    }
    builder.build().unwrap_or_default()
}
