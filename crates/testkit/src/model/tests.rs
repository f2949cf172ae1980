//! The scripted model, asked as agents ask it, over a plain connection.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::{Fault, Model, Script, Turn};

/// The status and the body of the answer to `body`.
fn post(model: &Model, path: &str, body: &Value) -> (u16, String) {
    let host = model.address().replace("http://", "");
    let mut stream = TcpStream::connect(&host).unwrap();
    let body = body.to_string();
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

fn messages(stream: bool, said: &str) -> Value {
    let message = json!({"role": "user", "content": [{"type": "text", "text": said}]});
    json!({"model": "m", "stream": stream, "tools": [{"name": "Bash"}], "messages": [message]})
}

fn responses(stream: bool, said: &str) -> Value {
    let content = json!([{"type": "input_text", "text": said}]);
    let message = json!({"type": "message", "role": "user", "content": content});
    json!({"model": "m", "stream": stream, "tools": [{"name": "exec"}], "input": [message]})
}

fn contents(said: &str) -> Value {
    let tools = json!([{"functionDeclarations": [{"name": "replace"}]}]);
    json!({"tools": tools, "contents": [{"role": "user", "parts": [{"text": said}]}]})
}

/// The data of the events of a stream.
fn events(body: &str) -> Vec<Value> {
    let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|text| serde_json::from_str(text).unwrap()).collect()
}

fn one_call() -> Model {
    let turn = Turn::text("Now.").call("Bash", json!({"command": "ls {{CWD}}"}));
    Model::start(Script::new().turn(turn.clone()).turn(turn).at("/repo"))
}

#[test]
fn messages_are_answered_whole_and_as_a_stream() {
    let model = one_call();
    let (status, body) = post(&model, "/v1/messages?beta=true", &messages(false, "go"));
    let whole: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &whole["stop_reason"]), (200, &json!("tool_use")));
    assert_eq!(whole["content"][1]["input"]["command"], "ls /repo");

    let (_, body) = post(&model, "/v1/messages", &messages(true, "go"));
    let events = events(&body);
    assert_eq!(events[0]["type"], "message_start");
    assert_eq!(events.last().unwrap()["type"], "message_stop");
    let input = events.iter().find_map(|event| event["delta"]["partial_json"].as_str()).unwrap();
    assert_eq!(input, r#"{"command":"ls /repo"}"#);
    assert_eq!(model.left(), 0);
}

#[test]
fn responses_carry_functions_families_and_text() {
    let turn = Turn::tool("wait_agent", json!({"a": 1})).of("family");
    let model = Model::start(Script::new().turn(turn.call_with_text("exec", "text(1)")));
    let (_, body) = post(&model, "/v1/responses", &responses(true, "go"));
    let events = events(&body);
    let output = &events.last().unwrap()["response"]["output"];
    assert_eq!(output[0]["namespace"], "family");
    assert_eq!(output[0]["arguments"], r#"{"a":1}"#);
    assert_eq!(output[1]["type"], "custom_tool_call");
    assert_eq!(output[1]["input"], "text(1)");
}

#[test]
fn contents_are_answered_whole_and_as_a_stream() {
    let model = one_call();
    let path = "/v1beta/models/m:streamGenerateContent?alt=sse";
    let (_, streamed) = post(&model, path, &contents("go"));
    let (_, whole) = post(&model, "/v1beta/models/m:generateContent", &contents("go"));
    for answer in [events(&streamed).remove(0), serde_json::from_str(&whole).unwrap()] {
        let parts = &answer["candidates"][0]["content"]["parts"];
        assert_eq!(parts[1]["functionCall"]["name"], "Bash");
    }
}

#[test]
fn a_lane_is_chosen_by_what_the_user_says() {
    let script = Script::new().turn(Turn::text("main")).lane("SIDE", [Turn::text("side")]);
    let model = Model::start(script);
    assert!(post(&model, "/v1/messages", &messages(false, "a SIDE task")).1.contains("side"));
    assert!(post(&model, "/v1/messages", &messages(false, "go")).1.contains("main"));
    assert!(post(&model, "/v1/messages", &messages(false, "go")).1.contains("script is over"));
}

#[test]
fn an_agent_that_talks_to_itself_takes_no_turn() {
    let model = one_call();
    let title = json!({"model": "m", "messages": [{"role": "user", "content": "a title"}]});
    assert!(post(&model, "/v1/messages", &title).1.contains("\"ok\""));
    assert!(post(&model, "/v1/messages/count_tokens", &title).1.contains("input_tokens"));
    assert_eq!(model.left(), 2);
    assert_eq!(model.requests().len(), 1);
}

#[test]
fn a_reply_sees_what_the_tools_gave_back() {
    let model = Model::start(
        Script::new().reply(|request| Turn::text(&format!("heard {:?}", request.results()))),
    );
    let result = json!({"type": "tool_result", "tool_use_id": "a", "content": "42"});
    let mut asked = messages(false, "go");
    asked["messages"].as_array_mut().unwrap().push(json!({"role": "user", "content": [result]}));
    assert!(post(&model, "/v1/messages", &asked).1.contains("42"));
    assert_eq!(model.requests()[0].texts(), ["go", "42"]);
}

#[test]
fn a_model_fails_as_it_is_told() {
    let turns = [Fault::Http(529), Fault::Cut].map(Turn::fault);
    let [refused, broken] = turns;
    let model = Model::start(Script::new().turn(refused).turn(broken));
    let (status, body) = post(&model, "/v1/messages", &messages(true, "go"));
    assert_eq!(status, 529);
    assert!(body.contains("api_error"), "{body}");
    let (status, body) = post(&model, "/v1/messages", &messages(true, "go"));
    assert_eq!(status, 200);
    assert!(body.contains("message_start") && !body.contains("message_stop"), "{body}");
}

#[test]
fn a_model_that_hangs_ends_with_its_test() {
    let model = Model::start(Script::new().turn(Turn::fault(Fault::Hang)));
    let address = model.address().replace("http://", "");
    let mut stream = TcpStream::connect(address).unwrap();
    let body = messages(true, "go").to_string();
    let length = body.len();
    write!(
        stream,
        "POST /v1/messages HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    crate::wait_until("the request", || (model.requests().len() == 1).then_some(()));
    drop(model);
    let mut answer = Vec::new();
    // Cut off or reset, but never answered.
    let _ = stream.read_to_end(&mut answer);
    assert!(answer.is_empty());
}
