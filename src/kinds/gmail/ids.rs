//! Which thread or message an id or a URL names, and back.
//!
//! A token of Gmail's page is a number with the digits of `ALPHABET`; with the digits of base 64 the same number spells
//! `f:<decimal>`, whose decimal is the API's id. A thread that was begun by its own reader has a token that spells
//! `a:r<number>`, which no call of the API knows.

use percent_encoding::percent_decode_str;

use crate::error::{Error, Result};

/// The digits of a token, from 0 to 39.
const ALPHABET: &[u8; 40] = b"BCDFGHJKLMNPQRSTVWXZbcdfghjklmnpqrstvwxz";

/// What tokens begin with as far as they are known: a text that does is one, whatever it spells.
const PREFIXES: [&str; 7] = ["FM", "KtbxL", "QgrcJHs", "CLL", "Gtj", "Cllg", "DmwnW"];

/// The most characters of a token: those that are known have 34 at most, and reading one takes the square of its length.
const TOKEN_MAX: usize = 128;

/// The fewest characters of a bare token; a shorter one is a word.
const TOKEN_MIN: usize = 20;

/// The most characters of a URL or a Message-ID that are looked at: a header's line has 998.
const TEXT_MAX: usize = 4096;

/// What an id or a URL of mail names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// A bare API id, 16 hex digits: that of a thread or of a message, which look the same. A thread's is that of its first
    /// message.
    Either(String),
    /// A thread by its API id.
    Thread(String),
    /// A message by its API id.
    Message(String),
    /// A draft by the API id of its message.
    Draft(String),
    /// A message by the Message-ID of its header, without angle brackets; to be searched for with `rfc822msgid:`.
    MessageId(String),
}

/// Finds what an id or a URL names; `None` when it is nothing of mail.
///
/// # Errors
///
/// [`Error::InvalidInput`] when it is Gmail's and cannot be looked up, with what to do instead.
pub fn named(id_or_url: &str) -> Result<Option<Named>> {
    let text = id_or_url.trim();
    if text.is_empty() || text.len() > TEXT_MAX {
        return Ok(None);
    }
    if let Some(id) = message_id(text) {
        return Ok(Some(Named::MessageId(id)));
    }
    if let Some(rest) = gmail_address(text) {
        return from_url(rest).map(Some);
    }
    if text.contains("://") {
        return Ok(None);
    }
    let bare = text.trim_start_matches('#');
    if let Some(id) = hex(bare) {
        return Ok(Some(Named::Either(id)));
    }
    if let Some(found) = permanent(bare) {
        return found.map(Some);
    }
    let is_token = bare.len() >= TOKEN_MIN && bare.bytes().all(|byte| ALPHABET.contains(&byte));
    if !is_token {
        return Ok(None);
    }
    match token(bare) {
        Ok(found) => Ok(Some(found)),
        Err(error) if PREFIXES.iter().any(|prefix| bare.starts_with(prefix)) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Returns the words that a URL of a search was found with: `#search/from%3Aana/TOKEN` was with `from:ana`.
#[must_use]
pub fn search_query(url: &str) -> Option<String> {
    let fragment = gmail_address(url.trim())?.split_once('#')?.1;
    let mut segments = fragment.split(['/', '?']);
    matches!(segments.next()?, "search" | "advanced-search").then_some(())?;
    let words = segments.next().filter(|words| !words.is_empty())?;
    Some(decoded(&words.replace('+', " ")))
}

/// Returns the token that Gmail's page has for a thread.
///
/// # Errors
///
/// [`Error::InvalidInput`] when it is no API id.
pub fn web_token(api_id: &str) -> Result<String> {
    let id = hex(api_id.trim()).and_then(|id| u64::from_str_radix(&id, 16).ok());
    let Some(id) = id else {
        return Err(invalid(
            format!("`{}` is no id of the Gmail API", shortened(api_id)),
            "an id has up to 16 hexadecimal digits, such as 19b0e7fe6f653f69",
        ));
    };
    // Base 64 without its padding: three bytes are four digits.
    let spelt = format!("f:{id}");
    let mut sixes = Vec::with_capacity(spelt.len() * 4 / 3 + 1);
    for three in spelt.as_bytes().chunks(3) {
        let number = (0..3).fold(0_u32, |number, at| number << 8 | u32::from(three.get(at).copied().unwrap_or(0)));
        sixes.extend((0..=three.len()).map(|at| number >> (18 - 6 * at) & 63));
    }
    let digits = in_base(&sixes, 64, 40);
    Ok(digits.iter().filter_map(|digit| ALPHABET.get(*digit as usize)).map(|byte| char::from(*byte)).collect())
}

/// Returns the address at which a person opens a thread, by the token that Gmail's page has for it.
///
/// # Errors
///
/// As [`web_token`].
pub fn web_url(api_id: &str) -> Result<String> {
    web_token(api_id).map(|token| format!("https://mail.google.com/mail/u/0/#all/{token}"))
}

/// Returns the address at which a person opens a thread, by its API id.
#[must_use]
pub fn url(thread_id: &str) -> String {
    format!("https://mail.google.com/mail/u/0/#all/{thread_id}")
}

/// Reads `<…@…>`, `rfc822msgid:…` and `mid:…`.
fn message_id(text: &str) -> Option<String> {
    let named = ["rfc822msgid:", "Rfc822msgid:", "mid:"].iter().find_map(|name| text.strip_prefix(name));
    let named = named.map(decoded);
    let inner = |text: &str| text.trim().strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).map(str::to_owned);
    let id = match named {
        Some(id) => inner(&id).unwrap_or_else(|| id.trim().to_owned()),
        None => inner(text)?,
    };
    let is_one =
        id.contains('@') && !id.contains(|c: char| c.is_whitespace() || c.is_control() || c == '<' || c == '>');
    is_one.then_some(id)
}

/// Returns what stands behind the host when a text is an address of Gmail's page, or of the embedded Google's.
fn gmail_address(text: &str) -> Option<&str> {
    let https = strip_prefix_ignoring_case(text, "https://");
    let http = strip_prefix_ignoring_case(text, "http://");
    let rest = https.or(http).unwrap_or(text);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let host = host.to_ascii_lowercase();
    let is_gmail = matches!(&*host, "mail.google.com" | "gmail.com" | "www.gmail.com" | "inbox.google.com")
        && (https.is_some() || http.is_some() || !path.is_empty());
    let name = host.rsplit_once(':').map_or(&*host, |(name, _)| name);
    let is_ours = http.is_some() && matches!(name, "127.0.0.1" | "localhost" | "[::1]") && path.starts_with("/mail");
    (is_gmail || is_ours).then_some(path)
}

fn strip_prefix_ignoring_case<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| text.get(prefix.len()..))?
}

