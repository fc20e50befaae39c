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

/// Fetches a document that says `text`, with `images` pictures and `notices` notices; returns the answer.
async fn answer_of(text: &str, images: usize, notices: usize) -> Value {
    let host = MemoryHost::new();
    std::fs::write(host.drive("doc1.md"), text).unwrap();
    *host.images.lock().unwrap() = images;
    *host.notices.lock().unwrap() = notices;
    let mut client = Client::of(host, Era::Legacy).await;
    client.call("fetch", json!({ "id": "doc1" })).await.unwrap()
}

#[tokio::test]
async fn the_answer_of_a_long_document_is_short() {
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
        for (images, notices) in [(0, 0), (1, 1), (2000, 2000)] {
            let answer = answer_of(&text, images, notices).await;
            let bytes = answer.to_string().len();
            assert!(bytes < 2000, "{name}: {bytes} bytes: {answer:#}");
            let outline = answer["outline"].as_array().unwrap();
            assert_eq!(outline.is_empty(), name == "bare", "{name}");
            let said =
                answer["warnings"].as_array().unwrap().iter().any(|line| line.as_str().unwrap().contains("`section`"));
            assert_eq!(said, name != "bare", "{name}: {answer:#}");
        }
    }
}

#[tokio::test]
async fn a_section_shows_what_the_whole_outline_leaves_out() {
    let chapter = |number: usize| {
        let sections: String = (0..6).map(|section| format!("## Section {number}.{section}\n\ntext\n\n")).collect();
        format!("# Chapter {number}\n\n{sections}")
    };
    let text: String = (0..8).map(chapter).collect();
    let host = MemoryHost::new();
    std::fs::write(host.drive("doc1.md"), &text).unwrap();
    let mut client = Client::of(host, Era::Legacy).await;
    let whole = client.call("fetch", json!({ "id": "doc1" })).await.unwrap();
    let titles: Vec<&str> = whole["outline"].as_array().unwrap().iter().map(|e| e["title"].as_str().unwrap()).collect();
    assert!(titles.len() > 3 && titles.iter().all(|title| title.starts_with("Chapter")), "{titles:?}");
    let part = client.call("fetch", json!({ "id": "doc1", "section": "Chapter 7" })).await.unwrap();
    assert_eq!(part["outline"].as_array().unwrap().len(), 7, "{part:#}");
    assert_eq!(part["outline"][6]["title"], "Section 7.5");
}
