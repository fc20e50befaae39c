//! The law of folding: each word that a message says stands in the file, or in an earlier message's part of it, or is a signature.

use proptest::prelude::*;

use super::file;
use crate::kinds::gmail::text::fold_in_thread;

const WORDS: [&str; 24] = [
    "tea",
    "pot",
    "nine",
    "ten",
    "budget",
    "5",
    "12.5%",
    "yes",
    "no",
    "café",
    "お茶",
    "привет",
    "we",
    "shall",
    "meet",
    "on",
    "Monday",
    "or",
    "Tuesday",
    "-",
    "ok?",
    "not",
    "+1",
    "thanks",
];

/// What programs write above a quote.
const HEADERS: [&str; 3] = [
    "On Mon, 3 Feb 2026 at 09:15, Ana Lee\n<ana@example.com> wrote:",
    "Am 03.02.2026 um 09:15 schrieb Ana:",
    "-----Original Message-----\nFrom: Ana\nSent: Monday\nTo: Bob\nSubject: Tea",
];

/// How a reply was written.
#[derive(Debug, Clone)]
struct Reply {
    words: Vec<usize>,
    /// Which message it answers, counted back.
    back: usize,
    style: usize,
    header: usize,
    signature: bool,
    wrap: usize,
}

fn reply() -> impl Strategy<Value = Reply> {
    let words = prop::collection::vec(0..WORDS.len(), 1..40);
    (words, 0_usize..3, 0_usize..6, 0_usize..4, any::<bool>(), 20_usize..90)
        .prop_map(|(words, back, style, header, signature, wrap)| Reply { words, back, style, header, signature, wrap })
}

