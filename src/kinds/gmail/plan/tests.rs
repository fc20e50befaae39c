//! What edits of a thread's file become.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::kinds::gmail::{Mail, read};
use crate::kinds::{Fetched, PushPlan};
use crate::model::{ItemId, Millis, PartId, Revision};

const ASKED: &str = "From: Ana <ana@example.com>\r\nTo: demo@example.com\r\nSubject: Tea\r\nMessage-ID: <t@example.com>\r\n\r\nTea?\r\n\r\nAt five?\r\n";

/// A thread of a question, and of a draft where there is one.
fn remote(draft: Option<&str>) -> Fetched {
    let mail = |id: &str, label: &str, raw: &[u8]| Mail {
        id: id.into(),
        labels: vec![label.into()],
        at: Millis(1_795_183_380_000),
        raw: Arc::from(raw),
    };
    let labels: BTreeMap<String, String> =
        [("INBOX", "INBOX"), ("STARRED", "STARRED"), ("DRAFT", "DRAFT"), ("Label_1", "Trips")]
            .map(|(id, name)| (id.into(), name.into()))
            .into();
    let mut mails = vec![mail("a0", "INBOX", ASKED.as_bytes())];
    let fetch = |mails: &[Mail]| read(ItemId("a0".into()), Revision("1".into()), mails, &labels, 0, "demo@example.com");
    if let Some(text) = draft {
        let shown = fetch(&mails);
        let planned = plan(&shown, &format!("{}\n## Draft reply\n\n{text}\n", shown.parts[0].text));
        let draft: super::Draft = serde_json::from_value(planned.requests[0]["drafts.create"].clone()).unwrap();
        let raw = crate::kinds::gmail::compose::message(&draft, "a0", "demo@example.com", Millis(0)).unwrap();
        mails.push(mail("b0", "DRAFT", &raw));
    }
    fetch(&mails)
}

fn plan(remote: &Fetched, desired: &str) -> PushPlan {
    let plan = super::plan(remote, &PartId::default(), desired).unwrap();
    // A file that says what is expected asks for the same, and nothing of it is refused.
    let again = super::plan(remote, &PartId::default(), &plan.expected).unwrap();
    assert_eq!(
        (&again.requests, &again.expected, again.refused.len()),
        (&plan.requests, &plan.expected, 0),
        "{desired}"
    );
    plan
}

/// Checks what an edit becomes: the requests by name, and the lines and codes of what is refused.
#[track_caller]
fn check(draft: Option<&str>, edit: impl Fn(&str) -> String, requests: &[&str], refused: &[(u32, &str)]) -> PushPlan {
    let remote = remote(draft);
    let desired = edit(&remote.parts[0].text);
    let plan = plan(&remote, &desired);
    let names: Vec<&String> =
        plan.requests.iter().filter_map(Value::as_object).flat_map(|request| request.keys()).collect();
    assert_eq!(names, requests, "{desired}");
    let told: Vec<(u32, &str)> = plan.refused.iter().map(|notice| (notice.line, notice.code.as_str())).collect();
    assert_eq!(told, refused, "{desired}\n{:?}", plan.refused);
    if requests.is_empty() {
        assert_eq!(plan.expected, remote.parts[0].text);
    }
    plan
}

#[test]
fn what_was_sent_stays() {
    const RO: &str = "MAIL_READ_ONLY";
    check(None, str::to_owned, &[], &[]);
    check(None, |text| text.replace("At five", "At six"), &[], &[(18, RO)]);
    check(None, |text| text.replace("title: Tea", "title: Coffee"), &[], &[(2, RO)]);
    check(None, |text| text.replace("Tea?", "Tee?").replace("\nAt five?\n", ""), &[], &[(16, RO)]);
    check(None, |text| format!("{text}\n\n\n"), &[], &[]);
    check(None, |text| text.replace('\n', "\r\n"), &[], &[]);
    check(None, |text| format!("{text}\nmore\n"), &[], &[(20, RO)]);
    check(None, |_| String::new(), &[], &[(1, RO)]);
    let many = |text: &str| format!("{text}{}", "\n## x\n\ny\n".repeat(100));
    check(None, many, &[], &[(20, RO)]);
    // A thread of which nothing else is known.
    let bare = Fetched { reading: crate::kinds::Reading::default(), ..remote(None) };
    let text = bare.parts[0].text.replace("INBOX", "STARRED");
    let plan = super::plan(&bare, &PartId::default(), &text).unwrap();
    assert_eq!((plan.requests.len(), plan.refused.len(), &plan.expected), (0, 1, &bare.parts[0].text));
}

