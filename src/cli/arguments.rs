//! The command line as people type it.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{ArgGroup, Parser, Subcommand};
use clap_complete::Shell;

use crate::clients::Client;
use crate::model::KindName;
use crate::tools::Profile;

/// Keeps a local folder equal to the Google Workspace items you fetched, and pushes your edits back word by word.
#[derive(Debug, Parser)]
#[command(
    name = "mcp-workspace",
    version,
    max_term_width = 120,
    disable_help_subcommand = true,
    after_help = "Exit codes: 0 done, 1 it did not work, 2 the command line is wrong."
)]
pub(crate) struct Arguments {
    /// Keep workspace, config, state and sockets in this folder, apart from everything else; else MCP_WORKSPACE_HOME
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Answer in JSON on stdout, errors too
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Try everything on this machine alone: an embedded Google, a demo account, a workspace, until Ctrl-C
    Demo(DemoArguments),
    /// Run the embedded Google alone
    #[command(after_help = EMULATOR_HELP)]
    Emulator(EmulatorArguments),
    /// Run the daemon in the foreground
    Daemon,
    /// Read the text of a file on stdin; what the daemon starts for each attachment
    #[command(hide = true)]
    Extract,
    /// Join an MCP client's stdio to the daemon, starting it if need be
    Bridge {
        /// Which tools the client gets: `default` (search, fetch and create), `docs` (Docs by section and tab),
        /// `google-docs` (Docs by their text), `notebooklm` (notebooks: asked, listed and fed), or `full` (all of these)
        #[arg(long, default_value = "default", value_name = "NAME")]
        profile: Profile,
    },
    /// Be daemon and MCP server in one process, as in a container; joins the daemon of this home if one runs
    Serve {
        /// Speak MCP on stdin and stdout, until stdin ends
        #[arg(long, required = true)]
        stdio: bool,
        /// Which tools the client gets, as with `bridge`
        #[arg(long, default_value = "default", value_name = "NAME")]
        profile: Profile,
    },
    /// Sign accounts in and out
    #[command(subcommand)]
    Auth(AuthVerb),
    /// Connect MCP clients
    #[command(subcommand)]
    Mcp(McpVerb),
    /// Have the daemon run whenever you are signed in, as a service of your own
    #[command(subcommand)]
    Service(ServiceVerb),
    /// Mirror an item and print where its file stands
    Fetch {
        /// Id or URL, or a file of the workspace
        id: String,
        /// Read the remote first even when the item is mirrored
        #[arg(long)]
        refresh: bool,
    },
    /// Search what is mirrored, and all that Google has when nothing is found
    Search {
        /// The words, and of Gmail's operators from: to: subject: label: has:attachment before: after: is: in: and others; behind `--` where it begins with `-`
        #[arg(required = true)]
        query: Vec<String>,
        /// Only items of this kind
        #[arg(long = "kind", value_name = "KIND", value_parser = kind_named)]
        kinds: Vec<KindName>,
        /// Only those of this account
        #[arg(long)]
        account: Option<String>,
        /// Ask Google, too, for what is not mirrored
        #[arg(long)]
        remote: bool,
        /// Most results
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
    },
    /// Make a new Doc from MEBDF text
    Create {
        /// The Doc's name
        #[arg(long)]
        title: String,
        /// File with the text; `-` reads stdin; without it the Doc is empty
        file: Option<PathBuf>,
    },
    /// Stop mirroring an item; the remote is not touched
    Forget {
        /// Id or URL, or a file of the workspace
        id: String,
    },
    /// Tell what mail is mirrored by itself, or change that
    Rules {
        #[command(subcommand)]
        verb: Option<RulesVerb>,
    },
    /// Tell how things stand
    Status {
        /// Go on showing it until Ctrl-C: in place on a terminal, else again whenever it changes
        #[arg(long)]
        watch: bool,
    },
    /// Show what an edited file would change in its Doc
    Diff {
        /// A file of the workspace
        file: PathBuf,
    },
    /// Push a file now
    Push {
        /// A file of the workspace
        file: PathBuf,
        /// Tell what would be sent, send nothing
        #[arg(long)]
        dry_run: bool,
        /// Send edits that are held, such as one that destroys an image
        #[arg(long)]
        accept: bool,
    },
    /// Write a file back that was deleted in the workspace
    Restore {
        /// Id or URL, or a file of the workspace
        id: String,
    },
    /// Put a link to an item's file beside your work; an edit through it is one of the item
    Link {
        /// Id or URL, or a file of the workspace
        item: String,
        /// The folder in which the link is to stand
        folder: PathBuf,
    },
    /// Answer, close or reopen a comment; its id stands in the document's comments file
    #[command(group(ArgGroup::new("act").required(true)))]
    Comment {
        /// A file of the workspace: the document's, or its comments file
        file: PathBuf,
        /// Answer a comment
        #[arg(long, num_args = 2, value_names = ["ID", "TEXT"], group = "act", allow_hyphen_values = true)]
        reply: Option<Vec<String>>,
        /// Close a comment
        #[arg(long, value_name = "ID", group = "act", allow_hyphen_values = true)]
        resolve: Option<String>,
        /// Open a closed comment again
        #[arg(long, value_name = "ID", group = "act", allow_hyphen_values = true)]
        reopen: Option<String>,
    },
    /// Show what was pushed and pulled, newest first; the number of a push is what `undo` takes
    Log {
        /// A file of the workspace, an id or a URL; everything without it
        item: Option<String>,
        /// Most lines
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
    },
    /// Take a push back: what it changed is changed again, what was written since stays
    Undo {
        /// Its number in `log`
        push: i64,
        /// Whose push it is, when several accounts have one of that number
        #[arg(long, value_name = "EMAIL")]
        account: Option<String>,
    },
    /// Move a document to the trash of Google Drive, and its files to .retired
    Trash {
        /// A file of the workspace, an id or a URL
        item: String,
    },
    /// Pull and push nothing until `resume`, over restarts too
    Pause {
        /// One account; all without it
        #[arg(long, value_name = "EMAIL")]
        account: Option<String>,
    },
    /// Go on after `pause`, or after a halt when the folder is as it should be
    Resume {
        /// One account; all without it
        #[arg(long, value_name = "EMAIL")]
        account: Option<String>,
    },
    /// Check what stands here against what was agreed, the index, the journal and the documents
    Doctor {
        /// Mend what can be mended
        #[arg(long)]
        repair: bool,
        /// Most documents of each account that are read and compared
        #[arg(long, default_value_t = 50, value_name = "N")]
        remote: u16,
    },
    /// Ask a notebook of NotebookLM a question; the answer cites its sources
    Ask(AskArguments),
    /// Sign in to NotebookLM, or tell whether its notebooks can be asked
    #[command(subcommand)]
    Notebooks(NotebooksVerb),
    /// Look at the config file
    #[command(subcommand)]
    Config(ConfigVerb),
    /// Print what has a shell complete the command line
    #[command(
        after_help = "For bash: mcp-workspace completions bash > ~/.local/share/bash-completion/completions/mcp-workspace"
    )]
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Write a manual page for each command into a folder; what a package does
    #[command(hide = true)]
    Man {
        /// Where to
        folder: PathBuf,
    },
    /// Show the help of a command, or how to sign in: `help google-setup`
    Help {
        /// A command, with those of its own, or `google-setup`
        #[arg(value_name = "COMMAND")]
        topic: Vec<String>,
    },
    /// End a file's conflicts
    #[command(group(ArgGroup::new("side").required(true)))]
    Resolve {
        /// A file of the workspace
        file: PathBuf,
        /// The file's text stands
        #[arg(long, group = "side")]
        mine: bool,
        /// The Doc's text stands
        #[arg(long, group = "side")]
        theirs: bool,
    },
}

