//! The mail of a demo without `--seed`; in the binary, so that an installed program has it.

/// Lists messages with their names.
macro_rules! messages {
    ($($name:literal)*) => {
        [$(($name, include_bytes!(concat!("../../fixtures/gmail/", $name)))),*]
    };
}

/// The messages by the names of their files.
pub(super) const MESSAGES: [(&str, &[u8]); 33] = messages![
    "01-lunch-1.eml"
    "01-lunch-2.eml"
    "01-lunch-3.eml"
    "02-flowed-1.eml"
    "03-status-1.eml"
    "03-status-2.eml"
    "04-offer-1.eml"
    "05-invitation-1.eml"
    "06-forward-1.eml"
    "06-forward-2.eml"
    "07-rechnung-1.eml"
    "07-rechnung-2.eml"
    "08-reunion-1.eml"
    "08-reunion-2.eml"
    "09-kaigi-1.eml"
    "09-kaigi-2.eml"
    "10-jindu-1.eml"
    "10-jindu-2.eml"
    "11-hoeui-1.eml"
    "12-otchet-1.eml"
    "12-otchet-2.eml"
    "13-pgisha-1.eml"
    "13-pgisha-2.eml"
    "14-ijtima-1.eml"
    "14-ijtima-2.eml"
    "15-list-1.eml"
    "15-list-2.eml"
    "16-bounce-1.eml"
    "17-broken-1.eml"
    "17-broken-2.eml"
    "18-draft-1.eml"
    "19-spam-1.eml"
    "20-trash-1.eml"
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_the_folder_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/gmail");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(MESSAGES.map(|(name, _)| name).as_slice(), names);
    }
}
