//! Workbooks of Excel: a section for each sheet, with its name, and a table of what its cells show.
//!
//! Source: ECMA-376, part 1, chapter 18.

use std::collections::BTreeMap;

use super::package::Package;
use super::paper::{COLUMNS_MAX, Paper, ROWS_MAX, begin, plain, plain_cell};
use super::xml::{Element, Node, Nodes};

/// The most sheets that are read.
const SHEETS_MAX: usize = 500;

/// The most cells that are read of a workbook.
const CELLS_MAX: usize = 400_000;

/// The most strings that cells share.
const STRINGS_MAX: usize = 1_000_000;

/// The longest text of a cell, in characters; Excel itself allows 32,767.
const CELL_MAX: usize = 10_000;

/// The most formats of numbers.
const STYLES_MAX: usize = 70_000;

/// Reads a workbook.
pub(super) fn read(bytes: &[u8], paper: &mut Paper) -> Result<(), String> {
    let mut package = Package::open(bytes)?;
    let main = package.main("xl/workbook.xml");
    let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let Some(text) = package.part(&main) else { return Err("it has no sheets".to_owned()) };
    let relations = package.relations(&main);
    let of_kind = |kind: &str, usual: &str| {
        let found = relations.values().find(|(_, other)| other == kind).map(|(target, _)| target.clone());
        found.unwrap_or_else(|| format!("{folder}/{usual}"))
    };
    let (strings, styles) = (of_kind("sharedStrings", "sharedStrings.xml"), of_kind("styles", "styles.xml"));
    let (strings, more) = package.part(&strings).map(|text| shared(&text)).unwrap_or_default();
    if more {
        paper.tell(format!("cells with texts behind the first {STRINGS_MAX}"));
    }
    let mut book = Book {
        strings,
        styles: package.part(&styles).map(|text| shows(&text)).unwrap_or_default(),
        from_1904: false,
        left: CELLS_MAX,
    };
    let mut sheets = Vec::new();
    let mut nodes = Nodes::new(&text);
    while let Some(node) = nodes.next() {
        let Node::Open(element) = node else { continue };
        match element.name() {
            "workbookPr" => book.from_1904 = matches!(element.value("date1904").as_deref(), Some("1" | "true")),
            "sheet" => {
                let target = element.relation("id").and_then(|id| relations.get(&id)).map(|(target, _)| target.clone());
                let hidden = element.value("state").is_some_and(|state| state != "visible");
                let name = element.value("name").unwrap_or_default();
                sheets.extend(target.map(|target| (name, hidden, target)));
            }
            _ => {}
        }
    }
    if sheets.len() > SHEETS_MAX {
        paper.tell(format!("{} sheets behind the first {SHEETS_MAX}", sheets.len() - SHEETS_MAX));
    }
    for (name, hidden, part) in sheets.into_iter().take(SHEETS_MAX) {
        if paper.is_full() {
            break;
        }
        let hidden = if hidden { " (hidden)" } else { "" };
        paper.heading(2, vec![plain(&format!("Sheet: {name}{hidden}"))]);
        match package.part(&part) {
            Some(text) => book.sheet(&text, paper),
            None => paper.tell(format!("sheet {name}, which cannot be read")),
        }
    }
    if package.is_cut() {
        paper.tell("parts of the workbook that are too long or damaged");
    }
    Ok(())
}

/// How a number is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Show {
    Number,
    Percent,
    Date,
    Time,
    Moment,
}

struct Book {
    strings: Vec<String>,
    styles: Vec<Show>,
    from_1904: bool,
    /// How many cells may still be read.
    left: usize,
}

/// The cell that is read.
#[derive(Default)]
struct Open {
    column: usize,
    kind: String,
    style: usize,
    value: String,
    formula: String,
}

