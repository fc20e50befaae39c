//! Ways into a document: tabs, segments, kinds of elements.

use serde_json::{Map, Value};

use super::document::{
    Document, DocumentTab, NamedStyle, Paragraph, ParagraphElement, StructuralElement, Style, Tab, TextRun,
};

/// What a [`ParagraphElement`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// Text of one style.
    TextRun,
    /// An image, drawing, or chart in the text.
    InlineObject,
    /// A page break.
    PageBreak,
    /// A column break.
    ColumnBreak,
    /// The mark of a footnote.
    FootnoteReference,
    /// A page number or page count.
    AutoText,
    /// A horizontal rule.
    HorizontalRule,
    /// A person chip.
    Person,
    /// A chip for a file, a video, an event.
    RichLink,
    /// A date chip.
    Date,
    /// A drop-down chip.
    Dropdown,
    /// An equation; its content is not exposed.
    Equation,
    /// Something newer than this model.
    Unknown,
}

/// The keys of the objects, with what they mean.
const OBJECT_KEYS: &[(&str, ElementKind)] = &[
    ("inlineObjectElement", ElementKind::InlineObject),
    ("pageBreak", ElementKind::PageBreak),
    ("columnBreak", ElementKind::ColumnBreak),
    ("footnoteReference", ElementKind::FootnoteReference),
    ("autoText", ElementKind::AutoText),
    ("horizontalRule", ElementKind::HorizontalRule),
    ("person", ElementKind::Person),
    ("richLink", ElementKind::RichLink),
    ("dateElement", ElementKind::Date),
    ("dropdown", ElementKind::Dropdown),
    ("equation", ElementKind::Equation),
];

impl Document {
    /// Returns all tabs in the order people see them: a parent before its children.
    #[must_use]
    pub fn all_tabs(&self) -> Vec<&Tab> {
        fn walk<'a>(tabs: &'a [Tab], found: &mut Vec<&'a Tab>) {
            for tab in tabs {
                found.push(tab);
                walk(&tab.child_tabs, found);
            }
        }
        let mut found = Vec::new();
        walk(&self.tabs, &mut found);
        found
    }

    /// Returns the tab with this id, the first tab for `None` and for the empty id.
    #[must_use]
    pub fn tab(&self, id: Option<&str>) -> Option<&Tab> {
        fn walk<'a>(tabs: &'a [Tab], id: &str) -> Option<&'a Tab> {
            tabs.iter().find_map(|tab| if tab.id() == id { Some(tab) } else { walk(&tab.child_tabs, id) })
        }
        match id {
            None | Some("") => self.tabs.first(),
            Some(id) => walk(&self.tabs, id),
        }
    }

    /// Returns the tab with this id to be changed, the first tab for `None` and for the empty id.
    #[must_use]
    pub fn tab_mut(&mut self, id: Option<&str>) -> Option<&mut Tab> {
        fn walk<'a>(tabs: &'a mut [Tab], id: &str) -> Option<&'a mut Tab> {
            tabs.iter_mut().find_map(|tab| if tab.id() == id { Some(tab) } else { walk(&mut tab.child_tabs, id) })
        }
        match id {
            None | Some("") => self.tabs.first_mut(),
            Some(id) => walk(&mut self.tabs, id),
        }
    }
}

impl Tab {
    /// Returns the id, empty when the tab has none.
    #[must_use]
    pub fn id(&self) -> &str {
        self.tab_properties.as_ref().map_or("", |properties| &properties.tab_id)
    }

    /// Returns the name, empty when the tab has none.
    #[must_use]
    pub fn title(&self) -> &str {
        self.tab_properties.as_ref().map_or("", |properties| &properties.title)
    }
}

impl DocumentTab {
    /// Returns the elements of a segment: the body for `None` and for the empty id.
    #[must_use]
    pub fn segment(&self, id: Option<&str>) -> Option<&[StructuralElement]> {
        match id {
            None | Some("") => self.body.as_ref().map(|body| body.content.as_slice()),
            Some(id) => [&self.headers, &self.footers, &self.footnotes]
                .into_iter()
                .find_map(|segments| segments.get(id))
                .map(|segment| segment.content.as_slice()),
        }
    }

