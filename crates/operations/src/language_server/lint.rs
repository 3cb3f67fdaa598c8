//! Findings of linters and servers. A missing tool is reported, never shown as an empty list.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use base::{Hint, ProblemCode, RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;
use syntax::Language;
use syntax::tools::{LintScope, Linter};
use toolchain::ProgramCall;
use toolchain::tools::{LintFinding, LintSeverity, parse_lint_report};

use super::MissingServer;
use super::choice::configured;
use super::reports::by_server;
use engine::contract::page::PageCell;
use engine::index::tables;
use engine::view::View;

/// Maximum number of files whose types a server checks besides a linter: it checks them one by one.
const MAX_TYPE_CHECKED_FILES: usize = 40;

/// How many failures of a tool are reported.
const MAX_FAILURES: usize = 5;

/// A finding
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Diagnostic {
    /// The file
    pub path: RepoPath,
    /// The line, from 1
    pub line: u32,
    /// The column, from 1
    pub column: u32,
    /// `error`, `warning` or `note`
    pub severity: &'static str,
    /// The rule that says so
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What is wrong
    pub message: String,
}

impl Diagnostic {
    /// The cells of its row in a table: severity, place, message with rule.
    pub(crate) fn cells(&self) -> Vec<PageCell> {
        let severity = match self.severity {
            "error" => PageCell::bad("error"),
            other => PageCell::text(other),
        };
        let rule = self.rule.as_deref().map(|rule| format!("  {rule}")).unwrap_or_default();
        vec![
            severity,
            PageCell::handle(format!("{}:{}:{}", self.path, self.line, self.column)),
            PageCell::text(format!("{}{rule}", self.message)),
        ]
    }
}

/// Whether one aspect of some files, such as their types, was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CheckOutcome {
    /// They were checked, by this tool
    By(String),
    /// They were not checked, for this reason
    NotChecked(String),
    /// There is nothing to check
    NothingToCheck,
}

/// What was checked, by whom, and what was not.
pub(crate) struct CheckReport {
    pub lint: CheckOutcome,
    pub types: CheckOutcome,
    /// Failures of a tool that still reported
    pub failures: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
    /// How the rest can be checked
    pub hints: Vec<Hint>,
}

impl CheckReport {
    /// The tools that checked, as text.
    pub(crate) fn by(&self) -> String {
        match (&self.lint, &self.types) {
            (CheckOutcome::By(lint), CheckOutcome::By(types)) if lint != types => {
                format!("{lint}, types by {types}")
            }
            (CheckOutcome::By(one), _) | (_, CheckOutcome::By(one)) => one.clone(),
            _ => "nobody".into(),
        }
    }

    /// What was not checked, each with the reason.
    pub(crate) fn gaps(&self, language: Language) -> Vec<String> {
        let not_checked = |what: &str, outcome: &CheckOutcome| match outcome {
            CheckOutcome::NotChecked(why) => {
                Some(format!("{what} of {} not checked: {why}", language.name()))
            }
            _ => None,
        };
        let sides = [not_checked("lint rules", &self.lint), not_checked("types", &self.types)];
        sides.into_iter().flatten().chain(self.failures.iter().cloned()).collect()
    }
}

/// What to check: files and folders as named, and the files of the language in them.
pub(crate) struct CheckRequest<'a> {
    pub language: Language,
    pub scopes: &'a [RepoPath],
    pub files: &'a [RepoPath],
}

