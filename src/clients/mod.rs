//! The config files of MCP clients: where they stand, and how an entry of ours goes into one without harm to the rest.
//!
//! Everything here turns one text into another; who reads and writes the files is [`cli`](crate::cli).

mod claude_code;
mod edit;
mod entry;
mod kept;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::str::FromStr;

pub use claude_code::{Access, add_arguments, remove_arguments};
pub use edit::{Edit, Target};
pub use entry::Entry;

/// The longest config file that is edited, in bytes. Claude Code's own, with the history of projects, may have a few MB.
pub const FILE_BYTES_MAX: u64 = 10 * 1024 * 1024;

/// A program that starts MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Anthropic's command line.
    ClaudeCode,
    /// Anthropic's app.
    ClaudeDesktop,
    /// The editor Cursor.
    Cursor,
    /// The editor Visual Studio Code.
    VsCode,
}

/// The folders below which clients keep their config.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The user's home.
    pub home: PathBuf,
    /// Where programs of this system keep config: `~/.config` on Linux, `~/Library/Application Support` on macOS.
    pub config: PathBuf,
    /// Claude Code's own folder, where `CLAUDE_CONFIG_DIR` moved it.
    pub claude: Option<PathBuf>,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::ClaudeCode, Self::ClaudeDesktop, Self::Cursor, Self::VsCode];

    /// The word for it on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
        }
    }

    /// Its name as people know it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
        }
    }

    /// The member of the config file that holds the servers.
    #[must_use]
    pub const fn section(self) -> &'static str {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cursor => "mcpServers",
            Self::VsCode => "servers",
        }
    }

    /// Whether an entry says that the server speaks on stdin and stdout; the others take one with a command for that.
    pub(crate) const fn names_transport(self) -> bool {
        match self {
            Self::ClaudeCode | Self::VsCode => true,
            Self::ClaudeDesktop | Self::Cursor => false,
        }
    }

    /// Where the servers of all projects of a user stand.
    ///
    /// Sources: <https://modelcontextprotocol.io/docs/develop/connect-local-servers> (Claude Desktop),
    /// <https://cursor.com/docs/mcp> (Cursor), <https://code.visualstudio.com/docs/copilot/customization/mcp-servers>
    /// (VS Code), <https://code.claude.com/docs/en/mcp> (Claude Code).
    #[must_use]
    pub fn config_file(self, folders: &Folders) -> PathBuf {
        match self {
            Self::ClaudeCode => folders.claude.as_ref().unwrap_or(&folders.home).join(".claude.json"),
            Self::ClaudeDesktop => folders.config.join("Claude/claude_desktop_config.json"),
            Self::Cursor => folders.home.join(".cursor/mcp.json"),
            Self::VsCode => folders.config.join("Code/User/mcp.json"),
        }
    }

    /// What a person does so that the client takes notice.
    #[must_use]
    pub const fn afterwards(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Start a new session of Claude Code; `/mcp` shows the server.",
            Self::ClaudeDesktop => "Quit Claude Desktop and start it again.",
            Self::Cursor => "Cursor takes it up by itself; Settings > MCP shows the server.",
            Self::VsCode => "VS Code asks to trust the server when it is first used; `MCP: List Servers` shows it.",
        }
    }
}

impl FromStr for Client {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|client| client.name() == name);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("there is no client `{}`; there are {names}", name.escape_debug())
        })
    }
}
