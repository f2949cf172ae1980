//! The server around a script: one thread, one port of this machine.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{Method, StatusCode, Uri, header};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::request::{Protocol, Request};
use super::script::{Fault, Script, Turn};
use super::{Answer, Ids, anthropic, gemini, responses};

/// A scripted model that listens until it is dropped.
#[derive(Debug)]
pub struct Model {
    address: SocketAddr,
    state: Shared,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

type Shared = Arc<Mutex<Conversation>>;

#[derive(Debug)]
struct Conversation {
    script: Script,
    requests: Vec<Request>,
    ids: Ids,
}

impl Model {
    /// Starts to listen.
    ///
    /// # Panics
    /// When this machine gives us no port.
    pub fn start(script: Script) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        let conversation = Conversation { script, requests: Vec::new(), ids: Ids::default() };
        let state: Shared = Arc::new(Mutex::new(conversation));
        let (stop, stopped) = oneshot::channel();
        let served = Arc::clone(&state);
        let thread = std::thread::spawn(move || serve(listener, served, stopped));
        Self { address, state, stop: Some(stop), thread: Some(thread) }
    }

    /// The base address, without a slash at its end.
    pub fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything that was asked so far.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.state).requests.clone()
    }

    /// How many turns of the script were not said yet.
    pub fn left(&self) -> usize {
        lock(&self.state).script.left()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The thread may have ended by itself.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock(state: &Shared) -> MutexGuard<'_, Conversation> {
    state.lock().unwrap()
}

fn serve(listener: TcpListener, state: Shared, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        let router =
            Router::new().fallback(respond).layer(DefaultBodyLimit::disable()).with_state(state);
        tokio::spawn(async move { axum::serve(listener, router).await });
        // Whoever is still connected is cut off: agents that hang are to notice.
        let _ = stopped.await;
    });
}

async fn respond(State(state): State<Shared>, method: Method, uri: Uri, body: Bytes) -> Response {
    let path = uri.path();
    let Ok(asked) = serde_json::from_slice::<Value>(&body) else {
        // A look at whether somebody is there, or a wish to upgrade, which is not granted.
        let status = if method == Method::HEAD { StatusCode::OK } else { StatusCode::NOT_FOUND };
        return json_response(status, &json!({"error": {"message": "there is nothing here"}}));
    };
    if path.ends_with("/count_tokens") {
        return json_response(StatusCode::OK, &json!({"input_tokens": body.len() / 4}));
    }
    if path.ends_with(":countTokens") {
        return json_response(StatusCode::OK, &json!({"totalTokens": body.len() / 4}));
    }
    let Some(request) = Request::read(path, asked) else {
        return json_response(StatusCode::NOT_FOUND, &json!({"error": {"message": path}}));
    };
    let (turn, answer) = converse(&state, &request);
    match turn.fault {
        Some(Fault::Hang) => std::future::pending().await,
        Some(Fault::Http(status)) => refusal(request.protocol, status, "scripted failure"),
        Some(Fault::Told(status, words)) => refusal(request.protocol, status, words),
        Some(Fault::Cut) => event_response(half(&stream(&answer))),
        None if request.streams => event_response(stream(&answer)),
        None => json_response(StatusCode::OK, &answer.whole),
    }
}

/// An answer that is an error.
fn refusal(protocol: Protocol, status: u16, words: &str) -> Response {
    let error = match protocol {
        Protocol::Messages => anthropic::error(status, words),
        Protocol::Responses => responses::error(status, words),
        Protocol::Contents => gemini::error(status, words),
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    json_response(status, &error)
}

fn converse(state: &Shared, request: &Request) -> (Turn, Answer) {
    let Conversation { script, requests, ids } = &mut *lock(state);
    let turn = script.answer(request);
    requests.push(request.clone());
    let answer = match request.protocol {
        Protocol::Messages => anthropic::answer(request, &turn, ids),
        Protocol::Responses => responses::answer(request, &turn, ids),
        Protocol::Contents => gemini::answer(&turn, ids),
    };
    (turn, answer)
}

fn stream(answer: &Answer) -> String {
    let mut text = String::new();
    for (name, data) in &answer.events {
        text.extend(name.map(|name| format!("event: {name}\n")));
        text += &format!("data: {data}\n\n");
    }
    text
}

fn json_response(status: StatusCode, value: &Value) -> Response {
    response(status, "application/json", value.to_string())
}

fn event_response(text: String) -> Response {
    response(StatusCode::OK, "text/event-stream", text)
}

/// The first half of an answer.
fn half(text: &str) -> String {
    text.chars().take(text.chars().count() / 2).collect()
}

fn response(status: StatusCode, kind: &'static str, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    response
}
