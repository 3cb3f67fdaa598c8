//! lcov tracefiles: which lines and functions ran.

use std::collections::BTreeSet;

use base::RepoPath;

use super::{Code, Imported, Importer, test_id};

/// Coverage.
pub(super) struct Lcov;

/// One file of a tracefile.
#[derive(Default)]
struct Record {
    path: Option<RepoPath>,
    functions: Vec<(u32, String)>,
    ran: BTreeSet<String>,
    lines: Vec<u32>,
}

impl Importer for Lcov {
    fn name(&self) -> &'static str {
        "lcov"
    }

    fn knows(&self, bytes: &[u8]) -> bool {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned();
        start.lines().any(|line| line.starts_with("SF:"))
    }

    fn import(&self, bytes: &[u8], report: &str, code: &dyn Code) -> Result<Imported, String> {
        let text = String::from_utf8_lossy(bytes);
        let mut out = Imported::default();
        let (mut test, mut record) = (String::new(), Record::default());
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
                        record.ran.insert(name.to_owned());
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
                    std::mem::take(&mut record).settle(&name, code, &mut out);
                }
                _ => {} // branches and sums say nothing more
            }
        }
        Ok(out)
    }
}

impl Record {
    fn settle(self, test: &str, code: &dyn Code, out: &mut Imported) {
        let Some(path) = self.path else {
            out.unknown += 1;
            return;
        };
        let functions = self.functions.iter().filter(|(_, name)| self.ran.contains(name));
        let found =
            functions.map(|(line, name)| code.at(&path, *line).or_else(|| code.named(&path, name)));
        let mut symbols: BTreeSet<String> = found.flatten().collect();
        if self.functions.is_empty() {
            symbols.extend(self.lines.iter().filter_map(|line| code.at(&path, *line)));
        }
        let id = test_id(test);
        out.test(&id, test, "passing");
        symbols.iter().for_each(|symbol| out.covers(symbol, &id));
    }
}
