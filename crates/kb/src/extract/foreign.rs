//! What readers of documents without ids share: entities, outlines and generated ids.

use base::RepoPath;

use crate::model::{Entity, EntityDetails, KbEntityKind};

/// Names of folders for the documents of a whole repository. Other folders belong to a part of it.
const COMMON_FOLDERS: [&str; 9] =
    ["doc", "docs", "documentation", "architecture", "arch", "design", ".", "src", "website"];

/// An entity from a document with few fields.
pub(super) struct ForeignEntity {
    path: String,
    id: String,
    kind: KbEntityKind,
    title: String,
    pub status: String,
    pub date: String,
    pub tags: Vec<String>,
    pub text: String,
}

impl ForeignEntity {
    pub(super) fn new(path: &RepoPath, id: String, kind: KbEntityKind, title: &str) -> Self {
        Self {
            path: path.to_string(),
            id,
            kind,
            title: title.split_whitespace().collect::<Vec<_>>().join(" "),
            status: kind.statuses()[0].to_owned(),
            date: String::new(),
            tags: Vec::new(),
            text: String::new(),
        }
    }

    pub(super) fn into_entity(self) -> Entity {
        Entity {
            id: self.id,
            kind: self.kind,
            title: self.title,
            status: self.status,
            created_at: self.date,
            updated_at: String::new(),
            source: self.path.clone(),
            author: String::new(),
            version: 0,
            more: EntityDetails {
                tags: self.tags,
                text_ref: Some(self.path),
                text: (!self.text.trim().is_empty()).then_some(self.text),
                ..EntityDetails::default()
            },
        }
    }
}

/// Letters, digits and dashes of a name.
pub(super) fn slug(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let text: String = name.chars().map(plain).collect();
    let parts: Vec<&str> = text.split('-').filter(|part| !part.is_empty()).collect();
    parts.join("-").chars().take(60).collect()
}

/// A prefix for ids that names the part of the repository a document folder belongs to: empty for
/// the root, `api-` for `packages/api/docs/adr`.
pub(super) fn folder_prefix(path: &RepoPath, own: &[&str]) -> String {
    let path = path.to_string();
    let folders: Vec<&str> = path.split('/').collect();
    let at = folders.iter().position(|folder| own.contains(&folder.to_lowercase().as_str()));
    let before = &folders[..at.unwrap_or_default()];
    let is_part = |folder: &&&str| !COMMON_FOLDERS.contains(&folder.to_lowercase().as_str());
    match before.iter().rev().find(is_part) {
        Some(part) => format!("{}-", slug(part)),
        None => String::new(),
    }
}

/// A heading of a document, with the text below it.
struct OutlineSection<'t> {
    level: usize,
    title: &'t str,
    line: u32,
    text: Vec<&'t str>,
}

/// A Markdown text by its headings. Code blocks have none.
pub(super) struct MarkdownOutline<'t> {
    sections: Vec<OutlineSection<'t>>,
    start: Vec<&'t str>,
}

impl<'t> MarkdownOutline<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut outline = Self { sections: Vec::new(), start: Vec::new() };
        let mut is_code = false;
        for (number, line) in (1u32..).zip(text.lines()) {
            is_code ^= line.trim_start().starts_with("```");
            let marks = line.chars().take_while(|c| *c == '#').count();
            let is_heading = !is_code && (1..=6).contains(&marks) && line[marks..].starts_with(' ');
            if is_heading {
                let title = line[marks..].trim().trim_end_matches('#').trim();
                let section =
                    OutlineSection { level: marks, title, line: number, text: Vec::new() };
                outline.sections.push(section);
            } else {
                let lines = outline.sections.last_mut().map(|last| &mut last.text);
                lines.unwrap_or(&mut outline.start).push(line);
            }
        }
        outline
    }

    /// The first heading of the first level, with its line.
    pub(super) fn title(&self) -> Option<(&'t str, u32)> {
        let first = self.sections.iter().find(|section| section.level == 1);
        first.or(self.sections.first()).map(|section| (section.title, section.line))
    }

    /// The headings, in small letters.
    pub(super) fn headings(&self) -> impl Iterator<Item = String> {
        self.sections.iter().map(|section| section.title.to_lowercase())
    }

    /// The text below a heading.
    pub(super) fn section(&self, title: &str) -> Option<String> {
        let own = self.sections.iter().find(|one| one.title.eq_ignore_ascii_case(title))?;
        let lines = own.text.iter().skip_while(|line| line.trim().is_empty());
        let text: Vec<&str> = lines.copied().collect();
        Some(text.join("\n").trim().to_owned())
    }

    /// A value in a line such as `- Status: accepted` or `Date: 2020-01-01` before the first section.
    pub(super) fn bullet(&self, name: &str) -> Option<String> {
        let head = self.sections.iter().take_while(|section| section.level == 1);
        let lines = self.start.iter().chain(head.flat_map(|section| section.text.iter()));
        lines.into_iter().find_map(|line| {
            let plain =
                line.trim().trim_start_matches(['-', '*', '>', ' ']).replace(['*', '_'], "");
            let (key, value) = plain.split_once(':')?;
            key.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    }

    /// Headings with their level, line and the text below them, in order.
    pub(super) fn sections(&self) -> impl Iterator<Item = (usize, &'t str, u32, String)> {
        self.sections
            .iter()
            .map(|one| (one.level, one.title, one.line, one.text.join("\n").trim().to_owned()))
    }
}
