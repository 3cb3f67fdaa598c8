//! Reads exports of requirement tools: `needs.json` of sphinx-needs, and the items of Doorstop.

use base::RepoPath;
use document::YamlNode;
use serde_json::Value;

use super::foreign::ForeignEntity;
use super::{ExtractedFacts, Extractor, has_ending};
use crate::knowledge_model::{FactOrigin, FileRelation};
use crate::model::KbEntityKind;

/// What sphinx-needs exports.
pub(super) struct SphinxNeedsExtractor;

impl Extractor for SphinxNeedsExtractor {
    fn name(&self) -> &'static str {
        "sphinx_needs"
    }

    fn accepts(&self, path: &RepoPath) -> bool {
        path.name() == "needs.json"
    }

    fn extract(&self, path: &RepoPath, text: &str) -> ExtractedFacts {
        let mut out = ExtractedFacts::default();
        let root = match serde_json::from_str::<Value>(text) {
            Ok(root) => root,
            Err(error) => {
                out.notices.push((1, format!("no export of sphinx-needs: {error}")));
                return out;
            }
        };
        let Some(versions) = root["versions"].as_object() else { return out };
        let current = root["current_version"].as_str().and_then(|name| versions.get(name));
        let Some(version) = current.or_else(|| versions.values().next_back()) else { return out };
        let mut code = 0;
        for (id, need) in version["needs"].as_object().into_iter().flatten() {
            code += usize::from(!add_need(path, id, need, &mut out));
        }
        if code > 0 {
            let needs = base::words::counted(code, "need");
            out.notices.push((1, format!("{needs} about code: code is known by itself")));
        }
        out
    }
}

/// Adds a need. Returns false for a need that represents code, which is not added.
fn add_need(path: &RepoPath, id: &str, need: &Value, out: &mut ExtractedFacts) -> bool {
    let text = |name: &str| need[name].as_str().unwrap_or_default().to_owned();
    let kind = match text("type").to_lowercase().as_str() {
        "test" | "tst" | "tc" | "testcase" => KbEntityKind::Test,
        "uc" | "scenario" | "story" | "user_story" => KbEntityKind::Scenario,
        "adr" | "decision" => KbEntityKind::Adr,
        "impl" | "sw_unit" => return false,
        _ => KbEntityKind::Req,
    };
    let mut entity = ForeignEntity::new(path, id.to_owned(), kind, &text("title"));
    if !text("status").is_empty() && text("status") != "None" {
        entity.status = text("status").to_lowercase().replace([' ', '-'], "_");
    }
    entity.text = [text("description"), text("content")].concat();
    entity.tags = strings(&need["tags"]);
    out.entities.push((entity.into_entity(), 1));
    link_all(path, id, strings(&need["links"]), out);
    true
}

fn strings(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(|item| item.as_str().map(ToOwned::to_owned)).collect()
}

/// Adds links without a type: the types of their ends decide.
fn link_all(path: &RepoPath, from: &str, targets: Vec<String>, out: &mut ExtractedFacts) {
    out.relations.extend(targets.into_iter().map(|to| FileRelation {
        relates: None,
        from: from.to_owned(),
        to,
        kind: String::new(),
        origin: FactOrigin::File(path.clone(), 1),
    }));
}

/// Items of Doorstop, one YAML file each.
pub(super) struct DoorstopExtractor;

