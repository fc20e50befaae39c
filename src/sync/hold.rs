//! What makes a saved file wait for the person before anything of it is pushed.

use std::collections::{BTreeMap, BTreeSet};

use similar::{Algorithm, DiffTag, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation as _;

use super::readings;
use crate::mebdf::{self, Content, FrontMatter, RunContent};
use crate::model::Notice;

/// Below this length of the base's text a shrink is not suspicious, in bytes.
const SHRINK_FROM_BYTES: usize = 80;

/// Returns why `local` must not be pushed without being accepted; empty when it may.
///
/// Empty, truncated, half-restored and half-merged files look like edits of a document; a person meant none of them.
#[must_use]
pub fn holds(base: Option<&str>, local: &str) -> Vec<Notice> {
    let Some(base) = base.filter(|base| !base.trim().is_empty() && *base != local) else { return Vec::new() };
    if local.trim().is_empty() {
        let message = "the file is empty, and pushing it would delete the whole text; bring it back, or delete the file and `restore` \
             it, or push it with `push --accept`";
        return vec![notice("EMPTY", message)];
    }
    let mut notices = Vec::new();
    if local.contains('\0') {
        let message = "the file holds NUL bytes, as half-written files do; save it again without them";
        notices.push(notice("NUL", message));
    }
    // The head is as long as ever, whatever became of the text; and marks of looks are none of it.
    let (read_base, read_local) = (readings::of(base), readings::of(local));
    let (read_base, read_local) = (&read_base.parsed, &read_local.parsed);
    let is_most_gone = said_bytes(&read_local.tree) * 10 < said_bytes(&read_base.tree) * 4;
    let (was, is) = (mebdf::body(base).trim().len(), mebdf::body(local).trim().len());
    let has_nothing = |text: &str| mebdf::body(text).lines().all(|line| matches!(line.trim(), "" | "\\"));
    if !has_nothing(base) && has_nothing(local) {
        let message = "no text is left below the head, and pushing that would delete the whole text; bring it back, or delete \
                       the file and `restore` it, or push it with `push --accept`";
        notices.push(notice("EMPTY", message));
    } else if is_most_gone && was >= SHRINK_FROM_BYTES && is.saturating_mul(10) < was.saturating_mul(4) {
        let message = "the file lost more than 60 % of its text; bring it back, or delete the file and `restore` it, or push \
                       it with `push --accept`";
        notices.push(notice("SHRUNK", message));
    }
    // Up to the end of a line is what people delete, and editors leave out the last newline.
    let is_beginning = base
        .strip_prefix(local)
        .is_some_and(|rest| !rest.trim_start_matches(' ').starts_with('\n') && !rest.is_empty());
    if !local.ends_with('\n') && (is_beginning || is_torn(base, local)) {
        notices.push(half_written(local));
    }
    let (was, is) = (read_base, read_local);
    notices.extend(opened((base, was), (local, is)));
    notices.extend(half_merged((base, was), (local, is)));
    if let Some(head) = &was.tree.front_matter {
        notices.extend(other_head(head, (local, is)));
        notices.extend(second_head(head, (base, was), (local, is)));
    }
    notices
}

/// Tells whether it is the text itself that looks like no edit, not how much it lacks of another one.
pub(super) fn is_of_the_text(held: &Notice) -> bool {
    !matches!(&*held.code, "EMPTY" | "SHRUNK" | "HALF_WRITTEN")
}

/// Tells whether a text brings back most of what the base says, and all of its objects: only such a text ends by itself what a
/// person was to be asked about. The length alone would not do: a text that lost nearly everything and got as much of something
/// else would pass for an edit.
#[must_use]
pub fn brings_back(base: &str, text: &str) -> bool {
    let (was, is) = (readings::of(base), readings::of(text));
    let (was_said, is_said) = (mebdf::said(&was.parsed.tree), mebdf::said(&is.parsed.tree));
    // Each word counts with the one before it, since every text has many of the small ones.
    let mut stand: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for pair in pairs(&is_said) {
        *stand.entry(pair).or_default() += 1;
    }
    let (mut all, mut kept) = (0, 0);
    for pair in pairs(&was_said) {
        all += pair.1.len();
        if let Some(left) = stand.get_mut(&pair).filter(|left| **left > 0) {
            *left -= 1;
            kept += pair.1.len();
        }
    }
    let objects = objects(&is.parsed.tree);
    kept * 2 >= all && self::objects(&was.parsed.tree).is_subset(&objects)
}

/// The words of a text, each behind the one before it.
fn pairs(said: &str) -> impl Iterator<Item = (&str, &str)> {
    said.unicode_words().scan("", |before, word| Some((std::mem::replace(before, word), word)))
}

/// The ids of the objects of a text.
fn objects(tree: &mebdf::Tree) -> BTreeSet<&str> {
    let runs = tree.blocks.iter().flat_map(|block| block.content.runs());
    let objects =
        runs.filter_map(|run| if let RunContent::Object(object) = &run.content { Some(object) } else { None });
    objects.filter_map(|object| object.id.as_deref()).collect()
}

/// Counts what the blocks of a text say, in bytes.
fn said_bytes(tree: &mebdf::Tree) -> usize {
    let of_block = |content: &Content| -> usize {
        let text = |run: &mebdf::Run| if let RunContent::Text(text) = &run.content { text.len() } else { 0 };
        let code = if let Content::Code { text, .. } = content { text.len() } else { 0 };
        content.runs().into_iter().map(text).sum::<usize>() + code
    };
    tree.blocks.iter().map(|block| of_block(&block.content)).sum()
}

/// Returns why a file that has no base must not be merged with `remote`: its head is none, or another item's.
pub(super) fn other_item(remote: &str, local: &str) -> Option<Notice> {
    let remote = readings::of(remote);
    let head = remote.parsed.tree.front_matter.as_ref()?;
    if local.trim().is_empty() {
        return None;
    }
    other_head(head, (local, &readings::of(local).parsed))
}

/// Why a file must wait that was emptied while it was in conflict.
pub(super) fn emptied() -> Notice {
    let message = "the file is empty, and was in conflict with the document; bring its text back, or take the document's with \
                   `push --accept`";
    notice("EMPTY", message)
}

/// Returns why `local`, which nobody saw being saved, may be half of a save that a power cut ended, whatever was edited in it:
/// it has no end of its own, nor that of the base.
pub(super) fn cut(base: &str, local: &str) -> Option<Notice> {
    if local.ends_with('\n') || !base.ends_with('\n') || local.trim().is_empty() {
        return None;
    }
    let (was, is) = (mebdf::body(base), mebdf::body(local));
    let mut ends = was.lines().rev().filter(|line| !line.trim().is_empty());
    let (last, above) = (ends.next()?, ends.next());
    let end = is.lines().next_back().unwrap_or_default();
    let is_cut = end != last && last.starts_with(end);
    // Who has written to the last line has come to the end, if what stood above it still stands. Who has deleted the end, or
    // written another one, looks the same as a torn save, and is asked.
    let lacks = |line: &str, wanted: &str| {
        let words: BTreeSet<&str> = line.unicode_words().collect();
        wanted.unicode_words().filter(|word| !words.contains(word)).count()
    };
    let lacks_last = lacks(end, last) > 0 && !is.lines().any(|line| line == last);
    let has_most = |line: &str, wanted: &str| lacks(line, wanted) * 4 <= wanted.unicode_words().count();
    let lacks_above = |above: &str| !is.lines().any(|line| line == above || has_most(line, above));
    let lacks_last = lacks_last || end != last && above.is_some_and(lacks_above);
    (is_cut || lacks_last).then(|| half_written(local))
}

/// Tells whether a text, whatever was edited above, ends within a line of the base and has nothing of what follows there.
fn is_torn(base: &str, local: &str) -> bool {
    let (was, is) = (mebdf::body(base), mebdf::body(local));
    let end = is.lines().next_back().unwrap_or_default();
    let lines: Vec<&str> = was.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    if end.trim().is_empty() || lines.contains(&end.trim_end()) {
        return false;
    }
    let stand: BTreeSet<&str> = is.lines().map(str::trim_end).collect();
    let gone = lines.iter().rev().take_while(|line| !stand.contains(*line)).count();
    // Who takes away the end of the last line says it so; of what stands further up, the rest would stand, too.
    let above_last = lines.iter().rev().take(gone).skip(1);
    let goes_on =
        |line: &&str| line.strip_prefix(end).is_some_and(|rest| !rest.trim().is_empty()) || goes_on_behind(line, end);
    above_last.copied().any(|line| goes_on(&line))
}

/// Tells whether a line goes on where another one ends that has its first words, and perhaps others between them.
fn goes_on_behind(line: &str, end: &str) -> bool {
    let (wanted, said): (Vec<&str>, Vec<&str>) = (line.split_whitespace().collect(), end.split_whitespace().collect());
    let Some((last, before)) = said.split_last() else { return false };
    let mut at = 0;
    for word in before {
        at += usize::from(wanted.get(at) == Some(word));
    }
    let next = wanted.get(at);
    let is_whole = next == Some(last) && at + 1 < wanted.len();
    let is_part = next.is_some_and(|next| next.len() > last.len() && next.starts_with(last));
    // Few words of it in another sentence tell nothing.
    at > 0 && (at + 1) * 2 >= said.len() && (is_whole || is_part)
}

fn half_written(local: &str) -> Notice {
    let message = "the file ends in the middle of a line, as half-written files do; save it again, with a newline at its end \
                   if it is meant so, or push it with `push --accept`";
    at_line(local.lines().count(), notice("HALF_WRITTEN", message))
}

/// Tells whether a text ends before the base does: of the lines behind the last one that both have, it has fewer, and none of those.
/// Whoever deletes the end leaves the same as who is just writing the lines one after the other.
pub(super) fn lacks_end(base: &str, local: &str) -> bool {
    let [was, is] = [base, local]
        .map(|text| mebdf::body(text).lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<&str>>());
    let (mut mine, mut theirs, mut own) = (0, 0, BTreeSet::<&str>::new());
    for op in capture_diff_slices(Algorithm::Myers, &was, &is) {
        let lines = is.get(op.new_range()).unwrap_or_default();
        if op.tag() != DiffTag::Equal || lines.is_empty() {
            own.extend(lines);
            continue;
        }
        // A line may stand in the base again further down; what ends with it need not have come that far.
        let behind = was.get(theirs..).unwrap_or_default();
        let first = behind.windows(lines.len()).position(|place| place == lines).map(|at| theirs + at);
        (mine, theirs) = (op.new_range().end, first.unwrap_or(op.old_range().start) + lines.len());
    }
    let lacks_lines = was.len() - theirs > is.len() - mine && was.iter().skip(theirs).all(|line| !own.contains(line));
    // The rest of the last line may follow, and the end of that.
    let lacks_rest = !local.ends_with('\n')
        && base.ends_with('\n')
        && was.last().zip(is.last()).is_some_and(|(was, is)| was != is && was.starts_with(is));
    !is.is_empty() && (lacks_lines || lacks_rest)
}

/// A text and what it says.
type Read<'a> = (&'a str, &'a mebdf::Parsed);

/// A fence that takes what stood in the base before for code, up to the end.
fn opened((base, was): Read<'_>, (local, is): Read<'_>) -> Option<Notice> {
    let at = mebdf::open_fence(local, &is.tree)?;
    let Some(Content::Code { text, .. }) = is.tree.blocks.last().map(|block| &block.content) else { return None };
    // What was code before stays code.
    let known: BTreeSet<&str> = outside_code(base, was).map(|(_, line)| line.trim()).collect();
    let takes = text.lines().map(str::trim).any(|line| !line.is_empty() && known.contains(line));
    if !takes || mebdf::open_fence(base, &was.tree).is_some() {
        return None;
    }
    let message = "the code block that begins here is not closed, so all behind it would become code; close it with a line of \
                   the same marks, or push it with `push --accept`";
    Some(at_line(local.get(..at).unwrap_or_default().lines().count() + 1, notice("CODE_OPEN", message)))
}

/// The marks that a version control leaves where it could not merge.
fn half_merged(base: Read<'_>, local: Read<'_>) -> Option<Notice> {
    let marked = |(text, parsed): Read<'_>| {
        let mut first = None;
        let mut marks = ["<<<<<<<", "=======", ">>>>>>>"].into_iter().peekable();
        for (number, line) in outside_code(text, parsed) {
            if marks.next_if(|mark| line.starts_with(mark)).is_some() {
                first.get_or_insert(number);
            }
        }
        first.filter(|_| marks.peek().is_none())
    };
    let line = marked(local).filter(|_| marked(base).is_none())?;
    let message = "the marks of an unfinished merge stand in the file; choose one of the texts between them, or push it with \
                   `push --accept`";
    Some(at_line(line, notice("MERGE_MARKS", message)))
}

