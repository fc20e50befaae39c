//! Any head of a file is read, and printed so that it says the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_workspace::mebdf::{body, clean, head, parse, print};

fuzz_target!(|text: &str| {
    let text = format!("---\n{text}\n---\n\nbody\n");
    let text = clean(&text);
    let Some(found) = head(&text) else { return };
    assert!(text.ends_with(body(&text)));
    let printed = print(&parse(&text).tree);
    assert_eq!(head(&printed).as_ref(), Some(&found));
});
