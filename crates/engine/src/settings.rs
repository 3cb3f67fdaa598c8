//! `cairn.jsonc` as it is in force, read again whenever it changes.

use std::sync::{Arc, Mutex, PoisonError};

use base::{Problem, RepoPath, Result};
use config::{Config, Finding, FindingCode};
use tree::{Excludes, Stat, Tree};

/// The file's name, at the root of the repository.
pub(crate) const FILE: &str = "cairn.jsonc";

/// A larger file is a mistake, in bytes.
const LARGEST: u64 = config::MAX_BYTES as u64;

/// How many mistakes of each sort an answer names.
const TOLD: usize = 3;

/// The configuration in force.
#[derive(Debug)]
pub struct Settings {
    /// What it says, with defaults for the rest
    pub config: Config,
    /// What is wrong with the file
    pub findings: Vec<Finding>,
    /// Its patterns for files to leave out
    pub(crate) excludes: Excludes,
}

/// The settings, with the stat of the file they were read from.
type Known = (Option<Stat>, Arc<Settings>);

/// Keeps the settings of one working tree.
#[derive(Debug, Default)]
pub(crate) struct SettingsFile {
    known: Mutex<Option<Known>>,
}

impl SettingsFile {
    /// The settings as the file says now.
    pub(crate) fn current(&self, tree: &Tree) -> Result<Arc<Settings>> {
        let path: RepoPath = FILE.parse().expect("the name is plain");
        let stat = tree.stat_if_there(&path);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((seen, settings)) = &*known
            && *seen == stat
        {
            return Ok(settings.clone());
        }
        let settings = Arc::new(match tree.read_at_most(&path, LARGEST) {
            Ok(text) => {
                let text = text.and_then(Result::ok).map(|blob| blob.bytes);
                Settings::parse(&text.unwrap_or_default())?
            }
            // A file that cannot be read is a mistake in it like any other.
            Err(problem) => Settings::unreadable(&problem)?,
        });
        *known = Some((stat, settings.clone()));
        Ok(settings)
    }
}

impl Settings {
    /// What every answer has to say about the file: mistakes that change nothing, and those that
    /// leave a value at its default although another was meant.
    pub(crate) fn reasons(&self) -> (Vec<String>, Vec<String>) {
        let said = |found: &Finding| {
            let place = format!("{FILE}:{}:{}: {}", found.line, found.column, found.message);
            match found.code {
                FindingCode::UnknownKey => place,
                FindingCode::Syntax => format!("{place}; defaults are used"),
                FindingCode::WrongType | FindingCode::InvalidValue => {
                    format!("{place}; its default is used")
                }
            }
        };
        let is_warning = |found: &&Finding| found.code == FindingCode::UnknownKey;
        let (warnings, mistakes): (Vec<&Finding>, Vec<&Finding>) =
            self.findings.iter().partition(is_warning);
        let first = |findings: Vec<&Finding>| {
            let mut told: Vec<String> = findings.iter().take(TOLD).map(|one| said(one)).collect();
            let more = findings.len().saturating_sub(TOLD);
            told.extend((more > 0).then(|| format!("{more} more mistakes in {FILE}")));
            told
        };
        (first(warnings), first(mistakes))
    }

    fn unreadable(problem: &Problem) -> Result<Self> {
        let finding = Finding {
            code: FindingCode::Syntax,
            key: String::new(),
            line: 1,
            column: 1,
            message: problem.to_string(),
            hint: problem.hints.first().map(ToString::to_string),
        };
        Ok(Self { findings: vec![finding], ..Self::parse(b"")? })
    }

    fn parse(text: &[u8]) -> Result<Self> {
        let parsed = config::parse(if text.is_empty() { b"{}" } else { text });
        let patterns: Vec<String> = parsed.config.exclude.iter().map(ToString::to_string).collect();
        let excludes = Excludes::new(&patterns)?;
        Ok(Self { config: parsed.config, findings: parsed.findings, excludes })
    }
}
