//! Reading and planning long documents.

use std::time::Duration;

use mcp_workspace::gdocs::Document;
use mcp_workspace::kinds::docs::{self, Access};
use mcp_workspace::kinds::{Fetched, PushPlan};
use serde_json::{Value, json};

use super::generated;
use super::report::{Report, median, ms};

const URL: &str = "https://docs.google.com/document/d/x/edit";
const ROUNDS: usize = 9;

fn fetched(raw: &[u8]) -> Fetched {
    docs::read(raw.to_vec(), Access::Edit, URL).unwrap()
}

/// Docs JSON to MEBDF against a typed parse of the same bytes.
pub(crate) fn reading(report: &mut Report) {
    let mut pages = 500;
    let mut raw = generated::document(pages);
    while raw.len() < 10_000_000 {
        pages += pages / 2;
        raw = generated::document(pages);
    }
    let typed = median(ROUNDS, || serde_json::from_slice::<Document>(&raw.clone()).unwrap());
    let whole = median(ROUNDS, || fetched(&raw));
    let ratio = whole.as_secs_f64() / typed.as_secs_f64();
    report.add(
        &format!("Docs JSON to MEBDF, {:.1} MB", raw.len() as f64 / 1e6),
        format!("{} = {ratio:.2}x", ms(whole)),
        format!("typed parse {}", ms(typed)),
        "<= 2x",
        Some(ratio <= 2.0),
    );
}

/// A save that changes nothing.
pub(crate) fn no_edit(report: &mut Report) {
    let remote = fetched(&generated::document(500));
    let text = remote.parts[0].text.clone();
    let time = median(ROUNDS, || docs::plan(&remote, &remote.parts[0].id, &text, false).unwrap());
    let plan = docs::plan(&remote, &remote.parts[0].id, &text, false).unwrap();
    report.add(
        "no edit, 500 pages",
        format!("{} requests, {}", plan.requests.len(), ms(time)),
        String::new(),
        "0 requests",
        Some(plan.requests.is_empty() && plan.refused.is_empty()),
    );
}

/// One word in the middle of a text.
fn one_word_plan(remote: &Fetched) -> (String, PushPlan) {
    let text = &remote.parts[0].text;
    let middle = text.len() / 2;
    let at = (middle..).find_map(|at| text.get(at..)?.find(" customers ").map(|place| at + place)).unwrap();
    let mut edited = text.clone();
    edited.replace_range(at..at + " customers ".len(), " clients ");
    let plan = docs::plan(remote, &remote.parts[0].id, &edited, false).unwrap();
    assert!(plan.refused.is_empty() && plan.holds.is_empty(), "{:?}", plan.refused);
    (edited, plan)
}

/// The bytes that a client sends that deletes and inserts the section: its text alone, without the styles it has to
/// make again.
fn section_rewrite(edited: &str) -> usize {
    let middle = edited.get(edited.len() / 2..).unwrap();
    let section = middle.split("\n## ").nth(1).unwrap();
    let requests: Vec<Value> = vec![
        json!({"deleteContentRange": {"range": {"startIndex": 100_000, "endIndex": 103_000, "tabId": "t.0"}}}),
        json!({"insertText": {"location": {"index": 100_000, "tabId": "t.0"}, "text": section}}),
    ];
    serde_json::to_vec(&requests).unwrap().len()
}

/// One word changed, against deleting and inserting its section.
pub(crate) fn one_word(report: &mut Report) {
    let remote = fetched(&generated::document(500));
    let (edited, plan) = one_word_plan(&remote);
    let bytes = serde_json::to_vec(&plan.requests).unwrap().len();
    let rewrite = section_rewrite(&edited);
    report.add(
        "one word, 500 pages: requests",
        format!("{} requests, {bytes} bytes", plan.requests.len()),
        format!("rewrite of the section {rewrite} bytes before its styles"),
        "<= 3 requests, <= 400 bytes",
        Some(plan.requests.len() <= 3 && bytes <= 400),
    );
    let time = median(ROUNDS, || docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap());
    let limit = Duration::from_millis(50);
    report.add("one word, 500 pages: CPU", ms(time), String::new(), "<= 50 ms", Some(time <= limit));
}

