//! Drop-down chips and the definitions of what they offer.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#insertdropdownrequest>

use serde_json::{Map, Value, json};

use super::batch::Batch;
use super::chips::fields_of;
use super::document::{DocumentTab, StructuralElement};
use super::elements::{insert_object, object, place};
use super::ids::FreshIds;
use super::images::each_segment_mut;
use super::mask::Mask;
use super::quirks;
use super::refusal::Refusal;
use super::request::{
    CreateDropdownDefinition, DeleteDropdownDefinition, DropdownOption, InsertDropdown,
    UpdateDropdownDefinitionProperties, UpdateDropdownProperties,
};
use super::schema::{DROPDOWN_DEFINITION_PROPERTIES, DROPDOWN_PROPERTIES};
use super::style::stored;

/// Carries out `createDropdownDefinition`.
///
/// # Errors
///
/// Google's refusals of an id of the wrong form or in use and of too few or too many options.
pub(crate) fn create(batch: &mut Batch, request: &CreateDropdownDefinition) -> Result<Value, Refusal> {
    let given = &request.dropdown_definition;
    let (tab, ids) = batch.tab(request.tab_id.as_deref())?;
    let asked = given.dropdown_definition_id.as_deref().filter(|id| !id.is_empty());
    let id = match asked {
        Some(id) if !has_form(id, "kix.") => return Err(Refusal::invalid(quirks::bad_id(id, "kix."))),
        Some(id) if !ids.claim(id) => return Err(Refusal::invalid(quirks::id_taken(id))),
        Some(id) => id.to_owned(),
        None => ids.draw("kix."),
    };
    let properties = &given.dropdown_definition_properties;
    let options = options(&properties.options, ids)?;
    let mut fields = Map::new();
    if let Some(title) = properties.title.as_ref().filter(|title| !title.is_empty()) {
        fields.insert("title".to_owned(), json!(title));
    }
    fields.insert("options".to_owned(), json!(options));
    let made = json!({ "dropdownDefinitionId": id, "dropdownDefinitionProperties": fields });
    tab.dropdown_definitions.insert(id, made.clone());
    Ok(json!({ "createDropdownDefinition": { "dropdownDefinition": made } }))
}

/// Checks options and gives those without an id one.
fn options(given: &[DropdownOption], ids: &mut FreshIds) -> Result<Vec<Value>, Refusal> {
    if !(quirks::MIN_DROPDOWN_OPTIONS..=quirks::MAX_DROPDOWN_OPTIONS).contains(&given.len()) {
        return Err(Refusal::invalid(quirks::BAD_OPTION_COUNT));
    }
    let prefix = "dropdownItem.";
    let mut seen: Vec<String> = Vec::new();
    let mut made = Vec::new();
    for option in given {
        let id = match option.option_id.as_deref().filter(|id| !id.is_empty()) {
            Some(id) if !has_form(id, prefix) => return Err(Refusal::invalid(quirks::bad_id(id, prefix))),
            Some(id) => id.to_owned(),
            None => ids.draw(prefix),
        };
        if seen.contains(&id) {
            return Err(Refusal::invalid(quirks::id_taken(&id)));
        }
        let mut fields = fields_of([("optionId", json!(id))]);
        if let Some(value) = option.display_value.as_ref().filter(|value| !value.is_empty()) {
            fields.insert("displayValue".to_owned(), json!(value));
        }
        if let Some(style) = &option.text_style {
            if style.0.keys().any(|key| !matches!(key.as_str(), "foregroundColor" | "backgroundColor")) {
                return Err(Refusal::invalid(quirks::OPTION_STYLE));
            }
            fields.insert("textStyle".to_owned(), stored(&Value::Object(style.0.clone())));
        }
        seen.push(id);
        made.push(Value::Object(fields));
    }
    Ok(made)
}

/// Tells whether an id has the form that Google asks for: the prefix and 2 to 14 letters, digits, `_` or `-`.
fn has_form(id: &str, prefix: &str) -> bool {
    id.strip_prefix(prefix).is_some_and(|rest| {
        (2..=14).contains(&rest.len()) && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    })
}

