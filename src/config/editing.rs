//! Changes of the config file that leave the rest of it, comments too, as a person wrote it. Pure.

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

use super::{Mode, OAuthClient};

/// What stands at the top of a config file that is made.
const HEADER: &str =
    "# What mcp-workspace mirrors. The README tells each key; `mcp-workspace auth` writes the accounts.\n\n";

/// What a sign-in writes of its account.
#[derive(Debug, Clone)]
pub struct SignedIn<'a> {
    /// Its address.
    pub email: &'a str,
    /// Whether edits of its files go to its documents.
    pub mode: Mode,
    /// Whether its mail can be fetched.
    pub mail: bool,
    /// The client that signed it in, and whether all accounts without one of their own use that.
    pub client: Option<(&'a OAuthClient, bool)>,
}

/// Writes a signed-in account into the text of a config file: in the place where it stands already, or behind the others.
///
/// # Errors
///
/// What is wrong with the text, which is then left alone.
pub fn with_account(text: &str, signed_in: &SignedIn<'_>) -> Result<String, String> {
    let mut document = read(text)?;
    if let Some((client, true)) = signed_in.client {
        let table = document.entry("oauth").or_insert_with(|| Item::Table(Table::new()));
        set_client(table, client)?;
    }
    // `accounts = []`, as a program writes it that has none.
    if document.get("accounts").and_then(Item::as_array).is_some_and(Array::is_empty) {
        document.remove("accounts");
    }
    match document.entry("accounts").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new())) {
        Item::ArrayOfTables(tables) => {
            let at = tables.iter().position(|table| is_of(table.get("email"), signed_in.email));
            if at.is_none() {
                tables.push(Table::new());
            }
            let table = at.map_or(tables.len().saturating_sub(1), |at| at);
            let Some(table) = tables.get_mut(table) else { return Err("`accounts` is no list".into()) };
            for (key, new) in entries(signed_in) {
                set(table.entry(key).or_insert(Item::None), new);
            }
            for key in gone(signed_in) {
                table.remove(key);
            }
            if let Some((client, false)) = signed_in.client {
                set_client(table.entry("oauth").or_insert_with(|| Item::Table(Table::new())), client)?;
            }
        }
        Item::Value(Value::Array(array)) => {
            let at = array.iter().position(|account| {
                account
                    .as_inline_table()
                    .is_some_and(|table| table.get("email").and_then(Value::as_str) == Some(signed_in.email))
            });
            if at.is_none() {
                array.push(InlineTable::new());
            }
            let at = at.unwrap_or(array.len().saturating_sub(1));
            let Some(table) = array.get_mut(at).and_then(Value::as_inline_table_mut) else {
                return Err("`accounts` holds something else than accounts".into());
            };
            for (key, new) in entries(signed_in) {
                table.insert(key, new);
            }
            for key in gone(signed_in) {
                table.remove(key);
            }
            if let Some((client, false)) = signed_in.client {
                let of_client = [("client_id", &client.client_id), ("client_secret", &client.client_secret.0)];
                let client = of_client.map(|(key, text)| (key, Value::from(text.as_str())));
                table.insert("oauth", Value::InlineTable(client.into_iter().collect()));
            }
        }
        Item::None | Item::Value(_) | Item::Table(_) => return Err("`accounts` is no list".into()),
    }
    let made = if text.trim().is_empty() { HEADER } else { "" };
    Ok(format!("{made}{document}"))
}

/// Takes an account out of the text of a config file; `None` when it does not stand there.
///
/// # Errors
///
/// What is wrong with the text, which is then left alone.
pub fn without_account(text: &str, email: &str) -> Result<Option<String>, String> {
    let mut document = read(text)?;
    let is_gone = match document.get_mut("accounts") {
        Some(Item::ArrayOfTables(tables)) => {
            let before = tables.len();
            tables.retain(|table| !is_of(table.get("email"), email));
            tables.len() < before
        }
        Some(Item::Value(Value::Array(array))) => {
            let before = array.len();
            let of_email =
                |account: &Value| account.as_inline_table()?.get("email")?.as_str().map(|other| other == email);
            array.retain(|account| of_email(account) != Some(true));
            array.len() < before
        }
        Some(Item::None | Item::Value(_) | Item::Table(_)) | None => false,
    };
    Ok(is_gone.then(|| document.to_string()))
}

fn read(text: &str) -> Result<DocumentMut, String> {
    // The error's own words quote the line, which may hold a secret.
    text.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())
}

fn is_of(item: Option<&Item>, email: &str) -> bool {
    item.and_then(Item::as_str) == Some(email)
}

/// What is written of an account. That both ways are usual, and mail too, need not be said.
fn entries(signed_in: &SignedIn<'_>) -> Vec<(&'static str, Value)> {
    let mut entries = vec![("email", signed_in.email.into())];
    if signed_in.mode == Mode::Mirror {
        entries.push(("mode", "mirror".into()));
    }
    if !signed_in.mail {
        entries.push(("mail", false.into()));
    }
    entries
}

