//! Pictures that are moved to another paragraph: a new one is made there of which nothing is lost, or it stays and is told.

use std::path::PathBuf;
use std::time::Duration;

use super::images::data_uri;
use crate::support::model::{applied, fetched, without_heading_ids};
use crate::support::world::{World, until};
use mcp_workspace::gdocs::{self, Picture, PictureFormat};
use mcp_workspace::kinds::docs;
use mcp_workspace::kinds::{Pictures, PushPlan, Standing, upload_address};
use mcp_workspace::mebdf;
use serde_json::{Value, json};

const DOT: &[u8] = include_bytes!("../../fixtures/images/dot.png");

/// What Google tells of a picture that was inserted and never touched.
fn plain(id: &str, uri: &str) -> Value {
    let margin = json!({"magnitude": 9, "unit": "PT"});
    json!({"objectId": id, "inlineObjectProperties": {"embeddedObject": {
        "imageProperties": {"contentUri": uri, "sourceUri": "https://example.com/a.png", "cropProperties": {}},
        "embeddedObjectBorder": {"color": {"color": {"rgbColor": {}}}, "width": {"unit": "PT"}, "dashStyle": "SOLID",
            "propertyState": "NOT_RENDERED"},
        "size": {"width": {"magnitude": 40, "unit": "PT"}, "height": {"magnitude": 20, "unit": "PT"}},
        "marginTop": margin, "marginBottom": margin, "marginLeft": margin, "marginRight": margin}}})
}

/// A document that says `text`, with plain pictures for `IMAGE1`, `IMAGE2`.
fn document(text: &str) -> Value {
    fn place(value: &mut Value, name: &str, id: &str) {
        match value {
            Value::Object(map) => {
                if let Some(elements) = map.get_mut("elements").and_then(Value::as_array_mut) {
                    let holds =
                        |part: &Value| part["textRun"]["content"].as_str().is_some_and(|text| text.contains(name));
                    if let Some(at) = elements.iter().position(holds) {
                        let content = elements[at]["textRun"]["content"].as_str().unwrap().to_owned();
                        let (before, behind) = content.split_once(name).unwrap();
                        let text = |text: &str| json!({"textRun": {"content": text, "textStyle": {}}});
                        let image = json!({"inlineObjectElement": {"inlineObjectId": id, "textStyle": {}}});
                        let parts = [text(before), image, text(behind)];
                        elements.splice(at..=at, parts.into_iter().filter(|part| part["textRun"]["content"] != ""));
                    }
                }
                map.values_mut().for_each(|value| place(value, name, id));
            }
            Value::Array(list) => list.iter_mut().for_each(|value| place(value, name, id)),
            _ => {}
        }
    }
    let mut raw = serde_json::to_value(gdocs::new_document("1d", "Pictures")).unwrap();
    raw["revisionId"] = "r".into();
    for (seed, plan) in (0..).zip(docs::plan_creation(&serde_json::to_vec(&raw).unwrap(), text).unwrap()) {
        raw = applied(&raw, &plan.requests, seed);
    }
    let tab = &mut raw["tabs"][0]["documentTab"];
    for number in 1..=2 {
        let id = format!("kix.image{number}");
        if text.contains(&format!("IMAGE{number}")) {
            place(&mut tab["body"]["content"], &format!("IMAGE{number}"), &id);
            tab["inlineObjects"][&id] = plain(&id, "https://example.com/a.png");
        }
    }
    let mut document: gdocs::Document = serde_json::from_value(raw).unwrap();
    gdocs::reindex(document.tabs[0].document_tab.as_mut().unwrap().segment_mut(None).unwrap());
    serde_json::to_value(&document).unwrap()
}

/// Says that the files of these pictures stand, each so many pixels wide and high.
fn standing(objects: &[&str], (width, height): (u32, u32)) -> Pictures {
    let picture = Picture { format: PictureFormat::Png, width, height };
    let stands = |object: &&str| ((*object).to_owned(), Ok(Standing { path: format!("1d/{object}.png"), picture }));
    Pictures { standing: objects.iter().map(stands).collect(), ..Pictures::default() }
}

