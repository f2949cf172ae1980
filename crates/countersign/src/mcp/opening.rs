//! The time before a client and the server have agreed on a version. Clients probe then with
//! methods that this server may not know; the SDK takes a stray message for the end of the
//! connection, so it doesn't get to see them. Lines that are no JSON are answered here at any time.

use std::future::Future;

use rmcp::model::{ClientRequest, ErrorCode, ErrorData, JsonRpcMessage};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use super::lines::NO_JSON;
use super::{is_known, method_not_found};

/// A transport that keeps the opening clean.
pub(super) struct Opening<T> {
    inner: T,
    /// A request has come that begins a session, in whichever way.
    has_begun: bool,
}

impl<T> Opening<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, has_begun: false }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Opening<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.inner.receive().await?;
            if is_no_json(&message) {
                let words = "this line is no JSON; a message is one line".to_owned();
                let error = ErrorData::new(ErrorCode::PARSE_ERROR, words, None);
                self.inner.send(TxJsonRpcMessage::<RoleServer>::error(error, None)).await.ok()?;
                continue;
            }
            if self.has_begun {
                return Some(message);
            }
            let JsonRpcMessage::Request(request) = &message else { continue };
            if let ClientRequest::CustomRequest(unknown) = &request.request {
                let refusal = refusal(&unknown.method);
                let answer =
                    TxJsonRpcMessage::<RoleServer>::error(refusal, Some(request.id.clone()));
                self.inner.send(answer).await.ok()?;
                continue;
            }
            let probes = matches!(
                request.request,
                ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_)
            );
            self.has_begun = !probes;
            return Some(message);
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}

/// Whether a message stands for a line that could not be read.
fn is_no_json(message: &RxJsonRpcMessage<RoleServer>) -> bool {
    let JsonRpcMessage::Request(request) = message else { return false };
    matches!(&request.request, ClientRequest::CustomRequest(request) if request.method == NO_JSON)
}

/// The answer to a request that could not be read as one that we know.
pub(super) fn refusal(method: &str) -> ErrorData {
    if is_known(method) {
        ErrorData::invalid_params(format!("the parameters of '{method}' can't be read"), None)
    } else {
        method_not_found(method)
    }
}
