//! The SQL that makes roles and databases for tests, and looks at what they hold.

/// Records of one project that hold what another one wrote, where each project has the name of its
/// writers.
pub(crate) const COUNT_FOREIGN_RECORDS: &str = "
    SELECT count(*) FROM cairn.records r JOIN cairn.projects p ON p.id = r.project, cairn.projects o
    WHERE o.id <> p.id AND r.body LIKE '%' || split_part(o.name, '-', 1) || '-%'";
/// Each project with the number of its last change and how many there are.
pub(crate) const COUNT_CHANGES: &str = "
    SELECT p.name, p.seq, (SELECT count(*) FROM cairn.changes c WHERE c.project = p.id) FROM cairn.projects p";

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
