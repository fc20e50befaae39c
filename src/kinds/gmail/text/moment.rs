//! Moments as people read them.

use crate::model::Millis;

/// A day and a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Civil {
    year: u64,
    month: u64,
    day: u64,
    seconds: u64,
}

/// The days of the Gregorian calendar, by the algorithm of Howard Hinnant (`civil_from_days`).
fn civil(moment: Millis) -> Civil {
    let seconds = moment.0 / 1000;
    let shifted = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    Civil { year, month, day, seconds: seconds % 86_400 }
}

/// Writes a moment as RFC 3339 in UTC: `2026-11-20T14:03:00Z`.
#[must_use]
pub fn rfc3339(moment: Millis) -> String {
    let Civil { year, month, day, seconds } = civil(moment);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Writes a moment as headings have it, in UTC: `2026-11-20 14:03`.
pub(super) fn short(moment: Millis) -> String {
    let Civil { year, month, day, seconds } = civil(moment);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", seconds / 3600, seconds / 60 % 60)
}
