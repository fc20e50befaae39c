//! What of long lists an answer shows: an answer is small however long the document is, since its file is at hand.

use serde_json::Value;

use super::outline::OutlineEntry;
use super::verbs::excerpt;

/// What an answer of `fetch` may have as JSON, less the line that says what it lacks. One with many tabs or very long
/// names has more.
const ANSWER_BYTES: usize = 1800;
/// What the outline may have in any case.
const OUTLINE_BYTES_MIN: usize = 400;
/// What the paths of the pictures may have.
const IMAGES_BYTES: usize = 300;
/// What the warnings may have.
const WARNINGS_BYTES: usize = 300;
/// The longest title of a heading.
const TITLE_CHARS_MAX: usize = 60;

/// Keeps the first lines that fit, and says how many do not.
pub(super) fn warnings(lines: &[String]) -> Vec<Value> {
    let lines = lines.iter().map(|line| excerpt(line).into()).collect();
    let (mut shown, left_out) = leading(lines, WARNINGS_BYTES);
    if left_out > 0 {
        shown.push(format!("{left_out} more are left out").into());
    }
    shown
}

/// Keeps the first pictures that fit; returns what to say of the others.
pub(super) fn images(paths: Vec<Value>) -> (Vec<Value>, Option<String>) {
    let (shown, left_out) = leading(paths, IMAGES_BYTES);
    let said =
        format!("`paths` lacks {left_out} pictures: the folder beside the file holds one for each `{{^= ID image}}`");
    (shown, (left_out > 0).then_some(said))
}

/// Keeps the highest levels of headings that fit beside an answer of so many bytes, or the first headings when even the
/// highest level does not; returns what to say of the others.
pub(super) fn outline(entries: Vec<OutlineEntry>, answer_bytes: usize) -> (Vec<OutlineEntry>, Option<String>) {
    let room = ANSWER_BYTES.saturating_sub(answer_bytes).max(OUTLINE_BYTES_MIN);
    let all = entries.len();
    let entries: Vec<OutlineEntry> = entries.into_iter().map(shortened).collect();
    let sizes: Vec<usize> =
        entries.iter().map(|entry| size(&serde_json::to_value(entry).unwrap_or_default())).collect();
    let bytes_to = |level: usize| -> usize {
        entries.iter().zip(&sizes).filter(|(entry, _)| entry.level <= level).map(|(_, size)| size).sum()
    };
    let highest = entries.iter().map(|entry| entry.level).min().unwrap_or(1);
    let deepest = (highest..=6).rev().find(|level| bytes_to(*level) <= room);
    let mut used = 0;
    let shown: Vec<OutlineEntry> = entries
        .iter()
        .zip(&sizes)
        .filter(|(entry, _)| entry.level <= deepest.unwrap_or(highest))
        .take_while(|(_, size)| {
            used += **size;
            used <= room
        })
        .map(|(entry, _)| entry.clone())
        .collect();
    let said = (shown.len() < all).then(|| {
        format!(
            "the outline shows {} of {all} headings: name one as `section` for those below it, or look for lines that begin \
             with `#` in the file",
            shown.len()
        )
    });
    (shown, said)
}

/// Whether a title as an outline shows it is that of a heading.
pub(super) fn is_title(shown: &str, title: &str) -> bool {
    shown == title
        || shown.strip_suffix('…').is_some_and(|start| start.len() >= TITLE_CHARS_MAX && title.starts_with(start))
}

fn shortened(mut entry: OutlineEntry) -> OutlineEntry {
    if let Some((end, _)) = entry.title.char_indices().nth(TITLE_CHARS_MAX) {
        entry.title.truncate(end);
        entry.title.push('…');
    }
    entry
}

/// Keeps the first values that fit into so many bytes, and counts the others.
fn leading(mut values: Vec<Value>, bytes_max: usize) -> (Vec<Value>, usize) {
    let mut used = 0;
    let fit = values.iter().take_while(|value| {
        used += size(value);
        used <= bytes_max
    });
    let (fit, all) = (fit.count(), values.len());
    values.truncate(fit);
    (values, all - fit)
}

/// The bytes of a value in a list.
fn size(value: &Value) -> usize {
    value.to_string().len() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(levels: &[usize]) -> Vec<OutlineEntry> {
        let entry = |(index, level): (usize, &usize)| OutlineEntry {
            line: index + 1,
            end_line: index + 1,
            level: *level,
            anchor: "h.abcdefghijkl".into(),
            title: "A heading of the usual length".into(),
        };
        levels.iter().enumerate().map(entry).collect()
    }

    fn check(levels: &[usize], answer_bytes: usize, expected: &[usize]) {
        let (shown, said) = outline(entries(levels), answer_bytes);
        let shown: Vec<usize> = shown.iter().map(|entry| entry.level).collect();
        assert_eq!(shown, expected);
        assert_eq!(said.is_some(), shown.len() < levels.len(), "{said:?}");
    }

    #[test]
    fn an_outline_loses_its_lowest_levels_first() {
        check(&[], 0, &[]);
        check(&[1, 2, 3], 700, &[1, 2, 3]);
        check(&[[1, 2].repeat(4), [3; 90].to_vec()].concat(), 700, &[1, 2].repeat(4));
        // Not even one level fits.
        check(&[2; 500], 1400, &[2; 4]);
        // An answer that is long already has some of it all the same.
        check(&[1, 2, 3], 9000, &[1, 2, 3]);
        check(&[2; 500], 9000, &[2; 4]);
    }

    #[test]
    fn a_title_that_was_cut_is_known_again() {
        let mut long = entries(&[1]);
        long[0].title = "ä".repeat(70);
        let (shown, said) = outline(long.clone(), 0);
        assert_eq!((shown[0].title.chars().count(), said), (61, None));
        assert!(is_title(&shown[0].title, &long[0].title) && is_title(&long[0].title, &long[0].title));
        assert!(!is_title("One…", "One and more") && !is_title("…", "One"));
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let shown = warnings(&vec!["line 5: LOCKED: a drawing".into(); 50]);
        assert_eq!(shown.last().unwrap(), &Value::from(format!("{} more are left out", 50 - (shown.len() - 1))));
        assert!(shown.len() > 5);
        assert_eq!(warnings(&["one".into()]), [Value::from("one")]);
        let (shown, said) = images(vec![Value::from("x".repeat(140)); 5]);
        assert_eq!(shown.len(), 2);
        assert!(said.unwrap().contains("lacks 3 pictures"));
        assert_eq!(images(Vec::new()), (Vec::new(), None));
    }
}
