//! Styles, kinds of paragraphs and lists on real documents: what the file asks for arrives, and nothing else moves.

use crate::support::meaning::meaning;
use crate::support::model::fetched;
use crate::support::oracle::{flatten, without_paragraph, without_positions};
use mcp_workspace::gdocs;
use mcp_workspace::kinds::PushPlan;
use mcp_workspace::kinds::docs;
use mcp_workspace::mebdf::{self, Block, Content, Mark, Property, PropertyValue, Run, RunContent};
use serde_json::Value;

/// Properties of text with a value that no recorded document has.
const TEXT: [(&str, &str); 12] = [
    ("font", "Georgia"),
    ("font", "\"Comic Sans MS\""),
    ("weight", "300"),
    ("size", "17.5pt"),
    ("mono", ""),
    ("underline", ""),
    ("color", "#c00001"),
    ("highlight", "#fff001"),
    ("sup", ""),
    ("sub", ""),
    ("smallcaps", ""),
    ("size", "8pt"),
];

/// Properties of paragraphs.
const BLOCK: [(&str, &str); 12] = [
    ("dir", "rtl"),
    ("align", "center"),
    ("align", "right"),
    ("align", "justify"),
    ("indent-left", "40pt"),
    ("indent-right", "20.5pt"),
    ("first-line-indent", "25pt"),
    ("line-spacing", "double"),
    ("line-spacing", "1.3"),
    ("space-before", "7pt"),
    ("space-after", "9pt"),
    ("shading", "#eeee01"),
];

/// A small deterministic source of choices.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

fn carried_out(raw: &Value, plan: &PushPlan, seed: u64) -> Value {
    let document: gdocs::Document = serde_json::from_value(raw.clone()).unwrap();
    let requests = gdocs::read_requests(&plan.requests).unwrap();
    let after =
        gdocs::apply(&document, &requests, seed).unwrap_or_else(|error| panic!("{error:?}: {:#?}", plan.requests));
    serde_json::to_value(&after.document).unwrap()
}

fn property(name: &str, value: &str) -> Property {
    let value =
        if value.is_empty() { PropertyValue::On } else { PropertyValue::Text(value.trim_matches('"').to_owned()) };
    Property { name: name.into(), value }
}

fn runs_mut(content: &mut Content) -> Option<&mut Vec<Run>> {
    match content {
        Content::Paragraph { runs } | Content::Heading { runs, .. } | Content::Item { runs, .. } => Some(runs),
        _ => None,
    }
}

/// Toggles a property of one run; returns false where there is none.
fn restyle(content: &mut Content, dice: &mut Dice) -> bool {
    let Some(runs) = runs_mut(content) else { return false };
    let texts: Vec<usize> = runs
        .iter()
        .enumerate()
        .filter(|(_, run)| matches!(&run.content, RunContent::Text(text) if !text.trim().is_empty()))
        .map(|(at, _)| at)
        .collect();
    if texts.is_empty() {
        return false;
    }
    let run = &mut runs[texts[dice.roll(texts.len())]];
    match dice.roll(8) {
        0 => run.marks.bold = !run.marks.bold,
        1 => run.marks.italic = !run.marks.italic,
        2 => run.marks.strike = !run.marks.strike,
        3 => {
            run.marks.code = !run.marks.code;
            run.marks.properties.clear();
        }
        4 => run.marks.properties.clear(),
        _ => {
            if run.marks.code || run.marks.link.is_some() {
                return false;
            }
            let (name, value) = TEXT[dice.roll(TEXT.len())];
            let wanted = property(name, value);
            let rivals = |other: &str| {
                matches!((name, other), ("font", "mono") | ("mono", "font") | ("sup", "sub") | ("sub", "sup"))
            };
            let had = run.marks.properties.contains(&wanted);
            run.marks.properties.retain(|other| other.name != name && !rivals(&other.name));
            if !had {
                run.marks.properties.push(wanted);
            }
        }
    }
    true
}

/// Puts directives around blocks, so that all others stay as they are.
fn direct(blocks: &mut Vec<Block>, from: usize, to: usize, said: Property) {
    let state = mebdf::state_at(blocks, to.min(blocks.len()) - 1);
    let on = |name: &str| Property { name: name.into(), value: PropertyValue::On };
    let mut back = vec![on("Normal text")];
    back.extend(state.style.iter().map(|style| on(style)));
    back.extend(state.properties.iter().cloned());
    blocks.insert(to, Block::new(Content::Directive { properties: back }));
    blocks.insert(from, Block::new(Content::Directive { properties: vec![said] }));
}

