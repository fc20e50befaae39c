//! Messages and what their files say.

use super::{body, file, mail};

#[test]
fn the_file_of_a_thread() {
    let first = b"From: =?utf-8?q?Ana_L=C3=A9e?= <ana@example.com>\r\nTo: bob@example.com\r\nSubject: Tea: {!mono} --- time\r\n\r\nHello\r\n# no heading\r\n---\r\n{^ x}\r\n".as_slice();
    let second = b"From: bob@example.com\r\nTo: Ana <ANA@example.com>\r\nCc: \"Lee, C.\" <c@example.com>\r\nSubject: Re: Tea: {!mono} --- time\r\n\r\nYes.\r\n\r\nOn Fri, 20 Nov 2026 at 14:03, Ana <ana@example.com> wrote:\r\n> Hello\r\n> # no heading\r\n> ---\r\n> {^ x}\r\n".as_slice();
    let made = file(&[first, second]);
    let expected = "---
title: \"Tea: {!mono} --- time\"
id: 19b0
url: https://mail.google.com/mail/u/0/#all/19b0
labels: \"\"
participants: Ana Lée <ana@example.com>, bob@example.com, \"Lee, C.\" <c@example.com>
from: 2026-11-20T14:03:00Z
to: 2026-11-20T14:04:00Z
messages: 2
---

## {^ msg.00000000000019b0}Ana Lée — 2026-11-20 14:03

To: bob@example.com

Hello\\
\\# no heading\\
\\---\\
\\{^ x}

## {^ msg.00000000000019b1}bob@example.com — 2026-11-20 14:04

To: Ana \\<ANA@example.com>\\
Cc: \"Lee, C.\" \\<c@example.com>

Yes.

(5 quoted lines folded: they stand above)
";
    assert_eq!(made.text, expected);
    assert_eq!(made.title, "Tea: {!mono} --- time");
}

fn check(content_type: &str, text: &str, expected: &str) {
    assert_eq!(body(&mail(content_type, text)), expected, "{text}");
}

