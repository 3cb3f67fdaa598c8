//! `kb.import`: imports reports of test runners, coverage tools and indexers.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use base::words::counted;
use base::{Problem, RepoPath, Result};
use clap::Args;
use kb::{Changeset, Deletion, ImportedReport, ReportImporter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::{Language, LanguageKind, SymbolKind, is_test_file};

use engine::areas::files;
use engine::areas::kb::answer_rows::KbChangeAnswer;
use engine::areas::kb::{ChangeLabel, ParsedChangeset, STORE, plan_changeset};
use engine::contract::args::Words;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::schema_choices;
use engine::index::tables;
use engine::plan::Plan;
use engine::view::View;

/// Import test results (`JUnit` XML), coverage (lcov, Cobertura) or an index (SCIP)
///
/// A new import of a report replaces the previous one; other data stays. Each test records when and
/// on which commit it ran.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbImport {
    /// Report file in the repository
    pub path: String,
    /// Format of the report; detected if left out
    #[arg(long)]
    #[serde(default)]
    #[schemars(schema_with = "schema_choices::report_format")]
    pub format: Option<String>,
    /// Commit that the tests ran on; the checked-out one if left out
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub commit: Option<Words>,
}

impl Mutation for KbImport {
    const NAME: &'static str = "kb.import";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "target/junit.xml", shows: "test results" },
        OpExample { args: "coverage/lcov.info --format lcov", shows: "which code tests cover" },
    ];
    type Answer = KbChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<KbChangeAnswer>> {
        let missing = || Problem::not_found(format!("there is no file {}", self.path));
        let mut paths = view.paths().resolve(&self.path)?.into_iter();
        let read = paths.find_map(|path| Some((view.tree().read(&path).ok()??, path)));
        let (blob, path) = read.ok_or_else(missing)?;
        let importer = importer(self.format.as_deref(), &blob.bytes)?;
        let refused = |message| {
            Problem::invalid(format!("{path} cannot be read as {}: {message}", importer.name()))
        };
        let mut found =
            importer.import(&blob.bytes, &path.name(), &IndexedCode::new(view)).map_err(refused)?;
        self.add_run(view, &mut found)?;
        let (mut set, faults) = Changeset::parse(&found.entities, &found.relations, &[]);
        let source = format!("{}{}:{path}", kb::IMPORT_SOURCE, importer.name());
        set.source = Some(source.clone());
        set.delete = outdated(view, &set, &source)?;
        set.cascade = true;
        let label = ChangeLabel { action: "import", verb: "imported" };
        let mut plan = plan_changeset(view, ParsedChangeset { set, faults }, label)?;
        if found.unresolved > 0 {
            let warning = format!(
                "no code in the tree matches {} of the report",
                counted(found.unresolved, "part")
            );
            plan.answer.warnings.push(warning);
        }
        plan.answer.warnings.extend(self.edited_warning(view, &found)?);
        Ok(plan)
    }
}

impl KbImport {
    /// Sets the commit that each test ran on, and the time if the report has none.
    fn add_run(&self, view: &View, found: &mut ImportedReport) -> Result<()> {
        let Some(git) = view.git() else { return Ok(()) };
        let commit = match &self.commit {
            Some(commit) => Some(git.repo().resolve(view.call(), commit.as_str())?),
            None => git.head(view.call())?.commit,
        };
        let now = base::moment::to_the_second(&view.call().now.to_string());
        for entity in found.entities.iter_mut().filter(|entity| entity["type"] == "test") {
            if let Some(commit) = &commit {
                entity["commit"] = commit.to_string().into();
            }
            if entity["ran_at"].is_null() {
                entity["ran_at"] = now.clone().into();
            }
        }
        Ok(())
    }
}

impl KbImport {
    /// A warning that tests may not have run on the checked-out commit, if no commit was given and
    /// code was edited since.
    fn edited_warning(&self, view: &View, found: &ImportedReport) -> Result<Option<String>> {
        let has_tests = found.entities.iter().any(|entity| entity["type"] == "test");
        if self.commit.is_some() || !has_tests || view.git().is_none() {
            return Ok(None);
        }
        let is_code = |path: &RepoPath| {
            Language::from_path(path)
                .is_some_and(|language| language.descriptor().kind == LanguageKind::Code)
        };
        let edited = tables::edited_paths(view.index()?.conn())?;
        let files = edited.iter().filter(|path| is_code(path)).count();
        let differ = match files {
            0 => return Ok(None),
            1 => "1 file of code differs".to_owned(),
            files => format!("{files} files of code differ"),
        };
        Ok(Some(format!(
            "{differ} from the commit that the results are kept for, and what they cover counts as changed since: \
             commit and import again"
        )))
    }
}

fn importer(format: Option<&str>, bytes: &[u8]) -> Result<&'static dyn ReportImporter> {
    let names = || kb::IMPORTERS.iter().map(|importer| importer.name());
    let listed = names().collect::<Vec<_>>().join(", ");
    let found = kb::IMPORTERS.iter().find(|importer| match format {
        Some(format) => importer.name().eq_ignore_ascii_case(format),
        None => importer.recognizes(bytes),
    });
    found.copied().ok_or_else(|| match format {
        Some(format) => {
            Problem::invalid(format!("unknown report format `{format}`; the formats are {listed}"))
        }
        None => Problem::invalid("cannot detect the report format")
            .hint(format!("name the `format`, one of {listed}")),
    })
}

/// The place in messages for a deletion that is not in a payload.
const OLDER_IMPORT: &str = "an older import";

