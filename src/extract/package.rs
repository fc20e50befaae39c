//! The parts of an Office file: a ZIP archive of XML, with relations between its parts.

use std::collections::HashMap;
use std::io::Read as _;

use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};

use super::xml::{Node, Nodes};

/// The most entries of an archive that are looked at; a long presentation has some thousand.
const ENTRIES_MAX: usize = 20_000;

/// The most bytes that one part may have, unpacked. What an archive says of its sizes counts nothing.
const PART_BYTES_MAX: usize = 48 << 20;

/// The most bytes that all parts which are read may have, unpacked.
const ALL_BYTES_MAX: usize = 192 << 20;

/// What an Office file that asks for a password begins with: it is no archive, but an old compound file with the archive in it.
const COMPOUND: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/// An archive that is read.
pub(super) struct Package<'b> {
    archive: ZipSliceArchive<&'b [u8]>,
    /// Where the parts are, by their names in lower case, since writers do not agree on it.
    parts: HashMap<String, (ZipArchiveEntryWayfinder, CompressionMethod)>,
    left: usize,
    /// Whether a part was longer than is read, or there were more parts.
    cut: bool,
}

impl<'b> Package<'b> {
    /// Reads which parts there are.
    pub(super) fn open(bytes: &'b [u8]) -> Result<Self, String> {
        if bytes.starts_with(&COMPOUND) {
            return Err("it asks for a password, or is of an older format".to_owned());
        }
        let damaged = || "it is no such file, or damaged".to_owned();
        let archive = ZipArchive::from_slice(bytes).map_err(|_broken| damaged())?;
        let (mut parts, mut cut) = (HashMap::new(), false);
        let mut entries = archive.entries();
        while let Ok(Some(entry)) = entries.next_entry() {
            if parts.len() >= ENTRIES_MAX {
                cut = true;
                break;
            }
            let name = String::from_utf8_lossy(entry.file_path().as_bytes()).replace('\\', "/").to_ascii_lowercase();
            parts.entry(name).or_insert((entry.wayfinder(), entry.compression_method()));
        }
        if parts.is_empty() {
            return Err(damaged());
        }
        Ok(Self { archive, parts, left: ALL_BYTES_MAX, cut })
    }

    /// Tells whether a part was longer than is read, or there were more parts.
    pub(super) const fn is_cut(&self) -> bool {
        self.cut
    }

    /// Reads a part as text; `None` where there is none, or it cannot be unpacked.
    pub(super) fn part(&mut self, name: &str) -> Option<String> {
        let key = name.trim_start_matches('/').to_ascii_lowercase();
        let (wayfinder, method) = *self.parts.get(&key)?;
        let data = self.archive.get_entry(wayfinder).ok()?.data();
        let limit = PART_BYTES_MAX.min(self.left);
        let take = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        let mut out = Vec::new();
        // What was unpacked before the damage is read.
        let unpacked = match method {
            CompressionMethod::STORE => data.take(take).read_to_end(&mut out),
            CompressionMethod::DEFLATE => flate2::bufread::DeflateDecoder::new(data).take(take).read_to_end(&mut out),
            _ => return None,
        };
        self.cut |= unpacked.is_err() || out.len() > limit;
        out.truncate(limit);
        self.left -= out.len();
        Some(decoded(&out))
    }

    /// Reads where the relations of a part lead, by their ids, with the last word of their type.
    pub(super) fn relations(&mut self, part: &str) -> HashMap<String, (String, String)> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let Some(text) = self.part(&format!("{folder}/_rels/{name}.rels")) else { return HashMap::new() };
        let mut out = HashMap::new();
        let mut nodes = Nodes::new(&text);
        while let Some(node) = nodes.next() {
            let Node::Open(element) = node else { continue };
            if element.name() != "Relationship" || out.len() >= ENTRIES_MAX {
                continue;
            }
            let (Some(id), Some(target)) = (element.value("Id"), element.value("Target")) else { continue };
            let kind = element.value("Type").unwrap_or_default();
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            let external = element.value("TargetMode").is_some_and(|mode| mode.eq_ignore_ascii_case("external"));
            let target = if external { target } else { resolved(folder, &target) };
            out.insert(id, (target, kind));
        }
        out
    }

    /// Finds the main part of the file; `usual` is where it stands in most.
    pub(super) fn main(&mut self, usual: &str) -> String {
        let found = self.relations("").into_values().find(|(_, kind)| kind == "officeDocument");
        found.map_or_else(|| usual.to_owned(), |(target, _)| target)
    }
}

/// The path of a target, which is said from the folder of its part.
fn resolved(folder: &str, target: &str) -> String {
    let mut steps: Vec<&str> = if target.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.retain(|step| !step.is_empty());
    steps.join("/")
}

/// Makes text of bytes of XML, which are UTF-8 nearly always.
fn decoded(bytes: &[u8]) -> String {
    super::web::decoded(bytes)
}
