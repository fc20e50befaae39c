//! PDFs, and what is text already.

use super::{Format, check, paged, refused, said, stream};

#[test]
fn a_pdf_says_what_its_pages_show() {
    let move_to = |x: i32, y: i32, text: &str| format!("BT /F 10 Tf {x} {y} Td ({text}) Tj ET\n");
    for (content, expected) in [
        // Lines of one paragraph, then another.
        (
            move_to(50, 700, "One line") + &move_to(50, 688, "and its next.") + &move_to(50, 650, "Another."),
            "One line\nand its next.\n\nAnother.",
        ),
        // A gap is a blank; letters that are set apart one by one are a word.
        ("BT /F 10 Tf 50 700 Td [(Wo) -20 (rd) -400 (two)] TJ ET".to_owned(), "Word two"),
        (move_to(50, 700, "left") + &move_to(300, 700, "right"), "left right"),
        // Escapes, and letters beyond ASCII.
        (move_to(50, 700, r"caf\351 \(\200 5\) {!mono}x"), "café (€ 5) \\{!mono}x"),
        // Turned text stands apart.
        (move_to(50, 700, "flat") + "BT /F 10 Tf 0 1 -1 0 20 20 Tm (up) Tj ET", "flat\n\nup"),
        // The same drawing on the page, with a matrix of its own.
        (move_to(50, 700, "page") + "q 1 0 0 1 0 -100 cm /X Do Q", "page\n\nform"),
        ("BT /F 10 Tf 50 700 Td 12 TL (a) Tj (b) ' ET".to_owned(), "a\nb"),
    ] {
        let form = stream("/Type /XObject /Subtype /Form /Matrix [1 0 0 1 50 500]", "BT /F 10 Tf (form) Tj ET");
        check(Format::Pdf, &paged(&[&content], "/XObject << /X 6 0 R >>", &[form]), expected);
    }
    let pages = paged(&["BT /F 9 Tf (first) Tj ET", "", "BT /F 9 Tf (third) Tj ET"], "", &[]);
    check(Format::Pdf, &pages, "## Page 1\n\nfirst\n\n## Page 3\n\nthird");
}

#[test]
fn fonts_say_what_their_codes_mean() {
    let map = "1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfrange <0001> <0003> <0416> endbfrange 1 beginbfchar <0009> <00660066> endbfchar";
    let more = [
        "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode 7 0 R /DescendantFonts [<< /Subtype /CIDFontType2 /DW 500 /W [1 [600 600] 3 9 500] >>] >>".to_owned(),
        stream("", map),
        "<< /Type /Font /Subtype /Type1 /BaseFont /B /Encoding << /Differences [1 /Lslash /oacute /dcroat /zacute /f_f /afii10017 /omega /uni20AC /space /nothingknown] >> >>".to_owned(),
        "<< /Type /Font /Subtype /Type0 /BaseFont /C /Encoding /Identity-H /DescendantFonts [<< >>] >>".to_owned(),
    ];
    let page = "BT /W 10 Tf 50 700 Td <00010002000300090041> Tj /D 10 Tf 0 -40 Td <010203040506070809010a> Tj /N 10 Tf 0 -40 Td <0001> Tj ET";
    let file = paged(&[page], "/Font << /W 6 0 R /D 8 0 R /N 9 0 R /F 3 0 R >>", &more);
    // A second entry of the name counts for nothing: the first one has only /F.
    let file = String::from_utf8(file).unwrap().replace("/Font << /F 3 0 R >> /Font", "/Font").into_bytes();
    check(
        Format::Pdf,
        &file,
        "ЖЗИff\n\nŁóđźffАω€ Ł\n\n(Not shown: 3 characters whose fonts do not say what they mean.)",
    );
}

#[test]
fn a_pdf_without_text_says_so() {
    refused(Format::Pdf, &paged(&["0 0 m 9 9 l S"], "", &[]), "pictures of text are not read");
    refused(Format::Pdf, b"no PDF at all", "no PDF");
}

#[test]
fn values_are_tables() {
    for (bytes, expected) in [
        (&b"a,b\n1,\"x, y\"\n"[..], "| a | b |\n| --- | --- |\n| 1 | x, y |"),
        (b"a;b\r\n1,5;2\r\n", "| a | b |\n| --- | --- |\n| 1,5 | 2 |"),
        (b"a\tb\n1\t2\n3\n", "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 |  |"),
        (b"sep=|\na|b,c\n", "| a | b,c |\n| --- | --- |"),
        (b"\xef\xbb\xbfn\xc3\xa4me,b\n", "| näme | b |\n| --- | --- |"),
        (b"caf\xe9,\x80\n", "| café | € |\n| --- | --- |"),
        (b"\xff\xfea\0,\0b\0\n\0", "| a | b |\n| --- | --- |"),
        (b"{!mono}x,a|b\n", "| \\{!mono}x | a\\|b |\n| --- | --- |"),
    ] {
        check(Format::Csv, bytes, expected);
    }
}

#[test]
fn pages_and_calendars_are_read_as_in_mails() {
    let page = "<title>T</title><h2>Head</h2><p>One <b>bold</b> <a href='https://example.com/'>link</a></p><script>no</script>\
                <table><tr><th>a<th>b<tr><td>1<td>2</table><p style='display:none'>three hidden words</p><ul><li>item</ul>";
    check(
        Format::Html,
        page.as_bytes(),
        "## Head\n\nOne **bold** [link](https://example.com/)\n\n| **a** | **b** |\n| --- | --- |\n| 1 | 2 |\n\n- item\n\n(Not shown: 3 words that cannot be seen on the page.)",
    );
    let event = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Trip\\, again\r\nDTSTART:20261120T140300Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let said = said(Format::Ics, event.as_bytes()).unwrap();
    assert!(said.contains("Event: Trip, again") && said.contains("2026-11-20 14:03 UTC"), "{said}");
    refused(Format::Ics, b"BEGIN:VCALENDAR", "no event");
}
