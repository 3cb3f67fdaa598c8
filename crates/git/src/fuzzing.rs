//! Runs all parsers of git's output and of git's files on arbitrary bytes, for fuzzing.

use crate::listing::{TreeObject, records, split_record};
use crate::{ancestry, blobs, config, diff, log, oid, recent, refs, version};

/// Gives some bytes to every parser. Results are dropped: parsers must only return without a
/// panic.
pub fn parse_with_all(bytes: &[u8]) {
    let _ = diff::parse_raw_diff(bytes);
    let config = config::GitConfig::parse(bytes);
    let _ = (config.get("core.bare"), config.get_bool("core.bare"));
    let _ = version::GitVersion::parse(&String::from_utf8_lossy(bytes));
    for line in bytes.split(|byte| *byte == b'\n') {
        let _ = ancestry::parse_commit_parents(line);
        let _ = blobs::read_header(line, 1024);
        let _ = oid::Oid::from_hex(line);
        let _ = refs::branch_of(line).map(refs::display_name);
        let _ = log::RawDiffRecord::parse(line);
    }
    for record in records(bytes) {
        if let Ok(([mode, digits, _], _)) = split_record("ls-files", record) {
            let _ = TreeObject::parse(mode, digits);
        }
        let _ = log::RawDiffRecord::parse(record);
    }
    let fields: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
    fields.chunks_exact(6).for_each(|commit| drop(recent::parse_commit(commit)));
}