/// Returns the options of a definition.
fn options_of(definition: &Value) -> &[Value] {
    let options = definition.pointer("/dropdownDefinitionProperties/options").and_then(Value::as_array);
    options.map(Vec::as_slice).unwrap_or_default()
}

/// Returns a string of an object.
fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

/// Carries out `deleteDropdownDefinition`.
///
/// # Errors
///
/// Google's refusal of a definition in use; a refusal of one that there is not.
pub(crate) fn delete(batch: &mut Batch, request: &DeleteDropdownDefinition) -> Result<(), Refusal> {
    let (tab, _) = batch.tab(request.tab_id.as_deref())?;
    let id = &request.dropdown_definition_id;
    if !tab.dropdown_definitions.contains_key(id) {
        return Err(Refusal::invalid(quirks::unknown_definition(id)));
    }
    let mut used = false;
    each_chip_mut(tab, &mut |chip| used |= property(chip, "dropdownDefinitionId") == Some(id));
    if used {
        return Err(Refusal::invalid(quirks::definition_used(id)));
    }
    tab.dropdown_definitions.remove(id);
    Ok(())
}

/// Calls `visit` for every drop-down chip of a tab.
fn each_chip_mut(tab: &mut DocumentTab, visit: &mut dyn FnMut(&mut Map<String, Value>)) {
    fn walk(content: &mut [StructuralElement], visit: &mut dyn FnMut(&mut Map<String, Value>)) {
        for element in content {
            for inline in element.paragraph.iter_mut().flat_map(|paragraph| &mut paragraph.elements) {
                if let Some(chip) = inline.rest.get_mut("dropdown").and_then(Value::as_object_mut) {
                    visit(chip);
                }
            }
            let rows = element.table.iter_mut().flat_map(|table| &mut table.table_rows);
            for cell in rows.flat_map(|row| &mut row.table_cells) {
                walk(&mut cell.content, visit);
            }
        }
    }
    each_segment_mut(tab, &mut |content| walk(content, visit));
}

/// Returns a property of a chip.
fn property<'a>(chip: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    chip.get("dropdownProperties").and_then(|own| text(own, key))
}

/// Returns the properties of a chip that selects an option: the first one when none is said.
fn selected(definition_id: &str, definition: &Value, option: Option<&str>) -> Result<Map<String, Value>, Refusal> {
    let options = options_of(definition);
    let chosen = match option.filter(|id| !id.is_empty()) {
        Some(id) => options.iter().find(|own| text(own, "optionId") == Some(id)),
        None => options.first(),
    };
    let chosen = chosen.ok_or_else(|| Refusal::invalid(quirks::unknown_option(option.unwrap_or_default())))?;
    let mut fields = fields_of([
        ("dropdownDefinitionId", json!(definition_id)),
        ("selectedOptionId", json!(text(chosen, "optionId").unwrap_or_default())),
    ]);
    if let Some(shown) = text(chosen, "displayValue") {
        fields.insert("displayValue".to_owned(), json!(shown));
    }
    Ok(fields)
}

