//! Links to mirrored files, with the real binary and the embedded Google: what an editor puts in their place is an edit.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    reason = "a test may fail, and says what it saw"
)]

mod support;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use support::daily::{document_of, is_link, replace, says, told_of, waiting, world};
use support::world::{World, until};

/// The readable link to a document.
fn readable(world: &World, title: &str) -> PathBuf {
    world.home.join(format!("workspace/demo@example.com/by-name/{title}.md"))
}

/// A link to a document in a folder of one's own.
fn link_beside(world: &World, id: &str, title: &str) -> PathBuf {
    let folder = world.home.join("beside");
    fs::create_dir_all(&folder).unwrap();
    let (done, linked) = world.cli(&["link", id, folder.to_str().unwrap()]);
    assert!(done, "{linked}");
    folder.join(format!("{title}.md"))
}

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

/// Two saves of one document, one through a link that it replaces, and what should come of them.
struct TwoSaves {
    id: String,
    file: PathBuf,
    link: PathBuf,
    link_first: bool,
    is_down: bool,
    /// Whether both say something else in the same place.
    meet: bool,
    /// How long after the first the second one is made.
    gap_ms: u64,
}

impl TwoSaves {
    fn save(&self) {
        let said = fs::read_to_string(&self.file).unwrap();
        let other = if self.meet { "second" } else { "fourth" };
        let (through_link, direct) = (said.replace("second", "linked"), said.replace(other, "direct"));
        let pause = || std::thread::sleep(Duration::from_millis(self.gap_ms));
        if self.link_first {
            replace(&self.link, &through_link);
            pause();
            fs::write(&self.file, direct).unwrap();
        } else {
            fs::write(&self.file, direct).unwrap();
            pause();
            replace(&self.link, &through_link);
        }
    }

