//! The conflict files: only read, and what somebody writes into one all the same is kept.

use std::path::Path;

use crate::error::Result;
use crate::kinds::sidecar;
use crate::model::{ContentHash, ItemId, Millis, PartId};

use super::Shared;

/// How the last line of a conflict file begins.
const SEAL: &str = "\n<!-- seal: ";

/// How it ends.
const SEAL_END: &str = " -->\n";

/// How many bytes of the hash of what stands above stand there.
const SEAL_BYTES: usize = 8;

/// Makes the conflict file of a part say `text`, or puts it away.
pub(super) fn put(shared: &Shared, item: &ItemId, part: &PartId, text: Option<&str>, at: Millis) -> Result<()> {
    if text.is_some() {
        // What it quotes of the file must outlive a power cut no less than the quotation.
        shared.workspace.sync(item, part)?;
    }
    let sealed = text.map(sealed);
    if let Some(path) = shared.workspace.put_conflict((item, part), sealed.as_deref(), &is_sealed, at)? {
        tracing::warn!(%item, path = %path.display(), "somebody edited the conflict file; their file was put away");
        shared.kept.add(item, path);
    }
    Ok(())
}

/// Tells whether a file that was put away is one of conflicts, by its name.
pub(crate) fn is_of_conflicts(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains(".conflict"))
}

/// Seals a text; one that quotes what ends with a lone `\r` would be read otherwise than it was written.
fn sealed(text: &str) -> String {
    let text = sidecar::as_read(text);
    format!("{text}{SEAL}{}{SEAL_END}", seal_of(&text))
}

/// Tells whether a text is word for word what was sealed.
fn is_sealed(text: &str) -> bool {
    let last = text.strip_suffix(SEAL_END).and_then(|text| text.rsplit_once(SEAL));
    last.is_some_and(|(text, seal)| seal_of(text) == seal)
}

fn seal_of(text: &str) -> String {
    ContentHash::of(text.as_bytes()).0.iter().take(SEAL_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_breaks_with_any_edit() {
        let text = sealed("# Conflicts\n\nmine\n");
        assert!(is_sealed(&text) && is_sealed(&sealed(&text)));
        let crossed = sealed("one\r\n\r\r\n");
        assert!(is_sealed(&crossed) && is_sealed(&crossed.replace("\r\n", "\n")), "{crossed:?}");
        for edited in [
            text.replace("mine", "ours"),
            format!("{text}more\n"),
            format!("more\n{text}"),
            text.trim_end().to_owned(),
            String::new(),
            "# Conflicts\n".to_owned(),
        ] {
            assert!(!is_sealed(&edited), "{edited}");
        }
    }
}
