//! The interpreter of `documents.batchUpdate`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/batchUpdate>

use serde_json::{Value, json};

use super::batch::Batch;
use super::document::Document;
use super::insert_table::{Size, insert_table};
use super::refusal::Refusal;
use super::request::{
    CreateParagraphBullets, DeleteContentRange, DeleteParagraphBullets, EndOfSegmentLocation, InsertTable, InsertText,
    Location, Request, UpdateParagraphStyle, UpdateTextStyle,
};
use super::segment::Address;
use super::setting::Setting;
use super::trace::{SegmentTrace, Trace};
use super::{
    bullets, chips, delete, dropdowns, elements, images, insert, lists, named_range, page, page_style, paragraph_style,
    quirks, replace, suggest, table_merge, table_rows, table_style, tabs, text_style, threads,
};

/// What a batch did.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The document afterwards; its revision is the caller's to set.
    pub document: Document,
    /// One reply for each request, `{}` where there is nothing to say.
    pub replies: Vec<Value>,
    /// The suggestions that each request affected, `{}` where there are none.
    pub suggestions: Vec<Value>,
    /// Whether comments or suggestions were changed.
    pub updates_comments: bool,
}

/// Carries out a batch, whole or not at all.
///
/// `seed` makes fresh ids (heading ids, named range ids) different from batch to batch; the same document, requests
/// and seed give the same result. Costs one clone of the document and, for each request, one walk over the indices
/// of the segment it is about.
///
/// # Errors
///
/// The [`Refusal`] of the first request that cannot be carried out; the document is then as it was.
pub fn apply(document: &Document, requests: &[Request], seed: u64) -> Result<Applied, Refusal> {
    apply_as(document, requests, &Setting::plain(seed))
}

/// Carries out a batch in a setting: somebody sends it at a moment, perhaps as suggestions. Otherwise as [`apply`].
///
/// # Errors
///
/// Those of [`apply`].
pub fn apply_as(document: &Document, requests: &[Request], setting: &Setting) -> Result<Applied, Refusal> {
    let mut batch = Batch::new(document, setting, None);
    let replies = carry_out(&mut batch, requests)?;
    lists::forget_orphans(document, &mut batch.document, requests);
    Ok(applied(batch, replies))
}

/// Returns what a batch did that was carried out.
fn applied(batch: Batch, replies: Vec<Value>) -> Applied {
    let (suggestions, updates_comments) = batch.threads.finish();
    Applied { document: batch.document, replies, suggestions, updates_comments }
}

/// Carries out a batch like [`apply`] and also tells, for every segment there is afterwards, where each of its units
/// comes from: what keeps its index of before was never deleted, also where it stands elsewhere now.
///
/// # Errors
///
/// Those of [`apply`].
pub fn apply_traced(
    document: &Document,
    requests: &[Request],
    seed: u64,
) -> Result<(Applied, Vec<SegmentTrace>), Refusal> {
    apply_as_traced(document, requests, &Setting::plain(seed))
}

/// Carries out a batch like [`apply_as`] and tells what [`apply_traced`] tells.
///
/// # Errors
///
/// Those of [`apply`].
pub fn apply_as_traced(
    document: &Document,
    requests: &[Request],
    setting: &Setting,
) -> Result<(Applied, Vec<SegmentTrace>), Refusal> {
    let mut batch = Batch::new(document, setting, Some(Trace::of(document)));
    let replies = carry_out(&mut batch, requests)?;
    lists::forget_orphans(document, &mut batch.document, requests);
    let traces = batch.trace.take().map(|trace| trace.finish(&batch.document)).unwrap_or_default();
    Ok((applied(batch, replies), traces))
}

/// Carries out all requests in order and returns their replies.
fn carry_out(batch: &mut Batch, requests: &[Request]) -> Result<Vec<Value>, Refusal> {
    if requests.len() > quirks::MAX_REQUESTS {
        return Err(Refusal::invalid(format!("A batch holds at most {} requests.", quirks::MAX_REQUESTS)));
    }
    let numbered = requests.iter().enumerate();
    let replies = numbered.map(|(number, request)| {
        carry_out_one(batch, request).map_err(|refusal| refusal.in_request(number, request.kind()))
    });
    replies.collect()
}

