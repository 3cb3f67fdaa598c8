//! `code.diagnostics`: what linters and compilers find wrong.

use std::collections::BTreeMap;
use std::time::Duration;

use base::words::counted;
use base::{EntityRef, Hint, Problem, ProblemCode, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::Language;

use crate::language_server::{CheckReport, CheckRequest, Diagnostic, MissingServer, check};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, one_or_many};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, Render};
use engine::graph;
use engine::index::tables;
use engine::view::View;

/// How long a linter may take.
const TIMEOUT: Duration = Duration::from_mins(10);

/// Show what is wrong: lint findings and type errors
///
/// Lint rules by oxlint, eslint, clippy or ruff, types by them or the language server. The first
/// line says what was not checked, and why.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Diagnostics {
    /// Files and folders to check; the whole repository if left out
    #[serde(default, deserialize_with = "one_or_many")]
    pub paths: Vec<NodeTarget>,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// What was found
#[derive(Debug, Serialize, JsonSchema)]
pub struct DiagnosticsAnswer {
    /// How many errors
    pub errors: usize,
    /// How many warnings and notes
    pub warnings: usize,
    /// How many files were checked
    pub files: usize,
    /// Who checked, by language
    pub by: BTreeMap<String, String>,
    /// Languages that were not checked, and why
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unchecked: BTreeMap<String, UncheckedLanguage>,
    /// Checks that were left out for the other languages, and why
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
    /// Findings, by file and line
    pub diagnostics: Vec<Diagnostic>,
    /// False if no tool could lint TypeScript or JavaScript; absent otherwise
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oxlint_available: Option<bool>,
    /// How the rest can be checked
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
    #[serde(skip)]
    paging: Paging,
}

/// Why a language was not checked
#[derive(Debug, Serialize, JsonSchema)]
pub struct UncheckedLanguage {
    /// How many files were not checked
    pub files: usize,
    /// Why
    pub why: String,
    /// What would help
    pub hints: Vec<Hint>,
}

impl Query for Diagnostics {
    const NAME: &'static str = "code.diagnostics";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kart_diagnostics")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "src/app.ts", shows: "what is wrong with a file" }];
    type Answer = DiagnosticsAnswer;

    fn run(self, view: &View) -> Result<DiagnosticsAnswer> {
        let scopes = scopes(view, &self.paths)?;
        let files = by_language(view, &scopes)?;
        if files.is_empty() {
            return Err(Problem::not_found("no source files to check"));
        }
        let mut answer = DiagnosticsAnswer {
            errors: 0,
            warnings: 0,
            files: 0,
            by: BTreeMap::new(),
            unchecked: BTreeMap::new(),
            gaps: Vec::new(),
            diagnostics: Vec::new(),
            oxlint_available: None,
            hints: Vec::new(),
            paging: Paging { offset: 0, limit: 0, total: 0 },
        };
        let mut absences = Vec::new();
        for (language, files) in files {
            let wanted = CheckRequest { language, scopes: &scopes, files: &files };
            match check(view, &wanted, TIMEOUT)? {
                Ok(checked) => answer.add_report(language, files.len(), checked),
                Err(absent) => absences.push((language, files.len(), absent)),
            }
        }
        answer.add_unchecked(view, absences)?;
        answer.gaps.iter().for_each(|gap| view.mark_partial(gap));
        answer.diagnostics.sort();
        answer.diagnostics.dedup();
        let errors = answer.diagnostics.iter().filter(|one| one.severity == "error").count();
        (answer.errors, answer.warnings) = (errors, answer.diagnostics.len() - errors);
        let all = std::mem::take(&mut answer.diagnostics);
        (answer.diagnostics, answer.paging) = Paging::cut(all, self.offset, self.limit);
        Ok(answer)
    }
}

impl DiagnosticsAnswer {
    fn add_report(&mut self, language: Language, files: usize, checked: CheckReport) {
        self.files += files;
        self.by.insert(language.name().into(), checked.by());
        self.gaps.extend(checked.gaps(language));
        self.hints.extend(checked.hints);
        self.diagnostics.extend(checked.diagnostics);
    }

