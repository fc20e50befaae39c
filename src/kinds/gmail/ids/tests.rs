//! The vectors that are known, and every form of address.

use super::*;
use crate::error::ErrorKind;

#[expect(clippy::needless_pass_by_value, reason = "cases are written that way")]
fn check(text: &str, expected: Option<Named>) {
    assert_eq!(named(text).unwrap(), expected, "{text}");
}

fn check_refused(text: &str, says: &str) {
    let error = named(text).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{text}");
    assert!(error.suggestion().contains(says), "{text}: {}", error.suggestion());
}

const TOKEN: &str = "FMfcgzQdzmSkKHmvSJPBLDSZTbfWQwph";
const ID: &str = "19b0e7fe6f653f69";

fn thread() -> Option<Named> {
    Some(Named::Thread(ID.to_owned()))
}

#[test]
fn tokens_are_read_and_written() {
    for (token, id) in [
        (TOKEN, ID),
        ("FMfcgxwGCQTbxbwHqcPddJrDCDnrzDnM", "16f0c2d3e4f5a6b7"),
        ("FMfcgwxVgHBnqkkqKnLVLltVFplRlDWR", "0fffffffffffffff"),
    ] {
        check(token, Some(Named::Thread(id.to_owned())));
        assert_eq!(web_token(id).unwrap(), token);
        assert_eq!(web_url(id).unwrap(), format!("https://mail.google.com/mail/u/0/#all/{token}"));
    }
    check("FMfcgzQfBZdVqDtDZnXwMRWvRZjGhdWN", Some(Named::Thread("19beb7eba557288e".to_owned())));
    check_refused("KtbxLwghjwWScTGNNHctnzRVJkLPKbVvSB", "rfc822msgid:");
    check_refused("FMfcgxwKjKqDQdxdlNDpHwBTxlmKxgdk", "search");
    for text in ["not-hex-at-all!", "", "19b0", "19b0e7fe6f653f6900"] {
        assert!(web_token(text).is_err(), "{text}");
    }
}

#[test]
fn any_id_comes_back_from_its_token() {
    for id in [1_u64, 9, 10, 99, 1_000, u64::MAX, u64::MAX / 3, 1 << 63, 0xabc_def0_1234_5678] {
        let id = format!("{id:016x}");
        assert_eq!(token(&web_token(&id).unwrap()).unwrap(), Named::Thread(id));
    }
}

#[test]
fn addresses_of_threads() {
    for form in [
        "https://mail.google.com/mail/u/0/#inbox/{}",
        "https://mail.google.com/mail/u/1/?tab=rm&ogbl#all/{}",
        "https://mail.google.com/mail/#sent/{}",
        "http://mail.google.com/mail/u/0/#starred/{}",
        "mail.google.com/mail/u/0/#inbox/{}",
        "https://mail.google.com/mail/u/ana@example.com/#label/Work%2FTea/{}",
        "https://mail.google.com/mail/u/0/#search/from%3Aana+tea/{}",
        "https://mail.google.com/mail/u/0/#advanced-search/subject=tea&subset=all/{}",
        "https://mail.google.com/mail/u/0/#category/updates/{}",
        "https://mail.google.com/mail/u/0/#inbox/{}?projector=1&messagePartId=0.1",
        "https://mail.google.com/mail/u/0/#inbox/{}?compose=new",
        "http://127.0.0.1:8123/mail/u/0/#all/{}",
    ] {
        check(&form.replace("{}", TOKEN), thread());
        check(&form.replace("{}", ID), thread());
    }
    let number = u64::from_str_radix(ID, 16).unwrap();
    check(
        &format!(
            "https://mail.google.com/mail/u/0/?ui=2&view=btop&ver=abc&search=inbox&th=%23thread-f%3A{number}&cvid=1"
        ),
        thread(),
    );
    check(&format!("https://mail.google.com/mail/u/0/popout?ver=1&th=%23thread-f%3A{number}%7Cmsg-f%3A12"), thread());
    check(&format!("https://mail.google.com/mail/u/0/?ui=2&view=lg&permthid=thread-f:{number}"), thread());
    check(&format!("https://mail.google.com/mail/?ui=1&view=cv&th={ID}"), Some(Named::Either(ID.to_owned())));
    check(&format!("thread-f:{number}"), thread());
}

