//! A random document and a random edit of it keep the laws of the format.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../support/arithmetic.rs"]
mod arithmetic;
#[path = "../../support/dice.rs"]
mod dice;
#[path = "../../support/documents.rs"]
mod documents;
#[path = "../../support/edits.rs"]
mod edits;
#[path = "../../support/identities.rs"]
mod identities;
#[path = "../../support/kept.rs"]
mod kept;
#[path = "../../support/order.rs"]
mod order;
#[path = "../../support/pieces.rs"]
mod pieces;
#[path = "../../support/laws.rs"]
mod laws;

fuzz_target!(|bytes: &[u8]| {
    let mut dice = dice::Dice::of_bytes(bytes);
    let cites = dice.once_in(5);
    let raw = documents::document(&mut dice, cites);
    let stand = laws::check_unedited(&raw);
    let part = dice.roll(stand.remote.parts.len());
    let edited = edits::edit(&stand.remote.parts[part].text, &mut dice);
    laws::check_edit(&stand, part, &edited);
});
