//! The tools that the suite calls by name.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, ElicitRequestParams, JsonObject, ProgressNotificationParam,
    ResourceContents, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServiceError};
use serde_json::{Value, json};

use crate::resources::{PIXEL, SILENCE};
use crate::rounds;

/// The pause between two reports of progress.
const STEP: Duration = Duration::from_millis(50);

/// Tools without arguments, and what they are for.
const PLAIN: [(&str, &str); 12] = [
    ("test_simple_text", "Answers with text: a search of the program that finds nothing."),
    ("test_error_handling", "Fails: a fetch of the program without its argument."),
    ("test_image_content", "Answers with a picture."),
    ("test_audio_content", "Answers with a sound."),
    ("test_embedded_resource", "Answers with a resource."),
    ("test_multiple_content_types", "Answers with text, a picture and a resource."),
    ("test_tool_with_progress", "Tells three times how far it is."),
    ("test_logging_tool", "Works without a word to the log, as the program does."),
    ("test_elicitation_sep1034_defaults", "Asks for values that have defaults."),
    ("test_elicitation_sep1330_enums", "Asks for choices of every form."),
    ("test_missing_capability", "Needs a client that samples."),
    ("test_streaming_elicitation", "Asks for a name while its answer is streamed."),
];

/// Lists all of them.
pub(crate) fn list() -> Vec<Tool> {
    let without = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    let mut tools: Vec<Tool> = PLAIN
        .into_iter()
        .chain(rounds::TOOLS)
        .map(|(name, description)| Tool::new(name, description, object(&without)))
        .collect();
    let message = json!({
        "type": "object",
        "properties": { "message": { "type": "string", "description": "What the person is asked." } },
        "required": ["message"],
    });
    tools.push(Tool::new("test_elicitation", "Asks the person for a name and an address.", object(&message)));
    let description = "Has a schema of many keywords, all of which must arrive.";
    tools.push(Tool::new("json_schema_2020_12_tool", description, object(&many_keywords())));
    tools
}

/// The call of the program that stands behind a fixture, for those fixtures that the program can serve itself.
pub(crate) fn of_the_product(name: &str) -> Option<CallToolRequestParams> {
    match name {
        "test_simple_text" => {
            Some(CallToolRequestParams::new("search").with_arguments(members(&json!({ "query": "report" }))))
        }
        "test_error_handling" => Some(CallToolRequestParams::new("fetch")),
        _ => None,
    }
}

/// Calls a fixture; `None` when there is none of that name.
pub(crate) async fn call(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResult, ErrorData>> {
    let content = match request.name.as_ref() {
        "test_image_content" => vec![ContentBlock::image(PIXEL, "image/png")],
        "test_audio_content" => vec![ContentBlock::audio(SILENCE, "audio/wav")],
        "test_embedded_resource" => vec![embedded("test://embedded-resource", "text/plain", "An embedded text.")],
        "test_multiple_content_types" => vec![
            ContentBlock::text("Text, a picture and a resource:"),
            ContentBlock::image(PIXEL, "image/png"),
            embedded("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ],
        "test_tool_with_progress" => return Some(progress(context).await),
        "test_logging_tool" | "json_schema_2020_12_tool" => vec![ContentBlock::text("done")],
        "test_elicitation" => {
            let asked =
                request.arguments.as_ref().and_then(|arguments| arguments.get("message")).and_then(Value::as_str);
            let Some(message) = asked else {
                return Some(Err(ErrorData::invalid_params("`message` is missing", None)));
            };
            return Some(elicit(message, &who(), context).await);
        }
        "test_elicitation_sep1034_defaults" => {
            return Some(elicit("Change what is not so.", &defaults(), context).await);
        }
        "test_elicitation_sep1330_enums" => return Some(elicit("Choose.", &choices(), context).await),
        _ => return None,
    };
    Some(Ok(CallToolResult::success(content)))
}

/// An answer of words alone.
pub(crate) fn text(words: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(words)])
}

fn embedded(uri: &str, mime_type: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type(mime_type))
}

async fn progress(context: &RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    for percent in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let report = ProgressNotificationParam::new(token, percent).with_total(100.0);
            context.peer.notify_progress(report).await.map_err(|error| failed(&error))?;
        }
        tokio::time::sleep(STEP).await;
    }
    Ok(text("done"))
}

/// Asks the person behind a client of the old era, and tells what came back.
async fn elicit(
    message: &str,
    schema: &Value,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let question = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let question: ElicitRequestParams =
        serde_json::from_value(question).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let answer = context.peer.create_elicitation(question).await.map_err(|error| failed(&error))?;
    let content = answer.content.unwrap_or_default();
    Ok(text(format!("action={:?}, content={content}", answer.action)))
}

fn failed(error: &ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn who() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "A name." },
            "email": { "type": "string", "description": "An address." },
        },
        "required": ["username", "email"],
    })
}

fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        },
    })
}

fn choices() -> Value {
    let titled = json!([{ "const": "value1", "title": "First" }, { "const": "value2", "title": "Second" }]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": ["option1", "option2"] },
            "titledSingle": { "type": "string", "oneOf": titled },
            "legacyEnum": { "type": "string", "enum": ["opt1", "opt2"], "enumNames": ["First", "Second"] },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": ["option1", "option2"] } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled } },
        },
    })
}

fn many_keywords() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

fn members(value: &Value) -> JsonObject {
    value.as_object().cloned().unwrap_or_default()
}

fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(members(schema))
}
