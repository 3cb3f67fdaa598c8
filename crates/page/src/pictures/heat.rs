//! A matrix of files by files: the darker a cell, the more often the two change together. Unlike
//! a graph, it stays readable when everything is connected.

use maud::{Markup, html};

use super::{fitted, px};

/// The side of a cell, and the room for names.
const CELL: f64 = 26.0;
const NAMES: f64 = 300.0;
const NUMBERS: f64 = 24.0;

/// A name and its address.
pub(crate) struct HeatName {
    /// The name, shown at the left
    pub name: String,
    /// Its page
    pub address: String,
}

/// A cell: row, column, a share between 0 and 1, and what it says.
pub(crate) struct HeatCell {
    /// Position of the row
    pub row: usize,
    /// Position of the column
    pub column: usize,
    /// How strong it is, from 0 to 1
    pub share: f64,
    /// What a reader sees when pointing at it
    pub title: String,
}

/// The picture; `label` says what it shows.
#[expect(clippy::cast_precision_loss, reason = "a few dozen rows")]
pub(crate) fn heat_map(names: &[HeatName], cells: &[HeatCell], label: &str) -> Markup {
    let size = names.len() as f64 * CELL;
    let (width, height) = (NAMES + size + 4.0, NUMBERS + size + 4.0);
    let at = |position: usize| position as f64 * CELL;
    html! {
        div.picture.wide {
            svg viewBox={ "0 0 " (px(width)) " " (px(height)) } width=(px(width)) height=(px(height))
                role="group" aria-label=(label) {
                defs {
                    pattern #cells x=(px(NAMES)) y=(px(NUMBERS)) width=(px(CELL)) height=(px(CELL)) patternUnits="userSpaceOnUse" {
                        rect.empty-cell x="1" y="1" width=(px(CELL - 2.0)) height=(px(CELL - 2.0)) rx="3" {}
                    }
                }
                rect x=(px(NAMES)) y=(px(NUMBERS)) width=(px(size)) height=(px(size)) fill="url(#cells)" {}
                @for (position, name) in names.iter().enumerate() {
                    text.small x=(px(NAMES + at(position) + CELL / 2.0)) y="16" text-anchor="middle" { (position + 1) }
                    a href=(name.address) aria-label=(name.name) {
                        text x="0" y=(px(NUMBERS + at(position) + 17.0)) {
                            (position + 1) "  " (fitted(&name.name, NAMES - 34.0, 6.9))
                        }
                    }
                }
                @for cell in cells {
                    rect.heat x=(px(NAMES + at(cell.column) + 1.0)) y=(px(NUMBERS + at(cell.row) + 1.0))
                        width=(px(CELL - 2.0)) height=(px(CELL - 2.0)) rx="3"
                        fill-opacity=(px(cell.share.mul_add(0.85, 0.15))) {
                        title { (cell.title) }
                    }
                }
            }
        }
    }
}
