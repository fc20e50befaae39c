//! The sign-in, its cookies, and what becomes of sessions.

use serde_json::json;

use super::{ACCOUNTS, APP, Browser, location, text};
use crate::notebooklm::bootstrap::{Page, read_page};
use crate::notebooklm::call;
use crate::notebooklm::hosts::{Base, Landing};
use crate::notebooklm::reply::{Outcome, Refusal, Rejected};

fn landing(address: &str) -> Landing {
    Base::new(&format!("http://{APP}")).unwrap().landing(address)
}

#[test]
fn from_the_landing_to_the_product() {
    let mut browser = Browser::new();
    let page = browser.send("GET", APP, "/", &[], b"");
    assert_eq!((page.status, read_page(&text(&page))), (200, Page::Landing));
    let login = location(&browser.send("GET", APP, "/login", &[], b""));
    assert_eq!(landing(&login), Landing::SignIn);
    let form = text(&browser.send("GET", ACCOUNTS, login.split_once(ACCOUNTS).unwrap().1, &[], b""));
    assert!(form.contains("id=\"identifierId\"") && form.contains("id=\"identifierNext\""), "{form}");

    let done = browser.sign_in("demo@example.com", "");
    assert_eq!((done.status, landing(&location(&done))), (303, Landing::App));
    let cookies: Vec<&str> =
        done.headers.iter().filter(|(name, _)| *name == "set-cookie").map(|(_, cookie)| cookie.as_str()).collect();
    let cookie = |name: &str| *cookies.iter().find(|cookie| cookie.starts_with(&format!("{name}="))).unwrap();
    assert!(cookie("SID").contains("domain=.google.localhost") && !cookie("SID").contains("HttpOnly"));
    assert!(cookie("__Secure-3PSID").ends_with("Secure; HttpOnly; priority=high; SameSite=none"));
    assert!(cookie("__Secure-1PSIDTS").contains("Max-Age=600;"));
    assert!(!cookie("__Host-GAPS").contains("domain") && !cookie("LSID").contains("domain"));

    browser.open("/");
    let tokens = browser.tokens.clone().unwrap();
    assert_eq!(tokens.email.as_deref(), Some("demo@example.com"));
    assert!(tokens.build.unwrap().starts_with("boq_labs-tailwind-frontend_"));
    assert!(browser.cookies.contains_key("OSID") && browser.cookies.contains_key("SIDCC"));
    assert_eq!(landing(&location(&browser.send("GET", APP, "/login", &[], b""))), Landing::App);
    let signs: Vec<bool> = (0..4)
        .map(|_| {
            browser.open("/");
            browser.tokens.as_ref().unwrap().session.starts_with('-')
        })
        .collect();
    assert!(signs.contains(&true) && signs.contains(&false), "{signs:?}");
}

#[test]
fn the_page_allows_only_its_own_script() {
    let mut browser = Browser::signed_in();
    let page = browser.send("GET", APP, "/", &[], b"");
    let policies: Vec<&String> =
        page.headers.iter().filter(|(name, _)| *name == "content-security-policy").map(|(_, value)| value).collect();
    assert!(policies.iter().any(|policy| policy.contains("require-trusted-types-for 'script'")));
    let html = text(&page);
    let nonce = html.split_once("nonce=\"").unwrap().1.split_once('"').unwrap().0.to_owned();
    assert!(policies.iter().any(|policy| policy.contains(&format!("'nonce-{nonce}'"))));
    browser.admin("POST", "notebooks", &json!({"title": "</script><b>x", "sources": []}));
    let html = text(&browser.send("GET", APP, "/", &[], b""));
    assert!(!html.contains("<b>x") && html.contains("&lt;b&gt;x"));
}

#[test]
fn several_ways_not_to_get_in() {
    let mut browser = Browser::new();
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let send =
        |browser: &mut Browser, path: &str, body: &str| browser.send("POST", ACCOUNTS, path, &form, body.as_bytes());
    let unknown = send(&mut browser, "/v3/signin/identifier", "identifier=nobody%40example.com");
    assert!(text(&unknown).contains("Couldn’t find your Google Account"));
    let wrong = send(&mut browser, "/v3/signin/challenge/pwd", "identifier=demo%40example.com&Passwd=x");
    assert!(text(&wrong).contains("Wrong password"));
    let person = json!({"email": "demo@example.com", "second_step": "123456"});
    browser.admin("POST", "notebooks:people", &person);
    let second = location(&browser.sign_in("demo@example.com", ""));
    assert!(second.starts_with("/v3/signin/challenge/totp?") && browser.cookies.is_empty(), "{second}");
    assert!(text(&send(&mut browser, &second, "totpPin=000000")).contains("Wrong code"));
    // Without the proof of the password, or with that of somebody else, one begins anew.
    let forged = send(&mut browser, "/v3/signin/challenge/totp?identifier=demo%40example.com&TL=x:1", "totpPin=123456");
    assert!(location(&forged).starts_with("/v3/signin/identifier"));
    assert_eq!(send(&mut browser, &second, "totpPin=123456").status, 303);
    assert!(browser.cookies.contains_key("SID"));
    browser.admin("POST", "notebooks:switches", &json!({"insecure_browser": true}));
    assert_eq!(
        location(&send(&mut browser, "/v3/signin/identifier", "identifier=demo%40example.com")),
        "/v3/signin/rejected"
    );
    assert!(text(&browser.send("GET", ACCOUNTS, "/v3/signin/rejected", &[], b"")).contains("may not be secure"));
}