#[test]
fn addresses_of_messages_and_drafts() {
    let message = Some(Named::Message("19fdaeed11138ef2".to_owned()));
    check("https://mail.google.com/mail/u/0/?ik=0&view=om&permmsgid=msg-f%3A1872845353272970994", message.clone());
    check(
        "https://mail.google.com/mail/u/0/?ik=0&view=pt&search=all&permmsgid=msg-f:1872845353272970994&simpl=x",
        message,
    );
    check_refused("https://mail.google.com/mail/u/0/?view=om&permmsgid=msg-a:r-123", "rfc822msgid:");
    let draft = Some(Named::Draft(ID.to_owned()));
    check(&format!("https://mail.google.com/mail/u/0/#drafts/{TOKEN}"), draft.clone());
    check(&format!("https://mail.google.com/mail/u/0/#inbox?compose={TOKEN}"), draft.clone());
    check(&format!("https://mail.google.com/mail/u/0/?compose={ID}#drafts"), draft);
    check_refused("https://mail.google.com/mail/u/0/#inbox?compose=new", "in:drafts");
    check_refused("https://mail.google.com/mail/u/0/#inbox?compose=KtbxLwghjwWScTGNNHctnzRVJkLPKbVvSB", "in:drafts");
}

#[test]
fn message_ids() {
    let id = || Some(Named::MessageId("CAF=x+y_1@mail.example.com".to_owned()));
    check("<CAF=x+y_1@mail.example.com>", id());
    check(" rfc822msgid:CAF=x+y_1@mail.example.com ", id());
    check("rfc822msgid:<CAF=x+y_1@mail.example.com>", id());
    check("https://mail.google.com/mail/u/0/#search/rfc822msgid%3ACAF%3Dx%2By_1%40mail.example.com", id());
}

#[test]
fn what_is_nothing_of_mail() {
    for text in [
        "",
        " ",
        "ana@example.com",
        "Ana <ana@example.com>",
        "lantern",
        "https://docs.google.com/document/d/1AbC/edit",
        "1bREiVmvgSsRKJLjamTOE0Wasq1ze7R3bIPOdtJMomKM",
        "https://example.com/mail/#inbox/FMfcgz",
        "BCDFGHJKLMNPQRSTVWXZbcdf",
        "<b>",
        "rfc822msgid:",
        "abc def",
    ] {
        check(text, None);
    }
    check(&"F".repeat(100_000), None);
}

#[test]
fn what_is_gmails_and_names_nothing() {
    for text in [
        "https://mail.google.com/mail/u/0/#inbox",
        "https://mail.google.com/mail/u/0/",
        "https://mail.google.com",
        "https://mail.google.com/mail/u/0/#search/tea",
        "https://mail.google.com/mail/u/0/#label/Work",
        "https://mail.google.com/mail/u/0/#inbox/p2",
        "https://mail.google.com/mail/u/0/#settings/general",
    ] {
        check_refused(text, "");
    }
    check_refused("https://mail.google.com/mail/u/0/#inbox/KtbxLwghjwWScTGNNHctnzRVJkLPKbVvSB", "rfc822msgid:");
    check_refused("https://mail.google.com/mail/u/0/?view=btop&th=%23thread-a%3Ar123", "subject");
}

#[test]
fn the_words_of_a_search() {
    let url =
        "https://mail.google.com/mail/u/0/#search/from%3Aalice%40example.com+lantern/FMfcgzQhVNfMCxqltVrdVFJgqxZhgmhM";
    assert_eq!(search_query(url).as_deref(), Some("from:alice@example.com lantern"));
    check(url, Some(Named::Thread("19f6f4db2c7a36e3".to_owned())));
    assert_eq!(search_query("https://mail.google.com/mail/u/0/#inbox/x"), None);
}

#[test]
fn the_recorded_vectors() {
    let Some(file) = crate::kinds::gmail::fixture("ids.json") else {
        return crate::kinds::gmail::skipped("the_recorded_vectors");
    };
    for vector in file["vectors"].as_array().unwrap() {
        let text = |key: &str| vector[key].as_str();
        match text("kind").unwrap() {
            "encode" => {
                let token = web_token(text("api_id").unwrap());
                assert_eq!(token.ok().as_deref(), text("web_token"), "{vector}");
            }
            "decode" => match text("api_id") {
                Some(id) => check(text("web_token").unwrap(), Some(Named::Thread(id.to_owned()))),
                None => check_refused(text("web_token").unwrap(), ""),
            },
            "url" => check(text("url").unwrap(), Some(Named::Thread(text("api_id").unwrap().to_owned()))),
            "permmsgid" => {
                check(text("url").unwrap(), Some(Named::Message(text("api_message_id").unwrap().to_owned())));
            }
            other => panic!("an unknown kind of vector: {other}"),
        }
    }
}
