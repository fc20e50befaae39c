//! Which mirror has what an id, a URL, a path or an account names.

use std::path::{Path, PathBuf};

use super::mirrored::Mirrors;
use crate::error::{Error, ErrorKind, Result};
use crate::kinds;
use crate::mirror::{self, MirrorHandle};
use crate::model::{Account, Feed};

impl Mirrors {
    /// Returns the mirrors that may have what an id, a URL or a path names; none is an error.
    pub(super) fn naming(&self, id_or_url: &str) -> Result<Vec<&MirrorHandle>> {
        let naming: Vec<_> = self.handles.iter().filter(|handle| handle.may_have(id_or_url)).collect();
        if naming.is_empty() {
            self.first()?.item(id_or_url)?;
        }
        Ok(naming)
    }

    /// Returns the mirrors of documents.
    pub(super) fn of_documents(&self) -> impl Iterator<Item = &MirrorHandle> {
        self.handles.iter().filter(|handle| handle.layout().feed() == Feed::Drive)
    }

    /// Finds the mirror that holds an item already, if one does.
    pub(super) async fn holding(&self, id_or_url: &str) -> Result<Option<(&MirrorHandle, mirror::FetchReport)>> {
        for handle in self.naming(id_or_url)?.into_iter().filter(|handle| handle.item(id_or_url).is_ok()) {
            if let Some(report) = handle.lookup(id_or_url).await? {
                return Ok(Some((handle, report)));
            }
        }
        Ok(None)
    }

    /// Finds the mirror that holds an item, or says that none does.
    pub(super) async fn here(&self, id_or_url: &str) -> Result<&MirrorHandle> {
        match self.holding(id_or_url).await? {
            Some((handle, _)) => Ok(handle),
            None if self.burying(id_or_url).await?.is_some() => Err(Error::InvalidInput {
                what: format!("`{id_or_url}` is in the trash at Google, gone, or not shared any more"),
                suggestion: "Take it out of the trash, or ask its owner: its files come back with it.".into(),
            }),
            None => Err(not_mirrored(id_or_url)),
        }
    }

    /// Finds the mirror to which an item comes back that is gone.
    pub(super) async fn burying(&self, id_or_url: &str) -> Result<Option<&MirrorHandle>> {
        for handle in self.naming(id_or_url)?.into_iter().filter(|handle| handle.item(id_or_url).is_ok()) {
            if handle.is_buried(id_or_url).await? {
                return Ok(Some(handle));
            }
        }
        Ok(None)
    }

    /// Finds the mirror of an item, mirrored or not: the one that holds it, or the first whose account may see it.
    pub(super) async fn seeing(&self, id_or_url: &str) -> Result<(&MirrorHandle, kinds::Facts)> {
        if let Some((handle, _)) = self.holding(id_or_url).await? {
            return Ok((handle, handle.facts(id_or_url).await?));
        }
        let mut refusal = None;
        for handle in self.of_documents() {
            match handle.facts(id_or_url).await {
                Ok(facts) => return Ok((handle, facts)),
                Err(error @ (Error::NotFound { .. } | Error::PermissionDenied { .. })) => {
                    refusal.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        Err(refusal.unwrap_or_else(|| Error::NotFound { id: id_or_url.into() }))
    }

    /// Finds the mirror whose folder a path lies in. Links above the workspace are followed on both sides, so that a
    /// path means the same however it was come by.
    pub(super) fn of_path(&self, path: &Path) -> Result<(&MirrorHandle, PathBuf)> {
        // A link that stands elsewhere means the file to which it leads, also while a save stands in its place.
        if let Some(found) = self.handles.iter().find_map(|handle| Some((handle, handle.file_at(path)?))) {
            return Ok(found);
        }
        let followed = std::fs::read_link(path).ok().filter(|to| to.starts_with(&self.workspace));
        let path = followed.as_deref().unwrap_or(path);
        let root = std::fs::canonicalize(&self.workspace).unwrap_or_else(|_| self.workspace.clone());
        let real = path
            .parent()
            .and_then(|parent| std::fs::canonicalize(parent).ok())
            .zip(path.file_name())
            .map_or_else(|| path.to_owned(), |(parent, name)| parent.join(name));
        // The mirror knows its files by the name that the workspace was given.
        let known = real.strip_prefix(&root).map_or_else(|_| path.to_owned(), |below| self.workspace.join(below));
        let of_account = |handle: &&MirrorHandle| known.starts_with(handle.layout().account_folder());
        let mut mirrors = self.handles.iter();
        let found =
            mirrors.find(|handle| handle.layout().holds(&known)).or_else(|| self.handles.iter().find(of_account));
        let account = || {
            let below = known.strip_prefix(&self.workspace).ok()?;
            let folder = below.components().next()?.as_os_str().to_str()?;
            folder.contains('@').then(|| folder.to_owned())
        };
        let unknown = || match account() {
            Some(account) => Error::InvalidInput {
                what: format!("{} is of the account {account}, which the config does not name", path.display()),
                suggestion: "Name the account in config.toml again and restart the daemon.".into(),
            },
            None => Error::InvalidInput {
                what: format!("{} is no file of the workspace", path.display()),
                suggestion: format!("Give a file below {}.", self.workspace.display()),
            },
        };
        found.ok_or_else(unknown).map(|handle| (handle, known))
    }

    /// Returns what mirrors a file, and its name there, once it says what was saved in the place of links to it, and whether it
    /// does: it may take too long.
    pub(super) async fn settled_file(&self, path: &Path) -> Result<(&MirrorHandle, PathBuf, bool)> {
        for handle in &self.handles {
            if let Some((file, is_settled)) = handle.settled_file(path).await? {
                return Ok((handle, file, is_settled));
            }
        }
        self.of_path(path).map(|(handle, path)| (handle, path, true))
    }

    /// Returns the mirrors of the account that is named, or all.
    pub(super) fn named(&self, account: Option<&Account>) -> Result<Vec<&MirrorHandle>> {
        let named: Vec<&MirrorHandle> =
            self.handles.iter().filter(|handle| account.is_none_or(|account| handle.account() == account)).collect();
        match account.filter(|_| named.is_empty()) {
            Some(account) => Err(Error::InvalidInput {
                what: format!("`{}` is no account of this daemon", account.0.escape_debug()),
                suggestion: "See `mcp-workspace status` for the accounts.".into(),
            }),
            None => Ok(named),
        }
    }

    pub(super) fn first(&self) -> Result<&MirrorHandle> {
        self.of_documents().next().ok_or_else(|| Error::InvalidInput {
            what: "no account is signed in".into(),
            suggestion: "Run `mcp-workspace auth add`, or try `mcp-workspace demo`.".into(),
        })
    }
}

/// Says of an item that no account mirrors what it is, which may well be there.
pub(super) fn not_mirrored(id_or_url: &str) -> Error {
    Error::Told {
        kind: ErrorKind::NotFound,
        message: format!("nothing that is mirrored is `{id_or_url}`"),
        suggestion: "Check the id or URL; if it is right, `mcp-workspace fetch` it first.".into(),
    }
}
