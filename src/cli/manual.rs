//! What the program says about itself: help, manual pages, and what a shell completes.

use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::arguments::Arguments;
use super::{Answer, print};
use crate::error::Error;
use crate::tools::{ErrorAnswer, GOOGLE_SETUP};

/// The program's name in a shell.
const NAME: &str = "mcp-workspace";

/// Shows the help of a command, or one of the texts that are none.
pub(super) fn help(topic: &[String]) -> Answer<()> {
    if topic == ["google-setup"] {
        print::line(GOOGLE_SETUP.trim_end());
        return Ok(());
    }
    let mut command = Arguments::command();
    command.build();
    let mut found = &mut command;
    for name in topic {
        found = found.find_subcommand_mut(name).ok_or_else(|| {
            ErrorAnswer::invalid(
                format!("there is no command `{}`", name.escape_debug()),
                "See `mcp-workspace --help`.",
            )
        })?;
    }
    print::line(found.render_long_help().to_string().trim_end());
    Ok(())
}

/// Prints what has a shell complete the command line.
pub(super) fn completions(shell: Shell) {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), NAME, &mut script);
    print::line(String::from_utf8_lossy(&script).trim_end());
}

/// Writes a manual page for each command into a folder.
pub(super) fn pages(folder: &Path) -> Answer<()> {
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Arguments::command(), folder))
        .map_err(|source| ErrorAnswer::from(&Error::Disk { path: folder.into(), doing: "written into", source }))
}
