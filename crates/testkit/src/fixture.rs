//! Parses the text form of fixtures.

/// The files of a fixture, by path. A line `//- path` starts a file, and the file ends before the
/// next such line.
pub fn parse_fixture(fixture: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in fixture.lines() {
        let line = line.strip_prefix("        ").unwrap_or(line);
        if let Some(path) = line.trim_start().strip_prefix("//- ") {
            files.push((path.trim().trim_start_matches('/').to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    files
}
