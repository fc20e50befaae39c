//! Any JSON is a document or an error; whatever is a document has files, and re-saving them sends nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_workspace::kinds::docs::{self, Access};

fuzz_target!(|raw: &[u8]| {
    let Ok(remote) = docs::read(raw.to_vec(), Access::Edit, "https://docs.google.com/document/d/x/edit") else { return };
    for part in &remote.parts {
        if let Ok(plan) = docs::plan(&remote, &part.id, &part.text, false) {
            assert!(plan.requests.is_empty());
        }
    }
});
