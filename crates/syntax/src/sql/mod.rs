//! SQL: what statements create, and which tables, views and routines they name.
//!
//! Dialects differ in everything but how a statement starts, so statements are taken apart by their
//! words: `tokens` cuts a text into words, `statements` finds statements and what they say.

mod descriptor;
mod statements;
mod tokens;

#[cfg(test)]
mod tests;

pub(crate) use descriptor::DESCRIPTOR;
pub(crate) use statements::used_names;

use base::Span;

use crate::doc_comments::DocCommentStyle;
use crate::facts_builder::{FactsBuilder, SymbolDraft};
use crate::line_index::offset;
use crate::model::{FileFacts, SchemaUse, SymbolKind, Visibility};
use crate::schema;

/// The facts of a file of SQL.
fn extract(text: &str) -> FileFacts {
    let mut builder = FactsBuilder::new(text, descriptor::COMMENTS);
    if let Some(header) = header_comment(text) {
        builder.set_module_doc(header, DocCommentStyle::Lines(&["--"]));
    }
    for statement in statements::statements(text) {
        let symbol = statement.created.as_ref().map(|created| {
            let whole = Span::new(offset(statement.start), offset(statement.end));
            let name_span = Span::new(offset(created.name.start), offset(created.name.end));
            let name = tokens::identifier(&text[created.name.clone()]);
            let mut draft = SymbolDraft::new(created.kind, name, whole, name_span);
            draft.visibility = Visibility::Public;
            draft.exported = true;
            let end = created.body.map_or(whole.end, offset);
            let head = builder.one_line_signature(Span::new(whole.start, end));
            draft.signature =
                head.trim_end_matches([';', ' ']).chars().take(MAX_SIGNATURE).collect();
            draft.body = created.body.map(|body| Span::new(offset(body), whole.end));
            if let Some(start) = statement.doc {
                let doc = builder.slice(Span::new(offset(start), whole.start)).trim_end().len();
                let doc = Span::new(offset(start), offset(start + doc));
                draft.doc = Some((doc, DocCommentStyle::Lines(&["--"])));
                draft.span.start = doc.start;
            }
            let symbol = builder.add_symbol(draft);
            for column in &created.columns {
                let at = |range: &std::ops::Range<usize>| {
                    Span::new(offset(range.start), offset(range.end))
                };
                let name = tokens::identifier(&text[column.name.clone()]);
                let mut draft =
                    SymbolDraft::new(SymbolKind::Field, name, at(&column.whole), at(&column.name));
                draft.parent = Some(symbol);
                draft.visibility = Visibility::Public;
                draft.signature = builder.one_line_signature(at(&column.whole));
                builder.add_symbol(draft);
            }
            symbol
        });
        if let Some(at) = statement.unbalanced {
            builder.add_error(offset(at), "a bracket without its other half");
        }
        for used in statement.uses {
            let line = builder.lines.line(offset(used.at));
            let key = schema::sql_key(&used.text);
            builder.facts.schema_uses.push(SchemaUse {
                owner: symbol,
                key,
                is_own_language: true,
                line,
            });
        }
    }
    builder.finish()
}

/// The comment lines at the start of a file, unless they are right above a statement.
fn header_comment(text: &str) -> Option<Span> {
    let (mut at, mut block) = (0, None::<Span>);
    for line in text.split_inclusive('\n') {
        let (start, written) = (at, line.trim());
        at += line.len();
        match (written.starts_with("--"), block) {
            (true, _) => {
                let end = offset(start + line.trim_end().len());
                let indent = line.len() - line.trim_start().len();
                let first = block.map_or(offset(start + indent), |block| block.start);
                block = Some(Span::new(first, end));
            }
            (false, None) if written.is_empty() => {}
            (false, block) => return block.filter(|_| written.is_empty()),
        }
    }
    block
}

/// The longest signature, in characters: the head of a view may be all of it.
const MAX_SIGNATURE: usize = 200;
