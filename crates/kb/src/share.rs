//! The branch's facts as text: one file a record, for review and for others, and the way back.
//!
//! An entity is a record, and so is a relation. What comes in from files is an entry of the log
//! like any other, and can be taken back.
//!
//! @see spec::graph/share

use std::collections::BTreeMap;

use base::Result;
use base::shared::{self, FOLDER, Merged, Prefer, Side, Sides, Verdict};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use store::Connection;

use crate::apply::{append, write};
use crate::edit::Edit;
use crate::end::End;
use crate::model::{Entity, Kind, Relation};
use crate::plan::Stamp;
use crate::tables::{self, Logged};

/// The field of an entity that is written below the others, as it is.
const BODY: &str = "text";

/// The longest name of a file that says what is in it, in characters.
const LONGEST: usize = 80;

/// What is to be written so that the store has what the files have.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// Rows that change
    pub edits: Vec<Edit>,
    /// Files, with the hash of what they and the store agree on now
    pub agreed: Vec<(String, String)>,
}

/// Every fact of the store as text, by path below the repository's root.
pub fn texts(conn: &Connection) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    for entity in tables::entities(conn)? {
        texts.insert(entity_path(&entity.id), text(&entity));
    }
    for relation in tables::relations(conn)? {
        texts.insert(relation_path(&relation), text(&relation));
    }
    Ok(texts)
}

/// What there is to note when the files say what the store says, but for those that are to be
/// settled first.
pub fn agree(conn: &Connection, merged: &Merged) -> Result<Taken> {
    let known = tables::shared(conn)?;
    let settled = texts(conn)?.into_iter().filter(|(path, _)| !merged.unsettled.contains(path));
    let now = settled.map(|(path, text)| (path, shared::hash(&text)));
    let agreed = now.filter(|(path, hash)| known.get(path) != Some(hash)).collect();
    Ok(Taken { edits: Vec::new(), agreed })
}

/// What the files have and the store has not. `told` are the entities that documents tell.
pub fn take(
    conn: &Connection,
    (files, told): (&BTreeMap<String, String>, &BTreeMap<String, Kind>),
    prefer: Prefer,
) -> Result<(Taken, Merged)> {
    let mut taking = Taking {
        conn,
        told,
        prefer,
        agreed: tables::shared(conn)?,
        kinds: tables::entities(conn)?.into_iter().map(|e| (e.id, e.kind)).collect(),
        taken: Taken::default(),
        merged: Merged::default(),
    };
    let below = |folder: &str| {
        let prefix = format!("{FOLDER}/{folder}/");
        files.iter().filter(move |(path, _)| path.starts_with(&prefix))
    };
    below("entities").try_for_each(|(path, text)| taking.entity(path, text))?;
    below("relations").try_for_each(|(path, text)| taking.relation(path, text))?;
    taking.miss(files)?;
    Ok((taking.taken, taking.merged))
}

/// Writes what [`take`] or [`agree`] found, inside the caller's transaction.
pub fn took(conn: &Connection, taken: &Taken, stamp: &Stamp) -> Result<Vec<i64>> {
    taken.agreed.iter().try_for_each(|(file, hash)| tables::set_shared(conn, file, hash))?;
    if taken.edits.is_empty() {
        return Ok(Vec::new());
    }
    write(conn, &taken.edits)?;
    let entry = Logged::new(("share", FOLDER), stamp, taken.edits.clone());
    Ok(vec![append(conn, entry)?])
}

struct Taking<'a> {
    conn: &'a Connection,
    told: &'a BTreeMap<String, Kind>,
    prefer: Prefer,
    agreed: BTreeMap<String, String>,
    /// The entities of the store, those that came in among them
    kinds: BTreeMap<String, Kind>,
    taken: Taken,
    merged: Merged,
}

