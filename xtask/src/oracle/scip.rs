//! Reads the needed parts of a SCIP index: documents, and where symbols occur in them.

/// One file.
#[derive(Debug, Default)]
pub(super) struct OracleDocument {
    pub path: String,
    pub occurrences: Vec<OracleOccurrence>,
}

/// One mention of a symbol.
#[derive(Debug, Default)]
pub(super) struct OracleOccurrence {
    pub symbol: String,
    pub is_definition: bool,
    /// From 0
    pub line: usize,
    /// Where the name ends on the line
    pub end: usize,
}

/// A field of a message: its number, and its bytes or its value.
enum ProtobufField<'a> {
    Bytes(u64, &'a [u8]),
    Number(u64, u64),
}

/// The documents of an index. Symbols that are local to a file are left out.
pub(super) fn read(bytes: &[u8]) -> Vec<OracleDocument> {
    let documents = fields(bytes).into_iter().filter_map(|field| match field {
        ProtobufField::Bytes(2, bytes) => Some(document(bytes)),
        _ => None,
    });
    documents.collect()
}

fn document(bytes: &[u8]) -> OracleDocument {
    let mut found = OracleDocument::default();
    for field in fields(bytes) {
        match field {
            ProtobufField::Bytes(1, path) => {
                found.path = String::from_utf8_lossy(path).into_owned();
            }
            ProtobufField::Bytes(2, bytes) => found.occurrences.push(occurrence(bytes)),
            _ => {}
        }
    }
    found.occurrences.retain(|one| !one.symbol.starts_with("local "));
    found
}

fn occurrence(bytes: &[u8]) -> OracleOccurrence {
    let mut found = OracleOccurrence::default();
    for field in fields(bytes) {
        match field {
            ProtobufField::Bytes(1, range) => {
                let numbers = numbers(range);
                let at = |index: usize| numbers.get(index).copied().unwrap_or_default();
                found.line = at(0);
                found.end = at(numbers.len().saturating_sub(1));
            }
            ProtobufField::Bytes(2, symbol) => {
                found.symbol = String::from_utf8_lossy(symbol).into_owned();
            }
            ProtobufField::Number(3, roles) => found.is_definition = roles & 1 == 1,
            _ => {}
        }
    }
    found
}

fn numbers(mut bytes: &[u8]) -> Vec<usize> {
    let mut all = Vec::new();
    while let Some(number) = varint(&mut bytes) {
        all.push(usize::try_from(number).unwrap_or_default());
    }
    all
}

fn fields(mut bytes: &[u8]) -> Vec<ProtobufField<'_>> {
    let mut all = Vec::new();
    while let Some(key) = varint(&mut bytes) {
        match key & 7 {
            0 => all.extend(varint(&mut bytes).map(|value| ProtobufField::Number(key >> 3, value))),
            2 => {
                let length = varint(&mut bytes).and_then(|length| usize::try_from(length).ok());
                let Some((inner, rest)) = length.and_then(|at| bytes.split_at_checked(at)) else {
                    break;
                };
                all.push(ProtobufField::Bytes(key >> 3, inner));
                bytes = rest;
            }
            _ => break, // no field that is needed has another form
        }
    }
    all
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for (at, byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            *bytes = &bytes[at + 1..];
            return Some(value);
        }
    }
    None
}
