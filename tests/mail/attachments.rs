//! What was sent with mails: its text, its copies, and that it takes its room once.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use mcp_workspace::model::ItemId;
use mcp_workspace::store::Store;
use serde_json::{Value, json};

use super::support::daily::{done, world};
use super::support::world::{TOKEN, World, until};
use super::{PLAIN, beside, deliver, fetch, message, read, says};

/// A mail with these files; each number is a thread of its own.
fn with_files(number: u32, files: &[(&str, &str, &[u8])]) -> String {
    let mut parts = format!("--b\n{PLAIN}\nSee the files.\n");
    for (name, media_type, bytes) in files {
        parts.push_str(&format!(
            "--b\nContent-Type: {media_type}\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=\"{name}\"\n\n{}\n",
            STANDARD.encode(bytes)
        ));
    }
    parts.push_str("--b--");
    message(1, "Content-Type: multipart/mixed; boundary=b\n", &parts)
        .replace("trip-1@", &format!("files-{number}@"))
        .replace("The trip", &format!("Files {number}"))
}

/// A PDF of one page whose content is packed once for each filter.
fn pdf(packed: &[u8], filters: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 1 /Kids [3 0 R] >>\nendobj\n\
        3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R /Resources << /Font << /F 4 0 R >> >> >>\nendobj\n\
        4 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n"
        .to_vec();
    write!(out, "5 0 obj\n<< /Length {} {filters} >>\nstream\n", packed.len()).unwrap();
    out.extend(packed);
    out.extend(b"\nendstream\nendobj\ntrailer\n<< /Size 6 /Root 1 0 R >>\n%%EOF\n");
    out
}

fn packed(pieces: impl Iterator<Item = &'static [u8]>) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    pieces.for_each(|piece| encoder.write_all(piece).unwrap());
    encoder.finish().unwrap()
}

fn index(world: &World) -> Store {
    Store::open(&world.home.join("state/demo@example.com/gmail.db")).unwrap()
}

