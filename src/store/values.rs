//! How texts, lists and moments are stored.

use crate::error::{Error, Result};
use crate::model::{KindName, Millis};

/// The longest text that is unpacked, in bytes; the workspace refuses longer files long before.
const TEXT_BYTES_MAX: usize = 64 << 20;

/// Packs a text, with a checksum of its own.
pub(super) fn pack(bytes: &[u8], doing: &'static str) -> Result<Vec<u8>> {
    let packed = zstd::bulk::Compressor::new(3).and_then(|mut compressor| {
        // What a disk has changed must not pass for a text.
        compressor.include_checksum(true)?;
        compressor.compress(bytes)
    });
    packed.map_err(|source| Error::Storage { doing, source: Box::new(source) })
}

/// Unpacks a text; `None` when it is damaged, which is told in the program's log.
pub(super) fn unpack(packed: &[u8]) -> Option<String> {
    // The frame names the size it unpacks to, so no more memory is asked for than the text needs.
    let size = zstd::bulk::Decompressor::upper_bound(packed).unwrap_or(TEXT_BYTES_MAX).min(TEXT_BYTES_MAX);
    let text = zstd::bulk::decompress(packed, size).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error))
    });
    text.inspect_err(|error| tracing::error!(%error, "a stored text is damaged and is passed over")).ok()
}

/// Reads the name of a kind; a database that has another one is damaged, since newer ones are refused.
pub(super) fn kind(name: &str) -> rusqlite::Result<KindName> {
    let found = KindName::ALL.into_iter().find(|kind| kind.to_string() == name);
    found.ok_or_else(|| {
        let error = format!("there is no kind of items called `{}`", name.escape_debug());
        rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, error.into())
    })
}

pub(super) fn json<T: serde::Serialize + ?Sized>(value: &T, doing: &'static str) -> Result<String> {
    serde_json::to_string(value).map_err(|source| Error::Storage { doing, source: Box::new(source) })
}

pub(super) fn millis(at: Millis) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}

pub(super) fn from_millis(at: i64) -> Millis {
    Millis(u64::try_from(at).unwrap_or(0))
}
