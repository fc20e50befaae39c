//! `ask`: an answer that a person reads while it is written.

use std::cell::RefCell;
use std::future::pending;
use std::io::IsTerminal as _;

use super::arguments::AskArguments;
use super::progress::{self, ClearedBar};
use super::{Answer, Threads, client, print, runtime, with_how_to_start};
use crate::config::Places;
use crate::tools::{AnswerProgress, Command};

/// How much of what it thinks is shown, in characters.
const THOUGHT_CHARS: usize = 60;

/// Asks a notebook, and shows the answer: on a terminal as it is written, elsewhere and in JSON at its end.
///
/// # Errors
///
/// Why there is no answer; what was shown of it stands by then.
pub(super) fn perform(places: &Places, ask: AskArguments, json: bool) -> Answer<()> {
    let command = &Command::Ask { notebook: ask.notebook, question: ask.question };
    let shows = !json && std::io::stdout().is_terminal();
    let has_bar = !json && std::io::stderr().is_terminal();
    let shown = RefCell::new(Shown::default());
    let bar: RefCell<Option<ClearedBar>> = RefCell::default();
    let mut told = |progress: AnswerProgress| match progress {
        AnswerProgress::Thinking(thought) => {
            if let Some(bar) = bar.borrow().as_ref() {
                bar.says(format!("asking NotebookLM: {}", first_line(&thought)));
            }
        }
        AnswerProgress::Written(text) if shows => {
            if let Some(more) = shown.borrow_mut().more(&text) {
                // It stands where the text begins.
                drop(bar.take());
                print::piece(more);
            }
        }
        AnswerProgress::Written(_) => {}
    };
    let asked = runtime(Threads::One)?.block_on(async {
        let socket = places.control_socket();
        let late = async {
            tokio::time::sleep(progress::QUIET).await;
            if has_bar && shown.borrow().0.is_empty() {
                bar.replace(Some(progress::spinner("asking NotebookLM")));
            }
            pending::<()>().await;
        };
        tokio::select! {
            biased;
            answer = client::hear(&socket, command.clone(), &mut told) => answer,
            () = late => pending().await,
        }
    });
    drop(bar.take());
    let shown = shown.into_inner();
    if shown.0.is_empty() {
        let value = asked.map_err(|answer| with_how_to_start(answer, places))?;
        print::report(command, &value, json);
        return Ok(());
    }
    let value = asked.inspect_err(|_answer| print::line(""))?;
    let answer = value.get("answer").and_then(serde_json::Value::as_str).unwrap_or_default();
    match shown.rest(answer.trim_end()) {
        Some(rest) => {
            print::piece(rest);
            print::line("");
            print::cited(&value).iter().for_each(|line| print::line(line));
        }
        None => {
            print::line("\n\nIt was written anew; this is the whole answer:\n");
            print::report(command, &value, json);
        }
    }
    Ok(())
}

/// What of an answer is shown already.
#[derive(Debug, Default)]
struct Shown(String);

impl Shown {
    /// Takes in all that is written so far, and returns what of it is to be shown now: nothing where it does not go on from what is
    /// shown.
    fn more<'text>(&mut self, written: &'text str) -> Option<&'text str> {
        let more = written.strip_prefix(self.0.as_str()).filter(|more| !more.is_empty())?;
        self.0.push_str(more);
        Some(more)
    }

    /// Returns what of the whole answer is not shown yet; `None` where it is another one.
    fn rest<'text>(&self, answer: &'text str) -> Option<&'text str> {
        answer
            .strip_prefix(self.0.as_str())
            .or_else(|| answer.strip_prefix(self.0.trim_end()).filter(|rest| rest.is_empty()))
    }
}

/// The beginning of what it thinks, without the marks of a heading.
fn first_line(thought: &str) -> String {
    let line = thought.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let plain = line.chars().filter(|letter| !letter.is_control() && *letter != '*' && *letter != '#');
    plain.take(THOUGHT_CHARS).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what is shown as an answer is written, and of its end.
    fn check(written: &[&str], shown: &[&str], answer: &str, rest: Option<&str>) {
        let mut so_far = Shown::default();
        let pieces: Vec<&str> = written.iter().filter_map(|written| so_far.more(written)).collect();
        assert_eq!((pieces.as_slice(), so_far.rest(answer)), (shown, rest), "{written:?}");
    }

    #[test]
    fn an_answer_is_shown_piece_by_piece() {
        check(&["A", "A b", "A b"], &["A", " b"], "A b [1].", Some(" [1]."));
        check(&[], &[], "A", Some("A"));
        // Blanks at its end are not part of it.
        check(&["A b\n"], &["A b\n"], "A b", Some(""));
        // It is written anew.
        check(&["A b", "C"], &["A b"], "C", None);
        check(&["A b", "C", "A b c"], &["A b", " c"], "A b c", Some(""));
    }

    #[test]
    fn a_thought_is_one_line() {
        assert_eq!(first_line("\n**Looking at\u{1b} it**\n\nmore"), "Looking at it");
    }
}
