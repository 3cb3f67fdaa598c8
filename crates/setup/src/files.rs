//! Every file of the working tree that `init` touches, and how.
//!
//! Of Cursor's rules only an old `.cursorrules` gets our block: it reads `AGENTS.md` by itself,
//! and a rule in `.cursor/rules` would say the same twice in its context.

use crate::agent_hooks::HOOK_ENTRIES;
use crate::json::{self, JsonEntry, JsonEntryValue};
use crate::{Client, MalformedFile, markdown_block, toml};

/// The version of what cairn writes into a repository.
pub const FORMAT_VERSION: u32 = 1;

const FORMAT_FILE_TEXT: &str = "1\n";

/// One file and what cairn keeps in it.
#[derive(Debug)]
pub struct SetupFile {
    /// Its path from the root, with `/`
    pub path: &'static str,
    content: SetupContent,
    condition: InstallCondition,
}

#[derive(Debug)]
enum SetupContent {
    /// The whole file, made when it is missing and then the user's
    Whole(fn() -> &'static str),
    /// A paragraph between markers
    Block,
    /// Entries in a JSON file
    Json(&'static [JsonEntry]),
    /// A table in Codex's TOML file
    Toml,
}

/// When a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstallCondition {
    /// Always, made if it is missing
    Always,
    /// When some agent is set up, made if it is missing
    AnyClient,
    /// When some agent is set up, and only if it is there
    IfExists,
    /// With this client, made if it is missing
    Client(Client),
    /// With this client if its hooks are wanted as well, made if it is missing
    Hooks(Client),
    /// With this client, only if it is there and the client's main file is not
    Alternative(Client),
}

/// The name of our server in the files of MCP clients.
const SERVER_NAME: &str = "cairn";

static MCP_SERVERS_ENTRY: [JsonEntry; 1] = [JsonEntry {
    container: "mcpServers",
    name: SERVER_NAME,
    value: JsonEntryValue::Fields(&[("command", "\"cairn\""), ("args", "[\"mcp\"]")]),
}];

static VSCODE_ENTRY: [JsonEntry; 1] = [JsonEntry {
    container: "servers",
    name: SERVER_NAME,
    value: JsonEntryValue::Fields(&[
        ("type", "\"stdio\""),
        ("command", "\"cairn\""),
        ("args", "[\"mcp\"]"),
    ]),
}];

static OPENCODE_ENTRY: [JsonEntry; 1] = [JsonEntry {
    container: "mcp",
    name: SERVER_NAME,
    value: JsonEntryValue::Fields(&[
        ("type", "\"local\""),
        ("command", "[\"cairn\", \"mcp\"]"),
        ("enabled", "true"),
    ]),
}];

static FILES: [SetupFile; 16] = [
    SetupFile::new("cairn.jsonc", SetupContent::Whole(config::template), InstallCondition::Always),
    SetupFile::new(
        ".cairn/schema/version",
        SetupContent::Whole(|| FORMAT_FILE_TEXT),
        InstallCondition::Always,
    ),
    SetupFile::new("AGENTS.md", SetupContent::Block, InstallCondition::AnyClient),
    SetupFile::new("CLAUDE.md", SetupContent::Block, InstallCondition::IfExists),
    SetupFile::new("GEMINI.md", SetupContent::Block, InstallCondition::IfExists),
    SetupFile::new(".cursorrules", SetupContent::Block, InstallCondition::IfExists),
    SetupFile::new(
        ".github/copilot-instructions.md",
        SetupContent::Block,
        InstallCondition::IfExists,
    ),
    SetupFile::new(
        ".mcp.json",
        SetupContent::Json(&MCP_SERVERS_ENTRY),
        InstallCondition::Client(Client::Claude),
    ),
    SetupFile::new(
        ".claude/settings.json",
        SetupContent::Json(&HOOK_ENTRIES),
        InstallCondition::Hooks(Client::Claude),
    ),
    SetupFile::new(
        ".codex/config.toml",
        SetupContent::Toml,
        InstallCondition::Client(Client::Codex),
    ),
    SetupFile::new(
        ".codex/hooks.json",
        SetupContent::Json(&HOOK_ENTRIES),
        InstallCondition::Hooks(Client::Codex),
    ),
    SetupFile::new(
        ".cursor/mcp.json",
        SetupContent::Json(&MCP_SERVERS_ENTRY),
        InstallCondition::Client(Client::Cursor),
    ),
    SetupFile::new(
        ".vscode/mcp.json",
        SetupContent::Json(&VSCODE_ENTRY),
        InstallCondition::Client(Client::Vscode),
    ),
    SetupFile::new(
        ".gemini/settings.json",
        SetupContent::Json(&MCP_SERVERS_ENTRY),
        InstallCondition::Client(Client::Gemini),
    ),
    SetupFile::new(
        "opencode.json",
        SetupContent::Json(&OPENCODE_ENTRY),
        InstallCondition::Client(Client::Opencode),
    ),
    SetupFile::new(
        "opencode.jsonc",
        SetupContent::Json(&OPENCODE_ENTRY),
        InstallCondition::Alternative(Client::Opencode),
    ),
];

impl SetupFile {
    const fn new(path: &'static str, content: SetupContent, condition: InstallCondition) -> Self {
        Self { path, content, condition }
    }

