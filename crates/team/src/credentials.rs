//! The password of a login: from the environment, a private file, or `.pgpass`. It is never read
//! from a committed file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use base::{Problem, ProblemCode, Result};
use platform::UserAccess;

use crate::address::TeamAddress;

/// The environment variables with the password, by precedence.
const PASSWORD: [&str; 2] = ["CAIRN_TEAM_PASSWORD", "PGPASSWORD"];

/// The variable that names a private file with the password and nothing else.
const PASSWORD_FILE: &str = "CAIRN_TEAM_PASSWORD_FILE";

/// Maximum size of a password file, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// The places where a password is looked up.
#[derive(Debug, Clone)]
pub struct CredentialSources<'a> {
    /// The environment that the door was started with
    pub env: &'a [(OsString, OsString)],
}

impl CredentialSources<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        let found = self.env.iter().find(|(key, _)| key == name);
        found
            .map(|(_, value)| value.to_string_lossy().into_owned())
            .filter(|value| !value.is_empty())
    }

    /// The password for an address; `None` if there is none, as for a trusted local socket.
    pub(crate) fn password(&self, address: &TeamAddress, user: &str) -> Result<Option<String>> {
        if let Some(password) = PASSWORD.iter().find_map(|name| self.variable(name)) {
            return Ok(Some(password));
        }
        if let Some(file) = self.variable(PASSWORD_FILE) {
            let text = read_private(Path::new(&file))?;
            return Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()));
        }
        let Some(file) = self.pgpass() else { return Ok(None) };
        if !file.exists() {
            return Ok(None);
        }
        Ok(find_in_pgpass(&read_private(&file)?, address, user))
    }

    fn pgpass(&self) -> Option<PathBuf> {
        let home = || Some(PathBuf::from(self.variable("HOME")?).join(".pgpass"));
        self.variable("PGPASSFILE").map(PathBuf::from).or_else(home)
    }

    /// The role that logs in where the address names none.
    pub(crate) fn user(&self) -> Option<String> {
        ["PGUSER", "USER", "LOGNAME"].iter().find_map(|name| self.variable(name))
    }
}

/// Reads a file that nobody else may read.
fn read_private(file: &Path) -> Result<String> {
    let failed = || Problem::io(format!("read {}", file.display()));
    let known = std::fs::metadata(file).map_err(failed())?;
    if let Some(UserAccess::OthersCan(_)) = platform::foreign_access(&known) {
        let what = format!("others can read the passwords in {}", file.display());
        return Err(Problem::new(ProblemCode::Untrusted, what)
            .hint(format!("run  chmod 600 {}", file.display())));
    }
    let bytes = tree::read_regular(file, MAX_FILE_BYTES).map_err(failed())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The password of the first line `host:port:database:user:password` that matches; `*` matches
/// everything.
fn find_in_pgpass(text: &str, address: &TeamAddress, user: &str) -> Option<String> {
    let (host, port) = (address.host(), address.port().to_string());
    let wanted = [host.as_str(), port.as_str(), address.database(), user];
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = split_fields(line);
        let (password, keys) = fields.split_last()?;
        let fits = keys.len() == wanted.len()
            && keys.iter().zip(wanted).all(|(key, wanted)| key == "*" || key == wanted);
        fits.then(|| password.clone())
    })
}

/// Splits a line at colons. A backslash escapes the next character.
fn split_fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        let taken = match char {
            ':' => {
                fields.push(String::new());
                continue;
            }
            '\\' => chars.next().unwrap_or('\\'),
            other => other,
        };
        if let Some(last) = fields.last_mut() {
            last.push(taken);
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_pgpass_fits_by_its_first_four_fields() {
        let address: TeamAddress = "postgres://ada@db.example.com:5433/home".parse().unwrap();
        let text = "# comment\nother:5433:home:ada:wrong\n*:5433:home:ada:a\\:b\\\\c\n*:*:*:*:late";
        assert_eq!(find_in_pgpass(text, &address, "ada").as_deref(), Some("a:b\\c"));
        assert_eq!(find_in_pgpass(text, &address, "eve").as_deref(), Some("late"));
        assert_eq!(find_in_pgpass("db.example.com:1:home:ada:x", &address, "ada"), None);
    }
}
