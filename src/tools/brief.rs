//! What of long lists an answer shows: an answer is small however long the document is, since its file is at hand.

use serde_json::{Value, json};

use super::outline::OutlineEntry;
use super::result::{self, OUTLINE_BYTES_MAX};
use super::verbs::excerpt;

/// The longest title of a document; its file has the whole.
const TITLE_BYTES_MAX: usize = 120;
/// The longest title of a heading.
const HEADING_CHARS_MAX: usize = 60;

/// The lists of an answer of `fetch`.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// The headings of the file.
    pub(super) headings: Vec<OutlineEntry>,
    /// The files of the tabs.
    pub(super) tabs: Vec<Value>,
    /// The files of the pictures.
    pub(super) images: Vec<Value>,
    /// What is to be told, the most important first.
    pub(super) warnings: Vec<String>,
}

/// Puts the lists into an answer: all of them where they fit, else the first warnings, tabs and pictures and the highest headings,
/// and how many of each are here and where the others are.
pub(super) fn filled(answer: &Value, lists: Lists) -> Value {
    let headings: Vec<OutlineEntry> = lists.headings.into_iter().map(shortened).collect();
    let mut warnings: Vec<Value> = lists.warnings.iter().map(|line| excerpt(line).into()).collect();
    let (mut tabs, mut images) = (lists.tabs, lists.images);
    let with = |outline: Vec<Value>, tabs: &[Value], images: &[Value], warnings: &[Value]| {
        let mut answer = answer.clone();
        answer["paths"] = tabs.iter().chain(images).cloned().collect();
        answer["outline"] = outline.into();
        answer["warnings"] = warnings.into();
        answer
    };
    let outline = headings.iter().map(|heading| json!(heading)).collect();
    let whole = with(outline, &tabs, &images, &warnings);
    if result::bytes(&whole) <= OUTLINE_BYTES_MAX {
        return whole;
    }
    tabs.retain(|tab| tab["path"] != answer["path"]);
    let all = [headings.len(), tabs.len(), images.len(), warnings.len()];
    let mut least = answer.clone();
    least["left_out"] = left_out([0; 4], all).into();
    let mut room = OUTLINE_BYTES_MAX.saturating_sub(result::bytes_in_brief(&least));
    // The first warning says what waits, if anything does.
    let first = warnings.first().map(size_twice).filter(|bytes| *bytes <= room);
    let (warned, share) = (first.unwrap_or_default().max(room / 3), room / 4);
    let mut keep = |list: &mut Vec<Value>, most: usize, size: fn(&Value) -> usize| {
        let (first, used) = leading(list, most.min(room), size);
        list.truncate(first);
        room -= used;
    };
    keep(&mut warnings, warned, size_twice);
    keep(&mut tabs, share, size);
    keep(&mut images, share, size);
    let outline = highest(&headings, room);
    let said = left_out([outline.len(), tabs.len(), images.len(), warnings.len()], all);
    let mut cut = with(outline, &tabs, &images, &warnings);
    if !said.is_empty() {
        cut["left_out"] = said.into();
    }
    cut
}

/// Says how many headings, tabs, pictures and warnings are left out, and where they are.
fn left_out(shown: [usize; 4], all: [usize; 4]) -> String {
    let kinds = [
        "headings (`grep -n '^#'` in the file finds all, `section` gives those below one)",
        "other tabs (ID.TAB.md beside the file)",
        "pictures (in the folder beside it)",
        "warnings (workspace://status/PATH has what waits)",
    ];
    let counted: Vec<String> = kinds
        .into_iter()
        .zip(shown.into_iter().zip(all))
        .filter(|(_, (shown, all))| shown < all)
        .map(|(kind, (shown, all))| format!("{shown} of {all} {kind}"))
        .collect();
    if counted.is_empty() { String::new() } else { format!("here are {}", counted.join(", ")) }
}

/// The highest levels of headings that fit into so many bytes, or the first headings when even the highest level does not.
/// Where some are left out none has its anchor, so that there is room for more of them: each is found by its line and title.
fn highest(headings: &[OutlineEntry], room: usize) -> Vec<Value> {
    let whole: Vec<Value> = headings.iter().map(|heading| json!(heading)).collect();
    if leading(&whole, room, size).0 == whole.len() {
        return whole;
    }
    let entry = |heading: &OutlineEntry| json!({ "line": heading.line, "end_line": heading.end_line, "level": heading.level, "title": heading.title });
    let up_to = |level: usize| headings.iter().filter(move |heading| heading.level <= level).map(entry);
    let fits = |level: &usize| up_to(*level).map(|entry| size(&entry)).sum::<usize>() <= room;
    let highest = headings.iter().map(|heading| heading.level).min().unwrap_or(1);
    let deepest = (highest..=6).rev().find(fits).unwrap_or(highest);
    let mut shown: Vec<Value> = up_to(deepest).collect();
    shown.truncate(leading(&shown, room, size).0);
    shown
}