impl Extractor for DoorstopExtractor {
    fn name(&self) -> &'static str {
        "doorstop"
    }

    fn accepts(&self, path: &RepoPath) -> bool {
        let name = path.name();
        let stem = name.rsplit_once('.').map_or("", |(stem, _)| stem);
        let letters =
            stem.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '-' || *c == '_').count();
        let is_item = letters > 1
            && stem.starts_with(|c: char| c.is_ascii_uppercase())
            && stem.len() > letters
            && stem[letters..].chars().all(|c| c.is_ascii_digit());
        has_ending(path, &[".yml"]) && is_item
    }

    fn extract(&self, path: &RepoPath, text: &str) -> ExtractedFacts {
        let mut out = ExtractedFacts::default();
        if !text.contains("normative:") {
            return out; // other files are named like this too
        }
        let root = match document::parse_yaml(text) {
            Ok(root) => root,
            Err(fault) => {
                let why = format!("no item of Doorstop: {}", fault.message);
                out.notices.push((fault.position.line, why));
                return out;
            }
        };
        let Some(fields) = root.as_map() else { return out };
        let text_of = |name: &str| {
            fields.get(name).and_then(YamlNode::scalar).unwrap_or_default().into_owned()
        };
        let name = path.name();
        let id = name.trim_end_matches(".yml").to_owned();
        let prefix = id
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .trim_end_matches(['-', '_'])
            .to_uppercase();
        let kind = match prefix.as_str() {
            "TST" | "TEST" | "TC" | "HLT" | "LLT" => KbEntityKind::Test,
            _ => KbEntityKind::Req,
        };
        let said = text_of("text");
        let header = text_of("header");
        let first = said.lines().next().unwrap_or_default().to_owned();
        let mut titles = [header, first, id.clone()].into_iter();
        let title = titles.find(|title| !title.trim().is_empty()).unwrap_or_default();
        let mut entity = ForeignEntity::new(path, id.clone(), kind, &title);
        if text_of("active") == "false" && kind == KbEntityKind::Req {
            entity.status = "deprecated".into();
        }
        entity.text = said;
        out.entities.push((entity.into_entity(), 1));
        let links = fields.get("links").and_then(YamlNode::as_list).unwrap_or_default();
        let targets = links.iter().filter_map(|item| match item.as_map() {
            Some(map) => map.iter().next().map(|(id, _)| id.to_owned()),
            None => item.scalar().map(std::borrow::Cow::into_owned),
        });
        link_all(path, &id, targets.collect(), &mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_are_read() {
        let json = r#"{"current_version": "1", "versions": {"1": {"needs": {
            "R1": {"type": "req", "title": "Pay", "status": "open", "links": ["T1"], "tags": ["a"]},
            "T1": {"type": "test", "title": "Pays"}}}}}"#;
        let found = SphinxNeedsExtractor.extract(&"build/needs.json".parse().unwrap(), json);
        assert_eq!(found.entities.len(), 2);
        assert_eq!(
            (found.relations[0].from.as_str(), found.relations[0].to.as_str()),
            ("R1", "T1")
        );
        let impl_need = json.replace("\"test\"", "\"impl\"");
        let found = SphinxNeedsExtractor.extract(&"build/needs.json".parse().unwrap(), &impl_need);
        assert_eq!(found.entities.len(), 1);
        assert_eq!(found.notices[0].1, "1 need about code: code is known by itself");
        let found = SphinxNeedsExtractor.extract(&"build/needs.json".parse().unwrap(), "{");
        assert_eq!(found.notices.len(), 1, "what cannot be read is reported");
        let path: RepoPath = "reqs/TST002.yml".parse().unwrap();
        let found = DoorstopExtractor.extract(&path, "normative: true\nlinks: [\n");
        assert_eq!(found.notices.len(), 1, "what cannot be read is reported");
        assert!(DoorstopExtractor.accepts(&path));
        assert!(!DoorstopExtractor.accepts(&"ci/Build1x.yml".parse().unwrap()));
        let yaml = "active: true\nlevel: 1.0\nlinks:\n- REQ001: abc\n- REQ002\nnormative: true\ntext: |\n  It pays.\n  Twice.\n";
        let bare = DoorstopExtractor.extract(&path, "normative: true\ntext: ''\n");
        assert_eq!(bare.entities[0].0.title, "TST002", "an item without words is called by its id");
        let found = DoorstopExtractor.extract(&path, yaml);
        let (entity, _) = &found.entities[0];
        assert_eq!((entity.kind, entity.title.as_str()), (KbEntityKind::Test, "It pays."));
        assert_eq!(
            found.relations.iter().map(|r| r.to.as_str()).collect::<Vec<_>>(),
            ["REQ001", "REQ002"]
        );
    }
}
