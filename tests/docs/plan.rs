//! The walk of an edit on real documents: no edit, no request; one word, one small batch; nothing else moves.
//!
//! The oracle imports nothing from the Docs model: it carries out the requests as plain splices of UTF-16 text.

use crate::support::meaning::meaning as body;
use crate::support::model::{applied, document, fetched};
use crate::support::oracle::{flatten, splice, without_paragraph};
use mcp_workspace::gdocs;
use mcp_workspace::kinds::docs;
use mcp_workspace::kinds::{Fetched, Part};
use mcp_workspace::mebdf::{self, Block, Content, Mark, Marks, Property, PropertyValue, Run, RunContent};
use serde_json::Value;

const REPLACEMENTS: [&str; 12] = [
    "X",
    "naïve",
    "👍🏽",
    "日本語テキスト",
    "ไทยกำลัง",
    "שלום",
    "e\u{301}tude",
    "👨‍👩‍👧",
    "a longer phrase, with a comma",
    "under_score*star",
    "<b>&amp;",
    "",
];

/// A small deterministic source of choices.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// Words of a paragraph, as byte ranges of its text: runs of letters and digits.
fn words(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        match (character.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(begin)) => {
                words.push(begin..at);
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// Where the text of the file begins behind its head.
fn body_start(text: &str) -> usize {
    text[4..].find("\n---\n").unwrap() + 4 + 5
}

/// Escapes what is typed as a person would who knows the format.
fn typed(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_ascii_punctuation() { vec!['\\', c] } else { vec![c] }).collect()
}

/// Changes one word of the paragraph at `paragraph`; returns false when the word cannot be found in the file without doubt.
fn change_one_word(raw: &Value, remote: &Fetched, tab: usize, paragraph: (usize, usize), dice: &mut Dice) -> bool {
    let part: &Part = &remote.parts[tab];
    let tab_id = raw["tabs"][tab]["tabProperties"]["tabId"].as_str().unwrap();
    let (mut units, _) = flatten(&raw["tabs"][tab]);
    let text = String::from_utf16(&units[paragraph.0..paragraph.1]).unwrap();
    let words = words(&text);
    if words.is_empty() {
        return false;
    }
    let word = words[dice.roll(words.len())].clone();
    let old = &text[word.clone()];
    let body = body_start(&part.text);
    // The same word may stand in several places; the file has them in the order of the document.
    let before =
        String::from_utf16_lossy(&units[..paragraph.0]).matches(old).count() + text[..word.start].matches(old).count();
    let places: Vec<usize> = part.text[body..].match_indices(old).map(|(place, _)| place).collect();
    if places.len() != String::from_utf16_lossy(&units).matches(old).count() {
        return false;
    }
    let place = places[before];
    let new = REPLACEMENTS[dice.roll(REPLACEMENTS.len())];
    if new == old {
        return false;
    }
    let rest_empty = text.trim().len() == old.len();
    if new.is_empty() && (rest_empty || text.trim_end().ends_with(old) || text.starts_with(old)) {
        // Markdown does not keep a blank at the edge of a line; that is another law.
        return false;
    }
    let mut edited = part.text.clone();
    // Nothing is special in a code span.
    let line = part.text[..body + place].rsplit('\n').next().unwrap().replace("\\`", "");
    let new_text = if line.matches('`').count() % 2 == 1 { new.to_owned() } else { typed(new) };
    edited.replace_range(body + place..body + place + old.len(), &new_text);
    let plan = docs::plan(remote, &part.id, &edited, false)
        .unwrap_or_else(|error| panic!("{old:?} → {new:?} in {text:?}: {error}"));
    assert!(plan.refused.is_empty() && plan.holds.is_empty(), "{old:?} → {new:?} in {text:?}: {:?}", plan.refused);
    assert!((1..=3).contains(&plan.requests.len()), "{old:?} → {new:?} in {text:?}: {:#?}", plan.requests);
    let mut wanted = units.clone();
    let start = paragraph.0 + text[..word.start].encode_utf16().count();
    wanted.splice(start..start + old.encode_utf16().count(), new.encode_utf16());
    for request in &plan.requests {
        splice(&mut units, request, tab_id, (paragraph.0, paragraph.1 - 1));
    }
    assert_eq!(String::from_utf16_lossy(&units), String::from_utf16_lossy(&wanted), "{old:?} → {new:?} in {text:?}");

    let document: gdocs::Document = serde_json::from_value(raw.clone()).unwrap();
    let requests = gdocs::read_requests(&plan.requests).unwrap();
    let after = gdocs::apply(&document, &requests, 7).unwrap();
    let after_raw = serde_json::to_value(&after.document).unwrap();
    assert_eq!(without_paragraph(raw, tab, paragraph.0), without_paragraph(&after_raw, tab, paragraph.0));
    let again = fetched(&after_raw);
    let plan = docs::plan(&again, &part.id, &edited, false).unwrap();
    assert!(plan.requests.is_empty(), "the edit has arrived, and yet {:#?}", plan.requests);
    true
}

#[test]
fn an_unedited_document_needs_no_request() {
    let Some(documents) = crate::support::raw_documents("an_unedited_document_needs_no_request") else { return };
    assert_eq!(documents.len(), 11);
    for (name, raw) in documents {
        let remote = fetched(&raw);
        for part in &remote.parts {
            for text in [
                part.text.clone(),
                part.text.replace('\n', "\r\n"),
                format!("\u{feff}{}", part.text),
                format!("{}\n\n", part.text),
            ] {
                let plan =
                    docs::plan(&remote, &part.id, &text, false).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(
                    plan.requests.is_empty() && plan.refused.is_empty(),
                    "{name}: {:#?} {:#?}",
                    plan.requests,
                    plan.refused
                );
            }
        }
    }
}

#[test]
fn one_word_is_one_small_batch() {
    let Some(documents) = crate::support::raw_documents("one_word_is_one_small_batch") else { return };
    let mut changed = 0;
    for (seed, (name, raw)) in documents.into_iter().enumerate() {
        let mut dice = Dice(seed as u64);
        let mut here = 0;
        let remote = fetched(&raw);
        for tab in 0..raw["tabs"].as_array().unwrap().len() {
            for paragraph in flatten(&raw["tabs"][tab]).1 {
                for _ in 0..4 {
                    here += usize::from(change_one_word(&raw, &remote, tab, paragraph, &mut dice));
                }
            }
        }
        assert!(here > 0, "{name}: no word could be changed");
        changed += here;
    }
    println!("{changed} words changed, one at a time");
}

#[test]
fn every_script_stands_around_an_edit() {
    let Some(documents) = crate::support::raw_documents("every_script_stands_around_an_edit") else { return };
    let scripts = ["👍🏽 smile 👨‍👩‍👧", "ไทย anchor กำ", "日本 word 語", "שלום weekday עולם", "e\u{301} accent o\u{308}"];
    let mut changed = 0;
    for (seed, (_, raw)) in documents.into_iter().enumerate() {
        let mut dice = Dice(1000 + seed as u64);
        for script in scripts {
            let document: gdocs::Document = serde_json::from_value(raw.clone()).unwrap();
            let paragraphs = flatten(&raw["tabs"][0]).1;
            let (start, _) = paragraphs[dice.roll(paragraphs.len())];
            let insert =
                serde_json::json!({"insertText": {"location": {"index": start}, "text": format!("{script} ")}});
            let requests = gdocs::read_requests(&[insert]).unwrap();
            let raw = serde_json::to_value(gdocs::apply(&document, &requests, 3).unwrap().document).unwrap();
            let remote = fetched(&raw);
            for paragraph in flatten(&raw["tabs"][0]).1 {
                if paragraph.0 == start {
                    for _ in 0..6 {
                        changed += usize::from(change_one_word(&raw, &remote, 0, paragraph, &mut dice));
                    }
                }
            }
        }
    }
    assert!(changed > 60, "{changed}");
}

/// What a test does to a block.
#[derive(Debug, Clone, Copy)]
enum Change {
    Delete,
    InsertParagraph,
    InsertHeading,
    InsertItem,
    Bold,
    Plain,
    Underline,
    Link,
    Relevel,
}

const CHANGES: [Change; 9] = [
    Change::Delete,
    Change::InsertParagraph,
    Change::InsertHeading,
    Change::InsertItem,
    Change::Bold,
    Change::Plain,
    Change::Underline,
    Change::Link,
    Change::Relevel,
];

/// Makes a change at a block; returns false where it has no meaning.
fn make(blocks: &mut Vec<Block>, at: usize, change: Change, count: usize) -> bool {
    let text = |text: String| vec![Run { content: RunContent::Text(text), marks: Marks::default() }];
    let content = blocks[at].content.clone();
    match change {
        Change::Delete => {
            if !matches!(content, Content::Paragraph { .. } | Content::Heading { .. } | Content::Item { .. }) {
                return false;
            }
            blocks.remove(at);
        }
        Change::InsertParagraph => {
            blocks.insert(at, Block::new(Content::Paragraph { runs: text(format!("Inserted {count} 👍🏽 *star*")) }));
        }
        Change::InsertHeading => {
            blocks.insert(
                at,
                Block::new(Content::Heading { level: 2, anchor: None, runs: text(format!("Heading {count}")) }),
            );
        }
        Change::InsertItem => {
            let mark = [Mark::Bullet, Mark::Number, Mark::Task { checked: false }][count % 3];
            let (depth, mark) = match content {
                Content::Item { depth, mark, .. } if count.is_multiple_of(2) => (depth, mark),
                _ => (u8::try_from(count % 4 / 2).unwrap(), mark),
            };
            blocks.insert(at, Block::new(Content::Item { depth, mark, runs: text(format!("Item {count}")) }));
        }
        Change::Relevel => {
            let Content::Heading { level, .. } = &mut blocks[at].content else { return false };
            *level = *level % 6 + 1;
        }
        Change::Bold | Change::Plain | Change::Underline | Change::Link => {
            let (Content::Paragraph { runs } | Content::Heading { runs, .. } | Content::Item { runs, .. }) =
                &mut blocks[at].content
            else {
                return false;
            };
            let Some(run) = runs.iter_mut().find(|run| matches!(run.content, RunContent::Text(_)) && !run.marks.code)
            else {
                return false;
            };
            match change {
                Change::Bold => run.marks.bold = true,
                Change::Plain => {
                    (run.marks.bold, run.marks.italic, run.marks.strike, run.marks.link) = (false, false, false, None);
                }
                Change::Underline => {
                    let underline = Property { name: "underline".into(), value: PropertyValue::On };
                    if run.marks.link.is_some() || run.marks.properties.iter().any(|p| p.name == "underline") {
                        return false;
                    }
                    run.marks.properties.push(underline);
                }
                _ => {
                    // A link is underlined anyway; the file does not say so twice.
                    run.marks.properties.retain(|property| property.name != "underline");
                    run.marks.link = Some(format!("https://example.com/{count}"));
                }
            }
        }
    }
    true
}

#[test]
fn edits_of_blocks_and_styles_arrive() {
    let Some(documents) = crate::support::raw_documents("edits_of_blocks_and_styles_arrive") else { return };
    let (mut arrived, mut refused) = (0, 0);
    for (seed, (name, raw)) in documents.into_iter().enumerate() {
        let mut dice = Dice(5000 + seed as u64);
        let mut raw = raw;
        for round in 0..60 {
            let remote = fetched(&raw);
            let part = &remote.parts[dice.roll(remote.parts.len())];
            let mut tree = mebdf::parse(&part.text).tree;
            let mut changes = Vec::new();
            for _ in 0..=dice.roll(3) {
                if tree.blocks.is_empty() {
                    break;
                }
                let (at, change) = (dice.roll(tree.blocks.len()), CHANGES[dice.roll(CHANGES.len())]);
                if make(&mut tree.blocks, at, change, round) {
                    changes.push((at, change));
                }
            }
            let edited = mebdf::print(&tree);
            let plan = docs::plan(&remote, &part.id, &edited, false).unwrap_or_else(|error| {
                panic!("{name} round {round} {changes:?}: {error}\n{}\n=====\n{edited}", part.text)
            });
            let document: gdocs::Document = serde_json::from_value(raw.clone()).unwrap();
            let requests = gdocs::read_requests(&plan.requests).unwrap();
            let after = gdocs::apply(&document, &requests, 100 + round as u64).unwrap();
            let after_raw = serde_json::to_value(&after.document).unwrap();
            let again = fetched(&after_raw);
            let found = again.parts.iter().find(|other| other.id == part.id).unwrap();
            assert_eq!(body(&plan.expected), body(&found.text), "{name} round {round} {changes:?}");
            if plan.refused.is_empty() && plan.holds.is_empty() {
                assert_eq!(body(&found.text), body(&edited), "{name} round {round} {changes:?}: {:#?}", plan.requests);
                arrived += 1;
            } else {
                refused += 1;
            }
            let plan = docs::plan(&again, &part.id, &found.text, false).unwrap();
            assert!(plan.requests.is_empty(), "{name} round {round}");
            raw = after_raw;
        }
    }
    println!("{arrived} rounds arrived whole, {refused} with something told as locked");
    assert!(arrived > 300, "{arrived} arrived, {refused} refused");
}

/// How often each word of four letters and more stands in a text.
fn counts(text: &str) -> std::collections::BTreeMap<String, usize> {
    let mut counts = std::collections::BTreeMap::new();
    // What stands in braces is the format's, not the document's.
    let text = text
        .split('{')
        .map(|piece| piece.split_once('}').map_or(piece, |(_, text)| text))
        .collect::<Vec<_>>()
        .join(" ");
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= 4) {
        *counts.entry(word.to_lowercase()).or_insert(0) += 1;
    }
    counts
}

