//! Reads SCIP indexes: which symbols the tests of a project refer to.
//!
//! Only the fields that are needed are decoded from the protobuf bytes; the others are skipped, as the
//! format requires of its readers.

use std::collections::BTreeMap;

use base::RepoPath;

use super::{CodeLookup, ImportedReport, ReportImporter, test_id};

/// Definitions and references.
pub(super) struct ScipImporter;

const ROLE_DEFINITION: u64 = 1;
const ROLE_TEST: u64 = 0x20;

impl ReportImporter for ScipImporter {
    fn name(&self) -> &'static str {
        "scip"
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        // Metadata comes first, and starts with the tool that wrote it or its version.
        matches!(bytes, [0x0a, _, 0x08 | 0x12, ..])
    }

    fn import(
        &self,
        bytes: &[u8],
        _: &str,
        code: &dyn CodeLookup,
    ) -> Result<ImportedReport, String> {
        let mut documents = Vec::new();
        for (number, value) in fields(bytes)? {
            if let (2, ProtobufValue::Bytes(bytes)) = (number, value) {
                documents.push(ScipDocument::read(bytes)?);
            }
        }
        let mut defined: BTreeMap<&str, String> = BTreeMap::new();
        let mut out = ImportedReport::default();
        for document in &documents {
            let Some(path) = code.path(&document.path) else {
                out.unresolved += 1;
                continue;
            };
            for occurrence in document.definitions() {
                if let Some(handle) = code.at(&path, occurrence.line()) {
                    defined.insert(&occurrence.symbol, handle);
                }
            }
        }
        for document in &documents {
            let Some(path) = code.path(&document.path) else { continue };
            document.tests(&path, &defined, code, &mut out);
        }
        Ok(out)
    }
}

#[derive(Default)]
struct ScipDocument {
    path: String,
    occurrences: Vec<ScipOccurrence>,
}

#[derive(Default)]
struct ScipOccurrence {
    range: Vec<u64>,
    enclosing: Vec<u64>,
    symbol: String,
    roles: u64,
}

impl ScipDocument {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut document = Self::default();
        for (number, value) in fields(bytes)? {
            match (number, value) {
                (1, ProtobufValue::Bytes(bytes)) => document.path = text(bytes),
                (2, ProtobufValue::Bytes(bytes)) => {
                    document.occurrences.push(ScipOccurrence::read(bytes)?);
                }
                _ => {}
            }
        }
        Ok(document)
    }

    fn definitions(&self) -> impl Iterator<Item = &ScipOccurrence> {
        let global = |occurrence: &&ScipOccurrence| !occurrence.symbol.starts_with("local ");
        self.occurrences.iter().filter(global).filter(|o| o.roles & ROLE_DEFINITION != 0)
    }

    /// Adds the tests of this document, and the symbols that each refers to. `defined` has the handles
    /// of symbols by their SCIP names.
    fn tests(
        &self,
        path: &RepoPath,
        defined: &BTreeMap<&str, String>,
        code: &dyn CodeLookup,
        out: &mut ImportedReport,
    ) {
        let in_tests = syntax::is_test_file(path);
        for test in self.definitions() {
            let is_test = test.roles & ROLE_TEST != 0 || in_tests;
            let (Some(last), true) = (test.last_line(), is_test) else { continue };
            let Some(handle) = code.at(path, test.line()) else { continue };
            let lines = test.line()..=last;
            let within = self
                .occurrences
                .iter()
                .filter(|o| o.roles & ROLE_DEFINITION == 0 && lines.contains(&o.line()));
            let named: Vec<&String> = within
                .filter_map(|o| defined.get(o.symbol.as_str()))
                .filter(|h| **h != handle)
                .collect();
            if named.is_empty() {
                continue;
            }
            let title = handle.trim_start_matches("symbol:");
            let id = test_id(title);
            out.add_test(&id, title, "pending");
            for symbol in named {
                out.add_coverage(symbol, &id);
            }
        }
    }
}

impl ScipOccurrence {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut occurrence = Self::default();
        for (number, value) in fields(bytes)? {
            match (number, value) {
                (1, ProtobufValue::Bytes(bytes)) => occurrence.range = numbers(bytes)?,
                (2, ProtobufValue::Bytes(bytes)) => occurrence.symbol = text(bytes),
                (3, ProtobufValue::Number(roles)) => occurrence.roles = roles,
                (7, ProtobufValue::Bytes(bytes)) => occurrence.enclosing = numbers(bytes)?,
                _ => {}
            }
        }
        Ok(occurrence)
    }

    /// Its first line, counted from 1.
    fn line(&self) -> u32 {
        self.range.first().and_then(|line| u32::try_from(line + 1).ok()).unwrap_or_default()
    }

    /// The last line of the definition, counted from 1. A range within one line has three numbers,
    /// any other four.
    fn last_line(&self) -> Option<u32> {
        let ([line, _, _] | [_, _, line, _]) = self.enclosing.as_slice() else { return None };
        u32::try_from(line + 1).ok()
    }
}

/// A field of a message.
enum ProtobufValue<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, in order.
fn fields(mut bytes: &[u8]) -> Result<Vec<(u64, ProtobufValue<'_>)>, String> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        let value = match key & 7 {
            0 => ProtobufValue::Number(varint(&mut bytes)?),
            1 => ProtobufValue::Bytes(take(&mut bytes, 8)?),
            2 => {
                let length = varint(&mut bytes)?;
                ProtobufValue::Bytes(take(
                    &mut bytes,
                    usize::try_from(length).map_err(|_| truncated_index())?,
                )?)
            }
            5 => ProtobufValue::Bytes(take(&mut bytes, 4)?),
            kind => return Err(format!("not a SCIP index: unknown wire type {kind}")),
        };
        fields.push((key >> 3, value));
    }
    Ok(fields)
}

fn numbers(mut bytes: &[u8]) -> Result<Vec<u64>, String> {
    let mut numbers = Vec::new();
    while !bytes.is_empty() {
        numbers.push(varint(&mut bytes)?);
    }
    Ok(numbers)
}

fn varint(bytes: &mut &[u8]) -> Result<u64, String> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or_else(truncated_index)?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err("not a SCIP index: a number does not end".into())
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8], String> {
    let (taken, rest) = bytes.split_at_checked(count).ok_or_else(truncated_index)?;
    *bytes = rest;
    Ok(taken)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn truncated_index() -> String {
    "the SCIP index is truncated".into()
}
