//! The laws of the format over random documents and random edits of them.
//!
//! `PAIRS=10000000 cargo test --release --test laws` runs longer, `SEED=n` runs one pair again.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::wildcard_enum_match_arm,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    reason = "a test may fail, and says what it saw"
)]

#[path = "support/arithmetic.rs"]
mod arithmetic;
#[path = "support/dice.rs"]
mod dice;
#[path = "support/documents.rs"]
mod documents;
#[path = "support/edits.rs"]
mod edits;
#[path = "support/identities.rs"]
mod identities;
#[path = "support/kept.rs"]
mod kept;
#[path = "support/laws.rs"]
mod laws;
#[path = "support/order.rs"]
mod order;
#[path = "support/pieces.rs"]
mod pieces;
mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use dice::Dice;
use laws::{Fate, check_edit, check_unedited};
use mcp_workspace::gdocs::{Document, new_document, reindex};
use mcp_workspace::kinds::docs;
use serde_json::{Value, json};

/// Nearly all of the time goes into making and freeing small things.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Pairs of a document and an edit that a plain `cargo test` checks.
const PAIRS: u64 = 20_000;

/// Edits of one document.
const EDITS: u64 = 10;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Edits of each recorded document.
const ROUNDS: u64 = 40;

/// One document of so many cites, in the same words again and again.
const CITES_ONE_IN: u64 = 5;

/// Checks one document and [`EDITS`] edits of it; counts their fates.
fn check(seed: u64, fates: &[AtomicU64; 4]) {
    check_seed(seed, seed.is_multiple_of(CITES_ONE_IN), fates);
}

fn check_seed(seed: u64, cites: bool, fates: &[AtomicU64; 4]) {
    let mut dice = Dice::seeded(seed);
    let raw = documents::document(&mut dice, cites);
    check_document(&raw, EDITS, &mut dice, fates);
}

fn check_document(raw: &Value, count: u64, dice: &mut Dice<'_>, fates: &[AtomicU64; 4]) {
    let stand = check_unedited(raw);
    let remote = &stand.remote;
    for _ in 0..count {
        let part = dice.roll(remote.parts.len());
        let edited = edits::edit(&remote.parts[part].text, dice);
        let fate = catch_unwind(AssertUnwindSafe(|| check_edit(&stand, part, &edited)));
        match fate {
            Ok(fate) => fates[fate as usize].fetch_add(1, Ordering::Relaxed),
            Err(panic) => {
                println!("--- the file:\n{}\n--- as edited:\n{edited}\n---", remote.parts[part].text);
                std::panic::resume_unwind(panic);
            }
        };
    }
}

#[test]
fn any_edit_of_any_document_keeps_the_laws() {
    let fates: [AtomicU64; 4] = Default::default();
    if let Some(seed) = number("SEED") {
        check(seed, &fates);
        return;
    }
    let documents = number("PAIRS").unwrap_or(PAIRS) / EDITS;
    let next = AtomicU64::new(number("FROM").unwrap_or(0));
    let end = next.load(Ordering::Relaxed) + documents;
    let failed = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end || failed.lock().unwrap().len() >= number("FAILURES").map_or(5, |most| most as usize)
                    {
                        return;
                    }
                    if catch_unwind(AssertUnwindSafe(|| check(seed, &fates))).is_err() {
                        println!("failed: SEED={seed}");
                        failed.lock().unwrap().push(seed);
                    }
                }
            });
        }
    });
    let count = |fate: Fate| fates[fate as usize].load(Ordering::Relaxed);
    println!(
        "{} said nothing new, {} arrived, {} were told in part, {} were rejected",
        count(Fate::Nothing),
        count(Fate::Arrived),
        count(Fate::Told),
        count(Fate::Rejected)
    );
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "run again one of these: SEED={failed:?}");
}

#[test]
fn any_edit_of_a_recorded_document_keeps_the_laws() {
    let Some(documents) = support::raw_documents("any_edit_of_a_recorded_document_keeps_the_laws") else { return };
    let fates: [AtomicU64; 4] = Default::default();
    for (seed, (name, raw)) in documents.iter().enumerate() {
        println!("{name}");
        check_document(raw, number("ROUNDS").unwrap_or(ROUNDS), &mut Dice::seeded(seed as u64), &fates);
    }
    println!("{fates:?}");
}

