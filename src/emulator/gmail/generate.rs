//! Mail that is made up: any number of threads from a seed, the same ones each time.
//!
//! A message is kept as the place that it has; its bytes are made when they are asked for, so that a hundred thousand
//! threads take little memory.

use super::mailbox::{MAX_GENERATED, Mailbox, Message, Raw};
use super::payload::base64url;
use crate::emulator::{DEMO_ACCOUNT, clock};

/// The time over which made-up threads are spread: five years.
const SPREAD_MS: i64 = 5 * 365 * 86_400_000;

/// Names of people and the addresses that go with them.
const PEOPLE: [(&str, &str); 12] = [
    ("Ana Lee", "ana@example.com"),
    ("Bob Stone", "bob@example.org"),
    ("Chloé Dubois", "chloe@example.net"),
    ("Jürgen Weiß", "juergen@example.com"),
    ("山田 太郎", "taro@example.jp"),
    ("王小明", "wang@example.cn"),
    ("Дарья Иванова", "darya@example.ru"),
    ("נועה כהן", "noa@example.org"),
    ("سارة حسن", "sara@example.org"),
    ("김민지", "minji@example.kr"),
    ("O'Neill, Pat", "pat@example.net"),
    ("Build Robot", "robot@ci.example.com"),
];

/// What threads are about; a number is put behind.
const TOPICS: [&str; 12] = [
    "Budget for the next quarter",
    "Lunch on Thursday",
    "Release notes, draft",
    "Rechnung Nr.",
    "Compte rendu de la réunion",
    "会議の議事録",
    "项目进度",
    "Отчёт за неделю",
    "פגישה",
    "اجتماع",
    "Travel to Lisbon",
    "Failed build",
];

/// What people write.
const SENTENCES: [&str; 16] = [
    "Thanks for the quick answer, that helps a lot.",
    "I have put the figures into the sheet; please look at row twelve.",
    "Could we move the call to the afternoon?",
    "The second draft is attached, with the changes that we spoke about.",
    "Das klingt gut, ich melde mich am Montag noch einmal.",
    "Je vous envoie le document corrigé demain matin.",
    "明日の会議は10時からです。",
    "请查收附件，如有问题请告诉我。",
    "Пришлите, пожалуйста, исправленную версию.",
    "נדבר מחר בבוקר.",
    "سأرسل لك التفاصيل غدا.",
    "The train leaves at 08:14, so let us meet at the station.",
    "No objection from my side.",
    "Who takes the notes this time?",
    "It failed again with the same message as yesterday.",
    "Happy to help, just tell me what is missing.",
];

/// The place of a made-up message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Letter {
    seed: u64,
    thread: u32,
    part: u8,
}

impl Letter {
    /// Returns a number that is always the same for this place and purpose.
    fn draw(self, purpose: u64) -> u64 {
        let place = u64::from(self.thread) << 8 | u64::from(self.part);
        mix(self.seed ^ mix(place.wrapping_add(purpose << 48)))
    }

    /// Returns the same for the thread.
    fn thread_draw(self, purpose: u64) -> u64 {
        Self { part: u8::MAX, ..self }.draw(purpose)
    }

    /// Returns how many messages the thread has.
    fn count(self) -> u8 {
        match self.thread_draw(1) % 20 {
            0..=10 => 1,
            11..=14 => 2,
            15..=17 => 3,
            18 => 5,
            _ => 8,
        }
    }

    /// Returns who wrote it: the account itself answers now and then.
    fn author(self) -> (&'static str, &'static str) {
        if self.is_mine() {
            return ("Demo Account", DEMO_ACCOUNT);
        }
        pick(&PEOPLE, self.thread_draw(2).wrapping_add(u64::from(self.part) / 2)).copied().unwrap_or_default()
    }

    fn is_mine(self) -> bool {
        self.part % 2 == 1
    }

    /// Returns how long after the first of its thread it was written.
    fn offset_ms(self) -> i64 {
        let minutes = (0..self.part).map(|part| 5 + Self { part, ..self }.draw(3) % 50).sum::<u64>();
        i64::try_from(minutes).unwrap_or(0) * 60_000
    }

    fn message_id(self) -> String {
        format!("<{:016x}.{}@mail.example.com>", self.thread_draw(4), self.part)
    }

    fn subject(self) -> String {
        let topic = pick(&TOPICS, self.thread_draw(5)).copied().unwrap_or_default();
        format!("{topic} {}", self.thread)
    }

