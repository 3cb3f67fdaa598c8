//! Every parser of what git says and of the files that it keeps, at once: for whoever tries to
//! break them.

use crate::listing::{Leaf, records, words_and_path};
use crate::{ancestry, blobs, config, diff, log, oid, recent, refs, version};

/// Gives some bytes to every parser. What they make of them is of no interest; that they come
/// back is.
#[doc(hidden)]
pub fn read_all(bytes: &[u8]) {
    let _ = diff::parse(bytes);
    let config = config::Config::parse(bytes);
    let _ = (config.get("core.bare"), config.flag("core.bare"));
    let _ = version::Version::parse(&String::from_utf8_lossy(bytes));
    for line in bytes.split(|byte| *byte == b'\n') {
        let _ = ancestry::link(line);
        let _ = blobs::read_header(line, 1024);
        let _ = oid::Oid::from_digits(line);
        let _ = refs::branch_of(line).map(refs::text);
        let _ = log::Raw::parse(line);
    }
    for record in records(bytes) {
        if let Ok(([mode, digits, _], _)) = words_and_path("ls-files", record) {
            let _ = Leaf::parse(mode, digits);
        }
        let _ = log::Raw::parse(record);
    }
    let fields: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
    fields.chunks_exact(5).for_each(|commit| drop(recent::parse(commit)));
}