/// Makes one change; returns false where it has no meaning.
fn change(blocks: &mut Vec<Block>, dice: &mut Dice) -> bool {
    let at = dice.roll(blocks.len());
    let is_text = |content: &Content| match content {
        Content::Paragraph { runs } | Content::Item { runs, .. } => !runs.is_empty(),
        _ => false,
    };
    match dice.roll(6) {
        0 | 1 => restyle(&mut blocks[at].content, dice),
        2 => {
            let mut end = at;
            while end < blocks.len()
                && end < at + 4
                && matches!(blocks[end].content, Content::Paragraph { .. } | Content::Item { .. })
            {
                end += 1;
            }
            let items = blocks[at..end].iter().any(|block| matches!(block.content, Content::Item { .. }));
            if end == at {
                return false;
            }
            let choice = dice.roll(BLOCK.len() + TEXT.len() + 2);
            let (name, value) = match choice.checked_sub(BLOCK.len()) {
                None => BLOCK[choice],
                Some(text) if text < TEXT.len() => TEXT[text],
                Some(text) => (["Title", "Subtitle"][text - TEXT.len()], ""),
            };
            if items && name.contains("indent") {
                return false;
            }
            direct(blocks, at, end, property(name, value));
            true
        }
        3 => {
            // Another kind.
            if !is_text(&blocks[at].content) && !matches!(blocks[at].content, Content::Heading { .. }) {
                return false;
            }
            let runs = runs_mut(&mut blocks[at].content).unwrap().clone();
            let mark = [Mark::Bullet, Mark::Number, Mark::Task { checked: false }][dice.roll(3)];
            blocks[at].content = match dice.roll(4) {
                0 if matches!(blocks[at].content, Content::Heading { .. }) => Content::Paragraph { runs },
                0 => Content::Heading { level: dice.roll(6) as u8 + 1, anchor: None, runs },
                1 => Content::Paragraph { runs },
                _ => Content::Item { depth: dice.roll(3) as u8, mark, runs },
            };
            true
        }
        4 => {
            let Content::Item { depth, mark, .. } = &mut blocks[at].content else { return false };
            match dice.roll(3) {
                0 => *depth = (*depth + 1).min(8),
                1 => *depth = depth.saturating_sub(1),
                _ => *mark = [Mark::Bullet, Mark::Number, Mark::Task { checked: false }][dice.roll(3)],
            }
            true
        }
        _ => {
            let Content::Item { mark, .. } = blocks[at].content else { return false };
            let mut from = at;
            while from > 0 && matches!(blocks[from - 1].content, Content::Item { .. }) {
                from -= 1;
            }
            let mut end = at;
            while end < blocks.len() && matches!(blocks[end].content, Content::Item { .. }) {
                end += 1;
            }
            let name = match mark {
                Mark::Bullet => ["star", "diamond", "arrow3d"][dice.roll(3)],
                Mark::Number => ["upper-alpha", "upper-roman", "zero-decimal"][dice.roll(3)],
                Mark::Task { .. } => return false,
            };
            direct(blocks, from, end, property("list", name));
            true
        }
    }
}

/// The meaning of a file as far as the directives of lists reach.
fn says(text: &str) -> String {
    meaning(text)
}

#[test]
fn styles_and_kinds_arrive() {
    let Some(mut documents) = crate::support::raw_documents("styles_and_kinds_arrive") else { return };
    documents.push(("every-style".into(), crate::support::every_style()));
    let rounds: u64 = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(30);
    let (mut arrived, mut refused) = (0, 0);
    for (number, (name, original)) in documents.into_iter().enumerate() {
        let mut raw = original.clone();
        for round in 0..rounds {
            let mut dice = Dice(round * 7_919 + number as u64);
            if round % 20 == 0 {
                raw = original.clone();
            }
            let remote = fetched(&raw);
            let part = &remote.parts[dice.roll(remote.parts.len())];
            let mut tree = mebdf::parse(&part.text).tree;
            let mut changed = false;
            for _ in 0..=dice.roll(3) {
                changed |= !tree.blocks.is_empty() && change(&mut tree.blocks, &mut dice);
            }
            if !changed {
                continue;
            }
            let edited = mebdf::print(&tree);
            let told = || format!("{name} round {round}:\n{}\n=====\n{edited}", part.text);
            let plan =
                docs::plan(&remote, &part.id, &edited, false).unwrap_or_else(|error| panic!("{error}\n{}", told()));
            let after = carried_out(&raw, &plan, 100 + round);
            let again = fetched(&after);
            let found = again.parts.iter().find(|other| other.id == part.id).unwrap();
            assert_eq!(says(&plan.expected), says(&found.text), "{}", told());
            let real = plan.refused.iter().filter(|notice| !matches!(notice.code.as_str(), "NO_EFFECT")).count();
            if real == 0 && plan.holds.is_empty() {
                let (is, wanted) = (says(&found.text), says(&edited));
                let differs = is.lines().zip(wanted.lines()).find(|(is, wanted)| is != wanted);
                assert!(is == wanted, "{differs:#?}\n{}\n{:#?}\n{}", told(), plan.requests, found.text);
                let plan = docs::plan(&again, &part.id, &edited, false).unwrap();
                assert!(plan.requests.is_empty(), "it has arrived, and yet {:#?}\n{}", plan.requests, told());
                arrived += 1;
            } else {
                refused += 1;
            }
            let plan = docs::plan(&again, &part.id, &found.text, false).unwrap();
            assert!(
                plan.requests.is_empty() && plan.refused.is_empty(),
                "{:#?}{:#?} {}",
                plan.requests,
                plan.refused,
                found.text
            );
            raw = after;
        }
    }
    println!("{arrived} rounds arrived whole, {refused} with something told as locked");
    assert!(arrived > refused * 5 && arrived > 100, "{arrived} arrived, {refused} refused");
}

