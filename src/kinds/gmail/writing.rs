//! The calls that change something: the labels of a thread, and the draft of an answer. Nothing is ever sent or deleted.
//!
//! Gmail locks no change to a version, so it is looked whether the thread is as it was just before. Labels are added and taken away
//! by name, so what somebody else does to others meanwhile stands.
//!
//! RACE: somebody may write into the same draft in Gmail between the look and the change; what they wrote in that moment is lost.
//!
//! Source: <https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.drafts>

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::adapter::Gmail;
use super::compose::{self, Draft};
use super::plan::{CREATE_DRAFT, MODIFY, UPDATE_DRAFT};
use super::wire::DraftList;
use crate::error::{Error, Result, Source};
use crate::google::{Call, Service};
use crate::kinds::{Outcome, PushPlan};
use crate::model::{Millis, Revision};

/// Pages of the list of drafts that are looked through, five hundred each.
const PAGES_MAX: usize = 20;

impl Gmail {
    /// Carries out a plan that was made on `revision`: one call that changes something.
    ///
    /// # Errors
    ///
    /// `Network` with `outcome_unknown` when nobody knows whether it landed.
    pub(super) async fn carry_out(
        &self,
        id: &str,
        revision: &Revision,
        plan: &PushPlan,
        now: Millis,
    ) -> Result<Outcome> {
        if self.thread(id).await?.history_id != revision.0 {
            return Ok(Outcome::Stale);
        }
        for request in plan.requests.iter().filter_map(Value::as_object).flatten() {
            match self.change(id, request, now).await {
                Ok(()) => {}
                Err(Error::Refused { message }) => return Ok(Outcome::Refused(message)),
                Err(error) => return Err(error),
            }
        }
        Ok(Outcome::Accepted(None))
    }

    async fn change(&self, id: &str, (name, body): (&String, &Value), now: Millis) -> Result<()> {
        let strange = |source: Source| Error::ExtractionFailed { id: id.to_owned(), source };
        match name.as_str() {
            MODIFY => {
                let path = format!("/gmail/v1/users/me/threads/{id}/modify");
                let call = Call::post(Service::Gmail, path, body, id, "changing the labels");
                self.google().send(&call.costing(self.google().mail_units().change)).await.map(drop)
            }
            CREATE_DRAFT | UPDATE_DRAFT => {
                let draft: Draft = serde_json::from_value(body.clone()).map_err(|error| strange(error.into()))?;
                let raw = compose::message(&draft, id, self.google().account(), now);
                let raw = URL_SAFE_NO_PAD.encode(raw.map_err(|error| strange(error.into()))?);
                let body = json!({ "message": { "threadId": id, "raw": raw } });
                let path = "/gmail/v1/users/me/drafts".to_owned();
                let call = match &draft.replaces {
                    None => Call::post(Service::Gmail, path, &body, id, "writing the draft"),
                    Some(message) => {
                        let path = format!("{path}/{}", self.draft_of(id, message).await?);
                        Call::put(Service::Gmail, path, &body, id, "writing the draft")
                    }
                };
                self.google().send(&call.costing(self.google().mail_units().change)).await.map(drop)
            }
            other => Err(strange(format!("nobody knows how to carry out `{other}`").into())),
        }
    }

    /// Finds the id of the draft that a message is: no message tells it.
    async fn draft_of(&self, id: &str, message: &str) -> Result<String> {
        let mut token = None::<String>;
        for _ in 0..PAGES_MAX {
            let path = "/gmail/v1/users/me/drafts".to_owned();
            let mut call = Call::get(Service::Gmail, path, id, "looking for the draft").with("maxResults", "500");
            if let Some(token) = &token {
                call = call.with("pageToken", token);
            }
            let page: DraftList = self.google().json(&call.costing(self.google().mail_units().list)).await?;
            let is_id = |id: &str| {
                !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            };
            if let Some(found) = page.drafts.into_iter().find(|draft| draft.message.id == message && is_id(&draft.id)) {
                return Ok(found.id);
            }
            token = page.next_page_token.filter(|token| !token.is_empty());
            if token.is_none() {
                break;
            }
        }
        Err(Error::Refused {
            message: "Gmail does not list the draft any more; save the file again to make another one".into(),
        })
    }
}
