//! Tests of the room: the merge, and the whole engine in a simulation.

mod merge;