impl Taking<'_> {
    fn entity(&mut self, path: &str, content: &str) -> Result<()> {
        let read = parse::<Entity>(content).filter(|entity| is_sound(entity, path));
        let Some(theirs) = read else {
            self.merged.refuse(path);
            return Ok(());
        };
        if self.told.contains_key(&theirs.id) {
            self.merged.records.insert(path.to_owned());
            return Ok(()); // a document tells it now: that counts, and `share` removes the file
        }
        let ours = tables::entity(self.conn, &theirs.id)?;
        let versions = (ours.as_ref().map(|entity| entity.version), theirs.version);
        if self.takes((path, format!("kb:{}", theirs.id)), (ours.as_ref(), &theirs), versions) {
            self.kinds.insert(theirs.id.clone(), theirs.kind);
            let (id, after) = (theirs.id.clone(), Some(theirs));
            self.taken.edits.push(Edit::Entity { id, before: ours, after });
        }
        Ok(())
    }

    fn relation(&mut self, path: &str, content: &str) -> Result<()> {
        // One that was agreed on may have lost its ends here since.
        let is_known = |one: &Relation| self.agreed.get(path) == Some(&shared::hash(&text(one)));
        let is_sound =
            |one: &Relation| relation_path(one) == path && (is_known(one) || self.fits(one));
        let read = parse::<Relation>(content).filter(is_sound);
        let Some(theirs) = read else {
            self.merged.refuse(path);
            return Ok(());
        };
        let key = theirs.key();
        let ours = tables::relation(self.conn, &key)?;
        let versions = (ours.as_ref().map(|_| 1), 1); // it has none
        if self.takes((path, key.to_string()), (ours.as_ref(), &theirs), versions) {
            self.taken.edits.push(Edit::Relation { key, before: ours, after: Some(theirs) });
        }
        Ok(())
    }

    /// Whether what a file says goes into the store.
    fn takes<T: Serialize>(
        &mut self,
        (path, handle): (&str, String),
        (ours, theirs): (Option<&T>, &T),
        (our_version, version): (Option<u32>, u32),
    ) -> bool {
        let (our_text, text) = (ours.map(text), text(theirs));
        let ours = our_text.as_deref().zip(our_version);
        let sides = Sides {
            ours: ours.map(|(text, version)| Side { text, version }),
            theirs: Side { text: &text, version },
            agreed: self.agreed.get(path).map(String::as_str),
        };
        let verdict = self.merged.settle((path, handle), &sides, self.prefer);
        let hash = shared::hash(&text);
        if matches!(verdict, Verdict::Agree | Verdict::Take) && sides.agreed != Some(&hash) {
            self.taken.agreed.push((path.to_owned(), hash));
        }
        verdict == Verdict::Take
    }

    /// Whether a relation is one that the store could hold: its ends are there, and of types
    /// that it allows.
    fn fits(&self, relation: &Relation) -> bool {
        let kind = |end: &str| match End::read(end) {
            Ok(End::Code(node)) => Some(End::code_kind(&node)),
            Ok(End::Entity(id)) => self.told.get(&id).or(self.kinds.get(&id)).copied().map(Some),
            Err(_) => None,
        };
        let (Some(from), Some(to)) = (kind(&relation.from), kind(&relation.to)) else {
            return false;
        };
        relation.relates.fits(from, to)
    }

    fn miss(&mut self, files: &BTreeMap<String, String>) -> Result<()> {
        let is_gone = |path: &String| self.agreed.contains_key(path) && !files.contains_key(path);
        let entities = tables::entities(self.conn)?.into_iter();
        let entities = entities.map(|e| (entity_path(&e.id), format!("kb:{}", e.id)));
        let relations = tables::relations(self.conn)?.into_iter();
        let relations = relations.map(|r| (relation_path(&r), r.key().to_string()));
        let gone: Vec<_> = entities.chain(relations).filter(|(path, _)| is_gone(path)).collect();
        for (path, handle) in gone {
            self.merged.miss(path, handle, self.prefer);
        }
        Ok(())
    }
}

fn is_sound(entity: &Entity, path: &str) -> bool {
    matches!(End::read(&entity.id), Ok(End::Entity(id)) if id == entity.id)
        && entity.kind.statuses().contains(&entity.status.as_str())
        && entity_path(&entity.id) == path
}

fn entity_path(id: &str) -> String {
    format!("{FOLDER}/entities/{}.md", file_name(id, id))
}

fn relation_path(relation: &Relation) -> String {
    let key = relation.key();
    let words = format!("{} {} {}", key.from, key.relates, key.to);
    format!("{FOLDER}/relations/{}.md", file_name(&words, &format!("{words} {}", key.kind)))
}

/// A name that says what it is of. Where it cannot say all, on every disk, it ends in a digest.
fn file_name(words: &str, whole: &str) -> String {
    let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-';
    if words == whole && words.chars().all(plain) && words.len() <= LONGEST {
        return words.to_owned();
    }
    let fit = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '.' };
    let shown: String = words.chars().map(fit).take(LONGEST).collect();
    let digest = blake3::hash(whole.as_bytes()).to_hex();
    format!("{}.{}", shown.trim_matches('.'), &digest[..8])
}

fn text<T: Serialize>(row: &T) -> String {
    shared::text(&fields(row), BODY)
}

fn fields<T: Serialize>(row: &T) -> Map<String, Value> {
    match serde_json::to_value(row) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// A row from its text; one with fields that nobody here knows is none of ours.
fn parse<T: Serialize + DeserializeOwned>(content: &str) -> Option<T> {
    let mut found = shared::parse(content, BODY)?;
    if found.get(BODY).is_some_and(|text| text == "") {
        found.remove(BODY);
    }
    let row: T = serde_json::from_value(found.clone().into()).ok()?;
    found.keys().all(|key| fields(&row).contains_key(key)).then_some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_what_they_hold() {
        assert_eq!(entity_path("REQ-001"), ".cairn/shared/entities/REQ-001.md");
        // Two ids that a disk may take for one get two names.
        let (lower, upper) = (entity_path("req-1").to_lowercase(), entity_path("REQ-1"));
        assert_ne!(lower, upper.to_lowercase());
        let odd = entity_path("../../etc::passwd");
        assert!(odd.starts_with(".cairn/shared/entities/etc..passwd."), "{odd}");
        assert_eq!(odd.matches('/').count(), 3);
    }
}
