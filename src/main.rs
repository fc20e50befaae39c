//! The program `mcp-workspace`. Everything is in the library; `mcp-workspace --help` says what it does.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcp_workspace::cli::run(std::env::args_os().collect())
}
