//! Reads requirements that a document lists: `- REQ-001: …`, `**REQ-001** …` and headings such as
//! `### REQ-001 Title`. Also the folders of OpenSpec and Spec Kit, which name theirs in their own way.

use std::collections::BTreeSet;

use base::RepoPath;

use super::ExtractedFacts;
use super::foreign::{ForeignEntity, MarkdownOutline, slug};
use crate::knowledge_model::{FactOrigin, FileRelation};
use crate::model::{KbEntityKind, KbRelationKind};

/// Reads every item of a document that starts with an id.
pub(super) fn extract(path: &RepoPath, body: &str, first_line: u32) -> ExtractedFacts {
    let mut out = ExtractedFacts::default();
    let folder = path.to_string();
    let by_folder = folder.rsplit('/').skip(1).find_map(KbEntityKind::of_folder);
    let mut is_code = false;
    let lines: Vec<&str> = body.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        is_code ^= line.trim_start().starts_with("```");
        let Some((id, title)) = (!is_code).then(|| item(line)).flatten() else { continue };
        let Some(kind) = KbEntityKind::of_id(&id).or(by_folder) else { continue };
        if out.entities.iter().any(|(entity, _)| entity.id == id) {
            continue;
        }
        let number = first_line + u32::try_from(at).unwrap_or_default();
        let mut entity = ForeignEntity::new(path, id, kind, &title);
        entity.text = item_text(&lines[at..], &title);
        out.entities.push((entity.into_entity(), number));
    }
    if out.entities.is_empty() && !body.trim().is_empty() {
        out.notices.extend(missed_item(&folder).map(|why| (first_line, why)));
    }
    out
}

/// Files in a folder of requirements or scenarios that are about the folder.
const OTHER_FILES: [&str; 4] = ["readme", "index", "overview", "glossary"];

/// The notice about a document without items in a folder of requirements or scenarios.
fn missed_item(path: &str) -> Option<String> {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default().to_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    if OTHER_FILES.contains(&stem) || stem.contains("template") {
        return None;
    }
    let (folder, kind) =
        parts.find_map(|folder| Some((folder, KbEntityKind::of_folder(folder)?)))?;
    let example = match kind {
        KbEntityKind::Req => "- REQ-001: …",
        KbEntityKind::Scenario => "- SCEN-001: …",
        _ => return None,
    };
    Some(format!("lies in `{folder}`, and has neither an `id` nor an item such as `{example}`"))
}

/// The id and title of a line that is an item or a heading.
fn item(line: &str) -> Option<(String, String)> {
    let trimmed = line.trim_start();
    let is_item = trimmed.starts_with(['-', '*', '+', '#', '|']) || starts_with_number(trimmed);
    if !is_item {
        return None;
    }
    let rest = trimmed.trim_start_matches(['-', '*', '+', '#', '|', ' ']);
    let rest =
        rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['.', ')', ' ']);
    let rest = rest.trim_start_matches(['[', ' ', 'x', ']', '*', '_', '`']);
    let id: String = rest
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        .collect();
    let id = id.trim_end_matches(['.', '-', '_']).to_owned();
    if !is_id(&id) {
        return None;
    }
    let after = rest[id.len()..].trim_start_matches(['*', '_', '`', ']', ' ']);
    let after = after.trim_start_matches([':', '|', '-', '–', '—', '.', ' ']);
    let title = after.trim_matches(['*', '_', '|', ' ']).replace("**", "");
    let title = title.split('|').next().unwrap_or_default().trim().to_owned();
    (!title.is_empty()).then_some((id, title))
}

fn starts_with_number(text: &str) -> bool {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    digits > 0 && text[digits..].starts_with(['.', ')'])
}

/// `REQ-001`, `NFR-SEC-2`, `FR-001a`: capital letters, dashes, and a number at the end, which may have a
/// letter.
fn is_id(text: &str) -> bool {
    let Some((prefix, number)) = text.rsplit_once('-') else { return false };
    let is_prefix = prefix.starts_with(|c: char| c.is_ascii_uppercase())
        && prefix.len() > 1
        && prefix.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-');
    let digits = number.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(number);
    let is_number = digits.chars().all(|c| c.is_ascii_digit() || c == '.') && !digits.is_empty();
    is_prefix && is_number && number.len() < 7
}

