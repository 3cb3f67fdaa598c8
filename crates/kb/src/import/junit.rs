//! `JUnit` XML, which most test runners write.

use roxmltree::{Document, Node, ParsingOptions};
use serde_json::Value;

use super::{CodeLookup, ImportedReport, ReportImporter, test_id};

/// Reads test results.
pub(super) struct JunitImporter;

impl ReportImporter for JunitImporter {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned();
        start.contains("<testsuite")
    }

    fn import(
        &self,
        bytes: &[u8],
        _: &str,
        code: &dyn CodeLookup,
    ) -> Result<ImportedReport, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
        let document = Document::parse_with_options(text, options).map_err(|e| e.to_string())?;
        let mut out = ImportedReport::default();
        for case in document.descendants().filter(|node| node.has_tag_name("testcase")) {
            import_case(&case, code, &mut out);
        }
        Ok(out)
    }
}

fn import_case(case: &Node<'_, '_>, code: &dyn CodeLookup, out: &mut ImportedReport) {
    let name = case.attribute("name").unwrap_or_default();
    let class = case.attribute("classname").unwrap_or_default();
    let title = if class.is_empty() { name.to_owned() } else { format!("{class} {name}") };
    if title.trim().is_empty() {
        out.unresolved += 1;
        return;
    }
    let has = |tags: &[&str]| case.children().any(|child| tags.contains(&child.tag_name().name()));
    let status = match () {
        () if has(&["failure", "error"]) => "failing",
        () if has(&["skipped"]) => "skipped",
        () => "passing",
    };
    let id = test_id(&title);
    let suite = case.ancestors().find_map(|node| node.attribute("timestamp"));
    let place = place(case, code);
    let entity = out.add_test(&id, &title, status);
    if let Some(ran_at) = suite.map(with_time_zone) {
        entity["ran_at"] = ran_at.into();
    }
    if let Some(place) = place {
        entity["code"] = Value::from(place);
    }
}

/// The code of a test, as a symbol or a file. pytest puts the input of a test after its name:
/// `test_pay[card]`.
fn place(case: &Node<'_, '_>, code: &dyn CodeLookup) -> Option<String> {
    let name = case.attribute("name").unwrap_or_default();
    let class = case.attribute("classname").unwrap_or_default();
    let path = case.attribute("file").and_then(|file| code.path(file));
    let path = path.or_else(|| code.test_file(class))?;
    let line: Option<u32> = case.attribute("line").and_then(|line| line.parse().ok());
    let with_input = name.strip_suffix(']').and_then(|name| name.split_once('['));
    let without_input = || code.named(&path, with_input?.0);
    let symbol = code.named(&path, name).or_else(without_input).or_else(|| code.at(&path, line?));
    // A test that is an argument of a call, as in most runners of JavaScript, has no symbol of its own.
    Some(
        symbol.map_or_else(
            || path.to_string(),
            |symbol| symbol.trim_start_matches("symbol:").to_owned(),
        ),
    )
}

/// A time of a report in the form of RFC 3339. `JUnit` leaves the zone out, which means UTC here.
fn with_time_zone(text: &str) -> String {
    let has_zone = text.ends_with('Z') || text.get(10..).is_some_and(|t| t.contains(['+', '-']));
    if has_zone { text.to_owned() } else { format!("{text}Z") }
}