fn wrapped(words: &[&str], width: usize) -> String {
    let (mut out, mut column) = (String::new(), 0);
    for word in words {
        let length = word.chars().count();
        if column > 0 && column + length > width {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}

fn quoted(text: &str, mark: &str) -> String {
    text.lines().map(|line| format!("{mark}{line}\n")).collect()
}

/// The body of a reply to `answered`.
fn body(reply: &Reply, number: usize, answered: Option<&String>) -> String {
    let words: Vec<&str> = reply.words.iter().map(|at| WORDS[*at]).collect();
    let own = wrapped(&words, reply.wrap);
    let signature = if reply.signature { format!("\n\n-- \nWriter {number}\nACME") } else { String::new() };
    let Some(answered) = answered else { return format!("{own}{signature}") };
    let header = HEADERS.get(reply.header).copied().unwrap_or_default();
    let half = answered.lines().count() / 2;
    let lines: Vec<&str> = answered.lines().collect();
    match reply.style {
        0 => format!("{own}{signature}\n\n{header}\n\n{}", quoted(answered, "> ")),
        1 => format!("{header}\n{}\n{own}{signature}", quoted(answered, ">")),
        2 => format!("{own}{signature}\n\n{header}\n\n{answered}"),
        3 => format!(
            "{header}\n{}\n{own}\n\n{}{signature}",
            quoted(&lines[..half].join("\n"), "> "),
            quoted(&lines[half..].join("\n"), "> ")
        ),
        // A quote that somebody changed.
        4 => format!("{own}\n\n{header}\n\n{}", quoted(&answered.replace("nine", "ten"), "> ")),
        _ => format!("{own}{signature}\n\n{header}\n\n{}", quoted(&rewrapped(answered), "> ")),
    }
}

fn rewrapped(text: &str) -> String {
    wrapped(&text.split_whitespace().collect::<Vec<_>>(), 30)
}

fn words_of(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '%' && letter != '+')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Finds a row of words within another.
fn holds(text: &[String], row: &[String]) -> bool {
    row.is_empty() || text.windows(row.len()).any(|window| window == row)
}

/// Tells whether a line that was folded says what stands in an earlier message, or what a program writes. Wrapped anew, a line can
/// hold the end of the one, the other, and the begin of the next; but never two pieces of messages side by side.
fn is_told(words: &[String], shown: &[Vec<String>], programs: &[Vec<String>], after_message: bool) -> bool {
    let within = |texts: &[Vec<String>], row: &[String]| texts.iter().any(|text| holds(text, row));
    words.is_empty()
        || (1..=words.len()).rev().any(|length| {
            let (row, rest) = words.split_at(length);
            (!after_message && within(shown, row) && is_told(rest, shown, programs, true))
                || (within(programs, row) && is_told(rest, shown, programs, false))
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_folded_stands_in_an_earlier_message(replies in prop::collection::vec(reply(), 1..7)) {
        let mut bodies: Vec<String> = Vec::new();
        for (number, reply) in replies.iter().enumerate() {
            let answered = bodies.len().checked_sub(1 + reply.back).and_then(|at| bodies.get(at));
            let body = body(reply, number, answered);
            bodies.push(body);
        }
        // What each message shows, with its signature, as the thread's file has it; and what programs wrote.
        let mut shown: Vec<Vec<String>> = Vec::new();
        let signatures = (0..bodies.len()).map(|number| words_of(&format!("Writer {number} ACME")));
        let programs: Vec<Vec<String>> = HEADERS.iter().map(|header| words_of(header)).chain(signatures).collect();
        let mut texts: Vec<String> = Vec::new();
        for (number, body) in bodies.iter().enumerate() {
            let earlier: Vec<&str> = texts.iter().map(String::as_str).collect();
            let folded = fold_in_thread(body, &earlier);
            let is_blank = |line: &&str| line.trim_matches(['>', ' ']).is_empty();
            let kept: Vec<&str> = folded.text.lines().filter(|line| !is_blank(line)).collect();
            // Every line is kept, in order, or stands in an earlier message, or is a header or a signature.
            let mut rest = kept.iter().peekable();
            let mut lost = Vec::new();
            for line in body.lines().filter(|line| !is_blank(line)) {
                if rest.peek() == Some(&&line) {
                    rest.next();
                } else {
                    lost.push(line);
                }
            }
            prop_assert!(rest.next().is_none(), "{body}\n=>\n{}", folded.text);
            for line in &lost {
                let words = words_of(line.trim_start_matches(['>', ' ']));
                prop_assert!(is_told(&words, &shown, &programs, false), "lost: {line:?} of\n{body}\n=> {}\nearlier: {shown:?}", folded.text);
            }
            prop_assert_eq!(lost.len(), folded.quoted_lines + folded.signature_lines, "{}", body);
            let own = format!("-- \nWriter {number}\nACME");
            let with_signature = if folded.signature_lines > 0 && body.contains(&own) { format!("{}\n{own}", folded.text) } else { folded.text };
            shown.push(words_of(&with_signature));
            texts.push(with_signature);
        }
    }

    #[test]
    fn each_word_of_a_thread_stands_in_its_file(replies in prop::collection::vec(reply(), 1..6)) {
        let mut bodies: Vec<String> = Vec::new();
        for (number, reply) in replies.iter().enumerate() {
            let answered = bodies.len().checked_sub(1 + reply.back).and_then(|at| bodies.get(at));
            let body = body(reply, number, answered);
            bodies.push(body);
        }
        let raws: Vec<String> = bodies.iter().map(|body| format!("From: a@b.c\nSubject: Tea\nContent-Type: text/plain; charset=utf-8\n\n{body}")).collect();
        let text = file(&raws.iter().map(String::as_bytes).collect::<Vec<_>>()).text;
        let said: std::collections::HashSet<String> = words_of(&text).into_iter().collect();
        for (number, reply) in replies.iter().enumerate() {
            for word in reply.words.iter().flat_map(|at| words_of(WORDS[*at])) {
                prop_assert!(said.contains(&word), "{word} of message {number} is missing:\n{text}");
            }
        }
    }
}