    /// Returns what is said in it, without quotes.
    fn said(self) -> String {
        let count = 1 + self.draw(6) % 5;
        let sentences = (0..count).filter_map(|at| pick(&SENTENCES, self.draw(100 + at)).copied());
        let body: Vec<&str> = sentences.collect();
        let (name, _) = self.author();
        format!("{}\n\n{name}\n", body.join("\n"))
    }

    /// Returns the raw bytes; `date_ms` is when it was written.
    pub(super) fn raw(self, date_ms: i64) -> Vec<u8> {
        let mut text = String::with_capacity(2_048);
        let (name, address) = self.author();
        let answered = self.part.checked_sub(1).map(|part| Self { part, ..self });
        let to = match answered {
            Some(earlier) if earlier.author().1 != address => earlier.author().1,
            _ => DEMO_ACCOUNT,
        };
        let mark = if answered.is_some() { "Re: " } else { "" };
        write_all(
            &mut text,
            &[
                &format!("Date: {}\n", rfc2822(date_ms)),
                &format!("From: {} <{address}>\nTo: <{to}>\n", shown_name(name)),
                &format!("Subject: {}\n", encoded(&format!("{mark}{}", self.subject()))),
                &format!("Message-ID: {}\n", self.message_id()),
            ],
        );
        if let Some(earlier) = answered {
            let all: Vec<String> = (0..self.part).map(|part| Self { part, ..self }.message_id()).collect();
            let references = all.join("\n ");
            write_all(&mut text, &[&format!("In-Reply-To: {}\nReferences: {references}\n", earlier.message_id())]);
        }
        text.push_str("MIME-Version: 1.0\n");
        let mut said = self.said();
        if let Some(earlier) = answered {
            let then = date_ms - self.offset_ms() + earlier.offset_ms();
            let (name, address) = earlier.author();
            write_all(&mut said, &[&format!("\nOn {}, {name} <{address}> wrote:\n\n", rfc2822(then))]);
            earlier.said().lines().for_each(|line| write_all(&mut said, &["> ", line, "\n"]));
        }
        self.body(&mut text, &said);
        text.replace('\n', "\r\n").into_bytes()
    }

    /// Writes the body in one of the shapes that mail has.
    fn body(self, text: &mut String, said: &str) {
        const PLAIN: &str = "Content-Type: text/plain; charset=UTF-8\n";
        let html = || {
            format!(
                "<div dir=\"auto\">{}</div>\n",
                said.replace('>', "&gt;").replace('<', "&lt;").replace('\n', "<br>\n")
            )
        };
        match self.draw(7) % 20 {
            0..=9 => write_all(text, &[PLAIN, "Content-Transfer-Encoding: 8bit\n\n", said]),
            10..=12 => {
                write_all(text, &[PLAIN, "Content-Transfer-Encoding: base64\n\n", &folded_base64(said.as_bytes())]);
            }
            13 => write_all(text, &["Content-Type: text/html; charset=UTF-8\n\n", &html()]),
            14..=17 => write_all(
                text,
                &[
                    "Content-Type: multipart/alternative; boundary=\"alt-0\"\n\n--alt-0\n",
                    PLAIN,
                    "\n",
                    said,
                    "\n--alt-0\nContent-Type: text/html; charset=UTF-8\n\n",
                    &html(),
                    "\n--alt-0--\n",
                ],
            ),
            _ => {
                let rows: String = (0..20).map(|row| format!("{row},{}\n", self.draw(200 + row) % 1_000)).collect();
                write_all(
                    text,
                    &[
                        "Content-Type: multipart/mixed; boundary=\"mix-0\"\n\n--mix-0\n",
                        PLAIN,
                        "\n",
                        said,
                        "\n--mix-0\nContent-Type: text/csv; name=\"figures.csv\"\nContent-Disposition: attachment; \
                     filename=\"figures.csv\"\nContent-Transfer-Encoding: base64\n\n",
                        &folded_base64(rows.as_bytes()),
                        "--mix-0--\n",
                    ],
                );
            }
        }
    }

    /// Returns the ids of its labels.
    fn labels(self) -> Vec<&'static str> {
        const CATEGORIES: [&str; 4] =
            ["CATEGORY_PERSONAL", "CATEGORY_UPDATES", "CATEGORY_FORUMS", "CATEGORY_PROMOTIONS"];
        if self.is_mine() {
            return vec!["SENT"];
        }
        let mut labels: Vec<&str> = pick(&CATEGORIES, self.thread_draw(8)).copied().into_iter().collect();
        for (label, of_hundred) in [("INBOX", 40), ("UNREAD", 10), ("STARRED", 2), ("IMPORTANT", 15)] {
            let purpose = u64::try_from(label.len()).unwrap_or(0);
            if self.draw(20 + purpose) % 100 < of_hundred {
                labels.push(label);
            }
        }
        labels
    }
}

