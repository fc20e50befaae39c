//! Events of XML, one after the other; no tree is built and no entity of a document's own is known.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// How deep elements may nest; what is deeper ends the reading. Documents of Word have thirty.
const DEPTH_MAX: usize = 512;

/// What is read.
pub(super) enum Node<'x> {
    /// An element begins.
    Open(Element<'x>),
    /// An element ends.
    Close(String),
    /// Text.
    Text(String),
}

/// The begin of an element.
pub(super) struct Element<'x>(BytesStart<'x>);

impl Element<'_> {
    /// Its name without the prefix.
    pub(super) fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// The value of an attribute, by its name without a prefix.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        self.find(|key| key.rsplit(':').next() == Some(name))
    }

    /// The id of a relation that the element names, `r:id`: with a prefix, which an id of its own has not.
    pub(super) fn relation(&self, name: &str) -> Option<String> {
        self.find(|key| key.split_once(':').is_some_and(|(_, local)| local == name))
    }

    fn find(&self, wanted: impl Fn(&str) -> bool) -> Option<String> {
        // The attributes of one element are as many as its bytes allow; those behind the first hundred are not ours.
        let attribute = self.0.attributes().with_checks(false).take(100).flatten().find(|found| wanted(found.key.0))?;
        Some(match attribute.normalized_value(XmlVersion::Implicit1_0) {
            Ok(value) => value.into_owned(),
            Err(_) => attribute.value.clone().into_owned(),
        })
    }
}

/// Reads a text of XML.
pub(super) struct Nodes<'x> {
    reader: Reader<&'x [u8]>,
    depth: usize,
    /// The end of an element that was written without one.
    ends: Option<String>,
    damaged: bool,
}

impl<'x> Nodes<'x> {
    pub(super) fn new(text: &'x str) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_unmatched_ends = true;
        Self { reader, depth: 0, ends: None, damaged: false }
    }

    /// Tells whether the reading ended where the text did not.
    pub(super) const fn is_damaged(&self) -> bool {
        self.damaged
    }

    /// Returns what comes next.
    pub(super) fn next(&mut self) -> Option<Node<'x>> {
        if let Some(name) = self.ends.take() {
            return Some(Node::Close(name));
        }
        loop {
            let Ok(event) = self.reader.read_event() else {
                self.damaged = true;
                return None;
            };
            return Some(match event {
                Event::Start(start) => {
                    self.depth += 1;
                    if self.depth > DEPTH_MAX {
                        self.damaged = true;
                        return None;
                    }
                    Node::Open(Element(start))
                }
                Event::Empty(start) => {
                    self.ends = Some(start.local_name().into_inner().to_owned());
                    Node::Open(Element(start))
                }
                Event::End(end) => {
                    self.depth = self.depth.saturating_sub(1);
                    Node::Close(end.local_name().into_inner().to_owned())
                }
                Event::Text(text) => Node::Text(text.into_inner().into_owned()),
                Event::CData(text) => Node::Text(text.into_inner().into_owned()),
                Event::GeneralRef(reference) => {
                    let known = match &*reference.borrow().into_inner() {
                        "amp" => Some('&'),
                        "lt" => Some('<'),
                        "gt" => Some('>'),
                        "quot" => Some('"'),
                        "apos" => Some('\''),
                        _ => reference.resolve_char_ref().ok().flatten(),
                    };
                    match known {
                        Some(letter) => Node::Text(letter.to_string()),
                        None => continue,
                    }
                }
                Event::Eof => {
                    self.damaged |= self.depth > 0;
                    return None;
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => continue,
            });
        }
    }
}
