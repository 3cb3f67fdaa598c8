//! A matrix of files by files: the darker a cell, the more often the two change together. Unlike
//! a graph, it stays readable when everything is connected.

use maud::{Markup, html};

use super::{fitted, fitted_end, px};

/// The side of a cell, and the room for names.
const CELL: f64 = 26.0;
const NAMES: f64 = 300.0;
const NUMBERS: f64 = 24.0;

/// The width of a letter of a name and of its folder.
const NAME_LETTER: f64 = 6.9;
const FOLDER_LETTER: f64 = 6.3;

/// In how many steps cells are drawn, from the faintest to the darkest.
pub(crate) const STRENGTHS: usize = 5;

/// A name and its address.
pub(crate) struct HeatName {
    /// The name, shown at the left
    pub name: String,
    /// The folder it is in, shown after it
    pub folder: String,
    /// Its page
    pub address: String,
}

/// A cell: row, column, how dark it is, and what it says.
pub(crate) struct HeatCell {
    /// Position of the row
    pub row: usize,
    /// Position of the column
    pub column: usize,
    /// How dark it is: a number below [`STRENGTHS`]
    pub strength: usize,
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
                    (row_label(position, name, NUMBERS + at(position) + 17.0))
                }
                @for cell in cells {
                    rect class={ "heat step-" (cell.strength) } x=(px(NAMES + at(cell.column) + 1.0)) y=(px(NUMBERS + at(cell.row) + 1.0))
                        width=(px(CELL - 2.0)) height=(px(CELL - 2.0)) rx="3" {
                        title { (cell.title) }
                    }
                }
            }
        }
    }
}

/// The number, the name and, where there is room, the folder of a row.
#[expect(clippy::cast_precision_loss, reason = "a few dozen letters")]
fn row_label(position: usize, name: &HeatName, y: f64) -> Markup {
    let room = NAMES - 34.0;
    let shown = fitted(&name.name, room, NAME_LETTER);
    let rest = (shown.chars().count() as f64 + 1.0).mul_add(-NAME_LETTER, room);
    html! {
        a href=(name.address) aria-label={ (name.name) " " (name.folder) } {
            text x="0" y=(px(y)) {
                (position + 1) "  " (shown)
                tspan.small dx="7" { (fitted_end(&name.folder, rest, FOLDER_LETTER)) }
            }
        }
    }
}
