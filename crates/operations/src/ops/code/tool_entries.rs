//! Files that bundlers, workers, workflows and scripts start. Settings of tools name them by path.

use std::collections::{BTreeMap, BTreeSet};

use base::{RepoPath, Result};
use rayon::prelude::*;
use tree::WorkingTree;

use engine::view::View;
use syntax::Language;

/// Maximum size of such a file, in bytes.
const MAX_FILE_BYTES: u64 = 256 * 1024;

/// Words in the names of files that configure a tool.
const CONFIG_WORDS: [&str; 3] = [".config.", ".conf.", ".workspace."];

/// Starts of the names of further such files.
const CONFIG_STARTS: [&str; 13] = [
    "rollup",
    "vite",
    "vitest",
    "webpack",
    "esbuild",
    "tsup",
    "tsdown",
    "wrangler",
    "docusaurus",
    "package.json",
    "project.json",
    "angular.json",
    "Dockerfile",
];

/// Folders with such files.
const CONFIG_FOLDERS: [&str; 5] = [".github/", ".storybook/", ".circleci/", ".gitlab/", "scripts/"];

/// The files that settings of tools name.
pub(super) fn find(view: &View, files: &BTreeSet<RepoPath>) -> Result<BTreeSet<RepoPath>> {
    let settings: Vec<&RepoPath> = files.iter().filter(|path| is_setting(path)).collect();
    let tree = view.tree();
    let named: Vec<BTreeSet<String>> =
        settings.par_iter().map(|path| paths_in_file(tree, path)).collect();
    let by_name = files_by_name(files);
    let mut found = BTreeSet::new();
    for (setting, written) in settings.into_iter().zip(named) {
        for path in written {
            found.extend(named_files(setting, &path, &by_name));
        }
    }
    Ok(found)
}

fn is_setting(path: &RepoPath) -> bool {
    let (text, name) = (path.to_string(), path.name());
    let in_folder = |folder: &str| text.starts_with(folder) || text.contains(&format!("/{folder}"));
    CONFIG_WORDS.iter().any(|word| name.contains(word))
        || CONFIG_STARTS.iter().any(|start| name.starts_with(start))
        || CONFIG_FOLDERS.iter().any(|folder| in_folder(folder))
}

/// The words of a text that look like the path of a file.
fn paths_in_file(tree: &WorkingTree, path: &RepoPath) -> BTreeSet<String> {
    let Ok(Some(Ok(blob))) = tree.read_at_most(path, MAX_FILE_BYTES) else {
        return BTreeSet::new();
    };
    let text = String::from_utf8_lossy(&blob.bytes);
    let is_part = |one: char| one.is_alphanumeric() || "_-./@+[]".contains(one);
    let words = text.split(|one| !is_part(one));
    let is_path = |word: &&str| word.contains(['/', '.']) && word.contains(char::is_alphabetic);
    words.filter(is_path).map(|word| word.trim_start_matches("./").to_owned()).collect()
}

/// The files by the last part of their path, without its ending.
fn files_by_name(files: &BTreeSet<RepoPath>) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files {
        let text = path.to_string();
        let stem = stem(&text).to_owned();
        // `src/worker` may mean `src/worker/index.ts`.
        if stem == "index" {
            let folder = text.rsplit('/').nth(1).unwrap_or_default().to_owned();
            all.entry(folder).or_default().push(text.clone());
        }
        all.entry(stem).or_default().push(text);
    }
    all
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

/// The files that a written path may mean. It may start at any folder, since tools run in the folder
/// of a package.
fn named_files(
    setting: &RepoPath,
    written: &str,
    by_name: &BTreeMap<String, Vec<String>>,
) -> Vec<RepoPath> {
    let inner = written.trim_start_matches("../").trim_end_matches('/');
    let candidates = by_name.get(stem(inner)).map(Vec::as_slice).unwrap_or_default();
    let home = setting.parent().filter(|folder| !folder.is_root());
    let home = home.map(|folder| folder.to_string()).unwrap_or_default();
    let endings = Language::omitted_endings();
    let is_meant = |path: &&String| {
        endings.iter().any(|ending| {
            let rest = path.strip_suffix(&format!("{inner}{ending}"));
            rest.is_some_and(|rest| match inner.contains('/') {
                true => rest.is_empty() || rest.ends_with('/'),
                // A name without a folder means a file beside the settings.
                false => rest.trim_end_matches('/') == home,
            })
        })
    };
    candidates.iter().filter(is_meant).filter_map(|path| path.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(setting: &str, written: &str, expected: &[&str]) {
        let files = ["src/worker.ts", "packages/a/src/worker.ts", "src/site/index.ts", "run.mjs"];
        let files: BTreeSet<RepoPath> = files.iter().map(|file| file.parse().unwrap()).collect();
        let found = named_files(&setting.parse().unwrap(), written, &files_by_name(&files));
        let found: BTreeSet<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found, expected.iter().map(|&path| path.to_owned()).collect());
    }

    #[test]
    fn a_written_path_may_start_at_any_folder_and_leave_its_ending_out() {
        check("rollup.config.js", "src/worker.ts", &["src/worker.ts", "packages/a/src/worker.ts"]);
        check("wrangler.toml", "src/site", &["src/site/index.ts"]);
        check("package.json", "run.mjs", &["run.mjs"]);
        check("packages/a/package.json", "worker", &[]);
    }
}