/// What to do with the rules.
#[derive(Debug, Subcommand)]
pub(crate) enum RulesVerb {
    /// Mirror the threads of mail that a search finds, the newest first, and those that come
    Add {
        /// A search as in Gmail's own box; all mail but spam and trash without it
        query: Vec<String>,
        /// Only those with this label, by its name
        #[arg(long, value_name = "NAME")]
        label: Option<String>,
        /// Only those in which something was written since this day, such as 2026-01-31
        #[arg(long, value_name = "DAY")]
        since: Option<String>,
        /// No more than so many, the newest
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        max: Option<u32>,
        /// Whose mail, when several accounts have some
        #[arg(long, value_name = "EMAIL")]
        account: Option<String>,
    },
    /// End a rule; what it brought stays mirrored
    End {
        /// Its number, as `rules` tells it
        number: i64,
        /// Whose rule it is, when several accounts have one of that number
        #[arg(long, value_name = "EMAIL")]
        account: Option<String>,
    },
}

/// What to do with the accounts.
#[derive(Debug, Subcommand)]
pub(crate) enum AuthVerb {
    /// Sign an account in, in a browser; an account that is there already is signed in anew
    Add(AddArguments),
    /// Tell which accounts there are
    List,
    /// Ask Google whether the accounts are let in, and to do what
    Status {
        /// One account; all without it
        #[arg(value_name = "EMAIL")]
        account: Option<String>,
    },
    /// Sign an account out: take its access back at Google, and it out of the config; its files stay
    Remove {
        /// Which account
        #[arg(value_name = "EMAIL")]
        account: String,
    },
    /// Renew the access now
    Refresh {
        /// One account; all without it
        #[arg(value_name = "EMAIL")]
        account: Option<String>,
    },
}

