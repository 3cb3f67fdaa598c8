//! The page of a repository: what operations answer, as HTML for people.
//!
//! A view asks operations through the contract that every door uses and renders their typed
//! answers, so no query is written twice, and each view shows the basis of what it shows. Pictures
//! are SVG, drawn here, each beside a table with the same content. Everything works without
//! JavaScript.
//!
//! This crate knows neither sockets nor sessions: `respond` turns a request into a response, and
//! the door that serves it decides who may ask.

mod asker;
mod assets;
mod changes;
mod components;
mod export;
mod layout;
mod links;
mod markdown;
mod pictures;
mod request;
mod routes;
mod views;

pub use assets::{ASSET_PREFIX, Asset, asset};
pub use export::{HTML_REPORTS, HtmlReport};
pub use layout::message_page;
pub use request::{DownloadFile, SiteRequest, SiteResponse};
pub use routes::{Site, repository_state, respond};
