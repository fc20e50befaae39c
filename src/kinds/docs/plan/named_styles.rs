//! The named styles of a tab: what they come to in its text, and the requests that set them. Pure.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::error::{Error, Result};
use crate::gdocs::{
    DocumentTab, NamedStyle, NamedStyles, Paragraph, ParagraphElement, StructuralElement, Style, TextRun,
    inherited_paragraph, inherited_text,
};
use crate::kinds::docs::text::style::is_monospace;
use crate::kinds::docs::text::values::{
    color, dimension, hex_value, is_font, length, line_spacing, number, parse_length, points, spacing_percent,
    weight_of,
};
use crate::kinds::{Restyled, StyleDefinition};
use crate::mebdf::color as hex_of;

/// Every kind of paragraph, by the names that people and Google give it.
const ELEMENTS: [(&str, &str); 9] = [
    ("body", "NORMAL_TEXT"),
    ("title", "TITLE"),
    ("subtitle", "SUBTITLE"),
    ("heading1", "HEADING_1"),
    ("heading2", "HEADING_2"),
    ("heading3", "HEADING_3"),
    ("heading4", "HEADING_4"),
    ("heading5", "HEADING_5"),
    ("heading6", "HEADING_6"),
];

/// The weight of bold text.
const BOLD: u64 = 700;
/// Docs' largest font, in points.
const SIZE_MAX: f64 = 400.0;
/// The longest space between paragraphs, in points.
const SPACE_MAX: f64 = 10_000.0;

/// A field of a style of text or of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Field {
    Family,
    Size,
    Weight,
    Color,
    Lines,
    Before,
    After,
}

impl Field {
    const ALL: [Self; 7] =
        [Self::Family, Self::Size, Self::Weight, Self::Color, Self::Lines, Self::Before, Self::After];

    const fn is_of_text(self) -> bool {
        matches!(self, Self::Family | Self::Size | Self::Weight | Self::Color)
    }

