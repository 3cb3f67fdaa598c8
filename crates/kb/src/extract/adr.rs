//! Reads architecture decision records as people already have them: in the forms of Nygard, MADR
//! and log4brains, without an id.

use ::document::Document;
use base::RepoPath;

use super::ExtractedFacts;
use super::foreign::{ForeignEntity, MarkdownOutline, folder_prefix};
use crate::knowledge_model::{FactOrigin, FileRelation};
use crate::model::{KbEntityKind, KbRelationKind};

/// Names of folders that hold decisions.
const FOLDERS: [&str; 7] = [
    "adr",
    "adrs",
    "decisions",
    "decision-records",
    "architecture-decisions",
    "architectural-decisions",
    "architecture_decisions",
];

/// Files in such a folder that are about the folder.
const OTHER_FILES: [&str; 2] = ["readme", "index"];

/// Sections that only a decision has.
const SECTIONS: [&str; 6] = [
    "decision",
    "decision outcome",
    "context",
    "context and problem statement",
    "consequences",
    "considered options",
];

/// Whether a file is in a folder of decisions or is called like one, and is not about the folder itself.
pub(super) fn is_decision_path(path: &RepoPath) -> bool {
    let path = path.to_string().to_lowercase();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path.as_str()));
    let stem = name.trim_end_matches(".md").trim_end_matches(".markdown");
    let is_other = OTHER_FILES.contains(&stem) || is_template(stem);
    let is_here = folders.split('/').any(|folder| FOLDERS.contains(&folder));
    (is_here || is_numbered_decision(stem)) && !is_other
}

/// Whether a file is a form for decisions: `template`, `adr-template-short` or `0000-template`. A
/// number of its own makes it a decision about templates, unless it has no other words.
fn is_template(stem: &str) -> bool {
    let words: Vec<&str> =
        stem.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_form = |word: &&str| matches!(*word, "template" | "templates");
    let has_number = words.iter().any(|word| word.parse().is_ok_and(|number: u64| number > 0));
    let is_only =
        words.iter().all(|word| is_form(word) || *word == "adr" || word.parse::<u64>().is_ok());
    words.iter().any(is_form) && (!has_number || is_only)
}

/// Whether a file is named like `adr-001-use-it`, which is a decision in any folder.
fn is_numbered_decision(stem: &str) -> bool {
    let number = stem.strip_prefix("adr").map(|rest| rest.trim_start_matches(['-', '_']));
    number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
}

/// Reads a decision. A document that looks like one and cannot be read gets a notice that
/// says why.
pub(super) fn extract(path: &RepoPath, text: &str, document: &Document<'_>) -> ExtractedFacts {
    let mut out = ExtractedFacts::default();
    let outline = MarkdownOutline::of(document.body());
    let field = |name: &str| {
        let node = document.fields().find(|(key, _)| key.eq_ignore_ascii_case(name));
        node.and_then(|(_, node)| node.scalar().map(std::borrow::Cow::into_owned))
    };
    let heading = outline.title().map(|(title, line)| (plain_title(title), line));
    let Some(title) = field("title").or_else(|| heading.as_ref().map(|(title, _)| title.clone()))
    else {
        out.notices
            .push((1, "a decision without a title: it has neither a heading nor a `title`".into()));
        return out;
    };
    let status = field("status").or_else(|| outline.bullet("status")).or_else(|| {
        outline.section("status").map(|text| text.lines().next().unwrap_or_default().to_owned())
    });
    let has_decision = outline.headings().any(|name| SECTIONS.contains(&name.as_str()));
    let raw = match status.filter(|status| !status.trim().is_empty()) {
        Some(status) => status,
        // A decision without a status counts as accepted.
        None if has_decision => "accepted".to_owned(),
        None => {
            out.notices.push((
                1,
                "looks like a decision: it has no status and no section `Decision`".into(),
            ));
            return out;
        }
    };
    let id = id(path, outline.title().map(|(title, _)| title));
    let line = heading.map_or(1, |(_, line)| line + body_offset(text, document));
    let mut entity = ForeignEntity::new(path, id.clone(), KbEntityKind::Adr, &title);
    entity.status = first_word_of_status(&raw);
    entity.date = field("date").or_else(|| outline.bullet("date")).unwrap_or_default();
    entity.tags = outline
        .bullet("tags")
        .map(|tags| tags.split(',').map(|tag| tag.trim().to_owned()).collect())
        .unwrap_or_default();
    document.body().trim().clone_into(&mut entity.text);
    out.entities.push((entity.into_entity(), line));
    for successor in successors(path, &raw) {
        out.relations.push(FileRelation {
            relates: Some(KbRelationKind::Supersedes),
            from: successor,
            to: id.clone(),
            kind: String::new(),
            origin: FactOrigin::File(path.clone(), line),
        });
    }
    out
}