/// What is asked, and of which notebook.
#[derive(Debug, clap::Args)]
pub(crate) struct AskArguments {
    /// Its id or its name
    pub(crate) notebook: String,
    /// The question
    pub(crate) question: String,
}

/// Whom to sign in, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct AddArguments {
    /// The OAuth client: the JSON file that the Google Cloud console gives, or gcp-secret:PROJECT/NAME; the one in the config without it
    #[arg(long, value_name = "FILE")]
    pub(crate) client: Option<String>,
    /// Print the address and take the one to which the browser went, as where the browser is on another machine
    #[arg(long)]
    pub(crate) manual: bool,
    /// Ask for reading alone: edits of its files stay in them
    #[arg(long)]
    pub(crate) read_only: bool,
    /// What to ask for instead, with commas between: `drive` or `drive.readonly`, and `gmail.modify` or `gmail.readonly`
    #[arg(long, value_name = "LIST")]
    pub(crate) scopes: Option<String>,
    /// Which account it is to be; nothing is kept when another one signs in
    #[arg(long, value_name = "EMAIL")]
    pub(crate) account: Option<String>,
}

/// What to do with a client's config.
#[derive(Debug, Subcommand)]
pub(crate) enum McpVerb {
    /// Add the bridge to a client's config: claude-code, claude-desktop, cursor or vscode
    Install {
        /// Which client
        client: Client,
        /// Which tools the client gets, as with `bridge`; each set is an entry of its own
        #[arg(long, default_value = "default", value_name = "NAME")]
        profile: Profile,
        /// Write nothing; print what would be in the config, and where it is
        #[arg(long)]
        print: bool,
        /// Replace an entry of that name that is not ours
        #[arg(long)]
        force: bool,
    },
    /// Take the bridge out of a client's config again
    Uninstall {
        /// Which client
        client: Client,
        /// Which entry
        #[arg(long, default_value = "default", value_name = "NAME")]
        profile: Profile,
        /// Take an entry of that name out even if it is not ours
        #[arg(long)]
        force: bool,
    },
}

