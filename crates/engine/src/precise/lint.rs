//! What linters and servers find wrong. A tool that is not there is never an empty list.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use base::{Code, RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use syntax::Language;
use toolchain::lsp::{Position, offset_at};
use toolchain::tools::{self, Finding, Linter, Scope, Severity};

use super::choice::configured;
use super::{Absent, Server};
use crate::index::tables;
use crate::view::View;

/// Files that a server is asked about, at most.
const MOST_ASKED: usize = 200;

/// How long a server that reports by itself is waited for, and how long it must then be silent:
/// some report syntax first and the rest a moment later.
const REPORT: Duration = Duration::from_secs(20);
const LAST_WORD: Duration = Duration::from_millis(700);

/// Something that is wrong
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Diagnosis {
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

/// What was checked, and by whom.
pub(crate) struct Checked {
    pub by: String,
    pub found: Vec<Diagnosis>,
}

/// What to check: files and folders as they were named, and the files of the language in them.
pub(crate) struct Wanted<'a> {
    pub language: Language,
    pub scopes: &'a [RepoPath],
    pub files: &'a [RepoPath],
}

/// Checks by the language's linter, else by its server.
pub(crate) fn check(
    view: &View,
    wanted: &Wanted<'_>,
    timeout: Duration,
) -> Result<Result<Checked, Absent>> {
    match by_linter(view, wanted, timeout)? {
        Ok(checked) => Ok(Ok(checked)),
        // A linter that fails says why; whether the server knows something is another question.
        Err(absent) => match by_server(view, wanted)? {
            Ok(checked) => Ok(Ok(checked)),
            Err(server) if absent.code == Code::Untrusted => {
                Ok(Err(Absent { hints: server.hints, ..absent }))
            }
            Err(server) => {
                let mut hints = absent.hints;
                hints.extend(server.hints);
                let why = format!("{}; {}", absent.why, server.why);
                Ok(Err(Absent { code: server.code, why, hints }))
            }
        },
    }
}

/// Checks by the first linter that reports.
pub(crate) fn by_linter(
    view: &View,
    wanted: &Wanted<'_>,
    timeout: Duration,
) -> Result<Result<Checked, Absent>> {
    let linters = match chosen(view, wanted.language) {
        Ok(linters) => linters,
        Err(why) => return Ok(Err(Absent::new(Code::Unavailable, why))),
    };
    let host = view.servers().host();
    let installed: Vec<&&Linter> =
        linters.iter().filter(|tool| toolchain::find(tool.program, host).is_some()).collect();
    if installed.is_empty() {
        return Ok(Err(missing(wanted.language, &linters)));
    }
    if let Some(absent) = super::untrusted(view, installed[0].name) {
        return Ok(Err(absent));
    }
    let mut failed = None;
    for linter in installed {
        match run(view, linter, wanted, timeout)? {
            Ok(found) => return Ok(Ok(Checked { by: linter.name.into(), found })),
            Err(why) => failed = failed.or(Some(format!("{}: {why}", linter.name))),
        }
    }
    Ok(Err(Absent::new(Code::Unavailable, failed.unwrap_or_default())))
}

fn missing(language: Language, linters: &[&Linter]) -> Absent {
    match linters.first() {
        None => {
            let why = format!("no linter is known for {}", language.name());
            Absent::new(Code::Unavailable, why)
        }
        Some(first) => {
            let names: Vec<&str> = linters.iter().map(|tool| tool.name).collect();
            let why = format!("{} is not installed", names.join(" or "));
            Absent::new(Code::Unavailable, why).hint(format!("install it:  {}", first.install))
        }
    }
}

/// The linters that would do: what `cairn.jsonc` names, else all that are known.
fn chosen(view: &View, language: Language) -> Result<Vec<&'static Linter>, String> {
    let named = configured(view.config(), language).and_then(|chosen| chosen.linter.as_ref());
    let known: Vec<&Linter> = tools::linters(language.name()).collect();
    let Some(named) = named.map(ToString::to_string) else { return Ok(known) };
    let fits = |tool: &&&Linter| tool.name == named || tool.program == named;
    let found: Vec<&Linter> = known.iter().filter(fits).copied().collect();
    if found.is_empty() {
        let known: Vec<&str> = known.iter().map(|tool| tool.name).collect();
        return Err(format!("`{named}` is none of the known linters: {}", known.join(", ")));
    }
    Ok(found)
}

fn run(
    view: &View,
    linter: &Linter,
    wanted: &Wanted<'_>,
    timeout: Duration,
) -> Result<Result<Vec<Diagnosis>, String>> {
    let mut all = Vec::new();
    let runs: Vec<(RepoPath, Vec<RepoPath>)> = match linter.scope {
        Scope::Paths => vec![(RepoPath::ROOT, wanted.scopes.to_vec())],
        Scope::Package => {
            packages(view, wanted)?.into_iter().map(|one| (one, Vec::new())).collect()
        }
    };
    if runs.is_empty() {
        return Ok(Err("no package is around these files".into()));
    }
    for (folder, paths) in runs {
        match once(view, linter, (&folder, &paths), timeout)? {
            Ok(found) => {
                all.extend(found.into_iter().filter_map(|one| diagnosis(view, &folder, one)));
            }
            Err(why) => return Ok(Err(why)),
        }
    }
    let is_wanted = |path: &RepoPath| {
        wanted.scopes.iter().any(|scope| scope.is_root() || path == scope || path.is_below(scope))
    };
    all.retain(|one| is_wanted(&one.path));
    all.sort();
    all.dedup();
    Ok(Ok(all))
}

