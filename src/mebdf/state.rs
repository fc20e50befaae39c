//! The directives in force at each block.

use super::properties::{canonical_order, named_style};
use super::{Block, Content, Property, PropertyValue};

/// What the directives before a block say of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    /// The properties in force, in canonical order, a named style among them.
    pub properties: Vec<Property>,
    /// Why the block is read-only, if it is; empty when no reason is given.
    pub locked: Option<String>,
}

/// Returns the directives in force at each block. Properties accumulate until they change; `name:false` ends one,
/// `Normal text` ends all but a lock, and a heading ends everything.
#[must_use]
pub fn states(blocks: &[Block]) -> Vec<State> {
    let mut state = State::default();
    let mut states = Vec::with_capacity(blocks.len());
    for block in blocks {
        match &block.content {
            Content::Heading { .. } => state = State::default(),
            Content::Directive { properties } => properties.iter().for_each(|property| state.enter(property)),
            Content::Paragraph { .. }
            | Content::Item { .. }
            | Content::ItemParagraph { .. }
            | Content::Code { .. }
            | Content::Table { .. }
            | Content::Rule
            | Content::Footnote { .. } => {}
        }
        states.push(state.clone());
    }
    states
}

impl State {
    fn enter(&mut self, property: &Property) {
        if property.name == "locked" {
            self.locked = match &property.value {
                PropertyValue::Off => None,
                PropertyValue::On => Some(String::new()),
                PropertyValue::Text(reason) => Some(reason.clone()),
            };
            return;
        }
        if let Some(style) = named_style(&property.name) {
            if style == "NORMAL_TEXT" {
                self.properties.clear();
            } else {
                self.properties.retain(|old| named_style(&old.name).is_none());
                self.properties.push(property.clone());
            }
        } else {
            self.properties.retain(|old| old.name != property.name);
            if property.value != PropertyValue::Off {
                self.properties.push(property.clone());
            }
        }
        canonical_order(&mut self.properties);
    }
}
