//! The files by which a service manager knows the daemon of a home. Pure.

use std::path::{Path, PathBuf};

use crate::model::ContentHash;

/// The unit for systemd, with a path for the program that is another on each machine.
const UNIT: &str = include_str!("../../../systemd/mcp-workspace.service");
/// What makes that stricter.
const STRICT: &str = include_str!("../../../systemd/strict.conf");
/// The agent for launchd, of a person whose home folder is /Users/ana.
const AGENT: &str = include_str!("../../../launchd/mcp-workspace.plist");

/// What is the service of the home that the system itself has.
const NAME: &str = "mcp-workspace";

/// A daemon as a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Service {
    /// Under which name it is known: that of the program, and for a home of its own what tells that from others.
    pub(super) name: String,
    /// Where the program is.
    pub(super) program: String,
    /// The folder that was given with `--home`.
    pub(super) home: Option<String>,
    /// Variables that say where its places are.
    pub(super) variables: Vec<(String, String)>,
}

/// A file as it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnitFile {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl Service {
    /// Names the service of a home.
    pub(super) fn new(program: String, home: Option<String>, variables: Vec<(String, String)>) -> Self {
        let name = match &home {
            None => NAME.to_owned(),
            Some(home) => {
                let ContentHash(hash) = ContentHash::of(home.as_bytes());
                let digits: String = hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
                format!("{NAME}-{digits}")
            }
        };
        Self { name, program, home, variables }
    }

    /// Names the unit for systemd.
    pub(super) fn unit(&self) -> String {
        format!("{}.service", self.name)
    }

    /// Returns the unit for systemd as it stands in the folder of a user's units.
    pub(super) fn systemd(&self, folder: &Path) -> UnitFile {
        let mut words = vec![quoted(&self.program)];
        if let Some(home) = &self.home {
            words.extend(["--home".to_owned(), quoted(home).replace('$', "$$")]);
        }
        words.push("daemon".into());
        let mut lines: Vec<String> = vec![format!(
            "# Written by `mcp-workspace service install`, which writes it anew. Changes belong into a file beside it: \
             systemctl --user edit {}",
            self.name
        )];
        for line in UNIT.lines().skip_while(|line| line.starts_with('#')) {
            match line.split_once('=') {
                Some(("ExecStart", _)) => lines.push(format!("ExecStart={}", words.join(" "))),
                Some(("Description", said)) if self.home.is_some() => {
                    let home = self.home.as_deref().unwrap_or_default().replace('%', "%%");
                    lines.push(format!("Description={said} ({home})"));
                }
                Some(("Environment", _)) => {
                    lines.push(line.to_owned());
                    let set = |(name, value): &(String, String)| {
                        format!("Environment={}", quoted(&format!("{name}={value}")))
                    };
                    lines.extend(self.variables.iter().map(set));
                }
                Some(_) | None => lines.push(line.to_owned()),
            }
        }
        UnitFile { path: folder.join(self.unit()), text: lines.join("\n") + "\n" }
    }

    /// Returns what makes the unit for systemd stricter.
    pub(super) fn strict(&self, folder: &Path) -> UnitFile {
        let path = folder.join(format!("{}.d", self.unit())).join("strict.conf");
        UnitFile { path, text: STRICT.to_owned() }
    }

    /// Returns the agent for launchd as it stands in a person's home folder.
    pub(super) fn launchd(&self, user_home: &Path) -> UnitFile {
        let string = |text: &str| format!("<string>{}</string>", escaped(text));
        let mut lines: Vec<String> = Vec::new();
        let mut in_comment = false;
        for line in AGENT.lines() {
            in_comment |= line.starts_with("<!--");
            let word = line.trim_start();
            let indent = line.strip_suffix(word).unwrap_or_default();
            match word {
                _ if in_comment => {}
                "<string>mcp-workspace</string>" => lines.push(format!("{indent}{}", string(&self.name))),
                "<string>/Users/ana/.cargo/bin/mcp-workspace</string>" => {
                    lines.push(format!("{indent}{}", string(&self.program)));
                    if let Some(home) = &self.home {
                        lines.extend([format!("{indent}{}", string("--home")), format!("{indent}{}", string(home))]);
                    }
                }
                "<string>/Users/ana/Library/Logs/mcp-workspace.log</string>" => {
                    lines.push(format!("{indent}{}", string(&self.log(user_home).to_string_lossy())));
                }
                "<key>RunAtLoad</key>" if !self.variables.is_empty() => {
                    lines.extend([format!("{indent}<key>EnvironmentVariables</key>"), format!("{indent}<dict>")]);
                    for (name, value) in &self.variables {
                        lines.push(format!("{indent}  <key>{}</key>", escaped(name)));
                        lines.push(format!("{indent}  {}", string(value)));
                    }
                    lines.extend([format!("{indent}</dict>"), line.to_owned()]);
                }
                _ => lines.push(line.to_owned()),
            }
            in_comment &= !line.ends_with("-->");
        }
        let path = user_home.join("Library/LaunchAgents").join(format!("{}.plist", self.name));
        UnitFile { path, text: lines.join("\n") + "\n" }
    }

    /// Returns where launchd puts what the daemon has to say.
    pub(super) fn log(&self, user_home: &Path) -> PathBuf {
        user_home.join("Library/Logs").join(format!("{}.log", self.name))
    }
}

