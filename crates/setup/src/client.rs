//! The agent programs that `init` can set up.

use std::fmt;
use std::str::FromStr;

use base::similarity::suggestion;

use crate::files::SetupFile;

/// A program that speaks MCP and reads its servers from a file in the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Client {
    /// Claude Code, and others that read `.mcp.json`
    Claude,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
    /// Gemini CLI
    Gemini,
    /// opencode
    Opencode,
}

impl Client {
    /// Every client.
    pub const ALL: [Self; 6] =
        [Self::Claude, Self::Codex, Self::Cursor, Self::Vscode, Self::Gemini, Self::Opencode];

    /// The word that names it on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }
}

/// Files and programs that show that a client is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientTraces {
    /// Files and folders in a repository
    pub in_repository: &'static [&'static str],
    /// Folders in the user's home
    pub in_home: &'static [&'static str],
    /// Programs on the `PATH`
    pub programs: &'static [&'static str],
}

impl Client {
    /// Whether `init` can write the hooks of this client.
    pub fn has_hooks(self) -> bool {
        SetupFile::has_hooks_of(self)
    }

    /// What to look for.
    pub const fn traces(self) -> ClientTraces {
        match self {
            Self::Claude => ClientTraces {
                in_repository: &[".claude", "CLAUDE.md", ".mcp.json"],
                in_home: &[".claude"],
                programs: &["claude"],
            },
            Self::Codex => ClientTraces {
                in_repository: &[".codex"],
                in_home: &[".codex"],
                programs: &["codex"],
            },
            Self::Cursor => ClientTraces {
                in_repository: &[".cursor", ".cursorrules"],
                in_home: &[".cursor"],
                programs: &["cursor", "cursor-agent"],
            },
            Self::Vscode => ClientTraces {
                in_repository: &[".vscode", ".github/copilot-instructions.md"],
                in_home: &[".vscode"],
                programs: &["code"],
            },
            Self::Gemini => ClientTraces {
                in_repository: &[".gemini", "GEMINI.md"],
                in_home: &[".gemini"],
                programs: &["gemini"],
            },
            Self::Opencode => ClientTraces {
                in_repository: &["opencode.json", "opencode.jsonc", ".opencode"],
                in_home: &[".config/opencode"],
                programs: &["opencode"],
            },
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Client {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = text.trim().to_lowercase();
        Self::ALL.into_iter().find(|client| client.name() == wanted).ok_or_else(|| {
            let hint = suggestion(&wanted, &Self::ALL.map(Self::name), "clients");
            format!("no client `{}`; {hint}", text.trim().escape_debug())
        })
    }
}

/// The clients of a list such as `claude,codex`, each once; `all` means every client, `none` means
/// no client.
pub fn parse_clients(list: &str) -> Result<Vec<Client>, String> {
    match list.trim() {
        "all" => return Ok(Client::ALL.to_vec()),
        "none" => return Ok(Vec::new()),
        _ => {}
    }
    let mut clients = list.split(',').map(str::parse).collect::<Result<Vec<Client>, _>>()?;
    clients.sort_unstable();
    clients.dedup();
    Ok(clients)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_clients_are_read_and_typos_named() {
        assert_eq!(parse_clients("codex, Claude,codex"), Ok(vec![Client::Claude, Client::Codex]));
        assert_eq!(parse_clients("all"), Ok(Client::ALL.to_vec()));
        assert_eq!(parse_clients("none"), Ok(vec![]));
        assert_eq!(
            parse_clients("claude,cursr"),
            Err("no client `cursr`; did you mean `cursor`?".into())
        );
        assert!(parse_clients("").is_err());
        for client in Client::ALL {
            assert_eq!(client.to_string().parse(), Ok(client));
        }
    }
}
