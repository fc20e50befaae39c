//! The rows of tables as they are written.

/// Counts the cells of the row of a table that the text begins with.
#[must_use]
pub fn cell_count(text: &str) -> usize {
    let inner = inner(text);
    let bars = bars(inner);
    if bars.last().is_some_and(|last| last + 1 == inner.len()) { bars.len() } else { bars.len() + 1 }
}

/// What is said of the row that the text begins with when it has more cells than its table has columns, and what stands
/// in it behind them.
pub(super) fn surplus(text: &str, columns: usize) -> Option<(String, Option<&str>)> {
    let cells = cell_count(text);
    let message = || format!("this row has {cells} cells and its table {columns} columns; the rest is not read");
    (cells > columns).then(|| (message(), behind(text, columns)))
}

/// What the row that the text begins with has behind its first so many cells, as it is written.
fn behind(text: &str, cells: usize) -> Option<&str> {
    let inner = inner(text);
    let bar = *bars(inner).get(cells.checked_sub(1)?)?;
    let rest = inner.get(bar + 1..)?.trim();
    let rest = rest.strip_suffix('|').filter(|rest| !rest.ends_with('\\')).unwrap_or(rest).trim_end();
    Some(rest).filter(|rest| !rest.is_empty())
}

/// A row without its first bar.
fn inner(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default().trim();
    line.strip_prefix('|').unwrap_or(line)
}

/// Where the bars stand that end cells, in bytes.
fn bars(inner: &str) -> Vec<usize> {
    let mut escaped = false;
    let mut bars = Vec::new();
    for (at, letter) in inner.char_indices() {
        if letter == '|' && !escaped {
            bars.push(at);
        }
        escaped = letter == '\\' && !escaped;
    }
    bars
}
