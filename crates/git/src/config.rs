//! The few settings that decide how a repository is laid out, read in process.
//!
//! Git reads them from the repository's own file alone, without includes, and so do we. For
//! everything else git is asked, since only it knows all the places a setting can come from.

use std::path::Path;

use base::Result;
use base::text::bytes_without_byte_order_mark;

use crate::files;

/// Settings as `section.key` in lowercase, in the order of the file. The last of several has
/// precedence.
#[derive(Debug, Default)]
pub(crate) struct GitConfig(Vec<(String, Vec<u8>)>);

impl GitConfig {
    /// Reads the settings of a repository, and those of the worktree if it has its own.
    pub(crate) fn read(git_dir: &Path, common_dir: &Path) -> Result<Self> {
        let mut config = Self::parse(&files::read(&common_dir.join("config"))?.unwrap_or_default());
        if config.get_bool("extensions.worktreeconfig") == Some(true) {
            let own = files::read(&git_dir.join("config.worktree"))?.unwrap_or_default();
            config.0.extend(Self::parse(&own).0);
        }
        Ok(config)
    }

    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let bytes = bytes_without_byte_order_mark(bytes);
        let mut reader = GitConfigReader { rest: bytes, section: None, settings: Vec::new() };
        while reader.read_next() {}
        Self(reader.settings)
    }

    /// The value that holds.
    pub(crate) fn get(&self, name: &str) -> Option<&[u8]> {
        let entry = self.0.iter().rev().find(|(known, _)| known == name);
        entry.map(|(_, value)| value.as_slice())
    }

    /// A boolean setting; `None` if it is not set or not a boolean.
    pub(crate) fn get_bool(&self, name: &str) -> Option<bool> {
        match self.get(name)?.to_ascii_lowercase().as_slice() {
            b"true" | b"yes" | b"on" | b"1" => Some(true),
            b"false" | b"no" | b"off" | b"0" | b"" => Some(false),
            _ => None,
        }
    }
}

/// Parses a settings file. Sections with a subsection, such as remotes, are skipped.
struct GitConfigReader<'a> {
    rest: &'a [u8],
    section: Option<String>,
    settings: Vec<(String, Vec<u8>)>,
}

impl GitConfigReader<'_> {
    /// Parses one comment, header or setting. Returns false at the end.
    fn read_next(&mut self) -> bool {
        self.rest = self.rest.trim_ascii_start();
        match self.rest.first() {
            None => return false,
            Some(b'#' | b';') => drop(self.take_until(|byte| byte == b'\n')),
            Some(b'[') => self.header(),
            Some(_) => self.setting(),
        }
        true
    }

    fn header(&mut self) {
        self.rest = &self.rest[1..];
        let name = self.take_until(|byte| matches!(byte, b']' | b'"' | b'\n'));
        let name = String::from_utf8_lossy(&name).trim().to_ascii_lowercase();
        self.section = self.rest.starts_with(b"]").then_some(name);
        if self.rest.starts_with(b"\"") {
            self.rest = &self.rest[1..];
            self.quoted();
            self.take_until(|byte| matches!(byte, b']' | b'\n'));
        }
        self.rest = self.rest.strip_prefix(b"]").unwrap_or(self.rest);
    }

    fn setting(&mut self) {
        let key = self.take_until(|byte| matches!(byte, b'=' | b'\n' | b'#' | b';'));
        let key = String::from_utf8_lossy(&key).trim().to_ascii_lowercase();
        let value = if self.rest.starts_with(b"=") {
            self.rest = &self.rest[1..];
            self.value()
        } else {
            b"true".to_vec()
        };
        if let Some(section) = &self.section {
            self.settings.push((format!("{section}.{key}"), value));
        }
    }

    /// Parses the value after `=`. Quotes, escapes, comments and line continuations are resolved.
    fn value(&mut self) -> Vec<u8> {
        let (mut value, mut end) = (Vec::new(), 0);
        while let [first, rest @ ..] = self.rest {
            if matches!(first, b'\n' | b'#' | b';') {
                break;
            }
            self.rest = rest;
            match first {
                b'"' => value.extend(self.quoted()),
                b'\\' => value.extend(self.escape()),
                byte if byte.is_ascii_whitespace() && value.is_empty() => {}
                byte => value.push(*byte),
            }
            if !first.is_ascii_whitespace() {
                end = value.len();
            }
        }
        self.take_until(|byte| byte == b'\n');
        value.truncate(end);
        value
    }

    /// Parses up to and including the closing quote.
    fn quoted(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        while let [first, rest @ ..] = self.rest {
            if *first == b'\n' {
                break;
            }
            self.rest = rest;
            match first {
                b'"' => break,
                b'\\' => text.extend(self.escape()),
                byte => text.push(*byte),
            }
        }
        text
    }

    /// Parses the character after a backslash.
    fn escape(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        match first {
            b'\r' if rest.starts_with(b"\n") => {
                self.rest = &rest[1..];
                None
            }
            b'\n' => None,
            b'n' => Some(b'\n'),
            b't' => Some(b'\t'),
            b'b' => Some(8),
            byte => Some(*byte),
        }
    }

    fn take_until(&mut self, stop: impl Fn(u8) -> bool) -> Vec<u8> {
        let end = self.rest.iter().position(|byte| stop(*byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_read_as_git_reads_them() {
        let text = b"\xef\xbb\xbf# top\n[core]\n\tbare = false ; no\n[Extensions] objectFormat=\"sha256\"\n\
            [remote \"a]\\\"b\"]\n\tbare = true\n[core] worktree = ../a \"b # c\"\\\n d  # e\n\tBARE\n";
        let config = GitConfig::parse(text);
        assert_eq!(config.get_bool("core.bare"), Some(true));
        assert_eq!(config.get("extensions.objectformat"), Some(&b"sha256"[..]));
        assert_eq!(config.get("core.worktree"), Some(&b"../a b # c d"[..]));
        assert_eq!(config.get("remote.bare"), None);
    }

    #[test]
    fn damaged_files_end() {
        for text in
            [&b"[core"[..], b"[core \"x", b"[core]\nbare = \"a", b"[core]\nbare = \\", b"=", b"]"]
        {
            assert_ne!(GitConfig::parse(text).get_bool("core.bare"), Some(true));
        }
    }
}
