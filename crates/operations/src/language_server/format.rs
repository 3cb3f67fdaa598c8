//! Runs the project's formatter on one text, if it changes nothing beyond the edit.

use std::path::PathBuf;
use std::time::Duration;

use base::{RepoPath, Result};
use syntax::Language;
use syntax::tools::{FILE_PLACEHOLDER, Formatter};
use toolchain::ProgramCall;

use super::choice::configured;
use super::exists_above;
use engine::view::View;

/// How long a formatter may take.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The edition for rustfmt if no manifest names one.
const DEFAULT_EDITION: &str = "2021";

/// The result of formatting a text.
pub(crate) enum FormatOutcome {
    /// It was formatted
    Formatted {
        /// The formatter
        by: &'static str,
        /// The text
        text: String,
    },
    /// It was not formatted, for this reason
    Skipped(String),
}

/// Formats an edited text, if the formatter leaves the text before the edit unchanged: otherwise it
/// would change more than the edit.
pub(crate) fn format(
    view: &View,
    path: &RepoPath,
    language: Language,
    before: &str,
    after: &str,
) -> Result<FormatOutcome> {
    let mut known = match configured_formatters(view, language) {
        Ok(known) => known,
        Err(why) => return Ok(FormatOutcome::Skipped(why)),
    };
    known.sort_by_key(|tool| !exists_above(view, path, tool.settings));
    let host = view.servers().host();
    let mut installed = known
        .iter()
        .filter(|tool| toolchain::find_program(tool.program, host).is_some())
        .peekable();
    if installed.peek().is_none() {
        return Ok(FormatOutcome::Skipped("no formatter is installed".into()));
    }
    if let Some(why) = view.trust_status().refusal() {
        return Ok(FormatOutcome::Skipped(why));
    }
    let mut why = String::new();
    for tool in installed {
        match run_formatter(view, tool, path, before)? {
            Ok(same) if same == before => {}
            Ok(_) => {
                why = format!("{} would change more than was edited", tool.program);
                continue;
            }
            Err(failed) => {
                why = format!("{}: {failed}", tool.program);
                continue;
            }
        }
        return Ok(match run_formatter(view, tool, path, after)? {
            Ok(text) => FormatOutcome::Formatted { by: tool.program, text },
            Err(failed) => FormatOutcome::Skipped(format!("{}: {failed}", tool.program)),
        });
    }
    Ok(FormatOutcome::Skipped(why))
}

/// The formatters to try: the one that `cairn.jsonc` names, else all known ones.
fn configured_formatters(
    view: &View,
    language: Language,
) -> Result<Vec<&'static Formatter>, String> {
    let named = configured(view.config(), language).and_then(|chosen| chosen.formatter.as_ref());
    let known: Vec<&Formatter> = language.descriptor().tools.formatters.iter().collect();
    let Some(named) = named.map(ToString::to_string) else { return Ok(known) };
    let found: Vec<&Formatter> =
        known.iter().filter(|tool| tool.program == named).copied().collect();
    if found.is_empty() {
        let known: Vec<&str> = known.iter().map(|tool| tool.program).collect();
        return Err(format!(
            "unknown formatter `{named}`; the known ones are {}",
            known.join(", ")
        ));
    }
    Ok(found)
}

fn run_formatter(
    view: &View,
    tool: &Formatter,
    path: &RepoPath,
    text: &str,
) -> Result<Result<String, String>> {
    let host = view.servers().host();
    let Some(found) = toolchain::find_program(tool.program, host) else {
        return Ok(Err("it is not installed".into()));
    };
    let root = view.tree().root();
    let file = path.to_relative();
    let mut args: Vec<String> =
        tool.args
            .iter()
            .map(|arg| {
                if *arg == FILE_PLACEHOLDER {
                    file.display().to_string()
                } else {
                    (*arg).to_owned()
                }
            })
            .collect();
    let mut folder: PathBuf = root.to_path_buf();
    if tool.program == "rustfmt" {
        // It searches its settings from its working folder, and cannot know the edition.
        args.extend(["--edition".to_owned(), edition(view, path)]);
        folder = root.join(file).parent().map_or(folder, ToOwned::to_owned);
    }
    let program =
        ProgramCall { program: &found, args: &args, host, folder: &folder, input: text.as_bytes() };
    Ok(match program.run(view.call(), TIMEOUT)? {
        Err(dead) => Err(dead.to_string()),
        Ok(ran) if ran.code == Some(0) => {
            String::from_utf8(ran.stdout).map_err(|_| "its output is not UTF-8".into())
        }
        Ok(ran) => Err(ran.stderr_line.unwrap_or_else(|| "it failed without a reason".into())),
    })
}

/// The edition that the nearest manifest names.
fn edition(view: &View, path: &RepoPath) -> String {
    let mut folder = path.parent();
    while let Some(here) = folder {
        let manifest =
            if here.is_root() { "Cargo.toml".into() } else { format!("{here}/Cargo.toml") };
        let text = manifest.parse().ok().and_then(|path| view.tree().read(&path).ok().flatten());
        let text = text.map(|blob| String::from_utf8_lossy(&blob.bytes).into_owned());
        let named = text.as_deref().unwrap_or_default().lines().find_map(|line| {
            let value = line.trim().strip_prefix("edition")?.trim_start().strip_prefix('=')?;
            Some(value.trim().trim_matches('"').to_owned())
        });
        if let Some(named) = named.filter(|named| named.chars().all(|c| c.is_ascii_digit())) {
            return named;
        }
        folder = here.parent();
    }
    DEFAULT_EDITION.into()
}
