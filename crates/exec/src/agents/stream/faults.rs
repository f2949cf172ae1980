//! What went wrong, told by a status and by words. Agents, gateways and models all say it in
//! their own ways.

use countersign_domain::agent::AgentEnd;

use crate::agents::words::brief;

/// Words by which a conversation that is too long is known.
const OVERFLOW: &[&str] = &[
    "prompt is too long",
    "context_length_exceeded",
    "context length exceeded",
    "context window",
    "maximum context length",
    "input is too long",
    "input token count",
    "exceeds the maximum number of tokens",
    "model_context_window_exceeded",
    "context limit",
];

const RATE: &[&str] = &[
    "rate limit",
    "rate_limit",
    "ratelimit",
    "too many requests",
    "usage limit",
    "usage_limit_reached",
    "hit your limit",
    "limit reached",
    "quota",
    "resource_exhausted",
    "resource has been exhausted",
    "status 429",
    "error: 429",
    "(429)",
];

const LOGIN: &[&str] = &[
    "invalid api key",
    "invalid_api_key",
    "incorrect api key",
    "api key not valid",
    "api key not found",
    "no api key",
    "missing api key",
    "missing environment variable",
    "not logged in",
    "please run /login",
    "please log in",
    "login required",
    "authentication_error",
    "authentication failed",
    "authentication required",
    "failed to authenticate",
    "unauthorized",
    "oauth token has expired",
    "token has expired",
    "set an auth method",
    "no provider configured",
    "could not resolve authentication",
];

const OVERLOAD: &[&str] = &[
    "overloaded",
    "high demand",
    "at capacity",
    "server_error",
    "server-side issue",
    "internal server error",
    "bad gateway",
    "service unavailable",
    "gateway timeout",
    "connection_failed",
    "connection refused",
    "connection reset",
    "connection error",
    "connect error",
    "econnrefused",
    "econnreset",
    "enotfound",
    "etimedout",
    "error sending request",
    "stream disconnected",
    "stream closed before",
    "fetch failed",
    "network error",
    "request timed out",
    "timed out waiting",
    "exceeded retry limit",
];

/// The end that a status and these words tell of, if they tell of one of the known ones.
pub(crate) fn read(status: Option<i64>, text: &str) -> Option<AgentEnd> {
    let words = text.to_lowercase();
    let says = |known: &[&str]| known.iter().any(|known| words.contains(known));
    let detail = || brief(text);
    // A request that is too long is refused with the status of any bad one.
    if says(OVERFLOW) && !matches!(status, Some(401 | 403 | 429)) {
        return Some(AgentEnd::ContextOverflow);
    }
    match status.or_else(|| status_in(&words)) {
        Some(429) => return Some(AgentEnd::RateLimited { retry_seconds: wait_in(&words) }),
        Some(401 | 403) => return Some(AgentEnd::NotLoggedIn { detail: detail() }),
        Some(408 | 500..=599) => return Some(AgentEnd::Overloaded { detail: detail() }),
        Some(413) => return Some(AgentEnd::ContextOverflow),
        _ => {}
    }
    if says(LOGIN) {
        return Some(AgentEnd::NotLoggedIn { detail: detail() });
    }
    if says(RATE) {
        return Some(AgentEnd::RateLimited { retry_seconds: wait_in(&words) });
    }
    says(OVERLOAD).then(|| AgentEnd::Overloaded { detail: detail() })
}

/// The same, or a failure in these words.
pub(crate) fn read_or_failed(status: Option<i64>, text: &str) -> AgentEnd {
    read(status, text).unwrap_or_else(|| AgentEnd::Failed { detail: brief(text) })
}

/// A status that is named as one.
fn status_in(words: &str) -> Option<i64> {
    ["api error: ", "status code ", "status: ", "status ", "statuscode\":", "http ", "\"code\":"]
        .iter()
        .find_map(|mark| {
            let (_, rest) = words.split_once(mark)?;
            let digits: String =
                rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
            (digits.len() == 3).then(|| digits.parse().ok()).flatten()
        })
        .filter(|status| (400..600).contains(status))
}

/// How long to wait, in seconds, if that is said.
fn wait_in(words: &str) -> Option<u64> {
    let marks = [
        "retry after ",
        "retry-after: ",
        "retry-after\":",
        "try again in ",
        "retry in ",
        "retrydelay\":",
    ];
    let rest = marks.iter().find_map(|mark| Some(words.split_once(mark)?.1))?;
    let rest = rest.trim_start_matches([' ', '"']);
    let number: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let amount: f64 = number.trim_end_matches('.').parse().ok()?;
    let unit = rest[number.len()..].trim_start();
    let seconds = match unit {
        _ if unit.starts_with("ms") => amount / 1000.0,
        _ if unit.starts_with("min") || unit.starts_with('m') => amount * 60.0,
        _ if unit.starts_with('h') => amount * 3600.0,
        _ if unit.starts_with('d') => amount * 86_400.0,
        _ => amount,
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "both are looked at"
    )]
    (0.0..1e9).contains(&seconds).then(|| seconds.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-18: what went wrong is known by what agents say, as they say it.
    #[test]
    fn faults_are_known_by_status_and_words() {
        let check = |status: Option<i64>, text: &str, expected: &str| {
            let name = match read(status, text) {
                Some(AgentEnd::RateLimited { .. }) => "rate",
                Some(AgentEnd::Overloaded { .. }) => "overload",
                Some(AgentEnd::NotLoggedIn { .. }) => "login",
                Some(AgentEnd::ContextOverflow) => "overflow",
                _ => "other",
            };
            assert_eq!(name, expected, "{status:?} {text}");
        };
        check(Some(529), "API Error: Repeated 529 Overloaded errors.", "overload");
        check(Some(401), "Failed to authenticate. API Error: 401 x", "login");
        check(Some(400), "API Error: 400 prompt is too long: 210000 tokens", "overflow");
        check(Some(400), "API Error: 400 x", "other");
        check(Some(429), "x", "rate");
        check(None, "API Error: 503 x", "overload");
        check(None, "API Error: Connection refused — a firewall (ECONNREFUSED)", "overload");
        check(None, "We’re currently experiencing high demand, which may", "overload");
        check(None, "exceeded retry limit, last status: 429 Too Many Requests", "rate");
        check(None, "You've hit your usage limit. Try again in 2 hours", "rate");
        check(None, "unexpected status 401 Unauthorized: Missing bearer", "login");
        check(None, "Invalid API key · Please run /login", "login");
        check(None, "Your input exceeds the context window of this model.", "overflow");
        check(None, "the tests fail", "other");
        check(None, "", "other");
    }

    #[test]
    fn the_time_to_wait_is_read() {
        let check = |text: &str, seconds: Option<u64>| assert_eq!(wait_in(text), seconds, "{text}");
        check("please try again in 1.5s.", Some(2));
        check("try again in 250ms", Some(1));
        check("retry after 30 seconds", Some(30));
        check("try again in 2 hours", Some(7200));
        check("try again in 5 minutes.", Some(300));
        check("\"retrydelay\": \"12s\"", Some(12));
        check("try again later", None);
        check("try again in 99999999999999999999 days", None);
    }
}