#[test]
fn labels_are_changed() {
    let plan = check(None, |text| text.replace("labels: INBOX", "labels: STARRED, Trips"), &["threads.modify"], &[]);
    let call = json!({ "addLabelIds": ["STARRED", "Label_1"], "removeLabelIds": ["INBOX"] });
    assert_eq!(plan.requests[0]["threads.modify"], call);
    assert_eq!(plan.expected, remote(None).parts[0].text.replace("labels: INBOX", "labels: STARRED, Trips"));
    check(None, |text| text.replace("labels: INBOX", "labels: INBOX, Trip"), &[], &[(5, "LABELS")]);
    check(None, |text| text.replace("labels: INBOX\n", ""), &[], &[]);
    // With an edit that stays, and with a draft.
    let all =
        |text: &str| format!("{}\n## Draft reply\n\nYes.\n", text.replace("INBOX", "STARRED").replace("five", "six"));
    let plan = check(None, all, &["threads.modify"], &[(18, "MAIL_READ_ONLY")]);
    assert!(plan.again && !plan.expected.contains("## Draft reply"), "one change after the other");
}

#[test]
fn an_answer_is_drafted() {
    let plan =
        check(None, |text| format!("{text}\n## Draft reply \n\n\nYes,\nat **five**.\n\n"), &["drafts.create"], &[]);
    let draft = &plan.requests[0]["drafts.create"];
    assert_eq!(draft["text"], "Yes,\nat **five**.");
    assert_eq!(
        (&draft["to"][0]["address"], &draft["subject"], &draft["in_reply_to"]),
        (&json!("ana@example.com"), &json!("Re: Tea"), &json!("t@example.com"))
    );
    assert!(plan.expected.ends_with("At five?\n\n## Draft reply\n\nYes,\nat **five**.\n"), "{}", plan.expected);
    let plan = check(
        None,
        |text| format!("{text}\n## Draft reply\n\nYes.\n\n### By the way\n\nSugar?\n"),
        &["drafts.create"],
        &[],
    );
    assert_eq!(plan.requests[0]["drafts.create"]["text"], "Yes.\n\n### By the way\n\nSugar?");
}

#[test]
fn a_draft_is_written_anew() {
    check(Some("Yes."), str::to_owned, &[], &[]);
    check(Some("Yes."), |text| text.replace("Yes.", "Yes.\n"), &[], &[]);
    let plan = check(Some("Yes."), |text| text.replace("Yes.", "No."), &["drafts.update"], &[]);
    let draft = &plan.requests[0]["drafts.update"];
    assert_eq!((&draft["replaces"], &draft["text"], &draft["all"]), (&json!("b0"), &json!("No."), &json!(false)));
    let plan =
        check(Some("Yes."), |text| text.replace("## Draft reply", "## Draft reply to all"), &["drafts.update"], &[]);
    assert_eq!(plan.requests[0]["drafts.update"]["all"], true);
    assert!(plan.expected.ends_with("## Draft reply to all\n\nYes.\n"), "{}", plan.expected);
}

#[test]
fn what_no_draft_can_be_stays_as_it_was() {
    const D: &str = "DRAFT";
    let write = |said: &'static str| move |text: &str| format!("{text}\n## Draft reply\n\n{said}\n");
    check(None, write(""), &[], &[(20, D)]);
    check(None, write("Yes.\n\n{!mono}no{/!}\n\n# Title"), &[], &[(24, D), (26, D)]);
    check(None, write("{^= new image \"a.png\"}"), &[], &[(22, D)]);
    check(None, write("a[^1]\n\n[^1]: b"), &[], &[(22, D), (24, D)]);
    let before = |text: &str| text.replace("## {^ msg.a0}", "## Draft reply\n\nYes.\n\n## {^ msg.a0}");
    check(None, before, &[], &[(12, D)]);
    let plan = check(None, |text| format!("{text}\n## draft reply:\n\nYes.\n"), &[], &[(20, "MAIL_READ_ONLY")]);
    assert!(plan.refused[0].message.contains("`## Draft reply`"), "{:?}", plan.refused);
    check(None, write("One.\n\n## Draft reply\n\nTwo."), &[], &[(24, D)]);
    check(Some("Yes."), |text| text.replace("Yes.", "{!mono}no{/!}"), &[], &[(22, D)]);
    check(Some("Yes."), |text| text.replace("\n## Draft reply\n\nYes.\n", ""), &[], &[(18, D)]);
}