/// What to do about notebooks.
#[derive(Debug, Subcommand)]
pub(crate) enum NotebooksVerb {
    /// Sign in: a window of a browser opens, on a profile that is for this alone
    ///
    /// NotebookLM has no published interface for personal accounts. What is asked of it is asked from within its own page, in a browser on
    /// this machine; no cookie leaves that. Google does not support this, and may change it at any time.
    Login,
    /// Tell whether somebody is signed in, by an answer that nobody else gets
    Check,
}

/// What to tell of the config file.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigVerb {
    /// Read it as the daemon does: what is wrong is told with its line and column
    Check,
    /// Tell where it is
    Path,
}

/// What to do with the service.
#[derive(Debug, Subcommand)]
pub(crate) enum ServiceVerb {
    /// Write the unit for systemd, or the agent for launchd, and start it; again after the program was updated or moved
    Install {
        /// Let it write below home folders alone, and see no keys in yours
        #[arg(long)]
        strict: bool,
        /// Write nothing; print what would be written, and where
        #[arg(long)]
        print: bool,
    },
    /// End it and take its files away; your documents, settings and sign-ins stay
    Uninstall,
    /// Start it
    Start,
    /// End it until you sign in again
    Stop,
    /// End it and start it anew
    Restart,
    /// Tell whether it runs
    Status,
    /// Show what it had to say
    Logs {
        /// How many lines
        #[arg(long, default_value_t = 100)]
        lines: u32,
        /// Go on with what it says from now on, until Ctrl-C
        #[arg(long)]
        follow: bool,
    },
}

/// How the demo runs.
#[derive(Debug, clap::Args)]
pub(crate) struct DemoArguments {
    /// Where the embedded Google listens, on loopback alone; without it, where it listened last or at a free port
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// A bearer token that stands for the demo account
    #[arg(long)]
    pub(crate) token: Option<String>,
    /// Import this folder's raw Documents (*.json with documentId and tabs) and mail (*.eml, or *.json that threads.get answered); may be given several times
    #[arg(long, value_name = "DIR")]
    pub(crate) seed: Vec<PathBuf>,
}

/// What the embedded Google answers beside Google's own calls.
const EMULATOR_HELP: &str = "\
Each call needs the header `Authorization: Bearer TOKEN`; TOKEN is test-token unless --token names another. Beside Google's own:
  POST /admin/faults             {\"fault\": F, \"match\": {\"method\": M, \"path\": P}, \"times\": N, \"delay_ms\": D, \"retry_after\": S},
                                 or a list: the next N calls (1) whose path holds P meet F, which is 400, 401, 403, 429, 500,
                                 503, drop, lost_reply, truncated, slow, slow_reply or stale_feed
  POST /admin/documents          a document as documents.get answers it; gives its id
  POST /admin/documents/ID:edit  {\"requests\": [...], \"author\": NAME, \"suggest\": false}: an edit by somebody else
  POST /admin/documents/ID:tick  {\"text\": T, \"checked\": true}: somebody ticks a box
  POST /admin/documents/ID:share {\"role\": R}: owner, writer, commenter, reader or none
  GET /admin/faults, GET /admin/requests; DELETE forgets them";

/// How the embedded Google runs alone.
#[derive(Debug, clap::Args)]
pub(crate) struct EmulatorArguments {
    /// Where it listens, on loopback alone
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: SocketAddr,
    /// A bearer token that stands for the demo account
    #[arg(long)]
    pub(crate) token: Option<String>,
    /// Import this folder's raw Documents (*.json with documentId and tabs) and mail (*.eml, or *.json that threads.get answered); may be given several times
    #[arg(long, value_name = "DIR")]
    pub(crate) seed: Vec<PathBuf>,
    /// Keep documents and mail in this folder, so that they are there after a restart
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
}

fn kind_named(name: &str) -> Result<KindName, String> {
    let known = || KindName::ALL.map(|kind| kind.to_string()).join(", ");
    KindName::ALL.into_iter().find(|kind| kind.to_string() == name).ok_or_else(|| format!("use one of: {}", known()))
}