/// Carries out one request and returns its reply.
fn carry_out_one(batch: &mut Batch, request: &Request) -> Result<Value, Refusal> {
    use Request as R;
    batch.threads.next_request();
    if batch.threads.setting.suggests && !quirks::MODELESS_KINDS.contains(&request.kind()) {
        return suggest::carry_out(batch, request);
    }
    let nothing = |()| json!({});
    match request {
        R::InsertText(body) => insert_text(batch, body).map(nothing),
        R::DeleteContentRange(body) => delete_content(batch, body).map(nothing),
        R::ReplaceAllText(body) => replace::replace_all(batch, body),
        R::UpdateTextStyle(body) => update_text(batch, body).map(nothing),
        R::UpdateParagraphStyle(body) => update_paragraphs(batch, body).map(nothing),
        R::CreateParagraphBullets(body) => create_bullets(batch, body).map(nothing),
        R::DeleteParagraphBullets(body) => delete_bullets(batch, body).map(nothing),
        R::CreateNamedRange(body) => named_range::create(batch, body),
        R::DeleteNamedRange(body) => named_range::delete(batch, body),
        R::ReplaceNamedRangeContent(body) => replace::replace_named(batch, body).map(nothing),
        R::InsertTable(body) => new_table(batch, body).map(nothing),
        R::InsertTableRow(body) => table_rows::insert_row(batch, body).map(nothing),
        R::InsertTableColumn(body) => table_rows::insert_column(batch, body).map(nothing),
        R::DeleteTableRow(body) => table_rows::delete_rows(batch, body).map(nothing),
        R::DeleteTableColumn(body) => table_rows::delete_columns(batch, body).map(nothing),
        R::MergeTableCells(body) => table_merge::merge(batch, body).map(nothing),
        R::UnmergeTableCells(body) => table_merge::unmerge(batch, body).map(nothing),
        R::PinTableHeaderRows(body) => table_style::pin(batch, body).map(nothing),
        R::UpdateTableCellStyle(body) => table_style::update_cells(batch, body).map(nothing),
        R::UpdateTableColumnProperties(body) => table_style::update_columns(batch, body).map(nothing),
        R::UpdateTableRowStyle(body) => table_style::update_rows(batch, body).map(nothing),
        R::CreateFootnote(body) => elements::create_footnote(batch, body),
        R::InsertPageBreak(body) => elements::insert_page_break(batch, body).map(nothing),
        R::InsertSectionBreak(body) => elements::insert_section_break(batch, body).map(nothing),
        R::InsertPerson(body) => chips::insert_person(batch, body).map(nothing),
        R::InsertDate(body) => chips::insert_date(batch, body).map(nothing),
        R::InsertRichLink(body) => chips::insert_rich_link(batch, body).map(nothing),
        R::InsertInlineImage(body) => images::insert(batch, body),
        R::ReplaceImage(body) => images::replace(batch, body).map(nothing),
        R::DeletePositionedObject(body) => images::delete_positioned(batch, body).map(nothing),
        R::CreateHeader(body) => page::create_header(batch, body),
        R::CreateFooter(body) => page::create_footer(batch, body),
        R::DeleteHeader(body) => page::delete_header(batch, body).map(nothing),
        R::DeleteFooter(body) => page::delete_footer(batch, body).map(nothing),
        R::UpdateSectionStyle(body) => page_style::update_section(batch, body).map(nothing),
        R::UpdateDocumentStyle(body) => page_style::update_document(batch, body).map(nothing),
        R::UpdateNamedStyle(body) => page_style::update_named(batch, body).map(nothing),
        R::AddDocumentTab(body) => tabs::add(batch, body),
        R::DeleteTab(body) => tabs::delete(batch, body).map(nothing),
        R::UpdateDocumentTabProperties(body) => tabs::update(batch, body).map(nothing),
        R::CreateDropdownDefinition(body) => dropdowns::create(batch, body),
        R::DeleteDropdownDefinition(body) => dropdowns::delete(batch, body).map(nothing),
        R::UpdateDropdownDefinitionProperties(body) => dropdowns::update_definition(batch, body).map(nothing),
        R::InsertDropdown(body) => dropdowns::insert(batch, body),
        R::UpdateDropdownProperties(body) => dropdowns::update(batch, body).map(nothing),
        R::InsertComment(body) => threads::insert_comment(batch, body),
        R::AddCommentReply(body) => threads::reply(batch, body),
        R::UpdateCommentPost(body) => threads::update_post(batch, body).map(nothing),
        R::DeleteComment(body) => threads::delete_comment(batch, body).map(nothing),
        R::DeleteCommentReply(body) => threads::delete_reply(batch, body).map(nothing),
        R::AcceptSuggestion(body) => threads::accept(batch, body).map(nothing),
        R::RejectSuggestion(body) => threads::reject(batch, body).map(nothing),
        R::DeleteSuggestion(body) => threads::delete_suggestion(batch, body).map(nothing),
    }
}

