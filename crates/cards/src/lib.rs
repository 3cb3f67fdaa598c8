//! Cards: specs as Markdown files with frontmatter, linked to each other by relations and to
//! code by `@see type::slug` in doc comments.
//!
//! The crate parses cards and `@see` tags, indexes them, writes new cards and edits existing ones in
//! place. The caller decides which types are registered and how severe a finding is.

mod card;
mod change;
mod indexing;
mod key;
mod mentions;
mod see;
mod tables;
mod words;

pub use card::{Card, CardDiagnostic, CardRelation, parse_card};
pub use change::{
    NewCard, RelationChange, change_relation, rename_relation_targets, render_new_card,
    update_fields, with_new_key,
};
pub use indexing::{index_card, index_see_tags, remove_card, remove_see_tags};
pub use key::{
    CARDS_FOLDER, card_path, fold_case, is_card_path, key_kind, key_slug, parse_new_key,
    path_for_key, slug_error,
};
pub use mentions::CardMention;
pub use see::{SeeTag, key_spans, parse_see_tag};
pub use tables::{
    CardDiagnosticRow, CardFilter, CardRow, MentionRow, REBUILD_CHECK_QUERIES, SCHEMA, SeeTagRow,
    StoredCardRelation, all_cards, all_diagnostics, all_keys, all_mentions, all_relations,
    all_see_tags, card_at_path, card_by_key, cards_with_folded_key, duplicate_keys, filtered_cards,
    has_key, mentions_in, mentions_of, relations_from, relations_to, see_tag_counts,
    see_tags_below, see_tags_in_file, see_tags_of_key,
};
pub use words::{CardRelationKind, CardStatus, UNREVIEWED};
