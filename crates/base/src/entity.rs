//! Entity references: the one textual name of everything that cairn knows.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{RepoPath, text_type};

/// A node of the graph. Its text form is the handle that every operation takes.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum EntityRef {
    /// A file in a language that is parsed
    Module(RepoPath),
    /// Any other file
    File(RepoPath),
    /// A folder
    Dir(RepoPath),
    /// A declaration in a file
    Symbol(RepoPath, SymbolName),
    /// A specification card
    Card(CardKey),
    /// A commit
    Commit(CommitId),
    /// An entity of the knowledge base
    Kb(KbId),
    /// A record of work or knowledge
    Record(RecordKind, RecordId),
}

/// The stores whose records are named by a UUID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordKind {
    /// A body of knowledge
    Molecule,
    /// A piece of knowledge about some paths
    Atom,
    /// A project
    Project,
    /// A feature of a project
    Feature,
    /// A task
    Task,
}

impl RecordKind {
    const ALL: [Self; 5] = [Self::Molecule, Self::Atom, Self::Project, Self::Feature, Self::Task];

    /// The prefix of its handles.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Molecule => "molecule",
            Self::Atom => "atom",
            Self::Project => "project",
            Self::Feature => "feature",
            Self::Task => "task",
        }
    }
}

text_type!(
    /// A symbol's name in its file, nested with `.`.
    SymbolName,
    |text| match text {
        "" => Err("a symbol needs a name".into()),
        _ if text.contains(char::is_control) => Err("a symbol's name is one line".into()),
        _ => Ok(()),
    }
);

/// Strips the suffix that distinguishes symbols of the same name: `A.x` of `A.x~1f2e`; `None` if
/// there is no suffix.
pub fn strip_disambiguator(full: &str) -> Option<&str> {
    let (base, digits) = full.rsplit_once('~')?;
    let is_mark = matches!(digits.len(), 4 | 16) && digits.bytes().all(is_lower_hex_digit);
    (is_mark && !base.is_empty() && !base.ends_with('.')).then_some(base)
}

/// A symbol's nested name without what distinguishes symbols of the same name: `A.x` of `A.x()` and
/// of `A.x~1f2e`.
pub fn plain_name(full: &str) -> Cow<'_, str> {
    if !full.contains(['~', '(']) {
        return Cow::Borrowed(full);
    }
    let plain: Vec<&str> = full.split('.').map(plain_segment).collect();
    Cow::Owned(plain.join("."))
}

fn plain_segment(part: &str) -> &str {
    let part = strip_disambiguator(part).unwrap_or(part);
    let is_named = |name: &&str| name.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    part.strip_suffix("()").filter(is_named).unwrap_or(part)
}

/// The last of a symbol's nested names, without its trait and what distinguishes symbols of the
/// same name: `fmt` of `A.fmt@Display~1f2e`.
pub fn own_name(full: &str) -> &str {
    let of_trait = full.find('@').filter(|at| *at > 0 && !full[..*at].ends_with('.'));
    let name = &full[..of_trait.unwrap_or(full.len())];
    plain_segment(name.rsplit(['.', ' ']).next().unwrap_or(name))
}

const fn is_lower_hex_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

text_type!(
    /// A card's key, `type::slug`.
    CardKey,
    |text| match text.split_once("::") {
        Some((kind, slug)) if is_word(kind) && !slug.is_empty() => Ok(()),
        _ => Err(format!("`{text}` is not a card key such as `spec::auth/login`")),
    }
);

text_type!(
    /// A commit id, whole or shortened to at least four digits.
    CommitId,
    |text| {
        let hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let good = hex && (4..=64).contains(&text.len());
        good.then_some(()).ok_or_else(|| format!("`{text}` is not a commit's name"))
    }
);

text_type!(
    /// The id of a knowledge base entity, such as `REQ-001`.
    KbId,
    |text| {
        let odd = |c: char| c.is_whitespace() || c.is_control();
        let good = !text.is_empty() && !text.contains(odd);
        good.then_some(()).ok_or_else(|| format!("`{}` is not an id", text.escape_debug()))
    }
);

text_type!(
    /// A UUID, dashed or not, or the first digits of one.
    RecordId,
    |text| {
        let digit = |byte: u8| byte == b'-' || byte.is_ascii_hexdigit();
        let good = (4..=36).contains(&text.len()) && text.bytes().all(digit);
        good.then_some(()).ok_or_else(|| format!("`{text}` is not an id"))
    }
);

