//! Which run of the machine this is: between two of them power may have failed, and disks may have gone back to what was synced.

use std::sync::OnceLock;

/// Returns the identity that the system gave this run of the machine at its start; `None` where it tells none.
///
/// Linux: <https://docs.kernel.org/admin-guide/sysctl/kernel.html#random>; macOS has it as `kern.bootsessionuuid`.
pub fn id() -> Option<&'static str> {
    static ID: OnceLock<Option<String>> = OnceLock::new();
    ID.get_or_init(read).as_deref()
}

fn read() -> Option<String> {
    let said = if cfg!(target_os = "macos") {
        let told = std::process::Command::new("/usr/sbin/sysctl").args(["-n", "kern.bootsessionuuid"]).output().ok()?;
        String::from_utf8(told.stdout).ok()?
    } else {
        std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?
    };
    Some(said.trim().to_owned()).filter(|id| !id.is_empty())
}