/// Deletions of what the previous import of the report wrote and the report no longer contains. A
/// test stays if others have added relations to it.
fn outdated(view: &View, set: &Changeset, source: &str) -> Result<Vec<Deletion>> {
    let Some(reading) = view.store(STORE)? else { return Ok(Vec::new()) };
    let keys: BTreeSet<_> = set.relations.iter().map(|patch| patch.key.clone()).collect();
    let ids: BTreeSet<&str> = set.entities.iter().map(|patch| patch.id.as_str()).collect();
    let relations = kb::relations(&reading.conn)?;
    let mut deletions = Vec::new();
    for relation in relations.iter().filter(|relation| relation.source == source) {
        if !keys.contains(&relation.key()) {
            let (path, key) = (OLDER_IMPORT.into(), relation.key());
            deletions.push(Deletion::Relation { path, key });
        }
    }
    let tied =
        |id: &str| relations.iter().any(|r| r.source != source && (r.from == id || r.to == id));
    for entity in kb::entities(&reading.conn)? {
        if entity.source == source && !ids.contains(entity.id.as_str()) && !tied(&entity.id) {
            let (path, id) = (OLDER_IMPORT.into(), entity.id);
            deletions.push(Deletion::Entity { path, id, if_version: None });
        }
    }
    Ok(deletions)
}

/// The code as the index knows it.
struct IndexedCode<'a, 'w> {
    view: &'a View<'w>,
    /// Test files that were looked for, by the name of a class or suite
    test_files: RefCell<BTreeMap<String, Option<RepoPath>>>,
}

impl<'a, 'w> IndexedCode<'a, 'w> {
    const fn new(view: &'a View<'w>) -> Self {
        Self { view, test_files: RefCell::new(BTreeMap::new()) }
    }

    /// The symbols around a line, the innermost first.
    fn symbols_around(&self, path: &RepoPath, line: u32) -> Option<Vec<code::SymbolRow>> {
        let mut rows = code::symbols_in_file(self.view.index().ok()?.conn(), path).ok()?;
        rows.retain(|row| row.line <= line && line <= row.end_line);
        rows.sort_by_key(|row| row.end_line - row.line);
        Some(rows)
    }

    fn find_test_file(&self, class: &str) -> Option<RepoPath> {
        let paths = files::all_paths(self.view).ok()?;
        let tests: Vec<&RepoPath> = paths.iter().filter(|path| is_test_file(path)).collect();
        if let Some(path) = kb::CodeLookup::path(self, class).filter(|path| tests.contains(&path)) {
            return Some(path);
        }
        // The last parts may be names of classes in the file.
        let mut names: Vec<&str> = class.split('.').collect();
        while names.len() > 1 || (names.len() == 1 && !class.contains('.')) {
            let stem = names.join("/");
            let fits = |path: &&&RepoPath| {
                let text = path.to_string();
                let own = text.rsplit_once('.').map_or(text.as_str(), |(own, _)| own);
                own.strip_suffix(&stem).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            };
            let mut found = tests.iter().filter(fits);
            if let (Some(only), None) = (found.next(), found.next()) {
                return Some((*only).clone());
            }
            names.pop();
        }
        None
    }
}

fn has_kind(row: &code::SymbolRow, is_wanted: impl Fn(SymbolKind) -> bool) -> bool {
    SymbolKind::ALL.into_iter().any(|kind| kind.name() == row.kind && is_wanted(kind))
}

impl kb::CodeLookup for IndexedCode<'_, '_> {
    fn path(&self, text: &str) -> Option<RepoPath> {
        let there = |path: &RepoPath| self.view.tree().stat_if_reachable(path).is_some();
        if let Some(path) = self.view.paths().candidates(text).into_iter().find(there) {
            return Some(path);
        }
        // A report from another machine has a different prefix before the same path.
        let text = text.replace('\\', "/");
        let ends = text.match_indices('/').map(|(at, _)| &text[at + 1..]);
        ends.filter_map(|end| end.parse().ok()).find(there)
    }

    fn test_file(&self, class: &str) -> Option<RepoPath> {
        if class.is_empty() {
            return None;
        }
        let known = self.test_files.borrow().get(class).cloned();
        known.unwrap_or_else(|| {
            let found = self.find_test_file(class);
            self.test_files.borrow_mut().insert(class.to_owned(), found.clone());
            found
        })
    }

    fn at(&self, path: &RepoPath, line: u32) -> Option<String> {
        let rows = self.symbols_around(path, line)?;
        Some(engine::areas::code::handle(path, &rows.first()?.full))
    }

    fn executed(&self, path: &RepoPath, line: u32) -> Option<String> {
        let is_first = |row: &&code::SymbolRow| {
            has_kind(row, SymbolKind::is_callable) && row.line == line && row.line < row.end_line
        };
        let rows = self.symbols_around(path, line)?;
        let ran = rows.iter().find(|row| !is_first(row))?;
        let is_type = has_kind(ran, SymbolKind::is_type);
        (!is_type).then(|| engine::areas::code::handle(path, &ran.full))
    }

    fn named(&self, path: &RepoPath, name: &str) -> Option<String> {
        let conn = self.view.index().ok()?.conn();
        let last = name.rsplit([':', '.', ' ']).next().unwrap_or(name);
        // A report names tests as its tool does; a name that matches several tests is ignored.
        let whole = code::symbols_named(conn, path, name).ok()?;
        let found = match whole.is_empty() {
            true => code::symbols_named(conn, path, last).ok()?,
            false => whole,
        };
        let [only] = found.as_slice() else { return None };
        Some(engine::areas::code::handle(path, &only.full))
    }
}