/// Reads the path, query and fragment of an address of Gmail's page. What the fragment opens counts first: it is what the
/// person sees.
fn from_url(rest: &str) -> Result<Named> {
    let (before, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let query = before.split_once('?').map_or("", |(_, query)| query);
    let (places, fragment_query) = fragment.split_once('?').unwrap_or((fragment, ""));
    let mut failed = None;
    if let Some(found) = from_places(places) {
        match found {
            Ok(found) => return Ok(found),
            Err(error) => failed = Some(error),
        }
    }
    for (name, value) in pairs(query).chain(pairs(fragment_query)) {
        let found = match &*name {
            "permmsgid" | "permthid" | "th" | "thid" | "msgid" | "message_id" => by_parameter(&value),
            "compose" => Some(draft(&value)),
            _ => None,
        };
        match found {
            Some(Ok(found)) => return Ok(found),
            Some(Err(error)) => failed = failed.or(Some(error)),
            None => {}
        }
    }
    Err(failed.unwrap_or_else(|| {
        invalid(
            "this address opens a page of Gmail, and no thread or message",
            "open the thread and take the address then, or search for it by subject or sender",
        )
    }))
}

/// Reads `inbox/TOKEN`, `label/x/TOKEN`, `search/words/TOKEN`, `drafts/TOKEN`; `None` where it is a list.
fn from_places(places: &str) -> Option<Result<Named>> {
    let segments: Vec<&str> = places.split('/').filter(|segment| !segment.is_empty()).collect();
    let (first, last) = (*segments.first()?, decoded(segments.last()?));
    if let Some(id) = message_id(&last) {
        return Some(Ok(Named::MessageId(id)));
    }
    // The words of a search and the name of a label are no tokens, whatever they look like.
    let fewest = if matches!(first, "search" | "advanced-search" | "label" | "category" | "cv") { 3 } else { 2 };
    if segments.len() < fewest {
        // `#thread-f:123`, as popped-out windows have it.
        return if segments.len() == 1 { permanent(&last) } else { None };
    }
    let is_page = last.strip_prefix('p').is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    if is_page {
        return None;
    }
    let found = match hex(&last) {
        Some(id) => Ok(Named::Thread(id)),
        None => permanent(&last).unwrap_or_else(|| token(&last)),
    };
    Some(match found {
        Ok(Named::Thread(id)) if first == "drafts" => Ok(Named::Draft(id)),
        found => found,
    })
}

/// Reads the value of `th=`, `permmsgid=` and their like.
fn by_parameter(value: &str) -> Option<Result<Named>> {
    let value = value.trim_start_matches('#');
    let value = value.split('|').next().unwrap_or(value);
    if let Some(id) = hex(value) {
        return Some(Ok(Named::Either(id)));
    }
    permanent(value).or_else(|| (value.len() >= TOKEN_MIN).then(|| token(value)))
}

/// Reads the value of `compose=`; a window may hold several.
fn draft(value: &str) -> Result<Named> {
    let first = value.split(',').next().unwrap_or(value);
    let found = match hex(first) {
        Some(id) => Ok(Named::Draft(id)),
        None => permanent(first).unwrap_or_else(|| token(first)),
    };
    match found {
        Ok(Named::Thread(id) | Named::Message(id) | Named::Either(id) | Named::Draft(id)) => Ok(Named::Draft(id)),
        Ok(Named::MessageId(id)) => Ok(Named::MessageId(id)),
        Err(_) => Err(invalid(
            "this address opens a draft by a token that only Gmail's page knows",
            "search for it with `in:drafts` and its subject, or use the id of the thread that it stands in",
        )),
    }
}

/// Reads `thread-f:<decimal>`, `msg-f:<decimal>` and their self-composed forms; `None` where it is neither.
fn permanent(text: &str) -> Option<Result<Named>> {
    let text = text.trim_start_matches('#');
    if ["thread-a:", "msg-a:", "a:r"].iter().any(|prefix| text.starts_with(prefix)) {
        return Some(Err(self_composed()));
    }
    let (rest, is_message) = match (text.strip_prefix("msg-f:"), text.strip_prefix("thread-f:")) {
        (Some(rest), _) => (rest, true),
        (None, Some(rest)) => (rest, false),
        (None, None) => (text.strip_prefix("f:")?, false),
    };
    let is_number = rest.bytes().all(|byte| byte.is_ascii_digit());
    let Some(number) = rest.parse::<u64>().ok().filter(|_| is_number) else {
        return Some(Err(undecodable(text)));
    };
    let id = format!("{number:016x}");
    Some(Ok(if is_message { Named::Message(id) } else { Named::Thread(id) }))
}

/// Reads a token of Gmail's page.
fn token(text: &str) -> Result<Named> {
    let mut digits = Vec::with_capacity(text.len());
    for byte in text.bytes().take(TOKEN_MAX + 1) {
        match ALPHABET.iter().position(|letter| *letter == byte).map(u32::try_from) {
            Some(Ok(digit)) => digits.push(digit),
            Some(Err(_)) | None => return Err(undecodable(text)),
        }
    }
    if digits.is_empty() || digits.len() > TOKEN_MAX {
        return Err(undecodable(text));
    }
    let sixes = in_base(&digits, 40, 64);
    let (mut spelt, mut held, mut bits) = (String::new(), 0_u32, 0_u32);
    for six in sixes {
        (held, bits) = ((held << 6 | six) & 0xffff, bits + 6);
        if bits >= 8 {
            bits -= 8;
            spelt.extend(char::from_u32(held >> bits & 0xff));
        }
    }
    permanent(spelt.trim_end_matches('\0')).unwrap_or_else(|| Err(undecodable(text)))
}

/// Writes a number of another base, both with their highest digit first.
fn in_base(digits: &[u32], from: u32, to: u32) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::new();
    for digit in digits {
        let mut carry = *digit;
        for place in &mut out {
            carry += *place * from;
            *place = carry % to;
            carry /= to;
        }
        while carry > 0 {
            out.push(carry % to);
            carry /= to;
        }
    }
    out.reverse();
    out
}

/// Reads an API id; leading zeros may be missing in old addresses.
fn hex(text: &str) -> Option<String> {
    let is_one = (15..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_one.then(|| format!("{:0>16}", text.to_ascii_lowercase()))
}

fn pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    query.split('&').filter_map(|pair| pair.split_once('=')).map(|(name, value)| (decoded(name), decoded(value)))
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn self_composed() -> Error {
    invalid(
        "this is a thread that you began yourself: its address has a token that only Gmail's page can look up",
        "search for the thread by its subject, or by its Message-ID (in Gmail: ⋮, \"Show original\") as `rfc822msgid:…`",
    )
}

fn undecodable(text: &str) -> Error {
    invalid(
        format!("`{}` is no token or id of Gmail that can be read", shortened(text)),
        "copy the address of the open thread again, or search for it by subject or as `rfc822msgid:…`",
    )
}

fn shortened(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(60).collect()
}

fn invalid(what: impl Into<String>, suggestion: &str) -> Error {
    Error::InvalidInput { what: what.into(), suggestion: suggestion.to_owned() }
}

#[cfg(test)]
mod tests;
