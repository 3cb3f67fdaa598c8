//! Resources, prompts and completion, from the engine's registries.

use base::{Problem, ProblemCode, Result};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use engine::View;
use operations::prompts::{PROMPTS, Prompt, PromptArguments};
use operations::resources::{RESOURCES, Resource, ResourceContent};
use rmcp::ErrorData;
use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, GetPromptRequestParams, GetPromptResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, PromptArgument,
    PromptMessage, ReadResourceResult, Reference, ResourceContents, ResourceTemplate, Role,
};
use serde_json::json;

pub(super) fn resources(view: &View<'_>) -> Result<ListResourcesResult> {
    let mut items = Vec::new();
    for family in RESOURCES {
        for (rest, title) in (family.list)(view)? {
            let uri = format!("{}{rest}", family.prefix);
            items.push(rmcp::model::Resource::new(uri, rest).with_title(title));
        }
    }
    Ok(ListResourcesResult::with_all_items(items))
}

pub(super) fn templates() -> ListResourceTemplatesResult {
    let template = |family: &Resource| {
        ResourceTemplate::new(family.template(), family.name).with_description(family.description)
    };
    ListResourceTemplatesResult::with_all_items(RESOURCES.iter().map(template).collect())
}

pub(super) fn read_resource(view: &View<'_>, uri: &str) -> Result<ReadResourceResult> {
    let found =
        RESOURCES.iter().find_map(|family| Some((family, uri.strip_prefix(family.prefix)?)));
    let (family, rest) = found.ok_or_else(|| Problem::not_found(format!("no resource `{uri}`")))?;
    let contents = match (family.read)(view, rest)? {
        ResourceContent::Text(text) => ResourceContents::text(text, uri),
        ResourceContent::Bytes(bytes) => ResourceContents::blob(BASE64_STANDARD.encode(bytes), uri),
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

pub(super) fn prompts() -> ListPromptsResult {
    let prompt = |prompt: &Prompt| {
        let arguments = prompt.arguments.iter().map(|argument| {
            PromptArgument::new(argument.name)
                .with_description(argument.description)
                .with_required(argument.required)
        });
        let arguments = Some(arguments.collect());
        rmcp::model::Prompt::new(prompt.name, Some(prompt.description), arguments)
    };
    ListPromptsResult::with_all_items(PROMPTS.iter().map(prompt).collect())
}

pub(super) fn get_prompt(
    view: &View<'_>,
    request: GetPromptRequestParams,
) -> Result<GetPromptResult> {
    let prompt = find_prompt(&request.name)?;
    let given = request.arguments.unwrap_or_default().into_iter();
    let given: PromptArguments = given
        .map(|(name, value)| (name, value.as_str().map_or(value.to_string(), ToOwned::to_owned)))
        .collect();
    let text = (prompt.write)(view, &given)?;
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}

pub(super) fn complete(view: &View<'_>, request: &CompleteRequestParams) -> Result<CompleteResult> {
    let begun = &request.argument.value;
    let values = match &request.r#ref {
        Reference::Resource(resource) => {
            let family = RESOURCES.iter().find(|family| family.template() == resource.uri);
            family.map_or(Ok(Vec::new()), |family| (family.complete)(view, begun))?
        }
        Reference::Prompt(prompt) => {
            let prompt = find_prompt(&prompt.name)?;
            (prompt.complete)(view, &request.argument.name, begun)?
        }
        _ => Vec::new(), // a kind of reference that this version does not know
    };
    let info = CompletionInfo::new(values).map_err(Problem::internal)?;
    Ok(CompleteResult::new(info))
}

fn find_prompt(name: &str) -> Result<&'static Prompt> {
    let found = PROMPTS.iter().find(|prompt| prompt.name == name);
    found.ok_or_else(|| Problem::invalid(format!("no prompt is called `{name}`")))
}

/// A problem as a protocol error, with its code for programs.
#[expect(clippy::needless_pass_by_value, reason = "it is consumed here, in `map_err`")]
pub(super) fn protocol_error(problem: Problem) -> ErrorData {
    let data = Some(json!({"error": problem}));
    match problem.code {
        ProblemCode::Internal | ProblemCode::Io | ProblemCode::StoreDamaged => {
            ErrorData::internal_error(problem.to_string(), data)
        }
        _ => ErrorData::invalid_params(problem.to_string(), data),
    }
}

/// A missing resource has its own error code.
pub(super) fn resource_error(problem: Problem, uri: &str) -> ErrorData {
    match problem.code {
        ProblemCode::NotFound | ProblemCode::ValidationError => {
            ErrorData::resource_not_found(problem.to_string(), Some(json!({"uri": uri})))
        }
        _ => protocol_error(problem),
    }
}