/// A word of a line of a unit, whatever it says.
/// Source: <https://www.freedesktop.org/software/systemd/man/latest/systemd.syntax.html>
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-=:@+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('%', "%%");
    format!("\"{escaped}\"")
}

/// A text in XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(program: &str, home: Option<&str>, variables: &[(&str, &str)]) -> Service {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Service::new(program.into(), home.map(str::to_owned), variables.iter().map(owned).collect())
    }

    /// The lines that a service has and the file in the repository has not, and the other way round.
    fn check(found: &str, template: &str, more: &[&str], fewer: &[&str]) {
        let missing = |one: &str, other: &str| {
            let there: Vec<&str> = other.lines().collect();
            let is_text = |line: &&str| !line.trim().is_empty() && !line.starts_with('#') && !there.contains(line);
            one.lines().filter(is_text).map(|line| line.trim().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!((missing(found, template), missing(template, found)), {
            let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
            (owned(more), owned(fewer))
        });
    }

    #[test]
    fn a_unit_is_the_file_in_the_repository_with_this_program() {
        let there = &["ExecStart=%h/.cargo/bin/mcp-workspace daemon"];
        let plain = service("/opt/bin/mcp-workspace", None, &[]).systemd(Path::new("/u"));
        assert_eq!(plain.path, Path::new("/u/mcp-workspace.service"));
        check(&plain.text, UNIT, &["ExecStart=/opt/bin/mcp-workspace daemon"], there);
        let other = service("/o p/100%/a\"b\\$c", Some("/h $x%"), &[("XDG_DATA_HOME", "/d e")]);
        let unit = other.systemd(Path::new("/u"));
        assert!(other.name.strip_prefix("mcp-workspace-").is_some_and(|digits| digits.len() == 8), "{}", other.name);
        assert_ne!(other.name, service("x", Some("/h"), &[]).name);
        check(
            &unit.text,
            UNIT,
            &[
                "Description=Google Docs as files that follow your edits (/h $x%%)",
                "ExecStart=\"/o p/100%%/a\\\"b\\\\$c\" --home \"/h $$x%%\" daemon",
                "Environment=\"XDG_DATA_HOME=/d e\"",
            ],
            &["Description=Google Docs as files that follow your edits", there[0]],
        );
    }

    #[test]
    fn an_agent_is_the_file_in_the_repository_with_this_program() {
        let user = Path::new("/Users/bo & co");
        let agent = service("/opt/<x>", Some("/h"), &[("XDG_DATA_HOME", "/d")]);
        let file = agent.launchd(user);
        assert_eq!(file.path, user.join(format!("Library/LaunchAgents/{}.plist", agent.name)));
        let (name, log) = (
            format!("<string>{}</string>", agent.name),
            format!("<string>/Users/bo &amp; co/Library/Logs/{}.log</string>", agent.name),
        );
        let template: String =
            AGENT.lines().filter(|line| !line.contains("--")).map(|line| format!("{line}\n")).collect();
        let more = [
            &*name,
            "<string>/opt/&lt;x&gt;</string>",
            "<string>--home</string>",
            "<string>/h</string>",
            "<key>EnvironmentVariables</key>",
            "<key>XDG_DATA_HOME</key>",
            "<string>/d</string>",
            &log,
        ];
        let fewer = [
            "<string>mcp-workspace</string>",
            "<string>/Users/ana/.cargo/bin/mcp-workspace</string>",
            "<string>/Users/ana/Library/Logs/mcp-workspace.log</string>",
        ];
        check(&file.text, &template, &more, &fewer);
    }
}
