//! Where a Chromium stands on this machine.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::error::{Error, Result};

/// The variable of the environment that may name the program.
pub const VARIABLE: &str = "MCP_WORKSPACE_BROWSER";

/// The names under which distributions install it. Chrome stands first where both are: Chromium is often a snap on Ubuntu, and
/// a snap cannot use a profile in a hidden folder of the home.
const NAMES: [&str; 9] = [
    "google-chrome-stable",
    "google-chrome",
    "chromium",
    "chromium-browser",
    "microsoft-edge-stable",
    "microsoft-edge",
    "google-chrome-beta",
    "brave-browser",
    "chrome",
];

/// Where macOS has it, below `/Applications` and `~/Applications`.
const BUNDLES: [&str; 4] = [
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Chromium.app/Contents/MacOS/Chromium",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "Brave Browser.app/Contents/MacOS/Brave Browser",
];

/// Finds the program of a Chromium, Chrome or Edge: the one that `configured` names, else the one that the environment names
/// in [`VARIABLE`], else the first of the known names in `PATH`, else an app of macOS.
///
/// # Errors
///
/// `InvalidInput` when the one that is named cannot be run: another is not taken silently; `NotFound` when there is none.
pub fn find(configured: Option<&Path>) -> Result<PathBuf> {
    let named = configured.map(Path::to_path_buf).or_else(|| std::env::var_os(VARIABLE).map(PathBuf::from));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let home = std::env::var_os("HOME").map(PathBuf::from);
    find_among(named.as_deref(), &places(&path, home.as_deref(), cfg!(target_os = "macos")), can_run)
}

/// Returns all the places where one may stand, the best first.
fn places(path: &OsStr, home: Option<&Path>, macos: bool) -> Vec<PathBuf> {
    // A folder that is not absolute would let whoever owns the working directory choose the program.
    let folders: Vec<_> = std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect();
    let mut places = Vec::new();
    if macos {
        let applications = [Some(PathBuf::from("/Applications")), home.map(|home| home.join("Applications"))];
        places.extend(BUNDLES.iter().flat_map(|bundle| applications.iter().flatten().map(move |at| at.join(bundle))));
    }
    places.extend(NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))));
    places
}

fn find_among(named: Option<&Path>, places: &[PathBuf], can_run: impl Fn(&Path) -> bool) -> Result<PathBuf> {
    match named {
        Some(named) if named.is_absolute() && can_run(named) => Ok(named.to_path_buf()),
        Some(named) => Err(Error::InvalidInput {
            what: format!("`{}` is no program that can be run", named.display()),
            suggestion: "name the browser's program with its whole path",
        }),
        None => places
            .iter()
            .find(|place| can_run(place))
            .cloned()
            .ok_or(Error::NotFound { looked: places.len(), variable: VARIABLE }),
    }
}

fn can_run(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(named: Option<&str>, there: &[&str], macos: bool, expected: Option<&str>) {
        let places = places(OsStr::new("/opt/bin:here:/usr/bin"), Some(Path::new("/home/a")), macos);
        let found =
            find_among(named.map(Path::new), &places, |path| there.iter().any(|there| Path::new(there) == path));
        assert_eq!(found.as_deref().ok(), expected.map(Path::new), "{found:?}");
    }

    #[test]
    fn the_named_one_wins_and_is_never_replaced() {
        check(Some("/x/mine"), &["/x/mine", "/usr/bin/chromium"], false, Some("/x/mine"));
        check(Some("/x/mine"), &["/usr/bin/chromium"], false, None);
        check(Some("chromium"), &["chromium", "/usr/bin/chromium"], false, None);
    }

    #[test]
    fn the_first_known_name_in_the_path_is_taken() {
        check(None, &["/usr/bin/chromium"], false, Some("/usr/bin/chromium"));
        check(None, &["/usr/bin/chromium", "/opt/bin/google-chrome"], false, Some("/opt/bin/google-chrome"));
        check(None, &["here/chromium"], false, None);
        let chrome = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
        check(None, &[chrome, "/usr/bin/chromium"], true, Some(chrome));
        check(None, &[chrome], false, None);
    }

    #[test]
    fn who_has_none_is_told_what_to_install() {
        let said = find_among(None, &[PathBuf::from("/usr/bin/chromium")], |_| false).unwrap_err().to_string();
        assert!(said.contains("install Chromium") && said.contains(VARIABLE), "{said}");
    }
}
