//! What programs write above quotes and forwards, in many languages.

/// Words for "wrote" in the line above a quote.
const WROTE: &[&str] = &[
    "wrote",
    "writes",
    "schrieb",
    "schreibt",
    "geschrieben",
    "a écrit",
    "écrit",
    "a ecrit",
    "escribió",
    "escribio",
    "escribiu",
    "ha scritto",
    "scrisse",
    "scritto",
    "escreveu",
    "schreef",
    "geschreven",
    "napisał",
    "napisała",
    "napisał(a)",
    "pisze",
    "пишет",
    "писал",
    "писала",
    "написал",
    "написала",
    "написал(а)",
    "пише",
    "писав",
    "написав",
    "написала",
    "napsal",
    "napsala",
    "napsal(a)",
    "napísal",
    "napísala",
    "skrev",
    "kirjoitti",
    "yazdı",
    "yazmış",
    "έγραψε",
    "כתב",
    "כתבה",
    "כתב/ה",
    "كتب",
    "كتبت",
    "كتابة",
    "書きました",
    "のメール",
    "写道",
    "寫道",
    "작성",
    "썼습니다",
    "쓴 글",
    "írta",
    "a scris",
    "đã viết",
    "เขียน",
    "menulis",
    "va escriure",
    "napisao",
    "написа",
    "kirjutas",
    "rakstīja",
    "rašė",
    "skrifaði",
];

/// Names of the header fields that programs copy above a quote: who, when, to whom, about what.
const FROM: &[&str] = &[
    "from",
    "von",
    "de",
    "da",
    "van",
    "od",
    "от",
    "від",
    "от кого",
    "från",
    "fra",
    "lähettäjä",
    "kimden",
    "gönderen",
    "από",
    "מאת",
    "من",
    "差出人",
    "送信者",
    "发件人",
    "發件人",
    "寄件者",
    "寄件人",
    "보낸 사람",
    "보낸사람",
    "feladó",
    "de la",
    "expéditeur",
    "remitente",
    "mittente",
    "remetente",
    "afzender",
    "dari",
    "từ",
];
const SENT: &[&str] = &[
    "sent",
    "date",
    "gesendet",
    "datum",
    "envoyé",
    "enviado",
    "enviado el",
    "enviada",
    "enviada em",
    "fecha",
    "data",
    "inviato",
    "verzonden",
    "wysłano",
    "wysłane",
    "отправлено",
    "дата",
    "надіслано",
    "дата",
    "odesláno",
    "skickat",
    "sendt",
    "dato",
    "lähetetty",
    "päivämäärä",
    "gönderildi",
    "gönderilme",
    "tarih",
    "στάλθηκε",
    "ημερομηνία",
    "נשלח",
    "תאריך",
    "تم الإرسال",
    "التاريخ",
    "تاريخ",
    "送信日時",
    "日付",
    "日時",
    "发送时间",
    "發送時間",
    "日期",
    "時間",
    "보낸 날짜",
    "날짜",
    "elküldve",
    "trimis",
];
const TO: &[&str] = &[
    "to",
    "cc",
    "bcc",
    "an",
    "à",
    "a",
    "para",
    "aan",
    "do",
    "dw",
    "кому",
    "копия",
    "кому",
    "копія",
    "komu",
    "kopie",
    "till",
    "kopia",
    "til",
    "kopi",
    "vastaanottaja",
    "kopio",
    "kime",
    "bilgi",
    "προς",
    "κοιν",
    "אל",
    "עותק",
    "إلى",
    "نسخة",
    "宛先",
    "收件人",
    "抄送",
    "收件者",
    "副本",
    "받는 사람",
    "받는사람",
    "참조",
    "címzett",
    "către",
    "kepada",
    "đến",
];
const SUBJECT: &[&str] = &[
    "subject",
    "betreff",
    "objet",
    "asunto",
    "oggetto",
    "assunto",
    "onderwerp",
    "temat",
    "тема",
    "předmět",
    "predmet",
    "ämne",
    "emne",
    "aihe",
    "konu",
    "θέμα",
    "נושא",
    "الموضوع",
    "件名",
    "主题",
    "主題",
    "主旨",
    "제목",
    "tárgy",
    "subiect",
    "perihal",
];

