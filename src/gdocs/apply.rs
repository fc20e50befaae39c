//! The interpreter of `documents.batchUpdate`.
//!
//! Source: <https://developers.google.com/docs/api/reference/rest/v1/documents/batchUpdate>

use serde_json::{Value, json};

use super::batch::Batch;
use super::document::Document;
use super::insert_table::{Size, insert_table};
use super::refusal::Refusal;
use super::request::{DeleteContentRange, EndOfSegmentLocation, InsertTable, InsertText, Location, Request};
use super::segment::Address;
use super::setting::Setting;
use super::trace::{SegmentTrace, Trace};
use super::{
    bullets, chips, delete, elements, images, insert, named_range, page, page_style, paragraph_style, quirks, suggest,
    table_merge, table_rows, table_style, text_style, threads,
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
    let mut batch = Batch::new(document, &Setting::plain(seed), Some(Trace::of(document)));
    let replies = carry_out(&mut batch, requests)?;
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
    batch.threads.next_request();
    if quirks::MODELESS_KINDS.contains(&request.kind()) {
        return threads::carry_out(batch, request);
    }
    if batch.threads.setting.suggests {
        return suggest::carry_out(batch, request);
    }
    let done = match request {
        Request::InsertText(request) => insert_text(batch, request),
        Request::DeleteContentRange(request) => delete_content(batch, request),
        Request::UpdateTextStyle(request) => batch.in_segment(&Address::from(&request.range), |segment| {
            text_style::update(segment.tab, segment.content, request)
        }),
        Request::UpdateParagraphStyle(request) => {
            batch.in_segment(&Address::from(&request.range), |segment| paragraph_style::update(segment, request))
        }
        Request::CreateParagraphBullets(request) => {
            batch.in_segment(&Address::from(&request.range), |segment| bullets::create(segment, request))
        }
        Request::DeleteParagraphBullets(request) => batch.in_segment(&Address::from(&request.range), |segment| {
            bullets::delete(segment.tab, segment.content, &request.range)
        }),
        Request::CreateNamedRange(request) => return named_range::create(batch, request),
        Request::DeleteNamedRange(request) => return named_range::delete(batch, request),
        Request::InsertTable(request) => new_table(batch, request),
        Request::InsertTableRow(request) => table_rows::insert_row(batch, request),
        Request::InsertTableColumn(request) => table_rows::insert_column(batch, request),
        Request::DeleteTableRow(request) => table_rows::delete_rows(batch, request),
        Request::DeleteTableColumn(request) => table_rows::delete_columns(batch, request),
        Request::MergeTableCells(request) => table_merge::merge(batch, request),
        Request::UnmergeTableCells(request) => table_merge::unmerge(batch, request),
        Request::CreateFootnote(request) => return elements::create_footnote(batch, request),
        Request::InsertPageBreak(request) => elements::insert_page_break(batch, request),
        Request::InsertSectionBreak(request) => elements::insert_section_break(batch, request),
        Request::InsertPerson(request) => chips::insert_person(batch, request),
        Request::InsertDate(request) => chips::insert_date(batch, request),
        Request::InsertRichLink(request) => chips::insert_rich_link(batch, request),
        Request::InsertInlineImage(request) => return images::insert(batch, request),
        Request::ReplaceImage(request) => images::replace(batch, request),
        Request::DeletePositionedObject(request) => images::delete_positioned(batch, request),
        Request::CreateHeader(request) => return page::create_header(batch, request),
        Request::CreateFooter(request) => return page::create_footer(batch, request),
        Request::DeleteHeader(request) => page::delete_header(batch, request),
        Request::DeleteFooter(request) => page::delete_footer(batch, request),
        Request::UpdateSectionStyle(request) => page_style::update_section(batch, request),
        Request::UpdateDocumentStyle(request) => page_style::update_document(batch, request),
        Request::UpdateNamedStyle(request) => page_style::update_named(batch, request),
        Request::PinTableHeaderRows(request) => table_style::pin(batch, request),
        Request::UpdateTableCellStyle(request) => table_style::update_cells(batch, request),
        Request::UpdateTableColumnProperties(request) => table_style::update_columns(batch, request),
        Request::UpdateTableRowStyle(request) => table_style::update_rows(batch, request),
        other => Err(Refusal::unimplemented(quirks::not_carried_out(other.kind()))),
    };
    done.map(|()| json!({}))
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
