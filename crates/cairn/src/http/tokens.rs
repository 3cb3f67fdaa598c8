//! The bearer tokens of a server: one without a name, or named ones with a scope and limits.
//!
//! A file of named tokens has one line each, `name:scope:hash`. The file has only hashes of tokens,
//! so that nobody who reads it can log in.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use base::{Problem, Result};

/// Maximum number of requests of one named token that run at the same time.
const MAX_RUNNING: usize = 32;

/// Maximum number of requests of one named token within [`WINDOW`].
const MAX_IN_WINDOW: usize = 3_000;

/// The time in which requests are counted.
const WINDOW: Duration = Duration::from_mins(1);

/// What a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenScope {
    /// Ask
    Read,
    /// Ask and change
    Write,
}

/// The tokens that a server accepts.
#[derive(Debug, Clone)]
pub struct TokenList(Arc<[AcceptedToken]>);

#[derive(Debug)]
struct AcceptedToken {
    /// `None` for the one token without a name
    name: Option<String>,
    scope: TokenScope,
    hash: blake3::Hash,
    use_count: TokenUse,
}

/// How much a token is used.
#[derive(Debug, Default)]
struct TokenUse {
    running: AtomicUsize,
    window: Mutex<Option<RequestWindow>>,
}

#[derive(Debug)]
struct RequestWindow {
    began: Instant,
    count: usize,
}

/// The identity of the sender of a request.
#[derive(Debug, Clone)]
pub(crate) struct TokenIdentity {
    /// The token's name; `None` for the one without a name
    pub(crate) name: Option<String>,
    /// What it may do
    pub(crate) scope: TokenScope,
    list: TokenList,
    index: usize,
}

/// A request that counts against the limit of its token until it is dropped.
pub(super) struct RunningRequest(TokenIdentity);

impl TokenList {
    /// One token without a name and with all rights.
    pub fn of_one(token: &str) -> Self {
        let hash = blake3::hash(token.as_bytes());
        Self(Arc::new([AcceptedToken {
            name: None,
            scope: TokenScope::Write,
            hash,
            use_count: TokenUse::default(),
        }]))
    }

    /// Named tokens, from the text of their file. Empty lines and those that start with `#` are
    /// skipped.
    pub fn parse(text: &str) -> Result<Self> {
        let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let mut tokens = Vec::new();
        let mut names = BTreeSet::new();
        for (number, line) in lines {
            let token = parse_line(line).map_err(|why| {
                Problem::invalid(format!("line {number} of the tokens: {why}"))
                    .hint("each line must be  name:scope:hash ; `cairn token NAME` prints one")
            })?;
            if !names.insert(token.name.clone()) {
                let name = token.name.unwrap_or_default();
                return Err(Problem::invalid(format!("two tokens are called `{name}`")));
            }
            tokens.push(token);
        }
        match tokens.is_empty() {
            true => Err(Problem::invalid("the file names no token")
                .hint("`cairn token NAME` prints a line for it")),
            false => Ok(Self(tokens.into())),
        }
    }

    /// The identity of a token. Hashes are compared in constant time, so the time of the answer
    /// reveals nothing.
    pub(super) fn identify(&self, token: &str) -> Option<TokenIdentity> {
        let hash = blake3::hash(token.as_bytes());
        let index = self.0.iter().position(|accepted| accepted.hash == hash)?;
        let AcceptedToken { name, scope, .. } = &self.0[index];
        Some(TokenIdentity { name: name.clone(), scope: *scope, list: self.clone(), index })
    }
}

impl TokenIdentity {
    /// Whether it may only ask.
    pub(crate) fn is_read_only(&self) -> bool {
        self.scope == TokenScope::Read
    }

    /// Counts one more request; `None` if the token has reached its limit.
    pub(super) fn begin(&self) -> Option<RunningRequest> {
        let token = &self.list.0[self.index];
        if token.name.is_some() && !token.use_count.may_begin() {
            return None;
        }
        token.use_count.running.fetch_add(1, Ordering::Relaxed);
        Some(RunningRequest(self.clone()))
    }
}

