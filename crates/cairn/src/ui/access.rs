//! The one-time token, and the sessions that it opens.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, header};

/// The path at which the token is exchanged for a cookie.
pub(super) const OPEN_PATH: &str = "/open";

/// The field with the token.
const TOKEN_FIELD: &str = "token=";

/// Sessions at the same time; one more ends the oldest.
const MAX_SESSIONS: usize = 32;

/// Who may see the page.
pub(super) struct UiAccess {
    address: SocketAddr,
    keys: Mutex<UiKeys>,
}

struct UiKeys {
    /// The token that the next browser must send
    token: String,
    /// Hashes of the cookies that were issued
    sessions: Vec<blake3::Hash>,
}

/// A browser that has sent the token.
#[derive(Debug, Clone)]
pub(super) struct UiSession {
    /// The token in its forms, so that no other page can send one
    pub form_token: String,
}

impl UiAccess {
    /// Access to a server at an address, with a first token.
    pub(super) fn new(address: SocketAddr) -> Result<Self, getrandom::Error> {
        let keys = UiKeys { token: random_text()?, sessions: Vec::new() };
        Ok(Self { address, keys: Mutex::new(keys) })
    }

    /// The address that opens the page once.
    pub(super) fn address(&self) -> String {
        format!("http://{}{OPEN_PATH}?{TOKEN_FIELD}{}", self.address, self.keys().token)
    }

    fn keys(&self) -> std::sync::MutexGuard<'_, UiKeys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cookie for a browser that sends the token; `None` if the token is not the current one. A
    /// used token is replaced.
    pub(super) fn exchange(&self, query: &str) -> Result<Option<String>, getrandom::Error> {
        let shown = query.split('&').find_map(|pair| pair.strip_prefix(TOKEN_FIELD));
        let mut keys = self.keys();
        // Hashes are compared in constant time, so the time of the answer reveals nothing about the
        // token.
        let is_right = shown.is_some_and(|shown| {
            blake3::hash(shown.as_bytes()) == blake3::hash(keys.token.as_bytes())
        });
        if !is_right {
            return Ok(None);
        }
        keys.token = random_text()?;
        let session = random_text()?;
        if keys.sessions.len() >= MAX_SESSIONS {
            keys.sessions.remove(0);
        }
        keys.sessions.push(blake3::hash(session.as_bytes()));
        let name = self.cookie_name();
        Ok(Some(format!("{name}={session}; HttpOnly; SameSite=Strict; Path=/")))
    }

    /// Cookies are not separated by port, and several repositories may be open at the same time.
    fn cookie_name(&self) -> String {
        format!("cairn-ui-{}", self.address.port())
    }

    /// The session of a request, if its cookie was issued by this server.
    pub(super) fn session_of(&self, headers: &HeaderMap) -> Option<UiSession> {
        let name = self.cookie_name();
        let cookies =
            headers.get_all(header::COOKIE).into_iter().filter_map(|all| all.to_str().ok());
        let pairs =
            cookies.flat_map(|all| all.split(';')).filter_map(|one| one.trim().split_once('='));
        let shown = pairs.filter(|(key, _)| *key == name).map(|(_, value)| value);
        let keys = self.keys();
        for cookie in shown {
            let hash = blake3::hash(cookie.as_bytes());
            if keys.sessions.contains(&hash) {
                let form_token = blake3::derive_key("cairn ui form token", cookie.as_bytes());
                return Some(UiSession { form_token: hex::encode(&form_token[..16]) });
            }
        }
        None
    }
}

/// 32 random bytes as text.
fn random_text() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(hex::encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access() -> UiAccess {
        UiAccess::new(SocketAddr::from(([127, 0, 0, 1], 80))).unwrap()
    }

    fn query(access: &UiAccess) -> String {
        access.address().split_once('?').unwrap().1.to_owned()
    }

    fn cookie_header(cookie: &str) -> HeaderMap {
        let pair = cookie.split(';').next().unwrap();
        HeaderMap::from_iter([(header::COOKIE, format!("other=1; {pair}").parse().unwrap())])
    }

    #[test]
    fn a_token_works_once_and_its_cookie_as_long_as_the_server() {
        let access = access();
        let first = query(&access);
        let cookie = access.exchange(&first).unwrap().unwrap();
        assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"));
        assert_eq!(access.exchange(&first).unwrap(), None);
        assert!(access.session_of(&cookie_header(&cookie)).is_some());
        assert!(access.exchange(&query(&access)).unwrap().is_some());
    }

    #[test]
    fn a_wrong_token_or_cookie_opens_nothing() {
        let access = access();
        for wrong in ["", "token=", "token=00", "x=1"] {
            assert_eq!(access.exchange(wrong).unwrap(), None);
        }
        assert!(access.session_of(&HeaderMap::new()).is_none());
        assert!(access.session_of(&cookie_header("cairn-ui-80=guess")).is_none());
    }

    #[test]
    fn every_session_has_forms_of_its_own() {
        let access = access();
        let open = || {
            let cookie = access.exchange(&query(&access)).unwrap().unwrap();
            access.session_of(&cookie_header(&cookie)).unwrap().form_token
        };
        assert_ne!(open(), open());
    }
}
