//! Objects and anchors that a push asked for and whose ids the remote gave: found in the remote's text, put into the file's.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::slice::Iter;

use crate::mebdf::{self, Block, Content, Run, RunContent, Tree};

use super::carried::Walk;
use super::item::Item;
use super::merge::same_meaning;
use super::readings;
use super::{Local, Observation, Remote};

/// The id that asks for an object to be made.
const NEW: &str = "new";

/// An object or an anchor as the file asks for it, and as the remote has it.
pub(super) type Named = (RunContent, RunContent);

/// Puts the ids that the remote gave into files of which a part waits: else the ids and what waits would meet in one block
/// and be taken for edits of both sides.
pub(super) fn name_anew(item: &mut Item, walk: &mut Walk, remote: &Remote) {
    for (id, remote) in &remote.parts {
        let Some(Observation { base, local: Local::Text { text, .. }, .. }) = walk.observed.get_mut(id) else {
            continue;
        };
        let Some(of_both) = item.state.bases.get(id).or(base.as_ref()) else { continue };
        if of_both == remote || text == of_both || same_meaning(of_both, text) {
            continue;
        }
        let Some(ids) = found(of_both, remote) else { continue };
        if let (Some(of_file), Some(of_base)) = (put(text, &ids), put(of_both, &ids)) {
            *text = of_file;
            walk.rewritten.insert(id.clone());
            if walk.unrecorded.contains_key(id) && !item.state.bases.contains_key(id) {
                *base = Some(of_base);
            } else {
                item.state.bases.insert(id.clone(), of_base);
            }
        }
    }
}

/// Finds what stands in `remote` where `expected` asks for new objects and anchors; `None` unless the two say the same
/// otherwise.
pub(super) fn found(expected: &str, remote: &str) -> Option<Vec<Named>> {
    let mut tree = asking(expected)?;
    let named: Vec<Named> = name(&mut tree, &readings::of(remote).parsed.tree).into_iter().flatten().collect();
    (!named.is_empty() && same_meaning(&mebdf::print(&tree), remote)).then_some(named)
}

/// Finds the same where a later push has written into other blocks: `None` unless those that ask for something say the same
/// otherwise.
pub(super) fn found_in_blocks(expected: &str, remote: &str) -> Option<Vec<Named>> {
    let (mut tree, reading) = (asking(expected)?, readings::of(remote));
    let there = &reading.parsed.tree;
    let named = name(&mut tree, there);
    let same = |at: usize| tree.blocks.get(at).zip(there.blocks.get(at)).is_some_and(|(one, other)| one == other);
    let sure = tree.blocks.len() == there.blocks.len()
        && named.iter().enumerate().all(|(at, named)| named.is_empty() || same(at));
    let named: Vec<Named> = named.into_iter().flatten().collect();
    (sure && !named.is_empty()).then_some(named)
}

/// Returns what a text says that may ask for something; most do not.
fn asking(text: &str) -> Option<Tree> {
    let reading = readings::of(text);
    let mut runs = reading.parsed.tree.blocks.iter().flat_map(|block| block.content.runs());
    let may_ask = runs.any(|run| matches!(run.content, RunContent::Object(_) | RunContent::Anchor(_)));
    may_ask.then(|| reading.parsed.tree.clone())
}

/// Puts what stands in `there` into each block of a tree that asks for it there; returns what, block by block.
fn name(tree: &mut Tree, there: &Tree) -> Vec<Vec<Named>> {
    let ids = [picture_ids(tree), picture_ids(there)];
    let blocks = tree.blocks.iter_mut().zip(&there.blocks);
    let named = blocks.map(|(block, there)| {
        let mut named = Vec::new();
        for (run, there) in block.content.runs_mut().into_iter().zip(there.content.runs()) {
            if answers(&run.content, &there.content) || is_moved_picture(&run.content, &there.content, &ids) {
                named.push((run.content.clone(), there.content.clone()));
                run.content = there.content.clone();
            }
        }
        named
    });
    named.collect()
}

/// Tells whether the remote has here what the file asks for.
fn answers(asked: &RunContent, given: &RunContent) -> bool {
    match (asked, given) {
        (RunContent::Object(one), RunContent::Object(other)) => {
            is_new(asked) && one.kind == other.kind && other.id.is_some() && !is_new(given)
        }
        // An anchor that moved got another id.
        (RunContent::Anchor(asked), RunContent::Anchor(Some(given))) => asked.as_ref() != Some(given),
        _ => false,
    }
}

