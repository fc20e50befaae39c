//! Every recorded body is read, or refused with the right error.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{files, json as read_json, name, recordings, say, text};
use crate::error::NotebookFault;
use crate::notebooklm::call::chat_path;
use crate::notebooklm::chat::{Ended, Fold};
use crate::notebooklm::fault::fault_of;
use crate::notebooklm::frames;
use crate::notebooklm::ids::{Operation, Overrides};
use crate::notebooklm::reply::{self, Outcome};
use crate::notebooklm::rows::{self, Speaker};
use crate::notebooklm::slot::Drift;

/// What is said of an answer that was read.
pub(super) fn read(operation: Operation, id: &str, answer: &Value) -> Result<String, Drift> {
    Ok(match operation {
        Operation::ListNotebooks => {
            let read = rows::notebooks(id, answer)?;
            let sources: usize = read.items.iter().map(|notebook| notebook.sources.len()).sum();
            let odd = read.odd.len() + read.items.iter().map(|notebook| notebook.odd.len()).sum::<usize>();
            format!("{} notebooks, {sources} sources, {odd} odd", read.items.len())
        }
        Operation::GetNotebook => {
            let read = rows::notebook_of_get(id, answer)?;
            format!("notebook, {} sources, {} odd", read.sources.len(), read.odd.len())
        }
        Operation::CreateNotebook | Operation::RenameNotebook => {
            rows::notebook(id, answer)?;
            "notebook".to_owned()
        }
        Operation::AddSource | Operation::AddSourcesAsync | Operation::AddSourceFile | Operation::ImportResearch => {
            let sources = match operation {
                Operation::ImportResearch => rows::imported_sources(id, answer)?,
                _ => rows::added_sources(id, answer)?,
            };
            format!("{} sources, {} odd", sources.items.len(), sources.odd.len())
        }
        Operation::UpdateSource | Operation::RefreshSource => {
            format!("source {:?}", rows::mutated_source(id, answer)?.status)
        }
        Operation::GetSource => {
            let read = rows::source_text(id, answer)?;
            let markdown = read.document.markdown();
            format!("{} blocks, {} lines", read.document.blocks.len(), markdown.text.lines().count())
        }
        Operation::GetSourceGuide => format!("{} keywords", rows::source_guide(id, answer)?.keywords.len()),
        Operation::Summarize => format!("{} questions", rows::notebook_guide(id, answer)?.questions.len()),
        Operation::SuggestNextSteps | Operation::SuggestPrompts => {
            format!("{} suggestions", rows::suggestions(id, answer)?.items.len())
        }
        Operation::RetrieveRelevantChunks => format!("{} passages", rows::passages(id, answer)?.items.len()),
        Operation::CheckSourceFreshness => format!("{:?}", rows::freshness(id, answer)?),
        Operation::GetNotes => {
            let read = rows::notes(id, answer)?;
            format!("{} notes, {} odd", read.items.len(), read.odd.len())
        }
        Operation::CreateNote | Operation::UpdateNote => format!("note {:?}", rows::created_note(id, answer)?.kind),
        Operation::GetLastConversation => {
            format!("{} conversation", usize::from(rows::conversation(id, answer)?.is_some()))
        }
        Operation::GetTurns => {
            let read = rows::turns(id, answer)?;
            let citations: usize = read
                .turns
                .iter()
                .map(|turn| match &turn.speaker {
                    Speaker::Person(_) => 0,
                    Speaker::Product(answer) => answer.citations.len(),
                })
                .sum();
            format!("{} turns, {citations} citations, {} odd", read.turns.len(), read.odd.len())
        }
        Operation::GetChatStatus => format!("busy {}", rows::chat_is_busy(id, answer)?),
        Operation::GetSettings | Operation::GetAccount => format!("{:?}", rows::limits(id, answer)?),
        Operation::ListQuotaSummary => format!("{} windows", rows::usage(id, answer)?.items.len()),
        _ => "framed".to_owned(),
    })
}