/// A document of one tab with these elements behind its first section break.
fn document(elements: &[Value]) -> Value {
    let mut value = serde_json::to_value(new_document("1found00000000000000000000", "Found")).unwrap();
    value["revisionId"] = json!("r1");
    let tab = &mut value["tabs"][0]["documentTab"];
    tab["lists"] = documents::lists();
    tab["positionedObjects"] = json!({"kix.pos": {"objectId": "kix.pos", "positionedObjectProperties": {
        "embeddedObject": {"imageProperties": {}, "title": "floating"}}}});
    let content = tab["body"]["content"].as_array_mut().unwrap();
    content.truncate(1);
    content.extend_from_slice(elements);
    let mut document: Document = serde_json::from_value(value).unwrap();
    reindex(document.tabs[0].document_tab.as_mut().unwrap().segment_mut(None).unwrap());
    serde_json::to_value(&document).unwrap()
}

fn line(text: &str, look: Value) -> Value {
    let style = json!({"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"});
    json!({"paragraph": {"elements": [{"textRun": {"content": format!("{text}\n"), "textStyle": look}}],
        "paragraphStyle": style}})
}

fn heading(text: &str) -> Value {
    titled(text, "h.first")
}

fn titled(text: &str, id: &str) -> Value {
    let mut heading = line(text, json!({}));
    heading["paragraph"]["paragraphStyle"]["namedStyleType"] = json!("HEADING_2");
    heading["paragraph"]["paragraphStyle"]["headingId"] = json!(id);
    heading
}

fn item(text: &str) -> Value {
    let mut item = line(text, json!({}));
    item["paragraph"]["bullet"] = json!({"listId": "kix.bullets", "textStyle": {"underline": false}});
    item["paragraph"]["paragraphStyle"]["indentStart"] = json!({"magnitude": 36, "unit": "PT"});
    item["paragraph"]["paragraphStyle"]["indentFirstLine"] = json!({"magnitude": 18, "unit": "PT"});
    item
}

fn tethered(text: &str) -> Value {
    let mut line = line(text, json!({}));
    line["paragraph"]["positionedObjectIds"] = json!(["kix.pos"]);
    line
}

fn rule() -> Value {
    let mut rule = line("", json!({}));
    let elements = rule["paragraph"]["elements"].as_array_mut().unwrap();
    elements.insert(0, json!({"horizontalRule": {"textStyle": {}}}));
    rule
}

fn table() -> Value {
    let cell = json!({"content": [line("cell", json!({}))], "tableCellStyle": {}});
    json!({"table": {"rows": 1, "columns": 1, "tableRows": [{"tableCells": [cell], "tableRowStyle": {}}], "tableStyle": {}}})
}

/// A table of two columns.
fn grid(cells: &[&str]) -> Value {
    let cell = |text: &&str| json!({"content": [line(text, json!({}))], "tableCellStyle": {}});
    let row = |texts: &[&str]| json!({"tableCells": texts.iter().map(cell).collect::<Vec<_>>(), "tableRowStyle": {}});
    let rows: Vec<Value> = cells.chunks(2).map(row).collect();
    json!({"table": {"rows": rows.len(), "columns": 2, "tableRows": rows, "tableStyle": {}}})
}

/// Edits one text of a file, and checks the laws and what becomes of the edit.
fn check_found(elements: &[Value], (old, new): (&str, &str), fate: Fate) {
    let raw = document(elements);
    let stand = check_unedited(&raw);
    let text = &stand.remote.parts[0].text;
    assert!(text.contains(old), "{old:?} is not in\n{text}");
    assert_eq!(check_edit(&stand, 0, &text.replacen(old, new, 1)), fate, "{old:?} became {new:?}");
}

