//! Reads the fields that documents and manifests have in common.

use ::document::{YamlMap, YamlNode};
use base::{EntityRef, RepoPath};

use super::ExtractedFacts;
use crate::endpoint::KbEndpoint;
use crate::knowledge_model::{FactOrigin, FileRelation};
use crate::model::{Entity, EntityDetails, KbEntityKind, KbRelationKind, RequirementPriority};

/// The fields of one entity.
pub(super) struct EntityFieldReader<'a> {
    pub path: &'a RepoPath,
    pub fields: Vec<(&'a str, &'a YamlNode)>,
    pub out: &'a mut ExtractedFacts,
}

impl<'a> EntityFieldReader<'a> {
    pub(super) fn of(path: &'a RepoPath, fields: &'a YamlMap, out: &'a mut ExtractedFacts) -> Self {
        Self { path, fields: fields.iter().collect(), out }
    }

    /// The first of some fields that is present. Names match without regard to `-`, `_` and case.
    pub(super) fn node(&self, names: &[&str]) -> Option<&'a YamlNode> {
        let there = |name: &&str| {
            let found = self
                .fields
                .iter()
                .find(|(key, _)| normalized_field_name(key) == normalized_field_name(name));
            found.map(|(_, node)| *node).filter(|node| !node.is_null())
        };
        names.iter().find_map(there)
    }

    /// A field as text.
    pub(super) fn text(&self, names: &[&str]) -> Option<String> {
        let text = self.node(names)?.scalar()?.trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// A field as a list of texts. A text is split at commas.
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let Some(node) = self.node(&[name]) else { return Vec::new() };
        let texts: Vec<String> = match node.as_list() {
            Some(items) => items.iter().filter_map(|item| Some(item.scalar()?.into())).collect(),
            None => node.scalar().iter().flat_map(|text| text.split(',')).map(Into::into).collect(),
        };
        texts.iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
    }

    /// The id with its line number. An invalid id is a fault.
    pub(super) fn id(&mut self) -> Option<(String, u32)> {
        let node = self.node(&["id"])?;
        let line = node.position.line;
        if let Some(Ok(KbEndpoint::Entity(id))) =
            node.scalar().map(|text| KbEndpoint::parse(text.trim()))
        {
            return Some((id, line));
        }
        self.out.faults.push((line, "`id` is no id such as REQ-001".into()));
        None
    }

    /// The entity. A missing title or status stays empty.
    pub(super) fn entity(&mut self, id: String, kind: KbEntityKind) -> Entity {
        let priority = self.text(&["priority"]);
        let parsed =
            priority.as_ref().map(|text| text.to_lowercase().parse::<RequirementPriority>());
        if let (Some(Err(message)), Some(node)) = (&parsed, self.node(&["priority"])) {
            self.out.faults.push((node.position.line, message.clone()));
        }
        let status = self.text(&["status"]).unwrap_or_default();
        Entity {
            id,
            kind,
            title: self.text(&["title", "summary"]).unwrap_or_default(),
            status: status.to_lowercase().replace([' ', '-'], "_"),
            created_at: self.text(&["created_at", "created", "date"]).unwrap_or_default(),
            updated_at: self.text(&["updated_at", "updated"]).unwrap_or_default(),
            source: self.path.to_string(),
            author: self.text(&["author", "authors", "created_by"]).unwrap_or_default(),
            version: 0,
            more: EntityDetails {
                tags: self.texts("tags"),
                owner: self.text(&["owner"]),
                priority: parsed.and_then(Result::ok),
                severity: self.text(&["severity"]),
                links: Vec::new(),
                text_ref: self.text(&["text_ref"]),
                text: None,
                kind: self.text(&["kind"]),
                code: self.text(&["code"]),
                ran_at: self.text(&["ran_at"]),
                commit: self.text(&["commit"]),
                allow_cycle: self.text(&["allow_cycle"]).as_deref() == Some("true"),
            },
        }
    }

    /// Reads relations from typed lists and from `links`. Returns the links that are web addresses.
    pub(super) fn relations(&mut self, id: &str) -> Vec<String> {
        for relates in KbRelationKind::ALL {
            if let Some(node) = self.node(&[relates.word()]) {
                self.relations_to_list(id, Some(*relates), node);
            }
        }
        let Some(links) = self.node(&["links"]) else { return Vec::new() };
        let mut addresses = Vec::new();
        if let Some(fields) = links.as_map() {
            for (name, node) in fields.iter() {
                match normalized_field_name(name).parse() {
                    Ok(relates) => self.relations_to_list(id, Some(relates), node),
                    Err(message) => self.out.faults.push((node.position.line, message)),
                }
            }
            return addresses;
        }
        let alone = [links.clone()];
        for item in links.as_list().unwrap_or(&alone) {
            match (item.as_map(), item.scalar()) {
                (Some(fields), _) => self.typed_link(id, fields, item),
                (None, Some(text)) if is_endpoint(text.trim()) => {
                    self.push_relation(id, None, text.trim(), item);
                }
                (None, Some(text)) => addresses.push(text.trim().to_owned()),
                _ => self.out.faults.push((item.position.line, "a link must be text".into())),
            }
        }
        addresses
    }

    fn typed_link(&mut self, id: &str, fields: &YamlMap, item: &YamlNode) {
        let get = |names: [&str; 3]| names.iter().find_map(|name| fields.get(name)?.scalar());
        let target = get(["target", "to", "id"]);
        let relates = get(["type", "relation", "rel"]).map(|text| normalized_field_name(&text));
        let kind = get(["kind", "label", "as"]).unwrap_or_default().into_owned();
        let line = item.position.line;
        let Some(target) = target else {
            self.out.faults.push((line, "link without `target`".into()));
            return;
        };
        match relates.map(|text| text.parse::<KbRelationKind>()).transpose() {
            Ok(relates) => {
                self.push_relation(id, relates, target.trim(), item);
                if let Some(told) = self.out.relations.last_mut() {
                    told.kind = kind;
                }
            }
            Err(message) => self.out.faults.push((line, message)),
        }
    }

    fn relations_to_list(&mut self, id: &str, relates: Option<KbRelationKind>, node: &YamlNode) {
        let alone = [node.clone()];
        for item in node.as_list().unwrap_or(&alone) {
            let Some(text) = item.scalar() else {
                self.out.faults.push((item.position.line, "an id must be text".into()));
                continue;
            };
            for text in text.split(',').map(str::trim).filter(|text| !text.is_empty()) {
                self.push_relation(id, relates, text, item);
            }
        }
    }

    fn push_relation(
        &mut self,
        id: &str,
        relates: Option<KbRelationKind>,
        to: &str,
        node: &YamlNode,
    ) {
        let line = node.position.line;
        match KbEndpoint::parse(to) {
            Ok(end) => self.out.relations.push(FileRelation {
                relates,
                from: id.to_owned(),
                to: end.canonical_text(),
                kind: String::new(),
                origin: FactOrigin::File(self.path.clone(), line),
            }),
            Err(message) => self.out.faults.push((line, message)),
        }
    }
}

/// Whether a link refers to an entity or to code, and is not a web address.
fn is_endpoint(text: &str) -> bool {
    let is_handle = text.parse::<EntityRef>().is_ok_and(|node| node.kind() != "card");
    let is_id = !text.contains(['/', ':', ' ']) && KbEntityKind::of_id(text).is_some();
    let is_plain = !text.contains(['/', '.', ':', ' ']);
    is_handle || is_id || is_plain
}

fn normalized_field_name(name: &str) -> String {
    let mut plain = String::new();
    for c in name.chars() {
        match c {
            '-' | ' ' => plain.push('_'),
            c if c.is_ascii_uppercase() && !plain.is_empty() && !plain.ends_with('_') => {
                plain.push('_');
                plain.push(c.to_ascii_lowercase());
            }
            c => plain.push(c.to_ascii_lowercase()),
        }
    }
    plain
}