    async fn check(&self, world: &World) {
        let (stands, went) = if self.link_first { ("direct", "linked") } else { ("linked", "direct") };
        until("the later one is pushed", || async { world.text(&self.id).await.contains(stands) }).await;
        until("the link stands again", || std::future::ready(is_link(&self.link))).await;
        let case = format!("{}: {}", self.link.display(), fs::read_to_string(&self.file).unwrap());
        if !self.meet {
            until("the other one is pushed", || async { world.text(&self.id).await.contains(went) }).await;
            assert!(world.text(&self.id).await.contains(stands), "{case}");
            assert_eq!(told_of(world, &self.file), None, "{case}");
            return;
        }
        until("the other one is told", || std::future::ready(told_of(world, &self.file).is_some())).await;
        let told = told_of(world, &self.file).unwrap();
        let kept = told.split('`').nth(1).unwrap();
        assert!(told.contains("SAVED_ASIDE") && fs::read_to_string(kept).unwrap().contains(went), "{case}: {told}");
        let text = world.text(&self.id).await;
        assert!(text.contains(stands) && !text.contains(went), "{case}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_saves_both_stand_or_the_later_one_and_the_other_is_told() {
    let mut world = world("two-saves");
    let text = "# Plan\n\nThe second day begins at nine.\n\nThe fourth day is free for all.\n";
    let mut saves = Vec::new();
    // Through a readable link or one outside, before the file itself is saved or after, while nobody looks or somebody does.
    for (is_outside, link_first, is_down, gap_ms) in [
        (false, true, true, 50),
        (false, false, true, 50),
        (true, true, true, 50),
        (true, false, true, 50),
        (false, false, false, 50),
        // A readable link is no other: the save in its place waits as long, and is joined with what comes meanwhile.
        (false, true, false, 20),
        (false, true, false, 500),
        (true, true, false, 50),
        (true, true, false, 1_500),
        (true, false, false, 50),
    ] {
        // Which of two that meet is the later one is a matter of moments where somebody looks meanwhile.
        for meet in [false, true].into_iter().filter(|meet| is_down || !meet) {
            let title = format!("Two saves {}", saves.len());
            let (id, file) = document_of(&world, &title, text);
            let link = if is_outside { link_beside(&world, &id, &title) } else { readable(&world, &title) };
            assert!(is_link(&link), "{}", link.display());
            saves.push(TwoSaves { id, file, link, link_first, is_down, meet, gap_ms });
        }
    }
    for save in saves.iter().filter(|save| !save.is_down) {
        save.save();
        save.check(&world).await;
    }
    world.kill_daemon();
    saves.iter().filter(|save| save.is_down).for_each(TwoSaves::save);
    world.start_daemon(&[]);
    for save in saves.iter().filter(|save| save.is_down) {
        save.check(&world).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_writes_a_file_in_place_of_a_readable_link_in_pieces_loses_nothing() {
    let world = world("pieces");
    let (id, file) =
        document_of(&world, "Pieces", "# Plan\n\nThe first day begins at nine.\n\nThe last day is free.\n");
    let link = readable(&world, "Pieces");
    let text = fs::read_to_string(file).unwrap().replace("nine", "ten").replace("free", "busy");
    let (first, rest) = text.split_at(text.find("The last").unwrap());
    fs::remove_file(&link).unwrap();
    let mut file = fs::File::create(&link).unwrap();
    for piece in [first, rest] {
        file.write_all(piece.as_bytes()).unwrap();
        file.sync_all().unwrap();
        std::thread::sleep(Duration::from_millis(3_000));
    }
    drop(file);
    says(&world, &id, "Plan\nThe first day begins at ten.\nThe last day is busy.\n").await;
    until("the link stands again", || std::future::ready(is_link(&link))).await;
}

/// Joined with it, the save would bring the end of the text away, and what it says would not look cut any more.
#[tokio::test(flavor = "multi_thread")]
async fn a_save_in_place_of_a_link_is_not_joined_with_what_looks_like_no_edit() {
    let world = world("half-beside");
    let (said, last) =
        ("# Plan\n\nThe first day begins at nine.\n\nThe second is short.", "The last day is free and long.");
    for (number, kind) in ["cut", "no head", "just before"].into_iter().enumerate() {
        let title = format!("Half {number}");
        let (id, file) = document_of(&world, &title, &format!("{said}\n\n{last}\n"));
        let (link, text) = (readable(&world, &title), fs::read_to_string(&file).unwrap());
        until("the link is there", || std::future::ready(is_link(&link))).await;
        let short = text.split(last).next().unwrap().trim_end();
        match kind {
            "cut" => fs::write(&file, &short[..short.len() - 4]).unwrap(),
            "no head" => fs::write(&file, format!("{}\n", &short[short.find("# ").unwrap()..])).unwrap(),
            _ => fs::write(&file, format!("{short}\n")).unwrap(),
        }
        if kind != "just before" {
            until("it is held", || std::future::ready(told_of(&world, &file).is_some())).await;
        }
        replace(&link, &text.replace("nine", "ten"));
        // Who asks at once, by whichever name, is told when it is the file's own.
        let (done, told) = world.cli(&["push", link.to_str().unwrap()]);
        assert!(done, "{kind}: {told}");
        assert!(fs::read_to_string(&file).unwrap().contains("ten"), "{kind}: {told}");
        let (done, told) = world.cli(&["push", file.to_str().unwrap()]);
        assert!(done, "{kind}: {told}");
        let expected = "Plan\nThe first day begins at ten.\nThe second is short.\nThe last day is free and long.\n";
        assert_eq!(world.text(&id).await, expected, "{kind}");
        until("the link stands again", || std::future::ready(is_link(&link))).await;
        assert!(fs::read_to_string(&file).unwrap().ends_with("free and long.\n"), "{kind}");
    }
}

/// What came from the Doc while the save stood in place of the link is in no text that its editor has open.
#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_saved_in_place_of_a_link_takes_away_nothing_that_came_meanwhile() {
    let world = world("stale-beside");
    let text = "# Plan\n\nThe first day begins at nine.\n\nThe second day is long.\n\nThe last day is free.\n";
    for (number, (is_outside, then_file)) in [(false, true), (true, false)].into_iter().enumerate() {
        let title = format!("Stale {number}");
        let (id, file) = document_of(&world, &title, text);
        let link = if is_outside { link_beside(&world, &id, &title) } else { readable(&world, &title) };
        until("the link is there", || std::future::ready(is_link(&link))).await;
        let first = fs::read_to_string(&file).unwrap().replace("nine", "nine sharp");
        replace(&link, &first);
        world.collaborate(&id, "second day", "second day, after the harbour tour,").await;
        until("the link stands again", || std::future::ready(is_link(&link))).await;
        let both = "Plan\nThe first day begins at nine sharp.\nThe second day, after the harbour tour, is long.\n";
        let joined = format!("{both}The last day is free.\n");
        until("both arrive", || async { world.text(&id).await == joined }).await;
        replace(if then_file { &file } else { &link }, &first.replace("free", "free for all"));
        let all = format!("{both}The last day is free for all.\n");
        until("both stand in the document", || async { world.text(&id).await == all }).await;
        until("that is told", || std::future::ready(told_of(&world, &file).is_some())).await;
        let told = told_of(&world, &file);
        assert!(told.as_ref().is_some_and(|told| told.contains("harbour tour")), "{told:?}");
    }
}

/// The mirrored file may be half of a save itself, and is joined with nothing until it stands still.
#[tokio::test(flavor = "multi_thread")]
async fn a_save_in_place_of_a_link_waits_for_who_writes_the_file() {
    let world = world("writing-beside");
    let said = "# Plan\n\nThe first day begins at nine.\n\n## Rest\n\nThe last day is free and long.\n";
    for (number, (gap_ms, stays_open)) in [(1_000, true), (1_900, false)].into_iter().enumerate() {
        let title = format!("Writing {number}");
        let (id, file) = document_of(&world, &title, said);
        let (link, text) = (readable(&world, &title), fs::read_to_string(&file).unwrap());
        until("the link is there", || std::future::ready(is_link(&link))).await;
        let (start, end) = text.split_at(text.find("## ").unwrap());
        replace(&link, &text.replace("nine", "nine sharp"));
        tokio::time::sleep(Duration::from_millis(gap_ms)).await;
        let mut written = fs::File::create(&file).unwrap();
        written.write_all(start.as_bytes()).unwrap();
        let pause = if stays_open { 5_000 } else { 1_200 };
        for _ in 0..pause / 100 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            assert!(world.text(&id).await.contains("The last day is free and long."), "half of it is pushed");
        }
        written.write_all(end.replace("long", "short").as_bytes()).unwrap();
        drop(written);
        says(&world, &id, "Plan\nThe first day begins at nine sharp.\nRest\nThe last day is free and short.\n").await;
    }
}

/// A start sees saves that nobody saw being made: what was written just now, or is open, may go on.
#[tokio::test(flavor = "multi_thread")]
async fn half_of_a_save_at_a_start_is_not_pushed() {
    let mut world = world("half-at-start");
    let said = "# Plan\n\nThe first day begins at nine.\n\n## Rest\n\nThe last day is free and long.\n";
    let [closed, open] = ["Closed", "Open"].map(|title| document_of(&world, title, said));
    world.kill_daemon();
    let texts = [&closed, &open].map(|(_, file)| fs::read_to_string(file).unwrap());
    let halves = texts.each_ref().map(|text| text.split_at(text.find("## ").unwrap()));
    let mut written = fs::File::create(&open.1).unwrap();
    written.write_all(halves[1].0.as_bytes()).unwrap();
    fs::write(&closed.1, halves[0].0).unwrap();
    world.start_daemon(&[]);
    let whole = |text: String| text.contains("The last day is free and long.");
    for _ in 0..10 {
        assert!(whole(world.text(&closed.0).await) && whole(world.text(&open.0).await), "half of it is pushed");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    fs::write(&closed.1, texts[0].replace("nine", "ten")).unwrap();
    for _ in 0..30 {
        assert!(whole(world.text(&closed.0).await) && whole(world.text(&open.0).await), "half of it is pushed");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    written.write_all(halves[1].1.as_bytes()).unwrap();
    drop(written);
    says(&world, &closed.0, "Plan\nThe first day begins at ten.\nRest\nThe last day is free and long.\n").await;
    says(&world, &open.0, "Plan\nThe first day begins at nine.\nRest\nThe last day is free and long.\n").await;
}

/// A start finds saves of many files, and older ones in place of links to them.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_joins_saves_of_files_and_in_place_of_links() {
    let mut world = world("joined-at-start");
    let text = "# Plan\n\nThe first day begins at nine.\n\nThe second day is long.\n\nThe last day is free.\n";
    let mut saves = Vec::new();
    for number in 0..24 {
        let title = format!("Joined {number}");
        let (id, file) = document_of(&world, &title, text);
        let link = if number % 2 == 0 { link_beside(&world, &id, &title) } else { readable(&world, &title) };
        saves.push((id, file, link));
    }
    world.kill_daemon();
    for (_, file, link) in &saves {
        replace(link, &fs::read_to_string(file).unwrap().replace("nine", "nine, linked"));
    }
    tokio::time::sleep(Duration::from_millis(2500)).await;
    for (_, file, _) in &saves {
        fs::write(file, fs::read_to_string(file).unwrap().replace("free", "free, direct")).unwrap();
    }
    world.start_daemon(&[]);
    for (id, _, link) in &saves {
        until("both are pushed", || async {
            let said = world.text(id).await;
            said.contains("linked") && said.contains("direct")
        })
        .await;
        until("the link stands again", || std::future::ready(is_link(link))).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_save_in_place_of_a_link_was_made_of_outlives_the_daemon() {
    let mut world = world("made-of");
    let text = "# Plan\n\nThe first day begins at nine.\n\nThe second day is long.\n\nThe last day is free.\n";
    let mut saves = Vec::new();
    for (number, is_outside) in [true, false].into_iter().enumerate() {
        let title = format!("Made of {number}");
        let (id, file) = document_of(&world, &title, text);
        let link = if is_outside { link_beside(&world, &id, &title) } else { readable(&world, &title) };
        saves.push((id, file, link));
    }
    for (id, file, link) in &saves {
        replace(link, &fs::read_to_string(file).unwrap().replace("nine", "nine, linked"));
        world.collaborate(id, "second day", "second day, remote,").await;
        until("it arrives", || std::future::ready(fs::read_to_string(file).unwrap().contains("remote"))).await;
        fs::write(file, fs::read_to_string(file).unwrap().replace("free", "free, direct")).unwrap();
        world.kill_daemon();
        world.start_daemon(&[]);
        until("the link stands again", || std::future::ready(is_link(link))).await;
        says(
            &world,
            id,
            "Plan\nThe first day begins at nine, linked.\nThe second day, remote, is long.\nThe last day is free, direct.\n",
        )
        .await;
    }
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

/// What a document says once an editor that knows of nothing has saved on in place of a link.
async fn saved_on(world: &World, id: &str, link: &Path, opened: &str) -> String {
    for more in ["very sharp", "most sharp"] {
        replace(link, &opened.replace("begins at nine", &format!("begins at nine {more}")));
        until("the link stands again", || std::future::ready(is_link(link))).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    world.text(id).await
}

/// An editor that has not read the newest text when it saves in place of a link, and what happens while that save waits to be taken
/// in. What had come stays, what had gone stays away, and nothing of the rest is lost.
#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_is_behind_and_saves_in_place_of_a_link_takes_away_nothing() {
    let world = world("behind-beside");
    let text = "# Plan\n\nThe first day begins at nine.\n\nThe second day is long and hot.\n\nThe third day has a quiz for all.\n\n\
                The last day is free.\n";
    let (came, went) =
        ("The second day, after the harbour tour, is long and hot.", "The third day has a quiz for all.");
    let mut failed = Vec::new();
    for (number, (is_outside, goes, meanwhile)) in [
        (false, false, "remote"),
        (true, false, "remote"),
        (false, false, "twice"),
        (false, false, "file"),
        (true, false, "file"),
        (false, false, "pushed"),
        (false, false, "meets"),
        (false, false, "both"),
        (true, false, "both"),
        (false, true, "remote"),
        (true, true, "remote"),
        (false, true, "file"),
        (false, true, "pushed"),
    ]
    .into_iter()
    .enumerate()
    {
        let title = format!("Behind {number}");
        let (id, file) = document_of(&world, &title, text);
        let link = if is_outside { link_beside(&world, &id, &title) } else { readable(&world, &title) };
        until("the link is there", || std::future::ready(is_link(&link))).await;
        let opened = fs::read_to_string(&file).unwrap();
        if goes {
            world.collaborate(&id, went, "").await;
            until("it goes", || std::future::ready(!fs::read_to_string(&file).unwrap().contains("quiz"))).await;
        } else {
            world.collaborate(&id, "second day is", "second day, after the harbour tour, is").await;
            until("it comes", || std::future::ready(fs::read_to_string(&file).unwrap().contains(came))).await;
        }
        let sharp = opened.replace("begins at nine", "begins at nine sharp");
        // At the very place of what came, where nobody joins the two.
        let very_place = opened.replace("second day is", "second day, says nine sharp, is");
        replace(&link, if meanwhile == "both" { &very_place } else { &sharp });
        tokio::time::sleep(Duration::from_millis(200)).await;
        let edit_file =
            || fs::write(&file, fs::read_to_string(&file).unwrap().replace("is free", "is free, says one,")).unwrap();
        let later = match meanwhile {
            "remote" | "twice" => {
                world.collaborate(&id, "last day", "last remote day").await;
                if meanwhile == "twice" {
                    tokio::time::sleep(Duration::from_millis(600)).await;
                    world.collaborate(&id, "last remote day", "last very remote day").await;
                }
                "remote day is free"
            }
            "meets" => {
                world.collaborate(&id, "begins at nine", "begins at dawn").await;
                "dawn"
            }
            "both" => {
                tokio::time::sleep(Duration::from_millis(600)).await;
                world.collaborate(&id, "begins at nine", "begins at dawn").await;
                tokio::time::sleep(Duration::from_millis(600)).await;
                edit_file();
                "free, says one,"
            }
            "file" => {
                edit_file();
                "free, says one,"
            }
            _ => {
                edit_file();
                let (done, told) = world.cli(&["push", file.to_str().unwrap()]);
                // What is held does not end well.
                assert!(done || goes, "{told}");
                "free, says one,"
            }
        };
        until("the link stands again", || std::future::ready(is_link(&link))).await;
        until("the save is pushed, or asked about", || async {
            let said = world.text(&id).await;
            said.contains(later) && (said.contains("nine sharp") || told_of(&world, &file).is_some())
        })
        .await;
        // Whatever else would be pushed has its time.
        tokio::time::sleep(Duration::from_secs(3)).await;
        let (said, told) = (world.text(&id).await, told_of(&world, &file));
        let is_asked = told.as_ref().is_some_and(|told| told.contains("DELETED_THERE") || told.contains("conflict"));
        let kept = told.as_ref().filter(|told| told.contains("SAVED_ASIDE")).and_then(|told| told.split('`').nth(1));
        let is_aside = kept.is_some_and(|kept| fs::read_to_string(kept).unwrap() == very_place);
        let has_own = is_aside
            || said.contains("nine sharp")
            || is_asked && fs::read_to_string(&file).unwrap().contains("nine sharp");
        let stays = if goes { !said.contains("quiz") } else { said.contains(came) };
        if !stays || !has_own || !said.contains(later) {
            failed.push((title.clone(), meanwhile, said, told));
        }
        if !goes {
            continue;
        }
        let said = saved_on(&world, &id, &link, &opened).await;
        if said.contains("quiz") || !said.contains(later) {
            failed.push((title, "saved on", said, told_of(&world, &file)));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// What came is in the file a moment before it is agreed on. Who saves in place of a link in that moment is not later for it.
#[tokio::test(flavor = "multi_thread")]
async fn what_came_a_moment_before_a_save_in_place_of_a_link_is_nobodys_save() {
    let mut world = world("moment-beside");
    let text = "# Plan\n\nThe first day begins at nine.\n\nThe second day is long and hot.\n\nThe last day is free.\n";
    let (id, file) = document_of(&world, "Moment", text);
    let link = readable(&world, "Moment");
    until("the link is there", || std::future::ready(is_link(&link))).await;
    let opened = fs::read_to_string(&file).unwrap();
    world.kill_daemon();
    world.collaborate(&id, "second day is", "second day, after the harbour tour, is").await;
    world.start_daemon(&[("MCP_WORKSPACE_CRASH", "after_deposit")]);
    until("it dies when that is in the file", || std::future::ready(world.daemon_died())).await;
    let came = fs::read_to_string(&file).unwrap();
    assert!(came.contains("harbour tour"), "{came}");
    replace(&link, &opened.replace("second day is", "second day, says nine sharp, is"));
    world.start_daemon(&[]);
    fs::write(&file, came.replace("is free", "is free, says one,")).unwrap();
    until("the link stands again", || std::future::ready(is_link(&link))).await;
    until("the later save is pushed", || async { world.text(&id).await.contains("says one") }).await;
    until("the other one is told", || std::future::ready(told_of(&world, &file).is_some())).await;
    let (said, told) = (world.text(&id).await, told_of(&world, &file).unwrap());
    assert!(said.contains("harbour tour"), "{said}{told}");
    let kept = told.split('`').nth(1).unwrap();
    assert!(told.contains("SAVED_ASIDE") && fs::read_to_string(kept).unwrap().contains("nine sharp"), "{told}");
}
