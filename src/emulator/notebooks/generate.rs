//! Notebooks, pages and videos that are made up: the same from the same number.

use serde::Serialize;
use url::Url;

use super::Notebooks;
use super::making::{New, cut};
use super::model::{Millis, Notebook, Plan, WebPage};

/// Notebooks that one call may make up.
pub(super) const GENERATED_MAX: u32 = 500;

/// Sources that a notebook which is made up has, at most.
const SOURCES_MAX: usize = 6;

const TOPICS: [(&str, &str); 12] = [
    ("Beekeeping", "🐝"),
    ("Tide tables", "🌊"),
    ("Compiler design", "🛠️"),
    ("Roman roads", "🏛️"),
    ("Fermentation", "🥒"),
    ("Night trains", "🚆"),
    ("盆栽", "🌳"),
    ("Soil science", "🪱"),
    ("Typography", "🔤"),
    ("Glaciers", "🧊"),
    ("Chess endings", "♟️"),
    ("Public libraries", "📚"),
];

const ASPECTS: [&str; 8] =
    ["history", "tools", "costs", "common mistakes", "open questions", "measurements", "people", "safety"];

const CLAIMS: [&str; 8] = [
    "was first described in a letter of 1873 and has been disputed ever since",
    "takes about forty minutes when two people work together",
    "depends on the temperature far more than on the material",
    "is cheaper in the second year, since most of the equipment stays",
    "should be written down every day, even when nothing happens",
    "has no agreed name, so the sources use three different words for it",
    "fails without a warning when the pressure drops below two bar",
    "is taught best by letting beginners repair something broken",
];

/// Takes what a number picks of a list.
fn pick<'a>(list: &[&'a str], number: usize) -> &'a str {
    list.get(number % list.len().max(1)).copied().unwrap_or_default()
}

/// Makes up a text about a topic; the number says which one.
fn text(topic: &str, number: usize) -> String {
    let mut text = format!("# {topic}: notes {}\n\n", number % 97);
    for section in 0..3 + number % 3 {
        let aspect = pick(&ASPECTS, number / 3 + section);
        text.push_str(&format!("## {aspect}\n\n"));
        for sentence in 0..3 {
            let claim = pick(&CLAIMS, number / 7 + section * 3 + sentence);
            text.push_str(&format!("What is said about the {aspect} of {topic} {claim}. "));
        }
        text.push_str(&format!("\n\n* {}\n* {} 🙂\n\n", pick(&CLAIMS, number + section), pick(&ASPECTS, number)));
    }
    text.push_str("| year | count |\n|---|---|\n");
    for row in 0..4 {
        text.push_str(&format!("| {} | {} |\n", 2019 + row, (number * 31 + row * 17) % 1000));
    }
    text
}

/// Makes up a page of the web, of the words of its address.
pub(super) fn page(url: &Url) -> WebPage {
    let host = url.host_str().unwrap_or_default();
    let words: Vec<&str> = url.path().split(['/', '-', '_', '.']).filter(|word| word.len() > 1).collect();
    let topic = if words.is_empty() { host.to_owned() } else { words.join(" ") };
    let number = url.as_str().bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31) % 100_003 + usize::from(byte));
    WebPage { title: cut(&format!("{topic} - {host}")), text: text(&topic, number) }
}

/// Makes up what is said in a video.
pub(super) fn video(id: &str) -> WebPage {
    let number = id.bytes().map(usize::from).sum();
    let topic = TOPICS.get(number % TOPICS.len()).map_or("", |(topic, _): &(&str, &str)| *topic);
    WebPage { title: cut(&format!("{topic} explained ({id})")), text: text(topic, number) }
}

/// What was made up.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Generated {
    /// How many notebooks.
    pub(super) notebooks: usize,
    /// How many sources in them.
    pub(super) sources: usize,
}

impl Notebooks {
    /// Makes up notebooks of a person.
    pub(super) fn generate(&mut self, now: Millis, owner: &str, count: u32, seed: u64) -> Generated {
        let seed = usize::try_from(seed % 1_000_003).unwrap_or_default();
        let mut generated = Generated { notebooks: 0, sources: 0 };
        for index in 0..count.min(GENERATED_MAX) {
            let number = seed.wrapping_add(usize::try_from(index).unwrap_or_default() * 101);
            // The older ones were made and viewed earlier, a day and some minutes apart.
            let made = now - i64::from(index) * 90_061_000 - 3_600_000;
            let notebook = self.made_up(made, owner, number);
            generated.notebooks += 1;
            generated.sources += notebook.sources.len();
            self.notebooks.insert(notebook.id.clone(), notebook);
        }
        self.touch();
        generated
    }

    fn made_up(&mut self, made: Millis, owner: &str, number: usize) -> Notebook {
        let (topic, emoji) = TOPICS.get(number % TOPICS.len()).copied().unwrap_or(("Notes", ""));
        let title = format!("{topic}: {}", pick(&ASPECTS, number / 5));
        let mut notebook = self.new_notebook(made, owner, &title);
        emoji.clone_into(&mut notebook.emoji);
        for source in 0..1 + number % SOURCES_MAX {
            let words = text(topic, number * 7 + source);
            let new = match source % 3 {
                0 | 1 => New::Text(format!("{topic}, part {}", source + 1), words),
                _ => New::Url(format!("https://example.com/{number}/{source}/notes")),
            };
            if let Ok(mut made_source) = self.make_source(made, &Plan::PRO, new) {
                made_source.ready_ms = made;
                made_source.modified_ms = made;
                notebook.sources.push(made_source);
            }
        }
        if number.is_multiple_of(4) {
            let note = self.new_note(made, owner, &format!("About {topic}"), &format!("Look again at **{topic}**."));
            notebook.notes.push(note);
        }
        notebook
    }
}
