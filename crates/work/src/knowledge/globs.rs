//! Path patterns of atoms: how they are checked, and one matcher for all of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use base::{Problem, ProblemCode, Result, text_type};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use store::Connection;

use crate::id::WorkRecordId;
use crate::tables;

/// The most patterns of one atom.
pub const MAX_PATTERNS: usize = 20;

/// The characters that make a pattern more than a path.
const WILDCARDS: [char; 5] = ['*', '?', '[', '{', '\\'];

/// The longest pattern, in characters.
const MAX_PATTERN_CHARS: usize = 512;

text_type!(
    /// A glob of paths from the root of the repository; `*` stays within one folder.
    PathGlob,
    |text| check(&normalised(text))
);

impl PathGlob {
    /// The stored form of the pattern: `/` between folders, and no leading `./`.
    pub fn normalised(&self) -> String {
        normalised(self.as_str())
    }
}

fn normalised(text: &str) -> String {
    let text = text.trim().replace('\\', "/");
    let mut text = text.as_str();
    while let Some(rest) = text.strip_prefix("./") {
        text = rest;
    }
    // A folder stands for everything in it.
    match text.strip_suffix('/') {
        Some(folder) if !folder.is_empty() => format!("{folder}/**"),
        _ => text.to_owned(),
    }
}

fn check(text: &str) -> Result<(), String> {
    let shown = text.escape_debug();
    let drive = text.as_bytes().get(1) == Some(&b':');
    match text.chars().count() {
        0 => Err("a pattern must not be empty".into()),
        long if long > MAX_PATTERN_CHARS => {
            Err(format!("{long} characters are more than {MAX_PATTERN_CHARS}"))
        }
        _ if text.starts_with('/') || drive => Err(format!("`{shown}` is not relative")),
        _ if text.split('/').any(|part| part == "..") => {
            Err(format!("`{shown}` leads out of its folder"))
        }
        _ if text.contains(char::is_control) => Err(format!("`{shown}` is not one line")),
        _ => build(text).map(drop),
    }
}

fn build(text: &str) -> Result<globset::Glob, String> {
    let built = GlobBuilder::new(text).literal_separator(true).build();
    built.map_err(|error| format!("`{text}` is not a glob: {}", error.kind()))
}

/// The stored forms of the patterns of an atom. An atom needs at least one.
pub fn checked_patterns(patterns: &[PathGlob]) -> Result<Vec<String>> {
    if patterns.len() > MAX_PATTERNS {
        let what = format!("{} patterns are more than {MAX_PATTERNS}", patterns.len());
        return Err(Problem::invalid(what));
    }
    if patterns.is_empty() {
        return Err(Problem::new(
            ProblemCode::InvariantViolation,
            "an atom needs at least one path",
        )
        .hint("for example  src/auth/**"));
    }
    let mut kept: Vec<String> = Vec::new();
    for pattern in patterns.iter().map(PathGlob::normalised) {
        if !kept.contains(&pattern) {
            kept.push(pattern);
        }
    }
    Ok(kept)
}

/// The patterns of every atom as one matcher.
///
/// Patterns are grouped by the literal folder that they start with, and each group is compiled when it is
/// first needed. So a path is matched against the groups of the folders above it, and not against each
/// atom or each pattern.
#[derive(Debug, Default)]
pub struct AtomMatcher {
    folders: HashMap<String, FolderGlobs>,
    projects: BTreeMap<WorkRecordId, WorkRecordId>,
}

#[derive(Debug, Default)]
struct FolderGlobs {
    patterns: Vec<(WorkRecordId, String)>,
    compiled: OnceLock<GlobSet>,
}

impl AtomMatcher {
    /// Reads the patterns of all atoms.
    pub fn load(conn: &Connection) -> Result<Self> {
        Self::of_rows(tables::patterns(conn)?)
    }

    /// Like [`Self::load`], from the rows of [`tables::patterns`].
    pub fn of_rows(rows: Vec<(String, String, String)>) -> Result<Self> {
        let mut matcher = Self::default();
        for (id, project, paths) in rows {
            let id = WorkRecordId::try_from(id).map_err(Problem::internal)?;
            let project = WorkRecordId::try_from(project).map_err(Problem::internal)?;
            let paths: Vec<String> = serde_json::from_str(&paths).unwrap_or_default();
            matcher.add(&id, &paths);
            matcher.projects.insert(id, project);
        }
        Ok(matcher)
    }

    /// A matcher for the patterns of some records.
    pub fn of(records: impl Iterator<Item = (WorkRecordId, Vec<String>)>) -> Self {
        let mut matcher = Self::default();
        records.for_each(|(id, patterns)| matcher.add(&id, &patterns));
        matcher
    }

    fn add(&mut self, id: &WorkRecordId, patterns: &[String]) {
        for pattern in patterns {
            for pattern in braces(pattern) {
                let folder = self.folders.entry(literal_folder(&pattern).to_owned()).or_default();
                folder.patterns.push((id.clone(), pattern));
            }
        }
    }

    /// The atoms whose patterns match a path, of one project or of all, by id.
    pub fn matching(&self, path: &str, project: Option<&WorkRecordId>) -> BTreeSet<&WorkRecordId> {
        let mut found = BTreeSet::new();
        let cuts = path.match_indices('/').map(|(at, _)| &path[..at]);
        for folder in std::iter::once("").chain(cuts) {
            let Some(folder) = self.folders.get(folder) else { continue };
            let hits = folder.compiled().matches(path).into_iter();
            found.extend(hits.map(|at| &folder.patterns[at].0));
        }
        found.retain(|id| project.is_none_or(|one| self.projects.get(*id) == Some(one)));
        found
    }
}

