//! Names of attachments.

use crate::kinds::gmail::text::names::{Names, safe};

fn check(said: &str, expected: Option<&str>) {
    assert_eq!(safe(said).as_deref(), expected, "{said:?}");
}

#[test]
fn names_are_safe() {
    for (said, expected) in [
        ("report.pdf", "report.pdf"),
        ("../../.ssh/authorized_keys", "authorized_keys"),
        ("..\\..\\Windows\\evil.exe", "evil.exe"),
        ("/etc/passwd", "passwd"),
        ("C:\\a\\b.txt", "b.txt"),
        ("a/..", "a"),
        ("dir/", "dir"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("com1.log", "_com1.log"),
        ("Lpt².x", "_Lpt².x"),
        ("company.txt", "company.txt"),
        ("a\u{0}b\nc\td.txt", "abcd.txt"),
        ("invoice\u{202e}fdp.exe", "invoicefdp.exe"),
        ("\u{200f}a\u{2066}b.txt", "ab.txt"),
        (".bashrc", "bashrc"),
        (" ..x.. ", "x"),
        ("~$doc.docx", "$doc.docx"),
        ("a:b*c?.txt", "a_b_c_.txt"),
        ("Отчёт за год.pdf", "Отчёт за год.pdf"),
        ("報告書.docx", "報告書.docx"),
        ("e\u{301}.txt", "e\u{301}.txt"),
        ("a%2F..%2Fb", "a%2F..%2Fb"),
    ] {
        check(said, Some(expected));
    }
    for said in ["", ".", "..", "/", "../..", " . ", "\u{202e}", "\u{0}"] {
        check(said, None);
    }
}

#[test]
fn long_names_keep_their_ending() {
    for (stem, ending) in
        [("x", ".pdf"), ("界", ".docx"), ("é", ".tar.gz"), ("a.b", ""), ("x", ".averyveryverylongending")]
    {
        let name = safe(&format!("{}{ending}", stem.repeat(300))).unwrap();
        assert!(name.len() <= 180, "{name}");
        assert!(ending.len() > 16 || name.ends_with(ending), "{name}");
    }
}

#[test]
fn collisions_are_numbered() {
    let mut names = Names::default();
    names.reserve("19b0e7fe6f653f69.eml");
    let mut check = |said: Option<&str>, media_type: &str, expected: &str| {
        assert_eq!(names.give(said, media_type), expected);
    };
    check(Some("a.pdf"), "", "a.pdf");
    check(Some("A.PDF"), "", "A (2).PDF");
    check(Some("x/a.pdf"), "", "a (3).pdf");
    check(Some("a (2).pdf"), "", "a (2) (2).pdf");
    check(Some("19B0e7fe6f653f69.eml"), "", "19B0e7fe6f653f69 (2).eml");
    check(None, "image/png", "image.png");
    check(Some(".."), "image/png", "image (2).png");
    check(None, "text/calendar", "invite.ics");
    check(None, "application/octet-stream", "attachment.bin");
    check(None, "", "attachment (2).bin");
    check(None, "message/rfc822", "message.eml");
    check(None, "application/../../x", "attachment (3).bin");
}

#[test]
fn the_text_of_a_file_has_a_name_that_no_other_file_has() {
    let mut names = Names::default();
    let mut check = |said: &str, media_type: &str, expected: &str| {
        assert_eq!(names.give(Some(said), media_type), expected);
    };
    check("a.pdf", "", "a.pdf");
    check("A.pdf.MD", "", "A.pdf (2).MD");
    check("b.csv.md", "", "b.csv.md");
    check("b.csv", "", "b (2).csv");
    check("b.csv", "", "b (3).csv");
    check("offer", "application/pdf", "offer");
    check("offer.md", "", "offer (2).md");
    // What is not read has no text, so it stands in nobody's way.
    check("c.png.md", "", "c.png.md");
    check("c.png", "image/png", "c.png");
}

#[test]
fn many_of_one_name_take_no_long_time() {
    let mut names = Names::default();
    for _ in 0..1_500 {
        names.give(Some("a.txt"), "text/plain");
    }
}
