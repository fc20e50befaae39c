//! The prompts that the suite gets by name. The program has none.

use rmcp::ErrorData;
use rmcp::model::{
    ContentBlock, GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, ResourceContents,
    Role,
};
use serde_json::Value;

use crate::resources::PIXEL;

/// Names, what they are for, and their arguments.
const PROMPTS: [(&str, &str, &[&str]); 5] = [
    ("test_simple_prompt", "A prompt of text.", &[]),
    ("test_prompt_with_arguments", "A prompt that repeats its arguments.", &["arg1", "arg2"]),
    ("test_prompt_with_embedded_resource", "A prompt with a resource.", &["resourceUri"]),
    ("test_prompt_with_image", "A prompt with a picture.", &[]),
    ("test_input_required_result_prompt", "A prompt that asks what it is about.", &[]),
];

/// Lists all of them.
pub(crate) fn list() -> Vec<Prompt> {
    let argument =
        |name: &&str| PromptArgument::new(*name).with_description("It appears in the prompt.").with_required(true);
    PROMPTS
        .into_iter()
        .map(|(name, description, arguments)| {
            let arguments: Vec<PromptArgument> = arguments.iter().map(argument).collect();
            Prompt::new(name, Some(description), (!arguments.is_empty()).then_some(arguments))
        })
        .collect()
}

/// Gets one that asks for nothing.
pub(crate) fn get(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let argument = |name: &str| {
        let given = request.arguments.as_ref().and_then(|arguments| arguments.get(name)).and_then(Value::as_str);
        given.ok_or_else(|| ErrorData::invalid_params(format!("`{name}` is missing"), None))
    };
    let content = match request.name.as_str() {
        "test_simple_prompt" => vec![ContentBlock::text("A simple prompt.")],
        "test_prompt_with_arguments" => {
            vec![ContentBlock::text(format!("arg1='{}', arg2='{}'", argument("arg1")?, argument("arg2")?))]
        }
        "test_prompt_with_embedded_resource" => {
            let resource = ResourceContents::text("An embedded text.", argument("resourceUri")?);
            vec![ContentBlock::resource(resource.with_mime_type("text/plain")), ContentBlock::text("Read this.")]
        }
        "test_prompt_with_image" => vec![ContentBlock::image(PIXEL, "image/png"), ContentBlock::text("Look at this.")],
        name => return Err(ErrorData::invalid_params(format!("there is no prompt `{name}`"), None)),
    };
    Ok(GetPromptResult::new(content.into_iter().map(|block| PromptMessage::new(Role::User, block)).collect()))
}

/// A prompt of words alone.
pub(crate) fn said(words: String) -> GetPromptResult {
    GetPromptResult::new(vec![PromptMessage::new_text(Role::User, words)])
}

/// What an argument may go on as: the words that begin with what was typed.
pub(crate) fn completions(typed: &str) -> Vec<String> {
    ["paris", "park", "party", "test", "testing"]
        .into_iter()
        .filter(|word| word.starts_with(typed))
        .map(str::to_owned)
        .collect()
}
