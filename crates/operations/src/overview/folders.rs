//! The folders with most of a project's code.

use std::collections::BTreeMap;

use base::{RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;

use engine::areas::files;
use engine::view::View;
use syntax::Language;

/// How many folders are shown.
const MAX_FOLDERS: usize = 12;

/// The longest text about a folder, in characters.
const MAX_ABOUT_CHARS: usize = 100;

/// A folder with more than this share of all files is replaced by its subfolders, in percent.
const LARGE_SHARE: u64 = 40;

/// A folder
#[derive(Debug, Serialize, JsonSchema)]
pub struct OverviewFolder {
    /// The folder
    pub path: RepoPath,
    /// How many files are in it and below
    pub files: u64,
    /// The language of most of them
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The first sentence of its README or its main module
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// The counts of a folder while files are counted.
#[derive(Default)]
struct FolderCount {
    files: u64,
    languages: BTreeMap<&'static str, u64>,
    /// The rank and the title of the file that describes the folder best; the lowest rank wins
    about: Option<(usize, String)>,
}

/// The largest folders, by the number of files, and how many more there are. A folder with a large
/// share of all files is replaced by its subfolders.
pub(super) fn largest(view: &View) -> Result<(Vec<OverviewFolder>, usize)> {
    let files = files::files_below(view, &RepoPath::ROOT)?;
    let total = files.len() as u64;
    let mut top: BTreeMap<String, FolderCount> = BTreeMap::new();
    let mut second: BTreeMap<String, FolderCount> = BTreeMap::new();
    for file in &files {
        let path = file.path.to_string();
        let parts: Vec<&str> = path.split('/').collect();
        for (depth, counts) in [(1, &mut top), (2, &mut second)] {
            if parts.len() > depth {
                let count = counts.entry(parts[..depth].join("/")).or_default();
                count.add(file.language, &parts[depth..], file.title.as_deref());
            }
        }
    }
    let mut shown = Vec::new();
    for (path, count) in top {
        let prefix = format!("{path}/");
        let inner = || second.iter().filter(|(inner, _)| inner.starts_with(&prefix));
        if count.files * 100 > total * LARGE_SHARE && inner().count() > 1 {
            shown.extend(inner().map(|(path, count)| count.row(path)));
        } else {
            shown.push(count.row(&path));
        }
    }
    let mut shown: Vec<OverviewFolder> = shown.into_iter().flatten().collect();
    shown.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.path.cmp(&b.path)));
    let more = shown.len().saturating_sub(MAX_FOLDERS);
    shown.truncate(MAX_FOLDERS);
    shown.sort_by(|a, b| a.path.cmp(&b.path));
    Ok((shown, more))
}

impl FolderCount {
    fn add(&mut self, language: Option<Language>, inside: &[&str], title: Option<&str>) {
        self.files += 1;
        if let Some(language) = language {
            *self.languages.entry(language.name()).or_default() += 1;
        }
        let Some(title) = title.filter(|title| title.contains(' ')) else { return };
        if let Some(rank) = speaking_rank(inside)
            && self.about.as_ref().is_none_or(|(known, _)| rank < *known)
        {
            self.about = Some((rank, title.to_owned()));
        }
    }

    fn row(&self, path: &str) -> Option<OverviewFolder> {
        let language = self.languages.iter().max_by_key(|(_, count)| **count);
        Some(OverviewFolder {
            path: path.parse().ok()?,
            files: self.files,
            language: language.map(|(name, _)| (*name).to_owned()),
            about: self.about.as_ref().map(|(_, text)| shortened(text)),
        })
    }
}

/// A text up to the last whole word within the limit.
fn shortened(text: &str) -> String {
    if text.chars().count() <= MAX_ABOUT_CHARS {
        return text.to_owned();
    }
    let shown: String = text.chars().take(MAX_ABOUT_CHARS).collect();
    let end = shown.rfind(' ').unwrap_or(shown.len());
    format!("{}…", shown[..end].trim_end_matches([',', ';', ':']))
}

/// The rank of a file as a description of its folder; `None` if it does not describe it.
fn speaking_rank(inside: &[&str]) -> Option<usize> {
    const STEMS: [&str; 6] = ["lib", "mod", "__init__", "index", "main", "doc"];
    let (name, depth) = match inside {
        [name] => (*name, 0),
        ["src", name] => (*name, 1),
        _ => return None,
    };
    let stem = name.split('.').next().unwrap_or(name);
    if stem.eq_ignore_ascii_case("readme") {
        return Some(40 + depth);
    }
    STEMS.iter().position(|known| *known == stem).map(|at| at * 2 + depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_module_speaks_before_the_readme() {
        assert!(speaking_rank(&["src", "lib.rs"]) < speaking_rank(&["README.md"]));
        assert!(speaking_rank(&["mod.rs"]) < speaking_rank(&["main.rs"]));
        assert_eq!(speaking_rank(&["src", "deep", "lib.rs"]), None);
        assert_eq!(speaking_rank(&["walk.rs"]), None);
        let long = shortened(&"word, ".repeat(40));
        assert!(long.ends_with("word…") && long.chars().count() <= MAX_ABOUT_CHARS + 1, "{long}");
    }
}