/// What stands between the dashes above a copied message.
const ORIGINAL: &[&str] = &[
    "original message",
    "original appointment",
    "ursprüngliche nachricht",
    "originalnachricht",
    "urspr. nachricht",
    "message d'origine",
    "message d’origine",
    "message original",
    "mensaje original",
    "messaggio originale",
    "mensagem original",
    "oorspronkelijk bericht",
    "wiadomość oryginalna",
    "oryginalna wiadomość",
    "исходное сообщение",
    "оригінальне повідомлення",
    "původní zpráva",
    "ursprungligt meddelande",
    "oprindelig meddelelse",
    "opprinnelig melding",
    "alkuperäinen viesti",
    "özgün ileti",
    "元のメッセージ",
    "原始邮件",
    "原始郵件",
    "원본 메시지",
];

/// What stands above a forwarded message.
const FORWARDED: &[&str] = &[
    "forwarded message",
    "begin forwarded message",
    "start of forwarded message",
    "forwarded by",
    "weitergeleitete nachricht",
    "anfang der weitergeleiteten nachricht",
    "message transféré",
    "message réexpédié",
    "début du message transféré",
    "début du message réexpédié",
    "mensaje reenviado",
    "inicio del mensaje reenviado",
    "messaggio inoltrato",
    "inizio messaggio inoltrato",
    "mensagem encaminhada",
    "mensagem reencaminhada",
    "início da mensagem encaminhada",
    "início da mensagem reencaminhada",
    "doorgestuurd bericht",
    "begin doorgestuurd bericht",
    "przekazana wiadomość",
    "treść przekazanej wiadomości",
    "początek przekazywanej wiadomości",
    "пересылаемое сообщение",
    "пересланное сообщение",
    "начало переадресованного сообщения",
    "начало пересылаемого сообщения",
    "переслане повідомлення",
    "пересилається повідомлення",
    "přeposlaná zpráva",
    "vidarebefordrat meddelande",
    "vidarebefordrat brev",
    "videresendt meddelelse",
    "videresendt melding",
    "videresendt besked",
    "välitetty viesti",
    "edelleenlähetetty viesti",
    "yönlendirilmiş mesaj",
    "iletilen mesaj",
    "προωθημένο μήνυμα",
    "הודעה שהועברה",
    "رسالة معاد توجيهها",
    "転送メッセージ",
    "転送されたメッセージ",
    "转发的邮件",
    "轉寄的郵件",
    "전달된 메일",
];
const FORWARDED_MORE: &[&str] = &[
    "転送されたメール",
    "转发邮件",
    "被转发邮件信息",
    "轉寄郵件",
    "전달된 메시지",
    "továbbított üzenet",
    "mesaj redirecționat",
    "الرسالة المحولة",
];

/// What subjects of forwards begin with.
const FORWARD_SUBJECTS: &[&str] =
    &["fwd", "fw", "wg", "tr", "rv", "enc", "doorst", "vs", "vb", "pd", "ynt", "i", "転送", "转发"];

/// The longest line above a quote, in characters, over all lines that it was wrapped to.
const ATTRIBUTION_MAX: usize = 400;

/// Takes out what is not seen, and the marks of emphasis around.
pub(super) fn bare(text: &str) -> String {
    let unseen = |letter: char| matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    let text: String = text
        .chars()
        .filter(|letter| !unseen(*letter))
        .map(|c| if c == '\u{a0}' || c == '\u{202f}' { ' ' } else { c })
        .collect();
    text.trim().to_owned()
}

/// Tells whether a text is the line above a quote: `On Monday … wrote:`. `dated`: only with a date or a time in it.
pub(super) fn is_attribution(text: &str, dated: bool) -> bool {
    let text = bare(text);
    if text.chars().count() > ATTRIBUTION_MAX {
        return false;
    }
    let Some(head) = text.trim_end_matches(['*', '_']).strip_suffix([':', '：']) else { return false };
    // What has a colon within, but for that of a time, is more than one line.
    if head.contains(": ") {
        return false;
    }
    let digits = head.chars().filter(|letter| letter.is_numeric()).count();
    let has_date = digits >= 3;
    let has_address = head.contains('@');
    let lower = head.to_lowercase();
    let says_wrote = WROTE.iter().any(|word| has_word(&lower, word));
    if dated { has_date && (says_wrote || has_address) } else { says_wrote || (has_date && has_address) }
}