/// A head that is gone, cannot be read, or is another item's.
fn other_head(head: &FrontMatter, (local, is): Read<'_>) -> Option<Notice> {
    match &is.tree.front_matter {
        None => {
            let message = "the head between the `---` lines is gone; put it back as it was, or push the text with \
                           `push --accept`";
            Some(at_line(1, notice("HEAD_MISSING", message)))
        }
        Some(head) if head.entries.iter().all(|(key, _)| key.is_empty()) => {
            let found = is.diagnostics.iter().find(|found| found.code == mebdf::HEAD_FAULT);
            let (line, why) = found.map_or((1, "the head cannot be read"), |found| (found.line, &*found.message));
            Some(Notice { line, ..notice("HEAD_BROKEN", why) })
        }
        Some(other) if other.value("id") != head.value("id") => {
            // Where it stands, or where the head begins when it has none.
            let line = local.lines().position(|line| line.trim_start().starts_with("id:")).unwrap_or(0);
            let message = format!(
                "the `id` in the head is not this item's, which is `{}`; put that back, or push the text with `push --accept`",
                head.value("id").unwrap_or_default()
            );
            Some(at_line(line + 1, notice("ID_CHANGED", &message)))
        }
        Some(other) => {
            // A file that is older than the second tab names none, and one whose person wrote nonsense there is refused as that.
            let (was, is) = (tab_of(head)?, tab_of(other)?);
            let line = local.lines().position(|line| line.trim_start().starts_with("tab:")).unwrap_or(0);
            let message = format!(
                "the `tab` in the head is not this file's, which is `{was}`; put that back, or push the text with `push --accept`"
            );
            (was != is).then(|| at_line(line + 1, notice("ID_CHANGED", &message)))
        }
    }
}

