//! Renders a state transition.

use base::words::counted;
use work::blocks::UnblockedWork;
use work::pipeline::StatusTransition;

use super::record::row;
use crate::contract::page::{Page, PageCell, Render};

impl Render for StatusTransition {
    fn render(&self, page: &mut Page) {
        let Self { what, from, to, position, .. } = self;
        let place = match position.step {
            0 => String::new(),
            step => format!("  step {step} of {}", position.of),
        };
        let line = format!(
            "{} \"{}\": {from} → {to}{place}  version {}    {}",
            what.kind,
            what.name,
            self.version,
            what.handle()
        );
        page.answer(line);
        if let Some(reason) = &self.reason {
            page.item("reason", reason);
        }
        if let Some(next) = position.next {
            page.item("next", next);
        }
        if let Some(feature) = &self.feature {
            let line =
                format!("feature \"{}\": {} → {}", feature.what.name, feature.from, feature.to);
            page.say_handle(line, feature.what.handle());
        }
        render_freed(page, &self.unblocked);
        for (title, again) in [
            ("Blocked by it again", &self.blocked_again),
            (
                "No longer blocked by it, because the block would be part of a cycle",
                &self.dropped_blocks,
            ),
        ] {
            if !again.is_empty() {
                page.heading(title);
                page.table(2, again.iter().map(row).collect());
            }
        }
        if !self.affected.is_empty() {
            page.heading("Still blocked by it, although it will not be implemented");
            page.table(2, self.affected.iter().map(row).collect());
        }
    }
}

/// Work that has fewer blocks now, or none.
pub(super) fn render_freed(page: &mut Page, freed: &[UnblockedWork]) {
    if freed.is_empty() {
        return;
    }
    page.heading("No longer blocked by it");
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
