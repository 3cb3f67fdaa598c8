//! Nested values on the command line: JSON as it is, `@file`, or `-` for standard input.

use std::fs;
use std::io::{self, Read};

use base::{Problem, Result};
use clap::Command;
use engine::Object;
use serde_json::Value;

/// The name that marks a nested value in the help.
const MARK: &str = "JSON";

/// The most that is read from a file or from standard input, in bytes.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Reads the files that nested values name.
pub(super) fn read(args: &mut Object, command: &Command) -> Result<()> {
    for arg in command.get_arguments() {
        let is_nested = arg.get_value_names().is_some_and(|names| names.iter().any(|n| n == MARK));
        let Some(value) = args.get_mut(arg.get_id().as_str()).filter(|_| is_nested) else {
            continue;
        };
        let Some([Value::String(place)]) = value.as_array().map(Vec::as_slice) else { continue };
        let text = match place.as_str() {
            "-" => from(io::stdin().lock(), "standard input")?,
            place => match place.strip_prefix('@') {
                Some(file) => {
                    from(fs::File::open(file).map_err(Problem::io(format!("open {file}")))?, file)?
                }
                None => continue,
            },
        };
        let refused = |error| Problem::invalid(format!("{place} is not JSON")).because(error);
        *value = serde_json::from_str(&text).map_err(refused)?;
    }
    Ok(())
}

fn from(source: impl Read, name: &str) -> Result<String> {
    let mut text = String::new();
    source.take(LARGEST).read_to_string(&mut text).map_err(Problem::io(format!("read {name}")))?;
    Ok(text)
}
