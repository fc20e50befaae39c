//! The message of a draft, as it is put into Gmail: its text as a person wrote it, and the same as HTML.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/guides/drafts>

use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::date::Date;
use mail_builder::headers::message_id::MessageId;
use mail_builder::headers::raw::Raw;
use serde::{Deserialize, Serialize};

use super::text::Person;
use super::text::reply::{self, Envelope, MARK};
use crate::model::{ContentHash, Millis};

/// A draft to be put into Gmail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Draft {
    /// The API id of the message that it takes the place of; a new draft without one.
    pub(super) replaces: Option<String>,
    /// Whether it answers everybody.
    pub(super) all: bool,
    /// Where it goes.
    #[serde(flatten)]
    pub(super) envelope: Envelope,
    /// What it says, MEBDF.
    pub(super) text: String,
}

/// Writes a draft of `account` as a message, RFC 5322. The same draft gets the same Message-ID.
///
/// # Errors
///
/// None that a memory does not have: the message is written into one.
pub(super) fn message(draft: &Draft, thread: &str, account: &str, now: Millis) -> std::io::Result<Vec<u8>> {
    let Draft { envelope, all, text, .. } = draft;
    let identity = format!("{thread}\n{account}\n{}", reply::mark(*all, text));
    let hash: String =
        ContentHash::of(identity.as_bytes()).0.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let domain = account.rsplit_once('@').map_or("localhost", |(_, domain)| domain);
    let mut message = MessageBuilder::new()
        .from(Address::new_address(None::<&str>, account))
        .subject(envelope.subject.as_str())
        .date(Date::new(i64::try_from(now.0 / 1000).unwrap_or(0)))
        .message_id(format!("{hash}@{domain}"))
        .header(MARK, Raw::new(reply::mark(*all, text)));
    for (name, people) in [("To", &envelope.to), ("Cc", &envelope.cc), ("Bcc", &envelope.bcc)] {
        if !people.is_empty() {
            message = message.header(name, Address::new_list(people.iter().map(address).collect()));
        }
    }
    if let Some(id) = &envelope.in_reply_to {
        message = message.in_reply_to(id.as_str());
    }
    if !envelope.references.is_empty() {
        message = message.references(MessageId::new_list(envelope.references.iter().map(String::as_str)));
    }
    message.text_body(text.as_str()).html_body(reply::html(text)).write_to_vec()
}

