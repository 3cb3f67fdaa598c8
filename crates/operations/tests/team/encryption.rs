//! A connection that leaves the machine is encrypted, and the server's certificate verified.

use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::Path;
use std::process::Command;

use base::ProblemCode;
use serde_json::json;
use testkit::TestRepo;
use testkit::postgres::PostgresServer;

/// Makes a certificate authority, and a key and a certificate for `db.test` signed by it; false
/// without `openssl`.
fn make_certificate(folder: &Path) -> bool {
    let authority = openssl(folder, "test-ca", "ca.key", "ca.pem", &[]);
    let signed = ["-CA", "ca.pem", "-CAkey", "ca.key"];
    let extensions =
        ["-addext", "basicConstraints=critical,CA:FALSE", "-addext", "subjectAltName=DNS:db.test"];
    authority && openssl(folder, "db.test", "key.pem", "cert.pem", &[signed, extensions].concat())
}

#[expect(clippy::disallowed_methods, reason = "a test makes its own certificate")]
fn openssl(folder: &Path, name: &str, key: &str, certificate: &str, more: &[&str]) -> bool {
    let made = Command::new("openssl")
        .current_dir(folder)
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj"])
        .args([&format!("/CN={name}"), "-keyout", key, "-out", certificate])
        .args(more)
        .output();
    made.is_ok_and(|made| made.status.success())
}

#[test]
fn another_machine_is_reached_over_verified_tls_only() {
    let folder = tempfile::tempdir().unwrap();
    let Some(server) = PostgresServer::start() else {
        return testskip::not_run("PostgreSQL is not installed; `cargo xtask test` installs it");
    };
    if !make_certificate(folder.path()) {
        return testskip::not_run("`openssl` is not installed");
    }
    let database = server.database();
    let repo = TestRepo::new("//- /a.ts\nexport const a = 1;\n");
    // The host name is not local, so TLS is required, although the address is that of this machine.
    let address = |more: &str| {
        let port = server.port();
        format!(
            "postgres://{}@db.test:{port}/{}?hostaddr=127.0.0.1{more}",
            database.owner, database.name
        )
    };
    let join = |more: &str| repo.call_op("team.join", json!({"address": address(more)}));
    let refused = join("").unwrap_err();
    assert_eq!(refused.code, ProblemCode::Unavailable, "the server has no TLS: {refused}");
    let (key, certificate) = (folder.path().join("key.pem"), folder.path().join("cert.pem"));
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    if rustix::process::getuid().is_root() {
        chown(&key, Some(65_534), Some(65_534)).unwrap();
    }
    let mut admin = server.admin("postgres").unwrap();
    for (name, file) in [("ssl_key_file", &key), ("ssl_cert_file", &certificate)] {
        admin.batch_execute(&format!("ALTER SYSTEM SET {name} = '{}'", file.display())).unwrap();
    }
    admin.batch_execute("ALTER SYSTEM SET ssl = on").unwrap();
    drop(admin);
    server.kill();
    server.run();
    let refused = join("").unwrap_err();
    assert_eq!(refused.code, ProblemCode::Unavailable, "nobody vouches for it: {refused}");
    assert!(refused.hints[0].to_string().contains("sslrootcert"), "{refused}");
    let authority = folder.path().join("ca.pem");
    let joined = join(&format!("&sslrootcert={}", authority.display()));
    assert!(joined.is_ok(), "{}", joined.unwrap_err());
    let other_name = address(&format!("&sslrootcert={}", certificate.display()))
        .replace("db.test", "db.example");
    let stranger = TestRepo::new("//- /a.ts\nexport const a = 1;\n");
    let refused = stranger.call_op("team.join", json!({"address": other_name})).unwrap_err();
    assert_eq!(refused.code, ProblemCode::Unavailable, "it has another name: {refused}");
}
