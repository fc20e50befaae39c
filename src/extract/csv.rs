//! Values with commas between them.

use super::paper::{COLUMNS_MAX, Paper, ROWS_MAX, begin, plain_cell};
use super::web::decoded;
use crate::mebdf::Cell;

/// How many lines are looked at to tell which sign stands between the values.
const LOOKED_AT: usize = 20;

/// The longest value that is shown, in characters.
const VALUE_MAX: usize = 10_000;

/// Reads values; whatever the bytes are, they are some.
pub(super) fn read(bytes: &[u8], paper: &mut Paper) {
    let text = decoded(bytes);
    // Excel takes the sign from such a line, which is no value.
    let (said, text) = match text.strip_prefix("sep=").and_then(|rest| rest.split_once('\n')) {
        Some((sign, rest)) => (sign.trim_end_matches('\r').bytes().next(), rest),
        None => (None, text.as_str()),
    };
    let sign = said.filter(u8::is_ascii).unwrap_or_else(|| sign(text));
    let mut reader =
        ::csv::ReaderBuilder::new().delimiter(sign).has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut record = ::csv::ByteRecord::new();
    let (mut beyond, mut wide, mut long) = (0_usize, false, false);
    while reader.read_byte_record(&mut record).unwrap_or(false) {
        if rows.len() >= ROWS_MAX {
            beyond += 1;
            continue;
        }
        wide |= record.len() > COLUMNS_MAX;
        let value = |bytes: &[u8]| {
            let (shown, is_cut) = begin(&String::from_utf8_lossy(bytes), VALUE_MAX);
            long |= is_cut;
            plain_cell(&shown)
        };
        rows.push(record.iter().take(COLUMNS_MAX).map(value).collect());
    }
    if beyond > 0 {
        paper.tell(format!("{beyond} rows behind the first {ROWS_MAX}"));
    }
    if wide {
        paper.tell(format!("columns beyond the first {COLUMNS_MAX}"));
    }
    if long {
        paper.tell(format!("what values have behind the first {VALUE_MAX} characters"));
    }
    paper.table(rows);
}

/// Tells which sign stands between the values: the one that most lines have, outside of quotes, the same number of times.
fn sign(text: &str) -> u8 {
    let mut best = (0, b',');
    for sign in [b',', b';', b'\t', b'|'] {
        let mut counts: Vec<usize> = Vec::new();
        let (mut quoted, mut count) = (false, 0);
        for byte in text.bytes() {
            match byte {
                b'"' => quoted = !quoted,
                b'\n' if !quoted => {
                    counts.push(std::mem::take(&mut count));
                    if counts.len() >= LOOKED_AT {
                        break;
                    }
                }
                byte if byte == sign && !quoted => count += 1,
                _ => {}
            }
        }
        if count > 0 || counts.is_empty() {
            counts.push(count);
        }
        let first = counts.first().copied().unwrap_or(0);
        let alike = counts.iter().filter(|count| **count == first && first > 0).count();
        if alike > best.0 {
            best = (alike, sign);
        }
    }
    best.1
}
