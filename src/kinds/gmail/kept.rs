//! Messages that were read lately, as long as they fit: a message never changes, and a thread is read again with each answer.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Bytes that are kept together.
const BYTES_MAX: usize = 33 << 20;

/// Bytes that a message takes beside its own: most are short.
const AROUND_BYTES: usize = 256;

/// Bytes of a message that is kept: its attachments are read from it one by one. Larger ones would push out all others.
const MESSAGE_BYTES_MAX: usize = 16 << 20;

/// Messages by their ids; the ones that were read first go first.
#[derive(Debug, Default)]
pub(super) struct Kept {
    messages: HashMap<String, Arc<[u8]>>,
    order: VecDeque<String>,
    bytes: usize,
}

impl Kept {
    /// Returns a message that was kept.
    pub(super) fn get(&self, id: &str) -> Option<Arc<[u8]>> {
        self.messages.get(id).cloned()
    }

    /// Keeps a message, and lets go of older ones where it needs their room.
    pub(super) fn keep(&mut self, id: &str, raw: Arc<[u8]>) {
        if raw.len() > MESSAGE_BYTES_MAX || self.messages.contains_key(id) {
            return;
        }
        self.bytes += raw.len() + AROUND_BYTES;
        self.order.push_back(id.to_owned());
        self.messages.insert(id.to_owned(), raw);
        while self.bytes > BYTES_MAX {
            let Some(oldest) = self.order.pop_front() else { return };
            self.bytes -= self.messages.remove(&oldest).map_or(0, |raw| raw.len() + AROUND_BYTES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_goes_oldest_first() {
        let mut kept = Kept::default();
        let message = |size: usize| -> Arc<[u8]> { vec![b'x'; size].into() };
        kept.keep("huge", message(MESSAGE_BYTES_MAX + 1));
        assert!(kept.get("huge").is_none());
        for id in 0..3 {
            kept.keep(&id.to_string(), message(MESSAGE_BYTES_MAX));
        }
        let here: Vec<bool> = (0..3).map(|id| kept.get(&id.to_string()).is_some()).collect();
        assert_eq!(here, [false, true, true]);
        kept.keep("2", message(1));
        assert_eq!(kept.bytes, 2 * (MESSAGE_BYTES_MAX + AROUND_BYTES));
    }
}
