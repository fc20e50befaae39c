//! Any bytes are a mail; its file has its own head and heading and no other structure, and is a fixed point. What a plain text loses
//! by folding is told.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use mcp_workspace::kinds::gmail::ids::named;
use mcp_workspace::kinds::gmail::text::{Message, attachment_bytes, fold_in_thread, thread};
use mcp_workspace::mebdf::{Content, parse, print};
use mcp_workspace::model::Millis;

fuzz_target!(|raw: &[u8]| {
    let message = |id, raw| Message { id, labels: &[], internal_date: Millis(0), raw };
    // The second message may quote the first.
    let (first, second) = raw.split_at(raw.len() / 2);
    let made = thread("19b0", &[message("a", first), message("b", second), message("c", raw)], &BTreeMap::new());
    let parsed = parse(&made.text);
    assert_eq!(print(&parsed.tree), made.text);
    let headings = parsed.tree.blocks.iter().filter(|block| matches!(block.content, Content::Heading { .. })).count();
    assert_eq!(headings, 3);
    for attachment in &made.attachments {
        assert!(!attachment.name.contains(['/', '\\', '\0']) && !attachment.name.starts_with('.'));
        let raw = match &*attachment.message {
            "a" => first,
            "b" => second,
            _ => raw,
        };
        assert!(attachment_bytes(raw, &attachment.part).is_some());
    }
    if let Ok(text) = std::str::from_utf8(raw) {
        let _ = named(text);
        let folded = fold_in_thread(text, &["some text of before"]);
        assert!(folded.text.len() <= text.len());
    }
});