/// The id of the tab that a head names.
fn tab_of(head: &FrontMatter) -> Option<&str> {
    head.tab_id().filter(|id| id.starts_with("t."))
}

/// The head once more among the text, as where a file was pasted into itself.
fn second_head(head: &FrontMatter, base: Read<'_>, local: Read<'_>) -> Option<Notice> {
    // Without a head, what stands there may be what is left of it.
    local.1.tree.front_matter.as_ref()?;
    let id = format!("id: {}", head.value("id")?);
    let again = |(text, parsed): Read<'_>| {
        let first = parsed.tree.blocks.first().map_or(text.len(), |block| block.span.0.start);
        let head = text.get(..first).unwrap_or_default().lines().count();
        outside_code(text, parsed).find(|(line, text)| *line > head && *text == id).map(|(line, _)| line)
    };
    let line = again(local).filter(|_| again(base).is_none())?;
    let message = "the head of the file stands here once more, as where a file was pasted into itself; remove what was \
                   pasted, or push it with `push --accept`";
    Some(at_line(line, notice("HEAD_TWICE", message)))
}

/// The lines of a text that are no code, each with its number from 1.
fn outside_code<'a>(text: &'a str, parsed: &mebdf::Parsed) -> impl Iterator<Item = (usize, &'a str)> {
    let code = parsed.tree.blocks.iter().filter(|block| matches!(block.content, Content::Code { .. }));
    let spans: Vec<_> = code.map(|block| block.span.0.clone()).collect();
    let mut start = 0;
    text.split_inclusive('\n').enumerate().filter_map(move |(number, line)| {
        let at = start;
        start += line.len();
        // They rise, so that the first that ends behind the line is the only one that may hold it.
        let next = spans.get(spans.partition_point(|span| span.end <= at));
        (!next.is_some_and(|span| span.contains(&at))).then_some((number + 1, line.trim_end()))
    })
}

