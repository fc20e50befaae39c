use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::*;
use crate::model::ContentHash;
use crate::sync::Touch;

struct Fixture {
    folder: tempfile::TempDir,
    workspace: Workspace,
}

fn fixture() -> Fixture {
    let parent = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-workspaces");
    fs::create_dir_all(&parent).unwrap();
    let folder = tempfile::tempdir_in(parent).unwrap();
    let workspace = Workspace::open(&folder.path().join("w"), &account(), Feed::Drive).unwrap();
    Fixture { folder, workspace }
}

fn account() -> Account {
    Account("ana@example.com".into())
}

fn one() -> (ItemId, PartId) {
    (ItemId("one".into()), PartId::default())
}

impl Fixture {
    fn path(&self, name: &str) -> PathBuf {
        self.workspace.layout().items_folder().join(name)
    }

    fn stamp(&self, name: &str) -> Stamp {
        stamp(&fs::metadata(self.path(name)).unwrap())
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = list(&self.workspace.layout().items_folder())
            .unwrap()
            .into_iter()
            .map(|name| name.into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn links(&self) -> Vec<String> {
        let folder = self.workspace.layout().by_name_folder();
        let mut links: Vec<String> = list(&folder)
            .unwrap()
            .into_iter()
            .map(|name| {
                let to = fs::read_link(folder.join(&name)).unwrap_or_default();
                format!("{} > {}", name.to_str().unwrap(), to.display())
            })
            .collect();
        links.sort();
        links
    }
}

#[test]
fn a_deposit_is_read_back_and_private() {
    let f = fixture();
    let (item, part) = one();
    let stamp = f.workspace.deposit(&item, &part, "grüße\n", None).unwrap();
    let local = f.workspace.observe(&item, &part).unwrap();
    let hash = ContentHash::of("grüße\n".as_bytes());
    assert_eq!(local, Local::Text { stamp, hash, text: "grüße\n".into() });
    let second = f.workspace.deposit(&item, &part, "two\n", Some(stamp)).unwrap();
    assert_ne!(second, stamp);
    assert_eq!(sweep_twice(&f), Vec::<PathBuf>::new());
    assert_eq!(f.names(), ["one.md"]);
    assert_eq!(fs::metadata(f.path("one.md")).unwrap().permissions().mode() & 0o777, 0o600);
    for folder in [f.workspace.layout().root().to_path_buf(), f.workspace.layout().items_folder()] {
        assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
    }
}

#[test]
fn a_deposit_never_replaces_what_was_not_seen() {
    let f = fixture();
    let (item, part) = one();
    let seen = f.workspace.deposit(&item, &part, "one\n", None).unwrap();
    fs::write(f.path("one.md"), "edited\n").unwrap();
    let moved = |result| matches!(result, Err(NotDeposited::Moved));
    assert!(moved(f.workspace.deposit(&item, &part, "two\n", Some(seen))));
    assert!(moved(f.workspace.deposit(&item, &part, "two\n", None)));
    assert_eq!(fs::read_to_string(f.path("one.md")).unwrap(), "edited\n");
    fs::remove_file(f.path("one.md")).unwrap();
    assert!(moved(f.workspace.deposit(&item, &part, "two\n", Some(seen))));
    assert_eq!(f.names(), Vec::<String>::new());
}

#[test]
fn a_save_between_the_look_and_the_rename_is_kept() {
    let f = fixture();
    let (item, part) = one();
    let seen = f.workspace.deposit(&item, &part, "one\n", None).unwrap();
    // The exchange is called as if the look had passed, with a file that is another one by now.
    fs::write(f.path("other"), "edited\n").unwrap();
    fs::rename(f.path("other"), f.path("one.md")).unwrap();
    let folder = f.workspace.folder().unwrap();
    let (new_name, file) = f.workspace.write_new(&folder, b"two\n").unwrap();
    let result = f.workspace.exchange(&folder, (&new_name, &file), "one.md", seen);
    assert!(matches!(result, Err(NotDeposited::Moved)));
    assert_eq!(fs::read_to_string(f.path("one.md")).unwrap(), "edited\n");
}

/// Looks at the replaced files as the daemon does: what stood there at one look ends at the next.
fn sweep_twice(f: &Fixture) -> Vec<PathBuf> {
    let first = f.workspace.sweep_displaced(Millis(0)).unwrap();
    let second = f.workspace.sweep_displaced(Millis(0)).unwrap();
    first.aside.into_iter().chain(second.aside).map(|(_, path)| path).collect()
}

#[test]
fn what_is_saved_into_a_file_that_was_replaced_comes_back() {
    let (item, part) = one();
    // Nobody saves: nothing stays. Somebody does: it takes its place again, unless that holds another save.
    for (late, other, stands, aside) in [
        (None, None, "two\n", None),
        (Some("late\n"), None, "late\n", None),
        (Some("late\n"), Some("other save\n"), "other save\n", Some("late\n")),
        (None, Some("other save\n"), "other save\n", None),
    ] {
        let f = fixture();
        let seen = f.workspace.deposit(&item, &part, "one\n", None).unwrap();
        let mut open = fs::OpenOptions::new().write(true).open(f.path("one.md")).unwrap();
        f.workspace.deposit(&item, &part, "two\n", Some(seen)).unwrap();
        if let Some(late) = late {
            open.write_all(late.as_bytes()).unwrap();
        }
        drop(open);
        if let Some(other) = other {
            fs::write(f.path("one.md"), other).unwrap();
        }
        let found = sweep_twice(&f);
        assert_eq!(fs::read_to_string(f.path("one.md")).unwrap(), stands, "{late:?} {other:?}");
        let found: Vec<String> = found.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        assert_eq!(found, aside.into_iter().collect::<Vec<_>>(), "{late:?} {other:?}");
        // What came back has replaced a file, too.
        assert_eq!(sweep_twice(&f), Vec::<PathBuf>::new());
        assert_eq!(f.names(), ["one.md"], "{late:?} {other:?}");
        assert!(!f.workspace.sweep_displaced(Millis(0)).unwrap().left);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_replaced_file_stays_as_long_as_a_program_can_save_into_it() {
    let f = fixture();
    let (item, part) = one();
    let seen = f.workspace.deposit(&item, &part, "one\n", None).unwrap();
    let mut open = fs::OpenOptions::new().read(true).write(true).open(f.path("one.md")).unwrap();
    f.workspace.deposit(&item, &part, "two\n", Some(seen)).unwrap();
    let days_later = Millis(u64::MAX);
    for _ in 0..3 {
        assert!(f.workspace.sweep_displaced(days_later).unwrap().left);
    }
    open.write_all(b"late\n").unwrap();
    drop(open);
    f.workspace.sweep_displaced(days_later).unwrap();
    assert_eq!(fs::read_to_string(f.path("one.md")).unwrap(), "late\n");
    f.workspace.sweep_displaced(days_later).unwrap();
    assert!(!f.workspace.sweep_displaced(days_later).unwrap().left);
    assert_eq!(f.names(), ["one.md"]);
}

#[test]
fn what_is_saved_into_a_replaced_file_of_which_nothing_is_known_stands_aside() {
    let (item, part) = one();
    for (before, after) in [(None, None), (Some("early\n"), None), (None, Some("late\n"))] {
        let f = fixture();
        let seen = f.workspace.deposit(&item, &part, "one\n", None).unwrap();
        let mut open = fs::OpenOptions::new().write(true).open(f.path("one.md")).unwrap();
        f.workspace.deposit(&item, &part, "two\n", Some(seen)).unwrap();
        let mut save = |text: Option<&str>| {
            if let Some(text) = text {
                open.write_all(text.as_bytes()).unwrap();
            }
        };
        save(before);
        f.workspace.distrust_displaced().unwrap();
        f.workspace.distrust_displaced().unwrap();
        save(after);
        drop(open);
        let found: Vec<String> = sweep_twice(&f).iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        assert_eq!(found, before.or(after).into_iter().collect::<Vec<_>>(), "{before:?} {after:?}");
        assert_eq!(fs::read_to_string(f.path("one.md")).unwrap(), "two\n");
        assert_eq!(f.names(), ["one.md"]);
    }
}

#[test]
fn two_replaced_files_of_one_version_are_both_distrusted() {
    let f = fixture();
    let (item, part) = one();
    f.workspace.deposit(&item, &part, "two\n", None).unwrap();
    for new in ["2.6", "3.7"] {
        fs::write(f.path(&format!(".mcpw-old-1.5.{new}.one.md")), new).unwrap();
    }
    f.workspace.distrust_displaced().unwrap();
    f.workspace.distrust_displaced().unwrap();
    assert_eq!(f.names(), [".mcpw-old-1.5.0.0.one.md", ".mcpw-old-1.5.0.1.one.md", "one.md"]);
    assert_eq!(sweep_twice(&f).len(), 2);
    assert_eq!(f.names(), ["one.md"]);
}

#[test]
fn what_cannot_be_used_says_why() {
    let f = fixture();
    let (item, part) = one();
    let check = |expected: &str| match f.workspace.observe(&item, &part).unwrap() {
        Local::Unusable { notice } => assert_eq!(notice.code, expected),
        other @ (Local::Absent | Local::Text { .. } | Local::Restless) => panic!("{other:?} instead of {expected}"),
    };
    assert_eq!(f.workspace.observe(&item, &part).unwrap(), Local::Absent);
    fs::write(f.path("one.md"), b"a\0b").unwrap();
    check("NUL");
    fs::write(f.path("one.md"), b"\xff").unwrap();
    check("NOT_UTF8");
    File::create(f.path("one.md")).unwrap().set_len((16 << 20) + 1).unwrap();
    check("TOO_LONG");
    fs::remove_file(f.path("one.md")).unwrap();
    fs::create_dir(f.path("one.md")).unwrap();
    check("NOT_A_FILE");
    fs::remove_dir(f.path("one.md")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", f.path("one.md")).unwrap();
    check("NOT_A_FILE");
    fs::remove_file(f.path("one.md")).unwrap();
    for kind in [rustix::fs::FileType::Fifo, rustix::fs::FileType::Socket] {
        rustix::fs::mknodat(rustix::fs::CWD, f.path("one.md"), kind, Mode::RUSR | Mode::WUSR, 0).unwrap();
        check("NOT_A_FILE");
        fs::remove_file(f.path("one.md")).unwrap();
    }
}

#[test]
fn conflict_files_come_and_go_and_what_people_put_there_is_kept() {
    let f = fixture();
    let (item, part) = one();
    let is_ours = |text: &str| text.ends_with("ours\n");
    let put = |text: Option<&str>| f.workspace.put_conflict((&item, &part), text, &is_ours, Millis(0)).unwrap();
    assert_eq!(put(Some("both, ours\n")), None);
    let before = f.stamp("one.conflict.md");
    assert_eq!(put(Some("both, ours\n")), None);
    assert_eq!(f.stamp("one.conflict.md"), before);
    assert_eq!(put(Some("other, ours\n")), None);
    assert_eq!(fs::read_to_string(f.path("one.conflict.md")).unwrap(), "other, ours\n");
    assert_eq!((put(None), put(None)), (None, None));
    assert!(!f.path("one.conflict.md").exists());
    let retired = f.workspace.layout().root().join(".retired/1970-01-01");
    let says = |name: &str| fs::read_to_string(retired.join(name)).unwrap();
    assert_eq!(says("one.conflict.md"), "other, ours\n", "what both sides said is kept");
    // Somebody wrote into it: that is put away before another text stands there, and before it ends.
    for (notes, text) in [("notes\n", Some("third, ours\n")), ("more notes\n", None)] {
        put(Some("both, ours\n"));
        fs::remove_file(f.path("one.conflict.md")).unwrap();
        fs::write(f.path("one.conflict.md"), notes).unwrap();
        let kept = put(text).unwrap();
        assert_eq!(fs::read_to_string(kept).unwrap(), notes);
        assert_eq!(fs::read_to_string(f.path("one.conflict.md")).ok().as_deref(), text);
    }
}

#[test]
fn retired_files_are_moved_never_replaced() {
    let f = fixture();
    let (item, part) = one();
    let at = Millis(1_795_219_200_000);
    for text in ["first\n", "second\n"] {
        f.workspace.deposit(&item, &part, text, None).unwrap();
        f.workspace.deposit(&item, &PartId("t.1".into()), text, None).unwrap();
        f.workspace.deposit(&ItemId("on".into()), &part, text, None).ok();
        assert_eq!(f.workspace.retire(&item, None, at).unwrap().len(), 2);
    }
    let day = f.workspace.layout().root().join(".retired/2026-11-21");
    assert_eq!(fs::read_to_string(day.join("one.md")).unwrap(), "first\n");
    assert_eq!(fs::read_to_string(day.join("one (2).md")).unwrap(), "second\n");
    assert_eq!(f.names(), ["on.md"]);
    assert_eq!(f.workspace.retire(&item, None, at).unwrap(), Vec::<PathBuf>::new());
}

#[test]
fn a_save_that_comes_while_its_file_is_put_away_goes_back() {
    let f = fixture();
    let ((item, part), at) = (one(), Millis(1));
    let read = f.workspace.deposit(&item, &part, "read\n", None).unwrap();
    let path = f.path("one.md");
    fs::write(&path, "saved since\n").unwrap();
    let (day, from) = (f.workspace.retired_folder(at).unwrap(), f.workspace.folder().unwrap());
    let to = open_folder(&day).unwrap();
    // The look at it was before that save.
    let put_away = |read: Option<Stamp>| f.workspace.put_away_read((&from, &to), &day, "one.md", read);
    assert!(matches!(put_away(Some(read)), Err(NotDeposited::Moved)));
    assert_eq!(fs::read_to_string(&path).unwrap(), "saved since\n");
    assert_eq!(f.workspace.put_away_file(&item, &part, read, at).unwrap(), None);
    assert_eq!(fs::read_to_string(&path).unwrap(), "saved since\n");
    let kept = f.workspace.put_away_file(&item, &part, f.stamp("one.md"), at).unwrap().unwrap();
    assert_eq!(fs::read_to_string(kept).unwrap(), "saved since\n");
    assert!(matches!(put_away(None), Ok(None)) && !path.exists());
}

#[test]
fn a_file_that_was_saved_since_it_was_read_is_not_retired() {
    let f = fixture();
    let (item, part) = one();
    let at = Millis(1_795_219_200_000);
    let read = f.workspace.deposit(&item, &part, "first\n", None).unwrap();
    let retire = |stamp: Option<Stamp>| f.workspace.retire(&item, Some(&[(part.clone(), stamp)]), at);
    // It was not there when it was looked for.
    assert!(matches!(retire(None), Err(NotDeposited::Moved)));
    fs::write(f.path("one.md"), "mine\n").unwrap();
    let saved = f.stamp("one.md");
    assert!(matches!(retire(Some(read)), Err(NotDeposited::Moved)));
    assert_eq!(f.names(), ["one.md"]);
    assert_eq!(retire(Some(saved)).unwrap().len(), 1);
    assert_eq!(f.names(), Vec::<String>::new());
}

#[test]
fn links_follow_titles() {
    let f = fixture();
    let (one, two) = (ItemId("one".into()), ItemId("two".into()));
    let named = |name: &str| vec![(PartId::default(), name.to_owned())];
    f.workspace.set_links(&one, &named("Notes")).unwrap();
    f.workspace.set_links(&two, &named("Notes")).unwrap();
    f.workspace.set_links(&two, &named("Notes")).unwrap();
    assert_eq!(f.links(), ["Notes (2).md > ../drive/two.md", "Notes.md > ../drive/one.md"]);
    f.workspace.set_links(&one, &named("a/b")).unwrap();
    assert_eq!(f.links(), ["Notes (2).md > ../drive/two.md", "a b.md > ../drive/one.md"]);
    // What a person put there stays.
    let folder = f.workspace.layout().by_name_folder();
    fs::write(folder.join("Mine.md"), "mine").unwrap();
    f.workspace.set_links(&one, &named("Mine")).unwrap();
    assert_eq!(fs::read_to_string(folder.join("Mine.md")).unwrap(), "mine");
    assert_eq!(f.workspace.resolve(&folder.join("Mine (2).md")), Some(Place::file(&one, &PartId::default())));
    assert_eq!(f.workspace.resolve(&folder.join("Mine.md")), None);
    f.workspace.set_links(&one, &[]).unwrap();
    assert_eq!(f.links(), ["Mine.md > ", "Notes (2).md > ../drive/two.md"]);
    // A save in the place of a link is no other name that is taken: the link comes back there.
    let saved = "---\nid: two\n---\n\nedited\n";
    fs::write(f.path("two.md"), "text").unwrap();
    fs::remove_file(folder.join("Notes (2).md")).unwrap();
    fs::write(folder.join("Notes.md"), saved).unwrap();
    f.workspace.set_links(&two, &named("Notes")).unwrap();
    assert_eq!(f.links(), ["Mine.md > ", "Notes.md > "]);
    // So it does where the link had another name, unless one stands: then it is a copy.
    fs::rename(folder.join("Notes.md"), folder.join("Own name.md")).unwrap();
    f.workspace.doubt_links();
    f.workspace.set_links(&two, &named("Notes")).unwrap();
    assert_eq!(f.links(), ["Mine.md > ", "Own name.md > "]);
    std::os::unix::fs::symlink("../drive/two.md", folder.join("Notes.md")).unwrap();
    f.workspace.doubt_links();
    f.workspace.set_links(&two, &named("Notes")).unwrap();
    assert_eq!(f.links(), ["Mine.md > ", "Notes.md > ../drive/two.md", "Own name.md > "]);
    fs::remove_file(folder.join("Own name.md")).unwrap();
    // Where both stand, the one without a number does.
    fs::remove_file(folder.join("Notes.md")).unwrap();
    for name in ["Notes (2).md", "Notes.md"] {
        std::os::unix::fs::symlink("../drive/two.md", folder.join(name)).unwrap();
        // As the watcher tells.
        f.workspace.link_changed(&folder.join(name));
    }
    f.workspace.set_links(&two, &named("Notes")).unwrap();
    assert_eq!(f.links(), ["Mine.md > ", "Notes.md > ../drive/two.md"]);
}

#[test]
fn paths_given_by_people_are_understood() {
    let f = fixture();
    let drive = f.workspace.layout().items_folder();
    let expected = Some(Place::file(&ItemId("one".into()), &PartId::default()));
    assert_eq!(f.workspace.resolve(&drive.join("one.md")), expected);
    assert_eq!(f.workspace.resolve(&drive.join("../drive/one.md")), expected);
    let link = f.folder.path().join("link");
    std::os::unix::fs::symlink(&drive, &link).unwrap();
    assert_eq!(f.workspace.resolve(&link.join("one.md")), expected);
    assert_eq!(f.workspace.resolve(Path::new("/etc/one.md")), None);
}

#[test]
fn a_start_cleans_up_after_a_dead_process() {
    let f = fixture();
    fs::write(f.path(".mcpw-new-1"), "half").unwrap();
    fs::write(f.path("one.md~"), "a backup of an editor").unwrap();
    let temp = f.workspace.layout().root().join("temp");
    fs::create_dir(temp.join("x")).unwrap();
    fs::write(temp.join("x/y"), "z").unwrap();
    std::os::unix::fs::symlink(f.workspace.layout().items_folder(), temp.join("link")).unwrap();
    Workspace::open(f.workspace.layout().root(), &account(), Feed::Drive).unwrap();
    assert_eq!(f.names(), ["one.md~"]);
    assert!(list(&temp).unwrap().is_empty());
}

#[test]
fn what_cannot_be_synced_is_no_failure() {
    let f = fixture();
    let sync = |name: &str| f.workspace.sync(&ItemId(name.into()), &PartId::default());
    sync("missing").unwrap();
    fs::write(f.path("one.md"), "text").unwrap();
    sync("one").unwrap();
    std::os::unix::fs::symlink("/dev/null", f.path("link.md")).unwrap();
    sync("link").unwrap();
    fs::create_dir(f.path("folder.md")).unwrap();
    sync("folder").unwrap();
}

#[test]
fn unsafe_folders_are_refused() {
    let f = fixture();
    let refused = |root: &Path| matches!(Workspace::open(root, &account(), Feed::Drive), Err(Error::Unsafe { .. }));
    let link = f.folder.path().join("link");
    std::os::unix::fs::symlink(f.workspace.layout().root(), &link).unwrap();
    assert!(refused(&link));
    let open = f.folder.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(refused(&open));
    let file = f.folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(refused(&file));
    // A folder inside that was replaced by a link leads nowhere.
    let drive = f.workspace.layout().items_folder();
    fs::rename(&drive, f.folder.path().join("moved")).unwrap();
    std::os::unix::fs::symlink(f.folder.path().join("moved"), &drive).unwrap();
    let (item, part) = one();
    assert!(f.workspace.deposit(&item, &part, "x", None).is_err());
    assert!(f.workspace.observe(&item, &part).is_err());
}

/// Puts a comments file; texts of ours begin with `ours`.
fn put(f: &Fixture, text: Option<&str>) -> Option<PathBuf> {
    let at = Millis(1_795_219_200_000);
    f.workspace.put_comments(&one().0, text, &|text: &str| text.starts_with("ours"), at).unwrap()
}

#[test]
fn the_comments_file_is_ours_and_what_people_put_there_is_kept() {
    let f = fixture();
    let (item, part) = one();
    let path = f.path("one.comments.md");
    let disturbed = || f.workspace.comments_are_disturbed(&item, &|text: &str| text.starts_with("ours")).unwrap();
    // Without a file of the item there is none beside it.
    assert_eq!(put(&f, Some("ours 1")), None);
    assert!(!path.exists());
    f.workspace.deposit(&item, &part, "text", None).unwrap();
    assert_eq!(put(&f, Some("ours 1")), None);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o400);
    assert!(!disturbed());
    let stamp = f.stamp("one.comments.md");
    assert_eq!(put(&f, Some("ours 1")), None);
    assert_eq!(f.stamp("one.comments.md"), stamp, "the same is not written again");
    assert_eq!(put(&f, Some("ours 2")), None);
    assert_eq!(fs::read_to_string(&path).unwrap(), "ours 2");
    // It is no mirrored file: it never counts as one, and is never pushed.
    assert_eq!(f.workspace.all_files().unwrap(), [Place::file(&item, &part)]);

    fs::remove_file(&path).unwrap();
    assert!(disturbed());
    fs::write(&path, "my own words").unwrap();
    assert!(disturbed());
    let kept = put(&f, Some("ours 3")).unwrap();
    assert_eq!(fs::read_to_string(&kept).unwrap(), "my own words");
    assert!(kept.ends_with(".retired/2026-11-21/one.comments.md"), "{}", kept.display());
    assert_eq!(fs::read_to_string(&path).unwrap(), "ours 3");
    assert_eq!(put(&f, None), None);
    assert!(!path.exists());
    assert_eq!(put(&f, None), None);

    // Whatever stands there: bytes that are no text, a folder, a link.
    fs::write(&path, b"\xff\xfe").unwrap();
    let second = put(&f, None).unwrap();
    assert_eq!(fs::read(&second).unwrap(), b"\xff\xfe");
    assert!(!path.exists());
    fs::create_dir(&path).unwrap();
    assert!(put(&f, Some("ours 4")).unwrap().is_dir());
    fs::remove_file(&path).unwrap();
    let target = f.path("elsewhere");
    fs::write(&target, "untouched").unwrap();
    std::os::unix::fs::symlink(&target, &path).unwrap();
    assert!(put(&f, Some("ours 5")).is_some());
    assert_eq!(
        (fs::read_to_string(&path).unwrap().as_str(), fs::read_to_string(&target).unwrap().as_str()),
        ("ours 5", "untouched")
    );
    fs::remove_file(&target).unwrap();

    let retired = f.workspace.retire(&item, None, Millis(1_795_219_200_000)).unwrap();
    assert_eq!(retired.len(), 2);
    assert_eq!(sweep_twice(&f), Vec::<PathBuf>::new());
    assert_eq!(f.names(), Vec::<String>::new());
}

/// Runs `act` under a watch and returns what was seen, runs of the same thing as one, until `last` is seen.
fn seen(f: &Fixture, act: impl FnOnce(), last: &str) -> Vec<String> {
    let (send, receive) = mpsc::channel();
    let _watch =
        watch(f.workspace.layout(), &Links::default(), move |seen| send.send(seen).unwrap_or_default()).unwrap();
    act();
    let mut found: Vec<String> = Vec::new();
    let deadline = Instant::now() + Duration::from_secs(10);
    while found.last().is_none_or(|newest| newest != last) {
        let left = deadline.saturating_duration_since(Instant::now());
        let Ok(seen) = receive.recv_timeout(left) else { panic!("never saw {last}: {found:?}") };
        let word = match seen {
            Seen::Beside(path) => format!("beside {}", path.file_name().unwrap_or_default().display()),
            Seen::Rescan => "rescan".to_owned(),
            Seen::Silence => "silence".to_owned(),
            Seen::Mark(number) => format!("mark {number}"),
            Seen::Comments(item) => format!("{item} comments"),
            Seen::ConflictMissing { item, part } => format!("{item}/{part} conflict missing"),
            Seen::Touched { item, part, touch } => {
                let touch = match touch {
                    Touch::Complete => "complete",
                    Touch::Modified { closes: true } => "modified",
                    Touch::Modified { closes: false } => "changed",
                    Touch::Missing => "missing",
                };
                format!("{item}/{part} {touch}")
            }
        };
        if found.last() != Some(&word) {
            found.push(word);
        }
    }
    found
}

#[test]
#[cfg(target_os = "linux")]
fn saves_are_seen_as_what_they_are() {
    let f = fixture();
    let (path, other) = (f.path("one.md"), f.path("sedABC"));
    assert_eq!(seen(&f, || fs::write(&path, "a").unwrap(), "one/ complete"), ["one/ modified", "one/ complete"]);
    let marked = || {
        fs::write(&path, "a mark comes after it").unwrap();
        drop(f.workspace.put_mark(7).unwrap());
    };
    assert_eq!(seen(&f, marked, "mark 7"), ["one/ modified", "one/ complete", "mark 7"]);
    assert_eq!(f.names(), ["one.md"]);
    let new = f.workspace.layout().new_folder().unwrap();
    let beside = || {
        fs::write(new.join(".saving.md"), "of an editor").unwrap();
        fs::write(new.join("notes.md~"), "of an editor").unwrap();
        fs::write(new.join("notes.md"), "a").unwrap();
    };
    assert_eq!(seen(&f, beside, "beside notes.md"), ["beside notes.md"]);
    let rename = || {
        fs::write(&other, "b").unwrap();
        fs::rename(&other, &path).unwrap();
    };
    assert_eq!(seen(&f, rename, "one/ complete"), ["one/ complete"]);
    let vim = || {
        fs::rename(&path, f.path("one.md~")).unwrap();
        fs::write(&path, "c").unwrap();
        fs::remove_file(f.path("one.md~")).unwrap();
    };
    assert_eq!(seen(&f, vim, "one/ complete"), ["one/ missing", "one/ modified", "one/ complete"]);
    assert_eq!(seen(&f, || fs::remove_file(&path).unwrap(), "one/ missing"), ["one/ missing"]);
    // A link in its place is never closed by anybody.
    let link = || std::os::unix::fs::symlink("elsewhere", &path).unwrap();
    assert_eq!(seen(&f, link, "one/ complete"), ["one/ complete"]);
    assert_eq!(seen(&f, || fs::remove_file(&path).unwrap(), "one/ missing"), ["one/ missing"]);
    let tab = f.path("one.t.1.conflict.md");
    let conflict = || {
        fs::write(&tab, "c").unwrap();
        fs::remove_file(&tab).unwrap();
    };
    assert_eq!(seen(&f, conflict, "one/t.1 conflict missing"), ["one/t.1 conflict missing"]);
    let comments = f.path("one.comments.md");
    assert_eq!(seen(&f, || fs::write(&comments, "c").unwrap(), "one comments"), ["one comments"]);
    let drive = f.workspace.layout().items_folder();
    let away = || fs::rename(&drive, f.workspace.layout().account_folder().join("away")).unwrap();
    assert_eq!(seen(&f, away, "rescan"), ["rescan"]);
}
