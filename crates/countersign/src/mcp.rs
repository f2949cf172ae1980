//! The server for agents: the Model Context Protocol on standard input and output.
//!
//! The only asynchronous code of the program, and only behind its own verb. Calls are performed
//! one after the other, in the order in which they came, and each opens the repository anew:
//! other processes use the ledger too. Nothing but the protocol goes to standard output.

mod call;
mod checkpoints;
mod contexts;
mod lines;
mod opening;
mod tools;

use countersign_engine::{Error, Host, Kind};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ServerHandler, ServiceExt};

use crate::cli::Context;
use lines::Lines;
use opening::Opening;

/// The longest message. Whoever sends more gets no answer, as nobody has read its id.
const MAX_LINE: usize = 64 * 1024 * 1024;

const INSTRUCTIONS: &str = "Memories of this repository that outlive the session, the worklog \
    that Countersign keeps of it, and tasks that are handed from role to role: read yours with \
    context_export, hand over with context_snapshot. Names beginning with '_' are read-only.";

/// Serves until standard input ends.
pub fn serve(cx: &Context) -> Result<(), Error> {
    let unavailable =
        |error: &dyn std::error::Error| Error::new(Kind::Unavailable, format!("mcp: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .map_err(|error| unavailable(&error))?;
    let server = Server { host: cx.host.clone() };
    let outcome = runtime.block_on(async {
        let (input, output) = rmcp::transport::io::stdio_pipes();
        let input = Lines::new(input, MAX_LINE);
        let messages = AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_LINE);
        match server.serve(Opening::new(messages)).await {
            Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| unavailable(&error)),
            // A client that left before it said hello has seen all that it wanted.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(unavailable(&error)),
        }
    });
    // A thread may still wait for input that nobody will send.
    runtime.shutdown_background();
    outcome
}

struct Server {
    host: Host,
}

// The names of the trait's methods are the SDK's.
impl ServerHandler for Server {
    // tidy: allow names: the trait is another crate's
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let identity = Implementation::new("countersign", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(identity).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = context.client_info().map(|client| client.name).unwrap_or_default();
        let arguments = request.arguments.unwrap_or_default();
        let result = call::call(&self.host, &call::actor(&client), &request.name, arguments);
        Ok(result.into())
    }

    /// What the SDK could not read as a request that it knows.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(opening::refusal(&request.method))
    }
}

/// Whether a client may send `method` at all: then it is its parameters that can't be read.
fn is_known(method: &str) -> bool {
    matches!(method, "initialize" | "server/discover" | "tools/list" | "tools/call" | "ping")
}

fn method_not_found(method: &str) -> ErrorData {
    let message = format!("there is no method '{method}'");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}