impl Book {
    fn sheet(&mut self, text: &str, paper: &mut Paper) {
        let mut rows: Vec<BTreeMap<usize, String>> = Vec::new();
        let mut nodes = Nodes::new(text);
        let mut cell: Option<Open> = None;
        let (mut into, mut skipped, mut next, mut beyond) = (None::<bool>, 0_usize, 0_usize, false);
        while let Some(node) = nodes.next() {
            match node {
                Node::Open(element) => match element.name() {
                    "row" => {
                        if rows.len() >= ROWS_MAX {
                            paper.tell(format!("rows of a sheet behind the first {ROWS_MAX}"));
                            break;
                        }
                        rows.push(BTreeMap::new());
                        next = 0;
                    }
                    "c" => cell = Some(open(&element, next)),
                    // How a word is pronounced is no text.
                    "rPh" => skipped += 1,
                    "v" | "t" => into = Some(true),
                    "f" => into = Some(false),
                    _ => {}
                },
                Node::Text(said) if skipped == 0 => {
                    let Some(cell) = &mut cell else { continue };
                    match into {
                        Some(true) => cell.value.push_str(&said),
                        Some(false) => cell.formula.push_str(&said),
                        None => {}
                    }
                }
                Node::Text(_) => {}
                Node::Close(name) => match name.as_str() {
                    "v" | "t" | "f" => into = None,
                    "rPh" => skipped = skipped.saturating_sub(1),
                    "c" => {
                        let Some(done) = cell.take() else { continue };
                        next = done.column.saturating_add(1);
                        let (said, is_cut) = begin(&self.shown(&done), CELL_MAX);
                        if is_cut {
                            paper.tell(format!("what cells have behind the first {CELL_MAX} characters"));
                        }
                        if said.is_empty() {
                            continue;
                        }
                        if done.column >= COLUMNS_MAX {
                            beyond = true;
                            continue;
                        }
                        let Some(left) = self.left.checked_sub(1) else {
                            paper.tell(format!("cells behind the first {CELLS_MAX}"));
                            break;
                        };
                        self.left = left;
                        if let Some(row) = rows.last_mut() {
                            row.insert(done.column, said);
                        }
                    }
                    _ => {}
                },
            }
        }
        if beyond {
            paper.tell(format!("columns of a sheet beyond the first {COLUMNS_MAX}"));
        }
        if nodes.is_damaged() {
            paper.tell("what stands behind a place where a sheet is damaged");
        }
        table(rows, paper);
    }

    /// What a cell shows.
    fn shown(&self, cell: &Open) -> String {
        let value = match cell.kind.as_str() {
            "s" => {
                let at = cell.value.trim().parse::<usize>().ok();
                at.and_then(|at| self.strings.get(at)).cloned().unwrap_or_default()
            }
            "b" => if cell.value.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            "str" | "inlineStr" | "e" | "d" => cell.value.clone(),
            _ => {
                let show = self.styles.get(cell.style).copied().unwrap_or(Show::Number);
                number(cell.value.trim(), show, self.from_1904)
            }
        };
        // A formula that nobody has worked out yet.
        if value.is_empty() && !cell.formula.is_empty() {
            return format!("={}", cell.formula);
        }
        value
    }
}

fn open(element: &Element<'_>, next: usize) -> Open {
    let place = element.value("r").and_then(|place| column(&place));
    Open {
        column: place.unwrap_or(next),
        kind: element.value("t").unwrap_or_default(),
        style: element.value("s").and_then(|style| style.parse().ok()).unwrap_or(0),
        ..Open::default()
    }
}

/// The column of a place such as `AB12`, from 0.
fn column(place: &str) -> Option<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_alphabetic).take(6);
    let number = letters.fold(0_usize, |sum, letter| sum * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1);
    number.checked_sub(1)
}

/// Writes the cells that hold something as a table, from the first column that does.
fn table(rows: Vec<BTreeMap<usize, String>>, paper: &mut Paper) {
    let first = rows.iter().filter_map(|row| row.first_key_value()).map(|(column, _)| *column).min().unwrap_or(0);
    let rows = rows.into_iter().filter(|row| !row.is_empty()).map(|row| {
        let width = row.last_key_value().map_or(0, |(column, _)| column - first + 1);
        let mut cells = vec![Vec::new(); width];
        for (column, said) in row {
            if let Some(cell) = cells.get_mut(column - first) {
                *cell = plain_cell(&said);
            }
        }
        cells
    });
    paper.table(rows.collect());
}

/// Reads the strings that cells share; tells whether there are more than are read.
fn shared(text: &str) -> (Vec<String>, bool) {
    let (mut out, mut more) = (Vec::new(), false);
    let mut nodes = Nodes::new(text);
    let (mut said, mut into, mut skipped) = (String::new(), false, 0_usize);
    while let Some(node) = nodes.next() {
        match node {
            Node::Open(element) => match element.name() {
                "si" => said.clear(),
                "t" => into = true,
                "rPh" => skipped += 1,
                _ => {}
            },
            Node::Text(text) if into && skipped == 0 => said.push_str(&text),
            Node::Text(_) => {}
            Node::Close(name) => match name.as_str() {
                "t" => into = false,
                "rPh" => skipped = skipped.saturating_sub(1),
                "si" if out.len() < STRINGS_MAX => out.push(std::mem::take(&mut said)),
                "si" => more = true,
                _ => {}
            },
        }
    }
    (out, more)
}