#[test]
fn two_accounts_in_one_browser() {
    let mut browser = Browser::signed_in();
    browser.sign_in("other@example.com", "&AddSession=1");
    let chooser = text(&browser.send("GET", ACCOUNTS, "/v3/signin/identifier", &[], b""));
    assert!(chooser.contains("authuser=0") && chooser.contains("data-email=\"other@example.com\""), "{chooser}");
    browser.open("/?authuser=1");
    let tokens = browser.tokens.clone().unwrap();
    assert_eq!((tokens.email.as_deref(), tokens.authuser.as_deref()), (Some("other@example.com"), Some("1")));
    let solar = browser.notebook("Balcony").id;
    let refused = browser.call(&call::get_notebook(&solar));
    assert!(matches!(&refused, Outcome::Rejected(rejection) if rejection.kind == Rejected::NotFound), "{refused:?}");
    assert_eq!(browser.result(&call::list_notebooks()), json!([[]]));
    browser.open("/?authuser=demo@example.com");
    browser.result(&call::get_notebook(&solar));
    // A token is of one account.
    browser.tokens.as_mut().unwrap().authuser = Some("1".into());
    assert_eq!(browser.call(&call::list_notebooks()), Outcome::Refused(Refusal::StaleToken));
}

#[test]
fn sessions_end() {
    let mut browser = Browser::signed_in();
    assert!(matches!(browser.call(&call::settings()), Outcome::Result(_)));
    browser.admin("POST", "notebooks:expire-tokens", &json!({}));
    assert_eq!(browser.call(&call::settings()), Outcome::Refused(Refusal::StaleToken));
    browser.now += 10;
    browser.open("/");
    browser.result(&call::settings());
    // A request without a browser's marks gets no new stamp, so its session dies with the old one.
    browser.is_browser = false;
    browser.now += 700_000;
    let dead = browser.call(&call::settings());
    assert!(matches!(&dead, Outcome::Rejected(rejection) if rejection.kind == Rejected::Unauthenticated), "{dead:?}");
    browser.is_browser = true;
    browser.result(&call::settings());
    assert_eq!(browser.admin("POST", "notebooks:revoke", &json!({"email": "demo@example.com"}))["sessions"], 1);
    let dead = browser.call(&call::settings());
    assert!(matches!(&dead, Outcome::Rejected(rejection) if rejection.kind == Rejected::Unauthenticated), "{dead:?}");
    browser.cookies.clear();
    assert_eq!(browser.call(&call::settings()), Outcome::Refused(Refusal::Unauthenticated));
    assert_eq!(landing(&location(&browser.send("GET", APP, "/login", &[], b""))), Landing::SignIn);
}

#[test]
fn cookies_that_do_not_fit_and_gates() {
    let mut browser = Browser::signed_in();
    let hsid = browser.cookies.insert("HSID".into(), "other".into()).unwrap();
    assert_eq!(landing(&location(&browser.send("GET", APP, "/login", &[], b""))), Landing::CookieMismatch);
    browser.cookies.insert("HSID".into(), hsid);
    browser.admin("POST", "notebooks:switches", &json!({"gate": true}));
    let gate = location(&browser.send("GET", APP, "/", &[], b""));
    assert_eq!(landing(&gate), Landing::RegionGate);
    assert_eq!(browser.call(&call::settings()), Outcome::Refused(Refusal::Forbidden));
    browser.admin("POST", "notebooks:switches", &json!({"gate": false, "device_bound": true}));
    browser.is_browser = false;
    assert!(matches!(browser.call(&call::settings()), Outcome::Rejected(_)));
    browser.is_browser = true;
    browser.result(&call::settings());
    let legacy = browser.send("GET", "notebooklm.google.localhost:8080", "/?authuser=0", &[], b"");
    assert_eq!(location(&legacy), format!("http://{APP}/?authuser=0"));
    browser.send("GET", ACCOUNTS, "/Logout", &[], b"");
    assert!(!browser.cookies.contains_key("SID"));
    browser.admin("POST", "notebooks:switches", &json!({"signed_out": "redirect"}));
    assert_eq!(landing(&location(&browser.send("GET", APP, "/", &[], b""))), Landing::SignIn);
}

#[test]
fn rotation_and_another_start() {
    let mut browser = Browser::signed_in();
    let stamp = browser.cookies["__Secure-1PSIDTS"].clone();
    let reply = browser.send("POST", ACCOUNTS, "/RotateCookies", &[], b"[000,\"-0000000000000000000\"]");
    assert_eq!(text(&reply), "[[\"identity.hfcr\",600],[\"di\",10]]");
    assert_ne!(browser.cookies["__Secure-1PSIDTS"], stamp);
    browser.is_browser = false;
    let stamp = browser.cookies["__Secure-1PSIDTS"].clone();
    browser.send("POST", ACCOUNTS, "/RotateCookies", &[], b"");
    assert_eq!(browser.cookies["__Secure-1PSIDTS"], stamp);
    let kept = serde_json::to_string(&browser.world).unwrap();
    browser.world = serde_json::from_str(&kept).unwrap();
    browser.result(&call::settings());
}

#[test]
fn the_log_has_no_secrets() {
    let mut browser = Browser::signed_in();
    browser.result(&call::list_notebooks());
    let log = browser.admin("GET", "notebooks:requests", &json!({})).to_string();
    assert!(log.contains("LIST_NOTEBOOKS") && log.contains("demo@example.com"));
    let tokens = browser.tokens.clone().unwrap();
    let mut secrets: Vec<&String> = browser.cookies.values().collect();
    secrets.extend([&tokens.at, &tokens.session]);
    let password = super::super::PASSWORD.to_owned();
    secrets.push(&password);
    for secret in secrets {
        assert!(!log.contains(secret.as_str()), "{secret}");
    }
}
