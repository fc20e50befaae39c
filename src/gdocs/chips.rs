//! `insertPerson`, `insertDate` and `insertRichLink`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/request#insertpersonrequest>

use serde_json::{Map, Value, json};

use super::batch::Batch;
use super::elements::{insert_object, object, place};
use super::quirks;
use super::refusal::Refusal;
use super::request::{DateElementProperties, InsertDate, InsertPerson, InsertRichLink};
use super::time::Instant;

/// Carries out `insertPerson`.
///
/// # Errors
///
/// Google's refusals of a bad place and of a name; a refusal of no address.
pub(crate) fn insert_person(batch: &mut Batch, request: &InsertPerson) -> Result<(), Refusal> {
    let (index, address) = place(request.location.as_ref(), request.end_of_segment_location.as_ref())?;
    let said = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    if said(&request.person_properties.name).is_some() {
        return Err(Refusal::invalid(quirks::PERSON_WITH_NAME));
    }
    let email = said(&request.person_properties.email).filter(|email| {
        email.split_once('@').is_some_and(|(user, host)| !user.is_empty() && !host.is_empty() && !host.contains('@'))
            && !email.chars().any(char::is_whitespace)
    });
    let email = email.ok_or_else(|| Refusal::invalid(quirks::NO_EMAIL))?;
    batch.in_segment(&address, |segment| {
        let id = segment.ids.draw("kix.");
        let fields = [("personId", json!(id)), ("personProperties", json!({ "email": email }))];
        insert_object(segment, index, object("person", fields_of(fields)))?;
        Ok(())
    })
}

/// Carries out `insertDate`.
///
/// # Errors
///
/// Google's refusals of a bad place, of no point in time and of a locale that is not among its own.
pub(crate) fn insert_date(batch: &mut Batch, request: &InsertDate) -> Result<(), Refusal> {
    let (index, address) = place(request.location.as_ref(), request.end_of_segment_location.as_ref())?;
    let properties = date_properties(&request.date_element_properties)?;
    batch.in_segment(&address, |segment| {
        let id = segment.ids.draw("kix.");
        let fields = [("dateId", json!(id)), ("dateElementProperties", properties)];
        insert_object(segment, index, object("dateElement", fields_of(fields)))?;
        Ok(())
    })
}

/// Checks the properties of a date, fills in the defaults and what is shown.
fn date_properties(given: &DateElementProperties) -> Result<Value, Refusal> {
    if given.display_text.is_some() {
        return Err(Refusal::invalid(quirks::output_only("date_element_properties.display_text")));
    }
    let instant = given.timestamp.as_deref().and_then(Instant::parse);
    let instant = instant.ok_or_else(|| Refusal::invalid(quirks::NO_TIMESTAMP))?;
    let or = |text: &Option<String>, default: &str| {
        let said = text.clone().filter(|text| !text.is_empty() && !text.ends_with("_UNSPECIFIED"));
        said.unwrap_or_else(|| default.to_owned())
    };
    let locale = or(&given.locale, "en");
    if !quirks::LOCALES.contains(&locale.as_str()) {
        return Err(Refusal::invalid(quirks::bad_locale(&locale)));
    }
    let date_format = or(&given.date_format, "DATE_FORMAT_MONTH_DAY_YEAR_ABBREVIATED");
    if date_format == "DATE_FORMAT_CUSTOM" {
        return Err(Refusal::invalid(quirks::CUSTOM_DATE_FORMAT));
    }
    let time_format = or(&given.time_format, "TIME_FORMAT_DISABLED");
    let zone = or(&given.time_zone_id, "etc/UTC");
    let shown = instant.shown(&date_format, &time_format);
    Ok(json!({
        "timestamp": instant.written(), "locale": locale, "timeZoneId": zone, "dateFormat": date_format,
        "timeFormat": time_format, "displayText": shown,
    }))
}

/// Carries out `insertRichLink`.
///
/// # Errors
///
/// Google's refusals of a bad place, of an address that is none of its own, and of what it looks up itself.
pub(crate) fn insert_rich_link(batch: &mut Batch, request: &InsertRichLink) -> Result<(), Refusal> {
    let (index, address) = place(request.location.as_ref(), request.end_of_segment_location.as_ref())?;
    let properties = &request.rich_link_properties;
    for (name, value) in [("title", &properties.title), ("mime_type", &properties.mime_type)] {
        if value.as_ref().is_some_and(|text| !text.is_empty()) {
            return Err(Refusal::invalid(quirks::output_only(&format!("rich_link_properties.{name}"))));
        }
    }
    let uri = properties.uri.as_deref().filter(|uri| is_google(uri));
    let uri = uri.ok_or_else(|| Refusal::invalid(quirks::BAD_RICH_LINK))?;
    let mut linked = Map::from_iter([("title".to_owned(), json!(uri)), ("uri".to_owned(), json!(uri))]);
    if let Some(kind) = mime_type(uri) {
        linked.insert("mimeType".to_owned(), json!(kind));
    }
    batch.in_segment(&address, |segment| {
        let id = segment.ids.draw("kix.");
        let fields = [("richLinkId", json!(id)), ("richLinkProperties", Value::Object(linked))];
        insert_object(segment, index, object("richLink", fields_of(fields)))?;
        Ok(())
    })
}

/// Tells whether an address leads to something that Google makes a chip of.
fn is_google(uri: &str) -> bool {
    let rest = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"));
    let Some(rest) = rest else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    quirks::RICH_LINK_HOSTS.contains(&host) && rest.len() > host.len() + 1 && !uri.chars().any(char::is_whitespace)
}

/// Returns the type of the file that an address leads to, as far as the address says it.
fn mime_type(uri: &str) -> Option<&'static str> {
    let path = uri.split_once("://docs.google.com/").map(|(_, path)| path)?;
    let kinds = [
        ("document/", "application/vnd.google-apps.document"),
        ("spreadsheets/", "application/vnd.google-apps.spreadsheet"),
        ("presentation/", "application/vnd.google-apps.presentation"),
        ("forms/", "application/vnd.google-apps.form"),
        ("drawings/", "application/vnd.google-apps.drawing"),
    ];
    kinds.into_iter().find(|(prefix, _)| path.starts_with(prefix)).map(|(_, kind)| kind)
}

/// Makes the fields of an object.
pub(crate) fn fields_of<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