/// The text of a file behind its head, with pictures as `IMAGE1` and without the ids of headings.
fn body(text: &str) -> String {
    let text = without_heading_ids(mebdf::body(text));
    let text = text.trim_matches('\n').replace("{^= kix.image1 image}", "IMAGE1");
    text.replace("{^= kix.image2 image}", "IMAGE2")
}

/// The file of a document that says what `wanted` does, which names pictures as `IMAGE1`.
fn edited(raw: &Value, wanted: &str) -> String {
    let text = fetched(raw).parts[0].text.clone();
    let head = &text[..text.len() - mebdf::body(&text).len()];
    let named = wanted.replace("IMAGE1", "{^= kix.image1 image}").replace("IMAGE2", "{^= kix.image2 image}");
    format!("{head}\n{named}\n")
}

fn plan(raw: &Value, wanted: &str, pictures: &Pictures) -> PushPlan {
    let remote = fetched(raw);
    docs::plan_with(&remote, &remote.parts[0].id, &edited(raw, wanted), false, pictures).unwrap()
}

#[test]
fn what_is_said_of_a_picture_stays_with_it() {
    let check = |wanted: &str, pushed: &[&str], told: &str| {
        let raw = document("one IMAGE1 two\n\nthree\n");
        let plan = plan(&raw, wanted, &standing(&["kix.image1"], (40, 20)));
        let sent: Vec<&str> =
            plan.requests.iter().map(|request| request.as_object().unwrap().keys().next().unwrap().as_str()).collect();
        assert_eq!(sent, pushed, "{wanted}");
        let notices: Vec<String> = plan.refused.iter().map(ToString::to_string).collect();
        assert!(notices.len() == 1 && notices[0].contains(told), "{notices:#?}");
    };
    check("one {^= kix.image1 image \"A chart\"} two\n\nthree", &[], "line 9: OBJECT_TEXT");
    check("one {^= kix.image1 chart} two\n\nthree", &[], "line 9: OBJECT_TEXT");
    check("one {^= kix.image1 image \"A chart\"} two\n\nthree more", &["insertText"], "line 9: OBJECT_TEXT");
    check("one {^= kix.image1 image \"A chart\"} too\n\nthree", &["insertText", "deleteContentRange"], "OBJECT_TEXT");
}

/// Edits a document, and checks that it says then what the file does and which pictures were made anew.
#[track_caller]
fn check(start: &str, wanted: &str, anew: &[&str]) {
    let raw = document(start);
    let both = standing(&["kix.image1", "kix.image2"], (400, 200));
    let plan = plan(&raw, wanted, &both);
    assert!(plan.refused.is_empty() && plan.holds.is_empty(), "{wanted:?}: {:#?} {:#?}", plan.refused, plan.holds);
    assert_eq!(plan.uploads, anew.iter().map(|id| format!("1d/{id}.png")).collect::<Vec<_>>(), "{wanted:?}");
    assert!(plan.wanted_pictures.is_empty());
    assert_eq!(body(&plan.expected), wanted.trim_matches('\n'), "the plan names them as the file does");
    let after = applied(&raw, &plan.requests, 7);
    let mut text = fetched(&after).parts[0].text.clone();
    let objects = after["tabs"][0]["documentTab"]["inlineObjects"].as_object().unwrap();
    for (index, old) in anew.iter().enumerate() {
        let made = |(_, object): &(&String, &Value)| {
            object["inlineObjectProperties"]["embeddedObject"]["imageProperties"]["sourceUri"] == upload_address(index)
        };
        let (id, object) = objects.iter().find(made).unwrap();
        let (object, plain) = (&object["inlineObjectProperties"]["embeddedObject"], plain(id, ""));
        for same in ["size", "embeddedObjectBorder", "marginTop"] {
            let plain = &plain["inlineObjectProperties"]["embeddedObject"][same];
            let points = |value: &Value, side: &str| value[side]["magnitude"].as_f64();
            assert!(object[same] == *plain || points(&object[same], "width") == points(plain, "width"), "{object:#}");
        }
        text = text.replace(&format!("{{^= {id} "), &format!("{{^= {old} "));
    }
    assert_eq!(body(&text), wanted.trim_matches('\n'));
    // With no file, nothing is lost, and the plan says which it wants to know.
    let without = docs::plan(&fetched(&raw), &fetched(&raw).parts[0].id, &edited(&raw, wanted), false).unwrap();
    assert!(anew.iter().all(|id| without.wanted_pictures.contains(&(*id).to_owned())), "{:?}", without.wanted_pictures);
    assert_eq!(without.refused.is_empty(), anew.is_empty());
    let said = fetched(&applied(&raw, &without.requests, 7)).parts[0].text.clone();
    for id in ["kix.image1", "kix.image2"].iter().filter(|id| raw.to_string().contains(**id)) {
        assert_eq!(said.matches(&format!("{{^= {id} image}}")).count(), 1, "{said}");
    }
}

