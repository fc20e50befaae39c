//! Which file belongs to which item: a bijection between names and files of known shape. Pure.
//!
//! Nothing from outside becomes a path unless it passed the checks here, and no other name is ever looked at, so
//! the temporary files of editors never match.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::model::{Account, Feed, ItemId, PartId};

/// The folder of an account that holds links with readable names.
pub const BY_NAME: &str = "by-name";

/// The folder in that one for links to threads of mails, so that they do not stand among the documents.
const MAIL_BY_NAME: &str = "mail";

/// The folder beside threads of mails that holds one for the attachments of each.
const ATTACHMENTS: &str = "attachments";

/// The folder beside those that holds each file that was sent once; no id begins with a dot.
const CONTENTS: &str = ".content";

/// The folder of an account in which a text that is saved becomes a document.
pub const NEW: &str = "new";

/// The longest id of an item or a part; names of files end at 255 bytes.
const ID_BYTES_MAX: usize = 100;

/// What ends the name of a conflict file, before `.md`.
const CONFLICT: &str = "conflict";

/// What ends the name of the file of an item's comments, before `.md`.
const COMMENTS: &str = "comments";

/// Words that end names of other files of an item, or of the copies that editors leave beside one, so no part may be called so.
const RESERVED: [&str; 7] = [CONFLICT, COMMENTS, "bak", "orig", "old", "tmp", "part"];

/// A file of the layout.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// The item.
    pub item: ItemId,
    /// Which of its files.
    pub part: PartId,
    /// True for the file that shows a conflict of that part.
    pub conflict: bool,
}

impl Place {
    /// Names a mirrored file.
    #[must_use]
    pub fn file(item: &ItemId, part: &PartId) -> Self {
        Self { item: item.clone(), part: part.clone(), conflict: false }
    }

    /// Names the conflict file of a part.
    #[must_use]
    pub fn conflict(item: &ItemId, part: &PartId) -> Self {
        Self { item: item.clone(), part: part.clone(), conflict: true }
    }

    /// Returns the file's name.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when an id holds what may not stand in a file name.
    pub fn name(&self) -> Result<String> {
        let Self { item, part, conflict } = self;
        if !item_is_safe(&item.0) {
            return Err(unsafe_id(&item.0));
        }
        if !part.0.is_empty() && !part_is_safe(&part.0) {
            return Err(unsafe_id(&part.0));
        }
        let mut name = item.0.clone();
        for piece in [part.0.as_str(), if *conflict { CONFLICT } else { "" }] {
            if !piece.is_empty() {
                name.push('.');
                name.push_str(piece);
            }
        }
        name.push_str(".md");
        Ok(name)
    }

    /// Returns what a file name stands for; `None` for every name that is not ours.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let stem = name.strip_suffix(".md")?;
        let (item, rest) = stem.split_once('.').unwrap_or((stem, ""));
        if !item_is_safe(item) || stem.ends_with('.') {
            return None;
        }
        let (part, conflict) = if rest == CONFLICT {
            ("", true)
        } else {
            match rest.strip_suffix(CONFLICT).and_then(|part| part.strip_suffix('.')) {
                Some("") => return None,
                Some(part) => (part, true),
                None => (rest, false),
            }
        };
        if !part.is_empty() && !part_is_safe(part) {
            return None;
        }
        Some(Self { item: ItemId(item.into()), part: PartId(part.into()), conflict })
    }
}

/// Returns the name of the file of an item's comments.
///
/// # Errors
///
/// As [`Place::name`].
pub fn comments_name(item: &ItemId) -> Result<String> {
    if item_is_safe(&item.0) { Ok(format!("{item}.{COMMENTS}.md")) } else { Err(unsafe_id(&item.0)) }
}

/// Returns the item whose comments a file of this name holds; `None` for every other name.
#[must_use]
pub fn comments_of_name(name: &str) -> Option<ItemId> {
    let item = name.strip_suffix(".md")?.strip_suffix(COMMENTS)?.strip_suffix('.')?;
    item_is_safe(item).then(|| ItemId(item.to_owned()))
}

/// Where the files of one feed of an account stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
    account: Account,
    feed: Feed,
}

