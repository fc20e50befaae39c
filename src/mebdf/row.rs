//! The rows of tables as they are written.

/// Counts the cells of the row of a table that the text begins with.
#[must_use]
pub fn cell_count(text: &str) -> usize {
    let line = text.lines().next().unwrap_or_default().trim();
    let inner = line.strip_prefix('|').unwrap_or(line);
    let mut escaped = false;
    let mut bars = 0;
    let mut last_is_bar = false;
    for letter in inner.chars() {
        last_is_bar = letter == '|' && !escaped;
        bars += usize::from(last_is_bar);
        escaped = letter == '\\' && !escaped;
    }
    if last_is_bar { bars } else { bars + 1 }
}
