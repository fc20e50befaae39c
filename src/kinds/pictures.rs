//! Pictures and other files that items hold, in both directions, and where else they are. Pure.

use std::collections::BTreeMap;

use crate::extract::Format;
use crate::gdocs::Picture;

/// A picture that an item holds, or another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The id of the object, as the text names it.
    pub id: String,
    /// Where its bytes are for a while; another address at each reading.
    pub address: String,
    /// What it is known by: as long as this is the same, so are the bytes.
    pub source: String,
    /// The name of its file, safe in any folder; `None` for a picture, which is named by its id and by what it is.
    pub name: Option<String>,
    /// Whether somebody sent it as a file.
    pub is_sent: bool,
    /// As what its text is read, if it is.
    pub text: Option<Format>,
}

/// A file elsewhere that may be the same as one that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// The name that it was asked for by.
    pub name: String,
    /// How many bytes it has.
    pub size: u64,
    /// Their MD5, in hexadecimal digits.
    pub md5: String,
    /// Where a person opens it.
    pub url: String,
}

impl Copied {
    /// Tells whether it is a copy of these bytes. MD5 tells files apart that nobody made to be alike; whoever did sent both.
    #[must_use]
    pub fn is_of(&self, bytes: &[u8]) -> bool {
        use md5::Digest as _;

        let digest = md5::Md5::digest(bytes);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        u64::try_from(bytes.len()).is_ok_and(|size| size == self.size) && self.md5.eq_ignore_ascii_case(&hex)
    }
}

/// What is known of the files from which new pictures are made.
#[derive(Debug, Clone, Default)]
pub struct Pictures {
    /// Files and addresses that a text names as new pictures: for each why it cannot be one, if so.
    pub named: BTreeMap<String, Result<(), String>>,
    /// Files of pictures that the item has, by object, as far as a plan wanted to know: or why there is none.
    pub standing: BTreeMap<String, Result<Standing, String>>,
}

/// The file of a picture that an item has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Its path, as a text would name it.
    pub path: String,
    /// What it is.
    pub picture: Picture,
}

/// The files that a text names as pictures: for each the address at which it stands for a moment, or why it cannot be one.
pub type Hosted = BTreeMap<String, Result<String, String>>;

/// A file that stands at the remote for a moment, so that it can be fetched from there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload<'a> {
    /// The id that was reserved for it.
    pub id: &'a str,
    /// Its media type.
    pub media_type: &'a str,
    /// What it holds.
    pub bytes: &'a [u8],
}

/// Returns what stands in a plan for the address of the upload at an index. No host can have it.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc2606#section-2>
#[must_use]
pub fn upload_address(index: usize) -> String {
    format!("https://upload.invalid/{index}")
}
