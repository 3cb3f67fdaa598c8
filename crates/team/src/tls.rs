//! Encryption of a connection that leaves the machine: always on, always verified.

use std::path::Path;
use std::sync::Arc;

use base::{Problem, Result};
use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use rustls_platform_verifier::Verifier;
use tokio_postgres_rustls::MakeRustlsConnect;

/// The connector that verifies the server by the certificates of the system and those of a file.
pub(crate) fn connector(root_certificate: Option<&Path>) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(ring::default_provider());
    let failed =
        |error: rustls::Error| Problem::internal("TLS cannot be set up").with_source(error);
    let extra = root_certificate.map(read_certificates).transpose()?.unwrap_or_default();
    let verifier = Verifier::new_with_extra_roots(extra, provider.clone()).map_err(failed)?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(failed)?
        .dangerous() // the name of the method that takes a verifier; this one verifies
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn read_certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let failed = |error: rustls_pki_types::pem::Error| {
        Problem::invalid(format!("{} has no certificate that can be read", file.display()))
            .with_source(error)
    };
    CertificateDer::pem_file_iter(file).map_err(failed)?.collect::<Result<_, _>>().map_err(failed)
}
