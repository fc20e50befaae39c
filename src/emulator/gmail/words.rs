//! What a message says, for snippets and for searching.

use mail_parser::decoders::html::html_to_text;

use super::mime::{Mail, Part};

/// Characters of a snippet.
const SNIPPET: usize = 200;

/// Bytes of a part of text that are looked at.
const MAX_TEXT: usize = 256 << 10;

/// Parts of text that are looked at.
const MAX_TEXTS: usize = 50;

/// Returns the first words of a message, escaped for HTML as Gmail does.
pub(super) fn snippet(mail: &Mail<'_>) -> String {
    let texts: Vec<&Part> = shown(mail).collect();
    let html = texts.iter().find(|part| part.media_type == "text/html");
    let Some(part) = html.or_else(|| texts.first()) else { return String::new() };
    let text = plain(mail, part);
    let mut words = String::new();
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
        if words.len() > SNIPPET * 4 {
            break;
        }
    }
    escape(words.chars().take(SNIPPET).collect::<String>().trim_end())
}

/// Returns all that a message says where it is read.
pub(super) fn text(mail: &Mail<'_>) -> String {
    let mut all = String::new();
    for part in shown(mail).take(MAX_TEXTS) {
        all.push_str(&plain(mail, part));
        all.push('\n');
    }
    all
}

/// Returns the parts of text that are shown where they stand, not those of attached messages.
fn shown<'m>(mail: &'m Mail<'_>) -> impl Iterator<Item = &'m Part> {
    mail.parts.iter().filter(|part| {
        part.is_text() && part.filename.is_empty() && matches!(part.media_type.as_str(), "text/plain" | "text/html")
    })
}

/// Returns a part of text without tags.
fn plain(mail: &Mail<'_>, part: &Part) -> String {
    let mut text = mail.text(part);
    let cut = (0..=MAX_TEXT.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.truncate(cut);
    if part.media_type != "text/html" {
        return text;
    }
    // The converter knows no cells and items, whose words would run together.
    for tag in ["<li", "<td", "<th"] {
        text = text.replace(tag, &format!(" {tag}"));
    }
    html_to_text(&text)
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippets() {
        for (raw, wanted) in [
            ("Subject: x\n\nTom & \"Ana\"  <x>\nit's\n", "Tom &amp; &quot;Ana&quot; &lt;x&gt; it&#39;s"),
            ("Content-Type: text/html\n\n<p>One</p><script>no()</script><p>two</p>", "One two"),
            ("Content-Type: text/html\n\n<ul><li>One</li><li>t<b>w</b>o</li></ul>", "One two"),
            ("Content-Type: application/pdf\n\n%PDF", ""),
        ] {
            assert_eq!(snippet(&Mail::read(raw.as_bytes())), wanted, "{raw}");
        }
        let long = format!("Subject: x\n\n{}", "wörter ".repeat(500));
        assert!(snippet(&Mail::read(long.as_bytes())).chars().count() <= SNIPPET);
    }
}
