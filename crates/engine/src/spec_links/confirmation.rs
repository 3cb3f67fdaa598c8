//! Confirmations as text files, one per link. They have the format of shared records, so that git
//! and the merge driver treat both alike.

use base::shared::{parse_file, render_file};
use base::{EntityRef, Hash, Problem, RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::graph::{SpecLink, SpecLinkKind};

/// The folder of confirmations, below the root.
pub const FOLDER: &str = ".cairn/links";

/// The last field, with the reason.
const WHY: &str = "why";

/// The longest readable part of a file name, in characters.
const MAX_NAME_CHARS: usize = 80;

/// The state of one end when a link was confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConfirmationSide {
    /// The digest of its substance
    pub digest: String,
    /// The git object of the file that it is in; absent for records of a store
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}

/// The record that somebody confirmed that both ends of a link agree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkConfirmation {
    /// The link
    pub link: SpecLink,
    /// The version of the normaliser that made the digests
    pub normaliser: u32,
    /// Where the link starts
    pub from: ConfirmationSide,
    /// Where it ends
    pub to: ConfirmationSide,
    /// Who confirmed it
    pub by: String,
    /// When, as RFC 3339 has it
    pub at: String,
    /// Why they agree
    pub why: String,
    /// Goes up with every confirmation of the link
    pub version: u32,
}

impl LinkConfirmation {
    /// The text of its file.
    pub fn to_text(&self) -> String {
        let mut fields = Map::new();
        let mut set = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
        set("type", json!(self.link.kind.word()));
        set("from", json!(self.link.from.to_string()));
        set("to", json!(self.link.to.to_string()));
        set("normaliser", json!(self.normaliser));
        for (name, side) in [("from", &self.from), ("to", &self.to)] {
            set(&format!("{name}_digest"), json!(side.digest));
            if let Some(blob) = &side.blob {
                set(&format!("{name}_blob"), json!(blob));
            }
        }
        set("by", json!(self.by));
        set("at", json!(self.at));
        set("version", json!(self.version));
        set(WHY, json!(self.why));
        render_file(&fields, WHY, self.version)
    }

    /// Reads the text of a file, or says why it is not a confirmation.
    pub fn parse(text: &str) -> Result<Self, String> {
        let fields = parse_file(text, WHY)?.record.ok_or("it marks a deleted record")?;
        let text = |name: &str| {
            let value = fields.get(name).and_then(Value::as_str).map(ToOwned::to_owned);
            value.ok_or_else(|| format!("`{name}` is missing"))
        };
        let number = |name: &str| {
            let value = fields.get(name).and_then(Value::as_u64);
            let value = value.and_then(|value| u32::try_from(value).ok());
            value.ok_or_else(|| format!("`{name}` is not a number"))
        };
        let side = |name: &str| {
            let digest = text(&format!("{name}_digest"))?;
            let blob = fields.get(&format!("{name}_blob")).and_then(Value::as_str);
            Ok::<_, String>(ConfirmationSide { digest, blob: blob.map(ToOwned::to_owned) })
        };
        let link = SpecLink {
            kind: text("type")?.parse::<SpecLinkKind>()?,
            from: text("from")?.parse::<EntityRef>()?,
            to: text("to")?.parse::<EntityRef>()?,
        };
        Ok(Self {
            link,
            normaliser: number("normaliser")?,
            from: side("from")?,
            to: side("to")?,
            by: text("by")?,
            at: text("at")?,
            why: text(WHY)?,
            version: number("version")?,
        })
    }
}

/// The file of the confirmation of a link. Two branches that confirm the same link write the same
/// file.
pub fn confirmation_path(link: &SpecLink) -> Result<RepoPath> {
    let whole = format!("{} {} {}", link.kind, link.from, link.to);
    let digest = Hash::of(whole.as_bytes()).prefix(8);
    let readable = |node: &EntityRef| {
        let text = node.to_string();
        let text = text.split_once("symbol:").map_or(text.as_str(), |(_, rest)| rest);
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        let name: String = text.chars().map(plain).take(MAX_NAME_CHARS / 2).collect();
        name.trim_matches(['-', '.']).replace("--", "-")
    };
    let name = format!("{}--{}.{digest}", readable(link.spec_end()), readable(link.other_end()));
    format!("{FOLDER}/{name}.link").parse().map_err(Problem::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confirmation_is_text_that_is_read_back() {
        let confirmation = LinkConfirmation {
            link: SpecLink {
                kind: SpecLinkKind::See,
                from: "symbol:src/auth.ts#login".parse().unwrap(),
                to: "spec::auth/login".parse().unwrap(),
            },
            normaliser: 1,
            from: ConfirmationSide { digest: "aa".into(), blob: Some("bb".into()) },
            to: ConfirmationSide { digest: "cc".into(), blob: None },
            by: "ann".into(),
            at: "2026-01-02T03:04:05Z".into(),
            why: "read both\n\ntwice".into(),
            version: 3,
        };
        let text = confirmation.to_text();
        assert_eq!(
            text,
            "at: \"2026-01-02T03:04:05Z\"\nby: \"ann\"\nfrom: \"symbol:src/auth.ts#login\"\n\
             from_blob: \"bb\"\nfrom_digest: \"aa\"\nnormaliser: 1\nto: \"spec::auth/login\"\n\
             to_digest: \"cc\"\ntype: \"see\"\nversion: 3\n---\nread both\n\ntwice\n"
        );
        assert_eq!(LinkConfirmation::parse(&text), Ok(confirmation.clone()));
        let path = confirmation_path(&confirmation.link).unwrap().to_string();
        assert!(path.starts_with(".cairn/links/spec-auth-login--src-auth.ts-login."), "{path}");
        assert!(LinkConfirmation::parse("odd").is_err());
    }
}
