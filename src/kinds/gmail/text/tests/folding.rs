//! What is folded, and what never is.

use crate::kinds::gmail::text::{fold, fold_in_thread};
use crate::kinds::gmail::{fixture, skipped};

/// `(text, quoted lines, lines of signature)` of a body in a thread with these earlier messages.
fn check(body: &str, earlier: &[&str], expected: (&str, usize, usize)) {
    let folded = fold_in_thread(body, earlier);
    assert_eq!((&*folded.text, folded.quoted_lines, folded.signature_lines), expected, "{body}");
}

fn check_kept(body: &str, earlier: &[&str]) {
    check(body, earlier, (body, 0, 0));
}

const FIRST: &str =
    "Hello all,\n\nshall we meet on Monday at nine?\nI would bring the tea and some of the cakes.\n\nAna";

fn quoted(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { ">\n".to_owned() } else { format!("> {line}\n") }).collect()
}

#[test]
fn a_quote_that_stands_above_is_folded_with_the_line_above_it() {
    let quote = quoted(FIRST);
    for header in [
        "On Mon, 3 Feb 2026 at 09:15, Ana Lee <ana@example.com> wrote:",
        "On Mon, 3 Feb 2026 at 09:15, Ana Lee\n<ana@example.com> wrote:",
        "On Mon, 3 Feb 2026\nat 09:15, Ana Lee\n<ana@example.com>\nwrote:",
        "Am Mo., 3. Feb. 2026 um 09:15 Uhr schrieb Ana Lee <ana@example.com>:",
        "Le lun. 3 févr. 2026 à 09:15, Ana Lee <ana@example.com> a écrit :",
        "El lun, 3 feb 2026 a las 9:15, Ana Lee (<ana@example.com>) escribió:",
        "Il giorno lun 3 feb 2026 alle ore 09:15 Ana Lee <ana@example.com> ha scritto:",
        "Em seg., 3 de fev. de 2026 às 09:15, Ana Lee <ana@example.com> escreveu:",
        "Op ma 3 feb 2026 om 09:15 schreef Ana Lee <ana@example.com>:",
        "pon., 3 lut 2026 o 09:15 Ana Lee <ana@example.com> napisał(a):",
        "пн, 3 февр. 2026 г. в 09:15, Ana Lee <ana@example.com>:",
        "3 февраля 2026 г. Ана написал:",
        "пн, 3 лют. 2026 р. о 09:15 Ana Lee <ana@example.com> пише:",
        "po 3. 2. 2026 v 9:15 odesílatel Ana Lee <ana@example.com> napsal:",
        "Den mån 3 feb. 2026 kl 09:15 skrev Ana Lee <ana@example.com>:",
        "ma 3. helmik. 2026 klo 9.15 Ana Lee (ana@example.com) kirjoitti:",
        "Ana Lee <ana@example.com>, 3 Şub 2026 Pzt, 09:15 tarihinde şunu yazdı:",
        "Στις Δευ 3 Φεβ 2026 στις 9:15 π.μ., ο χρήστης Ana Lee <ana@example.com> έγραψε:",
        "\u{202b}בתאריך יום ב׳, 3 בפבר׳ 2026 ב-9:15 מאת Ana Lee <ana@example.com>:\u{202c}",
        "في الاثنين، ٣ فبراير ٢٠٢٦ في ٩:١٥ ص تمت كتابة ما يلي بواسطة Ana Lee <ana@example.com>:",
        "2026年2月3日(月) 9:15 Ana Lee <ana@example.com>:",
        "Ana Lee <ana@example.com> 于2026年2月3日周二 09:15写道：",
        "2026년 2월 3일 (화) 오전 9:15, Ana Lee <ana@example.com>님이 작성:",
        "Ana Lee wrote:",
    ] {
        let lines = 4 + header.lines().count();
        check(&format!("I agree.\n\n{header}\n\n{quote}"), &[FIRST], ("I agree.", lines, 0));
        check(&format!("I agree.\n{header}\n{quote}"), &[FIRST], ("I agree.", lines, 0));
        // Of what stands nowhere nothing goes, and the line above neither.
        check_kept(&format!("I agree.\n\n{header}\n\n> nobody wrote this"), &[FIRST]);
        check_kept(&format!("I agree.\n\n{header}\n\n{quote}"), &[]);
    }
}