impl Layout {
    /// Lays out what an account's feed has in the workspace at `root`.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the account's address cannot be the name of a folder.
    pub fn new(root: &Path, account: &Account, feed: Feed) -> Result<Self> {
        let name = &account.0;
        let safe = name.len() <= 254
            && name.contains('@')
            && !name.starts_with(['.', '-'])
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "@._%+-".contains(c));
        if !safe {
            return Err(Error::InvalidInput {
                what: format!("`{}` cannot be an account", name.escape_debug()),
                suggestion: "Give the e-mail address of a Google account.".into(),
            });
        }
        Ok(Self { root: root.into(), account: account.clone(), feed })
    }

    /// Returns the whole workspace's folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the account.
    #[must_use]
    pub const fn account(&self) -> &Account {
        &self.account
    }

    /// Returns the feed.
    #[must_use]
    pub const fn feed(&self) -> Feed {
        self.feed
    }

    /// Returns the account's folder.
    #[must_use]
    pub fn account_folder(&self) -> PathBuf {
        self.root.join(&self.account.0)
    }

    /// Returns the folder of the mirrored files.
    #[must_use]
    pub fn items_folder(&self) -> PathBuf {
        self.account_folder().join(self.feed.name())
    }

    /// Returns the folder of the readable links.
    #[must_use]
    pub fn by_name_folder(&self) -> PathBuf {
        let folder = self.account_folder().join(BY_NAME);
        match self.feed {
            Feed::Drive => folder,
            Feed::Gmail => folder.join(MAIL_BY_NAME),
        }
    }

    /// Returns how the folder of the mirrored files is named by a link among the readable ones.
    #[must_use]
    pub fn from_by_name(&self) -> PathBuf {
        let up = match self.feed {
            Feed::Drive => "..",
            Feed::Gmail => "../..",
        };
        Path::new(up).join(self.feed.name())
    }

    /// Returns the folder in which a text that is saved becomes an item, if this feed's are made so.
    #[must_use]
    pub fn new_folder(&self) -> Option<PathBuf> {
        match self.feed {
            Feed::Drive => Some(self.account_folder().join(NEW)),
            Feed::Gmail => None,
        }
    }

    /// Returns the folders of this feed below the root, outer ones first.
    #[must_use]
    pub fn folders(&self) -> Vec<PathBuf> {
        let by_name = self.account_folder().join(BY_NAME);
        let mut folders = vec![self.account_folder(), self.items_folder(), by_name, self.by_name_folder()];
        folders.dedup();
        folders.extend(self.new_folder());
        folders
    }

    /// Returns the path of a file.
    ///
    /// # Errors
    ///
    /// As [`Place::name`].
    pub fn path(&self, place: &Place) -> Result<PathBuf> {
        Ok(self.items_folder().join(place.name()?))
    }

    /// Returns the folder for the pictures, or the attachments, of an item.
    ///
    /// # Errors
    ///
    /// `InvalidInput` when the id holds what may not stand in a file name.
    pub fn images_folder(&self, item: &ItemId) -> Result<PathBuf> {
        let folder = match self.feed {
            Feed::Drive => self.items_folder(),
            Feed::Gmail => self.items_folder().join(ATTACHMENTS),
        };
        if item_is_safe(&item.0) { Ok(folder.join(&item.0)) } else { Err(unsafe_id(&item.0)) }
    }

    /// Returns the folder that holds what was sent, each file once, if this feed has one.
    #[must_use]
    pub fn contents_folder(&self) -> Option<PathBuf> {
        match self.feed {
            Feed::Drive => None,
            Feed::Gmail => Some(self.items_folder().join(ATTACHMENTS).join(CONTENTS)),
        }
    }

    /// Tells whether a path is below the folder of the mirrored files, or stands in one of the folders beside it.
    #[must_use]
    pub fn holds(&self, path: &Path) -> bool {
        let is_in = |folder: &Path| path.parent() == Some(folder);
        path.starts_with(self.items_folder())
            || is_in(&self.by_name_folder())
            || self.new_folder().is_some_and(|new| is_in(&new))
    }

    /// Returns the item whose comments file stands at `path`.
    #[must_use]
    pub fn comments(&self, path: &Path) -> Option<ItemId> {
        if path.parent()? != self.items_folder() {
            return None;
        }
        comments_of_name(path.file_name()?.to_str()?)
    }

    /// Returns which file stands at `path`; `None` for everything that is not ours.
    #[must_use]
    pub fn place(&self, path: &Path) -> Option<Place> {
        if path.parent()? != self.items_folder() {
            return None;
        }
        Place::of_name(path.file_name()?.to_str()?)
    }
}

