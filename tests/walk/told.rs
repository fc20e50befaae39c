//! What a person is told of an edit that does not go, or not as written, with the real binary and the embedded Google.

use std::path::Path;
use std::process::Command;

use crate::support::daily::{done, newest_push, rests};
use crate::support::world::{World, edit_in_place, until};
use serde_json::{Value, json};

fn world(name: &str) -> World {
    let mut world = World::new(name);
    world.start_daemon(&[]);
    world
}

/// A document that says `text`: its id and its file.
fn document(world: &World, text: &str) -> (String, String) {
    let source = world.home.join("source.md");
    std::fs::write(&source, text).unwrap();
    let (done, made) = world.cli(&["create", "--title", "Told", source.to_str().unwrap()]);
    assert!(done, "{made}");
    let told = |key: &str| made[key].as_str().unwrap().to_owned();
    (told("id"), told("path"))
}

/// The codes and lines of notices.
fn codes(notices: &Value) -> Vec<String> {
    let notices = notices.as_array().unwrap().iter();
    notices.map(|told| format!("{} {}", told["code"].as_str().unwrap(), told["line"])).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cell_too_many_stays_in_the_file_when_somebody_edits_the_table() {
    let world = world("surplus");
    let (id, path) = document(&world, "intro\n\n| a | b |\n| --- | --- |\n| c | d |\n");
    let file = Path::new(&path);
    edit_in_place(file, "| c | d |", "| c | d | remark |");
    let (_, answer) = world.cli(&["push", &path]);
    assert_eq!(answer["refused"][0]["code"], "TABLE_CELLS", "{answer}");
    assert!(world.cli(&["status"]).1.to_string().contains("TABLE_CELLS"));
    world.collaborate(&id, "a", "alpha").await;
    world.cli(&["fetch", &id]);
    // Two edits of one table meet: the file keeps this one, and the other is told.
    until("the edit of the other is known", || {
        let told = world.cli(&["status"]).1.to_string();
        std::future::ready(
            told.contains("say different things") || std::fs::read_to_string(file).unwrap().contains("alpha"),
        )
    })
    .await;
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains("remark"), "{text}");
    let said = world.text(&id).await;
    assert!(said.contains("alpha") && !said.contains("remark"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_document_says_is_told_when_it_is_the_only_edit() {
    let world = world("unsaid");
    let (id, path) = document(&world, "see [one](https://e.com/x)\n\nend\n");
    let file = Path::new(&path);
    let line = std::fs::read_to_string(file).unwrap().lines().position(|line| line.starts_with("see")).unwrap() + 1;
    let check = |edited: &str, expected: &[String]| {
        std::fs::write(file, edited).unwrap();
        let (_, answer) = world.cli(&["push", &path]);
        assert_eq!(
            (codes(&answer["refused"]), codes(&answer["unsaid"])),
            (vec![], expected.to_vec()),
            "{answer}\n{edited}"
        );
        for told in expected {
            let code = told.split(' ').next().unwrap();
            assert!(world.cli(&["status"]).1.to_string().contains(code), "{told}");
        }
    };
    let text = std::fs::read_to_string(file).unwrap();
    check(&text.replace("e.com/x)", "e.com/x \"My remark\")"), &[format!("LINK_TITLE {line}")]);
    check(&text, &[]);
    assert!(!world.cli(&["status"]).1.to_string().contains("LINK_TITLE"));
    let item = text.replace("end", "- end");
    check(&item, &[]);
    check(&item.replace("- end", "- # end"), &[format!("HEADING_IN_ITEM {}", line + 2)]);
    check(&item, &[]);
    check(&text, &[]);
    // Definitions are written into their links, and what none uses stands right above one and is told.
    let defined =
        text.replace("[one](https://e.com/x)", "[one]").replace("end", "END\n\n[Bo]: no\n[one]: https://e.com/x");
    std::fs::write(file, defined).unwrap();
    let (_, answer) = world.cli(&["push", &path]);
    assert_eq!(codes(&answer["refused"]), [""; 0], "{answer}");
    assert_eq!(world.text(&id).await, "see one\nEND\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_with_a_title_may_be_defined_at_the_end() {
    let world = world("defined");
    let (id, path) = document(&world, "a b\n\nend\n");
    let file = Path::new(&path);
    let text = std::fs::read_to_string(file).unwrap();
    let defined = text.replace("a b", "a [foo] b") + "\n[foo]: https://e.com/x \"Ti\"\n";
    std::fs::write(file, &defined).unwrap();
    let (_, answer) = world.cli(&["push", &path]);
    assert!(!answer.to_string().contains("conflict"), "{answer}");
    assert_eq!(world.text(&id).await, "a foo b\nend\n");
    // Somebody edits another paragraph: both are in both places, and the title is still in the file.
    world.collaborate(&id, "end", "the end").await;
    world.cli(&["fetch", &id]);
    until("the edit of the other is in the file", || {
        std::future::ready(std::fs::read_to_string(file).unwrap().contains("the end"))
    })
    .await;
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains("a [foo] b") && text.contains("\n[foo]: https://e.com/x \"Ti\"\n"), "{text}");
    let status = world.cli(&["status"]).1.to_string();
    assert!(status.contains("LINK_TITLE") && !status.contains("say different things"), "{status}");
}

/// What only the file says stays there when somebody else edits the block that it stands in.
#[tokio::test(flavor = "multi_thread")]
async fn a_colleague_edits_what_the_file_says_more_of() {
    for (name, edited, said) in [
        ("language", "```rust\nlet apple;\nend\n```", "```rust\nlet pear;\nend\n```"),
        ("title", "an apple [b](https://e.com/y \"T\")", "an pear [b](https://e.com/y \"T\")"),
        ("tick", "- [x] an apple", "- [x] an pear"),
        ("heading", "- # an apple", "- # an pear"),
    ] {
        let world = world(&format!("more-{name}"));
        let (id, path) = document(&world, "first\n\nwords\n\nlast\n");
        let file = Path::new(&path);
        edit_in_place(file, "words", edited);
        world.cli(&["push", &path]);
        assert!(std::fs::read_to_string(file).unwrap().contains(edited));
        world.collaborate(&id, "apple", "pear").await;
        world.cli(&["fetch", &id]);
        until("the edit of the other is in the file", || {
            std::future::ready(std::fs::read_to_string(file).unwrap().contains(said))
        })
        .await;
        edit_in_place(file, "last", "at last");
        let (_, answer) = world.cli(&["push", &path]);
        let text = world.text(&id).await;
        assert!(text.contains("pear") && text.contains("at last"), "{answer}\n{text}");
        assert!(!world.cli(&["status"]).1.to_string().contains("say different things"), "{name}");
    }
}

/// What a file spells otherwise than the document is no edit that a colleague's could meet.
#[tokio::test(flavor = "multi_thread")]
async fn a_colleague_edits_what_the_file_spells_in_its_own_way() {
    for (name, edited, beside) in [
        ("person", "so {^= person \"Ana <ana@x.com>\"} says apple", "of ours"),
        ("heading", "so [up](#head) says apple", "of ours {^= equation}"),
        ("footnote", "so[^why] says apple\n\n[^why]: a note", "of ours [nowhere](#nowhere)"),
        ("both", "so[^why] {^= person \"Ana <ana@x.com>\"} says apple\n\n[^why]: a note [up](#head)", "of ours"),
    ] {
        let world = world(&format!("spelled-{name}"));
        let (id, path) = document(&world, "# Head\n\nso says apple\n\nlast word of ours\n");
        let file = Path::new(&path);
        // What waits in another paragraph is no reason to leave this one apart.
        let waits = beside != "of ours";
        edit_in_place(file, "last word of ours", &format!("last __word__ {beside}"));
        edit_in_place(file, "so says apple", edited);
        let (_, answer) = world.cli(&["push", &path]);
        assert_eq!(codes(&answer["refused"]).len(), usize::from(waits), "{answer}");
        let spelled = std::fs::read_to_string(file).unwrap();
        assert!(spelled.contains(&format!("last __word__ {beside}")), "the file's other lines are its own:\n{spelled}");
        assert!(!spelled.contains(edited), "{spelled}");
        let (_, found) = world.cli(&["doctor"]);
        assert!(waits || found["findings"] == json!([]), "{name}: {found}");
        world.collaborate(&id, "apple", "pear").await;
        world.cli(&["fetch", &id]);
        until("the edit of the other is in the file", || {
            std::future::ready(std::fs::read_to_string(file).unwrap().contains("says pear"))
        })
        .await;
        let status = world.cli(&["status"]).1.to_string();
        assert!(!status.contains("say different things"), "{name}: {status}");
        // And the person's own edit of it goes, once a save had it.
        edit_in_place(file, "\n# ", "\nintro\n\n# ");
        assert_eq!(world.cli(&["push", &path]).1["pushed"], true, "{name}");
        edit_in_place(file, "says pear", "says plum");
        let (_, answer) = world.cli(&["push", &path]);
        assert_eq!(codes(&answer["refused"]).len(), usize::from(waits), "{answer}");
        let said = world.text(&id).await;
        assert!(said.contains("says plum"), "{name}: {said}");
        let before = std::fs::read_to_string(file).unwrap();
        assert!(before.contains(beside), "{before}");
        world.cli(&["push", &path]);
        assert_eq!(std::fs::read_to_string(file).unwrap(), before, "{name}");
    }
}

/// A document is not without an empty paragraph beside a table where nothing else stands: the file then has it, too, and
/// differs from the document in nothing.
#[tokio::test(flavor = "multi_thread")]
async fn what_no_document_can_be_without_stands_in_the_file() {
    const TABLE: &str = "| a | b |\n| --- | --- |\n| c | d |\n";
    let world = world("wanted");
    for (name, before, edited, after) in [
        ("a new one at the end", "intro\n".into(), format!("intro\n\n{TABLE}"), format!("intro\n\n{TABLE}\n\\\n")),
        (
            "the last paragraph goes",
            format!("intro\n\n{TABLE}\nlast\n"),
            format!("intro\n\n{TABLE}"),
            format!("intro\n\n{TABLE}\n\\\n"),
        ),
        (
            "the first paragraph goes",
            format!("first\n\n{TABLE}\nlast\n"),
            format!("{TABLE}\nlast\n"),
            format!("\\\n\n{TABLE}\nlast\n"),
        ),
        (
            "what stood between two goes",
            format!("intro\n\n{TABLE}\nbetween\n\n| x |\n| --- |\n\nlast\n"),
            format!("intro\n\n{TABLE}\n| x |\n| --- |\n\nlast\n"),
            format!("intro\n\n{TABLE}\n\\\n\n| x |\n| --- |\n\nlast\n"),
        ),
        (
            "with a footnote behind it",
            "so[^1] intro\n\n[^1]: a note\n".into(),
            format!("so[^1] intro\n\n{TABLE}\n[^1]: a note\n"),
            format!("so[^1] intro\n\n{TABLE}\n\\\n\n[^1]: a note\n"),
        ),
    ] {
        let (_, path) = document(&world, &before);
        let file = Path::new(&path);
        let body = |text: &str| text.split_once("---\n\n").unwrap().1.to_owned();
        let stood = body(&std::fs::read_to_string(file).unwrap());
        edit_in_place(file, &stood, &edited);
        let (done, answer) = world.cli(&["push", &path]);
        assert!(done && answer["refused"] == json!([]), "{name}: {answer}");
        assert_eq!(body(&std::fs::read_to_string(file).unwrap()), after, "{name}");
        // Whoever still has the other text open and saves it has edited nothing.
        edit_in_place(file, &after, &edited);
        let (done, answer) = world.cli(&["push", &path]);
        assert!(done && answer["requests"] == json!([]), "{name}: {answer}");
        assert_eq!(body(&std::fs::read_to_string(file).unwrap()), after, "{name}");
        assert_eq!(world.cli(&["diff", &path]).1["diff"], "", "{name}");
    }
    let (sound, found) = world.cli(&["doctor"]);
    assert!(sound, "{found}");
    let status = world.cli(&["status"]).1.to_string();
    assert!(!status.contains("PUT_BACK") && !status.contains("TAKEN_AGAIN"), "{status}");
}

/// A section in conflict keeps none of the others from taking the document's spelling, and whoever fetches is told of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_elsewhere_waits_alone() {
    let world = world("spelled-beside");
    let (id, path) = document(&world, "before all\n\n# Head\n\nso says apple\n\n# Other\n\nour word\n");
    let file = Path::new(&path);
    let edit = |file: &Path| {
        edit_in_place(file, "before all", "before mine");
        edit_in_place(file, "our word", "my word");
    };
    world.collaborate(&id, "before all", "before theirs").await;
    world.collaborate(&id, "our word", "their word").await;
    edit(file);
    until("both sides are known", || {
        let status = world.cli(&["status"]).1.to_string();
        std::future::ready(status.matches("say different things").count() == 2)
    })
    .await;
    edit_in_place(file, "so says apple", "so [up](#other) says apple");
    let (_, answer) = world.cli(&["push", &path]);
    let waits = "in conflict: the text before the first heading, \"Other\"; the conflict file shows what both say, and how to end it";
    assert!(answer["message"].as_str().unwrap().ends_with(waits), "{answer}");
    world.collaborate(&id, "apple", "pear").await;
    until("the edit of the other is in the file", || {
        std::future::ready(std::fs::read_to_string(file).unwrap().contains("says pear"))
    })
    .await;
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains("before mine") && text.contains("my word") && text.contains("so [up](#^h."), "{text}");
    let (_, fetched) = world.cli(&["fetch", &id]);
    assert_eq!(codes(&fetched["notices"]), ["CONFLICT 0", "CONFLICT 0"], "{fetched}");
    let said = world.text(&id).await;
    assert!(said.contains("before theirs") && said.contains("their word"), "{said}");
}

/// What only the file says outlives the choice of the document's words, and the words of a file are never the document's.
#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_in_what_the_file_says_more_of_is_resolved_either_way() {
    for side in ["--mine", "--theirs"] {
        let world = world(&format!("more{side}"));
        let (id, path) = document(&world, "first\n\nwords\n");
        let file = Path::new(&path);
        edit_in_place(file, "words", "```rust\nlet apple;\n```");
        world.cli(&["push", &path]);
        world.collaborate(&id, "apple", "pear").await;
        edit_in_place(file, "apple", "plum");
        until("both sides are known", || {
            std::future::ready(world.cli(&["status"]).1.to_string().contains("say different things"))
        })
        .await;
        let (done, answer) = world.cli(&["resolve", &path, side]);
        assert!(done, "{answer}");
        let word = if side == "--mine" { "plum" } else { "pear" };
        until("the words are there", || async { world.text(&id).await == format!("first\nlet {word};\n") }).await;
        until("the file says them", || {
            std::future::ready(std::fs::read_to_string(file).unwrap().contains(&format!("\nlet {word};\n")))
        })
        .await;
        let status = world.cli(&["status"]).1.to_string();
        assert!(!status.contains("say different things"), "{status}");
        let text = std::fs::read_to_string(file).unwrap();
        assert!(side == "--theirs" || text.contains("```rust"), "{text}");
        let (_, answer) = world.cli(&["push", &path]);
        assert_eq!(answer["requests"], json!([]), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_of_several_calls_shows_the_requests_of_each() {
    let world = world("calls");
    let (id, path) = document(&world, "first words\n");
    edit_in_place(Path::new(&path), "first words", "first[^n] words\n\n[^n]: a note");
    let (done, answer) = world.cli(&["push", &path]);
    assert!(done, "{answer}");
    let kinds: Vec<&String> =
        answer["requests"].as_array().unwrap().iter().flat_map(|request| request.as_object().unwrap().keys()).collect();
    // The blank that Google puts into a new footnote goes.
    assert_eq!(kinds, ["createFootnote", "deleteContentRange", "insertText"], "{answer}");
    assert_eq!(answer["message"], "pushed with 3 requests in 2 calls");
    let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await.to_string();
    assert!(document.contains("a note"), "{document}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_says_whether_an_edit_waits() {
    let world = world("waits");
    let (id, path) = document(&world, "first words here\n\n| a | b |\n| --- | --- |\n| c | d |\n");
    let text = std::fs::read_to_string(&path).unwrap();
    let check = |arguments: &[&str], done: bool, waits: bool, message: &str| {
        let (is_done, answer) = world.cli(arguments);
        assert_eq!((is_done, &answer["waits"]), (done, &json!(waits)), "{answer}");
        assert!(answer["message"].as_str().unwrap().starts_with(message), "{answer}");
    };
    check(&["push", &path], true, false, "nothing to push");
    std::fs::write(&path, text.replace("| c | d |", "| c | d | e |")).unwrap();
    check(&["push", &path, "--dry-run"], true, true, "nothing was pushed: what was refused");
    check(&["push", &path], false, true, "nothing was pushed: what was refused stays in the file alone");
    std::fs::write(&path, text.replace("first", "1st").replace("| c | d |", "| c | d | e |")).unwrap();
    check(&["push", &path], false, true, "pushed");
    let merged = format!("{text}\n<<<<<<< mine\nx\n=======\ny\n>>>>>>> theirs\n");
    std::fs::write(&path, merged).unwrap();
    check(&["push", &path], false, true, "nothing was pushed: the file is held");
    std::fs::write(&path, &text).unwrap();
    check(&["push", &path], true, false, "pushed");
    std::fs::remove_file(&path).unwrap();
    let message = format!("nothing was pushed: the file was deleted here; `restore {id}`");
    check(&["push", &path], false, true, &message);
    assert!(world.cli(&["restore", &id]).0);
    check(&["push", &path], true, false, "nothing to push");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_of_what_the_daemon_has_pushed_says_which_push_that_was() {
    let world = world("pushed-before");
    let (id, path) = document(&world, "first words here\n");
    edit_in_place(Path::new(&path), "first", "1st");
    until("it is pushed", || async { world.text(&id).await.contains("1st words") && rests(&world) }).await;
    let told = done(&world, &["push", &path]);
    let number = newest_push(&world, Path::new(&path));
    let expected = format!("nothing to push: what it says went with push {number}, at 20");
    assert!(told["message"].as_str().unwrap().starts_with(&expected), "{told}");
    assert_eq!((&told["pushed"], &told["waits"]), (&json!(false), &json!(false)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_named_from_where_one_stands() {
    let world = world("from-here");
    let (id, path) = document(&world, "first words here\n");
    let (folder, name) = path.rsplit_once('/').unwrap();
    // Its pictures would stand there, and an id names the document all the same.
    std::fs::create_dir_all(Path::new(folder).join(&id)).unwrap();
    for (verb, name) in [("fetch", &*id), ("fetch", name), ("forget", name), ("restore", name)] {
        let output = Command::new(env!("CARGO_BIN_EXE_mcp-workspace"))
            .args([verb, name, "--json", "--home"])
            .arg(&world.home)
            .current_dir(folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        // What was forgotten cannot be restored, and is told by its id.
        assert!(output.status.success() != (verb == "restore") && said.contains(&id), "{verb}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_no_text_is_told_by_push_as_by_status() {
    let world = world("unreadable");
    let (id, path) = document(&world, "first\n");
    let text = std::fs::read(&path).unwrap();
    for bytes in [&b"\0"[..], b"caf\xe9", b"\xed\xa0\x80"] {
        std::fs::write(&path, [&text, bytes].concat()).unwrap();
        let (_, answer) = world.cli(&["push", &path]);
        let told = answer["refused"][0]["message"].as_str().unwrap_or_default().to_owned();
        assert!(!told.is_empty() && world.cli(&["status"]).1.to_string().contains(&told), "{bytes:?}: {answer}");
    }
    assert_eq!(world.text(&id).await, "first\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn code_beside_code_is_no_edit_of_both_sides() {
    let world = world("fences");
    let (id, path) = document(&world, "intro\n\n```\nla\nlb\n```\n");
    let file = Path::new(&path);
    edit_in_place(file, "```\nla", "```\nza\n```\n\n```\nla");
    let (_, answer) = world.cli(&["push", &path]);
    assert_eq!((codes(&answer["refused"]), codes(&answer["told"])), (vec![], vec![]), "{answer}");
    world.collaborate(&id, "lb", "lbb").await;
    world.cli(&["fetch", &id]);
    until("the edit of the other is in the file", || {
        std::future::ready(std::fs::read_to_string(file).unwrap().contains("lbb"))
    })
    .await;
    assert_eq!(world.text(&id).await, "intro\nza\nla\nlbb\n");
    let (_, answer) = world.cli(&["push", &path]);
    assert_eq!(answer["conflicts"], json!(null), "{answer}");
    assert!(std::fs::read_to_string(file).unwrap().ends_with("intro\n\n```\nza\nla\nlbb\n```\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_anchor_beside_what_waits_is_no_edit_of_both_sides() {
    let world = world("named");
    let (_, path) = document(&world, "- [ ] task one\n\nend\n");
    let file = Path::new(&path);
    edit_in_place(file, "- [ ] task one", "- [x] ta{^}sk one");
    let (_, answer) = world.cli(&["push", &path]);
    assert_eq!(answer["refused"][0]["code"], "TICK", "{answer}");
    until("the anchor has its id", || {
        std::future::ready(std::fs::read_to_string(file).unwrap().contains("- [x] ta{^ kix."))
    })
    .await;
    let (_, answer) = world.cli(&["push", &path]);
    assert!(codes(&answer["refused"])[0].starts_with("TICK") && !answer.to_string().contains("conflict"), "{answer}");
    let status = world.cli(&["status"]).1.to_string();
    assert!(status.contains("TICK") && !status.contains("say different things"), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_later_batch_makes_is_not_stopped_by_the_id_of_an_anchor() {
    let world = world("stages");
    let (id, path) = document(&world, "main text\n");
    let file = Path::new(&path);
    let text = "# tab0\n\ntext {^}anchor [l](#tab0)\n\n| a | b |\n| --- | --- |\n| c | d[^1] |\n\nend\n\n[^1]: fnTEXT";
    edit_in_place(file, "main text", text);
    let (_, answer) = world.cli(&["push", &path]);
    assert_eq!((codes(&answer["refused"]), codes(&answer["told"])), (vec![], vec![]), "{answer}");
    let document = world.get(&format!("/v1/documents/{id}?includeTabsContent=true")).await.to_string();
    assert!(document.contains("fnTEXT") && document.contains("\"link\":{\""), "{document}");
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains("text {^ kix.") && text.contains("anchor [l](#"), "{text}");
    assert!(!world.cli(&["status"]).1.to_string().contains("say different things"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_pushed_as_text_is_not_told_as_refused() {
    let world = world("forms");
    let (id, path) = document(&world, "first\n\nlast\n");
    let file = Path::new(&path);
    let line = std::fs::read_to_string(file).unwrap().lines().position(|line| line == "first").unwrap() + 1;
    edit_in_place(file, "first", "> said\n\n![x](y) and [](z)");
    let (_, answer) = world.cli(&["push", &path]);
    assert_eq!(answer["refused"], json!([]), "{answer}");
    let told =
        [format!("BLOCK_QUOTE {line}"), format!("MARKDOWN_IMAGE {}", line + 2), format!("EMPTY_LINK {}", line + 2)];
    assert_eq!(codes(&answer["told"]), told, "{answer}");
    assert_eq!(world.text(&id).await, "> said\n![x](y) and [](z)\nlast\n");
    // Told once: what stands there since is text.
    edit_in_place(file, "last", "at last");
    let (_, answer) = world.cli(&["push", &path]);
    assert_eq!((codes(&answer["refused"]), codes(&answer["told"])), (vec![], vec![]), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_number_of_a_list_is_told_and_the_rest_is_pushed() {
    let world = world("numbers");
    let source = world.home.join("source.md");
    std::fs::write(&source, "intro\n\n1. xx\n2. yy\n\nend\n").unwrap();
    let (done, made) = world.cli(&["create", "--title", "Numbers", source.to_str().unwrap()]);
    assert!(done, "{made}");
    let (path, id) = (made["path"].as_str().unwrap(), made["id"].as_str().unwrap());
    let file = Path::new(path);
    let first = std::fs::read_to_string(file).unwrap();
    let line = first.lines().position(|line| line == "1. xx").unwrap() + 1;
    let is_told = |answer: &Value| {
        let said = answer.to_string();
        let lines =
            [format!("line {line}: LIST_START"), format!("\"code\":\"LIST_START\",\"column\":0,\"line\":{line},")];
        lines.iter().any(|told| said.contains(told))
    };
    // By the watcher alone: an edit beside it goes, and `status` says what does not.
    std::fs::write(file, first.replace("1. xx\n2. yy", "4. xx\n5. yy").replace("end", "ending")).unwrap();
    until("the edit is in the document", || async { world.text(id).await.contains("ending") }).await;
    until("it is told", || std::future::ready(is_told(&world.cli(&["status"]).1))).await;
    let (_, answer) = world.cli(&["push", path]);
    assert!(is_told(&answer), "{answer}");
    assert!(is_told(&world.cli(&["status"]).1));
    // Nothing but the number.
    let renumbered = std::fs::read_to_string(file).unwrap();
    assert!(renumbered.contains("4. xx\n5. yy\n"), "{renumbered}");
    std::fs::write(file, renumbered.replace("4. xx\n5. yy", "1. xx\n2. yy")).unwrap();
    world.cli(&["push", path]);
    assert!(!world.cli(&["status"]).1.to_string().contains("LIST_START"));
    std::fs::write(file, &renumbered).unwrap();
    until("it is told once more", || std::future::ready(is_told(&world.cli(&["status"]).1))).await;
    // What an item brought along when the one before it went is no wish, then and later.
    std::fs::write(file, renumbered.replace("4. xx\n5. yy", "2. yy")).unwrap();
    let (_, answer) = world.cli(&["push", path]);
    assert!(!world.text(id).await.contains("xx") && !answer.to_string().contains("LIST_START"), "{answer}");
    edit_in_place(file, "intro", "opening");
    let (_, answer) = world.cli(&["push", path]);
    assert!(world.text(id).await.contains("opening") && !answer.to_string().contains("LIST_START"), "{answer}");
    assert!(!world.cli(&["status"]).1.to_string().contains("LIST_START"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_told_once_with_its_line_of_the_file() {
    let world = world("refusals");
    let source = world.home.join("source.md");
    std::fs::write(&source, "# Head\n\n{!align:center}\nCentered\n\n{!Normal text}\nPlain para.\n\nLast para.\n")
        .unwrap();
    let (done, made) = world.cli(&["create", "--title", "Lines", source.to_str().unwrap()]);
    assert!(done, "{made}");
    let path = made["path"].as_str().unwrap();
    let file = Path::new(path);
    let text = std::fs::read_to_string(file).unwrap();
    // With and without the blank line that a merge puts there.
    for edited in [text.clone(), text.replace("Centered\n\n{!", "Centered\n{!"), text.replace("}\n", "}\n\n")] {
        let edited = edited.replace("Last para.", "Last para. {^= equation}");
        let line = edited.lines().position(|line| line.starts_with("Last")).unwrap() + 1;
        std::fs::write(file, &edited).unwrap();
        for arguments in [&["push", "--dry-run", path][..], &["push", path]] {
            let (_, answer) = world.cli(arguments);
            let refused: Vec<_> =
                answer["refused"].as_array().unwrap().iter().map(|told| told["line"].clone()).collect();
            assert_eq!(refused, [json!(line)], "{arguments:?}: {answer}\n{edited}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_is_told_without_the_refusals_of_an_older_save() {
    let world = world("waits");
    let (_, path) = document(&world, "first words of it\n\nlast\n");
    let file = Path::new(&path);
    edit_in_place(file, "last", "last {^= equation}");
    let (_, answer) = world.cli(&["push", &path]);
    assert_eq!(answer["refused"].as_array().map(Vec::len), Some(1), "{answer}");
    let text = std::fs::read_to_string(file).unwrap();
    std::fs::write(file, "").unwrap();
    let (_, answer) = world.cli(&["push", &path]);
    assert_eq!(
        (answer["refused"].clone(), codes(&answer["holds"])),
        (json!([]), vec!["EMPTY 0".to_owned()]),
        "{answer}"
    );
    std::fs::write(file, &text).unwrap();
    let (_, answer) = world.cli(&["push", &path]);
    assert_eq!(answer["refused"].as_array().map(Vec::len), Some(1), "{answer}");
}

/// Of an emptied document one empty paragraph is left; that the file does not say it is nothing that waits.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_whose_emptiness_was_accepted_waits_no_more() {
    for name in ["whole", "below", "heading"] {
        let world = world(&format!("emptied-{name}"));
        let start = if name == "heading" { "# One\n\nwords\n" } else { "first words of it\n\nsecond\n" };
        let (_, path) = document(&world, start);
        let file = Path::new(&path);
        let text = std::fs::read_to_string(file).unwrap();
        let head: String = text.split_inclusive("---\n").take(2).collect();
        std::fs::write(file, if name == "whole" { "" } else { &head }).unwrap();
        let (_, answer) = world.cli(&["push", &path]);
        assert_eq!(codes(&answer["holds"]), ["EMPTY 0"], "{answer}");
        let (_, answer) = world.cli(&["push", "--accept", &path]);
        assert_eq!((answer["pushed"].clone(), codes(&answer["refused"])), (json!(true), vec![]), "{answer}");
        for _ in 0..2 {
            let (_, answer) = world.cli(&["push", &path]);
            let told = ["refused", "holds", "unsaid"].map(|key| codes(&answer[key]));
            assert_eq!((told, answer["waits"].clone()), ([vec![], vec![], vec![]], json!(false)), "{name}: {answer}");
        }
        assert!(std::fs::read_to_string(file).unwrap().starts_with(&head), "{name}");
    }
}

/// What went, and what stays in the file, is told, and never as refused.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_pushed_is_told_and_never_refused() {
    for (name, edited, told, kept) in [
        ("language", "a\n\n```py\nx = 1\n```\n\nlast", &[][..], &[(2, "CODE_LANGUAGE")][..]),
        ("blanks", "a\n\n```\nx\ny  \n\n```\n\nlast", &[], &[(4, "CODE_BLANKS")]),
        ("note", "a[^1]\n\nlast\n\n[^1]: see\n\n    ```py\n    x = 1\n    ```", &[(6, "FOOTNOTE_FORM")], &[]),
        ("title", "[a](https://e.com/x \"t\") b\n\nlast", &[], &[(0, "LINK_TITLE")]),
        ("heading", "- a\n- # b\n\nlast", &[], &[(1, "HEADING_IN_ITEM")]),
        ("code", "- a\n- ```\n  x\n  ```\n\nlast", &[(1, "BLOCK_IN_ITEM")], &[]),
        ("defined", "[a] b\n\n[a]: https://e.com/x\n\nlast", &[(2, "LINK_DEFINITION")], &[]),
        ("defined-last", "[a] b\n\nlast\n\n[a]: https://e.com/x", &[(4, "LINK_DEFINITION")], &[]),
        ("titled", "[a] b\n\nlast\n\n[a]: https://e.com/x \"t\"", &[(4, "LINK_DEFINITION")], &[(0, "LINK_TITLE")]),
        ("chip", "**Aa {^= person \"Ana <a@x.com>\"} m** b\n\nlast", &[], &[(0, "OBJECT_MARKS")]),
        ("linked", "b [Aa {^= date \"2026-11-21\"} Bb](https://e.com/x)\n\nlast", &[], &[(0, "OBJECT_MARKS")]),
    ] {
        let world = world(&format!("pushed-{name}"));
        let (_, path) = document(&world, "first\n\nlast\n");
        let file = Path::new(&path);
        let line = std::fs::read_to_string(file).unwrap().lines().position(|line| line == "first").unwrap() + 1;
        let at = |notices: &[(usize, &str)]| -> Vec<String> {
            notices.iter().map(|(below, code)| format!("{code} {}", line + below)).collect()
        };
        edit_in_place(file, "first\n\nlast", edited);
        // What only the file says is told as long as it does, and what went is told once; a definition goes with each push
        // as long as its link has a title, since that leaves the link an edit.
        let later = if name == "titled" { told } else { &[] };
        for told in [told, later, later] {
            let (_, answer) = world.cli(&["push", &path]);
            println!("{name}: {answer}\n{}", std::fs::read_to_string(file).unwrap());
            let is = ["refused", "told", "unsaid"].map(|key| codes(&answer[key]));
            assert_eq!(is, [vec![], at(told), at(kept)], "{name}: {answer}");
            let status = world.cli(&["status"]).1.to_string();
            assert!(!status.contains("refused"), "{name}: {status}");
            edit_in_place(file, "last", "at last");
        }
    }
}