    /// Returns the elements of a segment to be changed: the body for `None` and for the empty id.
    #[must_use]
    pub fn segment_mut(&mut self, id: Option<&str>) -> Option<&mut Vec<StructuralElement>> {
        match id {
            None | Some("") => self.body.as_mut().map(|body| &mut body.content),
            Some(id) => [&mut self.headers, &mut self.footers, &mut self.footnotes]
                .into_iter()
                .find_map(|segments| segments.get_mut(id))
                .map(|segment| &mut segment.content),
        }
    }

    /// Returns the ids of all segments: `None` for the body, then headers, footers, footnotes.
    #[must_use]
    pub fn segment_ids(&self) -> Vec<Option<&str>> {
        let others = self.headers.keys().chain(self.footers.keys()).chain(self.footnotes.keys());
        self.body.iter().map(|_| None).chain(others.map(|id| Some(id.as_str()))).collect()
    }

    /// Returns a named style by its type.
    #[must_use]
    pub fn named_style(&self, named_style_type: &str) -> Option<&NamedStyle> {
        self.named_styles.as_ref()?.styles.iter().find(|style| style.named_style_type == named_style_type)
    }
}

impl Paragraph {
    /// Returns the named style type, `NORMAL_TEXT` when it is not said.
    #[must_use]
    pub fn named_style_type(&self) -> &str {
        self.style_str("namedStyleType").unwrap_or("NORMAL_TEXT")
    }

    /// Returns the heading id.
    #[must_use]
    pub fn heading_id(&self) -> Option<&str> {
        self.style_str("headingId")
    }

    /// Returns the text of all runs, the newline included, with nothing where an object stands.
    #[must_use]
    pub fn text(&self) -> String {
        self.elements.iter().filter_map(ParagraphElement::text).collect()
    }

    /// Returns a string of the paragraph style.
    fn style_str(&self, key: &str) -> Option<&str> {
        self.paragraph_style.as_ref()?.0.get(key)?.as_str()
    }
}

impl ParagraphElement {
    /// Returns what the element is.
    #[must_use]
    pub fn kind(&self) -> ElementKind {
        if self.text_run.is_some() {
            return ElementKind::TextRun;
        }
        OBJECT_KEYS.iter().find(|(key, _)| self.rest.contains_key(*key)).map_or(ElementKind::Unknown, |(_, kind)| *kind)
    }

    /// Returns the key and the JSON of an object; `None` for text and for an empty element.
    #[must_use]
    pub fn raw(&self) -> Option<(&str, &Value)> {
        if self.text_run.is_some() {
            return None;
        }
        OBJECT_KEYS
            .iter()
            .find_map(|(key, _)| self.rest.get(*key).map(|value| (*key, value)))
            .or_else(|| self.rest.iter().next().map(|(key, value)| (key.as_str(), value)))
    }

    /// Returns the text of a run.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text_run.as_ref().map(|run| run.content.as_str())
    }

    /// Returns the direct overrides of a run or an object.
    #[must_use]
    pub fn text_style(&self) -> Option<&Map<String, Value>> {
        match &self.text_run {
            Some(run) => run.text_style.as_ref().map(|style| &style.0),
            None => self.raw()?.1.get("textStyle")?.as_object(),
        }
    }

    /// Returns how many UTF-16 units the element takes, as recorded.
    #[must_use]
    pub fn width_utf16(&self) -> u32 {
        self.end_index.utf16().saturating_sub(self.start_index.utf16())
    }

    /// Makes a run of text; its place is its width until the segment is laid out.
    pub(crate) fn of_text(content: String, text_style: Style) -> Self {
        let width = super::index::utf16_len(&content);
        Self {
            start_index: super::document::Position::at(0),
            end_index: super::document::Position::at(width),
            text_run: Some(TextRun { content, text_style: Some(text_style), ..TextRun::default() }),
            ..Self::default()
        }
    }
}
