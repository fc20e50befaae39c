//! The MCP server: one handler for all connections, both eras of the protocol.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, ContentBlock, CustomRequest, CustomResult, ErrorCode, GetSkillRequestParams, GetSkillResult,
    Implementation, ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListSkillsResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, RequestId, ResourceContents, ResourceUpdatedNotificationParam,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, ServerInitializeError, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler, ServiceExt as _};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixListener;
use tokio::sync::Semaphore;

use super::answer::{DAEMON_GONE, ErrorAnswer};
use super::conversation::TIMEOUT_META;
use super::docs::Exports;
use super::host::Host;
use super::profile::{CALL_WAIT, Profile};
use super::resources::{self, Named};
use super::result;
use super::skill;
use super::socket::{connect_is_mine, connections_of};
use super::transport::{Limits, Lines, Unanswered};
use super::watching::{self, Subscriptions, WATCHED_MAX};
use crate::error::ErrorKind;

/// The most clients at once; further ones wait in the system's queue.
const CONNECTIONS_MAX: usize = 1280;
/// The most tool calls at work at once, over all clients.
const CALLS_MAX: usize = 32;
/// The pause between two words about a call that takes long.
const PROGRESS_PAUSE: Duration = Duration::from_secs(1);
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
    /// Of one connection.
    subscriptions: Arc<Subscriptions>,
    /// What the client of this connection was given to edit.
    exports: Arc<Mutex<Exports>>,
}

impl Server {
    /// Returns a server of `host` with the tools of a profile.
    #[must_use]
    pub fn new(host: Arc<dyn Host>, profile: Profile) -> Self {
        let calls = Arc::new(Semaphore::new(CALLS_MAX));
        Self {
            host,
            profile,
            calls,
            limits: Limits::default(),
            unanswered: None,
            subscriptions: Arc::default(),
            exports: Arc::default(),
        }
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
        self.subscriptions = Arc::default();
        self.exports = Arc::default();
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

    async fn answer(
        &self,
        id: &RequestId,
        request: CallToolRequestParams,
        wanted: Option<Duration>,
    ) -> Result<CallToolResult, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let wait = self.profile.wait(&request.name);
        // The queue for a place is part of the wait, so that nobody waits for ever.
        let result = tokio::time::timeout(wait, async {
            self.begin(id).await;
            let _place = self.calls.acquire().await;
            self.profile.call(self.host.as_ref(), &self.exports, &request.name, arguments, wanted).await
        })
        .await;
        Ok(match result {
            Ok(Some(Ok(value))) => result::of(value),
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
                message: format!("no answer within {} s; the work goes on", wait.as_secs()),
                retryable: true,
                suggestion: "Look what became of it before you repeat it.".into(),
            })),
        })
    }

    /// Reads a file of the skill, whose first one is for clients of this profile.
    fn skill_file(&self, uri: &str) -> Option<String> {
        skill::file(uri, self.profile.instructions())
    }

    /// Reads a resource, in its turn like a tool call.
    async fn read(&self, uri: &str, named: &Named) -> Result<Vec<ResourceContents>, ErrorData> {
        let read = tokio::time::timeout(CALL_WAIT, async {
            let _place = self.calls.acquire().await;
            resources::read(self.host.as_ref(), uri, named).await
        });
        let Ok(read) = read.await else {
            return Err(ErrorData::internal_error("no answer within two minutes; ask again", None));
        };
        read.map_err(|error| {
            let answer = ErrorAnswer::from(&error);
            let message = format!("{}; {}", answer.message, answer.suggestion);
            let data = Some(serde_json::json!({ "uri": uri }));
            match error.kind() {
                ErrorKind::NotFound | ErrorKind::InvalidInput => ErrorData::resource_not_found(message, data),
                ErrorKind::AuthExpired
                | ErrorKind::PermissionDenied
                | ErrorKind::RateLimited
                | ErrorKind::NetworkError
                | ErrorKind::StaleRevision
                | ErrorKind::ReadOnly
                | ErrorKind::Refused
                | ErrorKind::ExtractionFailed
                | ErrorKind::StorageError
                | ErrorKind::Daemon => ErrorData::internal_error(message, data),
            }
        })
    }
}

/// Tells a client that wants to know of it every second that its call is still at work; how much is left nobody knows.
async fn told_of_progress(context: &RequestContext<RoleServer>) -> Infallible {
    let Some(token) = context.meta.get_progress_token() else { return std::future::pending().await };
    let mut seconds = 0_u32;
    loop {
        tokio::time::sleep(PROGRESS_PAUSE).await;
        seconds += 1;
        let progress = ProgressNotificationParam::new(token.clone(), f64::from(seconds))
            .with_message(format!("at work for {seconds} s: Google is being asked, or the call waits for its turn"));
        if let Err(error) = context.peer.notify_progress(progress).await {
            tracing::debug!(%error, "nobody hears of the progress");
        }
    }
}

