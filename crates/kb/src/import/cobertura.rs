//! Reads Cobertura XML: which lines and methods ran.

use std::collections::BTreeSet;

use roxmltree::{Document, Node, ParsingOptions};

use super::{CodeLookup, ImportedReport, ReportImporter, test_id};

/// Reads coverage.
pub(super) struct CoberturaImporter;

impl ReportImporter for CoberturaImporter {
    fn name(&self) -> &'static str {
        "cobertura"
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned();
        start.contains("<coverage") && start.contains("line-rate")
    }

    fn import(
        &self,
        bytes: &[u8],
        report: &str,
        code: &dyn CodeLookup,
    ) -> Result<ImportedReport, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
        let document = Document::parse_with_options(text, options).map_err(|e| e.to_string())?;
        let mut out = ImportedReport::default();
        let name = format!("coverage {report}");
        let id = test_id(&name);
        let ran_at = document.root_element().attribute("timestamp").and_then(rfc3339_of_seconds);
        out.add_coverage_run(&id, &name, ran_at);
        let sources: Vec<&str> = document
            .descendants()
            .filter(|node| node.has_tag_name("source"))
            .filter_map(|node| node.text())
            .collect();
        let classes = document.descendants().filter(|node| node.has_tag_name("class"));
        for class in classes {
            import_class(&class, &sources, code, &id, &mut out);
        }
        Ok(out)
    }
}

fn import_class(
    class: &Node<'_, '_>,
    sources: &[&str],
    code: &dyn CodeLookup,
    test: &str,
    out: &mut ImportedReport,
) {
    let file = class.attribute("filename").unwrap_or_default();
    let below = sources.iter().map(|source| format!("{}/{file}", source.trim_end_matches('/')));
    let path = code.path(file).or_else(|| below.into_iter().find_map(|file| code.path(&file)));
    let Some(path) = path else {
        out.unresolved += 1;
        return;
    };
    let lines = class.descendants().filter(|node| node.has_tag_name("line"));
    let hit = lines.filter(|line| line.attribute("hits").is_some_and(|hits| hits != "0"));
    let numbers: BTreeSet<u32> =
        hit.filter_map(|line| line.attribute("number")?.parse().ok()).collect();
    let symbols: BTreeSet<String> =
        numbers.into_iter().filter_map(|line| code.executed(&path, line)).collect();
    for symbol in &symbols {
        out.add_coverage(symbol, test);
    }
}

/// The time of a number of seconds or milliseconds since 1970, as RFC 3339.
fn rfc3339_of_seconds(text: &str) -> Option<String> {
    let number: i64 = text.trim().parse().ok()?;
    let seconds = if number > 100_000_000_000 { number / 1000 } else { number };
    Some(base::moment::from_seconds(seconds).to_string())
}
