//! Reads the symbol manifest: a list of code symbols with their relations.

use base::RepoPath;
use document::YamlNode;

use super::nodes::EntityFieldReader;
use super::{ExtractedFacts, Extractor, has_ending};
use crate::model::KbEntityKind;

/// Reads symbols from a list in YAML or JSON.
pub(super) struct ManifestExtractor;

impl Extractor for ManifestExtractor {
    fn name(&self) -> &'static str {
        "manifest"
    }

    fn accepts(&self, path: &RepoPath) -> bool {
        has_ending(path, &[".yaml", ".yml", ".json"])
    }

    fn extract(&self, path: &RepoPath, text: &str) -> ExtractedFacts {
        let mut out = ExtractedFacts::default();
        if !text.contains("symbols") {
            return out; // most files of these languages are something else
        }
        let root = match document::parse_yaml(text) {
            Ok(root) => root,
            Err(fault) => {
                out.faults.push((fault.position.line, fault.message));
                return out;
            }
        };
        let listed = root.as_map().and_then(|fields| fields.get("symbols"));
        for item in listed.and_then(YamlNode::as_list).unwrap_or_default() {
            symbol(path, item, &mut out);
        }
        out
    }
}

fn symbol(path: &RepoPath, item: &YamlNode, out: &mut ExtractedFacts) {
    let line = item.position.line;
    let Some(fields) = item.as_map() else {
        out.faults.push((line, "a symbol must be a map".into()));
        return;
    };
    let mut reader = EntityFieldReader::of(path, fields, out);
    let Some((id, line)) = reader.id() else {
        reader.out.faults.push((line, "symbol without `id`".into()));
        return;
    };
    let mut entity = reader.entity(id.clone(), KbEntityKind::Symbol);
    if entity.status.is_empty() {
        entity.status = KbEntityKind::Symbol.statuses()[0].into();
    }
    entity.more.links = reader.relations(&id);
    entity.more.code = code_location(&reader, &entity.title);
    if entity.title.is_empty() {
        entity.title = entity.more.code.clone().unwrap_or_default();
    }
    out.entities.push((entity, line));
}

/// The code of a symbol as `path#name`; the manifest may give file and name in two fields.
fn code_location(reader: &EntityFieldReader<'_>, title: &str) -> Option<String> {
    if let Some(code) = reader.text(&["code"]) {
        return Some(code);
    }
    let file = reader.text(&["source_file", "source", "file"])?;
    if file.contains('#') || file.contains("://") {
        return Some(file);
    }
    let is_name = |text: &String| !text.is_empty() && !text.contains(char::is_whitespace);
    let name = reader.text(&["name", "symbol"]).or_else(|| Some(title.to_owned()));
    name.filter(is_name).map(|name| format!("{file}#{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_and_json_say_the_same() {
        let yaml = "symbols:\n  - id: SYM-1\n    title: charge\n    sourceFile: src/pay.ts\n    implements: [REQ-1]\n    covered_by: TEST-1\n";
        let json = r#"{"symbols": [{"id": "SYM-1", "title": "charge", "code": "src/pay.ts#charge",
            "implements": ["REQ-1"], "coveredBy": ["TEST-1"]}]}"#;
        for text in [yaml, json] {
            let found = ManifestExtractor.extract(&"docs/symbols.yaml".parse().unwrap(), text);
            let (entity, _) = &found.entities[0];
            assert_eq!(entity.more.code.as_deref(), Some("src/pay.ts#charge"));
            assert_eq!((entity.status.as_str(), found.relations.len()), ("active", 2), "{found:?}");
        }
    }
}