#[test]
fn html_is_told_as_blocks() {
    for (html, expected) in [
        ("<p>One</p><p>Two<br>three</p>", "One\n\nTwo\\\nthree"),
        ("<div>a</div><div>b</div><div><br></div><div>c</div>", "a\\\nb\n\nc"),
        ("<b>bold</b> and <i>it</i> <a href='https://x.test/a'>link</a>", "**bold** and *it* [link](https://x.test/a)"),
        ("<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>", "- a\n- b\n  - c"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        (
            "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",
            "| **A** | **B** |\n| --- | --- |\n| 1 | 2 |",
        ),
        ("<table><tr><td>one column</td></tr><tr><td>of text</td></tr></table>", "one column\n\nof text"),
        ("a<script>var x = 1 < 2;</script><style>p{}</style><!-- c --><!--[if mso]>m<![endif]-->b", "ab"),
        (
            "x<img width=1 height=1 src='https://t.test/p.gif'><img src='https://t.test/q.gif' style='display:none'>y",
            "xy",
        ),
        ("<img src='https://i.test/a.png' alt='A tea pot'>", "[A tea pot](https://i.test/a.png)"),
        ("<div style='display:none'>hidden words</div>seen<span style='font-size:0'>x</span>", "seen"),
        ("<font color=white>unseen</font>seen", "seen"),
        ("<td style='font-size:0px'><div style='font-size:13px'>a block</div></td>", "a block"),
        (
            "<style>.x{background:#000}</style><p class=x style='color:#fff'>white on a rule's black</p>",
            "white on a rule's black",
        ),
        ("<div style='mso-hide:all'>not for Outlook</div>", "not for Outlook"),
        ("<td bgcolor='#000000'><font color=white>on black</font></td>", "on black"),
        ("<p>{!mono} # no</p><p># no heading</p><p>---</p>", "{!mono} # no"),
        ("<pre>a\n  b</pre>", "```\na\n  b\n```"),
        ("<a href='javascript:alert(1)'>click</a>", "click"),
        ("&lt;b&gt; &amp;amp; &#x1F600;", "\\<b> \\&amp; 😀"),
        ("<h1>Title</h1>text", "**Title**\n\ntext"),
        ("<p dir=rtl>שלום עולם</p>", "שלום עולם"),
        ("<b>open <i>never <div>closed", "**open *never***\\\n***closed***"),
        ("</div></b>stray", "stray"),
        ("a<svg><title>t</title><text>shape</text></svg>b", "ashapeb"),
    ] {
        let said = body(&mail("text/html; charset=utf-8", html));
        if html.contains("{!mono}") {
            assert!(!said.contains("\n---\n") && !said.contains("\n# ") && !said.starts_with("{!"), "{said}");
            continue;
        }
        assert_eq!(said, expected, "{html}");
    }
}

#[test]
fn charsets_and_encodings() {
    check(
        "text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable",
        "caf=E9 =\nau lait",
        "café au lait",
    );
    check("text/plain; charset=utf-8\nContent-Transfer-Encoding: base64", "44GK6Iy2", "お茶");
    check("text/plain; charset=shift_jis\nContent-Transfer-Encoding: base64", "grGC8YLJgr+CzQ==", "こんにちは");
    check("text/plain; charset=gb2312\nContent-Transfer-Encoding: base64", "xOO6ww==", "你好");
    check("text/plain; charset=koi8-r\nContent-Transfer-Encoding: quoted-printable", "=F0=D2=C9=D7=C5=D4", "Привет");
    check("text/plain; charset=no-such", "plain", "plain");
    check("text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable", "100=\n% =ZZ =", "100% =ZZ =");
}

#[test]
fn flowed_text() {
    check(
        "text/plain; format=flowed",
        "One line \nthat flows.\nNext.\n-- \nAna",
        "One line that flows.\\\nNext.\n\n(2 lines of signature folded)",
    );
    check("text/plain; format=flowed; delsp=yes", "日本 \n語\n> a \n> b", "日本語\n\n\\> ab");
    check("text/plain; format=flowed", " >not a quote", "\\>not a quote");
}

#[test]
fn the_body_that_says_more() {
    let both = |plain: &str, html: &str| {
        body(&mail(
            "multipart/alternative; boundary=b",
            &format!("--b\nContent-Type: text/plain\n\n{plain}\n--b\nContent-Type: text/html\n\n{html}\n--b--\n"),
        ))
    };
    assert_eq!(both("Hello *you*", "<p>Hello <b>you</b></p>"), "Hello \\*you\\*");
    assert_eq!(both("", "<p>Hello</p>"), "Hello");
    // A page that a file cuts in two.
    let cut = body(&mail(
        "multipart/alternative; boundary=b",
        "--b\nContent-Type: text/plain\n\nabove\nbelow\n--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\nContent-Type: text/html\n\n\
         above <a href='https://x.test'>x</a>\n--c\nContent-Type: application/pdf; name=a.pdf\n\npdf\n--c\nContent-Type: text/html\n\nbelow\n--c--\n--b--\n",
    ));
    assert!(cut.contains("above [x](https://x.test)") && cut.ends_with("below"), "{cut}");
    assert_eq!(both("See here", "<p>See <a href='https://x.test'>here</a></p>"), "See [here](https://x.test)");
    assert!(
        both("See here <https://x.test/>", "<p>See <a href='https://x.test/'>here</a></p>").contains("https://x.test/")
    );
    assert_eq!(
        both("View this email in your browser", "<p>News of the day</p><p>Much of it</p>"),
        "News of the day\n\nMuch of it"
    );
    assert_eq!(both("A B 1 2", "<table><tr><td>A<td>B<tr><td>1<td>2</table>"), "| A | B |\n| --- | --- |\n| 1 | 2 |");
    assert!(
        both("All of the many words of the message stand here and nowhere else at all", "<p>Hi</p>")
            .contains("nowhere")
    );
}

#[test]
fn pictures_and_files() {
    let raw = mail(
        "multipart/mixed; boundary=m",
        "--m\nContent-Type: multipart/related; boundary=r\n\n--r\nContent-Type: text/html\n\n<p>See <img src=\"cid:a@b\" alt=\"the pot\"> there</p>\n\
         --r\nContent-Type: image/png; name=\"pot.png\"\nContent-ID: <a@b>\nContent-Disposition: inline; filename=\"pot.png\"\nContent-Transfer-Encoding: base64\n\naGk=\n--r--\n\
         --m\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=\"../../.ssh/authorized_keys\"\n\npdf\n--m\nContent-Type: application/pdf\nContent-Disposition: attachment; filename*=utf-8''%E8%8C%B6.pdf\n\npdf2\n--m--\n",
    );
    let made = file(&[raw.as_bytes()]);
    assert!(made.text.contains("See [the pot](attachments/19b0/pot.png) there"), "{}", made.text);
    assert!(
        made.text.contains(
            "Attachments: [authorized_keys](attachments/19b0/authorized_keys) ([text](attachments/19b0/authorized_keys.md)), [茶.pdf](<attachments/19b0/茶.pdf>) ([text](<attachments/19b0/茶.pdf.md>))"
        ),
        "{}",
        made.text
    );
    let told: Vec<_> = made.attachments.iter().map(|one| (&*one.name, one.inline, one.size)).collect();
    assert_eq!(told, [("pot.png", true, 2), ("authorized_keys", false, 3), ("茶.pdf", false, 4)]);
    let bytes =
        |at: usize| crate::kinds::gmail::text::attachment_bytes(raw.as_bytes(), &made.attachments[at].part).unwrap();
    assert_eq!((bytes(0), bytes(1), bytes(2)), (b"hi".to_vec(), b"pdf".to_vec(), b"pdf2".to_vec()));
}

#[test]
fn attached_messages_invitations_and_reports() {
    check(
        "multipart/mixed; boundary=m",
        "--m\nContent-Type: text/plain\n\nSee below.\n--m\nContent-Type: message/rfc822\n\nFrom: Bob <bob@example.com>\nDate: Mon, 3 Feb 2026 09:15:00 +0100\nSubject: Old tea\nContent-Type: text/plain\n\nThe old text.\n\n> older\n--m--\n",
        "See below.\n\nAttached message\n\n\\> From: Bob \\<bob@example.com>\\\n\\> Date: 2026-02-03T09:15:00+01:00\\\n\\> Subject: Old tea\n\n\\> The old text.\n\n\\>> older",
    );
    check(
        "text/calendar; method=REQUEST",
        "BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VEVENT\nSUMMARY:Tea\\, with cakes\nDTSTART;TZID=Europe/Berlin:20261120T140300\nDTEND;TZID=Europe/Berlin:20261120T150000\nLOCATION:Kitch\n en\nORGANIZER;CN=Ana Lee:mailto:ana@example.com\nATTENDEE;RSVP=TRUE;PARTSTAT=NEEDS-ACTION;CN=Bob:mailto:bob@example.com\nBEGIN:VALARM\nDESCRIPTION:no\nEND:VALARM\nEND:VEVENT\nEND:VCALENDAR\n",
        "Attachments: [invite.ics](attachments/19b0/invite.ics) ([text](attachments/19b0/invite.ics.md))\n\nInvitation: Tea, with cakes\\\nWhen: 2026-11-20 14:03 Europe/Berlin – 2026-11-20 15:00 Europe/Berlin\\\nWhere: Kitchen\\\nOrganizer: Ana Lee \\<ana@example.com>\\\nWho: Bob \\<bob@example.com>\\\nAnswer: wanted",
    );
    let report = body(&mail(
        "multipart/report; report-type=delivery-status; boundary=m",
        "--m\nContent-Type: text/plain\n\nYour message was not delivered.\n--m\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; x\n\nFinal-Recipient: rfc822; bob@example.com\nAction: failed\nStatus: 5.1.1\n--m--\n",
    ));
    assert!(
        report.starts_with(
            "Your message was not delivered.\n\nFinal-Recipient: rfc822; bob@example.com\\\nAction: failed"
        ),
        "{report}"
    );
    let encrypted = body(&mail(
        "multipart/encrypted; boundary=m",
        "--m\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--m--\n",
    ));
    assert!(encrypted.contains("(This message is encrypted; its text is in the attachment.)"), "{encrypted}");
}

#[test]
fn what_has_no_text_says_so() {
    assert_eq!(body(&mail("text/plain", "")), "(This message has no text.)");
    let unread = "--m\nContent-Type: multipart/mixed; boundary=n\n\n--m--\n";
    assert_eq!(
        body(&mail("multipart/mixed; boundary=m", unread)),
        "(No text can be read in this message; it has 168 bytes.)"
    );
    assert!(file(&[b""]).text.contains("(This message has no text.)"));
    assert!(file(&[b"\0\xff\xfe"]).text.contains("messages: 1"));
}

#[test]
fn html_replies_are_folded_and_signatures_in_containers() {
    let first = mail("text/html", "<div>The first text</div><div>of <b>two</b> lines</div>");
    let second = mail(
        "text/html",
        "<div>Yes</div><div class=gmail_signature>Bob<br>ACME</div><div class=\"gmail_quote\"><div class=\"gmail_attr\">On Mon, Bob wrote:<br></div>\
         <blockquote class=\"gmail_quote\" style=\"border-left:1px solid\"><div>The first text</div><div>of <b>two</b> lines</div></blockquote></div>",
    );
    let text = file(&[first.as_bytes(), second.as_bytes()]).text;
    assert!(
        text.trim_end().ends_with("Yes\n\n(3 quoted lines folded: they stand above; 2 lines of signature folded)"),
        "{text}"
    );
}

#[test]
fn the_recorded_thread() {
    let Some(thread) = crate::kinds::gmail::fixture("real_thread.json") else {
        return crate::kinds::gmail::skipped("the_recorded_thread");
    };
    let raws: Vec<Vec<u8>> =
        thread["messages"].as_array().unwrap().iter().map(|message| raw(&message["payload"])).collect();
    let made = file(&raws.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let second = made.text.split("\n## ").nth(2).unwrap();
    assert!(second.contains("this is building on the thread"), "{second}");
    assert!(second.contains("quoted lines folded: they stand above"), "{second}");
    assert!(!second.contains("Bullet 1"), "{second}");
    assert!(made.text.contains("Bullet 1") && made.text.contains("And this is quoted"), "{}", made.text);
    assert!(made.text.contains("(<attachments/19b0/Screenshot 2026-01-23 at 14.35.40.png>)"), "{}", made.text);
}

/// Writes a part of the API's JSON as the message that it was; the bytes of files are not recorded.
fn raw(part: &serde_json::Value) -> Vec<u8> {
    let mut out = String::new();
    for header in part["headers"].as_array().unwrap() {
        let (name, value) = (header["name"].as_str().unwrap(), header["value"].as_str().unwrap());
        if !name.eq_ignore_ascii_case("content-transfer-encoding") {
            out.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    let data = part["body"]["data"].as_str().unwrap_or("aGk").replace('-', "+").replace('_', "/");
    let Some(parts) = part["parts"].as_array() else {
        return format!("{out}Content-Transfer-Encoding: base64\r\n\r\n{data}\r\n").into_bytes();
    };
    let boundary = out.split("boundary=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    out.push_str("\r\n");
    let mut out = out.into_bytes();
    for part in parts {
        out.extend(format!("--{boundary}\r\n").bytes());
        out.extend(raw(part));
    }
    out.extend(format!("--{boundary}--\r\n").bytes());
    out
}