fn body_offset(text: &str, document: &Document<'_>) -> u32 {
    let head = &text[..text.len() - document.body().len()];
    u32::try_from(head.matches('\n').count()).unwrap_or_default()
}

/// `ADR-0007` for a numbered file or heading, else `ADR-` and the name of the file.
fn id(path: &RepoPath, heading: Option<&str>) -> String {
    let name = path.name();
    let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
    id_of_stem(path, stem, heading)
}

fn id_of_stem(path: &RepoPath, stem: &str, heading: Option<&str>) -> String {
    let prefix = folder_prefix(path, &FOLDERS);
    let of_file = number_in(stem.trim_start_matches(|c: char| !c.is_ascii_digit()));
    let is_date = |digits: &str| digits.len() > 5;
    match of_file.filter(|digits| !is_date(digits)).or_else(|| heading.and_then(leading_number)) {
        Some(number) => format!("ADR-{prefix}{number:0>4}"),
        None => format!("ADR-{prefix}{}", super::foreign::slug(stem)),
    }
}

fn number_in(text: &str) -> Option<String> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

/// The number of `1. Record decisions` or `ADR-12: …`.
fn leading_number(heading: &str) -> Option<String> {
    let rest = heading.trim();
    let upper = rest.to_uppercase();
    let rest =
        if upper.starts_with("ADR") { rest[3..].trim_start_matches(['-', ' ', '#']) } else { rest };
    let digits = number_in(rest)?;
    rest[digits.len()..].starts_with(['.', ':', ' ', '-']).then_some(digits)
}

/// A heading without its number.
fn plain_title(heading: &str) -> String {
    match leading_number(heading) {
        Some(number) => {
            let at = heading.find(&number).map_or(0, |at| at + number.len());
            heading[at..].trim_start_matches(['.', ':', ' ', '-', '–', '—']).to_owned()
        }
        None => heading.to_owned(),
    }
}

/// `Superseded by [7](0007-x.md)` is superseded; the rest is for people.
fn first_word_of_status(raw: &str) -> String {
    let plain: String = raw.chars().filter(|c| !matches!(c, '*' | '_' | '`' | '~')).collect();
    let plain = plain.split(['(', '[', ',', ';', '.', ':', '|', '<']).next().unwrap_or_default();
    let lower = plain.trim().to_lowercase();
    for word in ["superseded", "superceded", "deprecated", "accepted", "proposed", "rejected"] {
        if lower.starts_with(word) {
            return word.replace("superceded", "superseded");
        }
    }
    lower.replace([' ', '-'], "_")
}

/// The decisions that replaced this one, from links or numbers in its status.
fn successors(path: &RepoPath, raw: &str) -> Vec<String> {
    let linked = raw.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let stems = linked.filter_map(|(link, _)| link.rsplit('/').next()?.strip_suffix(".md"));
    let ids: Vec<String> = stems.map(|stem| id_of_stem(path, stem, None)).collect();
    if !ids.is_empty() {
        return ids;
    }
    let prefix = folder_prefix(path, &FOLDERS);
    successor_numbers(raw).into_iter().map(|number| format!("ADR-{prefix}{number}")).collect()
}

