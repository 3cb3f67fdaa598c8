//! Every file of the working tree that `init` touches, and how.
//!
//! Of Cursor's rules only an old `.cursorrules` gets our block: it reads `AGENTS.md` by itself,
//! and a rule in `.cursor/rules` would say the same twice in its context.

use crate::json::{self, Entry, EntryValue};
use crate::{Client, Malformed, block, toml};

/// The version of what cairn writes into a repository.
pub const FORMAT_VERSION: u32 = 1;

const FORMAT: &str = "1\n";

/// One file and what cairn keeps in it.
#[derive(Debug)]
pub struct File {
    /// Its path from the root, with `/`
    pub path: &'static str,
    part: Part,
    when: When,
}

#[derive(Debug)]
enum Part {
    /// The whole file, made when it is missing and then the user's
    Whole(fn() -> &'static str),
    /// A paragraph between markers
    Block,
    /// An entry in a JSON file
    Json(&'static Entry),
    /// A table in Codex's TOML file
    Toml,
}

/// When a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// Always, made if it is missing
    Always,
    /// When some agent is set up, made if it is missing
    Agents,
    /// When some agent is set up, and only if it is there
    There,
    /// With this client, made if it is missing
    Client(Client),
    /// With this client, and only if it is there and the file before it is not
    Instead(Client),
}

/// The name of our server in the files of MCP clients.
const NAME: &str = "cairn";

const SERVERS: Entry = Entry {
    container: "mcpServers",
    name: NAME,
    value: EntryValue::Fields(&[("command", "\"cairn\""), ("args", "[\"mcp\"]")]),
};

/// What Claude Code runs when a session starts; what it prints is told to the agent.
const SESSION_START: Entry = Entry {
    container: "hooks",
    name: "SessionStart",
    value: EntryValue::Text(
        "[{ \"hooks\": [{ \"type\": \"command\", \"command\": \"cairn status\" }] }]",
    ),
};

const VSCODE: Entry = Entry {
    container: "servers",
    name: NAME,
    value: EntryValue::Fields(&[
        ("type", "\"stdio\""),
        ("command", "\"cairn\""),
        ("args", "[\"mcp\"]"),
    ]),
};

const OPENCODE: Entry = Entry {
    container: "mcp",
    name: NAME,
    value: EntryValue::Fields(&[
        ("type", "\"local\""),
        ("command", "[\"cairn\", \"mcp\"]"),
        ("enabled", "true"),
    ]),
};

static ALL: [File; 15] = [
    File::new("cairn.jsonc", Part::Whole(config::template), When::Always),
    File::new(".cairn/schema/version", Part::Whole(|| FORMAT), When::Always),
    File::new("AGENTS.md", Part::Block, When::Agents),
    File::new("CLAUDE.md", Part::Block, When::There),
    File::new("GEMINI.md", Part::Block, When::There),
    File::new(".cursorrules", Part::Block, When::There),
    File::new(".github/copilot-instructions.md", Part::Block, When::There),
    File::new(".mcp.json", Part::Json(&SERVERS), When::Client(Client::Claude)),
    File::new(".claude/settings.json", Part::Json(&SESSION_START), When::Client(Client::Claude)),
    File::new(".codex/config.toml", Part::Toml, When::Client(Client::Codex)),
    File::new(".cursor/mcp.json", Part::Json(&SERVERS), When::Client(Client::Cursor)),
    File::new(".vscode/mcp.json", Part::Json(&VSCODE), When::Client(Client::Vscode)),
    File::new(".gemini/settings.json", Part::Json(&SERVERS), When::Client(Client::Gemini)),
    File::new("opencode.json", Part::Json(&OPENCODE), When::Client(Client::Opencode)),
    File::new("opencode.jsonc", Part::Json(&OPENCODE), When::Instead(Client::Opencode)),
];

impl File {
    const fn new(path: &'static str, part: Part, when: When) -> Self {
        Self { path, part, when }
    }

    /// Every file, in the order in which they are written.
    pub fn all() -> &'static [Self] {
        &ALL
    }

    /// The file at this path.
    pub fn at(path: &str) -> Option<&'static Self> {
        ALL.iter().find(|file| file.path == path)
    }

    pub(crate) const fn when(&self) -> When {
        self.when
    }

    /// Whether what it would say comes from another file that is written anyway.
    pub(crate) fn is_told_elsewhere(&self, existing: &[u8]) -> bool {
        matches!(self.part, Part::Block)
            && self.path != "AGENTS.md"
            && block::imports_agents(existing)
    }

    /// The file's text with cairn's part in it; an entry that the user changed stays as it is.
    pub fn install(&self, existing: Option<&[u8]>) -> Result<Vec<u8>, Malformed> {
        match (&self.part, existing) {
            (Part::Whole(_), Some(text)) => Ok(text.to_vec()),
            (Part::Whole(text), None) => Ok(text().into()),
            (Part::Block, _) => block::install(existing),
            (Part::Json(entry), _) => self.proven(existing, json::install(entry, existing)?),
            (Part::Toml, _) => self.proven(existing, toml::install(existing)?),
        }
    }

    /// An edit that could not be taken back exactly is not made.
    fn proven(&self, before: Option<&[u8]>, after: Vec<u8>) -> Result<Vec<u8>, Malformed> {
        let changed = before != Some(after.as_slice());
        if changed && self.remove(&after)?.as_deref() != before {
            let message = "the file cannot be edited so that it could be given back";
            return Err(Malformed::at(&after, 0, message).hint("please report this file's shape"));
        }
        Ok(after)
    }

    /// The file's text without cairn's part; `None` when nothing else was in it.
    pub fn remove(&self, existing: &[u8]) -> Result<Option<Vec<u8>>, Malformed> {
        match &self.part {
            Part::Whole(text) if existing == text().as_bytes() => Ok(None),
            Part::Whole(_) => Ok(Some(existing.to_vec())),
            Part::Block => block::remove(existing),
            Part::Json(entry) => json::remove(entry, existing),
            Part::Toml => toml::remove(existing),
        }
    }

    /// Whether cairn's part is there but not as cairn writes it, so that it is left alone.
    pub fn is_customised(&self, existing: &[u8]) -> bool {
        match &self.part {
            Part::Whole(text) => existing != text().as_bytes(),
            Part::Block => false,
            Part::Json(entry) => json::is_customised(entry, existing),
            Part::Toml => toml::is_customised(existing),
        }
    }
}