/// Puts a form around the text of a paragraph, or marks around it.
fn styled(text: &str, name: &str, value: &str) -> String {
    match name {
        "bold" => format!("**{text}**"),
        "italic" => format!("*{text}*"),
        "strike" => format!("~~{text}~~"),
        "code" => format!("`{text}`"),
        "link" => format!("[{text}]({value})"),
        _ if value.is_empty() => format!("{{!{name}}}{text}{{/!}}"),
        _ => format!("{{!{name}:{value}}}{text}{{/!}}"),
    }
}

/// Edits a part, carries it out, and checks that the file says what was asked.
fn push(raw: &Value, tab: usize, edit: impl Fn(&str) -> String, seed: u64) -> (Value, PushPlan) {
    let remote = fetched(raw);
    let part = &remote.parts[tab];
    let edited = edit(&part.text);
    let plan = docs::plan(&remote, &part.id, &edited, false).unwrap_or_else(|error| panic!("{error}\n{edited}"));
    let after = carried_out(raw, &plan, seed);
    (after, plan)
}

#[test]
fn every_property_goes_on_and_off() {
    let Some(documents) = crate::support::raw_documents("every_property_goes_on_and_off") else { return };
    let marks = [("bold", ""), ("italic", ""), ("strike", ""), ("code", ""), ("link", "https://example.com/x")];
    let most = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(3);
    let mut toggled = 0;
    for (number, (name, raw)) in documents.into_iter().enumerate() {
        let mut dice = Dice(number as u64);
        let remote = fetched(&raw);
        for tab in 0..raw["tabs"].as_array().unwrap().len() {
            let tab_text = &remote.parts[tab].text;
            let (units, paragraphs) = flatten(&raw["tabs"][tab]);
            let mut here = 0;
            for (start, end) in paragraphs {
                let line = String::from_utf16(&units[start..end]).unwrap();
                let text = line.trim().to_owned();
                let plain = text.split(' ').all(|word| word.chars().all(char::is_alphanumeric));
                if !plain || text.len() < 3 || tab_text.matches(&text).count() != 1 {
                    continue;
                }
                let around = |c: char| "*~`{}[]()!_".contains(c);
                let place = tab_text.find(&text).unwrap();
                let (before, behind) = (&tab_text[..place], &tab_text[place + text.len()..]);
                if here == most || before.ends_with(around) || behind.starts_with(around) {
                    continue;
                }
                here += 1;
                let word = text.split(' ').next().unwrap();
                for (property, value) in marks.into_iter().chain(TEXT) {
                    let part = if dice.roll(2) == 0 { text.as_str() } else { word };
                    if tab_text.matches(part).count() != 1 {
                        continue;
                    }
                    let (on, plan) = push(&raw, tab, |file| file.replace(part, &styled(part, property, value)), 5);
                    let told = format!("{name} {part:?} {property}");
                    if plan.refused.iter().any(|notice| notice.code == "STYLE_INHERITED") {
                        continue;
                    }
                    assert!(plan.refused.is_empty(), "{told}: {:?}", plan.refused);
                    assert_eq!(plan.requests.len(), 1, "{told}: {:#?}", plan.requests);
                    // A fully covered item styles its bullet too.
                    let bare = |raw: &Value| {
                        let mut raw = raw.clone();
                        bare_bullets(&mut raw);
                        without_paragraph(&raw, tab, start)
                    };
                    assert!(bare(&raw) == bare(&on), "{told}");
                    let (off, plan) = push(&on, tab, |_| tab_text.clone(), 6);
                    assert_eq!(plan.requests.len(), 1, "{told}: {:#?}", plan.requests);
                    same(&joined(&raw), &joined(&off), &told);
                    toggled += 1;
                }
            }
        }
    }
    println!("{toggled} properties went on and off");
    assert!(toggled > 60, "{toggled}");
}

