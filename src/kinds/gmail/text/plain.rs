//! Lines of `text/plain`, as they stand or flowed.
//!
//! Source: RFC 3676, `format=flowed` with `delsp`.

use super::quotes::unquoted;
use crate::extract::lines::Line;

/// Reads plain text. `flowed`: a line that ends with a blank goes on in the next; `delsp`: without that blank.
pub(super) fn lines(text: &str, flowed: bool, delsp: bool) -> Vec<Line> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut out: Vec<Line> = Vec::new();
    let mut apart = true;
    // The paragraph that flows on, with its depth.
    let mut open: Option<(usize, String)> = None;
    for raw in text.trim_start_matches('\u{feff}').split('\n') {
        let (depth, mut said) = if flowed { stuffed(raw) } else { unquoted(raw) };
        if let Some((last, mut begun)) = open.take() {
            if last == depth && said != "-- " {
                begun.push_str(said);
                let goes_on = is_flowed(said);
                if goes_on {
                    if delsp {
                        begun.pop();
                    }
                    open = Some((depth, begun));
                } else {
                    push(&mut out, &begun, depth, &mut apart);
                }
                continue;
            }
            push(&mut out, &begun, last, &mut apart);
        }
        if flowed && is_flowed(said) {
            said = if delsp { said.strip_suffix(' ').unwrap_or(said) } else { said };
            open = Some((depth, said.to_owned()));
            continue;
        }
        push(&mut out, said, depth, &mut apart);
    }
    if let Some((depth, begun)) = open {
        push(&mut out, &begun, depth, &mut apart);
    }
    out
}

fn push(out: &mut Vec<Line>, said: &str, depth: usize, apart: &mut bool) {
    let said = said.trim();
    if said.is_empty() {
        *apart = true;
        return;
    }
    out.push(Line::text(said, depth, *apart));
    *apart = false;
}

fn is_flowed(said: &str) -> bool {
    said.ends_with(' ') && said != "-- " && !said.trim().is_empty()
}

/// Takes the quote marks and the stuffed blank off a flowed line.
fn stuffed(raw: &str) -> (usize, &str) {
    let depth = raw.bytes().take_while(|byte| *byte == b'>').count();
    let rest = raw.get(depth..).unwrap_or_default();
    (depth, rest.strip_prefix(' ').unwrap_or(rest))
}
