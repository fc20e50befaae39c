//! Pictures that change their paragraph. No request moves one: a new one is inserted from the file that stands beside the
//! document, and the old one goes. So only a picture moves of which nothing would be lost on the way, and only where text
//! cannot move around it instead. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::edit::name_of;
use super::images::Inserted;
use super::trial::{Task, Ties};
use crate::error::{Error, Result};
use crate::gdocs::{DocumentTab, Picture, Size, StructuralElement, Style};
use crate::kinds::docs::text::flat::Flat;
use crate::kinds::{Pictures, PushPlan, Standing};
use crate::mebdf::{Block, Object, RunContent, Tree, parse, print_block};

/// Pictures that one plan carries to other places; each is uploaded for it.
const CARRIED_MAX: usize = 50;

/// Plans that are made to find the fewest pictures that have to be made anew.
const PLANS_MAX: usize = 16;

/// The margin of a new picture on each side, in points.
const MARGIN: f64 = 9.0;

/// How much smaller a new picture may be than the old one, in points: a pixel's width. Google keeps the shape of its file.
const SHRINK_MAX: f64 = 0.75;

/// The pictures of a tab.
#[derive(Debug, Clone, Default)]
pub(super) struct Carried {
    /// By id: what a new one in its place takes, or what would be lost, as the end of a sentence.
    all: BTreeMap<String, Result<New, String>>,
    /// By id: those that this plan makes anew, as the document shows them.
    moved: BTreeMap<String, (Object, New)>,
    /// Those that the file has where the document has them and once more.
    copied: BTreeSet<String>,
}

/// What a picture is made anew from.
#[derive(Debug, Clone)]
struct New {
    /// Its size.
    size: Size,
    /// The file of it; `None` while nobody has looked for one.
    path: Option<String>,
}

impl Carried {
    /// Looks at the pictures of a tab.
    pub(super) fn of(tab: &DocumentTab, ties: &Ties, pictures: &Pictures) -> Self {
        let mut all = BTreeMap::new();
        for (id, object) in &tab.inline_objects {
            if object.pointer("/inlineObjectProperties/embeddedObject/imageProperties").is_some() {
                all.insert(id.clone(), Err("it stands in a footnote, a header or a footer".to_owned()));
            }
        }
        // Of a document that was cut out of a longer one, the rest may have it.
        let mut notes = BTreeSet::new();
        let segments = tab.footnotes.values().chain(tab.headers.values()).chain(tab.footers.values());
        for segment in segments {
            each_element(&segment.content, &mut |_, element| {
                notes.extend(element.get("inlineObjectId").and_then(Value::as_str).map(ToOwned::to_owned));
            });
        }
        let mut copied: BTreeSet<String> = all.keys().filter(|id| !notes.contains(*id)).cloned().collect();
        let body = tab.body.as_ref().map(|body| body.content.as_slice()).unwrap_or_default();
        if !all.is_empty() {
            each_element(body, &mut |at, element| {
                let id = element.get("inlineObjectId").and_then(Value::as_str).unwrap_or_default();
                copied.remove(id);
                if let (Some(known), Some(object)) = (all.get_mut(id), tab.inline_objects.get(id)) {
                    *known = match ties.at(at) {
                        Some(what) => Err(format!("{what} is tied to it, and would be lost")),
                        None => anew(object, element, pictures.standing.get(id)),
                    };
                }
            });
        }
        Self { all, moved: BTreeMap::new(), copied }
    }

    /// Notes the pictures that a file has more than once.
    pub(super) fn note_copies(&mut self, local: &Tree) {
        let mut seen = BTreeSet::new();
        for id in local.blocks.iter().flat_map(objects).filter_map(|object| object.id.as_ref()) {
            if !seen.insert(id) && self.all.contains_key(id) {
                self.copied.insert(id.clone());
            }
        }
    }