/// Drive's ids are letters, digits, `-` and `_`. A leading `-` is theirs too, and harmless since names are never
/// arguments of a command here.
fn item_is_safe(id: &str) -> bool {
    !id.is_empty() && id.len() <= ID_BYTES_MAX && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// Tab ids look like `t.abc123`: the same letters, in pieces joined by single dots.
fn part_is_safe(id: &str) -> bool {
    id.len() <= ID_BYTES_MAX
        && id.split('.').all(item_is_safe)
        && !id.rsplit('.').next().is_some_and(|last| RESERVED.contains(&last))
}

/// Returns the name of the file of a picture: the id of its object, and an ending that says what it is. `None` when the
/// id cannot be the name of a file.
#[must_use]
pub fn image_name(object: &str, extension: &str) -> Option<String> {
    // The ids look like `kix.abc123`: the same letters as those of tabs.
    let is_safe = object.len() <= ID_BYTES_MAX && object.split('.').all(item_is_safe);
    is_safe.then(|| format!("{object}.{extension}"))
}

/// Tells whether a name from outside can be that of a file beside an item: one piece of a path, that hides nothing.
#[must_use]
pub fn is_file_name(name: &str) -> bool {
    const BYTES_MAX: usize = 240;
    let is_whole = !name.is_empty() && name.len() <= BYTES_MAX && !name.starts_with('.');
    is_whole && !name.chars().any(|c| c.is_control() || "/\\\0".contains(c))
}

fn unsafe_id(id: &str) -> Error {
    Error::InvalidInput {
        what: format!("`{}` cannot be the name of a file", id.escape_debug()),
        suggestion: "Give the id or the URL of a Google document.".into(),
    }
}

/// Turns a title into a file name without an ending: no separators, control or format characters, no leading dot, and
/// short enough for every file system.
#[must_use]
pub fn readable_name(title: &str) -> String {
    const CHARACTERS_MAX: usize = 80;
    const BYTES_MAX: usize = 200;
    let mut name = String::new();
    for c in title.trim().chars().take(CHARACTERS_MAX) {
        // Characters that reorder or hide text could make a name look like another one.
        let hidden =
            matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        let c = if c.is_control() || hidden || "/\\:*?\"<>|".contains(c) { ' ' } else { c };
        if name.len() + c.len_utf8() > BYTES_MAX {
            break;
        }
        if !(c == ' ' && name.ends_with(' ')) {
            name.push(c);
        }
    }
    let name = name.trim_matches(['.', ' ']);
    if name.is_empty() { "Untitled".into() } else { name.into() }
}

/// Returns the day of `at` in UTC as `2026-11-21`.
///
/// Source: Howard Hinnant, <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>.
#[must_use]
pub fn date(at: crate::model::Millis) -> String {
    let days = at.0 / 86_400_000 + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::Millis;

    fn check(name: &str, expected: Option<(&str, &str, bool)>) {
        let place = Place::of_name(name);
        let found = place.as_ref().map(|p| (p.item.0.as_str(), p.part.0.as_str(), p.conflict));
        assert_eq!(found, expected, "{name}");
        if let Some(place) = place {
            assert_eq!(place.name().unwrap(), name);
        }
    }

    #[test]
    fn names_of_the_layout() {
        check("1AbC-_x.md", Some(("1AbC-_x", "", false)));
        check("1AbC.t.0.md", Some(("1AbC", "t.0", false)));
        check("1AbC.t.abc123.md", Some(("1AbC", "t.abc123", false)));
        check("1AbC.conflict.md", Some(("1AbC", "", true)));
        check("1AbC.t.0.conflict.md", Some(("1AbC", "t.0", true)));
    }

    #[test]
    fn every_other_name_is_not_ours() {
        for name in [
            "1AbC.md~",
            ".1AbC.md.swp",
            "4913",
            ".#1AbC.md",
            "#1AbC.md#",
            "sedXXXX",
            "1AbC.tmp",
            "1AbC.bak.md",
            "1AbC.t.0.orig.md",
            "1AbC.md.tmp",
            ".md",
            "..md",
            "1AbC..md",
            "1AbC.comments.md",
            "1AbC..conflict.md",
            "1AbC.conflict.conflict.md",
            "1AbC (1).md",
            "a/b.md",
            "é.md",
            "1AbC.t..0.md",
            "1AbC.xconflict.md.bak",
            "1AbC..t.md",
            "1AbC.MD",
            ".mcpw-new-1.md",
            "",
        ] {
            check(name, None);
        }
        // Merely ending in the same letters is a part like any other.
        check("1AbC.xconflict.md", Some(("1AbC", "xconflict", false)));
    }

    #[test]
    fn names_of_comments_files() {
        assert_eq!(comments_of_name("1AbC.comments.md"), Some(ItemId("1AbC".into())));
        assert_eq!(comments_name(&ItemId("1AbC".into())).unwrap(), "1AbC.comments.md");
        for name in [
            "comments.md",
            ".comments.md",
            "1AbC.t.0.comments.md",
            "1AbC.xcomments.md",
            "1AbC.comments",
            "../x.comments.md",
        ] {
            assert_eq!(comments_of_name(name), None, "{name}");
        }
        assert!(comments_name(&ItemId("../x".into())).is_err());
    }

    #[test]
    fn hostile_ids_are_no_paths() {
        for id in ["", ".", "..", "../x", "a/b", "a\\b", "a\0b", "a.b", "~", "é", "a b", "a\n", &"x".repeat(101)] {
            assert!(Place::file(&ItemId(id.into()), &PartId::default()).name().is_err(), "{id:?}");
        }
        for part in [".", "..", "../x", "t/0", "conflict", "t.conflict", "comments", "t.", ".t", "t..0"] {
            assert!(Place::file(&ItemId("a".into()), &PartId(part.into())).name().is_err(), "{part:?}");
        }
    }

    #[test]
    fn pictures_are_named_by_their_objects() {
        assert_eq!(image_name("kix.abc", "png").as_deref(), Some("kix.abc.png"));
        for object in ["", ".", "..", "../x", "a/b", ".x", "x.", "a b", "a\0", "é", &"x".repeat(101)] {
            assert_eq!(image_name(object, "png"), None, "{object:?}");
        }
        let layout = Layout::new(Path::new("/w"), &Account("a@b".into()), Feed::Drive).unwrap();
        assert_eq!(layout.images_folder(&ItemId("1x".into())).unwrap(), Path::new("/w/a@b/drive/1x"));
        assert!(layout.images_folder(&ItemId("..".into())).is_err());
    }

    #[test]
    fn hostile_accounts_are_no_folders() {
        for name in ["", "ana", "../a@b", ".a@b", "a@b/c", "a@b\n", "-a@b"] {
            assert!(Layout::new(Path::new("/w"), &Account(name.into()), Feed::Drive).is_err(), "{name:?}");
        }
        let layout = Layout::new(Path::new("/w"), &Account("ana@example.com".into()), Feed::Drive).unwrap();
        let place = Place::file(&ItemId("x".into()), &PartId("t.1".into()));
        let path = layout.path(&place).unwrap();
        assert_eq!(path, Path::new("/w/ana@example.com/drive/x.t.1.md"));
        assert_eq!(layout.place(&path), Some(place));
        assert_eq!(layout.place(Path::new("/w/ana@example.com/x.md")), None);
    }

    #[test]
    fn titles_become_harmless_names() {
        for (title, expected) in [
            ("Meeting notes", "Meeting notes"),
            ("a/b: c", "a b c"),
            ("../../etc/passwd", "etc passwd"),
            (".hidden", "hidden"),
            ("\u{202e}gnp.exe", "gnp.exe"),
            ("", "Untitled"),
            ("日本語", "日本語"),
        ] {
            assert_eq!(readable_name(title), expected);
        }
        assert!(readable_name(&"語".repeat(500)).len() <= 200);
    }

    #[test]
    fn days() {
        for (at, expected) in [
            (0, "1970-01-01"),
            (951_782_400_000, "2000-02-29"),
            (1_795_219_199_999, "2026-11-20"),
            (1_795_219_200_000, "2026-11-21"),
        ] {
            assert_eq!(date(Millis(at)), expected);
        }
    }

    proptest! {
        #[test]
        fn place_to_name_and_back(item in "[A-Za-z0-9_-]{1,40}", part in "|t\\.[a-z0-9]{1,12}", conflict: bool) {
            let place = Place { item: ItemId(item), part: PartId(part), conflict };
            prop_assert_eq!(Place::of_name(&place.name().unwrap()), Some(place));
        }

        #[test]
        fn a_name_that_is_ours_comes_back(name in "[a-c.]{0,6}(conflict|comments|)[.]?(md)?[~]?") {
            if let Some(place) = Place::of_name(&name) {
                prop_assert_eq!(place.name().unwrap(), name);
            }
        }
    }
}
