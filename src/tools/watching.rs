//! Clients that are told when a resource changes, in both eras of the protocol: each has what it watches looked at, and hears of what is
//! no longer as it was.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::ErrorData;
use serde_json::Value;
use tokio::task::JoinHandle;

use super::host::Host;
use super::resources::{Named, sign};

/// The most resources that one client watches.
pub(super) const WATCHED_MAX: usize = 16;
/// The pause between two looks.
const LOOK_PAUSE: Duration = Duration::from_millis(500);

/// What a client of the older era has subscribed to; all of it ends with the connection.
#[derive(Debug, Default)]
pub(super) struct Subscriptions(Mutex<HashMap<String, Watcher>>);

/// A task that ends with its subscription.
#[derive(Debug)]
struct Watcher(JoinHandle<()>);

impl Drop for Watcher {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Subscriptions {
    /// Watches a resource until it is told otherwise; `tell` says whether anybody still listens.
    ///
    /// # Errors
    ///
    /// Invalid params where too many are watched.
    pub(super) fn add<F>(
        &self,
        host: Arc<dyn Host>,
        uri: &str,
        named: Named,
        tell: impl Fn(String) -> F + Send + Sync + 'static,
    ) -> Result<(), ErrorData>
    where
        F: Future<Output = bool> + Send,
    {
        let mut watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watched.retain(|_, watcher| !watcher.0.is_finished());
        if watched.len() >= WATCHED_MAX && !watched.contains_key(uri) {
            let message = format!("{WATCHED_MAX} resources are watched already; unsubscribe from one first");
            return Err(ErrorData::invalid_params(message, None));
        }
        let one = vec![(uri.to_owned(), named)];
        let watcher = Watcher(tokio::spawn(async move { watch(host.as_ref(), one, tell).await }));
        drop(watched.insert(uri.to_owned(), watcher));
        Ok(())
    }

    /// Watches a resource no longer.
    pub(super) fn remove(&self, uri: &str) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(uri));
    }
}

/// Looks at resources again and again, and tells of each that changed, until nobody listens.
pub(super) async fn watch<F>(host: &dyn Host, watched: Vec<(String, Named)>, tell: impl Fn(String) -> F)
where
    F: Future<Output = bool>,
{
    let mut seen: Vec<Option<Value>> = Vec::with_capacity(watched.len());
    for (_, named) in &watched {
        seen.push(sign(host, named).await.ok());
    }
    loop {
        tokio::time::sleep(LOOK_PAUSE).await;
        for ((uri, named), seen) in watched.iter().zip(&mut seen) {
            // What cannot be looked at now is no news; it is when it can be again and is another.
            let Ok(now) = sign(host, named).await else { continue };
            if seen.as_ref() != Some(&now) {
                *seen = Some(now);
                if !tell(uri.clone()).await {
                    return;
                }
            }
        }
    }
}
