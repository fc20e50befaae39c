//! Room for what is the matter with few items of many. Pure.

use std::ops::{Deref, DerefMut};

/// What most of many have nothing of.
pub(super) trait Nothing: Default + 'static {
    /// Nothing of it.
    const NOTHING: &'static Self;

    /// Tells whether this is nothing.
    fn is_nothing(&self) -> bool;
}

/// What few of many have: in a box, which is made when something is to be written there.
#[derive(Debug, Clone)]
pub(super) struct Seldom<T>(Option<Box<T>>);

impl<T> Default for Seldom<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Nothing> Seldom<T> {
    /// Gives the room back where there is nothing in it.
    pub(super) fn tidy(&mut self) {
        self.0 = self.0.take().filter(|held| !held.is_nothing());
    }

    /// Tells whether it takes room.
    #[cfg(test)]
    pub(super) const fn takes_room(&self) -> bool {
        self.0.is_some()
    }
}

impl<T: Nothing> Deref for Seldom<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::NOTHING)
    }
}

impl<T: Nothing> DerefMut for Seldom<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}