fn address(person: &Person) -> Address<'_> {
    let name = Some(person.name.as_str()).filter(|name| !name.is_empty() && *name != person.address);
    Address::new_address(name, person.address.as_str())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::kinds::gmail::text::{Message, thread};

    const ASKED: &[u8] = b"From: =?utf-8?q?Ana_L=C3=A9e?= <ana@example.com>\r\nTo: Demo <demo@example.com>, \"Bob, Jr.\" <bob@example.com>\r\nCc: c@example.com\r\nSubject: Tea\r\nMessage-ID: <tea-1@example.com>\r\nReferences: <tea-0@example.com>\r\n\r\nTea?\r\n";

    /// The thread of a question and a draft, and what is said of it.
    fn written(all: bool, text: &str) -> (Draft, Vec<u8>, crate::kinds::gmail::text::ThreadText) {
        let labels = [vec!["INBOX".to_owned()], vec!["DRAFT".to_owned()]];
        let asked = Message { id: "a", labels: &labels[0], internal_date: Millis(1), raw: ASKED };
        let answered = thread("19b0", &[asked], &BTreeMap::new()).answered.unwrap();
        let draft =
            Draft { replaces: None, all, envelope: answered.envelope("demo@example.com", all), text: text.to_owned() };
        let raw = message(&draft, "19b0", "demo@example.com", Millis(1_795_183_380_000)).unwrap();
        let drafted = Message { id: "b", labels: &labels[1], internal_date: Millis(2), raw: &raw };
        let shown = thread("19b0", &[asked, drafted], &BTreeMap::new());
        (draft, raw.clone(), shown)
    }

    #[test]
    fn a_draft_says_what_it_answers() {
        let (_, raw, shown) = written(true, "Yes, **please**.\nAt five.");
        let raw = String::from_utf8(raw).unwrap();
        for line in [
            "From: <demo@example.com>",
            "To: =?utf-8?",
            "Subject: Re: Tea",
            "In-Reply-To: <tea-1@example.com>",
            "References: <tea-0@example.com> <tea-1@example.com>",
            "Cc: \"Bob, Jr.\" <bob@example.com>,",
            "Content-Type: multipart/alternative;",
            "<p>Yes, <strong>please</strong>.<br />",
        ] {
            assert!(raw.contains(line), "{line}: {raw}");
        }
        assert!(shown.text.ends_with("\n## Draft reply to all\n\nYes, **please**.\nAt five.\n"), "{}", shown.text);
        assert!(shown.text.contains("\nlabels: INBOX\n") && shown.text.contains("\nmessages: 1\n"), "{}", shown.text);
    }

    #[test]
    fn a_draft_is_read_as_it_was_written() {
        for text in [
            "Yes.",
            "a * b \\{ = 3 … 日本語 שלום 😀",
            "- one\n- two\n\n1. a\n\n> quote\n\n```\ncode  \n\n  more\n```",
            "From here\n.\n--b\n=3D=\n\tx",
            "a  \nb\\\nc",
            &"long ".repeat(400),
            "---\n\ntitle: x",
            "| a | b |\n| - | - |\n| 1 | 2 |",
        ] {
            for all in [false, true] {
                let text = text.trim_end();
                let (draft, _, shown) = written(all, text);
                let reply = shown.reply.unwrap_or_else(|| panic!("{text:?}: {}", shown.text));
                assert_eq!((reply.all, reply.text.as_str(), &reply.envelope), (all, text, &draft.envelope));
                let section = reply::sections(&shown.text).pop().unwrap();
                assert_eq!(reply::print(all, &section.text), reply::print(all, text), "{text:?}");
            }
        }
    }

    #[test]
    fn a_draft_that_somebody_changed_is_only_read() {
        let (_, raw, _) = written(false, "Yes, please.");
        let changed = String::from_utf8(raw).unwrap().replace("Yes, please.", "No, never.");
        let labels = ["DRAFT".to_owned()];
        let of = |id, labels, raw| Message { id, labels, internal_date: Millis(1), raw };
        let shown = thread("19b0", &[of("a", &[], ASKED), of("b", &labels, changed.as_bytes())], &BTreeMap::new());
        assert!(shown.reply.is_none() && shown.text.contains("(draft)\n") && shown.text.contains("No, never."));
        // The mark of a mail that came from elsewhere says nothing.
        let shown = thread("19b0", &[of("a", &[], ASKED), of("b", &[], changed.as_bytes())], &BTreeMap::new());
        assert!(shown.reply.is_none(), "{}", shown.text);
    }

    #[test]
    fn an_answer_goes_to_whom_it_should() {
        let mail = |from: &str, more: &str| {
            format!(
                "From: {from}\r\nTo: a@x.test, demo@example.com\r\nCc: c@x.test, A@x.test\r\n{more}Subject: RE: Tea\r\n\r\nx\r\n"
            )
        };
        let check = |raw: String, sent: bool, all: bool, to: &str, cc: &str| {
            let labels = ["SENT".to_owned()];
            let labels: &[String] = if sent { &labels } else { &[] };
            let asked = Message { id: "a", labels, internal_date: Millis(1), raw: raw.as_bytes() };
            let envelope =
                thread("19b0", &[asked], &BTreeMap::new()).answered.unwrap().envelope("DEMO@example.com", all);
            let row = |people: &[Person]| people.iter().map(|one| one.address.clone()).collect::<Vec<_>>().join(" ");
            assert_eq!((row(&envelope.to).as_str(), row(&envelope.cc).as_str()), (to, cc), "{raw}");
            assert_eq!(envelope.subject, "RE: Tea");
        };
        check(mail("b@x.test", ""), false, false, "b@x.test", "");
        check(mail("b@x.test", ""), false, true, "b@x.test", "a@x.test c@x.test");
        check(mail("b@x.test", "Reply-To: l@x.test\r\n"), false, false, "l@x.test", "");
        check(mail("demo@example.com", ""), true, false, "a@x.test", "");
        check(mail("demo@example.com", ""), true, true, "a@x.test", "c@x.test");
        check(
            "From: demo@example.com\r\nTo: demo@example.com\r\nSubject: RE: Tea\r\n\r\nx".into(),
            true,
            true,
            "demo@example.com",
            "",
        );
    }
}
