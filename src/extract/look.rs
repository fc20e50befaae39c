//! What the attributes of an HTML element say of how it looks, as far as that decides what is shown.

/// A colour that is not known, such as that of a picture.
const SOME_COLOR: u32 = u32::MAX;

/// White, on which mail is read.
pub(super) const WHITE: u32 = 0xff_ffff;

/// The longest value of a `style` that is read, in bytes.
const STYLE_BYTES_MAX: usize = 8 << 10;

/// What an element's attributes say.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) hidden: bool,
    /// What an element within may undo: pages give a size of nothing to what holds blocks, and these their own.
    pub(super) no_size: Option<bool>,
    pub(super) invisible: Option<bool>,
    pub(super) color: Option<u32>,
    pub(super) background: Option<u32>,
    pub(super) bold: Option<bool>,
    pub(super) italic: Option<bool>,
    pub(super) strike: bool,
    pub(super) pre: bool,
    /// No border at all, as blocks have that are indented and quote nothing.
    pub(super) borderless: bool,
    pub(super) width: Option<u32>,
    pub(super) height: Option<u32>,
}

/// Reads `style="…"`.
pub(super) fn style(text: &str, said: &mut Said) {
    let text: String = text.chars().take(STYLE_BYTES_MAX).collect::<String>().to_ascii_lowercase();
    let (mut no_overflow, mut no_height, mut no_width) = (false, false, false);
    for declaration in text.split(';') {
        let Some((name, value)) = declaration.split_once(':') else { continue };
        let value = value.replace("!important", "");
        let (name, value) = (name.trim(), value.trim());
        match name {
            "display" => said.hidden |= value == "none",
            "visibility" => said.invisible = Some(value != "visible"),
            "opacity" => said.hidden |= is_zero(value),
            "font-size" => said.no_size = Some(is_zero(value)),
            "overflow" => no_overflow = value == "hidden",
            "max-height" => no_height |= is_zero(value),
            "max-width" => no_width |= is_zero(value),
            "height" => {
                said.height = pixels(value);
                no_height |= is_zero(value);
            }
            "width" => {
                said.width = pixels(value);
                no_width |= is_zero(value);
            }
            "color" => said.color = Some(color(value)),
            "background-color" => said.background = Some(color(value)),
            "background" | "background-image" if value != "none" => {
                let first = value.split_whitespace().next().unwrap_or_default();
                let read = if value.contains("url(") || value.contains("gradient") { SOME_COLOR } else { color(first) };
                said.background = Some(read);
            }
            "font-weight" => said.bold = Some(matches!(value, "bold" | "bolder" | "600" | "700" | "800" | "900")),
            "font-style" => said.italic = Some(matches!(value, "italic" | "oblique")),
            "text-decoration" | "text-decoration-line" => said.strike |= value.contains("line-through"),
            "white-space" => said.pre |= matches!(value, "pre" | "pre-wrap" | "pre-line" | "break-spaces"),
            "border" => said.borderless |= value.split_whitespace().any(|word| matches!(word, "none" | "0" | "0px")),
            _ => {}
        }
    }
    said.hidden |= no_overflow && (no_height || no_width);
}

fn is_zero(value: &str) -> bool {
    let number: String = value.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    number.parse::<f64>().is_ok_and(|number| number == 0.0)
}

/// Reads a number of pixels.
pub(super) fn pixels(value: &str) -> Option<u32> {
    let value = value.trim();
    if value.ends_with('%') || value.ends_with("em") {
        return None;
    }
    let number: String = value.chars().take_while(char::is_ascii_digit).take(6).collect();
    number.parse().ok()
}

/// Reads a colour; one that is not understood is some colour, and hides nothing.
pub(super) fn color(value: &str) -> u32 {
    let value = value.trim().to_ascii_lowercase();
    if value == "white" {
        return WHITE;
    }
    if let Some(digits) = value.strip_prefix('#').or(Some(&*value).filter(|text| text.len() == 6)) {
        let read = u32::from_str_radix(digits, 16);
        return match (digits.len(), read) {
            (6, Ok(number)) => number,
            (3, Ok(number)) => (number >> 8 & 15) * 0x11_0000 + (number >> 4 & 15) * 0x1100 + (number & 15) * 0x11,
            _ => SOME_COLOR,
        };
    }
    let inner = value.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')'));
    let parts: Vec<u32> = inner
        .unwrap_or_default()
        .split(',')
        .filter_map(|part| part.trim().parse().ok())
        .filter(|part| *part < 256)
        .collect();
    match parts[..] {
        [red, green, blue] => red << 16 | green << 8 | blue,
        _ => SOME_COLOR,
    }
}

/// Tells whether text of this colour cannot be seen: white on white.
pub(super) fn is_unseen(color: Option<u32>, background: Option<u32>) -> bool {
    color.is_some_and(|color| color != SOME_COLOR && color == background.unwrap_or(WHITE) && color == WHITE)
}