    /// Reports what was not checked: a problem if nothing was, otherwise a partial answer.
    fn add_unchecked(
        &mut self,
        view: &View,
        absences: Vec<(Language, usize, MissingServer)>,
    ) -> Result<()> {
        for (language, files, absent) in absences {
            // A missing permission is an error; a missing tool is part of the answer.
            if self.by.is_empty() && absent.code == ProblemCode::Untrusted {
                return Err(absent.into_problem());
            }
            if language.descriptor().tools.linters.iter().any(|linter| linter.name == "oxlint") {
                self.oxlint_available = Some(false);
            }
            view.mark_partial(format!("{} was not checked: {}", language.name(), absent.why));
            let unchecked = UncheckedLanguage { files, why: absent.why, hints: absent.hints };
            self.unchecked.insert(language.name().into(), unchecked);
        }
        Ok(())
    }
}

/// The files and folders that were named.
fn scopes(view: &View, targets: &[NodeTarget]) -> Result<Vec<RepoPath>> {
    if targets.is_empty() {
        return Ok(vec![RepoPath::ROOT]);
    }
    let path = |target: &NodeTarget| match graph::resolve(view, target)? {
        EntityRef::Dir(path)
        | EntityRef::Module(path)
        | EntityRef::File(path)
        | EntityRef::Symbol(path, _) => Ok(path),
        other => Err(Problem::invalid(format!("{other} is neither a file nor a folder"))),
    };
    targets.iter().map(path).collect()
}

/// The code at or below some paths. Dialects that share their tools count as one language.
fn by_language(view: &View, scopes: &[RepoPath]) -> Result<BTreeMap<Language, Vec<RepoPath>>> {
    let mut found: BTreeMap<Language, Vec<RepoPath>> = BTreeMap::new();
    for path in tables::all_files(view.index()?.conn())? {
        let is_wanted = scopes
            .iter()
            .any(|scope| scope.is_root() || path == *scope || path.is_at_or_below(scope));
        let language =
            Language::from_path(&path).filter(|language| is_wanted && language.is_code());
        if let Some(language) = language.map(Language::tool_language) {
            found.entry(language).or_default().push(path);
        }
    }
    Ok(found)
}

impl Render for DiagnosticsAnswer {
    fn render(&self, page: &mut Page) {
        let by: Vec<&str> = self.by.values().map(String::as_str).collect();
        let (by, files) = (by.join(", "), counted(self.files, "file"));
        let unchecked = self.unchecked.iter().map(|(language, one)| {
            format!("{} of {language} not checked: {}", counted(one.files, "file"), one.why)
        });
        let gaps: Vec<String> = self.gaps.iter().cloned().chain(unchecked).collect();
        page.answer(match (self.errors, self.warnings, gaps.as_slice()) {
            _ if self.by.is_empty() => "Nothing could be checked".to_owned(),
            (0, 0, []) => format!("No problems in {files}, by {by}"),
            (0, 0, [gap, ..]) => format!("No problems found in {files} by {by}, but {gap}"),
            (errors, warnings, gaps) => {
                let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
                let gap = gaps.first().map(|gap| format!("; {gap}")).unwrap_or_default();
                format!("{errors}, {warnings} in {files}, by {by}{gap}")
            }
        });
        gaps.iter().skip(1).for_each(|gap| page.say(format!("Also {gap}")));
        page.table(2, self.diagnostics.iter().map(Diagnostic::cells).collect());
        self.paging.render_rest(page, self.diagnostics.len());
        let unchecked = self.unchecked.values().flat_map(|unchecked| &unchecked.hints);
        let mut told: Vec<&Hint> = Vec::new();
        for hint in self.hints.iter().chain(unchecked) {
            if !told.contains(&hint) {
                page.hint(hint);
                told.push(hint);
            }
        }
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }

    fn has_findings(&self) -> bool {
        self.errors > 0
    }
}
