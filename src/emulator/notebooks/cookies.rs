//! Cookies, read and written as Google does.

use std::time::{Duration, UNIX_EPOCH};

use super::model::Millis;
use crate::emulator::call::Call;

/// The domain that all of Google's names here share.
pub(super) const DOMAIN: &str = ".google.localhost";

/// How long Google's cookies last: about two years.
pub(super) const LONG_S: u32 = 63_072_000;

/// Cookies of one request that are looked at. A browser sends some twenty.
const COOKIES_MAX: usize = 200;

/// The last moment that a date in a header can say.
const DATE_MS_MAX: Millis = 253_402_300_799_000;

/// A cookie to set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cookie<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Its value.
    pub(super) value: &'a str,
    /// Whether it is of all names, and not of this host alone.
    pub(super) shared: bool,
    /// How long it lasts; without it, as long as the browser runs.
    pub(super) seconds: Option<u32>,
    /// Whether scripts cannot read it.
    pub(super) http_only: bool,
    /// Whether it only goes to who cannot be overheard.
    pub(super) secure: bool,
    /// Whether it also goes along when another site asks.
    pub(super) cross_site: bool,
}

impl Cookie<'_> {
    /// Writes it.
    pub(super) fn write(&self, now: Millis) -> String {
        let mut text = format!("{}={}", self.name, self.value);
        if let Some(seconds) = self.seconds {
            let until = now.saturating_add(i64::from(seconds) * 1000).clamp(0, DATE_MS_MAX);
            let until = UNIX_EPOCH + Duration::from_millis(until.unsigned_abs());
            text.push_str(&format!("; expires={}; Max-Age={seconds}", httpdate::fmt_http_date(until)));
        }
        text.push_str("; path=/");
        if self.shared {
            text.push_str(&format!("; domain={DOMAIN}"));
        }
        for (set, words) in [
            (self.secure, "; Secure"),
            (self.http_only, "; HttpOnly"),
            (true, "; priority=high"),
            (self.cross_site, "; SameSite=none"),
        ] {
            if set {
                text.push_str(words);
            }
        }
        text
    }
}

/// Returns the value of a cookie; the first of a name counts.
pub(super) fn read<'a>(call: &'a Call, name: &str) -> Option<&'a str> {
    let pairs = call.header("cookie")?.split(';').take(COOKIES_MAX);
    pairs.filter_map(|pair| pair.trim().split_once('=')).find(|(key, _)| *key == name).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_and_read() {
        let cookie = Cookie {
            name: "__Secure-3PSIDTS",
            value: "v",
            shared: true,
            seconds: Some(600),
            http_only: true,
            secure: true,
            cross_site: true,
        };
        assert_eq!(
            cookie.write(784_111_177_000),
            "__Secure-3PSIDTS=v; expires=Sun, 06 Nov 1994 08:49:37 GMT; Max-Age=600; path=/; \
             domain=.google.localhost; Secure; HttpOnly; priority=high; SameSite=none"
        );
        let headers = vec![("cookie".to_owned(), "SID=a=b; HSID=c;x".to_owned())];
        let call = Call { headers, ..Call::default() };
        assert_eq!(read(&call, "SID"), Some("a=b"));
        assert_eq!(read(&call, "HSID"), Some("c"));
        assert_eq!(read(&call, "ID"), None);
    }
}
