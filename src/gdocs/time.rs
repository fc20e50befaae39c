//! Points in time as a request writes them and as a date chip shows them. No clock is read here.

use super::DateElementProperties;

/// A point in time, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instant {
    /// Seconds since 1970.
    seconds: i64,
    /// Nanoseconds of the second.
    nanos: u32,
}

/// Months as English writes them.
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

impl Instant {
    /// Reads an RFC 3339 time as protobuf's JSON does: years 1 to 9999, at most nine digits of a second.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if !text.is_ascii() {
            return None;
        }
        let number = |from: usize, to: usize| {
            let digits = text.get(from..to).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
            digits.parse::<i64>().ok()
        };
        let marks = [(4, "-"), (7, "-"), (13, ":"), (16, ":")];
        if marks.iter().any(|(at, mark)| text.get(*at..at + 1) != Some(*mark))
            || !matches!(text.get(10..11), Some("T" | "t"))
        {
            return None;
        }
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        let valid = (1..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=days_in(year, month)).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60;
        let rest = text.get(19..).filter(|_| valid)?;
        let (nanos, zone) = fraction(rest)?;
        let offset = match zone {
            "Z" | "z" => 0,
            _ => offset(zone)?,
        };
        let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset * 60;
        Some(Self { seconds, nanos })
    }

    /// Writes the time as Google does: in UTC, without a fraction where there is none.
    pub(crate) fn written(self) -> String {
        let (year, month, day) = civil_from_days(self.seconds.div_euclid(86_400));
        let (hour, minute, second) = self.clock();
        let fraction = match self.nanos {
            0 => String::new(),
            nanos if nanos % 1_000_000 == 0 => format!(".{:03}", nanos / 1_000_000),
            nanos if nanos % 1_000 == 0 => format!(".{:06}", nanos / 1_000),
            nanos => format!(".{nanos:09}"),
        };
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
    }

    /// Returns what a chip shows, in English and in UTC.
    pub(crate) fn shown(self, date_format: &str, time_format: &str) -> String {
        let (year, month, day) = civil_from_days(self.seconds.div_euclid(86_400));
        let name = usize::try_from(month - 1).ok().and_then(|at| MONTHS.get(at)).copied().unwrap_or_default();
        let short = name.get(..3).unwrap_or(name);
        let date = match date_format {
            "DATE_FORMAT_MONTH_DAY_ABBREVIATED" => format!("{short} {day}"),
            "DATE_FORMAT_MONTH_DAY_FULL" => format!("{name} {day:02}"),
            "DATE_FORMAT_ISO8601" => format!("{year:04}-{month:02}-{day:02}"),
            _ => format!("{short} {day}, {year}"),
        };
        let (hour, minute, _) = self.clock();
        let (half, twelve) = (if hour < 12 { "AM" } else { "PM" }, if hour % 12 == 0 { 12 } else { hour % 12 });
        match time_format {
            "TIME_FORMAT_HOUR_MINUTE" => format!("{date} {twelve}:{minute:02} {half}"),
            "TIME_FORMAT_HOUR_MINUTE_TIMEZONE" => format!("{date} {twelve}:{minute:02} {half} UTC"),
            _ => date,
        }
    }

    /// Returns hour, minute and second.
    const fn clock(self) -> (i64, i64, i64) {
        let second = self.seconds.rem_euclid(86_400);
        (second / 3_600, second / 60 % 60, second % 60)
    }
}

/// Returns what makes a date that shows a text. `None` for what shows no year, and for other languages than English.
#[must_use]
pub fn date_that_shows(text: &str) -> Option<DateElementProperties> {
    let words: Vec<&str> = text.split(' ').collect();
    let (date, clock) = match words.as_slice() {
        [day] => (iso(day)?, None),
        [day, clock, half] => match iso(day) {
            Some(date) => (date, Some((*clock, *half))),
            None => (month_day_year([day, clock, half])?, None),
        },
        [month, day, year, clock, half] => (month_day_year([month, day, year])?, Some((*clock, *half))),
        _ => return None,
    };
    let (date_format, [year, month, day]) = date;
    let (time_format, hour, minute) = match clock {
        None => ("TIME_FORMAT_DISABLED", 0, 0),
        Some((clock, half)) => {
            let (hour, minute) = clock.split_once(':')?;
            let half = if half == "PM" { 12 } else { 0 };
            ("TIME_FORMAT_HOUR_MINUTE", hour.parse::<i64>().ok()? % 12 + half, minute.parse::<i64>().ok()?)
        }
    };
    let written = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z");
    let is_shown = Instant::parse(&written).is_some_and(|instant| instant.shown(date_format, time_format) == text);
    is_shown.then(|| DateElementProperties {
        timestamp: Some(written),
        date_format: Some(date_format.into()),
        time_format: Some(time_format.into()),
        ..DateElementProperties::default()
    })
}

/// Reads `2026-03-04`.
fn iso(day: &str) -> Option<(&'static str, [i64; 3])> {
    let [year, month, day] =
        day.split('-').map(|number| number.parse().ok()).collect::<Option<Vec<i64>>>()?.try_into().ok()?;
    Some(("DATE_FORMAT_ISO8601", [year, month, day]))
}

