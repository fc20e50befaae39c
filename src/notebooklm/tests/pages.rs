//! Pages, addresses and hosts.

use super::{recordings, text};
use crate::notebooklm::bootstrap::{Page, Tokens, read_page};
use crate::notebooklm::hosts::{BadBase, Base, Landing, Product};

#[track_caller]
fn tokens(html: &str) -> Tokens {
    match read_page(html) {
        Page::App(tokens) => tokens,
        other => panic!("{other:?}"),
    }
}

#[test]
fn recorded_pages() {
    let Some(folder) = recordings("recorded_pages") else { return };
    let new = tokens(&text(&folder.join("homepage/home_2026-09_notebook.google.com.html")));
    assert_eq!((new.at.as_str(), new.session.as_str()), ("SCRUBBED_CSRF", "SCRUBBED_SESSION"));
    assert_eq!(new.build.as_deref(), Some("boq_labs-tailwind-frontend_20260831.16_p0"));
    assert_eq!((new.email.as_deref(), new.authuser.as_deref()), (Some("SCRUBBED_EMAIL"), Some("0")));
    let old = tokens(&text(&folder.join("homepage/notebooklm_html.html")));
    assert_eq!((old.session.as_str(), old.email.as_deref()), ("1234567890123456", Some("user@example.com")));
    assert_eq!((old.build, old.authuser), (None, None));
}

#[test]
fn quotes_and_escapes() {
    for html in [
        r#"{"SNlM0e":"A\u003d:1","FdrFJe":"-12"}"#,
        r"{'SNlM0e' : 'A\x3d:1', 'FdrFJe' : '-12'}",
        "&quot;SNlM0e&quot;:&quot;A=:1&quot;,&quot;FdrFJe&quot;:&quot;-12&quot;",
        r#"{"SNlM0e":"A=:1","FdrFJe":-12}"#,
        r#"mentions SNlM0e first; {"SNlM0e":"A=:1","FdrFJe":"-12"}"#,
    ] {
        let tokens = tokens(html);
        assert_eq!((tokens.at.as_str(), tokens.session.as_str()), ("A=:1", "-12"), "{html}");
        assert!(!format!("{tokens:?}").contains("12"));
    }
}

#[test]
fn pages_without_tokens() {
    assert_eq!(read_page("<html>Welcome</html>"), Page::Landing);
    assert_eq!(read_page(r#"{"SNlM0e":"","FdrFJe":"1"}"#), Page::Landing);
    assert_eq!(read_page(r#"{"SNlM0e":"unended"#), Page::Landing);
    assert_eq!(read_page(r#"{"Im6cmf":"/v3/signin/_/AccountsSignInUi","SNlM0e":"a","FdrFJe":"1"}"#), Page::Foreign);
}

#[test]
fn bases() {
    for (text, product) in [
        ("https://notebook.google.com", Product::Personal),
        ("https://notebooklm.google.com/", Product::Personal),
        ("https://notebook.cloud.google.com", Product::Enterprise),
        ("http://notebook.google.localhost:8080", Product::Local),
        ("http://127.0.0.1:1", Product::Local),
        ("http://[::1]:9/", Product::Local),
    ] {
        assert_eq!(Base::new(text).unwrap().product(), product, "{text}");
    }
    for (text, why) in [
        ("", BadBase::NoUrl),
        ("notebook.google.com", BadBase::NoUrl),
        ("http://notebook.google.com", BadBase::NotEncrypted),
        ("https://notebook.google.com:8443", BadBase::OtherHost),
        ("https://notebook.google.com.evil.example", BadBase::OtherHost),
        ("https://evil.example/notebook.google.com", BadBase::MoreThanHost),
        ("https://notebook.google.com@evil.example", BadBase::MoreThanHost),
        ("https://localhost.evil.example", BadBase::OtherHost),
        ("http://10.0.0.1", BadBase::OtherHost),
        ("file:///etc/passwd", BadBase::MoreThanHost),
        ("ftp://localhost", BadBase::OtherHost),
    ] {
        assert_eq!(Base::new(text), Err(why), "{text}");
    }
}

#[test]
fn landings() {
    let real = Base::new("https://notebook.google.com").unwrap();
    let stand_in = Base::new("http://notebook.google.localhost:81").unwrap();
    let bare = Base::new("http://127.0.0.1:81").unwrap();
    for (base, address, landing) in [
        (&real, "https://notebook.google.com/", Landing::App),
        (&real, "https://notebooklm.google.com/notebook/x?authuser=1", Landing::App),
        (&real, "https://notebook.google.com/login", Landing::Other),
        (
            &real,
            "https://accounts.google.com/v3/signin/identifier?continue=https://notebook.google.com",
            Landing::SignIn,
        ),
        (&real, "https://accounts.google.com/CookieMismatch", Landing::CookieMismatch),
        (&real, "https://notebook.google/", Landing::RegionGate),
        (&real, "https://notebooklm.google/?location=unsupported", Landing::RegionGate),
        (&real, "https://notebook.google.com/?location=unsupported", Landing::RegionGate),
        (&real, "https://evil.example/?location=unsupported", Landing::Other),
        (&real, "http://notebook.google.com/", Landing::Other),
        (&real, "http://notebook.google.localhost:81/", Landing::Other),
        (&real, "chrome-error://chromewebdata/", Landing::Other),
        (&stand_in, "http://notebook.google.localhost:81/", Landing::App),
        (&stand_in, "http://accounts.google.localhost:82/v3/signin", Landing::SignIn),
        (&stand_in, "http://accounts.google.localhost:82/CookieMismatch", Landing::CookieMismatch),
        (&stand_in, "http://notebook.google.localhost:81/?location=unsupported", Landing::RegionGate),
        (&bare, "http://127.0.0.1:81/notebook/x", Landing::App),
        (&bare, "http://127.0.0.1:81/v3/signin/identifier", Landing::SignIn),
        (&bare, "http://127.0.0.1:82/", Landing::Other),
    ] {
        assert_eq!(base.landing(address), landing, "{base} {address}");
    }
}
