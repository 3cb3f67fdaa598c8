//! The baseline: accepted problems, on which `verify` does not fail.
//!
//! One problem per line, sorted, so that two branches merge. A problem is identified by its rule,
//! its file or node, and its message; not by its line, which changes.

use std::collections::BTreeMap;

use base::{NextCall, Problem, RepoPath, Result};
use serde::{Deserialize, Serialize};

use super::RuleFinding;
use crate::view::View;

/// The default file.
pub const FILE: &str = ".cairn/baseline.jsonl";

/// Accepted problems, and how often each occurs.
#[derive(Debug, Default)]
pub struct Baseline {
    entries: BTreeMap<BaselineEntry, usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineEntry {
    code: String,
    place: String,
    message: String,
}

impl BaselineEntry {
    fn of(finding: &RuleFinding) -> Self {
        let place = match (&finding.path, &finding.node) {
            (Some(path), _) => path.to_string(),
            (None, Some(node)) => node.to_string(),
            (None, None) => String::new(),
        };
        Self { code: finding.code.into(), place, message: finding.message.clone() }
    }
}

impl Baseline {
    /// Reads the baseline that `named` selects: `none`, another file, or the default one.
    pub fn read(view: &View, named: Option<&str>) -> Result<Self> {
        let path: RepoPath = match named {
            Some("none") => return Ok(Self::default()),
            Some(named) => {
                let paths = view.paths().resolve(named)?.into_iter();
                let there =
                    paths.filter(|path| view.tree().read(path).is_ok_and(|file| file.is_some()));
                let none = || Problem::not_found(format!("there is no baseline {named}"));
                there.into_iter().next().ok_or_else(none)?
            }
            None => FILE.parse().map_err(Problem::internal)?,
        };
        match view.tree().read(&path)? {
            Some(file) => Self::parse(&String::from_utf8_lossy(&file.bytes)),
            None => Ok(Self::default()),
        }
    }

    /// Parses a baseline.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut baseline = Self::default();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let known = serde_json::from_str(line).map_err(|error| {
                Problem::invalid(format!("line {number} of the baseline cannot be read: {error}"))
                    .hint_call("write it again with", NextCall::new("baseline"))
            })?;
            *baseline.entries.entry(known).or_default() += 1;
        }
        Ok(baseline)
    }

    /// The text of a baseline that accepts these findings.
    pub fn print(findings: &[RuleFinding]) -> String {
        let mut known: Vec<BaselineEntry> = findings.iter().map(BaselineEntry::of).collect();
        known.sort();
        let line = |known: &BaselineEntry| serde_json::json!(known).to_string() + "\n";
        known.iter().map(line).collect()
    }

    /// Removes the accepted findings. Returns the new ones, and how many were accepted.
    pub fn subtract(mut self, findings: Vec<RuleFinding>) -> (Vec<RuleFinding>, usize) {
        let all = findings.len();
        let is_new = |finding: &RuleFinding| match self.entries.get_mut(&BaselineEntry::of(finding))
        {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => true,
        };
        let new: Vec<RuleFinding> = findings.into_iter().filter(is_new).collect();
        let old = all - new.len();
        (new, old)
    }
}

#[cfg(test)]
mod tests {
    use super::super::RuleSeverity;
    use super::*;

    fn finding(message: &str, line: u32) -> RuleFinding {
        RuleFinding {
            severity: RuleSeverity::Error,
            code: "CODE",
            path: "a.rs".parse().ok(),
            line: Some(line),
            node: None,
            message: message.into(),
            fix: "".into(),
        }
    }

    #[test]
    fn a_known_problem_is_known_wherever_it_moves_but_not_twice() {
        let text = Baseline::print(&[finding("b", 9), finding("a\n\"x\"", 3)]);
        assert_eq!(text.lines().count(), 2);
        let now = vec![finding("a\n\"x\"", 40), finding("a\n\"x\"", 50), finding("c", 1)];
        let (new, old) = Baseline::parse(&text).unwrap().subtract(now);
        assert_eq!(old, 1);
        assert_eq!(new, [finding("a\n\"x\"", 50), finding("c", 1)]);
        assert!(Baseline::parse("{}\n").is_err());
    }
}
