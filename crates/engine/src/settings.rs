//! `cairn.jsonc` as it is in force, read again whenever it changes.

use std::sync::{Arc, Mutex, PoisonError};

use base::{Problem, RepoPath, Result};
use config::{Config, ConfigFinding, FindingCode};
use tree::{Excludes, Stat, WorkingTree};

/// The file's name, at the root of the repository.
pub const FILE: &str = "cairn.jsonc";

/// The maximum size of `cairn.jsonc`, in bytes.
const MAX_FILE_BYTES: u64 = config::MAX_BYTES as u64;

/// How many mistakes of each kind an answer lists.
const MAX_LISTED_FINDINGS: usize = 3;

/// The configuration in force.
#[derive(Debug)]
pub struct Settings {
    /// Its values, with defaults for the rest
    pub config: Config,
    /// The mistakes in the file
    pub findings: Vec<ConfigFinding>,
    /// Its patterns for files to leave out
    pub(crate) excludes: Excludes,
}

/// The settings, with the stat of the file they were read from.
type CachedSettings = (Option<Stat>, Arc<Settings>);

/// The settings of one working tree, read again when the file changes.
#[derive(Debug, Default)]
pub(crate) struct SettingsFile {
    cached: Mutex<Option<CachedSettings>>,
}

impl SettingsFile {
    /// The settings of the file as it is now.
    pub(crate) fn current(&self, tree: &WorkingTree) -> Result<Arc<Settings>> {
        let path: RepoPath = FILE.parse().expect("the name is plain");
        let stat = tree.stat_if_reachable(&path);
        let mut known = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((seen, settings)) = &*known
            && *seen == stat
        {
            return Ok(settings.clone());
        }
        let settings = Arc::new(match tree.read_at_most(&path, MAX_FILE_BYTES) {
            Ok(text) => {
                let text = text.and_then(Result::ok).map(|blob| blob.bytes);
                Settings::parse(&text.unwrap_or_default())?
            }
            // A file that cannot be read is reported like a mistake in it.
            Err(problem) => Settings::unreadable(&problem)?,
        });
        *known = Some((stat, settings.clone()));
        Ok(settings)
    }
}

impl Settings {
    /// What every answer must say about the file: mistakes without an effect, and mistakes because
    /// of which a default is used.
    pub(crate) fn basis_reasons(&self) -> (Vec<String>, Vec<String>) {
        let said = |found: &ConfigFinding| {
            let place = format!("{FILE}:{}:{}: {}", found.line, found.column, found.message);
            match found.code {
                FindingCode::UnknownKey => place,
                FindingCode::Syntax => format!("{place}; defaults are used"),
                FindingCode::WrongType | FindingCode::InvalidValue => {
                    format!("{place}; its default is used")
                }
            }
        };
        let is_warning = |found: &&ConfigFinding| found.code == FindingCode::UnknownKey;
        let (warnings, mistakes): (Vec<&ConfigFinding>, Vec<&ConfigFinding>) =
            self.findings.iter().partition(is_warning);
        let first = |findings: Vec<&ConfigFinding>| {
            let mut told: Vec<String> =
                findings.iter().take(MAX_LISTED_FINDINGS).map(|one| said(one)).collect();
            let more = findings.len().saturating_sub(MAX_LISTED_FINDINGS);
            told.extend((more > 0).then(|| format!("{more} more mistakes in {FILE}")));
            told
        };
        (first(warnings), first(mistakes))
    }

    fn unreadable(problem: &Problem) -> Result<Self> {
        let finding = ConfigFinding {
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
