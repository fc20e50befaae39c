//! Notebooks, sources and notes as rows: lists whose meaning is their index, shaped as they were recorded in 2026.

use serde_json::{Value, json};

use super::model::{DriveFile, Failure, Millis, Note, Notebook, Origin, Person, Plan, Role, Source, Status, Turn};

/// Writes a moment.
pub(super) fn moment(ms: Millis) -> Value {
    json!([ms.div_euclid(1000), ms.rem_euclid(1000) * 1_000_000])
}

/// Writes a list of this length in which only some places are set; it ends with the last of them.
pub(super) fn sparse(places: impl IntoIterator<Item = (usize, Value)>) -> Value {
    let mut list = Vec::new();
    for (place, value) in places.into_iter().filter(|(_, value)| !value.is_null()) {
        if list.len() <= place {
            list.resize(place + 1, Value::Null);
        }
        if let Some(slot) = list.get_mut(place) {
            *slot = value;
        }
    }
    Value::Array(list)
}

/// Writes the plan of an account.
pub(super) fn plan(plan: &Plan) -> Value {
    let kind = if plan.tier == 1 { 1 } else { 2 };
    json!([plan.tier, plan.notebooks, plan.sources, plan.words, kind])
}

/// Writes what an account may do with a notebook, and when it was made and viewed.
fn notebook_meta(notebook: &Notebook, role: Role, viewed: Option<Millis>) -> Value {
    let shared = !notebook.shares.is_empty() || notebook.public;
    json!([
        role.code(),
        shared,
        true,
        null,
        null,
        viewed.map(moment),
        1,
        false,
        moment(notebook.created_ms),
        null,
        null,
        null,
        shared,
        true,
        1,
        false,
        null,
        true,
        1,
        null,
        null,
        null,
        false
    ])
}

/// Writes how the answers of a notebook are.
fn chat(notebook: &Notebook) -> Value {
    let Some(chat) = &notebook.chat else { return Value::Null };
    let goal = match &chat.prompt {
        Some(prompt) => json!([chat.goal, prompt]),
        None => json!([chat.goal]),
    };
    json!([goal, [chat.length]])
}

/// Writes the row of a notebook for one who lists or opens it. `files` are those of Drive that its sources may be of.
pub(super) fn notebook(notebook: &Notebook, person: &Person, sources: Vec<Value>) -> Value {
    let role = notebook.role(&person.email).unwrap_or(Role::Viewer);
    let viewed = notebook.viewed_ms.get(&person.email).copied();
    let shared = !notebook.shares.is_empty() || notebook.public;
    json!([
        notebook.title,
        if sources.is_empty() { Value::Null } else { Value::Array(sources) },
        notebook.id,
        notebook.emoji,
        null,
        notebook_meta(notebook, role, viewed),
        null,
        chat(notebook),
        if shared { json!([false]) } else { Value::Null },
        [true, true, true],
        plan(&person.plan)
    ])
}

/// Writes the row of a notebook that was only just made.
pub(super) fn new_notebook(notebook: &Notebook) -> Value {
    let meta = json!([1, false, true, null, null, null, 1, null, null, null, null, null, false]);
    let conversation = json!([[notebook.conversation.id]]);
    json!([notebook.title, null, notebook.id, null, null, meta, null, null, null, null, null, conversation])
}

/// Writes the row of a notebook that was changed: without sources, and up to what is set.
pub(super) fn changed_notebook(notebook: &Notebook, role: Role) -> Value {
    sparse([
        (0, notebook.title.as_str().into()),
        (2, notebook.id.as_str().into()),
        (3, notebook.emoji.as_str().into()),
        (5, notebook_meta(notebook, role, None)),
        (7, chat(notebook)),
    ])
}

/// Writes the row of a source; `file` is that of Drive that it is of.
pub(super) fn source(source: &Source, file: Option<&DriveFile>, now: Millis) -> Value {
    let status = source.status(now);
    let meta = if status == Status::Preparing {
        sparse([(2, moment(source.added_ms)), (4, json!(0)), (14, moment(source.modified_ms))])
    } else {
        source_meta(source, status == Status::Ready)
    };
    let mut settings = vec![(1, json!(status.code()))];
    if status == Status::Failed {
        settings.extend(source.failure.as_ref().map(|failure| (2, failure_slot(failure))));
    }
    if let Some(file) = file.filter(|file| file.status != 3) {
        settings.push((3, file.status.into()));
    }
    json!([[source.id], source.title, meta, sparse(settings)])
}