/// Carries out `updateTextStyle`.
fn update_text(batch: &mut Batch, request: &UpdateTextStyle) -> Result<(), Refusal> {
    let address = Address::from(&request.range);
    batch.in_segment(&address, |segment| text_style::update(segment.tab, segment.content, request))
}

/// Carries out `updateParagraphStyle`.
fn update_paragraphs(batch: &mut Batch, request: &UpdateParagraphStyle) -> Result<(), Refusal> {
    batch.in_segment(&Address::from(&request.range), |segment| paragraph_style::update(segment, request))
}

/// Carries out `createParagraphBullets`.
fn create_bullets(batch: &mut Batch, request: &CreateParagraphBullets) -> Result<(), Refusal> {
    batch.in_segment(&Address::from(&request.range), |segment| bullets::create(segment, request))
}

/// Carries out `deleteParagraphBullets`.
fn delete_bullets(batch: &mut Batch, request: &DeleteParagraphBullets) -> Result<(), Refusal> {
    let address = Address::from(&request.range);
    batch.in_segment(&address, |segment| bullets::delete(segment.tab, segment.content, &request.range))
}

/// Carries out `insertText`.
fn insert_text(batch: &mut Batch, request: &InsertText) -> Result<(), Refusal> {
    let place = place_of(request.location.as_ref(), request.end_of_segment_location.as_ref());
    let (index, place) = place.ok_or_else(|| Refusal::invalid(quirks::NO_LOCATION))?;
    batch.in_segment(&place, |segment| {
        let (index, width) = insert::insert_text(segment.content, index, &request.text, segment.ids)?;
        segment.inserted(index, width);
        Ok(())
    })
}

/// Carries out `deleteContentRange`.
fn delete_content(batch: &mut Batch, request: &DeleteContentRange) -> Result<(), Refusal> {
    batch.in_segment(&Address::from(&request.range), |segment| {
        let removed = delete::delete_range(segment.content, &request.range)?;
        segment.forget(&removed);
        Ok(())
    })
}

/// Carries out `insertTable`.
fn new_table(batch: &mut Batch, request: &InsertTable) -> Result<(), Refusal> {
    let size = Size::check(request.rows, request.columns)?;
    let place = place_of(request.location.as_ref(), request.end_of_segment_location.as_ref());
    let (index, place) = place.ok_or_else(|| Refusal::invalid(quirks::NO_TABLE_LOCATION))?;
    batch.in_segment(&place, |segment| {
        segment.make_cells(size.cells())?;
        let (index, width) = insert_table(segment, index, size)?;
        segment.inserted(index, width);
        Ok(())
    })
}

/// Returns where an insertion goes: the index, `None` for the end, and the segment; `None` unless exactly one of the
/// two is said.
pub(crate) fn place_of(at: Option<&Location>, end: Option<&EndOfSegmentLocation>) -> Option<(Option<u32>, Address)> {
    match (at, end) {
        (Some(at), None) => Some((Some(at.index), at.into())),
        (None, Some(end)) => Some((None, end.into())),
        (None, None) | (Some(_), Some(_)) => None,
    }
}