    /// Makes the file ask for new pictures in the place of those that are to be made anew. They are named by their files.
    pub(super) fn make_anew(&mut self, ids: &[String], local: &mut Flat) {
        for run in local.tree.blocks.iter_mut().flat_map(|block| block.content.runs_mut()) {
            let RunContent::Object(object) = &mut run.content else { continue };
            let Some(id) = object.id.clone().filter(|id| ids.contains(id)) else { continue };
            let Some(Ok(new)) = self.all.get(&id) else { continue };
            let Some(path) = new.path.clone() else { continue };
            self.moved.insert(id, (object.clone(), new.clone()));
            *object = Object { id: Some("new".into()), kind: "image".into(), title: Some(path) };
        }
    }

    /// Tells whether a picture of the document goes since a new one stands in its place.
    pub(super) fn is_made_anew(&self, object: &Object) -> bool {
        object.id.as_ref().is_some_and(|id| self.moved.contains_key(id))
    }

    /// Returns the size of a new picture that takes the place of an old one.
    pub(super) fn size(&self, new: &Object) -> Option<Size> {
        self.by_path(new).map(|(_, new)| new.size.clone())
    }

    /// Names the new pictures as the file does that was edited.
    pub(super) fn as_named(&self, mut inserted: Inserted) -> Inserted {
        for (_, object) in &mut inserted {
            if let Some((written, _)) = self.by_path(object) {
                *object = written.clone();
            }
        }
        inserted
    }

    fn by_path(&self, object: &Object) -> Option<&(Object, New)> {
        self.moved.values().find(|(_, new)| new.path.is_some() && new.path == object.title)
    }

    /// Says why an object that the document has cannot be put into another paragraph.
    pub(super) fn refusal(&self, object: &Object) -> String {
        let name = name_of(object);
        if let Some(id) = object.id.as_ref().filter(|id| self.copied.contains(*id)) {
            return format!(
                "the picture `{id}` stands in the document already, and only once: a copy of it needs \
                 `{{^= new image \"path\"}}` with its file"
            );
        }
        match self.why(object) {
            Some(why) => format!(
                "{name} cannot be moved to another paragraph from here: {why}; move it in Google Docs, or move the text \
                 around it"
            ),
            None => format!("{name} cannot be moved from here yet"),
        }
    }

    /// Says why a picture stays; `None` for what is no picture.
    pub(super) fn why(&self, object: &Object) -> Option<String> {
        Some(match self.all.get(object.id.as_ref()?)? {
            Err(why) => why.clone(),
            Ok(New { path: None, .. }) => "its file does not stand beside the document".to_owned(),
            Ok(New { path: Some(_), .. }) => "the rest of this edit could not be pushed with it".to_owned(),
        })
    }

    /// Finds the pictures that could be made anew and do not stand in `expected` as the file has them. Where there are few,
    /// those come first that stand between them: what was moved past one of them may wait for it to make way.
    fn stuck(&self, expected: &Tree, file: &Tree) -> Vec<String> {
        if !self.all.values().any(Result::is_ok) {
            return Vec::new();
        }
        let keys = |tree: &Tree| -> Vec<String> { tree.blocks.iter().map(|b| print_block(&b.content)).collect() };
        let (mut between, mut stuck) = (Vec::new(), Vec::new());
        let ops = capture_diff_slices(Algorithm::Myers, &keys(expected), &keys(file));
        for (at, op) in ops.iter().enumerate() {
            let same = matches!(op, DiffOp::Equal { .. });
            if same && (at == 0 || at + 1 == ops.len()) {
                continue;
            }
            let found = if same { &mut between } else { &mut stuck };
            for object in file.blocks.get(op.new_range()).unwrap_or_default().iter().flat_map(objects) {
                let Some(id) = &object.id else { continue };
                if matches!(self.all.get(id), Some(Ok(_))) && count(file, id) == 1 && count(expected, id) == 1 {
                    found.push(id.clone());
                }
            }
        }
        if stuck.is_empty() || stuck.len() + between.len() > PLANS_MAX {
            return stuck;
        }
        between.append(&mut stuck);
        between
    }

    fn path(&self, id: &str) -> Option<&str> {
        self.all.get(id)?.as_ref().ok()?.path.as_deref()
    }
}