#[derive(Default)]
struct Score {
    decoded: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

impl Score {
    fn body(&mut self, file: &str, id: &str, status: u16, retry_after: Option<&str>, body: &str) {
        let outcome = reply::read(status, retry_after, body, id);
        let Some(operation) = Overrides::default().operation(id) else {
            say(&format!("  {file:<44} {id:<8} framed: {}", matches!(outcome, Outcome::Result(_))));
            return;
        };
        let said = match &outcome {
            Outcome::Result(answer) => match read(operation, id, answer) {
                Ok(said) => {
                    if said.contains(" odd") && !said.contains(" 0 odd") {
                        self.wrong.push(format!("{file} {id}: {said}"));
                    }
                    format!("decoded: {said}")
                }
                Err(drift) => {
                    // Of this one somebody kept the titles and sources alone.
                    if file != "list_notebooks.txt" || drift.path != "wXbhsf[0][0][2]" {
                        self.wrong.push(format!("{file} {id}: {drift}"));
                    }
                    format!("refused: {drift}")
                }
            },
            other => match fault_of(other, operation) {
                None => "decoded: nothing".to_owned(),
                Some(kind) => {
                    let known = (status != 200) || matches!(other, Outcome::Rejected(_));
                    if !known {
                        self.wrong.push(format!("{file} {id}: {other:?}"));
                    }
                    format!("refused: {kind}")
                }
            },
        };
        say(&format!("  {file:<44} {:<24} {said}", operation.name()));
        *self.decoded.entry(said.split(':').next().unwrap_or_default().to_owned()).or_default() += 1;
    }

