//! What the tools cost a client: the tokens of their descriptions, and the length of an answer.

use super::*;

/// What a model is shown of a tool, as clients pass it on; titles, hints and output schemas stay with the client.
fn shown(tool: &rmcp::model::Tool) -> String {
    json!({ "name": tool.name, "description": tool.description, "input_schema": *tool.input_schema }).to_string()
}

#[test]
fn the_three_tools_cost_at_most_600_tokens() {
    for (name, tokenizer) in [("o200k", bpe_openai::o200k_base()), ("cl100k", bpe_openai::cl100k_base())] {
        let costs: Vec<(String, usize)> = Profile::Default
            .tools()
            .iter()
            .map(|tool| (tool.name.to_string(), tokenizer.count(&shown(tool))))
            .collect();
        let sum: usize = costs.iter().map(|(_, tokens)| tokens).sum();
        assert!(sum <= 600, "{name}: {sum} tokens: {costs:?}");
    }
}

/// A document's id as Google makes them.
const LONG_ID: &str = "1AbCdEfGhIjKlMnOpQrStUvWxYz0123456789_-AbCdE";

/// Fetches a document that says `text`, with `images` pictures and `notices` notices; returns all that the client gets.
async fn result_of(text: &str, era: Era, images: usize, notices: usize) -> Value {
    let host = MemoryHost::named(LONG_ID, "home-of-ana-with-a-usual-name");
    std::fs::write(host.drive(&format!("{LONG_ID}.md")), text).unwrap();
    *host.images.lock().unwrap() = images;
    *host.notices.lock().unwrap() = notices;
    let mut client = Client::of(host, era).await;
    let answer = client.ask("tools/call", json!({ "name": "fetch", "arguments": { "id": LONG_ID } })).await;
    answer["result"].clone()
}

#[tokio::test]
async fn all_that_a_client_gets_of_a_long_document_is_short() {
    let paragraph = "Words of a paragraph that is as long as paragraphs are. ".repeat(20);
    let heading = |level: usize, number: usize| {
        format!(
            "{} {{^ h.abcdefg{number:05}}}Heading {number}, of a usual length\n\n{paragraph}\n\n",
            "#".repeat(level)
        )
    };
    let book: String =
        (0..1800).map(|number| heading(1 + usize::from(number % 200 > 0) * (1 + number % 3), number)).collect();
    let flat: String = (0..1800).map(|number| heading(2, number)).collect();
    let bare = format!("{paragraph}\n\n").repeat(1800);
    let long_titles = format!("# {}\n\n", "ä title ".repeat(40)).repeat(6000);
    for (name, text) in [("book", book), ("flat", flat), ("bare", bare), ("long titles", long_titles)] {
        assert!(text.len() > 2_000_000, "{name}: {} bytes", text.len());
        for (era, images, notices) in [(Era::Legacy, 0, 0), (Era::Modern, 1, 1), (Era::Modern, 2000, 2000)] {
            let result = result_of(&text, era, images, notices).await;
            let bytes = result.to_string().len();
            assert!(bytes < 2000, "{name}: {bytes} bytes: {result:#}");
            // Whichever of the two a client reads, it can go on.
            let answer = &result["structuredContent"];
            let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
            for key in ["id", "title", "path", "url", "stale", "warnings"] {
                assert_eq!(text[key], answer[key], "{name}: {text:#}");
            }
            assert!(text == *answer || text["left_out"].as_str().unwrap().contains("grep"), "{name}: {text:#}");
            let facts = ["id", "title", "path", "url"].map(|key| answer[key].as_str().unwrap());
            assert!(facts[2].ends_with(&format!("/{LONG_ID}.md")) && facts[3].contains(facts[0]), "{answer:#}");
            assert_eq!((facts[0], facts[1], &answer["stale"]), (LONG_ID, "Title", &json!(false)));
            let outline = answer["outline"].as_array().unwrap();
            assert_eq!(outline.is_empty(), name == "bare", "{name}: {answer:#}");
            assert!(outline.iter().all(|entry| entry["line"].is_u64() && entry["end_line"].is_u64()), "{answer:#}");
            let warnings = answer["warnings"].as_array().unwrap();
            assert_eq!((warnings.is_empty(), notices > 0), (notices == 0, !warnings.is_empty()), "{answer:#}");
            let left_out = answer["left_out"].as_str().unwrap_or_default();
            let all = if name == "long titles" { "of 6000 headings" } else { "of 1800 headings" };
            assert_eq!(left_out.contains(all) && left_out.contains("`section`"), name != "bare", "{name}: {answer:#}");
        }
    }
}

#[tokio::test]
async fn a_section_shows_what_the_whole_outline_leaves_out() {
    let chapter = |number: usize| {
        let sections: String = (0..3).map(|section| format!("## Section {number}.{section}\n\ntext\n\n")).collect();
        format!("# Chapter {number}\n\n{sections}")
    };
    let text: String = (0..12).map(chapter).collect();
    let host = MemoryHost::new();
    (*host.images.lock().unwrap(), *host.notices.lock().unwrap()) = (0, 0);
    std::fs::write(host.drive("doc1.md"), &text).unwrap();
    let mut client = Client::of(host, Era::Legacy).await;
    let whole = client.call("fetch", json!({ "id": "doc1" })).await.unwrap();
    let titles: Vec<&str> = whole["outline"].as_array().unwrap().iter().map(|e| e["title"].as_str().unwrap()).collect();
    assert!(titles.len() > 2 && titles.iter().all(|title| title.starts_with("Chapter")), "{titles:?}");
    let part = client.call("fetch", json!({ "id": "doc1", "section": "Chapter 7" })).await.unwrap();
    assert_eq!(part["outline"].as_array().unwrap().len(), 4, "{part:#}");
    assert_eq!(part["outline"][3]["title"], "Section 7.2");
}
