//! Tables that were moved: each stands once whatever else of the edit is pushed, and nothing else waits for it.

use crate::support::model::{applied, document, fetched, without_heading_ids};
use mcp_workspace::kinds::{PushPlan, docs};
use mcp_workspace::mebdf;

/// Saves `edited` as the file of a document that says `start`; returns what is sent, and what the document says then, but for the
/// ids of headings.
fn pushed(start: &str, edited: &str) -> (PushPlan, String) {
    let raw = document(start);
    let remote = fetched(&raw);
    let text = &remote.parts[0].text;
    let head = text.strip_suffix(mebdf::body(text)).unwrap();
    let plan = docs::plan(&remote, &remote.parts[0].id, &format!("{head}{edited}"), false).unwrap();
    let after = fetched(&applied(&raw, &plan.requests, 99));
    (plan, without_heading_ids(mebdf::body(&after.parts[0].text)))
}

/// Does the same and returns what the document says, and what was told.
fn saved(start: &str, edited: &str) -> (String, Vec<String>) {
    let (plan, said) = pushed(start, edited);
    (said, plan.refused.iter().chain(&plan.holds).chain(&plan.told).map(ToString::to_string).collect())
}

/// Checks that the document says `found` after that, and that what is told begins like `told`.
#[track_caller]
fn check(start: &str, edited: &str, found: &str, told: &[&str]) {
    let (text, notices) = saved(start, edited);
    assert_eq!(text.trim(), found.trim(), "{notices:#?}");
    let begins = notices.iter().zip(told).all(|(notice, told)| notice.starts_with(told));
    assert!(begins && notices.len() == told.len(), "{notices:#?}");
}

/// Words so short that they may stand anywhere by chance.
const TABLE: &str = "| aa | bb |\n| --- | --- |\n| cc | dd |";

#[test]
fn what_has_nothing_to_do_with_a_table_that_waits_is_pushed() {
    let (other, wider) = ("| x | y |\n| --- | --- |\n| z | w |", "| x | y | q |\n| --- | --- | --- |\n| z | w | r |");
    let start = format!("intro\n\n{TABLE}\n\nmid para\n\n# Head\n\nlast para\n\n{other}\n\nend\n");
    let moved = TABLE.replace("cc", "cc new");
    let found = start.replace("intro", "intro[^1]").replace(other, wider).replace("last", "the last");
    let added = "between\n\n| n | m |\n| --- | --- |\n| k | l |\n\n";
    for new in ["", added] {
        // Its text is typed once the footnote stands.
        let found = format!("{}\n[^1]: \\\n", found.replace("end\n", &format!("{new}end\n")));
        let noted = found.replace("[^1]: \\", "[^1]: note").replace(&format!("{TABLE}\n\n"), "");
        for (place, line) in [("# Head\n\n", 14), ("mid para\n\n", 12)] {
            let edited = noted.replace(place, &format!("{place}{moved}\n\n"));
            let told = format!("line {line}: LOCKED: this table could not be made here: a table cannot be moved");
            check(&start, &edited, &found, &["line 10: LOCKED: this table cannot be removed from here", &told]);
        }
    }
}

#[test]
fn a_table_stays_where_few_of_the_lines_around_it_do() {
    let others = "The meeting is on Monday at Maria.\n\nThe plan for the house.\n\n- Call Paul the painter\n\
        - Call the carpenter about the roof\n\nThe meeting is on Monday at ten. Maria and Maria\n\n\
        | Who | for the Paul What |\n| --- | --- |\n| Maria | the keys Call Paul about the walls. |\n\n\
        The keys are for the Maria with Maria.\n";
    let own = "The meeting is on Monday at ten.\n\n| Who | What |\n| --- | --- |\n| Maria | the keys |\n\n\
        # End\n\nThe keys are with Maria.\n\nThe keys walls are with Maria.\n\n\
        Please bring your slides to the meeting on slides.\n\nroof: the keys are with Maria.\n";
    let (plan, said) = pushed(others, own);
    assert_eq!(said.trim(), own.trim());
    assert!(plan.requests.iter().all(|request| request.get("insertTable").is_none()), "{:#?}", plan.requests);
}

#[test]
fn a_table_of_short_words_that_was_moved_and_edited_stands_once() {
    let (wide, row) = ("| at | al | am |\n| --- | --- | --- |", "| ab | ac |\n| --- | --- |");
    let start = format!("\\\n\n{row}\n\nad para\n\nae I at\n\nah ai to\n\n{wide}\n\nan para\n\nao I is\n\nend\n");
    let (new, wider) = ("| n3 | m3 |\n| --- | --- |", "| ab | ac | vq |\n| --- | --- | --- |");
    let edited = format!("ae I at\n\nad para\n\n{new}\n\nah ai to\n\n{wide}\n\np4\n\n{wider}\n\nao I is\n\nend\n");
    let (text, told) = saved(&start, &edited);
    assert_eq!(text.matches("| ab |").count(), 1, "{text}\n{told:#?}");
    assert!(text.contains(new) && text.contains("p4"), "{text}\n{told:#?}");
    assert!(told.iter().any(|notice| notice.contains("cannot be moved")), "{told:#?}");
}