    fn chat(&mut self, file: &str, body: &str) {
        let mut fold = Fold::new();
        let progress = fold.push(body).unwrap().len();
        let said = match fold.finish() {
            Ended::Answered(answer) => {
                assert!(answer.citations.iter().all(|citation| citation.source_id.is_some()), "{file}");
                let excerpts = answer.citations.iter().filter(|citation| !citation.excerpt.is_empty()).count();
                format!(
                    "decoded: answer of {} chunks, {} citations ({excerpts} with words), {} spans, {} follow-ups",
                    progress,
                    answer.citations.len(),
                    answer.spans.len(),
                    answer.follow_ups.len()
                )
            }
            Ended::Rejected(rejection) => format!("refused: {:?}", rejection.kind),
            other => {
                self.wrong.push(format!("{file} chat: {other:?}"));
                "refused".to_owned()
            }
        };
        say(&format!("  {file:<44} {:<24} {said}", "chat"));
        *self.decoded.entry(said.split(':').next().unwrap_or_default().to_owned()).or_default() += 1;
    }
}

#[test]
fn all_recordings_are_read() {
    let Some(folder) = recordings("all_recordings_are_read") else { return };
    let mut score = Score::default();
    for path in files(&folder.join("cassettes")) {
        let cassette = read_json(&path);
        for interaction in cassette["interactions"].as_array().into_iter().flatten() {
            let (request, response) = (&interaction["request"], &interaction["response"]);
            let body = response["body"].as_str().unwrap_or_default();
            let status = u16::try_from(response["status"].as_u64().unwrap()).unwrap();
            if request["path"] == chat_path() {
                score.chat(&name(&path), body);
            } else if let Some(id) = request["query"]["rpcids"].as_str() {
                score.body(&name(&path), id, status, response["headers"]["retry-after"].as_str(), body);
            }
        }
    }
    for path in files(&folder.join("raw_framing")) {
        let file = name(&path);
        match file.split('.').nth(2).unwrap() {
            "GenerateFreeFormStreamed" => score.chat(&file, &text(&path)),
            id => score.body(&file, id, 200, None, &text(&path)),
        }
    }
    let framed = folder.join("tmc-nlm/internal/batchexecute/testdata");
    for path in files(&framed.join("responses")) {
        score.body(&name(&path), name(&path).strip_suffix(".txt").unwrap(), 200, None, &text(&path));
    }
    score.body("conversation_history.txt", "khqZz", 200, None, &text(&framed.join("conversation_history.txt")));
    score.body("list_notebooks.txt", "wXbhsf", 200, None, &text(&framed.join("list_notebooks.txt")));
    say(&format!("score: {:?}; wrong: {}", score.decoded, score.wrong.len()));
    assert!(score.wrong.is_empty(), "\n{}\n", score.wrong.join("\n"));
}

/// Answers that stand alone, without frames.
#[test]
fn bare_answers_are_read() {
    let Some(folder) = recordings("bare_answers_are_read") else { return };
    use Operation as O;
    let testdata = folder.join("tmc-nlm");
    for (file, operation) in [
        ("cmd/nlm/testdata/get_conversation_history_rich_wire.json", O::GetTurns),
        ("cmd/nlm/testdata/get_notes_rich_wire.json", O::GetNotes),
        ("cmd/nlm/testdata/load_source_rich_wire.json", O::GetSource),
        ("internal/beprotojson/testdata/ub2Bae_list_featured_response.json", O::ListNotebooks),
        ("internal/method/testdata/FLmJqe_refresh_source_response_drive.json", O::RefreshSource),
        ("internal/method/testdata/LBwxtb_bulk_import_response.json", O::ImportResearch),
        ("internal/method/testdata/add_sources_google_docs_response_scrubbed.json", O::AddSource),
        ("internal/method/testdata/yR9Yof_check_freshness_response_fresh.json", O::CheckSourceFreshness),
        ("internal/method/testdata/yR9Yof_check_freshness_response_stale.json", O::CheckSourceFreshness),
        ("notebooklm/testdata/load_source_text_image_fragment.json", O::GetSource),
    ] {
        let answer = read_json(&testdata.join(file));
        let said = read(operation, operation.wire_id(), &answer).unwrap_or_else(|drift| panic!("{file}: {drift}"));
        say(&format!("  {file:<72} {said}"));
        assert!(!said.contains(" odd") || said.contains(" 0 odd"), "{file}: {said}");
    }
}

/// Notebooks as they were recorded, field by field.
#[test]
fn a_recorded_notebook() {
    let Some(folder) = recordings("a_recorded_notebook") else { return };
    let body = text(&folder.join("raw_framing/notebooks_get.0.rLM1Ne.txt"));
    let Outcome::Result(answer) = reply::read_body(&body, "rLM1Ne") else { panic!() };
    let notebook = rows::notebook_of_get("rLM1Ne", &answer).unwrap();
    assert_eq!(notebook.viewed.unwrap().ms, 1_768_963_937_237);
    assert_eq!(notebook.created.unwrap().nanos, 87_622_000);
    assert_eq!(notebook.limits.as_ref().unwrap().sources, Some(300));
    assert_eq!(notebook.role, Some(rows::Role::Owner));
    let source = &notebook.sources[0];
    assert_eq!((source.kind, source.status, source.words), (rows::SourceKind::Pdf, rows::Status::Ready, Some(87_289)));
    assert_eq!(source.revised.unwrap().ms, 1_767_921_648_468);
    assert!(source.revision.as_ref().unwrap().starts_with("baf1f9cc"));
    let failed = read_json(&folder.join("chat_rows/source_failure_settings.json"));
    let row = serde_json::json!([["id"], "t", null, failed["settings"]]);
    let source = rows::source(crate::notebooklm::slot::Slot::new("row", &row)).unwrap();
    assert_eq!(source.failure, Some(rows::Failure::Place { place: 6, code: Some(1) }));
}

/// A refused call is told by its status, never as a new shape.
#[test]
fn recorded_refusals() {
    let Some(folder) = recordings("recorded_refusals") else { return };
    for (file, index, id, kind) in [
        ("error_synthetic_429_rate_limit.json", 0, "wXbhsf", Some(NotebookFault::RateLimited)),
        ("error_synthetic_stale_csrf.json", 0, "wXbhsf", Some(NotebookFault::SessionExpired)),
        ("auth_rotate_cookies_refresh.json", 0, "wXbhsf", Some(NotebookFault::SessionExpired)),
        ("auth_rotate_cookies_refresh.json", 2, "wXbhsf", None),
        ("notebooks_remove_from_recent.json", 1, "fejl7e", None),
        ("sources_refresh_direct.json", 0, "FLmJqe", None),
    ] {
        let cassette = read_json(&folder.join("cassettes").join(file));
        let response = &cassette["interactions"][index]["response"];
        let status = u16::try_from(response["status"].as_u64().unwrap()).unwrap();
        let wait = response["headers"]["retry-after"].as_str();
        let outcome = reply::read(status, wait, response["body"].as_str().unwrap(), id);
        assert_eq!(fault_of(&outcome, Overrides::default().operation(id).unwrap()), kind, "{file} {outcome:?}");
    }
}

/// Frames of all recordings, also of those that a scrubber changed.
#[test]
fn all_frames_are_read() {
    let Some(folder) = recordings("all_frames_are_read") else { return };
    for path in files(&folder.join("cassettes")) {
        for interaction in read_json(&path)["interactions"].as_array().into_iter().flatten() {
            let body = interaction["response"]["body"].as_str().unwrap_or_default();
            if body.starts_with(frames::PREFIX) {
                let (_, summary) = frames::read(body).unwrap();
                assert_eq!((summary.unreadable, summary.stray_bytes), (0, 0), "{}", name(&path));
            }
        }
    }
}
