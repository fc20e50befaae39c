//! Edits of structure on real documents: paragraphs split, merged and moved, tables, footnotes, objects. What is planned
//! arrives, or is told; no word is lost or doubled, and what was not edited stays as it is.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::model::fetched;
use crate::support::oracle::{deleted_text, flatten, without_positions};
use mcp_workspace::gdocs;
use mcp_workspace::kinds::PushPlan;
use mcp_workspace::kinds::docs;
use mcp_workspace::mebdf::{self, Alignment, Block, Content, Marks, Object, Run, RunContent};
use serde_json::Value;

/// A small deterministic source of choices.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// What a test does at a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Split,
    Merge,
    SplitAndEdit,
    Move,
    InsertRow,
    DeleteRow,
    InsertColumn,
    DeleteColumn,
    InsertTable,
    DeleteTable,
    SplitCell,
    Align,
    Bold,
    Delete,
    InsertParagraph,
    NewFootnote,
    DeleteFootnote,
    PageBreak,
    Person,
    Date,
    SectionBreak,
}

const CHANGES: [Change; 21] = [
    Change::Split,
    Change::Merge,
    Change::SplitAndEdit,
    Change::Move,
    Change::InsertRow,
    Change::DeleteRow,
    Change::InsertColumn,
    Change::DeleteColumn,
    Change::InsertTable,
    Change::DeleteTable,
    Change::SplitCell,
    Change::Align,
    Change::Bold,
    Change::Delete,
    Change::InsertParagraph,
    Change::NewFootnote,
    Change::DeleteFootnote,
    Change::PageBreak,
    Change::Person,
    Change::Date,
    Change::SectionBreak,
];

fn text(text: impl Into<String>) -> Run {
    Run { content: RunContent::Text(text.into()), marks: Marks::default() }
}

fn object(kind: &str, title: Option<&str>) -> Run {
    let object = Object { id: None, kind: kind.into(), title: title.map(ToOwned::to_owned) };
    Run { content: RunContent::Object(object), marks: Marks::default() }
}

fn runs_of(content: &mut Content) -> Option<&mut Vec<Run>> {
    match content {
        Content::Heading { runs, .. } | Content::Paragraph { runs } | Content::Item { runs, .. } => Some(runs),
        _ => None,
    }
}

/// Cuts runs at a blank of one of their texts.
fn cut(runs: &mut Vec<Run>, dice: &mut Dice) -> Option<Vec<Run>> {
    let mut places = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        if let RunContent::Text(text) = &run.content {
            places.extend(text.match_indices(' ').map(|(at, _)| (index, at)));
        }
    }
    if places.is_empty() {
        return None;
    }
    let (index, at) = places[dice.roll(places.len())];
    let mut rest = runs.split_off(index);
    let RunContent::Text(whole) = rest[0].content.clone() else { return None };
    let head = Run { content: RunContent::Text(whole[..at].to_owned()), marks: rest[0].marks.clone() };
    rest[0].content = RunContent::Text(whole[at + 1..].to_owned());
    runs.push(head);
    Some(rest)
}

/// The labels of the footnotes of a file.
fn footnotes(blocks: &[Block]) -> Vec<String> {
    blocks
        .iter()
        .filter_map(|block| match &block.content {
            Content::Footnote { label, .. } => Some(label.clone()),
            _ => None,
        })
        .collect()
}