/// What an older sign-in may have written that does not hold any more. A bearer is none: it would go before the sign-in.
fn gone(signed_in: &SignedIn<'_>) -> Vec<&'static str> {
    let two_way = (signed_in.mode == Mode::TwoWay).then_some("mode");
    let own_client = signed_in.client.is_some_and(|(_, is_usual)| is_usual).then_some("oauth");
    two_way.into_iter().chain(signed_in.mail.then_some("mail")).chain(own_client).chain(["bearer"]).collect()
}

/// Changes a value and leaves the comment behind it.
fn set(item: &mut Item, new: Value) {
    let decor = item.as_value().map(|old| old.decor().clone());
    *item = value(new);
    if let (Some(decor), Some(new)) = (decor, item.as_value_mut()) {
        *new.decor_mut() = decor;
    }
}

fn set_client(item: &mut Item, client: &OAuthClient) -> Result<(), String> {
    let Some(table) = item.as_table_like_mut() else { return Err("`oauth` is no table".into()) };
    for (key, text) in [("client_id", &client.client_id), ("client_secret", &client.client_secret.0)] {
        set(table.entry(key).or_insert(Item::None), text.as_str().into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Config, Secret};
    use super::*;

    fn client(id: &str) -> OAuthClient {
        OAuthClient { client_id: id.into(), client_secret: Secret::new("hush".into()) }
    }

    fn signed_in(email: &str) -> SignedIn<'_> {
        SignedIn { email, mode: Mode::TwoWay, mail: true, client: None }
    }

    /// What was written is read again, and a second time changes nothing.
    fn check(text: &str, signed_in: &SignedIn<'_>, expected: &str) {
        let written = with_account(text, signed_in).unwrap();
        assert_eq!(written, expected);
        let config = Config::parse(Path::new("config.toml"), &written).unwrap();
        let account = config.accounts.iter().find(|account| account.email == signed_in.email).unwrap();
        assert_eq!((account.mode, account.mail), (signed_in.mode, signed_in.mail));
        assert_eq!(with_account(&written, signed_in).unwrap(), written);
    }

    #[test]
    fn an_account_comes_and_all_else_stays() {
        let both = client("c");
        let first = SignedIn { client: Some((&both, true)), ..signed_in("a@b.c") };
        check(
            "",
            &first,
            &format!(
                "{HEADER}[oauth]\nclient_id = \"c\"\nclient_secret = \"hush\"\n\n[[accounts]]\nemail = \"a@b.c\"\n"
            ),
        );
        let mirror = SignedIn { mode: Mode::Mirror, mail: false, ..signed_in("d@e.f") };
        let commented = "# mine\npoll_ms = 200 # often\n\n[[accounts]] # work\nemail = 'a@b.c' # me\n";
        check(
            commented,
            &mirror,
            &format!("{commented}\n[[accounts]]\nemail = \"d@e.f\"\nmode = \"mirror\"\nmail = false\n"),
        );
        check("accounts = []\n", &signed_in("a@b.c"), "[[accounts]]\nemail = \"a@b.c\"\n");
        check(
            "accounts = [{ email = 'x@y.z' }]\n",
            &signed_in("a@b.c"),
            "accounts = [{ email = 'x@y.z' }, { email = \"a@b.c\" }]\n",
        );
    }

    #[test]
    fn an_account_is_signed_in_anew_where_it_stands() {
        check(
            "[[accounts]]\nemail = 'a@b.c' # me\nmode = 'mirror'\nbearer = 'x'\ntoken_file = '/t'\n\n[[accounts]]\nemail = 'd@e.f'\n",
            &signed_in("a@b.c"),
            "[[accounts]]\nemail = \"a@b.c\" # me\ntoken_file = '/t'\n\n[[accounts]]\nemail = 'd@e.f'\n",
        );
        let own = client("own");
        let of_its_own = SignedIn { client: Some((&own, false)), ..signed_in("a@b.c") };
        let written =
            with_account("[oauth]\nclient_id='c'\nclient_secret='s'\n[[accounts]]\nemail='a@b.c'\n", &of_its_own)
                .unwrap();
        let config = Config::parse(Path::new("config.toml"), &written).unwrap();
        assert_eq!(config.accounts[0].oauth, Some(own));
        assert_eq!(config.oauth.map(|client| client.client_id), Some("c".into()));
    }

    #[test]
    fn an_account_goes() {
        let two = "# mine\n[[accounts]]\nemail = 'a@b.c'\n\n[[accounts]]\nemail = 'd@e.f'\n";
        assert_eq!(without_account(two, "x@y.z").unwrap(), None);
        let left = without_account(two, "a@b.c").unwrap().unwrap();
        let config = Config::parse(Path::new("config.toml"), &left).unwrap();
        assert_eq!(config.accounts.iter().map(|account| account.email.as_str()).collect::<Vec<_>>(), ["d@e.f"]);
        let inline = without_account("accounts = [{ email = 'a@b.c' }]\n", "a@b.c").unwrap().unwrap();
        assert!(Config::parse(Path::new("config.toml"), &inline).unwrap().accounts.is_empty());
        assert_eq!(without_account("", "a@b.c").unwrap(), None);
    }

    #[test]
    fn what_is_no_config_is_left_alone() {
        for text in ["accounts = 1", "oauth = 1", "a = hush hush"] {
            let both = client("c");
            let error =
                with_account(text, &SignedIn { client: Some((&both, true)), ..signed_in("a@b.c") }).unwrap_err();
            assert!(!error.contains("hush"), "{error}");
        }
    }
}
