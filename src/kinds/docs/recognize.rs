//! Which Doc an id or a URL names.

use crate::model::ItemId;

/// The fewest characters of a bare id; Drive's are 19 and more, 44 for a Doc. A word of a sentence is no id.
const MIN_BARE: usize = 13;

/// The most characters of an id.
const MAX_ID: usize = 128;

/// Finds the Doc that an id or a URL names.
///
/// A URL of another kind (a spreadsheet, a folder) names none; a Drive URL may turn out to be of another kind.
pub(super) fn item(id_or_url: &str) -> Option<ItemId> {
    let text = id_or_url.trim();
    if let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) {
        return from_url(rest, text.starts_with("http://"));
    }
    // People paste links without a scheme too.
    if text.starts_with("docs.google.com/") || text.starts_with("drive.google.com/") {
        return from_url(text, false);
    }
    (text.len() >= MIN_BARE && is_id(text) && !is_of_mail(text)).then(|| ItemId(text.to_owned()))
}

/// Tells whether an id is that of a mail or a thread: 16 hex digits, which no id of Drive is.
fn is_of_mail(id: &str) -> bool {
    id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// Reads a URL without its scheme.
fn from_url(rest: &str, plain_http: bool) -> Option<ItemId> {
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, rest) = rest.split_at(end);
    let (path, query) = rest.split('#').next()?.split_once('?').unwrap_or((rest.split('#').next()?, ""));
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let host = host.to_ascii_lowercase();
    let id = match host.as_str() {
        "docs.google.com" if !plain_http => document_path(&segments).or_else(|| open_query(&segments, query)),
        "drive.google.com" if !plain_http => drive_path(&segments).or_else(|| open_query(&segments, query)),
        // The embedded Google.
        _ if is_loopback(&host) => document_path(&segments),
        _ => None,
    }?;
    is_id(id).then(|| ItemId(id.to_owned()))
}

/// Reads `document/d/ID/…` and its forms with an account number or a Workspace domain in front.
fn document_path<'a>(segments: &[&'a str]) -> Option<&'a str> {
    match segments {
        ["document", "d", "e", ..] => None,
        ["document", "d", id, ..] | ["document", "u", _, "d", id, ..] | ["a", _, "document", "d", id, ..] => Some(id),
        _ => None,
    }
}

/// Reads `file/d/ID/…` and its form with an account number.
fn drive_path<'a>(segments: &[&'a str]) -> Option<&'a str> {
    match segments {
        ["file", "d", id, ..] | ["file", "u", _, "d", id, ..] | ["a", _, "file", "d", id, ..] => Some(id),
        _ => None,
    }
}

/// Reads `open?id=ID` and `uc?id=ID`.
fn open_query<'a>(segments: &[&str], query: &'a str) -> Option<&'a str> {
    matches!(segments, ["open" | "uc"]).then_some(())?;
    query.split('&').find_map(|pair| pair.strip_prefix("id="))
}

/// Tells whether a text can be an id.
fn is_id(text: &str) -> bool {
    (5..=MAX_ID).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// Tells whether a host with its port is a loopback one.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "1JJRAhWKGqJ9iYThNpv12svO6OCjMyU-2i5CdPe2I7CM";

    #[test]
    fn recognized() {
        for text in [
            "{}",
            "  {}\n",
            "https://docs.google.com/document/d/{}/edit",
            "https://docs.google.com/document/d/{}",
            "https://docs.google.com/document/d/{}/edit?tab=t.0#heading=h.abc",
            "https://docs.google.com/document/d/{}#heading=h.abc",
            "https://docs.google.com/document/u/0/d/{}/edit",
            "https://docs.google.com/a/example.com/document/d/{}/edit",
            "https://DOCS.google.com/document/d/{}/",
            "docs.google.com/document/d/{}/edit",
            "https://drive.google.com/file/d/{}/view?usp=sharing",
            "https://drive.google.com/open?usp=x&id={}",
            "http://127.0.0.1:4300/document/d/{}/edit",
            "http://[::1]:4300/document/d/{}/edit?tab=t.1",
            "http://localhost:4300/document/d/{}/edit",
        ] {
            assert_eq!(item(&text.replace("{}", ID)), Some(ItemId(ID.into())), "{text}");
        }
        assert_eq!(item("https://docs.google.com/document/d/1ABC123_test/edit"), Some(ItemId("1ABC123_test".into())));
    }

    #[test]
    fn not_recognized() {
        for text in [
            "",
            "report",
            "not a valid id!",
            "https://example.com/document/d/{}/edit",
            "http://docs.google.com/document/d/{}/edit",
            "https://docs.google.com.evil.example/document/d/{}/edit",
            "https://docs.google.com@evil.example/document/d/{}",
            "https://docs.google.com/spreadsheets/d/{}/edit",
            "https://drive.google.com/drive/folders/{}",
            "https://docs.google.com/document/d/e/2PACX-1vxyz0123456789/pub",
            "https://docs.google.com/document/d/",
            "https://docs.google.com/document/d/..%2f..%2fx/edit",
            "../../etc/passwd0000000000",
            "https://mail.google.com/mail/u/0/#inbox",
            "file:///{}",
            "https://",
            "https://docs.google.com",
            "🙂🙂🙂🙂🙂🙂🙂🙂",
        ] {
            assert_eq!(item(&text.replace("{}", ID)), None, "{text}");
        }
    }
}