/// Makes a change at a block, or at the next table for one of tables; returns false where it has no meaning.
fn make(blocks: &mut Vec<Block>, at: usize, change: Change, count: usize, dice: &mut Dice) -> bool {
    const OF_TABLES: [Change; 7] = [
        Change::InsertRow,
        Change::DeleteRow,
        Change::InsertColumn,
        Change::DeleteColumn,
        Change::DeleteTable,
        Change::SplitCell,
        Change::Align,
    ];
    let at = if OF_TABLES.contains(&change) {
        let is_table = |at: &usize| matches!(blocks[*at].content, Content::Table { .. });
        (at..blocks.len()).chain(0..at).find(is_table).unwrap_or(at)
    } else {
        at
    };
    match change {
        Change::Split | Change::SplitAndEdit => {
            let mut second = blocks[at].content.clone();
            let Some(runs) = runs_of(&mut blocks[at].content) else { return false };
            let Some(rest) = cut(runs, dice) else { return false };
            let has_text = |runs: &[Run]| !mebdf::plain(runs).trim().is_empty();
            let fine = has_text(runs) && has_text(&rest);
            if change == Change::SplitAndEdit {
                runs.push(text(format!(" more {count}")));
            }
            *runs_of(&mut second).unwrap() = rest;
            if let Content::Heading { anchor, .. } = &mut second {
                *anchor = None;
            }
            blocks.insert(at + 1, Block::new(second));
            fine
        }
        Change::Merge => {
            let Some(mut next) = blocks.get(at + 1).map(|block| block.content.clone()) else { return false };
            let same = std::mem::discriminant(&next) == std::mem::discriminant(&blocks[at].content);
            let (Some(runs), Some(more)) = (runs_of(&mut blocks[at].content), runs_of(&mut next)) else { return false };
            if !same || runs.is_empty() || more.is_empty() {
                return false;
            }
            runs.push(text(" "));
            runs.append(more);
            blocks.remove(at + 1);
            true
        }
        Change::Move => {
            if !matches!(blocks[at].content, Content::Paragraph { .. } | Content::Item { .. }) {
                return false;
            }
            let block = blocks.remove(at);
            let to = dice.roll(blocks.len() + 1);
            blocks.insert(to, block);
            true
        }
        Change::Delete => {
            runs_of(&mut blocks[at].content).is_some() && {
                blocks.remove(at);
                true
            }
        }
        Change::InsertParagraph => {
            blocks.insert(at, Block::new(Content::Paragraph { runs: vec![text(format!("Inserted {count}"))] }));
            true
        }
        Change::Bold => {
            let Some(runs) = runs_of(&mut blocks[at].content) else { return false };
            let Some(run) = runs.iter_mut().find(|run| matches!(run.content, RunContent::Text(_))) else {
                return false;
            };
            run.marks.bold = true;
            true
        }
        Change::InsertTable => {
            let cell = |row: usize, column: usize| vec![vec![text(format!("new {count} {row} {column}"))]];
            let rows = (0..2 + count % 2).map(|row| (0..2).map(|column| cell(row, column)).collect()).collect();
            blocks.insert(at, Block::new(Content::Table { alignments: vec![Alignment::None; 2], rows }));
            true
        }
        Change::DeleteTable => {
            matches!(blocks[at].content, Content::Table { .. }) && {
                blocks.remove(at);
                true
            }
        }
        Change::InsertRow
        | Change::DeleteRow
        | Change::InsertColumn
        | Change::DeleteColumn
        | Change::SplitCell
        | Change::Align => table(&mut blocks[at].content, change, count, dice),
        Change::NewFootnote
        | Change::DeleteFootnote
        | Change::PageBreak
        | Change::SectionBreak
        | Change::Person
        | Change::Date => made(blocks, at, change, count, dice),
    }
}

/// Makes or deletes what is neither text nor table.
fn made(blocks: &mut Vec<Block>, at: usize, change: Change, count: usize, dice: &mut Dice) -> bool {
    match change {
        Change::NewFootnote => {
            let Some(runs) = runs_of(&mut blocks[at].content) else { return false };
            if runs.is_empty() {
                return false;
            }
            let label = format!("new{count}");
            runs.push(Run { content: RunContent::FootnoteReference(label.clone()), marks: Marks::default() });
            let paragraphs = vec![vec![text(format!("Footnote {count} says"))]];
            blocks.push(Block::new(Content::Footnote { label, paragraphs }));
            true
        }
        Change::DeleteFootnote => {
            let labels = footnotes(blocks);
            if labels.is_empty() {
                return false;
            }
            let gone = &labels[dice.roll(labels.len())];
            blocks.retain(|block| !matches!(&block.content, Content::Footnote { label, .. } if label == gone));
            for block in blocks.iter_mut() {
                let clean = |runs: &mut Vec<Run>| {
                    runs.retain(|run| !matches!(&run.content, RunContent::FootnoteReference(label) if label == gone));
                };
                match &mut block.content {
                    Content::Table { rows, .. } => rows.iter_mut().flatten().flatten().for_each(clean),
                    content => runs_of(content).into_iter().for_each(clean),
                }
            }
            true
        }
        Change::PageBreak => {
            blocks.insert(at, Block::new(Content::Paragraph { runs: vec![object("pagebreak", None)] }));
            true
        }
        Change::SectionBreak => {
            blocks.insert(at, Block::new(Content::Paragraph { runs: vec![object("sectionbreak", None)] }));
            true
        }
        Change::Person | Change::Date => {
            let Some(runs) = runs_of(&mut blocks[at].content) else { return false };
            let chip = if change == Change::Person {
                object("person", Some("ana@example.com"))
            } else {
                object("date", Some("2026-11-21"))
            };
            runs.insert(0, chip);
            true
        }
        _ => false,
    }
}

