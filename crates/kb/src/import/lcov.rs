//! Reads lcov tracefiles: which lines and functions ran.

use std::collections::BTreeSet;

use base::RepoPath;

use super::{CodeLookup, ImportedReport, ReportImporter, test_id};

/// Reads coverage.
pub(super) struct LcovImporter;

/// One file of a tracefile.
#[derive(Default)]
struct LcovFileRecord {
    path: Option<RepoPath>,
    functions: Vec<(u32, String)>,
    executed_functions: BTreeSet<String>,
    lines: Vec<u32>,
}

impl ReportImporter for LcovImporter {
    fn name(&self) -> &'static str {
        "lcov"
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned();
        start.lines().any(|line| line.starts_with("SF:"))
    }

    fn import(
        &self,
        bytes: &[u8],
        report: &str,
        code: &dyn CodeLookup,
    ) -> Result<ImportedReport, String> {
        let text = String::from_utf8_lossy(bytes);
        let mut out = ImportedReport::default();
        let (mut test, mut record) = (String::new(), LcovFileRecord::default());
        for (number, line) in text.lines().enumerate() {
            let (tag, rest) = line.split_once(':').unwrap_or((line.trim(), ""));
            let bad = || format!("line {} is not lcov: {line}", number + 1);
            match tag {
                "TN" => rest.trim().clone_into(&mut test),
                "SF" => record.path = code.path(rest.trim()),
                "FN" => {
                    let mut parts = rest.split(',');
                    let line = parts.next().and_then(|n| n.parse().ok()).ok_or_else(bad)?;
                    record.functions.push((line, parts.next_back().unwrap_or_default().into()));
                }
                "FNDA" => {
                    let (count, name) = rest.split_once(',').ok_or_else(bad)?;
                    if count != "0" {
                        record.executed_functions.insert(name.to_owned());
                    }
                }
                "DA" => {
                    let mut parts = rest.split(',');
                    let line = parts.next().and_then(|n| n.parse().ok()).ok_or_else(bad)?;
                    if parts.next().is_some_and(|count| count != "0") {
                        record.lines.push(line);
                    }
                }
                "end_of_record" => {
                    let name =
                        if test.is_empty() { format!("coverage {report}") } else { test.clone() };
                    std::mem::take(&mut record).write_coverage(&name, code, &mut out);
                }
                _ => {} // branches and sums are not needed
            }
        }
        Ok(out)
    }
}

impl LcovFileRecord {
    fn write_coverage(self, test: &str, code: &dyn CodeLookup, out: &mut ImportedReport) {
        let Some(path) = self.path else {
            out.unresolved += 1;
            return;
        };
        let functions =
            self.functions.iter().filter(|(_, name)| self.executed_functions.contains(name));
        let found =
            functions.map(|(line, name)| code.at(&path, *line).or_else(|| code.named(&path, name)));
        let mut symbols: BTreeSet<String> = found.flatten().collect();
        if self.functions.is_empty() {
            symbols.extend(self.lines.iter().filter_map(|line| code.executed(&path, *line)));
        }
        let id = test_id(test);
        out.add_coverage_run(&id, test, None);
        for symbol in &symbols {
            out.add_coverage(symbol, &id);
        }
    }
}
