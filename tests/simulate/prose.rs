//! What people write who do not write one strange word after another: sentences with most of their words in common, as items of a
//! list and rows of a plan have. A token in each tells whose it is.

use crate::dice::Dice;
use crate::ledger::{Ledger, is_local};

/// The texts that documents begin with.
pub(crate) const TEXTS: [(&str, &str); 2] = [
    (
        "one",
        "Please read this before the meeting.\n\n# Keys\n\nThe keys are with Maria.\n\nThe keys for the house are with Paul.\n\n# \
         Walls\n\nCall the painter about the walls.\n\nPlease bring your slides to the meeting.\n",
    ),
    (
        "two",
        "The plan for the house.\n\n- Call the painter\n- Call the carpenter about the roof\n\nThe meeting is on Monday 👍🏽 at \
         ten.\n\n| Who | What |\n| --- | --- |\n| Maria | the keys |\n| Paul | the painter |\n| The carpenter | the roof |\n\n# End\n\nThe keys are with Maria.\n",
    ),
];

/// Sentences; a token stands in the place of the braces. None is of a word or two: those stand elsewhere, too, and what is written
/// among them cannot be told from what somebody else writes there.
const SENTENCES: [&str; 12] = [
    "Ask {} for it.",
    "The keys {} are with Maria.",
    "The keys for the house are with {}.",
    "{}: the keys are with Maria.",
    "Call the painter about the {} walls.",
    "Call the {} about the walls.",
    "Please call {} about it.",
    "Please bring your {} to the meeting.",
    "Please bring your slides to the meeting on {}.",
    "The meeting is on {} at ten.",
    "The meeting is on Monday at {}.",
    "Please read the plan for the house, {}, before the meeting.",
];

/// Words that are written to a sentence.
const PHRASES: [&str; 8] = [
    "{}",
    "{}",
    "and {}",
    "with {}",
    "for the {}",
    "{} and Maria",
    "The keys are with {}.",
    "Call {} about the walls.",
];

/// Whom and what others write of, and then who is at a machine, so that two never write the very same words at the same moment: nobody could tell those apart.
const NAMES: [[&str; 4]; 2] = [["Maria", "Paul", "Monday", "house"], ["roof", "walls", "slides", "carpenter"]];

/// How people write in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speech {
    /// Words that nobody else ever writes.
    Tokens,
    /// Sentences like others that stand there.
    Prose,
}

impl Speech {
    /// A new paragraph that has a token.
    pub(crate) fn paragraph(self, dice: &mut Dice<'_>, ledger: &mut Ledger, token: &str) -> String {
        self.say(&SENTENCES, dice, ledger, token)
    }

    /// Words for a paragraph, with a token among them.
    pub(crate) fn words(self, dice: &mut Dice<'_>, ledger: &mut Ledger, token: &str) -> String {
        self.say(&PHRASES, dice, ledger, token)
    }

    fn say(self, patterns: &[&str], dice: &mut Dice<'_>, ledger: &mut Ledger, token: &str) -> String {
        match self {
            Self::Tokens => token.to_owned(),
            Self::Prose => {
                let name = dice.pick(&NAMES[usize::from(is_local(token))]);
                let said = dice.pick(patterns).replace("{}", &format!("{name}{token}"));
                ledger.wrote(token, &said);
                said
            }
        }
    }
}