/// Reads how numbers are shown, by the styles of cells.
fn shows(text: &str) -> Vec<Show> {
    let mut formats: BTreeMap<String, Show> = BTreeMap::new();
    let mut out = Vec::new();
    let (mut nodes, mut in_cells) = (Nodes::new(text), false);
    while let Some(node) = nodes.next() {
        match node {
            Node::Open(element) => match element.name() {
                "numFmt" if formats.len() < STYLES_MAX => {
                    let code = element.value("formatCode").unwrap_or_default();
                    formats.insert(element.value("numFmtId").unwrap_or_default(), show(&code));
                }
                "cellXfs" => in_cells = true,
                "xf" if in_cells && out.len() < STYLES_MAX => {
                    let id = element.value("numFmtId").unwrap_or_default();
                    let known = formats.get(&id).copied();
                    out.push(known.unwrap_or(match id.parse().unwrap_or(0) {
                        9 | 10 => Show::Percent,
                        14..=17 | 27..=31 | 34..=36 | 50..=58 => Show::Date,
                        18..=21 | 32 | 33 | 45..=47 => Show::Time,
                        22 => Show::Moment,
                        _ => Show::Number,
                    }));
                }
                _ => {}
            },
            Node::Close(name) if name == "cellXfs" => in_cells = false,
            Node::Close(_) | Node::Text(_) => {}
        }
    }
    out
}

/// Tells what a format shows by its letters, without those in quotes, brackets or behind a stroke.
fn show(code: &str) -> Show {
    let (mut quoted, mut bracketed, mut escaped) = (false, false, false);
    let (mut day, mut hour, mut percent) = (false, false, false);
    for letter in code.split(';').next().unwrap_or_default().chars() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match letter.to_ascii_lowercase() {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '\\' | '_' | '*' => escaped = true,
            '[' => bracketed = true,
            ']' => bracketed = false,
            'h' | 's' => hour = true,
            _ if bracketed => {}
            'y' | 'd' => day = true,
            '%' => percent = true,
            _ => {}
        }
    }
    match (day, hour, percent) {
        (true, true, _) => Show::Moment,
        (true, false, _) => Show::Date,
        (false, true, _) => Show::Time,
        (false, false, true) => Show::Percent,
        (false, false, false) => Show::Number,
    }
}

/// Shows a number as a sheet does, dates as ISO 8601 has them.
fn number(text: &str, show: Show, from_1904: bool) -> String {
    let Some(value) = text.parse::<f64>().ok().filter(|value| value.is_finite()) else { return text.to_owned() };
    match show {
        Show::Number => rounded(value),
        Show::Percent => format!("{}%", rounded(value * 100.0)),
        Show::Date | Show::Time | Show::Moment => moment(value, show, from_1904).unwrap_or_else(|| rounded(value)),
    }
}

/// A number with the fifteen digits that sheets count with.
fn rounded(value: f64) -> String {
    let short = format!("{value:.14e}").parse().unwrap_or(value);
    let size: f64 = f64::abs(short);
    if size != 0.0 && !(1e-7..1e21).contains(&size) { format!("{short:e}") } else { format!("{short}") }
}

/// The day and time of a number of days since 1899-12-30, or since 1904.
fn moment(value: f64, show: Show, from_1904: bool) -> Option<String> {
    // The year 9999 is the last one.
    if !(0.0..2_958_466.0).contains(&value) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the number of seconds of eight thousand years")]
    let seconds = (value * 86_400.0).round() as i64;
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let time = match second % 60 {
        0 => format!("{:02}:{:02}", second / 3_600, second / 60 % 60),
        rest => format!("{:02}:{:02}:{rest:02}", second / 3_600, second / 60 % 60),
    };
    // Excel believes that 1900 was a leap year.
    let days = if from_1904 { days + 1_462 } else { days + i64::from(days < 60 && days > 0) };
    let date = date(days - 25_569);
    Some(match show {
        Show::Time if seconds < 86_400 => time,
        Show::Date if second == 0 => date,
        Show::Number | Show::Percent | Show::Date | Show::Time | Show::Moment => format!("{date} {time}"),
    })
}

/// The date of a number of days since 1970.
///
/// Source: <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>
fn date(days: i64) -> String {
    let shifted = days + 719_468;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let part = (5 * of_year + 2) / 153;
    let month = if part < 10 { part + 3 } else { part - 9 };
    format!("{:04}-{month:02}-{:02}", year + era * 400 + i64::from(month <= 2), of_year - (153 * part + 2) / 5 + 1)
}
