//! What happened on a line of time, in rows by kind.

use std::collections::BTreeMap;

use jiff::Timestamp;
use maud::{Markup, html};

use super::px;
use crate::components::Tone;

/// Width of the picture, the room for the names of rows, and the height of a row.
const WIDTH: f64 = 1000.0;
const NAMES: f64 = 110.0;
const ROW: f64 = 44.0;
const AXIS: f64 = 26.0;

/// How far apart events of one place are drawn, and how many at most.
const STEP: f64 = 14.0;
const MAX_LEVELS: usize = 10;

/// How many marks the axis has.
const TICKS: u32 = 6;

/// An event on the timeline.
#[derive(Debug, Clone)]
pub(crate) struct TimelineEvent {
    /// When
    pub at: Timestamp,
    /// The row it is in
    pub row: usize,
    /// What it was
    pub title: String,
    /// Where it leads
    pub address: String,
    /// Its colour
    pub tone: Tone,
}

/// An event where it is drawn.
struct PlacedEvent<'a> {
    event: &'a TimelineEvent,
    x: f64,
    /// How many are below it at the same place
    level: usize,
}

/// A place where more happened than can be drawn.
struct EventCluster {
    row: usize,
    slot: i64,
    left_out: usize,
}

/// How much higher every other one of neighbouring numbers stands, so that they do not touch.
const LIFT: f64 = 12.0;

/// The picture; `rows` names the rows, `label` says what it shows.
#[expect(clippy::cast_precision_loss, reason = "seconds of a few decades")]
pub(crate) fn timeline(events: &[TimelineEvent], rows: &[&str], label: &str) -> Markup {
    let seconds = || events.iter().map(|event| event.at.as_second());
    let (Some(first), Some(last)) = (seconds().min(), seconds().max()) else { return html! {} };
    let span = (last - first).max(1) as f64;
    let inner = WIDTH - NAMES - 24.0;
    let x = |second: i64| NAMES + 12.0 + inner * (second - first) as f64 / span;
    let (placed, crowded) = stacked(events, x);
    let bottoms = row_bottoms(&placed, rows.len());
    let height = bottoms.last().copied().unwrap_or(0.0) + AXIS;
    let y = |row: usize, level: usize| (level as f64).mul_add(-STEP, bottoms[row] - ROW / 2.0);
    html! {
        div.picture.recent {
            svg viewBox={ "0 0 " (px(WIDTH)) " " (px(height)) } role="group" aria-label=(label) {
                @for (row, name) in rows.iter().enumerate() {
                    text x="0" y=(px(y(row, 0) + 4.0)) { (name) }
                    line.grid x1=(px(NAMES)) x2=(px(WIDTH)) y1=(px(y(row, 0))) y2=(px(y(row, 0))) {}
                }
                @for (second, day) in ticks(first, last) {
                    line.grid x1=(px(x(second))) x2=(px(x(second))) y1="4" y2=(px(height - AXIS)) {}
                    text.small x=(px(x(second))) y=(px(height - 8.0)) text-anchor=(anchor(second, first, last)) { (day) }
                }
                @for PlacedEvent { event, x, level } in &placed {
                    a href=(event.address) aria-label=(event.title) {
                        circle class={ "shape " (event.tone.class()) } cx=(px(*x))
                            cy=(px(y(event.row, *level))) r="6" { title { (event.title) } }
                    }
                }
                @for place in &crowded {
                    @let lift = if place.slot % 2 == 0 { 0.0 } else { LIFT };
                    text.small x=(px(slot_center(place.slot))) y=(px(y(place.row, MAX_LEVELS) + 4.0 - lift)) text-anchor="middle" { "+" (place.left_out) }
                }
            }
        }
    }
}

/// The middle of a column of events. Events are drawn in columns, so that they do not cover each
/// other: at most half a column from where they belong.
#[expect(clippy::cast_precision_loss, reason = "columns of a picture")]
fn slot_center(slot: i64) -> f64 {
    (slot as f64 + 0.5) * STEP
}

