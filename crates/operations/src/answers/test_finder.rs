//! Which tests to run for some code. One finder serves every answer that names tests: call edges
//! first, then tests with the file's name, tests whose text names a symbol, and tests that usually
//! change with the file. Each test file says how it was found.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::entity::own_name;
use base::words::counted;
use base::{EntityRef, RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;

use syntax::{declares_no_test, is_named_as_test, tested_stem};

use super::role::is_test_file;
use super::source::SourceText;
use crate::locate;
use engine::areas::files;
use engine::areas::history::HistoryReader;
use engine::graph::EdgeFilter;
use engine::graph::walk::{WalkKind, WalkOptions, walk_from};
use engine::search::words;
use engine::view::View;

/// Maximum number of calls between a test and the code.
pub(super) const CALL_HOPS: usize = 3;

/// The edges that lead from code to its tests.
const EDGES: [&str; 4] = ["code.calls", "code.uses", "code.extends", "code.implements"];

/// Number of test files above which a name in their text is ignored, because it is too common.
const MAX_FILES_WITH_NAME: usize = 40;

/// Minimum length of a name; shorter names are in every file.
const MIN_NAME_LENGTH: usize = 4;

/// Number of symbols above which they are not searched by name.
const MAX_NAMES: usize = 12;

/// Minimum number of common commits of a test and a file.
const MIN_SHARED_COMMITS: u64 = 3;

/// How many names of tests are kept per file.
const MAX_TESTS_PER_FILE: usize = 5;

/// A file with tests for some code, and how it was found
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TestFile {
    /// The file
    pub path: RepoPath,
    /// How many calls away the nearest of its tests is
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hops: Option<usize>,
    /// Tests in it that reach the code, nearest first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// Whether it is named after the code's file
    pub same_stem: bool,
    /// The word of the code's name that it is named after
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_after: Option<String>,
    /// Names of the code in its text, each with its count
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<NameCount>,
    /// In how many commits it changed together with the code
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits_together: Option<u64>,
}

/// A name in the text of a test file
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct NameCount {
    /// The name
    pub name: String,
    /// How often it occurs in the file
    pub count: usize,
}

/// How tests were searched for, for an answer that found none.
pub(crate) const SEARCH_METHODS: &str =
    "searched by calls up to 3 deep, file name, names in the text, common commits";

impl TestFile {
    fn new(path: RepoPath) -> Self {
        Self {
            path,
            hops: None,
            tests: Vec::new(),
            same_stem: false,
            named_after: None,
            names: Vec::new(),
            commits_together: None,
        }
    }

    /// Score of the file, comparable within one answer.
    pub(crate) fn score(&self) -> f64 {
        let calls = match self.hops {
            Some(0 | 1) => 4.0,
            Some(2) => 2.5,
            Some(_) => 1.0,
            None => 0.0,
        };
        let stem = match (self.same_stem, &self.named_after) {
            (_, Some(_)) => 2.0,
            (true, None) => 1.5,
            (false, None) => 0.0,
        };
        let named =
            |one: &NameCount| 2.0 + 0.1 * f64::from(u8::try_from(one.count).unwrap_or(20).min(20));
        let names: f64 = self.names.iter().take(3).map(named).sum();
        let together =
            self.commits_together.map_or(0.0, |count| if count >= 8 { 2.0 } else { 1.0 });
        calls + stem + names + together
    }

    /// How it was found, in a few words.
    pub(crate) fn found_by_text(&self) -> String {
        let mut parts = Vec::new();
        match self.hops {
            Some(0 | 1) => parts.push("calls it".to_owned()),
            Some(hops) => parts.push(format!("reaches it in {hops} calls")),
            None => {}
        }
        if !self.names.is_empty() {
            let names: Vec<&str> = self.names.iter().take(3).map(|one| one.name.as_str()).collect();
            let count: usize = self.names.iter().map(|one| one.count).sum();
            parts.push(format!("names {} ({})", names.join(", "), counted(count, "time")));
        }
        if self.same_stem {
            parts.push("same name".to_owned());
        } else if let Some(word) = &self.named_after {
            parts.push(format!("named after `{word}`"));
        }
        if let Some(count) = self.commits_together {
            parts.push(format!("changed with it in {}", counted(count, "commit")));
        }
        parts.join(", ")
    }
}

/// The test files for some symbols or modules, best first.
pub(crate) fn tests_for(view: &View, targets: &[EntityRef]) -> Result<Vec<TestFile>> {
    let mut found = Finder { view, files: BTreeMap::new() };
    found.by_calls(targets)?;
    let own: BTreeSet<&RepoPath> = targets.iter().filter_map(EntityRef::path).collect();
    found.by_stem(&own)?;
    found.by_name(targets)?;
    found.by_commits(&own)?;
    found.by_word(targets);
    found.without_helpers()?;
    let mut files: Vec<TestFile> = found.files.into_values().collect();
    files.sort_by(|a, b| b.score().total_cmp(&a.score()).then_with(|| a.path.cmp(&b.path)));
    Ok(files)
}

/// From this number of nodes on, all tests are read at once instead of one query for each node.
const MANY_LOOKUPS: usize = 500;

/// Which nodes are tests.
pub(super) struct TestNodes<'v> {
    view: &'v View<'v>,
    /// All test symbols by file, if they were read at once
    all: Option<Arc<BTreeMap<RepoPath, BTreeSet<String>>>>,
}

