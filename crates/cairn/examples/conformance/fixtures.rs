//! What the official MCP conformance suite expects of a server, laid over a server of ours.
//!
//! The suite calls tools, resources and prompts by fixed names (`test_simple_text`,
//! `test://static-text` …) that no real server has. [`Fixtures`] adds them to any handler and
//! passes everything else on, so that what is tested is the real server behind its real HTTP
//! door: negotiation, headers, sessions, caching hints, streams and the guard.
//!
//! `tools` answers at once or talks to the client while it runs, `rounds` asks for input by
//! ending the call early, `pages` holds resources and prompts.

#![expect(deprecated, reason = "clients before 2026-07-28 still use logging and subscribe")]

mod input_rounds;
mod resources;
mod tools;

use std::borrow::Cow;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, GetPromptRequestParams, GetPromptResponse, InitializeResult, JsonObject,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    Reference, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext, SubscriptionSendError, SubscriptionSink};
use rmcp::{ErrorData, RoleServer, ServerHandler};

/// The context of the request that a fixture answers.
type FixtureContext = RequestContext<RoleServer>;

/// A server with the suite's fixtures on top. Clones share their listeners.
#[derive(Clone)]
pub(crate) struct Fixtures<S> {
    inner: S,
    listeners: Listeners,
}

impl<S: ServerHandler> Fixtures<S> {
    /// Lays the fixtures over `inner`.
    pub(crate) fn new(inner: S) -> Self {
        Self { inner, listeners: Listeners::default() }
    }
}

/// The streams that `subscriptions/listen` holds open, so that a tool can send messages on them.
#[derive(Clone, Default)]
struct Listeners(Arc<Mutex<Vec<SubscriptionSink>>>);

/// Whose list a fixture claims has changed.
#[derive(Clone, Copy)]
enum ChangedList {
    Tools,
    Prompts,
}

impl Listeners {
    fn add(&self, sink: SubscriptionSink) {
        self.sinks().push(sink);
    }

    /// Notifies all subscribers, and removes those that disconnected.
    async fn notify(&self, changed: ChangedList) {
        // Taken out, so that a slow stream is not waited for while the lock is held.
        let sinks = mem::take(&mut *self.sinks());
        for sink in sinks {
            let heard = match changed {
                ChangedList::Tools => sink.notify_tool_list_changed().await,
                ChangedList::Prompts => sink.notify_prompt_list_changed().await,
            };
            if !matches!(heard, Err(SubscriptionSendError::SubscriptionClosed)) {
                self.add(sink);
            }
        }
    }

    fn sinks(&self) -> MutexGuard<'_, Vec<SubscriptionSink>> {
        self.0.lock().expect("no holder of this lock panics")
    }
}

impl<S: ServerHandler> ServerHandler for Fixtures<S> {
    fn get_info(&self) -> InitializeResult {
        let mut info = self.inner.get_info();
        let has = &mut info.capabilities;
        has.tools.get_or_insert_default().list_changed = Some(true);
        has.prompts.get_or_insert_default().list_changed = Some(true);
        let resources = has.resources.get_or_insert_default();
        (resources.subscribe, resources.list_changed) = (Some(true), Some(true));
        has.completions.get_or_insert_with(JsonObject::new);
        has.logging.get_or_insert_with(JsonObject::new);
        info
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.inner.supported_protocol_versions()
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: FixtureContext,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = self.inner.list_tools(page, context).await?;
        list.tools.extend(tools::all().chain(input_rounds::all()));
        Ok(list)
    }

    /// The HTTP door looks here to check a call's headers against the tool's schema.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let own = tools::all().chain(input_rounds::all()).find(|tool| tool.name == name);
        own.or_else(|| self.inner.get_tool(name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: FixtureContext,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(answer) = input_rounds::call(&request, &context) {
            return answer;
        }
        match tools::call(&request, &context, &self.listeners).await {
            Some(answer) => answer,
            None => self.inner.call_tool(request, context).await,
        }
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: FixtureContext,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut list = self.inner.list_resources(page, context).await?;
        list.resources.extend(resources::resources());
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        context: FixtureContext,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut list = self.inner.list_resource_templates(page, context).await?;
        list.resource_templates.push(resources::template());
        Ok(list)
    }

    /// A `test://` URI that is not a fixture is passed to the server, to test its reply.
    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: FixtureContext,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match resources::read(&request.uri) {
            Some(result) => Ok(result.into()),
            None => self.inner.read_resource(request, context).await,
        }
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        context: FixtureContext,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut list = self.inner.list_prompts(page, context).await?;
        list.prompts.extend(resources::prompts());
        list.prompts.push(input_rounds::prompt());
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: FixtureContext,
    ) -> Result<GetPromptResponse, ErrorData> {
        if let Some(answer) = input_rounds::get_prompt(&request) {
            return Ok(answer);
        }
        match resources::prompt(&request) {
            Some(result) => Ok(result.into()),
            None => self.inner.get_prompt(request, context).await,
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: FixtureContext,
    ) -> Result<CompleteResult, ErrorData> {
        let own = match &request.r#ref {
            Reference::Prompt(prompt) => prompt.name.starts_with("test_"),
            Reference::Resource(resource) => resource.uri.starts_with("test://"),
            _ => false,
        };
        if own {
            resources::complete(&request)
        } else {
            self.inner.complete(request, context).await
        }
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: FixtureContext,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: FixtureContext,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: FixtureContext,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.listeners.add(context.sink().clone());
        context.cancelled().await;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: FixtureContext,
    ) -> Result<CustomResult, ErrorData> {
        self.inner.on_custom_request(request, context).await
    }
}
