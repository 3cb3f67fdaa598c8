//! Lines of a cell that IPython reads and Python does not: `%magic`, `!command`, `name?`.

/// Magics after which the rest of the cell or line is Python.
const PYTHON_MAGICS: [&str; 6] = ["time", "timeit", "capture", "prun", "memit", "mprun"];

/// Blanks what is no Python in the code of one cell.
pub(super) fn blank(cell: &mut [u8]) {
    let mut is_first = true;
    let mut start = 0;
    while start < cell.len() {
        let end = cell[start..].iter().position(|byte| *byte == b'\n');
        let end = end.map_or(cell.len(), |length| start + length);
        let written = String::from_utf8_lossy(&cell[start..end]).into_owned();
        let line = written.trim();
        if is_first && let Some(magic) = line.strip_prefix("%%") {
            if !is_python_magic(magic) {
                fill(cell);
                return;
            }
            fill(&mut cell[start..end]);
        } else {
            blank_line(&mut cell[start..end], &written);
        }
        is_first &= line.is_empty();
        start = end + 1;
    }
}

/// The name of a magic that measures Python code.
fn is_python_magic(written: &str) -> bool {
    let name = written.split_whitespace().next().unwrap_or_default();
    PYTHON_MAGICS.contains(&name)
}

fn blank_line(line: &mut [u8], written: &str) {
    let code = written.trim();
    let indent = written.len() - written.trim_start().len();
    let is_magic = code
        .strip_prefix('%')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '%'));
    if is_magic && is_python_magic(&code[1..]) {
        let name = code[1..].split_whitespace().next().unwrap_or_default().len();
        let code_start = indent + 1 + name;
        if code[1 + name..].trim_start().starts_with('-') || code_start >= line.len() {
            return fill(line);
        }
        // `%time f()` becomes `0    ;f()`: a statement of the same length before it.
        line[indent..=code_start].fill(b' ');
        line[indent] = b'0';
        line[code_start] = b';';
        return;
    }
    let is_help = code.starts_with('?') || code.ends_with('?') && !code.contains(['#', '"', '\'']);
    if is_magic || code.starts_with('!') || is_help {
        return fill(line);
    }
    // `files = !ls` has a value that is not known.
    let value = ["= !", "=!", "= %"].iter().find_map(|sign| Some(code.find(sign)? + sign.len()));
    if let Some(value) = value {
        let (before, after) = (&code[..value - 1], &code[value..]);
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ',' | ' ' | '=' | '.');
        if before.chars().all(is_name) && after.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let at = indent + value - 1;
            line[at..].fill(b' ');
            line[at] = b'0';
        }
    }
}

/// Blanks everything but line breaks.
fn fill(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}
