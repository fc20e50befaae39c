//! The MCP server: one handler for all connections, both eras of the protocol.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, ContentBlock, Implementation, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, RequestId, Resource, ResourceContents,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError};
use rmcp::{ErrorData, ServerHandler, ServiceExt as _};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixListener;
use tokio::sync::Semaphore;

use super::answer::ErrorAnswer;
use super::documentation;
use super::host::Host;
use super::profile::Profile;
use super::socket::{connect_is_mine, connections_of};
use super::transport::{Limits, Lines, Unanswered};

/// The most clients at once; further ones wait in the system's queue.
const CONNECTIONS_MAX: usize = 1280;
/// The most tool calls at work at once, over all clients.
const CALLS_MAX: usize = 32;
/// The longest a tool call may take; clients give up sooner or later and should hear why.
const CALL_WAIT: Duration = Duration::from_secs(120);
/// How long tools and documentation may be kept: they change with the program alone.
const KEEP_MS: u64 = 3_600_000;

/// The handler. Cheap to clone: one for each connection.
#[derive(Clone)]
pub struct Server {
    host: Arc<dyn Host>,
    profile: Profile,
    calls: Arc<Semaphore>,
    limits: Limits,
    /// What the client of this connection was not answered yet; `None` where somebody else holds the connection.
    unanswered: Option<Unanswered>,
}

impl Server {
    /// Returns a server of `host` with the tools of a profile.
    #[must_use]
    pub fn new(host: Arc<dyn Host>, profile: Profile) -> Self {
        let calls = Arc::new(Semaphore::new(CALLS_MAX));
        Self { host, profile, calls, limits: Limits::default(), unanswered: None }
    }

    #[cfg(test)]
    pub(super) fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Speaks with one client until it leaves.
    pub async fn serve_stream<S>(mut self, stream: S)
    where
        S: AsyncRead + AsyncWrite + Send + 'static,
    {
        let (read, write) = tokio::io::split(stream);
        let transport = Lines::new(read, write, self.limits.clone());
        self.unanswered = Some(transport.unanswered());
        match self.serve(transport).await {
            Ok(running) => {
                if let Err(error) = running.waiting().await {
                    tracing::debug!(%error, "a client's task ended badly");
                }
            }
            // A client that connects and leaves is looking whether we are there.
            Err(ServerInitializeError::ConnectionClosed(_)) => tracing::debug!("a client left before it spoke"),
            Err(error) => tracing::debug!(%error, "a client did not begin as MCP does"),
        }
    }

    /// Waits until the client has read enough for another answer to be made.
    async fn begin(&self, id: &RequestId) {
        if let Some(unanswered) = &self.unanswered {
            unanswered.begin(id).await;
        }
    }

    async fn answer(&self, id: &RequestId, request: CallToolRequestParams) -> Result<CallToolResult, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        // The queue for a place is part of the wait, so that nobody waits for ever.
        let result = tokio::time::timeout(CALL_WAIT, async {
            self.begin(id).await;
            let _place = self.calls.acquire().await;
            self.profile.call(self.host.as_ref(), &request.name, arguments).await
        })
        .await;
        Ok(match result {
            Ok(Some(Ok(value))) => CallToolResult::structured(value),
            // Text alone: clients check structured content against the output schema even in an error, and would
            // show their own complaint instead of ours.
            Ok(Some(Err(error))) => error_result(&error),
            Ok(None) => {
                let names: Vec<String> = self.profile.tools().iter().map(|tool| tool.name.to_string()).collect();
                let message = format!("there is no tool `{}`; there are {}", request.name, names.join(", "));
                return Err(ErrorData::invalid_params(message, None));
            }
            Err(_elapsed) => error_result(&self.profile.failed(&ErrorAnswer {
                error: true,
                kind: "network_error".into(),
                message: format!("no answer within {} s; the work goes on", CALL_WAIT.as_secs()),
                retryable: true,
                suggestion: "Look what became of it before you repeat it.".into(),
            })),
        })
    }
}

fn error_result(error: &Value) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(
                Implementation::new("mcp-workspace", env!("CARGO_PKG_VERSION")).with_title("Google Workspace as files"),
            )
            .with_instructions(self.profile.instructions())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.begin(&context.id).await;
        refuse_cursor(request)?;
        let mut result = ListToolsResult::with_all_items(self.profile.tools());
        result.ttl_ms = Some(KEEP_MS);
        result.cache_scope = Some(CacheScope::Private);
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.profile.tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        tokio::select! {
            answer = self.answer(&context.id, request) => answer.map(CallToolResponse::from),
            // Nobody reads this answer; it ends the call's place in the queue.
            () = context.ct.cancelled() => Err(ErrorData::invalid_request("cancelled", None)),
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.begin(&context.id).await;
        refuse_cursor(request)?;
        let resources = documentation::PAGES
            .iter()
            .map(|page| {
                Resource::new(page.uri, page.name)
                    .with_title(page.title)
                    .with_description(page.description)
                    .with_mime_type("text/markdown")
                    .with_size(u64::try_from(page.text.len()).unwrap_or_default())
            })
            .collect();
        let mut result = ListResourcesResult::with_all_items(resources);
        result.ttl_ms = Some(KEEP_MS);
        result.cache_scope = Some(CacheScope::Private);
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        refuse_cursor(request)?;
        Ok(ListResourceTemplatesResult::with_all_items(Vec::new()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.begin(&context.id).await;
        let Some(page) = documentation::page(&request.uri) else {
            let message = "there is no such resource; list the resources to see which there are";
            return Err(ErrorData::resource_not_found(message, Some(serde_json::json!({ "uri": request.uri }))));
        };
        let contents = ResourceContents::text(page.text, page.uri).with_mime_type("text/markdown");
        let mut result = ReadResourceResult::new(vec![contents]);
        result.ttl_ms = Some(KEEP_MS);
        result.cache_scope = Some(CacheScope::Private);
        Ok(result.into())
    }

    // The library answers these with empty lists although we do not announce them.
    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }
}

/// Every list fits one page, so that no cursor can be ours.
fn refuse_cursor(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        Some(_) => Err(ErrorData::invalid_params("this cursor is not one of ours", None)),
        None => Ok(()),
    }
}

/// Accepts clients until the future is dropped; their connections end with it.
///
/// # Errors
///
/// Never ends by itself but for a listener that is broken for good.
pub async fn serve_mcp(listener: UnixListener, host: Arc<dyn Host>, profile: Profile) -> crate::error::Result<()> {
    let server = Server::new(host, profile);
    super::socket::accept(listener, connections_of(CONNECTIONS_MAX), move |stream| {
        let server = server.clone();
        async move {
            if !connect_is_mine(&stream) {
                return;
            }
            server.serve_stream(stream).await;
        }
    })
    .await
}
