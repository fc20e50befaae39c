//! Answers in streams.

use serde_json::{Value, json};

use super::{json as read_json, recordings, text};
use crate::error::NotebookFault;
use crate::notebooklm::chat::{Answer, Ended, Fold, Progress, answer_of_row};
use crate::notebooklm::document::Range;
use crate::notebooklm::fault::fault_of_end;
use crate::notebooklm::frames;
use crate::notebooklm::reply::{Rejected, chat_row, rejection_row, timing_rows};
use crate::notebooklm::rows;
use crate::notebooklm::slot::Slot;

fn folded(body: &str) -> (Vec<Progress>, Ended) {
    let mut fold = Fold::new();
    let progress = fold.push(body).unwrap();
    (progress, fold.finish())
}

fn stream(chunks: &[Value]) -> String {
    let mut rows: Vec<Vec<Value>> = chunks.iter().map(|chunk| vec![chat_row(chunk)]).collect();
    rows.push(timing_rows(12, "-1").to_vec());
    frames::write(&rows)
}

#[track_caller]
fn answered(ended: Ended) -> Answer {
    match ended {
        Ended::Answered(answer) => *answer,
        other => panic!("{other:?}"),
    }
}

/// Until mid-2026 the model thought in chunks of its own.
#[test]
fn the_older_era() {
    let Some(folder) = recordings("the_older_era") else { return };
    let body = text(&folder.join("raw_framing/chat_ask.1.GenerateFreeFormStreamed.txt"));
    let (progress, ended) = folded(&body);
    let thoughts = progress.iter().filter(|progress| matches!(progress, Progress::Thinking(_))).count();
    assert_eq!((progress.len(), thoughts), (19, 2));
    let answer = answered(ended);
    assert_eq!(answer.text.chars().count(), 1704);
    assert_eq!((answer.citations.len(), answer.spans.len(), answer.follow_ups.len()), (4, 7, 3));
    assert_eq!(progress.last(), Some(&Progress::Partial(answer.text.clone())));
    for citation in &answer.citations {
        assert!(answer.text.contains(&citation.number.to_string()), "{}", citation.number);
        assert!(citation.range.is_some() && citation.revision_id.is_some() && !citation.excerpt.is_empty());
    }
    // Spans stand in the document of the answer, which has no marks of citations.
    let end = answer.document.plain().encode_utf16().count();
    assert!(answer.spans.iter().all(|span| span.range.end as usize <= end + 2));
}

/// Since August 2026 the thoughts stand in the document of an empty answer.
#[test]
fn the_newer_era() {
    let Some(folder) = recordings("the_newer_era") else { return };
    let recorded = read_json(&folder.join("chat_rows/chat_stream_final_response.json"));
    let (progress, ended) = folded(&stream(recorded["chunks"].as_array().unwrap()));
    assert!(matches!(&progress[0], Progress::Thinking(text) if text.starts_with("**Processing")), "{progress:?}");
    assert!(progress[1..].iter().all(|progress| matches!(progress, Progress::Partial(_))));
    let answer = answered(ended);
    assert_eq!(answer.text, "A task wraps a **coroutine** [1].");
    assert_eq!(answer.follow_ups.len(), 3);
    assert_eq!(answer.spans[0].range, Range { start: 24, end: 24 });
    assert_eq!(answer.spans[0].numbers, [1]);
    let citation = &answer.citations[0];
    assert_eq!(citation.range, Some(Range { start: 0, end: 134 }));
    assert_eq!(citation.source_id.as_deref(), Some("7555b35e-8701-4ef5-9d5a-b42195cf68a3"));
    assert_eq!(citation.revision_id.as_deref(), Some("eb953b72-005c-40ed-a9bc-846c6053265b"));
    assert!(citation.excerpt.starts_with("Asyncio event loops"));
    assert_eq!(answer.session.unwrap().code, Some(2_187_103_311));
    assert_eq!(answer.document.thinking.len(), 1);
}

#[test]
fn a_row_with_citations() {
    let Some(folder) = recordings("a_row_with_citations") else { return };
    let row = read_json(&folder.join("chat_rows/chat_answer_row_with_citations.json"));
    let answer = answer_of_row(Slot::new("row", &row)).unwrap();
    assert_eq!((answer.citations.len(), answer.spans.len()), (3, 3));
    assert!(answer.document.plain().contains("🔬"));
    assert_eq!(answer.document.thinking.len(), 5);
    let note = read_json(&folder.join("chat_rows/save_chat_as_note_create_note_response.json"));
    let note = rows::note(Slot::new("note", &note["note"])).unwrap();
    assert_eq!((note.kind, note.citations.len()), (rows::NoteKind::SavedAnswer, 1));
    assert_eq!(note.citations[0].excerpt.len(), 86);
}

fn chunk(text: &str, last: bool) -> Value {
    json!([[text, null, ["s", "t", 1], null, [[[]], null, null, null, 1]], null, null, null, last])
}

/// The last chunk that says it is the last counts, whatever is longer.
#[test]
fn the_last_final_chunk_counts() {
    let (_, ended) =
        folded(&stream(&[chunk("a longer text", true), chunk("short", true), chunk("longer than all of them", false)]));
    assert_eq!(answered(ended).text, "short");
    let (_, ended) = folded(&stream(&[chunk("short", false), chunk("longer", false), chunk("x", false)]));
    assert!(matches!(ended, Ended::Unfinished(Some(answer)) if answer.text == "longer"));
}

#[test]
fn streams_without_an_answer() {
    let nothing = frames::write(&[timing_rows(3, "1").to_vec()]);
    assert_eq!(folded(&nothing).1, Ended::Exhausted);
    let refused = |code, shown| folded(&frames::write(&[vec![rejection_row(None, code, shown)]])).1;
    assert!(matches!(refused(3, false), Ended::Rejected(rejection) if rejection.kind == Rejected::InvalidArgument));
    assert!(matches!(refused(8, true), Ended::Rejected(rejection) if rejection.displayable));
    assert_eq!(folded("<!doctype html>").1, Ended::Interstitial);
    assert_eq!(folded("").1, Ended::Unfinished(None));
    let cut = stream(&[chunk("half", false)]);
    let cut: String = cut.chars().take(cut.len() / 2).collect();
    assert_eq!(folded(&cut).1, Ended::Unfinished(None));
    assert!(matches!(folded(&stream(&[json!([[7]])])).1, Ended::Drifted(_)));
    let error = frames::write(&[vec![json!(["er", null, 429, null])]]);
    for (ended, kind) in [
        (folded(&error).1, Some(NotebookFault::RateLimited)),
        (folded(&nothing).1, Some(NotebookFault::RateLimited)),
        (refused(3, false), Some(NotebookFault::Refused)),
        (refused(16, false), Some(NotebookFault::AuthRequired)),
        (folded("").1, Some(NotebookFault::Timeout)),
        (folded(&stream(&[chunk("x", true)])).1, None),
    ] {
        assert_eq!(fault_of_end(&ended), kind, "{ended:?}");
    }
}
