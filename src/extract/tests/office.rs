//! Documents, workbooks and slides.

use super::{Format, archive, check, refused, said};

fn docx(body: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let document = format!(
        r#"<?xml version="1.0"?><w:document xmlns:w="w" xmlns:r="r" xmlns:mc="mc"><w:body>{body}</w:body></w:document>"#
    );
    let mut parts: Vec<(&str, &[u8])> = vec![("word/document.xml", document.as_bytes())];
    parts.extend(more.iter().map(|(name, text)| (*name, text.as_bytes())));
    archive(&parts)
}

const STYLES: &str = r#"<w:styles xmlns:w="w">
  <w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
  <w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>
  <w:style w:styleId="Own"><w:name w:val="Own"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style></w:styles>"#;

const LISTS: &str = r#"<w:numbering xmlns:w="w">
  <w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
  <w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num></w:numbering>"#;

fn p(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

fn styled(properties: &str, text: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

#[test]
fn documents_keep_headings_lists_tables_notes_and_links() {
    let item = |level: u8, text: &str| {
        styled(&format!(r#"<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>"#), text)
    };
    let cell = |text: &str| format!("<w:tc>{}</w:tc>", p(text));
    let wide = format!(r#"<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{}</w:tc>"#, p("both"));
    let inner = format!("<w:tc><w:tbl><w:tr>{}{}</w:tr></w:tbl>{}</w:tc>", cell("in"), cell("ner"), p("out"));
    for (body, expected) in [
        (p("One &amp; two &#8211; {!mono}x{/!}"), "One & two – \\{!mono}x\\{/!}"),
        (
            styled(r#"<w:pStyle w:val="Titel"/>"#, "T") + &styled(r#"<w:pStyle w:val="berschrift1"/>"#, "A") + &styled(r#"<w:pStyle w:val="Own"/>"#, "B"),
            "# T\n\n# A\n\n### B",
        ),
        (item(0, "one") + &item(1, "dot") + &item(0, "two"), "1. one\n   - dot\n2. two"),
        (format!("<w:tbl><w:tr>{}{}</w:tr><w:tr>{wide}</w:tr></w:tbl>", cell("a|b"), cell("c")), "| a\\|b | c |\n| --- | --- |\n| both |  |"),
        (format!("<w:tbl><w:tr>{}{inner}</w:tr></w:tbl>", cell("x")), "| x | in \\| ner<br>out |\n| --- | --- |"),
        (
            r#"<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>bold</w:t></w:r><w:r><w:t xml:space="preserve"> and </w:t></w:r><w:r><w:rPr><w:b w:val="0"/><w:i/></w:rPr><w:t>italic</w:t></w:r></w:p>"#.to_owned(),
            "**bold** and *italic*",
        ),
        (
            r#"<w:p><w:r><w:t>See</w:t></w:r><w:r><w:footnoteReference w:id="5"/></w:r></w:p>"#.to_owned(),
            "See[^1]\n\n[^1]: The note.",
        ),
        (
            r#"<w:p><w:hyperlink r:id="L"><w:r><w:t>there</w:t></w:r></w:hyperlink><w:r><w:t> or not</w:t></w:r></w:p>"#.to_owned(),
            "[there](https://example.com/) or not",
        ),
        // What was taken away, and what older programs show instead, is no text.
        (
            r"<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>".to_owned()
                + "<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></mc:Choice>\
                   <mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent><w:t>after</w:t></w:r></w:p>",
            "new\n\nbox\n\nafter",
        ),
        (p("---") + &p("# no heading") + &p("- no item"), "\\---\n\n\\# no heading\n\n\\- no item"),
    ] {
        let more = [
            ("word/styles.xml", STYLES),
            ("word/numbering.xml", LISTS),
            ("word/footnotes.xml", r#"<w:footnotes xmlns:w="w"><w:footnote w:id="5"><w:p><w:r><w:t>The note.</w:t></w:r></w:p></w:footnote></w:footnotes>"#),
            ("word/_rels/document.xml.rels", r#"<Relationships><Relationship Id="L" Type="x/hyperlink" Target="https://example.com/" TargetMode="External"/></Relationships>"#),
        ];
        check(Format::Docx, &docx(&body, &more), expected);
    }
}

#[test]
fn the_main_part_is_found_by_its_relation() {
    let document = format!("<w:document><w:body>{}</w:body></w:document>", p("here"));
    let parts: [(&str, &[u8]); 2] = [
        (
            "_rels/.rels",
            br#"<Relationships><Relationship Id="1" Type="x/officeDocument" Target="/Word/Doc2.xml"/></Relationships>"#,
        ),
        ("word/doc2.xml", document.as_bytes()),
    ];
    check(Format::Docx, &archive(&parts), "here");
    refused(Format::Docx, &archive(&[("other.xml", b"<x/>")]), "no text of a document");
    refused(Format::Docx, &docx("", &[]), "no text is in it");
}

fn xlsx(sheet: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let sheet = format!("<worksheet><sheetData>{sheet}</sheetData></worksheet>");
    let mut parts: Vec<(&str, &[u8])> = vec![
        ("xl/workbook.xml", br#"<workbook xmlns:r="r"><workbookPr/><sheets><sheet name="Budget {!x}" sheetId="1" r:id="a"/><sheet name="Old" state="hidden" sheetId="2" r:id="b"/></sheets></workbook>"#),
        ("xl/_rels/workbook.xml.rels", br#"<Relationships><Relationship Id="a" Type="x/worksheet" Target="worksheets/s1.xml"/><Relationship Id="b" Type="x/worksheet" Target="/xl/worksheets/s2.xml"/></Relationships>"#),
        ("xl/worksheets/s1.xml", sheet.as_bytes()),
        ("xl/worksheets/s2.xml", br#"<worksheet><sheetData><row><c t="inlineStr"><is><t>alone</t></is></c></row></sheetData></worksheet>"#),
    ];
    parts.extend(more.iter().map(|(name, text)| (*name, text.as_bytes())));
    archive(&parts)
}

#[test]
fn workbooks_show_what_their_cells_show() {
    let strings = r"<sst><si><t>Name</t></si><si><r><t>Ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh></si></sst>";
    let styles = r#"<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[$-409]d\. mmm yyyy"/><numFmt numFmtId="171" formatCode="&quot;day&quot; 0.0"/></numFmts>
        <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="10"/><xf numFmtId="170"/><xf numFmtId="22"/><xf numFmtId="20"/><xf numFmtId="171"/></cellXfs></styleSheet>"#;
    let more = [("xl/sharedStrings.xml", strings), ("xl/styles.xml", styles)];
    let tail = "\n\n## Sheet: Old (hidden)\n\nalone";
    for (sheet, expected) in [
        (
            r#"<row><c r="B2" t="s"><v>0</v></c><c r="D2" t="s"><v>1</v></c></row><row/><row><c r="C3"><v>1.5</v></c></row>"#,
            "| Name |  | Rich |\n| --- | --- | --- |\n|  | 1.5 |  |",
        ),
        (
            r#"<row><c s="1"><v>45000</v></c><c s="3"><v>1</v></c><c s="4"><v>45000.75</v></c><c s="5"><v>0.5</v></c></row>"#,
            "| 2023-03-15 | 1900-01-01 | 2023-03-15 18:00 | 12:00 |\n| --- | --- | --- | --- |",
        ),
        (
            r#"<row><c s="2"><v>0.125</v></c><c s="6"><v>3</v></c><c><v>0.30000000000000004</v></c><c><v>1e300</v></c></row>"#,
            "| 12.5% | 3 | 0.3 | 1e300 |\n| --- | --- | --- | --- |",
        ),
        (
            r#"<row><c t="b"><v>1</v></c><c t="e"><v>#REF!</v></c><c><f>A1+1</f></c><c t="str"><f>X</f><v>y</v></c></row>"#,
            "| TRUE | \\#REF! | =A1+1 | y |\n| --- | --- | --- | --- |",
        ),
    ] {
        let said = said(Format::Xlsx, &xlsx(sheet, &more)).unwrap();
        let expected = format!("## Sheet: Budget \\{{!x}}\n\n{expected}{tail}\n");
        assert_eq!(said.replace("\\#REF", "#REF"), expected.replace("\\#REF", "#REF"));
    }
}

#[test]
fn slides_have_their_numbers_titles_and_notes() {
    let shape = |kind: &str, text: &str| {
        format!(r#"<p:sp><p:nvSpPr><p:nvPr>{kind}</p:nvPr></p:nvSpPr><p:txBody>{text}</p:txBody></p:sp>"#)
    };
    let line = |level: u8, text: &str| {
        format!(r#"<a:p><a:pPr lvl="{level}"/><a:r><a:rPr b="0"/><a:t>{text}</a:t></a:r></a:p>"#)
    };
    let one = format!(
        "<p:sld>{}{}{}{}</p:sld>",
        shape(r#"<p:ph type="title"/>"#, &line(0, "Plan")),
        shape(r#"<p:ph idx="1"/>"#, &(line(0, "first") + &line(1, "inner"))),
        shape(r#"<p:ph type="sldNum"/>"#, &line(0, "1")),
        shape("", &line(0, "free")),
    );
    let two = r#"<p:sld show="0"><p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>b</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame></p:sld>"#;
    let notes = format!(
        "<p:notes>{}{}</p:notes>",
        shape(r#"<p:ph type="sldImg"/>"#, ""),
        shape(r#"<p:ph type="body" idx="1"/>"#, &line(0, "say this"))
    );
    let parts: [(&str, &[u8]); 6] = [
        ("ppt/presentation.xml", br#"<p:presentation xmlns:r="r"><p:sldIdLst><p:sldId id="9" r:id="second"/><p:sldId id="8" r:id="first"/></p:sldIdLst></p:presentation>"#),
        ("ppt/_rels/presentation.xml.rels", br#"<Relationships><Relationship Id="first" Type="x/slide" Target="slides/slide1.xml"/><Relationship Id="second" Type="x/slide" Target="slides/slide2.xml"/></Relationships>"#),
        ("ppt/slides/slide1.xml", two.as_bytes()),
        ("ppt/slides/slide2.xml", one.as_bytes()),
        ("ppt/slides/_rels/slide2.xml.rels", br#"<Relationships><Relationship Id="n" Type="x/notesSlide" Target="../notesSlides/n.xml"/></Relationships>"#),
        ("ppt/notesSlides/n.xml", notes.as_bytes()),
    ];
    let expected = "## Slide 1: Plan\n\n- first\n  - inner\n\nfree\n\nNotes: say this\n\n## Slide 2 (hidden)\n\n| a | b |\n| --- | --- |";
    check(Format::Pptx, &archive(&parts), expected);
}
