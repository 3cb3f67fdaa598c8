//! Links between specs and what they are about, and whether somebody confirmed that both ends still
//! agree.
//!
//! A link is `confirmed` while both ends have the substance that they had when it was confirmed,
//! `suspect` once one of them changed, `unconfirmed` if nobody ever looked, and `not_checked` if
//! the two states cannot be compared. Confirmations are files under `.cairn/links/`.
//!
//! @see spec::cards/suspect-links

mod carry;
mod confirmation;
mod content;
mod evidence;
mod graph;
mod matrix;
mod rules;
mod shared_reads;
mod state;

pub use carry::{
    carry_confirmations, moved_confirmations, removed_confirmations, renamed_confirmations,
};
pub use confirmation::{ConfirmationSide, FOLDER, LinkConfirmation, confirmation_path};
pub use content::{EndContent, EndReader};
pub use evidence::{EvidenceReader, TestEvidence};
pub use graph::{SpecLink, SpecLinkKind};
pub use matrix::{MatrixEnd, TraceGap, TraceKind, TraceRow, tests_of, trace_matrix};
pub use rules::GAP_RULE;
pub(crate) use rules::RULES;
pub use state::{
    LinkState, LinkStatus, SpecLinks, StoredConfirmation, new_confirmation, spec_links,
};
