//! Tests of the room: the merge, and single decisions. The whole engine is tried in `tests/simulate`.

mod accepted;
mod behind;
mod blind;
mod choices;
mod crashes;
mod decisions;
mod gone;
mod kept;
mod merge;
mod older;
mod pushes;
mod quota;
mod stale;
mod standing;
mod tabs;
mod waiting;
mod within;
