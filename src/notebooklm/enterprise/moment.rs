//! Moments as the enterprise product writes them.

use crate::model::begin_of_day;
use crate::notebooklm::rows::Moment;

/// Reads a moment as in `2026-11-06T10:20:30.123Z`, or with an offset from UTC; nothing for anything else.
///
/// Source: RFC 3339.
pub(super) fn read(text: &str) -> Option<Moment> {
    let (date, time) = text.split_once(['T', 't'])?;
    let day_s = begin_of_day(date).filter(|_| !date.contains('/'))?;
    let (time, offset_s) = zone(time)?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let [hour, minute, second] = numbers::<3>(time.split(':'))?;
    let is_fraction = fraction.len() <= 9 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if hour > 23 || minute > 59 || second > 60 || !is_fraction {
        return None;
    }
    let nanos = if fraction.is_empty() { 0 } else { format!("{fraction:0<9}").parse().ok()? };
    let seconds = day_s + hour * 3600 + minute * 60 + second - offset_s;
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
