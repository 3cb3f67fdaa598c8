//! Files by a path without its ending, and sources by the path of what they are compiled to.

use base::RepoPath;
use syntax::Manifest;

use crate::resolve::World;

/// Endings in the order the compiler tries them, then those that bundlers do.
const ENDINGS: [&str; 15] = [
    "ts", "tsx", "d.ts", "mts", "cts", "d.mts", "d.cts", "js", "jsx", "mjs", "cjs", "json", "vue",
    "svelte", "astro",
];

/// A written ending of a compiled file, and what it may have been compiled from.
const SOURCES: [(&str, &[&str]); 7] = [
    (".d.ts", &["ts", "tsx"]),
    (".d.mts", &["mts", "ts"]),
    (".d.cts", &["cts", "ts"]),
    (".js", &["ts", "tsx", "d.ts", "mts", "cts"]),
    (".jsx", &["tsx", "d.ts"]),
    (".mjs", &["mts", "d.mts", "ts", "tsx"]),
    (".cjs", &["cts", "d.cts", "ts", "tsx"]),
];

/// Folders that hold what was compiled.
const COMPILED: [&str; 14] = [
    "dist",
    "lib",
    "build",
    "out",
    "esm",
    "cjs",
    "es",
    "types",
    "dts",
    "typings",
    "umd",
    "node",
    "browser",
    "dist-types",
];

/// Folders that hold what is compiled.
const WRITTEN: [&str; 5] = ["src/", "", "source/", "lib/", "ts/"];

/// The file or folder that a path means.
pub(super) fn at(world: &World<'_>, path: &str) -> Option<RepoPath> {
    let path = path.strip_suffix('/').unwrap_or(path);
    file(world, path).or_else(|| folder(world, path))
}

/// The file that a path means: its source, itself, or with an ending.
pub(super) fn file(world: &World<'_>, path: &str) -> Option<RepoPath> {
    let sources =
        SOURCES.iter().filter(|(end, _)| !end.starts_with(".d.")).filter_map(|(end, to)| {
            let stem = path.strip_suffix(end)?;
            Some(to.iter().map(move |ending| format!("{stem}.{ending}")))
        });
    let plain = ENDINGS.iter().map(|ending| format!("{path}.{ending}"));
    world.first(sources.flatten().chain([path.to_owned()]).chain(plain))
}

/// What a folder stands for: the entry of its package, or its index.
fn folder(world: &World<'_>, path: &str) -> Option<RepoPath> {
    let manifest = world.first([format!("{path}/package.json")]);
    let said = manifest.and_then(|manifest| world.manifest(&manifest));
    if let Some(Manifest::Npm(package)) = said.as_deref() {
        let entry = package.mains.iter().find_map(|main| {
            let main = format!("{path}/{main}");
            file(world, &main).or_else(|| index(world, &main))
        });
        if entry.is_some() {
            return entry;
        }
    }
    index(world, path)
}

/// The index of a folder.
pub(super) fn index(world: &World<'_>, path: &str) -> Option<RepoPath> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let base = if path.is_empty() { String::new() } else { format!("{path}/") };
    world.first(ENDINGS.iter().map(|ending| format!("{base}index.{ending}")))
}

/// The source of a compiled file that is not in the repository.
pub(super) fn source(world: &World<'_>, package: &str, compiled: &str) -> Option<RepoPath> {
    let inner = compiled.trim_start_matches("./");
    let parts: Vec<&str> = inner.split('/').collect();
    let built = parts.iter().take_while(|part| COMPILED.contains(part)).count();
    (1..=built.min(parts.len() - 1)).rev().find_map(|cut| {
        let rest = parts[cut..].join("/");
        WRITTEN
            .iter()
            .find_map(|written| from_compiled(world, &format!("{package}{written}{rest}")))
    })
}

fn from_compiled(world: &World<'_>, path: &str) -> Option<RepoPath> {
    let (stem, endings) =
        SOURCES.iter().find_map(|(end, to)| Some((path.strip_suffix(end)?, to)))?;
    let same = endings.iter().map(|ending| format!("{stem}.{ending}"));
    let scripts = ["js", "jsx", "mjs"].iter().map(|ending| format!("{stem}.{ending}"));
    let inside = ["ts", "tsx", "js"].iter().map(|ending| format!("{stem}/index.{ending}"));
    world.first(same.chain(scripts).chain(inside))
}
