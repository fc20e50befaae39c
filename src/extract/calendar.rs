//! Invitations: what, when, where, who, and whether an answer is wanted.
//!
//! Source: RFC 5545 and RFC 5546, as far as people read them.

use super::lines::Line;

/// How many events of a calendar are told, and how many guests of an event.
const EVENTS_MAX: usize = 20;
const GUESTS_MAX: usize = 50;

/// The longest value that is shown, in characters.
const VALUE_MAX: usize = 500;

/// The longest description that is shown, in characters.
const DESCRIPTION_MAX: usize = 10_000;

/// Tells what a calendar says; empty where it has no event.
pub(crate) fn lines(text: &str, depth: usize) -> Vec<Line> {
    let mut out = Vec::new();
    let (mut method, mut event, mut count): (String, Option<Event>, usize) = (String::new(), None, 0);
    let mut inner = 0_usize;
    for line in unfolded(text) {
        let Some((name, parameters, value)) = property(&line) else { continue };
        match (&*name, &mut event) {
            ("METHOD", None) => value.trim().to_ascii_uppercase().clone_into(&mut method),
            ("BEGIN", None)
                if value.trim().eq_ignore_ascii_case("VEVENT") || value.trim().eq_ignore_ascii_case("VTODO") =>
            {
                event = Some(Event::default());
            }
            ("BEGIN", Some(_)) => inner += 1,
            ("END", Some(_)) if inner > 0 => inner -= 1,
            ("END", Some(_)) => {
                count += 1;
                if let Some(event) = event.take().filter(|_| count <= EVENTS_MAX) {
                    event.tell(&method, depth, &mut out);
                }
            }
            (_, Some(event)) if inner == 0 => event.take(&name, &parameters, &value),
            _ => {}
        }
    }
    if let Some(event) = event {
        event.tell(&method, depth, &mut out);
    }
    if count > EVENTS_MAX {
        out.push(Line::text(&format!("({} more events)", count - EVENTS_MAX), depth, true));
    }
    out
}

#[derive(Default)]
struct Event {
    what: String,
    begin: String,
    end: String,
    duration: String,
    place: String,
    organizer: String,
    guests: Vec<String>,
    more_guests: usize,
    answer: bool,
    repeats: String,
    status: String,
    description: String,
    join: String,
}

impl Event {
    fn take(&mut self, name: &str, parameters: &[(String, String)], value: &str) {
        let parameter =
            |wanted: &str| parameters.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
        match name {
            "SUMMARY" => self.what = shown(value, VALUE_MAX),
            "DTSTART" => self.begin = moment(value, parameter("TZID")),
            "DTEND" | "DUE" => self.end = moment(value, parameter("TZID")),
            "DURATION" => self.duration = shown(value, VALUE_MAX),
            "LOCATION" => self.place = shown(value, VALUE_MAX),
            "RRULE" => self.repeats = shown(value, VALUE_MAX),
            "STATUS" => self.status = value.trim().to_ascii_lowercase(),
            "DESCRIPTION" => self.description = shown(value, DESCRIPTION_MAX),
            "X-GOOGLE-CONFERENCE" | "X-MICROSOFT-SKYPETEAMSMEETINGURL" => self.join = shown(value, VALUE_MAX),
            "ORGANIZER" => self.organizer = person(value, parameter("CN")),
            "ATTENDEE" => {
                self.answer |= parameter("RSVP").is_some_and(|wanted| wanted.eq_ignore_ascii_case("true"));
                if self.guests.len() >= GUESTS_MAX {
                    self.more_guests += 1;
                    return;
                }
                let answer = match parameter("PARTSTAT").map(str::to_ascii_uppercase).as_deref() {
                    Some("ACCEPTED") => " (accepted)",
                    Some("DECLINED") => " (declined)",
                    Some("TENTATIVE") => " (maybe)",
                    Some(_) | None => "",
                };
                self.guests.push(format!("{}{answer}", person(value, parameter("CN"))));
            }
            _ => {}
        }
    }

