//! The traceability matrix: for each requirement and card, the scenarios, code and tests that
//! belong to it, and what is missing.

use std::collections::{BTreeMap, BTreeSet};

use base::{EntityRef, RepoPath, Result};
use cards::CardStatus;
use code::{SymbolEndpoint, SymbolRelation};
use kb::{KbEntityKind, KbRelationKind, KnownEntity};
use schemars::JsonSchema;
use serde::Serialize;
use syntax::is_test_file;

use super::evidence::{EvidenceReader, TestEvidence};
use super::graph::{SpecLink, SpecLinkKind};
use super::shared_reads::state_mark;
use super::state::{LinkState, SpecLinks, spec_links};
use crate::areas::code::named_node;
use crate::areas::kb::{KbState, kb_state};
use crate::view::View;

/// What a row of the matrix is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TraceKind {
    /// A requirement of the knowledge base
    Requirement,
    /// A card
    Card,
}

/// What a requirement or card lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TraceGap {
    /// No scenario describes it by an example
    Scenario,
    /// No code says that it implements it
    Code,
    /// No test checks it
    Test,
}

impl TraceGap {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Scenario => "no scenario",
            Self::Code => "no code",
            Self::Test => "no test",
        }
    }
}

/// Something that belongs to a requirement or card
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct MatrixEnd {
    /// Its handle
    pub node: EntityRef,
    /// Whether its link is confirmed; absent for what is linked through something else
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<LinkState>,
    /// What a test says about the code
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<TestEvidence>,
}

/// One requirement or card with what belongs to it
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TraceRow {
    /// What it is
    pub kind: TraceKind,
    /// Its handle
    pub node: EntityRef,
    /// Its title or summary
    pub title: String,
    /// Its status
    pub status: String,
    /// Its priority, for a requirement
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<&'static str>,
    /// Its tags
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The file that defines it; none for a record of a store
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<RepoPath>,
    /// The line in that file
    #[serde(skip)]
    pub line: u32,
    /// Scenarios that describe it by examples
    pub scenarios: Vec<MatrixEnd>,
    /// Cards that the same code links
    pub cards: Vec<EntityRef>,
    /// Code that implements it
    pub code: Vec<MatrixEnd>,
    /// Tests that check it
    pub tests: Vec<MatrixEnd>,
    /// How many of its links are suspect
    pub suspect: usize,
    /// How many of its links nobody confirmed
    pub unconfirmed: usize,
    /// What it lacks
    pub gaps: Vec<TraceGap>,
}

impl TraceRow {
    /// Whether a test passed since the code last changed, and none failed.
    pub fn is_verified(&self) -> bool {
        self.has_evidence(TestEvidence::Verified) && !self.has_evidence(TestEvidence::Failed)
    }

    /// Whether a test says this about the code.
    pub fn has_evidence(&self, wanted: TestEvidence) -> bool {
        self.tests.iter().any(|test| test.evidence == Some(wanted))
    }

    /// Whether it does not depend on objects that may be missing in git.
    fn is_final(&self) -> bool {
        let mut ends = self.scenarios.iter().chain(&self.code).chain(&self.tests);
        ends.all(|end| {
            end.state != Some(LinkState::NotChecked) && end.evidence != Some(TestEvidence::Outdated)
        })
    }
}

/// The cache key of the rows.
const CACHE_KEY: &str = "spec_links.matrix";

/// The whole matrix: requirements first, then cards, each by name. A server keeps it for later views
/// of the same state.
pub fn trace_matrix(view: &View) -> Result<Vec<TraceRow>> {
    let Some(mark) = state_mark(view)? else { return build_matrix(view) };
    if let Some(known) = view.cached_at::<Vec<TraceRow>>(CACHE_KEY, &mark) {
        return Ok(known.to_vec());
    }
    let rows = build_matrix(view)?;
    // An object that git does not have now may arrive later, without any other change.
    if rows.iter().all(TraceRow::is_final) {
        view.cache_at(CACHE_KEY, mark, rows.clone());
    }
    Ok(rows)
}

