//! Editors that have not read the newest text when they save in place of a link.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::support::daily::{document_of, is_link, replace, rests, told_of, world};
use super::support::world::{World, until};
use super::{link_beside, readable};

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
        // What has landed is agreed on a moment later.
        until("both arrive", || async { world.text(&id).await == joined && rests(&world) }).await;
        replace(if then_file { &file } else { &link }, &first.replace("free", "free for all"));
        let all = format!("{both}The last day is free for all.\n");
        until("both stand in the document", || async { world.text(&id).await == all }).await;
        until("that is told", || std::future::ready(told_of(&world, &file).is_some())).await;
        let told = told_of(&world, &file);
        assert!(told.as_ref().is_some_and(|told| told.contains("harbour tour")), "{told:?}");
    }
}

/// How often something is tried that must happen within two seconds.
const TRIES: usize = 10;

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
/// in.
#[derive(Clone, Copy)]
struct Behind {
    number: usize,
    is_outside: bool,
    /// Whether something had gone from the document, instead of come into it.
    goes: bool,
    meanwhile: &'static str,
}

impl Behind {
    const CAME: &str = "The second day, after the harbour tour, is long and hot.";
    const WENT: &str = "The third day has a quiz for all.";

    /// What happens after the save, and what the document says of it then; `None` when the save was taken in before that.
    async fn meanwhile(self, world: &World, id: &str, file: &Path, link: &Path) -> Option<&'static str> {
        let edit_file =
            || fs::write(file, fs::read_to_string(file).unwrap().replace("is free", "is free, says one,")).unwrap();
        let pause = || tokio::time::sleep(Duration::from_millis(600));
        let later = match self.meanwhile {
            "remote" | "twice" => {
                world.collaborate(id, "last day", "last remote day").await;
                if self.meanwhile == "twice" {
                    pause().await;
                    world.collaborate(id, "last remote day", "last very remote day").await;
                }
                "remote day is free"
            }
            "meets" => {
                world.collaborate(id, "begins at nine", "begins at dawn").await;
                "dawn"
            }
            "both" => {
                pause().await;
                world.collaborate(id, "begins at nine", "begins at dawn").await;
                pause().await;
                edit_file();
                "free, says one,"
            }
            _ => {
                edit_file();
                "free, says one,"
            }
        };
        if is_link(link) {
            return None;
        }
        if self.meanwhile == "pushed" {
            let (done, told) = world.cli(&["push", file.to_str().unwrap()]);
            // What is held does not end well.
            assert!(done || self.goes, "{told}");
        }
        Some(later)
    }

    /// Tells what is wrong afterwards. On a busy machine the save may be taken in before all has happened; then it is tried again.
    async fn check(self, world: &World) -> Vec<String> {
        for time in 0..TRIES {
            if let Some(wrong) = self.try_once(world, time).await {
                return wrong;
            }
        }
        panic!("the machine is too busy: {}", self.meanwhile);
    }

    async fn try_once(self, world: &World, time: usize) -> Option<Vec<String>> {
        let text = "# Plan\n\nThe first day begins at nine.\n\nThe second day is long and hot.\n\n\
                    The third day has a quiz for all.\n\nThe last day is free.\n";
        let Self { number, is_outside, goes, meanwhile } = self;
        let title = format!("Behind {number} {time}");
        let (id, file) = document_of(world, &title, text);
        let link = if is_outside { link_beside(world, &id, &title) } else { readable(world, &title) };
        until("the link is there", || std::future::ready(is_link(&link))).await;
        let opened = fs::read_to_string(&file).unwrap();
        if goes {
            world.collaborate(&id, Self::WENT, "").await;
            until("it goes", || std::future::ready(!fs::read_to_string(&file).unwrap().contains("quiz"))).await;
        } else {
            world.collaborate(&id, "second day is", "second day, after the harbour tour, is").await;
            until("it comes", || std::future::ready(fs::read_to_string(&file).unwrap().contains(Self::CAME))).await;
        }
        let sharp = opened.replace("begins at nine", "begins at nine sharp");
        // At the very place of what came, where nobody joins the two.
        let very_place = opened.replace("second day is", "second day, says nine sharp, is");
        replace(&link, if meanwhile == "both" { &very_place } else { &sharp });
        tokio::time::sleep(Duration::from_millis(200)).await;
        let later = self.meanwhile(world, &id, &file, &link).await?;
        until("the link stands again", || std::future::ready(is_link(&link))).await;
        until("the save is pushed, or asked about", || async {
            let said = world.text(&id).await;
            said.contains(later) && (said.contains("nine sharp") || told_of(world, &file).is_some())
        })
        .await;
        // Whatever else would be pushed has its time.
        tokio::time::sleep(Duration::from_secs(3)).await;
        let (said, told) = (world.text(&id).await, told_of(world, &file));
        let is_asked = told.as_ref().is_some_and(|told| told.contains("DELETED_THERE") || told.contains("conflict"));
        let kept = told.as_ref().filter(|told| told.contains("SAVED_ASIDE")).and_then(|told| told.split('`').nth(1));
        let is_aside = kept.is_some_and(|kept| fs::read_to_string(kept).unwrap() == very_place);
        let has_own = is_aside
            || said.contains("nine sharp")
            || is_asked && fs::read_to_string(&file).unwrap().contains("nine sharp");
        let stays = if goes { !said.contains("quiz") } else { said.contains(Self::CAME) };
        let mut wrong = Vec::new();
        if !stays || !has_own || !said.contains(later) {
            wrong.push(format!("{title}, {meanwhile}: {said}{told:?}"));
        }
        if goes {
            let said = saved_on(world, &id, &link, &opened).await;
            if said.contains("quiz") || !said.contains(later) {
                wrong.push(format!("{title}, {meanwhile}, saved on: {said}{:?}", told_of(world, &file)));
            }
        }
        Some(wrong)
    }
}

