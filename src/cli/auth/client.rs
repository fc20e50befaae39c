//! The OAuth client that a person made: out of the file of the Google Cloud console, or out of the Secret Manager.

use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncReadExt as _;

use crate::cli::Answer;
use crate::config::{OAuthClient, Secret};
use crate::error::Error;
use crate::tools::ErrorAnswer;

/// What names a secret of Google Cloud instead of a file.
const SECRET_PREFIX: &str = "gcp-secret:";

/// Bytes that such a file may have.
const FILE_BYTES_MAX: u64 = 1 << 16;

/// How long `gcloud` may take.
const SECRET_WAIT: Duration = Duration::from_secs(60);

/// Reads the client that is named: a file, or `gcp-secret:PROJECT/NAME`.
pub(super) async fn read(named: &str) -> Answer<OAuthClient> {
    let bytes = match named.strip_prefix(SECRET_PREFIX) {
        Some(secret) => of_secret(secret).await?,
        None => of_file(Path::new(named))?,
    };
    parse(&bytes, named)
}

fn of_file(path: &Path) -> Answer<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes))
        .map_err(|source| ErrorAnswer::from(&Error::Disk { path: path.into(), doing: "read", source }))?;
    Ok(bytes)
}

/// Has `gcloud` read a secret, with whatever rights it has.
///
/// Source: <https://cloud.google.com/secret-manager/docs/access-secret-version>
async fn of_secret(secret: &str) -> Answer<Vec<u8>> {
    let is_plain = |name: &str| {
        !name.is_empty()
            && !name.starts_with('-')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c))
    };
    let Some((project, name)) = secret.split_once('/').filter(|(project, name)| is_plain(project) && is_plain(name))
    else {
        return Err(ErrorAnswer::invalid(
            format!("`{}` names no secret", secret.escape_debug()),
            "Write gcp-secret:PROJECT/NAME.",
        ));
    };
    let refused = |what: String| {
        ErrorAnswer::invalid(
            format!("`gcloud` did not give the secret {name} of {project}: {what}"),
            format!(
                "Run `gcloud secrets versions access latest --secret={name} --project={project}` and look at what it says."
            ),
        )
    };
    let mut child = tokio::process::Command::new("gcloud")
        .args(["secrets", "versions", "access", "latest"])
        .args([format!("--secret={name}"), format!("--project={project}"), "--quiet".into()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| refused(error.to_string()))?;
    let mut bytes = Vec::new();
    let reading = async {
        if let Some(stdout) = child.stdout.take() {
            stdout.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).await?;
        }
        child.wait().await
    };
    match tokio::time::timeout(SECRET_WAIT, reading).await {
        Ok(Ok(status)) if status.success() => Ok(bytes),
        Ok(Ok(status)) => Err(refused(format!("it ended with {status}"))),
        Ok(Err(error)) => Err(refused(error.to_string())),
        Err(_) => Err(refused(format!("it did not end within {} s", SECRET_WAIT.as_secs()))),
    }
}

/// Reads what the console gives.
fn parse(bytes: &[u8], named: &str) -> Answer<OAuthClient> {
    let wrong = |what: &str| {
        ErrorAnswer::invalid(
            format!("{named} {what}"),
            "In the Google Cloud console make an OAuth client of the type \"Desktop app\" and download its JSON; see \
             `mcp-workspace help google-setup`.",
        )
    };
    if u64::try_from(bytes.len()).is_ok_and(|length| length > FILE_BYTES_MAX) {
        return Err(wrong("is too long for the file of an OAuth client"));
    }
    // The error of a JSON reader may quote the text, which holds a secret.
    let Ok(file) = serde_json::from_slice::<Value>(bytes) else { return Err(wrong("is no JSON")) };
    if file.get("type").and_then(Value::as_str) == Some("service_account") {
        return Err(wrong("is the key of a service account, which cannot sign a person in"));
    }
    if file.get("web").is_some() {
        return Err(wrong("is of a client of the type \"Web application\""));
    }
    let text = |name: &str| file.get("installed")?.get(name)?.as_str().filter(|text| !text.is_empty());
    match (text("client_id"), text("client_secret")) {
        (Some(id), Some(secret)) => Ok(OAuthClient { client_id: id.into(), client_secret: Secret::new(secret.into()) }),
        _ => Err(wrong("is not the file of an OAuth client")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_console_gives() {
        let good = br#"{"installed":{"client_id":"c","client_secret":"hush","auth_uri":"https://x"}}"#;
        let client = parse(good, "f").unwrap();
        assert_eq!((client.client_id.as_str(), client.client_secret.expose()), ("c", "hush"));
        for (text, expected) in [
            (r#"{"web":{"client_id":"c","client_secret":"hush"}}"#, "Web application"),
            (r#"{"type":"service_account","private_key":"hush"}"#, "service account"),
            (r#"{"installed":{"client_id":"c"}}"#, "not the file"),
            (r#"{"installed":{"client_id":"","client_secret":"hush"}}"#, "not the file"),
            ("hush", "no JSON"),
        ] {
            let error = parse(text.as_bytes(), "f").unwrap_err();
            assert!(error.message.contains(expected) && !error.message.contains("hush"), "{}", error.message);
        }
    }

    #[tokio::test]
    async fn a_secret_is_named_by_its_project_and_name() {
        for named in ["", "x", "a/", "/b", "--x/y", "a/--b", "a/b c", "a/$(b)"] {
            let error = of_secret(named).await.unwrap_err();
            assert!(error.message.contains("names no secret"), "{named}: {}", error.message);
        }
    }
}
