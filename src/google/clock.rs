//! What time it is at Google.

use std::time::SystemTime;

use super::consent::{client, unreachable};
use super::endpoints::Endpoints;
use crate::error::Result;

/// Asks Google Drive what time it is; it may not say. Nobody needs to be signed in for that, and whatever signs an account in,
/// its changes are asked for there.
///
/// # Errors
///
/// `Network` when it cannot be reached.
pub async fn clock(endpoints: &Endpoints) -> Result<Option<SystemTime>> {
    let doing = "asking Google for the time";
    let asked = client(doing)?.head(&endpoints.drive).send().await;
    let answer = asked.map_err(|error| unreachable(doing, error.without_url().into()))?;
    let date = answer.headers().get(reqwest::header::DATE).and_then(|date| date.to_str().ok());
    Ok(date.and_then(|date| httpdate::parse_http_date(date).ok()))
}
