//! Files of a package: `exports`, `imports`, the main file, and sources of files that exist only
//! after a build.

use base::RepoPath;
use syntax::{ConditionalTarget, NpmManifest};

use super::{files, workspace};
use crate::resolve::{EntryPointKind, ResolutionContext, folder_prefix};

/// Export conditions that are ignored.
const IGNORED_CONDITIONS: [&str; 3] = ["deno", "react-native", "edge-light"];

/// The file of a name of the package's own `imports`.
pub(super) fn own_import(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    specifier: &str,
) -> Option<RepoPath> {
    let (path, manifest) = workspace::nearest_manifest(context, from)?;
    let all = match_subpath(manifest.imports.as_ref()?, specifier)?;
    let places = condition_targets(&all.0, &all.1);
    places.iter().find_map(|place| match place.starts_with('.') {
        true => built_or_source(context, &folder_prefix(&path), place),
        // A name that means another name of `imports` could lead to a circle.
        false if place.starts_with('#') => None,
        false => super::find(context, from, place),
    })
}

/// The file of a subpath of a package in the workspace.
pub(super) fn in_workspace(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    specifier: &str,
) -> Option<RepoPath> {
    let (name, inner) = workspace::split_specifier(specifier);
    let path = workspace::package_manifest(context, from, name)?;
    let manifest = workspace::npm_manifest(context, &path)?;
    resolve_subpath(context, &folder_prefix(&path), &manifest, inner)
}

fn resolve_subpath(
    context: &ResolutionContext<'_>,
    folder: &str,
    manifest: &NpmManifest,
    inner: &str,
) -> Option<RepoPath> {
    let key = if inner.is_empty() { ".".to_owned() } else { format!("./{inner}") };
    let exported = manifest.exports.as_ref().and_then(|exports| match_subpath(exports, &key));
    let exported =
        exported.map(|(value, star)| condition_targets(&value, &star)).unwrap_or_default();
    let mains = if inner.is_empty() { manifest.mains.clone() } else { Vec::new() };
    let named: Vec<String> = exported.into_iter().chain(mains).collect();
    let there =
        named.iter().find_map(|place| files::resolve_file(context, &format!("{folder}{place}")));
    let written = || named.iter().find_map(|place| files::source_of_output(context, folder, place));
    let plain = || match inner {
        "" => files::index_file(context, folder)
            .or_else(|| files::index_file(context, &format!("{folder}src"))),
        inner => files::file_or_folder(context, &format!("{folder}{inner}"))
            .or_else(|| files::source_of_output(context, folder, &with_extension(inner)))
            .or_else(|| files::file_or_folder(context, &format!("{folder}src/{inner}"))),
    };
    there.or_else(written).or_else(plain)
}

/// The entry points of a package: exports, executables and main files.
pub(in crate::resolve) fn entries(
    context: &ResolutionContext<'_>,
    path: &RepoPath,
    manifest: &NpmManifest,
) -> Vec<(RepoPath, EntryPointKind)> {
    let folder = folder_prefix(path);
    let mut found = Vec::new();
    let mut add = |file: Option<RepoPath>, entry| found.extend(file.map(|file| (file, entry)));
    add(resolve_subpath(context, &folder, manifest, ""), EntryPointKind::Api);
    // A main file in the repository may only load what a build makes of the sources.
    add(files::index_file(context, &format!("{folder}src")), EntryPointKind::Api);
    for key in manifest.exports.iter().flat_map(subpaths) {
        add(
            resolve_subpath(context, &folder, manifest, key.trim_start_matches("./")),
            EntryPointKind::Api,
        );
    }
    for subpath in pattern_subpaths(context, &folder, manifest) {
        add(resolve_subpath(context, &folder, manifest, &subpath), EntryPointKind::Api);
    }
    for bin in &manifest.bins {
        add(built_or_source(context, &folder, bin), EntryPointKind::Program);
    }
    for script in &manifest.scripts {
        add(files::resolve_file(context, &format!("{folder}{script}")), EntryPointKind::Program);
    }
    found
}

/// The subpaths that `exports` lists without a pattern.
fn subpaths(exports: &ConditionalTarget) -> Vec<String> {
    let ConditionalTarget::Keyed(entries) = exports else { return Vec::new() };
    let named = entries.iter().map(|(key, _)| key.clone());
    named.filter(|key| key.starts_with("./") && !key.contains('*')).collect()
}

