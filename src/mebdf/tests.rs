//! The recorded cases, and the laws on arbitrary trees and hostile texts.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::*;

fn shared() -> Option<PathBuf> {
    let path = std::env::var_os("MCP_WORKSPACE_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    path.is_dir().then_some(path)
}

fn fixture(name: &str) -> Option<Value> {
    let path = shared()?.join("fixtures/mebdf").join(name);
    Some(serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
}

fn skipped(test: &str) {
    #[expect(clippy::print_stdout, reason = "a test that did not run must say so")]
    {
        println!("SKIPPED {test}: ../shared is absent");
    }
}

/// What must hold for every text there is.
fn check_laws(text: &str) {
    let cleaned = clean(text);
    let parsed = parse(text);
    let printed = print(&parsed.tree);
    let again = parse(&printed);
    assert_eq!(again.tree, parsed.tree, "\n--- source\n{text}\n--- printed\n{printed}\n{text:?}\n{printed:?}");
    assert_eq!(print(&again.tree), printed, "printing is no fixed point of {text:?}");
    let mut at = 0;
    for block in &parsed.tree.blocks {
        let range = block.span.0.clone();
        assert!(at <= range.start && range.start <= range.end && range.end <= cleaned.len(), "{range:?} of {text:?}");
        assert!(cleaned.get(range.clone()).is_some());
        assert!(range.start == 0 || cleaned.as_bytes()[range.start - 1] == b'\n', "{range:?} of {text:?}");
        at = range.end;
    }
}

#[test]
fn strict_cases() {
    let Some(file) = fixture("strict_cases.json") else { return skipped("strict_cases") };
    let mut failed = Vec::new();
    for case in file["cases"].as_array().unwrap() {
        let input = case["input"].as_str().unwrap();
        let parsed = parse(input);
        let blocks = project(&parsed.tree);
        let printed = print(&parsed.tree);
        let mut expected = case["blocks"].clone();
        tidy(&mut expected);
        if blocks != expected {
            failed.push(format!("{}: {input:?}\n got {blocks}\nwant {expected}", case["id"]));
        }
        let codes: Vec<Value> = parsed.diagnostics.iter().map(|notice| json!(notice.code)).collect();
        let wanted = case.get("diagnostics").cloned().unwrap_or(json!([]));
        if json!(codes) != wanted {
            failed.push(format!("{}: got {codes:?}, want {wanted}", case["id"]));
        }
        if let Some(canonical) = case.get("canonical").and_then(Value::as_str)
            && printed.trim_end_matches('\n') != canonical
        {
            failed.push(format!("{}: printed {printed:?}, want {canonical:?}", case["id"]));
        }
        check_laws(input);
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// `"anchor": null` on a heading says the same as no anchor.
fn tidy(blocks: &mut Value) {
    for block in blocks.as_array_mut().unwrap() {
        if let Some(heading) = block.as_object_mut()
            && heading.contains_key("h")
        {
            heading.entry("anchor").or_insert(Value::Null);
        }
    }
}

/// Projects a tree onto the notation of the strict cases.
fn project(tree: &Tree) -> Value {
    let mut out: Vec<Value> = Vec::new();
    for block in &tree.blocks {
        match &block.content {
            Content::Heading { level, anchor, runs } => {
                out.push(json!({"h": level, "anchor": anchor, "c": spans(runs)}));
            }
            Content::Paragraph { runs } | Content::ItemParagraph { runs, .. } => out.push(json!({"p": spans(runs)})),
            Content::Item { mark, runs, .. } => {
                let (name, item) = match mark {
                    Mark::Bullet => ("ul", json!([{"p": spans(runs)}])),
                    Mark::Number => ("ol", json!([{"p": spans(runs)}])),
                    Mark::Task { checked } => {
                        let mut item = vec![json!(checked)];
                        item.extend(spans(runs));
                        ("task", json!(item))
                    }
                };
                match out.last_mut().and_then(|last| last.get_mut(name)).and_then(Value::as_array_mut) {
                    Some(list) => list.push(item),
                    None => out.push(json!({ name: [item] })),
                }
            }
            Content::Code { info, text } => out.push(json!({"fence": info, "text": text})),
            Content::Table { rows, .. } => {
                let rows: Vec<Vec<Vec<Value>>> = rows
                    .iter()
                    .map(|row| row.iter().map(|cell| cell.iter().flat_map(|runs| spans(runs)).collect()).collect())
                    .collect();
                out.push(json!({ "table": rows }));
            }
            Content::Rule => out.push(json!({"rule": 1})),
            Content::Directive { properties } => match properties.as_slice() {
                [style] if named_style(&style.name).is_some() => {
                    out.push(json!({"style": style.name.to_uppercase().replace(' ', "_")}));
                }
                all => out.push(json!({ "set": props(all) })),
            },
            Content::Footnote { label, paragraphs } => {
                out.push(
                    json!({"fndef": label, "c": paragraphs.iter().flat_map(|runs| spans(runs)).collect::<Vec<_>>()}),
                );
            }
        }
    }
    Value::Array(out)
}

fn props(properties: &[Property]) -> Value {
    let mut out = Map::new();
    for property in properties {
        let value = match &property.value {
            PropertyValue::On => json!(true),
            PropertyValue::Off => json!(false),
            PropertyValue::Text(text) => json!(text),
        };
        out.insert(property.name.clone(), value);
    }
    Value::Object(out)
}

fn spans(runs: &[Run]) -> Vec<Value> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < runs.len() {
        let properties = &runs[at].marks.properties;
        let length = runs[at..].iter().take_while(|run| run.marks.properties == *properties).count();
        let inner: Vec<Value> = runs[at..at + length].iter().flat_map(span).collect();
        if properties.is_empty() {
            out.extend(inner);
        } else {
            out.push(json!({"fmt": props(properties), "c": inner}));
        }
        at += length;
    }
    // The notation keeps an outer span around an inner one; the tree is flat.
    out
}

fn span(run: &Run) -> Vec<Value> {
    let mut values: Vec<Value> = match &run.content {
        RunContent::Text(text) => {
            let mut values = Vec::new();
            let mut plain = String::new();
            for letter in text.chars() {
                let kind = match letter {
                    '\n' => "soft",
                    '\u{b}' => "hard",
                    other => {
                        plain.push(other);
                        continue;
                    }
                };
                if !plain.is_empty() {
                    values.push(json!(std::mem::take(&mut plain)));
                }
                values.push(json!({ kind: 1 }));
            }
            if !plain.is_empty() {
                values.push(json!(plain));
            }
            values
        }
        RunContent::Anchor(id) => vec![json!({ "anchor": id })],
        RunContent::Object(object) if is_object_kind(&object.kind) => {
            vec![json!({"obj": object.id, "type": object.kind})]
        }
        RunContent::Object(object) => vec![json!({"obj": object.id, "type": "embed", "raw_type": object.kind})],
        RunContent::FootnoteReference(label) => vec![json!({ "fn": label })],
    };
    let marks = &run.marks;
    for (on, name) in [(marks.code, "code"), (marks.strike, "s"), (marks.italic, "i"), (marks.bold, "b")] {
        if on {
            values = vec![json!({ name: values })];
        }
    }
    if let Some(link) = &marks.link {
        values = vec![json!({"link": link, "c": values})];
    }
    values
}

#[test]
fn other_corpora_keep_the_laws() {
    for (file, list) in
        [("parser_cases.json", "cases"), ("observed_defects.json", "cases"), ("spec_v1_4_examples.json", "examples")]
    {
        let Some(file) = fixture(file) else { return skipped("other_corpora_keep_the_laws") };
        for case in file[list].as_array().unwrap() {
            check_laws(case.as_str().or_else(|| case["input"].as_str()).unwrap());
        }
    }
    let samples = fixture("samples.json").unwrap();
    for sample in samples["samples"].as_object().unwrap().values() {
        check_laws(sample.as_str().unwrap());
    }
}