fn no_resource(uri: &str) -> ErrorData {
    let message = "there is no such resource; list the resources to see which there are";
    ErrorData::resource_not_found(message, Some(serde_json::json!({ "uri": uri })))
}

fn error_result(error: &Value) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_skills()
            .build();
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
        let wanted = context.meta.get(TIMEOUT_META).and_then(Value::as_u64);
        let wanted = wanted.filter(|milliseconds| *milliseconds > 0).map(Duration::from_millis);
        tokio::select! {
            answer = self.answer(&context.id, request, wanted) => answer.map(CallToolResponse::from),
            never = told_of_progress(&context) => match never {},
            () = context.ct.cancelled() => Err(stopped()),
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.begin(&context.id).await;
        refuse_cursor(request)?;
        let mut result = ListResourcesResult::with_all_items(resources::list());
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
        let mut result = ListResourceTemplatesResult::with_all_items(resources::templates());
        result.ttl_ms = Some(KEEP_MS);
        result.cache_scope = Some(CacheScope::Private);
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.begin(&context.id).await;
        let uri = request.uri;
        let (contents, keep_ms) = match self.skill_file(&uri) {
            Some(text) => (vec![ResourceContents::text(text, uri.as_str()).with_mime_type("text/markdown")], KEEP_MS),
            None => {
                let named = Named::by(&uri).ok_or_else(|| no_resource(&uri))?;
                let keep_ms = if matches!(named, Named::Page(_)) { KEEP_MS } else { 0 };
                let contents = tokio::select! {
                    read = self.read(&uri, &named) => read?,
                    () = context.ct.cancelled() => return Err(stopped()),
                };
                (contents, keep_ms)
            }
        };
        let mut result = ReadResourceResult::new(contents);
        result.ttl_ms = Some(keep_ms);
        result.cache_scope = Some(CacheScope::Private);
        Ok(result.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let named = Named::by(&request.uri).ok_or_else(|| no_resource(&request.uri))?;
        let peer = context.peer.clone();
        self.subscriptions.add(self.host.clone(), &request.uri, named, move |uri| {
            let peer = peer.clone();
            async move { peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_ok() }
        })
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let wanted = requested.resource_subscriptions.iter().flatten();
        let known = wanted.filter(|uri| Named::by(uri).is_some()).take(WATCHED_MAX).cloned().collect();
        let mut accepted = SubscriptionFilter::new();
        accepted.resource_subscriptions = Some(known);
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let wanted = context.accepted().resource_subscriptions.iter().flatten();
        let watched = wanted.filter_map(|uri| Some((uri.clone(), Named::by(uri)?))).collect();
        let tell = |uri: String| async { context.sink().notify_resource_updated(uri).await.is_ok() };
        tokio::select! {
            () = watching::watch(self.host.as_ref(), watched, tell) => {}
            () = context.cancelled() => {}
        }
        Ok(())
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        refuse_cursor(request)?;
        Ok(ListSkillsResult::with_all_items(vec![skill::skill(self.profile.instructions())]))
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let skill = skill::skill(self.profile.instructions());
        match skill.uri == request.uri {
            true => Ok(GetSkillResult::new(skill)),
            false => {
                Err(ErrorData::invalid_params("there is no such skill; list the skills to see which there is", None))
            }
        }
    }

    /// A request of ours whose parameters do not fit is one of an unknown method to the library.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let params = request.params.unwrap_or_else(|| serde_json::json!({}));
        let misfit = match request.method.as_str() {
            "tools/call" => misfit::<CallToolRequestParams>(params),
            "resources/read" => misfit::<ReadResourceRequestParams>(params),
            // Subscribing by a request is no method of the newer era, whatever its parameters.
            _ => None,
        };
        Err(match misfit {
            Some(why) => {
                ErrorData::invalid_params(format!("the parameters of {} do not fit: {why}", request.method), None)
            }
            None => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None),
        })
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

/// Says why parameters are none of a request.
fn misfit<T: serde::de::DeserializeOwned>(params: Value) -> Option<String> {
    let read: Result<T, _> = serde_path_to_error::deserialize(params);
    read.err().map(|error| match error.path().to_string().as_str() {
        "." => error.inner().to_string(),
        path => format!("`{path}`: {}", error.inner()),
    })
}

/// Every list fits one page, so that no cursor can be ours.
fn refuse_cursor(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        Some(_) => Err(ErrorData::invalid_params("this cursor is not one of ours", None)),
        None => Ok(()),
    }
}

/// Answers what was at work when the daemon was stopped. Who has taken a request back does not read this.
fn stopped() -> ErrorData {
    let message = "the daemon was stopped while this request was at work; its outcome is unknown. \
                   Look what became of it, then ask again.";
    ErrorData::new(ErrorCode(DAEMON_GONE), message, None)
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
