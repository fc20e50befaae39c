//! The question that is answered in a stream.

use serde_json::{Value, json};

use super::Notebooks;
use super::asked::Refusal;
use super::chance::Chance;
use super::draft::{Draft, compose, thought_block, thought_blocks};
use super::faults::{Fault, Kind};
use super::log::Heard;
use super::model::{Busy, Millis, Notebook, Source, Turn};
use super::reply::{Ending, Piece, Reply};
use super::rpc::{JSON_TYPE, Refused, in_attachment};
use super::switches::Thinking;
use super::{reading, rpc};
use crate::emulator::call::Call;
use crate::notebooklm::call::{ChatCall, QUESTION_CHARS_MAX, read_chat};
use crate::notebooklm::frames::{self, Writer};
use crate::notebooklm::reply::{chat_row, rejection_row};
use crate::notebooklm::slot::Slot;

/// Turns that a conversation keeps; the oldest go first.
const TURNS_MAX: usize = 1_000;

/// What the model seems to think, with the heading it gives to it.
const THOUGHTS: [(&str, &str); 2] = [
    ("Looking at the Question", "I'm looking for what the question is about, and which of the sources may know."),
    ("Reading the Passages", "I'm reading the passages that have most words in common with the question."),
];

/// What names a stream.
struct Names {
    stream: String,
    turn: String,
    code: u32,
    token: String,
}

/// A question whose answer is known.
struct Answered {
    draft: Draft,
    next: Vec<String>,
    names: Names,
}

impl Notebooks {
    /// Answers a question.
    pub(super) fn stream(&mut self, now: Millis, call: &Call, fault: Option<&Fault>, heard: &mut Heard) -> Reply {
        let admitted = match self.admit(now, call, heard) {
            Ok(admitted) => admitted,
            Err(Refused::Answer(reply)) => return *reply,
            Err(Refused::Row(refusal)) => return self.refused(refusal, heard),
        };
        let kind = fault.map(|fault| fault.fault);
        match (kind, fault) {
            (Some(Kind::Rejected), Some(fault)) => return self.refused(Refusal::of(fault.code), heard),
            (Some(Kind::Displayable), _) => return self.refused(Refusal { code: 8, displayable: true }, heard),
            (Some(Kind::QuotaExhausted), _) => return self.exhausted(),
            _ => {}
        }
        let params = &admitted.incoming.params;
        let asked = match self.checked(now, &admitted, params) {
            Ok(asked) => asked,
            Err(refusal) => return self.refused(refusal, heard),
        };
        if !self.count_question(now, &admitted.email) {
            return self.exhausted();
        }
        let Some((id, answered)) = self.answered(now, &admitted.email, &asked) else {
            return self.refused(Refusal::INVALID, heard);
        };
        let reply = self.pieces(&answered, fault);
        // Without these two an answer comes, but nobody finds it again.
        let slots = Slot::new("chat", params);
        let kept = slots.at(7).text().is_some() && slots.at(8).integer() == Some(1);
        let own = self.notebooks.get(&id).is_some_and(|notebook| {
            asked.conversation.as_ref().is_none_or(|conversation| *conversation == notebook.conversation.id)
        });
        if kept && own {
            self.keep_turn(now, &id, &asked, &answered, &reply);
        }
        reply
    }

    /// Reads the question and looks whether it can be answered.
    fn checked(&self, now: Millis, admitted: &rpc::Admitted, params: &Value) -> Result<ChatCall, Refusal> {
        if admitted.incoming.id.is_some() {
            return Err(Refusal::INVALID);
        }
        let asked = read_chat(params).map_err(|drift| {
            tracing::debug!(%drift, "a question was not understood");
            Refusal::INVALID
        })?;
        if asked.question.chars().count() > QUESTION_CHARS_MAX || asked.sources.is_empty() {
            return Err(Refusal::INVALID);
        }
        if !asked.notebook.is_empty() {
            self.seen(&admitted.email, &asked.notebook)?;
        }
        for source in &asked.sources {
            self.seen_source(&admitted.email, source)?;
        }
        let ready =
            |source: &String| self.seen_source(&admitted.email, source).is_ok_and(|source| source.is_ready(now));
        if asked.sources.iter().any(ready) { Ok(asked) } else { Err(Refusal::INVALID) }
    }