/// The subpaths that patterns of `exports` may stand for: `./utils/*`.
fn pattern_subpaths(
    context: &ResolutionContext<'_>,
    folder: &str,
    manifest: &NpmManifest,
) -> Vec<String> {
    let Some(ConditionalTarget::Keyed(entries)) = &manifest.exports else { return Vec::new() };
    let starts = entries.iter().filter_map(|(key, _)| key.strip_prefix("./")?.split_once('*'));
    let mut found = Vec::new();
    for (start, _) in starts {
        for written in ["src/", ""] {
            let inside = format!("{folder}{written}{start}");
            let Ok(inside) = inside.trim_end_matches('/').parse::<RepoPath>() else { continue };
            for file in context.in_folder(&inside) {
                let name = file.name();
                let stem = name.split('.').next().unwrap_or(&name);
                found.push(format!("{start}{stem}"));
            }
        }
    }
    found
}

/// A path, with `.js` appended if its last part has no extension.
fn with_extension(inner: &str) -> String {
    let is_file = inner.rsplit('/').next().is_some_and(|name| name.contains('.'));
    if is_file { inner.to_owned() } else { format!("{inner}.js") }
}

fn built_or_source(context: &ResolutionContext<'_>, folder: &str, place: &str) -> Option<RepoPath> {
    let there = files::resolve_file(context, &format!("{folder}{place}"));
    there.or_else(|| files::source_of_output(context, folder, place))
}

/// Conventions of frameworks that generate their compiler options in the build: `$lib`, `~/`, `@/`.
pub(super) fn by_framework_convention(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    specifier: &str,
) -> Option<RepoPath> {
    let habits: &[&str] = match specifier.split_once('/').map_or(specifier, |(first, _)| first) {
        "$lib" => &["src/lib/"],
        "~" | "@" | "~~" | "@@" => &["src/", "", "app/"],
        _ => return None,
    };
    let rest = specifier.split_once('/').map_or("index", |(_, rest)| rest);
    let folder = folder_prefix(&workspace::nearest_manifest(context, from)?.0);
    habits
        .iter()
        .find_map(|habit| files::file_or_folder(context, &format!("{folder}{habit}{rest}")))
}

/// The value of a subpath, with the text that its `*` stands for.
fn match_subpath(all: &ConditionalTarget, key: &str) -> Option<(ConditionalTarget, String)> {
    let ConditionalTarget::Keyed(entries) = all else {
        return (key == ".").then(|| (all.clone(), String::new()));
    };
    let is_by_path = entries.iter().any(|(key, _)| key.starts_with(['.', '#']));
    if !is_by_path {
        return (key == ".").then(|| (all.clone(), String::new()));
    }
    if let Some((_, value)) = entries.iter().find(|(entry, _)| entry == key) {
        return Some((value.clone(), String::new()));
    }
    let fits = entries.iter().filter_map(|(entry, value)| {
        let (before, after) = match entry.split_once('*') {
            Some(parts) => parts,
            None if entry.ends_with('/') => (entry.as_str(), ""),
            None => return None,
        };
        let star = key.strip_prefix(before)?.strip_suffix(after)?;
        Some((before.len(), value, star))
    });
    let (_, value, star) = fits.max_by_key(|(length, ..)| *length)?;
    Some((value.clone(), star.to_owned()))
}

/// All files that a value may mean, in source order.
fn condition_targets(value: &ConditionalTarget, star: &str) -> Vec<String> {
    match value {
        ConditionalTarget::Nothing => Vec::new(),
        ConditionalTarget::File(file) if file.ends_with('/') => vec![format!("{file}{star}")],
        ConditionalTarget::File(file) => vec![file.replace('*', star)],
        ConditionalTarget::First(all) => {
            all.iter().flat_map(|one| condition_targets(one, star)).collect()
        }
        ConditionalTarget::Keyed(entries) => {
            let wanted =
                entries.iter().filter(|(key, _)| !IGNORED_CONDITIONS.contains(&key.as_str()));
            wanted.flat_map(|(_, one)| condition_targets(one, star)).collect()
        }
    }
}