#[test]
fn a_copied_message_is_folded_with_its_head() {
    for header in [
        "From: Ana Lee <ana@example.com>\nSent: 05 May 2026 14:31\nTo: Bob <bob@example.com>\nSubject: Tea",
        "________________________________\nFrom: Ana Lee\nSent: Monday\nTo: Bob; Carol\nSubject: Re: Tea",
        "-----Original Message-----\nFrom: Ana Lee\nSent: Monday\nTo: Bob\nCc: a long\n row of people\nSubject: Re: Tea",
        "-----Ursprüngliche Nachricht-----\nVon: Ana Lee\nGesendet: Montag\nAn: Bob\nBetreff: AW: Tee",
        "De : Ana Lee\nEnvoyé : lundi\nÀ : Bob\nObjet : Thé",
        "*From:* Ana Lee\n*Sent:* Monday\n*To:* Bob\n*Subject:* Tea",
        "发件人: Ana\n发送时间: 2026年2月3日\n收件人: Bob\n主题: 茶",
        "差出人: Ana\n送信日時: 2026年2月3日\n宛先: Bob\n件名: 茶",
        "От: Ana\nОтправлено: 3 февраля\nКому: Bob\nТема: Чай",
    ] {
        let lines = 4 + header.lines().count();
        check(&format!("I agree.\n\n{header}\n\n{FIRST}"), &[FIRST], ("I agree.", lines, 0));
        check_kept(&format!("I agree.\n\n{header}\n\nSomething that nobody wrote."), &[FIRST]);
        check_kept(&format!("I agree.\n\n{header}\n\n{FIRST}\n\nand my answer below"), &[FIRST]);
    }
    check_kept("From: the beginning\nTo: the end\n\nthat was a poem", &[FIRST]);
}

#[test]
fn wrapping_and_marks_do_not_matter() {
    let header = "On Mon, 3 Feb 2026 at 09:15, Ana wrote:";
    for quote in [
        "> Hello all,\n> shall we meet on Monday\n> at nine? I would bring the tea and some of the cakes.\n> Ana",
        ">Hello all,\n>\n>shall we meet on Monday at nine?\n>I would bring the tea and some of the\n>cakes.\n>\n>Ana",
        "> Hello all,\n>\n> shall we meet on Monday at nine? I would bring the tea and some\n of the cakes.",
    ] {
        let folded = fold_in_thread(&format!("Yes.\n\n{header}\n{quote}"), &[FIRST]);
        if quote.contains("\n of") {
            // The last line lost its mark: it may be an answer, so all stays.
            assert_eq!(folded.quoted_lines, 0);
        } else {
            assert_eq!(folded.text, "Yes.", "{quote}");
        }
    }
}

#[test]
fn nested_quotes_are_looked_up_in_their_messages() {
    let second = "Yes, nine is fine.\nBob";
    let body = format!(
        "Good.\n\nOn Tue, 4 Feb 2026 at 10:00, Bob <bob@example.com> wrote:\n\n> Yes, nine is fine.\n> Bob\n>\n\
         > On Mon, 3 Feb 2026 at 09:15, Ana Lee <ana@example.com> wrote:\n>\n{}",
        quoted(FIRST).lines().map(|line| format!(">{line}\n")).collect::<String>()
    );
    check(&body, &[FIRST, second], ("Good.", 8, 0));
    // The first message is not there: what stands of it only here is kept, with the line above it.
    let folded = fold_in_thread(&body, &[second]);
    assert_eq!(folded.quoted_lines, 3);
    assert!(
        folded.text.contains("09:15, Ana Lee") && folded.text.contains("the tea and some of the cakes"),
        "{}",
        folded.text
    );
    assert!(!folded.text.contains("nine is fine"));
}

#[test]
fn answers_between_quotes_stay_with_what_they_answer() {
    let body = "On Mon, 3 Feb 2026 at 09:15, Ana wrote:\n> shall we meet on Monday at nine?\n\nRather at ten.\n\n\
                > I would bring the tea and some of the cakes.\n\nLovely!";
    check_kept(body, &[FIRST]);
    let more = format!("{body}\n\n> Ana");
    check_kept(&more, &[FIRST]);
    let one = "> shall we meet on Monday at nine?\n\nYes.";
    check_kept(one, &[FIRST]);
    check_kept(&format!("Ana wrote:\n{one}"), &[FIRST]);
}

#[test]
fn an_answer_below_the_whole_message_is_kept_alone() {
    let body = format!("On Mon, 3 Feb 2026 at 09:15, Ana wrote:\n{}\nYes, gladly.", quoted(FIRST));
    check(&body, &[FIRST], ("Yes, gladly.", 5, 0));
}

