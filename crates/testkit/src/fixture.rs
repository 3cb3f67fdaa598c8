//! Text that stands for files.

/// The files of a fixture: what follows each line `//- path`, up to the next.
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
