//! Tests of the room: the merge, and the whole engine in a simulation.

mod decisions;
mod merge;
mod simulation;