    /// Writes the answer.
    fn answered(&mut self, now: Millis, email: &str, asked: &ChatCall) -> Option<(String, Answered)> {
        let names = Names {
            stream: self.chance.uuid(),
            turn: self.chance.uuid(),
            code: u32::try_from(self.chance.below(4_000_000_000)).unwrap_or_default(),
            token: self.chance.letters(32),
        };
        let first = asked.sources.first()?;
        let notebook = self.notebook_of(email, first).ok()?;
        let chosen: Vec<&Source> = asked
            .sources
            .iter()
            .filter_map(|id| self.seen_source(email, id).ok())
            .filter(|source| source.is_ready(now))
            .collect();
        let draft = compose(&asked.question, &chosen);
        let next = reading::questions(notebook, now).into_iter().filter(|next| *next != asked.question).collect();
        let id = if asked.notebook.is_empty() { notebook.id.clone() } else { asked.notebook.clone() };
        Some((id, Answered { draft, next, names }))
    }

    /// Parts the answer into the pieces of a stream.
    fn pieces(&mut self, answered: &Answered, fault: Option<&Fault>) -> Reply {
        let kind = fault.map(|fault| fault.fault);
        let mut chunks = self.thoughts(&answered.names);
        let steps = answered.draft.steps();
        for step in 0..steps {
            chunks.push(self.chunk(answered, step, false));
        }
        // Recorded: the whole answer comes once more before it is said to be whole.
        chunks.push(self.chunk(answered, steps - 1, false));
        if kind != Some(Kind::Unfinished) {
            chunks.push(self.chunk(answered, steps - 1, true));
        }
        let wait_ms = u64::from(self.switches.piece_ms);
        let (mut writer, mut begin) = Writer::begin();
        let mut pieces = Vec::new();
        let count = chunks.len();
        for (index, chunk) in chunks.into_iter().enumerate() {
            let text = std::mem::take(&mut begin) + &writer.chunk(&[chat_row(&chunk)]);
            pieces.push(Piece { wait_ms, bytes: text.into_bytes() });
            if kind == Some(Kind::Stall) && index * 2 >= count {
                let delay = fault.map_or(0, |fault| fault.delay_ms);
                pieces.push(Piece { wait_ms: delay, bytes: Vec::new() });
                return self.streamed(answered, pieces, Ending::Cut);
            }
        }
        let mut end = writer.chunk(&self.timing());
        end.push_str(&writer.end());
        pieces.push(Piece { wait_ms: 0, bytes: end.into_bytes() });
        self.streamed(answered, pieces, Ending::Whole)
    }

    fn streamed(&self, answered: &Answered, pieces: Vec<Piece>, ending: Ending) -> Reply {
        debug_assert!(self.goes_on(&answered.names.stream), "a stream is new");
        let reply = in_attachment(Reply::new(200, JSON_TYPE, ""));
        Reply { pieces, ending, stream: Some(answered.names.stream.clone()), ..reply }
    }

    /// Returns the chunks with what the model seems to think.
    fn thoughts(&self, names: &Names) -> Vec<Value> {
        let row = |text: &str, blocks: Value, mark: i64| {
            let session = json!([names.stream, names.turn, names.code]);
            json!([text, null, session, null, [[blocks], null, null, null, mark]])
        };
        let each = |(heading, thought): (&str, &str)| {
            let text = format!("**{heading}**\n\n{thought}");
            match self.switches.thinking {
                Thinking::Own => json!([row(&text, thought_blocks(heading, thought), 2), null, null, null, false]),
                Thinking::Within => {
                    let blocks = json!([thought_block(&format!("{text}\n\n\n"))]);
                    json!([row("", blocks, 1), null, null, null, false, null, false, names.token])
                }
            }
        };
        THOUGHTS.into_iter().map(each).collect()
    }

