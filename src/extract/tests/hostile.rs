//! Files that were made to harm whoever reads them.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::{Format, archive, paged, refused, said, stream};
use crate::extract::OUTPUT_BYTES_MAX;

/// What a process that reads a file has of its processor.
const ALLOWED: Duration = Duration::from_secs(30);

/// Reads a file, for which what a process has must do: whatever it is, the reader and not the limit ends. Other work on the machine
/// counts nothing.
fn soon(format: Format, bytes: &[u8]) -> Result<String, String> {
    let worked = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap())
    };
    let before = worked();
    let said = said(format, bytes);
    assert!(worked() - before < ALLOWED, "it took {:?}", worked() - before);
    assert!(said.as_ref().map_or(0, String::len) <= OUTPUT_BYTES_MAX);
    said
}

#[test]
fn what_is_no_such_file_is_refused() {
    for format in [Format::Docx, Format::Xlsx, Format::Pptx] {
        refused(format, b"", "it is empty");
        refused(format, b"no archive at all", "no such file");
        refused(format, b"PK\x03\x04 and nothing more", "no such file");
        refused(format, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "password");
        refused(format, &archive(&[("x", b"y")]), "it has no");
    }
    refused(Format::Pdf, b"%PDF-1.7\n1 0 obj\n", "damaged");
}

#[test]
fn a_bomb_is_cut_where_it_is_too_large_whatever_it_says_of_itself() {
    // 120 MB of blanks in one.
    let mut bomb = b"<w:document><w:body><w:p><w:r><w:t>before</w:t></w:r></w:p>".to_vec();
    bomb.resize(bomb.len() + (120 << 20), b' ');
    bomb.extend(b"<w:p><w:r><w:t>after</w:t></w:r></w:p></w:body></w:document>");
    let file = archive(&[("word/document.xml", &bomb)]);
    assert!(file.len() < 2 << 20);
    let said = soon(Format::Docx, &file).unwrap();
    assert!(said.starts_with("before\n\n(Not shown: ") && said.contains("too long or damaged"), "{said}");
}

#[test]
fn no_entity_of_a_document_is_known() {
    let document =
        b"<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'><!ENTITY f SYSTEM 'file:///etc/passwd'>]>\
        <w:document><w:body><w:p><w:r><w:t>x&b;&f;y</w:t></w:r></w:p></w:body></w:document>";
    assert_eq!(soon(Format::Docx, &archive(&[("word/document.xml", document)])).as_deref(), Ok("xy\n"));
}

