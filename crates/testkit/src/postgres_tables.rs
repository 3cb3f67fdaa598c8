//! The SQL that makes roles and databases for tests.

/// Makes a role that may make others.
pub(crate) fn create_owner(name: &str) -> String {
    format!("CREATE ROLE {name} LOGIN CREATEROLE")
}

/// Makes a database.
pub(crate) fn create_database(name: &str, owner: &str) -> String {
    format!("CREATE DATABASE {name} OWNER {owner}")
}

/// Gives a role a password.
pub(crate) fn set_password(role: &str, password: &str) -> String {
    format!("ALTER ROLE {role} PASSWORD '{password}'")
}