fn successor_numbers(raw: &str) -> Vec<String> {
    let lower = raw.to_lowercase();
    let Some(at) = lower.find("supersed").or_else(|| lower.find("superced")) else {
        return Vec::new();
    };
    let mut numbers = Vec::new();
    let rest = &raw[at..];
    let mut chars = rest.char_indices();
    while let Some((start, c)) = chars.next() {
        if c.is_ascii_digit() {
            let digits: String = rest[start..].chars().take_while(char::is_ascii_digit).collect();
            chars.by_ref().take(digits.len() - 1).for_each(drop);
            let number = format!("{digits:0>4}");
            if digits.len() < 6 && !numbers.contains(&number) {
                numbers.push(number);
            }
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, text: &str) -> ExtractedFacts {
        extract(&path.parse().unwrap(), text, &Document::parse(text).unwrap())
    }

    fn told(path: &str, text: &str) -> String {
        let found = read(path, text);
        let entities = found
            .entities
            .iter()
            .map(|(e, line)| format!("{} {} \"{}\" {line}", e.id, e.status, e.title));
        let relations = found.relations.iter().map(|r| format!("{} supersedes {}", r.from, r.to));
        let notices = found.notices.iter().map(|(_, why)| why.clone());
        entities.chain(relations).chain(notices).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn the_usual_forms_are_read() {
        let nygard = "# 3. Use SQLite\n\nDate: 2020-01-02\n\n## Status\n\nSuperseded by [7. Use Postgres](0007-use-postgres.md)\n\n## Context\n\nx\n";
        assert_eq!(
            told("doc/adr/0003-use-sqlite.md", nygard),
            "ADR-0003 superseded \"Use SQLite\" 1; ADR-0007 supersedes ADR-0003"
        );
        let madr = "---\nstatus: accepted\ndate: 2024-01-01\n---\n\n# Use Markdown\n\n## Context and Problem Statement\n";
        assert_eq!(
            told("docs/decisions/0001-use-markdown.md", madr),
            "ADR-0001 accepted \"Use Markdown\" 6"
        );
        let log4brains =
            "# Use it\n\n- Status: draft\n- Date: 2020-01-01\n- Tags: doc, dev\n\n## Context\n";
        assert_eq!(
            told("docs/adr/20200101-use-it.md", log4brains),
            "ADR-20200101-use-it draft \"Use it\" 1"
        );
        let old =
            "# Old\n\n- Status: superseded by [20201016-new](20201016-new.md)\n\n## Decision\n";
        assert_eq!(
            told("docs/adr/20200101-old.md", old),
            "ADR-20200101-old superseded \"Old\" 1; ADR-20201016-new supersedes ADR-20200101-old"
        );
        let bare = "# Use it\n\n## Decision\n\nWe do.\n";
        assert_eq!(
            told("packages/api/docs/adr/0001-x.md", bare),
            "ADR-api-0001 accepted \"Use it\" 1"
        );
        assert!(
            told("docs/adr/0002-notes.md", "# Notes\n\ntext\n").contains("looks like a decision")
        );
        assert!(is_decision_path(&"adr-001-use-adrs.md".parse().unwrap()));
        assert!(is_decision_path(&"notes/ADR_7.md".parse().unwrap()));
        assert!(!is_decision_path(&"notes/adrift.md".parse().unwrap()));
        assert!(!is_decision_path(&"docs/adr/README.md".parse().unwrap()));
        for form in ["0000-template", "template", "_template", "adr-template-short", "001-template"]
        {
            assert!(!is_decision_path(&format!("docs/adr/{form}.md").parse().unwrap()), "{form}");
        }
        assert!(is_decision_path(&"docs/adr/0014-project-templates.md".parse().unwrap()));
        assert!(is_decision_path(&"adr-014-project-templates.md".parse().unwrap()));
    }
}