/// The text of an item: below a heading everything up to the next heading of its level, the next item with an id
/// and so on; of a list item its own lines and what is indented below it.
fn item_text(lines: &[&str], title: &str) -> String {
    let level = heading_level(lines[0]);
    let indent = indent_of(lines[0]);
    let mut is_code = false;
    let mut is_after_blank = false;
    let mut text = vec![title.to_owned()];
    for line in &lines[1..] {
        is_code ^= line.trim_start().starts_with("```");
        let is_blank = line.trim().is_empty();
        let own_level = if is_code { 0 } else { heading_level(line) };
        let is_end = match level {
            0 => own_level > 0 || (is_after_blank && !is_blank && indent_of(line) <= indent),
            level => own_level > 0 && own_level <= level,
        };
        if is_end || (!is_code && item(line).is_some()) {
            break;
        }
        is_after_blank |= is_blank;
        text.push(line.trim().to_owned());
    }
    text.join("\n").trim_end().to_owned()
}

/// How many `#` a heading starts with; 0 for other lines.
fn heading_level(line: &str) -> usize {
    line.trim_start().chars().take_while(|c| *c == '#').count()
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Whether a file is a specification of OpenSpec.
pub(super) fn is_openspec(path: &str) -> bool {
    let has = |folder: &str| path.starts_with(folder) || path.contains(&format!("/{folder}"));
    has("openspec/specs/") && path.ends_with("/spec.md")
}

/// Whether a file is a specification of Spec Kit: `specs/001-name/spec.md`.
pub(super) fn is_spec_kit(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let is_spec = parts.next() == Some("spec.md");
    let is_numbered = parts.next().is_some_and(|folder| {
        let digits = folder.chars().take_while(char::is_ascii_digit).count();
        digits >= 3 && folder[digits..].starts_with('-')
    });
    is_spec && is_numbered && parts.next() == Some("specs")
}

/// Reads `### Requirement: …` with `#### Scenario: …` below it.
pub(super) fn extract_openspec(path: &RepoPath, body: &str, first_line: u32) -> ExtractedFacts {
    let mut out = ExtractedFacts::default();
    let capability = parent_folder(path);
    let outline = MarkdownOutline::of(body);
    let mut requirement: Option<String> = None;
    for (level, title, line, text) in outline.sections() {
        let line = first_line + line - 1;
        if let Some(name) = strip_label(title, "requirement:") {
            let id = format!("REQ-{}-{}", slug(&capability), slug(name));
            let mut entity = ForeignEntity::new(path, id.clone(), KbEntityKind::Req, name);
            entity.text = text;
            entity.tags = vec![capability.clone()];
            out.entities.push((entity.into_entity(), line));
            requirement = Some(id);
        } else if let (Some(name), Some(owner)) = (strip_label(title, "scenario:"), &requirement) {
            let id = format!("SCEN-{}-{}", &owner["REQ-".len()..], slug(name));
            add_scenario(&mut out, path, line, owner, id, name, text);
        } else if level <= 2 {
            requirement = None;
        }
    }
    out
}

/// Reads `- **FR-001**: …` and the acceptance scenarios of user stories. Ids are unique in their
/// feature only, so the feature is part of them.
pub(super) fn extract_spec_kit(path: &RepoPath, body: &str, first_line: u32) -> ExtractedFacts {
    let mut out = ExtractedFacts::default();
    let feature = parent_folder(path);
    let mut story: Option<String> = None;
    let defined: BTreeSet<String> =
        requirement_lines(body).filter(|found| found.is_definition).map(|found| found.id).collect();
    let mut requirements = requirement_lines(body).peekable();
    for (at, line) in body.lines().enumerate() {
        let number = first_line + u32::try_from(at).unwrap_or_default();
        let trimmed = line.trim();
        if trimmed.starts_with('#') {
            let title = trimmed.trim_start_matches(['#', ' ']);
            story = strip_label(title, "user story")
                .map(|rest| rest.trim_matches([' ', '-', '–']).to_owned());
        }
        if let Some(found) = requirements.next_if(|found| found.at == at) {
            if !found.is_definition && defined.contains(&found.id) {
                continue; // a remark about it
            }
            let id = format!("REQ-{feature}-{}", found.id);
            if out.entities.iter().any(|(entity, _)| entity.id == id) {
                out.notices.push((number, format!("{} is listed above already", found.id)));
                continue;
            }
            let mut entity = ForeignEntity::new(path, id, KbEntityKind::Req, &found.title);
            entity.text = found.title;
            entity.tags = vec![feature.clone()];
            out.entities.push((entity.into_entity(), number));
        } else if let (Some(story), true) = (&story, is_acceptance(trimmed)) {
            let count =
                out.entities.iter().filter(|(e, _)| e.kind == KbEntityKind::Scenario).count();
            let id = format!("SCEN-{feature}-{}", count + 1);
            let text = trimmed
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .trim_start_matches(['.', ' ']);
            let title = story.split(" (Priority").next().unwrap_or(story);
            let mut entity = ForeignEntity::new(
                path,
                id,
                KbEntityKind::Scenario,
                &format!("{title}: {}", text.replace("**", "")),
            );
            text.clone_into(&mut entity.text);
            entity.status = "active".into();
            out.entities.push((entity.into_entity(), number));
        }
    }
    if out.entities.is_empty() {
        let why =
            "a specification without an item `- **FR-001**: …` and without acceptance scenarios";
        out.notices.push((first_line, why.into()));
    }
    out
}

/// A line of a specification of Spec Kit that starts with the id of a requirement.
struct RequirementLine {
    /// The position of the line, from 0
    at: usize,
    id: String,
    title: String,
    /// Whether the id is written as Spec Kit writes it, `**FR-001**`
    is_definition: bool,
}

/// The lines that start with the id of a requirement, outside of code blocks.
fn requirement_lines(body: &str) -> impl Iterator<Item = RequirementLine> {
    let mut is_code = false;
    body.lines().enumerate().filter_map(move |(at, line)| {
        is_code ^= line.trim_start().starts_with("```");
        let found = (!is_code).then(|| item(line)).flatten();
        let (id, title) =
            found.filter(|(id, _)| id.starts_with("FR-") || id.starts_with("NFR-"))?;
        let is_definition = line.contains(&format!("**{id}"));
        Some(RequirementLine { at, id, title, is_definition })
    })
}

fn is_acceptance(line: &str) -> bool {
    starts_with_number(line)
        && line.to_lowercase().contains("given")
        && line.to_lowercase().contains("then")
}

fn strip_label<'t>(title: &'t str, label: &str) -> Option<&'t str> {
    let start = title.get(..label.len())?;
    start.eq_ignore_ascii_case(label).then(|| title[label.len()..].trim())
}