/// Makes a change in a table.
fn table(content: &mut Content, change: Change, count: usize, dice: &mut Dice) -> bool {
    let Content::Table { alignments, rows } = content else { return false };
    let cell = |what: usize| vec![vec![text(format!("cell {count} {what}"))]];
    let (height, width) = (rows.len(), alignments.len());
    match change {
        Change::InsertRow => rows.insert(dice.roll(height + 1), (0..width).map(cell).collect()),
        Change::DeleteRow if height > 1 => drop(rows.remove(dice.roll(height))),
        Change::InsertColumn => {
            let at = dice.roll(width + 1);
            alignments.insert(at, Alignment::None);
            rows.iter_mut().enumerate().for_each(|(row, cells)| cells.insert(at, cell(row)));
        }
        Change::DeleteColumn if width > 1 => {
            let at = dice.roll(width);
            alignments.remove(at);
            rows.iter_mut().for_each(|cells| drop(cells.remove(at)));
        }
        Change::SplitCell => rows[dice.roll(height)][dice.roll(width)].push(vec![text(format!("below {count}"))]),
        Change::Align => alignments[dice.roll(width)] = Alignment::Center,
        _ => return false,
    }
    true
}

/// The text behind the head, without the anchors of headings and with footnotes counted in order.
fn body(text: &str) -> String {
    let mut tree = mebdf::parse(text).tree;
    tree.front_matter = None;
    let mut labels: Vec<String> = Vec::new();
    let mut number = |label: &mut String| {
        let at = labels.iter().position(|other| other == label).unwrap_or_else(|| {
            labels.push(label.clone());
            labels.len() - 1
        });
        *label = format!("n{at}");
    };
    for block in &mut tree.blocks {
        if let Content::Heading { anchor, .. } = &mut block.content {
            *anchor = None;
        }
        let runs: Vec<&mut Run> = match &mut block.content {
            Content::Table { rows, .. } => rows.iter_mut().flatten().flatten().flatten().collect(),
            content => runs_of(content).into_iter().flatten().collect(),
        };
        for run in runs {
            if let RunContent::FootnoteReference(label) = &mut run.content {
                number(label);
            }
        }
    }
    for block in &mut tree.blocks {
        if let Content::Footnote { label, .. } = &mut block.content {
            number(label);
        }
    }
    let place = |block: &Block| match &block.content {
        Content::Footnote { label, .. } => label[1..].parse::<usize>().map_or(0, |label| label + 1),
        _ => 0,
    };
    tree.blocks.sort_by_key(place);
    mebdf::print(&tree)
}

/// What a text says block by block, with the directives in force, without the empty paragraphs that Docs wants beside
/// tables and breaks, and that a person does not write.
fn settled(text: &str) -> Vec<String> {
    let blocks = mebdf::parse(&body(text)).tree.blocks;
    let states = mebdf::states(&blocks);
    let fixed = |block: Option<&(Block, mebdf::State)>| match block.map(|(block, _)| &block.content) {
        None | Some(Content::Table { .. } | Content::Footnote { .. }) => true,
        Some(Content::Paragraph { runs }) => {
            matches!(&runs[..], [Run { content: RunContent::Object(object), .. }] if object.kind == "sectionbreak")
        }
        Some(_) => false,
    };
    let blocks: Vec<(Block, mebdf::State)> = blocks
        .into_iter()
        .zip(states)
        .filter(|(block, _)| !matches!(block.content, Content::Directive { .. }))
        .collect();
    let mut said = Vec::new();
    for (at, (block, state)) in blocks.iter().enumerate() {
        let empty = matches!(&block.content, Content::Paragraph { runs } if runs.is_empty());
        let beside = at == 0 || fixed(blocks.get(at - 1)) || fixed(blocks.get(at + 1));
        let paragraph = matches!(block.content, Content::Paragraph { .. }) && !empty;
        // The direction of what is inserted is another test's.
        let properties: Vec<_> = state.properties.iter().filter(|property| property.name != "dir").collect();
        let style = if paragraph { format!("{:?} {properties:?} ", state.style) } else { String::new() };
        if !(empty && beside) {
            said.push(style + &mebdf::print_block(&block.content));
        }
    }
    said
}

