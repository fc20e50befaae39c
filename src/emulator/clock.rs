//! Moments as Google writes them.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the moment now, in milliseconds since the epoch.
pub(super) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Writes a moment as RFC 3339 in UTC with milliseconds.
pub(super) fn rfc3339(ms: i64) -> String {
    let (days, of_day) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    let (year, month, day) = civil(days);
    let (seconds, milli) = (of_day / 1000, of_day % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// Reads RFC 3339; the time, the fraction, and the zone may be absent, UTC is the default.
pub(super) fn parse(text: &str) -> Option<i64> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, time),
        None => (text, ""),
    };
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    Some(days_from_civil(year, month, day) * 86_400_000 + if time.is_empty() { 0 } else { parse_time(time)? })
}

/// Reads `10:20:30.5+02:00` into milliseconds of the day in UTC.
fn parse_time(time: &str) -> Option<i64> {
    let (clock, zone_minutes) = match time.find(['Z', 'z', '+', '-']) {
        None => (time, 0),
        Some(at) => {
            let (clock, zone) = time.split_at(at);
            let sign = if zone.starts_with('-') { -1 } else { 1 };
            let digits = zone.trim_start_matches(['Z', 'z', '+', '-']);
            let minutes = if digits.is_empty() {
                0
            } else {
                let (hours, minutes) = digits.split_once(':')?;
                hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?
            };
            (clock, sign * minutes)
        }
    };
    let mut parts = clock.splitn(3, ':');
    let hour: i64 = parts.next()?.parse().ok()?;
    let minute: i64 = parts.next()?.parse().ok()?;
    let second: f64 = parts.next().unwrap_or("0").parse().ok()?;
    if !(0..24).contains(&hour) || !(0..60).contains(&minute) || !(0.0..61.0).contains(&second) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "below 61,000")]
    let millis = (second * 1000.0) as i64;
    Some((hour * 60 + minute - zone_minutes) * 60_000 + millis)
}

/// Returns year, month, and day of a count of days since the epoch.
///
/// Source: <https://howardhinnant.github.io/date_algorithms.html>
const fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + if month <= 2 { 1 } else { 0 }, month, day)
}

/// Returns the count of days since the epoch; the inverse of [`civil`].
const fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    era * 146_097 + of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_and_read() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_793_000_000_123, "2026-10-26T07:33:20.123Z"),
        ] {
            assert_eq!(rfc3339(ms), text);
            assert_eq!(parse(text), Some(ms));
        }
        assert_eq!(parse("2020-01-01"), Some(1_577_836_800_000));
        assert_eq!(parse("2020-01-01T00:00:00"), Some(1_577_836_800_000));
        assert_eq!(parse("2020-01-01T02:00:00+02:00"), Some(1_577_836_800_000));
        for bad in ["", "yesterday", "2020-13-01", "2020-01-01Tx", "2020-01-01T25:00:00"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