impl<'v> TestNodes<'v> {
    /// Prepared for this number of lookups.
    pub(super) fn for_lookups(view: &'v View<'v>, lookups: usize) -> Result<Self> {
        let read = || code::test_symbols(view.index()?.conn());
        let all = match lookups > MANY_LOOKUPS {
            true => Some(view.cached_for_index("answers.test_symbols", read)?),
            false => None,
        };
        Ok(Self { view, all })
    }

    /// Whether a node is a test or part of one.
    pub(super) fn contains(&self, node: &EntityRef) -> Result<bool> {
        let (path, name) = match node {
            EntityRef::Symbol(path, name) => (path, name.as_str()),
            EntityRef::Module(path) => return Ok(is_test_file(path)),
            _ => return Ok(false),
        };
        if is_test_file(path) {
            return Ok(true);
        }
        if let Some(all) = &self.all {
            Ok(all.get(path).is_some_and(|names| names.contains(name)))
        } else {
            let row = code::symbol(self.view.index()?.conn(), path, name)?;
            Ok(row.is_some_and(|row| row.is_test))
        }
    }
}

/// The edges that are followed from code to its tests.
pub(super) fn call_edges() -> EdgeFilter {
    EdgeFilter { names: EDGES.map(ToOwned::to_owned).to_vec(), ..EdgeFilter::default() }
}

/// Whether a test is named after a file.
pub(super) fn has_test_by_stem(view: &View, path: &RepoPath) -> Result<bool> {
    let tests = view.cached_for_view(|| TestStems::read(view))?;
    Ok(tests.by_stem.contains_key(&tested_stem(path)))
}