/// Moments of one column, on top of each other.
fn stacked(
    events: &[TimelineEvent],
    x: impl Fn(i64) -> f64,
) -> (Vec<PlacedEvent<'_>>, Vec<EventCluster>) {
    let mut counts: BTreeMap<(usize, i64), usize> = BTreeMap::new();
    let (mut placed, mut crowded) = (Vec::new(), Vec::<EventCluster>::new());
    for event in events {
        #[expect(clippy::cast_possible_truncation, reason = "a position in the picture")]
        let slot = (x(event.at.as_second()) / STEP) as i64;
        let x = slot_center(slot);
        let level = counts.entry((event.row, slot)).or_default();
        match *level {
            level if level < MAX_LEVELS => placed.push(PlacedEvent { event, x, level }),
            _ => {
                match crowded.iter_mut().find(|place| (place.row, place.slot) == (event.row, slot))
                {
                    Some(place) => place.left_out += 1,
                    None => crowded.push(EventCluster { row: event.row, slot, left_out: 1 }),
                }
            }
        }
        *level += 1;
    }
    (placed, crowded)
}

/// Where each row ends: one with a tall stack is higher.
#[expect(clippy::cast_precision_loss, reason = "a few levels")]
fn row_bottoms(placed: &[PlacedEvent<'_>], rows: usize) -> Vec<f64> {
    let mut bottom = 0.0;
    let end = |row: usize| {
        let levels = placed.iter().filter(|one| one.event.row == row).map(|one| one.level).max();
        let levels = match levels.unwrap_or(0) {
            top if top + 1 == MAX_LEVELS => MAX_LEVELS,
            top => top,
        };
        bottom += (levels as f64).mul_add(STEP, ROW);
        bottom
    };
    (0..rows).map(end).collect()
}

/// Some days between two moments, evenly.
fn ticks(first: i64, last: i64) -> Vec<(i64, String)> {
    let step = (last - first) / i64::from(TICKS - 1);
    let count = if step == 0 { 1 } else { i64::from(TICKS) };
    let day = |second: i64| {
        let day = Timestamp::from_second(second).map(|at| at.strftime("%Y-%m-%d").to_string());
        (second, day.unwrap_or_default())
    };
    let mut days: Vec<(i64, String)> = (0..count).map(|at| day(first + at * step)).collect();
    days.dedup_by(|later, earlier| later.1 == earlier.1);
    days
}

const fn anchor(second: i64, first: i64, last: i64) -> &'static str {
    if second == first && first != last {
        "start"
    } else if last - second < (last - first) / 20 {
        "end"
    } else {
        "middle"
    }
}

/// A moment from the text that answers use.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    let whole = text.parse().ok();
    whole.or_else(|| format!("{}T00:00:00Z", text.get(..10)?).parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_one_day_are_drawn_above_each_other_and_the_rest_is_counted() {
        let event = |second: i64| TimelineEvent {
            at: Timestamp::from_second(second).unwrap(),
            row: 0,
            title: String::new(),
            address: String::new(),
            tone: Tone::Neutral,
        };
        let events: Vec<TimelineEvent> = (0..13).map(|_| event(100)).chain([event(900)]).collect();
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let (placed, crowded) = stacked(&events, |second| second as f64);
        let levels: Vec<usize> = placed.iter().map(|one| one.level).collect();
        assert_eq!(levels, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0]);
        assert_eq!(crowded.iter().map(|place| place.left_out).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn moments_never_cover_each_other() {
        let event = |second: i64| TimelineEvent {
            at: Timestamp::from_second(second).unwrap(),
            row: 0,
            title: String::new(),
            address: String::new(),
            tone: Tone::Neutral,
        };
        let events: Vec<TimelineEvent> = (0..40).map(|number| event(number * 9)).collect();
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let (placed, _) = stacked(&events, |second| second as f64);
        for (position, one) in placed.iter().enumerate() {
            for other in &placed[..position] {
                let is_apart = (one.x - other.x).abs() >= STEP || one.level != other.level;
                assert!(is_apart, "{} and {}", one.x, other.x);
            }
        }
    }

    #[test]
    fn a_day_and_a_moment_are_read() {
        assert_eq!(parse("2026-01-10"), parse("2026-01-10T00:00:00Z"));
        assert_eq!(parse("soon"), None);
    }
}
