//! A squarified treemap: areas in proportion, as square as possible, so that they can be compared.

use maud::{Markup, html};

use super::{fitted, px};
use crate::components::Tone;

/// Width and height of the picture.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 520.0;

/// The width of a letter of a label.
const LETTER: f64 = 7.5;

/// One rectangle.
#[derive(Debug, Clone)]
pub(crate) struct TreemapArea {
    /// Its size; those of one picture are in proportion
    pub size: f64,
    /// Its label
    pub name: String,
    /// A second, shorter line
    pub note: String,
    /// A third line, with a number
    pub count: String,
    /// Tooltip and accessible name
    pub title: String,
    /// Where it leads
    pub address: String,
    /// Its colour
    pub tone: Tone,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct TreemapFrame {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// The picture; `label` says what it shows.
pub(crate) fn treemap(areas: &[TreemapArea], label: &str) -> Markup {
    let sizes: Vec<f64> = areas.iter().map(|area| area.size).collect();
    let frames = squarified(&sizes, TreemapFrame { x: 0.0, y: 0.0, width: WIDTH, height: HEIGHT });
    html! {
        div.picture {
            svg viewBox={ "0 0 " (px(WIDTH)) " " (px(HEIGHT)) } role="group" aria-label=(label) {
                @for (area, frame) in areas.iter().zip(frames) { (rectangle(area, frame)) }
            }
        }
    }
}

fn rectangle(area: &TreemapArea, frame: TreemapFrame) -> Markup {
    let TreemapFrame { x, y, width, height } = frame;
    let (inner, has_room) = (width - 16.0, height > 26.0);
    html! {
        a href=(area.address) aria-label=(area.title) {
            rect class={ "shape " (area.tone.class()) } x=(px(x + 1.5)) y=(px(y + 1.5))
                width=(px((width - 3.0).max(0.5))) height=(px((height - 3.0).max(0.5))) rx="4" {
                title { (area.title) }
            }
            @if has_room { text x=(px(x + 9.0)) y=(px(y + 20.0)) { (fitted(&area.name, inner, LETTER)) } }
            // A file in the top folder has no folder, and so no empty line.
            @let lines = [fitted(&area.note, inner, LETTER - 0.5), fitted_count(&area.count, inner)];
            @for (line, below) in lines.iter().filter(|line| !line.is_empty()).zip([36.0, 52.0]) {
                @if height > below + 9.0 { text.small x=(px(x + 9.0)) y=(px(y + below)) { (line) } }
            }
        }
    }
}

/// A number with its unit, or without it where there is no room: half a unit says nothing.
fn fitted_count(count: &str, width: f64) -> String {
    let number = count.split(' ').next().unwrap_or_default();
    let whole = fitted(count, width, LETTER - 0.5);
    if whole == count { whole } else { fitted(number, width, LETTER - 0.5) }
}

/// Places sizes, largest first, into a frame: rows are filled along the shorter side while that
/// makes their rectangles squarer.
fn squarified(sizes: &[f64], whole: TreemapFrame) -> Vec<TreemapFrame> {
    let total: f64 = sizes.iter().sum();
    if total <= 0.0 {
        return vec![TreemapFrame { width: 0.0, height: 0.0, ..whole }; sizes.len()];
    }
    let scale = whole.width * whole.height / total;
    let areas: Vec<f64> = sizes.iter().map(|size| size * scale).collect();
    let (mut placed, mut rest, mut start) = (Vec::new(), whole, 0);
    while start < areas.len() {
        let side = rest.width.min(rest.height);
        let mut end = start + 1;
        while end < areas.len()
            && worst(&areas[start..=end], side) <= worst(&areas[start..end], side)
        {
            end += 1;
        }
        rest = place_row(&areas[start..end], rest, &mut placed);
        start = end;
    }
    placed
}

/// The longest ratio of sides in a row.
fn worst(row: &[f64], side: f64) -> f64 {
    let sum: f64 = row.iter().sum();
    let ratio = |area: f64| {
        let thickness = sum / side;
        let length = area / thickness;
        (length / thickness).max(thickness / length)
    };
    row.iter().copied().map(ratio).fold(0.0, f64::max)
}

/// Places a row along the shorter side, and returns what is left of the frame.
fn place_row(row: &[f64], frame: TreemapFrame, placed: &mut Vec<TreemapFrame>) -> TreemapFrame {
    let sum: f64 = row.iter().sum();
    let is_column = frame.width >= frame.height;
    let side = if is_column { frame.height } else { frame.width };
    let thickness = sum / side;
    let mut at = 0.0;
    for area in row {
        let length = area / thickness;
        placed.push(match is_column {
            true => TreemapFrame { x: frame.x, y: frame.y + at, width: thickness, height: length },
            false => TreemapFrame { x: frame.x + at, y: frame.y, width: length, height: thickness },
        });
        at += length;
    }
    match is_column {
        true => TreemapFrame { x: frame.x + thickness, width: frame.width - thickness, ..frame },
        false => TreemapFrame { y: frame.y + thickness, height: frame.height - thickness, ..frame },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_in_proportion_and_fill_the_frame() {
        let whole = TreemapFrame { x: 0.0, y: 0.0, width: 100.0, height: 60.0 };
        let sizes = [8.0, 5.0, 3.0, 2.0, 1.0, 1.0];
        let frames = squarified(&sizes, whole);
        assert_eq!(frames.len(), sizes.len());
        for (frame, size) in frames.iter().zip(sizes) {
            assert!((frame.width * frame.height - size * 300.0).abs() < 1e-6);
            assert!(frame.x >= -1e-9 && frame.x + frame.width <= 100.0 + 1e-6);
            assert!(frame.y >= -1e-9 && frame.y + frame.height <= 60.0 + 1e-6);
        }
    }

    #[test]
    fn nothing_has_no_size() {
        let whole = TreemapFrame { x: 0.0, y: 0.0, width: 10.0, height: 10.0 };
        assert!(squarified(&[0.0], whole)[0].width < 1e-9);
        assert!(squarified(&[], whole).is_empty());
    }
}
