//! Two saves of one document, one of them in place of a link.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use super::support::daily::{document_of, is_link, replace, says, told_of, world};
use super::support::world::{World, until};
use super::{link_beside, readable};

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
