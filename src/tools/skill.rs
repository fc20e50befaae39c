//! The manual as a skill, for clients that know these: what every client is told, with the pages of the manual as its files.
//!
//! Source: <https://modelcontextprotocol.io/community/seps/2640-skills-extension>

use rmcp::model::{Skill, SkillFrontmatter, SkillResource, SkillResources};

use super::documentation::PAGES;

const NAME: &str = "google-workspace-files";
const DESCRIPTION: &str = "Reads, edits and makes this person's Google Docs as text files of a local folder. Use it when a Google Doc is \
                           to be found, read, changed or written.";
/// Where its files stand.
const ROOT: &str = "skill://google-workspace-files/";
/// The file that a skill begins with.
const MAIN: &str = "SKILL.md";

/// Returns the skill, whose first file has the instructions that a client of this profile gets.
pub(super) fn skill(instructions: &str) -> Skill {
    let files = std::iter::once(main_file(instructions)).map(|text| (MAIN.to_owned(), text));
    let pages = PAGES.iter().map(|page| (format!("{}.md", page.name), page.text.to_owned()));
    let files =
        files.chain(pages).map(|(name, text)| SkillResource::from_bytes(format!("{ROOT}{name}"), text.as_bytes()));
    let front = SkillFrontmatter::new(NAME, DESCRIPTION);
    Skill::new(format!("{ROOT}{MAIN}"), front, SkillResources::Files(files.collect()))
}

/// Reads one of its files; `None` when there is none of that address.
pub(super) fn file(uri: &str, instructions: &str) -> Option<String> {
    let name = uri.strip_prefix(ROOT)?;
    if name == MAIN {
        return Some(main_file(instructions));
    }
    let page = PAGES.iter().find(|page| name.strip_suffix(".md") == Some(page.name))?;
    Some(page.text.to_owned())
}

fn main_file(instructions: &str) -> String {
    let pages: String =
        PAGES.iter().map(|page| format!("- [{}]({}.md): {}\n", page.title, page.name, page.description)).collect();
    format!("---\nname: {NAME}\ndescription: {DESCRIPTION}\n---\n\n{instructions}\n\n## Pages\n\n{pages}")
}
