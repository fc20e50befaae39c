//! A tree as HTML, for who reads it in a mail.

use pulldown_cmark::{Event, Parser, Tag, html};

use super::{Tree, markdown, mask};

/// What links may begin with: others are no places to go to from a mail.
const SCHEMES: [&str; 5] = ["http://", "https://", "mailto:", "tel:", "#"];

/// Writes a tree as HTML: what [`markdown`] says, each line on a line of its own, and no HTML of the text's own.
#[must_use]
pub fn html(tree: &Tree) -> String {
    let text = markdown(tree);
    let events = Parser::new_ext(&text, mask::options()).map(|event| {
        if event == Event::SoftBreak {
            return Event::HardBreak;
        }
        if let Event::Start(Tag::Link { link_type, dest_url, title, id }) = event {
            let goes = SCHEMES
                .iter()
                .any(|scheme| dest_url.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme)));
            let dest_url = if goes { dest_url } else { "".into() };
            return Event::Start(Tag::Link { link_type, dest_url, title, id });
        }
        if let Event::Html(said) | Event::InlineHtml(said) = event { Event::Text(said) } else { event }
    });
    let mut out = String::new();
    html::push_html(&mut out, events);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mebdf::parse;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(html(&parse(text).tree), expected, "{text:?}");
    }

    #[test]
    fn what_people_write_in_mails() {
        check("Hi Ana,\nyes.\n\nBye\n", "<p>Hi Ana,<br />\nyes.</p>\n<p>Bye</p>\n");
        check("**a** *b* ~~c~~ `d`\n", "<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>\n");
        check("- a\n- b\n", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n");
        check("[x](https://x.test/?a=1&b=2)\n", "<p><a href=\"https://x.test/?a=1&amp;b=2\">x</a></p>\n");
    }

    #[test]
    fn markup_of_the_text_is_text() {
        check("a <b> & <script>x</script>\n", "<p>a &lt;b&gt; &amp; &lt;script&gt;x&lt;/script&gt;</p>\n");
        check("[a](javascript:alert)\n", "<p><a href=\"\">a</a></p>\n");
        check("<div onclick=x>\n", "<p>&lt;div onclick=x&gt;</p>\n");
        check("\\*a\\* \\{!mono}\n", "<p>*a* {!mono}</p>\n");
    }
}