    /// The fields of Google's style that it is made of.
    const fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Family => &["weightedFontFamily"],
            Self::Size => &["fontSize"],
            Self::Weight => &["bold", "weightedFontFamily"],
            Self::Color => &["foregroundColor"],
            Self::Lines => &["lineSpacing"],
            Self::Before => &["spaceAbove"],
            Self::After => &["spaceBelow"],
        }
    }

    /// What it is where no style says it.
    fn plain(self) -> String {
        match self {
            Self::Family => "Arial".to_owned(),
            Self::Size => length(11.0),
            Self::Weight => "400".to_owned(),
            Self::Color => "#000000".to_owned(),
            Self::Lines => line_spacing(100.0),
            Self::Before | Self::After => length(0.0),
        }
    }

    /// Reads it, given what finds each of its keys.
    fn read<'s>(self, find: impl Fn(&str) -> Option<&'s Value>) -> Option<String> {
        let family = |key: &str| find("weightedFontFamily").and_then(|family| family.get(key));
        match self {
            Self::Family => family("fontFamily")?.as_str().map(str::to_owned),
            Self::Size => find("fontSize").and_then(points).map(length),
            Self::Weight => {
                let weight = family("weight").and_then(Value::as_u64);
                let is_bold = find("bold").and_then(Value::as_bool).unwrap_or(false);
                (weight.is_some() || find("bold").is_some())
                    .then(|| if is_bold { BOLD } else { weight.unwrap_or(400) }.to_string())
            }
            Self::Color => find("foregroundColor").and_then(color),
            Self::Lines => find("lineSpacing").and_then(Value::as_f64).map(line_spacing),
            Self::Before => find("spaceAbove").and_then(points).map(length),
            Self::After => find("spaceBelow").and_then(points).map(length),
        }
    }

    /// Reads what a definition says of it, in the one way of writing it.
    fn wanted(self, definition: &StyleDefinition) -> Result<Option<String>> {
        let (name, given) = match self {
            Self::Family => ("font_family", &definition.font_family),
            Self::Size => ("font_size", &definition.font_size),
            Self::Weight => ("font_weight", &definition.font_weight),
            Self::Color => ("text_color", &definition.text_color),
            Self::Lines => ("line_spacing", &definition.line_spacing),
            Self::Before => ("space_before", &definition.space_before),
            Self::After => ("space_after", &definition.space_after),
        };
        let Some(given) = given.as_deref().map(str::trim) else { return Ok(None) };
        let within =
            |low: f64, high: f64| parse_length(given).filter(|points| (low..=high).contains(points)).map(length);
        let (read, example) = match self {
            Self::Family => (is_font(given).then(|| given.to_owned()), "the name of a font, such as Arial"),
            Self::Size => (within(1.0, SIZE_MAX), "a length from 1pt to 400pt, such as 11pt"),
            Self::Weight => (weight_of(given).map(|weight| weight.to_string()), "normal, bold, or 100 to 900"),
            Self::Color => (hex_of(given), "a colour, such as #cc0000"),
            Self::Lines => (spacing_percent(given).map(line_spacing), "single, 1.5, double or another factor"),
            Self::Before | Self::After => (within(0.0, SPACE_MAX), "a length, such as 6pt"),
        };
        read.map(Some).ok_or_else(|| Error::InvalidInput {
            what: format!(
                "`{name}` of {} cannot be `{}`",
                definition.element_type.escape_debug(),
                given.escape_debug()
            ),
            suggestion: format!("Give {example}; nothing was changed."),
        })
    }

    /// Adds the value to a style as Google writes it; `family` is the font that a weight is of.
    fn write(self, value: &str, family: &str, fields: &mut Map<String, Value>) {
        let points = || dimension(parse_length(value).unwrap_or_default());
        match self {
            Self::Family => {
                let own = fields.entry("weightedFontFamily").or_insert_with(|| json!({ "weight": 400 }));
                own["fontFamily"] = value.into();
            }
            Self::Weight => {
                let weight = weight_of(value).unwrap_or(400);
                let own = if weight == BOLD { 400 } else { weight };
                fields.insert("bold".into(), (weight == BOLD).into());
                let entry = fields.entry("weightedFontFamily").or_insert_with(|| json!({ "fontFamily": family }));
                entry["weight"] = own.into();
            }
            Self::Size => drop(fields.insert("fontSize".into(), points())),
            Self::Color => drop(fields.insert("foregroundColor".into(), hex_value(value).unwrap_or_default())),
            Self::Lines => {
                drop(fields.insert("lineSpacing".into(), number(spacing_percent(value).unwrap_or(100.0))));
            }
            Self::Before => drop(fields.insert("spaceAbove".into(), points())),
            Self::After => drop(fields.insert("spaceBelow".into(), points())),
        }
    }
}

/// What is wanted of each kind of paragraph, by Google's name of it.
type Wanted = BTreeMap<&'static str, BTreeMap<Field, String>>;

/// Tells how each kind of paragraph looks: as its named style says, or as most of its text does in spite of that.
pub(crate) fn definitions(tab: &DocumentTab) -> Vec<StyleDefinition> {
    let mut counts: BTreeMap<(&str, Field), BTreeMap<String, usize>> = BTreeMap::new();
    for paragraph in paragraphs(tab) {
        let named = paragraph.named_style_type();
        let Some((_, named)) = ELEMENTS.into_iter().find(|(_, known)| *known == named) else { continue };
        let style = paragraph.paragraph_style.as_ref();
        for run in paragraph.elements.iter().filter_map(|element| element.text_run.as_ref()) {
            let units = run.content.trim_end_matches('\n').len();
            for field in Field::ALL {
                let own = if field.is_of_text() { run.text_style.as_ref() } else { style };
                if let Some(value) = effective(tab, named, field, own) {
                    *counts.entry((named, field)).or_default().entry(value).or_default() += units;
                }
            }
        }
    }
    let look = |named: &'static str, field: Field| {
        let counted = counts.get(&(named, field)).and_then(|counts| counts.iter().max_by_key(|(_, count)| **count));
        counted
            .filter(|(_, count)| **count > 0)
            .map(|(value, _)| value.clone())
            .or_else(|| effective(tab, named, field, None))
    };
    ELEMENTS
        .into_iter()
        .filter(|(_, named)| tab.named_style(named).is_some())
        .map(|(element, named)| StyleDefinition {
            element_type: element.to_owned(),
            font_family: look(named, Field::Family),
            font_size: look(named, Field::Size),
            font_weight: look(named, Field::Weight),
            text_color: look(named, Field::Color),
            line_spacing: look(named, Field::Lines),
            space_before: look(named, Field::Before),
            space_after: look(named, Field::After),
        })
        .collect()
}

