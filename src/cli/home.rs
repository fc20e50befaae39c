//! Where this instance keeps its things.

use std::path::{Path, PathBuf};

use directories::ProjectDirs;

use super::Answer;
use crate::tools::ErrorAnswer;

/// One instance: everything below one folder, or at the system's usual places.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    dir: Option<PathBuf>,
    run_dir: PathBuf,
    demo_dir: PathBuf,
}

impl Home {
    /// Finds the places; with `dir`, an absolute form of it.
    pub(crate) fn new(dir: Option<PathBuf>) -> Answer<Self> {
        let dir = dir.as_deref().map(super::absolute).transpose()?;
        let Some(usual) = ProjectDirs::from("", "", "mcp-workspace") else {
            return Err(ErrorAnswer::invalid("this user has no home folder", "Set HOME, or use --home."));
        };
        let run_dir = match &dir {
            Some(dir) => dir.join("run"),
            None => match usual.runtime_dir() {
                Some(dir) => dir.to_owned(),
                None if cfg!(target_os = "macos") => usual.data_local_dir().join("run"),
                None => std::env::temp_dir().join(format!("mcp-workspace-{}", rustix::process::geteuid().as_raw())),
            },
        };
        Ok(Self { dir, run_dir, demo_dir: usual.data_local_dir().join("demo") })
    }

    /// The folder that was given, if one was.
    pub(crate) fn dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }

    /// The folder of the sockets.
    pub(crate) fn run_dir(&self) -> &Path {
        &self.run_dir
    }

    /// The MCP socket.
    pub(crate) fn mcp_socket(&self) -> PathBuf {
        self.run_dir.join("mcp.sock")
    }

    /// The socket of the command line.
    pub(crate) fn control_socket(&self) -> PathBuf {
        self.run_dir.join("control.sock")
    }

    /// Where the demo lives when nobody says where.
    pub(crate) fn demo_dir(&self) -> &Path {
        &self.demo_dir
    }

    /// A file that says that this home is a demo's: its daemon is of no use without the demo's own Google.
    pub(crate) fn demo_mark(dir: &Path) -> PathBuf {
        dir.join("demo")
    }
}
