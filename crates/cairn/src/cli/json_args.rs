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

/// Reads the files that nested values name.
pub(super) fn read_json_args(args: &mut JsonObject, command: &Command) -> Result<()> {
    for arg in command.get_arguments() {
        let is_nested =
            arg.get_value_names().is_some_and(|names| names.iter().any(|n| n == JSON_VALUE_NAME));
        let Some(value) = args.get_mut(arg.get_id().as_str()).filter(|_| is_nested) else {
            continue;
        };
        let Some([Value::String(place)]) = value.as_array().map(Vec::as_slice) else { continue };
        let text = match place.as_str() {
            "-" => read_text(io::stdin().lock(), "standard input")?,
            place => match place.strip_prefix('@') {
                Some(file) => read_text(
                    fs::File::open(file).map_err(Problem::io(format!("open {file}")))?,
                    file,
                )?,
                None => continue,
            },
        };
        let refused = |error| Problem::invalid(format!("{place} is not JSON")).with_source(error);
        *value = serde_json::from_str(&text).map_err(refused)?;
    }
    Ok(())
}

fn read_text(source: impl Read, name: &str) -> Result<String> {
    let mut text = String::new();
    source
        .take(MAX_INPUT_BYTES)
        .read_to_string(&mut text)
        .map_err(Problem::io(format!("read {name}")))?;
    Ok(text)
}
