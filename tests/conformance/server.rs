//! The server that the official conformance suite is run against: the program's own handler over HTTP on loopback.
//!
//! The suite speaks HTTP alone, and most of its scenarios want tools, resources and prompts of fixed names. So the
//! handler is served more than once: `/mcp` has those fixtures beside it, and the others, each under its profile's name, are
//! the program's as they are.
#![allow(clippy::print_stdout, reason = "the address is what this program is started for")]

mod fixtures;
mod prompts;
mod resources;
mod rounds;
mod tools;

use std::io;
use std::sync::Arc;

use axum::Router;
use mcp_workspace::tools::{Mirrors, Profile, Server};
use rmcp::ServerHandler;
use rmcp::model::RequestStateCodec;
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::tower::StreamableHttpService;
use tokio::net::TcpListener;

use fixtures::Furnished;

/// Serves until it is killed; prints where, as soon as it does.
#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    // A workspace without an account: searches find nothing, and whatever else is asked for is refused.
    let folder = tempfile::tempdir()?;
    let host = Arc::new(Mirrors::new(folder.path().into(), Vec::new()));
    let mut key = [0_u8; 32];
    getrandom::fill(&mut key).map_err(io::Error::other)?;
    let states = RequestStateCodec::try_new(key).map_err(io::Error::other)?;

    let furnished = Furnished::new(Server::new(host.clone(), Profile::Default), states);
    let mut router = Router::new().nest_service("/mcp", over_http(furnished));
    for profile in Profile::ALL {
        let bare = Server::new(host.clone(), profile);
        router = router.nest_service(&format!("/{}", profile.name()), over_http(bare));
    }
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, router).await
}

/// Puts a handler behind HTTP: sessions for clients of the old era, none for the new one.
fn over_http<H>(handler: H) -> StreamableHttpService<H, LocalSessionManager>
where
    H: ServerHandler + Clone + Send + Sync + 'static,
{
    StreamableHttpService::new(
        move || Ok(handler.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    )
}
