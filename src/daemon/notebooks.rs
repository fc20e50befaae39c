//! The way to the person's notebooks.

use std::sync::Arc;
use std::time::Duration;

use crate::config::{Config, Places};
use crate::error::{Error, Result};
use crate::kinds::notebooks::{OwnBrowser, Service, Settings};
use crate::tools::{Notebooks, TIMEOUT_VARIABLE, timeout_of};

/// Names the notebooks of a home, which are asked in a browser of its own. That is looked for when they are first asked, and started then.
///
/// # Errors
///
/// `InvalidInput` when the config, or the environment, says what cannot be.
pub fn notebooks(places: &Places, config: &Config) -> Result<Notebooks> {
    let timeout = notebooks_timeout()?;
    let (places, config) = (places.clone(), config.clone());
    let makes = move || -> Result<Arc<dyn Service>> { Ok(Arc::new(own_browser(&places, &config)?.service())) };
    Ok(Notebooks::new(makes, timeout))
}

/// Finds the browser that asks the notebooks of a home.
///
/// # Errors
///
/// `InvalidInput` when the config says what cannot be; `Notebook` when there is no browser.
pub fn own_browser(places: &Places, config: &Config) -> Result<OwnBrowser> {
    let invalid = |what: String| Error::InvalidInput { what, suggestion: "Correct it in the config file.".into() };
    let told = &config.notebooklm;
    let usual = Settings::default();
    let settings = Settings {
        overrides: told.overrides().map_err(|why| invalid(format!("`notebooklm.ids`: {why}")))?,
        language: told.language.clone().unwrap_or(usual.language),
        authuser: told.authuser.clone(),
    };
    let base = config.notebooks_base().map_err(|why| invalid(format!("`notebooklm.base`: {why}")))?;
    OwnBrowser::find(told.browser.as_deref(), places.notebooks_profile(), base, settings)
}

/// How long a tool that asks notebooks may take, where the environment says so.
///
/// # Errors
///
/// `InvalidInput` when it says what is no time.
pub fn notebooks_timeout() -> Result<Option<Duration>> {
    match std::env::var(TIMEOUT_VARIABLE) {
        Ok(text) if !text.trim().is_empty() => timeout_of(&text).map(Some),
        Ok(_) | Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(text)) => timeout_of(&text.to_string_lossy()).map(Some),
    }
}