/// All text of one tab, footnotes and cells included.
fn tab_text(raw: &Value, tab: usize) -> String {
    fn gather(value: &Value, text: &mut String) {
        match value {
            Value::Object(map) => {
                if let Some(elements) = map.get("elements").and_then(Value::as_array) {
                    for run in elements {
                        text.push_str(run["textRun"]["content"].as_str().unwrap_or(" "));
                    }
                }
                map.values().for_each(|value| gather(value, text));
            }
            Value::Array(list) => list.iter().for_each(|value| gather(value, text)),
            _ => {}
        }
    }
    let mut text = String::new();
    let tab = &raw["tabs"][tab]["documentTab"];
    gather(&tab["body"], &mut text);
    gather(&tab["footnotes"], &mut text);
    text
}

/// Tears a text as careless fingers do: lines are moved, joined, split, doubled, indented, prefixed.
fn tear(lines: &mut Vec<String>, dice: &mut Dice) {
    const PREFIXES: [&str; 10] = ["- ", "# ", "> ", "1. ", "```", "| ", "{^ x} ", "{!mono}", "    ", "[^1]: "];
    let at = dice.roll(lines.len());
    let to = dice.roll(lines.len());
    match dice.roll(7) {
        0 => {
            let line = lines.remove(at);
            lines.insert(to.min(lines.len()), line);
        }
        1 if at + 1 < lines.len() => {
            let next = lines.remove(at + 1);
            lines[at].push_str(&next);
        }
        2 => {
            let spaces: Vec<usize> = lines[at].match_indices(' ').map(|(place, _)| place).collect();
            if !spaces.is_empty() {
                let rest = lines[at].split_off(spaces[dice.roll(spaces.len())]);
                lines.insert(at + 1, rest.trim_start().to_owned());
                lines.insert(at + 1, String::new());
            }
        }
        3 => {
            lines.remove(at);
        }
        4 => lines[at].insert_str(0, PREFIXES[dice.roll(PREFIXES.len())]),
        5 => lines.insert(at, PREFIXES[dice.roll(PREFIXES.len())].to_owned()),
        _ => {
            let end = (at + 3).min(lines.len());
            let block: Vec<String> = lines.drain(at..end).collect();
            let to = to.min(lines.len());
            lines.splice(to..to, block);
        }
    }
    if lines.is_empty() {
        lines.push(String::new());
    }
}

