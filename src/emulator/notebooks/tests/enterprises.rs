//! The enterprise product as its reader meets it.

use serde_json::{Value, json};

use super::{Browser, text};
use crate::notebooklm::call::NewSource;
use crate::notebooklm::enterprise::{EnterpriseCall, Place, read_notebook, read_notebooks, read_sources};
use crate::notebooklm::form::encode;
use crate::notebooklm::rows::{Failure, Role, Status};

fn send(browser: &mut Browser, call: &EnterpriseCall) -> (u16, String) {
    let pairs: Vec<String> = call.query.iter().map(|(key, value)| format!("{key}={}", encode(value))).collect();
    let target = format!("{}?{}", call.path, pairs.join("&"));
    let body = call.body.as_ref().map(Value::to_string).unwrap_or_default();
    let reply = browser.send(call.method, "127.0.0.1:8080", &target, &[("bearer", "test-token")], body.as_bytes());
    (reply.status, text(&reply))
}

#[test]
fn notebooks_and_sources() {
    let mut browser = Browser::new();
    let place = Place::new("123456", "eu").unwrap();
    let (status, body) = send(&mut browser, &place.create_notebook("Enterprise"));
    let made = read_notebook(&body).unwrap().into_notebook().unwrap();
    assert_eq!((status, made.title.as_str(), made.role), (200, "Enterprise", Some(Role::Owner)));
    let sources = [
        NewSource::Url("https://example.com/page".into()),
        NewSource::Text { title: "t".into(), text: "Some words.".into() },
        NewSource::YouTube("https://youtu.be/abc".into()),
        NewSource::Url("nonsense".into()),
        NewSource::Text { title: "long".into(), text: "w ".repeat(500_001) },
        NewSource::Url("https://example.com/fails-paywall".into()),
    ];
    let (_, body) = send(&mut browser, &place.add_sources(&made.id, &sources));
    assert_eq!(read_sources(&body).unwrap().len(), 6);
    browser.now += 10_000;
    let (_, body) = send(&mut browser, &place.get_notebook(&made.id));
    let got = read_notebook(&body).unwrap().into_notebook().unwrap();
    let states: Vec<Status> = got.sources.iter().map(|source| source.status).collect();
    use Status::{Failed, Ready};
    assert_eq!(states, [Ready, Ready, Ready, Failed, Failed, Failed]);
    let reason = |index: usize| match got.sources[index].failure.clone().unwrap() {
        Failure::Named { reason, detail } => (reason, detail),
        other @ Failure::Place { .. } => panic!("{other:?}"),
    };
    assert_eq!(reason(3), ("sourceUnreachable".into(), Some("INVALID_URL".into())));
    assert_eq!((reason(4).0, reason(5).0), ("sourceTooLong".into(), "paywallError".into()));
    let (upload, headers) = place.upload(&made.id, "a b.md");
    let target = format!("{}?uploadType=media", upload.path);
    let named = headers.map(|(name, value)| (name.to_lowercase(), value));
    let mut kept: Vec<(&str, &str)> = named.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    kept.push(("bearer", "test-token"));
    let reply = browser.send("POST", "127.0.0.1:8080", &target, &kept, b"# Hi");
    let id: Value = serde_json::from_str(&text(&reply)).unwrap();
    browser.now += 10_000;
    let source = id["sourceId"]["id"].as_str().unwrap();
    let (_, body) = send(&mut browser, &place.get_source(&made.id, source));
    assert!(body.contains("a b.md") && body.contains("SOURCE_STATUS_COMPLETE"), "{body}");
    assert_eq!(send(&mut browser, &place.delete_sources(&made.id, &[source])).0, 200);
    assert_eq!(send(&mut browser, &place.get_source(&made.id, source)).0, 404);
    assert_eq!(send(&mut browser, &place.delete_notebook(&made.id)).0, 200);
    assert_eq!(send(&mut browser, &place.get_notebook(&made.id)).0, 404);
}

#[test]
fn pages_quirks_and_bearers() {
    let mut browser = Browser::new();
    let place = Place::new("1", "global").unwrap();
    let ids: Vec<String> = (0..3)
        .map(|number| {
            let (_, body) = send(&mut browser, &place.create_notebook(&number.to_string()));
            read_notebook(&body).unwrap().notebook_id
        })
        .collect();
    let mut list = place.list_notebooks(None);
    list.query[0].1 = "2".into();
    let page = read_notebooks(&send(&mut browser, &list).1).unwrap();
    assert_eq!(page.notebooks.len(), 2);
    let mut next = place.list_notebooks(page.next_page_token.as_deref());
    next.query[0].1 = "2".into();
    let last = read_notebooks(&send(&mut browser, &next).1).unwrap();
    assert_eq!((last.notebooks.len(), last.next_page_token), (1, None));
    let name = |id: &String| format!("projects/1/locations/global/notebooks/{id}");
    let mut both = place.delete_notebook(&ids[0]);
    both.body = Some(json!({"names": ids.iter().map(name).collect::<Vec<_>>()}));
    assert_eq!(send(&mut browser, &both).0, 400);
    // Another place has none of them.
    let other = Place::new("1", "us").unwrap();
    assert_eq!(send(&mut browser, &other.get_notebook(&ids[0])).0, 404);
    let post = |path: &str, body: Value| EnterpriseCall {
        method: "POST",
        path: format!("/v1alpha/{}{path}", name(&ids[0])),
        query: Vec::new(),
        body: Some(body),
    };
    let share = json!({"accountAndRoles": [{"email": "a@example.com", "role": "PROJECT_ROLE_READER"}]});
    assert_eq!(send(&mut browser, &post(":share", share)).0, 200);
    assert_eq!(send(&mut browser, &post(":share", json!({}))).0, 400);
    let (_, audio) = send(&mut browser, &post("/audioOverviews", json!({})));
    let audio: Value = serde_json::from_str(&audio).unwrap();
    let path = format!("/v1alpha/{}", audio["audioOverview"]["name"].as_str().unwrap());
    let delete = EnterpriseCall { method: "DELETE", path, query: Vec::new(), body: None };
    assert_eq!((send(&mut browser, &delete).0, send(&mut browser, &delete).0), (200, 404));
    let reply = browser.send("GET", "127.0.0.1:8080", "/v1alpha/projects/1/locations/eu/notebooks/x", &[], b"");
    assert_eq!(reply.status, 401);
    assert_eq!(send(&mut browser, &Place::new("1", "eu").unwrap().get_notebook("x")).0, 404);
}
