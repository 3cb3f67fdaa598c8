//! Jupyter notebooks: the code cells as one Python module.
//!
//! The code of a notebook is text inside of JSON. It becomes a Python text of the same length, in
//! which every byte of code stands where it stands in the file and everything else is blank, so
//! offsets stay what they are. Lines are those of the file: in the usual form of a notebook each
//! line of code is a line of the file.

mod cells;
mod descriptor;
mod magics;

#[cfg(all(test, feature = "python"))]
mod tests;

pub(crate) use descriptor::DESCRIPTOR;

#[cfg(feature = "python")]
use crate::model::{FileFacts, SyntaxError};
#[cfg(feature = "python")]
use crate::{plain_text, python};

/// The facts of a notebook.
#[cfg(feature = "python")]
fn extract(text: &str) -> FileFacts {
    match cells::python_text(text) {
        Ok(code) => python::extract_embedded(&code, text),
        Err(message) => {
            let errors = vec![SyntaxError { line: 1, column: 1, message }];
            FileFacts { lines: plain_text::count_lines(text), errors, ..FileFacts::default() }
        }
    }
}

/// The Python of a notebook, as long as the notebook; blank where it cannot be read.
pub(crate) fn code_text(text: &str) -> String {
    cells::python_text(text).unwrap_or_else(|_| " ".repeat(text.len()))
}

/// A notebook as a reader wants to see it: as many lines as the file, each with the code on it.
/// Lines that hold no code are empty, but for the first of each cell, which has its number.
pub(crate) fn displayed_text(text: &str) -> String {
    let Ok(cells) = cells::code_cells(text) else { return text.to_owned() };
    let mut starts: Vec<usize> = vec![0];
    starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1));
    let line_of = |at: usize| starts.partition_point(|start| *start <= at) - 1;
    let mut lines: Vec<String> = vec![String::new(); starts.len()];
    for cell in &cells {
        lines[line_of(cell.span.start)] = format!("# cell {}", cell.number);
        for part in &cell.parts {
            let shown = cells::decode(&text[part.clone()]);
            lines[line_of(part.start)] = shown.trim_end_matches('\n').replace('\n', "\\n");
        }
    }
    lines.join("\n")
}