/// Tells whether a line begins as lines above quotes do: `On 3 Feb 2026`.
pub(super) fn begins_attribution(text: &str) -> bool {
    let lower = bare(text).to_lowercase();
    let first = lower.split([' ', ',', '.']).next().unwrap_or_default();
    let words = [
        "on", "am", "le", "el", "il", "em", "op", "den", "dne", "dnia", "w", "в", "во", "у", "στις", "il", "la", "lun",
        "mon", "tue", "wed", "thu", "fri", "sat", "sun", "в", "ma", "på", "pe", "ti", "ke", "to", "la", "su",
    ];
    let is_number = !first.is_empty() && first.chars().all(char::is_numeric);
    lower.chars().filter(|letter| letter.is_numeric()).count() >= 3 && (words.contains(&first) || is_number)
}

/// Tells whether a text has a word, which in scripts with blanks stands apart.
fn has_word(text: &str, word: &str) -> bool {
    let joins = |letter: Option<char>| letter.is_some_and(|c| c.is_alphanumeric() && (c as u32) < 0x590);
    let begins_plain = word.starts_with(|c: char| (c as u32) < 0x590);
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|text| text.chars().next());
        !begins_plain || (!joins(before) && !joins(after))
    })
}

/// A header field that was copied above a quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    From,
    Sent,
    To,
    Subject,
}

/// Reads `From: Ana Lee` and its like, and tells which field it is.
pub(super) fn field(text: &str) -> Option<Field> {
    let far = text.find([':', '：']).is_none_or(|at| at > 120);
    if far {
        return None;
    }
    let text = bare(text);
    let (name, value) = text.split_once([':', '：'])?;
    let name = name.trim_matches(['*', '_', ' ', '>']).to_lowercase();
    if name.chars().count() > 25 || value.trim_matches(['*', ' ']).is_empty() {
        return None;
    }
    [(Field::From, FROM), (Field::Sent, SENT), (Field::To, TO), (Field::Subject, SUBJECT)]
        .into_iter()
        .find_map(|(field, names)| names.contains(&&*name).then_some(field))
}

/// Tells whether a line parts a message from a copied one: `-----Original Message-----`, or a long stroke.
pub(super) fn is_separator(text: &str) -> bool {
    if text.len() > 300 || !text.contains(['-', '_']) {
        return false;
    }
    let text = bare(text);
    let inner = text.trim_matches(['-', '_', ' ', '—', '–', '*', '=']);
    if inner.is_empty() {
        return text.len() >= 10 && text.starts_with(['_', '-']);
    }
    text.starts_with('-') && ORIGINAL.contains(&&*inner.trim_end_matches(':').to_lowercase())
}

/// Tells whether a line begins a forwarded message.
pub(super) fn begins_forward(text: &str) -> bool {
    if text.len() > 400 || !text.contains(['-', '_', '—', '=', ':', '：']) {
        return false;
    }
    let text = bare(text);
    let inner = text.trim_matches(['-', '_', ' ', '—', '–', '*', '=', '>']);
    let marked = text.starts_with(['-', '_', '—', '=']) || text.ends_with([':', '：']);
    let inner = inner.trim_end_matches([':', '：', ' ']).to_lowercase();
    let known = FORWARDED.iter().chain(FORWARDED_MORE).any(|phrase| inner == *phrase);
    marked && (known || inner.starts_with("forwarded by "))
}

/// Tells whether a subject is that of a forward.
pub(super) fn is_forward_subject(subject: &str) -> bool {
    let Some((head, _)) = subject.trim().split_once([':', '：']) else { return false };
    FORWARD_SUBJECTS.contains(&&*head.trim().to_lowercase())
}
