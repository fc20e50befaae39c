//! Fixtures that ask the client for something before they answer, in the way of the new era: the call returns with
//! questions, and is made again with the answers and a sealed state.

use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, InputRequest, InputRequests, InputRequiredResult, InputResponses, RequestStateCodec,
    SealOptions,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

/// The tools that ask, and what they are for.
pub(crate) const TOOLS: [(&str, &str); 8] = [
    ("test_input_required_result_elicitation", "Asks for a name."),
    ("test_input_required_result_sampling", "Asks the client's model."),
    ("test_input_required_result_list_roots", "Asks for the client's roots."),
    ("test_input_required_result_request_state", "Asks for a word, and knows its own state again."),
    ("test_input_required_result_multiple_inputs", "Asks for three things at once."),
    ("test_input_required_result_multi_round", "Asks for one thing after another."),
    ("test_input_required_result_tampered_state", "Asks for a word, and refuses a state that is not its own."),
    ("test_input_required_result_capabilities", "Asks for what the client can give."),
];

/// Questions by their keys; one such object for each round.
type Round = Value;

/// What becomes of one call.
pub(crate) enum Answer {
    /// The client has to answer first.
    Ask(InputRequiredResult),
    /// All was answered; these are the answers as text.
    Done(String),
}

impl Answer {
    /// Returns the questions as what is answered to a call, or what `done` makes of the answers.
    pub(crate) fn or<T: From<InputRequiredResult>>(self, done: impl FnOnce(String) -> T) -> T {
        match self {
            Self::Ask(asking) => asking.into(),
            Self::Done(answers) => done(answers),
        }
    }
}

/// Returns what a tool asks for, round by round; `None` for one that asks nothing.
pub(crate) fn of_tool(name: &str) -> Option<Vec<Round>> {
    let ok = || form("Please confirm", "ok", "boolean");
    let round = match name {
        "test_input_required_result_elicitation" | "test_streaming_elicitation" => {
            json!({ "user_name": form("What is your name?", "name", "string") })
        }
        "test_input_required_result_sampling" | "test_missing_capability" => {
            json!({ "capital_question": sample("What is the capital of France?") })
        }
        "test_input_required_result_list_roots" => json!({ "client_roots": roots() }),
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            json!({ "confirm": ok() })
        }
        "test_input_required_result_multiple_inputs" | "test_input_required_result_capabilities" => json!({
            "user_name": form("What is your name?", "name", "string"),
            "greeting": sample("Say hello"),
            "client_roots": roots(),
        }),
        "test_input_required_result_multi_round" => {
            let first = json!({ "step1": form("What is your name?", "name", "string") });
            let second = json!({ "step2": form("Which colour do you like?", "color", "string") });
            return Some(vec![first, second]);
        }
        _ => return None,
    };
    Some(vec![round])
}

/// Returns what a prompt asks for; `None` for one that asks nothing.
pub(crate) fn of_prompt(name: &str) -> Option<Vec<Round>> {
    (name == "test_input_required_result_prompt")
        .then(|| vec![json!({ "user_context": form("What is it about?", "context", "string") })])
}

/// Takes a call one step further, with the answers and the state that came with it. A client is asked only for what it said it can give; with nothing of that left it is
/// told what it lacks. A state that was sealed elsewhere, or for another name, is refused.
pub(crate) fn answer(
    rounds: &[Round],
    name: &str,
    (responses, state): (Option<InputResponses>, Option<String>),
    states: &RequestStateCodec,
    context: &RequestContext<RoleServer>,
) -> Result<Answer, ErrorData> {
    let capabilities = serde_json::to_value(context.client_capabilities()).unwrap_or_default();
    let number: usize = match state {
        Some(sealed) => states
            .open_json_with(&sealed, name.as_bytes())
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?,
        None => 0,
    };
    let round = rounds.get(number).ok_or_else(|| ErrorData::invalid_params("there is no such round", None))?;
    let asked = within(round, &capabilities)?;
    let responses = responses.unwrap_or_default();
    if !asked.iter().all(|(key, request)| responses.get(key).is_some_and(|given| is_answer(request, given))) {
        return ask(asked, number, name, states);
    }
    match rounds.get(number + 1) {
        Some(next) => ask(within(next, &capabilities)?, number + 1, name, states),
        None => Ok(Answer::Done(json!(responses).to_string())),
    }
}

fn ask(asked: InputRequests, number: usize, name: &str, states: &RequestStateCodec) -> Result<Answer, ErrorData> {
    let sealed = states
        .seal_json_with(&number, &SealOptions::new().associated_data(name.as_bytes()))
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(Answer::Ask(InputRequiredResult::new(Some(asked), Some(sealed))))
}

/// Keeps the questions that the client can answer.
fn within(round: &Round, capabilities: &Value) -> Result<InputRequests, ErrorData> {
    let asked: InputRequests =
        serde_json::from_value(round.clone()).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let (can, cannot): (InputRequests, InputRequests) =
        asked.into_iter().partition(|(_, request)| capabilities.get(needs(request)).is_some_and(Value::is_object));
    if !can.is_empty() {
        return Ok(can);
    }
    let lacking: serde_json::Map<String, Value> =
        cannot.values().map(|request| (needs(request).to_owned(), json!({}))).collect();
    let lacking: ClientCapabilities = serde_json::from_value(Value::Object(lacking))
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Err(ErrorData::missing_required_client_capability(lacking))
}

/// The capability without which a client cannot answer.
fn needs(request: &InputRequest) -> &'static str {
    match request {
        InputRequest::Elicitation(_) => "elicitation",
        InputRequest::ListRoots(_) => "roots",
        InputRequest::CreateMessage(_) | _ => "sampling",
    }
}

/// Tells whether what was given has the form of an answer to the question.
fn is_answer(request: &InputRequest, given: &Value) -> bool {
    let member = match request {
        InputRequest::Elicitation(_) => "action",
        InputRequest::ListRoots(_) => "roots",
        InputRequest::CreateMessage(_) | _ => "content",
    };
    given.get(member).is_some()
}

fn form(message: &str, field: &str, kind: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { field: { "type": kind } }, "required": [field] });
    json!({ "method": "elicitation/create",
            "params": { "mode": "form", "message": message, "requestedSchema": schema } })
}

fn sample(question: &str) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": question } });
    json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": 100 } })
}

fn roots() -> Value {
    json!({ "method": "roots/list" })
}
