//! What must be escaped so that text stays text in Markdown.
//!
//! Source: <https://spec.commonmark.org/0.31.2/> and its extension for tables, <https://github.github.com/gfm/>.

/// Escapes text within a line. `before` and `after` are the letters that stand beside it.
pub(super) fn inline(text: &str, before: Option<char>, after: Option<char>, in_link: bool) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut previous = before;
    for (at, letter) in text.char_indices() {
        let rest = text.get(at + letter.len_utf8()..).unwrap_or_default();
        let next = rest.chars().next().or(after);
        let special = match letter {
            '\\' | '`' | '*' | '[' => true,
            ']' => in_link,
            // Between letters of a word it marks nothing.
            '_' => !(previous.is_some_and(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric)),
            '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || "/!?".contains(next)),
            '&' => is_entity(rest),
            '~' => previous == Some('~') || next == Some('~'),
            // Before a link it would make a picture of that.
            '!' => rest.is_empty(),
            _ => false,
        };
        if special {
            escaped.push('\\');
        }
        escaped.push(letter);
        previous = Some(letter);
    }
    escaped
}

/// Escapes what makes more than text of a line that begins with it: of one that is escaped otherwise.
pub(super) fn line_start(line: &str) -> String {
    let spaces = line.len() - line.trim_start_matches([' ', '\t']).len();
    let (indent, text) = line.split_at_checked(spaces).unwrap_or(("", line));
    if text.is_empty() {
        return String::new();
    }
    // Four spaces would make code of it.
    let indent = match indent.chars().next() {
        Some(' ') if !indent.contains('\t') && indent.len() < 4 => indent.to_owned(),
        Some(' ') => format!("&#32;{}", indent.get(1..).unwrap_or_default()),
        Some(_) => format!("&#9;{}", indent.get(1..).unwrap_or_default()),
        None => String::new(),
    };
    match marker(text) {
        Some(at) => {
            let (head, tail) = text.split_at_checked(at).unwrap_or(("", text));
            format!("{indent}{head}\\{tail}")
        }
        None => format!("{indent}{text}"),
    }
}

/// Returns the byte before which a backslash must stand, for a line that begins with a mark.
fn marker(text: &str) -> Option<usize> {
    let mut letters = text.chars();
    let first = letters.next()?;
    let second = letters.next();
    let ends = |letter: Option<char>| letter.is_none_or(|letter| letter == ' ' || letter == '\t');
    match first {
        '#' => (second == Some('#') || ends(second)).then_some(0),
        '-' | '+' => (ends(second) || second.is_some_and(|letter| "-+|:".contains(letter))).then_some(0),
        '>' | '=' | '|' => Some(0),
        ':' => (second == Some('-')).then_some(0),
        '0'..='9' => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            let rest = text.get(digits..)?;
            let mark = rest.starts_with(['.', ')']);
            (mark && digits <= 9 && ends(rest.chars().nth(1))).then_some(digits)
        }
        _ => None,
    }
}

/// Tells whether what follows a `&` makes an entity of it.
fn is_entity(rest: &str) -> bool {
    let name: String =
        rest.chars().take(40).take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '#').collect();
    !name.is_empty() && rest.get(name.len()..).is_some_and(|rest| rest.starts_with(';'))
}

/// Writes the address of a link, or nothing for one that a reader must not follow, as a script.
pub(super) fn address(url: &str) -> Option<String> {
    let url = url.trim();
    let scheme = url.split(['/', '?', '#']).next().unwrap_or_default();
    if let Some((scheme, _)) = scheme.split_once(':')
        && !["http", "https", "mailto", "ftp", "tel"].contains(&scheme.to_ascii_lowercase().as_str())
    {
        return None;
    }
    let mut address = String::with_capacity(url.len());
    for letter in url.chars().filter(|letter| !letter.is_control()) {
        match letter {
            ' ' => address.push_str("%20"),
            '<' => address.push_str("%3C"),
            '>' => address.push_str("%3E"),
            '|' => address.push_str("%7C"),
            '(' | ')' | '\\' => {
                address.push('\\');
                address.push(letter);
            }
            _ => address.push(letter),
        }
    }
    (!address.is_empty()).then_some(address)
}

/// Writes code within a line: between more backticks than it has in a row.
pub(super) fn code(text: &str) -> String {
    let fence = "`".repeat(longest_row(text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Counts the longest row of one letter.
pub(super) fn longest_row(text: &str, letter: char) -> usize {
    let mut longest = 0;
    let mut row = 0;
    for found in text.chars() {
        row = if found == letter { row + 1 } else { 0 };
        longest = longest.max(row);
    }
    longest
}