    /// Every file, in the order in which they are written.
    pub fn all() -> &'static [Self] {
        &FILES
    }

    /// Whether some file has the hooks of an agent.
    pub(crate) fn has_hooks_of(client: Client) -> bool {
        FILES.iter().any(|file| file.condition == InstallCondition::Hooks(client))
    }

    /// The file at this path.
    pub fn by_path(path: &str) -> Option<&'static Self> {
        FILES.iter().find(|file| file.path == path)
    }

    pub(crate) const fn condition(&self) -> InstallCondition {
        self.condition
    }

    /// Whether the file already imports `AGENTS.md`, so that it needs no block of its own.
    pub(crate) fn imports_agents_file(&self, existing: &[u8]) -> bool {
        matches!(self.content, SetupContent::Block)
            && self.path != "AGENTS.md"
            && markdown_block::imports_agents(existing)
    }

    /// The file's text with cairn's part in it; an entry that the user changed stays as it is.
    pub fn install(&self, existing: Option<&[u8]>) -> Result<Vec<u8>, MalformedFile> {
        match (&self.content, existing) {
            (SetupContent::Whole(_), Some(text)) => Ok(text.to_vec()),
            (SetupContent::Whole(text), None) => Ok(text().into()),
            (SetupContent::Block, _) => markdown_block::install(existing),
            (SetupContent::Json(entries), _) => {
                self.verify_reversible(existing, install_entries(entries, existing)?)
            }
            (SetupContent::Toml, _) => self.verify_reversible(existing, toml::install(existing)?),
        }
    }

    /// Refuses an edit that [`Self::remove`] could not take back exactly.
    fn verify_reversible(
        &self,
        before: Option<&[u8]>,
        after: Vec<u8>,
    ) -> Result<Vec<u8>, MalformedFile> {
        let changed = before != Some(after.as_slice());
        if changed && self.remove(&after)?.as_deref() != before {
            let message = "the file cannot be edited so that `uninstall` could restore it exactly";
            return Err(
                MalformedFile::at(&after, 0, message).hint("please report the layout of this file")
            );
        }
        Ok(after)
    }

    /// The file's text without cairn's part; `None` when nothing else was in it.
    pub fn remove(&self, existing: &[u8]) -> Result<Option<Vec<u8>>, MalformedFile> {
        match &self.content {
            SetupContent::Whole(text) if existing == text().as_bytes() => Ok(None),
            SetupContent::Whole(_) => Ok(Some(existing.to_vec())),
            SetupContent::Block => markdown_block::remove(existing),
            SetupContent::Json(entries) => remove_entries(entries, existing),
            SetupContent::Toml => toml::remove(existing),
        }
    }

    /// Whether cairn's part is there but not as cairn writes it, so that it is left alone.
    pub fn is_customised(&self, existing: &[u8]) -> bool {
        match &self.content {
            SetupContent::Whole(text) => existing != text().as_bytes(),
            SetupContent::Block => false,
            SetupContent::Json(entries) => {
                entries.iter().any(|entry| json::is_customised(entry, existing))
            }
            SetupContent::Toml => toml::is_customised(existing),
        }
    }
}

/// Adds entries one after the other.
fn install_entries(
    entries: &[JsonEntry],
    existing: Option<&[u8]>,
) -> Result<Vec<u8>, MalformedFile> {
    let mut text = existing.map(<[u8]>::to_vec);
    for entry in entries {
        text = Some(json::install(entry, text.as_deref())?);
    }
    Ok(text.unwrap_or_default())
}

/// Removes entries in the reverse order, so that each step finds what its own step left.
fn remove_entries(
    entries: &[JsonEntry],
    existing: &[u8],
) -> Result<Option<Vec<u8>>, MalformedFile> {
    let mut text = Some(existing.to_vec());
    for entry in entries.iter().rev() {
        let Some(bytes) = &text else { break };
        text = json::remove(entry, bytes)?;
    }
    Ok(text)
}