#[test]
fn what_random_edits_found_stays_mended() {
    let bold = || json!({"bold": true});
    let plain = |text| line(text, json!({}));
    // Items and paragraphs are split and merged as paragraphs are.
    check_found(
        &[item("lambda theta epsilon iota"), plain("end")],
        ("theta epsilon", "theta\n\nepsilon"),
        Fate::Arrived,
    );
    check_found(
        &[plain("lambda theta epsilon iota"), plain("end")],
        ("lambda theta ", "- lambda theta\n\n"),
        Fate::Arrived,
    );
    check_found(&[item("lambda theta"), plain("epsilon iota")], ("\n\nepsilon", " epsilon"), Fate::Arrived);
    check_found(
        &[item("lambda theta"), item("epsilon iota"), plain("end")],
        ("- lambda theta\n- ", "lambda theta "),
        Fate::Arrived,
    );
    let merged = ("item\n- Third bullet item", "i- Third bullet itemtem");
    check_found(&[item("Second bullet item"), item("Third bullet item"), plain("end")], merged, Fate::Arrived);
    // What is put between two paragraphs does not leave its look on the end of the first.
    let break_before = ("**bold", "{^= sectionbreak}\n\n**bold");
    check_found(&[plain("first"), line("bold", bold()), plain("end")], break_before, Fate::Arrived);
    check_found(&[item("first"), line("bold", bold()), plain("end")], break_before, Fate::Arrived);
    let table_before = ("**bold", "| a |\n| --- |\n\n**bold");
    check_found(&[plain("first"), line("bold", bold()), plain("end")], table_before, Fate::Arrived);
    // Nor does a table that is put behind a paragraph take the look of its end.
    let mut ends_leaning = plain("first");
    let newline = json!({"textRun": {"content": "\n", "textStyle": {"italic": true}}});
    let elements = &mut ends_leaning["paragraph"]["elements"];
    *elements = json!([{"textRun": {"content": "first", "textStyle": {}}}, newline]);
    let table_behind = ("first\n", "first\n\n| a |\n| --- |\n");
    check_found(&[ends_leaning, titled("Head", "h.1"), plain("end")], table_behind, Fate::Arrived);
    // A picture that is tethered to a paragraph stays with it.
    let behind = ("\n\n## ", "\n\n| a |\n| --- |\n\n## ");
    check_found(&[tethered("first"), heading("second"), plain("end")], behind, Fate::Arrived);
    // A heading keeps its id when what stands behind it changes its kind.
    check_found(&[heading("first"), plain(""), table(), plain("end")], ("\\\n", "- \\\n"), Fate::Arrived);
    // New text behind a heading takes what went there, and not the heading's end with its id.
    let quoted = ("\\\n", "> quoted\n\n| a |\n| --- |\n");
    check_found(&[heading("first"), plain(""), table(), plain("end")], ("\\\n", "## \\\\\n"), Fate::Arrived);
    check_found(&[heading("first"), rule(), table(), plain("end")], ("---\n\n|", "## \n\n|"), Fate::Arrived);
    check_found(&[heading("first"), plain(""), item("second"), plain("end")], quoted, Fate::Arrived);
    // The paragraph that Docs wants before a new table takes no empty one from behind the text that stays.
    let tabled = ("keeps its place\n\n\\\n", "| a |\n| --- |\n\nkeeps its place\n\n- \\\n");
    check_found(&[table(), plain("keeps its place"), plain(""), plain("end")], tabled, Fate::Arrived);
    // What comes to stand under a heading that ended the document is a part of the same edit.
    let last = [plain("first words"), plain("move along"), titled("Head", "h.1"), titled("Two", "h.2")];
    let (head, two) = ("## {^ h.1}Head", "## {^ h.2}Two");
    let file = format!("move along\n\n{head}\n\n{two}\n");
    check_found(&last, (&file, &format!("{head}\n\n{two}\n\nmove along\n")), Fate::Arrived);
    let refused = format!("{head} {{^= equation}}\n\n{two}\n\nmove along\n");
    check_found(&last, (&file, &refused), Fate::Told);
    check_found(&last, (&format!("{two}\n"), &format!("{two}\n\nnew words\n")), Fate::Arrived);
    let swapped = format!("move along\n\n{two}\n\n{head} {{^= equation}}\n");
    check_found(&last, (&file, &swapped), Fate::Told);
    // A plain blank between two words that both lean is one that the file shows.
    let leaning = |text: &str| json!({"textRun": {"content": text, "textStyle": {"italic": true}}});
    let mut parted = plain("tail");
    let elements = parted["paragraph"]["elements"].as_array_mut().unwrap();
    let blank = json!({"textRun": {"content": " ", "textStyle": {}}});
    elements.splice(0..0, [leaning("one"), blank, leaning("two")]);
    let (twice, joined) = ("*one* *two*tail\n\n*one* *two*tail", "*one two*tail");
    check_found(&[parted.clone(), plain("end")], ("*one* *two*tail", twice), Fate::Arrived);
    check_found(&[parted, plain("end")], ("*one* *two*tail", joined), Fate::Arrived);
    // The empty paragraph that comes with a section break does not tell which of two texts was moved.
    let long = plain("alpha iota under score");
    let paragraphs = [plain(""), plain(""), long, plain("x"), plain("theta"), plain("end")];
    let (text, short) = ("alpha iota under score\n\n", "x\n\n");
    let moved = format!("{{^= sectionbreak}}\n\n\\\n{short}\\\n\n{text}");
    check_found(&paragraphs, (&format!("\\\n\n\\\n\n{text}{short}"), &moved), Fate::Arrived);
    // The part of a split heading that has its id for a moment is not the heading elsewhere that says the same.
    let link = || line("link", json!({"link": {"heading": {"id": "h.1", "tabId": "t.0"}}}));
    let split = ("one two\n\nstays", "one\n\ntwo\n\nstays\n\n## two");
    check_found(&[titled("one two", "h.1"), plain("stays"), plain("end")], split, Fate::Arrived);
    check_found(&[titled("one two", "h.1"), plain("stays"), link()], split, Fate::Arrived);
    let emptied = ("x}\n\nstays\n", "x\n\n}*\n\nstays\n\n## \n");
    check_found(&[titled("head x} ", "h.1"), plain("stays"), link()], emptied, Fate::Arrived);
    // A short word between two changes is not written anew.
    check_found(&[plain("eta and tail"), plain("end")], ("eta and", "line eta or"), Fate::Arrived);
}

