//! Nested values on the command line: JSON as it is, `@file`, or `-` for standard input.

use std::fs;
use std::io::{self, Read};

use base::{Problem, Result};
use clap::Command;
use engine::JsonObject;
use serde_json::Value;

/// The name that marks a nested value in the help.
const JSON_VALUE_NAME: &str = "JSON";

/// The most that is read from a file or from standard input, in bytes.
const MAX_INPUT_BYTES: u64 = 64 * 1024 * 1024;

/// Replaces `@file` and `-` in nested values by the content that they name, parsed as JSON.
pub(super) fn read_json_args(args: &mut JsonObject, command: &Command) -> Result<()> {
    for arg in command.get_arguments() {
        let is_nested =
            arg.get_value_names().is_some_and(|names| names.iter().any(|n| n == JSON_VALUE_NAME));
        let Some(value) = args.get_mut(arg.get_id().as_str()).filter(|_| is_nested) else {
            continue;
        };
        let Some([Value::String(place)]) = value.as_array().map(Vec::as_slice) else { continue };
        let text = match place.as_str() {
            "-" => read_text(io::stdin().lock(), "standard input", MAX_INPUT_BYTES)?,
            place => match place.strip_prefix('@') {
                Some(file) => read_text(
                    fs::File::open(file).map_err(Problem::io(format!("open {file}")))?,
                    file,
                    MAX_INPUT_BYTES,
                )?,
                None => continue,
            },
        };
        let refused = |error| Problem::invalid(format!("{place} is not JSON")).with_source(error);
        *value = serde_json::from_str(&text).map_err(refused)?;
    }
    Ok(())
}

fn read_text(source: impl Read, name: &str, limit: u64) -> Result<String> {
    let mut bytes = Vec::new();
    let failed = || Problem::io(format!("read {name}"));
    source.take(limit + 1).read_to_end(&mut bytes).map_err(failed())?;
    if bytes.len() as u64 > limit {
        return Err(Problem::invalid(format!("{name} is longer than {limit} bytes")));
    }
    let not_text = |error| failed()(io::Error::new(io::ErrorKind::InvalidData, error));
    String::from_utf8(bytes).map_err(not_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_that_is_too_long_is_refused_and_not_cut() {
        assert_eq!(read_text(&b"[1]"[..], "a.json", 3).unwrap(), "[1]");
        let problem = read_text(&b"[12]"[..], "a.json", 3).unwrap_err();
        assert_eq!(problem.message, "a.json is longer than 3 bytes");
    }
}
