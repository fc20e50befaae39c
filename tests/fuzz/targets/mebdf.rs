//! Any text is parsed, and what is printed from it is a fixed point.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_workspace::mebdf::{parse, print};

fuzz_target!(|text: &str| {
    let printed = print(&parse(text).tree);
    let again = parse(&printed);
    assert_eq!(print(&again.tree), printed);
});
