//! Attachments, under ids that are other ones in every answer.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages.attachments>

use std::sync::atomic::Ordering;

use serde_json::json;

use super::mime::Mail;
use super::payload::{attachment_bytes, base64url};
use super::refusals::{invalid, not_found};
use super::{answered, parse_id, unpadded};
use crate::emulator::call::{Call, Handled};
use crate::emulator::state::Google;

/// What every id begins with.
const MARK: &str = "ANGjdJ";

/// Bytes of an id: chance, then the hidden message and part, then what proves that it is ours, then nothing of meaning.
const PARTS: [usize; 4] = [8, 12, 12, 190];

/// Makes the ids of one message's attachments.
pub(super) struct Attachments<'g> {
    google: &'g Google,
    message: u64,
}

impl<'g> Attachments<'g> {
    /// Begins with a message.
    pub(super) const fn new(google: &'g Google, message: u64) -> Self {
        Self { google, message }
    }

    /// Returns an id for the part of a number; each call returns another.
    pub(super) fn id(&self, part: usize) -> String {
        let chance = self.google.chance.fetch_add(1, Ordering::Relaxed).to_le_bytes();
        let mut hidden = [0; 12];
        let place = u32::try_from(part).unwrap_or(u32::MAX).to_le_bytes();
        for (to, from) in hidden.iter_mut().zip(self.message.to_le_bytes().into_iter().chain(place)) {
            *to = from;
        }
        let stream = self.google.attachment_stream(&chance, &[]);
        let sealed: Vec<u8> = hidden.iter().zip(&stream).map(|(byte, key)| byte ^ key).collect();
        let proof = self.google.attachment_stream(&chance, &sealed);
        let [_, _, proved, filled] = PARTS;
        let filling = proof.iter().skip(proved).take(filled);
        let all: Vec<u8> =
            chance.iter().chain(&sealed).chain(proof.iter().take(proved)).chain(filling).copied().collect();
        format!("{MARK}{}", base64url(&all).trim_end_matches('='))
    }
}

/// Answers `messages.attachments.get`.
pub(super) fn get(google: &Google, call: &Call, message: &str, id: &str) -> Handled {
    let message = parse_id(message)?;
    let part = google.attachment_part(message, id).ok_or_else(|| invalid("Invalid attachment token"))?;
    let mail = google.mail();
    let found = mail.mailbox.messages.get(&message).ok_or_else(not_found)?;
    let raw = google.raw(found);
    drop(mail);
    let mail = Mail::read(&raw);
    let bytes = mail.parts.get(part).map(|part| attachment_bytes(&mail, part)).ok_or_else(not_found)?;
    answered(call, &json!({"size": bytes.len(), "data": base64url(&bytes)}))
}

impl Google {
    /// Returns the part that an id means, if it is one of this message.
    fn attachment_part(&self, message: u64, id: &str) -> Option<usize> {
        let bytes = unpadded(id.strip_prefix(MARK)?)?;
        let [chance, hidden, proved, _] = PARTS;
        let (chance, rest) = bytes.split_at_checked(chance)?;
        let (sealed, proof) = rest.split_at_checked(hidden)?;
        let wanted = self.attachment_stream(chance, sealed);
        if proof.get(..proved)? != wanted.get(..proved)? {
            return None;
        }
        let stream = self.attachment_stream(chance, &[]);
        let plain: Vec<u8> = sealed.iter().zip(&stream).map(|(byte, key)| byte ^ key).collect();
        let (of, part) = plain.split_at_checked(8)?;
        if of != message.to_le_bytes() {
            return None;
        }
        usize::try_from(u32::from_le_bytes(part.try_into().ok()?)).ok()
    }

    fn attachment_stream(&self, chance: &[u8], sealed: &[u8]) -> Vec<u8> {
        let mut hasher = blake3::Hasher::new_keyed(&self.key("attachment"));
        hasher.update(chance).update(sealed);
        let mut bytes = vec![0; PARTS.iter().sum()];
        hasher.finalize_xof().fill(&mut bytes);
        bytes
    }
}
