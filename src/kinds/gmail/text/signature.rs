//! Which lines at the end of a message are its signature. A signature is taken for one only when that is certain.

use super::phrases::bare;
use super::quotes::Seen;
use crate::extract::lines::Mark;

/// The most lines behind `-- `. Longer ones hold more than a name.
const LINES_MAX: usize = 11;

/// The most lines of one that the writer's program marks as a signature, with addresses and disclaimers.
const MARKED_LINES_MAX: usize = 60;

/// The longest line of a signature behind `-- `, in characters; a longer one is a sentence.
const LINE_MAX: usize = 120;

/// The longest line by which a device says that it sent a message, in characters.
const DEVICE_LINE_MAX: usize = 70;

/// What a line by which a device or a program says that it sent a message begins with, in lower case.
const SENT_FROM: &[&str] = &[
    "sent from my ",
    "sent from mail for ",
    "sent from outlook",
    "sent from yahoo",
    "sent from samsung",
    "sent from proton",
    "sent from gmail mobile",
    "sent via ",
    "sent with proton",
    "get outlook for ",
    "sent using ",
    "von meinem ",
    "gesendet von ",
    "gesendet mit ",
    "envoyé de mon ",
    "envoyé depuis ",
    "enviado desde mi ",
    "enviado desde ",
    "enviado do meu ",
    "enviado de mi ",
    "enviado a partir ",
    "inviato da ",
    "inviato dal mio ",
    "verstuurd vanaf ",
    "verzonden vanaf ",
    "verzonden met ",
    "wysłane z ",
    "wysłano z ",
    "отправлено с ",
    "отправлено из ",
    "надіслано з ",
    "odesláno z",
    "skickat från min ",
    "sendt fra min ",
    "lähetetty ",
    "στάλθηκε από ",
    "נשלח מה",
    "تم الإرسال من ",
    "发自我的",
    "從我的",
];

/// The same for languages that have the verb at the end.
const SENT_FROM_ENDS: &[&str] = &["gönderildi", "から送信", "에서 보냄", "gesendet", "傳送"];

/// One of these stands in a line that a device wrote.
const DEVICES: &[&str] = &[
    "iphone",
    "ipad",
    "ios",
    "android",
    "galaxy",
    "samsung",
    "blackberry",
    "outlook",
    "windows",
    "mail",
    "gmail",
    "proton",
    "yahoo",
    "smartphone",
    "huawei",
    "xiaomi",
    "pixel",
    "mobile",
    "telefon",
    "phone",
    "айфон",
    "handy",
];

/// What the afterthoughts begin with that people write under their name.
const AFTERTHOUGHTS: &[&str] = &["ps", "p.s.", "p.s", "pps", "p.p.s.", "nb", "n.b.", "зы"];

/// Finds where the signature begins at the end of `lines`, which are the writer's own and have nothing behind them.
pub(super) fn begin(lines: &[Seen<'_>]) -> Option<usize> {
    let mut end = lines.len();
    let mut found = None;
    while let Some(begin) = once(lines.get(..end).unwrap_or_default()) {
        found = Some(begin);
        end = begin;
    }
    found
}

fn once(lines: &[Seen<'_>]) -> Option<usize> {
    let last = lines.last()?;
    if last.mark == Mark::Signature {
        let count = lines.iter().rev().take_while(|line| line.mark == Mark::Signature).count();
        let begin = lines.len() - count;
        let is_delimited = begin > 0 && lines.get(begin - 1).is_some_and(|line| is_delimiter(&line.text));
        return (count <= MARKED_LINES_MAX).then(|| begin - usize::from(is_delimited));
    }
    let recent = lines.iter().enumerate().rev().take(LINES_MAX + 1);
    let delimiter = recent.clone().find(|(_, line)| is_delimiter(&line.text)).map(|(at, _)| at);
    if let Some(at) = delimiter {
        let behind = lines.get(at + 1..).unwrap_or_default();
        if behind.iter().all(|line| may_stand_in_one(line)) {
            return Some(at);
        }
    }
    let alone = lines.len() == 1 || last.apart;
    (alone && last.depth == 0 && is_device_line(&last.text)).then(|| lines.len() - 1)
}

fn is_delimiter(text: &str) -> bool {
    text.trim_end() == "--" || text.trim_end_matches(['\u{a0}', ' ']) == "--"
}

fn may_stand_in_one(line: &Seen<'_>) -> bool {
    let lower = bare(&line.text).to_lowercase();
    let first = lower.split([' ', ':', ',']).next().unwrap_or_default();
    line.depth == 0 && lower.chars().count() <= LINE_MAX && !AFTERTHOUGHTS.contains(&first)
}

/// Tells whether a line says that a device sent the message, and nothing else.
fn is_device_line(text: &str) -> bool {
    let lower = bare(text).to_lowercase().replace('’', "'");
    let lower = lower.trim_end_matches('.');
    let begins = SENT_FROM.iter().any(|phrase| lower.starts_with(phrase));
    let ends = SENT_FROM_ENDS.iter().any(|phrase| lower.ends_with(phrase));
    let words = lower.split_whitespace().count();
    (begins || ends)
        && DEVICES.iter().any(|name| lower.contains(name))
        && words <= 9
        && lower.chars().count() <= DEVICE_LINE_MAX
        && !lower.contains(['?', '!'])
}