/// Makes the requests that let each kind of paragraph look as it is defined: its named style, and ranges whose own looks differ.
/// Nothing of that is text.
///
/// Words that alone are bold or coloured within a paragraph are meant so, and stay; so does the font of code.
///
/// # Errors
///
/// `InvalidInput` for a definition that means nothing.
pub(crate) fn restyle(
    tab_id: &str,
    tab: &DocumentTab,
    definitions: &[StyleDefinition],
) -> Result<(Vec<Value>, Restyled)> {
    let wanted = wanted(definitions)?;
    let (mut requests, after) = set_named_styles(tab_id, tab, &wanted);
    let tab = &after;
    let mut code = 0;
    for element in elements(tab) {
        let Some(paragraph) = &element.paragraph else { continue };
        let Some((named, fields)) = wanted.get_key_value(paragraph.named_style_type()) else { continue };
        let looks = Looks { tab_id, tab, named, fields, paragraph };
        requests.extend(looks.of_paragraph(element));
        requests.extend(looks.of_text());
        code += looks.code_that_stays();
    }
    let pieces = if code == 1 { "1 piece of code keeps".into() } else { format!("{code} pieces of code keep") };
    let warnings = (code > 0).then(|| format!("{pieces} a monospace font")).into_iter().collect();
    let changes = requests.len();
    Ok((requests, Restyled { changes, warnings }))
}

/// A paragraph, and how it is wanted to look.
struct Looks<'a> {
    tab_id: &'a str,
    tab: &'a DocumentTab,
    named: &'a str,
    fields: &'a BTreeMap<Field, String>,
    paragraph: &'a Paragraph,
}

impl<'a> Looks<'a> {
    /// Tells whether a style has a value of its own that is not the wanted one.
    fn differs(&self, field: Field, own: Option<&Style>) -> bool {
        let (Some(own), Some(value)) = (own, self.fields.get(&field)) else { return false };
        let has_own = field.keys().iter().any(|key| own.0.contains_key(*key));
        has_own && effective(self.tab, self.named, field, Some(own)).as_ref() != Some(value)
    }

    fn range(&self, start: Option<u32>, end: Option<u32>) -> Value {
        json!({ "startIndex": start.unwrap_or_default(), "endIndex": end.unwrap_or_default(), "tabId": self.tab_id })
    }

    /// Takes away what the paragraph has of its own.
    fn of_paragraph(&self, element: &StructuralElement) -> Option<Value> {
        let own = self.paragraph.paragraph_style.as_ref();
        let fields = Field::ALL.into_iter().filter(|field| !field.is_of_text() && self.differs(*field, own));
        let keys: Vec<&str> = fields.flat_map(Field::keys).copied().collect();
        let range = self.range(element.start_index.0, element.end_index.0);
        let request = json!({ "range": range, "paragraphStyle": {}, "fields": keys.join(",") });
        (!keys.is_empty()).then(|| json!({ "updateParagraphStyle": request }))
    }

    fn runs(&self) -> impl Iterator<Item = (&'a ParagraphElement, &'a TextRun)> {
        self.paragraph.elements.iter().filter_map(|run| Some((run, run.text_run.as_ref()?)))
    }

    /// Tells whether all words of the paragraph have another look: then it is none of some words alone.
    fn is_of_all(&self, field: Field) -> bool {
        self.runs().all(|(_, run)| run.content.trim().is_empty() || self.differs(field, run.text_style.as_ref()))
    }

    /// Counts the pieces of code that keep their font.
    fn code_that_stays(&self) -> usize {
        let stays = |style: Option<&Style>| is_monospace(style) && self.differs(Field::Family, style);
        self.runs().filter(|(_, run)| stays(run.text_style.as_ref())).count()
    }

