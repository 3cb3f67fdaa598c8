//! A request to the page and its response, free of any HTTP library.

use percent_encoding::percent_decode_str;

/// What was asked for.
#[derive(Debug, Clone, Default)]
pub struct SiteRequest {
    /// The path, still encoded, such as `/file/src/a.rs`
    pub path: String,
    /// The query without its `?`, still encoded
    pub query: String,
    /// The fields of a posted form, still encoded
    pub form: Option<String>,
    /// The value that forms of this session carry against forgery
    pub form_token: String,
}

/// What is sent back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SiteResponse {
    /// A page
    Html {
        /// The HTTP status
        status: u16,
        /// The document
        body: String,
    },
    /// A file to save
    Download(DownloadFile),
    /// The browser should load another address
    Redirect(String),
}

/// A file that a browser saves instead of showing it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadFile {
    /// The name to save it as
    pub name: &'static str,
    /// The type, as HTTP names it
    pub content_type: &'static str,
    /// The content
    pub body: String,
}

impl DownloadFile {
    /// A table for other programs.
    pub(crate) fn csv(name: &'static str, body: impl Into<String>) -> Self {
        Self { name, content_type: "text/csv; charset=utf-8", body: body.into() }
    }

    /// A document that needs no server.
    pub(crate) fn html(name: &'static str, body: impl Into<String>) -> Self {
        Self { name, content_type: "text/html; charset=utf-8", body: body.into() }
    }
}

impl SiteRequest {
    /// The first part of the path, and the rest of it, decoded.
    pub(crate) fn route(&self) -> (String, String) {
        let path = self.path.trim_start_matches('/');
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        (decode(first), decode(rest))
    }

    /// A field of the query; empty fields do not count.
    pub(crate) fn param(&self, name: &str) -> Option<String> {
        self.params(name).into_iter().next()
    }

    /// Every value of a field of the query.
    pub(crate) fn params(&self, name: &str) -> Vec<String> {
        pairs(&self.query).filter(|(key, _)| key == name).map(|(_, value)| value).collect()
    }

    /// A number in the query.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.param(name)?.parse().ok()
    }

    /// All fields of the posted form.
    pub(crate) fn fields(&self) -> Vec<(String, String)> {
        pairs(self.form.as_deref().unwrap_or_default()).collect()
    }

    /// A field of the posted form.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        self.fields().into_iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// This address with one field of its query replaced.
    pub(crate) fn with_param(&self, name: &str, value: &str) -> String {
        let kept = pairs(&self.query).filter(|(key, _)| key != name && key != DONE);
        let all = kept.chain([(name.to_owned(), value.to_owned())]);
        let query: Vec<String> = all.map(|(key, value)| query_pair(&key, &value)).collect();
        format!("{}?{}", self.path, query.join("&"))
    }

    /// This address, without what a change has added to it.
    pub(crate) fn address(&self) -> String {
        let kept = pairs(&self.query).filter(|(key, _)| key != DONE);
        let query: Vec<String> = kept.map(|(key, value)| query_pair(&key, &value)).collect();
        if query.is_empty() {
            self.path.clone()
        } else {
            format!("{}?{}", self.path, query.join("&"))
        }
    }
}

/// The field that names the change that led to an address.
pub(crate) const DONE: &str = "done";

/// A field of a query, encoded.
pub(crate) fn query_pair(key: &str, value: &str) -> String {
    format!("{}={}", crate::links::encode(key), crate::links::encode(value))
}

fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// The fields of an encoded query or form that have a value.
fn pairs(query: &str) -> impl Iterator<Item = (String, String)> + '_ {
    query.split('&').filter_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        let plain = |text: &str| decode(&text.replace('+', " "));
        (!value.is_empty()).then(|| (plain(key), plain(value)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str, query: &str) -> SiteRequest {
        SiteRequest { path: path.into(), query: query.into(), ..SiteRequest::default() }
    }

    #[test]
    fn a_path_is_taken_apart_and_decoded() {
        let asked = request("/symbol/src/a%20b.rs%23Session.open", "");
        assert_eq!(asked.route(), ("symbol".into(), "src/a b.rs#Session.open".into()));
        assert_eq!(request("/", "").route(), (String::new(), String::new()));
    }

    #[test]
    fn fields_of_a_query_are_decoded_and_replaced() {
        let asked = request("/search", "q=a+b%26c&offset=50&empty=&done=7");
        assert_eq!(asked.param("q").as_deref(), Some("a b&c"));
        assert_eq!(asked.param("empty"), None);
        assert_eq!(asked.with_param("offset", "100"), "/search?q=a%20b%26c&offset=100");
        assert_eq!(asked.address(), "/search?q=a%20b%26c&offset=50");
    }
}
