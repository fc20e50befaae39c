//! The program's handler, furnished with what the suite asks for by name.

use mcp_workspace::tools::Server;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
    GetPromptRequestParams, GetPromptResponse, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, RequestStateCodec,
    ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};

use crate::{prompts, resources, rounds, tools};

/// The handler under test. Lists are the program's with the fixtures behind them; whatever no fixture has the name of
/// goes to the program, as do errors.
#[derive(Clone)]
pub(crate) struct Furnished {
    product: Server,
    states: RequestStateCodec,
}

impl Furnished {
    /// Furnishes a handler; `states` seals what a client has to hand back between the rounds of a call.
    pub(crate) const fn new(product: Server, states: RequestStateCodec) -> Self {
        Self { product, states }
    }
}

impl ServerHandler for Furnished {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.product.get_info();
        info.capabilities.prompts = Some(rmcp::model::PromptsCapability::default());
        info.capabilities.completions = Some(rmcp::model::JsonObject::new());
        info
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut result = self.product.list_tools(request, context).await?;
        result.tools.extend(tools::list());
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.product.get_tool(name).or_else(|| tools::list().into_iter().find(|tool| tool.name == name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(request) = tools::of_the_product(&request.name) {
            return self.product.call_tool(request, context).await;
        }
        if let Some(asked) = rounds::of_tool(&request.name) {
            let given = (request.input_responses, request.request_state);
            let answer = rounds::answer(&asked, &request.name, given, &self.states, &context)?;
            return Ok(answer.or(|words| tools::text(words).into()));
        }
        match tools::call(&request, &context).await {
            Some(answer) => answer.map(CallToolResponse::from),
            None => self.product.call_tool(request, context).await,
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut result = self.product.list_resources(request, context).await?;
        result.resources.extend(resources::list());
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut result = self.product.list_resource_templates(request, context).await?;
        result.resource_templates.extend(resources::templates());
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match resources::read(&request.uri) {
            Some(result) => Ok(result.into()),
            None => self.product.read_resource(request, context).await,
        }
    }

    // Those that the suite watches are no resources of the program, which knows how to watch its own.
    #[expect(deprecated, reason = "clients of the older era subscribe so")]
    async fn subscribe(
        &self,
        mut request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        request.uri = of_the_product(request.uri);
        self.product.subscribe(request, context).await
    }

    #[expect(deprecated, reason = "clients of the older era subscribe so")]
    async fn unsubscribe(
        &self,
        mut request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        request.uri = of_the_product(request.uri);
        self.product.unsubscribe(request, context).await
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.product.accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.product.listen(context).await
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if let Some(asked) = rounds::of_prompt(&request.name) {
            let given = (request.input_responses, request.request_state);
            let answer = rounds::answer(&asked, &request.name, given, &self.states, &context)?;
            return Ok(answer.or(|words| prompts::said(words).into()));
        }
        prompts::get(&request).map(GetPromptResponse::from)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values = prompts::completions(&request.argument.value);
        let completion =
            CompletionInfo::with_all_values(values).map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(completion))
    }
}

/// Whatever the suite watches stands for the program's status.
fn of_the_product(uri: String) -> String {
    if uri.starts_with("test://") { "workspace://status".into() } else { uri }
}
