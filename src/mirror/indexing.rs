//! Has the index follow what came in a flood.

use std::sync::Arc;
use std::time::Duration;

use super::clock::system_ms;
use super::{Shared, blocking};
use crate::model::Millis;

/// How often it is looked whether something waits.
const LOOK: Duration = Duration::from_secs(1);

/// Has what waits written into the index when its time has come, for as long as it is let run.
pub(super) async fn run(shared: Arc<Shared>) {
    loop {
        let here = shared.clone();
        match blocking(move || here.store()?.index_waiting(Millis(system_ms()))).await {
            Ok(0) => {}
            Ok(files) => tracing::debug!(files, "indexed what came"),
            Err(error) => tracing::warn!(%error, "what came could not be indexed yet"),
        }
        tokio::time::sleep(LOOK).await;
    }
}