fn once(
    view: &View,
    linter: &Linter,
    (folder, paths): (&RepoPath, &[RepoPath]),
    timeout: Duration,
) -> Result<Result<Vec<Finding>, String>> {
    let host = view.servers().host();
    let Some(found) = toolchain::find(linter.program, host) else {
        return Ok(Err("it is not installed".into()));
    };
    let mut args: Vec<String> = linter.args.iter().map(ToString::to_string).collect();
    if let Some((program, more)) = linter.besides
        && toolchain::find(program, host).is_some()
    {
        args.extend(more.iter().map(ToString::to_string));
    }
    let relative = |path: &RepoPath| match path.is_root() {
        true => ".".to_owned(),
        false => format!("./{}", path.to_relative().display()),
    };
    args.extend(paths.iter().map(relative));
    let folder = view.tree().root().join(folder.to_relative());
    let ran = toolchain::run((&found, &args), (host, &folder), b"", (view.call(), timeout))?;
    Ok(match ran {
        Err(dead) => Err(dead.to_string()),
        Ok(ran) => (linter.read)(&String::from_utf8_lossy(&ran.output))
            .ok_or_else(|| ran.complaint.unwrap_or_else(|| "it gave no report".into())),
    })
}

/// The folders of the packages around the files.
fn packages(view: &View, wanted: &Wanted<'_>) -> Result<BTreeSet<RepoPath>> {
    let conn = view.index()?.conn();
    let mut found = BTreeSet::new();
    if wanted.scopes.iter().any(RepoPath::is_root)
        && tables::has_file(
            conn,
            &"Cargo.toml".parse().map_err(|_| base::Problem::internal("a plain name"))?,
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
fn diagnosis(view: &View, folder: &RepoPath, found: Finding) -> Option<Diagnosis> {
    let root = view.tree().root();
    let conn = view.index().ok()?.conn();
    let start = root.join(folder.to_relative());
    let above = start.ancestors().take_while(|above| above.starts_with(root));
    let path = above.into_iter().find_map(|above| {
        let file = above.join(Path::new(&found.path));
        let file = file.canonicalize().ok()?;
        let path = RepoPath::from_relative(file.strip_prefix(root).ok()?).ok()?;
        tables::has_file(conn, &path).ok()?.then_some(path)
    })?;
    let severity = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let Finding { line, column, rule, message, .. } = found;
    Some(Diagnosis { path, line, column, severity, rule, message })
}

/// Checks by the language server, file by file.
fn by_server(view: &View, wanted: &Wanted<'_>) -> Result<Result<Checked, Absent>> {
    let mut by = String::new();
    let mut all = Vec::new();
    for path in wanted.files.iter().take(MOST_ASKED) {
        view.call().go_on()?;
        let server = match Server::open(view, (path, wanted.language))? {
            Ok(server) => server,
            Err(absent) => return Ok(Err(absent)),
        };
        by = server.session().title();
        match reported(view, &server, path)? {
            Ok(items) => {
                let text = view.tree().read(path)?.map(|blob| blob.bytes).unwrap_or_default();
                let text = String::from_utf8_lossy(&text).into_owned();
                all.extend(items.iter().filter_map(|item| said(item, path, &text, &server)));
            }
            Err(absent) => return Ok(Err(absent)),
        }
    }
    if wanted.files.len() > MOST_ASKED {
        let left = wanted.files.len() - MOST_ASKED;
        view.doubt(format!("{left} files were not checked; name fewer paths"));
    }
    all.sort();
    all.dedup();
    Ok(Ok(Checked { by, found: all }))
}

/// What a server says about a file: asked, or waited for where it only reports by itself.
fn reported(
    view: &View,
    server: &Server<'_>,
    path: &RepoPath,
) -> Result<Result<Vec<Value>, Absent>> {
    if server.offers("diagnosticProvider") {
        let params = json!({"textDocument": {"uri": server.uri(path)}});
        let method = ("textDocument/diagnostic", "diagnosticProvider");
        let answer = server.ask(method, &params)?;
        return Ok(answer.map(|answer| answer["items"].as_array().cloned().unwrap_or_default()));
    }
    let file = view.tree().root().join(path.to_relative());
    let since = Instant::now();
    let mut last: Option<(Vec<Value>, Instant)> = None;
    while since.elapsed() < REPORT {
        view.call().go_on()?;
        let now = server.session().report(&file).map(|report| report.diagnostics);
        last = match (now, last) {
            (Some(now), Some((before, at))) if now == before => Some((before, at)),
            (Some(now), _) => Some((now, Instant::now())),
            (None, last) => last,
        };
        if let Some((items, at)) = &last
            && at.elapsed() >= LAST_WORD
        {
            return Ok(Ok(items.clone()));
        }
        if !server.session().is_running() {
            break;
        }
        server.session().pause();
    }
    let why = format!("{} reported nothing about {path}", server.session().title());
    Ok(Err(Absent::new(Code::Unavailable, why).hint("ask again in a moment")))
}

fn said(item: &Value, path: &RepoPath, text: &str, server: &Server<'_>) -> Option<Diagnosis> {
    let at = Position::from_json(&item["range"]["start"])?;
    let offset = offset_at(text, at, server.encoding()).unwrap_or_default();
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let column = u32::try_from(text[start..offset].chars().count() + 1).unwrap_or(u32::MAX);
    let severity = match item["severity"].as_u64() {
        Some(1) | None => "error",
        Some(2) => "warning",
        Some(_) => "note",
    };
    let rule = match &item["code"] {
        Value::String(code) => Some(code.clone()),
        Value::Number(code) => Some(code.to_string()),
        _ => None,
    };
    let message = item["message"].as_str()?.to_owned();
    Some(Diagnosis { path: path.clone(), line: at.line + 1, column, severity, rule, message })
}