fn source_meta(source: &Source, read: bool) -> Value {
    let mut places = vec![(2, moment(source.added_ms)), (4, json!(source.kind())), (6, json!(1))];
    if read {
        places.push((1, json!(source.words)));
        places.push((3, json!([source.revision, moment(source.revised_ms)])));
        // Recorded sizes are about four thirds of the words: they count the pieces that a model reads.
        places.push((8, json!(source.words * 4 / 3)));
        places.push((14, moment(source.modified_ms)));
    }
    match &source.origin {
        Origin::Text => {}
        Origin::Page { url } => places.push((7, json!([url]))),
        Origin::Video { url, video, channel } => places.push((5, json!([url, video, channel]))),
        Origin::Drive { file, mime, version } if source.kind() != 14 => {
            debug_assert!(!mime.is_empty(), "a file of Drive has a type");
            places.push((0, json!([file, format!("AHkey{}", file.len()), version])));
            places.push((11, source.title.as_str().into()));
        }
        Origin::Drive { file, mime, .. } => {
            places.retain(|(place, _)| *place != 6);
            places.push((9, json!([file, 4, mime, ""])));
        }
        Origin::File { mime } => places.push((19, mime.as_str().into())),
    }
    sparse(places)
}

/// Writes why a source failed. Source: a recorded row of 2026-09-27.
fn failure_slot(failure: &Failure) -> Value {
    sparse([(failure.place, json!([failure.code]))])
}

/// Writes the row of a source of which only the registering is known.
pub(super) fn registered_source(source: &Source) -> Value {
    json!([[source.id], source.title, [null, null, null, null, 0]])
}

/// Writes the row of a source that is read later.
pub(super) fn later_source(source: &Source) -> Value {
    json!([[source.id], source.title, [null, null, null, null, source.kind()]])
}

/// Writes the row of a note.
pub(super) fn note(note: &Note, sources: &[String]) -> Value {
    let mut meta = vec![
        (0, json!(if note.mind_map { 2 } else { 1 })),
        (1, note.user.as_str().into()),
        (2, moment(note.modified_ms)),
        (5, note.edited_ms.map_or(Value::Null, moment)),
    ];
    if note.mind_map {
        let sources: Vec<Value> = sources.iter().map(|id| json!([id])).collect();
        meta.push((3, json!(5)));
        meta.push((4, Value::Array(sources)));
    }
    json!([note.id, note.content, sparse(meta), null, note.title])
}

/// Writes the rows of all notes of a notebook; of one that is gone, that it was.
pub(super) fn notes(notebook: &Notebook, now: Millis) -> Value {
    let sources: Vec<String> = notebook.sources.iter().map(|source| source.id.clone()).collect();
    let row = |each: &Note| {
        if each.deleted { json!([each.id, null, 2]) } else { json!([each.id, note(each, &sources)]) }
    };
    let rows: Vec<Value> = notebook.notes.iter().map(row).collect();
    let rows = if rows.is_empty() { Value::Null } else { Value::Array(rows) };
    json!([rows, moment(now)])
}

/// Writes the two rows of a turn, the answer first.
pub(super) fn turn(turn: &Turn) -> [Value; 2] {
    [
        json!([turn.answer_id, moment(turn.at_ms), 2, null, [turn.answer]]),
        json!([turn.question_id, moment(turn.at_ms - 10), 1, turn.question]),
    ]
}

/// Writes who sees a notebook.
pub(super) fn shares(notebook: &Notebook, name: impl Fn(&str) -> String) -> Value {
    let row = |email: &str, role: Role| json!([email, role.code(), [], [name(email), ""]]);
    let mut rows = vec![row(&notebook.owner, Role::Owner)];
    rows.extend(notebook.shares.iter().map(|(email, role)| row(email, *role)));
    let public = if notebook.public { json!([true]) } else { Value::Null };
    json!([rows, public, 1000, true, null, null, [3, true, true], false])
}

/// Writes a person's settings, as the call for them has them.
pub(super) fn settings(person: &Person) -> Value {
    json!([[null, plan(&person.plan), [true, null, null, true, [person.language]], [[1]], [true, 1, 3, 2]]])
}

/// Writes a person's account, as the call that makes none has it.
pub(super) fn account(person: &Person) -> Value {
    let language = json!([person.language, null, null, null, [2]]);
    let first = json!([true, null, null, null, language, null, false, null, false, false]);
    let second = json!([false, 1, 1, 1, true, null, true, false]);
    json!([[null, plan(&person.plan), first, [[1]], second, {"70001": [false]}]])
}

/// Writes what is used up of the week and of the five hours, in percent. A zero is left out.
pub(super) fn usage(windows: [(i64, Millis, f64); 2]) -> Value {
    let row = |(window, resets, used): (i64, Millis, f64)| {
        let part = |percent: f64| if percent > 0.0 { json!(percent) } else { Value::Null };
        sparse([(4, json!(window)), (5, moment(resets)), (6, part(used)), (7, part(100.0 - used))])
    };
    let rows: Vec<Value> = windows.into_iter().map(row).collect();
    json!([1, rows])
}
