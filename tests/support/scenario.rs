//! Scenarios as data: see `fixtures/scenarios/README.md`.

use std::path::Path;

use serde::Deserialize;

/// The text of every document to begin with.
pub(crate) const TEXT: &str = "One fine line.\n\nTwo red words.\n\nThree at last.\n";

/// What happens to a file, and what holds then.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// The name of its file.
    #[serde(skip)]
    pub(crate) name: String,
    pub(crate) about: String,
    #[serde(default)]
    pub(crate) documents: Option<usize>,
    pub(crate) steps: Vec<Step>,
    pub(crate) then: Then,
}

/// One step; one of its keys is given, or `remote` and another one.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Step {
    pub(crate) open: Option<String>,
    pub(crate) append: Option<(String, String)>,
    pub(crate) close: Option<String>,
    pub(crate) write: Option<(String, String)>,
    pub(crate) rename: Option<(String, String)>,
    pub(crate) remove: Option<String>,
    pub(crate) copy: Option<(String, String)>,
    pub(crate) date: Option<String>,
    pub(crate) link: Option<(String, String)>,
    pub(crate) remove_all: bool,
    pub(crate) remote: Option<(String, String)>,
    pub(crate) wait_ms: Option<u64>,
    pub(crate) rest: bool,
}

/// What holds when everything has come to rest.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Then {
    pub(crate) says: Vec<String>,
    pub(crate) lacks: Vec<String>,
    pub(crate) file_says: Vec<String>,
    pub(crate) file_lacks: Vec<String>,
    pub(crate) pushes: Option<u64>,
    pub(crate) status: Option<String>,
    pub(crate) stays: Vec<String>,
}

impl Scenario {
    /// Fills a text in: `old` is what the file said to begin with, `now` what it says.
    pub(crate) fn filled(text: &str, old: &str, now: &str) -> String {
        // The id in its head is drawn by chance, and may have those letters, too.
        let new = old.replace(" red ", " green ");
        let half = new.char_indices().nth(new.chars().count() / 2).map_or(0, |(at, _)| at);
        let (first, rest) = new.split_at(half);
        text.replace("{crlf}", &old.replace('\n', "\r\n"))
            .replace("{old}", old)
            .replace("{new}", &new)
            .replace("{half}", first)
            .replace("{rest}", rest)
            .replace("{now}", now)
    }

    /// Checks the words that a document and its file must say, and must not.
    pub(crate) fn check_words(&self, document: &str, file: &str) -> Result<(), String> {
        let Then { says, lacks, file_says, file_lacks, .. } = &self.then;
        let check = |said: &str, words: &[String], wanted: bool, what: &str| {
            let wrong = words.iter().find(|word| said.contains(word.as_str()) != wanted);
            wrong.map_or(Ok(()), |word| {
                Err(format!("{what} {} {word:?}:\n{said}", if wanted { "lacks" } else { "says" }))
            })
        };
        check(document, says, true, "the document")?;
        check(document, lacks, false, "the document")?;
        check(file, file_says, true, "the file")?;
        check(file, file_lacks, false, "the file")
    }
}

/// Reads all scenarios, in the order of their names.
pub(crate) fn scenarios() -> Vec<Scenario> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/scenarios");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let mut scenario: Scenario =
            serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        scenario.name = path.file_stem().unwrap().to_string_lossy().into_owned();
        scenario
    };
    paths.iter().map(read).collect()
}