#[test]
fn a_picture_goes_to_another_paragraph() {
    let one = &["kix.image1"];
    check("One IMAGE1 here.\n\nTwo.\n\nThree.\n", "One here.\n\nTwo IMAGE1 there.\n\nThree.", one);
    check("One IMAGE1 here.\n\nTwo.\n\nThree.\n", "One  here.\n\nTwo.\n\nIMAGE1\n\nThree.", one);
    check("IMAGE1\n\nTwo.\n\nThree.\n", "Two.\n\nIMAGE1 three.", one);
    check("One.\n\nTwo.\n\nThree IMAGE1\n", "One. IMAGE1\n\nTwo.\n\nThree", one);
    // Into a list and a table, and out of them.
    check("One IMAGE1.\n\n- a\n- b\n", "One.\n\n- a\n- b IMAGE1", one);
    check("One.\n\n- a IMAGE1\n- b\n", "One IMAGE1.\n\n- a\n- b", one);
    let table = |cell: &str| format!("| a | b |\n| --- | --- |\n| c | {cell} |");
    check(&format!("One IMAGE1.\n\n{}\n\nEnd.\n", table("d")), &format!("One.\n\n{}\n\nEnd.", table("d IMAGE1")), one);
    check(&format!("One.\n\n{}\n\nEnd.\n", table("d IMAGE1")), &format!("One IMAGE1.\n\n{}\n\nEnd.", table("d")), one);
    // Two of them, and other edits beside.
    check(
        "One IMAGE1.\n\nTwo IMAGE2.\n\nThree.\n\nFour.\n",
        "One.\n\nTwo.\n\nThree IMAGE1.\n\nFour and IMAGE2 more.",
        &["kix.image2", "kix.image1"],
    );
}

#[test]
fn only_what_text_cannot_move_around_is_made_anew() {
    check("One.\n\nTwo.\n\nIMAGE1\n", "IMAGE1\n\nOne.\n\nTwo.", &[]);
    check("One IMAGE1 two three.\n", "IMAGE1 two One three.", &[]);
    check("One.\n\nTwo IMAGE1 three.\n", "One.\n\nTwo\n\nIMAGE1 three.", &[]);
    // Two change places: one of them stays.
    let found = ["IMAGE1 one, IMAGE2 two.", "IMAGE2 one, IMAGE1 two."];
    for ids in [found, [found[1], found[0]]] {
        let raw = document(ids[0]);
        let plan = plan(&raw, ids[1], &standing(&["kix.image1", "kix.image2"], (400, 200)));
        assert!(plan.refused.is_empty() && plan.uploads.len() == 1, "{:#?}", plan.refused);
    }
    check(
        "Head.\n\n# A\n\nOne.\n\nThe first IMAGE1 here.\n\n# B\n\nThe second IMAGE2 here.\n\nTwo.\n",
        "Head.\n\n# A\n\nOne.\n\nThe second IMAGE2 here.\n\n# B\n\nThe first IMAGE1 here.\n\nTwo.",
        // The heading between them does not make way for either.
        &["kix.image1", "kix.image2"],
    );
}

