//! The style sheet and the script. Their addresses hold a hash of their content, so that a browser
//! may keep them for good.

use std::sync::LazyLock;

/// Where assets are served.
pub const ASSET_PREFIX: &str = "/assets/";

/// A file that pages refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    /// The type, as HTTP names it
    pub content_type: &'static str,
    /// The content
    pub body: &'static str,
    /// Its address
    pub address: String,
}

/// The style sheet of every page.
pub(crate) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("page", "css", "text/css; charset=utf-8", include_str!("assets/page.css"))
});

/// The script of every page.
pub(crate) static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("page", "js", "text/javascript; charset=utf-8", include_str!("assets/page.js"))
});

/// The sign of the page in a browser's tab.
pub(crate) static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("icon", "svg", "image/svg+xml", include_str!("assets/icon.svg")));

impl Asset {
    fn new(name: &str, extension: &str, content_type: &'static str, body: &'static str) -> Self {
        let hash = blake3::hash(body.as_bytes()).to_hex();
        let address = format!("{ASSET_PREFIX}{name}-{}.{extension}", &hash[..12]);
        Self { content_type, body, address }
    }
}

/// The asset at an address.
pub fn asset(address: &str) -> Option<&'static Asset> {
    [&*STYLE, &*SCRIPT, &*ICON].into_iter().find(|asset| asset.address == address)
}
