//! The pages: the product's own, that of the sign-in, and those which say why there is nothing to see.

use serde_json::{Value, json};

use super::model::{Millis, Notebook, Person};
use super::reply::Reply;
use crate::emulator::render::escape;
use crate::notebooklm::json::write;

/// How the pages look. There is nothing to load.
const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}\
                     form{display:grid;gap:1rem}input,button{font:inherit;padding:.6rem}\
                     .error{color:#b3261e}ul{padding-left:1.2rem}.role{color:#666}";

/// What a page without scripts may do: show itself and send its form. Where its form leads to is not told here, since a
/// browser would not follow the way from it to the product.
const PLAIN_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/// What the product's page says of the session.
pub(super) struct Facts<'a> {
    /// The token against forged requests.
    pub(super) token: String,
    /// The id of the session.
    pub(super) session: i64,
    /// What scripts must be marked with to run.
    pub(super) nonce: String,
    /// The build.
    pub(super) build: &'a str,
    /// Which of the accounts of the browser this is.
    pub(super) index: usize,
    /// The account.
    pub(super) person: &'a Person,
}

/// A page without scripts.
pub(super) fn plain(status: u16, title: &str, body: &str) -> Reply {
    Reply::html(status, &document(title, "", body))
        .with("content-security-policy", PLAIN_POLICY)
        .with("referrer-policy", "no-referrer")
        .with("cache-control", "no-store")
}

fn document(title: &str, head: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html><html lang=\"en\" dir=\"ltr\"><head><meta charset=\"utf-8\"><title>{title}</title>{head}\
         <style>{STYLE}</style></head><body>{body}</body></html>"
    )
}

/// The product's page: the object that its scripts would read, and what a person would see.
pub(super) fn app(facts: &Facts<'_>, base: &str, body: &str) -> Reply {
    let data = write(&wiz(facts));
    let nonce = escape(&facts.nonce);
    let head = format!(
        "<base href=\"{}/\"><meta name=\"referrer\" content=\"origin\">\
         <script data-id=\"_gd\" nonce=\"{nonce}\">window.WIZ_global_data = {data};</script>",
        escape(base)
    );
    let scripts = format!(
        "script-src 'report-sample' 'nonce-{nonce}' 'unsafe-inline' 'strict-dynamic' https: http:; object-src 'none'; \
         base-uri 'self'; report-uri /_/LabsTailwindUi/cspreport; worker-src 'self'"
    );
    Reply::html(200, &document("Gemini Notebook", &head, body))
        .with("content-security-policy", "require-trusted-types-for 'script'; report-uri /_/LabsTailwindUi/cspreport")
        .with("content-security-policy", scripts)
        .with("cache-control", "no-cache, no-store, max-age=0, must-revalidate")
        .with("x-frame-options", "SAMEORIGIN")
        .with("cross-origin-opener-policy", "same-origin-allow-popups")
}

/// What a page of September 2026 says of its session, as far as anybody reads it.
fn wiz(facts: &Facts<'_>) -> Value {
    let person = facts.person;
    json!({
        "DpimGf": false,
        "EP1ykd": ["/_/*", "/accounts/*"],
        "FdrFJe": facts.session.to_string(),
        "Im6cmf": "/_/LabsTailwindUi",
        "Jlqnmf": "prod",
        "KjTSIf": facts.build,
        "LoQv7e": true,
        "MUE6Ne": "labs-tailwind-frontend",
        "QrtxK": facts.index.to_string(),
        "S06Grb": person.user,
        "SNlM0e": facts.token,
        "W3Yyqf": person.user,
        "b5W2zf": "default_LabsTailwindUi",
        "cfb2h": facts.build,
        "eptZe": "/_/LabsTailwindUi/",
        "oPEP7c": person.email,
        "qDCSke": person.user,
        "qwAQke": "LabsTailwindUi",
        "rtQCxc": 240,
    })
}

/// What a person sees of all notebooks.
pub(super) fn list(person: &Person, notebooks: &[&Notebook]) -> String {
    let row = |notebook: &&Notebook| {
        let role = notebook.role(&person.email).map_or("", |role| match role.code() {
            1 => "yours",
            2 => "shared with you, to edit",
            _ => "shared with you, to read",
        });
        format!(
            "<li><a href=\"/notebook/{}\">{} {}</a> <span class=\"role\">{} sources, {role}</span></li>",
            escape(&notebook.id),
            escape(&notebook.emoji),
            escape(&notebook.title),
            notebook.sources.len()
        )
    };
    let rows: String = notebooks.iter().map(row).collect();
    format!("<h1>Gemini Notebook</h1><p>{}</p><ul>{rows}</ul>", escape(&person.email))
}

/// What a person sees of one notebook.
pub(super) fn one(person: &Person, notebook: &Notebook, now: Millis) -> String {
    let source = |source: &super::model::Source| {
        let state = match source.status(now).code() {
            2 => "",
            3 => " — could not be read",
            _ => " — is being read",
        };
        format!("<li>{}{state}</li>", escape(&source.title))
    };
    let sources: String = notebook.sources.iter().map(source).collect();
    let notes: String = notebook
        .notes
        .iter()
        .filter(|note| !note.deleted)
        .map(|note| format!("<li>{}</li>", escape(&note.title)))
        .collect();
    format!(
        "<p><a href=\"/\">Gemini Notebook</a> · {}</p><h1>{} {}</h1><h2>Sources</h2><ul>{sources}</ul>\
         <h2>Notes</h2><ul>{notes}</ul>",
        escape(&person.email),
        escape(&notebook.emoji),
        escape(&notebook.title)
    )
}

/// The page for whom nobody is known: since October 2026 with status 200, and without tokens.
pub(super) fn landing() -> Reply {
    let body = "<h1>Gemini Notebook</h1><p>Understand anything.</p><p><a href=\"/login\">Try Gemini Notebook</a></p>\
                <p><a href=\"https://accounts.google.com/\">accounts.google.com</a></p>";
    plain(200, "Gemini Notebook", body)
}

/// The page for whom the product does not serve.
pub(super) fn unsupported() -> Reply {
    let body = "<h1>Gemini Notebook</h1><p>Gemini Notebook isn't available in your location.</p>";
    plain(200, "Gemini Notebook", body)
}

/// A page of the sign-in that asks for something; `fields` is HTML, `button` the id of what sends them.
pub(super) fn form(title: &str, action: &str, fields: &str, button: &str, error: Option<&str>) -> Reply {
    let error = error.map(|error| format!("<p class=\"error\" role=\"alert\">{}</p>", escape(error)));
    let body = format!(
        "<h1>{}</h1>{}<form method=\"post\" action=\"{}\">{fields}\
         <button type=\"submit\" id=\"{button}\">Next</button></form>",
        escape(title),
        error.unwrap_or_default(),
        escape(action)
    );
    plain(200, title, &body)
}

/// A hidden field.
pub(super) fn hidden(name: &str, value: &str) -> String {
    format!("<input type=\"hidden\" name=\"{}\" value=\"{}\">", escape(name), escape(value))
}
