//! Finds files by a path without extension, and sources by the path of the compiled file.

use base::RepoPath;
use syntax::Manifest;

use crate::resolve::ResolutionContext;

/// Extensions in the order in which the compiler tries them, then those of bundlers.
const FILE_EXTENSIONS: [&str; 15] = [
    "ts", "tsx", "d.ts", "mts", "cts", "d.mts", "d.cts", "js", "jsx", "mjs", "cjs", "json", "vue",
    "svelte", "astro",
];

/// Extensions of compiled files, each with those of the possible sources.
const SOURCE_EXTENSIONS: [(&str, &[&str]); 7] = [
    (".d.ts", &["ts", "tsx"]),
    (".d.mts", &["mts", "ts"]),
    (".d.cts", &["cts", "ts"]),
    (".js", &["ts", "tsx", "d.ts", "mts", "cts"]),
    (".jsx", &["tsx", "d.ts"]),
    (".mjs", &["mts", "d.mts", "ts", "tsx"]),
    (".cjs", &["cts", "d.cts", "ts", "tsx"]),
];

/// Folders with compiled files.
const OUTPUT_FOLDERS: [&str; 14] = [
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

/// Folders with sources.
const SOURCE_FOLDERS: [&str; 5] = ["src/", "", "source/", "lib/", "ts/"];

/// The file or folder that a path means.
pub(super) fn file_or_folder(context: &ResolutionContext<'_>, path: &str) -> Option<RepoPath> {
    let path = path.strip_suffix('/').unwrap_or(path);
    resolve_file(context, path).or_else(|| resolve_folder(context, path))
}

/// The file that a path means: its source, the path itself, or the path with an extension.
pub(super) fn resolve_file(context: &ResolutionContext<'_>, path: &str) -> Option<RepoPath> {
    let sources = SOURCE_EXTENSIONS.iter().filter(|(end, _)| !end.starts_with(".d.")).filter_map(
        |(end, to)| {
            let stem = path.strip_suffix(end)?;
            Some(to.iter().map(move |ending| format!("{stem}.{ending}")))
        },
    );
    let plain = FILE_EXTENSIONS.iter().map(|ending| format!("{path}.{ending}"));
    context.first_existing(sources.flatten().chain([path.to_owned()]).chain(plain))
}

/// The file that a folder means: the main file of its package, or its index file.
fn resolve_folder(context: &ResolutionContext<'_>, path: &str) -> Option<RepoPath> {
    let manifest = context.first_existing([format!("{path}/package.json")]);
    let said = manifest.and_then(|manifest| context.manifest(&manifest));
    if let Some(Manifest::Npm(package)) = said.as_deref() {
        let entry = package.mains.iter().find_map(|main| {
            let main = format!("{path}/{main}");
            resolve_file(context, &main).or_else(|| index_file(context, &main))
        });
        if entry.is_some() {
            return entry;
        }
    }
    index_file(context, path)
}

/// The script beside a file that only declares its types; any other file itself.
pub(super) fn script_of(context: &ResolutionContext<'_>, file: RepoPath) -> RepoPath {
    let text = file.to_string();
    let stem = [".d.ts", ".d.mts", ".d.cts"].iter().find_map(|end| text.strip_suffix(end));
    let scripts = stem.map(|stem| ["js", "mjs", "cjs"].map(|end| format!("{stem}.{end}")));
    scripts.and_then(|scripts| context.first_existing(scripts)).unwrap_or(file)
}

/// The index file of a folder.
pub(super) fn index_file(context: &ResolutionContext<'_>, path: &str) -> Option<RepoPath> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let base = if path.is_empty() { String::new() } else { format!("{path}/") };
    context.first_existing(FILE_EXTENSIONS.iter().map(|ending| format!("{base}index.{ending}")))
}

/// The source of a compiled file that does not exist in the repository.
pub(super) fn source_of_output(
    context: &ResolutionContext<'_>,
    package: &str,
    compiled: &str,
) -> Option<RepoPath> {
    let inner = compiled.trim_start_matches("./");
    let parts: Vec<&str> = inner.split('/').collect();
    let built = parts.iter().take_while(|part| OUTPUT_FOLDERS.contains(part)).count();
    (1..=built.min(parts.len() - 1)).rev().find_map(|cut| {
        let rest = parts[cut..].join("/");
        SOURCE_FOLDERS
            .iter()
            .find_map(|written| source_of_compiled(context, &format!("{package}{written}{rest}")))
    })
}

fn source_of_compiled(context: &ResolutionContext<'_>, path: &str) -> Option<RepoPath> {
    let (stem, endings) =
        SOURCE_EXTENSIONS.iter().find_map(|(end, to)| Some((path.strip_suffix(end)?, to)))?;
    let same = endings.iter().map(|ending| format!("{stem}.{ending}"));
    let scripts = ["js", "jsx", "mjs"].iter().map(|ending| format!("{stem}.{ending}"));
    let inside = ["ts", "tsx", "js"].iter().map(|ending| format!("{stem}/index.{ending}"));
    context.first_existing(same.chain(scripts).chain(inside))
}
