//! What an account may allow a program, in Google's words, and what of it is needed.
//!
//! Source: <https://developers.google.com/identity/protocols/oauth2/scopes>

/// What each of Google's own scopes begins with.
const PREFIX: &str = "https://www.googleapis.com/auth/";

/// Tells who signed in.
const IDENTITY: [&str; 2] = ["openid", "email"];

/// Reads and writes everything in Drive: documents, their comments, and the change feed.
const DRIVE: &str = "https://www.googleapis.com/auth/drive";

/// Reads the same.
const DRIVE_READ: &str = "https://www.googleapis.com/auth/drive.readonly";

/// Reads mail, changes labels and writes drafts.
const MAIL: &str = "https://www.googleapis.com/auth/gmail.modify";

/// Reads mail.
const MAIL_READ: &str = "https://www.googleapis.com/auth/gmail.readonly";

/// All mail, for programs that have it already.
const MAIL_ALL: &str = "https://mail.google.com/";

/// What is asked for, or was allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scopes(Vec<String>);

impl Scopes {
    /// Returns what the daemon needs: with `read_only` nothing that changes anything, without `mail` nothing of mail.
    #[must_use]
    pub fn needed(read_only: bool, mail: bool) -> Self {
        let drive = if read_only { DRIVE_READ } else { DRIVE };
        let of_mail = if read_only { MAIL_READ } else { MAIL };
        let all = IDENTITY.into_iter().chain([drive]).chain(mail.then_some(of_mail));
        Self(all.map(str::to_owned).collect())
    }

    /// Reads a list with commas or blanks between, and adds what tells who signs in. `drive` means the scope that Google
    /// writes as a URL that ends so.
    #[must_use]
    pub fn parse(list: &str) -> Self {
        let names = list.split([',', ' ']).filter(|name| !name.is_empty());
        let whole = |name: &str| match name.contains(':') || IDENTITY.contains(&name) {
            true => name.to_owned(),
            false => format!("{PREFIX}{name}"),
        };
        let mut all: Vec<String> = IDENTITY.map(str::to_owned).to_vec();
        for scope in names.map(whole) {
            if !all.contains(&scope) {
                all.push(scope);
            }
        }
        Self(all)
    }

    /// Returns them as requests name them, with blanks between.
    #[must_use]
    pub fn joined(&self) -> String {
        self.0.join(" ")
    }

    /// Returns them without what Google's begin with, for people.
    #[must_use]
    pub fn short(&self) -> Vec<&str> {
        self.0.iter().map(|scope| scope.strip_prefix(PREFIX).unwrap_or(scope)).collect()
    }

    /// Returns them one by one.
    #[must_use]
    pub fn list(&self) -> &[String] {
        &self.0
    }

    /// Tells whether documents can be read.
    #[must_use]
    pub fn reads_documents(&self) -> bool {
        self.has(DRIVE_READ) || self.writes_documents()
    }

    /// Tells whether documents can be changed.
    #[must_use]
    pub fn writes_documents(&self) -> bool {
        self.has(DRIVE)
    }

    /// Tells whether mail can be read.
    #[must_use]
    pub fn reads_mail(&self) -> bool {
        self.has(MAIL_READ) || self.writes_mail()
    }

    /// Tells whether labels and drafts can be written.
    #[must_use]
    pub fn writes_mail(&self) -> bool {
        self.has(MAIL) || self.has(MAIL_ALL)
    }

    fn has(&self, scope: &str) -> bool {
        self.0.iter().any(|known| known == scope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_done_with_them() {
        for (list, expected) in [
            ("drive,gmail.modify", [true, true, true, true]),
            ("drive.readonly gmail.readonly", [true, false, true, false]),
            ("drive", [true, true, false, false]),
            ("https://mail.google.com/", [false, false, true, true]),
            ("drive.file", [false, false, false, false]),
        ] {
            let scopes = Scopes::parse(list);
            let can = [scopes.reads_documents(), scopes.writes_documents(), scopes.reads_mail(), scopes.writes_mail()];
            assert_eq!(can, expected, "{list}");
        }
        for (read_only, mail, expected) in [
            (false, true, "openid email drive gmail.modify"),
            (true, true, "openid email drive.readonly gmail.readonly"),
            (false, false, "openid email drive"),
        ] {
            assert_eq!(Scopes::needed(read_only, mail).short().join(" "), expected);
        }
        assert_eq!(Scopes::parse("drive, drive,openid").joined(), "openid email https://www.googleapis.com/auth/drive");
    }
}