/// How often each word of four letters and more stands in a text, without what stands in braces.
fn counts(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let text = text.split('{').map(|piece| piece.split_once('}').map_or(piece, |(_, text)| text));
    for word in text.collect::<Vec<_>>().join(" ").split(|c: char| !c.is_alphanumeric()) {
        if word.chars().count() >= 4 {
            *counts.entry(word.to_lowercase()).or_insert(0) += 1;
        }
    }
    counts
}

/// Pushes a file as the daemon does: once, and again while a plan asks for it.
fn push(raw: &Value, part: usize, edited: &str) -> Result<(PushPlan, Value), String> {
    let (mut raw, mut first): (Value, Option<PushPlan>) = (raw.clone(), None);
    for round in 0..4 {
        let remote = fetched(&raw);
        let plan = docs::plan(&remote, &remote.parts[part].id, edited, false).map_err(|error| error.to_string())?;
        let document: gdocs::Document = serde_json::from_value(raw.clone()).unwrap();
        let requests = gdocs::read_requests(&plan.requests).unwrap();
        let after = gdocs::apply(&document, &requests, 77 + round).map_err(|refusal| refusal.message)?;
        raw = serde_json::to_value(&after.document).unwrap();
        let found = fetched(&raw).parts[part].text.clone();
        if body(&plan.expected) != body(&found) {
            return Err(format!("another text was expected:\n{}\n=== found\n{found}", plan.expected));
        }
        let again = plan.again;
        first.get_or_insert(plan);
        if !again {
            return Ok((first.unwrap(), raw));
        }
    }
    Err("the plan asks for another without end".into())
}

/// The elements of a body as JSON without positions, without what a footnote's number is.
fn elements(raw: &Value, part: usize) -> Vec<String> {
    let content = raw["tabs"][part]["documentTab"]["body"]["content"].as_array().unwrap();
    let number = |json: String| {
        let mut pieces = json.split("\"footnoteNumber\":\"");
        let first = pieces.next().unwrap_or_default().to_owned();
        pieces.fold(first, |all, piece| all + piece.split_once('"').map_or("", |(_, rest)| rest))
    };
    content.iter().map(|element| number(without_positions(element).to_string())).collect()
}

/// Checks what a push did: what it does not tell of has arrived, no word is lost or doubled, planning again sends nothing,
/// and what was not edited stands as it stood.
fn check_push(
    raw: &Value,
    part: usize,
    edited: &str,
    plan: &PushPlan,
    after: &Value,
    changes: usize,
) -> Result<(), String> {
    let (before, again) = (fetched(raw), fetched(after));
    let (old, found) = (&before.parts[part].text, &again.parts[part].text);
    let replan = |text: &str| docs::plan(&again, &again.parts[part].id, text, false).map_err(|error| error.to_string());
    if plan.refused.is_empty() && plan.holds.is_empty() {
        let (is, wanted) = (settled(found), settled(edited));
        if is != wanted {
            let differ: Vec<_> = is.iter().zip(&wanted).filter(|(is, wanted)| is != wanted).take(3).collect();
            return Err(format!("it says otherwise ({} and {} blocks): {differ:#?}", is.len(), wanted.len()));
        }
        let sent = replan(edited)?.requests;
        if !sent.is_empty() {
            return Err(format!("the edit has arrived, and yet {sent:#?}\n{edited}"));
        }
    }
    let (old, new, file) = (counts(old), counts(found), counts(edited));
    for word in old.keys().chain(new.keys()) {
        let of = |counts: &BTreeMap<String, usize>| counts.get(word).copied().unwrap_or(0);
        let (was, is, wanted) = (of(&old), of(&new), of(&file));
        if is < was.min(wanted) || is > was.max(wanted) {
            return Err(format!("{word} was {was}, is {is}, file {wanted}: {:?}", plan.refused));
        }
    }
    let sent = replan(found)?.requests;
    if !sent.is_empty() {
        return Err(format!("nothing was edited, and yet {sent:#?}"));
    }
    let mut still = elements(after, part);
    let mut gone = elements(raw, part);
    gone.retain(|old| still.iter().position(|new| new == old).map(|at| still.remove(at)).is_none());
    if gone.len() > 4 * changes {
        return Err(format!("these are gone: {gone:#?}"));
    }
    Ok(())
}

