//! The address of a team's database: `postgres://user@host:port/database`, always without a
//! password.

use std::path::PathBuf;
use std::str::FromStr;

use base::Problem;
use postgres::config::Host;

/// The parameter that names a file with the certificates that a server is verified with.
const ROOT_CERTIFICATE: &str = "sslrootcert";

/// The value of that parameter for the certificates of the system, which are used anyway.
const SYSTEM_CERTIFICATES: &str = "system";

/// The parameter that says how a connection is encrypted, as providers write it into their addresses. It changes
/// nothing here: a connection that leaves the machine is encrypted and verified whatever it says.
const MODE: &str = "sslmode";

/// The address of the database and the role that logs in.
#[derive(Debug, Clone)]
pub struct TeamAddress {
    text: String,
    config: postgres::Config,
    root_certificate: Option<PathBuf>,
}

impl TeamAddress {
    /// The address as it was given; it has no password.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The settings of a connection, without a password.
    pub(crate) fn config(&self) -> postgres::Config {
        self.config.clone()
    }

    /// A file with certificates besides those that the system trusts.
    pub(crate) fn root_certificate(&self) -> Option<&PathBuf> {
        self.root_certificate.as_ref()
    }

    /// Whether the connection does not leave the machine, so that it needs no encryption.
    pub fn is_local(&self) -> bool {
        let is_loopback = |name: &str| {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
        };
        let is_local = |host: &Host| match host {
            Host::Tcp(name) if !is_loopback(name) => false,
            // A loopback address, or a socket in the file system, which Windows does not have.
            _ => true,
        };
        self.config.get_hosts().iter().all(is_local)
            && self.config.get_hostaddrs().iter().all(std::net::IpAddr::is_loopback)
    }

    /// The host, for messages and `.pgpass`.
    pub fn host(&self) -> String {
        match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            _ => "localhost".into(),
        }
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.config.get_ports().first().copied().unwrap_or(5432)
    }

    /// The database.
    pub fn database(&self) -> &str {
        self.config.get_dbname().or(self.config.get_user()).unwrap_or("postgres")
    }

    /// The role that logs in, if the address names one.
    pub fn user(&self) -> Option<&str> {
        self.config.get_user()
    }
}

impl FromStr for TeamAddress {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let expected = "write it as  postgres://USER@HOST:PORT/DATABASE";
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(
                Problem::invalid("the address is not that of a PostgreSQL database").hint(expected)
            );
        }
        let (kept, root_certificate) = take_encryption(text);
        if let Some(file) = root_certificate.as_ref().filter(|file| file.is_relative()) {
            let what = format!(
                "`{ROOT_CERTIFICATE}={}` means another file in every folder",
                file.display()
            );
            return Err(Problem::invalid(what).hint("write the whole path of the file"));
        }
        let config: postgres::Config = kept.parse().map_err(|error: postgres::Error| {
            Problem::invalid("the address cannot be read").hint(expected).with_source(error)
        })?;
        if config.get_password().is_some() {
            return Err(Problem::invalid("the address contains a password, which would be stored and shown")
                .hint("leave it out; set PGPASSWORD, add a line to ~/.pgpass, or name a private file in CAIRN_TEAM_PASSWORD_FILE"));
        }
        Ok(Self { text: text.to_owned(), config, root_certificate })
    }
}

/// Splits the address from the parameters about encryption, which the driver does not understand. Returns the rest
/// and the file with certificates.
fn take_encryption(text: &str) -> (String, Option<PathBuf>) {
    let Some((start, query)) = text.split_once('?') else { return (text.to_owned(), None) };
    let (mut others, mut file) = (Vec::new(), None);
    for parameter in query.split('&') {
        match parameter.split_once('=') {
            Some((ROOT_CERTIFICATE, SYSTEM_CERTIFICATES) | (MODE, _)) => {}
            Some((ROOT_CERTIFICATE, value)) => {
                let value = percent_encoding::percent_decode_str(value).decode_utf8_lossy();
                file = file.or_else(|| Some(PathBuf::from(value.into_owned())));
            }
            _ => others.push(parameter),
        }
    }
    let rest = if others.is_empty() { String::new() } else { format!("?{}", others.join("&")) };
    (format!("{start}{rest}"), file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_no_password_and_knows_whether_it_is_local() {
        let parse = |text: &str| text.parse::<TeamAddress>();
        for local in [
            "postgres://ada@localhost/x",
            "postgresql://127.0.0.1:99/x",
            "postgres://ada@%2Ftmp%2Fsock/x",
            "postgres://[::1]/x",
        ] {
            assert!(parse(local).unwrap().is_local(), "{local}");
        }
        for remote in [
            "postgres://ada@db.example.com/x",
            "postgres://10.0.0.1/x",
            "postgres://localhost,db.example.com/x",
        ] {
            assert!(!parse(remote).unwrap().is_local(), "{remote}");
        }
        assert!(
            parse("postgres://ada:secret@localhost/x").unwrap_err().message.contains("password")
        );
        assert!(
            parse("postgres://ada@localhost/x?password=secret")
                .unwrap_err()
                .message
                .contains("password")
        );
        assert!(parse("http://localhost/x").is_err());
        let named =
            parse("postgres://db.example.com/x?sslrootcert=%2Fetc%2Fca.pem&connect_timeout=3")
                .unwrap();
        assert_eq!(named.root_certificate().unwrap().to_str(), Some("/etc/ca.pem"));
        // As providers write addresses; what they say of encryption is done anyway.
        for mode in ["disable", "require", "verify-full&sslrootcert=system"] {
            let text =
                format!("postgres://db.example.com/x?sslmode={mode}&channel_binding=require");
            assert!(!parse(&text).unwrap().is_local(), "{text}");
        }
        // Another command may run in another folder.
        let relative = parse("postgres://db.example.com/x?sslrootcert=ca.pem").unwrap_err();
        assert!(relative.message.contains("sslrootcert=ca.pem"), "{relative}");
    }
}
