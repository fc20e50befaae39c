//! The names under which Google is found here.

use url::Url;

use crate::emulator::call::Call;

/// A host of Google's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Host {
    /// The product, by its name since July 2026.
    App,
    /// The product, by its older name.
    Legacy,
    /// Where people sign in.
    Accounts,
}

/// The names; browsers take them for this machine, and for as safe as HTTPS.
const NAMES: [(Host, &str); 3] = [
    (Host::App, "notebook.google.localhost"),
    (Host::Legacy, "notebooklm.google.localhost"),
    (Host::Accounts, "accounts.google.localhost"),
];

/// Returns the host of a name, without its port.
fn named(name: &str) -> Option<Host> {
    NAMES.into_iter().find(|(_, known)| name.eq_ignore_ascii_case(known)).map(|(host, _)| host)
}

/// Returns the host that a request is to.
pub(super) fn host_of(call: &Call) -> Option<Host> {
    named(call.host.split(':').next().unwrap_or_default())
}

/// Returns the address of a host, by the port that a request came to.
pub(super) fn origin(call: &Call, host: Host) -> String {
    let name = NAMES.into_iter().find(|(known, _)| *known == host).map_or("localhost", |(_, name)| name);
    match call.host.split_once(':') {
        Some((_, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => format!("http://{name}:{port}"),
        Some(_) | None => format!("http://{name}"),
    }
}

/// Returns an address to go on to, if it is one of ours: nobody is sent elsewhere. Otherwise the product's.
pub(super) fn onward(call: &Call, wanted: Option<&str>) -> String {
    let home = format!("{}/", origin(call, Host::App));
    let Some(url) = wanted.and_then(|wanted| Url::parse(wanted).ok()) else { return home };
    let port = call.host.split_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
    let ours = url.scheme() == "http" && url.host_str().is_some_and(|name| named(name).is_some());
    let plain = url.username().is_empty() && url.password().is_none();
    if ours && plain && url.port() == port { url.to_string() } else { home }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_sent_elsewhere() {
        let call = Call { host: "accounts.google.localhost:8080".into(), ..Call::default() };
        let home = "http://notebook.google.localhost:8080/";
        let fine = "http://notebook.google.localhost:8080/notebook/x?authuser=1";
        assert_eq!(onward(&call, Some(fine)), fine);
        for wrong in [
            "http://notebook.google.localhost/",
            "http://notebook.google.localhost:81/",
            "https://notebook.google.localhost:8080/",
            "http://evil.example:8080/",
            "http://notebook.google.localhost.evil.example:8080/",
            "http://notebook.google.localhost:8080@evil.example/",
            "//evil.example",
            "javascript:alert(1)",
        ] {
            assert_eq!(onward(&call, Some(wrong)), home, "{wrong}");
        }
        assert_eq!(host_of(&call), Some(Host::Accounts));
    }
}