/// Tells whether the remote has a new picture where the file has one that it no longer has: one that moved got another id.
fn is_moved_picture(asked: &RunContent, given: &RunContent, [expected, there]: &[BTreeSet<String>; 2]) -> bool {
    let (RunContent::Object(asked), RunContent::Object(given)) = (asked, given) else { return false };
    let (Some(old), Some(new)) = (&asked.id, &given.id) else { return false };
    asked.kind == "image" && given.kind == "image" && !there.contains(old) && !expected.contains(new)
}

fn picture_ids(tree: &Tree) -> BTreeSet<String> {
    let runs = tree.blocks.iter().flat_map(|block| block.content.runs());
    let id = |run: &Run| if let RunContent::Object(object) = &run.content { object.id.clone() } else { None };
    runs.filter_map(id).collect()
}

/// Puts what the remote has into a file's text that asks for it, in its order; nothing else of it changes. `None` when it
/// is not sure which is which.
pub(super) fn put(local: &str, named: &[Named]) -> Option<String> {
    let reading = readings::of(local);
    let all = reading.parsed.tree.blocks.iter().flat_map(|block| block.content.runs());
    let is_asked = |content: &RunContent| named.iter().any(|(asked, _)| asked == content);
    let asked = all.filter(|run| is_new(&run.content) || is_asked(&run.content)).count();
    let (mut text, mut done) = (String::with_capacity(local.len()), 0);
    let mut answers = Answers { all: named, named: named.iter().peekable(), seen: 0 };
    for block in &reading.parsed.tree.blocks {
        text.push_str(local.get(done..block.span.0.start)?);
        // The anchor directly behind the marks of a heading is the heading's own.
        let own = matches!(block.content, Content::Heading { anchor: Some(_), .. });
        answers.put(local.get(block.span.0.clone())?, own, &mut text);
        done = block.span.0.end;
    }
    text.push_str(local.get(done..)?);
    // What merely looks like such a form, as in code, would be counted here and not there.
    (answers.named.peek().is_none() && answers.seen == asked).then_some(text)
}

/// What the remote has, in the order of the file.
struct Answers<'a> {
    all: &'a [Named],
    /// Those that were not yet put into the file.
    named: Peekable<Iter<'a, Named>>,
    /// Forms of the file that ask for something.
    seen: usize,
}

impl Answers<'_> {
    /// Writes a block's source with what the remote has; with `own` its first form is left as it is.
    fn put(&mut self, source: &str, mut own: bool, text: &mut String) {
        let mut rest = source;
        while let Some(at) = rest.find("{^") {
            let (before, form) = rest.split_at(at);
            text.push_str(before);
            rest = form;
            let Some(end) = end_of_form(form) else { break };
            let (form, behind) = form.split_at(end);
            rest = behind;
            let is_asked = |content: &RunContent| self.all.iter().any(|(asked, _)| asked == content);
            let content = content_of(form).filter(|content| (is_new(content) || is_asked(content)) && !own);
            own = false;
            self.seen += usize::from(content.is_some());
            match self.named.next_if(|(asked, _)| content.as_ref() == Some(asked)) {
                Some((_, given)) => text.push_str(&form_of(given)),
                None => text.push_str(form),
            }
        }
        text.push_str(rest);
    }
}

fn is_new(content: &RunContent) -> bool {
    match content {
        RunContent::Object(object) => object.id.as_deref() == Some(NEW),
        RunContent::Anchor(id) => id.is_none(),
        RunContent::Text(_) | RunContent::FootnoteReference(_) => false,
    }
}

/// Bytes up to and with the brace that closes a form.
fn end_of_form(form: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, letter) in form.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            '}' if !quoted => return Some(at + 1),
            '\n' => return None,
            _ => {}
        }
    }
    None
}

/// Reads a form that stands alone.
fn content_of(form: &str) -> Option<RunContent> {
    let tree = mebdf::parse(form).tree;
    let [Block { content: Content::Paragraph { runs }, .. }] = tree.blocks.as_slice() else { return None };
    match runs.as_slice() {
        [Run { content: content @ (RunContent::Object(_) | RunContent::Anchor(_)), .. }] => Some(content.clone()),
        _ => None,
    }
}

