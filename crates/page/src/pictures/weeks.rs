//! What came in and what was finished week by week, as pairs of bars.

use maud::{Markup, html};

use super::px;
use crate::components::Tone;

/// Width and height of the picture, and the room below the bars for the names of weeks.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 190.0;
const AXIS: f64 = 22.0;

/// The room above the highest bar, for its number.
const HEADROOM: f64 = 18.0;

/// How much of a week's room its two bars take.
const FILLED: f64 = 0.7;

/// One week.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WeekBars {
    /// Its name below the bars
    pub name: String,
    /// What came in
    pub made: usize,
    /// What was finished
    pub finished: usize,
}

/// The picture; `label` says what it shows.
#[expect(clippy::cast_precision_loss, reason = "counts of tasks and weeks")]
pub(crate) fn weeks(weeks: &[WeekBars], label: &str) -> Markup {
    let most = weeks.iter().map(|week| week.made.max(week.finished)).max().unwrap_or(0).max(1);
    let room = WIDTH / weeks.len().max(1) as f64;
    let bar = room * FILLED / 2.0;
    let floor = HEIGHT - AXIS;
    let height = |count: usize| (floor - HEADROOM) * count as f64 / most as f64;
    html! {
        div.picture.recent {
            svg viewBox={ "0 0 " (px(WIDTH)) " " (px(HEIGHT)) } role="img" aria-label=(label) {
                line.grid x1="0" x2=(px(WIDTH)) y1=(px(floor)) y2=(px(floor)) {}
                @for (number, week) in weeks.iter().enumerate() {
                    @let middle = (number as f64 + 0.5) * room;
                    @let bars = [(middle - bar, week.made, Tone::Accent), (middle, week.finished, Tone::Good)];
                    @for (x, count, tone) in bars {
                        @if count > 0 {
                            rect class={ "shape " (tone.class()) } x=(px(x)) y=(px(floor - height(count))) width=(px(bar)) height=(px(height(count))) {}
                            text.small x=(px(x + bar / 2.0)) y=(px(floor - height(count) - 4.0)) text-anchor="middle" { (count) }
                        }
                    }
                    text.small x=(px(middle)) y=(px(HEIGHT - 6.0)) text-anchor="middle" { (week.name) }
                }
            }
        }
    }
}