/// A document of the demo.
fn demo(name: &str) -> Value {
    let path = format!("{}/fixtures/demo/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// What a document is given to make it rich in structure.
const RICH: &str = "
A paragraph with a person {^= person \"ana@example.com\"} and a day {^= date \"2026-11-21\"} in it.

| Fruit | Colour | Price |
| --- | --- | --- |
| Apple | green | three |
| Banana | yellow | four |
| **Cherry** | red | seven<br>or eight |

Between the tables stands a remark.[^r1]

| City | Country |
| --- | --- |
| Vienna | Austria[^r2] |
| Bern | Switzerland |
| Lisbon | Portugal |

{^= pagebreak}

The end comes after the break.

[^r1]: Remarks have notes.

[^r2]: Mountains everywhere.
";

/// The recorded documents, those of the demo, and some that hold everything.
fn documents(test: &str) -> Option<Vec<(String, Value)>> {
    let mut documents = crate::support::raw_documents(test)?;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/demo")).unwrap() {
        let path = entry.unwrap().path();
        documents.push((path.display().to_string(), serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap()));
    }
    for (name, raw) in documents.clone().into_iter().step_by(3) {
        let edited = format!("{}{RICH}", fetched(&raw).parts[0].text);
        let (plan, raw) = push(&raw, 0, &edited).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(plan.refused.is_empty(), "{name}: {:?}", plan.refused);
        documents.push((format!("rich {name}"), raw));
    }
    Some(documents)
}

#[test]
fn edits_of_structure_arrive() {
    let Some(documents) = documents("edits_of_structure_arrive") else { return };
    let rounds: usize = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(15);
    let (mut arrived, mut told, mut rejected) = (BTreeMap::new(), BTreeMap::new(), 0);
    let mut failures: Vec<String> = Vec::new();
    for (seed, (name, raw)) in documents.iter().enumerate() {
        for round in 0..rounds {
            let mut dice = Dice((seed * 100_000 + round) as u64);
            let remote = fetched(raw);
            let part = dice.roll(raw["tabs"].as_array().unwrap().len());
            let mut tree = mebdf::parse(&remote.parts[part].text).tree;
            let mut changes = Vec::new();
            for _ in 0..=dice.roll(2) {
                let (at, change) = (dice.roll(tree.blocks.len()), CHANGES[dice.roll(CHANGES.len())]);
                let before = tree.blocks.clone();
                if make(&mut tree.blocks, at, change, round, &mut dice) {
                    changes.push(change);
                } else {
                    tree.blocks = before;
                }
            }
            let edited = mebdf::print(&tree);
            let what = format!("{name} round {round} {changes:?}");
            let (plan, after) = match push(raw, part, &edited) {
                Ok(done) => done,
                Err(error) => {
                    println!("{what}: {error}");
                    rejected += 1;
                    continue;
                }
            };
            let whole = plan.refused.is_empty() && plan.holds.is_empty();
            for change in &changes {
                *(if whole { &mut arrived } else { &mut told }).entry(format!("{change:?}")).or_insert(0) += 1;
            }
            failures.extend(
                check_push(raw, part, &edited, &plan, &after, changes.len()).err().map(|why| format!("{what}: {why}")),
            );
            if !whole && std::env::var_os("TOLD").is_some() {
                println!("{what}: {:?} {:?}\n{edited}", plan.refused, plan.holds);
            }
        }
    }
    println!("arrived {arrived:?}\ntold {told:?}\n{rejected} rejected");
    for failure in failures.iter().take(12) {
        println!("{}", failure.chars().take(1_500).collect::<String>());
    }
    assert!(failures.is_empty(), "{} failed", failures.len());
    let of = |counts: &BTreeMap<String, i32>| counts.values().sum::<i32>();
    assert!(of(&arrived) > 3 * of(&told), "{} arrived, {} told", of(&arrived), of(&told));
    assert_eq!(rejected, 0);
}

#[test]
fn split_and_merged_paragraphs_keep_every_character() {
    let Some(documents) = crate::support::raw_documents("split_and_merged_paragraphs_keep_every_character") else {
        return;
    };
    let (mut whole, mut told) = (0, 0);
    for (seed, (name, raw)) in documents.iter().enumerate() {
        let remote = fetched(raw);
        for round in 0..40 {
            let mut dice = Dice((seed * 1_000 + round) as u64);
            let part = dice.roll(raw["tabs"].as_array().unwrap().len());
            let mut tree = mebdf::parse(&remote.parts[part].text).tree;
            let at = dice.roll(tree.blocks.len());
            let change = [Change::Split, Change::Merge][dice.roll(2)];
            if !make(&mut tree.blocks, at, change, round, &mut dice) {
                continue;
            }
            let plan = docs::plan(&remote, &remote.parts[part].id, &mebdf::print(&tree), false).unwrap();
            if !plan.refused.is_empty() || !plan.holds.is_empty() {
                told += 1;
                continue;
            }
            whole += 1;
            let units = flatten(&raw["tabs"][part]).0;
            let document: gdocs::Document = serde_json::from_value(raw.clone()).unwrap();
            let requests = gdocs::read_requests(&plan.requests).unwrap();
            let (_, traces) = gdocs::apply_traced(&document, &requests, 5).unwrap();
            let tab = raw["tabs"][part]["tabProperties"]["tabId"].as_str().unwrap();
            let body = traces.iter().find(|trace| trace.tab_id == tab && trace.segment_id.is_empty()).unwrap();
            let stayed: BTreeSet<u32> = body.units.iter().copied().flatten().collect();
            let lost = (0..units.len() as u32).filter(|unit| !stayed.contains(unit));
            let lost: Vec<u16> = lost.map(|unit| units[unit as usize]).collect();
            assert!(lost.iter().all(|unit| [0x20, 0x0a].contains(unit)) && lost.len() <= 2, "{name} {round}: {lost:?}");
            let mut units = units;
            let deleted = deleted_text(&mut units, &plan.requests).unwrap();
            assert!(
                deleted.chars().all(|c| c == ' ' || c == '\n') && deleted.chars().count() <= 2,
                "{name} round {round} {change:?}: {deleted:?} {:#?}",
                plan.requests
            );
        }
    }
    println!("{whole} kept every character, {told} told");
    assert!(whole > 100 && whole > 10 * told, "{whole} whole, {told} told");
}

/// Edits a text of the demo; checks which notices are told, what the file says afterwards, and what was sent.
fn check(raw: &Value, old: &str, new: &str, codes: &[&str], found: &str, sent: &[&str]) {
    let file = fetched(raw).parts[0].text.clone();
    assert!(file.contains(old), "{old:?} is not in {file}");
    let edited = file.replacen(old, new, 1);
    let (plan, after) = push(raw, 0, &edited).unwrap();
    let told: Vec<&str> = plan.refused.iter().chain(&plan.holds).map(|notice| notice.code.as_str()).collect();
    assert_eq!(told, codes, "{old:?} → {new:?}: {:#?}", plan.refused);
    let text = fetched(&after).parts[0].text.clone();
    assert!(text.contains(found), "{old:?} → {new:?}: {found:?} is not in {text}");
    let kinds: Vec<&str> =
        plan.requests.iter().map(|request| request.as_object().unwrap().keys().next().unwrap().as_str()).collect();
    assert_eq!(kinds, sent, "{old:?} → {new:?}: {:#?}", plan.requests);
}

#[test]
fn each_edit_of_structure_is_the_least_that_does_it() {
    let raw = demo("meeting-notes");
    let (insert, delete) = ("insertText", "deleteContentRange");
    let check = |old, new, codes: &[&str], found, sent: &[&str]| check(&raw, old, new, codes, found, sent);
    // Splits and merges are newlines.
    check("summary, Ben", "summary,\n\nBen", &[], "summary,\n\nBen checks", &[insert, delete]);
    check("board.\n\nThe template", "board. The template", &[], "board. The template", &[insert, delete]);
    check(
        "board.\n\nThe template",
        "council. The template",
        &[],
        "council. The template",
        &[delete, insert, delete, delete],
    );
    // Cells hold paragraphs.
    check("| Thursday |", "| Thursday<br>at noon |", &[], "| Thursday<br>at noon |", &[insert, insert]);
    // Rows and columns come and go; what a cell says can change beside them.
    check(
        "| Send the",
        "| Pay | Ben | now |\n| Send the",
        &[],
        "| Pay | Ben | now |",
        &["insertTableRow", insert, insert, insert],
    );
    check("| Check the figures | Ben | Thursday |\n", "", &[], "Wednesday |\n| Send", &["deleteTableRow"]);
    // Tables are made and deleted.
    check(
        "\n\n## ",
        "\n\n| a |\n| --- |\n| b |\n\n## ",
        &[],
        "used.\n\n| a |\n| --- |\n| b |\n\n## ",
        &["insertTable", delete, insert, insert],
    );
    // A footnote is made now and filled then.
    check("the board.", "the board.[^b]\n\n[^b]: All nine.", &[], "the board.[^1]", &["createFootnote"]);
    check(
        "Present: Ana",
        "Present: {^= person \"ana@example.com\"}",
        &[],
        "{^= person \"ana@example.com\"}",
        &[delete, "insertPerson"],
    );
    // What the API cannot make is told.
    check("\n\n## ", "\n\n---\n\n## ", &["LOCKED"], "used.\n\n## ", &[]);
    check("Ana writes", "Ana {^= equation} writes", &["LOCKED"], "Ana writes", &[]);
    check("the board.", "the board.[^b]", &["LOCKED"], "the board.\n", &[]);
}

#[test]
fn the_text_of_a_paragraph_moves_around_what_cannot() {
    let raw = demo("meeting-notes");
    let file = fetched(&raw).parts[0].text.clone();
    let noted = file.replacen("the board.", "the board.[^b]\n\n[^b]: All nine.", 1);
    let (_, raw) = push(&raw, 0, &noted).unwrap();
    let (insert, delete) = ("insertText", "deleteContentRange");
    check(&raw, "the board.[^1]", "the[^1] board.", &[], "the[^1] board.", &[insert, delete]);
    check(&raw, "it to the board.[^1]", "[^1]it to all nine.", &[], "[^1]it to all nine.", &[insert, delete]);
}

#[test]
fn a_new_footnote_keeps_the_size_that_docs_gives_it() {
    let raw = demo("meeting-notes");
    let file = fetched(&raw).parts[0].text.clone();
    let (_, raw) = push(&raw, 0, &file.replacen("the board.", "the board.[^b]\n\n[^b]: All nine.", 1)).unwrap();
    let sizes = |raw: &Value| -> Vec<String> {
        let notes = raw["tabs"][0]["documentTab"]["footnotes"].as_object().unwrap().values();
        let runs = notes.flat_map(|note| note["content"][0]["paragraph"]["elements"].as_array().unwrap());
        runs.map(|run| {
            format!("{} {}", run["textRun"]["content"], run["textRun"]["textStyle"]["fontSize"]["magnitude"])
        })
        .collect()
    };
    assert_eq!(sizes(&raw), ["\"All nine.\\n\" 10"]);
    let file = fetched(&raw).parts[0].text.clone();
    assert!(file.contains("[^1]: All nine.\n"), "{file}");
    let (_, raw) = push(&raw, 0, &file.replacen("All nine.", "All {!size:14pt}nine{/!}.", 1)).unwrap();
    assert_eq!(sizes(&raw), ["\"All \" 10", "\"nine\" 14", "\".\\n\" 10"]);
    let (_, raw) = push(&raw, 0, &file).unwrap();
    assert_eq!(sizes(&raw), ["\"All nine.\\n\" 10"]);
}

/// A table in which each cell says its column, as the file has it.
fn table_of(columns: [&str; 3]) -> String {
    let row = |cells: [&str; 3]| format!("| {} |\n", cells.join(" | "));
    let cells = |text: &str| row(columns.map(|column| format!("{column} {text}")).each_ref().map(String::as_str));
    format!("{}{}{}{}", row(columns), row(["---"; 3]), cells("one"), cells("two"))
}

#[test]
fn a_column_that_comes_or_moves_takes_no_other_along() {
    let (insert, delete) = ("insertText", "deleteContentRange");
    let columns = ["Task", "Owner", "Due"];
    let raw = demo("meeting-notes");
    let file = fetched(&raw).parts[0].text.clone();
    let (_, raw) = push(&raw, 0, &file.replacen("\n\n## ", &format!("\n\n{}\n## ", table_of(columns)), 1)).unwrap();
    let changed = |new: [&str; 3], sent: &[&str]| {
        check(&raw, &table_of(columns), &table_of(new), &[], &table_of(new), sent);
    };
    let (comes, goes) = ("insertTableColumn", "deleteTableColumn");
    changed(["Task", "Due", "Cost"], &[comes, goes, insert, insert, insert]);
    changed(["Task", "Due", "Owner"], &[goes, comes, insert, insert, insert]);
    changed(["Cost", "Task", "Owner"], &[goes, comes, insert, insert, insert]);
    // One that says something else now has stayed.
    changed(["Task", "Owner", "Paid by"], &[insert, delete, delete].repeat(3));
}

#[test]
fn what_somebody_tied_something_to_is_not_moved() {
    for tied in ["comment", "named range"] {
        let mut raw = demo("meeting-notes");
        let content = raw["tabs"][0]["documentTab"]["body"]["content"].as_array().unwrap().clone();
        let place = content.iter().find(|element| element.to_string().contains("The template is in")).unwrap();
        let range = serde_json::json!({"startIndex": place["startIndex"].as_u64().unwrap() + 2, "endIndex": place["endIndex"].as_u64().unwrap() - 4});
        let tab = &mut raw["tabs"][0]["documentTab"];
        if tied == "comment" {
            tab["commentAnchors"] = serde_json::json!({"kix.a": {"anchorId": "kix.a", "ranges": [range]}});
        } else {
            let named = serde_json::json!({"namedRangeId": "kix.n", "name": "n", "ranges": [range]});
            tab["namedRanges"] = serde_json::json!({"n": {"name": "n", "namedRanges": [named]}});
        }
        let file = fetched(&raw).parts[0].text.clone();
        let start = file.find("The template").unwrap();
        let end = start + file[start..].find("\n\n").unwrap() + 2;
        let mut moved = format!("{}{}", &file[..start], &file[end..]);
        let deleted = moved.clone();
        moved.push_str(&format!("\n{}", &file[start..end]));
        let plan = docs::plan(&fetched(&raw), &fetched(&raw).parts[0].id, &moved, false).unwrap();
        assert!(plan.requests.is_empty(), "{:#?}", plan.requests);
        assert!(plan.refused.iter().any(|notice| notice.message.contains(tied)), "{:?}", plan.refused);
        // Deleting it is what a person may want; that a range of another program goes with it is told. Of this comment no
        // thread is open.
        let plan = docs::plan(&fetched(&raw), &fetched(&raw).parts[0].id, &deleted, false).unwrap();
        let told: Vec<&str> = plan.told.iter().map(|notice| notice.code.as_str()).collect();
        assert_eq!(told, if tied == "comment" { vec![] } else { vec!["RANGE_LOST"] }, "{:?}", plan.told);
        assert!(plan.refused.is_empty(), "{:?}", plan.refused);
        assert_eq!(plan.requests.len(), 1);
        // Splitting and merging keep it.
        let split = file.replacen(
            "guide](https://example.com/style-guide); last",
            "guide](https://example.com/style-guide);\n\nlast",
            1,
        );
        let (plan, after) = push(&raw, 0, &split).unwrap();
        assert!(plan.refused.is_empty() && plan.requests.len() == 2, "{:?}", plan.requests);
        assert!(after.to_string().contains(if tied == "comment" { "kix.a" } else { "kix.n" }));
    }
}

#[test]
fn a_new_document_takes_every_structure() {
    let text = format!("# Heading\n\n- one\n- two\n{RICH}\n## Last\n\n| a | b |\n| --- | :-: |\n| c | d |\n");
    let mut raw = serde_json::to_value(gdocs::new_document("x", "New")).unwrap();
    let plans = docs::plan_creation(&serde_json::to_vec(&raw).unwrap(), &text).unwrap();
    assert_eq!(plans.iter().map(|plan| plan.again).collect::<Vec<_>>(), [true, false]);
    for (seed, plan) in plans.iter().enumerate() {
        let document: gdocs::Document = serde_json::from_value(raw).unwrap();
        let requests = gdocs::read_requests(&plan.requests).unwrap();
        raw = serde_json::to_value(gdocs::apply(&document, &requests, seed as u64).unwrap().document).unwrap();
    }
    assert_eq!(settled(&fetched(&raw).parts[0].text), settled(&text));
}