/// Plans an edit, and once more with new pictures where it moved some, when that leaves less of it untold.
///
/// `read` reads both sides, with the pictures that are to be made anew; `by` plans.
///
/// # Errors
///
/// Those of `by`.
pub(super) fn plan<'a>(
    read: impl Fn(&[String]) -> Result<Task<'a>>,
    by: impl Fn(&Task<'a>) -> Result<PushPlan>,
) -> Result<PushPlan> {
    let task = read(&[])?;
    let mut plan = by(&task);
    let (told, held, expected) = match &plan {
        Ok(plan) if plan.refused.is_empty() => return Ok(plan.clone()),
        Ok(plan) => (count_told(plan), plan.holds.len(), parse(&plan.expected).tree),
        Err(Error::PlanRejected { .. }) => (usize::MAX, 0, parse(&task.remote.text()).tree),
        Err(_) => return plan,
    };
    let stuck = task.carried.stuck(&expected, &task.parsed);
    let named = |path: &str| task.parsed.blocks.iter().flat_map(objects).any(|o| o.title.as_deref() == Some(path));
    let known = stuck.iter().filter(|id| task.carried.path(id).is_some_and(|path| !named(path)));
    let known: Vec<String> = known.take(CARRIED_MAX).cloned().collect();
    let attempt = |ids: &[String], less_than: usize| -> Option<PushPlan> {
        let plan = by(&read(ids).ok()?).ok()?;
        let tree = parse(&plan.expected).tree;
        // The old one goes only where the new one stands.
        let whole = ids.iter().all(|id| count(&tree, id) == 1);
        (whole && count_told(&plan) < less_than && plan.holds.len() <= held).then_some(plan)
    };
    if let Some(better) = fewest(&known, told, attempt) {
        plan = Ok(better);
    }
    if let Ok(plan) = &mut plan {
        plan.wanted_pictures = stuck.into_iter().filter(|id| task.carried.path(id).is_none()).collect();
    }
    plan
}

/// Counts what a plan does not do and what goes with it.
const fn count_told(plan: &PushPlan) -> usize {
    plan.refused.len() + plan.told.len()
}

/// Finds the fewest of these pictures that have to be made anew for the best plan.
fn fewest(known: &[String], told: usize, attempt: impl Fn(&[String], usize) -> Option<PushPlan>) -> Option<PushPlan> {
    if known.is_empty() {
        return None;
    }
    let Some(mut best) = attempt(known, told) else {
        // One that cannot arrive holds none of the others up.
        let (mut ids, mut best): (Vec<String>, Option<PushPlan>) = (Vec::new(), None);
        for id in known.iter().take(if known.len() > 1 { PLANS_MAX } else { 0 }) {
            ids.push(id.clone());
            match attempt(&ids, best.as_ref().map_or(told, count_told)) {
                Some(better) => best = Some(better),
                None => drop(ids.pop()),
            }
        }
        return best;
    };
    let mut ids = known.to_vec();
    for id in known.iter().take(PLANS_MAX) {
        let fewer: Vec<String> = ids.iter().filter(|other| *other != id).cloned().collect();
        if fewer.is_empty() {
            break;
        }
        if let Some(as_good) = attempt(&fewer, count_told(&best).saturating_add(1).min(told)) {
            (ids, best) = (fewer, as_good);
        }
    }
    Some(best)
}

fn objects(block: &Block) -> Vec<&Object> {
    let runs = block.content.runs().into_iter();
    runs.filter_map(|run| if let RunContent::Object(object) = &run.content { Some(object) } else { None }).collect()
}

fn count(tree: &Tree, id: &str) -> usize {
    tree.blocks.iter().flat_map(objects).filter(|object| object.id.as_deref() == Some(id)).count()
}

/// Calls `found` for every inline object of a content, with its place.
fn each_element(content: &[StructuralElement], found: &mut impl FnMut(u32, &Value)) {
    for element in content {
        for part in element.paragraph.iter().flat_map(|paragraph| &paragraph.elements) {
            if let Some(object) = part.rest.get("inlineObjectElement") {
                found(part.start_index.utf16(), object);
            }
        }
        for row in element.table.iter().flat_map(|table| &table.table_rows) {
            row.table_cells.iter().for_each(|cell| each_element(&cell.content, found));
        }
    }
}