fn build_matrix(view: &View) -> Result<Vec<TraceRow>> {
    let known = kb_state(view)?;
    let links = spec_links(view)?;
    let reader = EvidenceReader::new(view);
    let results = results_by_code(&known);
    let runs = test_runs(&known);
    let builder = MatrixBuilder { view, known: &known, links: &links, results, runs, reader };
    let mut rows = Vec::new();
    for fact in known.model.facts().filter(|fact| fact.entity.kind == KbEntityKind::Req) {
        view.call().check_stopped()?;
        rows.push(builder.requirement(fact)?);
    }
    for card in cards::all_cards(view.index()?.conn())? {
        view.call().check_stopped()?;
        rows.push(builder.card(&card)?);
    }
    Ok(rows)
}

/// The status of a test that a report lists and that was not run.
const SKIPPED: &str = "skipped";

/// Results of tests that a report bound to their code, by that code: a symbol as `path#name`, or a file.
type ResultsByCode<'v> = BTreeMap<&'v str, Vec<&'v KnownEntity>>;

fn results_by_code(known: &KbState) -> ResultsByCode<'_> {
    let mut by_code = ResultsByCode::new();
    for fact in known.model.facts().filter(|fact| fact.entity.kind == KbEntityKind::Test) {
        if let Some(code) = &fact.entity.more.code {
            by_code.entry(plain_code(code)).or_default().push(fact);
        }
    }
    by_code
}

/// A reference to code without the word for its kind.
fn plain_code(code: &str) -> &str {
    let kinds = ["symbol:", "module:", "file:"];
    kinds.into_iter().find_map(|kind| code.strip_prefix(kind)).unwrap_or(code)
}

/// The test results of reports, by the commit that the tests ran on.
fn test_runs(known: &KbState) -> BTreeMap<&str, TestRun> {
    let mut runs: BTreeMap<&str, TestRun> = BTreeMap::new();
    for fact in known.model.facts().filter(|fact| fact.entity.kind == KbEntityKind::Test) {
        let Some(commit) = &fact.entity.more.commit else { continue };
        let run = runs.entry(commit.as_str()).or_default();
        run.has_passed |= fact.entity.status == "passing";
        run.has_failed |= fact.entity.status == "failing";
    }
    runs
}

/// The results of one run.
#[derive(Debug, Clone, Copy, Default)]
struct TestRun {
    has_passed: bool,
    has_failed: bool,
}

struct MatrixBuilder<'v> {
    view: &'v View<'v>,
    known: &'v KbState,
    links: &'v SpecLinks,
    results: ResultsByCode<'v>,
    runs: BTreeMap<&'v str, TestRun>,
    reader: EvidenceReader<'v>,
}