/// What had come stays, what had gone stays away, and nothing of the rest is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn an_editor_that_is_behind_and_saves_in_place_of_a_link_takes_away_nothing() {
    let world = Arc::new(world("behind-beside"));
    let cases = [
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
    ];
    let mut running = tokio::task::JoinSet::new();
    for (number, (is_outside, goes, meanwhile)) in cases.into_iter().enumerate() {
        let world = world.clone();
        running.spawn(async move { Behind { number, is_outside, goes, meanwhile }.check(&world).await });
    }
    let wrong: Vec<String> = running.join_all().await.concat();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What came is in the file a moment before it is agreed on. Who saves in place of a link in that moment is not later for it.
#[tokio::test(flavor = "multi_thread")]
async fn what_came_a_moment_before_a_save_in_place_of_a_link_is_nobodys_save() {
    let mut world = world("moment-beside");
    let text = "# Plan\n\nThe first day begins at nine.\n\nThe second day is long and hot.\n\nThe last day is free.\n";
    let mut found = None;
    // The file must be saved before what stands in the link's place is taken in.
    for time in 0..TRIES {
        let title = format!("Moment {time}");
        let (id, file) = document_of(&world, &title, text);
        let link = readable(&world, &title);
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
        if !is_link(&link) {
            found = Some((id, file, link));
            break;
        }
    }
    let (id, file, link) = found.unwrap_or_else(|| panic!("the machine is too busy"));
    until("the link stands again", || std::future::ready(is_link(&link))).await;
    until("the later save is pushed", || async { world.text(&id).await.contains("says one") }).await;
    until("the other one is told", || std::future::ready(told_of(&world, &file).is_some())).await;
    let (said, told) = (world.text(&id).await, told_of(&world, &file).unwrap());
    assert!(said.contains("harbour tour"), "{said}{told}");
    let kept = told.split('`').nth(1).unwrap();
    assert!(told.contains("SAVED_ASIDE") && fs::read_to_string(kept).unwrap().contains("nine sharp"), "{told}");
}