/// Checks by the language's linter, and by its server what the linter does not check.
pub(crate) fn check(
    view: &View,
    wanted: &CheckRequest<'_>,
    timeout: Duration,
) -> Result<Result<CheckReport, MissingServer>> {
    match by_linter(view, wanted, timeout)? {
        Ok(checked) => types_by_server(view, wanted, checked).map(Ok),
        // If the linter failed, the server is asked.
        Err(absent) => match by_server(view, wanted)? {
            Ok((server, found)) => Ok(Ok(CheckReport {
                lint: CheckOutcome::NotChecked(absent.why),
                types: CheckOutcome::By(server),
                failures: Vec::new(),
                diagnostics: found,
                hints: absent.hints,
            })),
            // The permission is missing, whatever else is missing too.
            Err(_) if absent.code == ProblemCode::Untrusted => Ok(Err(absent)),
            Err(server) => {
                let mut hints = absent.hints;
                hints.extend(server.hints);
                let why = format!("{}; {}", absent.why, server.why);
                Ok(Err(MissingServer { code: server.code, why, hints }))
            }
        },
    }
}

/// Lets the server check types that the linter did not check, if there are few files.
fn types_by_server(
    view: &View,
    wanted: &CheckRequest<'_>,
    mut checked: CheckReport,
) -> Result<CheckReport> {
    let CheckOutcome::NotChecked(why) = &checked.types else { return Ok(checked) };
    let count = wanted.files.len();
    if count > MAX_TYPE_CHECKED_FILES {
        let why = format!("{why}; {count} files are too many for the language server, name fewer");
        checked.types = CheckOutcome::NotChecked(why);
        return Ok(checked);
    }
    match by_server(view, wanted)? {
        Ok((server, found)) => {
            checked.types = CheckOutcome::By(server);
            checked.diagnostics.extend(found);
        }
        Err(server) => {
            checked.types = CheckOutcome::NotChecked(format!("{why}; {}", server.why));
            checked.hints.extend(server.hints);
        }
    }
    Ok(checked)
}

/// Checks by the first linter that reports.
pub(crate) fn by_linter(
    view: &View,
    wanted: &CheckRequest<'_>,
    timeout: Duration,
) -> Result<Result<CheckReport, MissingServer>> {
    let linters = match configured_linters(view, wanted.language) {
        Ok(linters) => linters,
        Err(why) => return Ok(Err(MissingServer::new(ProblemCode::Unavailable, why))),
    };
    let host = view.servers().host();
    let installed: Vec<&&Linter> = linters
        .iter()
        .filter(|tool| toolchain::find_program(tool.program, host).is_some())
        .collect();
    if installed.is_empty() {
        return Ok(Err(no_linter(wanted.language, &linters)));
    }
    if let Some(absent) = super::untrusted(view, installed[0].name) {
        return Ok(Err(absent));
    }
    let mut failed = None;
    for linter in installed {
        match run(view, linter, wanted, timeout)? {
            Ok(checked) => return Ok(Ok(checked)),
            Err(why) => failed = failed.or(Some(format!("{} failed: {why}", linter.name))),
        }
    }
    Ok(Err(MissingServer::new(ProblemCode::Unavailable, failed.unwrap_or_default())))
}

fn no_linter(language: Language, linters: &[&Linter]) -> MissingServer {
    match linters.first() {
        None => {
            let why = format!("no linter is known for {}", language.name());
            MissingServer::new(ProblemCode::Unavailable, why)
        }
        Some(first) => {
            let names: Vec<&str> = linters.iter().map(|tool| tool.name).collect();
            let why = format!("{} is not installed", names.join(" or "));
            MissingServer::new(ProblemCode::Unavailable, why)
                .hint(format!("install it:  {}", first.install))
        }
    }
}

/// The linters to try: the one that `cairn.jsonc` names, else all known ones.
fn configured_linters(view: &View, language: Language) -> Result<Vec<&'static Linter>, String> {
    let named = configured(view.config(), language).and_then(|chosen| chosen.linter.as_ref());
    let known: Vec<&Linter> = language.descriptor().tools.linters.iter().collect();
    let Some(named) = named.map(ToString::to_string) else { return Ok(known) };
    let fits = |tool: &&&Linter| tool.name == named || tool.program == named;
    let found: Vec<&Linter> = known.iter().filter(fits).copied().collect();
    if found.is_empty() {
        let known: Vec<&str> = known.iter().map(|tool| tool.name).collect();
        return Err(format!("unknown linter `{named}`; the known ones are {}", known.join(", ")));
    }
    Ok(found)
}

