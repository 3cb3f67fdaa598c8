//! Checks requests: loopback `Host`, known `Origin`, bearer token.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Extension, Json, Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base::{Problem, ProblemCode};
use operations::CallFormat;

use super::connections::ConnectionHandle;
use super::tokens::{TokenIdentity, TokenList};

/// Which `Host` and `Origin` a server answers to. A page whose host name was made to resolve to
/// this server (DNS rebinding) must not read answers.
pub(crate) struct AddressGuard {
    /// Whether the server is bound to every address. Then any host name is accepted, and only the
    /// token decides
    any_host: bool,
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl AddressGuard {
    /// The guard of a server at an address.
    pub(crate) fn new(address: SocketAddr) -> Self {
        let port = address.port();
        let mut hosts =
            ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")).to_vec();
        if !address.ip().is_loopback() {
            hosts.push(address.to_string());
        }
        let origins = hosts.iter().map(|host| format!("http://{host}")).collect();
        Self { any_host: address.ip().is_unspecified(), hosts, origins }
    }

    /// Also answers to a name under which the port is forwarded, with or without a port.
    pub(crate) fn allow_host(&mut self, host: &str) {
        self.hosts.push(host.to_owned());
        self.origins.extend([format!("http://{host}"), format!("https://{host}")]);
    }

    /// Whether the request was meant for this server and was not sent by a page of another server.
    pub(crate) fn accepts(&self, headers: &HeaderMap) -> bool {
        let text = |name: HeaderName| headers.get(name).map(|v| v.to_str().unwrap_or_default());
        let listed = |list: &[String], value: &str| list.iter().any(|entry| entry == value);
        let host = text(header::HOST);
        host.is_some_and(|host| self.any_host || listed(&self.hosts, host))
            && text(header::ORIGIN).is_none_or(|origin| listed(&self.origins, origin))
    }
}

/// Decides which requests are accepted.
pub(super) struct RequestGuard {
    address: AddressGuard,
    tokens: TokenList,
}

impl RequestGuard {
    /// The guard of a server at an address, which proxies forward to under other names.
    pub(super) fn new(address: SocketAddr, names: &[String], tokens: TokenList) -> Self {
        let mut address = AddressGuard::new(address);
        for name in names {
            address.allow_host(name);
        }
        Self { address, tokens }
    }

    /// The origins that requests may come from.
    pub(super) fn origins(&self) -> &[String] {
        &self.address.origins
    }

    fn check(&self, headers: &HeaderMap) -> Result<TokenIdentity, StatusCode> {
        if !self.address.accepts(headers) {
            return Err(StatusCode::FORBIDDEN);
        }
        let token = headers.get(header::AUTHORIZATION);
        let token = token.map(|value| value.to_str().unwrap_or_default()).and_then(bearer_token);
        token.and_then(|token| self.tokens.identify(token)).ok_or(StatusCode::UNAUTHORIZED)
    }
}

/// The token of an `Authorization` header. The name of the scheme is written in any case.
fn bearer_token(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| token.trim_start())
}

/// Lets a request pass, or answers it. A connection that once sent the token counts as
/// authenticated.
pub(super) async fn authorize(
    State(guard): State<Arc<RequestGuard>>,
    Extension(visitor): Extension<ConnectionHandle>,
    mut request: Request,
    next: Next,
) -> Response {
    match guard.check(request.headers()) {
        Ok(identity) if visitor.try_authenticate() => {
            if let Some(_running) = identity.begin() {
                request.extensions_mut().insert(identity);
                next.run(request).await
            } else {
                let problem = Problem::new(ProblemCode::Busy, "this token sends too many requests")
                    .hint("send fewer at once, or wait a minute");
                let wait = [(header::RETRY_AFTER, "5")];
                (StatusCode::TOO_MANY_REQUESTS, wait, Json(CallFormat::Http.json(&Err(problem))))
                    .into_response()
            }
        }
        Ok(_) => {
            let problem = Problem::new(ProblemCode::Busy, "too many connections are open")
                .hint("close some, or use one for several requests");
            (StatusCode::SERVICE_UNAVAILABLE, Json(CallFormat::Http.json(&Err(problem))))
                .into_response()
        }
        Err(StatusCode::UNAUTHORIZED) => {
            let problem = Problem::new(ProblemCode::Untrusted, "no bearer token, or a wrong one")
                .hint("send  Authorization: Bearer TOKEN");
            let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
            (StatusCode::UNAUTHORIZED, challenge, Json(CallFormat::Http.json(&Err(problem))))
                .into_response()
        }
        Err(status) => {
            let problem =
                Problem::new(ProblemCode::Untrusted, "another Host or Origin than this server's")
                    .hint("behind a proxy, start the server with  --allow-host NAME  or, for a port of its own,  --allow-host NAME:PORT");
            (status, Json(CallFormat::Http.json(&Err(problem)))).into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_checks_host_then_origin_then_token() {
        let address = SocketAddr::from(([127, 0, 0, 1], 80));
        let check = |host: &str, origin: &str, token: &str| {
            let named =
                [(header::HOST, host), (header::ORIGIN, origin), (header::AUTHORIZATION, token)];
            let given = named.into_iter().filter(|(_, value)| !value.is_empty());
            let headers = given.map(|(name, value)| (name, value.parse().unwrap())).collect();
            let guard = RequestGuard::new(address, &[], TokenList::of_one("secret"));
            guard.check(&headers).map(drop).map_err(|status| status.as_u16())
        };
        let (host, good) = ("127.0.0.1:80", "Bearer secret");
        assert_eq!(check(host, "", good), Ok(()));
        assert_eq!(check(host, "http://localhost:80", good), Ok(()));
        assert_eq!(check(host, "", "bearer secret"), Ok(()));
        assert_eq!(check(host, "", "BEARER  secret"), Ok(()));
        assert_eq!(check(host, "", "Basic secret"), Err(401));
        assert_eq!(check(host, "", ""), Err(401));
        assert_eq!(check(host, "", "Bearer guess"), Err(401));
        assert_eq!(check(host, "http://evil.example", good), Err(403));
        assert_eq!(check(host, "null", good), Err(403));
        assert_eq!(check("evil.example:80", "", good), Err(403));
        assert_eq!(check("", "", good), Err(403));
    }
}