/// Reads `Mar 4, 2026`.
fn month_day_year([month, day, year]: [&str; 3]) -> Option<(&'static str, [i64; 3])> {
    let at = MONTHS.iter().position(|name| name.get(..3) == Some(month))?;
    let day = day.strip_suffix(',')?.parse().ok()?;
    Some(("DATE_FORMAT_MONTH_DAY_YEAR_ABBREVIATED", [year.parse().ok()?, i64::try_from(at).ok()? + 1, day]))
}

/// Reads `.123` and returns nanoseconds and what follows.
fn fraction(rest: &str) -> Option<(u32, &str)> {
    let Some(behind) = rest.strip_prefix('.') else { return Some((0, rest)) };
    let count = behind.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=9).contains(&count) {
        return None;
    }
    let (digits, zone) = behind.split_at(count);
    Some((format!("{digits:0<9}").parse().ok()?, zone))
}

/// Reads `+01:30` in minutes.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.get(..1)? {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    let two = |digits: &str, below: i64| {
        let digits = Some(digits).filter(|digits| digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit()))?;
        digits.parse::<i64>().ok().filter(|number| *number < below)
    };
    Some(sign * (two(hours, 24)? * 60 + two(minutes, 60)?))
}

/// Returns the number of days of a month.
const fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Returns the days since 1970 of a date.
///
/// Source: <https://howardhinnant.github.io/date_algorithms.html>
const fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Returns the date of a number of days since 1970.
const fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year + era * 400 + if month <= 2 { 1 } else { 0 }, month, day)
}

#[cfg(test)]
mod tests {
    use super::{Instant, date_that_shows};

    #[test]
    fn times_are_read_and_written() {
        for (text, written) in [
            ("1970-01-01T00:00:00Z", Some("1970-01-01T00:00:00Z")),
            ("2024-02-29T23:59:59.5Z", Some("2024-02-29T23:59:59.500Z")),
            ("2026-11-21T01:00:00+02:00", Some("2026-11-20T23:00:00Z")),
            ("2026-11-20T20:30:00-05:30", Some("2026-11-21T02:00:00Z")),
            ("0001-01-01T00:00:00Z", Some("0001-01-01T00:00:00Z")),
            ("2026-02-29T00:00:00Z", None),
            ("2026-13-01T00:00:00Z", None),
            ("2026-01-01", None),
            ("2026-01-01T00:00:00", None),
            ("2026-01-01T24:00:00Z", None),
            ("18000", None),
            ("", None),
            ("2026-01-01T00:00:00.Z", None),
        ] {
            assert_eq!(Instant::parse(text).map(Instant::written).as_deref(), written, "{text}");
        }
    }

    #[test]
    fn what_a_date_shows_makes_it_again() {
        for (text, expected) in [
            ("2026-03-04", Some("2026-03-04T00:00:00Z")),
            ("Mar 4, 2026", Some("2026-03-04T00:00:00Z")),
            ("Mar 4, 2026 3:30 PM", Some("2026-03-04T15:30:00Z")),
            ("2026-03-04 12:05 AM", Some("2026-03-04T00:05:00Z")),
            ("Dec 31, 1969 12:00 PM", Some("1969-12-31T12:00:00Z")),
            ("Mar 4", None),
            ("March 04", None),
            ("4 mars 2026", None),
            ("Mar 04, 2026", None),
            ("Feb 30, 2026", None),
            ("Mar 4, 2026 15:30 PM", None),
            ("Mar 4, 2026 3:30 PM UTC", None),
            ("2026-3-4", None),
            ("", None),
            ("next week", None),
        ] {
            let made = date_that_shows(text);
            assert_eq!(made.as_ref().and_then(|date| date.timestamp.as_deref()), expected, "{text}");
            if let Some(date) = made {
                let instant = Instant::parse(&date.timestamp.unwrap()).unwrap();
                assert_eq!(instant.shown(&date.date_format.unwrap(), &date.time_format.unwrap()), text);
            }
        }
    }

    #[test]
    fn times_are_shown() {
        let instant = Instant::parse("1970-01-01T17:05:00Z").unwrap();
        for (date, time, shown) in [
            ("DATE_FORMAT_MONTH_DAY_YEAR_ABBREVIATED", "TIME_FORMAT_DISABLED", "Jan 1, 1970"),
            ("DATE_FORMAT_MONTH_DAY_ABBREVIATED", "TIME_FORMAT_DISABLED", "Jan 1"),
            ("DATE_FORMAT_MONTH_DAY_FULL", "TIME_FORMAT_DISABLED", "January 01"),
            ("DATE_FORMAT_ISO8601", "TIME_FORMAT_HOUR_MINUTE", "1970-01-01 5:05 PM"),
            ("DATE_FORMAT_ISO8601", "TIME_FORMAT_HOUR_MINUTE_TIMEZONE", "1970-01-01 5:05 PM UTC"),
        ] {
            assert_eq!(instant.shown(date, time), shown);
        }
    }
}
