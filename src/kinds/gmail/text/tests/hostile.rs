//! Messages that were made to hurt: they take bounded time and memory, and the paths and the structure stay ours.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{file, mail};
use crate::mebdf;

/// Far above what any of them takes on a slow machine without optimization, far below what the square of their size would.
const LONG: Duration = Duration::from_secs(20);

fn check(name: &str, raw: &[u8]) {
    let begun = Instant::now();
    let made = file(&[raw]);
    assert!(begun.elapsed() < LONG, "{name} took {:?}", begun.elapsed());
    assert!(made.text.len() < 8 << 20, "{name}: {} bytes", made.text.len());
}

#[test]
fn bombs_take_bounded_time() {
    let parts: String =
        (0..10_000).map(|number| format!("--b\nContent-Type: text/plain; name=\"a{number}\"\n\nx\n")).collect();
    check("10,000 parts", mail("multipart/mixed; boundary=b", &parts).as_bytes());
    let nested: String =
        (0..1_000).map(|n| format!("--b{n}\nContent-Type: multipart/mixed; boundary=b{}\n\n", n + 1)).collect();
    check("depth of 1,000", mail("multipart/mixed; boundary=b0", &nested).as_bytes());
    check("messages in messages", "Content-Type: message/rfc822\n\n".repeat(50_000).as_bytes());
    check(
        "boundaries that never come",
        format!(
            "{}{}",
            mail("multipart/mixed; boundary=b", ""),
            "--b\nContent-Type: multipart/mixed; boundary=none\n\n".repeat(20_000)
        )
        .as_bytes(),
    );
    for (name, piece) in [
        ("divs", "<div>"),
        ("bold", "<b class=x>a"),
        ("tables", "<table><tr><td>"),
        ("cells", "<td>a"),
        ("quotes", "<blockquote>a"),
        ("lists", "<ul><li>a"),
        ("ends", "</div>"),
        ("comments", "<!--"),
        ("angles", "<"),
        ("attributes", "<a b=c "),
        ("entities", "&lt"),
        ("paragraphs", "<p>a"),
        ("pictures", "<img src=x alt=y>"),
    ] {
        check(name, mail("text/html", &piece.repeat((5 << 20) / piece.len())).as_bytes());
    }
    check("quote marks", mail("text/plain", &">".repeat(5 << 20)).as_bytes());
    check("quoted lines", mail("text/plain", &"> a\n".repeat(1 << 18)).as_bytes());
    check("one line", mail("text/plain", &"a ".repeat(1 << 20)).as_bytes());
    check("wrote", mail("text/plain", &"On 3 Feb 2026 Ana wrote:\n".repeat(1 << 15)).as_bytes());
    check("heads", mail("text/plain", &"From: a\nSent: b\n".repeat(1 << 15)).as_bytes());
    check("addresses", format!("From: a@b\nTo: {}\n\nx", "a@example.com, ".repeat(50_000)).as_bytes());
    check("a long head", format!("Subject: {}\n\nx", "s".repeat(1 << 20)).as_bytes());
    check("events", mail("text/calendar", &"BEGIN:VEVENT\nATTENDEE:x\n".repeat(20_000)).as_bytes());
}

#[test]
fn many_quotes_of_many_repeated_words_take_bounded_time() {
    let words = "a ".repeat(50_000);
    let first = mail("text/plain", &words);
    let quote = "> a a a a a a a a a a b\n".repeat(5_000);
    let second = mail("text/plain", &format!("On 3 Feb 2026 at 9:15 Ana wrote:\n{quote}"));
    let begun = Instant::now();
    file(&[first.as_bytes(), second.as_bytes()]);
    assert!(begun.elapsed() < LONG, "{:?}", begun.elapsed());
}

/// Whatever a mail says, the file has its own head and headings, and no more.
fn check_structure(raw: &[u8]) {
    let text = file(&[raw]).text;
    let parsed = mebdf::parse(&text);
    let head = parsed.tree.front_matter.as_ref().unwrap();
    let keys: Vec<&str> = head.entries.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["title", "id", "url", "labels", "participants", "from", "to", "messages"]);
    let headings =
        parsed.tree.blocks.iter().filter(|block| matches!(block.content, mebdf::Content::Heading { .. })).count();
    assert_eq!(headings, 1, "{text}");
    assert_eq!(mebdf::print(&parsed.tree), text);
    let structure = parsed.tree.blocks.iter().any(|block| matches!(block.content, mebdf::Content::Directive { .. }));
    assert!(!structure, "{text}");
}

#[test]
fn text_is_no_structure() {
    for text in [
        "{!mono}\n{^ x}\n{^= image \"x\"}\n{/!}",
        "---\ntitle: x\n---\n\n# y",
        "## {^ msg.1}Bob — 2026",
        "[^1]: note",
        "[a]: https://x",
        "```\ncode",
        "| a |\n| - |\n| b |",
        "- a\n1. b\n> c",
        "<b>x</b>",
        "a\\",
        "\\",
        "Setext\n===",
        "*a* _b_ `c` ~~d~~ [x](y)",
    ] {
        check_structure(mail("text/plain", text).as_bytes());
        let html = text.replace('&', "&amp;").replace('<', "&lt;").replace('\n', "<br>");
        check_structure(mail("text/html", &html).as_bytes());
        check_structure(mail("text/html", &format!("<blockquote>{html}</blockquote><ul><li>{html}</ul>")).as_bytes());
        let header = text.replace('\n', "\n ");
        check_structure(
            format!("From: {header} <a@b>\nSubject: {header}\nTo: \"{header}\" <c@d>\n\n{text}").as_bytes(),
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_a_message(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        check_structure(&bytes);
    }

    #[test]
    fn any_html_is_read(html in "([a-c {}!^#*_|>\n-]|<(div|p|b|ul|li|table|tr|td|a href=x|blockquote|pre|br|img alt=a|script|!--|h1)>|</(div|p|b|ul|li|table|tr|td|a|blockquote|pre|h1)>){0,60}") {
        check_structure(mail("text/html", &html).as_bytes());
    }

    #[test]
    fn any_plain_text_is_read(text in "([a-c {}!^#*_|>:\n-]|wrote:|On 3 Feb 2026 |From: |Sent: |-- \n|\n> ){0,60}") {
        check_structure(mail("text/plain", &text).as_bytes());
    }

    #[test]
    fn a_changed_message_is_read(at in 0_usize..900, byte in any::<u8>(), cut in 0_usize..900) {
        let raw = mail(
            "multipart/mixed; boundary=m",
            "--m\nContent-Type: multipart/alternative; boundary=r\n\n--r\nContent-Type: text/plain; format=flowed\nContent-Transfer-Encoding: base64\n\nSGVsbG8=\n--r\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<p>Hel=6Co <a href=3D\"https://x\">y</a></p>\n--r--\n--m\nContent-Type: message/rfc822\n\nSubject: x\n\nold\n--m\nContent-Type: text/calendar\n\nBEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT\n--m--\n",
        );
        let mut bytes = raw.into_bytes();
        if let Some(place) = bytes.get_mut(at) {
            *place = byte;
        }
        check_structure(&bytes);
        bytes.truncate(cut);
        check_structure(&bytes);
    }
}