/// Tries to move a picture that is not as it was inserted.
#[track_caller]
fn check_refused(change: impl Fn(&mut Value), pictures: &Pictures, told: &str) {
    let mut raw = document("One IMAGE1 here.\n\nTwo.\n\nThree.\n");
    change(&mut raw);
    let text = fetched(&raw).parts[0].text.clone();
    let at = text.find("[{^= kix.image1").or(text.find("{^= kix.image1")).unwrap();
    let end = if text[at..].starts_with('[') { ')' } else { '}' };
    let form = text[at..].split_inclusive(end).next().unwrap().to_owned();
    let moved = text.replacen(&format!("{form} "), "", 1).replace("Two.", &format!("Two {form} there."));
    let remote = fetched(&raw);
    let plan = docs::plan_with(&remote, &remote.parts[0].id, &moved, false, pictures).unwrap();
    let said = fetched(&applied(&raw, &plan.requests, 7)).parts[0].text.clone();
    assert_eq!(said.matches(&form).count(), 1, "{told}: {said}");
    assert!(plan.uploads.is_empty() && plan.holds.is_empty(), "{told}");
    assert!(
        plan.refused.iter().any(|notice| notice.message.contains(told) && notice.message.contains("cannot be moved")),
        "{told}: {:#?}",
        plan.refused
    );
    assert!(plan.refused.iter().all(|notice| notice.line > 0), "{:#?}", plan.refused);
}

#[test]
fn what_would_be_lost_is_named() {
    let stands = &standing(&["kix.image1"], (400, 200));
    let embedded = |raw: &mut Value, path: &str, value: Value| {
        let object = &mut raw["tabs"][0]["documentTab"]["inlineObjects"]["kix.image1"]["inlineObjectProperties"];
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = if folder.is_empty() { String::new() } else { format!("/{folder}") };
        object["embeddedObject"].pointer_mut(&folder).unwrap()[name] = value;
    };
    let degrees = json!({"offsetLeft": 0.25});
    for (path, value, told) in [
        ("title", json!("A chart"), "its title would be lost"),
        ("description", json!("A chart of it"), "its description would be lost"),
        ("imageProperties/cropProperties", degrees, "its crop would be lost"),
        ("imageProperties/brightness", json!(0.3), "its brightness would be lost"),
        ("imageProperties/angle", json!(1.5), "its rotation would be lost"),
        ("imageProperties/recolorProperties", json!({"recolorStops": [1]}), "`recolorProperties` would be lost"),
        ("embeddedObjectBorder/propertyState", json!("RENDERED"), "its border would be lost"),
        ("marginTop", json!({"magnitude": 3, "unit": "PT"}), "its margins would be lost"),
        (
            "linkedContentReference",
            json!({"sheetsChartReference": {"chartId": 4}}),
            "what it was made of would be lost",
        ),
        ("somethingNew", json!({"a": 1}), "its property `somethingNew` would be lost"),
        ("size", json!({}), "does not tell its size"),
        ("imageProperties/contentUri", json!(null), "does not hand out its file"),
    ] {
        check_refused(|raw| embedded(raw, path, value.clone()), stands, told);
    }
    let both = |raw: &mut Value| {
        embedded(raw, "title", json!("A"));
        embedded(raw, "description", json!("B"));
    };
    check_refused(both, stands, "its description and its title would be lost");
    check_refused(|_| {}, &Pictures::default(), "its file does not stand beside the document");
    check_refused(|_| {}, &standing(&["kix.image1"], (300, 300)), "it was stretched");
    let mut gone = Pictures::default();
    gone.standing.insert("kix.image1".into(), Err("its file is gone".into()));
    check_refused(|_| {}, &gone, "its file is gone");
    let tied = |raw: &mut Value| {
        raw["tabs"][0]["documentTab"]["namedRanges"]["theirs"] = json!({"name": "theirs", "namedRanges": [
            {"namedRangeId": "kix.theirs", "name": "theirs", "ranges": [{"startIndex": 5, "endIndex": 6}]}]});
    };
    check_refused(tied, stands, "a named range is tied to it");
    let linked = |raw: &mut Value| {
        let element = &mut raw["tabs"][0]["documentTab"]["body"]["content"][1]["paragraph"]["elements"][1];
        assert!(element["inlineObjectElement"].is_object(), "{element}");
        element["inlineObjectElement"]["textStyle"]["link"] = json!({"url": "https://example.com"});
    };
    check_refused(linked, stands, "its link would be lost");
}