#[test]
fn depth_and_width_have_an_end() {
    let deep =
        |open: &str, close: &str, count: usize| format!("<w:document>{}{}", open.repeat(count), close.repeat(count));
    for body in [
        deep("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>", 100_000),
        deep("<w:p>", "</w:p>", 300_000),
        deep("<a>", "", 1_000_000),
    ] {
        let said = soon(Format::Docx, &archive(&[("word/document.xml", body.as_bytes())]));
        assert!(said.as_ref().is_ok_and(|said| said.contains("damaged")), "{said:?}");
    }
    // A million columns, in a row of values and in a place of a cell.
    let wide = "x,".repeat(1_000_000);
    let said = soon(Format::Csv, wide.as_bytes()).unwrap();
    assert!(said.contains("columns beyond the first 256"), "{}", said.len());
    let long = "a,b\n".repeat(300_000);
    assert!(soon(Format::Csv, long.as_bytes()).unwrap().contains("rows behind the first 20000"));
    let sheet = r#"<worksheet><row><c r="ZZZZZZ9" t="str"><v>far</v></c><c r="A1" t="str"><v>near</v></c><c r="?" s="-1"><v>NaN</v></c></row></worksheet>"#;
    let parts: [(&str, &[u8]); 3] = [
        ("xl/workbook.xml", br#"<workbook><sheets><sheet name="S" r:id="a"/></sheets></workbook>"#),
        (
            "xl/_rels/workbook.xml.rels",
            br#"<Relationships><Relationship Id="a" Type="x" Target="s.xml"/></Relationships>"#,
        ),
        ("xl/s.xml", sheet.as_bytes()),
    ];
    let said = soon(Format::Xlsx, &archive(&parts)).unwrap();
    assert!(said.contains("near") && !said.contains("far") && said.contains("columns of a sheet"), "{said}");
    // A book is read in part.
    let long = "<p>word word word</p>".repeat(300_000);
    assert!(soon(Format::Html, long.as_bytes()).unwrap().contains("only the first 2 MB"));
}

#[test]
fn no_value_is_cut_without_a_word() {
    let long = "x".repeat(12_000);
    let said = soon(Format::Csv, format!("a,{long}\n").as_bytes()).unwrap();
    assert!(said.contains("what values have behind the first 10000 characters"), "{}", said.len());
    let sheet = format!(r#"<worksheet><row><c t="str"><v>{long}</v></c></row></worksheet>"#);
    let parts: [(&str, &[u8]); 3] = [
        ("xl/workbook.xml", br#"<workbook><sheets><sheet name="S" r:id="a"/></sheets></workbook>"#),
        (
            "xl/_rels/workbook.xml.rels",
            br#"<Relationships><Relationship Id="a" Type="x" Target="s.xml"/></Relationships>"#,
        ),
        ("xl/s.xml", sheet.as_bytes()),
    ];
    let said = soon(Format::Xlsx, &archive(&parts)).unwrap();
    assert!(said.contains("what cells have behind the first 10000 characters"), "{}", said.len());
    let notes = r#"<w:r><w:footnoteReference w:id="1"/></w:r>"#.repeat(20_001);
    let document = format!("<w:document><w:body><w:p><w:r><w:t>x</w:t></w:r>{notes}</w:p></w:body></w:document>");
    let said = soon(Format::Docx, &archive(&[("word/document.xml", document.as_bytes())])).unwrap();
    assert!(said.contains("notes behind the first 20000"), "{}", said.len());
}

#[test]
fn a_pdf_may_loop() {
    // A drawing that shows itself, twice; and pages that are their own parents.
    let form = |number: usize| {
        stream(
            "/Subtype /Form /Resources << /XObject << /X 6 0 R /Y 7 0 R >> /Font << /F 3 0 R >> >>",
            &format!("/X Do /Y Do BT /F 9 Tf (f{number}) Tj ET"),
        )
    };
    let page = "BT /F 9 Tf (page) Tj ET /X Do";
    let said = soon(Format::Pdf, &paged(&[page], "/XObject << /X 6 0 R >>", &[form(6), form(7)])).unwrap();
    assert_eq!(said, "page\nf7\nf6\n");
    // A drawing in a drawing, and so on: what stands too deep is told.
    let chain: Vec<String> = (6..26)
        .map(|number| {
            let dict =
                format!("/Subtype /Form /Resources << /XObject << /X {} 0 R >> /Font << /F 3 0 R >> >>", number + 1);
            stream(&dict, &format!("BT /F 9 Tf (f{number}) Tj ET /X Do"))
        })
        .collect();
    let said = soon(Format::Pdf, &paged(&[page], "/XObject << /X 6 0 R >>", &chain)).unwrap();
    assert!(said.contains("f17") && !said.contains("f18"), "{said}");
    assert!(said.contains("drawings that stand too deep in others"), "{said}");
    let looped = paged(&[page], "", &[]);
    let looped = String::from_utf8(looped).unwrap().replace("/Kids [4 0 R]", "/Kids [2 0 R 4 0 R]").into_bytes();
    drop(soon(Format::Pdf, &looped));
    let unclosed = format!("{}(never closed", "q ".repeat(1_000_000));
    drop(soon(Format::Pdf, &paged(&[&unclosed], "", &[])));
    let nested = "[".repeat(500_000);
    drop(soon(Format::Pdf, &paged(&[&nested], "", &[])));
}

#[test]
fn an_encrypted_pdf_asks_for_its_password() {
    let file = String::from_utf8(paged(&["BT /F 9 Tf (x) Tj ET"], "", &[])).unwrap();
    let key = "ab".repeat(32);
    let encrypted = file.replace(
        "/Root 1 0 R",
        &format!("/Root 1 0 R /ID [<aa> <aa>] /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{key}> /U <{key}> >>"),
    );
    refused(Format::Pdf, encrypted.as_bytes(), "password");
}

#[test]
fn any_prefix_of_a_file_is_some_file() {
    let document = b"<w:document><w:body><w:p><w:r><w:t>text</w:t></w:r></w:p></w:body></w:document>";
    let files = [
        (Format::Docx, archive(&[("word/document.xml", document)])),
        (Format::Pdf, paged(&["BT /F 9 Tf (text) Tj ET"], "", &[])),
        (Format::Html, b"<p>text</p><table><tr><td>a<td>b</table>".to_vec()),
        (Format::Csv, b"a,\"b\nc\",d\n".to_vec()),
        (Format::Ics, b"BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT".to_vec()),
    ];
    for (format, file) in files {
        for length in 0..file.len() {
            let mut torn = file.get(..length).unwrap().to_vec();
            drop(said(format, &torn));
            torn.extend(file.get(length + 1..).unwrap());
            drop(said(format, &torn));
        }
    }
}
