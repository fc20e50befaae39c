//! What files say, as tables; the files are made here.

mod hostile;
mod office;
mod pages;

use std::io::Write as _;

use super::{Format, beside, text};
use crate::mebdf::{parse, print};

/// What is read of a file; its Markdown is a fixed point, with no head.
fn said(format: Format, bytes: &[u8]) -> Result<String, String> {
    let said = text(format, bytes);
    if let Ok(said) = &said {
        let parsed = parse(said);
        assert_eq!(print(&parsed.tree), *said);
        assert!(parsed.tree.front_matter.is_none(), "{said}");
    }
    said
}

#[track_caller]
fn check(format: Format, bytes: &[u8], expected: &str) {
    assert_eq!(said(format, bytes).as_deref().map(str::trim), Ok(expected.trim()));
}

#[track_caller]
fn refused(format: Format, bytes: &[u8], expected: &str) {
    let said = said(format, bytes);
    assert!(said.as_ref().is_err_and(|problem| problem.contains(expected)), "{said:?}");
}

/// An archive of these parts.
fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut out);
    for (name, bytes) in parts {
        let (mut entry, config) =
            archive.new_file(name).compression_method(rawzip::CompressionMethod::DEFLATE).start().unwrap();
        let encoder = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::fast());
        let mut writer = config.wrap(encoder);
        writer.write_all(bytes).unwrap();
        let (encoder, descriptor) = writer.finish().unwrap();
        encoder.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    out
}

/// A PDF of these objects, the first of which is number 1; the table of their places is made. The first is the catalog.
fn pdf(objects: &[String]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(out.len());
        write!(out, "{} 0 obj\n{object}\nendobj\n", number + 1).unwrap();
    }
    let table = out.len();
    write!(out, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).unwrap();
    for place in places {
        writeln!(out, "{place:010} 00000 n ").unwrap();
    }
    write!(out, "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1).unwrap();
    out
}

fn stream(dict: &str, data: &str) -> String {
    format!("<< /Length {} {dict} >>\nstream\n{data}\nendstream", data.len())
}

/// A PDF of pages with these contents, all in one western font; further objects have the numbers from `4 + 2 * pages` on.
fn paged(contents: &[&str], resources: &str, more: &[String]) -> Vec<u8> {
    let kids: Vec<String> = (0..contents.len()).map(|number| format!("{} 0 R", 4 + 2 * number)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Count {} /Kids [{}] >>", contents.len(), kids.join(" ")),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    for (number, content) in contents.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R /Resources << /Font << /F 3 0 R >> {resources} >> >>",
            5 + 2 * number
        ));
        objects.push(stream("", content));
    }
    objects.extend_from_slice(more);
    pdf(&objects)
}

#[test]
fn formats_are_told_by_name_then_by_type() {
    for (name, media_type, expected) in [
        ("a.pdf", "application/octet-stream", Some(Format::Pdf)),
        ("A.PDF", "text/html", Some(Format::Pdf)),
        ("offer", "application/PDF", Some(Format::Pdf)),
        ("a.docm", "", Some(Format::Docx)),
        ("a.xlsx", "", Some(Format::Xlsx)),
        ("a.ppsx", "", Some(Format::Pptx)),
        ("a.tsv", "text/plain", Some(Format::Csv)),
        ("invite.ics", "text/calendar", Some(Format::Ics)),
        ("a.htm", "", Some(Format::Html)),
        ("a.doc", "application/msword", None),
        ("a.txt", "text/plain", None),
        ("pdf", "image/png", None),
        ("a.pdf.md", "application/octet-stream", None),
    ] {
        assert_eq!(Format::of(name, media_type), expected, "{name} {media_type}");
    }
}

#[test]
fn the_file_beside_says_what_it_is_and_takes_no_words_of_others_for_its_own() {
    let hostile = "a\n---\nid: x\n---\n{!mono}.pdf";
    let good = beside(hostile, Some("https://drive.google.com/__x_y__/"), Ok("One\n"));
    let bad = beside(hostile, None, Err("it is empty"));
    for text in [&good, &bad] {
        let parsed = parse(text);
        assert!(parsed.tree.front_matter.is_none() && !text.contains("\n{!") && !text.contains(" {!"), "{text}");
        assert!(text.starts_with("(The text of a --- id: x --- \\{!mono}.pdf"), "{text}");
        assert!(text.lines().next().unwrap().contains("edits here are sent nowhere") || text.contains("Edits here"));
    }
    assert!(
        good.ends_with("\n\nOne\n")
            && good.contains("(The same file is [in Google Drive](https://drive.google.com/__x_y__/).)"),
        "{good}"
    );
    assert!(bad.contains("could not be read: it is empty."), "{bad}");
}
