//! `paths`, `baseUrl` and `rootDirs` of the compiler options of a file.
//!
//! Options of a package that is extended but not in the repository count as absent; everything else
//! still resolves.

use std::rc::Rc;

use base::RepoPath;
use syntax::{Manifest, TsConfig};

use super::{files, is_relative, workspace};
use crate::resolve::{
    ResolutionContext, ancestor_folders, folder_prefix, normalised_below, path_prefix,
};

/// Length of a chain of `extends`.
const MAX_EXTENDS_DEPTH: usize = 12;

/// The merged options, with paths relative to the repository.
#[derive(Debug, Clone, Default)]
struct CompilerOptions {
    /// Patterns, each with its targets
    paths: Vec<(String, Vec<String>)>,
    base: Option<String>,
    root_dirs: Vec<String>,
    references: Vec<RepoPath>,
}

/// Resolves a bare name with `paths` in the options of the file or of the referenced projects.
pub(super) fn resolve_paths(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    specifier: &str,
) -> Option<RepoPath> {
    let own = options_of(context, from)?;
    let others = own.references.iter().map(|path| options_at(context, path));
    let all = [Rc::clone(&own)].into_iter().chain(others);
    all.into_iter().find_map(|options| {
        let (_, places, star) = best_pattern(&options.paths, specifier)?;
        places
            .iter()
            .find_map(|place| files::file_or_folder(context, &place.replacen('*', star, 1)))
    })
}

/// Resolves a bare name below `baseUrl`.
pub(super) fn resolve_base_url(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    specifier: &str,
) -> Option<RepoPath> {
    let base = options_of(context, from)?.base.clone()?;
    files::file_or_folder(context, &format!("{base}{specifier}"))
}

/// Resolves a relative name in the other folders of `rootDirs`.
pub(super) fn in_root_dirs(
    context: &ResolutionContext<'_>,
    from: &RepoPath,
    specifier: &str,
) -> Option<RepoPath> {
    let options = options_of(context, from)?;
    let wanted = normalised_below(&folder_prefix(from), specifier)?.to_string();
    let dirs = &options.root_dirs;
    let rest = dirs.iter().find_map(|dir| wanted.strip_prefix(dir.as_str()))?;
    dirs.iter().find_map(|dir| files::file_or_folder(context, &format!("{dir}{rest}")))
}

/// The best matching pattern: an exact one, else the one with the longest prefix before `*`.
fn best_pattern<'p, 's>(
    paths: &'p [(String, Vec<String>)],
    specifier: &'s str,
) -> Option<(usize, &'p [String], &'s str)> {
    let fits = paths.iter().filter_map(|(pattern, places)| match pattern.split_once('*') {
        None => (pattern == specifier).then_some((usize::MAX, places.as_slice(), "")),
        Some((before, after)) => {
            let star = specifier.strip_prefix(before)?.strip_suffix(after)?;
            Some((before.len(), places.as_slice(), star))
        }
    });
    fits.max_by_key(|(length, ..)| *length)
}

/// The options of the nearest configuration above a file.
fn options_of(context: &ResolutionContext<'_>, from: &RepoPath) -> Option<Rc<CompilerOptions>> {
    let folder = from.parent().unwrap_or(RepoPath::ROOT);
    let nearest = context.memoise("tsconfig", &folder, "", || {
        let names = ancestor_folders(from).flat_map(|folder| {
            ["tsconfig.json", "jsconfig.json"].map(|name| format!("{}{name}", path_prefix(&folder)))
        });
        context.first_existing(names)
    });
    Some(options_at(context, nearest.as_ref().as_ref()?))
}

fn options_at(context: &ResolutionContext<'_>, path: &RepoPath) -> Rc<CompilerOptions> {
    context.memoise("options", path, "", || read_options(context, path, 0))
}

fn read_options(context: &ResolutionContext<'_>, path: &RepoPath, depth: usize) -> CompilerOptions {
    let said = context.manifest(path);
    let Some(Manifest::TsConfig(config)) = said.as_deref() else {
        return CompilerOptions::default();
    };
    let folder = folder_prefix(path);
    let mut options = CompilerOptions::default();
    if depth < MAX_EXTENDS_DEPTH {
        for extended in &config.extends {
            if let Some(base) = extended_file(context, path, extended) {
                merge(&mut options, read_options(context, &base, depth + 1));
            }
        }
    }
    merge(&mut options, own_options(config, &folder));
    if depth == 0 {
        let each = config.references.iter();
        options.references =
            each.filter_map(|other| reference_path(context, &folder, other)).collect();
    }
    options
}

/// The options of one configuration file. Paths are relative to its folder or to its `baseUrl`.
fn own_options(config: &TsConfig, folder: &str) -> CompilerOptions {
    let within =
        |start: &str, path: &str| normalised_below(start, path).map(|path| path_prefix(&path));
    let base = config.base_url.as_ref().and_then(|base| within(folder, base));
    let start = base.clone().unwrap_or_else(|| folder.to_owned());
    let place = |place: &String| {
        let plain = place.strip_prefix("${configDir}/").unwrap_or(place);
        normalised_below(&start, plain).map(|path| path.to_string())
    };
    let one = |(pattern, places): &(String, Vec<String>)| {
        (pattern.clone(), places.iter().filter_map(place).collect())
    };
    CompilerOptions {
        paths: config.paths.iter().flatten().map(one).collect(),
        base,
        root_dirs: config.root_dirs.iter().filter_map(|dir| within(folder, dir)).collect(),
        references: Vec::new(),
    }
}

/// Merges options: those of the extending file take precedence.
fn merge(options: &mut CompilerOptions, over: CompilerOptions) {
    if !over.paths.is_empty() {
        options.paths = over.paths;
    }
    if !over.root_dirs.is_empty() {
        options.root_dirs = over.root_dirs;
    }
    options.base = over.base.or_else(|| options.base.take());
}

/// The file that `extends` names: beside this one, or in a package of the workspace.
fn extended_file(context: &ResolutionContext<'_>, from: &RepoPath, name: &str) -> Option<RepoPath> {
    let at = |path: String| {
        context.first_existing([
            path.clone(),
            format!("{path}.json"),
            format!("{path}/tsconfig.json"),
        ])
    };
    if is_relative(name) {
        return at(format!("{}{name}", folder_prefix(from)));
    }
    let (package, inner) = workspace::split_specifier(name);
    let manifest = workspace::package_manifest(context, from, package)?;
    at(format!("{}{}", folder_prefix(&manifest), if inner.is_empty() { "tsconfig" } else { inner }))
}

fn reference_path(context: &ResolutionContext<'_>, folder: &str, path: &str) -> Option<RepoPath> {
    let at = normalised_below(folder, path)?;
    let file = (at.extension().as_deref() == Some("json")).then(|| at.to_string());
    context.first_existing(file.into_iter().chain([format!("{}tsconfig.json", path_prefix(&at))]))
}
