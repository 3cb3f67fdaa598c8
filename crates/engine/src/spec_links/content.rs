//! The substance of the ends of links, as text whose digest is compared.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use base::{EntityRef, Hash, RepoPath, Result};
use cards::Card;
use kb::{Entity, FactOrigin};
use syntax::{FileRole, Language, code_substance, prose_substance, text_substance};

use super::confirmation::ConfirmationSide;
use crate::areas::kb::kb_state;
use crate::view::View;

/// How many hex digits of a hash are kept.
const DIGEST_DIGITS: usize = 32;

/// One end of a link as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndContent {
    /// The digest of its substance, with the git object of its file
    pub side: ConfirmationSide,
    /// The file that it is in; `None` for a record of a store
    pub path: Option<RepoPath>,
}

/// Reads ends, each file once.
pub struct EndReader<'v> {
    view: &'v View<'v>,
    /// Texts that files will have, by path; `None` for a file that will be gone
    planned: BTreeMap<RepoPath, Option<Vec<u8>>>,
    files: RefCell<BTreeMap<RepoPath, Option<Rc<Vec<u8>>>>>,
}

impl<'v> EndReader<'v> {
    /// A reader of the present contents.
    pub const fn new(view: &'v View<'v>) -> Self {
        Self { view, planned: BTreeMap::new(), files: RefCell::new(BTreeMap::new()) }
    }

    /// A reader of the contents after some edits.
    pub fn with_edits(view: &'v View<'v>, edits: &[tree::FileEdit]) -> Self {
        let planned = edits.iter().map(|edit| (edit.path.clone(), edit.content.clone()));
        Self { planned: planned.collect(), ..Self::new(view) }
    }

    /// An end now, or why it cannot be compared.
    pub fn read(&self, node: &EntityRef) -> Result<Result<EndContent, String>> {
        let path = match self.path_of(node)? {
            Ok(path) => path,
            Err(Some(substance)) => {
                let side = ConfirmationSide { digest: digest(&substance), blob: None };
                return Ok(Ok(EndContent { side, path: None }));
            }
            Err(None) => return Ok(Err(format!("{node} does not exist"))),
        };
        if let EntityRef::Dir(_) = node {
            return Ok(Err("a folder has no text of its own".into()));
        }
        let Some(bytes) = self.bytes(&path)? else {
            return Ok(Err(format!("{path} cannot be read")));
        };
        let blob = self.view.git().map(|git| git.repo().blob_id(&bytes).to_string());
        Ok(substance_in(node, &path, &bytes).map(|substance| {
            let side = ConfirmationSide { digest: digest(&substance), blob };
            EndContent { side, path: Some(path) }
        }))
    }

    /// The text of a file now, or as it is planned.
    pub fn bytes(&self, path: &RepoPath) -> Result<Option<Rc<Vec<u8>>>> {
        if let Some(known) = self.files.borrow().get(path) {
            return Ok(known.clone());
        }
        let bytes = match self.planned.get(path) {
            Some(planned) => planned.clone(),
            None => self.view.tree().read(path)?.map(|file| file.bytes),
        };
        let bytes = bytes.map(Rc::new);
        self.files.borrow_mut().insert(path.clone(), bytes.clone());
        Ok(bytes)
    }

    /// The file that a node is in. The error is the substance of a record of a store, or `None` if
    /// the node does not exist.
    pub fn path_of(&self, node: &EntityRef) -> Result<Result<RepoPath, Option<String>>> {
        Ok(match node {
            EntityRef::Card(key) => {
                let planned = || self.planned_card(key.as_str());
                let row = cards::card_by_key(self.view.index()?.conn(), key.as_str())?;
                planned().or_else(|| row.map(|card| card.path)).ok_or(None)
            }
            EntityRef::Kb(id) => {
                let known = kb_state(self.view)?;
                match known.model.get(id.as_str()) {
                    None => Err(None),
                    Some(fact) => match &fact.origin {
                        FactOrigin::File(path, _) => Ok(path.clone()),
                        FactOrigin::Store => Err(Some(entity_substance(&fact.entity))),
                    },
                }
            }
            node => node.path().cloned().ok_or(None),
        })
    }

    fn planned_card(&self, key: &str) -> Option<RepoPath> {
        let has_key = |(path, content): &(&RepoPath, &Option<Vec<u8>>)| {
            let card = content.as_ref().and_then(|bytes| cards::parse_card(bytes).0);
            cards::is_card_path(path) && card.is_some_and(|card| card.key.as_str() == key)
        };
        self.planned.iter().find(has_key).map(|(path, _)| path.clone())
    }
}

/// The digest of a substance.
pub(super) fn digest(substance: &str) -> String {
    Hash::of(substance.as_bytes()).prefix(DIGEST_DIGITS)
}

/// The substance of a node in the text of its file, or why there is none.
pub(super) fn substance_in(
    node: &EntityRef,
    path: &RepoPath,
    bytes: &[u8],
) -> Result<String, String> {
    match node {
        EntityRef::Symbol(_, name) => {
            let language =
                Language::from_path(path).ok_or_else(|| format!("{path} is not code"))?;
            code_substance(language, FileRole::of(path), bytes, Some(name.as_str()))
                .ok_or_else(|| format!("no `{name}` can be read in {path}"))
        }
        EntityRef::Module(_) | EntityRef::File(_) => match Language::from_path(path) {
            Some(language) => {
                let whole = code_substance(language, FileRole::of(path), bytes, None);
                whole.ok_or_else(|| format!("{path} does not parse"))
            }
            None => Ok(text_substance(&String::from_utf8_lossy(bytes))),
        },
        EntityRef::Card(key) => match cards::parse_card(bytes).0 {
            Some(card) => Ok(card_substance(&card)),
            None => Err(format!("{path} is no longer the card {key}")),
        },
        EntityRef::Kb(id) => {
            let text = String::from_utf8_lossy(bytes);
            let found = kb::extractor(path).map(|extractor| extractor.extract(path, &text));
            let mut entities = found.into_iter().flat_map(|found| found.entities);
            let own = entities.find(|(entity, _)| entity.id == id.as_str());
            own.map(|(entity, _)| entity_substance(&entity))
                .ok_or_else(|| format!("{path} no longer defines {id}"))
        }
        EntityRef::Dir(_) => Err("a folder has no text of its own".into()),
        node => Err(format!("{node} has no text that is compared")),
    }
}

/// The text of a card that code must follow. Its status, tags and relations are left out, because
/// they are about the card and not about the code.
fn card_substance(card: &Card) -> String {
    let constraints = card.constraints.iter().map(|text| format!("constraint {}", words(text)));
    let parts = [words(&card.summary)].into_iter().chain(constraints);
    parts.chain([prose_substance(&card.body)]).collect::<Vec<_>>().join("\n")
}

/// The text of an entity that code must follow.
fn entity_substance(entity: &Entity) -> String {
    let priority = entity.more.priority.map(|priority| format!("priority {priority}"));
    let text = entity.more.text.as_deref().map(prose_substance);
    let parts = [words(&entity.title)].into_iter().chain(priority).chain(text);
    parts.collect::<Vec<_>>().join("\n")
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