/// A way to edit a text.
type Edit = fn(&str) -> String;

fn with_word(text: &str, from: usize) -> String {
    let word = " customers ";
    let at = (from..).find_map(|at| text.get(at..)?.find(word).map(|place| at + place)).unwrap();
    format!("{} clients {}", &text[..at], &text[at + word.len()..])
}

/// The place where the first paragraph behind the middle begins that stands alone.
fn middle_paragraph(text: &str) -> usize {
    let middle = (text.len() / 2..).find(|at| text.is_char_boundary(*at)).unwrap();
    let breaks = text[middle..].match_indices("\n\n").map(|(at, _)| middle + at + 2);
    breaks.into_iter().find(|at| text[*at..].starts_with(char::is_alphabetic)).unwrap()
}

/// The edits whose plans are measured.
const EDITS: [(&str, Edit); 5] = [
    ("one word", |text| with_word(text, text.len() / 2)),
    ("one word at both ends", |text| {
        let body = text.find(" customers ").unwrap();
        let last = text.split("\n\n[^").next().unwrap().rfind(" customers ").unwrap();
        with_word(&with_word(text, last), body)
    }),
    ("a new paragraph", |text| {
        let at = middle_paragraph(text);
        format!("{}A paragraph that nobody wrote before.\n\n{}", &text[..at], &text[at..])
    }),
    ("a paragraph centered", |text| {
        let at = middle_paragraph(text);
        let end = at + text[at..].find("\n\n").unwrap();
        format!("{}{{!align:center}}\n{}\n\n{{!Normal text}}{}", &text[..at], &text[at..end], &text[end + 1..])
    }),
    ("no edit", str::to_owned),
];

/// Plans of long documents of every form.
pub(crate) fn forms(report: &mut Report) {
    for (name, headings, notes) in
        [("headings", true, false), ("footnotes and links", true, true), ("no headings", false, false)]
    {
        for pages in [1, 10, 100, 500] {
            let remote = fetched(&generated::document_of(pages, generated::Form { headings, notes }));
            let part = &remote.parts[0];
            for (edit, edited) in EDITS {
                let edited = edited(&part.text);
                let time = median(ROUNDS, || docs::plan(&remote, &part.id, &edited, false).unwrap());
                let plan = docs::plan(&remote, &part.id, &edited, false).unwrap();
                let bytes =
                    if plan.requests.is_empty() { 0 } else { serde_json::to_vec(&plan.requests).unwrap().len() };
                let met = time <= Duration::from_millis(50) && plan.refused.is_empty();
                report.add(
                    &format!("{edit}, {pages} pages, {name}"),
                    format!("{}, {} requests, {bytes} bytes", ms(time), plan.requests.len()),
                    format!("{} refused", plan.refused.len()),
                    "<= 50 ms",
                    Some(met),
                );
            }
        }
    }
}

/// How reading and planning grow with the document.
pub(crate) fn scaling(report: &mut Report) {
    let mut times = Vec::new();
    for pages in [1, 10, 100, 500] {
        let raw = generated::document(pages);
        let read = median(ROUNDS, || fetched(&raw));
        let remote = fetched(&raw);
        let (edited, _) = one_word_plan(&remote);
        let plan = median(ROUNDS, || docs::plan(&remote, &remote.parts[0].id, &edited, false).unwrap());
        report.add(
            &format!("{pages} pages ({:.2} MB)", raw.len() as f64 / 1e6),
            format!("read {}, plan one word {}", ms(read), ms(plan)),
            String::new(),
            "linear",
            None,
        );
        times.push((pages, plan));
    }
    let per_page = |(pages, time): (usize, Duration)| time.as_secs_f64() / pages as f64;
    let ratio = per_page(times[3]) / per_page(times[2]);
    report.add(
        "growth of a plan, 100 to 500 pages",
        format!("{ratio:.2}x the time of a page"),
        String::new(),
        "<= 1.3x",
        Some(ratio <= 1.3),
    );
}