#[test]
fn torn_files_lose_and_double_no_word() {
    let Some(mut documents) = crate::support::raw_documents("torn_files_lose_and_double_no_word") else { return };
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/demo")).unwrap() {
        let path = entry.unwrap().path();
        documents.push((path.display().to_string(), serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap()));
    }
    let rounds: u64 = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(40);
    let (mut pushed, mut rejected) = (0, 0);
    for (number, (name, raw)) in documents.iter().enumerate() {
        let remote = fetched(raw);
        let document: gdocs::Document = serde_json::from_value(raw.clone()).unwrap();
        for round in 0..rounds {
            let mut dice = Dice(round * 1_000 + number as u64);
            let tab = dice.roll(remote.parts.len());
            let part = &remote.parts[tab];
            let body = body_start(&part.text);
            let mut lines: Vec<String> = part.text[body..].lines().map(ToOwned::to_owned).collect();
            for _ in 0..=dice.roll(2) {
                tear(&mut lines, &mut dice);
            }
            let edited = format!("{}{}\n", &part.text[..body], lines.join("\n"));
            let Ok(plan) = docs::plan(&remote, &part.id, &edited, false) else {
                rejected += 1;
                continue;
            };
            let requests = gdocs::read_requests(&plan.requests).unwrap();
            let after = gdocs::apply(&document, &requests, 9).unwrap();
            let after = serde_json::to_value(&after.document).unwrap();
            let (old, new, file) =
                (counts(&tab_text(raw, tab)), counts(&tab_text(&after, tab)), counts(&lines.join("\n")));
            for word in old.keys().chain(new.keys()) {
                let of = |counts: &std::collections::BTreeMap<String, usize>| counts.get(word).copied().unwrap_or(0);
                let (was, is, wanted) = (of(&old), of(&new), of(&file));
                let told = format!(
                    "{name} round {round}: {word:?} was {was}, is {is}, file {wanted}\n{:#?}\n{edited}",
                    plan.refused
                );
                assert!(is >= was.min(wanted), "lost: {told}");
                assert!(is <= was.max(wanted), "doubled: {told}");
            }
            pushed += usize::from(!plan.requests.is_empty());
        }
    }
    println!("{pushed} torn files pushed, {rejected} plans rejected");
    assert!(pushed > 200 && rejected * 20 < pushed, "{pushed} pushed, {rejected} rejected");
}

