//! Moments as the enterprise product writes them.

use crate::notebooklm::rows::Moment;

/// Reads a moment as in `2026-11-06T10:20:30.123Z`, or with an offset from UTC; nothing for anything else.
///
/// Source: RFC 3339, and the days of a date by <https://howardhinnant.github.io/date_algorithms.html>.
pub(super) fn read(text: &str) -> Option<Moment> {
    let (date, time) = text.split_once(['T', 't'])?;
    let date = numbers::<3>(date.split('-'))?;
    let (time, offset_s) = zone(time)?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let [hour, minute, second] = numbers::<3>(time.split(':'))?;
    let [year, month, day] = date;
    let fits = (1..=12).contains(&month) && (1..=31).contains(&day) && year <= 9999;
    if !fits || hour > 23 || minute > 59 || second > 60 || fraction.len() > 9 {
        return None;
    }
    let nanos = if fraction.is_empty() { 0 } else { format!("{fraction:0<9}").parse().ok()? };
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset_s;
    Some(Moment { ms: seconds * 1000 + i64::from(nanos / 1_000_000), nanos })
}

/// Takes the zone off a time: `Z`, or hours and minutes from UTC.
fn zone(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let at = time.rfind(['+', '-'])?;
    let (time, offset) = time.split_at_checked(at)?;
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let [hours, minutes] = numbers::<2>(offset.get(1..)?.split(':'))?;
    (hours <= 23 && minutes <= 59).then_some((time, sign * (hours * 3600 + minutes * 60)))
}

fn numbers<'a, const N: usize>(parts: impl Iterator<Item = &'a str>) -> Option<[i64; N]> {
    let plain = |part: &&str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let numbers: Option<Vec<i64>> = parts.map(|part| Some(part).filter(plain)?.parse().ok()).collect();
    numbers?.try_into().ok()
}

/// Counts the days from 1970-01-01 to a date. Years begin in March here, so that a leap day is a year's last.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}
