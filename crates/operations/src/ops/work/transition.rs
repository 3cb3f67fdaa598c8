//! The answer of operations that move a feature or task to another state.

use base::words::counted;
use schemars::JsonSchema;
use serde::Serialize;
use work::blocks::UnblockedWork;
use work::pipeline::StatusTransition;

use super::record::row;
use engine::contract::page::{Page, PageCell, Render};

/// The status change of a feature or task.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct TransitionAnswer(pub StatusTransition);

impl Render for TransitionAnswer {
    fn render(&self, page: &mut Page) {
        let moved = &self.0;
        let StatusTransition { what, from, to, position, .. } = moved;
        let place = match position.step {
            0 => String::new(),
            step => format!("  step {step} of {}", position.of),
        };
        let line = format!(
            "{} \"{}\": {from} → {to}{place}  version {}    {}",
            what.kind,
            what.name,
            moved.version,
            what.handle()
        );
        page.answer(line);
        if let Some(reason) = &moved.reason {
            page.item("reason", reason);
        }
        if let Some(next) = position.next {
            page.item("next", next);
        }
        if let Some(feature) = &moved.feature {
            let line =
                format!("feature \"{}\": {} → {}", feature.what.name, feature.from, feature.to);
            page.say_handle(line, feature.what.handle());
        }
        render_freed(page, &moved.unblocked);
        for (title, again) in [
            ("Blocked again", &moved.blocked_again),
            ("Unblocked, because the block would have formed a cycle", &moved.dropped_blocks),
        ] {
            if !again.is_empty() {
                page.heading(title);
                page.table(2, again.iter().map(row).collect());
            }
        }
        if !moved.affected.is_empty() {
            page.heading("Still blocked by this terminated item");
            page.table(2, moved.affected.iter().map(row).collect());
        }
    }
}

/// Renders the work that has fewer blocks now, or none.
pub(super) fn render_freed(page: &mut Page, freed: &[UnblockedWork]) {
    if freed.is_empty() {
        return;
    }
    page.heading("Unblocked");
    let cells = |one: &UnblockedWork| {
        let left = match one.still_blocked_by {
            0 => "free".to_owned(),
            left => format!("{} left", counted(left, "block")),
        };
        let mut cells = row(&one.what);
        cells.insert(2, PageCell::faint(left));
        cells
    };
    page.table(2, freed.iter().map(cells).collect());
}