impl EntityRef {
    /// The handle as people type it, without its kind if a path is enough: `src/a.rs#name`.
    pub fn short_handle(&self) -> String {
        match self {
            Self::Symbol(path, name) => format!("{path}#{name}"),
            Self::Module(path) | Self::File(path) => path.to_string(),
            node => node.to_string(),
        }
    }

    /// Its path, or that of the file that it is in.
    pub const fn path(&self) -> Option<&RepoPath> {
        match self {
            Self::Module(path) | Self::File(path) | Self::Dir(path) | Self::Symbol(path, _) => {
                Some(path)
            }
            _ => None,
        }
    }

    /// The name of its kind, such as `symbol`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Module(_) => "module",
            Self::File(_) => "file",
            Self::Dir(_) => "dir",
            Self::Symbol(..) => "symbol",
            Self::Card(_) => "card",
            Self::Commit(_) => "commit",
            Self::Kb(_) => "kb",
            Self::Record(kind, _) => kind.as_str(),
        }
    }
}

impl fmt::Display for EntityRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Module(path) | Self::File(path) | Self::Dir(path) => {
                write!(f, "{}:{path}", self.kind())
            }
            Self::Symbol(path, name) => write!(f, "symbol:{path}#{name}"),
            Self::Card(key) => key.fmt(f),
            Self::Commit(id) => write!(f, "commit:{id}"),
            Self::Kb(id) => write!(f, "kb:{id}"),
            Self::Record(kind, id) => write!(f, "{}:{id}", kind.as_str()),
        }
    }
}

impl FromStr for EntityRef {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((kind, rest)) = text.split_once(':') else {
            return Err(format!(
                "`{}` is not a handle such as `file:README.md`",
                text.escape_debug()
            ));
        };
        match kind {
            _ if rest.starts_with(':') => text.parse().map(Self::Card),
            "module" => rest.parse().map(Self::Module),
            "file" => rest.parse().map(Self::File),
            "dir" => rest.parse().map(Self::Dir),
            "symbol" => match rest.split_once('#') {
                Some((path, name)) => Ok(Self::Symbol(path.parse()?, name.parse()?)),
                None => Err(format!("missing symbol name after `#` in `{text}`")),
            },
            "commit" => rest.parse().map(Self::Commit),
            "kb" => rest.parse().map(Self::Kb),
            _ => match RecordKind::ALL.into_iter().find(|record| record.as_str() == kind) {
                Some(record) => Ok(Self::Record(record, rest.parse()?)),
                None => Err(format!("`{}` is not a kind of handle", kind.escape_debug())),
            },
        }
    }
}

impl TryFrom<String> for EntityRef {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<EntityRef> for String {
    fn from(entity: EntityRef) -> String {
        entity.to_string()
    }
}

fn is_word(text: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.starts_with(char::is_alphabetic) && text.chars().all(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_read_back() {
        for text in [
            "spec::auth/login",
            "module:src/auth/login.ts",
            "file:docs/a b.md",
            "dir:.",
            "symbol:src/auth/login.ts#Session.refresh",
            "symbol:src/a.rs#A.fmt@Display~1f2e",
            "commit:3fce3b5",
            "kb:REQ-001",
            "task:0198c2e4-0000-7000-8000-000000000001",
        ] {
            assert_eq!(text.parse::<EntityRef>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_handle_says_so() {
        for text in
            ["", "README.md", "file:", "file:../x", "symbol:a.ts", "commit:xyz", "moon:a", "::a"]
        {
            assert!(text.parse::<EntityRef>().is_err(), "{text}");
        }
    }

    #[test]
    fn marks_are_taken_off_names_and_nothing_else_is() {
        let cases = [
            ("A.x", "A.x", "x"),
            ("A.x()", "A.x", "x"),
            ("A.x~1f2e", "A.x", "x"),
            ("A.x()~1f2e", "A.x", "x"),
            ("A~1f2e.x", "A.x", "x"),
            ("A.fmt@Display~1f2e", "A.fmt@Display", "fmt"),
            ("A.~A", "A.~A", "~A"),
            ("dead.~dead", "dead.~dead", "~dead"),
            ("impl Tell for ()", "impl Tell for ()", "()"),
            ("impl A", "impl A", "A"),
            ("styles.@media", "styles.@media", "@media"),
        ];
        for (full, plain, own) in cases {
            assert_eq!((&*plain_name(full), own_name(full)), (plain, own), "{full}");
        }
    }
}