impl TokenUse {
    fn may_begin(&self) -> bool {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        let current = window.take().filter(|window| window.began.elapsed() < WINDOW);
        let current = current.unwrap_or(RequestWindow { began: Instant::now(), count: 0 });
        let may =
            current.count < MAX_IN_WINDOW && self.running.load(Ordering::Relaxed) < MAX_RUNNING;
        *window = Some(RequestWindow { count: current.count + usize::from(may), ..current });
        may
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        let token = &self.0.list.0[self.0.index];
        token.use_count.running.fetch_sub(1, Ordering::Relaxed);
    }
}

fn parse_line(line: &str) -> std::result::Result<AcceptedToken, String> {
    let parts: Vec<&str> = line.split(':').collect();
    let [name, scope, hash] = parts[..] else { return Err("it does not have three parts".into()) };
    let is_fine = !name.is_empty() && name.len() <= 100 && !name.contains(char::is_control);
    if !is_fine {
        return Err("a name must have 1 to 100 characters".into());
    }
    let scope = parse_scope(scope)?;
    let hash = blake3::Hash::from_hex(hash.trim())
        .map_err(|_| "the hash is not 64 hex digits".to_owned())?;
    Ok(AcceptedToken { name: Some(name.to_owned()), scope, hash, use_count: TokenUse::default() })
}

/// The scope of this name.
pub(crate) fn parse_scope(text: &str) -> std::result::Result<TokenScope, String> {
    match text {
        "read" => Ok(TokenScope::Read),
        "write" => Ok(TokenScope::Write),
        other => Err(format!("`{other}` is not a scope: read or write")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, scope: &str, token: &str) -> String {
        format!("{name}:{scope}:{}", blake3::hash(token.as_bytes()))
    }

    #[test]
    fn a_token_is_known_by_its_hash() {
        let text =
            format!("# team\n\n{}\n{}\n", line("ada", "write", "one"), line("bot", "read", "two"));
        let tokens = TokenList::parse(&text).unwrap();
        let ada = tokens.identify("one").unwrap();
        assert_eq!((ada.name.as_deref(), ada.is_read_only()), (Some("ada"), false));
        let bot = tokens.identify("two").unwrap();
        assert_eq!((bot.name.as_deref(), bot.is_read_only()), (Some("bot"), true));
        assert!(tokens.identify("three").is_none());
        assert!(tokens.identify(&blake3::hash(b"one").to_string()).is_none());
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        let refused = |text: &str| TokenList::parse(text).unwrap_err().message;
        assert_eq!(refused("a:write"), "line 1 of the tokens: it does not have three parts");
        assert_eq!(
            refused("\na:admin:00"),
            "line 2 of the tokens: `admin` is not a scope: read or write"
        );
        assert_eq!(refused("a:read:00"), "line 1 of the tokens: the hash is not 64 hex digits");
        assert_eq!(refused("# none"), "the file names no token");
        let twice = format!("{}\n{}", line("a", "read", "1"), line("a", "read", "2"));
        assert_eq!(refused(&twice), "two tokens are called `a`");
    }

    #[test]
    fn a_named_token_has_limits() {
        let tokens = TokenList::parse(&line("ada", "write", "one")).unwrap();
        let ada = tokens.identify("one").unwrap();
        let running: Vec<_> = (0..MAX_RUNNING).filter_map(|_| ada.begin()).collect();
        assert_eq!(running.len(), MAX_RUNNING);
        assert!(ada.begin().is_none());
        drop(running);
        assert!((0..MAX_IN_WINDOW).filter_map(|_| ada.begin()).count() < MAX_IN_WINDOW);
        let nobody = TokenList::of_one("one").identify("one").unwrap();
        assert_eq!(
            (0..2 * MAX_IN_WINDOW).filter_map(|_| nobody.begin()).count(),
            2 * MAX_IN_WINDOW
        );
    }
}