impl MatrixBuilder<'_> {
    fn requirement(&self, fact: &KnownEntity) -> Result<TraceRow> {
        let entity = &fact.entity;
        let node: EntityRef =
            format!("kb:{}", entity.id).parse().map_err(base::Problem::internal)?;
        let origin = fact.origin.file();
        let row = TraceRow {
            kind: TraceKind::Requirement,
            node,
            title: entity.title.clone(),
            status: entity.status.clone(),
            priority: entity.more.priority.map(kb::RequirementPriority::word),
            tags: entity.more.tags.clone(),
            path: origin.map(|(path, _)| path.clone()),
            line: origin.map_or(1, |(_, line)| line),
            scenarios: Vec::new(),
            cards: Vec::new(),
            code: Vec::new(),
            tests: Vec::new(),
            suspect: 0,
            unconfirmed: 0,
            gaps: Vec::new(),
        };
        let mut row = self.filled(row)?;
        let is_must = entity.more.priority == Some(kb::RequirementPriority::Must);
        row.gaps = match entity.status.as_str() {
            "deprecated" => Vec::new(),
            "closed" => missing(&row, [is_must, true, true]),
            "in_progress" => missing(&row, [is_must, true, false]),
            _ => missing(&row, [is_must, false, false]),
        };
        Ok(row)
    }

    fn card(&self, card: &cards::CardRow) -> Result<TraceRow> {
        let row = TraceRow {
            kind: TraceKind::Card,
            node: EntityRef::Card(card.key.clone()),
            title: card.summary.clone(),
            status: card.status.to_string(),
            priority: None,
            tags: card.tags.clone(),
            path: Some(card.path.clone()),
            line: card.lines[0],
            scenarios: Vec::new(),
            cards: Vec::new(),
            code: Vec::new(),
            tests: Vec::new(),
            suspect: 0,
            unconfirmed: 0,
            gaps: Vec::new(),
        };
        let mut row = self.filled(row)?;
        row.gaps = match card.status {
            CardStatus::Draft | CardStatus::Deprecated => Vec::new(),
            CardStatus::Accepted | CardStatus::Implementing => missing(&row, [false, true, false]),
            CardStatus::Implemented => missing(&row, [false, true, true]),
        };
        Ok(row)
    }

    /// Adds what the links of a row lead to.
    fn filled(&self, mut row: TraceRow) -> Result<TraceRow> {
        let own: Vec<&SpecLink> = self.links.links_at(&row.node).collect();
        let mut tests: BTreeMap<EntityRef, MatrixEnd> = BTreeMap::new();
        for link in own {
            let state = self.links.status(self.view, link)?.state;
            row.suspect += usize::from(state == LinkState::Suspect);
            row.unconfirmed += usize::from(state == LinkState::Unconfirmed);
            let other = if link.from == row.node { &link.to } else { &link.from };
            let end = MatrixEnd { node: other.clone(), state: Some(state), evidence: None };
            match link.kind {
                SpecLinkKind::Relation(KbRelationKind::SpecifiedBy) => row.scenarios.push(end),
                SpecLinkKind::Relation(KbRelationKind::VerifiedBy) => {
                    tests.insert(other.clone(), end);
                }
                _ if other.path().is_some_and(is_test_file) => {
                    tests.insert(other.clone(), end);
                }
                _ if self.is_code(other) => row.code.push(end),
                _ => {}
            }
        }
        let documents: Vec<EntityRef> = tests.keys().cloned().collect();
        for document in &documents {
            for end in self.code_of_test(document)? {
                row.suspect += usize::from(end.state == Some(LinkState::Suspect));
                row.unconfirmed += usize::from(end.state == Some(LinkState::Unconfirmed));
                tests.entry(end.node.clone()).or_insert(end);
            }
        }
        let code: Vec<EntityRef> = row.code.iter().map(|end| end.node.clone()).collect();
        row.cards = self.cards_at(&row.node, &code);
        for node in &code {
            for test in tests_of(self.view, node)? {
                tests.entry(test.clone()).or_insert(MatrixEnd {
                    node: test,
                    state: None,
                    evidence: None,
                });
            }
        }
        for (node, mut end) in tests {
            end.evidence = Some(self.evidence(&node, &code)?);
            row.tests.push(end);
        }
        row.tests.sort_by(|a, b| (a.evidence, &a.node).cmp(&(b.evidence, &b.node)));
        Ok(row)
    }

    /// Whether an end of a link is code, or an entity that stands for code.
    fn is_code(&self, end: &EntityRef) -> bool {
        let EntityRef::Kb(id) = end else { return true };
        let fact = self.known.model.get(id.as_str());
        fact.is_some_and(|fact| fact.entity.kind == KbEntityKind::Symbol)
    }

    /// The code that the document of a test names, with the state of that link.
    fn code_of_test(&self, document: &EntityRef) -> Result<Vec<MatrixEnd>> {
        let own = self.links.links_at(document);
        let own = own.filter(|link| link.kind == SpecLinkKind::Code && link.from == *document);
        let end = |link: &SpecLink| {
            let state = Some(self.links.status(self.view, link)?.state);
            Ok::<_, base::Problem>(MatrixEnd { node: link.to.clone(), state, evidence: None })
        };
        own.map(end).collect()
    }

    /// The other cards that some code links.
    fn cards_at(&self, own: &EntityRef, code: &[EntityRef]) -> Vec<EntityRef> {
        let near =
            code.iter().flat_map(|node| self.links.links_at(node).filter(|l| l.from == *node));
        let sees = near.filter(|link| link.kind == SpecLinkKind::See && link.to != *own);
        let cards: BTreeSet<&EntityRef> = sees.map(|link| &link.to).collect();
        cards.into_iter().cloned().collect()
    }

    /// What a test says about the code of a row: the worst of its results. A skipped result beside
    /// others does not count, and neither does a document that no report mentions.
    fn evidence(&self, test: &EntityRef, code: &[EntityRef]) -> Result<TestEvidence> {
        let mut results = match test {
            EntityRef::Kb(id) => self.results_of_entity(id.as_str()),
            node => self.imported_results(node),
        };
        if results.iter().any(|fact| fact.entity.status != SKIPPED) {
            results.retain(|fact| fact.entity.status != SKIPPED);
        }
        let mut worst = None;
        for fact in results {
            let said = match self.covering_run(fact) {
                Some(commit) => self.reader.passed_on(commit, code)?,
                None => self.reader.evidence(&fact.entity, code)?,
            };
            worst = worst.max(Some(said).filter(|said| *said != TestEvidence::Present));
        }
        Ok(worst.unwrap_or(TestEvidence::Present))
    }

    /// A test of the knowledge base, with the results of the code that it names.
    fn results_of_entity(&self, id: &str) -> Vec<&KnownEntity> {
        let Some(fact) = self.known.model.get(id) else { return Vec::new() };
        let code = fact.entity.more.code.as_deref();
        let of_code = code.and_then(|code| self.results.get(plain_code(code)));
        let others = of_code.into_iter().flatten().copied().filter(|other| other.entity.id != id);
        std::iter::once(fact).chain(others).collect()
    }

    /// The commit of the run that a coverage report is of, if results of that run say that all of it passed. A
    /// coverage report itself says what was executed and not whether it passed.
    fn covering_run<'f>(&self, fact: &'f KnownEntity) -> Option<&'f str> {
        let commit = fact.entity.more.commit.as_deref()?;
        let is_coverage = fact.entity.more.kind.as_deref() == Some(kb::COVERAGE_KIND);
        let run = self.runs.get(commit).filter(|_| is_coverage)?;
        (run.has_passed && !run.has_failed).then_some(commit)
    }

    /// The results that reports bound to a test, or to the tests of a file.
    fn imported_results(&self, node: &EntityRef) -> Vec<&KnownEntity> {
        match node {
            EntityRef::Symbol(path, name) => self
                .results
                .get(format!("{path}#{name}").as_str())
                .into_iter()
                .flatten()
                .copied()
                .collect(),
            EntityRef::Module(path) | EntityRef::File(path) => {
                let path = path.to_string();
                let is_own = |rest: &str| rest.is_empty() || rest.starts_with('#');
                let near = self.results.range(path.as_str()..);
                let near = near.take_while(|(code, _)| code.starts_with(&path));
                let own = near.filter(|(code, _)| is_own(&code[path.len()..]));
                own.flat_map(|(_, results)| results).copied().collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The tests that cover a node by a relation, call it, or are in the test file beside it.
pub fn tests_of(view: &View, node: &EntityRef) -> Result<Vec<EntityRef>> {
    let mut tests = BTreeSet::new();
    let covered = SpecLinkKind::Relation(KbRelationKind::CoveredBy);
    let links = spec_links(view)?;
    let by_relation = links.links_at(node).filter(|l| l.kind == covered && l.from == *node);
    tests.extend(by_relation.map(|link| link.to.clone()));
    let conn = view.index()?.conn();
    let calls = [SymbolRelation::Calls, SymbolRelation::Uses];
    let (path, names) = match node {
        EntityRef::Symbol(path, name) => (path, vec![name.to_string()]),
        EntityRef::Module(path) => {
            let symbols = code::symbols_in_file(conn, path)?;
            let beside = symbols.iter().filter(|row| row.is_test && row.kind == "function");
            tests.extend(beside.map(|row| named_node(path, &row.full)));
            let own = symbols.iter().filter(|row| row.exported && !row.is_test);
            (path, own.map(|row| row.full.clone()).collect())
        }
        _ => return Ok(tests.into_iter().collect()),
    };
    let ends: Vec<_> = names.iter().map(|name| SymbolEndpoint::new(path, name)).collect();
    for edge in code::edges_to(conn, &ends, &calls)? {
        let (from, name) = edge.from;
        let is_test = match is_test_file(&from) {
            true => true,
            false => code::symbol(conn, &from, &name)?.is_some_and(|row| row.is_test),
        };
        if is_test {
            tests.insert(match name.as_str() {
                "" => crate::areas::files::file_node(&from),
                name => named_node(&from, name),
            });
        }
    }
    Ok(tests.into_iter().collect())
}

fn missing(row: &TraceRow, [scenario, code, test]: [bool; 3]) -> Vec<TraceGap> {
    let all = [
        (scenario && row.scenarios.is_empty(), TraceGap::Scenario),
        (code && row.code.is_empty(), TraceGap::Code),
        (test && row.tests.is_empty(), TraceGap::Test),
    ];
    all.into_iter().filter(|(is_missing, _)| *is_missing).map(|(_, gap)| gap).collect()
}
