//! The programs that a repository could run: its own ones, and settings that name some.
//!
//! Programs that the user installed are not listed; trust is given for the programs that the
//! repository contains or that `cairn.jsonc` names.

use std::path::Path;

use base::Hash;
use config::Config;
use syntax::tools;
use toolchain::{ProgramFile, ProgramOrigin, ToolHost};

use crate::trust::ProgramFingerprints;

/// Size above which a program is identified by its size alone, in bytes.
const MAX_HASHED_BYTES: u64 = 512 * 1024 * 1024;

/// The programs and settings, by name, each with its content.
pub(crate) fn programs(config: &Config, host: &ToolHost, root: &Path) -> ProgramFingerprints {
    let mut found = ProgramFingerprints::new();
    for (name, language) in &config.languages {
        let settings = serde_json::to_string(language).unwrap_or_default();
        found.insert(format!("languages.{name} in cairn.jsonc"), settings);
    }
    for program in names(config) {
        if let Some(ProgramFile { path, origin: ProgramOrigin::Project }) =
            toolchain::find_program(&program, host)
        {
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            found.insert(name, content_digest(&path));
        }
    }
    found
}

/// The programs that cairn may start, by their bare names.
fn names(config: &Config) -> Vec<String> {
    let chosen = config.languages.values();
    let chosen = chosen.flat_map(|chosen| [&chosen.server, &chosen.formatter, &chosen.linter]);
    let chosen = chosen.flatten().map(ToString::to_string);
    let servers = tools::all_servers().map(|server| server.program);
    let formatters = tools::all_formatters().map(|tool| tool.program);
    let linters = tools::all_linters().map(|tool| tool.program);
    let known = servers.chain(formatters).chain(linters).map(ToOwned::to_owned);
    chosen.chain(known).collect()
}

/// The hash of a program, with links followed.
fn content_digest(path: &Path) -> String {
    match tree::read_regular(path, MAX_HASHED_BYTES) {
        Ok(bytes) => Hash::of(&bytes).to_string(),
        Err(_) => format!("{:?} bytes", path.metadata().map(|known| known.len()).ok()),
    }
}
