//! stub
use super::{SectionConflict, Side};
/// x
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// x
    pub file: String,
    /// x
    pub push: String,
    /// x
    pub base: String,
    /// x
    pub conflicts: Vec<SectionConflict>,
    /// x
    pub pushes: bool,
}
/// x
pub fn adopt(remote: &str) -> Merged {
    Merged { file: remote.into(), push: remote.into(), base: remote.into(), conflicts: vec![], pushes: false }
}
/// x
pub fn same_meaning(a: &str, b: &str) -> bool {
    a == b
}
/// x
pub fn resolve(base: &str, local: &str, remote: &str, _side: Option<Side>) -> Merged {
    if local == base || local == remote {
        return adopt(remote);
    }
    if remote == base {
        return Merged { file: local.into(), push: local.into(), base: remote.into(), conflicts: vec![], pushes: true };
    }
    Merged {
        file: local.into(),
        push: remote.into(),
        base: base.into(),
        conflicts: vec![SectionConflict {
            heading: String::new(),
            base: base.into(),
            mine: local.into(),
            theirs: remote.into(),
        }],
        pushes: false,
    }
}
/// x
pub fn graft(_from: &str, _to: &str, _onto: &str) -> Option<String> {
    None
}
