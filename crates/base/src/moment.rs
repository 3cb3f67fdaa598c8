//! Times in sentences and tables.

use jiff::Timestamp;

use crate::words::counted;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const WEEK: i64 = 7 * DAY;
const MONTH: i64 = 30 * DAY;
const YEAR: i64 = 365 * DAY;

/// How long ago a time was, such as `3 days ago`. The unit is chosen so that rounding down loses
/// little: weeks begin at two weeks, months at two months, years at two years.
pub fn elapsed(now: Timestamp, then: Timestamp) -> String {
    let seconds = now.as_second().saturating_sub(then.as_second());
    let (unit, noun) = match seconds {
        ..MINUTE => return "just now".into(),
        MINUTE..HOUR => (MINUTE, "minute"),
        HOUR..DAY => (HOUR, "hour"),
        DAY..1_209_600 => (DAY, "day"),            // two weeks
        1_209_600..5_184_000 => (WEEK, "week"),    // two months
        5_184_000..63_072_000 => (MONTH, "month"), // two years
        _ => (YEAR, "year"),
    };
    format!("{} ago", counted(seconds / unit, noun))
}

/// The time that is this many seconds after 1970; 1970 itself if it is out of range.
pub fn from_seconds(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// A time in RFC 3339 without the fraction of its second.
pub fn to_the_second(time: &str) -> String {
    match time.split_once('.') {
        Some((seconds, _)) if time.ends_with('Z') => format!("{seconds}Z"),
        _ => time.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elapsed_times_use_the_largest_unit() {
        let now = from_seconds(100_000_000);
        let cases = [
            (59, "just now"),
            (60, "1 minute ago"),
            (2 * HOUR, "2 hours ago"),
            (13 * DAY, "13 days ago"),
            (14 * DAY, "2 weeks ago"),
            (70 * DAY, "2 months ago"),
            (3 * YEAR, "3 years ago"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(elapsed(now, from_seconds(100_000_000 - seconds)), expected);
        }
    }

    #[test]
    fn a_fraction_is_cut() {
        assert_eq!(to_the_second("2026-01-02T03:04:05.123Z"), "2026-01-02T03:04:05Z");
        assert_eq!(to_the_second("2026-01-02"), "2026-01-02");
    }
}