fn bare_bullets(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if let Some(bullet) = map.get_mut("bullet").and_then(Value::as_object_mut) {
                bullet.remove("textStyle");
            }
            map.values_mut().for_each(bare_bullets);
        }
        Value::Array(list) => list.iter_mut().for_each(bare_bullets),
        _ => {}
    }
}

/// Compares two values and tells the first place where they differ.
fn same(left: &Value, right: &Value, told: &str) {
    fn differ(left: &Value, right: &Value, path: &str) -> Option<String> {
        match (left, right) {
            (Value::Object(a), Value::Object(b)) => {
                let keys: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
                let null = Value::Null;
                keys.into_iter().find_map(|key| {
                    differ(a.get(key).unwrap_or(&null), b.get(key).unwrap_or(&null), &format!("{path}/{key}"))
                })
            }
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                a.iter().zip(b).enumerate().find_map(|(at, (a, b))| differ(a, b, &format!("{path}/{at}")))
            }
            _ => (left != right).then(|| format!("{path}: {left} is {right}")),
        }
    }
    if let Some(difference) = differ(left, right, "") {
        panic!("{told}: {difference}");
    }
}

/// A document without positions, with neighbouring runs of one style as one: where runs are cut says nothing.
fn joined(raw: &Value) -> Value {
    fn join(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.values_mut().for_each(join);
                if let Some(Value::Array(elements)) = map.get_mut("elements") {
                    let mut all: Vec<Value> = Vec::new();
                    for element in elements.drain(..) {
                        let same = all.last().is_some_and(|last| {
                            last["textRun"].is_object()
                                && element["textRun"].is_object()
                                && last["textRun"]["textStyle"] == element["textRun"]["textStyle"]
                        });
                        if same {
                            let more = element["textRun"]["content"].as_str().unwrap().to_owned();
                            let last = all.last_mut().unwrap();
                            let text = last["textRun"]["content"].as_str().unwrap().to_owned() + &more;
                            last["textRun"]["content"] = text.into();
                        } else {
                            all.push(element);
                        }
                    }
                    *elements = all;
                }
            }
            Value::Array(list) => list.iter_mut().for_each(join),
            _ => {}
        }
    }
    let mut value = without_positions(raw);
    join(&mut value);
    bare_bullets(&mut value);
    value
}

#[test]
fn every_paragraph_property_goes_on_and_off() {
    let Some(documents) = crate::support::raw_documents("every_paragraph_property_goes_on_and_off") else { return };
    let most = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(2);
    let mut toggled = 0;
    for (name, raw) in documents {
        let remote = fetched(&raw);
        for (tab, part) in remote.parts.iter().enumerate() {
            let blocks = mebdf::parse(&part.text).tree.blocks;
            let targets = blocks.iter().enumerate().filter(|(_, block)| matches!(&block.content, Content::Paragraph { runs } if runs.iter().any(|run| matches!(run.content, RunContent::Text(_)))));
            for (at, _) in targets.take(most) {
                for (property_name, value) in BLOCK.into_iter().chain([("Title", ""), ("Subtitle", "")]) {
                    let mut blocks = blocks.clone();
                    let state = mebdf::state_at(&blocks, at);
                    if state.properties.iter().any(|property| property.name == property_name) {
                        continue;
                    }
                    direct(&mut blocks, at, at + 1, property(property_name, value));
                    let tree = mebdf::Tree { front_matter: mebdf::head(&part.text), blocks };
                    let (on, plan) = push(&raw, tab, |_| mebdf::print(&tree), 5);
                    let told = format!("{name} block {at} {property_name}");
                    if plan.refused.iter().any(|notice| notice.code == "STYLE_INHERITED") {
                        continue;
                    }
                    assert!(plan.refused.is_empty(), "{told}: {:?}", plan.refused);
                    assert_eq!(plan.requests.len(), 1, "{told}: {:#?}", plan.requests);
                    let (off, plan) = push(&on, tab, |_| part.text.clone(), 6);
                    assert_eq!(plan.requests.len(), 1, "{told}: {:#?}", plan.requests);
                    same(&joined(&raw), &joined(&off), &told);
                    toggled += 1;
                }
            }
        }
    }
    println!("{toggled} paragraph properties went on and off");
    assert!(toggled > 200, "{toggled}");
}