    fn tell(self, method: &str, depth: usize, out: &mut Vec<Line>) {
        let kind = match (method, &*self.status) {
            ("CANCEL", _) | (_, "cancelled") => "Cancelled event",
            ("REPLY", _) => "Answer to an invitation",
            ("COUNTER", _) => "Another time proposed",
            ("REQUEST", _) => "Invitation",
            _ => "Event",
        };
        let mut first = true;
        let mut say = |name: &str, value: &str| {
            if !value.is_empty() {
                out.push(Line::text(&format!("{name}: {value}"), depth, first));
                first = false;
            }
        };
        say(kind, if self.what.is_empty() { "(no title)" } else { &self.what });
        let to = if self.end.is_empty() { self.duration } else { self.end };
        say("When", &if to.is_empty() { self.begin } else { format!("{} – {to}", self.begin) });
        say("Repeats", &self.repeats);
        say("Where", &self.place);
        say("Join", &self.join);
        say("Organizer", &self.organizer);
        let mut guests = self.guests.join(", ");
        if self.more_guests > 0 {
            guests.push_str(&format!(" and {} more", self.more_guests));
        }
        say("Who", &guests);
        if self.answer && method == "REQUEST" {
            say("Answer", "wanted");
        }
        say("Description", &self.description);
    }
}

/// Lines that were folded at 75 bytes are one.
fn unfolded(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let line = line.trim_end_matches('\r');
        match (line.strip_prefix([' ', '\t']), out.last_mut()) {
            (Some(rest), Some(last)) => last.push_str(rest),
            _ => out.push(line.to_owned()),
        }
    }
    out
}

/// Names of parameters with their values.
type Parameters = Vec<(String, String)>;

/// Reads `NAME;PARAMETER=value:value`.
fn property(line: &str) -> Option<(String, Parameters, String)> {
    let mut quoted = false;
    let colon = line.char_indices().find(|(_, letter)| {
        quoted ^= *letter == '"';
        *letter == ':' && !quoted
    })?;
    let (head, value) = (line.get(..colon.0)?, line.get(colon.0 + 1..)?);
    let mut pieces = Vec::new();
    let mut quoted = false;
    for piece in head.split(|letter| {
        quoted ^= letter == '"';
        letter == ';' && !quoted
    }) {
        pieces.push(piece);
    }
    let name = pieces.first()?.trim().to_ascii_uppercase();
    let parameters = pieces.iter().skip(1).take(32).filter_map(|piece| piece.split_once('='));
    let parameters =
        parameters.map(|(name, value)| (name.trim().to_ascii_uppercase(), value.trim_matches('"').to_owned()));
    Some((name, parameters.collect(), value.to_owned()))
}

/// Undoes escapes, on one line.
fn shown(value: &str, max: usize) -> String {
    let mut out = String::new();
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n' | 'N') | None => out.push(' '),
                Some(escaped) => out.push(escaped),
            },
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    let words: Vec<&str> = out.split_whitespace().collect();
    let all = words.join(" ");
    if all.chars().count() > max { format!("{}…", all.chars().take(max).collect::<String>()) } else { all }
}

/// `20261120T140300Z` as `2026-11-20 14:03 UTC`, with the zone that it is said in.
fn moment(value: &str, zone: Option<&str>) -> String {
    let value = value.trim();
    let digits: Vec<char> = value.chars().filter(char::is_ascii_digit).collect();
    let part = |from: usize, to: usize| digits.get(from..to).map(|part| part.iter().collect::<String>());
    let Some(((year, month), day)) = part(0, 4).zip(part(4, 6)).zip(part(6, 8)) else { return shown(value, VALUE_MAX) };
    let date = format!("{year}-{month}-{day}");
    let Some((hour, minute)) = part(8, 10).zip(part(10, 12)) else { return format!("{date} (all day)") };
    let zone = if value.ends_with(['Z', 'z']) { "UTC".to_owned() } else { shown(zone.unwrap_or("local time"), 80) };
    format!("{date} {hour}:{minute} {zone}")
}

fn person(value: &str, name: Option<&str>) -> String {
    let address = value.trim();
    let address = address
        .get(..7)
        .filter(|head| head.eq_ignore_ascii_case("mailto:"))
        .map_or(address, |_| address.get(7..).unwrap_or_default());
    let (address, name) = (shown(address, 200), shown(name.unwrap_or_default(), 100));
    if name.is_empty() || name == address { address } else { format!("{name} <{address}>") }
}