async fn objects(world: &World, id: &str) -> Vec<(String, Value)> {
    let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await;
    let objects = document["tabs"][0]["documentTab"]["inlineObjects"].as_object().cloned().unwrap_or_default();
    let body = document["tabs"][0]["documentTab"]["body"].to_string();
    objects.into_iter().filter(|(id, _)| body.contains(id.as_str())).collect()
}

async fn moves(name: &str, crash: Option<&str>, fault: Option<&str>) {
    let mut world = World::new(name);
    world.start_daemon(&[]);
    let mut raw = document("Above IMAGE1 it.\n\nBelow.\n");
    raw["documentId"] = "1carriedAbCdEfGhIjKlMnOpQrStUvWxYz012345678".into();
    let object = &mut raw["tabs"][0]["documentTab"]["inlineObjects"]["kix.image1"];
    object["inlineObjectProperties"]["embeddedObject"]["imageProperties"]["contentUri"] =
        data_uri("image/png", DOT).into();
    let imported = world.post("/admin/documents", &raw).await;
    let id = imported["documentId"].as_str().unwrap_or_else(|| panic!("{imported}")).to_owned();
    let file: PathBuf = world.file(&id);
    let folder = file.with_file_name(&id);
    until("the picture stands", || async { folder.join("kix.image1.png").exists() }).await;
    if let Some(point) = crash {
        world.kill_daemon();
        world.start_daemon(&[("MCP_WORKSPACE_CRASH", point)]);
    }
    if let Some(fault) = fault {
        let fault = json!({"match": {"method": "POST", "path": ":batchUpdate"}, "times": 1, "fault": fault});
        world.post("/admin/faults", &fault).await;
    }
    let text = std::fs::read_to_string(&file).unwrap();
    let form = "{^= kix.image1 image}";
    assert!(text.contains(form), "{text}");
    let moved = text.replace(&format!("{form} "), "").replace("Below.", &format!("Below {form} there."));
    std::fs::write(&file, &moved).unwrap();
    if crash.is_some() {
        until("the daemon dies", || {
            let died = world.daemon_died();
            async move { died }
        })
        .await;
        world.start_daemon(&[]);
    }
    until("the picture is another one", || async {
        matches!(&*objects(&world, &id).await, [(object, _)] if object != "kix.image1")
    })
    .await;
    let (object, value) = objects(&world, &id).await.remove(0);
    let size = &value["inlineObjectProperties"]["embeddedObject"]["size"];
    assert_eq!((&size["width"]["magnitude"], &size["height"]["magnitude"]), (&json!(40.0), &json!(20.0)), "{value}");
    let wanted = moved.replace("kix.image1", &object);
    until("the file has the id", || async { std::fs::read_to_string(&file).unwrap() == wanted }).await;
    until("its file stands", || async { folder.join(format!("{object}.png")).exists() }).await;
    assert_eq!(std::fs::read(folder.join(format!("{object}.png"))).unwrap(), DOT);
    tokio::time::sleep(Duration::from_millis(1200)).await;
    assert!(matches!(&*objects(&world, &id).await, [(still, _)] if *still == object), "it moved once");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), wanted);
    assert_eq!(world.text(&id).await, "Above it.\nBelow  there.\n");
    until("nothing is left in Drive", || async {
        let path = "/drive/v3/files?q=mimeType+!%3D+'application/vnd.google-apps.document'&fields=files(id,name)";
        world.get(path).await["files"].as_array().unwrap().is_empty()
    })
    .await;
}

#[tokio::test]
async fn a_picture_moves_and_the_file_learns_its_id() {
    moves("carried", None, None).await;
}

#[tokio::test]
async fn a_picture_moves_once_whatever_fails() {
    moves("carried-503", None, Some("503")).await;
    moves("carried-upload", Some("after_upload"), None).await;
    moves("carried-post", Some("after_post"), None).await;
}