#[test]
fn a_quote_with_anything_else_in_it_stays() {
    let header = "On Mon, 3 Feb 2026 at 09:15, Ana wrote:";
    check_kept(&format!("Yes.\n\n{header}\n> shall we meet on Tuesday at nine?"), &[FIRST]);
    check_kept(
        &format!(
            "Yes.\n\n{header}\n> I would bring the tea and some of the cakes.\n> shall we meet on Monday at nine?"
        ),
        &[FIRST],
    );
    check_kept("The order was -5:\n\nOn 3 Feb 2026 at 09:15, Ana wrote:\n> 5", &["the 4"]);
    // A quote that its writer chose, without a line above.
    check_kept("You said:\n\n> the tea and some of the cakes", &[FIRST]);
    check_kept("Use this:\n\n> I wrote this quote myself\n\nok?", &[FIRST]);
}

#[test]
fn forwarded_messages_stay_whole() {
    for head in [
        "---------- Forwarded message ---------",
        "Begin forwarded message:",
        "-------- Weitergeleitete Nachricht --------",
        "---------- 転送メッセージ ----------",
    ] {
        check_kept(
            &format!(
                "FYI\n\n{head}\nFrom: Ana <ana@example.com>\nDate: Mon\nSubject: Tea\nTo: Bob\n\n{FIRST}\n\n-- \nAna"
            ),
            &[FIRST],
        );
    }
}

#[test]
fn signatures_are_folded_when_certain() {
    for (body, text, lines) in [
        ("Hello!\n\n-- \nJohn Doe\njohn@example.com", "Hello!", 3),
        ("Hello!\n\n--\nJohn Doe", "Hello!", 2),
        ("Got it, will do.\n\nSent from my iPhone", "Got it, will do.", 1),
        ("Ja.\n\nVon meinem iPhone gesendet", "Ja.", 1),
        ("Oui.\n\nEnvoyé de mon iPhone", "Oui.", 1),
        ("Да.\n\nОтправлено с iPhone", "Да.", 1),
        ("はい。\n\niPhoneから送信", "はい。", 1),
        ("好。\n\n发自我的iPhone", "好。", 1),
        ("Evet.\n\niPhone'umdan gönderildi", "Evet.", 1),
        ("Ok.\n\nGet Outlook for Android", "Ok.", 1),
    ] {
        check(body, &[], (text, 0, lines));
    }
    for body in [
        "Plan:\n\nThanks\n\nfor reading this, the budget is 5",
        "Here's the report.\n\nThanks,\nAlice",
        "Hello!\n\n-- \nJohn Doe\n\nPS: the budget is 5",
        "Hello!\n\n-- \nJohn\n\n> what is this?",
        "Sent from my iPhone is what it says.\n\nOk.",
        "I mean the line\nSent from my iPhone",
        "Sent from my iPhone, which is why this mail is so short and full of wrong words",
        "a\n--\nb\n\nand so on, and on, which is longer than any line of a signature would be, as it goes on and on, and tells of many things, and on, and on, and on, and on again",
    ] {
        check_kept(body, &[]);
    }
    let twelve = format!("Hello!\n\n-- \n{}", "x\n".repeat(12));
    check_kept(&twelve, &[]);
    let header = "On Mon, 3 Feb 2026 at 09:15, Ana wrote:";
    check(&format!("Yes.\n\n-- \nBob\n\n{header}\n{}", quoted(FIRST)), &[FIRST], ("Yes.", 5, 2));
}

#[test]
fn the_recorded_hard_cases() {
    let Some(file) = fixture("gmail_strip_hard_cases.json") else { return skipped("the_recorded_hard_cases") };
    for case in file["cases"].as_array().unwrap() {
        assert_eq!(fold(case["input"].as_str().unwrap(), &[]).text, case["wanted"].as_str().unwrap());
    }
}

#[test]
fn no_recorded_case_loses_a_word_that_is_no_quote_or_signature() {
    let Some(file) = fixture("gmail_strip_cases.json") else {
        return skipped("no_recorded_case_loses_a_word_that_is_no_quote_or_signature");
    };
    for case in file["cases"].as_array().unwrap() {
        let input = case["input"].as_str().unwrap();
        let folded = fold_in_thread(input, &[]);
        assert_eq!(folded.quoted_lines, 0, "{input}");
        assert!(folded.signature_lines <= 3, "{input}");
    }
}