#[test]
fn seeds_that_failed_stay_mended() {
    let fates: [AtomicU64; 4] = Default::default();
    for seed in [
        1_011_113,
        1_011_497,
        1_012_152,
        1_014_908,
        1_017_286,
        1_019_330,
        2_020_715,
        2_030_088,
        4_651,
        7_575,
        4_048_780,
        200_004_356,
        200_018_701,
        200_048_058,
        400_001_349,
        400_004_005,
        500_009_714,
        500_010_484,
        500_011_673,
        500_012_048,
        500_027_865,
        650_001_891,
        700_101_611,
        720_501_598,
        640_037_852,
        720_109_702,
        720_303_693,
        720_509_115,
        900_406_494,
        901_302_521,
        901_406_988,
        910_004_509,
        940_003_741,
        960_204_454,
        1_000_102_624,
        1_100_605_073,
        1_000_705_732,
        1_100_301_305,
        2_000_509_627,
        3_000_003_917,
        3_100_309_715,
        3_101_204_657,
        3_900_008_345,
        62_258,
        124_453,
        158_293,
        289_538,
        454_249,
    ] {
        // None of them cited when it failed.
        check_seed(seed, false, &fates);
    }
    for seed in [
        5_000_007_670,
        5_000_013_715,
        5_000_014_780,
        5_000_025_530,
        5_000_054_929,
        5_000_131_355,
        5_000_169_685,
        5_000_214_630,
        5_000_275_575,
    ] {
        check_seed(seed, true, &fates);
    }
}

/// Plans an edit of a document, of which some must be planned and some told.
fn check_part(elements: &[Value], edits: &[(&str, &str)], pushed: &[&str], told: &[(&str, u32)]) {
    let stand = check_unedited(&document(elements));
    let part = &stand.remote.parts[0];
    let edited = edits.iter().fold(part.text.clone(), |text, (old, new)| {
        assert!(text.contains(old), "{old:?} is not in\n{text}");
        text.replacen(old, new, 1)
    });
    let plan = docs::plan(&stand.remote, &part.id, &edited, false).unwrap();
    let all: Vec<_> = plan.refused.iter().chain(&plan.told).collect();
    let found: Vec<(&str, u32)> = all.iter().map(|notice| (notice.code.as_str(), notice.line)).collect();
    assert_eq!(found, told, "{edits:?}: {all:#?}");
    for words in pushed {
        assert!(plan.expected.contains(words), "{edits:?}: {words:?} is not in\n{}", plan.expected);
    }
    check_edit(&stand, 0, &edited);
}

#[test]
fn the_rest_is_pushed_when_a_part_tears() {
    let plain = |text| line(text, json!({}));
    let sections =
        [titled("A", "h.1"), plain("pp one two"), titled("B", "h.2"), plain("x y"), titled("C", "h.3"), plain("far")];
    let moved = ("pp one two\n\n## {^ h.2}B\n\nx y", "## {^ h.2}B {^= equation}\n\nx y\n\npp one two");
    check_part(
        &sections,
        &[moved, ("far", "far away")],
        &["far away", "pp one two"],
        &[("LOCKED", 10), ("TORN", 12), ("KEPT", 19)],
    );
    // Neither do other words wait for a new section of which a part cannot be made.
    let new = ("pp one two", "pp one 2\n\n# New {^= equation}\n\nnew words");
    check_part(&sections, &[new], &["pp one 2"], &[("LOCKED", 12), ("TORN", 14)]);
    // A new table stands before an old one that was edited, and takes none of its cells.
    let tables = [plain("p"), grid(&["wind", "stone", "seven", "north"]), plain("end")];
    let before = ("| wind", "| aa | bb |\n| --- | --- |\n| cc | dd |\n\n\\\n\n| wind");
    let stand = check_unedited(&document(&tables));
    let edited = stand.remote.parts[0].text.replacen(before.0, before.1, 1).replacen("seven", "seven x", 1);
    let plan = docs::plan(&stand.remote, &stand.remote.parts[0].id, &edited, false).unwrap();
    let sent = serde_json::to_string(&plan.requests).unwrap();
    assert!(plan.refused.is_empty() && !sent.contains("wind") && !sent.contains("deleteContentRange"), "{sent}");
    check_edit(&stand, 0, &edited);
    let parted = [titled("old", "h.1"), table(), plain("end")];
    check_part(&parted, &[("old\n", "old\n\nnew\n")], &["new"], &[("HEADING_ID", 8)]);
}