/// Carries out `updateDropdownDefinitionProperties`.
///
/// # Errors
///
/// Google's refusals of a bad mask, of bad options and of an option that is selected, goes, and has no replacement.
pub(crate) fn update_definition(
    batch: &mut Batch,
    request: &UpdateDropdownDefinitionProperties,
) -> Result<(), Refusal> {
    let mask = Mask::read(&request.fields, DROPDOWN_DEFINITION_PROPERTIES)?;
    let (tab, ids) = batch.tab(request.tab_id.as_deref())?;
    let id = &request.dropdown_definition_id;
    let unknown = || Refusal::invalid(quirks::unknown_definition(id));
    let mut definition = tab.dropdown_definitions.get(id).cloned().ok_or_else(unknown)?;
    let given = &request.dropdown_definition_properties;
    let own = definition.get_mut("dropdownDefinitionProperties").and_then(Value::as_object_mut).ok_or_else(unknown)?;
    if mask.names("title") {
        match given.title.as_ref().filter(|title| !title.is_empty()) {
            Some(title) => own.insert("title".to_owned(), json!(title)),
            None => own.remove("title"),
        };
    }
    let replacements = &request.selected_option_id_replacements;
    let before = tab.dropdown_definitions.get(id).map(options_of).unwrap_or_default();
    let before: Vec<String> = before.iter().filter_map(|own| text(own, "optionId")).map(str::to_owned).collect();
    if mask.names("options") {
        own.insert("options".to_owned(), json!(options(&given.options, ids)?));
    }
    let stays = |option: &str| options_of(&definition).iter().any(|own| text(own, "optionId") == Some(option));
    if let Some(key) = replacements.keys().find(|key| stays(key) || !before.contains(key)) {
        return Err(Refusal::invalid(quirks::option_stays(key)));
    }
    let mut refusal = None;
    each_chip_mut(tab, &mut |chip| {
        if property(chip, "dropdownDefinitionId") != Some(id) {
            return;
        }
        let option = property(chip, "selectedOptionId").unwrap_or_default().to_owned();
        let option = if stays(&option) { Some(option.as_str()) } else { replacements.get(&option).map(String::as_str) };
        let done = option.ok_or_else(|| Refusal::invalid(quirks::NO_REPLACEMENT));
        match done.and_then(|option| selected(id, &definition, Some(option))) {
            Ok(properties) => drop(chip.insert("dropdownProperties".to_owned(), Value::Object(properties))),
            Err(error) => refusal = Some(error),
        }
    });
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    tab.dropdown_definitions.insert(id.clone(), definition);
    Ok(())
}

/// Carries out `insertDropdown`.
///
/// # Errors
///
/// Google's refusals of a bad place, of an option that the definition does not have; a refusal of an unknown
/// definition.
pub(crate) fn insert(batch: &mut Batch, request: &InsertDropdown) -> Result<Value, Refusal> {
    let (index, address) = place(request.location.as_ref(), request.end_of_segment_location.as_ref())?;
    batch.in_segment(&address, |segment| {
        let id = &request.dropdown_definition_id;
        let definition = segment.tab.dropdown_definitions.get(id);
        let definition = definition.ok_or_else(|| Refusal::invalid(quirks::unknown_definition(id)))?;
        let properties = selected(id, definition, request.selected_option_id.as_deref())?;
        let chip = segment.ids.draw("kix.");
        let mut fields = fields_of([("dropdownId", json!(chip)), ("dropdownProperties", Value::Object(properties))]);
        let style = insert_object(segment, index, object("dropdown", fields.clone()))?;
        fields.insert("textStyle".to_owned(), style);
        Ok(json!({ "insertDropdown": { "dropdown": fields } }))
    })
}

/// Carries out `updateDropdownProperties`.
///
/// # Errors
///
/// Google's refusals of a bad mask and of an option that the definition does not have; refusals of an unknown chip
/// and of an unknown definition.
pub(crate) fn update(batch: &mut Batch, request: &UpdateDropdownProperties) -> Result<(), Refusal> {
    let mask = Mask::read(&request.fields, DROPDOWN_PROPERTIES)?;
    let given = &request.dropdown_properties;
    if given.display_value.is_some() || (mask.names("displayValue") && request.fields.trim() != "*") {
        return Err(Refusal::invalid(quirks::output_only("dropdown_properties.display_value")));
    }
    let (tab, _) = batch.tab(request.tab_id.as_deref())?;
    let definitions = tab.dropdown_definitions.clone();
    let mut done = Err(Refusal::invalid(quirks::unknown_dropdown(&request.dropdown_id)));
    each_chip_mut(tab, &mut |chip| {
        if chip.get("dropdownId").and_then(Value::as_str) != Some(&request.dropdown_id) {
            return;
        }
        let own = |key: &str| property(chip, key).map(str::to_owned);
        let definition = if mask.names("dropdownDefinitionId") {
            given.dropdown_definition_id.clone()
        } else {
            own("dropdownDefinitionId")
        };
        let option =
            if mask.names("selectedOptionId") { given.selected_option_id.clone() } else { own("selectedOptionId") };
        let id = definition.unwrap_or_default();
        let found = definitions.get(&id).ok_or_else(|| Refusal::invalid(quirks::unknown_definition(&id)));
        done = found.and_then(|found| selected(&id, found, option.as_deref())).map(|properties| {
            chip.insert("dropdownProperties".to_owned(), Value::Object(properties));
        });
    });
    done
}