/// Writes an object or an anchor as it stands in a text.
fn form_of(content: &RunContent) -> String {
    let run = Run { content: content.clone(), marks: mebdf::Marks::default() };
    let blocks = vec![Block::new(Content::Paragraph { runs: vec![run] })];
    mebdf::print(&Tree { front_matter: None, blocks }).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: &str, remote: &str, local: &str, result: Option<&str>) {
        let text = found(expected, remote).and_then(|named| put(local, &named));
        assert_eq!(text.as_deref(), result, "{expected:?} {remote:?} {local:?}");
    }

    #[test]
    fn a_later_push_may_have_written_into_other_blocks() {
        let check = |expected: &str, remote: &str, count: Option<usize>| {
            assert_eq!(found_in_blocks(expected, remote).map(|named| named.len()), count, "{expected:?} {remote:?}");
        };
        let asked = "One {^= new image \"x\"} two\n\n[^1]: \\\n";
        check(asked, "One {^= kix.1 image} two\n\n[^1]: note\n", Some(1));
        check(asked, "One {^= kix.1 image} three\n\n[^1]: note\n", None);
        check(asked, "One {^= kix.1 image} two\n\nmore\n\n[^1]: note\n", None);
        check(asked, "One {^= new image \"x\"} two\n\n[^1]: note\n", None);
    }

    #[test]
    fn new_objects_get_their_names() {
        let asked = "One\n\n{^= new image \"a}.png\"} two {^= new image \"b\"}\n";
        let given = "One\n\n{^= kix.1 image} two {^= kix.2 image \"alt\"}\n";
        let spelt = "One\n\n{^=  new   image \"a}.png\"} two {^= new image \"b\"}\n\nand more\n";
        check(asked, given, spelt, Some("One\n\n{^= kix.1 image} two {^= kix.2 image \"alt\"}\n\nand more\n"));
        // In a table, in a list.
        check(
            "| a |\n| --- |\n| {^= new image \"x\"} |\n",
            "| a |\n| --- |\n| {^= kix.1 image} |\n",
            "| a |\n|---|\n| {^= new image \"x\"} |\n",
            Some("| a |\n|---|\n| {^= kix.1 image} |\n"),
        );
        // Anchors, beside one that stands, a heading's own, and one in code.
        check(
            "# {^ h.1}A {^}b\n\nOne {^ kix.0}two {^}three\n\n`{^ kix.9}`\n",
            "# {^ h.1}A {^ kix.1}b\n\nOne {^ kix.0}two {^ kix.2}three\n\n`{^ kix.9}`\n",
            "# {^}A {^ }b\n\nOne {^ kix.0}two {^}three\n\n`{^ kix.9}`\n",
            Some("# {^}A {^ kix.1}b\n\nOne {^ kix.0}two {^ kix.2}three\n\n`{^ kix.9}`\n"),
        );
        // One that moved got another id.
        check("One {^ kix.1}two\n", "One {^ kix.2}two\n", "One {^ kix.1}two\n", Some("One {^ kix.2}two\n"));
        check(
            "One\n\ntwo {^= kix.1 image}\n",
            "One\n\ntwo {^= kix.2 image}\n",
            "One\n\ntwo {^= kix.1 image}\n\nmore\n",
            Some("One\n\ntwo {^= kix.2 image}\n\nmore\n"),
        );
        // It did not land, or others wrote in between.
        check(asked, "One\n", spelt, None);
        check(asked, "One more\n\n{^= kix.1 image} two {^= kix.2 image}\n", spelt, None);
        check("One\n", "One\n", "One\n", None);
        check("One\n\ntwo {^= kix.1 image}\n", "One {^= kix.1 image}\n\ntwo\n", "One\n\ntwo {^= kix.1 image}\n", None);
        let (one, two) = ("{^= kix.1 image} a {^= kix.2 image}\n", "{^= kix.2 image} a {^= kix.1 image}\n");
        check(one, two, one, None);
        // What only looks like one leaves a doubt.
        check("{^= new image \"x\"}\n", "{^= kix.1 image}\n", "`{^= new image \"x\"}`\n\n{^= new image \"x\"}\n", None);
        // The file asks for other things by now.
        check("{^= new image \"x\"}\n", "{^= kix.1 image}\n", "{^= new image \"y\"}\n", None);
    }
}
