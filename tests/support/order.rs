//! Law 6: where the requests of a batch stand, told by their JSON alone.

use std::collections::BTreeMap;

use serde_json::Value;

/// Sweeps of a segment in one batch, each from its end to its start: footnotes, tables, newlines, text, pictures, list
/// membership, paragraph styles, text styles, ends of paragraphs, marks of lists (all of an item, its text, its end), and
/// objects.
const SWEEPS_MAX: usize = 13;

/// Checks that requests name their tab, and go over each segment from its end to its start in as few sweeps as there are
/// stages. Making a list stands apart: the depth of an item is told by tabs, which go in before it and with it.
pub(crate) fn check(requests: &[Value], tab: &str) {
    let mut sweeps: BTreeMap<String, Sweep> = BTreeMap::new();
    let mut text_only = true;
    for request in requests {
        let (kind, body) = request.as_object().unwrap().iter().next().unwrap();
        let place = ["location", "range"].into_iter().find_map(|key| body.get(key));
        let table = &body["tableCellLocation"]["tableStartLocation"];
        let Some(place) = place.or(Some(table).filter(|table| table.is_object())) else { continue };
        assert_eq!(place["tabId"].as_str(), Some(tab), "law 6: a request names another tab: {request}");
        let tabs = body["text"].as_str().is_some_and(|text| text.chars().all(|c| c == '\t'));
        if kind == "createParagraphBullets" || tabs {
            continue;
        }
        text_only &= matches!(kind.as_str(), "insertText" | "deleteContentRange");
        let at = place["index"].as_u64().or(place["startIndex"].as_u64()).unwrap_or(0);
        let segment = place["segmentId"].as_str().unwrap_or_default().to_owned();
        let sweep = sweeps.entry(segment).or_insert(Sweep { count: 1, last: u64::MAX, behind: None });
        if sweep.behind != Some(at) {
            sweep.count += usize::from(at > sweep.last);
            sweep.last = at;
        }
        // What new text replaces goes once that stands before it, so that it looks the same.
        let text = body["text"].as_str().filter(|_| kind == "insertText");
        sweep.behind = text.map(|text| at + text.encode_utf16().count() as u64);
    }
    // Newlines, then words, then the blanks beside what is made next.
    let most = if text_only { 3 } else { SWEEPS_MAX };
    for (segment, Sweep { count, .. }) in &sweeps {
        assert!(*count <= most, "law 6: segment {segment:?} is gone over {count} times");
    }
}

/// How a segment is gone over.
struct Sweep {
    count: usize,
    /// Where the last request begins.
    last: u64,
    /// Where the text that it inserted ends.
    behind: Option<u64>,
}