    /// Takes away what its text has of its own.
    fn of_text(&self) -> Vec<Value> {
        let (weight, colour) = (self.is_of_all(Field::Weight), self.is_of_all(Field::Color));
        let request = |(element, run): (&ParagraphElement, &TextRun)| {
            let style = run.text_style.as_ref()?;
            let (is_code, is_link) = (is_monospace(Some(style)), style.0.contains_key("link"));
            let goes = |field: &Field| {
                self.differs(*field, Some(style))
                    && match field {
                        Field::Family => !is_code,
                        Field::Weight => weight && !is_code,
                        Field::Color => colour && !is_code && !is_link,
                        Field::Size => true,
                        Field::Lines | Field::Before | Field::After => false,
                    }
            };
            let going: Vec<Field> = Field::ALL.into_iter().filter(goes).collect();
            let mut keys: Vec<&str> = going.iter().flat_map(|field| field.keys()).copied().collect();
            keys.retain(|key| style.0.contains_key(*key));
            keys.sort_unstable();
            keys.dedup();
            let kept = if keys.contains(&"weightedFontFamily") { self.font_left(style, &going) } else { Map::new() };
            let range = self.range(element.start_index.0, element.end_index.0);
            let request = json!({ "range": range, "textStyle": kept, "fields": keys.join(",") });
            (!keys.is_empty()).then(|| json!({ "updateTextStyle": request }))
        };
        self.runs().filter_map(request).collect()
    }

    /// What is left of a font of its own, which is a family with a weight, when only one of the two goes.
    fn font_left(&self, style: &Style, going: &[Field]) -> Map<String, Value> {
        let own = |key: &str| style.0.get("weightedFontFamily")?.get(key).cloned();
        let wanted = |field: Field| self.fields.get(&field).map(String::as_str);
        let (family, weight) = match (going.contains(&Field::Family), going.contains(&Field::Weight)) {
            // Text that has another family alone has the weight of all.
            (true, false) if own("weight").is_none_or(|weight| weight == 400) => return Map::new(),
            (true, false) => (wanted(Field::Family).map(Value::from), own("weight")),
            (false, true) => {
                let mut fields = Map::new();
                Field::Weight.write(wanted(Field::Weight).unwrap_or("400"), "", &mut fields);
                (own("fontFamily"), fields.get("weightedFontFamily").and_then(|font| font.get("weight")).cloned())
            }
            (true, true) | (false, false) => return Map::new(),
        };
        Map::from_iter([("weightedFontFamily".to_owned(), json!({ "fontFamily": family, "weight": weight }))])
    }
}

/// Makes the requests that set named styles; returns the tab with them, too.
///
/// What a kind of paragraph has not of its own it has from normal text, which goes first: then it is known what the others still need,
/// and those that nothing is wanted of are told to look as they did.
fn set_named_styles(tab_id: &str, tab: &DocumentTab, wanted: &Wanted) -> (Vec<Value>, DocumentTab) {
    let mut after = tab.clone();
    let mut requests = Vec::new();
    for (_, named) in ELEMENTS {
        let mut fields = match tab.named_style(named) {
            Some(_) if named != "NORMAL_TEXT" => looks_at_stake(tab, &after, named),
            Some(_) | None => BTreeMap::new(),
        };
        fields.extend(wanted.get(named).cloned().unwrap_or_default());
        if let Some((text, paragraph)) = change_of(&after, named, &fields) {
            let keys = text.keys().map(|key| format!("textStyle.{key}"));
            let keys: Vec<String> = keys.chain(paragraph.keys().map(|key| format!("paragraphStyle.{key}"))).collect();
            let style = json!({ "namedStyleType": named, "textStyle": text, "paragraphStyle": paragraph });
            let request = json!({ "namedStyle": style, "fields": keys.join(","), "tabId": tab_id });
            requests.push(json!({ "updateNamedStyle": request }));
            set_in(&mut after, named, text, paragraph);
        }
    }
    (requests, after)
}

/// The looks that a kind of paragraph had from normal text before that was changed.
fn looks_at_stake(before: &DocumentTab, after: &DocumentTab, named: &str) -> BTreeMap<Field, String> {
    let look = |field: Field| {
        let had = effective(before, named, field, None);
        (had != effective(after, named, field, None)).then(|| (field, had.unwrap_or_else(|| field.plain())))
    };
    Field::ALL.into_iter().filter_map(look).collect()
}