/// Edits a text of the demo, and checks which notices are told and what the document holds afterwards.
fn check(file: &str, tab: usize, old: &str, new: &str, codes: &[&str], text: &str, times: usize) {
    let path = format!("{}/fixtures/demo/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let raw: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let remote = fetched(&raw);
    let part = &remote.parts[tab];
    assert!(part.text.contains(old), "{old:?} is not in {}", part.text);
    let plan = docs::plan(&remote, &part.id, &part.text.replacen(old, new, 1), false).unwrap();
    let told: Vec<&str> = plan.refused.iter().map(|notice| notice.code.as_str()).collect();
    assert_eq!(told, codes, "{old:?} → {new:?}: {:#?}", plan.refused);
    let document: gdocs::Document = serde_json::from_value(raw).unwrap();
    let requests = gdocs::read_requests(&plan.requests).unwrap();
    let after = serde_json::to_value(&gdocs::apply(&document, &requests, 5).unwrap().document).unwrap();
    let after = tab_text(&after, tab);
    assert_eq!(after.matches(text).count(), times, "{old:?} → {new:?}: {after}");
    let head = |text: &str| text[..body_start(text)].to_owned();
    assert_eq!(head(&plan.expected), head(&part.text), "the head of the document is the document's");
}

#[test]
fn what_stands_around_a_character_that_cannot_stand_in_a_doc_is_as_if_it_never_had() {
    let raw = document("one two three\n\nfour\n");
    let remote = fetched(&raw);
    // The blanks end what is bold, and no file shows those as bold.
    let file =
        remote.parts[0].text.replacen("one two three", "**one** \u{e907} **two** {!color:#ff0000}th\u{7}ree{/!}", 1);
    let file = file.replacen("four", "four\n\n\u{e907}\n\n```\n\u{e907}\nfive\n```", 1);
    let plan = docs::plan(&remote, &remote.parts[0].id, &file, false).unwrap();
    let told: Vec<(&str, u32)> = plan.refused.iter().map(|notice| (notice.code.as_str(), notice.line)).collect();
    let line = |what: &str| u32::try_from(file[..file.find(what).unwrap()].lines().count() + 1).unwrap();
    let (first, alone) = (line("**one**"), line("\u{e907}\n\n```"));
    assert_eq!(told, ["CHARACTER"; 4].into_iter().zip([first, first, alone, alone + 3]).collect::<Vec<_>>());
    let after = fetched(&applied(&raw, &plan.requests, 3));
    let text = "**one**  **two** {!color:#ff0000}three{/!}\n\nfour\n\n```\n\nfive\n```\n";
    assert!(after.parts[0].text.ends_with(text), "{}", after.parts[0].text);
    assert_eq!(plan.expected, after.parts[0].text);
    let again = docs::plan(&after, &after.parts[0].id, &file, false).unwrap();
    assert!(again.requests.is_empty(), "{:#?}", again.requests);
}

#[test]
fn edits_that_cannot_be_pushed_whole_are_told() {
    // A control character is left out, and the rest goes on.
    check("meeting-notes", 0, "numbers are", "numbers\u{7} are now", &["CHARACTER"], "numbers are now", 1);
    // An edit of what only Google can say stays in the file and is told with its line.
    check("meeting-notes", 0, "access: edit", "access: read", &["FRONT_MATTER_LOCKED"], "access: read", 0);
    // A heading that is joined to the paragraph above cannot take its anchor along; its words go there as they stand.
    check(
        "meeting-notes",
        0,
        "Chidi.\n\n# {^ h.demonotes1}Q",
        "Chidi. # {^ h.demonotes1}Q",
        &["ANCHOR"],
        "Chidi. # Quarterly report",
        1,
    );
    // A row with a cell too many says more than the table can.
    check("meeting-notes", 0, "| Ana | Wednesday |", "| Ana | Wednesday | maybe |", &["TABLE_CELLS"], "Wednesday", 1);
    // A table whose Markdown breaks is still the table, and not text as well.
    check("meeting-notes", 0, "| --- | --- | --- |", "| --- | -x- | --- |", &["LOCKED", "LOCKED"], "Wednesday", 1);
    // A page break is made; what the API cannot make is told, and leaves nothing behind.
    for (object, codes, left, times) in
        [("pagebreak", &[][..], "\n \nActions", 1), ("columnbreak", &["LOCKED"][..], "\n\n", 0)]
    {
        let new = format!("{{^= {object}}}\n\n# {{^ h.demonotes3}}Actions");
        check("meeting-notes", 0, "# {^ h.demonotes3}Actions", &new, codes, left, times);
    }
    // Items are split and moved.
    check("meeting-notes", 0, "- Who tells the *customers*?", "- Who tells\n\nthe *customers*?", &[], "Who tells", 1);
}
