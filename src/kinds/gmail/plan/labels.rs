//! What an edit of the labels in a thread's head becomes. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::text::label_name;
use crate::mebdf;
use crate::model::Notice;

/// Labels that come with what a mail is, or by which one is thrown away: they are changed in Gmail alone.
const FIXED: [&str; 5] = ["TRASH", "SPAM", "SENT", "DRAFT", "CHAT"];

/// How many of the labels that there are a notice names.
const NAMED_MAX: usize = 40;

/// An edit of labels.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Labels {
    /// The body of the call; `None` when nothing is to be changed.
    pub(super) call: Option<Value>,
    /// What the head says once that has landed.
    pub(super) expected: String,
    /// What cannot be done.
    pub(super) refused: Vec<Notice>,
}

/// Plans an edit of the labels of a thread. `names` are those of the account's labels by their ids; `line` is that of the entry.
///
/// Source: <https://developers.google.com/workspace/gmail/api/guides/labels>
pub(super) fn plan(shown: &str, desired: &str, names: &BTreeMap<String, String>, line: u32) -> Labels {
    let key = |name: &str| name.to_lowercase();
    let known: BTreeMap<String, (&String, String)> =
        names.iter().map(|(id, name)| (key(&label_name(name)), (id, label_name(name)))).collect();
    let before: BTreeMap<String, String> =
        mebdf::read_names(shown).into_iter().map(|name| (key(&name), name)).collect();
    // One label whose name holds a comma, in quotes that YAML took away.
    let whole = known.get(&key(desired.trim())).map(|(_, name)| vec![name.clone()]);
    let wanted = whole.unwrap_or_else(|| mebdf::read_names(desired));
    let wanted: BTreeMap<String, String> = wanted.into_iter().map(|name| (key(&name), name)).collect();
    // Where a name means nothing, nobody knows what the line was to say: a forgotten comma is no wish to archive.
    let is_clear = wanted.keys().all(|key| before.contains_key(key) || known.contains_key(key));
    let mut refused = Vec::new();
    let mut lists = true;
    let mut tell = |message: String| refused.push(Notice { code: "LABELS".into(), line, column: 0, message });
    let mut after: BTreeSet<String> = before.values().cloned().collect();
    let (mut add, mut remove) = (Vec::new(), Vec::new());
    for (key, name) in wanted.iter().filter(|(key, _)| !before.contains_key(*key)) {
        match known.get(key) {
            Some((id, _)) if FIXED.contains(&id.as_str()) => tell(fixed(name)),
            Some((id, name)) => {
                add.push((*id).clone());
                after.insert(name.clone());
            }
            // The first tells which there are.
            None if std::mem::take(&mut lists) => {
                tell(unknown(name, known.values().map(|(id, name)| (id.as_str(), name.as_str()))));
            }
            None => tell(format!("there is no label {name:?} either")),
        }
    }
    for (key, name) in before.iter().filter(|(key, _)| is_clear && !wanted.contains_key(*key)) {
        match known.get(key) {
            Some((id, _)) if FIXED.contains(&id.as_str()) => tell(fixed(name)),
            Some((id, _)) => {
                remove.push((*id).clone());
                after.remove(name);
            }
            // It was taken away in Gmail, or has another name there by now; the next reading tells.
            None => tell(format!("there is no label {name:?} in Gmail any more")),
        }
    }
    let call = (!add.is_empty() || !remove.is_empty()).then(|| json!({ "addLabelIds": add, "removeLabelIds": remove }));
    Labels { call, expected: mebdf::print_names(after.iter().map(String::as_str)), refused }
}

fn fixed(name: &str) -> String {
    format!("{name} is set and taken away in Gmail alone: nothing is thrown away, brought back or sent from here")
}