/// Returns what a named style must be given of text and of paragraphs; `None` when it says all of that already.
fn change_of(
    tab: &DocumentTab,
    named: &str,
    fields: &BTreeMap<Field, String>,
) -> Option<(Map<String, Value>, Map<String, Value>)> {
    let family = effective(tab, named, Field::Family, None).unwrap_or_else(|| Field::Family.plain());
    let (mut text, mut paragraph) = (Map::new(), Map::new());
    let changed = fields.iter().filter(|(field, value)| effective(tab, named, **field, None).as_ref() != Some(value));
    for (field, value) in changed {
        let style = if field.is_of_text() { &mut text } else { &mut paragraph };
        field.write(value, &family, style);
    }
    // A font without its weight would lose that.
    if let Some(own) = text.get_mut("weightedFontFamily")
        && !fields.contains_key(&Field::Weight)
        && let Some(weight) = inherited_text(tab, named, "weightedFontFamily").and_then(|family| family.get("weight"))
    {
        own["weight"] = weight.clone();
    }
    (!text.is_empty() || !paragraph.is_empty()).then_some((text, paragraph))
}

/// Writes into a tab what a named style is given.
fn set_in(tab: &mut DocumentTab, named: &str, text: Map<String, Value>, paragraph: Map<String, Value>) {
    let styles = &mut tab.named_styles.get_or_insert_with(|| NamedStyles::default().into()).make_mut().styles;
    let at = styles.iter().position(|style| style.named_style_type == named).unwrap_or(styles.len());
    if at == styles.len() {
        styles.push(NamedStyle { named_style_type: named.to_owned(), ..NamedStyle::default() });
    }
    if let Some(style) = styles.get_mut(at) {
        style.text_style.get_or_insert_default().0.extend(text);
        style.paragraph_style.get_or_insert_default().0.extend(paragraph);
    }
}

fn wanted(definitions: &[StyleDefinition]) -> Result<Wanted> {
    let mut wanted = Wanted::new();
    let mut given: Vec<&str> = Vec::new();
    for definition in definitions {
        let name = definition.element_type.as_str();
        let Some((_, named)) = ELEMENTS.into_iter().find(|(element, _)| *element == name) else {
            let names: Vec<&str> = ELEMENTS.iter().map(|(element, _)| *element).collect();
            return Err(Error::InvalidInput {
                what: format!("there is no element type `{}`", name.escape_debug()),
                suggestion: format!("Use one of {}; nothing was changed.", names.join(", ")),
            });
        };
        if given.contains(&name) {
            return Err(Error::InvalidInput {
                what: format!("`{name}` is defined twice"),
                suggestion: "Give each kind of paragraph once; nothing was changed.".into(),
            });
        }
        given.push(name);
        for field in Field::ALL {
            if let Some(value) = field.wanted(definition)? {
                wanted.entry(named).or_default().insert(field, value);
            }
        }
    }
    Ok(wanted)
}

/// What a paragraph or its text looks like in one field: its own style before its named one before normal text.
fn effective(tab: &DocumentTab, named: &str, field: Field, own: Option<&Style>) -> Option<String> {
    let inherited = |key: &str| match field.is_of_text() {
        true => inherited_text(tab, named, key),
        false => inherited_paragraph(tab, named, key),
    };
    field.read(|key| own.and_then(|own| own.0.get(key)).or_else(|| inherited(key)))
}

/// The text of the body, that of tables with it.
pub(crate) fn text(tab: &DocumentTab) -> String {
    paragraphs(tab).map(Paragraph::text).collect()
}

fn paragraphs(tab: &DocumentTab) -> impl Iterator<Item = &Paragraph> {
    elements(tab).into_iter().filter_map(|element| element.paragraph.as_ref())
}

