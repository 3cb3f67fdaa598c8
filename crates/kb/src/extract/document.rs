//! Reads Markdown documents. The frontmatter of a document defines one entity.

use base::RepoPath;
use document::Document;

use super::nodes::EntityFieldReader;
use super::{ExtractedFacts, Extractor, adr, has_ending, lists};
use crate::model::KbEntityKind;

/// Requirements, scenarios, tests, decisions, flags, events and facts as documents.
pub(super) struct DocumentExtractor;

impl Extractor for DocumentExtractor {
    fn name(&self) -> &'static str {
        "document"
    }

    fn accepts(&self, path: &RepoPath) -> bool {
        // A card has frontmatter too, but belongs to the area of cards.
        has_ending(path, &[".md", ".markdown"]) && !has_ending(path, &[".card.md"])
    }

    fn extract(&self, path: &RepoPath, text: &str) -> ExtractedFacts {
        let mut out = ExtractedFacts::default();
        let document = match Document::parse(text) {
            Ok(document) => document,
            Err(fault) => {
                out.faults.push((fault.position.line, fault.message));
                return out;
            }
        };
        let mut reader =
            EntityFieldReader { path, fields: document.fields().collect(), out: &mut out };
        if reader.node(&["id"]).is_none() {
            return extract_foreign(path, text, &document);
        }
        let Some((id, line)) = reader.id() else { return out };
        let Some(kind) = kind(&mut reader, &id) else { return out };
        let mut entity = reader.entity(id.clone(), kind);
        entity.more.links = reader.relations(&id);
        let body = trim_outer_newlines(document.body());
        entity.more.text = (!body.trim().is_empty()).then(|| body.to_owned());
        entity.more.text_ref.get_or_insert_with(|| path.to_string());
        out.entities.push((entity, line));
        out
    }
}

/// Reads a document that has no id of its own, in the forms that people use.
fn extract_foreign(path: &RepoPath, text: &str, document: &Document<'_>) -> ExtractedFacts {
    let name = path.to_string();
    let (body, first_line) = (document.body(), document.body_position().line);
    let (form, mut found) = match () {
        () if lists::is_openspec(&name) => {
            ("openspec", lists::extract_openspec(path, body, first_line))
        }
        () if lists::is_spec_kit(&name) => {
            ("spec_kit", lists::extract_spec_kit(path, body, first_line))
        }
        () if adr::is_decision_path(path) => ("adr", adr::extract(path, text, document)),
        () => ("list", lists::extract(path, body, first_line)),
    };
    found.form = Some(form);
    found
}

/// A text without its first and its last line break.
fn trim_outer_newlines(body: &str) -> &str {
    let ends = ["\r\n", "\n"];
    let body = ends.iter().find_map(|end| body.strip_prefix(end)).unwrap_or(body);
    ends.iter().find_map(|end| body.strip_suffix(end)).unwrap_or(body)
}

/// The entity type: from the field `type`, else from the prefix of the id, else from the folder.
fn kind(reader: &mut EntityFieldReader<'_>, id: &str) -> Option<KbEntityKind> {
    if let Some(text) = reader.text(&["type"]) {
        match text.to_lowercase().parse() {
            Ok(kind) => return Some(kind),
            Err(message) => {
                let line = reader.node(&["type"]).map_or(1, |node| node.position.line);
                reader.out.faults.push((line, message));
            }
        }
    }
    let path = reader.path.to_string();
    let kind = KbEntityKind::of_id(id)
        .or_else(|| path.rsplit('/').skip(1).find_map(KbEntityKind::of_folder));
    if kind.is_none() {
        let line = reader.node(&["id"]).map_or(1, |node| node.position.line);
        let message = format!("the type of {id} is unknown; add `type`");
        reader.out.faults.push((line, message));
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, text: &str) -> ExtractedFacts {
        DocumentExtractor.extract(&path.parse().unwrap(), text)
    }

    #[test]
    fn a_document_is_an_entity_with_its_relations() {
        let text = "---\nid: REQ-001\ntitle: Pay once\nstatus: In Progress\npriority: must\n\
            tags: [pay, api]\nlinks:\n  - https://x.y/z\n  - SCEN-1\n  - {type: verified_by, target: TEST-1}\n\
            depends_on: [REQ-2, REQ-3]\nteam: blue\n---\n# Pay once\n\nNever twice.\n";
        let found = read("docs/requirements/a.md", text);
        let (entity, line) = &found.entities[0];
        assert_eq!(
            (entity.kind, entity.status.as_str(), *line),
            (KbEntityKind::Req, "in_progress", 2)
        );
        assert_eq!(entity.more.links, ["https://x.y/z"]);
        assert_eq!(entity.more.text.as_deref(), Some("# Pay once\n\nNever twice."));
        let told: Vec<String> = found
            .relations
            .iter()
            .map(|t| {
                let word = t.relates.map_or("link", crate::KbRelationKind::word);
                format!("{} {word} {} {}", t.from, t.to, t.origin.file().unwrap().1)
            })
            .collect();
        let expected = [
            "REQ-001 depends_on REQ-2 11",
            "REQ-001 depends_on REQ-3 11",
            "REQ-001 link SCEN-1 9",
            "REQ-001 verified_by TEST-1 10",
        ];
        assert_eq!(told, expected);
        assert!(found.faults.is_empty(), "{:?}", found.faults);
    }

    #[test]
    fn the_type_comes_from_the_frontmatter_the_id_or_the_folder() {
        let kind = |path: &str, front: &str| {
            let found = read(path, &format!("---\n{front}\n---\n"));
            found.entities.first().map(|(entity, _)| entity.kind)
        };
        assert_eq!(kind("docs/a.md", "id: X-1\ntype: adr"), Some(KbEntityKind::Adr));
        assert_eq!(kind("docs/a.md", "id: EVT-1"), Some(KbEntityKind::Event));
        assert_eq!(kind("docs/decisions/2026/a.md", "id: X-1"), Some(KbEntityKind::Adr));
        assert_eq!(kind("docs/a.md", "id: X-1"), None);
        assert_eq!(kind("docs/a.md", "title: no id"), None);
        assert!(read("docs/a.md", "---\nid: [\n---\n").faults.len() == 1);
        assert!(read("docs/a.md", "# just text\n").is_empty());
    }
}