fn run(
    view: &View,
    linter: &Linter,
    wanted: &CheckRequest<'_>,
    timeout: Duration,
) -> Result<Result<CheckReport, String>> {
    let runs: Vec<(RepoPath, Vec<RepoPath>)> = match linter.scope {
        LintScope::Paths => vec![(RepoPath::ROOT, wanted.scopes.to_vec())],
        LintScope::Package => {
            packages(view, wanted)?.into_iter().map(|one| (one, Vec::new())).collect()
        }
    };
    if runs.is_empty() {
        return Ok(Err("these files belong to no package".into()));
    }
    let mut checked = CheckReport {
        lint: CheckOutcome::By(linter.name.into()),
        types: CheckOutcome::NothingToCheck,
        failures: Vec::new(),
        diagnostics: Vec::new(),
        hints: Vec::new(),
    };
    let is_wanted = |path: &RepoPath| {
        wanted
            .scopes
            .iter()
            .any(|scope| scope.is_root() || path == scope || path.is_at_or_below(scope))
    };
    for (folder, paths) in runs {
        let (found, types) = match run_with_types(
            view,
            linter,
            LintPaths { folder: &folder, paths: &paths },
            timeout,
        )? {
            Ok(report) => report,
            Err(why) => return Ok(Err(why)),
        };
        checked.types = types;
        for one in found {
            let (severity, said) = (one.severity, format!("{} {}", one.path, one.message));
            match diagnosis(view, &folder, one).filter(|one| is_wanted(&one.path)) {
                Some(one) => checked.diagnostics.push(one),
                // An error in another file may have kept the tool from checking the requested ones.
                None if severity == LintSeverity::Error => {
                    checked.failures.push(format!("{} reports: {}", linter.name, said.trim()));
                }
                None => {}
            }
        }
    }
    if !has_types(wanted) {
        checked.types = CheckOutcome::NothingToCheck;
    }
    checked.failures.sort();
    checked.failures.dedup();
    checked.failures.truncate(MAX_FAILURES);
    checked.diagnostics.sort();
    checked.diagnostics.dedup();
    Ok(Ok(checked))
}

/// Whether some files are in a language whose types can be checked: plain JavaScript has none.
fn has_types(wanted: &CheckRequest<'_>) -> bool {
    let is_typed = |path: &RepoPath| {
        Language::from_path(path).is_none_or(|language| language.semantics().has_static_types)
    };
    wanted.files.iter().any(is_typed)
}

/// What one run of a linter checks.
#[derive(Clone, Copy)]
struct LintPaths<'a> {
    /// The folder it runs in
    folder: &'a RepoPath,
    /// The files and folders that it is given, relative to that folder
    paths: &'a [RepoPath],
}

/// The report of a linter and the check of types: with its companion if that is installed, else
/// without types, which is reported.
fn run_with_types(
    view: &View,
    linter: &Linter,
    place: LintPaths<'_>,
    timeout: Duration,
) -> Result<Result<(Vec<LintFinding>, CheckOutcome), String>> {
    let plain = |why: String| match linter.checks_types {
        true => CheckOutcome::By(linter.name.into()),
        false => CheckOutcome::NotChecked(why),
    };
    let Some(companion) = linter.companion else {
        let why = format!("{} does not check types", linter.name);
        let ran = run_once(view, linter, &[], place, timeout)?;
        return Ok(ran.map(|found| (found, plain(why))));
    };
    if toolchain::find_program(companion.program, view.servers().host()).is_none() {
        let why = format!("{} is not installed ({})", companion.program, companion.install);
        let ran = run_once(view, linter, &[], place, timeout)?;
        return Ok(ran.map(|found| (found, plain(why))));
    }
    let all = [companion.args, companion.type_check_args].concat();
    let why = match run_once(view, linter, &all, place, timeout)? {
        Ok(found) => return Ok(Ok((found, CheckOutcome::By(companion.program.into())))),
        Err(why) => format!("{} {} failed: {why}", linter.name, all.join(" ")),
    };
    for args in [companion.args, &[]] {
        if let Ok(found) = run_once(view, linter, args, place, timeout)? {
            return Ok(Ok((found, CheckOutcome::NotChecked(why))));
        }
    }
    Ok(Err(why))
}

