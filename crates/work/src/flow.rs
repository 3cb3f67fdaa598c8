//! How work flows: how many tasks are made and finished week by week, and how long they take.

use base::Result;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use schemars::JsonSchema;
use serde::Serialize;

use crate::draft::WorkDraft;
use crate::query::tables;

/// How many weeks are shown, including the current one.
const WEEKS: i64 = 12;

/// Seconds of a day.
const DAY: i64 = 24 * 60 * 60;

/// How work flows.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WorkFlow {
    /// The last twelve weeks, oldest first; the last one is not over yet
    pub weeks: Vec<FlowWeek>,
    /// How many days half of the tasks that were finished in these weeks took at most, from their creation to their end
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_days: Option<i64>,
}

/// One week of work. Weeks start on Monday, in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FlowWeek {
    /// Its Monday
    pub starts: String,
    /// How many tasks were made
    pub made: usize,
    /// How many tasks were finished or given up
    pub finished: usize,
    /// How many tasks were open at its end
    pub open: usize,
}

/// The life of one task.
#[derive(Debug, Clone, Copy)]
struct TaskLife {
    made: Timestamp,
    finished: Option<Timestamp>,
}

/// How the tasks of a project flow, or those of a feature of it.
pub(crate) fn flow(
    draft: &WorkDraft<'_>,
    project: &str,
    feature: Option<&str>,
) -> Result<WorkFlow> {
    let lives = tables::task_lives(draft.conn(), project, feature)?;
    let life = |(made, finished): (String, Option<String>)| {
        let finished = finished.and_then(|at| at.parse().ok());
        Some(TaskLife { made: made.parse().ok()?, finished })
    };
    let lives: Vec<TaskLife> = lives.into_iter().filter_map(life).collect();
    Ok(flow_of(&lives, draft.now))
}

fn flow_of(lives: &[TaskLife], now: Timestamp) -> WorkFlow {
    let day = |at: Timestamp| at.to_zoned(TimeZone::UTC).date();
    let first = monday(day(now)).saturating_sub((WEEKS - 1).weeks());
    let week = |number: i64| {
        let starts = first.saturating_add(number.weeks());
        let ends = starts.saturating_add(1.week());
        let is_in = |at: Timestamp| (starts..ends).contains(&day(at));
        let is_before = |at: Timestamp| day(at) < ends;
        let is_open =
            |life: &&TaskLife| is_before(life.made) && !life.finished.is_some_and(is_before);
        FlowWeek {
            starts: starts.to_string(),
            made: lives.iter().filter(|life| is_in(life.made)).count(),
            finished: lives.iter().filter(|life| life.finished.is_some_and(is_in)).count(),
            open: lives.iter().filter(is_open).count(),
        }
    };
    let finished = lives.iter().filter_map(|life| Some((life.made, life.finished?)));
    let recent = finished.filter(|(_, finished)| day(*finished) >= first);
    let mut days: Vec<i64> = recent
        .map(|(made, finished)| (finished.as_second() - made.as_second()).max(0) / DAY)
        .collect();
    days.sort_unstable();
    let median_days = days.get(days.len().saturating_sub(1) / 2).copied();
    WorkFlow { weeks: (0..WEEKS).map(week).collect(), median_days }
}

/// The Monday of a day's week.
fn monday(day: Date) -> Date {
    let passed = day.weekday().since(Weekday::Monday);
    day.saturating_sub(i64::from(passed).days())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(made: &str, finished: Option<&str>) -> TaskLife {
        let at = |day: &str| format!("{day}T10:00:00Z").parse().unwrap();
        TaskLife { made: at(made), finished: finished.map(at) }
    }

    #[test]
    fn weeks_count_what_was_made_finished_and_open() {
        let lives = [
            life("2025-01-01", None),
            life("2026-01-05", Some("2026-01-15")),
            life("2026-01-11", Some("2026-01-12")),
            life("2026-01-12", None),
        ];
        let flow = flow_of(&lives, "2026-01-14T12:00:00Z".parse().unwrap());
        let last: Vec<_> = flow.weeks.iter().rev().take(3).collect();
        let week = |starts: &str, made, finished, open| FlowWeek {
            starts: starts.into(),
            made,
            finished,
            open,
        };
        assert_eq!(
            last,
            [
                &week("2026-01-12", 1, 2, 2),
                &week("2026-01-05", 2, 0, 3),
                &week("2025-12-29", 0, 0, 1)
            ]
        );
        assert_eq!((flow.weeks.len(), flow.median_days), (12, Some(1)));
    }

    #[test]
    fn without_tasks_nothing_took_any_time() {
        let flow = flow_of(&[], "2026-01-14T12:00:00Z".parse().unwrap());
        assert_eq!((flow.median_days, flow.weeks[0].open), (None, 0));
    }
}