/// Says which labels there are, a person's own first.
fn unknown<'n>(name: &str, known: impl Iterator<Item = (&'n str, &'n str)>) -> String {
    let (own, given): (Vec<_>, Vec<_>) = known.filter(|(id, _)| !FIXED.contains(id)).partition(|(id, name)| id != name);
    let all: Vec<&str> = own.iter().chain(&given).map(|(_, name)| *name).collect();
    let some = mebdf::print_some_names(&all, NAMED_MAX);
    format!("there is no label {name:?}; make it in Gmail first, or take one of {some}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a plan: the ids to be added and to be taken away, what the head says then, and words of what is refused.
    #[track_caller]
    fn check(shown: &str, desired: &str, add: &[&str], remove: &[&str], expected: &str, refused: &[&str]) {
        let names = [
            ("INBOX", "INBOX"),
            ("UNREAD", "UNREAD"),
            ("STARRED", "STARRED"),
            ("TRASH", "TRASH"),
            ("SENT", "SENT"),
            ("Label_1", "Trips"),
            ("Label_2", "Work, 2026"),
            ("Label_3", "仕事/会議"),
        ];
        let names = names.iter().map(|(id, name)| ((*id).to_owned(), (*name).to_owned())).collect();
        let planned = plan(shown, desired, &names, 4);
        let call =
            (!add.is_empty() || !remove.is_empty()).then(|| json!({ "addLabelIds": add, "removeLabelIds": remove }));
        assert_eq!((planned.call, planned.expected.as_str()), (call, expected), "{desired}");
        assert_eq!(planned.refused.len(), refused.len(), "{:?}", planned.refused);
        for (notice, words) in planned.refused.iter().zip(refused) {
            assert!(notice.message.contains(words) && notice.line == 4, "{notice}");
        }
    }

    #[test]
    fn labels_are_added_and_taken_away() {
        check("INBOX, UNREAD", "INBOX, UNREAD", &[], &[], "INBOX, UNREAD", &[]);
        check("INBOX, UNREAD", "UNREAD,inbox ", &[], &[], "INBOX, UNREAD", &[]);
        check("INBOX, UNREAD", "INBOX", &[], &["UNREAD"], "INBOX", &[]);
        check("INBOX", "", &[], &["INBOX"], "", &[]);
        check(r#""Work, 2026""#, "Work, 2026", &[], &[], r#""Work, 2026""#, &[]);
        check("INBOX, UNREAD", "[INBOX, 'STARRED']", &["STARRED"], &["UNREAD"], "INBOX, STARRED", &[]);
        check("INBOX", "trips, starred", &["STARRED", "Label_1"], &["INBOX"], "STARRED, Trips", &[]);
        check(
            "INBOX",
            r#"INBOX, "Work, 2026", 仕事/会議"#,
            &["Label_2", "Label_3"],
            &[],
            r#"INBOX, "Work, 2026", 仕事/会議"#,
            &[],
        );
    }

    #[test]
    fn what_is_refused_leaves_the_rest() {
        check(
            "INBOX",
            "INBOX, Tripz, STARRED",
            &["STARRED"],
            &[],
            "INBOX, STARRED",
            &["take one of Trips, \"Work, 2026\""],
        );
        check("INBOX", "INBOX, TRASH", &[], &[], "INBOX", &["in Gmail alone"]);
        check("INBOX, SENT", "STARRED", &["STARRED"], &["INBOX"], "SENT, STARRED", &["SENT is set"]);
        check(
            "INBOX",
            "INBOX, Tripz, Wrk",
            &[],
            &[],
            "INBOX",
            &["\"Tripz\"; make it in Gmail", "no label \"Wrk\" either"],
        );
        check("INBOX, UNREAD", "INBOX UNREAD", &[], &[], "INBOX, UNREAD", &["no label \"INBOX UNREAD\""]);
        check("INBOX, UNREAD", "STARRED, # x", &["STARRED"], &[], "INBOX, STARRED, UNREAD", &["no label \"# x\""]);
        check("INBOX, Old", "INBOX", &[], &[], "INBOX, Old", &["no label \"Old\" in Gmail any more"]);
    }
}
