//! Sources are added by calls, or registered for an upload.

use serde_json::{Value, json};

use super::Notebooks;
use super::asked::{Asked, Done, Refusal};
use super::making::{New, NoSource};
use super::model::{Plan, Source};
use super::rows;
use crate::notebooklm::slot::Slot;

/// Sources that one call may name.
const SPECS_MAX: usize = 300;

impl Notebooks {
    /// Adds sources: at once, or so that the answer names them before they are read.
    pub(super) fn add_sources(&mut self, asked: &Asked<'_>, later: bool) -> Done {
        let id = asked.text(&[1])?.to_owned();
        let specs = asked.at(&[0]).list().filter(|list| !list.is_empty()).ok_or(Refusal::INVALID)?;
        self.check_context(asked, 2)?;
        let plan = self.check_room(asked, &id, specs.len())?;
        if asked.stub {
            self.leave_stub(asked, &id, &plan, specs.first())?;
            return Err(Refusal::PRECONDITION);
        }
        let mut added = Vec::new();
        let mut why = None;
        for spec in specs {
            let made = match new_of(spec) {
                Some(new) => self.make_source(asked.now, &plan, new),
                None => Err(NoSource::Invalid),
            };
            match made {
                Ok(source) => added.push(source),
                Err(no_source) => {
                    why = Some(self.refusal_of(asked, &id, no_source)?);
                }
            }
        }
        // Of several, those that fail are left out without a word; one alone is refused.
        if let (true, Some(why)) = (added.is_empty(), why) {
            return Err(why);
        }
        let answer = if later { later_answer(&added) } else { self.added_answer(asked, &added) };
        self.edited(&asked.email, &id)?.sources.extend(added);
        Ok(answer)
    }

    fn added_answer(&self, asked: &Asked<'_>, added: &[Source]) -> Value {
        let row = |source: &Source| rows::source(source, self.file_of(source), asked.now);
        json!([added.iter().map(row).collect::<Vec<_>>()])
    }

    /// Registers a source whose bytes come by an upload.
    pub(super) fn register_upload(&mut self, asked: &Asked<'_>) -> Done {
        let name = asked.text(&[0, 0, 0])?.to_owned();
        let id = asked.text(&[1])?.to_owned();
        self.check_context(asked, 2)?;
        let plan = self.check_room(asked, &id, 1)?;
        let source = self.make_source(asked.now, &plan, New::File(name)).map_err(|_why| Refusal::INVALID)?;
        let row = rows::registered_source(&source);
        self.edited(&asked.email, &id)?.sources.push(source);
        Ok(json!([[row], null, [[row]]]))
    }

    /// Refuses a write with the older, shorter context. Source:
    /// <https://github.com/teng-lin/notebooklm-py/issues/1546>
    pub(super) fn check_context(&self, asked: &Asked<'_>, place: usize) -> Result<(), Refusal> {
        let context = asked.at(&[place]);
        // Files of Drive are added with it in two places.
        let parted = asked.at(&[place + 1]).list().is_some();
        let whole = context.at(3).list().is_some() || parted;
        if self.switches.strict_context && !whole { Err(Refusal::INVALID) } else { Ok(()) }
    }

    /// Looks whether so many sources have room in a notebook, and returns the plan of its owner.
    fn check_room(&self, asked: &Asked<'_>, id: &str, count: usize) -> Result<Plan, Refusal> {
        let notebook = self.seen(&asked.email, id)?;
        let plan = self.person(&notebook.owner).map_or(Plan::FREE, |person| person.plan);
        let room = usize::try_from(plan.sources).unwrap_or(usize::MAX);
        if count > SPECS_MAX || notebook.sources.len() + count > room {
            return Err(Refusal::INVALID);
        }
        Ok(plan)
    }

    /// Leaves a source that failed, as an address at which nobody answers does.
    fn leave_stub(&mut self, asked: &Asked<'_>, id: &str, plan: &Plan, spec: Option<&Value>) -> Result<(), Refusal> {
        let new = spec.and_then(new_of).ok_or(Refusal::INVALID)?;
        let made = self.make_source(asked.now, plan, new);
        let mut source = match made {
            Ok(source) => source,
            Err(NoSource::Unreachable(source)) => *source,
            Err(_) => return Err(Refusal::INVALID),
        };
        source.ready_ms = asked.now;
        source.failure.get_or_insert(super::model::Failure::unreachable("NOT_REACHABLE"));
        self.edited(&asked.email, id)?.sources.push(source);
        Ok(())
    }

    /// Returns the status for a source that there is none of, and leaves what is left of it.
    fn refusal_of(&mut self, asked: &Asked<'_>, id: &str, why: NoSource) -> Result<Refusal, Refusal> {
        Ok(match why {
            NoSource::Invalid | NoSource::Empty | NoSource::TooLong { .. } => Refusal::INVALID,
            NoSource::NotFound => Refusal::NOT_FOUND,
            NoSource::Unreachable(source) => {
                self.edited(&asked.email, id)?.sources.push(*source);
                Refusal::PRECONDITION
            }
        })
    }
}

/// Returns the answer that names sources before they are read.
fn later_answer(added: &[Source]) -> Value {
    let stubs: Vec<Value> = added.iter().map(rows::later_source).collect();
    let pairs: Vec<Value> = stubs.iter().map(|stub| json!([stub, 0])).collect();
    json!([stubs, null, pairs])
}

/// Reads what one source is to be made of.
fn new_of(spec: &Value) -> Option<New> {
    let slot = Slot::new("spec", spec);
    let text = |slot: Slot<'_>| slot.text().map(str::to_owned);
    if slot.at(0).list().is_some() {
        let file = slot.at(0);
        return Some(New::Drive(text(file.at(0))?, text(file.at(1))?, text(file.at(3)).unwrap_or_default()));
    }
    if slot.at(1).list().is_some() {
        return Some(New::Text(text(slot.at(1).at(0)).unwrap_or_default(), text(slot.at(1).at(1))?));
    }
    if let Some(url) = text(slot.at(2).at(0)) {
        return Some(New::Url(url));
    }
    text(slot.at(7).at(0)).map(New::Video)
}
