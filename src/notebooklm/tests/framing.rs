//! Frames, both ways.

use serde_json::{Value, json};

use super::{files, name, recordings, say, text};
use crate::notebooklm::frames::{self, Ending, Frames, Writer};
use crate::notebooklm::json::utf16_len;

/// Every recording that nobody scrubbed is written again to the byte, and each of its lines is as long as it says.
#[test]
fn recordings_are_written_to_the_byte() {
    let Some(folder) = recordings("recordings_are_written_to_the_byte") else { return };
    let mut exact = 0;
    for path in files(&folder.join("raw_framing")) {
        let body = text(&path);
        let (chunks, summary) = frames::read(&body).unwrap();
        assert_eq!(
            (summary.ending, summary.unreadable, summary.stray_bytes),
            (Ending::Closed, 0, 0),
            "{}",
            name(&path)
        );
        if summary.declared_bytes != Some(body.len() as u64) {
            say(&format!("{}: says {:?} bytes and has {}", name(&path), summary.declared_bytes, body.len()));
            continue;
        }
        let rows = |chunk: &Value| chunk.as_array().unwrap().clone();
        let written: Vec<_> = chunks[..chunks.len() - 1].iter().map(rows).collect();
        assert_eq!(frames::write(&written), body, "{}", name(&path));
        exact += 1;
    }
    say(&format!("{exact} raw recordings written to the byte"));
    assert!(exact > 0);
}

/// The inner JSON of recordings is what our writer writes of it, so that an emulator's answers are no others.
#[test]
fn inner_json_is_written_to_the_byte() {
    let Some(folder) = recordings("inner_json_is_written_to_the_byte") else { return };
    let mut count = 0;
    for path in files(&folder.join("raw_framing")) {
        let (chunks, _) = frames::read(&text(&path)).unwrap();
        for row in chunks.iter().flat_map(|chunk| chunk.as_array().unwrap()) {
            if let Some(inner) = row.get(2).and_then(Value::as_str).filter(|_| row[0] == "wrb.fr") {
                let value = crate::notebooklm::json::read(inner).unwrap();
                assert_eq!(crate::notebooklm::json::write(&value), inner, "{}", name(&path));
                count += 1;
            }
        }
    }
    say(&format!("{count} inner texts written to the byte"));
}

/// Cut anywhere, an answer gives the same chunks.
#[test]
fn pieces_make_the_same_chunks() {
    let body = frames::write(&[vec![json!(["wrb.fr", "a", "[\"😀 漢字 \\\" ] [ é\"]"])], vec![json!(["di", 3])]]);
    let whole = frames::read(&body).unwrap();
    for size in 1..7 {
        let mut frames = Frames::new();
        let mut chunks = Vec::new();
        let letters: Vec<char> = body.chars().collect();
        for piece in letters.chunks(size) {
            chunks.extend(frames.push(&piece.iter().collect::<String>()).unwrap());
        }
        assert_eq!((chunks, frames.finish()), whole.clone(), "{size}");
    }
}

#[track_caller]
fn check(body: &str, chunks: usize, ending: Ending) {
    let (found, summary) = frames::read(body).unwrap();
    assert_eq!((found.len(), summary.ending), (chunks, ending), "{body:?}");
}

#[test]
fn endings() {
    check("", 0, Ending::Foreign);
    check(")]}'\n\n", 0, Ending::Foreign);
    check("<!doctype html><html></html>", 0, Ending::Foreign);
    check(")]}'\n\n7\n[[\"a\"]]\n", 1, Ending::Open);
    check("[[\"a\"]]", 1, Ending::Open);
    check(")]}'\n\n7\n[[\"a\"]]\n25\n[[\"e\",4,null,null,187]]\n", 2, Ending::Closed);
    // A number that is wrong, one that is missing, and a chunk over several lines.
    check(")]}'\n99999\n[[\"a\"]]\n[[\"b\"]]\n3\n[\n[\"e\",\n4]]\n", 3, Ending::Closed);
    check(")]}'\n\n7\n[[\"a\"]]\n7\n[[\"wrb.fr\",\"x", 1, Ending::Cut);
    // Brackets in a string end nothing.
    check("[[\"]]\\\"]\"]]", 1, Ending::Open);
}

#[test]
fn lengths_count_utf16() {
    let (_, mut body) = Writer::begin();
    let mut writer = Writer::begin().0;
    let chunk = writer.chunk(&[json!(["😀漢é"])]);
    body.push_str(&chunk);
    let (number, line) = chunk.split_once('\n').unwrap();
    assert_eq!(number.parse::<usize>().unwrap(), utf16_len(line.trim_end()) + 2);
    assert_eq!(utf16_len("😀漢é"), 4);
    body.push_str(&writer.end());
    let (_, summary) = frames::read(&body).unwrap();
    assert_eq!(summary.declared_bytes, Some(body.len() as u64));
}

/// The number at the end counts its own digits, also where they become one more.
#[test]
fn the_end_counts_itself() {
    for length in 0..1100 {
        let body = frames::write(&[vec![json!("x".repeat(length))]]);
        let (_, summary) = frames::read(&body).unwrap();
        assert_eq!(summary.declared_bytes, Some(body.len() as u64), "{length}");
    }
}

#[test]
fn a_broken_chunk_is_passed_over() {
    let (chunks, summary) = frames::read("[[\"a\"]]\n[[nope]]\n[[\"b\"]]\n").unwrap();
    assert_eq!((chunks.len(), summary.unreadable), (2, 1));
}

/// Half a surrogate pair is read with a sign that something is missing.
#[test]
fn lone_surrogates_are_mended() {
    for (text, read) in [
        (r#"["a\ud83d"]"#, "a\u{fffd}"),
        (r#"["\ude00b"]"#, "\u{fffd}b"),
        (r#"["\ud83d\ude00"]"#, "😀"),
        (r#"["\ud83d\ud83d\ude00\\ud83d"]"#, "\u{fffd}😀\\ud83d"),
    ] {
        assert_eq!(crate::notebooklm::json::read(text).unwrap(), json!([read]), "{text}");
    }
}
