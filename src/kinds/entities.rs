//! Texts that Google gives escaped for HTML pages.

/// Undoes the escaping of HTML; what is no entity stays as it is.
pub(super) fn unescaped(html: &str) -> String {
    /// Characters that an entity has at most.
    const ENTITY_MAX: usize = 10;
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        let entity = after.split_once(';').filter(|(name, _)| name.len() <= ENTITY_MAX);
        let decoded = entity.and_then(|(name, _)| match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            "nbsp" => Some('\u{a0}'),
            _ => {
                let number = name.strip_prefix('#')?;
                let hex = number.strip_prefix(['x', 'X']);
                let code = hex.map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())?;
                char::from_u32(code)
            }
        });
        match (decoded, entity) {
            (Some(character), Some((_, behind))) => {
                text.push(character);
                rest = behind;
            }
            _ => {
                text.push('&');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn entities() {
        for (html, text) in [
            ("a &lt;b&gt; &amp; &quot;c&quot; &#39;d&#x27;", "a <b> & \"c\" 'd'"),
            ("&amp;lt;", "&lt;"),
            ("AT&T; & so on; &unknown; &#xFFFFFFFF; &", "AT&T; & so on; &unknown; &#xFFFFFFFF; &"),
            ("", ""),
        ] {
            assert_eq!(unescaped(html), text);
        }
    }
}