/// Puts made-up threads into a mailbox, the newest of them at a moment.
pub(super) fn fill(mailbox: &mut Mailbox, threads: u32, seed: u64, until_ms: i64) {
    let threads = threads.min(MAX_GENERATED);
    let gap = SPREAD_MS / i64::from(threads.max(1));
    // The oldest first, as mail comes in.
    for thread in (0..threads).rev() {
        let first = Letter { seed, thread, part: 0 };
        let begun = (until_ms - gap * (i64::from(thread) + 1)).div_euclid(1_000) * 1_000;
        let mut thread_id = None;
        for part in 0..first.count() {
            let letter = Letter { part, ..first };
            let date_ms = begun + letter.offset_ms();
            let id = mailbox.fresh_id(date_ms, letter.draw(9));
            let labels = letter.labels().into_iter().filter_map(|id| mailbox.label(id)).collect();
            let thread = *thread_id.get_or_insert(id);
            let message = Message { id, thread, labels, date_ms, history: 0, raw: Raw::Made(letter) };
            mailbox.put(message, Some(&letter.message_id()));
        }
    }
}

fn write_all(text: &mut String, parts: &[&str]) {
    parts.iter().for_each(|part| text.push_str(part));
}

fn pick<T>(list: &[T], number: u64) -> Option<&T> {
    let count = u64::try_from(list.len()).ok()?;
    list.get(usize::try_from(number.checked_rem(count)?).ok()?)
}

/// Mixes the bits of a number. Source: SplitMix64, <https://prng.di.unimi.it/splitmix64.c>
const fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// Writes a moment as mail does.
fn rfc2822(ms: i64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = clock::rfc3339(ms);
    let number = |from: usize, to: usize| text.get(from..to).and_then(|part| part.parse::<usize>().ok()).unwrap_or(1);
    let weekday = usize::try_from(ms.div_euclid(86_400_000).rem_euclid(7)).unwrap_or(0);
    let named = (DAYS.get(weekday).unwrap_or(&"Thu"), MONTHS.get(number(5, 7).saturating_sub(1)).unwrap_or(&"Jan"));
    let (day, year, time) = (number(8, 10), number(0, 4), text.get(11..19).unwrap_or("00:00:00"));
    format!("{}, {day} {} {year} {time} +0000", named.0, named.1)
}

/// Writes a name as it stands before an address.
fn shown_name(name: &str) -> String {
    if name.contains(',') { format!("\"{name}\"") } else { encoded(name) }
}

/// Writes a header's text so that it is ASCII.
fn encoded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut words = Vec::new();
    let mut word = String::new();
    for letter in text.chars() {
        if word.len() + letter.len_utf8() > 40 {
            words.push(std::mem::take(&mut word));
        }
        word.push(letter);
    }
    words.push(word);
    let encode = |word: &String| format!("=?UTF-8?B?{}?=", crate::emulator::images::to_base64(word.as_bytes()));
    words.iter().map(encode).collect::<Vec<_>>().join("\n ")
}

/// Writes bytes as base64 in lines.
pub(super) fn folded_base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    // 57 bytes make the 76 letters that a line may have.
    for line in bytes.chunks(57) {
        text.push_str(&base64url(line).replace('-', "+").replace('_', "/"));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::mime::Mail;
    use super::*;

    #[test]
    fn letters_are_the_same_each_time_and_can_be_read() {
        let mut mailbox = Mailbox::default();
        fill(&mut mailbox, 200, 7, 1_700_000_000_000);
        assert_eq!(mailbox.threads.len(), 200);
        assert!(mailbox.messages.len() > 250, "{}", mailbox.messages.len());
        for message in mailbox.messages.values() {
            let Raw::Made(letter) = message.raw else { panic!("all are made up") };
            let raw = letter.raw(message.date_ms);
            assert_eq!(raw, letter.raw(message.date_ms));
            let mail = Mail::read(&raw);
            assert!(mail.header("subject").unwrap().ends_with(&letter.subject()), "{:?}", mail.header("subject"));
            assert_eq!(super::super::deliver::date(&mail.root().unwrap().headers), Some(message.date_ms));
            assert_eq!(mail.header("message-id"), Some(letter.message_id().as_str()));
        }
    }
}