/// Whether a test usually changes with a file.
pub(super) fn has_test_by_commits(view: &View, path: &RepoPath) -> Result<bool> {
    let Some(history) = HistoryReader::open_if_ready(view)? else { return Ok(false) };
    let Some(artifact) = history.artifact_at(path)? else { return Ok(false) };
    for one in history.frequent_partners(artifact.id, MIN_SHARED_COMMITS, usize::MAX)? {
        if is_test_code(&one.path) && files::is_there(view, &one.path)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The test files of a repository.
struct TestStems {
    by_stem: BTreeMap<String, Vec<RepoPath>>,
    /// The folders where tests are named as such
    folders: BTreeSet<RepoPath>,
}

impl TestStems {
    fn read(view: &View) -> Result<Self> {
        let mut by_stem: BTreeMap<String, Vec<RepoPath>> = BTreeMap::new();
        let mut folders = BTreeSet::new();
        for path in files::all_paths(view)?.into_iter().filter(is_test_code) {
            if is_named_as_test(&path) {
                folders.extend(path.parent());
            }
            by_stem.entry(tested_stem(&path)).or_default().push(path);
        }
        Ok(Self { by_stem, folders })
    }
}

struct Finder<'v, 'w> {
    view: &'v View<'w>,
    files: BTreeMap<RepoPath, TestFile>,
}

impl Finder<'_, '_> {
    fn file(&mut self, path: &RepoPath) -> &mut TestFile {
        self.files.entry(path.clone()).or_insert_with(|| TestFile::new(path.clone()))
    }

    /// Tests that call the code, directly or through others.
    fn by_calls(&mut self, targets: &[EntityRef]) -> Result<()> {
        let filter = call_edges();
        let mut start = targets.to_vec();
        for target in targets {
            for area in self.view.graph_areas() {
                start.extend(area.parts(self.view, target)?);
            }
        }
        let options = WalkOptions::new(WalkKind::Impact, CALL_HOPS, &filter);
        let reached = walk_from(self.view, &start, options)?.reached;
        let tests = TestNodes::for_lookups(self.view, reached.len())?;
        for one in reached {
            if !tests.contains(&one.node)? {
                continue;
            }
            let (path, name) = match &one.node {
                EntityRef::Symbol(path, name) => (path, own_name(name.as_str()).to_owned()),
                EntityRef::Module(path) => (path, String::new()),
                _ => continue,
            };
            let file = self.file(path);
            file.hops = Some(file.hops.map_or(one.distance, |hops| hops.min(one.distance)));
            if !name.is_empty()
                && file.tests.len() < MAX_TESTS_PER_FILE
                && !file.tests.contains(&name)
            {
                file.tests.push(name);
            }
        }
        Ok(())
    }

    /// Tests that are named after the code's files.
    fn by_stem(&mut self, own: &BTreeSet<&RepoPath>) -> Result<()> {
        let tests = self.view.cached_for_view(|| TestStems::read(self.view))?;
        for path in own.iter().filter(|path| !is_test_file(path)) {
            for test in tests.by_stem.get(&tested_stem(path)).into_iter().flatten() {
                self.file(test).same_stem = true;
            }
        }
        Ok(())
    }

    /// Tests whose text contains the name of a symbol.
    fn by_name(&mut self, targets: &[EntityRef]) -> Result<()> {
        let names: BTreeSet<&str> = targets.iter().filter_map(significant_name).collect();
        for name in names.into_iter().take(MAX_NAMES) {
            let mut naming = locate::files_with_words(self.view, name)?;
            naming.retain(is_test_code);
            if naming.len() > MAX_FILES_WITH_NAME {
                continue;
            }
            for path in naming {
                let Ok(text) = SourceText::read(self.view, &path) else { continue };
                let count = count_word(text.as_str(), name);
                if count > 0 {
                    self.file(&path).names.push(NameCount { name: name.to_owned(), count });
                }
            }
        }
        Ok(())
    }

    /// Which of the files that were found are named after a word of a symbol: `test_redirects.py` for
    /// `send_handling_redirects`.
    fn by_word(&mut self, targets: &[EntityRef]) {
        let names = targets.iter().filter_map(significant_name);
        let words: BTreeSet<String> = names.flat_map(telling_words).collect();
        for (path, file) in &mut self.files {
            let stem = telling_words(&tested_stem(path));
            file.named_after = stem.intersection(&words).next().cloned();
        }
    }

    /// Leaves out files that only help tests: those without a test, in a folder whose tests are named
    /// as such. The tests that use them are found through them.
    fn without_helpers(&mut self) -> Result<()> {
        let tests = self.view.cached_for_view(|| TestStems::read(self.view))?;
        let view = self.view;
        let is_helper = |path: &RepoPath| {
            let is_among_tests =
                path.parent().is_some_and(|folder| tests.folders.contains(&folder));
            let has_no_test = || {
                let text = SourceText::read(view, path);
                text.is_ok_and(|text| declares_no_test(path, text.as_str()))
            };
            is_among_tests && !is_named_as_test(path) && has_no_test()
        };
        self.files.retain(|path, _| !is_helper(path));
        Ok(())
    }

    /// Tests that usually change with the code's files.
    fn by_commits(&mut self, own: &BTreeSet<&RepoPath>) -> Result<()> {
        let Some(history) = HistoryReader::open_if_ready(self.view)? else { return Ok(()) };
        let mut seen: Vec<(RepoPath, u64)> = Vec::new();
        for path in own {
            let Some(artifact) = history.artifact_at(path)? else { continue };
            let often = history.frequent_partners(artifact.id, MIN_SHARED_COMMITS, usize::MAX)?;
            seen.extend(often.into_iter().map(|one| (one.path, one.partner.count)));
        }
        for (path, count) in seen {
            if is_test_code(&path) && files::is_there(self.view, &path)? {
                let file = self.file(&path);
                file.commits_together = file.commits_together.max(Some(count));
            }
        }
        Ok(())
    }
}

/// The words of a name that distinguish test files.
fn telling_words(name: &str) -> BTreeSet<String> {
    let words = words::words(name).into_iter().filter(|word| word.len() >= MIN_NAME_LENGTH);
    words.map(|word| word.trim_end_matches('s').to_owned()).collect()
}

/// Names of methods that say nothing about their class.
const COMMON_NAMES: [&str; 8] =
    ["constructor", "init", "new", "callback", "handler", "default", "index", "main"];

/// The name of a symbol, if it is long enough to be specific.
fn significant_name(node: &EntityRef) -> Option<&str> {
    let EntityRef::Symbol(_, name) = node else { return None };
    // A method that every class has is searched by the name of its class.
    let is_common = |name: &str| name.starts_with("__") || COMMON_NAMES.contains(&name);
    let mut parts = name.as_str().rsplit('.').map(|part| part.trim_end_matches("()"));
    let name = parts.find(|name| !is_common(name))?;
    (name.len() >= MIN_NAME_LENGTH).then_some(name)
}

/// Whether a test runner can run a file. Data for tests in SQL or another schema is not test code.
fn is_test_code(path: &RepoPath) -> bool {
    let can_run = |language: syntax::Language| {
        language.is_code() && language.descriptor().semantics.schema.is_none()
    };
    is_test_file(path) && syntax::Language::from_path(path).is_some_and(can_run)
}

/// How often a name is written as a whole word.
pub(crate) fn count_word(text: &str, name: &str) -> usize {
    word_offsets(text, name).count()
}

/// The first line that has a name as a whole word, from 1.
pub(crate) fn first_line_with_word(text: &str, name: &str) -> Option<usize> {
    let at = word_offsets(text, name).next()?;
    Some(text[..at].matches('\n').count() + 1)
}

fn word_offsets<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole = move |at: &usize| {
        let before = text[..*at].chars().next_back().is_some_and(is_part);
        let after = text[at + name.len()..].chars().next().is_some_and(is_part);
        !before && !after
    };
    text.match_indices(name).map(|(at, _)| at).filter(is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_count_as_names() {
        assert_eq!(count_word("isVNode(a) || isVNodes || my_isVNode, isVNode", "isVNode"), 2);
    }
}
