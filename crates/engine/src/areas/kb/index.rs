//! Indexes what documents, manifests, and `implements` in comments say.

use base::{RepoPath, Result};
use kb::{ExtractedFacts, FactOrigin, FileRelation, KbRelationKind, derived_tables as tables};
use store::Connection;
use syntax::DocTag;

use crate::areas::code::handle;
use crate::index::{IndexedFile, Indexer, RefreshSummary};
use crate::search::{self, SearchText};

/// Writes the rows of entities and relations from documents, manifests and doc comments.
pub(crate) struct KbIndexer;

/// How much of an entity's text is kept, in characters. It is enough to quote and to search.
const MAX_TEXT_CHARS: usize = 4000;

/// The name of the extractor for doc comments.
const CODE_EXTRACTOR: &str = "code";

impl Indexer for KbIndexer {
    fn schema(&self) -> &'static str {
        tables::SCHEMA
    }

    fn dump(&self) -> &'static [&'static str] {
        tables::REBUILD_CHECK_QUERIES
    }

    fn wants_bytes(&self, path: &RepoPath) -> bool {
        kb::extractor(path).is_some()
    }

    fn remove_file(&self, conn: &Connection, path: &RepoPath, _: bool) -> Result<()> {
        let ids = tables::ids_of(conn, path)?;
        tables::remove_file(conn, path)?;
        ids.iter().try_for_each(|id| put_text(conn, id))
    }

    fn index_file(&self, conn: &Connection, file: &IndexedFile<'_>) -> Result<()> {
        let claims = implements_claims(file);
        if !claims.is_empty() {
            tables::index_file(conn, file.path, CODE_EXTRACTOR, &claims)?;
        }
        let (Some(extractor), Some(text)) = (kb::extractor(file.path), file.text) else {
            return Ok(());
        };
        let mut found = extractor.extract(file.path, &String::from_utf8_lossy(text));
        for (entity, _) in &mut found.entities {
            let text = entity.more.text.take();
            entity.more.text = text.map(|text| text.chars().take(MAX_TEXT_CHARS).collect());
        }
        let form = found.form.unwrap_or(extractor.name());
        tables::index_file(conn, file.path, form, &found)?;
        found.entities.iter().try_for_each(|(entity, _)| put_text(conn, &entity.id))
    }

    fn finish(&self, _: &Connection, _: &RefreshSummary<'_>) -> Result<()> {
        Ok(())
    }
}

/// Writes the search text of an id from the first file that defines it, or removes it if no file
/// does.
fn put_text(conn: &Connection, id: &str) -> Result<()> {
    match tables::first_entity_by_id(conn, id)? {
        Some(said) => search::put_indexed(conn, &text_of(&said.entity, Some(&said.path))),
        None => search::remove_indexed(conn, &node(id)),
    }
}

/// Reads `implements REQ-001` in the doc comments of code.
fn implements_claims(file: &IndexedFile<'_>) -> ExtractedFacts {
    let links = file.facts.doc_links.iter().filter(|link| link.tag == DocTag::Implements);
    let told = links.map(|link| {
        let owner = link.owner.and_then(|at| file.facts.symbols.get(at as usize));
        let from = match owner {
            Some(symbol) => handle(file.path, &symbol.path),
            None => crate::areas::files::file_node(file.path).to_string(),
        };
        FileRelation {
            relates: Some(KbRelationKind::Implements),
            from,
            to: link.target.clone(),
            kind: String::new(),
            origin: FactOrigin::File(file.path.clone(), link.line),
        }
    });
    ExtractedFacts { relations: told.collect(), ..ExtractedFacts::default() }
}

fn node(id: &str) -> String {
    format!("kb:{id}")
}

/// The text that an entity is found by.
pub(super) fn text_of(entity: &kb::Entity, path: Option<&RepoPath>) -> SearchText {
    let tags = entity.more.tags.join(" ");
    let text = entity.more.text.as_deref().unwrap_or_default();
    let body: String = text.chars().take(4000).collect();
    SearchText {
        node: node(&entity.id),
        kind: "kb",
        path: path.cloned(),
        name: format!("{} {}", entity.id, entity.title.chars().take(200).collect::<String>()),
        body: format!("{} {tags}\n{body}", entity.kind),
    }
}