    /// Returns a chunk of the answer: all that is written up to a step.
    fn chunk(&mut self, answered: &Answered, step: usize, whole: bool) -> Value {
        let within = self.switches.thinking == Thinking::Within;
        // Recorded: the ids of passages are others in each chunk.
        let passages: Vec<String> = (0..answered.draft.cited()).map(|_| self.chance.uuid()).collect();
        let written = answered.draft.written(step);
        let citations = answered.draft.citations(&written, &passages);
        let thought =
            within.then(|| THOUGHTS.map(|(heading, thought)| format!("**{heading}**\n\n{thought}\n\n\n")).concat());
        let row = answer_row(answered, step, &passages, thought.as_deref());
        let mut chunk = vec![row, citations, written.spans(), Value::Null, Value::Bool(whole)];
        if whole {
            if let Some(slot) = chunk.get_mut(3) {
                *slot = json!([answered.next]);
            }
            chunk.push(json!([reading::numbered(&answered.next)]));
        } else if within {
            chunk.push(Value::Null);
        }
        if within {
            chunk.extend([Value::Bool(whole), json!(answered.names.token)]);
        }
        Value::Array(chunk)
    }

    /// Keeps a turn. It is seen from the moment on at which the stream ends, also by who did not wait for that.
    fn keep_turn(&mut self, now: Millis, id: &str, asked: &ChatCall, answered: &Answered, reply: &Reply) {
        let passages: Vec<String> = (0..answered.draft.cited()).map(|_| self.chance.uuid()).collect();
        let at_ms = reply.ends_ms(now);
        let turn = Turn {
            question_id: self.chance.uuid(),
            question: asked.question.clone(),
            answer_id: self.chance.uuid(),
            answer: answer_row(answered, answered.draft.steps() - 1, &passages, None),
            at_ms,
        };
        let Some(conversation) = self.notebooks.get_mut(id).map(|notebook: &mut Notebook| &mut notebook.conversation)
        else {
            return;
        };
        if conversation.turns.len() >= TURNS_MAX {
            conversation.turns.remove(0);
        }
        conversation.turns.push(turn);
        conversation.busy = Some(Busy { stream: answered.names.stream.clone(), until_ms: at_ms });
    }

    /// Says that no more questions are answered for now: by saying nothing.
    fn exhausted(&mut self) -> Reply {
        let rows = self.timing().to_vec();
        in_attachment(Reply::new(200, JSON_TYPE, frames::write(&[rows])))
    }

    fn refused(&mut self, refusal: Refusal, heard: &mut Heard) -> Reply {
        heard.refusal = Some(refusal.code);
        let mut rows = vec![rejection_row(None, refusal.code, refusal.displayable)];
        rows.extend(self.timing());
        in_attachment(Reply::new(200, JSON_TYPE, frames::write(&[rows])))
    }
}

/// Returns a turn that was asked long ago, for a notebook to begin with.
pub(super) fn ask_for_seed(chance: &mut Chance, at_ms: Millis, notebook: &Notebook, question: &str) -> Turn {
    let sources: Vec<&Source> = notebook.sources.iter().collect();
    let draft = compose(question, &sources);
    let names = Names { stream: chance.uuid(), turn: chance.uuid(), code: 1_027_350_177, token: String::new() };
    let passages: Vec<String> = (0..draft.cited()).map(|_| chance.uuid()).collect();
    let step = draft.steps() - 1;
    let answered = Answered { draft, next: Vec::new(), names };
    let answer = answer_row(&answered, step, &passages, None);
    Turn { question_id: chance.uuid(), question: question.to_owned(), answer_id: chance.uuid(), answer, at_ms }
}

/// Writes the row of an answer, up to a step.
fn answer_row(answered: &Answered, step: usize, passages: &[String], thought: Option<&str>) -> Value {
    let Answered { draft, names, .. } = answered;
    let written = draft.written(step);
    let mut blocks = written.blocks.clone();
    blocks.extend(thought.map(thought_block));
    let mut body = vec![Value::Array(blocks)];
    if let Value::Array(anchors) = written.anchors(passages)
        && !anchors.is_empty()
    {
        body.push(Value::Array(anchors));
    }
    let mut citations = draft.citations(&written, passages);
    for (citation, passage) in citations.as_array_mut().into_iter().flatten().zip(passages) {
        *citation = json!([[passage], citation.take()]);
    }
    let session = json!([names.stream, names.turn, names.code]);
    json!([written.text, null, session, null, [body, null, null, citations, 1]])
}
