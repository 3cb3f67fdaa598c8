//! Cards: specs as Markdown files with frontmatter, linked to each other by relations and to
//! code by `@see type::slug` in doc comments.
//!
//! Reads card texts and `@see` tags into rows, writes new cards, edits old ones in place. Which
//! types are registered, and what a finding costs, is the business of who asks.

mod card;
mod change;
mod key;
mod learn;
mod see;
mod tables;
mod words;

pub use card::{Card, Relation, Trouble, read};
pub use change::{New, Relate, relate, rename_in, renamed, template, update};
pub use key::{CARDS, card_path, fold, home, is_card, kind, new_key, slug, why_not};
pub use learn::{forget, forget_card, learn, learn_card};
pub use see::{Seen, see, spellings};
pub use tables::{
    CardRow, DUMP, Filter, RelationRow, SCHEMA, SeeRow, TroubleRow, all_relations, all_sees, at,
    by_key, cards, count_sees, duplicates, is_key, keyed, keys, list, relations_from, relations_to,
    sees_below, sees_in, sees_of, troubles,
};
pub use words::{RelationKind, Status};
