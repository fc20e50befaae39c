//! One address behind which several Googles stand: who asks is known by the bearer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri, header};
use serde_json::json;

use crate::support::world::TOKEN;

/// Whom a bearer leads to, and what was asked for it.
struct Way {
    base: String,
    asked: Vec<String>,
    /// What is answered instead.
    refusal: Option<(StatusCode, &'static str)>,
}

/// The Googles by bearer.
#[derive(Clone)]
pub(crate) struct Switch {
    pub(crate) base: String,
    ways: Arc<Mutex<HashMap<String, Way>>>,
    http: reqwest::Client,
}

impl Switch {
    /// Stands on a port of its own until the test ends.
    pub(crate) async fn between(googles: &[(&str, &str)]) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let way = |base: &str| Way { base: base.to_owned(), asked: Vec::new(), refusal: None };
        let ways = googles.iter().map(|(bearer, base)| ((*bearer).to_owned(), way(base))).collect();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let switch = Self { base, ways: Arc::new(Mutex::new(ways)), http };
        let app = Router::new().fallback(forward).with_state(switch.clone());
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        switch
    }

    /// Answers everything that a bearer asks with a refusal, or lets it through again.
    pub(crate) fn refuse(&self, bearer: &str, refusal: Option<(StatusCode, &'static str)>) {
        self.ways.lock().unwrap().get_mut(bearer).unwrap().refusal = refusal;
    }

    /// What was asked for with a bearer since the last time, as `METHOD path body`.
    pub(crate) fn asked(&self, bearer: &str) -> Vec<String> {
        std::mem::take(&mut self.ways.lock().unwrap().get_mut(bearer).unwrap().asked)
    }
}

async fn forward(
    State(switch): State<Switch>,
    method: Method,
    uri: Uri,
    mut headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let bearer = bearer.unwrap_or_default().to_owned();
    let path = uri.path_and_query().unwrap().as_str();
    let (base, refusal) = {
        let mut ways = switch.ways.lock().unwrap();
        let way = ways.get_mut(&bearer).unwrap_or_else(|| panic!("{method} {path} with the bearer {bearer:?}"));
        way.asked.push(format!("{method} {path} {}", String::from_utf8_lossy(&body)));
        (way.base.clone(), way.refusal)
    };
    if let Some((status, reason)) = refusal {
        let error = json!({ "error": { "code": status.as_u16(), "message": reason, "status": reason } });
        return Response::builder().status(status).body(Body::from(error.to_string())).unwrap();
    }
    headers.insert(header::AUTHORIZATION, format!("Bearer {TOKEN}").parse().unwrap());
    headers.remove(header::HOST);
    let request = switch.http.request(method, format!("{base}{path}")).headers(headers).body(body);
    match request.send().await {
        Ok(answer) => {
            let mut forwarded = Response::builder().status(answer.status());
            *forwarded.headers_mut().unwrap() = answer.headers().clone();
            forwarded.headers_mut().unwrap().remove(header::TRANSFER_ENCODING);
            forwarded.body(Body::from(answer.bytes().await.unwrap())).unwrap()
        }
        Err(_) => Response::builder().status(StatusCode::BAD_GATEWAY).body(Body::empty()).unwrap(),
    }
}