/// Gives a notice its line in the file, from 1.
fn at_line(line: usize, notice: Notice) -> Notice {
    Notice { line: u32::try_from(line.max(1)).unwrap_or(u32::MAX), ..notice }
}

fn notice(code: &str, message: &str) -> Notice {
    Notice { code: code.into(), line: 0, column: 0, message: message.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_its_end_is_known_whatever_was_edited_above() {
        let base = "---\nid: x\n---\none\n\ntwo\n\nthree\n";
        let check = |local: &str, expected: bool| assert_eq!(lacks_end(base, local), expected, "{local:?}");
        check("one\n", true);
        check("one\n\ntwo mine\n", true);
        check("one\n\nmine\n\ntwo\n", true);
        check(base, false);
        check("one\n\ntwo\n\nthree more\n", false);
        check("one\n\nthree\n", false);
        check("three\n\none\n\ntwo\n", false);
        check("", false);
        check("other\n", true);
        check("one mine\n", true);
        check("one mine\n\ntwo\n\nthr", true);
        check("one mine\n\ntwo\n\nthr\n", false);
        check("one mine\n\ntwo\n\nthree", false);
    }

    #[test]
    fn a_text_that_ends_with_a_line_that_comes_again_lacks_its_end() {
        let base = "one\n\n| a | b |\n| --- | --- |\n|  |  |\n| c | d |\n|  |  |\n\n\\\n\ntwo\n\n\\\n\nlast\n";
        for mine in ["one", "mine"] {
            let text = base.replace("one", mine);
            for (at, _) in text.match_indices('\n') {
                let (begun, rest) = text.split_at(at + 1);
                assert_eq!(lacks_end(base, begun), !rest.is_empty(), "{begun:?}");
            }
        }
        let (within_a_row, _) = base.split_at(base.rfind("|  |  |").unwrap() + 3);
        assert!(lacks_end(base, within_a_row));
        // Who took out what stood before the line that comes again has its end, and more.
        assert!(!lacks_end(base, &base.replace("\\\n\ntwo\n\n", "")));
    }

    const HEAD: &str = "---\ntitle: T\nid: 1a\n---\n\n";
    const BODY: &str =
        "# One\n\nSome words of text that are long enough to count as a document, and more.\n\nThe last line of it.\n";

    #[test]
    fn what_is_wrong_with_the_head_has_its_line() {
        let base = format!("{HEAD}{BODY}");
        for (local, line, code) in [
            (BODY.to_owned(), 1, "HEAD_MISSING"),
            (base.replace("id: 1a", "id: 1b"), 3, "ID_CHANGED"),
            (base.replace("id: 1a\n", ""), 1, "ID_CHANGED"),
            (base.replace("title: T", "- T"), 2, "HEAD_BROKEN"),
            (base.replace("id: 1a\n", "id: 1a\nid: 1a\n"), 4, "HEAD_BROKEN"),
            (base.replace("id: 1a\n", "id: 1a\nheader: |\n    Acme\n  and more\n"), 6, "HEAD_BROKEN"),
            (base.replace("id: 1a\n", "id: 1a\n  header: Acme\n"), 4, "HEAD_BROKEN"),
            (base.replace("id: 1a\n", "header: |\n  Acme\nand more\nid: 1a\n"), 5, "HEAD_BROKEN"),
            (base.replace("line of it.\n", ""), 10, "HALF_WRITTEN"),
        ] {
            let found = holds(Some(&base), &local);
            let found: Vec<_> = found.iter().map(|notice| (notice.line, &*notice.code)).collect();
            assert_eq!(found, [(line, code)], "{local}");
        }
    }

    #[test]
    fn the_file_of_another_tab_is_held() {
        let of = |tab: &str| format!("{}{BODY}", HEAD.replace("id: 1a\n", &format!("id: 1a\n{tab}")));
        let (one, other) = ("tab: t.0 \"One\"\n", "tab: t.x \"Two\"\n");
        for (base, local, codes) in [
            (one, other, &["ID_CHANGED"][..]),
            (other, one, &["ID_CHANGED"]),
            (one, "tab: t.0 \"Renamed\"\n", &[]),
            (one, "", &[]),
            ("", one, &[]),
            (one, "tab: One\n", &[]),
        ] {
            let found = holds(Some(&of(base)), &of(local));
            assert_eq!(found.iter().map(|notice| &*notice.code).collect::<Vec<_>>(), codes, "{base:?} {local:?}");
        }
    }

    /// Checks which codes hold a file back whose text was [`BODY`] and is `local` now.
    fn check(local: &str, codes: &[&str]) {
        let found = holds(Some(&format!("{HEAD}{BODY}")), &format!("{HEAD}{local}"));
        assert_eq!(found.iter().map(|notice| notice.code.as_str()).collect::<Vec<_>>(), codes, "{local:?}");
    }

    #[test]
    fn what_was_pasted_or_merged_by_halves_waits() {
        let merged = BODY.replace("The last", "<<<<<<< HEAD\nThe last\n=======\nNo\n>>>>>>> theirs\n\nThe last");
        check(&merged, &["MERGE_MARKS"]);
        check(&format!("{BODY}\n```\n{merged}```\n"), &[]);
        check(&BODY.replace("Some", "Some\n=======\nmore"), &[]);
        check(&format!("{BODY}\n{HEAD}{BODY}"), &["HEAD_TWICE"]);
        check(&format!("{BODY}{HEAD}{BODY}"), &["HEAD_TWICE"]);
        let cut = holds(Some(&format!("{HEAD}{BODY}")), HEAD.trim_end().trim_end_matches('-'));
        assert!(cut.iter().all(|notice| notice.code != "HEAD_TWICE"), "{cut:?}");
        check(&format!("{BODY}\n```\n{HEAD}```\n"), &[]);
        check(&BODY.replace("Some", "id: 1a is Some"), &[]);
        // What a document says already may stay.
        let base = format!("{HEAD}{merged}\n{HEAD}");
        assert_eq!(holds(Some(&base), &base.replace("Some", "More")), []);
    }

    #[test]
    fn a_fence_that_nothing_closes_waits() {
        let fenced = |fence: &str| BODY.replace("Some words", &format!("{fence}\nSome words"));
        check(&fenced("```"), &["CODE_OPEN"]);
        check(&fenced("~~~~ rs"), &["CODE_OPEN"]);
        check(&format!("{}```\n", fenced("```")), &[]);
        check(&format!("{BODY}\n```\nlet a;\n"), &[]);
        let base = format!("{HEAD}{BODY}\n```\nlet a;\n```\n");
        let local = base.trim_end_matches("```\n");
        assert_eq!(holds(Some(&base), local), [], "it is pushed already");
        let behind = format!("{base}\nbehind\n");
        let codes = |local: &str| holds(Some(&behind), local).into_iter().map(|held| held.code).collect::<Vec<_>>();
        assert_eq!(codes(&behind.replace("a;\n```\n", "a;\n")), ["CODE_OPEN"]);
        check(&format!("{BODY}\n- a\n  ```\n  let a;\n\nend\n"), &[]);
    }

    #[test]
    fn marks_of_looks_are_no_text_that_is_lost() {
        let looks = "{!indent-left:36pt, hanging-indent:18pt}";
        let base = format!("{HEAD}one here\n\n{looks}\n\ntwo here\n\n{looks}\n\nthree here\n");
        assert_eq!(holds(Some(&base), &format!("{HEAD}one here\n\ntwo here\n\nthree here\n")), []);
        let codes = |local: &str| holds(Some(&base), local).into_iter().map(|held| held.code).collect::<Vec<_>>();
        assert_eq!(codes(&format!("{HEAD}one here\n")), ["SHRUNK"]);
    }

    #[test]
    fn only_what_was_lost_brings_a_text_back() {
        let check = |base: &str, text: &str, expected: bool| {
            assert_eq!(brings_back(base, text), expected, "{text:?}");
        };
        let words = |from: u32, to: u32| (from..to).map(|at| format!("Sentence{at} here.\n\n")).collect::<String>();
        let base = words(0, 10);
        check(&base, &base, true);
        check(&base, &base.replace("Sentence4", "Phrase4"), true);
        check(&base, &words(3, 10), true);
        check(&base, &words(0, 3), false);
        // Of other words there may be as many as there were.
        check(&base, &format!("{}{}", words(0, 3), words(20, 40)), false);
        check(&base, &words(0, 3).repeat(4), false);
        let image = "{^= kix.1 image}\n";
        check(&format!("{base}{image}"), &base, false);
        check(&format!("{base}{image}"), &format!("{image}\n{base}"), true);
    }

    #[test]
    fn a_file_that_was_cut_inside_a_line_waits() {
        check(BODY, &[]);
        check(BODY.trim_end(), &[]);
        // At the end of a line people stop, too.
        check("# One\n\nSome words of text that are long enough to count as a document, and more.\n", &[]);
        check("# One\n\nSome words of text that are long enough to count as a document, and more.", &[]);
        check("# One\n\nSome words of text that are long enough to count as a document, and more.\n\n", &[]);
        check(BODY.strip_suffix("line of it.\n").unwrap_or_default(), &["HALF_WRITTEN"]);
        check(BODY.strip_suffix("ne of it.\n").unwrap_or_default(), &["HALF_WRITTEN"]);
        check(BODY.strip_suffix(".\n").unwrap_or_default(), &["HALF_WRITTEN"]);
        check("# On", &["SHRUNK", "HALF_WRITTEN"]);
        // With an edit above, too, where more would follow.
        let edited = |text: &str| text.replace("# One", "# One and more");
        check(&edited("# One\n\nSome words of text that are long enough to cou"), &["HALF_WRITTEN"]);
        check(&edited("# One\n\nSome words of text that are long enough to cou\n"), &[]);
        check(&edited("# One\n\nSome words of text that are long enough to count as a document, and more."), &[]);
        check("The last line of it.\n\n# One and more\n\nSome words of text that are long enough to", &[]);
        // Or in that very line, at the end of a word as well.
        let own = |end: &str| format!("# One\n\nSome words of mine and text that are long {end}");
        for (end, is_held) in [
            ("enough to cou", true),
            ("enough", true),
            ("enough to be read", false),
            ("day", false),
            ("enough to\n", false),
        ] {
            check(&own(end), if is_held { &["HALF_WRITTEN"] } else { &[] });
        }
        check("", &["EMPTY"]);
        check("\\\n", &["EMPTY"]);
        check("\\\n\n\\\n", &["EMPTY"]);
        assert_eq!(holds(Some(&format!("{HEAD}few words\n")), HEAD).len(), 1);
        // Whoever writes the newline means it; so does whoever wrote something else.
        check(&BODY.replace("line of it.", ""), &[]);
        check(&BODY.replace("Some", "More").replace("ne of it.\n", ""), &[]);
        check(&BODY.replace("The last line of it.\n", "The last words"), &[]);
        // Of a save that nobody saw that is not so sure.
        let unseen = |local: &str| cut(BODY, local).is_some();
        assert!(unseen(&BODY.replace("Some", "More").replace("ne of it.\n", "")));
        assert!(unseen("# One\n\nMore words"));
        assert!(!unseen("# One\n\nMore words\n"));
        let early =
            "# One\n\nSome words of text that are long enough to count as a document, and more.\n\nNew.\n\n# One";
        assert!(unseen(early));
        assert!(!unseen(&format!("{early}\n")));
        assert!(unseen(&BODY.replace("The last line of it.\n", "New.\n\n# New heading")));
        assert!(unseen(&BODY.replace("The last line of it.\n", "The last words")));
        assert!(!unseen(&BODY.replace("The last line of it.\n", "The last words\n")));
        assert!(!unseen(&BODY.replace("The last line of it.\n", "**The** very last line of it, here")));
        assert!(!unseen(BODY.replace("Some", "More").trim_end()));
        // The last line was moved, and edited there, and the rest is not written yet.
        assert!(unseen("# One\n\nThe last line of it. New"));
        assert!(!unseen("# One\n\nThe last line of it. New\n"));
        assert!(!unseen(&BODY.replace("# One\n\nSome", "More").replace("it.\n", "it, and more")));
    }
}
