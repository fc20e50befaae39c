//! Mail: what an id names, and a thread as a file. Pure, as far as it stands.

pub mod ids;
pub mod text;

/// Reads a recorded file, where the recordings are.
#[cfg(test)]
fn fixture(name: &str) -> Option<serde_json::Value> {
    let shared = std::env::var_os("MCP_WORKSPACE_SHARED").map_or_else(
        || std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        std::path::PathBuf::from,
    );
    if !shared.is_dir() {
        return None;
    }
    Some(serde_json::from_slice(&std::fs::read(shared.join("fixtures/gmail").join(name)).unwrap()).unwrap())
}

/// Says that a test did not run.
#[cfg(test)]
fn skipped(test: &str) {
    #[expect(clippy::print_stdout, reason = "a test that did not run must say so")]
    {
        println!("SKIPPED {test}: ../shared is absent");
    }
}