/// The files of the hidden folder.
fn contents(file: &Path) -> Vec<PathBuf> {
    let folder = file.parent().unwrap().join("attachments/.content");
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn number(path: &Path) -> u64 {
    fs::symlink_metadata(path).unwrap().ino()
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_stands_beside_its_attachment_and_in_the_index() {
    let world = world("mail-texts");
    let page = pdf(b"BT /F 9 Tf (Offer of spring) Tj ET", "");
    let files: [(&str, &str, &[u8]); 5] = [
        ("a.csv", "text/csv", b"---,b\n{!mono}x,zwetschge\n"),
        ("a.csv.md", "text/markdown", b"mine\n"),
        ("offer.pdf", "application/pdf", &page),
        ("broken.docx", "application/octet-stream", b"no archive"),
        ("photo.png", "image/png", b"\x89PNG"),
    ];
    let (_, thread) = deliver(&world, &with_files(1, &files)).await;
    let file = fetch(&world, &thread);
    let text = read(&file);
    let folder = beside(&file, &thread);
    for (name, has_text) in
        [("a.csv", true), ("a.csv (2).md", false), ("offer.pdf", true), ("broken.docx", true), ("photo.png", false)]
    {
        assert_eq!(text.contains(&format!("attachments/{thread}/{name}.md")), has_text, "{name}: {text}");
    }
    says(&folder.join("a.csv.md"), "| \\{!mono}x | zwetschge |").await;
    says(&folder.join("offer.pdf.md"), "Offer of spring").await;
    says(
        &folder.join("broken.docx.md"),
        "could not be read: it is no such file, or damaged. Edits here are sent nowhere.",
    )
    .await;
    says(&folder.join("a.csv (2).md"), "mine").await;
    assert!(
        read(&folder.join("a.csv.md"))
            .starts_with("(The text of a.csv. It was made from that file; edits here are sent nowhere.)\n")
    );
    assert_eq!((mode(&folder.join("a.csv.md")), mode(&folder.join("a.csv"))), (0o600, 0o400));
    until("all of it is told", || {
        let told = done(&world, &["fetch", &thread]).to_string();
        std::future::ready(told.contains("offer.pdf.md") && told.contains("the text of broken.docx could not be read"))
    })
    .await;
    until("it is found with its mail", || {
        let found = done(&world, &["search", "from:ana spring zwetschge"]);
        let hit = &found["results"][0];
        std::future::ready(
            hit["id"] == thread && hit["snippet"].as_str().is_some_and(|said| said.contains("zwetschge")),
        )
    })
    .await;
    let item = ItemId(thread.clone());
    assert!(index(&world).attached_text(&item, "offer.pdf").unwrap().unwrap().contains("Offer of spring"));
    assert_eq!(index(&world).attached(&item).unwrap().len(), 3);
    // New mails go on beside it, and an index that lost a text is mended.
    deliver(&world, &message(2, PLAIN, "Thanks.").replace("trip-1@", "files-1@").replace("The trip", "Files 1")).await;
    says(&file, "Thanks.").await;
    assert_eq!(done(&world, &["doctor"])["findings"].to_string().matches("\"index\"").count(), 0);
    // With the thread it goes, and comes back.
    world.post(&format!("/gmail/v1/users/me/threads/{thread}/trash"), &json!({})).await;
    until("it is put away", || std::future::ready(!folder.join("offer.pdf.md").exists() && !file.exists())).await;
    let day = fs::read_dir(world.home.join("workspace/.retired")).unwrap().next().unwrap().unwrap().path();
    assert!(day.join(&thread).join("offer.pdf.md").exists());
    // The files go first.
    until("the index lets it go", || std::future::ready(index(&world).attached(&item).unwrap().is_empty())).await;
    world.post(&format!("/gmail/v1/users/me/threads/{thread}/untrash"), &json!({})).await;
    says(&folder.join("offer.pdf.md"), "Offer of spring").await;
    done(&world, &["forget", &thread]);
    until("it is forgotten", || std::future::ready(!folder.join("offer.pdf.md").exists())).await;
    until("the index lets it go", || std::future::ready(index(&world).attached(&item).unwrap().is_empty())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_file_takes_its_room_once() {
    let mut world = world("mail-once");
    let bytes = b"a,b\n1,2\n".repeat(1_000);
    let (_, one) = deliver(&world, &with_files(1, &[("data.csv", "text/csv", &bytes)])).await;
    let (_, two) = deliver(&world, &with_files(2, &[("other name.csv", "text/csv", &bytes)])).await;
    let file = fetch(&world, &one);
    fetch(&world, &two);
    let (first, second) = (beside(&file, &one).join("data.csv"), beside(&file, &two).join("other name.csv"));
    says(&beside(&file, &one).join("data.csv.md"), "| a | b |").await;
    says(&beside(&file, &two).join("other name.csv.md"), "| a | b |").await;
    assert_eq!(number(&first), number(&second));
    assert_eq!(fs::symlink_metadata(&first).unwrap().nlink(), 3);
    // Somebody writes into it all the same: no further name is given to that.
    fs::set_permissions(&second, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&second, "changed").unwrap();
    let (_, three) = deliver(&world, &with_files(3, &[("third.csv", "text/csv", &bytes)])).await;
    fetch(&world, &three);
    let third = beside(&file, &three).join("third.csv");
    until("the third stands", || std::future::ready(third.exists())).await;
    assert_eq!((fs::read(&third).unwrap() == bytes, read(&second)), (true, "changed".to_owned()));
    assert_ne!(number(&second), number(&third));
    // What nobody needs any more goes at the next start; what bears a name stays.
    let lonely = file.parent().unwrap().join("attachments/.content").join("0".repeat(64));
    fs::write(&lonely, "x").unwrap();
    world.kill_daemon();
    world.start_daemon(&[]);
    until("it is swept", || std::future::ready(!lonely.exists())).await;
    assert!(contents(&file).iter().any(|path| number(path) == number(&third)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_harms_its_reader_harms_nothing_else() {
    let mut world = world("mail-hostile");
    // A gigabyte of blanks in some kilobytes; and ten million instructions.
    let blanks: &[u8] = &[b' '; 1 << 20];
    let blanks: &'static [u8] = Box::leak(blanks.to_vec().into_boxed_slice());
    let once = packed(std::iter::repeat_n(blanks, 1_200));
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&once).unwrap();
    let bomb = pdf(&encoder.finish().unwrap(), "/Filter [/FlateDecode /FlateDecode]");
    let steps = std::iter::repeat_n(&b"q Q "[..], 4_000_000).chain([&b"BT /F 9 Tf (at last) Tj ET"[..]]);
    let slow = pdf(&packed(steps), "/Filter /FlateDecode");
    let (_, thread) = deliver(&world, &with_files(1, &[("bomb.pdf", "application/pdf", &bomb)])).await;
    let file = fetch(&world, &thread);
    let daemon = world.daemon_id();
    says(&beside(&file, &thread).join("bomb.pdf.md"), "could not be read").await;
    assert_eq!(world.daemon_id(), daemon);
    assert!(done(&world, &["status"]).is_object());
    // A daemon that dies while a file is read reads it after the next start.
    let (_, thread) = deliver(&world, &with_files(2, &[("slow.pdf", "application/pdf", &slow)])).await;
    let fetched = std::thread::scope(|scope| {
        let fetching = scope.spawn(|| world.cli(&["fetch", &thread]));
        let reader = reader_of(daemon);
        assert!(reader.is_some(), "nobody reads it");
        fetching.join().unwrap()
    });
    assert!(fetched.0, "{}", fetched.1);
    world.kill_daemon();
    let text = beside(&file, &thread).join("slow.pdf.md");
    world.start_daemon(&[]);
    says(&text, "at last").await;
    // One that is killed leaves a sentence, and is not asked again.
    let mut other = slow.clone();
    other.extend(b"%\n");
    let (_, thread) = deliver(&world, &with_files(3, &[("killed.pdf", "application/pdf", &other)])).await;
    let daemon = world.daemon_id();
    std::thread::scope(|scope| {
        scope.spawn(|| world.cli(&["fetch", &thread]));
        let reader = reader_of(daemon).expect("somebody reads it");
        rustix::process::kill_process(rustix::process::Pid::from_raw(reader).unwrap(), rustix::process::Signal::KILL)
            .unwrap();
    });
    says(&beside(&file, &thread).join("killed.pdf.md"), "it takes too much memory to read").await;
}

/// Waits for the process that reads a file for the daemon.
fn reader_of(daemon: u32) -> Option<i32> {
    for _ in 0..2_000 {
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1).map(str::to_owned));
            if line.ends_with(b"\0extract\0") && parent == Some(daemon.to_string()) {
                return Some(id);
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    None
}

/// Puts a file into Drive.
async fn upload(world: &World, folder: &str, name: &str, bytes: &[u8]) -> Value {
    let metadata = json!({ "name": name, "parents": [folder] });
    let mut body =
        format!("--u\r\nContent-Type: application/json\r\n\r\n{metadata}\r\n--u\r\nContent-Type: text/csv\r\n\r\n")
            .into_bytes();
    body.extend(bytes);
    body.extend(b"\r\n--u--\r\n");
    let fields = "id,name,parents,size,md5Checksum,webViewLink";
    let answer = reqwest::Client::new()
        .post(format!("{}/upload/drive/v3/files?uploadType=multipart&fields={fields}", world.base))
        .bearer_auth(TOKEN)
        .header("content-type", "multipart/related; boundary=u")
        .body(body)
        .send()
        .await
        .unwrap();
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_in_drive_is_told_of_once_it_is_certain() {
    let world = world("mail-copies");
    let folder = world
        .post(
            "/drive/v3/files",
            &json!({ "name": "Email Attachments", "mimeType": "application/vnd.google-apps.folder" }),
        )
        .await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let same = upload(&world, &folder, "it's.csv", b"a,b\n1,2\n").await;
    assert_eq!(
        (&same["parents"], &same["size"], &same["md5Checksum"]),
        (&json!([folder]), &json!("8"), &json!("e5ebd4c02cefbe7955977c67ada242b7")),
        "{same}"
    );
    upload(&world, &folder, "other.csv", b"x,y\n9,9\n").await;
    upload(&world, "0AFdemoRootFolderPVA", "elsewhere.csv", b"a,b\n1,2\n").await;
    let files: [(&str, &str, &[u8]); 3] = [
        ("it's.csv", "text/csv", b"a,b\n1,2\n"),
        ("other.csv", "text/csv", b"x,y\n1,1\n"),
        ("elsewhere.csv", "text/csv", b"a,b\n1,2\n"),
    ];
    let (_, thread) = deliver(&world, &with_files(1, &files)).await;
    let file = fetch(&world, &thread);
    let folder = beside(&file, &thread);
    let link = same["webViewLink"].as_str().unwrap();
    says(&folder.join("it's.csv.md"), &format!("(The same file is [in Google Drive]({link}).)")).await;
    says(&folder.join("other.csv.md"), "| x | y |").await;
    says(&folder.join("elsewhere.csv.md"), "| a | b |").await;
    assert!(
        !read(&folder.join("other.csv.md")).contains("Drive")
            && !read(&folder.join("elsewhere.csv.md")).contains("Drive")
    );
    let told = done(&world, &["fetch", &thread]).to_string();
    assert!(told.contains("DRIVE_COPY") && told.contains(link), "{told}");
    // The folder is looked for once, and the files of a thread once.
    done(&world, &["fetch", &thread, "--refresh"]);
    let asked = world.get("/admin/requests").await;
    let listed = |entry: &&Value| {
        entry["path"].as_str().unwrap().starts_with("/drive/v3/files?") && entry.to_string().contains("Checksum")
    };
    assert_eq!(asked.as_array().unwrap().iter().filter(listed).count(), 2, "{asked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_ask_drive_has_the_text_all_the_same() {
    let world = world("mail-no-drive");
    let fault = json!({ "match": { "path": "/drive/v3/files?", "method": "GET" }, "fault": "403" });
    world.post("/admin/faults", &json!([fault.clone(), fault])).await;
    let (_, thread) = deliver(&world, &with_files(1, &[("a.csv", "text/csv", b"a,b\n1,2\n")])).await;
    let file = fetch(&world, &thread);
    says(&beside(&file, &thread).join("a.csv.md"), "| a | b |").await;
    let status = super::status(&world);
    assert_eq!(status["waiting"], json!([]), "{status}");
}
