//! Objects that a push asked for and whose ids the remote gave: found in the remote's text, put into the file's.

use crate::mebdf::{self, Block, Content, Object, Run, RunContent, Tree};

use super::merge::same_meaning;

/// The id that asks for an object to be made.
const NEW: &str = "new";

/// An object as the file asks for it, and as the remote has it.
pub(super) type Named = (Object, Object);

/// Finds what stands in `remote` where `expected` asks for new objects; `None` unless the two say the same otherwise.
pub(super) fn found(expected: &str, remote: &str) -> Option<Vec<Named>> {
    let mut tree = mebdf::parse(expected).tree;
    let there = mebdf::parse(remote).tree;
    let mut named = Vec::new();
    for (block, there) in tree.blocks.iter_mut().zip(&there.blocks) {
        for (run, there) in block.content.runs_mut().into_iter().zip(there.content.runs()) {
            let (RunContent::Object(asked), RunContent::Object(given)) = (&mut run.content, &there.content) else {
                continue;
            };
            if is_new(asked) && asked.kind == given.kind && given.id.is_some() && !is_new(given) {
                named.push((asked.clone(), given.clone()));
                *asked = given.clone();
            }
        }
    }
    (!named.is_empty() && same_meaning(&mebdf::print(&tree), remote)).then_some(named)
}

/// Puts the objects into a file's text that asks for them, in their order; nothing else of it changes. `None` when it is
/// not sure which is which.
pub(super) fn put(local: &str, named: &[Named]) -> Option<String> {
    let tree = mebdf::parse(local).tree;
    let all = tree.blocks.iter().flat_map(|block| block.content.runs());
    let asked = all.filter(|run| matches!(&run.content, RunContent::Object(object) if is_new(object))).count();
    let (mut text, mut rest, mut seen) = (String::with_capacity(local.len()), local, 0);
    let mut named = named.iter().peekable();
    while let Some(at) = rest.find("{^=") {
        let (before, form) = rest.split_at(at);
        text.push_str(before);
        let Some(end) = end_of_form(form) else {
            rest = form;
            break;
        };
        let (form, behind) = form.split_at(end);
        rest = behind;
        let object = object_of(form).filter(is_new);
        seen += usize::from(object.is_some());
        match named.next_if(|(asked, _)| object.as_ref() == Some(asked)) {
            Some((_, given)) => text.push_str(&form_of(given)),
            None => text.push_str(form),
        }
    }
    text.push_str(rest);
    // What merely looks like such a form, as in code, would be counted here and not there.
    (named.peek().is_none() && seen == asked).then_some(text)
}

fn is_new(object: &Object) -> bool {
    object.id.as_deref() == Some(NEW)
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
fn object_of(form: &str) -> Option<Object> {
    let tree = mebdf::parse(form).tree;
    let [Block { content: Content::Paragraph { runs }, .. }] = tree.blocks.as_slice() else { return None };
    match runs.as_slice() {
        [Run { content: RunContent::Object(object), .. }] => Some(object.clone()),
        _ => None,
    }
}

/// Writes an object as it stands in a text.
fn form_of(object: &Object) -> String {
    let run = Run { content: RunContent::Object(object.clone()), marks: mebdf::Marks::default() };
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
        // It did not land, or others wrote in between.
        check(asked, "One\n", spelt, None);
        check(asked, "One more\n\n{^= kix.1 image} two {^= kix.2 image}\n", spelt, None);
        check("One\n", "One\n", "One\n", None);
        // What only looks like one leaves a doubt.
        check("{^= new image \"x\"}\n", "{^= kix.1 image}\n", "`{^= new image \"x\"}`\n\n{^= new image \"x\"}\n", None);
        // The file asks for other things by now.
        check("{^= new image \"x\"}\n", "{^= kix.1 image}\n", "{^= new image \"y\"}\n", None);
    }
}
