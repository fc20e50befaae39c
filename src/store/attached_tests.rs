#![allow(clippy::unwrap_used, reason = "a test may fail, and says what it saw")]

use super::tests::{record, store};
use super::*;

pub(super) fn attached(name: &str, bytes: &[u8], problem: &str) -> Attached {
    Attached {
        name: name.into(),
        hash: ContentHash::of(bytes),
        format: "pdf".into(),
        version: 1,
        problem: problem.into(),
        written: None,
        at: Millis(1),
    }
}

#[test]
fn texts_of_attachments_go_with_their_item() {
    let (_folder, mut store) = store();
    let (one, two) = (ItemId("one".into()), ItemId("two".into()));
    let pending = attached("a.pdf", b"1", PENDING);
    store.keep_attached(&one, &pending, "").unwrap();
    assert_eq!(
        (store.lacking_texts().unwrap(), store.same_text(pending.hash, "pdf", 1).unwrap()),
        (vec![one.clone()], None)
    );
    let known = Attached { written: Some(ContentHash::of(b"w")), ..attached("a.pdf", b"1", "") };
    store.keep_attached(&one, &known, "alpha").unwrap();
    store.keep_attached(&one, &attached("b.pdf", b"2", "it is empty"), "").unwrap();
    store.keep_attached(&two, &attached("1.pdf", b"1", ""), "alpha").unwrap();
    assert_eq!(store.attached(&one).unwrap(), [known.clone(), attached("b.pdf", b"2", "it is empty")]);
    assert_eq!(store.attached_text(&one, "a.pdf").unwrap().as_deref(), Some("alpha"));
    assert_eq!(store.same_text(known.hash, "pdf", 1).unwrap(), Some((String::new(), "alpha".into())));
    assert_eq!(
        (store.same_text(known.hash, "csv", 1).unwrap(), store.same_text(known.hash, "pdf", 2).unwrap()),
        (None, None)
    );
    store.keep_copy(&one, &StoredCopy { name: "a.pdf".into(), url: "https://x".into(), at: Millis(2) }).unwrap();
    assert_eq!(store.copies(&one).unwrap().len(), 1);
    for bury in [true, false] {
        store.record(&record("one", "T", &[("", "beta\n")], 5), None).unwrap();
        store.keep_attached(&one, &known, "alpha").unwrap();
        store.retire(&one, bury, Millis(9)).unwrap();
        assert_eq!((store.attached(&one).unwrap(), store.copies(&one).unwrap()), (vec![], vec![]));
        assert_eq!(store.index_waiting(Millis(9_000)).unwrap(), 0);
    }
    assert_eq!(store.attached(&two).unwrap().len(), 1);
}
