//! Looks up whether an edit of a config file left alone what is not ours.

use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::cst::CstRootNode;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, parse_to_ast};
use serde_json::Value;

use super::edit::{options, split_mark};

/// What must be the same in a text before and after an edit of one entry.
#[derive(Debug, PartialEq, Eq)]
struct Rest {
    /// The members beside the section and the entries beside ours, byte for byte and in order.
    members: Vec<String>,
    /// The comments outside of our entry, in order.
    comments: Vec<String>,
}

/// Tells whether all but one entry of a section says the same in both texts, byte for byte, comments included. A comment
/// on the line where our entry ends is our entry's.
pub(super) fn all_else(old: &str, new: &str, section: &str, name: &str) -> bool {
    match (rest(old, section, name), rest(new, section, name)) {
        (Some(old), Some(new)) => old == new,
        (None, _) | (_, None) => false,
    }
}

/// Returns what an entry says; `None` when it is not there.
pub(super) fn entry(text: &str, section: &str, name: &str) -> Option<Value> {
    let (_, body) = split_mark(text);
    let value = CstRootNode::parse(body, &options()).ok()?.to_serde_value()?;
    value.get(section)?.get(name).cloned()
}

fn rest(text: &str, section: &str, name: &str) -> Option<Rest> {
    let (_, body) = split_mark(text);
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let parsed = parse_to_ast(body, &collect, &options()).ok()?;
    let mut members = Vec::new();
    let mut ours = None;
    if let Some(Node::Object(object)) = &parsed.value {
        for member in &object.properties {
            if name_of(member) != section {
                members.push(member.text(body).to_owned());
                continue;
            }
            let Node::Object(entries) = &member.value else { return None };
            ours = ours_in(entries, name);
            let others = entries.properties.iter().filter(|entry| name_of(entry) != name);
            members.extend(others.map(|entry| entry.text(body).to_owned()));
        }
    }
    let is_ours = |start: usize| ours.is_some_and(|(from, to)| from <= start && start < end_of_line(body, to));
    let mut comments = Vec::new();
    for token in parsed.tokens? {
        let is_comment = matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_));
        if is_comment && !is_ours(token.range.start) {
            comments.push(token.text(body).to_owned());
        }
    }
    Some(Rest { members, comments })
}

/// Where our entry begins and ends.
fn ours_in(entries: &Object<'_>, name: &str) -> Option<(usize, usize)> {
    entries.properties.iter().find(|entry| name_of(entry) == name).map(|entry| (entry.range.start, entry.range.end))
}

fn end_of_line(text: &str, from: usize) -> usize {
    text.get(from..).and_then(|rest| rest.find('\n')).map_or(text.len(), |length| from + length)
}

fn name_of<'a>(member: &'a ObjectProp<'_>) -> &'a str {
    member.name.as_str()
}