fn parent_folder(path: &RepoPath) -> String {
    path.to_string().rsplit('/').nth(1).unwrap_or_default().to_owned()
}

/// Adds a scenario and what it is a scenario of.
pub(super) fn add_scenario(
    out: &mut ExtractedFacts,
    path: &RepoPath,
    line: u32,
    requirement: &str,
    id: String,
    title: &str,
    text: String,
) {
    let mut entity = ForeignEntity::new(path, id.clone(), KbEntityKind::Scenario, title);
    entity.status = "active".into();
    entity.text = text;
    out.entities.push((entity.into_entity(), line));
    out.relations.push(FileRelation {
        relates: Some(KbRelationKind::SpecifiedBy),
        from: requirement.to_owned(),
        to: id,
        kind: String::new(),
        origin: FactOrigin::File(path.clone(), line),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(found: &ExtractedFacts) -> Vec<String> {
        let entities =
            found.entities.iter().map(|(e, line)| format!("{} {line} {}", e.id, e.title));
        let relations = found.relations.iter().map(|r| format!("{} -> {}", r.from, r.to));
        entities.chain(relations).collect()
    }

    #[test]
    fn items_and_headings_with_ids_are_requirements() {
        let text = "# Requirements\n\n- REQ-001: Pay once\n  and never twice\n* **REQ-2** Refund\n\n### NFR-SEC-3 Be safe\n\nText.\n\n- plain item\n- see REQ-001\n```\n- REQ-9: code\n```\n| REQ-4 | A table | x |\n";
        let found = extract(&"docs/requirements/all.md".parse().unwrap(), text, 1);
        assert_eq!(
            told(&found),
            ["REQ-001 3 Pay once", "REQ-2 5 Refund", "NFR-SEC-3 7 Be safe", "REQ-4 16 A table"]
        );
        let text = |at: usize| found.entities[at].0.more.text.as_deref();
        assert_eq!(text(0), Some("Pay once\nand never twice"));
        assert_eq!(text(1), Some("Refund"));
        assert_eq!(text(3), Some("A table"));
    }

    #[test]
    fn the_text_below_a_heading_and_inside_an_item_belongs_to_it() {
        let text = "## REQ-1 Be safe\n\nAlways.\n\n### Why\n\n```\n# not a heading\n```\n\nBecause.\n\n## Notes\n\nMore.\n\n- REQ-2: Pay\n\n  Once.\n\nNot of it.\n";
        let found = extract(&"docs/requirements/all.md".parse().unwrap(), text, 1);
        let texts: Vec<_> =
            found.entities.iter().map(|(entity, _)| entity.more.text.as_deref()).collect();
        assert_eq!(
            texts,
            [
                Some("Be safe\n\nAlways.\n\n### Why\n\n```\n# not a heading\n```\n\nBecause."),
                Some("Pay\n\nOnce."),
            ]
        );
    }

    #[test]
    fn prose_among_requirements_is_reported() {
        let notices = |path: &str, text: &str| extract(&path.parse().unwrap(), text, 1).notices;
        let prose = "# Login\n\nUsers must log in.\n";
        assert_eq!(
            notices("docs/requirements/login.md", prose),
            [(
                1,
                "lies in `requirements`, and has neither an `id` nor an item such as `- REQ-001: …`"
                    .to_owned()
            )]
        );
        for path in ["docs/requirements/README.md", "docs/requirements/_template.md", "docs/a.md"] {
            assert!(notices(path, prose).is_empty(), "{path}");
        }
        assert!(notices("docs/requirements/a.md", "- REQ-1: Pay\n").is_empty());
        assert!(notices("docs/requirements/a.md", "").is_empty());
    }

    #[test]
    fn openspec_and_spec_kit_are_read() {
        let text = "# auth\n\n## Requirements\n\n### Requirement: Sign in\nThe system SHALL.\n\n#### Scenario: Wrong password\n- WHEN x\n- THEN y\n";
        let found = extract_openspec(&"openspec/specs/auth/spec.md".parse().unwrap(), text, 1);
        assert_eq!(
            told(&found),
            [
                "REQ-auth-sign-in 5 Sign in",
                "SCEN-auth-sign-in-wrong-password 8 Wrong password",
                "REQ-auth-sign-in -> SCEN-auth-sign-in-wrong-password"
            ]
        );
        let text = "### User Story 1 - Upload (Priority: P1)\n\n1. **Given** a, **When** b, **Then** c\n\n## Requirements\n\n- **FR-001**: System MUST store\n- **FR-001a**: System MUST list\n";
        let path: RepoPath = "specs/001-photos/spec.md".parse().unwrap();
        assert!(is_spec_kit(&path.to_string()));
        let found = extract_spec_kit(&path, text, 1);
        assert_eq!(
            told(&found),
            [
                "SCEN-001-photos-1 3 1 - Upload: Given a, When b, Then c",
                "REQ-001-photos-FR-001 7 System MUST store",
                "REQ-001-photos-FR-001a 8 System MUST list"
            ]
        );
        let text = "## Clarifications\n\n- FR-001 was split\n\n```\n# FR-002: code\n```\n\n- **FR-001**: System MUST store\n- **FR-001**: Again\n- FR-003: MUST list\n";
        let found = extract_spec_kit(&path, text, 1);
        assert_eq!(
            told(&found),
            ["REQ-001-photos-FR-001 9 System MUST store", "REQ-001-photos-FR-003 11 MUST list"]
        );
        assert_eq!(found.notices, [(10, "FR-001 is listed above already".to_owned())]);
        let found = extract_spec_kit(&path, "# Photos\n\nWords alone.\n", 1);
        assert_eq!(told(&found), Vec::<String>::new());
        assert_eq!(found.notices.len(), 1);
    }
}
