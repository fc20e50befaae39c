//! The numbers of lists: what the file counts on is joined, and what the document would count otherwise is told with its line.

use crate::making::{created, lists, pushed, text_of};
use mcp_workspace::kinds::docs::{self, Access};
use serde_json::{Value, json};

/// Pushes an edit of a new document; the items are then in `found` lists, which count as the file does.
#[track_caller]
fn check(start: &str, edited: &str, told: &[&str], found: &[usize]) -> Value {
    let (is, after) = pushed(&created(start).unwrap(), edited);
    assert_eq!(
        (is.iter().map(String::as_str).collect::<Vec<_>>(), &*lists(&after)),
        (told.to_vec(), found),
        "{edited}"
    );
    after
}

/// What goes with the push of an edit though the file does not show it.
fn goes_with(raw: &Value, edited: &str) -> Vec<String> {
    let remote = docs::read(serde_json::to_vec(raw).unwrap(), Access::Edit, "https://docs.google.com/").unwrap();
    let head = &remote.parts[0].text[..remote.parts[0].text.len() - text_of(raw).len()];
    let plan = docs::plan(&remote, &remote.parts[0].id, &format!("{head}{edited}"), false).unwrap();
    assert!(plan.refused.is_empty(), "{:?}", plan.refused);
    plan.told.iter().map(|notice| format!("{} {}", notice.code, notice.line)).collect()
}

const FOUR: &str = "1. a\n2. b\n3. c\n4. d\n\nend\n";
const TWO: &str = "1. a\n2. b\n\nmid\n\n1. c\n2. d\n\nend\n";

#[test]
fn numbers_around_nested_bullets_are_one_list_or_told() {
    let check_bullets = |edited: &str, told: &[&str], found: &[usize]| {
        check("- a\n  - x\n- b\n  - y\n- c\n\nend\n", &format!("{edited}\nend\n"), told, found)
    };
    check_bullets("1. a\n   - xx\n2. b\n   - yy\n3. c\n", &[], &[0, 1, 0, 2, 0]);
    check_bullets("1. a\n   - xx\n2. b\n3. c\n", &[], &[0, 1, 0, 0]);
    // Nested items that nobody edited stay in their list, so no request lets the outer ones go on over them.
    check_bullets("1. a\n   - x\n2. b\n   - y\n3. c\n", &["LIST_START 10"], &[0, 1, 2, 1, 3]);
    // A mark with a look of its own would lose it.
    let mut raw = created("- a\n  - x\n- b\n\nend\n").unwrap();
    raw["tabs"][0]["documentTab"]["body"]["content"][2]["paragraph"]["bullet"]["textStyle"] = json!({"bold": true});
    assert_eq!(pushed(&raw, "1. a\n   - xx\n2. b\n\nend\n").0, ["LIST_START 10"]);
}

#[test]
fn lists_that_the_file_counts_on_are_joined() {
    check(TWO, "1. a\n2. b\n3. c\n4. d\n\nend\n", &[], &[0; 4]);
    check(TWO, "1. a\n2. b\n3. new c\n4. d\n\nend\n", &[], &[0; 4]);
    // Not numbered on, they stay two.
    check(TWO, "1. a\n2. b\n1. c\n2. d\n\nend\n", &[], &[0, 0, 1, 1]);
    let nested = |under: &str| TWO.replace("1. c\n", &format!("1. c\n   {under}\n"));
    let joined = |under: &str| format!("1. a\n2. b\n3. c\n   {under}\n4. d\n\nend\n");
    check(&nested("1. x"), &joined("1. x"), &[], &[0; 5]);
    check(&nested("- x"), &joined("- x"), &["LIST_START 10"], &[0, 0, 1, 2, 1]);
}

#[test]
fn a_list_that_goes_on_may_be_written_with_its_numbers() {
    let split = "1. a\n2. b\n\nmid\n\n3. c\n4. d\n\nend\n";
    let after = check(FOUR, split, &[], &[0; 4]);
    for edited in [split.to_owned(), split.replace("end", "ending"), split.replace("4. d", "4. d\n5. e")] {
        assert_eq!(pushed(&after, &edited).0, Vec::<String>::new(), "{edited}");
    }
    assert_eq!(pushed(&after, &split.replace("3. c\n4. d", "5. c\n6. d")).0, ["LIST_START 13"]);
    check("1. a\n2. b\n3. c\n\nend\n", "1. a\n\n- b\n\n2. c\n\nend\n", &[], &[0, 1, 0]);
    // What is apart cannot be made to go on.
    check(TWO, &TWO.replace("1. c\n2. d", "3. c\n4. d"), &["LIST_START 13"], &[0, 0, 1, 1]);
}

#[test]
fn a_list_that_goes_on_where_the_file_begins_anew_is_told() {
    let raw = created(FOUR).unwrap();
    for (edited, told) in [
        ("1. a\n2. b\n\nBetween.\n\n1. c\n2. d\n\nend\n", &["LIST_GOES_ON 13"][..]),
        ("1. a\n2. b\n\n## Head\n\n1. c\n2. d\n\nend\n", &["LIST_GOES_ON 13"]),
        ("1. a\n2. b\n\n```\ncode\n```\n\n1. c\n2. d\n\nend\n", &["LIST_GOES_ON 15"]),
        ("1. a\n\nb\n\n1. c\n2. d\n\nend\n", &["LIST_GOES_ON 12"]),
        ("1. a\n\n- b\n\n1. c\n2. d\n\nend\n", &["LIST_GOES_ON 12"]),
        ("1. a\n2. b\n\nBetween.\n\n3. c\n4. d\n\nend\n", &[]),
    ] {
        assert_eq!(goes_with(&raw, edited), told, "{edited}");
    }
    // Told once; what it says to do makes a list of its own.
    let split = "1. a\n2. b\n\nBetween.\n\n1. c\n2. d\n\nend\n";
    let (_, after) = pushed(&raw, split);
    assert_eq!(goes_with(&after, &split.replace("end", "ending")), Vec::<String>::new());
    let (_, after) = pushed(&after, &split.replace("1. c\n2. d", "c\n\nd"));
    let (told, after) = pushed(&after, split);
    assert_eq!((told, lists(&after)), (Vec::new(), vec![0, 0, 1, 1]));
}
