use super::call::{Call, Handled};
use super::errors;
use super::state::Google;
pub(super) fn handle(_google: &Google, call: &Call, _id: &str, _rest: &[&str]) -> Handled {
    Err(errors::no_route(&call.path))
}