fn run_once(
    view: &View,
    linter: &Linter,
    more: &[&str],
    place: LintPaths<'_>,
    timeout: Duration,
) -> Result<Result<Vec<LintFinding>, String>> {
    let host = view.servers().host();
    let Some(found) = toolchain::find_program(linter.program, host) else {
        return Ok(Err("it is not installed".into()));
    };
    let mut args: Vec<String> = linter.args.iter().map(ToString::to_string).collect();
    args.extend(more.iter().map(ToString::to_string));
    let relative = |path: &RepoPath| match path.is_root() {
        true => ".".to_owned(),
        false => format!("./{}", path.to_relative().display()),
    };
    args.extend(place.paths.iter().map(relative));
    let folder = view.tree().root().join(place.folder.to_relative());
    let program = ProgramCall { program: &found, args: &args, host, folder: &folder, input: b"" };
    let ran = match program.run(view.call(), timeout)? {
        Ok(ran) => ran,
        Err(dead) => return Ok(Err(dead.to_string())),
    };
    let said = || ran.stderr_line.clone();
    Ok(match parse_lint_report(linter.report_format, &String::from_utf8_lossy(&ran.stdout)) {
        None => Err(said().unwrap_or_else(|| "it gave no report".into())),
        // No findings and an error code: it did not check anything.
        Some(found) if found.is_empty() && ran.code != Some(0) => {
            let code = ran.code.map_or_else(|| "a signal".into(), |code| format!("code {code}"));
            Err(said().unwrap_or_else(|| format!("it ended with {code} and reported nothing")))
        }
        Some(found) => Ok(found),
    })
}

/// The folders of the packages around the files.
fn packages(view: &View, wanted: &CheckRequest<'_>) -> Result<BTreeSet<RepoPath>> {
    let conn = view.index()?.conn();
    let mut found = BTreeSet::new();
    if wanted.scopes.iter().any(RepoPath::is_root)
        && tables::has_file(
            conn,
            &"Cargo.toml"
                .parse()
                .map_err(|_| base::Problem::internal("`Cargo.toml` is not a path"))?,
        )?
    {
        return Ok(BTreeSet::from([RepoPath::ROOT]));
    }
    for file in wanted.files {
        let mut folder = file.parent();
        while let Some(here) = folder {
            let name =
                if here.is_root() { "Cargo.toml".into() } else { format!("{here}/Cargo.toml") };
            if let Ok(path) = name.parse::<RepoPath>()
                && tables::has_file(conn, &path)?
            {
                found.insert(here);
                break;
            }
            folder = here.parent();
        }
    }
    Ok(found)
}

/// A finding about a file of the repository. A compiler names files from the workspace's root,
/// which may be above the package.
fn diagnosis(view: &View, folder: &RepoPath, found: LintFinding) -> Option<Diagnostic> {
    let root = view.tree().root();
    let conn = view.index().ok()?.conn();
    let start = root.join(folder.to_relative());
    let above = start.ancestors().take_while(|above| above.starts_with(root));
    let path = above.into_iter().find_map(|above| {
        let file = above.join(Path::new(&found.path));
        let file = platform::canonicalize(&file).ok()?;
        let path = RepoPath::from_relative(file.strip_prefix(root).ok()?).ok()?;
        tables::has_file(conn, &path).ok()?.then_some(path)
    })?;
    let severity = match found.severity {
        LintSeverity::Error => "error",
        LintSeverity::Warning => "warning",
        LintSeverity::Note => "note",
    };
    let LintFinding { line, column, rule, message, .. } = found;
    Some(Diagnostic { path, line, column, severity, rule, message })
}
