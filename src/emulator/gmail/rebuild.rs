//! A message from its payload: what a recorded answer of `threads.get` tells of the bytes that it was made from.
//!
//! Bytes that the answer does not hold, those of attachments, are zeros of the same count.

use serde_json::Value;

use super::generate::folded_base64;
use super::unpadded;

/// Parts that may stand in each other.
const MAX_DEPTH: usize = 50;

/// Bytes of a message.
const MAX_BYTES: usize = 36 << 20;

/// Returns the raw bytes; the error says what is amiss.
pub(super) fn raw(payload: &Value) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    part(payload, 0, &mut out)?;
    Ok(out)
}

fn part(value: &Value, depth: usize, out: &mut Vec<u8>) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err("its parts stand too deep in each other".into());
    }
    let headers = value["headers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |header: &Value, key: &str| header[key].as_str().unwrap_or_default().to_owned();
    let find = |name: &str| {
        let named = headers.iter().find(|header| text(header, "name").eq_ignore_ascii_case(name));
        named.map(|header| text(header, "value"))
    };
    let data = bytes(value)?;
    let ascii = data.is_ascii();
    for header in headers {
        let (name, mut said) = (text(header, "name"), text(header, "value"));
        // Data is told in UTF-8, so that is what the bytes are now.
        if name.eq_ignore_ascii_case("content-type") && !ascii && said.starts_with("text/") {
            said = in_utf8(&said);
        }
        out.extend_from_slice(format!("{name}: {}\r\n", said.replace(['\r', '\n'], " ")).as_bytes());
    }
    out.extend_from_slice(b"\r\n");
    let kind = find("content-type").unwrap_or_default();
    let inner = value["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
    match boundary(&kind) {
        Some(boundary) => {
            for each in inner {
                out.extend_from_slice(format!("--{boundary}\r\n").as_bytes());
                part(each, depth + 1, out)?;
                out.extend_from_slice(b"\r\n");
            }
            out.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        }
        None if !inner.is_empty() => inner.iter().try_for_each(|each| part(each, depth + 1, out))?,
        None => match find("content-transfer-encoding").unwrap_or_default().to_ascii_lowercase().as_str() {
            "base64" => out.extend_from_slice(folded_base64(&data).replace('\n', "\r\n").as_bytes()),
            "quoted-printable" => quoted(&data, out),
            _ => out.extend_from_slice(&data),
        },
    }
    if out.len() > MAX_BYTES { Err("it is too large".into()) } else { Ok(()) }
}

/// Returns what a part holds.
fn bytes(value: &Value) -> Result<Vec<u8>, String> {
    let body = &value["body"];
    if let Some(data) = body["data"].as_str() {
        return unpadded(data).ok_or_else(|| "the `data` of a part is no base64".into());
    }
    let size = body["size"].as_u64().and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
    if size > MAX_BYTES { Err("a part is too large".into()) } else { Ok(vec![0; size]) }
}

fn boundary(kind: &str) -> Option<String> {
    let (head, _) = kind.split_once(';')?;
    let parameter = kind.split(';').find_map(|each| each.trim().strip_prefix("boundary="))?;
    head.trim().to_ascii_lowercase().starts_with("multipart/").then(|| parameter.trim_matches('"').to_owned())
}

fn in_utf8(kind: &str) -> String {
    let parameter = |each: &str| {
        if each.trim().to_ascii_lowercase().starts_with("charset=") {
            " charset=\"UTF-8\"".into()
        } else {
            each.to_owned()
        }
    };
    kind.split(';').map(parameter).collect::<Vec<String>>().join(";")
}

/// Writes quoted-printable; line breaks stay.
fn quoted(data: &[u8], out: &mut Vec<u8>) {
    let mut column = 0;
    for (at, byte) in data.iter().enumerate() {
        let breaks = *byte == b'\n' || (*byte == b'\r' && data.get(at + 1) == Some(&b'\n'));
        if breaks {
            out.push(*byte);
            column = 0;
            continue;
        }
        // A space at the end of a line would not arrive.
        let at_end = matches!(data.get(at + 1), None | Some(b'\r' | b'\n'));
        let plain = matches!(*byte, b'!'..=b'<' | b'>'..=b'~') || (matches!(*byte, b' ' | b'\t') && !at_end);
        if column > 70 {
            out.extend_from_slice(b"=\r\n");
            column = 0;
        }
        if plain {
            out.push(*byte);
            column += 1;
        } else {
            out.extend_from_slice(format!("={byte:02X}").as_bytes());
            column += 3;
        }
    }
}
