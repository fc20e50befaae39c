//! Which file is a save in place of a link, and which is something else.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::readable;
use super::support::daily::{document_of, is_link, replace, told_of, waiting, world};
use super::support::world::until;

#[tokio::test(flavor = "multi_thread")]
async fn a_link_beside_ones_work_may_be_renamed_and_is_missed_when_it_is_gone() {
    const MEETING: &str = "1demoMeetingNotesAbCdEfGhIjKlMnOpQrStUvWxYz0";
    let world = world("link-names");
    let work = world.home.join("work");
    fs::create_dir(&work).unwrap();
    let work = work.canonicalize().unwrap();
    let link = |what: &str, folder: &Path| {
        let (done, linked) = world.cli(&["link", what, folder.to_str().unwrap()]);
        assert!(done, "{linked}");
        linked
    };
    // The document has the name of the document, and another tab that as well, as in `by-name/`.
    let title = world.documents().await.into_iter().find(|(_, id)| id == MEETING).unwrap().0;
    let linked = link(MEETING, &work);
    assert_eq!(linked["path"].as_str(), work.join(format!("{title}.md")).to_str());
    let (_, fetched) = world.cli(&["fetch", MEETING]);
    let tab = fetched["parts"]
        .as_array()
        .unwrap()
        .iter()
        .find(|part| part["part"] != "")
        .unwrap_or_else(|| panic!("{fetched}"));
    let linked = link(tab["path"].as_str().unwrap(), &work);
    let wanted = work.join(format!("{title} - {}.md", tab["title"].as_str().unwrap()));
    assert_eq!(linked["path"].as_str(), wanted.to_str());
    // Under another name in its folder it is the same link.
    let renamed = work.join("Renamed.md");
    fs::rename(work.join(format!("{title}.md")), &renamed).unwrap();
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(waiting(&world), Vec::<Value>::new());
    let text = fs::read_to_string(&renamed).unwrap();
    let word = world.text(MEETING).await.split_whitespace().next().unwrap().to_owned();
    let (head, body) = text.split_at(text.rfind("\n---\n").map_or(0, |at| at + 5));
    replace(&renamed, &format!("{head}{}", body.replacen(&word, &format!("{word}ly"), 1)));
    until("the edit arrives", || async { world.text(MEETING).await.contains(&format!("{word}ly")) }).await;
    until("the link stands again", || std::future::ready(is_link(&renamed))).await;
    // In another folder it is none that is known, and that is told until it is linked there.
    let other = world.home.join("other");
    fs::create_dir_all(other.join(".git")).unwrap();
    fs::rename(&renamed, other.join("Moved.md")).unwrap();
    until("it is told of", || std::future::ready(told_of(&world, &renamed).is_some())).await;
    let told = waiting(&world).into_iter().find(|told| told["path"].as_str() == renamed.to_str()).unwrap();
    assert!(told["state"] == "unlinked" && told["message"].to_string().contains(MEETING), "{told}");
    let linked = link(MEETING, &other);
    assert!(linked["note"].to_string().contains("version control"), "{linked}");
    assert_eq!(told_of(&world, &renamed), None);
    assert!(world.cli(&["forget", MEETING]).0);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(waiting(&world), Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_save_of_the_document_in_place_of_a_readable_link_is_told() {
    let mut world = world("odd-saves");
    let text = "# Plan\n\nThe first day begins at nine.\n\nThe last day is free.\n";
    let (other, other_file) = document_of(&world, "Other", "Somebody wrote this in another document.\n");
    let other_head = fs::read_to_string(&other_file).unwrap();
    let other_head = &other_head[..other_head.find("\n---\n").unwrap() + 5];
    let body = |file: &Path| {
        let said = fs::read_to_string(file).unwrap();
        said[said.find("\n---\n").unwrap() + 5..].to_owned()
    };
    let mut odd = Vec::new();
    for (number, kind) in ["other head", "no head", "another text", "NUL", "Latin-1"].into_iter().enumerate() {
        let title = format!("Odd {number}");
        let (id, file) = document_of(&world, &title, text);
        let link = readable(&world, &title);
        until("the link is there", || std::future::ready(is_link(&link))).await;
        let (said, edited) = (fs::read_to_string(&file).unwrap(), body(&file).replace("nine", "ten"));
        match kind {
            "other head" => replace(&link, &format!("{other_head}{edited}")),
            "no head" => replace(&link, &edited),
            "another text" => replace(&link, "Milk, bread, butter, eggs, flour, sugar, tea.\n"),
            "NUL" => replace(&link, &said.replace("nine", "ten\0")),
            _ => {
                fs::remove_file(&link).unwrap();
                fs::write(
                    &link,
                    said.replace("nine", "dix \u{e9}")
                        .replace('\u{e9}', "?")
                        .into_bytes()
                        .into_iter()
                        .map(|byte| if byte == b'?' { 0xe9 } else { byte })
                        .collect::<Vec<u8>>(),
                )
                .unwrap();
            }
        }
        odd.push((kind, id, file, link));
    }
    // A daemon that finds them at its start says the same.
    for start in 0..2 {
        for (kind, id, file, link) in &odd {
            let told = || told_of(&world, link).or_else(|| told_of(&world, file));
            until(&format!("{kind} is told"), || std::future::ready(told().is_some())).await;
            let (told, said) = (told().unwrap(), world.text(id).await);
            assert_eq!(
                said, "Plan\nThe first day begins at nine.\nThe last day is free.\n",
                "{kind}, start {start}: {told}"
            );
        }
        assert_eq!(world.text(&other).await, "Somebody wrote this in another document.\n");
        world.kill_daemon();
        world.start_daemon(&[]);
    }
    // What somebody keeps there, and never was a link, is theirs; so is a copy.
    let (own, copy) = (readable(&world, "My own"), readable(&world, "A copy"));
    fs::write(&own, "Nothing of anybody's.\n").unwrap();
    fs::copy(readable(&world, "Other"), &copy).unwrap();
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!((told_of(&world, &own), told_of(&world, &copy)), (None, None));
    assert_eq!(fs::read_to_string(&own).unwrap(), "Nothing of anybody's.\n");
    assert!(!is_link(&copy), "it stays a copy");
}
