//! Archives that are the same bytes for the same content: no clock, no owner, sorted by name.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::write::SimpleFileOptions;

use crate::run::XtaskResult;

/// A file in an archive.
#[derive(Debug)]
pub(super) struct ArchivedFile {
    /// Its path in the archive, with `/`
    pub path: String,
    /// Its content
    pub bytes: Vec<u8>,
    /// Whether it can be run
    pub is_program: bool,
}

impl ArchivedFile {
    pub(super) fn text(path: impl Into<String>, text: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), bytes: text.into(), is_program: false }
    }

    pub(super) fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), bytes: bytes.into(), is_program: true }
    }

    const fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

/// A zip file.
pub(super) fn zip(files: &[ArchivedFile]) -> XtaskResult<Vec<u8>> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for file in files {
        let options = SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Deflated)
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(file.mode());
        writer.start_file(&file.path, options).map_err(|error| error.to_string())?;
        writer.write_all(&file.bytes).map_err(|error| error.to_string())?;
    }
    let written = writer.finish().map_err(|error| error.to_string())?;
    Ok(written.into_inner())
}

/// A tar file, compressed with gzip.
pub(super) fn tar_gz(files: &[ArchivedFile]) -> XtaskResult<Vec<u8>> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for file in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(file.bytes.len() as u64);
        header.set_mode(file.mode());
        header.set_mtime(0);
        let bytes = file.bytes.as_slice();
        builder.append_data(&mut header, &file.path, bytes).map_err(|error| error.to_string())?;
    }
    let encoder = builder.into_inner().map_err(|error| error.to_string())?;
    encoder.finish().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_content_is_the_same_bytes() {
        let files = || vec![ArchivedFile::text("a", "1"), ArchivedFile::program("b/c", "2")];
        assert_eq!(zip(&files()).unwrap(), zip(&files()).unwrap());
        assert_eq!(tar_gz(&files()).unwrap(), tar_gz(&files()).unwrap());
    }
}