/// The title of a document, or its beginning.
pub(super) fn title(title: &str) -> String {
    let end = title.char_indices().map(|(at, letter)| at + letter.len_utf8()).take_while(|end| *end <= TITLE_BYTES_MAX);
    match title.get(..end.last().unwrap_or_default()) {
        Some(start) if start.len() < title.len() => format!("{start}…"),
        Some(_) | None => title.to_owned(),
    }
}

/// Whether a title as an outline shows it is that of a heading.
pub(super) fn is_title(shown: &str, title: &str) -> bool {
    shown == title
        || shown.strip_suffix('…').is_some_and(|start| start.len() >= HEADING_CHARS_MAX && title.starts_with(start))
}

fn shortened(mut heading: OutlineEntry) -> OutlineEntry {
    if let Some((end, _)) = heading.title.char_indices().nth(HEADING_CHARS_MAX) {
        heading.title.truncate(end);
        heading.title.push('…');
    }
    heading
}

/// How many of the first values fit into so many bytes, and how many of these they take.
fn leading(values: &[Value], bytes_max: usize, size: fn(&Value) -> usize) -> (usize, usize) {
    let mut used = 0;
    for (at, value) in values.iter().enumerate() {
        let bytes = size(value);
        if used + bytes > bytes_max {
            return (at, used);
        }
        used += bytes;
    }
    (values.len(), used)
}

/// The bytes of a value in a list.
fn size(value: &Value) -> usize {
    value.to_string().len() + 1
}

/// The bytes of one in a list that stands in the text, too, where its marks are marked once more.
fn size_twice(value: &Value) -> usize {
    let written = value.to_string();
    written.len() + Value::from(written).to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headings(levels: &[usize]) -> Vec<OutlineEntry> {
        let heading = |(index, level): (usize, &usize)| OutlineEntry {
            line: index + 1,
            end_line: index + 1,
            level: *level,
            anchor: "h.abcdefghijkl".into(),
            title: "A heading of the usual length".into(),
        };
        levels.iter().enumerate().map(heading).collect()
    }

    fn check(levels: &[usize], room: usize, expected: &[usize]) {
        let shown = highest(&headings(levels), room);
        let shown: Vec<usize> = shown.iter().filter_map(|entry| entry["level"].as_u64()?.try_into().ok()).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn an_outline_loses_its_lowest_levels_first() {
        check(&[], 0, &[]);
        check(&[1, 2, 3], 400, &[1, 2, 3]);
        check(&[[1, 2].repeat(2), [3; 90].to_vec()].concat(), 400, &[1, 2].repeat(2));
        // Not even one level fits, or nothing at all.
        check(&[2; 500], 400, &[2; 5]);
        check(&[2; 500], 50, &[]);
    }

    #[test]
    fn a_title_that_was_cut_is_known_again() {
        let mut long = headings(&[1]);
        long[0].title = "ä".repeat(70);
        let shown = shortened(long[0].clone()).title;
        assert_eq!(shown.chars().count(), 61);
        assert!(is_title(&shown, &long[0].title) && is_title(&long[0].title, &long[0].title));
        assert!(!is_title("One…", "One and more") && !is_title("…", "One"));
        assert_eq!(title("Ana's plan"), "Ana's plan");
        assert_eq!(title(&"ä".repeat(61)), format!("{}…", "ä".repeat(60)));
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let file = |name: &str| json!({ "path": name });
        let lists = |count: usize| Lists {
            headings: headings(&vec![1; count]),
            tabs: vec![file("one"), file("two")],
            images: vec![file("three"); count],
            warnings: vec!["line 5: LOCKED: a drawing".into(); count],
        };
        let answer = json!({ "path": "one", "outline": [] });
        let whole = filled(&answer, lists(1));
        let shown = (&whole["paths"], whole["outline"].as_array().map(Vec::len), whole.get("left_out"));
        assert_eq!(shown, (&json!([file("one"), file("two"), file("three")]), Some(1), None));
        assert_eq!(whole["warnings"], json!(["line 5: LOCKED: a drawing"]));
        let cut = filled(&answer, lists(500));
        let said = cut["left_out"].as_str().unwrap_or_default();
        for words in ["of 500 headings", "of 500 pictures", "of 500 warnings"] {
            assert!(said.contains(words), "{said}");
        }
        assert!(!said.contains("tabs") && cut["paths"][0] == file("two"), "{cut:#}");
        assert!(result::bytes(&cut) <= OUTLINE_BYTES_MAX);
    }
}
