//! The segment that a request works on, and what its changes move.

use super::delete::Removed;
use super::document::{DocumentTab, Range, StructuralElement};
use super::ids::FreshIds;
use super::refusal::Refusal;
use super::request::{EndOfSegmentLocation, Location};
use super::{named_range, objects, quirks};

/// Where a segment is found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Address {
    /// The tab; absent for the first.
    pub(crate) tab_id: Option<String>,
    /// The segment; absent for the body.
    pub(crate) segment_id: Option<String>,
}

impl Address {
    /// Returns the segment, empty for the body.
    pub(crate) fn segment(&self) -> &str {
        self.segment_id.as_deref().unwrap_or_default()
    }
}

impl From<&Range> for Address {
    fn from(range: &Range) -> Self {
        Self { tab_id: range.tab_id.clone(), segment_id: range.segment_id.clone() }
    }
}

impl From<&Location> for Address {
    fn from(at: &Location) -> Self {
        Self { tab_id: at.tab_id.clone(), segment_id: at.segment_id.clone() }
    }
}

impl From<&EndOfSegmentLocation> for Address {
    fn from(end: &EndOfSegmentLocation) -> Self {
        Self { tab_id: end.tab_id.clone(), segment_id: end.segment_id.clone() }
    }
}

/// A change of what stands where in a segment, in UTF-16 units at the time of the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shift {
    /// New units.
    Inserted {
        /// Where they start.
        at: u32,
        /// How many.
        width: u32,
    },
    /// Units that are gone.
    Removed {
        /// Where they started.
        from: u32,
        /// Where they ended.
        to: u32,
    },
    /// New units in place of old ones; what held all the old ones holds the new ones.
    Replaced {
        /// Where the old ones started.
        from: u32,
        /// Where the old ones ended.
        to: u32,
        /// How many are new.
        width: u32,
    },
    /// The same units elsewhere, further to the front.
    Moved {
        /// Where they started.
        from: u32,
        /// Where they ended.
        to: u32,
        /// Where they start now; not behind `from`.
        at: u32,
    },
}

/// A segment under change: its content is taken out of its tab meanwhile.
pub(crate) struct Segment<'a> {
    /// The tab, where this segment is empty for the moment.
    pub(crate) tab: &'a mut DocumentTab,
    /// The elements.
    pub(crate) content: &'a mut Vec<StructuralElement>,
    /// The id, empty for the body.
    pub(crate) id: &'a str,
    /// Fresh ids.
    pub(crate) ids: &'a mut FreshIds,
    /// Table cells made so far in the batch.
    pub(crate) cells: &'a mut u32,
    /// What has moved, when somebody wants to know.
    pub(crate) shifts: Option<Vec<Shift>>,
}

impl Segment<'_> {
    /// Tells everything that points into the segment what has moved.
    pub(crate) fn shift(&mut self, shift: Shift) {
        named_range::shift(self.tab, self.id, shift);
        if let Some(shifts) = &mut self.shifts {
            shifts.push(shift);
        }
    }

    /// Notes new units.
    pub(crate) fn inserted(&mut self, at: u32, width: u32) {
        self.shift(Shift::Inserted { at, width });
    }

    /// Counts new table cells against the bound of a batch.
    ///
    /// # Errors
    ///
    /// A refusal when they are too many.
    pub(crate) fn make_cells(&mut self, count: u32) -> Result<(), Refusal> {
        *self.cells = self.cells.saturating_add(count);
        if *self.cells > quirks::MAX_BATCH_CELLS {
            let most = quirks::MAX_BATCH_CELLS;
            return Err(Refusal::invalid(format!("A batch makes at most {most} table cells.")));
        }
        Ok(())
    }

    /// Draws the consequences of a deletion for named ranges and objects.
    pub(crate) fn forget(&mut self, removed: &Removed) {
        let (from, to) = removed.range;
        self.shift(Shift::Removed { from, to });
        objects::forget(self.tab, self.content, removed);
    }
}