/// Tells what a picture is made anew from.
///
/// # Errors
///
/// What would be lost, as the end of a sentence.
fn anew(object: &Value, element: &Value, standing: Option<&Result<Standing, String>>) -> Result<New, String> {
    let mut lost = Vec::new();
    let embedded = object.pointer("/inlineObjectProperties/embeddedObject");
    let (known, none) = (&["objectId", "inlineObjectProperties"][..], Map::new());
    others(object, known, "a suggestion about it", &mut lost);
    others(&object["inlineObjectProperties"], &["embeddedObject"], "a suggestion about it", &mut lost);
    others(element, &["inlineObjectId", "textStyle"], "a suggestion about it", &mut lost);
    if !is_blank(&element["textStyle"]["link"]) {
        lost.push("its link".to_owned());
    }
    for (name, value) in embedded.and_then(Value::as_object).unwrap_or(&none) {
        match name.as_str() {
            "imageProperties" => image_properties(value, &mut lost),
            "size" => {}
            "embeddedObjectBorder" if value["propertyState"] == "NOT_RENDERED" => {}
            "marginTop" | "marginBottom" | "marginLeft" | "marginRight" => {
                if points(value).is_none_or(|margin| (margin - MARGIN).abs() > f64::EPSILON) {
                    lost.push("its margins".to_owned());
                }
            }
            _ if is_blank(value) => {}
            "title" => lost.push("its title".to_owned()),
            "description" => lost.push("its description".to_owned()),
            "embeddedObjectBorder" => lost.push("its border".to_owned()),
            "linkedContentReference" => lost.push("its link to what it was made of".to_owned()),
            other => lost.push(format!("its property `{other}`")),
        }
    }
    lost.dedup();
    if let Some((last, others)) = lost.split_last() {
        let all = if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) };
        return Err(format!("{all} would be lost"));
    }
    let embedded = embedded.unwrap_or(&Value::Null);
    let (width, height) = (&embedded["size"]["width"], &embedded["size"]["height"]);
    let (Some(wide), Some(high)) =
        (points(width).filter(|side| *side > 0.0), points(height).filter(|side| *side > 0.0))
    else {
        return Err("the document does not tell its size".into());
    };
    if embedded["imageProperties"]["contentUri"].as_str().is_none_or(str::is_empty) {
        return Err("Google Docs does not hand out its file".into());
    }
    let side = |value: &Value| value.as_object().cloned().map(Style);
    let size = Size { height: side(height), width: side(width) };
    let Some(standing) = standing else { return Ok(New { size, path: None }) };
    let Standing { path, picture } = standing.as_ref().map_err(Clone::clone)?;
    fits(*picture, (wide, high))?;
    Ok(New { size, path: Some(path.clone()) })
}

/// Checks that a file shows itself in a size, whose shape Google does not force on it.
fn fits(picture: Picture, (width, height): (f64, f64)) -> Result<(), String> {
    let (wide, high) = picture.points(Some(width), Some(height));
    if width - wide > SHRINK_MAX || height - high > SHRINK_MAX {
        return Err("it was stretched, and its shape would be lost".into());
    }
    Ok(())
}

fn image_properties(properties: &Value, lost: &mut Vec<String>) {
    for (name, value) in properties.as_object().unwrap_or(&Map::new()) {
        match name.as_str() {
            "contentUri" | "sourceUri" => {}
            _ if is_blank(value) => {}
            "cropProperties" => lost.push("its crop".to_owned()),
            "angle" => lost.push("its rotation".to_owned()),
            "recolor" => lost.push("its recoloring".to_owned()),
            "brightness" | "contrast" | "transparency" => lost.push(format!("its {name}")),
            other => lost.push(format!("its property `{other}`")),
        }
    }
}

/// Notes what an object has beside what is known.
fn others(object: &Value, known: &[&str], what: &str, lost: &mut Vec<String>) {
    let all = object.as_object().into_iter().flatten();
    if all.filter(|(_, value)| !is_blank(value)).any(|(name, _)| !known.contains(&name.as_str())) {
        lost.push(what.to_owned());
    }
}

/// Tells whether a value says nothing.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(values) => values.values().all(is_blank),
    }
}

fn points(dimension: &Value) -> Option<f64> {
    dimension["magnitude"].as_f64().filter(|_| dimension["unit"] == "PT")
}