/// The paragraphs of the body, those of tables among them, in their order.
fn elements(tab: &DocumentTab) -> Vec<&StructuralElement> {
    let mut found = Vec::new();
    let mut waiting: Vec<&StructuralElement> = tab.body.iter().flat_map(|body| body.content.iter().rev()).collect();
    while let Some(element) = waiting.pop() {
        if let Some(table) = &element.table {
            let cells = table.table_rows.iter().flat_map(|row| &row.table_cells);
            let inner: Vec<&StructuralElement> = cells.flat_map(|cell| &cell.content).collect();
            waiting.extend(inner.into_iter().rev());
        }
        if element.paragraph.is_some() {
            found.push(element);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdocs::{Document, apply, read_requests};

    /// Sets looks on a document of the fixtures: its text is what it was, and once more there is nothing to do.
    fn check(set: &[StyleDefinition]) -> Vec<Value> {
        let raw = include_str!("../../../../fixtures/docs/every-style.json");
        let document: Document = serde_json::from_str(raw).unwrap();
        let tab = document.tabs[0].document_tab.as_ref().unwrap();
        let (requests, _) = restyle(document.tabs[0].id(), tab, set).unwrap();
        let after = apply(&document, &read_requests(&requests).unwrap(), 1).unwrap().document;
        let now = after.tabs[0].document_tab.as_ref().unwrap();
        assert_eq!(text(now), text(tab));
        let (again, _) = restyle(document.tabs[0].id(), now, set).unwrap();
        assert_eq!(again, Vec::<Value>::new(), "{set:?}");
        requests
    }

    #[test]
    fn looks_are_set_once_and_change_no_text() {
        let body = |style: StyleDefinition| StyleDefinition { element_type: "body".into(), ..style };
        let some = |value: &str| Some(value.to_owned());
        let empty = StyleDefinition::default;
        assert!(!check(&[body(StyleDefinition { font_family: some("Georgia"), ..empty() })]).is_empty());
        assert!(!check(&[body(StyleDefinition { font_size: some("13.5pt"), ..empty() })]).is_empty());
        assert!(!check(&[body(StyleDefinition { font_weight: some("300"), ..empty() })]).is_empty());
        assert!(!check(&[body(StyleDefinition { font_weight: some("bold"), ..empty() })]).is_empty());
        assert!(!check(&[body(StyleDefinition { text_color: some("#123456"), ..empty() })]).is_empty());
        assert!(!check(&[body(StyleDefinition { line_spacing: some("double"), ..empty() })]).is_empty());
        assert!(
            !check(&[body(StyleDefinition { space_before: some("3pt"), space_after: some("0.5in"), ..empty() })])
                .is_empty()
        );
        check(&[body(empty())]);
    }
    /// Sets looks on a new document; its kinds of paragraphs then look as they are listed, and the others as before.
    fn check_new(set: &[StyleDefinition]) {
        let document = crate::gdocs::new_document("1Ab", "New");
        let tab = document.tabs[0].document_tab.as_ref().unwrap();
        let (requests, _) = restyle(document.tabs[0].id(), tab, set).unwrap();
        let after = apply(&document, &read_requests(&requests).unwrap(), 1).unwrap().document;
        let now = after.tabs[0].document_tab.as_ref().unwrap();
        let (again, _) = restyle(document.tabs[0].id(), now, set).unwrap();
        assert_eq!(again, Vec::<Value>::new(), "{set:?}");
        for (was, is) in definitions(tab).into_iter().zip(definitions(now)) {
            let wish = set.iter().find(|style| style.element_type == is.element_type).cloned().unwrap_or_default();
            let expected = StyleDefinition {
                font_family: wish.font_family.or(was.font_family),
                font_size: wish.font_size.or(was.font_size),
                font_weight: wish.font_weight.or(was.font_weight),
                text_color: wish.text_color.or(was.text_color),
                line_spacing: wish.line_spacing.or(was.line_spacing),
                space_before: wish.space_before.or(was.space_before),
                space_after: wish.space_after.or(was.space_after),
                element_type: was.element_type,
            };
            assert_eq!(is, expected, "{set:?}");
        }
    }

    #[test]
    fn what_headings_have_from_normal_text_stays_or_is_set_at_once() {
        let some = |value: &str| Some(value.to_owned());
        let font = |element: &str, family: &str| StyleDefinition {
            element_type: element.into(),
            font_family: some(family),
            ..StyleDefinition::default()
        };
        check_new(&[font("body", "Georgia")]);
        check_new(&[font("body", "Georgia"), font("heading1", "Arial"), font("heading6", "Verdana")]);
        check_new(&[StyleDefinition { font_weight: some("300"), ..font("body", "Georgia") }]);
        check_new(&[StyleDefinition {
            element_type: "body".into(),
            font_size: some("13pt"),
            font_weight: some("700"),
            text_color: some("#123456"),
            line_spacing: some("double"),
            space_before: some("3pt"),
            space_after: some("5pt"),
            ..StyleDefinition::default()
        }]);
        // What was read of one document makes another one alike.
        let document = crate::gdocs::new_document("1Ab", "New");
        let mut read = definitions(document.tabs[0].document_tab.as_ref().unwrap());
        check_new(&read);
        read[0].font_family = some("Georgia");
        check_new(&read);
    }
}
