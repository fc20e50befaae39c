//! Many calls that only read as one: each is an HTTP request within a part of a MIME message, and so is its answer.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/guides/batch>

use mail_parser::{MessageParser, MimeHeaders as _, PartType};

use super::{Call, Client, Service, failure, retry_after_of};
use crate::error::{Error, Result};

/// Calls that one batch may have: Gmail allows twice as many, and lets more than these run into its limits.
pub const CALLS_MAX: usize = 50;

/// Headers that an answer within a batch may have.
const HEADERS_MAX: usize = 64;

/// What is before the name of a call in that of its answer.
const ANSWER_TO: &str = "response-";

/// What no line of a request begins with: its paths and names of headers are ours.
const BOUNDARY: &str = "mcpw_batch";

impl Client {
    /// Sends at most [`CALLS_MAX`] calls to Gmail that only read as one. Returns an answer for each, in their order.
    ///
    /// # Errors
    ///
    /// As [`Client::send`], when there is no answer at all; what went wrong with one of the calls stands in its place.
    pub async fn batch(&self, calls: &[Call<'_>]) -> Result<Vec<Result<Vec<u8>>>> {
        debug_assert!(
            calls.iter().all(|call| call.service == Service::Gmail && !call.mutating()),
            "only these are sent"
        );
        debug_assert!(calls.len() <= CALLS_MAX, "the caller cuts them");
        let Some(first) = calls.first() else { return Ok(Vec::new()) };
        let (body, media_type) = (request(calls)?, format!("multipart/mixed; boundary={BOUNDARY}"));
        let cost = calls.iter().map(|call| call.cost).fold(0, u32::saturating_add);
        let call = Call { media: Some((&media_type, &body)), ..Call::batch(first.id, first.doing) }.costing(cost);
        let answer = self.send(&call).await?;
        let mut answers = read(&answer, calls);
        Ok(calls
            .iter()
            .enumerate()
            .map(|(number, call)| {
                let answer = answers.iter_mut().find(|(of, _)| *of == number).and_then(|(_, answer)| answer.take());
                answer.unwrap_or_else(|| Err(unanswered(call)))
            })
            .collect())
    }
}

/// Writes the calls as the body of a request.
fn request(calls: &[Call<'_>]) -> Result<Vec<u8>> {
    let mut body = String::new();
    for (number, call) in calls.iter().enumerate() {
        // The base only makes it a URL, so that the query is written as in any other call.
        let url = reqwest::Url::parse_with_params(&format!("http://batch.invalid{}", call.path), &call.query);
        let url = url.map_err(|error| Error::Refused { message: error.to_string() })?;
        let query = url.query().filter(|query| !query.is_empty()).map(|query| format!("?{query}")).unwrap_or_default();
        body.push_str(&format!(
            "--{BOUNDARY}\r\nContent-Type: application/http\r\nContent-ID: <{number}>\r\n\r\n{} {}{query} HTTP/1.1\r\n\r\n\r\n",
            call.method,
            url.path()
        ));
    }
    body.push_str(&format!("--{BOUNDARY}--\r\n"));
    Ok(body.into_bytes())
}

/// Reads the answers that stand in one, each with the number of its call.
fn read(body: &[u8], calls: &[Call<'_>]) -> Vec<(usize, Option<Result<Vec<u8>>>)> {
    // The boundary stands in a header, too, and is what the body begins with.
    let line = body.iter().position(|byte| *byte == b'\n').and_then(|end| body.get(..end)).unwrap_or_default();
    let Some(boundary) = std::str::from_utf8(line).ok().and_then(|line| line.trim().strip_prefix("--")) else {
        return Vec::new();
    };
    let mut message = format!("Content-Type: multipart/mixed; boundary=\"{boundary}\"\r\n\r\n").into_bytes();
    message.extend_from_slice(body);
    let Some(message) = MessageParser::new().parse(&message) else { return Vec::new() };
    let parts = message.parts.iter().filter_map(|part| {
        let number = part.content_id()?.strip_prefix(ANSWER_TO)?.parse().ok()?;
        let content = match &part.body {
            PartType::Binary(bytes) | PartType::InlineBinary(bytes) => &**bytes,
            PartType::Text(text) | PartType::Html(text) => text.as_bytes(),
            PartType::Message(_) | PartType::Multipart(_) => return None,
        };
        Some((number, Some(answer(content, calls.get(number)?))))
    });
    parts.collect()
}

/// Reads one HTTP answer.
fn answer(content: &[u8], call: &Call<'_>) -> Result<Vec<u8>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut response = httparse::Response::new(&mut headers);
    let (Ok(httparse::Status::Complete(head)), Some(status)) = (response.parse(content), response.code) else {
        return Err(unanswered(call));
    };
    let body = content.get(head..).unwrap_or_default();
    if (200..300).contains(&status) {
        return Ok(body.to_vec());
    }
    let wait = response.headers.iter().find(|header| header.name.eq_ignore_ascii_case("retry-after"));
    let wait = wait.and_then(|header| retry_after_of(std::str::from_utf8(header.value).ok()?));
    Err(failure::of(call, status, wait, body))
}

fn unanswered(call: &Call<'_>) -> Error {
    Error::Network {
        doing: call.doing.to_owned(),
        outcome_unknown: false,
        source: "the answers to a batch of calls lack that to this one".into(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail, and says what it saw")]

    use super::*;

    fn calls() -> [Call<'static>; 3] {
        ["a", "b", "c"].map(|id| {
            Call::get(Service::Gmail, format!("/gmail/v1/users/me/messages/{id}"), id, "reading a mail")
                .with("format", "raw")
        })
    }

    #[test]
    fn calls_are_parts_of_a_message() {
        let body = String::from_utf8(request(&calls()).unwrap()).unwrap();
        assert!(
            body.starts_with("--mcpw_batch\r\nContent-Type: application/http\r\nContent-ID: <0>\r\n\r\n"),
            "{body}"
        );
        assert!(body.contains("GET /gmail/v1/users/me/messages/b?format=raw HTTP/1.1\r\n\r\n"), "{body}");
        assert!(body.ends_with("--mcpw_batch--\r\n"), "{body}");
    }

    #[track_caller]
    fn check(body: &str, expected: [&str; 3]) {
        let calls = calls();
        let answers = read(body.replace('\n', "\r\n").as_bytes(), &calls);
        let said = |number: usize| {
            let answer = answers.iter().find(|(of, _)| *of == number).and_then(|(_, answer)| answer.as_ref());
            match answer {
                Some(Ok(bytes)) => String::from_utf8_lossy(bytes).trim().to_owned(),
                Some(Err(error)) => format!("{:?}", error.kind()),
                None => "-".to_owned(),
            }
        };
        assert_eq!([said(0), said(1), said(2)], expected);
    }

    #[test]
    fn each_answer_goes_to_its_call() {
        let part = |number: usize, answer: &str| {
            format!("--batch_x\nContent-Type: application/http\nContent-ID: <response-{number}>\n\n{answer}\n")
        };
        let ok = "HTTP/1.1 200 OK\nContent-Type: application/json\n\n{\"id\": \"a\"}";
        let gone = "HTTP/1.1 404 Not Found\n\n{\"error\": {\"message\": \"Requested entity was not found.\"}}";
        let slow = "HTTP/1.1 429 Too Many Requests\nRetry-After: 3\n\n{}";
        let end = "--batch_x--\n";
        check(
            &format!("{}{}{}{end}", part(2, slow), part(0, ok), part(1, gone)),
            ["{\"id\": \"a\"}", "NotFound", "RateLimited"],
        );
        check(&format!("{}{end}", part(1, ok)), ["-", "{\"id\": \"a\"}", "-"]);
        // What is no answer, or is to no call, is passed over.
        check(&format!("{}{}{end}", part(0, "nonsense"), part(7, ok)), ["NetworkError", "-", "-"]);
        check("", ["-", "-", "-"]);
        check("no boundary\n", ["-", "-", "-"]);
        // Cut within the second.
        check(
            &format!("{}{}", part(0, ok), "--batch_x\nContent-ID: <response-1>\n\nHTTP/1.1 20"),
            ["{\"id\": \"a\"}", "NetworkError", "-"],
        );
    }
}