/// A list of patterns, compiled together. Most patterns name a file or everything below a folder, which costs
/// nothing to compile.
#[derive(Debug)]
pub struct GlobList {
    files: Vec<String>,
    folders: Vec<String>,
    globs: Option<GlobSet>,
}

impl GlobList {
    /// Compiles them together.
    pub fn of(patterns: &[String]) -> Self {
        let is_plain = |text: &str| !text.contains(WILDCARDS);
        let (mut files, mut folders, mut globs) = (Vec::new(), Vec::new(), Vec::new());
        for pattern in patterns {
            match pattern.strip_suffix("/**") {
                Some(folder) if !folder.is_empty() && is_plain(folder) => {
                    folders.push(format!("{folder}/"));
                }
                _ if is_plain(pattern) => files.push(pattern.clone()),
                _ => globs.push(pattern.as_str()),
            }
        }
        let globs = (!globs.is_empty()).then(|| compile(globs.into_iter()));
        Self { files, folders, globs }
    }

    /// Whether any of them matches a path.
    pub fn matches(&self, path: &str) -> bool {
        let is_below = |folder: &String| path.len() > folder.len() && path.starts_with(folder);
        self.files.iter().any(|file| file == path)
            || self.folders.iter().any(is_below)
            || self.globs.as_ref().is_some_and(|globs| globs.is_match(path))
    }
}

fn compile<'a>(patterns: impl Iterator<Item = &'a str>) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        // Patterns that do not compile are refused when they are written. One that exists anyway
        // matches nothing.
        let nothing = || GlobBuilder::new("").build();
        if let Some(glob) = build(pattern).ok().or_else(|| nothing().ok()) {
            set.add(glob);
        }
    }
    set.build().unwrap_or_default()
}

impl FolderGlobs {
    fn compiled(&self) -> &GlobSet {
        self.compiled.get_or_init(|| compile(self.patterns.iter().map(|(_, text)| text.as_str())))
    }
}

/// The folders that patterns name before their first wildcard. Every match is below one of them.
pub fn literal_folders(patterns: &[String]) -> BTreeSet<String> {
    let single = patterns.iter().flat_map(|pattern| braces(pattern));
    single.map(|pattern| literal_folder(&pattern).to_owned()).collect()
}

/// The folder that a pattern names: its path components before the first wildcard.
fn literal_folder(pattern: &str) -> &str {
    let wild = pattern.find(WILDCARDS).unwrap_or(pattern.len());
    pattern[..wild].rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A pattern whose first wildcard is a brace names one folder for each choice.
fn braces(pattern: &str) -> Vec<String> {
    let whole = || vec![pattern.to_owned()];
    let Some(open) = pattern.find(WILDCARDS) else { return whole() };
    let Some(close) = pattern[open..].find('}').map(|at| open + at) else { return whole() };
    let inner = &pattern[open + 1..close];
    if !pattern[open..].starts_with('{') || inner.contains(['{', '[', '\\']) {
        return whole();
    }
    let choice = |choice: &str| format!("{}{choice}{}", &pattern[..open], &pattern[close + 1..]);
    inner.split(',').map(choice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, path: &str) -> bool {
        let id = WorkRecordId::try_from("00000000-0000-7000-8000-000000000001".to_owned()).unwrap();
        let patterns = vec![pattern.parse::<PathGlob>().unwrap().normalised()];
        let alone = GlobList::of(&patterns).matches(path);
        let matcher = AtomMatcher::of([(id, patterns)].into_iter());
        assert_eq!(matcher.matching(path, None).len(), usize::from(alone), "both agree");
        alone
    }

    #[test]
    fn stars_stay_in_their_folder() {
        for (pattern, path, expected) in [
            ("src/pages/checkout/**", "src/pages/checkout/deep/a.tsx", true),
            ("src/pages/checkout/**", "src/pages/checkouts/a.tsx", false),
            ("src/payments/stripe-*.ts", "src/payments/stripe-a.ts", true),
            ("src/payments/stripe-*.ts", "src/payments/stripe-x/a.ts", false),
            ("src/*.ts", "src/deep/a.ts", false),
            ("src/shared/email-client.ts", "src/shared/email-client.ts", true),
            ("**/*.rs", "a.rs", true),
            ("**/*.rs", "deep/er/a.rs", true),
            ("*.rs", "deep/a.rs", false),
            ("./src\\auth\\**", "src/auth/a.ts", true),
            ("src/{auth,pay}/*.ts", "src/pay/a.ts", true),
            ("src/{auth,pay}/*.ts", "src/other/a.ts", false),
            ("src/auth/", "src/auth/a.ts", true),
            ("src/auth/**", "src/auth", false),
            ("src/auth/**", "src/auth/deep/er/a.ts", true),
            ("src/auth", "src/auth/a.ts", false),
            ("**", "src/a.ts", true),
            ("src/[ab]*/x", "src/bc/x", true),
            ("docs/a b.md", "docs/a b.md", true),
        ] {
            assert_eq!(fits(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for bad in ["", " ", "/etc/**", "../x", "a/../b", "..\\x", "C:\\x", "[a", "a/{b", "a\nb"] {
            assert!(bad.parse::<PathGlob>().is_err(), "{bad}");
        }
        assert!("x".repeat(513).parse::<PathGlob>().is_err());
    }
}
