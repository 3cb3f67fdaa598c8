//! Shares of a whole, and a small meter beside a number.

use maud::{Markup, html};

use super::px;

/// A named part of a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BarShare {
    /// What it is
    pub name: String,
    /// How much of it there is
    pub count: u64,
}

/// How many shares have a row of their own.
const MAX_SHARES: usize = 12;

/// Width of the picture.
const WIDTH: f64 = 600.0;

/// Shares as bars with their names and numbers: picture and table in one.
pub(crate) fn shares(shares: &[BarShare]) -> Markup {
    let most = shares.iter().map(|share| share.count).max().unwrap_or(1);
    html! {
        div.scroll {
            table.bars {
                thead { tr { th { "Language" } th.number { "Files" } th { span.hidden { "Share" } } } }
                tbody {
                    @for share in shares.iter().take(MAX_SHARES) {
                        tr {
                            td.fit { (share.name) }
                            td.number.fit { (share.count) }
                            td { (meter(share.count, most)) }
                        }
                    }
                }
            }
        }
        @if shares.len() > MAX_SHARES { p.muted { (shares.len() - MAX_SHARES) " more left out." } }
    }
}

/// How much of the most a number is. The number itself stands beside it.
#[expect(clippy::cast_precision_loss, reason = "counts of files and commits")]
pub(crate) fn meter(count: u64, most: u64) -> Markup {
    score_meter(count as f64, most.max(1) as f64)
}

/// The same for a number that is not a count.
pub(crate) fn score_meter(score: f64, most: f64) -> Markup {
    let part = if most > 0.0 { WIDTH * score / most } else { 0.0 };
    html! {
        svg.meter viewBox={ "0 0 " (px(WIDTH)) " 4" } preserveAspectRatio="none" aria-hidden="true" {
            rect.rest width=(px(WIDTH)) height="4" rx="2" {}
            @if score > 0.0 { rect width=(px(part.max(4.0))) height="4" rx="2" {} }
        }
    }
}
